"""Mutation operators for statements that do nothing as they stand: ``self.total + amount`` by itself, ``owner = owner`` in a method,
``cur.next`` in a loop that goes on while ``cur`` has one; a function inside that nothing gives back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.mutations.operators import BINARY, COMPARE, replace_operator
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import holds_name, is_name

_CHAIN = (ast.Name, ast.Attribute, ast.Subscript)


def propose_idle_statements(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Such a statement as it may have been meant."""
    if (edit := _mend(s, node)) is None:
        return
    is_loop = isinstance(node, ast.While)
    words = f"`{edit[2].strip()}` is missing: the loop never ends" if is_loop else f"`{s.text_of(node)}` does nothing"
    yield Change((edit,), 0.8, node.lineno, words, "senseless")  # type: ignore[attr-defined]


def _mend(s: Scope, node: ast.AST) -> Edit | None:
    if isinstance(s.find_function(node), ast.Module):
        return None
    match node:
        case ast.Assign([ast.Name(name)], ast.Name(same)) if name == same and _is_in_method(s, node):
            return (s.start_of(node), s.start_of(node), "self.")
        case ast.Expr(ast.BinOp(left, sign, right)) if isinstance(left, _CHAIN) and type(sign) in BINARY:
            return replace_operator(s, left, right, BINARY[type(sign)], f"{BINARY[type(sign)]}=")
        case ast.Expr(ast.Compare(left, [ast.Eq()], [right])) if isinstance(left, _CHAIN):
            return replace_operator(s, left, right, COMPARE[ast.Eq], "=")
        case ast.Expr(ast.Attribute(ast.Name(name))) if _is_asked_by_loop(s, node, name):
            return (s.start_of(node), s.start_of(node), f"{name} = ")
        case ast.Assign([ast.Subscript()], ast.Call(ast.Attribute(_, "get"), [_, ast.Constant(0)]) as value) if _counts(
            s, node
        ):
            return (s.end_of(value), s.end_of(value), " + 1")
        case ast.While(test=ast.expr() as test) if step := _find_missing_step(s, node, test):
            end = s.find_line_span(node.body[-1])[1]
            pad = "" if s.text[:end].endswith("\n") else "\n"
            return (end, end, f"{pad}{s.read_indent(node.body[-1])}{step}\n")
    return None


def _counts(s: Scope, node: ast.Assign) -> bool:
    """``counts[key] = counts.get(key, 0)`` in a loop, which counts nothing."""
    match node.targets[0], node.value:
        case ast.Subscript(table, key), ast.Call(ast.Attribute(other), [asked, _]):
            return s.is_in_loop(node) and (s.text_of(table), s.text_of(key)) == (s.text_of(other), s.text_of(asked))
    return False


def _is_in_method(s: Scope, node: ast.AST) -> bool:
    function = s.find_function(node)
    return isinstance(function, ast.FunctionDef) and [a.arg for a in function.args.args][:1] == ["self"]


def _is_asked_by_loop(s: Scope, node: ast.AST, name: str) -> bool:
    loop = s.parents.get(node)
    return isinstance(loop, ast.While) and holds_name(loop.test, name)


def _find_missing_step(s: Scope, loop: ast.While, test: ast.expr) -> str:
    """``cur = cur.next`` for ``while cur:`` that never sets ``cur``, by the one attribute through which other statements go on."""
    match test:
        case ast.Name(name) | ast.Compare(ast.Name(name), [ast.IsNot()], [ast.Constant(None)]):
            pass
        case _:
            return ""
    bound = any(is_name(n, name) and isinstance(n.ctx, ast.Store) for part in loop.body for n in ast.walk(part))  # type: ignore[attr-defined]
    if bound or s.read_indent(loop.body[-1]) is None:
        return ""
    links = {n.test.attr for n in s.order if isinstance(n, ast.While) and isinstance(n.test, ast.Attribute)}
    for n in s.order:
        match n:
            case ast.Assign([ast.Name(one)], ast.Attribute(ast.Name(other), link)) if one == other:
                links.add(link)
    return f"{name} = {name}.{links.pop()}" if len(links) == 1 else ""


def propose_inner_function(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return wrapper`` for ``return deco``, where ``wrapper`` is defined inside and nothing reads it."""
    if not isinstance(node, ast.FunctionDef):
        return
    unread = [
        n.name
        for n in node.body
        if isinstance(n, ast.FunctionDef) and not any(is_name(m, n.name) for m in ast.walk(node))
    ]
    for given in node.body if len(unread) == 1 else ():
        match given:
            case ast.Return(ast.Name() as value):
                words = f"nothing reads `{unread[0]}`, which is defined inside"
                yield Change((s.replace_node(value, unread[0]),), 0.9, given.lineno, words, "senseless")


def propose_composed(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return lambda x: f(g(x))`` for ``return f(g)``, of two functions that are given."""
    match node:
        case ast.Return(ast.Call(ast.Name(outer), [ast.Name(inner)], []) as call):
            function = s.find_function(node)
        case _:
            return
    given = {a.arg for a in function.args.args} if isinstance(function, ast.FunctionDef) else set()
    if {outer, inner} <= given and outer != inner:
        words = f"`{s.text_of(call)}` gives `{outer}` a function, not what that gives"
        yield Change((s.replace_node(call, f"lambda x: {outer}({inner}(x))"),), 0.6, node.lineno, words)


OPERATORS = (propose_idle_statements, propose_inner_function, propose_composed)
