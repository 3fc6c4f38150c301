"""Mutation operators for a part that is taken of a value: the groups of a match, which are counted from 1, the days of a difference of dates, a text without
its blanks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import TEXT, Change, Scope

_BETWEEN = ((".", 0.5), ("/", 0.5), ("_", 0.45), ("-", 0.4), (" ", 0.4), (",", 0.3))
_DATES = frozenset({"date", "datetime", "Timestamp"})


def propose_shifted_places(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``m.group(1)``, ``m.group(2)`` for ``m.group(0)``, ``m.group(1)``, and ``row[0]``, ``row[1]`` for ``row[1]``, ``row[2]``: all places one further."""
    if not isinstance(node, ast.FunctionDef):
        return
    places: dict[str, list[ast.Constant]] = {}
    for part in ast.walk(node):
        match part:
            case ast.Call(ast.Attribute(ast.Name(name), "group"), [ast.Constant(int()) as place], []) if s.text_of(
                place
            ).isdigit():
                places.setdefault(f"{name}.group", []).append(place)
            case ast.Subscript(ast.Name(name), ast.Constant(int()) as place) if s.text_of(place).isdigit():
                places.setdefault(name, []).append(place)
    for whole, found in places.items():
        numbers = sorted({int(s.text_of(n)) for n in found})
        if len(numbers) < 2 or numbers[0] < 0 or any(n in s.frozen for n in found):
            continue
        for step, prior in ((1, 0.7 if whole.endswith(".group") else 0.3), (-1, 0.3)):
            if numbers[0] + step >= 0:
                edits: list[Edit] = [s.replace_node(n, str(int(s.text_of(n)) + step)) for n in found]
                words = f"every place of `{whole}` is one {'too small' if step > 0 else 'too large'}"
                yield Change(tuple(sorted(edits)), prior, found[0].lineno, words)


def propose_days(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``(end - begin).days`` for ``end - begin`` of two dates, where a number is meant."""
    parent = s.parents.get(node)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub) or isinstance(parent, ast.Attribute):
        return
    kinds = [s.infer_kinds(side) for side in (node.left, node.right)]
    if all(found and found <= _DATES for found in kinds):
        for part, prior in (("days", 0.7), ("total_seconds()", 0.3)):
            words = f"`{s.text_of(node)}` is a duration, not a number"
            yield Change((s.replace_node(node, f"({s.text_of(node)}).{part}"),), prior, node.lineno, words)


def propose_without_blanks(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``text.lower().replace(" ", "")`` for ``text.lower()``, and only its letters, where a check gives a text of several words."""
    match node:
        case ast.Call(ast.Attribute(_, "lower" | "upper" | "casefold" | "strip"), [], []):
            function = s.find_function(node)
        case _:
            return
    given = s.hints.calls.get(getattr(function, "name", ""), ())
    texts = [value for call in given for value in call if isinstance(value, str)]
    text, name = s.text_of(node), next((n for n in ("c", "letter", "char") if n not in s.names), "")
    if any(" " in value for value in texts) and "replace(" not in s.text:
        words = f"`{text}` keeps the blanks"
        yield Change((s.replace_node(node, f"{text}.replace(' ', '')"),), 0.5, node.lineno, words)
    if name and any(not value.replace(" ", "").isalnum() for value in texts) and "isal" not in s.text:
        words = f"`{text}` keeps what is no letter"
        new = f"''.join({name} for {name} in {text} if {name}.isalnum())"
        yield Change((s.replace_node(node, new),), 0.45, node.lineno, words)


def propose_separator(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``walk(child, name + ".")`` for ``walk(child, name)``: what a function hands to itself of a path lacks what stands between its parts."""
    match node:
        case ast.Call(ast.Name(called), args) if called == getattr(s.find_function(node), "name", ""):
            texts = [a for a in args if s.infer_kinds(a) == {TEXT} and not isinstance(a, ast.Constant)]
        case _:
            return
    for given in texts:
        for sign, prior in _BETWEEN:
            words = f"`{s.text_of(given)}` lacks `{sign}` before the next part"
            yield Change((s.replace_node(given, f"{s.text_of(given)} + '{sign}'"),), prior, node.lineno, words)


def propose_power_inside(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``mean(d ** 2)`` for ``mean(d) ** 2``, and back: which of the two comes first."""
    match node:
        case ast.BinOp(ast.Call(args=[inner], keywords=[]) as call, ast.Pow(), ast.Constant() as power):
            new = f"{s.text_of(call.func)}({s.parenthesize(inner)} ** {s.text_of(power)})"
            words, prior = f"`** {s.text_of(power)}` belongs inside of `{s.text_of(call.func)}(…)`", 0.6
        case ast.Call(_, [ast.BinOp(base, ast.Pow(), ast.Constant() as power)], []):
            new = f"{s.text_of(node.func)}({s.text_of(base)}) ** {s.text_of(power)}"
            words, prior = f"`** {s.text_of(power)}` belongs outside of `{s.text_of(node.func)}(…)`", 0.4
        case _:
            return
    yield Change((s.replace_node(node, new),), prior, node.lineno, words)


OPERATORS = (propose_shifted_places, propose_days, propose_without_blanks, propose_separator, propose_power_inside)
