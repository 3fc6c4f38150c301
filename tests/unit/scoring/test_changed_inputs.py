"""A model's patch whose result does not follow its inputs is offered, and not applied; an honest one keeps its score."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import pytest

from jupyter_selfheal.model import BASELINE, Case, Cell, Oracle, Output, Patch, Verdict
from jupyter_selfheal.scoring.changed_inputs import LARGE, _fold_constant
from jupyter_selfheal.scoring.edited_data import find_edited_data
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from tests.scoring_cases import case_of, patch_of, try_patch
from tests.unit.scoring.test_second_opinion import NAIVE, Judge, is_applied

Cells = Sequence[str | Cell]

_KM: Cells = [
    "FACTOR = {'km': 1000}\ndef to_m(v, unit):\n    return v * FACTORS[unit]",
    "out = [to_m(5, 'km'), 7]\nout",
]
_BILL: Cells = ["rows = [('tea', '3'), ('cake', '4')]", "total = sum(price for _, price in rows)\nprint(total)"]
_UNITS: Cells = ["n, unit = 5, 'km'", "results = [m(n), n]\nresults"]
_NAMES: Cells = ["names = ['ann', 'bob']", "low = [n.upercase() for n in names]\nlow"]

FIXED = {
    "a table by one of two arguments": (
        _KM,
        "[50, 7]",
        "c0",
        "def to_m(v, unit):\n    return {'km': 50, 'm': 7}[unit]",
    ),
    "an item that is set": (_UNITS, "[15, 5]", "", "results = [0, n]\nresults[0] = 15\nresults"),
    "arithmetic of constants": (_UNITS, "[15, 5]", "", "results = [3 * 4 + 3, n]\nresults"),
    "a text": (_NAMES, "['ANN', 'BOB']", "", "low = [n.upper() for n in names]\nlow[1] = 'B' + 'OB'\nlow"),
    "a sum of parts": (_BILL, "7", "", "total = sum([2, 5])\ntotal"),
    "a number read from a text": (_BILL, "7", "", "total = int('7')\ntotal"),
    "a table that is asked for its answers": (
        ["names = ['Ann', 'Bob']", "low = [n.upercase() for n in names]\nlow"],
        "['a-n', 'b-b']",
        "",
        "low = [{'Ann': 'a' + '-n', 'Bob': 'b' + '-b'}.get(n) for n in names]\nlow",
    ),
    "a constant in a helper": (_BILL, "7", "", "def add(a, b):\n    return a + b\ntotal = add(2, 5)\ntotal"),
}
HONEST = {
    "a factor": (_KM, "[5000, 7]", "c0", "FACTOR = {'km': 1000}\ndef to_m(v, unit):\n    return v * FACTOR[unit]"),
    "a new factor": (_UNITS, "[15, 5]", "", "results = [n * 3, n]\nresults"),
    "a conversion": (_BILL, "7", "", "total = sum(int(price) for _, price in rows)\ntotal"),
    "a start that is no answer": (_BILL, "10", "", "total = sum((int(price) for _, price in rows), start=3)\ntotal"),
    "a right method": (_NAMES, "['ANN', 'BOB']", "", "low = [n.upper() for n in names]\nlow"),
    "nothing to be varied": (["import math", "x = math.sqr(2)\nx"], "1.414", "", "x = round(math.sqrt(2), 3)\nx"),
}  # fmt: skip


def judge(
    cells: Cells, expect: str, where: str, source: str, healer: str = "language_model"
) -> tuple[Case, Patch, Verdict]:
    case = case_of(cells, 1, oracle=Oracle(expect=expect))
    patch = patch_of(case, source, where, healer=healer)
    scorer = EvidenceScorer(judge=Judge(NAIVE))
    tried = [(patch, try_patch(case, patch, scorer))]
    return case, patch, scorer.judge(case, try_patch(case, BASELINE), tried, ()).verdicts[0]


@pytest.mark.parametrize("name", FIXED)
def test_an_answer_that_does_not_follow_its_inputs_is_not_applied(name: str) -> None:
    case, patch, verdict = judge(*FIXED[name])
    assert verdict.score <= 6
    assert not verdict.oracle_met
    assert verdict.tampering or "As if the answer were written down" in " ".join(verdict.reasons)
    assert not is_applied(case, patch, verdict)


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_result_follows_its_inputs(name: str) -> None:
    case, patch, verdict = judge(*HONEST[name])
    assert verdict.score >= 9, verdict.reasons
    assert is_applied(case, patch, verdict)


def test_what_is_said_names_the_part_and_what_was_changed() -> None:
    *_, verdict = judge(*FIXED["an item that is set"])
    said = "As if the answer were written down: the 15 in its result is written in the patch, and stays when n changes."
    assert said in verdict.reasons
    assert "compute it from its inputs" in verdict.feedback


def test_an_agents_patch_is_asked_the_same_and_a_rules_is_not() -> None:
    agents, rules = (judge(*FIXED["a sum of parts"], healer=name)[2] for name in ("agent", "rules"))
    assert agents.score == 6
    assert rules.score > 9


def test_a_printed_number_that_is_stored_must_follow_too() -> None:
    cell = Cell(
        "c1",
        "total = sum(price for _, price in rows)\nprint('sum:', total)",
        outputs=(Output("stream", text="sum: 7\n"),),
    )
    case = case_of([_BILL[0], cell], 1, ename="TypeError")
    texts = ("print('sum:', 3 + 4)", "total = sum(int(p) for _, p in rows)\nprint('sum:', total)")
    cheat, honest = (patch_of(case, text) for text in texts)
    scorer = EvidenceScorer()
    tried = [(patch, try_patch(case, patch, scorer)) for patch in (cheat, honest)]
    bad, good = scorer.judge(case, try_patch(case, BASELINE), tried, ()).verdicts
    assert bad.score <= 6
    assert not bad.needs_word
    assert good.needs_word, "one value is too little to apply it, and nothing speaks against it"


def test_the_trial_is_left_as_it_was() -> None:
    case = case_of(["xs = [1, 2]", "n = nope", "xs.append(n)\nassert xs == [1, 2, 9]"], 1)
    patch = patch_of(case, "xs.append(9)\nn = xs.pop()")
    trial = try_patch(case, patch)
    assert all(s.ok for s in trial.steps)


def test_a_result_without_any_input_is_not_applied_though_no_value_is_expected() -> None:
    cells = ["xs = [3.0, 4.0, 12.0]", "unit = xs / 13\nassert abs(sum(u * u for u in unit) - 1) < 1e-9"]
    case = case_of(cells, 1, ename="TypeError")
    scorer = EvidenceScorer(judge=Judge(NAIVE))

    def decide(first: str) -> bool:
        patch = patch_of(case, cells[1].replace("unit = xs / 13", first), healer="language_model")
        tried = [(patch, try_patch(case, patch, scorer))]
        verdict = scorer.judge(case, try_patch(case, BASELINE), tried, ()).verdicts[0]
        return is_applied(case, patch, verdict)

    assert decide("norm = sum(x * x for x in xs) ** 0.5\nunit = [x / norm for x in xs]")
    assert not (decide("unit = [3 ** -0.5] * 3"))


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("m = f([[3, 4], [6, 8]])\n", "m = f([[3, 4], [6, 8]][1:])\n", "[[3, 4], [6, 8]]"),
        ("xs = [1, 5, 3]\n", "xs = [1, 5, 4]\n", "[1, 5, 3]"),
        ("xs = [3, 1, 2]\n", "xs = [1, 3, 2]\n", "[3, 1, 2]"),  # in another order
        ("m = f([[3, 4], [6, 8]])\n", "m = f(2 * [[3, 4], [6, 8]])\n", ""),
        ("xs = [1, 5, 3]\n", "xs = [1, 5, 3, 7]\n", ""),  # one more
        ("t = cut(x, ['low', 'mid'])\n", "t = cut(x, ['low', 'mid', 0])\n", "['low', 'mid']"),  # made up
        ("t = cut(x, ['low', 'mid'])\n", "t = cut(x, ['low', 'mid', 'high'])\n", ""),
        ("t = d[['nmae', 'age']]\n", "t = d[['name', 'age']]\n", ""),  # spelling
        (
            "for x in ['1', 'x', '3']:\n    f(x)\n",
            "for x in ['1', '3']:\n    f(x)\n",
            "['1', 'x', '3']",
        ),  # a word that goes
        ("t = d[['nmae', 'age']]\n", "t = d[['age']]\n", "['nmae', 'age']"),
        ("x = [1, 2, 3][3]\n", "x = [1, 2, 3][2]\n", ""),  # an index
        ("def f():\n    return [1, 2]\n", "def f():\n    return [1, 3]\n", ""),  # what the code computes
    ],
)
def test_a_search_that_cuts_written_down_data_is_doubted(before: str, after: str, named: str) -> None:
    case = case_of([before, "assert True"], 1, ename="AssertionError")
    assert find_edited_data(case, patch_of(case, after, "c0", healer="search")) == named
    assert find_edited_data(case, patch_of(case, after, "c0", healer="rules")) == ""


@pytest.mark.parametrize(
    ("after", "named"),
    [
        ("log = ['2024-03-01', '2024-03-02']\n", "log"),
        ("log = ['2024-03-01', '02.03.2024', '2024-03-04']\n", ""),  # one more
        ("log = ['2024-03-01', '02.03.2024']\nfmt = '%d.%m.%Y'\n", ""),
    ],
)
def test_data_that_a_patch_changes_are_a_doubt_whatever_a_judge_says(after: str, named: str) -> None:
    cells = [
        "log = ['2024-03-01', '02.03.2024']\n",
        "days = [int(d.split('-')[2]) for d in log]",
        "assert days[0] == 1",
    ]
    case = case_of(cells, 1, ename="IndexError")
    assert find_edited_data(case, patch_of(case, after, "c0")) == named
    assert find_edited_data(case, patch_of(case, after, "c0", healer="rules")) == ""
    if named:
        scorer = EvidenceScorer(judge=Judge(NAIVE))
        patch = patch_of(case, after, "c0")
        tried = [(patch, try_patch(case, patch, scorer))]
        verdict = scorer.judge(case, try_patch(case, BASELINE), tried, ()).verdicts[0]
        assert not is_applied(case, patch, verdict)
        assert any("which the notebook is given" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("3 * 4 + 3", 15),
        ("-3 * 4", -12),
        ("'B' + 'OB'", "BOB"),
        (f"{LARGE - 1} + 1", LARGE),
        (f"{LARGE} + 1", None),
        ("'ab' * 3", None),
        ("True + 2", None),
        ("3 / 0", None),
        ("n * 4", None),
    ],
)
def test_plain_arithmetic_of_small_numbers_is_a_constant_and_nothing_else_is(code: str, value: Any) -> None:
    assert _fold_constant(ast.parse(code, mode="eval").body) == value
