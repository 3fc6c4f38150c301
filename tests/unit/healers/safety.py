"""What a rule proposes, and how far each patch may be trusted."""

from __future__ import annotations

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench


def propose(bench: Bench, code: str, *cells: str) -> list[tuple[Applicability, str]]:
    """How far each patch may be trusted, and the failing cell (or the one that it changes) after it."""
    broken = bench.fail(*cells)
    from jupyter_selfheal.healers.rules.healer import load_rules

    patches = broken.propose_patches(*(r for r in load_rules() if r.code == code))
    assert patches, f"{code} proposes nothing for {broken.case.failure.headline}"
    return [(p.applicability, "\n".join(c.source for c in broken.apply_patch(p).cells)) for p in patches]
