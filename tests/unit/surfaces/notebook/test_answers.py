"""Questions that a run leaves open, and a file that answers them: ids, ready lines, expectations, and what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_selfheal import magic_options
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Cell, Failure, Oracle, Question
from jupyter_selfheal.surfaces.notebook.answers import apply_answers, list_choices, list_strangers, read_answers
from jupyter_selfheal.surfaces.notebook.html import format_page
from jupyter_selfheal.surfaces.notebook.open_questions import (
    build_expectation,
    format_expectation,
    list_open_questions,
)
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.report import to_json
from jupyter_selfheal.surfaces.notebook.table import format_reports

Make = Callable[..., Document]

CALL = Question("What should `mean([-1])` return?", {"-1": ("a",), "1": ("b",)}, "mean([-1])", "value")
SHOWN = Question("What should `f(2)` give?", {"'a b'": ("a",), "'b'": ("b",)}, "", "result")
LINE = Question("What should the cell print (line 2)?", {"Next: 43 (a)": ("a",), "Next: 421": ("b",)}, "", "printed")
LONG = Question("What should `f(2)` give?", {"aaa…": ("a",), "bbb…": ("b",)}, "", "")
NAME = Question("Which is meant: `a` or `b`?", {"a": ("1",), "b": ("2",)}, blocks=True)


def report_of(*questions: Question) -> NotebookReport:
    cell = Cell("c1", "mean([3])")
    failed = Failure("c1", cell.source, ename="TypeError")
    return NotebookReport("n.ipynb", records=(Record(cell, 2, Status.NOT_HEALED, (failed,), questions=questions),))


def test_a_question_is_listed_with_a_line_for_each_value_and_an_id() -> None:
    report = report_of(CALL, SHOWN, LINE, LONG)
    assert [q.id for q in list_open_questions(report)] == [
        "n.ipynb#c1:mean([-1])",
        "n.ipynb#c1:result",
        "n.ipynb#c1:printed line 2",
    ]
    raw = to_json([report])["notebooks"][0]["questions"]
    assert raw[0]["answers"][0] == {"value": "-1", "line": "%%heal --check 'assert mean([-1]) == -1'"}
    assert raw[1]["answers"][0]["line"] == """%%heal --expect ''"'"'a b'"'"''"""
    text = format_reports([report], columns=80)
    assert "3 questions decide between fixes:" in text
    assert "cell 2: What should `mean([-1])` return? -1 or 1" in text
    assert "if 1:  %%heal --check 'assert mean([-1]) == 1'" in text
    assert 'id: "n.ipynb#c1:printed line 2"' in text
    assert "assert mean([-1]) == 1" in format_page([report])
    assert "question" not in format_reports([report_of()], columns=80)


def test_a_question_that_no_value_answers_is_listed_too_where_fixes_wait_for_it() -> None:
    report = report_of(NAME)
    (asked,) = list_open_questions(report)
    assert (asked.id, asked.lines) == ("n.ipynb#c1:choice", ("", ""))
    text = format_reports([report], columns=80)
    assert "cell 2: Which is meant: `a` or `b`?\n" in text
    assert "To answer: --answers FILE" in text
    assert "To answer: <code>--answers FILE</code>" in format_page([report])
    assert "Put a line on top of the cell" in format_page([report_of(NAME, CALL)])
    cut = Question("What should the cell give?", {"1: aaa…": ("1",), "2: aaa…": ("2",)}, blocks=True)
    assert "What should the cell give? 1: aaa… or 2: aaa…" in format_reports([report_of(cut)], columns=80)
    assert list_open_questions(report_of(LONG)) == ()


def test_an_answer_to_such_a_question_is_kept_for_who_decides(document: Make, tmp_path: Path) -> None:
    given = document("x", "y")
    file = tmp_path / "a.toml"
    file.write_text('"n.ipynb#c1:choice" = "a"\n"n.ipynb#c0:result" = 2\n"m.ipynb#c0:choice" = "b"\n')
    answers = [_about(a, given) if a.path == "n.ipynb" else a for a in read_answers(file)]
    assert list_choices(given, answers) == {"c1": "a"}
    assert apply_answers(given, answers).notes == given.notes


@pytest.mark.parametrize("question", [CALL, SHOWN, LINE])
def test_a_ready_line_says_what_the_answer_means(question: Question) -> None:
    (asked,) = list_open_questions(report_of(question))
    for value, line in zip(asked.values, asked.lines, strict=True):
        options = magic_options.find_heal_line(f"{line}\nx")
        assert options is not None
        assert magic_options.parse(options, ()).oracle == build_expectation(asked.what, value)


def test_an_error_may_be_the_answer() -> None:
    oracle = build_expectation("mean([])", "an error (ZeroDivisionError)")
    assert oracle is not None
    exec(oracle.checks[0], {"mean": lambda xs: sum(xs) / len(xs)})
    with pytest.raises(AssertionError):
        exec(oracle.checks[0], {"mean": lambda xs: 0})
    assert json.loads(format_expectation(oracle)) == {"selfheal": {"check": list(oracle.checks)}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", '"n.ipynb#c1:mean([-1])" = -1\n"n.ipynb#c1:result" = "\'b\'"\n'),
        ("a.toml", '[answers]\n"n.ipynb#c1:mean([-1])" = "-1"\n"n.ipynb#c1:result" = "\'b\'"\n'),
        ("a.json", json.dumps({"n.ipynb#c1:mean([-1])": -1, "n.ipynb#c1:result": "'b'"})),
        ("a.toml", '"n.ipynb#c1:mean([-1])" = -1\n"n.ipynb#c1:result" = "b"\n'),
    ],
)
def test_answers_become_expectations_of_their_cells(
    document: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    given = document("def mean(xs): ...", "mean([3])")
    answered = apply_answers(given, [_about(a, given) for a in read_answers(file)])
    cell = answered.notebook.cell("c1")
    assert cell.oracle == Oracle(expect="'b'", checks=("assert mean([-1]) == -1",))
    assert answered.notes == given.notes
    assert given.notebook.cell("c1").oracle == Oracle()


def test_a_word_that_is_printed_stays_as_it_is(document: Make, tmp_path: Path) -> None:
    given = document("print('b')")
    (tmp_path / "a.json").write_text(json.dumps({f"{given.path}#c0:printed": "b"}))
    assert apply_answers(given, read_answers(tmp_path / "a.json")).notebook.cell("c0").oracle == Oracle(stdout="b")


def _about(answer, document):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(answer, path=str(document.path))


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("#c9:result", "1", "names no code cell"),
        ("#c1:result", "1 +", "'1 +' cannot be read as the value of"),
        ("#c1:mean([", "1", "cannot be read as the value of"),
        ("#c1:", "1", "cannot be read as the value of"),
        ("#c1:result", {"a": 1}, "cannot be read as the value of"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_the_rest_holds(
    document: Make, tmp_path: Path, name: str, value: object, says: str
) -> None:
    given = document("def mean(xs): ...", "mean([3])")
    file = tmp_path / "a.json"
    file.write_text(json.dumps({f"{given.path}{name}": value, f"{given.path}#c1:mean([-1])": 2}))
    answered = apply_answers(given, read_answers(file))
    (note,) = answered.notes
    assert says in note
    assert "\n" not in note
    assert answered.notebook.cell("c1").oracle.checks == ("assert mean([-1]) == 2",)


def test_an_id_of_no_notebook_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('"other.ipynb#c1:result" = 1\n"n.ipynb#c1:result" = 1\n')
    (line,) = list_strangers(read_answers(file), [Path("n.ipynb")])
    assert "other.ipynb#c1:result" in line


@pytest.mark.parametrize(("name", "text"), [("a.toml", "x = ["), ("a.json", "[1]"), ("a.json", "{"), ("b.toml", None)])
def test_a_file_that_is_no_table_of_answers_is_refused_in_one_line(tmp_path: Path, name: str, text: str | None) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    with pytest.raises(UsageError) as refused:
        read_answers(file)
    assert "\n" not in str(refused.value)
    assert "--answers" in str(refused.value)


def test_a_value_that_cannot_be_written_down_has_no_line_and_a_long_one_is_cut() -> None:
    odd = Question("What should `f(1)` return?", {"<object>": ("a",), repr("x" * 90): ("b",)}, "f(1)", "value")
    report = report_of(odd)
    (asked,) = list_open_questions(report)
    assert asked.lines[0] == ""
    assert asked.lines[1].startswith("%%heal --check")
    text = format_reports([report], columns=80)
    assert "if <object>" not in text
    assert f"if '{'x' * 58}…:" in text


def test_a_value_over_several_lines_is_no_expectation_as_its_line_could_not_say_it() -> None:
    assert build_expectation("result", "(1, 2)") is not None
    assert build_expectation("result", "(1,\n 2)") is None


@pytest.mark.parametrize(
    ("value", "check"),
    [
        ("array([1, 2])", "assert repr(w) == 'array([1, 2])'"),
        ("[datetime.date(2024, 3, 1)]", "assert repr(w) == '[datetime.date(2024, 3, 1)]'"),
        ("nan", "assert repr(w) == 'nan'"),
        ("[1, 2]", "assert w == [1, 2]"),
        ("frozenset({1})", "assert w == frozenset({1})"),
        ("pd.Timestamp('2024-03-01')", "assert w == pd.Timestamp('2024-03-01')"),
    ],
)
def test_a_value_that_no_name_of_the_notebook_makes_is_asked_as_it_is_shown(value: str, check: str) -> None:
    assert build_expectation("w", value) == Oracle(checks=(check,))
