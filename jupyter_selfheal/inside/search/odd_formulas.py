"""Formulas of a patch that meet a few checks and cannot be what is meant: a place that goes past the end of a list that is written down, another number for one that everybody knows, numbers that are compared as texts."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_selfheal.inside.search.odd_dates import describe_odd_date, list_numbers
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import is_name, walk

_KNOWN = (3.6, 9.81, 9.80665, 299792458, 3e8, 299792.458, 273.15, 1.609344, 1.60934, 2.54, 30.48, 0.3048, 0.45359237, 2.20462, math.pi, math.e, 365.25, 8.314, 4.184, 101325, 6.674e-11, 6.022e23)  # fmt: skip
"""Numbers of physics and of measures, which stand in a formula on purpose."""
NEAR = 0.01
"""By how much of it a number may be another one and still be the same known number, with more digits or fewer."""


def describe_odd_formula(old: str, new: str, texts: Iterable[str], space: Mapping[str, Any]) -> str:
    """The doubt about the new text of a statement for one of these formulas, which the old one has not; empty where there is none. Lists may be
    written down in the ``texts`` of the program, or be in the ``space`` of the notebook."""
    before, after = parse_once(old), parse_once(new)
    if place := _find_past_end(before, after, texts, space):
        return f"`{place}` goes past the end for the last one, and nothing reads the first"
    if doubt := describe_odd_date(before, after):
        return doubt
    if cut := next((c for c in _list_cut(after) if c not in _list_cut(before)), ""):
        return f"`{cut}` leaves out what is written down right there"
    if undone := next((u for u in _list_undone(after) if u not in _list_undone(before)), ""):
        return f"`{undone}` takes back what it does"
    if given := _find_given_back(before, after):
        return f"`{given[0]}` then gives back `{given[1]}` as it was given"
    if number := _find_known_number(before, after):
        return f"`{number}` is a number that is known: the checks may be of another unit, or wrong"
    if _count_keys_of_text(after) > _count_keys_of_text(before):
        return "by `key=str` numbers are compared as texts, of which '10' comes before '9'"
    if backward := next(iter(_list_backward_keys(after) - _list_backward_keys(before)), ""):
        return f"`{backward}` orders texts by their last letters"
    if repeated := next(iter(_list_repeated(after) - _list_repeated(before)), ""):
        return f"`{repeated}` goes on from its beginning, beside items of something else"
    if step := next(iter(_list_single_steps(after) - _list_single_steps(before)), ""):
        return f"`{step}` goes one by one through what is halved"
    members = zip(_list_members(before), _list_members(after), strict=False)
    if value := next(
        (new for old, new in members if new != old and new.partition("=")[0] == old.partition("=")[0]), ""
    ):
        return f"`{value}` is a value that the enumeration gives: what asks for another may be wrong"
    return _find_longer_range(before, after)


def _list_backward_keys(tree: ast.AST) -> set[str]:
    """The ``t[0][::-1]`` of each ``key=lambda t: (t[1], t[0][::-1])``. (One that is the whole key is of a rhyme.)"""
    keys = (k.value.body for k in walk(tree) if isinstance(k, ast.keyword) and isinstance(k.value, ast.Lambda))
    parts = (part for key in keys if isinstance(key, ast.Tuple) for part in key.elts)
    found = set()
    for part in parts:
        match part:
            case ast.Subscript(_, ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))):
                found.add(ast.unparse(part))
    return found


def _list_repeated(tree: ast.AST) -> set[str]:
    """The ``xs[1:] * 2`` of each ``zip(xs, xs[1:] * 2)``."""
    given = (a for n in walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "zip" for a in n.args)
    return {ast.unparse(a) for a in given if isinstance(a, ast.BinOp) and isinstance(a.op, ast.Mult)}


def _list_single_steps(tree: ast.AST) -> set[str]:
    """The ``high = high - 1`` of each loop in which something is ``(low + high) // 2``."""
    found = set()
    for loop in (n for n in walk(tree) if isinstance(n, ast.While)):
        for node in walk(loop):
            match node:
                case ast.BinOp(ast.BinOp(ast.Name(low), ast.Add(), ast.Name(high)), ast.FloorDiv(), ast.Constant(2)):
                    steps = {f"{name} = {name} {sign} 1" for name in (low, high) for sign in "+-"}
                    found |= steps & {ast.unparse(n) for n in walk(loop) if isinstance(n, ast.Assign)}
    return found


def _list_members(tree: ast.AST) -> list[str]:
    """``CLOSED = 'closed'`` of each class that is an enumeration."""
    classes = (n for n in walk(tree) if isinstance(n, ast.ClassDef))
    enums = (c for c in classes if any(ast.unparse(b).endswith(("Enum", "Flag")) for b in c.bases))
    return [ast.unparse(s) for c in enums for s in c.body if isinstance(s, ast.Assign)]


def _find_past_end(before: ast.AST, after: ast.AST, texts: Iterable[str], space: Mapping[str, Any]) -> str:
    """``names[d.weekday() + 1]`` for ``names[d.weekday()]``, of a list that is written down and begins with something: whatever the place is, if it
    was one of the list it is one that is too far now. With an empty first item (``["", "Jan", "Feb"]``) places are counted from 1."""
    kept = {ast.unparse(n) for n in walk(after) if isinstance(n, ast.Subscript)}
    was = {ast.unparse(n) for n in walk(before) if isinstance(n, ast.Subscript)} - kept
    for node in walk(after):
        match node:
            case ast.Subscript(ast.Name(name), ast.BinOp(place, ast.Add(), ast.Constant(int(steps)))) if steps > 0:
                if f"{name}[{ast.unparse(place)}]" in was and _begins_with_something(name, (before, texts, space)):
                    return ast.unparse(node)
    return ""


def _begins_with_something(name: str, where: tuple[ast.AST, Iterable[str], Mapping[str, Any]]) -> bool:
    tree, texts, space = where
    for part in (tree, *map(parse_once, texts)):
        for node in walk(part):
            match node:
                case ast.Assign([ast.Name(bound)], ast.List([first, *_]) | ast.Tuple([first, *_])) if bound == name:
                    return not (isinstance(first, ast.Constant) and not first.value)
                case ast.Assign([ast.Name(bound)], ast.Constant(str(text))) if bound == name:
                    return bool(text.strip()[:1] == text[:1] != "")
    value = space.get(name)
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str) and bool(value[0])


def _find_longer_range(before: ast.AST, after: ast.AST) -> str:
    """``range(len(rows) + 1)`` for ``range(len(rows))``, whose number is a place of something else, ``row[i]``, and of no ``rows[i]``: how long that
    is nothing says. A length that is one more elsewhere, too, may be meant (``table = [0] * (len(rows) + 1)``)."""
    known = [ast.unparse(n) for n in walk(before)]
    for loop in walk(after):
        match loop:
            case ast.For(
                ast.Name(i),
                ast.Call(
                    ast.Name("range"),
                    [*_, ast.BinOp(ast.Call(ast.Name("len"), [counted]), ast.Add() | ast.Sub(), ast.Constant()) as end],
                ) as numbers,
            ) | ast.comprehension(
                ast.Name(i),
                ast.Call(
                    ast.Name("range"),
                    [*_, ast.BinOp(ast.Call(ast.Name("len"), [counted]), ast.Add() | ast.Sub(), ast.Constant()) as end],
                ) as numbers,
            ) if ast.unparse(end) not in known:
                places = [
                    n for n in walk(after) if isinstance(n, ast.Subscript) and any(is_name(p, i) for p in walk(n.slice))
                ]
                is_other = places and all(
                    isinstance(n.slice, ast.Name) and ast.unparse(n.value) != ast.unparse(counted) for n in places
                )
                if is_other:
                    return f"`{ast.unparse(places[0])}` is of something else than `{ast.unparse(numbers)}` counts"
    return ""


def _list_cut(tree: ast.AST) -> list[str]:
    """Each list that is written down and cut at once: ``["Sun", "Mon"][1:]``."""
    cuts = (n for n in walk(tree) if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice))
    return [
        ast.unparse(n)
        for n in cuts
        if isinstance(n.value, ast.List | ast.Tuple) and (n.slice.lower or n.slice.upper)  # type: ignore[attr-defined]
    ]


def _list_undone(tree: ast.AST) -> list[str]:
    """Each ``x / 100 * 100`` and ``x * 60 / 60``."""
    found = []
    for node in walk(tree):
        match node:
            case ast.BinOp(ast.BinOp(_, ast.Div(), ast.Constant(one)), ast.Mult(), ast.Constant(other)) | ast.BinOp(
                ast.BinOp(_, ast.Mult(), ast.Constant(one)), ast.Div(), ast.Constant(other)
            ) if one == other:
                found.append(ast.unparse(node))
    return found


def _find_given_back(before: ast.AST, after: ast.AST) -> tuple[str, str] | None:
    """A function of one statement that reckoned something of its parameter, and gives the parameter itself now, with its name."""
    for old, new in zip(_list_formulas(before), _list_formulas(after), strict=False):
        name, value = new
        if isinstance(old[1], ast.BinOp) and isinstance(value, ast.Name) and old[0] == name:
            return name, value.id
    return None


def _list_formulas(tree: ast.AST) -> list[tuple[str, ast.expr | None]]:
    """What each function that does nothing else gives, with its name."""
    found = []
    for node in walk(tree):
        match node:
            case ast.FunctionDef(name, body=[ast.Return(value)] | [ast.Expr(ast.Constant()), ast.Return(value)]):
                found.append((name, value))
    return found


def _find_known_number(before: ast.AST, after: ast.AST) -> str:
    """A known number of a formula that is another one now, or whose formula gives a power of ten times as much."""
    was, now = (Counter(list_numbers(tree)) for tree in (before, after))
    lost, more = list((was - now).elements()), list((now - was).elements())
    for number in lost:
        if _is_known(number) and more and not any(abs(n - number) <= NEAR * number for n in more):
            return f"{number:.12g}"
    if not lost and len(more) == 1 and more[0] >= 10 and math.log10(more[0]).is_integer():
        return next((f"{n:.12g}" for n in was if _is_known(n)), "")
    return ""


def _is_known(number: float) -> bool:
    return (number != int(number) and any(math.isclose(number, n, rel_tol=1e-4) for n in _KNOWN)) or number in _KNOWN


def _count_keys_of_text(tree: ast.AST) -> int:
    keys = (n for n in walk(tree) if isinstance(n, ast.keyword) and n.arg == "key")
    return sum(isinstance(k.value, ast.Name) and k.value.id == "str" for k in keys)
