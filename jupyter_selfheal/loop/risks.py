"""What could go wrong with a patch, said before anything of it is run. Pure.

Patches that add a capability, or touch another cell than the failing one, are worth a warning. What can be read off the
patch is said for free; a critic (:class:`jupyter_selfheal.ports.Critic`) is asked only about those that the user must clear.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop.capabilities import (
    CREDENTIALS,
    DELETION,
    EVALUATION,
    INSTALLATION,
    NATIVE,
    NETWORK,
    SUBPROCESS,
    WRITES,
)
from jupyter_selfheal.loop.consent import find_added_capabilities
from jupyter_selfheal.loop.plan import build_trial_steps
from jupyter_selfheal.model import Applicability, Case, Move, Patch, Replace, Run, Start

AT_MOST = 3
"""Patches of one answer that a critic is asked about."""

NAMED = 2
"""Changed cells that one line speaks of by name."""

_COULD = {
    DELETION: "delete files",
    SUBPROCESS: "start another program",
    NETWORK: "send or fetch data over the network",
    INSTALLATION: "change what is installed",
    EVALUATION: "run code that is not written in it",
    CREDENTIALS: "read a credential",
    WRITES: "write or overwrite files",
    NATIVE: "crash the kernel in native code",
}


def list_added_capabilities(case: Case, patch: Patch, config: HealConfig) -> tuple[str, ...]:
    """The capabilities that a patch adds; installing is no news where the user allowed it."""
    allowed = {INSTALLATION} if config.install else set()
    return tuple(name for name in find_added_capabilities(case, patch) if name not in allowed)


def list_other_cells(case: Case, patch: Patch) -> tuple[str, ...]:
    """Ids of the cells apart from the failing one that a patch changes or moves."""
    return tuple(
        dict.fromkeys(
            e.cell_id for e in patch.edits if isinstance(e, Replace | Move) and e.cell_id != case.failure.cell_id
        )
    )


def select_for_critic(
    case: Case, patches: Iterable[Patch], config: HealConfig
) -> tuple[tuple[Patch, tuple[str, ...]], ...]:
    """The patches that a critic is asked about, each with what it adds: those that the user must allow.

    What a change of another cell may do is read off the patch: the critic's line changed the outcome of none of 30 heals, and
    its call came before every trial.
    """
    added = (
        (p, list_added_capabilities(case, p, config)) for p in patches if p.applicability is not Applicability.SAFE
    )
    return tuple((patch, names) for patch, names in added if names)[:AT_MOST]


def foresee_risk(case: Case, patch: Patch, names: Sequence[str]) -> str | None:
    """One line on a patch that adds the capabilities ``names`` or touches other cells; None for any other patch."""
    parts = []
    if names:
        could = [_COULD.get(name, name) for name in names]
        parts.append("it could " + " and ".join(filter(None, (", ".join(could[:-1]), could[-1]))))
    again = frozenset(
        step.cell_id for step in build_trial_steps(case, patch, Start.BEFORE_CELL) if isinstance(step, Run)
    )
    elsewhere = [
        line for cell_id in list_other_cells(case, patch) if (line := _describe_other_cell(case, cell_id, again))
    ]
    parts += elsewhere[:NAMED]
    if len(elsewhere) > NAMED:
        parts.append(f"and {len(elsewhere) - NAMED} more")
    return "; ".join(parts) or None


def _describe_other_cell(case: Case, cell_id: str, run_again: frozenset[str]) -> str | None:
    """What a change of another cell may do to the cells that go by it and are not ``run_again``; None where there is none, and of a
    cell that is not in the notebook."""
    cells = [c for c in case.notebook.cells if c.kind == "code" and c.source.strip()]
    at = next((n for n, c in enumerate(cells) if c.id == cell_id), -1)
    if at < 0:
        return None
    made = src.find_names(cells[at].source)
    names = made.binds | made.changes
    others = [c for c in cells if c.id not in (cell_id, case.failure.cell_id, *run_again)]
    if case.notebook.shows_runs:  # a cell that did not run in this session made nothing yet
        others = [c for c in others if c.runs]
    users = [case.notebook.name_cell(c.id) for c in others if names & src.find_names(c.source).uses]
    changed = f"{case.notebook.name_cell(cell_id)} changes too"
    if not users:
        return None
    shown = ", ".join(users[:4]) + (" …" if len(users) > 4 else "")
    return f"{changed}: what {shown} made of it may no longer be right"


def join_texts(*parts: str | None) -> str:
    """Lines as one, without saying anything twice."""
    kept: list[str] = []
    for part in parts:
        if part and not any(part in known for known in kept):
            kept.append(part)
    return "; ".join(kept)
