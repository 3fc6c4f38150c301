"""Which inputs a function is for, as far as its checks show; and the shortest input that still tells two changes apart.

Properties that hold in every checked call (Ernst et al. 2001, "Dynamically discovering likely program invariants"): all lists hold
something, no item comes twice, items ascend, no number is negative, a table's rows are as long as each other, two lists have one shape. An input without one of them may be none that is meant.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

ENOUGH = 4
"""Checked calls below which a property may hold by chance."""
TRIES = 150
"""Smaller inputs that are tried."""

Arguments = tuple[Any, ...]


def list_properties(arguments: Arguments) -> frozenset[tuple[int, str]]:
    """What holds of each argument, by its position, and of one beside another."""
    own = ((n, name) for n, value in enumerate(arguments) for name in _list_properties(value))
    lists = [(n, value) for n, value in enumerate(arguments) if isinstance(value, list | tuple)]
    alike = (
        (n, f"the shape of {m}")
        for (m, one), (n, other) in itertools.combinations(lists, 2)
        if _has_shape_of(one, other)
    )
    return frozenset((*own, *alike))


def _has_shape_of(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two lists are as long as each other, and so are the lists in them."""
    if len(one) != len(other):
        return False
    return all(
        _has_shape_of(a, b) if isinstance(a, list | tuple) and isinstance(b, list | tuple) else True
        for a, b in zip(one, other, strict=True)
    )


def _list_properties(value: Any) -> Iterator[str]:
    numbers = list(_list_numbers(value))
    if all(n >= 0 for n in numbers):
        yield "none negative"
    if all(n > 0 for n in numbers):
        yield "all positive"
    if isinstance(value, list | tuple | str | dict | set):
        if len(value):
            yield "not empty"
        if isinstance(value, list | tuple):
            yield from _list_item_properties(list(value))


def _list_item_properties(items: list[Any]) -> Iterator[str]:
    if len({repr(i) for i in items}) == len(items):
        yield "all different"
    if all(isinstance(i, list | tuple) for i in items) and len({len(i) for i in items}) <= 1:
        yield "rows of one length"
    try:
        if items == sorted(items):
            yield "ascending"
    except TypeError:
        return


def _list_numbers(value: Any) -> Iterator[float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _list_numbers(item)


def infer_domain(checked: Sequence[Arguments]) -> frozenset[tuple[int, str]]:
    """The properties of every checked call; none where there are too few calls to say so."""
    if len(checked) < ENOUGH:
        return frozenset()
    return frozenset.intersection(*(list_properties(a) for a in checked))


def conform_inputs(inputs: Sequence[Arguments], checked: Sequence[Arguments]) -> list[Arguments]:
    """The inputs, each once: lists that ascend in every checked call are put in order, and hold no item twice where those do not."""
    domain = infer_domain(checked)
    if not any(name == "ascending" for _, name in domain):
        return list(inputs)
    known = {repr(c) for c in checked}
    conformed = (g if repr(g) in known else _conform_arguments(g, domain) for g in inputs)
    return list({repr(g): g for g in conformed}.values())


def _conform_arguments(arguments: Arguments, domain: Collection[tuple[int, str]]) -> Arguments:
    made = list(arguments)
    for n, value in enumerate(arguments):
        if (n, "ascending") not in domain or type(value) not in (list, tuple):
            continue
        items = {repr(i): i for i in value}.values() if (n, "all different") in domain else value
        with contextlib.suppress(TypeError):
            made[n] = type(value)(sorted(items))
    return tuple(made)


def list_covered(inputs: Sequence[Arguments], checked: Sequence[Arguments]) -> list[bool]:
    """For each input whether it has all that those of every checked call have, be they few, and is no larger: of the same types, no longer
    than the shortest one, with no larger number."""
    if not checked:
        return [False] * len(inputs)
    held = frozenset.intersection(*map(_list_strict_properties, checked))
    counts, largest = {len(c) for c in checked}, max(map(_measure_size, checked))
    shortest = min(len(repr(c)) for c in checked)  # what takes long may end all the same
    return [
        counts == {len(given)}
        and len(repr(given)) <= shortest
        and _measure_size(given) <= largest
        and held <= _list_strict_properties(given)
        for given in inputs
    ]


def list_near(inputs: Sequence[Arguments], checked: Sequence[Arguments]) -> list[bool]:
    """For each input whether it is like the checked ones: with all properties that these share, of their types, and no longer and with no
    larger number than the greatest of them."""
    if not checked:
        return [False] * len(inputs)
    held = frozenset.intersection(*map(list_properties, checked))
    types = {tuple(type(value).__name__ for value in arguments) for arguments in checked}
    largest, longest = max(map(_measure_size, checked)), max(len(repr(c)) for c in checked)
    return [
        tuple(type(value).__name__ for value in given) in types
        and len(repr(given)) <= longest
        and _measure_size(given) <= largest
        and held <= list_properties(given)
        for given in inputs
    ]


def is_related(arguments: Arguments, checked: Sequence[Arguments]) -> bool:
    """Whether one argument is an item of another wherever it is in every checked call: what is looked for is there."""
    held = frozenset.intersection(*map(_list_items_within, checked)) if checked else frozenset()
    return held <= _list_items_within(arguments)


def _list_strict_properties(arguments: Arguments) -> frozenset[tuple[int, str]]:
    return list_properties(arguments) | {(n, type(value).__name__) for n, value in enumerate(arguments)}


def _list_items_within(arguments: Arguments) -> frozenset[tuple[int, int]]:
    pairs = itertools.permutations(enumerate(arguments), 2)
    return frozenset((n, m) for (n, value), (m, other) in pairs if _is_item(value, other))


def _is_item(value: Any, other: Any) -> bool:
    try:
        return isinstance(other, list | tuple | dict | set | str) and value in other
    except TypeError:
        return False


def _measure_size(arguments: Arguments) -> float:
    """The largest of the numbers and lengths."""
    lengths = (len(a) for a in arguments if isinstance(a, list | tuple | str | dict | set))
    return max([0.0, *map(abs, _list_numbers(arguments)), *lengths])


def shrink_input(arguments: Arguments, is_telling: Callable[[Arguments], bool]) -> Arguments:
    """The smallest arguments found by steps that each leave them telling; greedy, so that it ends soon (Zeller 2002)."""
    left = TRIES
    best, is_smaller = arguments, True
    while is_smaller and left > 0:
        is_smaller = False
        for smaller in itertools.chain(_list_smaller(best), _list_with_smaller_numbers(best)):
            left -= 1
            if left < 0:
                break
            if _measure_value(smaller) < _measure_value(best) and is_telling(smaller):
                best, is_smaller = smaller, True
                break
    return best


def _list_with_smaller_numbers(arguments: Arguments) -> Iterator[Arguments]:
    """The arguments with a number replaced wherever it stands: what two arguments have in common stays in common."""
    for number in sorted({n for n in _list_numbers(arguments) if type(n) is int and n not in (0, 1)}):
        yield from (_replace_number(arguments, number, smaller) for smaller in (0, 1, 2, 3) if smaller != number)


def _replace_number(value: Any, old: float, new: float) -> Any:
    if type(value) is int:
        return new if value == old else value
    return type(value)(_replace_number(v, old, new) for v in value) if isinstance(value, list | tuple | set) else value


def _measure_value(value: Any) -> tuple[int, str]:
    text = repr(value)
    return len(text), text


def _list_smaller(value: Any) -> Iterator[Any]:
    """Values of the same type with less in them, the boldest first."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield from (type(value)(n) for n in (0, 1, 2, 3, value // 2, value - 1 if value > 0 else -value))
    elif isinstance(value, str):
        yield from (value[: len(value) // 2], value[len(value) // 2 :])
        yield from (value[:n] + value[n + 1 :] for n in range(len(value)))
    elif isinstance(value, list | tuple):
        yield from _list_smaller_sequences(value)
    elif isinstance(value, dict):
        yield from ({k: v for k, v in value.items() if k != left} for left in value)


def _list_smaller_sequences(value: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    if isinstance(value, list):
        yield from (value[: len(value) // 2], value[len(value) // 2 :])
        yield from (value[:n] + value[n + 1 :] for n in range(len(value)))
    for n, item in enumerate(value):
        for smaller in _list_smaller(item):
            yield type(value)([*value[:n], smaller, *value[n + 1 :]])
