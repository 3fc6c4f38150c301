"""A notebook whose failure stands in a file beside it: the file is healed as a cell, then proven as a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import Applicability, Cost, FailureKind
from jupyter_selfheal.surfaces.notebook import originals
from jupyter_selfheal.surfaces.notebook.branch import open_branch, replace_cells
from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
from jupyter_selfheal.surfaces.notebook.drift import describe_slowdown, list_cell_drifts
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.resume_point import PointFile, StateNotWhole
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.project.approval import find_refusal
from jupyter_selfheal.surfaces.project.changes import describe_change
from jupyter_selfheal.surfaces.project.derive import Derived, derive_notebook
from jupyter_selfheal.surfaces.project.files import FileFix, list_served, read_file, write_fixes
from jupyter_selfheal.surfaces.project.found import Found
from jupyter_selfheal.surfaces.project.inline import CannotInline
from jupyter_selfheal.surfaces.project.modules import Finder
from jupyter_selfheal.surfaces.project.places import FilePlace, find_place, list_files
from jupyter_selfheal.surfaces.project.silent import may_come_of_a_file
from jupyter_selfheal.surfaces.project.test_oracle import TestOracle

Progress = Callable[[int, int, str], None]
Ran = tuple[NotebookReport, dict[str, CellRun]]

MOST_FILES_IN_TURN = 3
"""How often a cell is looked at that fails in another file once the first one is mended: each time costs a run of the notebook."""

MOST_FAILURES = 3
"""Failures of one notebook that are looked for in files, at most: each costs a run of the notebook."""
_OPEN = frozenset({Status.NOT_HEALED, Status.PROPOSED, Status.REVERTED})
FROM_THE_TOP = "gone on with from the top: the state behind the last healed cell could not be had for less"
NO_FIX = "no healer had a fix for it"
PROVEN = "the whole notebook ran in a clean kernel that imported the fixed file"


@dataclass(frozen=True, slots=True)
class Proof:
    """The notebook run with fixed files: its report, what its cells did, and what speaks against the files (empty: nothing)."""

    report: NotebookReport
    seen: dict[str, CellRun]
    objection: str = ""


def heal_with_files(session: Session, document: Document, progress: Progress | None = None, part: int = 0) -> Ran:
    """Heal a notebook, and what of its failures stands in the project's own files.

    Files are written only where ``--project`` names their folder. Raises what a run of a notebook does.
    """
    report, outputs = _run_notebook(session, document, progress, part)
    healing = FileHealing(session, document, progress, part)
    for _ in range(MOST_FAILURES):
        record = healing.find_next(report)
        if record is None:
            break
        report, outputs = healing.heal_record(record, report, outputs)
    return report, outputs


def _run_notebook(session: Session, document: Document, progress: Progress | None, part: int) -> Ran:
    """Run and heal the notebook; where its run was cut off before, from behind its last healed cell, if that is cheaper."""
    if session.settings.review:  # which wants to see every cell
        return Batch(document, session.build_dependencies(document, progress, part), session.limits).run()
    points, spent = PointFile(session.run, part, document), session.spent
    notes: tuple[str, ...] = ()
    point = points.find()
    if point is not None and point.plan() is None:
        point, notes = None, (FROM_THE_TOP,)
    try:
        heals, paid = (point.heals, point.cost) if point is not None else (0, Cost())
        session.spent = spent + paid
        dependencies = session.build_dependencies(document, progress, part, heals)
        report, outputs = Batch(document, dependencies, session.limits, point, points).run()
    except StateNotWhole:
        session.spent, notes = spent, (FROM_THE_TOP,)
        dependencies = session.build_dependencies(document, progress, part)
        report, outputs = Batch(document, dependencies, session.limits, None, points).run()
    if not report.count(Status.NOT_REACHED):
        points.forget()
    return replace(report, notes=(*report.notes, *notes)), outputs


class FileHealing:
    """Heals the files of one notebook's failures, each failure once."""

    def __init__(self, session: Session, document: Document, progress: Progress | None, part: int) -> None:
        from jupyter_selfheal import engine

        self._session, self._document, self._progress, self._part = session, document, progress, part
        self._project = Path(engine.find_project(document.notebook.folder)).resolve()
        folder = Path(document.notebook.folder).resolve()
        self._finder = Finder(
            self._project, tuple(dict.fromkeys((folder, folder.parent, self._project, self._project / "src")))
        )
        self._seen: set[str] = set()
        self._places: dict[FilePlace, int] = {}

    def find_next(self, report: NotebookReport) -> Record | None:
        """The first cell that fails in a file of the project, with a wrong value, or for what a file did in vain, and was not looked at yet."""
        for record in report.records:
            if _may_be_healed(record) and record.cell.id not in self._seen:
                failure = record.failure[0]
                wrong = failure.kind is FailureKind.MISSED or failure.ename == "AssertionError"
                if find_place(failure, self._project) is not None or (wrong and record.status is Status.NOT_HEALED):
                    return record
                if record.status is not Status.LEFT_ALONE and may_come_of_a_file(failure, report.healed, self._finder):
                    return record
        return None

    def heal_record(self, record: Record, report: NotebookReport, outputs: dict[str, CellRun]) -> Ran:
        """The report with what came of it: healed, offered, or named by file and line."""
        self._seen.add(record.cell.id)
        place = find_place(record.failure[0], self._project)
        if place is not None and (first := self._places.setdefault(place, record.number)) != record.number:
            return self._name_place(report, record, place, f"as cell {first} does"), outputs
        if place is not None and (known := self._find_known(place)) is not None:
            proof = self._prove_file(known, record, report)
            if not proof.objection:
                return self._settle(known, proof, record, report, outputs)
        return self._heal_in_turn(record, place, report, outputs)

    def _heal_in_turn(
        self, record: Record, place: FilePlace | None, report: NotebookReport, outputs: dict[str, CellRun]
    ) -> Ran:
        """Heal the file, and the next one where the cell then fails in another."""
        wanted = frozenset(list_files(record.failure, self._project))
        last: tuple[Found, Proof] | None = None
        for _ in range(MOST_FILES_IN_TURN):
            why, found = self._look_in_files(record, report, wanted)
            if found is None and last is None:
                return self._name_place(report, record, place, why), outputs
            if found is None:
                break
            if found.why_not:
                if not self._is_shown_by_tests(found, record):
                    return self._offer_file(report, record, found, found.why_not), outputs
                shown = "the tests that failed show it: they pass with the fixed file"
                found = replace(found, why_not="", notes=(shown,))
            last = found, self._prove_file(found, record, report)
            after = next((r for r in last[1].report.records if r.cell.id == record.cell.id), None)
            others = frozenset(list_files(after.failure, self._project) if after is not None else ()) - wanted
            if not others:
                break
            wanted |= others
        assert last is not None
        return self._settle(*last, record, report, outputs)

    def _look_in_files(
        self, record: Record, report: NotebookReport, wanted: Collection[Path]
    ) -> tuple[str, Found | None]:
        """What heals the cell in these files; else why nothing does."""
        try:
            derived = self._derive(record, report, wanted)
        except CannotInline as why:
            return f"not healed there: {why}", None
        return self._find_fix(derived, record)

    def _find_known(self, place: FilePlace) -> Found | None:
        """The fix of an earlier notebook for that file, where its files are still what that fix began with."""
        for found in self._session.file_fixes:
            files = [fix.file for fix in found.fixes]
            if any(f.path == place.path for f in files) and all(read_file(f.path) == f for f in files):
                return found
        return None

    def _derive(self, record: Record, report: NotebookReport, wanted: Collection[Path]) -> Derived:
        healthy = {r.cell.id for r in report.records if r.status not in BROKEN or _follows_other(r, record)}
        return derive_notebook(self._document, report.healed, record.cell.id, healthy, wanted, self._finder)

    def _find_fix(self, derived: Derived, record: Record) -> tuple[str, Found | None]:
        """What heals the cell in the derived notebook by changing nothing but files; else why nothing does."""
        with open_branch(self._session, approve="all") as branch:
            dependencies = branch.build_dependencies(derived.document, self._progress)
            report, _ = Batch(derived.document, dependencies, branch.limits).run()
        mended = [r for r in report.records if r.candidate and r.status in (Status.HEALED, Status.PROPOSED)]
        files = {m.cell_id for m in derived.modules}
        # what fails while a file is imported fails in the file's own cell
        found = [r for r in mended if r.cell.id in {record.cell.id, *files}]
        fixes = derived.restore_fixes(e for r in found for e in r.edits or r.candidate[0].patch.edits)
        if fixes is None:
            return _find_obstacle(report, {record.cell.id, *files}) or NO_FIX, None
        fixes = tuple({fix.file.path: fix for fix in fixes}.values())  # of one file the last fix holds the others
        why_not = next((r.detail for r in found if r.status is Status.PROPOSED), "")
        title = "; ".join(dict.fromkeys(r.candidate[0].patch.title for r in found))
        return "", Found(fixes, found[-1] if found[-1].cell.id == record.cell.id else found[0], title, why_not)

    # --- proof ---

    def _prove_file(self, found: Found, record: Record, report: NotebookReport) -> Proof:
        """Run the notebook, and the tests, with the fix as a file."""
        self._tell_progress("running it all with the fixed file")
        with open_branch(self._session) as branch:
            branch.kernels.serve_files({**self._session.kernels.served, **dict(list_served(found.fixes))})
            document = replace_cells(self._document, report.healed)
            dependencies = branch.build_dependencies(document, self._progress)
            proof, seen = Batch(document, dependencies, branch.limits).run()
        objection = _find_broken(report, proof, record.cell.id) or self._run_tests(found.fixes, record)
        return Proof(proof, seen, objection)

    def _settle(
        self, found: Found, proof: Proof, record: Record, report: NotebookReport, outputs: dict[str, CellRun]
    ) -> Ran:
        """Write a proven fix where that is allowed; else offer it."""
        if proof.objection:
            return self._offer_file(report, record, found, proof.objection), outputs
        if found not in self._session.file_fixes:
            self._session.file_fixes.append(found)
        settings, merged = self._session.settings, self._merge_reports(report, proof.report, record, found)
        drifts = list_cell_drifts(self._document.list_raw_cells(), merged.records, outputs, proof.seen)
        merged = replace(merged, drifts=drifts)
        # before it is written: another notebook may begin to rely on a file that is there
        refused = describe_slowdown(merged, settings.max_slowdown) or find_refusal(
            settings, found.fixes, found.candidate
        )
        if not refused:
            try:
                assert settings.project is not None
                write_fixes(found.fixes, settings.project)
                originals.note_fixed_files(self._document.path, (fix.file.path for fix in found.fixes))
            except NotebookError as error:
                refused = str(error)
        if refused:
            return self._offer_file(report, record, found, f"{PROVEN}; {refused}"), outputs
        self._session.kernels.forget_kernels()
        return merged, {**outputs, **proof.seen}

    def _run_tests(self, fixes: Sequence[FileFix], record: Record) -> str:
        """What the project's tests say against the files; empty where nothing does, or where there are none."""
        oracle = self._open_tests(record)
        if oracle is None:
            return ""
        with oracle:
            return oracle.compare(fixes)

    def _is_shown_by_tests(self, found: Found, record: Record) -> bool:
        """Whether a fix that nothing speaks against has the tests for it: some that failed pass with it, and no other one fails."""
        oracle = self._open_tests(record) if is_only_unconfirmed(found.record) else None
        if oracle is None:
            return False
        with oracle:
            return bool(oracle.list_concerned(found.fixes)) and not oracle.compare(found.fixes)

    def _open_tests(self, record: Record) -> TestOracle | None:
        """The project's tests; None where no command is named."""
        settings = self._session.settings
        command = settings.test or self._document.find_test_command(record.cell.id)
        if not command:
            return None
        self._tell_progress("running the tests")
        folder = (settings.project or self._project).resolve()
        return TestOracle(command, folder, self._document.kernelspec, settings.cell_seconds)

    def _tell_progress(self, what: str) -> None:
        if self._progress is not None:
            self._progress(0, 1, what)

    # --- what is said ---

    def _name_place(self, report: NotebookReport, record: Record, place: FilePlace | None, why: str) -> NotebookReport:
        if place is None or record.status in (Status.PROPOSED, Status.LEFT_ALONE):
            return report
        folder = Path(self._document.notebook.folder).resolve()
        detail = f"it fails in {place.describe(folder)}; {why}"
        return _put_record(report, replace(record, detail=detail))

    def _offer_file(self, report: NotebookReport, record: Record, found: Found, why: str) -> NotebookReport:
        offered = replace(
            _reopen_record(record, found), status=Status.PROPOSED, candidate=found.record.candidate, proven_from=found.record.proven_from,
            detail=why, questions=(),
        )  # fmt: skip
        changes = tuple(describe_change(f, found.title, f"offered, not written: {why}") for f in found.fixes)
        return _put_record(replace(report, files=(*report.files, *changes)), offered)

    def _merge_reports(
        self, report: NotebookReport, proof: NotebookReport, record: Record, found: Found
    ) -> NotebookReport:
        """The first run's report with what the run with the fixed file adds."""
        after = {r.cell.id: r for r in proof.records}
        healed = replace(
            _reopen_record(record, found), status=Status.HEALED, candidate=found.record.candidate, proven_from=found.record.proven_from,
            detail="", edits=(), run=found.record.run, attempts=found.record.attempts, questions=(),
        )  # fmt: skip
        records = tuple(
            healed if r.cell.id == record.cell.id else _merge_record(r, after.get(r.cell.id, r)) for r in report.records
        )
        changes = tuple(describe_change(f, found.title, "written", written=True) for f in found.fixes)
        return replace(
            report, records=records, healed=proof.healed, survived=proof.survived, notes=(*report.notes, PROVEN, *found.notes),
            fixes=(*report.fixes, *proof.fixes), files=(*report.files, *changes),
        )  # fmt: skip


def _find_obstacle(report: NotebookReport, cells: Collection[str]) -> str:
    """What these cells are left alone for, such as a package that is missing; empty where they are not."""
    left = (r for r in report.records if r.cell.id in cells and r.status is Status.LEFT_ALONE)
    return next((f"not healed there: {r.detail or r.diagnosis.cause}" for r in left), "")


def _may_be_healed(record: Record) -> bool:
    """Whether a failure may have its mend in a file: it is open, or it is left alone for a submodule that a package no longer has, which
    no cell can bring back, but whose file can import what it needs from elsewhere."""
    if not record.failure or record.status not in {*_OPEN, Status.LEFT_ALONE}:
        return False
    failure = record.failure[0]
    is_submodule = failure.ename == "ModuleNotFoundError" and "." in failure.evalue
    return record.status is not Status.LEFT_ALONE or is_submodule


def _reopen_record(record: Record, found: Found) -> Record:
    """The record, with the diagnosis that a fix was found for where its own said that there is none."""
    return replace(record, diagnosis=found.record.diagnosis) if record.status is Status.LEFT_ALONE else record


def is_only_unconfirmed(record: Record) -> bool:
    """Whether nothing speaks against the fix that a record offers, so that tests may speak for it. Where another fix is as likely, the
    user is asked: the tests may pass with both."""
    verdict, patch = record.candidate[0].verdict, record.candidate[0].patch
    against = (verdict.feedback, verdict.difference, verdict.tampering, verdict.inconclusive, patch.rival)
    is_asked = any(question.blocks for question in record.questions)
    is_shown_only = patch.applicability is Applicability.DISPLAY_ONLY
    return verdict.plausible and not (any(against) or is_asked or is_shown_only)


def _follows_other(record: Record, root: Record) -> bool:
    """Whether a cell fails only because of another one: what it gives once that runs is evidence for a fix."""
    return record.status is Status.CASCADE and record.cascade_of == root.number


def _find_broken(before: NotebookReport, after: NotebookReport, cell_id: str) -> str:
    """What speaks against a file in the run of the notebook with it; empty where nothing does."""
    then: Mapping[str, Record] = {r.cell.id: r for r in before.records}
    for record in after.records:
        known = then.get(record.cell.id)
        if record.cell.id == cell_id and record.status is not Status.RAN:
            return f"in a clean kernel the cell still fails with the fixed file ({record.headline})"
        if known is None:
            continue
        if known.status not in BROKEN and record.status in BROKEN:
            return f"with it cell {known.number} fails ({record.headline})"
        if record.differs and not known.differs:
            return f"with it cell {known.number} gives something else than stored"
    return "" if any(r.cell.id == cell_id for r in after.records) else "the notebook could not be run with it"


def _merge_record(before: Record, after: Record) -> Record:
    if before.status in BROKEN and after.status is Status.RAN:
        return replace(before, status=Status.FOLLOWED, detail="runs with the healed file", candidate=())
    if before.status in BROKEN:
        return replace(after, number=before.number)
    return before


def _put_record(report: NotebookReport, record: Record) -> NotebookReport:
    return replace(report, records=tuple(record if r.cell.id == record.cell.id else r for r in report.records))
