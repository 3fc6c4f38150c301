"""Mutation operators for a loop that is not there: statements that read an item, or its place, which nothing binds."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.search.mutations.own_functions import list_unbound
from jupyter_selfheal.inside.search.scope import ITEMS, SET, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import read_called_name

_COLLECTIONS = frozenset({ITEMS, TEXT, SET})
MOST_NAMES = 2
"""Names that one loop binds."""


def propose_loop(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for item in items`` and the like around the statements of a function that read ``item``, which nothing binds."""
    if not isinstance(node, ast.FunctionDef):
        return
    unbound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & list_unbound(s)
    indexes = _list_indexes(node)
    looped = [a.arg for a in node.args.args if s.name_may_be(a.arg, _COLLECTIONS)]
    for body in s.list_blocks():
        if s.find_function(body[0]) is not node and s.parents.get(body[0]) is not node:
            continue
        reads = [
            {n.id for n in ast.walk(stmt) if isinstance(n, ast.Name) and n.id in unbound and n.id not in s.called}
            for stmt in body
        ]
        reading = [n for n, names in enumerate(reads) if names]
        if not reading or any(s.read_indent(stmt) is None for stmt in body):
            continue
        first = reading[0]
        for last in dict.fromkeys((first, reading[-1])):
            names = sorted(set().union(*reads[first : last + 1]))
            for whole in looped if len(names) <= MOST_NAMES else ():
                for head, prior in _list_heads(names, whole, indexes):
                    yield _put_around(s, body[first : last + 1], head, prior / len(looped) ** 0.5)
        return  # the outermost block that reads one


def _list_indexes(node: ast.FunctionDef) -> set[str]:
    """The names that an item is taken by: ``i`` of ``xs[i]``, also of ``xs[i + 1]``."""
    slices = (n.slice for n in ast.walk(node) if isinstance(n, ast.Subscript))
    return {n.id for part in slices for n in ast.walk(part) if isinstance(n, ast.Name)}


def _list_heads(names: Sequence[str], whole: str, indexes: set[str]) -> Iterator[tuple[str, float]]:
    if len(names) == 1:
        (name,) = names
        by_place, by_item = (0.7, 0.2) if name in indexes else (0.4, 0.6)
        yield f"for {name} in range(len({whole})):", by_place
        yield f"for {name} in {whole}:", by_item
        return
    for place, item in itertools.permutations(names):
        yield f"for {place}, {item} in enumerate({whole}):", 0.3 if item in indexes else 0.6


def _put_around(s: Scope, statements: Sequence[ast.stmt], head: str, prior: float) -> Change:
    indent = s.read_indent(statements[0])
    start, end = s.find_line_span(statements[0])[0], s.find_line_span(statements[-1])[1]
    lines = s.text[start:end].splitlines(keepends=True)
    body = "".join(f"    {line}" if line.strip() else line for line in lines)
    return Change(
        ((start, end, f"{indent}{head}\n{body}"),), prior, statements[0].lineno, f"the loop `{head[:-1]}` is missing"
    )


def propose_first_hit(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if x <= y: at = xs.index(y) - 1`` in a loop, which keeps the last place and is one off: ``at = xs.index(y)``, and then ``break``."""
    if not isinstance(node, ast.If) or not isinstance(s.parents.get(node), ast.For) or node.orelse:
        return
    last = node.body[-1]
    indent = s.read_indent(last)
    if not isinstance(last, ast.Assign) or not isinstance(last.value, ast.BinOp) or indent is None:
        return
    by_one = isinstance(last.value.right, ast.Constant) and last.value.right.value == 1
    if by_one and isinstance(last.value.op, ast.Add | ast.Sub):
        end = s.find_line_span(last)[1]
        pad = "" if s.text[:end].endswith("\n") else "\n"
        edits = (s.replace_node(last.value, s.text_of(last.value.left)), (end, end, f"{pad}{indent}break\n"))
        yield Change(edits, 0.25, last.lineno, f"the first `{s.text_of(last.value.left)}` is meant")


def propose_loop_for_condition(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if k in range(n):`` where nothing but a loop, if that, gives ``k`` a value, and the body reads it: it is a ``for``."""
    if not isinstance(node, ast.If) or node.orelse:
        return
    match node.test:
        case ast.Compare(ast.Name(name), [ast.In()], [whole]):
            pass
        case _:
            return
    function = s.find_function(node)
    inside = list(ast.walk(function))
    if any(isinstance(n, ast.arg) and n.arg == name for n in inside) or name in s.hints.defined:
        return
    looped = {id(t) for n in inside if isinstance(n, ast.For | ast.comprehension) for t in ast.walk(n.target)}
    around = (n for n in inside if isinstance(n, ast.For) and any(m is node for m in ast.walk(n)))
    if any(isinstance(t, ast.Name) and t.id == name for loop in around for t in ast.walk(loop.target)):
        return
    stores = (n for n in inside if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
    if any(id(n) not in looped for n in stores):
        return
    start = s.start_of(node)
    if not s.text.startswith("if", start) or not any(
        isinstance(n, ast.Name) and n.id == name for stmt in node.body for n in ast.walk(stmt)
    ):
        return
    prior = 0.9 if isinstance(whole, ast.Call) and read_called_name(whole) in ("range", "enumerate") else 0.6
    yield Change(
        ((start, start + 2, "for"),), prior, node.lineno, f"`{name}` is given by no loop: `if` should be `for`"
    )


OPERATORS = (propose_loop, propose_first_hit, propose_loop_for_condition)
