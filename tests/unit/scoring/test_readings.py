"""Readings of a cell that does not parse and that a rule knows: asked about where the output is right with more than one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Applicability, Candidate, Failure, FailureKind, Patch, Question, Replace
from jupyter_selfheal.scoring.readings import ask_about_reading
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from tests.scoring_cases import case_of, try_patch

BROKEN = "for r in [1]:\n    print(r)\n  print('row')\n"
INSIDE, BEHIND = BROKEN.replace("\n  print", "\n    print"), BROKEN.replace("\n  print", "\nprint")


def _ask(*sources: str, kind: FailureKind = FailureKind.SYNTAX, **more: object) -> Question | None:
    case = case_of([BROKEN], 0, 3, ename="IndentationError")
    case = replace(case, failure=Failure("c0", BROKEN, kind, "IndentationError"))
    given = {"healer": "rules", "applicability": Applicability.UNSAFE, "prior": 0.8, **more}
    patches = [Patch((Replace("c0", BROKEN, s),), title=s, **given) for s in sources]  # type: ignore[arg-type]
    trials = [try_patch(case, p) for p in patches]
    verdicts = EvidenceScorer().judge(case, trials[0], list(zip(patches, trials, strict=True)), ()).verdicts
    return ask_about_reading(case, [Candidate(*one) for one in zip(patches, trials, verdicts, strict=True)])


def test_a_line_between_two_levels_is_asked_about() -> None:
    question = _ask(INSIDE, BEHIND)
    assert question is not None
    assert question.blocks
    assert list(question.answers) == ["`print('row')` behind 4 blanks", "`print('row')` behind 0 blanks"]


@pytest.mark.parametrize(
    ("sources", "more"),
    [
        ((INSIDE,), {}),
        ((INSIDE, INSIDE + "\n"), {}),  # the same program
        ((INSIDE, BEHIND), {"applicability": Applicability.SAFE}),
        ((INSIDE, BEHIND), {"healer": "search"}),
        ((INSIDE, BEHIND), {"kind": FailureKind.RAISED}),
    ],
    ids=["one reading", "the same program", "a sure one", "the search's", "a cell that parses"],
)
def test_elsewhere_nothing_is_asked(sources: tuple[str, ...], more: dict[str, object]) -> None:
    assert _ask(*sources, **more) is None  # type: ignore[arg-type]
