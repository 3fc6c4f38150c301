"""Mutation operators for a number that a formula lacks, or has wrong, where all checks agree on it: ``+ 32``, ``9.81`` for ``9.8``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope

SHORTEST = 8
"""Characters of a number, at most, that somebody would write."""


def propose_agreed_number(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A formula of a function's parameters that gives so many more, or so many times as much, as every check of it says."""
    match node:
        case ast.FunctionDef(name, body=[*_, ast.Return(ast.expr() as value)]) if name in s.hints.off:
            lack, share = s.hints.off[name]
        case _:
            return
    parameters = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    returns = sum(isinstance(n, ast.Return) for n in ast.walk(node))
    if returns == 1 and _is_formula(value, parameters):
        yield from _add_what_lacks(s, value, lack) if lack else ()
        yield from _multiply(s, value, share) if share else ()


def _is_formula(value: ast.expr, parameters: set[str]) -> bool:
    """Whether it is reckoned of nothing but the parameters, all of them, each a name, and numbers: one that is not read is what is missing."""
    parts = [n for n in ast.walk(value) if isinstance(n, ast.expr)]
    is_plain = all(isinstance(n, ast.BinOp | ast.UnaryOp | ast.Constant | ast.Name) for n in parts)
    return is_plain and {n.id for n in parts if isinstance(n, ast.Name)} == parameters


def _add_what_lacks(s: Scope, value: ast.expr, lack: float) -> Iterator[Change]:
    match value:
        case ast.BinOp(_, ast.Add() | ast.Sub() as sign, ast.Constant(int() | float() as last)):
            old, new = s.text_of(value.right), _write(last + lack if isinstance(sign, ast.Add) else last - lack)
            edit, words = s.replace_node(value.right, new), f"`{old}` should be `{new}`"
        case _:
            new, text = _write(abs(lack)), s.text_of(value)
            sign_of_lack, word = ("+", "more") if lack > 0 else ("-", "less")
            edit = s.replace_node(value, f"{text} {sign_of_lack} {new}")
            words = f"every number that is checked is {new} {word} than what `{text}` gives"
    if new not in ("", "0"):
        yield Change((edit,), 0.5, value.lineno, words)


def _multiply(s: Scope, value: ast.expr, share: float) -> Iterator[Change]:
    factors = [(f, float(f.value), is_divisor) for f, is_divisor in _list_factors(value)]  # type: ignore[arg-type]
    others = [(f, _write(number / share if is_divisor else number * share)) for f, number, is_divisor in factors]
    if any(new == "1" for _, new in others):
        return  # what is checked has nothing of this formula
    for factor, new in others:
        old = s.text_of(factor)
        if new:
            yield Change((s.replace_node(factor, new),), 0.5, value.lineno, f"`{old}` should be `{new}`")
    for sign, number in (("*", share), ("/", 1 / share)):
        new = _write(number)
        if new and "." not in new:
            words = f"every number that is checked is `{s.text_of(value)}` {sign} {new}"
            yield Change((s.replace_node(value, f"{s.parenthesize(value)} {sign} {new}"),), 0.4, value.lineno, words)


def _list_factors(value: ast.expr, is_divisor: bool = False) -> Iterator[tuple[ast.Constant, bool]]:
    """The numbers that a product has as factors, and whether it is divided by them."""
    match value:
        case ast.BinOp(left, ast.Mult() | ast.Div() as sign, right):
            yield from _list_factors(left, is_divisor)
            yield from _list_factors(right, is_divisor != isinstance(sign, ast.Div))
        case ast.Constant(int() | float()) if not isinstance(value.value, bool):
            yield value, is_divisor


def _write(number: float) -> str:
    """A number as somebody would write it; empty for one with more digits."""
    short = float(f"{number:.9g}")
    text = str(int(short)) if short.is_integer() and abs(short) < 1e9 else repr(short)
    return text if len(text) <= SHORTEST else ""


OPERATORS = (propose_agreed_number,)
