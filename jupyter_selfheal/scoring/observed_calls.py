"""Calls that earlier cells made of what a patch changes: they should give what they gave, unless somebody complained of it.

Nobody complained of a call whose cell ran well. Somebody did where the cell's stored output differs from what the old code
puts out there: the old result was wrong already, and a fix may change it. Where a failure is that of a wrong value (an assert,
an expectation), a right fix may well change other values too: a difference is then a doubt, no contradiction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jupyter_selfheal.model import JSON, Case, FailureKind, Patch, Role, Step, Trial
from jupyter_selfheal.scoring import stored

if TYPE_CHECKING:
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.scoring.evidence import Evidence

NAME = "observed calls"


@dataclass(frozen=True, slots=True)
class SeenCalls:
    """How the calls of earlier cells compare under the patch.

    ``differed`` says each that gives something else, in words; ``functions`` are what was called there, for who may not see
    values. ``excused`` give something else too, and what they gave is not what the notebook stores. ``is_open``: the failure
    is that of a wrong value, so that a right fix may change others.
    """

    agreed: int = 0
    differed: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    excused: int = 0
    is_open: bool = False

    @property
    def contradiction(self) -> str:
        """What says that the patch is wrong, in words; empty where nothing does."""
        if self.is_open or not self.differed:
            return ""
        return f"It changes what an earlier call gave, and nobody complained of that: {self.differed[0]}."

    @property
    def without_values(self) -> str:
        """The same for the next attempt: values stay here."""
        names = ", ".join(f"`{name}`" for name in self.functions)
        return f"it changes what earlier calls of {names} gave, which nobody complained of: keep that"

    @property
    def in_numbers(self) -> tuple[str, ...]:
        """How many calls were compared, in one sentence; none where there were none."""
        differ = len(self.differed) + self.excused
        if not (self.agreed or differ):
            return ()
        agreed = f"{self.agreed} earlier call" + ("" if self.agreed == 1 else "s")
        wrong = f" (of {self.excused} of them the notebook stores something else)" if self.excused else ""
        return (f"It agrees on {agreed}; differs on {differ or 'none'}{wrong}.",)


def read_calls(case: Case, trial: Trial) -> SeenCalls:
    """What the trial says of them."""
    results = trial.probe(NAME)
    if not isinstance(results, list):
        return SeenCalls()
    outputs = {s.cell_id: s.outputs for s in trial.steps if s.role == Role.RECORDED.value}
    compared = {i: stored.compare(case.notebook.cell(i), out) for i, out in outputs.items()}
    wrong = {i for i, c in compared.items() if c.differs}
    backed = {i for i, c in compared.items() if c.asked and not c.differs}
    changed = [r for r in results if r["change"]]
    excused = [r for r in changed if r["cell"] in wrong]
    if excused:  # the functions gave what is not stored: where nothing is stored, nothing speaks for what they gave
        excused = [r for r in changed if r["cell"] not in backed]
    differed = [r for r in changed if r not in excused]
    return SeenCalls(
        agreed=len(results) - len(changed),
        differed=tuple(_format_change(case, r) for r in differed),
        functions=tuple(dict.fromkeys(str(r["name"]) for r in differed)),
        excused=len(excused),
        is_open=case.failure.kind is FailureKind.MISSED or case.failure.ename == "AssertionError",
    )


def _format_change(case: Case, result: Mapping[str, JSON]) -> str:
    return f"`{result['call']}` in {case.notebook.name_cell(result['cell'])} {result['change']}"


class ObservedCalls:
    """The oracle of calls that earlier cells made: the loop has them made again, before the failing cell."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> tuple[Step, ...]:
        return ()

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        return replace(evidence, calls=read_calls(case, trial))
