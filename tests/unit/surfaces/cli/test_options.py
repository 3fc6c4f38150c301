from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.errors import NotebookError, UsageError
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.surfaces.cli import main
from jupyter_selfheal.surfaces.cli.heal import build_settings
from jupyter_selfheal.surfaces.cli.one import Job, heal_notebook
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.cli.targets import plan_jobs
from jupyter_selfheal.surfaces.notebook.model_notes import list_model_notes
from jupyter_selfheal.surfaces.notebook.read import build_document
from jupyter_selfheal.surfaces.notebook.session import Session

HEAVY = ("nbformat", "anthropic", "jupyter_client", "IPython", "jinja2", "pygments", "numpy", "zmq", "tqdm")


def parsed(*words: str):  # type: ignore[no-untyped-def]
    return build_parser().parse_args(["heal", *words])


@pytest.mark.parametrize(
    "words",
    [
        ["--nope"],
        ["heal"],
        ["heal", "a.ipynb", "--nope"],
        ["heal", "a.ipynb", "--timeout", "-1"],
        ["heal", "a.ipynb", "--attempts", "1.5"],
        ["heal", "a.ipynb", "--budget", "much"],
        ["heal", "a.ipynb", "--healers", "rules,magic"],
        ["heal", "a.ipynb", "--approve", "maybe"],
        ["heal", "a.ipynb", "-o", "b.ipynb", "--in-place"],
        ["heal", "a.ipynb", "-o", "a.ipynb"],
        ["heal", "a.ipynb", "b.ipynb", "-o", "c.ipynb"],
        ["heal", "x/a.ipynb", "y/a.ipynb", "--output-dir", "z"],
        ["heal", "a.ipynb", "--report", "a.pdf"],
        ["heal", "a.ipynb", "--resume", "nosuchrun"],
        ["heal", "a.ipynb", "--resume", "../x"],
        ["heal", "a.ipynb", "b.ipynb", "--jobs", "2", "--approve", "ask"],
        ["heal", "a.ipynb", "--jobs", "0"],
        ["heal", "a.ipynb", "--offline", "--healers", "language_model"],
        ["heal", "tests/nothing*.ipynb"],
        ["heal", "/"],
        ["heal", "a.ipynb", "--project", "no/such/folder"],
        ["check", "a.ipynb", "--project", "no/such/folder"],
        ["rules", "NOPE999"],
        ["trace", "no-such-run"],
        ["unknown"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_understood_is_one_line_and_exit_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.strip().splitlines()) == 1
    assert said.err.startswith("jupyter selfheal: ")


def test_broken_notebooks_are_one_line_each_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.ipynb").write_text("{")
    (tmp_path / "b.ipynb").write_text('{"nbformat": 9, "cells": []}')
    (tmp_path / "c.ipynb").write_text(
        '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [1]}]}'
    )
    (tmp_path / "d.ipynb").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    (tmp_path / "e.ipynb").mkdir()
    there = sorted(p.name for p in tmp_path.iterdir())
    names = [str(tmp_path / n) for n in (*there, "none.ipynb")]
    assert main(["heal", *names, "--output-dir", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert [name for line, name in zip(said, names, strict=True) if name not in line] == []
    assert sorted(p.name for p in tmp_path.iterdir()) == there


@pytest.mark.parametrize(
    "words", [["-o", "/proc/none/x.ipynb"], ["--output-dir", "/proc/none"], ["--report", "/proc/none/r.html"]]
)
def test_an_output_that_cannot_be_written_is_found_out_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (tmp_path / "a.ipynb").write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}')
    assert main(["heal", str(tmp_path / "a.ipynb"), *words]) == 2
    said = capsys.readouterr().err.strip()
    assert "cannot be written" in said
    assert "\n" not in said
    assert [p.name for p in tmp_path.iterdir()] == ["a.ipynb"]


def test_where_the_healed_notebook_goes() -> None:
    def target(*words: str) -> Path | None:
        return plan_jobs(parsed("x/a.ipynb", *words))[0][0].target

    assert target() == Path("x/a.healed.ipynb")
    assert target("--output-dir", "z") == Path("z/a.ipynb")
    assert target("--in-place") == Path("x/a.ipynb")
    with pytest.raises(UsageError, match="--in-place"):
        target("-o", "x/../x/a.ipynb")


def test_a_model_is_asked_only_where_it_is_named() -> None:
    plain = build_settings(parsed("a.ipynb")).config
    assert "language_model" not in plain.healers
    assert not plain.consent
    named = build_settings(parsed("a.ipynb", "--healers", "rules,language-model", "--budget", "0.5")).config
    assert named.healers == ("rules", "language_model")
    assert named.consent
    assert (named.budget_usd, named.session_budget_usd) == (0.5, 0.5)


def test_what_keeps_a_named_model_from_healing_is_said_before_anything_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    def notes(*words: str) -> tuple[str, ...]:
        return list_model_notes(build_settings(parsed("a.ipynb", *words)))

    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert notes() == notes("--in-place") == ()
    assert "set ANTHROPIC_API_KEY" in notes("--healers", "language_model")[0]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert notes("--healers", "language_model") == ()
    assert "--approve all or ask" in notes("--healers", "language_model", "--in-place")[0]
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    other = ("--healers", "language_model", "--judge-provider", "openai_compatible")
    assert notes(*other) == ("no model will judge: no key: set OPENAI_API_KEY",)
    assert notes(*other, "--judge-base-url", "http://localhost:1/v1") == ()
    assert notes("--healers", "language_model,rules", "--offline", "--in-place") == ()


def test_in_place_applies_safe_fixes_only_unless_told_otherwise() -> None:
    assert build_settings(parsed("a.ipynb")).approve == "all"
    assert build_settings(parsed("a.ipynb", "--in-place")).approve == "safe"
    assert build_settings(parsed("a.ipynb", "--in-place", "--approve", "all")).approve == "all"


@pytest.mark.parametrize("words", [["--help"], ["heal", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    program = (
        "import sys\nfrom jupyter_selfheal.surfaces.cli import main\n"
        f"try: main({words!r})\nexcept SystemExit: pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_every_documented_option_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's reference and the parser cannot drift apart, and the help is as wide as the terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    readme = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8")
    commands = next(action for action in build_parser()._actions if action.dest == "command").choices
    offered = build_parser().format_help() + "".join(command.format_help() for command in commands.values())  # type: ignore[union-attr]
    assert max(map(len, offered.splitlines())) <= 80
    reference = readme.split("## Command line")[1].split("## Limits")[0]
    import re

    for option in set(re.findall(r"(?<![\w`-])--[a-z][a-z-]+", reference)) - {"--engine"}:
        assert option in offered, option


def test_a_run_whose_time_is_up_begins_no_further_notebook(tmp_path: Path) -> None:
    settings = replace(build_settings(parsed("a.ipynb", "--run-timeout", "60")), run_ends=0.0)
    with Session(settings, "someid") as session:
        report = heal_notebook(session, Job(tmp_path / "a.ipynb", None))
        assert session.limits.find_seconds_for_notebook(()) == 0.001, "nor does one that runs go on"
    assert report.exit_code == 2
    assert "not begun: the time for the run is up; go on with --resume someid" in report.error


def test_a_run_whose_command_is_not_known_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    JsonlJournal.create("0123abcd-1", notebook="b.ipynb").close()
    assert main(["heal", "--resume", "0123abcd"]) == 2
    said = capsys.readouterr().err
    assert "its notebooks too, with --resume 0123abcd" in said
    assert said.count("\n") == 1


def test_a_run_is_not_resumed_with_the_journal_of_another_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    JsonlJournal.create("someid-1.1", notebook="b.ipynb").close()
    document = build_document(Path("a.ipynb"), {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    with (
        Session(build_settings(parsed("a.ipynb")), "someid", resuming=True) as session,
        pytest.raises(NotebookError, match=r"a.ipynb: run someid healed b.ipynb in its place"),
    ):
        session._open_journal(document, "someid-1.1")


def test_without_a_command_all_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert "heal notebooks" in shown.err
    assert "serve coding agents" in shown.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["heel", "a.ipynb"], "did you mean heal?"),
        (["my notes.ipynb"], "`jupyter selfheal heal 'my notes.ipynb'` heals it"),
        (["a.ipynb", "--offline"], "`jupyter selfheal heal a.ipynb` heals it"),
        (
            ["heal", "a.ipynb", "--ofline"],
            "no option --ofline: did you mean --offline?; see `jupyter selfheal heal --help`",
        ),
        (
            ["check", "a.ipynb", "--aprove", "none"],
            "no option --aprove: --approve is one of `jupyter selfheal heal`; see",
        ),
        (["log", "a.ipynb", "b.ipynb"], "'b.ipynb' is one word too many; see `jupyter selfheal log --help`"),
        (["heal", "a.ipynb", "--approve", "maybe"], "'maybe' is not one of all, safe, ask, none"),
    ],
)
def test_what_is_misspelt_is_told_with_what_is_meant(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert says in capsys.readouterr().err
