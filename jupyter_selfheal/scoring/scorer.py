"""The scorer of a heal: which evidence to gather in every trial, what it is worth, and which patch is best."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import (
    JSON,
    Attempt,
    Case,
    Cost,
    Edit,
    Insert,
    Patch,
    Replace,
    Step,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Judgement
from jupyter_selfheal.registry import load_traits
from jupyter_selfheal.scoring import expected
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.observed_calls import mark_left_wrong
from jupyter_selfheal.scoring.oracles import ORACLES, TrialOracle
from jupyter_selfheal.scoring.read_evidence import has_cell_run, read_evidence
from jupyter_selfheal.scoring.second_opinion import list_to_be_judged
from jupyter_selfheal.scoring.stored import read_expected_output
from jupyter_selfheal.scoring.untold_parts import mark_untold
from jupyter_selfheal.scoring.verdict import Opinion, build_verdict

GLANCE = 12
"""Tokens that are read at one glance: up to there no size outweighs how likely a change is (the healer's own ``prior``)."""


class Judge(Protocol):
    """Whoever says how good a patch is where no oracle does."""

    def ask_opinions(
        self, case: Case, baseline: Trial, tried: Sequence[tuple[Patch, Trial]], history: Sequence[Attempt]
    ) -> tuple[Mapping[str, Opinion], Cost, JSON]:
        """An opinion for each patch id (one may be missing), what they cost, and what the journal should keep of it."""
        ...

    def worst_case(self, case: Case, patches: int) -> Cost:
        """The most that opinions on so many patches can cost."""
        ...


class EvidenceScorer:
    """Scores by what happened: the user's oracle, asserts, stored outputs and the cells below; a judge only where none speaks.

    ``judge`` is asked where no patch is proven (:func:`~jupyter_selfheal.scoring.second_opinion.list_to_be_judged`).
    """

    def __init__(
        self, config: HealConfig | None = None, judge: Judge | None = None, oracles: Sequence[TrialOracle] = ORACLES
    ) -> None:
        self.config = config or HealConfig()
        self._judge = judge
        self._oracles = tuple(oracles)

    def list_oracle_steps(self, case: Case, patch: Patch) -> tuple[Step, ...]:
        """What runs after the cell in every trial, strongest evidence first; no failure of one keeps the others from running.

        The expectation comes first, because it reads the value of the cell that ran last.
        """
        return tuple(step for oracle in self._oracles for step in oracle.list_steps(case, patch, self.config))

    def find_missed_expectation(self, case: Case, trial: Trial) -> str | None:
        """Why a trial whose cell ran misses the user's own oracle; None where it does not, or has none."""
        if not has_cell_run(trial):
            return None
        parts = (*expected.read_parts(case, trial), *read_expected_output(case, trial))
        return "; ".join(part.why for part in parts if not part.met) or None

    def judge(
        self, case: Case, baseline: Trial, tried: Sequence[tuple[Patch, Trial]], history: Sequence[Attempt]
    ) -> Judgement:
        """A verdict for each tried patch, in the given order. Pure but for the judge."""
        every = [read_evidence(case, patch, trial, self._oracles) for patch, trial in tried]
        seen = mark_left_wrong(case, _mark_other_runs(every))
        seen = mark_untold(case, [p for p, _ in tried], seen, history)
        first = [build_verdict(patch, e) for (patch, _), e in zip(tried, seen, strict=True)]
        open_ = [] if self._judge is None else list_to_be_judged([p for p, _ in tried], seen, first)
        if self._judge is None or not open_:
            return Judgement(tuple(first))
        opinions, cost, record = self._judge.ask_opinions(case, baseline, [tried[n] for n in open_], history)
        for n in open_:
            opinion = opinions.get(tried[n][0].id)
            if opinion is not None:
                first[n] = build_verdict(tried[n][0], seen[n], opinion)
        return Judgement(tuple(first), cost, record)

    def worst_case(self, case: Case, patches: int) -> Cost:
        """The most that judging so many patches can cost: nothing without a judge."""
        return Cost() if self._judge is None else self._judge.worst_case(case, patches)

    def rank(self, tried: Sequence[tuple[Patch, Trial]], verdicts: Sequence[Verdict]) -> tuple[int, ...]:
        """Indices of the tried patches, best first.

        A plausible patch goes before one that is not, a higher score before a lower one. Ties go, in this order, because:

        1. safer applicability first: the user must check less;
        2. offline healer before model: repeatable and free;
        3. of a model's patches the one that it gave first: its first idea was right in 19 of 19 requests, later ones pad;
        4. fewer cells touched: a change elsewhere surprises later cells;
        5. the cheaper healer: a rule knows a cause, the search a result;
        6. smaller diff: it is read, not skimmed (of what is read at a glance, none is smaller); not where the search made both, whose own
           order weighs that already;
        7. higher prior, the likelier first, then the patch's id: so that the order is total.

        Pure, total and deterministic: equal trials give equal ranks, in whatever order they come.
        """

        def key(n: int) -> tuple[object, ...]:
            patch, verdict = tried[n][0], verdicts[n]
            traits = load_traits(patch.healer)
            return (
                not verdict.plausible,
                -verdict.score,
                -int(patch.applicability),
                traits.paid,
                -patch.prior if traits.paid else 0.0,
                len(patch.cells_touched),
                traits.rank,
                GLANCE if patch.healer == "search" else max(measure_diff(patch), GLANCE),
                -patch.prior,
                patch.id,
                n,
            )

        return tuple(sorted(range(len(tried)), key=key))


_TOKENS = re.compile(r"\w+|[^\w\s]+|\n[ \t]*")


def measure_diff(patch: Patch) -> int:
    """Tokens that the patch changes (a replaced one counts once), plus one for every edit that is no change of source.

    Tokens, not lines: ``rows`` → ``rows + 1`` is less to read than a new line ``total = rows``.
    """
    return sum(
        _count_changed_tokens(e.old, e.source) if isinstance(e, Replace) else _count_added_tokens(e)
        for e in patch.edits
    )


def _count_added_tokens(edit: Edit) -> int:
    return len(_TOKENS.findall(edit.source)) if isinstance(edit, Insert) else 1


def _count_changed_tokens(old: str, new: str) -> int:
    before, after = _TOKENS.findall(old), _TOKENS.findall(new)
    same = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    before, after = before[same:], after[same:]
    while before and after and before[-1] == after[-1]:
        before.pop()
        after.pop()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=len(before) > 2_000)
    return sum(max(b - a, d - c) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal")


def _mark_other_runs(seen: Sequence[Evidence]) -> list[Evidence]:
    """Mark the cells below that fail under one patch and run under another: only such a failure is the patch's."""
    runs = {b.cell_id for e in seen for b in e.below if b.ran}
    return [
        replace(e, below=tuple(replace(b, runs_otherwise=not b.ran and b.cell_id in runs) for b in e.below))
        for e in seen
    ]
