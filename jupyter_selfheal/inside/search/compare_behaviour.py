"""Telling plausible patches apart: what they do on inputs that no check has.

Patches that agree on generated inputs are one hypothesis. A hypothesis that several edits lead to is likelier; where two
differ, one input on which they do is worth asking the user about.
"""

from __future__ import annotations

import ast
import functools
import itertools
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, ClassVar

from jupyter_selfheal.inside.search.called_functions import MethodCall, find_callable, show_value, write_call
from jupyter_selfheal.inside.search.count_steps import STEPS_PER_SECOND, OutOfTime
from jupyter_selfheal.inside.search.plain_data import copy_plain_data
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.search.run_candidate import Enough, Muted, Runner

INPUTS, SMALL = 120, 12
STEPS, OVERHEAD = 80_000, 80
"""Steps that a call may take, and what it counts beside its own."""
DEFINING = 10_000_000
"""Steps that the definitions may take."""
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
LEAST_MOVED = 3
"""Records that are needed for a part to be moved on: two are in one order or the other."""
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


def mutate_value(value: Any, rng: random.Random, known: Sequence[Any] = ()) -> Any:
    """A value of the same type, near the given one, or near a literal of the program (``known``)."""
    if known and type(value) in (int, str, float) and rng.random() < 0.3:
        value = _move_to_literal(value, rng.choice(known), rng)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        near = (value + 1, value - 1, 0, 1, 2, -value, value * 2, value // 2, value + rng.randint(2, 9))
        return rng.choice((*near, value - rng.randint(2, 30), rng.randint(-99, 99)))
    if isinstance(value, float):
        return rng.choice((value + 1, value - 1, 0.0, 1.0, -value, value * 2, value / 2, value + 0.5))
    if isinstance(value, str):
        return _mutate_text(value, rng)
    if isinstance(value, list | tuple):
        return type(value)(_mutate_items(list(value), rng, known))
    if isinstance(value, dict):
        keys = list(value)
        kept = {k: value[k] for k in keys if rng.random() < 0.85}
        return {k: mutate_value(v, rng, known) if rng.random() < 0.3 else v for k, v in kept.items()}
    if isinstance(value, set | frozenset):
        return type(value)(v for v in value if rng.random() < 0.8)
    return value


def _move_to_literal(value: Any, literal: Any, rng: random.Random) -> Any:
    """A value moved to a literal of its type: a number becomes it, a text gets it (or a letter of it) somewhere."""
    if isinstance(value, str) and isinstance(literal, str) and literal:
        at = rng.randint(0, len(value))
        return value[:at] + rng.choice((literal, rng.choice(literal))) + value[at:]
    return literal if type(value) is type(literal) else value


def _mutate_text(value: str, rng: random.Random) -> str:
    at = rng.randint(0, len(value))
    letters = value or "ab 1"
    kind = rng.randint(0, 6)
    if kind == 0:
        return value[:at] + rng.choice(letters) + value[at:]
    if kind == 1:
        return value[:at] + value[at + 1 :]
    if kind == 2:
        return value[:at]
    if kind == 3:
        return "".join(rng.sample(value, len(value)))
    if kind == 4:
        return value.swapcase()
    return value[at:] + value[:at] if kind == 5 else value + rng.choice("aZ 0,.")


def _mutate_items(value: list[Any], rng: random.Random, known: Sequence[Any]) -> list[Any]:
    change = _mutate_record if len({len(v) for v in value if isinstance(v, tuple)}) == 1 else mutate_value
    at = rng.randint(0, len(value))
    kind = rng.randint(0, 6)
    if kind == 0 and value:
        value[at % len(value)] = change(value[at % len(value)], rng, known)
    elif kind == 1 and value:
        value.pop(at % len(value))
    elif kind == 2 and value:
        value.insert(at, rng.choice(value))
    elif kind == 3:
        rng.shuffle(value)
    elif kind == 4:
        value = value[:at]
    elif kind == 5 and value:
        value.insert(at, change(rng.choice(value), rng, known))
    else:
        value = [change(v, rng, known) if rng.random() < 0.4 else v for v in value]
    return value


def _mutate_record(value: Any, rng: random.Random, known: Sequence[Any]) -> Any:
    """An item of a list whose tuples have one length: each part stays in its place, as what it is may hang on that (a name and an age)."""
    if type(value) is not tuple:
        return mutate_value(value, rng, known)
    return tuple(mutate_value(v, rng, known) if rng.random() < 0.6 else v for v in value)


def _list_small_inputs(calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Calls with no more than the first one or two items of a list, with each number or text beside it equal to one of them: most
    faults show for a small input (Jackson 1996, "the small scope hypothesis")."""
    for arguments in calls:
        for at, items in enumerate(arguments):
            if not isinstance(items, list | tuple) or not items:
                continue
            beside = [n for n, value in enumerate(arguments) if n != at and type(value) is type(items[0])]
            for few in dict.fromkeys((1, min(2, len(items)))):
                for item in items[:few] if beside else items[:1]:
                    replaced = dict.fromkeys(beside, item) | {at: items[:few]}
                    yield tuple(copy_plain_data(replaced.get(n, value)) for n, value in enumerate(arguments))


def _list_tied_inputs(calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Calls whose records (tuples in lists) agree in one part and differ in the others: what they are ordered by, and what comes of a
    tie, shows there."""
    records = [_list_records(arguments) for arguments in calls]
    lengths = {len(record) for found in records for record in found}
    if len(lengths) != 1:
        return
    length = lengths.pop()
    parts = [list({repr(r[at]): r[at] for found in records for r in found}.values()) for at in range(length)]
    for arguments, found in zip(calls, records, strict=True):
        for tied, first in itertools.product(range(length), (0, 1)) if len(found) > 1 else ():
            made = (
                tuple(values[0] if at == tied else values[n % len(values)] for at, values in enumerate(parts))
                for n in itertools.count(first)
            )
            yield tuple(
                [next(made) if type(item) is tuple else copy_plain_data(item) for item in value]
                if isinstance(value, list)
                else copy_plain_data(value)
                for value in arguments
            )


def _list_moved_inputs(calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Calls of three records or more in which one part is moved on from each to the next, the rest as it was: an order by that part shows
    where the records ascend by another in each call that is seen."""
    for arguments in calls:
        for place, value in enumerate(arguments):
            if (
                not isinstance(value, list)
                or len(value) < LEAST_MOVED
                or any(type(item) is not tuple for item in value)
            ):
                continue
            if len({len(item) for item in value}) != 1:
                continue
            for at, by in itertools.product(range(len(value[0])), range(1, LEAST_MOVED)):
                parts = [item[at] for item in value]
                moved = [
                    (*item[:at], part, *item[at + 1 :])
                    for item, part in zip(value, parts[by:] + parts[:by], strict=True)
                ]
                yield tuple(copy_plain_data(moved if n == place else other) for n, other in enumerate(arguments))


def _list_records(arguments: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [item for value in arguments if isinstance(value, list) for item in value if type(item) is tuple]


def generate_inputs(
    calls: Sequence[tuple[Any, ...]], size: int = INPUTS, seed: int = 0, known: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """Distinct argument lists: those seen first, then the smallest ones made of their parts, then those whose records are tied, or have a
    part moved on, then mutations of those seen, of mutations too, some towards literals in ``known``."""
    rng = random.Random(seed)
    inputs: dict[str, tuple[Any, ...]] = {repr(c): c for c in calls}
    pool = list(inputs.values())
    for ready in (_list_small_inputs(calls), _list_tied_inputs(calls), _list_moved_inputs(calls)):
        size += len(small := list(itertools.islice(ready, SMALL)))
        inputs |= {repr(s): s for s in small if repr(s) not in inputs}
    for _ in range(size * 8):
        if len(inputs) >= size + len(calls) or not pool:
            break
        base = list(rng.choice(pool))
        for n in range(len(base)):
            if len(base) == 1 or rng.random() < 0.6:
                base[n] = mutate_value(copy_plain_data(base[n]), rng, known)
        new = tuple(base)
        if repr(new) not in inputs:
            inputs[repr(new)] = new
            pool.append(new)
    return list(inputs.values())


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
    import contextlib

    behaviours: list[list[str]] = []
    left = budget
    looped = [0] * len(given)
    with contextlib.redirect_stdout(Muted()), contextlib.redirect_stderr(Muted()):
        for place, codes in enumerate(variants):
            shown: list[str] = []
            kept = left - left // (len(variants) - place)
            with contextlib.suppress(Exception, OutOfTime, Enough), runner.preserve_state():
                with runner.count(DEFINING):
                    for n, unit in enumerate(runner.program.units):
                        if unit.role == "define" or (
                            unit.role == "cell" and unit.text.startswith(("def ", "class ", "@", "import ", "from "))
                        ):
                            exec(codes.get(n, runner.codes[n]), runner.ns)
                call = find_callable(runner.ns, function)
                for at, arguments in enumerate(given if call is not None else ()):
                    if left <= kept or call is None or shown.count(TIMEOUT) >= LOOPS or shown.count(FULL) >= LOOPED:
                        shown.append(LATE)
                    else:
                        most = FEWER_STEPS if max(looped[at], shown.count(TIMEOUT)) >= LOOPED else STEPS
                        before = runner.counter.total
                        shown.append(_run_call(runner, call, arguments, note, most))
                        used = runner.counter.total - before
                        looped[at] += (LOOPED if used < most else 1) if shown[-1] == TIMEOUT else 0
                        left -= OVERHEAD + count_cost(runner, shown[-1], used, most)
            behaviours.append(shown)
    return behaviours


def describe_first_failure(
    runner: Runner, codes: Mapping[int, CodeType], inputs: Sequence[Input], faults: Collection[str], budget: int
) -> str:
    """The first of the ``inputs`` for which a patch raises one of the ``faults`` (``!IndexError``), in words; empty where there is none.

    What the functions are given they are given in one go, and ``budget`` is of all of it: each time all definitions run anew.
    """
    given: dict[str, list[Input]] = {}
    for one in inputs:
        given.setdefault(one.function, []).append(one)
    for function, calls in given.items():
        arguments = [one.arguments for one in calls]
        (shown,) = collect_behaviours(runner, [dict(codes)], function, arguments, budget // len(given))
        for one, said in zip(calls, shown, strict=False):  # what does not run so far shows nothing
            if said in faults:
                return f"`{one.text}` raises {said[1:]} with it"
    return ""


def find_net(runner: Runner, steps: int = STEPS) -> float:
    """CPU seconds after which a call that may take so many steps is cut, whatever it counts."""
    return max(NET if steps > FEWER_STEPS else FEWER_NET, runner.slowest)


def count_cost(runner: Runner, shown: str, steps: int, most: int) -> int:
    """What a call of so many steps takes of those of a comparison: one that the net caught as many as it lasted."""
    return int(find_net(runner, most) * STEPS_PER_SECOND) if shown == TIMEOUT and steps < most else steps


def _run_call(
    runner: Runner,
    call: Callable[..., Any],
    arguments: tuple[Any, ...],
    note: Callable[[BaseException], object] | None = None,
    steps: int = STEPS,
) -> str:
    """What a call gives, within so many steps."""
    try:
        with runner.count(steps, find_net(runner, steps)):
            given = copy_plain_data(arguments)
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
                + (CHANGES if repr(given) != repr(arguments) else "")
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


def name_type(shown: str) -> str:
    """The type of a shown result: of a literal its name, else nothing."""
    try:
        return type(ast.literal_eval(shown.removesuffix(CHANGES))).__name__
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""


def collect_expected_types(program: Program) -> frozenset[str]:
    """The types of the results that the checks expect: ``assert f(2) == 4`` tells ``int``."""
    texts = [u.text for u in program.units if u.role == CHECK or u.tests] + list(program.checks)
    types = {name_type(text) for text in (program.expect, *(d.want.strip() for d in program.doctests)) if text}
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.Is):
                types |= {name_type(ast.unparse(side)) for side in (node.left, node.comparators[0])}
    return frozenset(types - {""})


def measure_strangeness(shown: Sequence[str], before: Sequence[str], expected: frozenset[str]) -> float:
    """0–1: the share of results that are errors where there was none before, or of a type that no check expects; 1 too where
    everything is the same and was not before; 1.5 where arguments are changed in place that were left alone before."""
    if not shown or len(shown) != len(before):
        return 0.0
    if any(now.endswith(CHANGES) and not then.endswith(CHANGES) for now, then in zip(shown, before, strict=True)):
        return 1.5 if not any(then.endswith(CHANGES) for then in before) else 0.0
    odd = 0
    for now, then in zip(shown, before, strict=True):
        if now.startswith("!"):
            odd += not then.startswith("!")
        elif expected and (now_type := name_type(now)):
            odd += now_type not in expected and not (now_type == "int" and "float" in expected)
    if len(set(shown)) == 1 and (len(set(before)) > 2 or len({then for then in before if then[:1] != "!"}) > 1):
        return 1.0
    return odd / len(shown)


def group_alike(shown: Sequence[Sequence[str]]) -> list[list[int]]:
    """Indices of variants that behave alike, in order of their first member."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for n, signature in enumerate(shown):
        groups.setdefault(tuple(signature), []).append(n)
    return list(groups.values())
