"""Mutation operators for leap years: every fourth year is one, but of the hundredth only every fourth."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope


def propose_leap_year(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``year % 100 != 0`` where nothing asks for 400, and ``year % 4 == 0`` where nothing asks for 100 either."""
    asked = _read_remainder(node)
    if asked is None:
        return
    year, divisor, is_zero = asked
    known, around = _list_divisors(s), s.parents.get(node)
    words = f"`{s.text_of(node)}` is not all there is to a leap year"
    if divisor == 100 and 4 in known and 400 not in known:
        new = f"{year} % 100 == 0 and {year} % 400 != 0" if is_zero else f"{year} % 100 != 0 or {year} % 400 == 0"
        yield Change((s.replace_node(node, new),), 0.5, node.lineno, words)  # type: ignore[attr-defined]
    elif (
        divisor == 100
        and {4, 400} <= known
        and is_zero
        and isinstance(around, ast.BoolOp)
        and isinstance(around.op, ast.And)
    ):
        yield Change((s.replace_node(node, f"{year} % 100 != 0"),), 0.95, node.lineno, words)  # type: ignore[attr-defined]
    elif divisor == 4 and not known & {100, 400} and _speaks_of_years(s.text):
        rule = f"{year} % 4 == 0 and ({year} % 100 != 0 or {year} % 400 == 0)"
        yield Change((s.replace_node(node, rule if is_zero else f"not ({rule})"),), 0.4, node.lineno, words)  # type: ignore[attr-defined]


def _read_remainder(node: ast.AST) -> tuple[str, int, bool] | None:
    """``year``, 4 and whether it asks for 0, of ``year % 4 == 0`` and ``year % 4 != 0``."""
    match node:
        case ast.Compare(
            left=ast.BinOp(
                left=ast.Name() | ast.Attribute() as year, op=ast.Mod(), right=ast.Constant(int() as divisor)
            ),
            ops=[ast.Eq() | ast.NotEq() as asks],
            comparators=[ast.Constant(0)],
        ):
            return ast.unparse(year), divisor, isinstance(asks, ast.Eq)
    return None


@cache_on_scope
def _list_divisors(s: Scope) -> set[object]:
    mods = (n.right for n in s.order if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod))
    return {right.value for right in mods if isinstance(right, ast.Constant)}


def _speaks_of_years(text: str) -> bool:
    return any(word in text.lower() for word in ("leap", "year", "february"))


OPERATORS = (propose_leap_year,)
