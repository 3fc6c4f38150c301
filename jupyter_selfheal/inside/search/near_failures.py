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

from jupyter_selfheal.inside.search.compare_behaviour import Input, describe_first_failure, generate_inputs
from jupyter_selfheal.inside.search.input_domain import list_covered
from jupyter_selfheal.inside.search.run_candidate import Runner

Arguments = tuple[Any, ...]

STEPS = 400_000
"""Steps that all calls may take."""
_WORD = re.compile(r"\w+")
_FAULTS = ("!IndexError", "!UnboundLocalError")


def list_near_inputs(calls: Sequence[Arguments], checked: Sequence[Arguments], function: str) -> list[Input]:
    """Calls like the ``checked`` ones and no larger, of which no fault of the caller's is to be expected.

    That takes a function of one flat list of numbers, whose length is free: the checked ones have several. No number beside it may be
    meant for a place in it that it does not have. Empty where there are none.
    """
    places = {n for arguments in checked for n, value in enumerate(arguments) if not isinstance(value, int | float)}
    if len(places) != 1 or not all(_is_flat(arguments, places) for arguments in checked):
        return []
    at = places.pop()
    if len({len(arguments[at]) for arguments in checked}) < 2:
        return []
    given = generate_inputs(calls)
    pairs = zip(given, list_covered(given, checked), strict=True)
    return [Input(function, g) for g, is_covered in pairs if is_covered and _is_within(g, at)]


def _is_flat(arguments: Arguments, places: Collection[int]) -> bool:
    return all(
        isinstance(arguments[n], list | tuple) and all(isinstance(item, int | float) for item in arguments[n])
        for n in places
        if n < len(arguments)
    ) and len(arguments) > max(places)


def _is_within(arguments: Arguments, at: int) -> bool:
    """Whether there is a list with something in it, and nothing but places in it beside."""
    items = arguments[at] if at < len(arguments) else None
    if not isinstance(items, list | tuple) or not items:
        return False  # calls of other cells may give something else
    beside = (value for n, value in enumerate(arguments) if n != at)
    return all(isinstance(value, int | float) and abs(value) < len(items) for value in beside)


def describe_near_failure(runner: Runner, codes: Mapping[int, CodeType], inputs: Sequence[Input]) -> str:
    """The doubt about a patch with which one of the ``inputs`` raises an error that nobody means; empty where none does."""
    return describe_first_failure(runner, codes, inputs, _FAULTS, STEPS)


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
