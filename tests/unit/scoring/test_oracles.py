"""One more oracle is one class: its steps run in the trial, and what it saw decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import BASELINE, Case, Patch, Probe, Step, Trial
from jupyter_selfheal.scoring.evidence import Evidence, Finding
from jupyter_selfheal.scoring.oracles import ORACLES, TrialOracle
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from tests.scoring_cases import case_of, patch_of, try_patch

IS_SORTED = "def probe(shell, last, argument):\n    return shell.user_ns['a'] == sorted(shell.user_ns['a'])\n"


class SortedResult:
    """The oracle of a result that is sorted."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterator[Step]:
        yield Probe(IS_SORTED, None, name="sorted")

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        finding = Finding("order checks", 1, int(bool(trial.probe("sorted"))), "the result is not sorted", weight=9.0)
        return replace(evidence, findings=(*evidence.findings, finding))


def test_a_further_oracle_decides_between_patches() -> None:
    oracle: TrialOracle = SortedResult()
    scorer = EvidenceScorer(oracles=(*ORACLES, oracle))
    case = case_of(["b = [2, 1]", "a = sorted(bb)"], 1)
    patches = [patch_of(case, f"a = {name}(b)") for name in ("sorted", "list")]
    tried = [(patch, try_patch(case, patch, scorer)) for patch in patches]
    right, wrong = scorer.judge(case, try_patch(case, BASELINE, scorer), tried, ()).verdicts
    assert (right.score, right.oracle_met) == (9.0, True)
    assert "All 1 order checks hold." in right.reasons
    assert wrong.score <= 3
    assert "the result is not sorted" in wrong.feedback
