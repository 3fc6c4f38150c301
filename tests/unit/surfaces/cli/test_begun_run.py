"""What ``--resume`` takes from the run, and what it does not let be said otherwise."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli.begun_run import BegunRun, keep_command, take_up_run
from jupyter_selfheal.surfaces.cli.one import Job
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.notebook.records import NotebookReport

RUN = "0123abcd"
PROBLEM = NotebookReport("locked", error="locked: no permission")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def begin(*words: str) -> Path:
    """A run that was begun with these words, and has a journal."""
    options = build_parser().parse_args(words)
    options.words = words
    keep_command(RUN, options, [Job(Path("a.ipynb"), Path("out/a.ipynb"), 1, copy_healthy=False)], [PROBLEM])
    runs = Path(os.environ["JUPYTER_DATA_DIR"]) / "selfheal" / "runs"
    (runs / f"{RUN}-1-c1.jsonl").touch()
    return runs / f"{RUN}.command"


def take_up(*words: str) -> tuple[argparse.Namespace, BegunRun | None]:
    parser = build_parser()
    return take_up_run(parser.parse_args(["heal", "--resume", RUN, *words]), parser)


def test_notebooks_and_options_are_those_of_the_run() -> None:
    kept = begin("heal", "a.ipynb", "more", "--output-dir", "out", "--timeout", "7", "--offline", "--input", "x")
    assert kept.stat().st_mode & 0o077 == 0, "an --input may be a password"
    options, begun = take_up()
    assert (options.notebooks, options.output_dir) == ([Path("a.ipynb"), Path("more")], Path("out"))
    assert (options.timeout, options.offline, options.input, options.resume) == (7, True, ["x"], RUN)
    assert begun is not None
    assert begun.jobs == (Job(Path("a.ipynb"), Path("out/a.ipynb"), 1, copy_healthy=False),)
    assert begun.problems == (PROBLEM,)


def test_the_same_said_again_is_no_contradiction(folder: Path) -> None:
    begin("heal", "a.ipynb", "--offline", "--approve", "safe")
    options, begun = take_up(str(folder / "a.ipynb"), "--offline", "--approve", "safe")
    assert begun is not None
    assert options.notebooks == [Path("a.ipynb")], "named as it was"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("b.ipynb",), "heals a.ipynb: `--resume 0123abcd` alone goes on with it; to have others, begin a new run"),
        (("--approve", "none"), "was begun with --approve safe"),
        (("--no-offline",), "was begun with --offline"),
        (("--healers", "rules"), "was begun without --healers"),
        (("--in-place",), "was begun without --in-place"),
        (("--write",), "was begun without --write"),
    ],
)
def test_what_contradicts_the_run_is_refused(words: tuple[str, ...], said: str) -> None:
    begin("heal", "a.ipynb", "--offline", "--approve", "safe")
    with pytest.raises(UsageError) as caught:
        take_up(*words)
    assert f"run {RUN} {said}" in str(caught.value)


def test_an_answer_to_input_is_not_shown() -> None:
    begin("heal", "a.ipynb", "--input", "s3cret")
    with pytest.raises(UsageError, match="was begun with other answers for --input") as caught:
        take_up("--input", "guess")
    assert "s3cret" not in str(caught.value)


def test_limits_places_and_what_is_printed_may_be_told_anew() -> None:
    begin("heal", "a.ipynb", "--budget", "0.1", "-o", "full/x.ipynb", "-q", "--jobs", "2")
    options, begun = take_up("--budget", "0.5", "--output-dir", "out", "-v", "--report", "r.html")
    assert (options.budget, options.output, options.output_dir) == (0.5, None, Path("out").absolute())
    assert (options.quiet, options.verbose, options.jobs) == (False, True, 2)
    assert options.report == [Path("r.html").absolute()]
    assert begun is None, "the notebooks go elsewhere: that is planned anew"


def test_a_run_in_place_may_end_in_another_file() -> None:
    begin("heal", "a.ipynb", "--in-place")
    options, begun = take_up()
    assert (options.in_place, begun is None) == (True, False)
    options, begun = take_up("-o", "b.ipynb")
    assert (options.in_place, options.output, begun) == (False, Path("b.ipynb").absolute(), None)


def test_it_goes_on_in_the_folder_where_it_was_begun(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begin("heal", "a.ipynb")
    monkeypatch.chdir(tmp_path)
    options, _ = take_up("work/a.ipynb", "--report", "r.html")
    assert Path.cwd() == folder
    assert options.report == [tmp_path / "r.html"], "a path is meant where it was typed"
    assert f"run {RUN} goes on in {folder}" in capsys.readouterr().err.replace("\n", "")
    folder.rmdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="which cannot be entered"):
        take_up()


def test_another_command_is_named() -> None:
    begin("check", "a.ipynb")
    with pytest.raises(UsageError, match=f"is one of `check`: jupyter selfheal check --resume {RUN}"):
        take_up()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"words": 1, "folder": "", "jobs": [], "problems": []}'])
def test_of_a_damaged_file_the_whole_command_is_asked_for(text: str) -> None:
    begin("heal", "a.ipynb").write_text(text)
    with pytest.raises(UsageError, match=f"its notebooks too, with --resume {RUN}"):
        take_up()
    options, begun = take_up("a.ipynb")
    assert (begun, options.notebooks) == (None, [Path("a.ipynb")])
