"""Mutation operators for amounts that are taken apart: what lies above a bound (brackets of a tax, hours beyond forty), and what is left when
larger units are taken out (minutes of seconds); and for rates in percent."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope

BOUNDS = 4
"""Bounds of one name that are tried."""
_RATE = re.compile(r"(?i)rate|percent|pct|interest|tax|vat|discount|reduction")
_LESS = re.compile(r"(?i)discount|reduc")


def propose_above_bound(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``(income - 1000) * 0.1`` for ``income * 0.1`` where the function compares ``income`` with 1000."""
    parent = s.parents.get(node)
    if not isinstance(node, ast.Name) or not isinstance(parent, ast.BinOp) or not isinstance(parent.op, ast.Mult):
        return
    for bound in _list_bounds(s).get(node.id, ())[:BOUNDS]:
        new = f"{node.id} - {bound}"
        yield Change((s.replace_node(node, new),), 0.35, node.lineno, f"`{node.id}` should be `{new}`")


@cache_on_scope
def _list_bounds(s: Scope) -> dict[str, list[str]]:
    """By name, the positive numbers that the source compares it with, as they are written."""
    found: dict[str, list[str]] = {}
    for node in s.order:
        match node:
            case ast.Compare(
                ast.Name(name), [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], [ast.Constant(int() | float() as number)]
            ) if number > 1:
                found.setdefault(name, []).append(repr(number))
    return {name: list(dict.fromkeys(bounds)) for name, bounds in found.items()}


def propose_rest_of_units(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``seconds % 3600 // 60`` and ``seconds // 60 % 60`` for ``seconds // 60``, of which all the hours are in it too."""
    asked = _read_division(node)
    parent = s.parents.get(node)
    if asked is None or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod)):
        return
    whole, unit = asked
    larger = sorted({n for w, n in _list_units(s) if w == whole and n > unit})
    words = f"`{s.text_of(node)}` has the larger units in it"
    for other in larger[:BOUNDS]:
        yield Change((s.replace_node(node, f"{whole} % {other} // {unit}"),), 0.5, node.lineno, words)  # type: ignore[attr-defined]
    if larger:
        ratio = larger[0] // unit if larger[0] % unit == 0 else unit
        yield Change((s.replace_node(node, f"{whole} // {unit} % {ratio}"),), 0.3, node.lineno, words)  # type: ignore[attr-defined]


def _read_division(node: ast.AST) -> tuple[str, int] | None:
    match node:
        case ast.BinOp(ast.Name(name), ast.FloorDiv(), ast.Constant(int() as unit)) if unit > 1:
            return name, unit
    return None


@cache_on_scope
def _list_units(s: Scope) -> list[tuple[str, int]]:
    """The names that the source divides, or takes the remainder of, and by what."""
    found = []
    for node in s.order:
        match node:
            case ast.BinOp(ast.Name(name), ast.FloorDiv() | ast.Div() | ast.Mod(), ast.Constant(int() as unit)) if (
                unit > 1
            ):
                found.append((name, unit))
    return found


def propose_percent(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``amount * (1 + rate / 100)`` and ``amount * (1 + rate)`` for ``amount * rate``."""
    match node:
        case ast.BinOp(left, ast.Mult(), ast.Name(rate) as right) if _RATE.search(rate):
            other = left
        case ast.BinOp(ast.Name(rate) as left, ast.Mult(), right) if _RATE.search(rate):
            other = right
        case _:
            return
    whole, sign = s.text_of(other), "-" if _LESS.search(rate) else "+"
    around = s.parents.get(node)
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Div | ast.FloorDiv | ast.Mod):
        return
    for new, prior in (
        (f"{whole} * (1 {sign} {rate} / 100)", 0.45),
        (f"{whole} * (1 {sign} {rate})", 0.35),
    ):
        yield Change((s.replace_node(node, new),), prior, node.lineno, f"`{rate}` is a part of `{whole}`")


def propose_part_of_whole(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``price * (1 - pct / 100)`` for ``price - pct``, and ``1 + rate / 100`` for ``1 + rate``: a rate in percent is no amount."""
    match node:
        case ast.BinOp(whole, ast.Add() | ast.Sub() as sign, ast.Name(rate)) if _RATE.search(rate) or rate == "r":
            written = "+" if isinstance(sign, ast.Add) else "-"
        case _:
            return
    words = f"`{rate}` is given in percent"
    if isinstance(whole, ast.Constant):
        new = f"{s.text_of(whole)} {written} {rate} / 100"
        yield from [Change((s.replace_node(node, new),), 0.5, node.lineno, words)] if whole.value == 1 else ()
        return
    text = s.parenthesize(whole)
    yield Change((s.replace_node(node, f"{text} * (1 {written} {rate} / 100)"),), 0.7, node.lineno, words)
    words = f"`{rate}` is a part of `{text}`"
    yield Change((s.replace_node(node, f"{text} * (1 {written} {rate})"),), 0.4, node.lineno, words)


def propose_kept_amount(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``amount = amount + amount * rate / 100`` for ``amount = amount * rate / 100``, and the other way round for a discount."""
    match node:
        case ast.Assign([ast.Name(name)], ast.BinOp(_, ast.Mult() | ast.Div() | ast.FloorDiv()) as value):
            read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        case _:
            return
    rates = [n for n in read if _RATE.search(n)]
    if name in read and rates:
        sign = "-" if _LESS.search(rates[0]) else "+"
        new = f"{name} {sign} {s.text_of(value)}"
        yield Change((s.replace_node(value, new),), 0.5, node.lineno, f"`{name}` itself is lost")


OPERATORS = (propose_above_bound, propose_rest_of_units, propose_percent, propose_part_of_whole, propose_kept_amount)
