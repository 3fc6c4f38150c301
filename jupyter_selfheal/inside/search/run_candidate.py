"""Running the program once with some statements replaced, in the live namespace, which is put back afterwards."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import gc
import itertools
import re
import sys
import types
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.comparator import is_equal
from jupyter_selfheal.inside.probes.expected import list_conveniences
from jupyter_selfheal.inside.search.count_steps import (
    STEPS_PER_SECOND,
    OutOfTime,
    StepCounter,
    counts_everything,
    pause_collection,
)
from jupyter_selfheal.inside.search.limit_time import limit_cpu_time
from jupyter_selfheal.inside.search.printed_output import OUTPUT_LIMIT, Muted, OutputRedirection, is_output_met, matches
from jupyter_selfheal.inside.search.program import (
    CAUGHT,
    CELL,
    CHECK,
    FILE,
    RECORD,
    REPLAY,
    VALUE,
    Program,
    compile_check,
    compile_unit,
)
from jupyter_selfheal.inside.search.run_result import DEEP, NEVER_DECIDED, OK, TIME, Enough, Result

LOOPS = 3
"""Checks that may loop until a patient run gives up."""
FEWER = 10
"""How many times fewer steps a check may take after one that did not end: most likely it does not either."""
NET, NET_SECONDS = 20.0, 0.1
"""CPU seconds for each second's worth of steps after which a candidate is cut whatever it counts, and the least of them: it is in C
code, where no steps are seen."""
WIDE, WIDE_SECONDS = 2.0, 1.0
"""The same from so many CPU seconds on: numbers and texts that grow in every round take ever longer for a step, and do not end."""
SLOW = 5.0
"""And what a program is known to take as it is, so many times: its own calls into C are no sign of a loop."""
SURPLUS, TIMES = 4_000, 4
"""Characters beside so many times the expected ones after which what prints may be taken for what comes to no end."""
_LOST = re.compile(r"'(\w+)'")
_NOTEBOOK = FILE.partition("{")[0]
"""How the names of files begin that the units of a program are compiled under."""
CHEAP = 2000
"""Steps up to which checks cost alike: they stay in the order in which they are written."""
_SHARED = (
    type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, int, float, str, bytes,
    complex, type(None), range, slice,
)  # fmt: skip
"""What no candidate can change in place (functions and classes are defined anew)."""


class Runner:
    """Runs a program in a namespace (the notebook's), any number of times, each from the same state."""

    def __init__(self, program: Program, ns: dict[str, Any]) -> None:
        self.program, self.ns = program, ns
        self.codes = [compile_unit(program, n, u.text) for n, u in enumerate(program.units)]
        self.checks = [compile_check(text, n) for n, text in enumerate(program.checks)]
        self.examples = [_compile_example(d.source) for d in program.doctests]
        self.expected = _compile_expression(program.expect)
        self.conveniences = {name: value for name, value in list_conveniences() if name not in ns}
        self.before = dict(ns)
        self.copied = {n: ns[n] for n in program.copied if n in ns and not is_shared(ns[n])}
        self.random = "random" in "".join(u.text for u in program.units) or "random" in self.before
        self.passed = self.failed = self.loops = self.raised = self.missing = 0
        self.limit = 0
        self.mask = 0
        self.counter = StepCounter()
        self.counter.counts_all_calls = not all(counts_everything(u.text) for u in program.units if u.role != CHECK)
        self.steps = 0
        self.most_loops = LOOPS
        self.slowest = 0.0
        """CPU seconds that the program is known to take as it is: no net is closer than ``SLOW`` times that, whatever it counts."""
        self.slowed = 1.0
        """How many times longer what runs takes than by itself: the net is so many times wider."""
        self.on_record: Callable[[bool], None] = lambda passed: None
        self.patient = False
        self.decided = NEVER_DECIDED
        self.raised_at = 0
        """The line of the unit at which the last run raised, where that is asked for by ``notes_lines``; 0 elsewhere."""
        self.lost: tuple[str, int] | None = None
        """The name that the last run did not find, and the line of the notebook's code that reads it, where that is asked for as well."""
        self.said = ""
        """What the last run raised, in its own words, where that is asked for as well."""
        self.notes_lines = False
        self.most_printed = OUTPUT_LIMIT
        self.order = list(range(len(program.units)))
        self.at = -1
        self.out = Muted(False)

    def bound_output(self) -> None:
        """Cut runs that print far more than is expected: each line takes longer than the steps that are counted for it."""
        self.most_printed = SURPLUS + TIMES * len(self.program.stdout)

    @property
    def output_text(self) -> str:
        """What the last run printed, as far as the oracle asks for it."""
        return "".join(self.out.parts)

    def run(self, replaced: Mapping[int, CodeType], steps: int, limit: int = 0) -> Result:
        """One run with some units' code replaced, within so many steps, for each check that loops where the run is patient; ends early
        when ``limit`` checks have failed."""
        self.passed = self.failed = self.loops = self.raised = self.missing = 0
        self.limit, self.mask, self.steps, self.raised_at, self.lost, self.said = limit, 0, steps, 0, None, ""
        began = self.counter.total
        status = TIME
        is_cut = True
        try:
            with self.preserve_state(), self.count(steps):
                try:
                    self._run_replaced(replaced)
                    status = OK
                except OutOfTime:
                    status = TIME
                except RecursionError:
                    status = DEEP
                except Enough:
                    status = "enough"
                except (Exception, SystemExit, KeyboardInterrupt) as error:
                    status = type(error).__name__
                    if self.notes_lines:
                        lines = _list_raising_lines(error)
                        self.raised_at, self.said = lines[0] if lines else 0, f"{status}: {error}"[:200]
                        found = _LOST.search(str(error)) if lines and isinstance(error, NameError) else None
                        self.lost = (found[1], lines[-1]) if found else None
                is_cut = status == TIME and not self.counter.is_over
        except OutOfTime:  # fired before the run began, or between its end and the timer's stop
            pass
        if status != OK:
            self.failed += 1
            self.loops += status == TIME
            self.on_record(False)
        elif self.loops:
            status = TIME
        used = int(self.find_net(steps) * STEPS_PER_SECOND) if is_cut else self.counter.total - began
        return Result(self.failed, self.passed, status, self.mask, used, self.loops, self.raised, self.missing)

    def find_net(self, steps: int) -> float:
        """CPU seconds after which something is cut that may take so many steps."""
        worth = steps / STEPS_PER_SECOND
        plain = max(NET_SECONDS, min(NET * worth, max(WIDE_SECONDS, WIDE * worth)), SLOW * self.slowest)
        return plain * self.slowed

    def count(self, steps: int, net: float = 0.0) -> contextlib.AbstractContextManager[None]:
        """Raise OutOfTime after so many steps, or when the net (CPU seconds; 0: the one for so many steps) is reached."""
        return _Counting(self, steps, net or self.find_net(steps))

    def sort_checks(self, costs: Mapping[int, int], failing: Collection[int]) -> None:
        """Run neighbouring asserts in another order: cheap ones first, and those that fail as it is before others. One that asks an object
        (``assert account.withdraw(5)``) may change it, and stays where it is."""
        units = self.program.units
        if any("global " in u.text for u in units):
            return
        order: list[int] = []
        is_first = len(failing) > 1  # where several fail, all of them tell whether a candidate gains something
        for is_movable, group in itertools.groupby(range(len(units)), lambda n: _is_movable(units[n].text, self.ns)):
            members = list(group)
            if is_movable:
                members.sort(
                    key=lambda n: (
                        is_first * (n not in failing),
                        max(costs.get(n, 0), CHEAP) * (1 if n in failing else 3),
                    )
                )
            order.extend(members)
        self.order = order

    def _run_replaced(self, replaced: Mapping[int, CodeType]) -> None:
        program, ns = self.program, self.ns
        out = self.out = Muted(bool(program.stdout), self.most_printed)
        with OutputRedirection(out):
            for n in self.order:
                unit, self.at = program.units[n], n
                out.keep = bool(program.stdout) and unit.role != REPLAY
                code = replaced.get(n, self.codes[n])
                if unit.role == CHECK:
                    self._run_check(code)
                else:
                    exec(code, ns)
            self.at = -1
            if program.expect:
                self.record(is_equal(eval(self.expected, ns, self.conveniences), ns.get(VALUE)))
            if program.stdout:
                self.record(matches(program.stdout, "".join(out.parts)))
            for code in self.checks:
                self._run_check(code)
            for example, doctest in zip(self.examples, program.doctests, strict=True):
                self._run_doctest(example, doctest.want)
            if not self.failed and not self.passed and any(u.role == CELL for u in program.units):
                self.record(True)

    def _run_check(self, code: CodeType) -> None:
        counted = self.passed + self.failed
        try:
            exec(code, self.ns)
        except self.ns[CAUGHT]:
            self.record(False)
            return
        if self.passed + self.failed == counted:
            self.record(True)

    def _lose_patience(self, error: BaseException) -> None:
        """After a few checks that loop the next one ends the run, and after one that the net caught. One that filled the memory
        (``xs *= x`` in a loop over ``xs``) does so at once: it takes as long as thousands of candidates, and the next one would do the same."""
        if isinstance(error, MemoryError):
            raise Enough
        if isinstance(error, OutOfTime):
            self.loops += 1
            is_caught = not self.counter.is_over
            self.counter.set_limit(self.steps // FEWER)
            self.counter.bind_names(self.ns)
            if self.loops >= self.most_loops or is_caught:
                self.ns[CAUGHT] = Exception

    def _run_doctest(self, code: CodeType | None, want: str) -> None:
        shown: list[str] = []

        def show(result: Any) -> None:
            if result is not None:
                shown.append(repr(result) + "\n")

        if code is None:
            return
        hook, sys.displayhook = sys.displayhook, show
        out = Muted(keep=True)
        try:
            with contextlib.redirect_stdout(out):
                exec(code, self.ns)
        except self.ns[CAUGHT] as error:
            if want:
                self.record(want.startswith("Traceback") and type(error).__name__ in want)
            return
        finally:
            sys.displayhook = hook
        if want:
            self.record(is_output_met(want, "".join(out.parts) + "".join(shown)))

    def record(self, passed: object) -> None:
        """Count one check."""
        if passed:
            self.mask |= 1 << (self.passed + self.failed)
            self.passed += 1
        else:
            self.failed += 1
            if (error := sys.exc_info()[1]) is not None:
                self.raised += 1
                if not self.missing and isinstance(error, NameError | AttributeError):
                    self.missing = zlib.crc32(str(error).encode())
                self._lose_patience(error)
        self.on_record(bool(passed))
        if self.limit and self.failed >= self.limit:
            raise Enough
        if self.passed + self.failed == self.decided.after and self._gains_nothing():
            raise Enough

    def _gains_nothing(self) -> bool:
        decided = self.decided
        is_alike = self.raised >= decided.raised and (not decided.missing or self.missing == decided.missing)
        return not self.loops and not self.mask & ~decided.known and is_alike

    @contextlib.contextmanager
    def preserve_state(self) -> Iterator[None]:
        """The namespace as it was, with fresh copies of what a candidate may change; put back at the end."""
        ns = self.ns
        ns.update(copy.deepcopy(self.copied))
        for name in self.program.absent:
            ns.pop(name, None)
        ns[RECORD] = self.record
        ns[CAUGHT] = (Exception, OutOfTime) if self.patient else Exception
        seeds = _list_random_states() if self.random else ()
        answers = getattr(input, "left", None)  # those that were given ahead (see ``fork/capture.py``)
        given = list(answers or ())
        try:
            yield
        finally:
            if answers is not None:
                answers[:] = given
            ns.clear()
            ns.update(self.before)
            for put_back, state in seeds:
                put_back(state)


class _Counting:
    """What :meth:`Runner.count` gives; no generator, which takes as long to enter and leave as many a call that is counted."""

    __slots__ = ("collection", "runner", "steps", "timer")

    def __init__(self, runner: Runner, steps: int, net: float) -> None:
        self.runner, self.steps = runner, steps
        # a search pauses it for all of its candidates
        self.collection = pause_collection() if gc.isenabled() else None
        self.timer = limit_cpu_time(net)

    def __enter__(self) -> None:
        counter = self.runner.counter
        counter.set_limit(self.steps)
        counter.bind_names(self.runner.ns)
        if self.collection is not None:
            self.collection.__enter__()
        self.timer.__enter__()
        try:
            counter.start()
        except BaseException:
            self._leave()
            raise

    def __exit__(self, *error: object) -> None:
        try:
            self.runner.counter.stop()
            self.runner.counter.close()
        finally:
            self._leave()

    def _leave(self) -> None:
        try:
            self.timer.__exit__(None, None, None)
        finally:
            if self.collection is not None:
                self.collection.__exit__(None, None, None)


def _is_movable(text: str, ns: Mapping[str, Any]) -> bool:
    """True for an assert that reads no variable: nothing but functions, classes and modules, what they are given, and what they give."""
    if not text.startswith("assert "):
        return False
    nodes = list(ast.walk(ast.parse(text)))
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    read = [n for n in nodes if isinstance(n, ast.Name) and id(n) not in called and n.id not in bound]
    return all(isinstance(ns.get(n.id), types.ModuleType | type) or hasattr(builtins, n.id) for n in read)


def is_shared(value: object, depth: int = 4) -> bool:
    """True for what nothing can change in place: it is not copied for each candidate."""
    if type(value) is tuple and depth and len(value) < 1000:
        return all(is_shared(item, depth - 1) for item in value)
    return isinstance(value, _SHARED)


def _list_random_states() -> tuple[tuple[Callable[[Any], Any], Any], ...]:
    states: list[tuple[Callable[[Any], Any], Any]] = []
    if random := sys.modules.get("random"):
        states.append((random.setstate, random.getstate()))
    if numpy := sys.modules.get("numpy.random"):
        states.append((numpy.set_state, numpy.get_state()))
    return tuple(states)


def _compile_expression(text: str) -> CodeType | str:
    """The code of an expression; the text where it is none, which says so when it is evaluated."""
    try:
        return compile(text, "<selfheal expectation>", "eval", dont_inherit=True)
    except SyntaxError:
        return text


def _compile_example(source: str) -> CodeType | None:
    try:
        return compile(source, "<selfheal doctest>", "single", dont_inherit=True)
    except SyntaxError:
        return None


def _list_raising_lines(error: BaseException) -> list[int]:
    """The lines of the notebook's code that an error came out of, the outermost first."""
    lines: list[int] = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(_NOTEBOOK):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return lines
