"""What cannot be measured or reported gets one line that says what to do."""

from __future__ import annotations

import argparse
import json
import resource
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError, SelfHealError, UsageError
from jupyter_selfheal.ports import ModelRequest
from jupyter_selfheal.surfaces.bench import run
from jupyter_selfheal.surfaces.bench.rows import Row, RowFile, Setup, append_line
from jupyter_selfheal.surfaces.bench.tasks import Task
from jupyter_selfheal.surfaces.notebook.report import SCHEMA

CASE = {"program": "def inc(n):\n    return n + 2\n", "tests": ["assert inc(1) == 2"]}


def refuse(*words: object) -> str:
    """The one line with which the command refuses."""
    with pytest.raises(SelfHealError) as caught:
        run.command(argparse.Namespace(arguments=[str(word) for word in words]))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write_rows(path: Path, **head: Any) -> Path:
    RowFile(path, Setup("MBPP", "all")).add(Row("a", True, True))
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **head}), *rest]) + "\n")
    return path


@pytest.mark.parametrize("name", ["mbpp", "humaneval", "humanevalfix"])
def test_a_set_with_a_broken_record_names_the_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text('{"task_id": 1}\n\n{"task_id": 2, "code\n')
    assert "set.jsonl, line 3 is no JSON" in refuse(name, tmp_path / "set.jsonl")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nosuch",), "'nosuch' is not one of quixbugs, humanevalfix"),
        (("mbpp", "--first", "0"), "'0' is not a whole number from 1"),
        (("quixbugs", "/nowhere"), "/nowhere does not exist: quixbugs takes a clone of QuixBugs"),
        (
            ("mbpp", "--only", "MBPP/2", "MBPP/nosuch"),
            "no program is called 'MBPP/nosuch'; the set has MBPP/2, MBPP/63",
        ),
        (("quixbugs",), "give its PATH, a clone of QuixBugs"),
        (("--first", "2", "relancer", "/nowhere"), "relancer comes first"),
        (("compare",), "FILE"),
        (("relancer", "/nowhere", "--healers", "nosuch"), "nosuch"),
        (("resilience", "--only", "nosuch"), "nosuch"),
    ],
)
def test_a_wrong_word_gets_a_line_and_no_list_of_options(words: tuple[str, ...], why: str) -> None:
    assert why in refuse(*words)


@pytest.mark.parametrize("report", ["compare", "failures", "regress", "figures"])
def test_files_of_different_schemas_are_not_put_together(report: str, tmp_path: Path) -> None:
    old, new = write_rows(tmp_path / "old.jsonl", schema=1), write_rows(tmp_path / "new.jsonl")
    assert f"old.jsonl has rows of schema 1, not {SCHEMA}: measure again" in refuse(report, old, new)


def test_a_program_is_named_as_its_line_shows_it_or_without_the_class_of_its_fault() -> None:
    program = Task("Python/3 (value misuse)", "f", "f = 1\n", ("assert f == 2\n",), "f = 3\n")
    other = replace(program, name="Python/4 (value misuse)")
    for name in ("Python/3", "Python/3 (value misuse)"):
        asked = argparse.Namespace(only=[name], task_id=[], half="all", sample=0, seed=1, limit=0)
        assert run._choose_tasks([program, other], asked) == [program]


def test_one_run_gives_no_interval_over_runs(tmp_path: Path) -> None:
    assert "--runs 3" in refuse("variance", write_rows(tmp_path / "one.jsonl"))


def test_a_request_that_was_not_recorded_is_named(tmp_path: Path) -> None:
    provider = engine.build_provider(HealConfig(replay=str(tmp_path)))
    with pytest.raises(ProviderError) as caught:
        provider.complete(ModelRequest(system="s", messages=(("user", "u"),), model="m", max_tokens=9))
    assert "--record" in str(caught.value)
    assert "\n" not in str(caught.value)


MODEL = ("--healers", "language_model", "--provider", "openai_compatible", "--base-url", "http://127.0.0.1:9", "--model", "m")  # fmt: skip


def test_a_folder_without_a_recording_is_refused_before_anything_runs(tmp_path: Path) -> None:
    said = refuse("mbpp", "--first", 1, *MODEL, "--replay", tmp_path / "none", "--rows", tmp_path / "rows.jsonl")
    assert "there is no recording in" in said
    assert not (tmp_path / "rows.jsonl").exists()


@pytest.mark.kernel
@pytest.mark.slow
def test_a_cassette_without_the_request_ends_the_run_and_no_row_is_kept(tmp_path: Path) -> None:
    rows, cassette = tmp_path / "rows.jsonl", tmp_path / "cassette"
    cassette.mkdir()
    said = refuse("mbpp", "--first", 3, *MODEL, "--replay", cassette, "--rows", rows)
    assert said.startswith("1 program could not be tried to the end (MBPP/2")
    assert "holds no reply to a new fix request to m" in said
    assert not rows.exists() or len(rows.read_text().splitlines()) == 1


def test_what_could_not_be_tried_is_one_line_that_says_how_to_go_on() -> None:
    outage = Row("MBPP/2", False, False, why="the service\nis down", reason="infrastructure")
    assert run.describe_untried([outage], kept=True) == (
        "1 program could not be tried to the end (MBPP/2: the service is down); no figure counts them, and the same command goes on with what is left"
    )
    assert run.describe_untried([outage, outage], kept=False).startswith("2 programs could not")


def test_a_row_that_is_no_json_is_named_by_its_line(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl")
    path.write_text(path.read_text() + '{"name": \n')
    assert "rows.jsonl, line 3 is no JSON" in refuse("compare", path)
    path.write_text('{"list": "relancer.json"}\n')
    assert "rows.jsonl holds notebooks healed by a list" in refuse("compare", path)
    path.write_text('{"other": 1}\n')
    assert "its first line names no set" in refuse("compare", path)


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ({"program": "x = 1"}, "at least one test"),
        ({**CASE, "test": "x"}, "no field 'test'"),
        ({**CASE, "tests": ["assert inc(1"]}, "tests in Python"),
        ({**CASE, "reference": 5}, "`reference` is a text"),
        ([1], "is an object"),
        ([{**CASE, "name": "a"}, {**CASE, "name": "a"}], "two cases are called 'a'"),
        ("not JSON", "is an object"),
    ],
)
def test_a_case_of_ones_own_that_cannot_be_read_is_named(case: object, why: str, tmp_path: Path) -> None:
    (tmp_path / "case.json").write_text(json.dumps(case))
    said = refuse("own", tmp_path)
    assert why in said
    assert str(tmp_path) in said


def test_a_folder_without_a_case_says_where_their_form_is_described(tmp_path: Path) -> None:
    assert "docs/research.md" in refuse("own", tmp_path)
    (tmp_path / "case.json").write_text("{")
    assert "case.json is no JSON" in refuse("own", tmp_path)


def test_rows_that_cannot_be_written_are_refused_before_anything_is_healed(tmp_path: Path) -> None:
    assert f"there is no folder {tmp_path / 'no'} for the rows" in refuse(
        "mbpp", "--rows", tmp_path / "no" / "rows.jsonl"
    )
    assert f"{tmp_path} is no file that rows" in refuse("mbpp", "--rows", tmp_path)
    assert "/dev/full is no file that rows" in refuse("mbpp", "--rows", "/dev/full")  # it was read without an end


def test_a_disk_that_is_full_keeps_the_rows_that_are_there(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl")
    before = path.read_text()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, hard))
    try:
        with pytest.raises(UsageError, match=r"cannot take another row \(.*those before it are kept") as caught:
            RowFile(path, Setup("MBPP", "all")).add(Row("b", True, True))
        with pytest.raises(UsageError):
            RowFile(tmp_path / "new.jsonl", Setup("MBPP" * 999, "all")).add(Row("b", True, True))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(caught.value)
    assert path.read_text() == before
    assert (tmp_path / "new.jsonl").read_text() == ""


def test_rows_that_cannot_be_opened_for_a_moment_are_not_cut(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl")
    before = path.read_text()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        with pytest.raises(UsageError, match=r"cannot take another row \(Too many open files\)"):
            append_line(path, "{}")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert path.read_text() == before


@pytest.mark.parametrize("words", [("figures", "--into"), ("figures", "--keep"), ("dashboard", "-o")])
def test_a_report_that_cannot_be_written_says_where(words: tuple[str, str], tmp_path: Path) -> None:
    rows, taken = write_rows(tmp_path / "rows.jsonl"), tmp_path / "taken"
    taken.mkdir() if words[1] == "--into" else taken.write_text("")
    assert str(taken) in refuse(words[0], rows, words[1], taken)


def test_the_help_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lists of sets and the settings' heading are not wrapped by argparse: two lines were 100 characters."""
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, run.build_parser().format_help().splitlines())) <= 80
