"""The project's own tests as an oracle: run before and after in a sandbox whose writes are thrown away."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.loader import probe_source, read_source
from jupyter_selfheal.model import Launch, Probe, Run, Sandbox, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.project.files import FileFix, list_served
from jupyter_selfheal.surfaces.project.modules import Finder
from jupyter_selfheal.surfaces.project.reach import describe_changes, list_reached, may_run

TEST_SECONDS = 10.0
"""CPU seconds that one test may take, unless a cell may run for less."""
COMMAND_SECONDS = 1800.0
PASSED = frozenset({"passed", "skipped", "xfailed"})


@dataclass(frozen=True, slots=True)
class TestRun:
    """What a run of the tests showed. ``tests`` hold what pytest told of each by its id; empty for another command."""

    __test__ = False

    code: int
    printed: str
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    """The files that pytest cannot collect, each with why."""
    path: tuple[str, ...] = ()
    timed_out: bool = False

    @property
    def failing(self) -> tuple[str, ...]:
        """Ids of the tests that ran and did not pass."""
        return tuple(t for t, found in self.tests.items() if found["outcome"] not in {*PASSED, ""})

    @property
    def passing(self) -> tuple[str, ...]:
        """Ids of the tests that ran and passed."""
        return tuple(t for t, found in self.tests.items() if found["outcome"] == "passed")

    @property
    def last_line(self) -> str:
        """The last line that was printed."""
        lines = self.printed.strip().splitlines()
        return lines[-1].strip() if lines else ""


class TestOracle:
    """Runs a test command in a folder. Close it: it holds a kernel.

    Raises :class:`KernelError` where there is no overlay for what tests write.
    """

    __test__ = False

    def __init__(self, command: str, folder: Path, kernelspec: str, seconds: float) -> None:
        self._command, self._folder, self._kernelspec = command, folder, kernelspec
        self._test_seconds = min(seconds, TEST_SECONDS)
        self._before: TestRun | None = None
        self._reached: dict[str, frozenset[tuple[Path, str]] | None] = {}
        self._kernel = self._open_kernel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._kernel.close()

    def run_before(self) -> TestRun:
        """The tests with the files as they are; run once."""
        if self._before is None:
            self._before = self.run(())
        return self._before

    def run(self, fixes: Iterable[FileFix], only: Collection[str] | None = None) -> TestRun:
        """The tests with fixed files; ``only`` those of these ids, as far as pytest runs them."""
        argument = {
            "command": self._command, "folder": str(self._folder), "files": dict(list_served(tuple(fixes))),
            "plugin": read_source("probes.watch_tests"), "seconds": COMMAND_SECONDS,
            "test_seconds": self._test_seconds, "only": sorted(only) if only is not None else None,
        }  # fmt: skip
        step = Probe(probe_source("probes.run_tests"), argument, "tests", timeout=COMMAND_SECONDS + 30)
        request = TrialRequest((step,), timeout=COMMAND_SECONDS + 60, sandbox=Sandbox(writes="discard"))
        try:
            trial, _ = self._kernel.run(request)
        except KernelError:  # its state is gone, on a machine without memory, say: once more from a new one
            self._kernel.close()
            self._kernel = self._open_kernel()
            trial, _ = self._kernel.run(request)
        told = trial.probe("tests")
        if told is None:
            errors = [f"{e.ename}: {e.evalue}" for s in trial.steps for e in s.errors]
            raise KernelError(f"the tests could not be run: {'; '.join(errors) or trial.detail or trial.ending.value}")
        tests, path = told.get("tests", {}), tuple(told.get("path", ()))
        return TestRun(told["code"], told["printed"], tests, told.get("broken", {}), path, told["timed_out"])

    def compare(self, fixes: Sequence[FileFix], must_pass: Collection[str] | None = None) -> str:
        """What the tests say against fixed files; empty where those that failed pass (``must_pass``, or all that may run what is
        changed), and the others still do."""
        before = self.run_before()
        if before.timed_out:
            return "the tests did not come to their end"
        needed = self.list_concerned(fixes) if must_pass is None else must_pass
        after = self.run(fixes, {*needed, *before.passing} if before.tests else None)
        return find_broken_test(before, after, needed, self._command)

    def list_reached(self, test: str) -> frozenset[tuple[Path, str]] | None:
        """The functions and classes of the project that a test may run; None where that cannot be told."""
        if test not in self._reached:
            self._reached[test] = list_reached(self.run_before().tests[test], self._finder)
        return self._reached[test]

    def list_concerned(self, fixes: Sequence[FileFix]) -> tuple[str, ...]:
        """The failing tests that may run what the fixes change."""
        before, changes, finder = self.run_before(), describe_changes(fixes), self._finder
        return tuple(t for t in before.failing if may_run(before.tests[t], changes, finder))

    @cached_property
    def _finder(self) -> Finder:
        paths = tuple(Path(p) for p in self.run_before().path if p and Path(p).is_relative_to(self._folder))
        return Finder(self._folder, (*paths, self._folder))

    def _open_kernel(self) -> TrialKernel:
        """A kernel for tests. They write, and fixed files are written for them: never where that would be the user's folder."""
        from jupyter_selfheal import engine

        kernel: TrialKernel = engine.open_state(Launch(self._kernelspec, str(self._folder), network=False))
        try:
            trial, _ = kernel.run(TrialRequest((Run("pass"),), timeout=60.0, sandbox=Sandbox(writes="discard")))
            if "overlay" not in trial.isolation.layers:
                raise KernelError(
                    "tests are run only where their writes can be thrown away (an overlay), which is not to be had here"
                )
        except BaseException:
            kernel.close()
            raise
        return kernel


def find_broken_test(before: TestRun, after: TestRun, needed: Collection[str], command: str) -> str:
    """What a run with fixed files shows against them; empty where nothing does. Without tests by name the exit code counts."""
    if not before.tests:
        return "" if after.code == 0 else f"`{command}` still fails ({after.last_line})"
    for test in before.passing:
        if after.tests.get(test, {}).get("outcome") != "passed":
            return f"with it the test {test} fails"
    for test in needed:
        if after.tests.get(test, {}).get("outcome") != "passed":
            return f"the test {test} still fails"
    return ""
