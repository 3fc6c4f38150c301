"""Does a patched function fail for an empty collection, by a fault of its own that no check comes to?

A variable that only a loop binds is unbound where the loop has no round: nobody means that. Nor does who makes a list of a list mean
``xs[0]`` to raise for an empty one, nor ``k % len(xs)``; what makes a number of it (a mean, a maximum) may well have none to give.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.call_shapes import is_meant_to_raise
from jupyter_selfheal.inside.search.called_functions import find_function, list_parameters
from jupyter_selfheal.inside.search.compare_behaviour import LATE, Input, collect_behaviours, describe_first_failure
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.tree_names import read_called_name

COLLECTIONS = frozenset({"list", "tuple", "dict", "set"})
_KINDS = (list, tuple, dict, set)
_ASKS = re.compile(
    r"\b(\w+)\s*==\s*(?:\[\]|\(\)|\{\}|list\(\)|tuple\(\))|\b(?:if|while|or|and) not (\w+)\s*(?::|or\b|and\b)|\blen\((\w+)\) *(?:== *0|< *1)\b"
)
_FINDERS = frozenset({"index", "count", "get", "find", "rfind", "bisect", "bisect_left", "bisect_right"})
CALLED, STEPS = 8, 400_000
"""Empty inputs that are tried, and the steps that they may take."""


def asks_for_empty(text: str) -> bool:
    """Whether a function asks for an empty collection that it is given: ``xs == []``, ``not xs``, ``len(xs) == 0``. ``not found`` is a flag."""
    asked = {name for names in _ASKS.findall(text) for name in names if name}
    return bool(asked and asked & {n.arg for n in ast.walk(ast.parse(text)) if isinstance(n, ast.arg)})


def asks_for_item(text: str, function: str, checked: Sequence[tuple[Any, ...]]) -> bool:
    """Whether a function looks for something in one collection, a number or a text that it is given beside it and compares with something: of
    an empty collection the answer is that it is not there. A number that is a place in the collection in each call asks for what is there."""
    kinds = {tuple(isinstance(value, _KINDS) for value in arguments) for arguments in checked}
    if len(kinds) != 1 or sum(kind := next(iter(kinds))) != 1:
        return False
    at = kind.index(True)
    beside = [(value, len(call[at])) for call in checked for n, value in enumerate(call) if n != at]
    is_plain = all(type(value) in (int, float, str) for value, _ in beside)
    if not beside or not is_plain or all(type(v) is int and abs(v) <= size for v, size in beside):
        return False
    defined = find_function(text, function)
    names = (name for n, name in enumerate(list_parameters(text, function)) if n != at)
    return defined is not None and any(_is_looked_for(name, defined) for name in names)


def _is_looked_for(name: str, function: ast.stmt) -> bool:
    """Whether a parameter is compared, is a key, or is given to what finds; ``x * 10`` for each item looks for nothing."""
    for node in ast.walk(function):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            sides = [node.slice]
        elif isinstance(node, ast.Call):
            called = read_called_name(node)
            sides = node.args if called in _FINDERS else []
        if any(isinstance(side, ast.Name) and side.id == name for side in sides):
            return True
    return False


def list_empty_inputs(
    checked: Mapping[str, Sequence[tuple[Any, ...]]], functions: Collection[str], kinds: tuple[type, ...] = _KINDS
) -> list[Input]:
    """The first checked call of each of the ``functions`` with one of its collections empty, where no checked call has that."""
    found: list[Input] = []
    for function in functions:
        calls = checked.get(function, ())
        first = calls[0] if calls else ()
        for at, value in enumerate(first):
            if not isinstance(value, kinds) or type(value).__module__ not in ("builtins", "collections"):
                continue  # a class of the notebook's own, as a named tuple is, may not be made of nothing
            asked = (call[at] for call in calls if len(call) > at)
            if not any(isinstance(other, kinds) and not other for other in asked):  # an array has no truth value
                found.append(Input(function, (*first[:at], type(value)(), *first[at + 1 :])))
    return found[:CALLED]


def describe_failure_when_empty(
    runner: Runner,
    codes: Mapping[int, CodeType],
    inputs: Sequence[Input],
    expected: Collection[str],
    *,
    is_asked: bool = False,
) -> str:
    """The doubt about a patch that raises for one of the ``inputs``; ``expected`` are the types of results that the checks name.

    ``is_asked`` where the function asks whether something is empty, or looks something up: such input is meant to give something.
    """
    faults = {"!UnboundLocalError"}
    if is_asked or (expected and set(expected) <= COLLECTIONS):
        faults |= {"!IndexError", "!ZeroDivisionError"}
    return describe_first_failure(runner, codes, inputs, faults, STEPS)


def takes_number_from_size(old: str, new: str) -> bool:
    """Whether nothing is changed but that no number is added to a size any more: ``len(xs)`` for ``len(xs) + 1``."""
    after = ast.dump(ast.parse(new))
    for node in ast.walk(tree := ast.parse(old)):
        for name, value in ast.iter_fields(node):
            if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)):
                continue
            is_size = isinstance(value.left, ast.Call) and read_called_name(value.left) == "len"
            if is_size and isinstance(value.right, ast.Constant):
                setattr(node, name, value.left)
                is_all = ast.dump(tree) == after
                setattr(node, name, value)
                if is_all:
                    return True
    return False


def describe_new_failure(
    runner: Runner,
    codes: Mapping[int, CodeType],
    checked: Mapping[str, Sequence[tuple[Any, ...]]],
    function: str,
    *,
    divides_by_size: bool = False,
) -> str:
    """The doubt about a patch with which a function raises for an empty collection or text for which it gave a value before: it reads an item
    that is not there, and no check comes to that. Of some 330 patches of known programs it speaks against a wrong one, and no right one.

    That a mean of nothing was 0 came of the fault itself where what is mended is the number that it ``divides_by_size`` and one more.
    """
    inputs = list_empty_inputs(checked, [function], (*_KINDS, str))
    if not inputs:
        return ""
    before, after = collect_behaviours(runner, [{}, dict(codes)], function, [i.arguments for i in inputs], STEPS)
    for given, then, now in zip(inputs, before, after, strict=False):
        is_meant = is_meant_to_raise(runner.program.checks, function, given.arguments, now[1:])
        is_meant |= divides_by_size and now == "!ZeroDivisionError" and then in ("0", "0.0")
        if then[:1] != "!" and now.startswith("!") and now not in ("!timeout", LATE) and not is_meant:
            return f"`{given.text}` raises {now[1:]} with it, and gave {then} before"
    return ""


def describe_uneven_failure(
    runner: Runner, codes: Mapping[int, CodeType], function: str, checked: Sequence[tuple[Any, ...]]
) -> str:
    """The doubt about a patch with which a function raises ``IndexError`` where the other of two lists is the longer one: a check has lists of
    unequal length, so that they are meant to be given, and none has them the other way round."""
    inputs = [Input(function, given) for given in _list_uneven(checked)]
    return describe_first_failure(runner, codes, inputs, ("!IndexError",), STEPS)


def _list_uneven(checked: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Checked calls of two lists alone, filled and of equal length, with one of them cut by an item; only where a check has the other one shorter, with
    items in both, and none has this one."""
    if not checked or any(len(call) != 2 or any(type(value) is not list for value in call) for call in checked):
        return []
    filled = [(len(one), len(other)) for one, other in checked if one and other]
    is_first, is_second = any(a < b for a, b in filled), any(a > b for a, b in filled)
    even = [call for call in checked if len(call[0]) == len(call[1]) > 1]
    if is_first == is_second:
        return []
    return [(one, other[:-1]) if is_first else (one[:-1], other) for one, other in even][:CALLED]
