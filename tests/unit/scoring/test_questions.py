"""One value to ask for, where plausible patches disagree; trials are real ones, in the fake kernel."""

from __future__ import annotations

from collections.abc import Callable
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

    def run(above: str, cell: str, *sources: str, **more: Any) -> tuple[Question, ...]:
        case: Case = case_of([above, cell], 1, len(cell.splitlines()), ename="TypeError")
        patches = [patch_of(case, source, **more) for source in sources]
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
    assert question.text == "What should `y + 4` give: 7 or '34'?"
    assert [len(ids) for ids in question.answers.values()] == [2, 1]


def test_else_what_it_prints(asked: Asked) -> None:
    (question,) = asked(
        "x = '3'", "print('sum')\nprint(x + 4)", "print('sum')\nprint(int(x) + 4)", "print('sum')\nprint(x + '4')"
    )
    assert question.text == "What should the cell print (line 2): 7 or 34?"


def test_else_what_its_variables_hold(asked: Asked) -> None:
    (question,) = asked(
        "x = '3'", "import math\ntotal = x + 4", "import math\ntotal = int(x) + 4", "import math\ntotal = x + '4'"
    )
    assert question.text == "What should `total` be after the cell: 7 or '34'?"
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
    assert asked("x = '3'", "x + 4", *both, applicability=Applicability.SAFE) == ()
    assert asked("x = '3'", "x + 4", *both, healer="user") == ()
    assert asked("x = '3'", "assert x\nx + 4", *(f"assert x\n{s}" for s in both)) == ()
