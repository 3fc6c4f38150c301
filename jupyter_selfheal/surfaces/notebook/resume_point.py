"""Where a notebook's run that was cut off can be gone on with: behind its last healed cell, where that is cheaper than from the top.

Kept is what the run had found, not the state: of the cells above only those run again on which a cell below depends, by the names that they
use. What a cell leaves behind beside names (a file, a seed) is not seen. So nothing is healed in such a state: where a cell fails
in it, the notebook runs from the top after all, and the clean run in the end is a whole one in any case.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal._version import __version__
from jupyter_selfheal.kernels.replay_plan import PastCell, list_needed_cells
from jupyter_selfheal.model import Cost, Notebook, Run
from jupyter_selfheal.surfaces.notebook.agreement import HealthyCells
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.fixes import Fix
from jupyter_selfheal.surfaces.notebook.lost_state import LostState
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Record

LEAST_SECONDS = 5.0
"""What must be saved: starting anew takes about that long by itself."""


class StateNotWhole(Exception):
    """A cell fails in a state for which not all cells above were run: that says nothing of the cell."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """What a run had found when it stood behind a healed cell. ``past`` are the cells that made its state,
    ``heals`` how many heals were journaled."""

    digest: str
    notebook: Notebook
    records: dict[str, Record]
    fixes: tuple[Fix, ...]
    lost: tuple[LostState, ...]
    done: frozenset[str]
    first: dict[str, CellRun]
    healthy: HealthyCells
    past: tuple[PastCell, ...]
    heals: int

    @property
    def number(self) -> int:
        """The number of the cell behind which it stands: the last one that was healed, or, behind a root that was mended, that above the cell which failed of it."""
        healed = self.records[self.fixes[-1].cell_id]
        return healed.failed_below - 1 if healed.failed_below else healed.number

    @property
    def seconds(self) -> float:
        """How long the cells took that made the state."""
        return sum(cell.seconds or 0.0 for cell in self.past)

    @property
    def cost(self) -> Cost:
        """What the heals until then have cost."""
        return sum((record.cost for record in self.records.values()), Cost())

    def plan(self) -> tuple[int, ...] | None:
        """Which of ``past`` must run again for the cells that are left; None where that saves too little."""
        cells = self.notebook.cells
        below = [c for c in cells if c.kind == "code" and c.source.strip() and c.id not in self.done]
        needed = list_needed_cells(self.past, [Run(cell.source, cell.id) for cell in below])
        saved = self.seconds - sum(self.past[n].seconds or 0.0 for n in needed)
        return needed if saved >= LEAST_SECONDS else None


class PointFile:
    """The file of a notebook's point, beside the journals of its run; only its user can read it."""

    def __init__(self, run: str, part: int, document: Document) -> None:
        from jupyter_selfheal.journal.jsonl import locate_runs_folder

        self._path = Path(locate_runs_folder()) / f"{run}-{part}.point"
        given = json.dumps([__version__, str(document.path.resolve()), document.raw, document.text], sort_keys=True)
        self.digest = hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()

    def find(self) -> ResumePoint | None:
        """The point; None where there is none, or it is of another notebook, text or version."""
        try:
            point = pickle.loads(self._path.read_bytes())
        except Exception:
            return None
        return point if isinstance(point, ResumePoint) and point.digest == self.digest else None

    def keep(self, point: ResumePoint) -> None:
        """Keep it in the place of the last one. Where that cannot be, the run is gone on with from the top."""
        if point.seconds < LEAST_SECONDS:
            return
        draft = self._path.with_suffix(".draft")
        with contextlib.suppress(OSError, pickle.PicklingError):
            draft.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "wb") as file:
                file.write(pickle.dumps(point))
            draft.replace(self._path)

    def forget(self) -> None:
        """Remove it: the notebook is done."""
        self._path.unlink(missing_ok=True)
