"""Where the fault sits: lines that failing checks run and passing ones do not.

Suspiciousness by Ochiai, ef / sqrt(F · (ef + ep)) (Abreu et al. 2007, "On the accuracy of spectrum-based fault
localization"). The same traced run sees which kinds of values names have and what functions are called with.
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from types import CodeType, FrameType
from typing import Any

from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.hidden_reads import Missing, read_missing
from jupyter_selfheal.inside.search.noted_calls import NotedCalls
from jupyter_selfheal.inside.search.program import RECORD
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.inside.search.scope import find_kind

WAIT = 30.0
"""Seconds on the clock for looking at a state."""
EVENTS = 400
"""Line events of a function for which the kinds of its variables are looked at."""
SLOWED = 6.0
"""How many times longer a traced run may take than the same without a trace, for the net to leave it to the steps on a slow machine, too."""
Line = tuple[int, int]
_OURS = f"{__name__.partition('.')[0]}."
"""How the names of our own modules begin, whose calls are none of the program's."""
NEAR = 40
"""Frames above a call that are looked at for who made it: ours are nearer where we did, and a recursion is not gone up at each call."""
_IN_PARTS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_SIZED = (list, tuple, dict, set, frozenset, str)


@dataclass(slots=True)
class Sight:
    """What a traced run saw: suspiciousness (0–1) by unit and line, kinds by unit and name, arguments by function."""

    result: Result
    suspicion: dict[int, dict[int, float]] = field(default_factory=dict)
    kinds: dict[int, dict[str, frozenset[str]]] = field(default_factory=dict)
    calls: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    lines: int = 0
    """How many lines ran in all."""
    foreign: int = 0
    """How many calls of other people's Python there were."""
    copying: int = 0
    """How many calls it took to copy the state."""
    checked: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    """Of ``calls`` those that the checks made."""
    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    """The numbers that functions gave, by their arguments as they are written."""
    ran: dict[int, frozenset[int]] = field(default_factory=dict)
    """The lines that ran, by unit."""
    spectra: list[frozenset[Line]] = field(default_factory=list)
    """The lines that each check ran, in the order in which the checks are written."""
    empty: frozenset[str] = frozenset()
    """Parameters that were empty in a check which failed."""
    missing: Missing | None = None
    """The name or attribute that the first check to fail by one did not find."""


class LineTracer:
    """Collects the lines of each check. A function that has run all its lines in a check is not looked at any longer there."""

    def __init__(self, units: int) -> None:
        self.files = {f"<selfheal:{n}>": n for n in range(units)}
        self.lines: set[Line] = set()
        self.spectra: list[tuple[bool, frozenset[Line]]] = []
        self.left: dict[CodeType, set[int]] = {}
        """The lines of a function that did not run in this check yet."""

    def global_trace(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        """Trace only the program's own code."""
        code = frame.f_code
        unit = self.files.get(code.co_filename)
        if unit is None:
            return None
        self.lines.add((unit, frame.f_lineno))
        if code not in self.left:
            self.left[code] = {line for *_, line in code.co_lines() if line} - {frame.f_lineno}
        return self.local_trace if self.left[code] or _outlives_check(code) else None

    def local_trace(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        """Note a line."""
        code = frame.f_code
        self.lines.add((self.files[code.co_filename], frame.f_lineno))
        if left := self.left.get(code):
            left.discard(frame.f_lineno)
            if not left and not _outlives_check(code):
                frame.f_trace_lines = False
        return self.local_trace

    def end_check(self, passed: bool) -> None:
        """A check ended: what ran since the last one belongs to it."""
        self.spectra.append((passed, frozenset(self.lines)))
        self.lines, self.left = set(), {}


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(_OURS)


def _outlives_check(code: CodeType) -> bool:
    """Whether a call may go on in the next check: one that has checks itself, and what is gone through bit by bit."""
    return bool(code.co_flags & _IN_PARTS) or RECORD in code.co_names


class Tracer(LineTracer):
    """Collects the lines of each check, and values on the way."""

    def __init__(self, units: int) -> None:
        super().__init__(units)
        self.count = self.foreign = self.copying = 0
        self.kinds: dict[int, dict[str, set[str]]] = {n: {} for n in range(units)}
        self.looked: dict[CodeType, int] = {}
        self.noted = NotedCalls()
        self.raised: set[Line] = set()
        self.empty: set[str] = set()
        self.empty_here: set[str] = set()
        self.missing: Missing | None = None
        self.missing_here: Missing | None = None

    def global_trace(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        """Trace only the program's own code; note the arguments of calls from outside the function itself."""
        unit = self.files.get(frame.f_code.co_filename)
        if unit is None:
            if frame.f_code.co_filename == copy.__file__:
                self.copying += 1
            else:
                self.foreign += self._is_of_program(frame)
            return None
        if event == "call" and frame.f_code.co_flags & 2:
            self._note_call(frame)
        self.lines.add((unit, frame.f_lineno))
        return self.local_trace

    def local_trace(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        unit = self.files[frame.f_code.co_filename]
        where = (unit, frame.f_lineno)
        self.lines.add(where)
        self.count += 1
        if event == "exception":
            self.raised.add(where)
            self.missing_here = self.missing_here or read_missing(arg[1], *where)  # type: ignore[index]
        elif event == "return":
            self.noted.note_return(frame, arg)
        looked = self.looked.get(frame.f_code, 0)
        if looked < EVENTS:
            self.looked[frame.f_code] = looked + 1
            kinds = self.kinds[unit]
            for name, value in list(frame.f_locals.items()):
                if frame.f_code.co_flags & 2 or not name.startswith("_"):
                    kinds.setdefault(name, set()).add(find_kind(value))
        return self.local_trace

    def _is_of_program(self, frame: FrameType) -> bool:
        """Whether the program called a function of somebody else's, and not we who run it."""
        if _is_ours(frame):
            return False
        back = frame.f_back
        for _ in range(NEAR):
            if back is None or _is_ours(back):
                return False
            if back.f_code.co_filename in self.files:
                return True
            back = back.f_back
        return True

    def _note_call(self, frame: FrameType) -> None:
        code, back = frame.f_code, frame.f_back
        if code.co_name.startswith("<") or (back is not None and back.f_code is code):
            return
        names = code.co_varnames[: code.co_argcount]
        self.empty_here.update(n for n in names if type(frame.f_locals.get(n)) in _SIZED and not frame.f_locals[n])
        self.noted.note_call(frame)

    def end_check(self, passed: bool) -> None:
        super().end_check(passed)
        self.empty |= set() if passed else self.empty_here
        self.missing = self.missing or (None if passed else self.missing_here)
        self.empty_here, self.missing_here = set(), None


def trace_program(runner: Runner, steps: int, changed: Mapping[int, tuple[str, CodeType]] | None = None) -> Sight:
    """Run the program traced, within so many steps for each check that loops; as it is, or with the text and the code of some units
    ``changed``. As it is, all its checks are run, however many of them loop."""
    tracer = Tracer(len(runner.program.units))
    result, places = _run_traced(runner, tracer, steps, changed)
    changed = changed or {}
    sight = Sight(result, kinds={u: {n: frozenset(k) for n, k in kinds.items()} for u, kinds in tracer.kinds.items()})
    sight.calls, sight.checked, sight.lines = tracer.noted.calls, tracer.noted.calls, tracer.count
    sight.numbers = tracer.noted.numbers
    sight.foreign, sight.copying = tracer.foreign, tracer.copying
    sight.ran, sight.empty, sight.missing = _list_lines(tracer), frozenset(tracer.empty), tracer.missing
    sight.suspicion = _score_lines(tracer)
    asked = zip(places, (lines for _, lines in tracer.spectra), strict=True)
    sight.spectra = [lines for _, lines in sorted(asked, key=lambda pair: pair[0])]
    for unit, scores in sight.suspicion.items():
        _spread_over_statements(changed[unit][0] if unit in changed else runner.program.units[unit].text, scores)
    return sight


Seen = tuple[Mapping[int, Mapping[int, float]], frozenset[str]]
"""Which lines are suspicious, and which parameters are empty where a check fails."""


def look_again(
    runner: Runner, steps: int, states: Sequence[Mapping[int, tuple[str, CodeType]]], sight: Sight
) -> list[Seen]:
    """What is seen with some units changed, for each of some ``states``; what a first ``sight`` saw where its run does not come back.

    One fork runs all of them: to copy a process takes longer than to trace a state. Where it dies of one, each has its own.
    """

    def look() -> list[Any]:
        every = [trace_program(runner, steps, changed) for changed in states]
        return [
            [[[unit, list(lines.items())] for unit, lines in seen.suspicion.items()], sorted(seen.empty)]
            for seen in every
        ]

    reply = run_in_fork(look, WAIT) if states else []
    if isinstance(reply, list):
        return [({unit: dict(lines) for unit, lines in lines_of}, frozenset(empty)) for lines_of, empty in reply]
    if len(states) == 1:
        return [(sight.suspicion, sight.empty)]
    return [look_again(runner, steps, [changed], sight)[0] for changed in states]


def trace_lines(
    runner: Runner, steps: int, changed: Mapping[int, tuple[str, CodeType]]
) -> tuple[list[frozenset[Line]], dict[int, frozenset[int]]]:
    """The lines that each check runs with changed units, in the order in which the checks are written, and all that run, by unit."""
    tracer = LineTracer(len(runner.program.units))
    _, places = _run_traced(runner, tracer, steps, changed)
    asked = zip(places, (lines for _, lines in tracer.spectra), strict=True)
    return [lines for _, lines in sorted(asked, key=lambda pair: pair[0])], _list_lines(tracer)


def list_ran_lines(
    runner: Runner, changed: Mapping[int, tuple[str, CodeType]], steps: int
) -> list[tuple[int, list[int]]]:
    """The lines of each unit that run with changed ones."""
    return [(unit, sorted(numbers)) for unit, numbers in trace_lines(runner, steps, changed)[1].items()]


def _run_traced(
    runner: Runner, tracer: LineTracer, steps: int, changed: Mapping[int, tuple[str, CodeType]] | None
) -> tuple[Result, list[int]]:
    """The result of a run that a tracer looks at, and the places of its checks."""
    kept = runner.patient, runner.most_loops, runner.on_record, runner.slowed
    places: list[int] = []

    def end_check(passed: bool) -> None:
        places.append(runner.at)
        tracer.end_check(passed)

    runner.patient, runner.on_record, runner.slowed = True, end_check, SLOWED
    runner.most_loops = runner.most_loops if changed else sys.maxsize
    sys.settrace(tracer.global_trace)
    try:
        result = runner.run({n: code for n, (_, code) in (changed or {}).items()}, steps)
    finally:
        sys.settrace(None)
        runner.patient, runner.most_loops, runner.on_record, runner.slowed = kept
    return result, places


def _list_lines(tracer: LineTracer) -> dict[int, frozenset[int]]:
    seen = tracer.lines.union(*(lines for _, lines in tracer.spectra))
    ran: dict[int, set[int]] = {}
    for unit, number in seen:
        ran.setdefault(unit, set()).add(number)
    return {unit: frozenset(numbers) for unit, numbers in ran.items()}


def _score_lines(tracer: Tracer) -> dict[int, dict[int, float]]:
    failing = sum(1 for passed, _ in tracer.spectra if not passed) or 1
    ran: dict[Line, list[int]] = {}
    for passed, lines in tracer.spectra:
        for line in lines:
            ran.setdefault(line, [0, 0])[passed] += 1
    scores: dict[int, dict[int, float]] = {}
    for (unit, number), (failed, passing) in ran.items():
        score = failed / sqrt(failing * (failed + passing))
        if (unit, number) in tracer.raised and failed:
            score = min(1.0, score * 1.15)
        scores.setdefault(unit, {})[number] = score
    return scores


def _spread_over_statements(text: str, scores: dict[int, float]) -> None:
    """Every line of a simple statement, or of a compound one's head, is as suspicious as the worst of them."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            continue
        body = getattr(node, "body", None)
        end = body[0].lineno - 1 if body else (node.end_lineno or node.lineno)
        lines = range(node.lineno, max(end, node.lineno) + 1)
        worst = max((scores.get(n, 0.0) for n in lines), default=0.0)
        for n in lines:
            scores[n] = max(scores.get(n, 0.0), worst)
