"""Telling plausible patches apart: what they do on inputs that no check has.

Patches that agree on generated inputs are one hypothesis. A hypothesis that several edits lead to is likelier; where two
differ, one input on which they do is worth asking the user about.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, ClassVar, NoReturn

from jupyter_selfheal.inside.search.call_shapes import is_meant_to_raise
from jupyter_selfheal.inside.search.called_functions import MethodCall, find_callable, show_value, write_call
from jupyter_selfheal.inside.search.count_steps import STEPS_PER_SECOND, OutOfTime
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.plain_data import make_copier
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Enough
from jupyter_selfheal.inside.tree_names import read_called_name, walk

STEPS, OVERHEAD = 80_000, 80
"""Steps that a call may take, and what it counts beside its own."""
DEFINING = 10_000_000
"""Steps that the definitions may take."""
_DEFINING = ("def ", "class ", "@", "import ", "from ")
_MAKING = frozenset({"dict", "list", "set", "tuple", "frozenset", "range", "int", "float", "str", "len", "sum", "min", "max", "sorted", "defaultdict", "deque", "Counter"})  # fmt: skip
"""What a plain value is made by."""
CHANGES = " (and changes what it is given)"
"""After the value of a call that changes an argument in place."""
FUNCTION = "a function that gives "
"""Before what a function gives that is itself the value of a call."""
TIMEOUT = "!timeout"
"""What is shown for a call that does not come to its end."""
FULL = "!MemoryError"
"""And for one that fills the memory, which takes as long as thousands of others, and which fewer steps do not help."""
LATE = "!late"
"""What is shown for a call for which no steps were left."""
NET = 0.3
"""CPU seconds after which a call is cut whatever it counts, or what all checks take: what grows in every round takes ever longer for one. Far more
than ``STEPS`` take on a slow machine, so that the same calls are cut there."""
LOOPS = 8
"""Inputs on which a patch may loop until no more are tried."""
LOOPED, FEWER_STEPS, FEWER_NET = 2, 10_000, 0.1
"""Inputs on which it has looped, or patches that have looped on an input (one that the net has caught), after which a call has no more than so many
steps and CPU seconds: most such calls do not end, and each takes as long as a hundred others."""


@dataclass(frozen=True, slots=True)
class Input:
    """A call that tells patches apart. ``is_usual`` where its arguments have what those of all checked calls have; ``is_covered`` where
    they are no larger, too, whatever the number of checked calls; ``is_checked`` where a check makes that very call."""

    function: str
    arguments: tuple[Any, ...]
    is_usual: bool = True
    is_covered: bool = False
    is_checked: bool = False
    is_call: ClassVar[bool] = True

    @property
    def text(self) -> str:
        return write_call(self.function, self.arguments)


def collect_behaviours(
    runner: Runner,
    variants: Sequence[dict[int, CodeType]],
    function: str,
    given: Sequence[tuple[Any, ...]],
    budget: int,
    note: Callable[[BaseException], object] | None = None,
) -> list[list[str]]:
    """For each variant, what ``function`` gives for each input: the value's text, or ``!`` and the exception's name. After so many
    steps none is called, and one variant leaves the others their share. ``note`` gets each exception that is shown."""
    behaviours: list[list[str]] = []
    left = budget
    looped = [0] * len(given)
    prepared = [_prepare_call(arguments) for arguments in given]
    with contextlib.redirect_stdout(Muted()), contextlib.redirect_stderr(Muted()):
        for place, codes in enumerate(variants):
            shown: list[str] = []
            kept = left - left // (len(variants) - place)
            with contextlib.suppress(Exception, OutOfTime, Enough), runner.preserve_state():
                call = _define_function(runner, codes, function)
                for at, prepared_call in enumerate(prepared if call is not None else ()):
                    if left <= kept or call is None or shown.count(TIMEOUT) >= LOOPS or shown.count(FULL) >= LOOPED:
                        shown.append(LATE)
                        continue
                    most = FEWER_STEPS if max(looped[at], shown.count(TIMEOUT)) >= LOOPED else STEPS
                    before = runner.counter.total
                    shown.append(_run_call(runner, call, prepared_call, note, most))
                    used = runner.counter.total - before
                    looped[at] += (LOOPED if used < most else 1) if shown[-1] == TIMEOUT else 0
                    left -= OVERHEAD + count_cost(runner, shown[-1], used, most)
            behaviours.append(shown)
    return behaviours


def _define_function(runner: Runner, codes: Mapping[int, CodeType], function: str) -> Callable[..., Any] | None:
    """Run the definitions of a variant, and the plain values beside them; the function that they make, None where they make none."""
    with runner.count(DEFINING):
        for n, unit in enumerate(runner.program.units):
            if unit.role == "define" or (unit.role == "cell" and unit.text.startswith(_DEFINING)):
                exec(codes.get(n, runner.codes[n]), runner.ns)
            elif unit.role == "cell" and _is_plain_value(unit.text):
                with contextlib.suppress(
                    Exception
                ):  # what it is made of may not be there: then the function fails that reads it
                    exec(codes.get(n, runner.codes[n]), runner.ns)
    return find_callable(runner.ns, function)


@functools.lru_cache(maxsize=256)
def _is_plain_value(text: str) -> bool:
    """Whether a statement does nothing but set names, to what nothing but Python's own collections and numbers are called for: ``RATES = {}``."""
    tree = parse_once(text)
    called = {read_called_name(n) for n in walk(tree) if isinstance(n, ast.Call)}
    return all(isinstance(s, ast.Assign | ast.AnnAssign) for s in tree.body) and called <= _MAKING


def describe_first_failure(
    runner: Runner, codes: Mapping[int, CodeType], inputs: Sequence[Input], faults: Collection[str], budget: int
) -> str:
    """The first of the ``inputs`` for which a patch raises one of the ``faults`` (``!IndexError``), in words; empty where there is none.

    What the functions are given they are given in one go, and ``budget`` is of all of it: each time all definitions run anew. What the
    user's checks say to raise is no failure.
    """
    given: dict[str, list[Input]] = {}
    for one in inputs:
        given.setdefault(one.function, []).append(one)
    for function, calls in given.items():
        arguments = [one.arguments for one in calls]
        (shown,) = collect_behaviours(runner, [dict(codes)], function, arguments, budget // len(given))
        for one, said in zip(calls, shown, strict=False):  # what does not run so far shows nothing
            is_meant = is_meant_to_raise(runner.program.checks, function, one.arguments, said[1:])
            if said in faults and not is_meant:
                return f"`{one.text}` raises {said[1:]} with it"
    return ""


def find_net(runner: Runner, steps: int = STEPS) -> float:
    """CPU seconds after which a call that may take so many steps is cut, whatever it counts."""
    return max(NET if steps > FEWER_STEPS else FEWER_NET, runner.slowest)


def count_cost(runner: Runner, shown: str, steps: int, most: int) -> int:
    """What a call of so many steps takes of those of a comparison: one that the net caught as many as it lasted."""
    return int(find_net(runner, most) * STEPS_PER_SECOND) if shown == TIMEOUT and steps < most else steps


_Prepared = tuple[Callable[[], Any], str]
"""What makes the arguments of a call anew, and their text; no text where nothing could change them."""


def _prepare_call(arguments: tuple[Any, ...]) -> _Prepared:
    try:
        copier, text = make_copier(arguments), repr(arguments)
    except ValueError as error:  # nothing is called with what is no plain data, or has no text: each call says so
        return functools.partial(_raise_again, error), ""
    return (copier, text) if copier is not None else (lambda: arguments, "")


def _raise_again(error: Exception) -> NoReturn:
    raise error


def _run_call(
    runner: Runner,
    call: Callable[..., Any],
    prepared: _Prepared,
    note: Callable[[BaseException], object] | None = None,
    steps: int = STEPS,
) -> str:
    """What a call gives, within so many steps."""
    copy_arguments, before = prepared
    try:
        with runner.count(steps, find_net(runner, steps)):
            given = copy_arguments()
            value = call(*given)
            if hasattr(value, "__next__"):
                value = [v for v, _ in zip(value, range(1000), strict=False)]
            shown = _show_function(value, given) if isinstance(value, FunctionType) else show_value(value)
            left = (
                call.show_change(value, _list_read_attributes(runner.program)) if isinstance(call, MethodCall) else ""
            )
            return (
                _ADDRESS.sub("", shown)[:2000]
                + _ADDRESS.sub("", left)
                + (CHANGES if before and repr(given) != before else "")
            )
    except OutOfTime:
        return TIMEOUT
    except (Exception, SystemExit) as error:
        if note:
            note(error)
        return "!" + type(error).__name__


@functools.lru_cache(maxsize=8)
def _list_read_attributes(program: Program) -> frozenset[str]:
    """The attributes that checks ask about: what a method leaves in them is what it is called for."""
    trees = (ast.parse(u.text) for u in program.units if u.role == CHECK or u.tests)
    return frozenset(n.attr for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Attribute))


def unify_rounding(shown: Sequence[list[str]]) -> None:
    """Give results that differ in the last digits of their floats alone the text of the first of them, in place: ``exp(-x)`` and
    ``1 / exp(x)`` are one behaviour."""
    for at in range(max(map(len, shown), default=0)):
        first: dict[str, str] = {}
        for row in shown:
            if at < len(row):
                rounded = _FLOAT.sub(lambda m: repr(float(f"{float(m[0]):.9g}")), row[at])
                row[at] = first.setdefault(rounded, row[at])


def _show_function(function: FunctionType, given: tuple[Any, ...]) -> str:
    """A function by what it gives for the arguments that it was made of: two that are made alike are told apart by that alone."""
    arguments = tuple(itertools.islice(itertools.cycle(given), function.__code__.co_argcount)) if given else ()
    return f"{FUNCTION}{function(*arguments)!r} for {arguments!r}"


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_FLOAT = re.compile(r"(?<![\w.])\d+\.\d{9,}(?:e[+-]?\d+)?|(?<![\w.])\d(?:\.\d+)?e[+-]?\d+")


def group_alike(shown: Sequence[Sequence[str]]) -> list[list[int]]:
    """Indices of variants that behave alike, in order of their first member."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for n, signature in enumerate(shown):
        groups.setdefault(tuple(signature), []).append(n)
    return list(groups.values())
