"""What can be said of notebook cells that failed in somebody else's run: each notebook is healed once, when its first cell fails."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from jupyter_selfheal.config import HEALERS, HealConfig
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.surfaces.notebook.api import HealedNotebook, heal_notebook
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from jupyter_selfheal.surfaces.notebook.exports import explain_record
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status


@dataclass
class HealedNotebooks:
    """The notebooks of one run of tests. ``write`` puts safe fixes into the files; ``expect_outputs``: another output than the stored one
    is a failure. No model is asked."""

    write: bool = False
    kernel: str = ""
    expect_outputs: bool = False
    heal: Callable[..., HealedNotebook] = heal_notebook
    written: list[Path] = field(default_factory=list)
    _known: dict[Path, HealedNotebook | str] = field(default_factory=dict)

    def explain(self, path: Path, cell: int | None = None) -> str:
        """What heals a cell (counted from 0 among the code cells), or the whole notebook; one line where nothing can be said."""
        if path not in self._known:
            self._known[path] = self._heal_notebook(path)
        known = self._known[path]
        if isinstance(known, str):
            return known
        return "\n".join(_explain_cells(known.report, cell, "--outputs expect " if self.expect_outputs else ""))

    def _heal_notebook(self, path: Path) -> HealedNotebook | str:
        config = HealConfig(
            healers=tuple(name for name in HEALERS if name != "language_model"),
            outputs="expect" if self.expect_outputs else "report",
        )
        approve = "safe" if self.write else "none"
        try:
            healed = self.heal(
                path, output=path if self.write else None, config=config, approve=approve, kernel=self.kernel
            )
        except SelfHealError as error:
            return f"not healed: {error}"
        except Exception as error:
            from jupyter_selfheal.surfaces.cli.faults import report_internal_error

            return report_internal_error(error)
        if healed.report.written:
            self.written.append(path)
        return healed


def _explain_cells(report: NotebookReport, cell: int | None, options: str) -> Iterator[str]:
    code = [c.id for c in report.given.cells if c.kind == "code"]
    wanted = code if cell is None else code[cell : cell + 1]
    said = [
        line for r in report.records if r.cell.id in wanted and r.failure for line in _explain_cell(report, r, options)
    ]
    runs = (
        "it runs with what is healed" if report.fixes else "it did not fail when it was run again: nothing was healed"
    )
    if said and cell is not None:
        number = next(r.number for r in report.records if r.cell.id in wanted)
        yield f"Cell {cell} of this test, which counts from 0, is cell {number} here:"
    yield from said or [runs]


def _explain_cell(report: NotebookReport, record: Record, options: str) -> Iterator[str]:
    """The failure, its cause, the change with what proves it, or what a person can do."""
    if not record.candidate or record.is_fix_unrun:
        yield from explain_record(report, record)
        return
    yield from explain_record(report, replace(record, detail=""))  # that nothing is applied here goes without saying
    verdict = record.candidate[0].verdict
    yield from (f"score {verdict.score:g} of 10", *(f"  {reason}" for reason in verdict.reasons))
    if record.status is Status.PROPOSED:
        is_sure = not record.questions and PolicyApprover("all", HealConfig().accept).allows(record.candidate[0])
        yield f"to apply it: jupyter selfheal heal {shlex.quote(str(report.path))} {options}--in-place --approve {'all' if is_sure else 'ask'}"
