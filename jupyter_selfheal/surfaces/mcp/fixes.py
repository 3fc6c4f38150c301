"""Proven fixes by id: written into the file, and taken out again. What was not proven has no id."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Candidate, Case, Outcome, Patch, Proposal, Reason, Trial, diff_patch, format_diff
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.surfaces.mcp.asked_notebook import AskedNotebook
from jupyter_selfheal.surfaces.mcp.open_notebook import OpenNotebook, read_digest
from jupyter_selfheal.surfaces.mcp.proving import Proven
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.notebook.dependencies import Deadline
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.save import save_healed
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.notebook.write import check_writable, write_atomically


@dataclass(frozen=True, slots=True)
class ProvenFix:
    """A fix that may be applied: to which version of which file, and the evidence for it."""

    id: str
    path: Path
    digest: str
    proven: Proven

    @property
    def candidate(self) -> Candidate:
        return self.proven.candidate

    @property
    def patch(self) -> Patch:
        return self.proven.candidate.patch

    @property
    def diff(self) -> str:
        """What it changes, cells by their ids."""
        return format_diff(diff_patch(self.patch, lambda cell_id: f"cell {cell_id}"))


@dataclass(frozen=True, slots=True)
class AppliedFix:
    """A fix in the file: what stood there before, and the version that was written."""

    before: bytes
    digest: str


class Fixes:
    """The proven fixes of a server. Thread-safe; a file is written by one at a time, also of several servers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._proven: dict[str, ProvenFix] = {}
        self._applied: dict[str, AppliedFix] = {}

    def add(self, notebook: AskedNotebook, proven: Proven) -> ProvenFix:
        """Give a fix that may be applied its id: equal fixes of one version, equally proven, are one."""
        oracle = proven.situation.case.oracle
        words = "\0".join(
            (str(notebook.document.path), notebook.digest, proven.candidate.patch.id, proven.cell.id, repr(oracle))
        )
        fix_id = f"fix-{hashlib.sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"
        fix = ProvenFix(fix_id, notebook.document.path, notebook.digest, proven)
        with self._lock:
            return self._proven.setdefault(fix_id, fix)

    def get(self, fix_id: str) -> ProvenFix:
        """The fix of that id. Raises :class:`UsageError`."""
        with self._lock:
            if fix_id in self._proven:
                return self._proven[fix_id]
        raise UsageError(
            f"there is no proven fix {fix_id[:40]!r}: try_patch and propose_fixes give an id to what may be applied, "
            "for as long as the server runs"
        )

    def apply(self, fix_id: str, run: ToolRun) -> tuple[ProvenFix, NotebookReport]:
        """Run the whole notebook with the fix, from the top and again in a clean kernel, and write it only where all of it holds.

        Raises :class:`UsageError` in one sentence for whatever is in the way; then nothing was written.
        """
        fix = self.get(fix_id)
        check_writable(fix.path)
        with lock_file(fix.path), contextlib.closing(OpenNotebook(fix.path, self._settings)) as notebook:
            if notebook.digest != fix.digest:
                raise UsageError(
                    f"{fix.path.name} was changed since {fix_id} was proven: call check_notebook, and try the edit again on what "
                    "stands there now"
                )
            run.on_cancel(notebook.keeper.close)
            before = fix.path.read_bytes()
            document = notebook.document
            asked = tuple(
                replace(c, oracle=fix.proven.situation.case.oracle) if c.id == fix.proven.cell.id else c
                for c in document.notebook.cells
            )
            document = replace(document, notebook=replace(document.notebook, cells=asked))
            dependencies = notebook.build_dependencies(_Applying(fix).heal, run.report_progress)
            report, outputs = Batch(document, dependencies, notebook.session.limits).run()
            _check_holds(fix, report)
            run.begin_writing()
            saved = save_healed(document, report, outputs, fix.path)
        with self._lock:
            self._applied[fix_id] = AppliedFix(before, read_digest(fix.path))
        return fix, saved

    def revert(self, fix_id: str) -> ProvenFix:
        """Put back, byte by byte, what stood in the file before the fix. Raises :class:`UsageError` where it was changed since."""
        fix = self.get(fix_id)
        with self._lock:
            applied = self._applied.get(fix_id)
        if applied is None:
            raise UsageError(f"{fix_id} is not applied: there is nothing to take back")
        with lock_file(fix.path):
            if read_digest(fix.path) != applied.digest:
                raise UsageError(
                    f"{fix.path.name} was changed since {fix_id} was written, and that change would be lost: take the fix out by "
                    f"an edit of its own; it was: {fix.diff[:600]}"
                )
            write_atomically(fix.path, applied.before.decode("utf-8"))
        with self._lock:
            self._applied.pop(fix_id, None)
        return fix


@dataclass(frozen=True, slots=True)
class _Applying:
    """What a batch run does about a failure: the fix where it is the one that it heals, else nothing."""

    fix: ProvenFix

    def heal(self, case: Case, starts: Starts, seen: Trial, deadline: Deadline) -> tuple[Outcome, str]:
        if case.failure.cell_id != self.fix.proven.cell.id:
            return Outcome(Reason.EXHAUSTED, case.failure, detail="not what this fix heals"), ""
        proposal: Proposal = self.fix.proven.proposal
        applied = (self.fix.candidate,)
        return Outcome(Reason.HEALED, case.failure, applied=applied, proposal=(proposal,), approved_by="apply_fix"), ""


def _check_holds(fix: ProvenFix, report: NotebookReport) -> None:
    """Raises :class:`UsageError` where the whole notebook did not run as its trial did."""
    record: Record | None = next((r for r in report.records if r.cell.id == fix.proven.cell.id), None)
    if record is not None and record.status is Status.HEALED and report.survived:
        return
    if record is None or record.status is Status.RAN:
        why = f"cell {fix.proven.cell.id} did not fail this time: it fails by chance"
    else:
        why = record.detail or "; ".join(report.notes) or record.status.value
    raise UsageError(f"nothing was written: with {fix.id} the whole notebook does not hold ({why}); try another edit")


@contextlib.contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Hold the right to write a notebook, against other threads and other servers. Raises :class:`UsageError` where it is taken."""
    from jupyter_selfheal.journal.jsonl import locate_runs_folder

    folder = locate_runs_folder().parent / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
    with open(folder / f"{name}.lock", "ab") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass
        except BlockingIOError as error:
            raise UsageError(
                f"{path.name} is being written by another call: wait for it, then call check_notebook"
            ) from error
        yield
