"""Loops of which a short run shows that they do not end, so that nobody waits for them.

A candidate that was cut may only need more steps, and the few of which all else passes are given millions: seconds each. Most of them do not end
at all: ``while month == 2`` where nothing changes the month, ``for x in xs`` that appends to ``xs`` in each round, ``while i < n`` that goes down.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.plain_data import copy_plain_data
from jupyter_selfheal.inside.search.program import FILE
from jupyter_selfheal.inside.search.run_candidate import Runner

if TYPE_CHECKING:
    from jupyter_selfheal.inside.search.candidates import Candidate

STEPS, WAIT = 40_000, 20.0
"""Steps of each check that are looked at, and seconds on the clock for a candidate."""
WORTH, SHARE = 100_000, 16
"""Steps of a candidate from which on it is looked at first, for one of so many of them."""
SLOWED = 4.0
"""How many times longer than by itself a run may take while it is looked at: else the net catches it before its rounds are counted, and the
candidate is given seconds."""
CAUGHT = 100
"""What it has used of its steps, at most, if the net has caught it: one of so many."""
NET_CAUGHT = 2
"""Candidates that the net has caught before their steps were over (a number that is squared in each round, ``max`` of a list that grows) which are looked at and given more: the
likeliest. To look at one takes four nets and to try it a second, and of fourteen that were looked at none was seen not to end."""
SAME = 64
"""Rounds after which a loop is judged whose question no round changes; one that fails before that ends."""
CIRCLE, ROUNDS = 1_024, 8_192
"""Rounds within which a loop is to come back to where it was, and rounds after which a loop is judged by whether it came nearer to its end: between half of them and all (a power of two)."""


_PLAIN = (int, float, bool, str)


class Endless(BaseException):
    """A loop was seen that does not end."""


_STABLE = (type, ModuleType, FunctionType)
"""What is the same while it is the same object."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a unit: the line of its head, its last line, and what it goes on by. ``listed`` is the name of the list that a ``for`` goes
    through, ``sides`` are the code of the two sides of a comparison by which a ``while`` ends, ``fixed`` are the names that it asks where nothing in
    it sets one of them or leaves it, ``gathered`` the names on which nothing in the
    loop hangs but they themselves: ``steps`` of ``steps += 1``, ``out`` of ``out.append(x)``."""

    head: int
    end: int
    is_while: bool
    listed: str = ""
    sides: tuple[CodeType, CodeType] | None = None
    gathered: frozenset[str] = frozenset()
    fixed: tuple[str, ...] = ()


@dataclass(slots=True)
class Visit:
    """A loop that a frame is in: how many rounds there were, and what it was like at the last power of two of them."""

    rounds: int = 0
    state: str = ""
    left: float = 0.0
    items: Any = None


@dataclass(slots=True)
class Watcher:
    """Looks at the heads of loops while a candidate runs, and ends the run with ``Endless``."""

    runner: Runner
    loops: Mapping[str, Mapping[int, Loop]]
    """By file and line."""
    visits: dict[FrameType, dict[int, Visit]] = field(default_factory=dict)
    has_found: bool = False

    def trace_call(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        """Trace the program's own functions that have loops; within an expression there is none that is told by its line."""
        code = frame.f_code
        is_part = code.co_name.startswith("<") and code.co_name != "<module>"
        return self.trace_line if code.co_filename in self.loops and not is_part else None

    def trace_line(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        if event == "return":
            self.visits.pop(frame, None)
        if event != "line":
            return self.trace_line
        known, line = self.visits.get(frame), frame.f_lineno
        loops = self.loops[frame.f_code.co_filename]
        if known:
            for head in [h for h in known if not h <= line <= loops[h].end]:
                del known[head]  # left, and maybe entered again by one around it
        if line in loops:
            visit = self.visits.setdefault(frame, {}).setdefault(line, Visit())
            if not self.has_found and self._is_endless(frame, loops[line], visit):
                self.has_found = True
                raise Endless
        return self.trace_line

    def _is_endless(self, frame: FrameType, loop: Loop, visit: Visit) -> bool:
        """One more round. Whether it begins as one before it did; or, after many of them, with no less left to do than at half of them."""
        visit.rounds += 1
        is_power = visit.rounds & (visit.rounds - 1) == 0
        if loop.is_while and visit.rounds <= CIRCLE and (state := self._describe_state(frame, loop.gathered)):
            if state == visit.state:
                return True
            visit.state = state if is_power else visit.state
        if not is_power:
            return False
        if visit.rounds >= SAME and loop.fixed and _are_own(frame, loop.fixed):
            return True
        left, before = self._measure_left(frame, loop, visit), visit.left
        visit.left = left
        is_no_nearer = left > before > 0 or (bool(loop.listed) and left == before > 0)
        return visit.rounds >= ROUNDS and (is_no_nearer or _holds_grown(frame, visit.rounds))

    def _measure_left(self, frame: FrameType, loop: Loop, visit: Visit) -> float:
        """How far a loop is from its end; 0 where that is not known."""
        if loop.listed:
            items = frame.f_locals.get(loop.listed)
            if visit.rounds == 1:
                visit.items = items
            return len(items) - visit.rounds + 1 if isinstance(items, list) and items is visit.items else 0
        if loop.sides:
            left, right = (eval(side, {"len": len, "abs": abs}, frame.f_locals) for side in loop.sides)
            if isinstance(left, int | float) and isinstance(right, int | float):
                return abs(left - right)  # no float: numbers that grow in every round do not fit into one
        return 0

    def _describe_state(self, frame: FrameType, gathered: frozenset[str]) -> str:
        """All that a function's next round hangs on; nothing where that is more than plain data."""
        if self.runner.random or self.runner.copied:
            return ""
        before = self.runner.before
        changed = {n: v for n, v in self.runner.ns.items() if before.get(n) is not v and not n.startswith("__")}
        try:
            there = {n: v for n, v in frame.f_locals.items() if n not in gathered}
            own = gathered if frame.f_locals is frame.f_globals else frozenset[str]()
            return repr([_copy_all(there), _copy_all({n: v for n, v in changed.items() if n not in own})])
        except ValueError:
            return ""


def _copy_all(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: id(value) if isinstance(value, _STABLE) else copy_plain_data(value)
        for name, value in values.items()
        if not name.startswith("__")
    }


def drop_endless(
    runner: Runner,
    chosen: Sequence[Candidate],
    steps: int,
    late: list[Candidate],
    is_over: Callable[[], bool] = lambda: False,
) -> list[Candidate]:
    """Candidates that may come to an end within so many steps; the others are ``late``, as they would be once they were tried. So are those that
    the net has caught in a few of the steps that they had: a number that grows without end, which steps do not help. Of others that the net has
    caught the likeliest may, and those behind them are late. Where the search ``is_over`` nothing is looked at any more."""
    left: list[Candidate] = []
    caught = 0
    for candidate in chosen:
        caught += _is_caught(candidate)
        if (
            steps >= WORTH
            and not is_over()
            and (
                candidate.result.steps * CAUGHT < candidate.given
                or (caught > NET_CAUGHT and _is_caught(candidate))
                or run_in_fork(functools.partial(_look_at, runner, candidate, steps // SHARE), WAIT) is True
            )
        ):
            candidate.given = steps
            late.append(candidate)
        else:
            left.append(candidate)
    return left


def _is_caught(candidate: Candidate) -> bool:
    """Whether the net has cut a candidate: it counts more than it was given then."""
    return candidate.result.steps > candidate.given


def seems_endless(runner: Runner) -> bool:
    """Whether the program as it is has a loop that does not end: how long it runs says nothing of how long one that ends may take."""
    return run_in_fork(lambda: is_endless(runner, {}, {}), WAIT) is True


def _look_at(runner: Runner, candidate: Candidate, steps: int) -> bool:
    return is_endless(runner, candidate.texts, candidate.codes, steps)


def is_endless(runner: Runner, texts: Mapping[int, str], codes: Mapping[int, CodeType], steps: int = STEPS) -> bool:
    """Whether a run of some steps with these units shows a loop that does not end. To be called in a fork."""
    units = enumerate(runner.program.units)
    loops = {FILE.format(n): {loop.head: loop for loop in list_loops(texts.get(n, u.text))} for n, u in units}
    watcher = Watcher(runner, {name: found for name, found in loops.items() if found})
    slowed, runner.slowed = runner.slowed, SLOWED
    sys.settrace(watcher.trace_call)
    try:
        runner.run(codes, min(steps, STEPS))
    except Endless:
        pass
    finally:
        sys.settrace(None)
        runner.slowed = slowed
    return watcher.has_found


def list_loops(text: str) -> Sequence[Loop]:
    """The loops of a text whose rounds are told apart by line: those with a body below their head."""
    found: list[Loop] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.While | ast.For) and node.body[0].lineno > node.lineno and not node.orelse:
            end = node.end_lineno or node.lineno
            if isinstance(node, ast.While):
                found.append(
                    Loop(
                        node.lineno,
                        end,
                        True,
                        sides=_compile_sides(node.test),
                        gathered=_list_gathered(node),
                        fixed=_list_fixed(node),
                    )
                )
            elif isinstance(node.iter, ast.Name):
                found.append(Loop(node.lineno, end, False, node.iter.id))
    return found


def has_fixed_loop(text: str) -> bool:
    """Whether a script has a loop of its own that compares names and constants which no round sets, and which nothing leaves: once it is begun an error
    alone ends it. What is ``global`` may be set by what is called, and what has methods may change by itself: that is none."""
    tree = parse_module(text)
    nodes = list(ast.walk(tree))
    inner = {id(n) for f in nodes if isinstance(f, ast.FunctionDef | ast.Lambda | ast.ClassDef) for n in ast.walk(f)}
    owners = {
        n.value.id for n in nodes if isinstance(n, ast.Attribute | ast.Subscript) and isinstance(n.value, ast.Name)
    }
    loops = [n for n in nodes if isinstance(n, ast.While) and id(n) not in inner and isinstance(n.test, ast.Compare)]
    asked = [fixed for loop in loops if (fixed := _list_fixed(loop))]
    return any(owners.isdisjoint(fixed) for fixed in asked) and not any(isinstance(n, ast.Global) for n in nodes)


_ASKING = (
    ast.Name,
    ast.Constant,
    ast.Compare,
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.operator,
    ast.cmpop,
    ast.boolop,
    ast.unaryop,
    ast.Load,
)
_LEAVING = (
    ast.Return,
    ast.Break,
    ast.Raise,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Nonlocal,
    ast.Global,
    ast.FunctionDef,
)


def _list_gathered(loop: ast.While) -> frozenset[str]:
    """The names of :attr:`Loop.gathered`: each is read where it gets its own next value, or something is put into it, and nowhere else."""
    own: set[ast.AST] = set()
    for node in ast.walk(loop):
        match node:
            case ast.Expr(
                ast.Call(ast.Attribute(ast.Name(name) as target, "append" | "add" | "extend" | "insert"), given)
            ):
                values: list[ast.expr] = given
            case ast.AugAssign(ast.Name(name) as target, _, value):
                values = [value]
            case ast.Assign([ast.Name(name) as target], ast.BinOp(ast.Name(again) as first, _, value)) if again == name:
                own.add(first)
                values = [value]
            case ast.Assign([ast.Subscript(ast.Name(name) as target)], value):
                values = [value]
            case _:
                continue
        if all(n.id != name for v in values for n in ast.walk(v) if isinstance(n, ast.Name)):
            own.add(target)
    names = [n for n in ast.walk(loop) if isinstance(n, ast.Name)]
    return frozenset(n.id for n in names) - {n.id for n in names if n not in own}


def _are_own(frame: FrameType, names: Sequence[str]) -> bool:
    """Whether these are plain values of a call's own variables: one of a module, or of a function around it, may be set by what is called."""
    code = frame.f_code
    own = frozenset(code.co_varnames) - {*code.co_cellvars, *code.co_freevars}
    return own.issuperset(names) and all(type(frame.f_locals.get(n)) in _PLAIN for n in names)


def _holds_grown(frame: FrameType, rounds: int) -> bool:
    """Whether a number of a call has grown by a bit in each of so many rounds: ``n = 3 * n - 1``, which goes astray, and takes ever longer."""
    return any(type(value) is int and value.bit_length() >= rounds for value in frame.f_locals.values())


def _list_fixed(loop: ast.While) -> tuple[str, ...]:
    """The names that a loop asks by a question of names and constants alone, where no round sets one of them and none leaves the loop."""
    asked = list(ast.walk(loop.test))
    inside = [n for s in loop.body for n in ast.walk(s)]
    names = tuple({n.id for n in asked if isinstance(n, ast.Name)})
    is_plain = all(isinstance(n, _ASKING) for n in asked)
    is_left = any(isinstance(n, _LEAVING) for n in inside)
    is_set = any(isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) and n.id in names for n in inside)
    return () if not is_plain or is_left or is_set else names


def _compile_sides(test: ast.expr) -> tuple[CodeType, CodeType] | None:
    """Both sides of a comparison of names, numbers and lengths."""
    if not isinstance(test, ast.Compare) or len(test.ops) > 1 or isinstance(test.ops[0], ast.In | ast.NotIn | ast.Eq):
        return None
    sides = (test.left, test.comparators[0])
    if not all(_is_plain(side) for side in sides):
        return None
    left, right = (compile(ast.Expression(side), "<selfheal side>", "eval") for side in sides)
    return left, right


def _is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("len", "abs") and len(node.args) == 1 and isinstance(node.args[0], ast.Name)
    return isinstance(node, ast.Name | ast.Constant)
