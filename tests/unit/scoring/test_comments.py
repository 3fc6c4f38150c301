"""Results that comments tell of calls: what is read of them, and what they prove."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from jupyter_selfheal.healers.search.oracles import list_told_results
from jupyter_selfheal.model import BASELINE, Cell, Oracle, Output
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.source.commented_results import add_checks, list_commented_results
from jupyter_selfheal.surfaces.notebook.expect_outputs import expect_outputs
from jupyter_selfheal.surfaces.notebook.read import build_document
from tests.scoring_cases import case_of, patch_of, try_patch

SQUARE = "def square(x):\n    return x + x\n\n"


def read(source: str) -> list[tuple[str, str]]:
    return [(result.example, result.want) for result in list_commented_results(Cell("c", source))]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("print(f([3, 1]))  # 3", ("f([3, 1])", "3")),
        ("f(4)  # -> 16", ("f(4)", "16")),
        ("f(4) # => [1, 2]", ("f(4)", "[1, 2]")),
        ("print(f(4))  # Expected: True", ("f(4)", "True")),
        ("print(f(4))  # expected output: 'a'", ("f(4)", "'a'")),
        ("print(f(k=4))  # should print 2", ("f(k=4)", "2")),
        ("print(f(4))  # returns {'a': 1}", ("f(4)", "{'a': 1}")),
        ("print(f(2, 3))  # 0.67", ("round(f(2, 3), 2)", "0.67")),
        ("xs = [2, 1]\nprint(f(xs))  # 2", ("f([2, 1])", "2")),
    ],
)
def test_a_literal_behind_a_plain_call_is_its_result(line: str, found: tuple[str, str]) -> None:
    assert read(line) == [found]


@pytest.mark.parametrize(
    "source",
    [
        "print(f(4))  # 10 items",
        "print(f(4))  # the square",
        "print(f(4), 2)  # 16",
        "print(f(x))  # 16",
        "print(f(*[1]))  # 16",
        "print(f(4) + 1)  # 17",
        "print(o.f(4))  # 16",
        "y = f(4)  # 16",
        "for n in [4]:\n    print(f(n))  # 16",
        "print(f(4))  # ValueError",
        "print('# 16', f(4))",
        "print(f(3))  # 1\nprint(f(7))  # 2\nprint(f(9))  # 3",
        "xs = [2, 1]\nxs.append(3)\nprint(f(xs))  # 3",
        "xs = [2, 1]\nif f(1):\n    xs = []\nprint(f(xs))  # 3",
        "print(f(4)  # 16",
    ],
)
def test_words_numbers_of_lines_and_calls_that_are_not_plain_tell_no_result(source: str) -> None:
    assert read(source) == []


def test_numbers_that_count_up_are_results_where_a_comment_says_so() -> None:
    assert read("print(f(3))  # 1\nprint(f(7))  # -> 2") == [("f(3)", "1"), ("f(7)", "2")]


def test_a_comment_that_the_stored_output_contradicts_has_grown_old() -> None:
    source = "print(f(3))  # 9\nprint(f(5))  # 24"
    outputs = (Output("stream", name="stdout", text="9\n25\n"),)
    assert [r.want for r in list_commented_results(Cell("c", source, outputs=outputs))] == ["9"]
    failed = (*outputs, Output("error"))
    assert [r.want for r in list_commented_results(Cell("c", source, outputs=failed))] == ["9", "24"]


def test_what_comments_tell_decides_between_patches() -> None:
    source = SQUARE + "print(squar(3))  # 9\nprint(square(0))  # 0"
    told = source + "\nprint(square(4))  # 16"
    case_told = case_of([told], line=4)
    scorer = EvidenceScorer()
    right, wrong = (
        patch_of(case_told, told.replace("squar(", "square(").replace("x + x", body)) for body in ("x * x", "x + x")
    )
    tried = [(patch, try_patch(case_told, patch, scorer)) for patch in (right, wrong)]
    good, bad = scorer.judge(case_told, try_patch(case_told, BASELINE, scorer), tried, ()).verdicts
    assert good.oracle_met
    assert "All 2 results that comments tell hold." in good.reasons, (
        "the line that failed called nothing that is defined"
    )
    assert bad.score <= 3
    assert "square(4)" in bad.feedback


def test_comments_say_nothing_of_functions_that_the_patch_leaves_alone() -> None:
    case = case_of([SQUARE, "print(square(3))  # 9\nprint(nam)"], 1, line=2)
    patch = patch_of(case, "print(square(3))  # 9\nprint('nam')")
    names = [getattr(step, "name", "") for step in EvidenceScorer().list_oracle_steps(case, patch)]
    assert "comments" not in names


def test_the_search_checks_what_comments_below_tell_of_functions_that_it_may_change() -> None:
    case = case_of([SQUARE, "print(square(3))  # 9", "print(square(4))  # 16\nprint(other(4))  # 1"], 1)
    assert list(list_told_results(case, {"square"})) == [("square(3)\n", "9\n"), ("square(4)\n", "16\n")]


def test_a_cell_that_runs_is_held_to_its_comments_where_nothing_else_is_expected() -> None:
    cell = Cell("c", "print(square(3))  # 9")
    assert add_checks(cell).oracle.checks == ("assert square(3) == 9",)
    said = Cell("c", cell.source, oracle=Oracle(expect="9"))
    assert add_checks(said) is said


def test_outputs_that_are_expected_include_what_comments_tell() -> None:
    sources = ("print(square(3))  # 9", "import random\nprint(pick(random.random()))  # 9", "print(square(4))  # 16")
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[2].outputs = [nbformat.v4.new_output("stream", text="16\n")]
    document = build_document(Path("x.ipynb"), json.loads(nbformat.writes(nbformat.v4.new_notebook(cells=cells))))
    oracles = [cell.oracle for cell in expect_outputs(document).notebook.cells]
    assert [oracle.checks for oracle in oracles] == [("assert square(3) == 9",), (), ()]
    assert [oracle.as_stored for oracle in oracles] == [False, False, True]
