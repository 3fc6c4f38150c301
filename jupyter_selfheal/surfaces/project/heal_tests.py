"""A project without a notebook: its failing tests say what is wrong, and all of its tests whether a fix is right.

A fix is written as soon as it is proven: a run that is cut off keeps what it has done, and the same command goes on with the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import KernelError, NotebookError, UsageError
from jupyter_selfheal.model import Candidate
from jupyter_selfheal.surfaces.notebook import originals
from jupyter_selfheal.surfaces.notebook.branch import open_branch
from jupyter_selfheal.surfaces.notebook.records import FileChange, Status
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.project.approval import find_refusal
from jupyter_selfheal.surfaces.project.changes import describe_change
from jupyter_selfheal.surfaces.project.derive import Derived, build_cell, build_derived
from jupyter_selfheal.surfaces.project.files import FileFix, is_own, read_file, write_fixes
from jupyter_selfheal.surfaces.project.inline import CannotInline, inline_all
from jupyter_selfheal.surfaces.project.modules import Finder
from jupyter_selfheal.surfaces.project.test_cells import TestCell, build_test_cell
from jupyter_selfheal.surfaces.project.test_oracle import TestOracle, TestRun

DERIVED_SECONDS = 20.0
"""Seconds that a cell of tests may run: one that loops is to be healed, not waited for."""
OVER = "the time of the run was over (--run-timeout)"
TESTS = "tests"
"""The id of the cell that holds the tests."""


@dataclass(frozen=True, slots=True)
class Step:
    """A fix that the tests it was found for pass with, and no other one fails; ``needed`` are those that must pass before it is written."""

    name: str
    fixes: tuple[FileFix, ...]
    candidate: Candidate
    needed: frozenset[str]
    why: str = ""
    """Why it is not written yet."""


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """What became of a project: how many of its tests failed before and fail now, which files were changed, what was not healed."""

    folder: str
    command: str
    tests: int
    failed_before: int
    failed_after: int
    files: tuple[FileChange, ...] = ()
    not_healed: tuple[tuple[str, str], ...] = ()
    """A file of tests, and why what fails there is not healed."""
    not_collected: tuple[tuple[str, str], ...] = ()
    """A file that pytest cannot collect, and why."""
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """0 where all tests pass, with what was written; 1 where some still fail, or a file of tests cannot be collected; 2 where
        it was interrupted."""
        if self.interrupted:
            return 2
        return 1 if self.failed_after or self.not_collected else 0


class ProjectHealing:
    """Heals what the tests of one folder tell of. :meth:`run` is called once."""

    def __init__(
        self, session: Session, folder: Path, kernelspec: str, progress: Callable[[int, int, str], None]
    ) -> None:
        self._session, self._folder, self._kernelspec = session, folder.resolve(), kernelspec
        self._progress = progress
        self._fixes: tuple[FileFix, ...] = ()
        self._steps: list[Step] = []
        """Fixes on which others are built, and which are written with them; of the file of tests at hand."""
        self._healed: set[str] = set()
        self._changes: list[FileChange] = []
        self._offered: list[FileChange] = []
        self._not_healed: list[tuple[str, str]] = []

    def run(self) -> ProjectReport:
        """Run the tests, heal file by file, prove each fix by all tests, and write at once what is allowed.

        Raises :class:`UsageError` where the command tells of no test, :class:`KernelError` where tests cannot be run apart.
        """
        settings = self._session.settings
        self._progress(0, 1, "running the tests")
        with TestOracle(settings.test, self._folder, self._kernelspec, settings.cell_seconds) as oracle:
            before = oracle.run_before()
            _check_run(before, settings.test)
            interrupted = self._heal_groups(oracle, before)
        return ProjectReport(
            str(self._folder), settings.test, len(before.tests), len(before.failing),
            len(set(before.failing) - self._healed), (*self._changes, *self._offered), tuple(self._not_healed),
            tuple(before.broken.items()), interrupted,
        )  # fmt: skip

    def _heal_groups(self, oracle: TestOracle, before: TestRun) -> bool:
        """Heal file by file; whether it was interrupted. Where the time is over, files that were not looked at are named."""
        groups = dict(_sort_groups(oracle, _group_tests(before.failing, lambda test: before.tests[test]["file"])))
        left = list(groups)
        why = f"not looked at: {OVER}"
        interrupted = False
        try:
            for number, (file, failing) in enumerate(groups.items(), start=1):
                if time.monotonic() > self._session.settings.run_ends:
                    break
                self._progress(number, len(groups), f"healing what {Path(file).name} tests")
                try:
                    self._heal_group(oracle, before, Path(file), failing)
                except KernelError as error:  # of one group: the others are healed all the same
                    self._not_healed.append((_name_file(Path(file), self._folder), str(error)))
                    self._offered += self._give_up_steps()
                left.remove(file)
        except KeyboardInterrupt:
            interrupted, why = True, "not done: interrupted"
            self._offered += self._give_up_steps()
        self._not_healed += [(_name_file(Path(file), self._folder), why) for file in left]
        return interrupted

    def _heal_group(self, oracle: TestOracle, before: TestRun, file: Path, failing: Sequence[str]) -> None:
        """What fails in one file of tests: all at once, or function by function."""
        known = bool(self._fixes) and not set(failing).isdisjoint(oracle.list_concerned(self._fixes))
        if known and not oracle.compare(self._fixes, [*self._healed, *failing]):
            self._healed |= set(failing)
            return
        name = _name_file(file, self._folder)
        offered, why = self._heal_tests(oracle, before, file, failing, failing)
        refused = bool(offered) and self._session.settings.approve != "all"
        if refused or len(_group_tests(failing, _name_function)) == 1:
            self._offered += offered
            self._not_healed += [(name, why)] if why else []
            return
        written, parts = len(self._changes), list[FileChange]()
        left = [t for t in failing if t not in self._healed]
        for function, tests in _sort_groups(oracle, _group_tests(left, _name_function)):
            if not self._healed.issuperset(tests):
                more, why = self._heal_tests(oracle, before, file, tests, failing)
                parts += more
                self._not_healed += [(f"{name}, {function}", why)] if why else []
        parts += self._give_up_steps()
        self._offered += parts or (offered if len(self._changes) == written else [])

    def _heal_tests(
        self, oracle: TestOracle, before: TestRun, file: Path, failing: Sequence[str], others: Sequence[str]
    ) -> tuple[list[FileChange], str]:
        """Heal these tests of a file together, and write the fix; else what is offered, and why they still fail.

        ``others`` are all that fail in the file: those that may run what the fix changes must pass with it, too. Where they do not,
        it may be a step on the way to that.
        """
        try:
            fixes, candidate, why = self._find_fixes(before, file, failing)
        except CannotInline as error:
            return [], str(error)
        if candidate is None:
            return [], OVER if time.monotonic() > self._session.settings.run_ends else why
        needed = frozenset(set(others) & set(oracle.list_concerned(fixes)) or failing)
        name = f"{_name_file(file, self._folder)}, {_name_function(failing[0])}"
        step = Step(name, fixes, candidate, needed, why or self._find_broken_ground(oracle, before, failing, needed))
        steps = [*self._steps, step]
        step = step if step.why else replace(step, why=self._find_failing(oracle, steps))
        if step.why and not why and needed - set(failing) and not self._ask_tests(oracle, step, failing):
            self._steps.append(step)
            return [], ""
        if against := step.why or self._write_steps(steps):
            return [_offer_change(step, f, against) for f in fixes], against
        left = set(failing) - self._healed
        return [], f"the test {min(left)} fails for another reason" if left else ""

    def _ask_tests(self, oracle: TestOracle, step: Step, failing: Sequence[str]) -> str:
        """What the tests say against a step itself: those that it was found for, and those that passed."""
        return oracle.compare(_join_fixes(self._working, step.fixes), [*self._healed, *failing])

    def _find_broken_ground(
        self, oracle: TestOracle, before: TestRun, failing: Sequence[str], needed: frozenset[str]
    ) -> str:
        """The failing test of something that these tests run, without the rest of what they run: as long as it fails, a fix here may only make up for
        what is wrong there. Empty where there is none."""
        ours = oracle.list_reached(failing[0])
        done = {*self._healed, *failing, *needed, *(t for step in self._steps for t in step.needed)}
        for test in before.failing if ours else ():
            reached = oracle.list_reached(test) if test not in done else None
            if reached and ours and reached < ours:
                return f"the test {test} fails in what it calls, which is to be healed first"
        return ""

    def _find_failing(self, oracle: TestOracle, steps: Sequence[Step]) -> str:
        """What the tests say against fixes of which each stands on those before: all must pass that are healed, or must be with them."""
        together, needed = self._join_steps(steps)
        return oracle.compare(together, needed)

    def _write_steps(self, steps: Sequence[Step]) -> str:
        """Write such fixes, all or none; why not, where they may not be written or cannot."""
        settings, (together, needed) = self._session.settings, self._join_steps(steps)
        why = next(filter(None, (find_refusal(settings, s.fixes, s.candidate) for s in steps)), "")
        why = why or self._write(_join_fixes((), [f for step in steps for f in step.fixes]), together)
        if not why:
            self._changes += [
                describe_change(f, step.candidate.patch.title, "written", written=True)
                for step in steps
                for f in step.fixes
            ]
            self._fixes, self._steps = together, []
            self._healed |= needed
        return why

    def _join_steps(self, steps: Sequence[Step]) -> tuple[tuple[FileFix, ...], set[str]]:
        """What was written with these steps, and the tests that must pass with it."""
        together, needed = self._fixes, set(self._healed)
        for step in steps:
            together, needed = _join_fixes(together, step.fixes), needed | step.needed
        return together, needed

    def _give_up_steps(self) -> list[FileChange]:
        """Offer the steps that led to nothing."""
        steps, self._steps = self._steps, []
        self._not_healed += [(step.name, step.why) for step in steps]
        return [_offer_change(step, fix, step.why) for step in steps for fix in step.fixes]

    @property
    def _working(self) -> tuple[FileFix, ...]:
        """What was written, and the steps that stand on it."""
        fixes = self._fixes
        for step in self._steps:
            fixes = _join_fixes(fixes, step.fixes)
        return fixes

    def _write(self, fixes: Sequence[FileFix], together: Sequence[FileFix]) -> str:
        """Write fixes; why not, where that cannot be done."""
        assert self._session.settings.project is not None
        try:
            write_fixes(tuple(fixes), self._session.settings.project)
        except NotebookError as error:
            return str(error)
        for fix in together:  # what gives back the file as it was before the first fix
            originals.keep_original(fix.file.raw, fix.raw)
        return ""

    def _find_fixes(
        self, before: TestRun, file: Path, failing: Sequence[str]
    ) -> tuple[tuple[FileFix, ...], Candidate | None, str]:
        """Fixes of files under which these tests of the file, and those that pass, pass as cells, with the evidence; else None and why there is none.

        Raises :class:`CannotInline`.
        """
        derived = self._derive_notebook(before, file, failing)
        seconds = min(self._session.settings.cell_seconds, DERIVED_SECONDS)
        with open_branch(self._session, approve="all", cell_seconds=seconds) as branch:
            report, _ = Batch(derived.document, branch.build_dependencies(derived.document), branch.limits).run()
        record = next(r for r in report.records if r.cell.id == TESTS)
        if not record.candidate or record.status not in (Status.HEALED, Status.PROPOSED):
            why = record.detail or record.headline or "the tests pass as cells"
            return (), None, why
        fixes = derived.restore_fixes(record.edits or record.candidate[0].patch.edits)
        if fixes is None:
            return (), None, "what would heal it is no change of a file alone"
        return fixes, record.candidate[0], "" if record.status is Status.HEALED else record.detail

    def _derive_notebook(self, before: TestRun, file: Path, failing: Sequence[str]) -> Derived:
        """The notebook of a file's tests: paths, imports, modules, the tests. Raises :class:`CannotInline`."""
        wanted_tests = {*failing, *before.passing, *self._healed}
        tests = {t: told for t, told in before.tests.items() if told["file"] == str(file) and t in wanted_tests}
        given = read_file(file)
        cell = build_test_cell(given.text, tests) if given is not None else TestCell()
        if not set(cell.tests) & set(failing):
            raise CannotInline(
                "its failing tests need more than their parameters, and only show whether a fix is right"
            )
        frames = {Path(f[0]) for test in cell.tests for f in tests[test]["frames"]}
        wanted = {p for p in cell.files | frames if is_own(p, self._folder) and not _is_test_file(p)}
        paths = [Path(p) for p in before.path if p and Path(p).resolve().is_relative_to(self._folder)]
        finder = Finder(self._folder, tuple(dict.fromkeys((*paths, self._folder))))
        modules = finder.collect_modules(["\n".join(cell.imports.values())], wanted)
        if not modules or not wanted:
            raise CannotInline("what it tests is no file of the project, or more code than is looked at")
        modules = tuple(replace(m, file=_find_fixed(m.file.path, self._working) or m.file) for m in modules)
        inlined, (imports, code) = inline_all(modules, ["\n".join(cell.imports.values()), cell.source])
        first = f"import sys\nsys.path[:0] = {[str(p) for p in paths]!r}\n"
        cells = [
            build_cell("paths", first), build_cell("imports", imports.source),
            *(build_cell(m.cell_id, i.source) for m, i in zip(modules, inlined, strict=True)),
            build_cell(TESTS, code.source),
        ]  # fmt: skip
        return Derived(build_derived(self._folder / "tests.ipynb", cells, self._kernelspec), modules, inlined)


def _check_run(run: TestRun, command: str) -> None:
    if run.timed_out:
        raise KernelError(f"`{command}` did not come to its end in time")
    if not run.tests:
        where = f": {', '.join(run.broken)} cannot be collected" if run.broken else f" ({run.last_line[:200]})"
        raise UsageError(f"`{command}` ran no test that pytest tells of{where}")


def _group_tests(tests: Sequence[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    """The tests by their key, in their order."""
    groups: dict[str, list[str]] = {}
    for test in tests:
        groups.setdefault(key(test), []).append(test)
    return groups


def _sort_groups(oracle: TestOracle, groups: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Groups of failing tests, those first that may run least: what others call is healed before them."""
    reached = {name: [oracle.list_reached(test) for test in tests] for name, tests in groups.items()}
    least = {name: min((len(r) for r in found if r is not None), default=None) for name, found in reached.items()}
    return sorted(groups.items(), key=lambda group: (least[group[0]] is None, least[group[0]] or 0))


def _name_function(test: str) -> str:
    """The function of a test: ``test_f`` of ``tests/test_a.py::test_f[1-2]``."""
    return test.partition("[")[0].rpartition("::")[2]


def _join_fixes(known: Sequence[FileFix], more: Sequence[FileFix]) -> tuple[FileFix, ...]:
    """One fix a file: a later one of the same file stands on the earlier one, whose original it keeps."""
    joined = {fix.file.path: fix for fix in known}
    for fix in more:
        first = joined.get(fix.file.path)
        joined[fix.file.path] = FileFix(first.file, fix.text) if first is not None else fix
    return tuple(joined.values())


def _offer_change(step: Step, fix: FileFix, why: str) -> FileChange:
    return describe_change(fix, step.candidate.patch.title, f"offered, not written: {why}")


def _find_fixed(path: Path, fixes: Sequence[FileFix]) -> Any:
    """The file as an earlier fix leaves it."""
    return next((replace(f.file, raw=f.raw, text=f.text) for f in fixes if f.file.path == path), None)


def _is_test_file(path: Path) -> bool:
    return path.name == "conftest.py" or path.name.startswith("test_") or path.name.endswith("_test.py")


def _name_file(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
