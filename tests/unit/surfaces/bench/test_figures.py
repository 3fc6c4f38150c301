"""Tables made from rows, halves of a set, the ledger of looks, and the baseline that CI holds the search against."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from benchmarks.measurements import Script, format_script
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Reason
from jupyter_selfheal.surfaces.bench import ledger, run
from jupyter_selfheal.surfaces.bench import rows as bench_rows
from jupyter_selfheal.surfaces.bench.figures import QUOTES, write_between_markers
from jupyter_selfheal.surfaces.bench.notebooks.table import holds_notebooks
from jupyter_selfheal.surfaces.bench.reports import command as report
from jupyter_selfheal.surfaces.bench.rows import Row, RowFile, Setup, read_row_file
from jupyter_selfheal.surfaces.bench.tasks import Task
from tests.shown_commands import ROOT

JUDGED = Setup("QuixBugs", "1", half="judge")


NOTEBOOK = {
    "list": "relancer.json", "repository": "a/b", "path": "x.ipynb", "cells": 10, "failing": 4, "healed": 3, "lost": 1, "cut": 0, "inserted_failing": 0, "seconds": 30.0,
    "load": 2.2, "commit_of_ours": "aaa", "date": "2026-11-23", "command": "jupyter selfheal bench relancer CLONES",
}  # fmt: skip


def test_notebooks_healed_by_a_list_have_a_table_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "relancer.jsonl"
    through = {"path": "y", "healed": 4, "lost": 0, "seconds": 10.0}
    absent = {"path": "z", "missing_files": 1}
    lacking = {
        "path": "w",
        "absent_files": 1,
        "failing": 0,
        "healed": 0,
        "lost": 0,
        "cells": 0,
        "own_seconds": 2.0,
        "healed_seconds": 12.0,
    }
    rows.write_text(
        "".join(json.dumps({**NOTEBOOK, **more}) + "\n" for more in ({"path": "x"}, through, absent, lacking))
        + '{"half'
    )
    programs = write_rows(tmp_path / "a.jsonl", JUDGED, build_row("a", True))
    report(["figures", str(rows), str(programs), "--ledger", str(tmp_path / "none")])
    out = capsys.readouterr().out
    assert (
        "| relancer.json | 4 | 2 | 1 (50%) | 30 | 12 | 10 (83%) | – | – | – | 2 | 0 | 0 | 30 (18 beyond their own) | 2–2 | aaa | 2026-11-23 | relancer |"
        in out
    )
    assert out.count("relancer CLONES") == 1
    assert "| QuixBugs |" in out.partition("| list |")[0]
    rows.write_text(json.dumps({"list": "relancer.json"}) + "\n")
    with pytest.raises(UsageError, match="line 1 cannot be read"):
        report(["figures", str(rows)])


def test_notebooks_of_each_stage_have_a_table_and_say_what_their_roots_hang_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "last": {"half": "judge"},
        "work": {"roots": {"healed": 3, "network": 1}},
        "unseen": {"stage": "first", "roots": {"healed": 1, "offered": 1, "follows": 2}},
    }
    for name, more in files.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**NOTEBOOK, **more}) + "\n")
    report(["figures", *(str(tmp_path / f"{name}.jsonl") for name in files)])
    tables = capsys.readouterr().out.split("### Notebooks, ")[1:]
    assert [table.splitlines()[0] for table in tables] == ["first", "development", "final"]
    assert "| 1 of 2 (50%) | offered 1; follows 2 |" in tables[0]
    assert "| 3 of 3 (100%) | outside: network 1 |" in tables[1]
    assert "| – | – |" in tables[2]


def write_rows(path: Path, setup: Setup, *rows: Row, command: str = "") -> Path:
    kept = RowFile(path, setup, command)
    for row in rows:
        kept.add(row)
    return path


def build_row(name: str, correct: bool, commit: str = "aaa", rank: int = 5) -> Row:
    return Row(name, True, correct, cpu=1.0, rank=rank, commit=commit, place=int(correct))


def test_a_table_says_what_it_takes_to_repeat_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write_rows(tmp_path / "a.jsonl", Setup("QuixBugs", "all"), build_row("a", True), build_row("b", False), Row("runs", False, False, commit="aaa"), command="jupyter selfheal bench quixbugs PATH")  # fmt: skip
    report(["figures", str(rows), "--ledger", str(tmp_path / "none")])
    out = capsys.readouterr().out
    line = next(text for text in out.splitlines() if text.startswith("| QuixBugs"))
    for cell in ("3 × 1", "2", "1 (50%)", "1.00", "aaa", "seen before", "a"):
        assert f"| {cell} |" in line, (cell, line)
    assert "50% [9%, 91%]" in line, "Wilson's interval of one of two: the third did not fail"
    assert "    jupyter selfheal bench quixbugs PATH" in out


def test_the_first_look_is_told_from_later_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "ledger.jsonl"
    book.write_text(json.dumps({"set": "QuixBugs", "oracle": "1", "half": "judge", "commit": "aaa", "at": "2026-11-23"}) + "\n")  # fmt: skip
    later = write_rows(tmp_path / "a.jsonl", JUDGED, build_row("a", True, "bbb"))
    first = write_rows(tmp_path / "b.jsonl", JUDGED, build_row("a", True, "aaa"))
    report(["figures", str(later), str(first), "--ledger", str(book)])
    looks = [line.split("|")[4].strip() for line in capsys.readouterr().out.splitlines() if line.startswith("| Quix")]
    assert looks == ["first", "again, first at aaa"]
    report(["figures", str(later), "--ledger", str(tmp_path / "none")])
    assert "not in the ledger" in capsys.readouterr().out


def test_first_development_and_final_rows_have_tables_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for stage in ("final", "first", "development"):
        files.append(tmp_path / f"{stage}-rows.jsonl")
        kept = RowFile(files[-1], Setup("QuixBugs", "all"), stage=stage)
        for name, seconds in (("a", 2.0), ("b", 4.0)):
            kept.add(Row(name, False, False, seconds=seconds, commit="aaa", reason=Reason.EXHAUSTED))
        kept.add(Row("healed", True, True, seconds=90.0, commit="aaa", reason=Reason.HEALED))
    report(["figures", *map(str, files), "--ledger", str(tmp_path / "none")])
    out = capsys.readouterr().out
    places = [out.index(text) for text in ("### First", "| first-rows |", "### Development", "| development-rows |", "### Final", "| final-rows |")]  # fmt: skip
    assert places == sorted(places)
    assert out.count("| 3.0, 3.9 |") == 3, "what was healed is not waited for in vain"
    files[0].write_text(files[0].read_text().replace('"final"', '"finals"', 1))
    with pytest.raises(UsageError, match="'finals', which is none of first, development, final"):
        report(["figures", str(files[0]), "--ledger", str(tmp_path / "none")])


def test_tables_replace_what_stands_between_the_markers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write_rows(tmp_path / "a.jsonl", JUDGED, build_row("a", True))
    page = tmp_path / "RESULTS.md"
    page.write_text("# Results\n<!-- figures -->\nold\n<!-- end of figures -->\nBy hand.\n")
    for _ in range(2):
        report(["figures", str(rows), "--into", str(page), "--ledger", str(tmp_path / "none")])
    text = page.read_text()
    assert text.startswith("# Results\n<!-- figures -->\n### Development")
    assert text.endswith("\n<!-- end of figures -->\nBy hand.\n")
    assert "old" not in text
    page.write_text("# Results\n")
    with pytest.raises(UsageError, match="no lines"):
        report(["figures", str(rows), "--into", str(page)])


def build_task(name: str) -> Task:
    return Task(name, "f", "", (), "")


def test_halves_are_apart_whole_and_the_same_in_any_order() -> None:
    tasks = [build_task(f"X/{n} (value misuse)") for n in range(40)]
    tune, judge = (ledger.choose_half(tasks, half) for half in ("tune", "judge"))
    assert {t.name for t in tune} | {t.name for t in judge} == {t.name for t in tasks}
    assert not {t.name for t in tune} & {t.name for t in judge}
    assert 10 < len(tune) < 30
    assert ledger.choose_half(tasks[::-1], "judge") == judge[::-1]
    assert ledger.find_half("X/3 (value misuse)") == ledger.find_half("X/3 (missing logic)"), (
        "another seed moves nothing"
    )


def test_a_first_run_of_a_whole_set_is_known_where_it_was_written_down(tmp_path: Path) -> None:
    book, whole = tmp_path / "ledger.jsonl", replace(JUDGED, half="all")
    assert ledger.describe_look(ledger.read_ledger(book), whole, ["aaa"]) == "seen before"
    ledger.write_entry(book, whole, 20)
    commit = ledger.read_ledger(book)[0]["commit"]
    assert ledger.describe_look(ledger.read_ledger(book), whole, [commit]) == "first"
    assert ledger.describe_look(ledger.read_ledger(book), whole, ["bbb"]) == f"again, first at {commit}"
    assert ledger.describe_look(ledger.read_ledger(book), JUDGED, [commit]) == "not in the ledger", "another half"


def test_a_look_is_written_down_before_it_begins(tmp_path: Path) -> None:
    book = tmp_path / "ledger.jsonl"
    ledger.write_entry(book, JUDGED, 20)
    (entry,) = ledger.read_ledger(book)
    assert (entry["set"], entry["half"], entry["tasks"], entry["healers"]) == (
        "QuixBugs",
        "judge",
        20,
        ["rules", "search"],
    )
    assert entry["commit"]
    assert entry["at"].startswith("20")
    with pytest.raises(UsageError, match="--ledger FILE"):
        ledger.write_entry(tmp_path / "no" / "ledger.jsonl", JUDGED, 20)


def test_a_look_without_a_checkout_asks_for_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger's usual place is below the environment's packages there."""
    monkeypatch.setattr(ledger, "LEDGER", tmp_path / "no" / "ledger.jsonl")
    with pytest.raises(UsageError, match="written down: name the file with --ledger FILE"):
        ledger.write_entry(ledger.LEDGER, JUDGED, 20)


def test_an_installed_package_names_the_commit_that_it_was_built_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of the repository in which its environment lies."""
    monkeypatch.setattr(bench_rows, "CHECKOUT", tmp_path)
    monkeypatch.setattr(bench_rows, "BUILT_FROM", tmp_path / "_commit")
    assert bench_rows.find_commit() == "not a checkout"
    (tmp_path / "_commit").write_text("abc1234\n")
    assert bench_rows.find_commit() == "abc1234"


def test_a_command_names_no_path_of_this_machine() -> None:
    words = ["quixbugs", "/home/ann/set", "--half", "judge", "--rows", "/tmp/r.jsonl", "--ledger", "/tmp/l.jsonl"]
    arguments = run.build_parser().parse_args(words)
    assert (
        run.format_command(words, arguments)
        == "jupyter selfheal bench quixbugs PATH --half judge --rows FILE --ledger LEDGER"
    )


def test_a_judging_half_that_cannot_be_written_down_is_not_looked_at(tmp_path: Path) -> None:
    record = {"task_id": "X/0", "prompt": "def inc(n):\n", "canonical_solution": "    return n + 1\n", "buggy_solution": "    return n\n", "test": "assert inc(1) == 2\n", "entry_point": "inc"}  # fmt: skip
    many = [json.dumps({**record, "task_id": f"X/{n}"}) for n in range(8)]
    (tmp_path / "set.jsonl").write_text("\n".join(many))
    words = [
        "humanevalfix",
        str(tmp_path / "set.jsonl"),
        "--half",
        "judge",
        "--ledger",
        str(tmp_path / "no" / "l.jsonl"),
    ]
    with pytest.raises(UsageError, match="cannot be written"):
        run.command(argparse.Namespace(arguments=words))


@pytest.mark.parametrize(("rank", "code"), [(5, 0), (9, 1)])
def test_a_regression_is_found_by_counts_where_seconds_say_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], rank: int, code: int) -> None:  # fmt: skip
    names = [f"t{n}" for n in range(12)]
    old = write_rows(tmp_path / "a.jsonl", Setup("", "all"), *(build_row(n, True) for n in names))
    new = write_rows(tmp_path / "b.jsonl", Setup("", "all"), *(Row(n, True, True, cpu=900.0, rank=rank) for n in names))
    assert report(["regress", str(old), str(new), "--counts"]) == code
    assert ("candidates" in capsys.readouterr().out) is bool(code)
    assert report(["regress", str(old), str(new)]) == 1, "by seconds it is slower"


def test_rows_are_kept_without_what_they_quote(tmp_path: Path) -> None:
    row = Row(
        "a", True, True, fix="`a[-1]` should be `max(a)`", why="top([1, 2])", diff="-    return a[-1]", commit="aaa"
    )
    rows = write_rows(tmp_path / "a.jsonl", JUDGED, row)
    report(["figures", str(rows), "--keep", str(tmp_path / "kept"), "--ledger", str(tmp_path / "none")])
    (kept,) = read_row_file(tmp_path / "kept" / "a.jsonl")[1]
    assert (kept.fix, kept.why, kept.diff) == ("", "", "")
    assert (kept.name, kept.correct, kept.commit) == ("a", True, "aaa")


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").rglob("*.jsonl")), ids=lambda path: path.name)
def test_no_program_of_a_public_set_is_committed_with_rows(path: Path) -> None:
    """``programs.jsonl`` are five programs of our own."""
    for line in path.read_text().splitlines():
        assert path.name == "programs.jsonl" or not any(json.loads(line).get(name) for name in QUOTES)


@pytest.mark.parametrize("path", [*filter(lambda path: not holds_notebooks(path), (ROOT / "benchmarks" / "rows").glob("*.jsonl")), ROOT / "benchmarks" / "baseline.jsonl"], ids=lambda path: path.name)  # fmt: skip
def test_rows_and_reports_have_one_published_schema(path: Path, tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    forms = schema["$defs"]
    made = write_rows(tmp_path / "a.jsonl", JUDGED, Row("a", True, True, reason="healed", tokens={"judge": 7}))
    for file in (made, path):
        head, *rows = map(json.loads, file.read_text().splitlines())
        check(schema, "measurement").validate(head)
        assert rows
        for row in rows:
            check(schema, "row").validate(row)
    assert set(head) <= set(forms["measurement"]["properties"])
    assert set(Row.__dataclass_fields__) == set(forms["row"]["properties"])
    assert forms["reason"]["enum"] == ["", *Reason]
    assert not check(schema, "row").is_valid({**rows[0], "reason": "unheard of"})
    assert forms["cell"]["properties"]["reason"] == forms["row"]["properties"]["reason"]


def check(schema: dict[str, Any], form: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{form}", "$defs": schema["$defs"]})


def test_the_tables_of_results_are_those_of_the_rows(tmp_path: Path) -> None:
    results = ROOT / "benchmarks" / "RESULTS.md"
    made = tmp_path / "RESULTS.md"
    made.write_text(results.read_text())
    kept = sorted((ROOT / "benchmarks" / "rows").glob("*.jsonl"))
    report(["figures", *map(str, kept), "--into", str(made)])
    scripts = sorted((ROOT / "benchmarks" / "rows" / "scripts").glob("*.jsonl"))
    write_between_markers(made, "\n\n".join(map(format_script, scripts)), "scripts")
    assert made.read_text() == results.read_text(), "make figures"


def test_a_script_keeps_each_value_and_its_table_shows_the_middle_one(tmp_path: Path) -> None:
    script = Script("Trials", "How to read it.", "python benchmarks/x.py")
    script.add("way, ms", "fork", "0 GB", [3.04, 1.0, 90.0], digits=1)
    script.add("way, ms", "replay ÷ fork", "1 GB", 12.4, "×")
    script.add("kind", "a name", "fix", "right")
    written = script.write(tmp_path / "new" / "trials.jsonl")
    assert json.loads(written.read_text().splitlines()[1])["values"] == [3.04, 1.0, 90.0]
    text = format_script(written)
    assert "`python benchmarks/x.py`" in text
    assert f"commit {bench_rows.find_commit()}" in text
    assert "medians of up to 3. How to read it." in text
    assert "| way, ms | 0 GB | 1 GB |\n|---|---|---|\n| fork | 3.0 | – |\n| replay ÷ fork | – | 12× |\n" in text
    assert "| kind | fix |\n|---|---|\n| a name | right |" in text


def test_results_hold_no_figure_outside_the_markers() -> None:
    """What is typed stands in HISTORY.md. Names in backticks (`NAME`) are no figures."""
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text()
    typed = re.sub(r"(?s)<!-- (\w+) -->\n.*?<!-- end of \1 -->\n", "", text)
    typed = re.sub(r"`[^`\n]+`", "", typed)
    assert "<!--" not in typed
    assert not re.findall(r".*(?:\d|^\|).*", typed)
