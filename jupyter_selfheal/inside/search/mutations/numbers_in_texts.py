"""Mutation operators for texts of which the numbers are meant, and for texts in which a pattern is not found."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import is_method_call

_KINDS = (("int", 0.9), ("float", 0.6))
_PARTS = frozenset({"split", "groups", "partition", "findall"})
"""Methods that give several texts."""
_PICKS = frozenset({"max", "min", "sum", "sorted"})
_FINDING = frozenset({"search", "match", "fullmatch"})
"""Methods of `re`, and of a pattern, that give None where there is nothing to be found."""
UNASKED = 0.4
"""How much less likely numbers are meant where nothing is reckoned with the parts."""


def propose_numbers(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``h, m = map(int, clock.split(":"))``; ``max(map(int, line.split()))``."""
    match node:
        case ast.Assign([ast.Tuple(names)], ast.Call() as call) if _gives_parts(call):
            share = 1.0 if _are_reckoned_with(s, node, {n.id for n in names if isinstance(n, ast.Name)}) else UNASKED
        case ast.Call(ast.Name(name), [ast.Call() as call]) if name in _PICKS and _gives_parts(call):
            share = 1.0
        case _:
            return
    for kind, prior in _KINDS:
        new = f"map({kind}, {s.text_of(call)})"
        edit = (s.start_of(call), s.end_of(call), new)
        yield Change((edit,), prior * share, node.lineno, f"the numbers in `{s.text_of(call)}` are meant: `{new}`")


def propose_found_ones(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[int(re.search(p, t)[1]) for t in texts if re.search(p, t)]``: texts without it are left out."""
    if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
        return
    call = _find_search(s, [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
    if call:
        last = node.generators[-1]
        end = s.end_of(last.ifs[-1] if last.ifs else last.iter)
        yield Change(((end, end, f" if {call}"),), 0.6, node.lineno, _describe(call))


def propose_found_rounds(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if re.search(p, t):`` above the only statement of a loop that reads of it."""
    if not isinstance(node, ast.For) or len(node.body) != 1:
        return
    (statement,) = node.body
    if call := _find_search(s, [statement]):
        start, end = s.start_of(statement), s.end_of(statement)
        inner = " " * (statement.col_offset + 4)
        body = s.text[start:end].replace("\n", "\n    ")
        yield Change(((start, end, f"if {call}:\n{inner}{body}"),), 0.6, statement.lineno, _describe(call))


def _find_search(s: Scope, nodes: Iterable[ast.AST]) -> str:
    """The one search for a pattern of whose find something is read at once; empty where there is none, or several."""
    read = (n.value for node in nodes for n in ast.walk(node) if isinstance(n, ast.Attribute | ast.Subscript))
    calls = {
        s.text_of(n) for n in read if isinstance(n, ast.Call) and any(is_method_call(n, name) for name in _FINDING)
    }
    return calls.pop() if len(calls) == 1 else ""


def _describe(call: str) -> str:
    return f"where `{call}` finds nothing there is nothing to read"


def _gives_parts(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _PARTS


def _are_reckoned_with(s: Scope, node: ast.AST, names: set[str]) -> bool:
    """Whether any of the names is an operand of a product, a quotient, a difference or a power where they are bound."""
    scope = s.find_function(node) or s.tree
    operands = (
        operand
        for n in ast.walk(scope)
        if isinstance(n, ast.BinOp) and not isinstance(n.op, ast.Add | ast.Mod)
        for operand in (n.left, n.right)
    )
    return any(isinstance(o, ast.Name) and o.id in names for o in operands)


OPERATORS = (propose_numbers, propose_found_ones, propose_found_rounds)
"""All of them."""
