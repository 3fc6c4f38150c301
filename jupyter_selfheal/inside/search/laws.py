"""What holds of every checked call of a function (its laws), and whether a patch breaks one of them where no check comes to.

Each call of ``unique`` that is checked gives every item once: with two of ``[2, 2]`` a second fault is left, which no check reaches. A law
says how a result stands to what was given: it has the same items, some of them, each once, in order, as many, or is a place, a count or an
item of it (Ernst et al. 2001, "Dynamically discovering likely program invariants"; of results and arguments, as metamorphic testing asks).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

FEWEST = 3
"""Checked calls that must each say something of a law, by different results, and all the same."""
PARTS = 3
"""Parts of records by which they may be in order."""
Arguments = tuple[Any, ...]
Law = Callable[[Arguments, Any], bool | None]
"""Whether it holds of a call and its result; None where that call says nothing of it."""


@dataclass(frozen=True, slots=True)
class NamedLaw:
    """A law, and how it is told."""

    words: str
    holds: Law


def list_laws(known: Sequence[tuple[Arguments, Any]]) -> list[NamedLaw]:
    """The laws that hold of every checked call, and of which enough of them say something."""
    counts = {len(given) for given, _ in known}
    if len(counts) != 1:
        return []
    laws = []
    for law in _list_possible_laws(counts.pop()):
        told: dict[str, bool] = {}
        for given, result in known:
            if (holds := law.holds(given, result)) is not None:
                told[repr((given, result))] = holds
        if len(told) >= FEWEST and all(told.values()):
            laws.append(law)
    return laws


def _list_possible_laws(count: int) -> Iterator[NamedLaw]:
    yield NamedLaw("is not in order", _is_ascending)
    yield NamedLaw("is not in falling order", _is_descending)
    for part, reverse in itertools.product(range(PARTS), (False, True)):
        order = "falling order" if reverse else "order"
        yield NamedLaw(f"is not in {order} by `[{part}]`", _ask_parts(part, reverse))
    for at in range(count):
        whole = f"what it is given (argument {at + 1})" if count > 1 else "what it is given"
        for words, of_one in _OF_ONE:
            yield NamedLaw(words.format(whole=whole), _ask_one(at, of_one))
    for at, other in itertools.permutations(range(count), 2):
        for words, of_two in _OF_TWO:
            yield NamedLaw(words, _ask_two(at, other, of_two))


def _ask_one(at: int, holds: Callable[[Any, Any], bool | None]) -> Law:
    def ask(given: Arguments, result: Any) -> bool | None:
        """What is another argument as it was given says nothing of this one."""
        beside = (other for n, other in enumerate(given) if n != at)
        if isinstance(result, list | tuple | str) and any(type(o) is type(result) and o == result for o in beside):
            return None
        return holds(given[at], result)

    return ask


def _ask_two(at: int, other: int, holds: Callable[[Any, Any, Any], bool | None]) -> Law:
    return lambda given, result: holds(given[at], given[other], result)


def _ask_parts(at: int, reverse: bool) -> Law:
    return lambda given, result: _is_ordered([_take_parts(a, at) for a in given], _take_parts(result, at), reverse)


def _take_parts(value: Any, at: int) -> list[Any] | None:
    """One part of each record of a list; None where it holds anything else."""
    if not isinstance(value, list | tuple) or not all(type(item) in (list, tuple) and len(item) > at for item in value):
        return None
    return [item[at] for item in value]


def _is_items(value: Any) -> bool:
    return isinstance(value, list | tuple | str)


def _is_ascending(given: Arguments, result: Any) -> bool | None:
    return _is_ordered(given, result, reverse=False)


def _is_descending(given: Arguments, result: Any) -> bool | None:
    return _is_ordered(given, result, reverse=True)


def _is_ordered(given: Sequence[Any], result: Any, reverse: bool) -> bool | None:
    if not isinstance(result, list | tuple) or len(result) < 2:
        return None
    try:
        wanted = sorted(result, reverse=reverse)
        is_given = any(isinstance(a, list | tuple) and list(a) == sorted(a, reverse=reverse) for a in given)
    except TypeError:
        return None
    if (is_given and list(result) == wanted) or wanted[0] == wanted[-1]:
        return None
    return list(result) == wanted


def _drop_space(items: Any) -> Any:
    return "".join(items.split()) if isinstance(items, str) else items


def _count_items(items: Any) -> dict[str, int]:
    """How often each item comes; of a text its letters, without the space between words, which is put anew or not at all."""
    counted: dict[str, int] = {}
    for item in _drop_space(items):
        counted[repr(item)] = counted.get(repr(item), 0) + 1
    return counted


def _has_same_items(whole: Any, result: Any) -> bool | None:
    if not _can_hold(whole, result) or not _is_items(result) or len(whole) < 2:
        return None
    return _count_items(whole) == _count_items(result)


def _can_hold(whole: Any, result: Any) -> bool:
    """Whether a result may have items of what was given; a text has letters of a text."""
    if isinstance(result, str):
        return isinstance(whole, str)
    return _is_items(whole) and isinstance(result, list | tuple | dict | set)


def _has_each(whole: Any, result: Any) -> bool | None:
    if not _can_hold(whole, result) or not len(whole):
        return None
    return set(_count_items(whole)) <= set(_count_items(result))


def _has_only(whole: Any, result: Any) -> bool | None:
    if not _can_hold(whole, result) or not len(result):
        return None
    return set(_count_items(result)) <= set(_count_items(whole)) and not _changes_case(whole, result)


def _changes_case(whole: Any, result: Any) -> bool:
    """Whether letters come out small that were given as capitals: `{"a": 2}` of `"Ana"`. Then a small letter need be none of what is given."""
    if not isinstance(whole, str) or isinstance(result, str):
        return False
    given = {item.lower() for item in result if isinstance(item, str)}
    return any(c.isupper() and c not in result and c.lower() in given for c in whole)


def _has_no_more(whole: Any, result: Any) -> bool | None:
    if not _can_hold(whole, result) or not len(result) or len(set(_count_items(whole))) == len(whole):
        return None
    counted = _count_items(whole)
    return all(n <= counted.get(item, 0) for item, n in _count_items(result).items()) and not _changes_case(
        whole, result
    )


def _has_each_once(whole: Any, result: Any) -> bool | None:
    """Of what was given: an item and its place, or two counts, may well be equal."""
    if not _can_hold(whole, result) or len(set(_count_items(whole))) == len(whole):
        return None
    counted, given = _count_items(result), _count_items(whole)
    if not set(counted) <= set(given) or all(given[item] < 2 for item in counted):
        return None  # what is left out altogether (`[2, 3]` of `[1, 2, 1, 3]`) says nothing of what is kept
    return len(counted) == len(result)


def _is_in_its_order(whole: Any, result: Any) -> bool | None:
    if (
        not _is_items(whole)
        or not _is_items(result)
        or len(result) < 2
        or isinstance(whole, str) != isinstance(result, str)
    ):
        return None
    if _is_sorted(whole):
        return None  # what is put in order has its order, too
    left = iter(map(repr, whole))
    return all(item in left for item in map(repr, result))


def _is_sorted(whole: Any) -> bool:
    try:
        return list(whole) in (sorted(whole), sorted(whole, reverse=True))
    except TypeError:
        return False


def _is_as_long(whole: Any, result: Any) -> bool | None:
    if not _is_items(whole) or not _is_items(result) or isinstance(whole, str) != isinstance(result, str):
        return None  # `''.join` of letters is as long as their list, that of words is not
    return len(whole) == len(result) or len(_drop_space(whole)) == len(_drop_space(result))


def _is_its_count(whole: Any, result: Any) -> bool | None:
    if not isinstance(whole, int) or isinstance(whole, bool) or not _is_items(result):
        return None
    return len(result) == whole


def _is_its_item(whole: Any, result: Any) -> bool | None:
    if not _is_items(whole) or len(whole) < 2 or isinstance(result, bool | list | dict) or result is None:
        return None
    return repr(result) in set(_count_items(whole))


def _is_no_longer(whole: Any, result: Any) -> bool | None:
    if not _is_items(whole) or type(result) is not int or any(isinstance(item, list) for item in whole):
        return None  # of a table the length is no number of its cells
    return 0 <= result <= len(whole)


def _holds_parts(whole: Any, result: Any) -> bool | None:
    """Lists within the result, or a dictionary's, that have all items of what was given."""
    parts = list(result.values()) if isinstance(result, dict) else result
    if not _is_items(whole) or isinstance(parts, str) or not isinstance(parts, list | tuple) or not len(whole):
        return None
    if not all(isinstance(part, list | tuple) for part in parts):
        return None
    return _count_items(whole) == _count_items(itertools.chain.from_iterable(parts))


def _counts_all(whole: Any, result: Any) -> bool | None:
    if not _is_items(whole) or not isinstance(result, dict) or not len(whole):
        return None
    if not all(type(n) is int for n in result.values()):
        return None
    return sum(result.values()) == len(whole)


_OF_ONE: tuple[tuple[str, Callable[[Any, Any], bool | None]], ...] = (
    ("has not the same items as {whole}", _has_same_items),
    ("has not each item of {whole}", _has_each),
    ("has what is no item of {whole}", _has_only),
    ("has an item more often than {whole}", _has_no_more),
    ("has an item twice", _has_each_once),
    ("has not the order of {whole}", _is_in_its_order),
    ("is not as long as {whole}", _is_as_long),
    ("has not as many items as {whole} says", _is_its_count),
    ("is no item of {whole}", _is_its_item),
    ("is no number up to the length of {whole}", _is_no_longer),
    ("has not all items of {whole}", _holds_parts),
    ("does not count all items of {whole}", _counts_all),
)


def _has_items_of_both(one: Any, other: Any, result: Any) -> bool | None:
    if not _is_items(one) or not _is_items(result) or isinstance(one, str):
        return None
    added = list(other) if isinstance(other, list | tuple) else [other]
    return _count_items([*one, *added]) == _count_items(result)


def _has_only_of_both(one: Any, other: Any, result: Any) -> bool | None:
    """Only what is in both, and all of it."""
    if (
        not isinstance(one, list | tuple)
        or not isinstance(other, list | tuple)
        or not isinstance(result, list | tuple | set)
    ):
        return None
    return set(_count_items(result)) == set(_count_items(one)) & set(_count_items(other))


def _is_place_in_order(one: Any, other: Any, result: Any) -> bool | None:
    """The place of a number in a list that ascends: all that is before it is no greater, and nothing from there on is less."""
    is_list = isinstance(other, list | tuple) and len(other) > 0 and all(type(n) in (int, float) for n in other)
    if type(one) not in (int, float) or not is_list or type(result) is not int or list(other) != sorted(other):
        return None
    is_within = 0 <= result <= len(other)
    return is_within and all(n <= one for n in other[:result]) and all(n >= one for n in other[result:])


def _is_its_place(one: Any, other: Any, result: Any) -> bool | None:
    """A place where an item stands in a list; where it does not stand in it, nothing is said."""
    if not isinstance(other, list | tuple) or type(one) not in (int, float, str) or one not in other:
        return None
    return type(result) is int and 0 <= result < len(other) and bool(other[result] == one)


_OF_TWO: tuple[tuple[str, Callable[[Any, Any, Any], bool | None]], ...] = (
    ("is not its place in order", _is_place_in_order),
    ("is not where it stands", _is_its_place),
    ("has not the items of both", _has_items_of_both),
    ("has not what is in both", _has_only_of_both),
)
