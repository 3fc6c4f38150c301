"""One value to ask for, where plausible patches disagree; trials are real ones, in the fake kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.model import JSON, Applicability, Candidate, Case, Patch, Probe, Question, Run, TrialRequest
from jupyter_selfheal.scoring.questions import choose_questions
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from tests.scoring_cases import case_of, patch_of, try_patch

Asked = Callable[..., tuple[Question, ...]]


@pytest.fixture
def asked() -> Asked:
    """asked(above, cell, sources, …): the questions about those versions of a cell, best first."""

    def run(above: str, cell: str, *sources: str, weights: tuple[float, ...] = (), **more: Any) -> tuple[Question, ...]:
        case: Case = case_of([above, cell], 1, len(cell.splitlines()), ename="TypeError")
        patches = [patch_of(case, source, **{"healer": "search", **more}) for source in sources]
        patches = [replace(p, weight=w) for p, w in zip(patches, weights or [1.0] * len(patches), strict=True)]
        trials = [try_patch(case, p) for p in patches]
        verdicts = EvidenceScorer().judge(case, trials[0], list(zip(patches, trials, strict=True)), ()).verdicts
        found = [Candidate(*one) for one in zip(patches, trials, verdicts, strict=True)]

        def look(patch: Patch, probe: Probe) -> JSON:
            steps = (Run(patch.source_of("c1", cell), "c1"), probe)
            return FakeKernel([above]).run(TrialRequest(steps, patch.id))[0].probe(probe.name)

        return choose_questions(case, found, look)

    return run


def test_the_value_that_the_cell_shows_is_asked_first(asked: Asked) -> None:
    (question,) = asked("x = '3'", "y = x\ny + 4", "y = x\nint(y) + 4", "y = x\ny + str(4)", "y = x\n4 + int(y)")
    assert question.text == "What should `y + 4` give?"
    assert [len(ids) for ids in question.answers.values()] == [2, 1]


def test_else_what_it_prints(asked: Asked) -> None:
    (question,) = asked(
        "x = '3'", "print('sum')\nprint(x + 4)", "print('sum')\nprint(int(x) + 4)", "print('sum')\nprint(x + '4')"
    )
    assert question.text == "What should the cell print (line 2)?"


def test_else_what_its_variables_hold(asked: Asked) -> None:
    (question,) = asked(
        "x = '3'", "import math\ntotal = x + 4", "import math\ntotal = int(x) + 4", "import math\ntotal = x + '4'"
    )
    assert question.text == "What should `total` be after the cell?"
    assert set(question.answers) == {"7", "'34'"}


@pytest.mark.parametrize(
    "sources",
    [
        ("int(x) + 4", "4 + int(x)"),
        ("int(x) + 0.1 + 0.2", "int(x) + 0.3"),
        ("int(x) + 4",),
        ("int(x) + 4", "x + 4"),
        ("'a' * 100", "'b' * 100"),
        tuple(f"int(x) + {n}" for n in range(5)),
        ("object()", "object( )"),
    ],
    ids=["agree", "rounding", "one", "the other fails", "long", "too many", "addresses"],
)
def test_nothing_is_asked_where_no_one_value_decides(asked: Asked, sources: tuple[str, ...]) -> None:
    assert asked("x = '3'", "x + 4", *sources) == ()


def test_nothing_is_asked_where_something_else_decides(asked: Asked) -> None:
    both = ("int(x) + 4", "x + '4'")
    assert asked("x = '3'", "x + 4", *both)
    assert asked("x = '3'", "x + 4", *both, healer="user") == ()
    assert asked("x = '3'", "assert x\nx + 4", "assert x\nint(x) + 4", "assert x\nx + '4'", weights=(1.0, 0.5)) == ()
    assert asked("x = '3'", "assert x\nx + 4", "assert x\nint(x) + 4", "assert x\n4 + int(x)") == ()


TIED = {
    "two safe rules": (
        {"applicability": Applicability.SAFE, "healer": "rules"},
        ("int(x) + 4", "x + '4'"),
        ["7", "'34'"],
    ),
    "two guesses that meet an assert": ({}, ("assert x\nint(x) + 4", "assert x\nx + '4'"), ["7", "'34'"]),
    "two programs that print": ({}, ("assert x\nprint(int(x) + 4)", "assert x\nprint(x + '4')"), ["7", "34"]),
    "two values that are not shown": ({}, ("assert x\ny = int(x) + 4", "assert x\ny = float(x) * 4"), ["7", "12.0"]),
    "one that prints nothing": ({}, ("assert x\nint(x) + 4", "assert x\nprint(x + '4')"), ["7", "nothing"]),
}
"""How the patches are made, what they make of the cell, and the answers."""


@pytest.mark.parametrize("title", TIED)
def test_what_the_same_evidence_speaks_for_is_asked_about_before_anything_is_applied(asked: Asked, title: str) -> None:
    more, sources, answers = TIED[title]
    check = "" if "safe" in title else "assert x\n"
    (question,) = asked("x = '3'", check + ("y = x + 4" if "shown" in title else "x + 4"), *sources, **more)
    assert question.blocks
    assert list(question.answers) == answers or set(question.answers) == set(answers)


def test_a_long_answer_is_cut_and_blocks_all_the_same(asked: Asked) -> None:
    (question,) = asked(
        "x = '3'", "assert x\nx + 4", "assert x\n(x + 'a') * 90 + 'b'", "assert x\n(x + 'a') * 90 + 'c'"
    )
    assert question.blocks
    assert len(question.answers) == 2
    assert all(len(text) < 90 for text in question.answers)
    assert not question.kind


def test_patches_that_a_search_saw_do_the_same_are_not_told_apart_by_one_print(asked: Asked) -> None:
    sources = ("assert x\nint(x) + 4", "assert x\nx + '4'")
    assert asked("x = '3'", "assert x\nx + 4", *sources)
    assert asked("x = '3'", "assert x\nx + 4", *sources, behaviour="the same") == ()


def test_a_draw_without_a_seed_says_nothing(asked: Asked) -> None:
    cell = "import random\nassert x\nrandom.random() + x"
    sources = ("import random\nassert x\nrandom.random() + 1", "import random\nassert x\nrandom.random() + 2")
    assert asked("x = '3'", cell, *sources) == ()


def test_where_a_loop_ended_is_no_question(asked: Asked) -> None:
    cell = "assert x\nout = []\nfor i in range(x):\n    out.append(7)"
    sources = [cell.replace("range(x)", f"range({text})") for text in ("int(x)", "int(x) + 1")]
    (question,) = asked("x = '3'", cell, *sources)
    assert question.subject == "out"


AT = "def at(xs, n):\n    return xs[{}]\nassert at([4, 4], 1) == 4"


def test_rules_that_show_the_same_are_told_apart_by_another_call(asked: Asked) -> None:
    (question,) = asked("", AT.format("n + 1"), AT.format("n"), AT.format("n - 1"), healer="rules")
    assert question.blocks
    assert question.subject.startswith("at(")
    assert question.kind == "value"
    assert len(question.answers) == 2
    values = {
        eval(f"{name}({question.subject[3:-1]})", space)
        for name, space in (("f", {"f": lambda xs, n: xs[n]}), ("f", {"f": lambda xs, n: xs[n - 1]}))
    }
    assert {str(v) for v in values} == set(question.answers)


@pytest.mark.parametrize(
    "sources",
    [
        (AT.format("n"), AT.format("n + 0")),
        ("x = [4]\nassert x[0] == 4", "x = [4]\nassert x[-1] == 4"),
        (AT.format("n"),),
    ],
    ids=["do the same", "change no function", "one"],
)
def test_nothing_is_asked_where_no_call_tells_rules_apart(asked: Asked, sources: tuple[str, ...]) -> None:
    assert asked("", AT.format("n + 1"), *sources, healer="rules") == ()


def test_names_that_hold_the_same_are_asked_about(asked: Asked) -> None:
    above = "item_a = 3\nitem_b = 3\nx = 1"
    (question,) = asked(above, "assert x\nitem_c * 2", "assert x\nitem_a * 2", "assert x\nitem_b * 2", healer="rules")
    assert question.blocks
    assert question.text == "Which is meant: `item_a` or `item_b`?"
    assert list(question.answers) == ["item_a", "item_b"]


@pytest.mark.parametrize(
    "sources",
    [("item_a * 2", "2 * item_a"), ("item_a * 2", "item_b + 3"), ("item_a + item_b", "item_b + item_a")],
    ids=["the same", "another operation", "two names"],
)
def test_no_name_is_asked_about_where_more_differs(asked: Asked, sources: tuple[str, ...]) -> None:
    patched = [f"assert x\n{source}" for source in sources]
    assert asked("item_a = 3\nitem_b = 3\nx = 1", "assert x\nitem_c", *patched, healer="rules") == ()


def test_one_question_is_about_one_place(asked: Asked) -> None:
    above = "item_a = item_b = item_d = 3\nx = 1"
    fixes = ("item_a - item_d", "item_b - item_d", "item_a - item_b")
    (question,) = asked(above, "assert x\nitem_c - item_d", *(f"assert x\n{f}" for f in fixes), healer="rules")
    assert question.text == "Which is meant: `item_a` or `item_b`?"


def test_a_function_inside_of_the_changed_one_is_not_called_by_itself(asked: Asked) -> None:
    code = "def inner(n):\n    return n\ndef at(xs, n):\n    def inside(n):\n        return n{}\n    return xs[inside(n)]\nassert at([4, 4, 5], 1) == 4"
    (question,) = asked("", code.format(" + 1.5"), code.format(""), code.format(" - 1"), healer="rules")
    assert question.subject.startswith("at(")


def test_a_safe_fix_is_not_asked_about_for_one_that_changes_more_beside_it(asked: Asked) -> None:
    safe = {"applicability": Applicability.SAFE, "healer": "rules"}
    less, more, other = (
        "y = int(x) + 4\nz = 3",
        "y = int(x) + 4\nz = 9",
        "y = int(x) + 4.5\nz = 3",
    )
    assert asked("x = '3'", "y = x + 4\nz = 3", less, more, **safe) == ()
    assert asked("x = '3'", "y = x + 4\nz = 3", more, less, **safe)
    assert asked("x = '3'", "y = x + 4\nz = 3", less, other, **safe)
    assert asked("x = '3'", "assert x\ny = x + 4\nz = 3", f"assert x\n{less}", f"assert x\n{more}")
