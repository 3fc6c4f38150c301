"""Mutation operators that give to one place what its counterpart has: another side, a last round, a guard."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.expressions import is_usable
from jupyter_selfheal.inside.search.mutations.variations import list_parts
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, SET, TEXT, Change, Scope

_SIMPLE = ast.Expr | ast.Assign | ast.AugAssign
_SEPARATORS = (" ", ", ", ",", ".", "-", "_", ":", ": ", "/", "\n")
_OF_ARGUMENT = ("{}", "str({})", "len({})", "abs({})", "bin({})", "set({})", "sorted({})", "sum({})", "{}[0]", "{}[1]")
RUN = 3
"""Neighbouring statements that are too many together, at most."""


def propose_other_side(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``x[i] != x[n - i]`` for ``y != x[n - i]``: what is compared, or reckoned with, is of the same kind on both sides."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = (node.left, node.comparators[0])
    elif isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
    else:
        return
    for side, other in (sides, sides[::-1]):
        if not isinstance(side, ast.Name | ast.Constant) or not isinstance(other, ast.Subscript):
            continue
        if isinstance(other.slice, ast.Slice) or not isinstance(other.value, ast.Name | ast.Attribute):
            continue
        whole = s.text_of(other.value)
        names = [n for n in s.values if n != whole and s.name_may_be(n, frozenset({NUMBER}))]
        for index in (*names, "0", "-1", *(f"{n} - 1" for n in names), *(f"{n} + 1" for n in names)):
            new = f"{whole}[{index}]"
            prior = 0.22 if index in names else 0.1
            yield Change((s.replace_node(side, new),), prior, side.lineno, f"`{s.text_of(side)}` should be `{new}`")


def propose_last_round(s: Scope, node: ast.AST) -> Iterator[Change]:
    """After ``for x in xs[:-1]`` the same is missing for ``xs[-1]``; before ``for x in xs[1:]``, for ``xs[0]``."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name) or s.read_indent(node) is None:
        return
    over = node.iter
    if not isinstance(over, ast.Subscript) or not isinstance(over.slice, ast.Slice):
        return
    start, end, _ = s.find_line_span(node)
    places = []
    if over.slice.upper is not None:
        places.append((end, f"{s.text_of(over.value)}[-1]"))
    if over.slice.lower is not None:
        places.append((start, f"{s.text_of(over.value)}[0]"))
    word = re.compile(rf"\b{re.escape(node.target.id)}\b")
    for at, left_out in places:
        pad = "" if s.text[:at].endswith("\n") else "\n"
        for stmt in node.body:
            text = s.text_of(stmt)
            if isinstance(stmt, _SIMPLE) and "\n" not in text and word.search(text):
                new = word.sub(left_out, text)
                edit = (at, at, f"{pad}{s.read_indent(node)}{new}\n")
                yield Change((edit,), 0.4, stmt.lineno, f"`{new}` is missing")


def propose_forgotten_guard(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if x not in allowed: return …`` is missing where ``allowed`` is made and never read, and the function returns so elsewhere."""
    if (
        not isinstance(node, ast.If | ast.Return)
        or s.read_indent(node) is None
        or s.text.startswith("elif", s.start_of(node))
    ):
        return
    kept = [n for n in _list_never_read(s) if s.name_may_be(n, frozenset({ITEMS, SET, DICT, TEXT}))]
    if not kept:
        return
    results = dict.fromkeys(
        s.text_of(n.value) for n in s.order if isinstance(n, ast.Return) and isinstance(n.value, ast.Constant)
    )
    start = s.find_line_span(node)[0]
    for name in kept:
        for text in dict.fromkeys([*s.values, *list(list_parts(s))[:20], *_list_elements(s)]):
            for word in ("not in", "in"):
                for result in results:
                    line = f"{s.read_indent(node)}if {text} {word} {name}:\n{s.read_indent(node)}    return {result}\n"
                    words = f"`if {text} {word} {name}: return {result}` is missing"
                    if text != name:
                        yield Change(((start, start, line),), 0.25, node.lineno, words)


def _list_never_read(s: Scope) -> list[str]:
    read = {n.id for n in s.order if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return [n for n in s.values if n not in read]


def _list_elements(s: Scope) -> Iterator[str]:
    for name in s.values:
        if s.hints.kinds.get(name, frozenset()) & {ITEMS, TEXT}:
            yield from (f"{name}[0]", f"{name}[1]", f"{name}[-1]")


def propose_forgotten_argument(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``lambda x: f(x)`` for ``lambda x: f(xs)``: a parameter that nothing reads was meant."""
    if not isinstance(node, ast.Lambda):
        return
    inside = [n for n in ast.walk(node.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    for argument in node.args.args:
        if argument.arg in {n.id for n in inside}:
            continue
        for name in inside:
            parent = s.parents[name]
            if not (isinstance(parent, ast.Call) and name is parent.func):
                for form in _OF_ARGUMENT:
                    new = form.format(argument.arg)
                    prior = 0.4 if form == "{}" else 0.2
                    yield Change((s.replace_node(name, new),), prior, name.lineno, f"`{name.id}` should be `{new}`")


def propose_separators(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``a + "." + b`` for ``a + b``: what stands between two texts is missing."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return
    if not (s.may_be(node.left, TEXT) and s.may_be(node.right, TEXT)):
        return
    known = TEXT in s.infer_kinds(node.left) | s.infer_kinds(node.right)
    for text in dict.fromkeys([*s.described_strings, *_SEPARATORS]):
        prior = (0.3 if text in s.described_strings else 0.2) * (1.0 if known else 0.4)
        if text:
            new = f"{s.text_of(node.left)} + {text!r} + {s.text_of(node.right)}"
            yield Change(
                (s.replace_node(node, new),), prior, node.lineno, f"`{s.text_of(node)}` lacks {text!r} in between"
            )


def propose_of_all(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``sum(xs)`` for ``xs[-1]``: something of all elements, not one of them."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice) or not is_usable(s, node):
        return
    place = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
    if not (isinstance(place, ast.Constant) and isinstance(place.value, int)):
        return  # a text names what is meant
    if not s.may_be(node.value, ITEMS, SET):
        return
    for name, prior in (("sum", 0.15), ("max", 0.15), ("min", 0.15), ("len", 0.1)):
        new = f"{name}({s.text_of(node.value)})"
        yield Change((s.replace_node(node, new),), prior, node.lineno, f"`{s.text_of(node)}` should be `{new}`")


def propose_order_of_table(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``sorted(xs, key=table.get)`` for ``xs``: the order is that of a table; ``max(table, key=table.get)`` for ``max(table)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min"):
        given = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if isinstance(given, ast.Name) and s.hints.kinds.get(given.id) == frozenset({DICT}):
            new = f"{node.func.id}({given.id}, key={given.id}.get)"
            yield Change((s.replace_node(node, new),), 0.4, node.lineno, f"`{s.text_of(node)}` should be `{new}`")
    if not is_usable(s, node) or not isinstance(node, ast.Name | ast.Call | ast.ListComp | ast.Subscript):
        return
    tables = [n for n in s.values if s.hints.kinds.get(n) == frozenset({DICT})]
    for name in tables:
        if not (isinstance(node, ast.Name) and node.id == name) and s.may_be(node, ITEMS, TEXT, SET):
            inner = s.text_of(node.args[0]) if isinstance(node, ast.Call) and _is_sorted(node) else s.text_of(node)
            new = f"sorted({inner}, key={name}.get)"
            yield Change((s.replace_node(node, new),), 0.2, node.lineno, f"`{s.text_of(node)}` should be `{new}`")


def _is_sorted(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "sorted" and len(node.args) == 1


def propose_without_neighbours(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Two or three neighbouring statements are too many."""
    body = getattr(node, "body", None)
    if not isinstance(body, list) or isinstance(node, ast.Module | ast.ClassDef):
        return
    for size in range(2, min(RUN, len(body) - 1) + 1):
        for first in range(len(body) - size + 1):
            gone = body[first : first + size]
            if any(not isinstance(g, _SIMPLE) or s.read_indent(g) is None or s.is_doc(g.value) for g in gone):
                continue
            start, end = s.find_line_span(gone[0])[0], s.find_line_span(gone[-1])[1]
            words = f"`{s.text_of(gone[0]).splitlines()[0]}` and what follows it are too many"
            yield Change(((start, end, ""),), 0.12, gone[0].lineno, words)


OPERATORS = (
    propose_other_side, propose_last_round, propose_forgotten_guard, propose_forgotten_argument, propose_separators, propose_of_all, propose_order_of_table, propose_without_neighbours,
)  # fmt: skip
