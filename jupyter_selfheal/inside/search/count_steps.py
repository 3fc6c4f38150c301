"""Counting what a program does: rounds of its loops and calls of its functions, which no load of the machine changes.

A budget of steps cuts the same candidate at the same place on every machine and in every run; one of seconds does not. The
counter is an iterator written in C: a call of it stands in the head of every loop and at the beginning of every function.
Where a program spends its time in other people's Python, or has functions into which no call fits, every call of the process
is counted by a trace function, which takes longer. What lasts long within one call into C is not counted: the timer is for that.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import itertools
import operator
import re
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

ROUND, ROUNDS = "__selfheal_round__", "__selfheal_rounds__"
"""Names by which a program calls the counter, and wraps what a ``for`` goes through."""
STEPS_PER_SECOND = 4_000_000
"""Steps that count as one CPU second of the setting ``search_seconds``: see ADR 35."""

_WHILE = re.compile(r"^([ \t]*while)\b(?=[ \t(])", re.MULTILINE)
_FOR = re.compile(r"^([ \t]*for\b[^\n]*?\bin\b)([^\n]*?):(?=[ \t]*(?:#[^\n]*)?$)", re.MULTILINE)
_DEF = re.compile(
    r"^([ \t]*(?:async[ \t]+)?def\b[^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]+)(if\b(?=[ \t(]))?",
    re.MULTILINE,
)
_HEAD = re.compile(r"[ \t]*(?:async[ \t]+)?def\b")
_IDLE = re.compile(r"[ \t]*(?:#|$)")
_COMPOUND = re.compile(r"(for|while|with|try|def|class|async|match)\b|@")

_LOOPS = ((_WHILE, ast.While), (_FOR, ast.For))


class OutOfTime(BaseException):
    """The steps (or the CPU time) of a candidate are used up; no ``except Exception`` of the user's catches it."""


def _end(_: object) -> bool:
    """What is called, again and again, where there are no steps left."""
    raise OutOfTime


_WITHOUT_END = itertools.repeat(None)
_NONE_LEFT = itertools.repeat(True, 0)


class StepCounter:
    """Raises OutOfTime after so many steps. ``total`` are the steps of all that was counted before."""

    def __init__(self) -> None:
        self.total = 0
        self.counts_all_calls = True
        self._most = 0
        self._left = itertools.repeat(True, 0)
        self._is_tracing = False
        self.set_limit(0)

    def set_limit(self, steps: int) -> None:
        """Count anew, up to so many steps."""
        self.total += self.steps_used
        self._most = max(steps, 0)
        self._left = itertools.repeat(True, self._most)
        # begun in C: a trace may call it within itself
        self._counted = itertools.chain(self._left, map(_end, _WITHOUT_END))
        self.tick = self._counted.__next__
        if self._is_tracing:  # Python ends a trace that raised
            sys.settrace(self._trace_call)

    def close(self) -> None:
        """Take what was counted into the total: nothing is counted until a limit is set."""
        self.total += self.steps_used
        self._most, self._left = 0, _NONE_LEFT

    @property
    def steps_used(self) -> int:
        """Steps since the limit was set."""
        return self._most - operator.length_hint(self._left)

    @property
    def is_over(self) -> bool:
        """Whether the limit was reached."""
        return operator.length_hint(self._left) == 0

    def bind_names(self, space: dict[str, Any]) -> None:
        """Put what the program calls into its namespace; again after each ``set_limit``."""
        space[ROUND] = self.tick
        space[ROUNDS] = functools.partial(itertools.compress, selectors=self._counted)

    def start(self) -> None:
        """Count calls of the whole process too where that is asked for, and nobody else traces."""
        if self.counts_all_calls and sys.gettrace() is None:
            self._is_tracing = True
            sys.settrace(self._trace_call)

    def stop(self) -> None:
        """Count no more calls."""
        if self._is_tracing:
            self._is_tracing = False
            sys.settrace(None)

    def _trace_call(self, frame: FrameType, event: str, arg: object) -> None:
        self.tick()


@contextlib.contextmanager
def pause_collection() -> Iterator[None]:
    """No garbage is collected: when Python does so hangs on all that the process did before, and the finalizers and ``gc.callbacks``
    that it then calls would be counted as steps of what runs."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def insert_counting(text: str, original: str) -> str:
    """A text with its loops and functions counted, as far as those of the ``original`` are written so that this can be done by lines.

    What comes out may be no Python where the text is a change of the original: it is compiled as it is then. Most changes are of a line:
    the others are taken from the original as it is counted.
    """
    old, counted = _count_original(original)
    new = text.split("\n")
    most = min(len(old), len(new))
    start = next((n for n in range(most) if old[n] != new[n]), most)
    alike = next((n for n in range(most - start) if old[-1 - n] != new[-1 - n]), most - start)
    start, end = _take_heads(new, start, len(new) - alike)
    middle = _count_lines(new[start:end], original) if start < end else []
    return "\n".join([*counted[:start], *middle, *counted[len(old) - len(new) + end :]])


def _count_lines(lines: Sequence[str], original: str) -> list[str]:
    """Changed lines, counted: each by itself where no head of a function is among them, as the same lines stand in hundreds of changes."""
    loops, rounds, functions = _find_countable(original)
    if functions and any("def" in line for line in lines):
        return _insert_by_patterns("\n".join(lines), original).split("\n")
    return [_count_line(line, loops, rounds) for line in lines]


@functools.lru_cache(maxsize=2048)
def _count_line(line: str, loops: bool, rounds: bool) -> str:
    if loops and "while" in line:
        line = _WHILE.sub(rf"\1 {ROUND}() and", line)
    return _FOR.sub(rf"\1 {ROUND}() and {ROUNDS}((\2)):", line) if rounds and "for" in line else line


@functools.lru_cache(maxsize=256)
def _count_original(original: str) -> tuple[list[str], list[str]]:
    """The lines of a text, and those of it counted: each of them is a line still."""
    return original.split("\n"), _insert_by_patterns(original, original).split("\n")


def _take_heads(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """The lines from ``start`` to ``end`` with the head of a function above them, and the first statement of one whose head is among them:
    the two are counted together."""
    above, last = start, end - 1
    while above and _IDLE.match(lines[above - 1]):
        above -= 1
    while last >= start and _IDLE.match(lines[last]):
        last -= 1
    begins = bool(above) and _HEAD.match(lines[above - 1]) is not None
    if begins or (last >= start and _HEAD.match(lines[last])):
        while end < len(lines) and _IDLE.match(lines[end]):
            end += 1
        end = min(end + 1, len(lines))
    return above - 1 if begins else start, end


def _insert_by_patterns(text: str, original: str) -> str:
    loops, rounds, functions = _find_countable(original)
    if functions and "def" in text:
        text = _DEF.sub(_count_call, text)
    return "\n".join(_count_line(line, loops, rounds) for line in text.split("\n"))


def _count_call(match: re.Match[str]) -> str:
    """The head of a function with the counter's call before its first statement, or in the condition of an ``if``; a loop there counts
    by itself."""
    if match[2]:
        return f"{match[1]}if {ROUND}() and"
    return match[0] if _COMPOUND.match(match.string, match.end()) else f"{match[0]}{ROUND}();"


def counts_everything(text: str) -> bool:
    """Whether ``insert_counting`` counts every call of the functions of a text (lambdas apart) and every round of its loops."""
    nodes = list(ast.walk(ast.parse(text)))
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    begins = (
        ast.With,
        ast.Try,
        ast.FunctionDef,
        ast.ClassDef,
        ast.Match,
        ast.AsyncFunctionDef,
        ast.AsyncFor,
        ast.AsyncWith,
    )
    if any(isinstance(f.body[0], begins) for f in functions) or not all(_find_countable(text)):
        return False
    try:
        ast.parse(insert_counting(text, text))
    except SyntaxError:
        return False
    heads = ((_DEF, len(functions)), *((p, sum(isinstance(n, k) for n in nodes)) for p, k in _LOOPS))
    return all(len(pattern.findall(text)) == number for pattern, number in heads)


@functools.lru_cache(maxsize=256)
def _find_countable(text: str) -> tuple[bool, bool, bool]:
    """Whether what looks like the heads of ``while`` and of ``for`` are such, and no lines of a longer text; and whether just what looks
    like the heads of functions are all there are."""
    found: dict[type, set[int]] = {ast.While: set(), ast.For: set(), ast.FunctionDef: set()}
    for node in ast.walk(ast.parse(text)):
        kind = ast.FunctionDef if isinstance(node, ast.AsyncFunctionDef) else type(node)
        if kind in found:
            found[kind].add(node.lineno)  # type: ignore[attr-defined]
    whiles, rounds, functions = (
        {text.count("\n", 0, m.start()) + 1 for m in pattern.finditer(text)} for pattern in (_WHILE, _FOR, _DEF)
    )
    return whiles <= found[ast.While], rounds <= found[ast.For], functions == found[ast.FunctionDef]
