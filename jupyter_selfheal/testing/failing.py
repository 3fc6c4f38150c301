"""A notebook run up to its first failing cell, as a rule finds it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal.healers.facts import KernelFacts
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.healer import RulesHealer
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Keep, Notebook, Patch, Run, Trial, TrialRequest
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fixtures import NOT_RUN, apply_and_run

SECONDS = 60.0
"""For each cell."""
CUT_AFTER = {"never-ends": 0.3, "takes-long": 3.0}
"""By the tag of a cell that does not end, or takes minutes, the CPU seconds after which it is cut."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A notebook that was run up to its first failing cell, with the states before and after that cell."""

    case: Case
    starts: Starts
    facts: KernelFacts

    @property
    def context(self) -> RuleContext:
        return RuleContext(self.case, self.facts)

    def propose_patches(self, *rules: Rule) -> tuple[Patch, ...]:
        """What the rules (all if none are given) propose."""
        with _work_in_folder(self.case.notebook.folder):
            answer = RulesHealer(rules or None).propose(self.case, self.starts, self.facts, ())
        if answer.note:
            raise AssertionError(answer.note)
        return answer.patches

    def apply_patch(self, patch: Patch) -> Notebook:
        """The notebook after the patch."""
        return apply_and_run(self.case.notebook, patch)


def find_first_failure(notebook: Notebook, kernel: TrialKernel | None = None) -> Broken | None:
    """Run the code cells in order in the notebook's folder until one fails; None if none does.

    ``kernel`` is a state to begin from (default: an empty :class:`FakeKernel`).
    """
    state: TrialKernel = kernel or FakeKernel()
    cells = list(notebook.cells)
    with _work_in_folder(notebook.folder):
        for n, cell in enumerate(cells):
            if cell.kind != "code" or NOT_RUN in cell.tags:
                continue
            seconds = next((CUT_AFTER[tag] for tag in cell.tags if tag in CUT_AFTER), SECONDS)
            trial, after = state.run(TrialRequest((Run(cell.source, cell.id),), timeout=seconds, keep=Keep.ALWAYS))
            if trial.ran:
                cells[n] = replace(cell, runs=n + 1)
                assert after is not None
                state = after
                continue
            known = replace(notebook, cells=tuple(cells))
            case = Case(failure=_build_failure(cell, trial), notebook=known)
            starts = Starts(before=(state,), after=(after,) if after is not None else ())
            return Broken(case, starts, KernelFacts.of(starts, case.failure))
    return None


def gets_past(notebook: Notebook, cell_id: str) -> bool:
    """True where the notebook runs without error up to and including a cell."""
    at = notebook.index(cell_id)
    return find_first_failure(replace(notebook, cells=notebook.cells[: at + 1])) is None


def _build_failure(cell: Cell, trial: Trial) -> Failure:
    result = trial.steps[0]
    if not result.errors:
        return Failure(cell.id, cell.source, FailureKind.TIMED_OUT, outputs=result.outputs, seconds=result.seconds)
    error = result.errors[0]
    return Failure(
        cell_id=cell.id,
        source=cell.source,
        kind=FailureKind.SYNTAX if error.before_exec else FailureKind.RAISED,
        ename=error.ename,
        evalue=error.evalue,
        line=error.line,
        statement=error.statement,
        frames=error.frames,
        traceback=error.traceback,
        outputs=result.outputs,
        seconds=result.seconds,
    )


@contextlib.contextmanager
def _work_in_folder(folder: str) -> Iterator[None]:
    """Work in a folder; what the cells put on the path, and imported from there, is undone."""
    path, loaded = list(sys.path), set(sys.modules)
    with contextlib.chdir(folder or "."):
        try:
            yield
        finally:
            home = str(Path.cwd())
            sys.path[:] = path
            for name in set(sys.modules) - loaded:
                if folder and os.path.abspath(getattr(sys.modules[name], "__file__", None) or "/").startswith(home):
                    del sys.modules[name]
            # thousands of them: no Path for each
            for entry in [e for e in sys.path_importer_cache if not e.startswith(os.sep)]:
                del sys.path_importer_cache[entry]
