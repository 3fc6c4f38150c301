"""Calls that earlier cells made of what a patch changes: they should give what they gave, unless somebody complained of it.

Nobody complained of a call whose cell ran well. Somebody did where the cell's stored output differs from what the old code
puts out there: the old result was wrong already, and a fix may change it. Where a failure is that of a wrong value (an assert,
an expectation), a right fix may well change other values too: a difference is then a doubt, no contradiction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_selfheal.model import JSON, Case, FailureKind, Patch, Role, Step, Trial
from jupyter_selfheal.model.trial import OBSERVED_CALLS
from jupyter_selfheal.scoring import stored
from jupyter_selfheal.scoring.comparison import NOTHING, Comparison
from jupyter_selfheal.scoring.evidence import Evidence, SeenCalls
from jupyter_selfheal.scoring.repeatable import is_repeatable

if TYPE_CHECKING:
    from jupyter_selfheal.config import HealConfig


def read_calls(case: Case, patch: Patch, trial: Trial) -> SeenCalls:
    """What the trial says of them."""
    results = trial.probe(OBSERVED_CALLS)
    if not isinstance(results, list):
        return SeenCalls()
    before = _compare_cells(case, trial, Role.RECORDED)
    after = {
        i: c for i, c in _compare_cells(case, trial, Role.SETUP).items() if i in before and i not in patch.cells_touched
    }
    wrong = {i for i, c in before.items() if c.differs}
    backed = {i for i, c in before.items() if c.can_decide and not c.differs}
    changed = [r for r in results if r["change"]]
    excused = [r for r in changed if r["cell"] in wrong]
    if excused:  # the functions gave what is not stored: where nothing is stored, nothing speaks for what they gave
        excused = [r for r in changed if r["cell"] not in backed]
    others = [r for r in changed if patch.restores and r not in excused and r["cell"] not in backed]
    unclear = [r for r in others if patch.restores.split()[0] not in r["packages"]]
    differed = [r for r in changed if r not in excused and r not in others]
    mended = tuple(i for i, c in after.items() if i in wrong and c.same and c.computed)
    spoilt = [i for i, c in after.items() if i in backed and c.differs and all(r["cell"] != i for r in differed)]
    return SeenCalls(
        agreed=sum(not r["change"] and r["cell"] not in wrong for r in results),
        differed=(*(_format_change(case, r) for r in differed), *(_format_spoilt(case, i, after[i]) for i in spoilt)),
        functions=tuple(dict.fromkeys(str(r["name"]) for r in differed)),
        excused=len(excused),
        restored=len(others) - len(unclear),
        release=patch.restores,
        unclear=tuple(_format_change(case, r) for r in unclear),
        mended=mended,
        settled=tuple(str(r["call"]) for r in results if r["cell"] in mended),
        is_open=case.failure.kind is FailureKind.MISSED or case.failure.ename == "AssertionError",
    )


def _compare_cells(case: Case, trial: Trial, role: Role) -> dict[str, Comparison]:
    """How the cells above that ran in a trial compare with what is stored for them; nothing of one that prints by chance, and of the
    failing cell, of which only a part ran."""
    notebook, failing = case.notebook, case.failure.cell_id
    steps = (s for s in trial.steps if s.role == role.value and s.cell_id != failing)
    ran = {s.cell_id: s.outputs for s in steps if notebook.index(s.cell_id) >= 0}
    cells = {i: notebook.cell(i) for i in ran}
    return {i: stored.compare(cells[i], ran[i]) if is_repeatable(cells[i], notebook) else NOTHING for i in ran}


def _format_spoilt(case: Case, cell_id: str, compared: Comparison) -> str:
    now, kept = (" ".join(text.split())[:60] for text in (compared.got, compared.stored))
    return f"{case.notebook.name_cell(cell_id)} gives {now}, where {kept} is stored"


def _format_change(case: Case, result: Mapping[str, JSON]) -> str:
    return f"`{result['call']}` in {case.notebook.name_cell(result['cell'])} {result['change']}"


def mark_left_wrong(case: Case, seen: Sequence[Evidence]) -> list[Evidence]:
    """Mark the patches that leave a cell above without what is stored for it though another of them gives it."""
    mended = dict.fromkeys(i for e in seen for i in e.calls.mended)
    marked = []
    for e in seen:
        left = next((i for i in mended if i not in e.calls.mended), None)
        calls = replace(e.calls, left=case.notebook.name_cell(left)) if left is not None and e.ran else e.calls
        marked.append(replace(e, calls=calls))
    return marked


class ObservedCalls:
    """The oracle of calls that earlier cells made: the loop has them made again, before the failing cell."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> tuple[Step, ...]:
        return ()

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        return replace(evidence, calls=read_calls(case, patch, trial))
