"""Checks that only bound a value: ``assert 0 < share < 1``.

Whatever gives a number of about that size meets them, so that the few of them that failed tell of many changes which run that they are right.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import read_called_name, walk

_BOUNDS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
DISTANCES = frozenset({"abs", "absolute", "fabs", "norm", "dist"})
"""Functions by which a bound says that two values are nearly equal."""
TINY, NARROW = 1e-3, 0.05
"""What is below so much is an error that is to be none; what is between numbers that are so near by their size is told as a value is."""


def find_bounds_alone(checks: Iterable[str]) -> str:
    """The first check as it is written, where all of them only bound values; else empty. What neither asserts nor calls what does, tells nothing."""
    nodes = [node for text in checks for node in walk(parse_once(text))]
    tests = [node.test for node in nodes if isinstance(node, ast.Assert)]
    if not tests or not all(map(_is_bound, tests)) or any(map(_is_assertion, nodes)) or tell_a_value(tests):
        return ""
    return ast.unparse(tests[0])


def calls_assertion(text: str) -> bool:
    """Whether a statement calls a function that asserts something by its name: ``np.testing.assert_allclose(x, y)``."""
    return any(map(_is_assertion, walk(parse_once(text))))


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and read_called_name(node).lower().startswith("assert")


def _is_bound(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return all(map(_is_bound, test.values))
    if not isinstance(test, ast.Compare) or not all(isinstance(sign, _BOUNDS) for sign in test.ops):
        return False
    names = {read_called_name(n) for n in walk(test) if isinstance(n, ast.Call)}
    sides = (test.left, *test.comparators)
    return not names & DISTANCES and any(isinstance(s, ast.Constant) or _read_number(s) is not None for s in sides)


def tell_a_value(tests: Iterable[ast.expr]) -> bool:
    """Whether bounds are so narrow that they say what the value is: ``error < 1e-6``, ``3.14 < area and area < 3.15``."""
    lows, highs = dict[str, float](), dict[str, float]()
    for value, number, is_upper in (bound for test in tests for bound in _list_bounds(test)):
        if is_upper:
            highs[value] = min(number, highs.get(value, number))
        else:
            lows[value] = max(number, lows.get(value, number))
    return any(
        0 < high < TINY or (value in lows and high - lows[value] <= NARROW * max(abs(high), abs(lows[value])))
        for value, high in highs.items()
    )


def _list_bounds(test: ast.expr) -> Iterator[tuple[str, float, bool]]:
    """(what is bounded, by which number, whether from above)."""
    for node in walk(test):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for left, sign, right in zip(sides, node.ops, sides[1:], strict=False):
            is_less = isinstance(sign, ast.Lt | ast.LtE)
            if (number := _read_number(right)) is not None:
                yield ast.unparse(left), number, is_less
            elif (number := _read_number(left)) is not None:
                yield ast.unparse(right), number, not is_less


def _read_number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _read_number(node.operand)
        return None if number is None else -number
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
