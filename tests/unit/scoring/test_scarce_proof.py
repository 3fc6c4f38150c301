"""What is too little to apply a model's patch by itself, and what is enough; trials are real ones, in the fake kernel."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal import source as src
from jupyter_selfheal.model import BASELINE, Cell, Oracle, Output, Verdict
from jupyter_selfheal.scoring.free_choices import count_choices
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from tests.scoring_cases import case_of, patch_of, try_patch

_BROKEN = "def gap(xs):\n    return max(b - a for a, b in zips(xs, xs[1:]))"
_RIGHT = _BROKEN.replace("zips", "zip")


def judge(
    *below: str | Cell, stored: str = "3\n", healer: str = "language_model", oracle: Oracle | None = None
) -> Verdict:
    cell = Cell("c1", "print(gap([1, 4, 6]))", outputs=(Output("stream", text=stored),) if stored else ())
    case = case_of([_BROKEN, cell, *below], 1, ename="NameError")
    case = replace(case, oracle=oracle) if oracle else case
    patch, scorer = patch_of(case, _RIGHT, "c0", healer=healer), EvidenceScorer()
    return scorer.judge(case, try_patch(case, BASELINE), [(patch, try_patch(case, patch, scorer))], ()).verdicts[0]


@pytest.mark.parametrize(
    "below",
    [
        (),
        ("assert gap([1, 2]) > 0",),
        ("assert len([gap([1, 2])]) == 1",),
        (Cell("c2", "print(f'{gap([1, 4, 6]):.2f}')", outputs=(Output("stream", text="3.00\n"),)),),
        ("gaps = [gap(xs) for xs in ([0, 8], [4, 5, 9])]", "assert gaps[0] == 8"),
        (
            Cell(
                "c2",
                "print([gap([0, n]) > 2 for n in (1, 3, 9)])",
                outputs=(Output("stream", text="[False, True, True]\n"),),
            ),
        ),
        (Cell("c2", "print('station'[: gap([1, 4, 6])])", outputs=(Output("stream", text="sta\n"),)),),
    ],
    ids=[
        "one stored value",
        "none named",
        "its form",
        "the same value again",
        "a part",
        "yes and no",
        "words of the data",
    ],
)
def test_hardly_more_than_one_value_applies_no_patch_of_a_model_or_an_agent(below: tuple[Any, ...]) -> None:
    for healer in ("language_model", "agent"):
        verdict = judge(*below, healer=healer)
        assert verdict.score == 6
        assert verdict.needs_word
        assert not verdict.oracle_met


@pytest.mark.parametrize(
    ("below", "more"),
    [
        ((), {"healer": "rules"}),
        (("assert gap([1, 2]) == 1",), {}),
        (("assert abs(gap([1, 2]) - 1) < 1e-9",), {}),
        ((), {"oracle": Oracle(checks=("gap([1, 2]) == 1",))}),
        ((Cell("c2", "print(gap([0, 8]), gap([0, 70]))", outputs=(Output("stream", text="8 70\n"),)),), {"stored": "3\n"}),
        (("assert [gap([1, 2]), gap([3, 7])] == [1, 4]",), {}),
        (("assert divmod(gap([1, 8]), 4)[0] == 1",), {}),
        ((Cell("c2", "print([gap([n, 2 * n]) for n in range(7, 12)])", outputs=(Output("stream", text="[7, 8, 9, 10, 11]\n"),)),), {}),
    ],
    ids=["a rule", "an assert that names a value", "one that names it nearly", "the user's check", "the cells' own text", "an assert of all parts", "of a call", "many values"],
)  # fmt: skip
def test_what_is_enough(below: tuple[Any, ...], more: dict[str, Any], request: pytest.FixtureRequest) -> None:
    verdict = judge(*below, **more)
    written = "own text" in request.node.name  # what stands in the cell comes out of anything
    assert verdict.needs_word is written
    assert (verdict.score >= 7) is not written


_MEAN = "def mean(xs):\n    return sum(xs) / count"
_TWO = "assert mean([2, 4]) == 3\nassert mean([1, 2, 6]) == 3"


def judge_mean(after: str, below: str = _TWO, before: str = _MEAN) -> Verdict:
    case = case_of([before, "print(mean([5, 5]))", below], 1, ename="NameError")
    patch, scorer = patch_of(case, after, "c0", healer="language_model"), EvidenceScorer()
    return scorer.judge(case, try_patch(case, BASELINE), [(patch, try_patch(case, patch, scorer))], ()).verdicts[0]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("return (xs[0] + xs[-1]) / 2 if len(xs) == 2 else xs[0] * len(xs)", "1 condition or number"),
        ("return xs[-1] * 0.75 if len(xs) == 2 else xs[-1] * 0.5", "3 conditions or numbers"),
    ],
)
def test_each_choice_of_a_patch_needs_values_of_its_own(line: str, told: str) -> None:
    verdict = judge_mean(_MEAN.replace("return sum(xs) / count", line))
    assert told in verdict.reasons[-1] or any(told in reason for reason in verdict.reasons)
    assert (verdict.score, verdict.needs_word) == (6, True)


def test_a_choice_that_enough_values_speak_for_is_none_against_the_patch() -> None:
    line = "return sum(xs) / len(xs) if len(xs) != 3 else (xs[0] + xs[1] + xs[2]) / len(xs)"
    many = "\n".join(f"assert mean({xs}) == {sum(xs) // len(xs)}" for xs in ([2, 4], [1, 2, 6], [7], [0, 0, 3]))
    assert judge_mean(_MEAN.replace("return sum(xs) / count", line)).score == 6
    assert judge_mean(_MEAN.replace("return sum(xs) / count", line), many).score > 7


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_MEAN, "def mean(xs):\n    if len(xs) == 0:\n        raise ValueError('none')\n    return sum(xs) / len(xs)"),
        (_MEAN, "def mean(xs):\n    total = 0\n    for x in xs:\n        if x != 7:\n            total += x\n    return total / len(xs)"),
        (_MEAN, "def mean(xs):\n    return sum(x for x in xs if x > -9) / len(xs)"),
        (_MEAN, "def mean(xs, digits=12):\n    return round(sum(xs) / len(xs), digits)"),
        ("def mean(xs):\n    return sum(xs) / count if len(xs) > 1 else xs[0]", "def mean(xs):\n    return sum(xs) / len(xs) if len(xs) > 1 else xs[0]"),
    ],
    ids=["a guard that raises", "in a loop", "in a comprehension", "an option", "a condition that was there"],
)  # fmt: skip
def test_what_is_no_choice_of_the_patch_needs_no_more_values(before: str, after: str) -> None:
    assert judge_mean(after, before=before).score > 7


def test_a_long_sum_above_costs_as_much_as_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    dump = src.dump_tree

    def count_signs(node: ast.AST) -> str:
        text = dump(node)
        written.append(len(text))
        return text

    page = "page = " + " + ".join(f"'{n}'" for n in range(300))
    case = case_of([page, "page = page + zips"], 1)
    monkeypatch.setattr(src, "dump_tree", count_signs)
    assert count_choices(case, patch_of(case, "page = page + 'a' if len(page) == 33 else page")) == 1
    assert 300 < sum(written) < 50 * 300
