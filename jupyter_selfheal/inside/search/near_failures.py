"""Does a patched function fail where no check comes to, by a fault of its own?

For a list like those of the checks and shorter, an ``IndexError`` is one: ``seq[len(seq)]``, or ``seq[i + 1]`` in the last round. So is a name
that nothing defines, run or not.
"""

from __future__ import annotations

import builtins
import re
import symtable
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.broken_laws import list_alike, list_relations
from jupyter_selfheal.inside.search.compare_behaviour import Input, describe_first_failure
from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.inside.search.input_domain import ENOUGH, conform_inputs, list_covered, list_near
from jupyter_selfheal.inside.search.run_candidate import Runner

Arguments = tuple[Any, ...]

STEPS = 400_000
"""Steps that all calls may take."""
_WORD = re.compile(r"\w+")
_FAULTS = ("!IndexError", "!UnboundLocalError")


def list_near_inputs(calls: Sequence[Arguments], checked: Sequence[Arguments], function: str) -> list[Input]:
    """Calls like the ``checked`` ones and no larger, of which no fault of the caller's is to be expected.

    That takes a function of one flat list of numbers, whose length is free: the checked ones have several. The numbers beside it
    are places in it, or are to it what they are in every checked call (greater than all items, or no greater than its length). Empty where there are none.
    """
    places = {n for arguments in checked for n, value in enumerate(arguments) if not isinstance(value, int | float)}
    if len(places) != 1 or not all(_is_flat(arguments, places) for arguments in checked):
        return []
    at = places.pop()
    if len({len(arguments[at]) for arguments in checked}) < 2:
        return []
    given = [g for g in conform_inputs(generate_inputs(calls), checked) if _has_numbers(g, at)]
    related = [frozenset(_list_relations(arguments, at)) for arguments in checked if _has_numbers(arguments, at)]
    held = frozenset.intersection(*related) if related else frozenset()
    sizes = (
        frozenset.intersection(*(frozenset(list_relations(c)) for c in checked))
        if len(checked) >= ENOUGH
        else frozenset()
    )
    told = zip(given, list_covered(given, checked), list_near(given, checked), strict=True)
    return [
        Input(function, g)
        for g, is_covered, is_near in told
        if (is_covered and _is_within(g, at))
        or (is_near and held <= frozenset(_list_relations(g, at)) and sizes <= frozenset(list_relations(g)))
    ]


def _is_flat(arguments: Arguments, places: Collection[int]) -> bool:
    return all(
        isinstance(arguments[n], list | tuple) and all(isinstance(item, int | float) for item in arguments[n])
        for n in places
        if n < len(arguments)
    ) and len(arguments) > max(places)


def _has_numbers(arguments: Arguments, at: int) -> bool:
    """Whether there is a list of numbers with something in it: calls of other cells may give something else."""
    return _is_flat(arguments, {at}) and bool(arguments[at])


def _is_within(arguments: Arguments, at: int) -> bool:
    """Whether nothing but places in the list is beside it."""
    beside = (value for n, value in enumerate(arguments) if n != at)
    return all(isinstance(value, int | float) and abs(value) < len(arguments[at]) for value in beside)


def _list_relations(arguments: Arguments, at: int) -> Iterator[tuple[int, str]]:
    """How the numbers beside the list stand to it: a place in it, one of its items, greater or less than all of them."""
    items = arguments[at]
    for n, value in enumerate(arguments):
        if n == at or not isinstance(value, int | float):
            continue
        yield n, "a place" if abs(value) < len(items) else "no place"
        yield n, "an item" if value in items else "no item"
        if value > max(items):
            yield n, "above"
        if value < min(items):
            yield n, "below"


def describe_near_failure(runner: Runner, codes: Mapping[int, CodeType], inputs: Sequence[Input]) -> str:
    """The doubt about a patch with which one of the ``inputs`` raises an error that nobody means; empty where none does."""
    return describe_first_failure(runner, codes, inputs, _FAULTS, STEPS)


def describe_unbound(
    runner: Runner,
    codes: Mapping[int, CodeType],
    function: str,
    calls: Sequence[Arguments],
    checked: Sequence[Arguments],
) -> str:
    """The doubt about a patch with which a call like the ``checked`` ones reads a variable that nothing has set: nobody means that, however
    many checks there are that do not come to it."""
    if not checked:
        return ""
    inputs = [Input(function, given) for given in list_alike(calls, checked)]
    return describe_first_failure(runner, codes, inputs, ("!UnboundLocalError",), STEPS)


def find_unknown_name(text: str, known: Collection[str]) -> str:
    """A name that the function in ``text`` reads and that neither it, nor Python, nor what is ``known`` defines; empty where there is none."""
    if "import *" in text:
        return ""
    names = _list_read_globals(symtable.symtable(text, "cell", "exec"))
    return next((n for n in names if n not in known and not hasattr(builtins, n) and not n.startswith("__")), "")


def list_bound(texts: Iterable[str]) -> set[str]:
    """The global names that units bind: whatever binds them, ``global`` in a function too. Of what is no whole program, every word."""
    bound = set[str]()
    for text in texts:
        try:
            table = symtable.symtable(text, "cell", "exec")
        except SyntaxError:
            bound.update(_WORD.findall(text))
        else:
            bound.update(_list_bound_globals(table))
    return bound


def _list_bound_globals(table: symtable.SymbolTable) -> Iterator[str]:
    is_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        is_bound = symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
        if is_bound and (is_top or symbol.is_declared_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _list_bound_globals(inner)


def _list_read_globals(table: symtable.SymbolTable) -> Iterator[str]:
    for inner in table.get_children():
        if inner.get_type() == "function":
            # A function that is named `top`, as symtable names a module, has its own variables for globals too.
            yield from (
                s.get_name() for s in inner.get_symbols() if s.is_global() and not s.is_local() and s.is_referenced()
            )
        yield from _list_read_globals(inner)
