"""Note which calls of its own functions a notebook's cells make: a probe before the cells, and one after them.

Everything happens in a throw-away fork. The cells are run by the kernel's own shell, so that what they print can be compared with
what is stored. A profile function sees each call before it runs; it is one way on every version of Python, and costs only
the cells that are run again. What a call gave is found afterwards, by making it again, twice: one that then gives
another value (it draws at random, counts, asks the time) is dropped.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any

from jupyter_selfheal.inside.difference import show_value
from jupyter_selfheal.inside.probes import seen_calls
from jupyter_selfheal.inside.search.confined_forks import HAS_FORKS, run_in_fork
from jupyter_selfheal.inside.search.count_steps import OutOfTime
from jupyter_selfheal.inside.search.limit_time import limit_cpu_time
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.search.run_result import Enough

CALLS, EACH = 40, 8
"""Distinct calls that are kept, in all and of one function."""
LOOKED_AT = 200
"""Calls of one function whose arguments are looked at."""
WAIT = 20.0
"""Seconds on the clock in which all calls must have been made again; their CPU time is limited."""

_GENERATOR, _COROUTINE, _ASYNC_GENERATOR, _VARARGS, _KEYWORDS = 0x20, 0x80, 0x200, 0x04, 0x08


@dataclass
class Seen:
    """One call: the function, its packed arguments, who made it, and the call (by its number) within which it was made."""

    name: str
    given: bytes
    text: str
    cell: str
    within: int
    classes: set[str]


class Recorder:
    """A profile function that notes the calls of functions which are defined in the namespace."""

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space
        self.cell = ""
        self.calls: list[Seen] = []
        self._known: dict[tuple[str, bytes], int] = {}
        self._looked: dict[CodeType, int] = {}
        self._stack: list[tuple[FrameType, int]] = []
        self._generators: dict[int, FrameType] = {}
        self._closures: list[tuple[FunctionType, dict[str, Any], int]] = []

    def start(self) -> None:
        sys.setprofile(self.profile)

    def stop(self) -> None:
        sys.setprofile(None)
        self._stack.clear()
        self._generators.clear()
        self._closures.clear()

    def profile(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            code = frame.f_code
            if frame.f_globals is self.space and code.co_flags & 2 and not code.co_name.startswith("<"):
                self._stack.append((frame, self._note_call(frame, code)))
        elif event == "return" and self._stack and self._stack[-1][0] is frame:
            _, number = self._stack.pop()
            if isinstance(arg, FunctionType) and arg.__closure__ and arg.__globals__ is self.space:
                self._keep_closure(arg, frame.f_code, number)

    def _keep_closure(self, function: FunctionType, maker: CodeType, number: int) -> None:
        """Remember a function that a noted call made: a call of it is noted as one of what its maker gives (``adder(3)(4)``)."""
        if number < 0 or self.calls[number].name != _name_code(maker) or len(self._closures) >= CALLS:
            return
        with contextlib.suppress(ValueError):  # a cell that is empty still
            held = {
                name: cell.cell_contents
                for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
            }
            self._closures.append((function, held, number))

    def _find_maker(self, frame: FrameType, code: CodeType) -> Seen | None:
        """The call that made the function which is called; None where that is not known, or it holds something else by now."""
        there = frame.f_locals
        for function, held, number in self._closures[::-1]:
            if function.__code__ is code and all(name in there and there[name] is held[name] for name in held):
                return self.calls[number]
        return None

    def _note_call(self, frame: FrameType, code: CodeType) -> int:
        """The number of the call if it is kept, else that of the call within which it was made (-1: none)."""
        within = self._stack[-1][1] if self._stack else -1
        looked = self._looked.get(code, 0)
        if looked >= LOOKED_AT or len(self.calls) >= CALLS or code.co_flags & _ASYNC_GENERATOR:
            return within
        if any(
            outer.f_code is code for outer, _ in self._stack
        ):  # what a function gives itself is a part of what it gives
            return within
        if code.co_flags & (_GENERATOR | _COROUTINE):
            if id(frame) in self._generators:  # it goes on; its arguments are no longer what it was given
                return within
            self._generators[id(frame)] = frame
        self._looked[code] = looked + 1
        made_by = self._find_maker(frame, code) if code.co_freevars else None
        name = made_by.name if made_by else _name_code(code)
        if sum(c.name == name for c in self.calls) >= EACH:
            return within
        try:
            arguments, named = _read_arguments(frame, code)
            made = seen_calls.unpack(made_by.given, self.space) if made_by else ()
            given, classes = seen_calls.pack((*made, arguments, named), self.space)
            if seen_calls.find_callable(self.space, name) is None:
                return within
            if (name, given) in self._known:
                return self._known[name, given]
            text = made_by.text if made_by else name
            text = seen_calls.format_call(text, arguments, named, is_method="." in name and not made_by)
        except Exception:  # of the user's objects; and what is too big, or cannot be copied, is not noted
            return within
        self.calls.append(Seen(name, given, text, self.cell, within, classes))
        self._known[name, given] = len(self.calls) - 1
        return len(self.calls) - 1


def _name_code(code: CodeType) -> str:
    return getattr(code, "co_qualname", code.co_name)


def _read_arguments(frame: FrameType, code: CodeType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The positional and the named arguments of a call that just began."""
    there = frame.f_locals
    count, only_named = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    arguments = [there[n] for n in names[:count]]
    named = {n: there[n] for n in names[count : count + only_named]}
    rest = count + only_named
    if code.co_flags & _VARARGS:
        arguments += there[names[rest]]
        rest += 1
    if code.co_flags & _KEYWORDS:
        named |= there[names[rest]]
    return tuple(arguments), named


def describe_calls(recorder: Recorder) -> dict[str, Any]:
    """Every call that gives the same when it is made again, and how many do not, as JSON."""
    kept: list[dict[str, Any]] = []
    counts = {"unstable": 0, "silent": 0}
    numbers: dict[int, int] = {}
    for number, seen in enumerate(recorder.calls):
        described = _describe_call(seen, recorder.space)
        if isinstance(described, str):
            counts[described] += 1
            continue
        numbers[number] = len(kept)
        kept.append({**described, "within": numbers.get(seen.within, -1)})
    return {"calls": kept, **counts}


def _describe_call(seen: Seen, space: dict[str, Any]) -> dict[str, Any] | str:
    """A call with what it gives; else why it says nothing."""
    first = seen_calls.call(space, seen.name, seen.given)
    if first.kind == seen_calls.ERROR:
        return _to_json(seen, "", first, seen.classes)
    if not first.tells:
        return "silent" if first.kind == seen_calls.VALUE else "unstable"
    try:
        gave, classes = seen_calls.pack_outcome(first, space)
        again = seen_calls.call(space, seen.name, seen.given)
        kept = seen_calls.unpack_outcome(gave, space)
        if again.kind != first.kind or kept.find_change(again):
            return "unstable"
    except Exception:  # its result cannot be copied, or is too big
        return "silent"
    return _to_json(seen, seen_calls.to_text(gave), first, classes | seen.classes)


def _to_json(seen: Seen, gave: str, outcome: seen_calls.Outcome, classes: set[str]) -> dict[str, Any]:
    shown = outcome.printed if outcome.value is None and outcome.printed else outcome.value
    return {
        "name": seen.name, "given": seen_calls.to_text(seen.given), "gave": gave, "text": seen.text[:300], "cell": seen.cell,
        "shown": show_value(shown, seen_calls.SHOWN), "classes": sorted(classes), "kind": outcome.kind,
    }  # fmt: skip


_HELD = "_selfheal_recorder"


def probe(shell: Any, last: Any, argument: Any) -> dict[str, Any] | None:
    """``argument`` is "begin" or "end"; at the end the calls, as JSON."""
    if argument == "begin":
        recorder = Recorder(shell.user_ns)
        setattr(sys, _HELD, recorder)
        recorder.start()
        return None
    recorder = getattr(sys, _HELD)
    recorder.stop()
    delattr(sys, _HELD)
    described = run_in_fork(lambda: describe_calls(recorder), WAIT)
    return described if isinstance(described, dict) else None


MARK = f"""
def probe(shell, last, argument):
    import sys
    sys.{_HELD}.cell = argument
"""
"""The source of a probe between two cells: the calls from here on are made by the cell ``argument``."""


def record_in_fork(space: dict[str, Any], cells: list[tuple[str, str]], seconds: float) -> dict[str, Any]:
    """The calls that plain Python cells make, run in a fork of this process within CPU seconds; none where that fails.

    Each cell comes with the text that is stored as printed by it. ``doubted`` are the cells, by number, that print another text.
    """

    def run() -> dict[str, Any]:
        recorder = Recorder(space if HAS_FORKS else dict(space))
        doubted = []
        for number, (code, stored) in enumerate(cells):
            recorder.cell = str(number)
            printed = _run_cell(recorder, code, seconds / len(cells))
            if stored.strip() and stored.split() != printed.split():
                doubted.append(recorder.cell)
        return {**describe_calls(recorder), "doubted": doubted}

    described = run_in_fork(run, WAIT) if cells else None
    return described if isinstance(described, dict) else {"calls": [], "doubted": []}


def _run_cell(recorder: Recorder, code: str, seconds: float) -> str:
    """What a cell prints; one that fails or takes too long has made the calls until then."""
    out = Muted(keep=True)
    with (
        contextlib.suppress(Exception, SystemExit, OutOfTime, Enough),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(Muted()),
        limit_cpu_time(seconds),
    ):
        compiled = compile(code, "<selfheal above>", "exec", dont_inherit=True)
        try:
            recorder.start()
            exec(compiled, recorder.space)
        finally:
            recorder.stop()
    return "".join(out.parts)
