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


F = "def f(*given, k=0):\n    return given\n"


def read(source: str) -> list[tuple[str, str]]:
    """The examples of a cell below one that defines ``f``."""
    return [(result.example, result.result_text) for result in list_commented_results(Cell("c", source), [F])]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("print(f([3, 1]))  # -> 3", ("print(f([3, 1]))", "3")),
        ("f(4)  # -> 16", ("f(4)", "16")),
        ("f(4) # => [1, 2]", ("f(4)", "[1, 2]")),
        ("print(f(4))  # Expected: True", ("print(f(4))", "True")),
        ("print(f(4))  # expected output: 'a'", ("print(f(4))", "a")),
        ("f(4)  # 'a'", ("f(4)", "'a'")),
        ("print(f(k=4))  # should print 2", ("print(f(k=4))", "2")),
        ("print(f(4))  # returns {'a': 1}", ("print(f(4))", "{'a': 1}")),
        ("f(2, 3)  # 0.67", ("round(f(2, 3), 2)", "0.67")),
        ("xs = [2, 1]\nf(xs)  # [2]", ("f([2, 1])", "[2]")),
        (
            "from math import sqrt\ndef g(x):\n    ys = []\n    ys.append(f(sqrt(x)))\n    return ys\ng(4)  # [2]",
            ("g(4)", "[2]"),
        ),
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
        "f(4)  # 16",
        "f(4)  # 2\nf(2)  # 3",
        "f(4)  # 3.\nf(2)  # 2.\nf(2)  # 1.",
        "f(4)  # (1)\nf(2)  # (2)",
        "f(4)  # [1]\nf(2)  # [2]",
        "f(4)  # 2\nf(2)  # 4\nf(3)  # 6",
        "f(4)  # -> 1,000",
        "f(4)  # -> ...",
        "f(4)  # -> [0.33, 0.67]",
        "len([4])  # -> 1",
        "f = len\nf([4])  # -> 1",
        "def g(x):\n    global n\n    n = x\n    return x\ng(1)  # -> 1",
        "def g(x):\n    seen.append(x)\n    return x\ng(1)  # -> 1",
        "def g(x, xs=[]):\n    xs.append(x)\n    return xs\ng(1)  # -> [1]",
        "def h(x):\n    global n\n    n = x\ndef g(x):\n    h(x)\n    return x\ng(1)  # -> 1",
        "def f(x):\n    return x\nf(1)  # -> 1\ndef f(x):\n    return 2 * x\nf(1)  # -> 2",
    ],
)
def test_words_numbers_of_lines_and_calls_that_are_not_plain_tell_no_result(source: str) -> None:
    assert read(source) == []


def test_numbers_that_count_up_are_results_where_a_comment_says_so() -> None:
    assert read("f(3)  # -> 1\nf(7)  # -> 2") == [("f(3)", "1"), ("f(7)", "2")]


def test_a_comment_that_the_stored_output_contradicts_has_grown_old() -> None:
    source = F + "print(f(3))  # 9\nprint(f(5))  # 24"
    outputs = (Output("stream", name="stdout", text="9\n25\n"),)
    assert [r.want for r in list_commented_results(Cell("c", F + "f(3)  # -> 9\nf(5)  # -> 24", outputs=outputs))] == [
        "9"
    ]
    failed = (*outputs, Output("error"))
    assert [r.want for r in list_commented_results(Cell("c", source, outputs=failed))] == ["9", "24"]


def test_what_comments_tell_decides_between_patches() -> None:
    told = SQUARE + "print(squar(3))  # 9\nprint(square(0))  # 0\nprint(square(4))  # 16"
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
    case = case_of([SQUARE, "square(3)  # -> 9", "square(4)  # -> 16\nother(4)  # -> 1"], 1)
    assert list(list_told_results(case, {"square"})) == [("square(3)\n", "9\n"), ("square(4)\n", "16\n")]


def test_a_cell_that_runs_is_held_to_its_comments_where_nothing_else_is_expected() -> None:
    cell = Cell("c", "print(square(3))  # => 9\nsquare(4)  # 16\nprint(square(2.5))  # 6.3\nprint(square(5))  # 24")
    checks = add_checks(cell, [SQUARE], told_alone=False).oracle.checks
    assert checks == (
        "assert square(3) in (9, '9')", "assert square(4) == 16", "assert round(square(2.5), 1) == 6.3", "assert square(5) in (24, '24')",
    )  # fmt: skip
    assert add_checks(cell, [SQUARE], told_alone=True).oracle.checks == checks[:1], (
        "a number beside a call may be anything"
    )
    said = Cell("c", cell.source, oracle=Oracle(expect="9"))
    assert add_checks(said, [SQUARE], told_alone=False) is said


def test_literals_that_no_word_calls_results_and_that_none_of_is_one_say_nothing() -> None:
    source = SQUARE + "print(squar(3))\nprint(square(4))  # 2\nprint(square(5))  # 7"
    case = case_of([source], line=4)
    patch = patch_of(case, source.replace("squar(", "square("))
    scorer = EvidenceScorer()
    verdict = scorer.judge(
        case, try_patch(case, BASELINE, scorer), [(patch, try_patch(case, patch, scorer))], ()
    ).verdicts[0]
    assert verdict.score > 3


def test_what_is_printed_is_compared_as_it_is_printed() -> None:
    source = "name = 1\ndef digits(s):\n    return ''.join(c for c in s if c.isdigit)\nprint(digits('a1'))  # 1\nprint(digits('b22'))  # 22\nprint(nam)"
    case = case_of([source], line=6)
    patches = [
        patch_of(case, source.replace("isdigit", call).replace("nam)", "name)")) for call in ("isdigit()", "isalpha()")
    ]
    scorer = EvidenceScorer()
    tried = [(patch, try_patch(case, patch, scorer)) for patch in patches]
    right, wrong = scorer.judge(case, try_patch(case, BASELINE, scorer), tried, ()).verdicts
    assert right.oracle_met
    assert not wrong.oracle_met


def test_outputs_that_are_expected_include_what_comments_tell() -> None:
    sources = (
        SQUARE + "square(3)  # -> 9\nsquare(4)  # 16",
        "import random\nprint(square(4) + random.random())\nsquare(3)  # -> 9",
        "square(4)  # -> 16",
    )
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[2].outputs = [nbformat.v4.new_output("stream", text="16\n")]
    document = build_document(Path("x.ipynb"), json.loads(nbformat.writes(nbformat.v4.new_notebook(cells=cells))))
    oracles = [cell.oracle for cell in expect_outputs(document).notebook.cells]
    assert [oracle.checks for oracle in oracles] == [("assert square(3) == 9",), (), ()]
    assert [oracle.as_stored for oracle in oracles] == [False, False, True]
