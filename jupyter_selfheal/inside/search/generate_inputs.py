"""Inputs made of those that were seen: small ones, tied and moved records, and mutations of what a call was given."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from jupyter_selfheal.inside.search.plain_data import copy_plain_data

INPUTS, SMALL = 120, 12
SHAPED = 24
"""Calls with texts of the shape of those that were seen."""
LEAST_MOVED = 3
"""Records that are needed for a part to be moved on: two are in one order or the other."""


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


def _list_shaped_inputs(calls: Sequence[tuple[Any, ...]], seed: int) -> Iterator[tuple[Any, ...]]:
    """Calls with other digits in their texts: what reads ``10:02:11`` or ``3x4`` fails for nearly all that a letter more or less makes of it."""
    rng = random.Random(seed)
    shaped = [c for c in calls if any(isinstance(v, str) and _has_shape(v) for v in c)]
    for arguments in itertools.chain.from_iterable(itertools.repeat(shaped, SHAPED)):
        yield tuple(
            _change_digits(v, rng) if isinstance(v, str) and _has_shape(v) else copy_plain_data(v) for v in arguments
        )


def _has_shape(text: str) -> bool:
    """Whether a text holds digits, and something that stands between or beside them."""
    return any(c.isdigit() for c in text) and not text.isdigit()


def _change_digits(text: str, rng: random.Random) -> str:
    """A text of the same shape: each digit is another one, but for a 0 at the beginning of a number."""
    before = zip(" " + text, text, strict=False)
    return "".join(
        c if not c.isdigit() or (c == "0" and not b.isdigit()) else rng.choice("123456789") for b, c in before
    )


def _list_records(arguments: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [item for value in arguments if isinstance(value, list) for item in value if type(item) is tuple]


def generate_inputs(
    calls: Sequence[tuple[Any, ...]], size: int = INPUTS, seed: int = 0, known: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """Distinct argument lists: those seen first, then the smallest ones made of their parts, then those whose records are tied, or have a
    part moved on, then those whose texts have other digits, then mutations of those seen, of mutations too, some towards literals in ``known``."""
    rng = random.Random(seed)
    inputs: dict[str, tuple[Any, ...]] = {repr(c): c for c in calls}
    pool = list(inputs.values())
    made = (_list_small_inputs(calls), _list_tied_inputs(calls), _list_moved_inputs(calls))
    shaped = itertools.islice(_list_shaped_inputs(calls, seed), SHAPED)
    for ready in (*(itertools.islice(m, SMALL) for m in made), shaped):
        size += len(added := list(ready))
        inputs |= {repr(a): a for a in added if repr(a) not in inputs}
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
