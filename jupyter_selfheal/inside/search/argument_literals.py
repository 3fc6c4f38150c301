"""Literals that a change brings, and that say what an argument is in every check: another value of it tells whether it was meant.

``range(0, len(xs), 2)`` meets ``chunk([1, 2, 3], 2)`` as ``range(0, len(xs), n)`` does.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_selfheal.inside.search.called_functions import find_function, list_parameters

COMMON = (0, 1, -1, "", True, False)
"""What stands in code of every kind, whatever a call is given."""


def describe_doubt_of_literal(old: str, new: str, checked: Mapping[str, Sequence[tuple[Any, ...]]]) -> str:
    """The doubt about a changed function that has a number or text of its own more, where checks call it with nothing else for a parameter.

    ``checked`` are the arguments of the calls by the function's name, in the order of its parameters.
    """
    before = Counter(map(repr, _list_literals(ast.parse(old))))
    for called, calls in checked.items():
        function = find_function(new, called) if calls else None
        literals = list(_list_literals(function)) if function is not None else []
        added = Counter(map(repr, literals)) - before
        for value in (v for v in literals if repr(v) in added):
            name = _find_parameter(value, list_parameters(new, called), calls)
            if name:
                return f"`{value!r}` is what `{name}` is in every check, and `{name}` may be meant"
    return ""


def _list_literals(tree: ast.AST) -> Iterator[int | float | str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, str) and node.value not in COMMON:
            yield node.value  # type: ignore[misc]  # mypy does not narrow by `type(...) in`


def _find_parameter(value: float | str, parameters: Sequence[str], calls: Sequence[tuple[Any, ...]]) -> str:
    for at, parameter in enumerate(parameters):
        given = [arguments[at] for arguments in calls if len(arguments) > at]
        if len(given) == len(calls) and all(type(g) is type(value) and g == value for g in given):
            return parameter
    return ""
