"""Mutation operators for a loop that forgets something in each round, or at its end: what is to be remembered for the next round, a count or a
list that begins anew once it was used, and the last group, which no further round brings out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import is_name

_LOOPS = ast.For | ast.While | ast.AsyncFor
_FILLS = frozenset({"append", "add", "extend", "insert"})


def propose_remembered(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``last = x`` at the end of each round, where ``last = 0`` above is compared with in the loop, and never changes."""
    if not isinstance(node, _LOOPS):
        return
    tail = node.body[-1]
    indent = s.read_indent(tail)
    begun = _list_begun(s, node)
    bound = _list_stored(node)
    kept = [n for n in begun if n not in bound and _is_compared(node, n)]
    if not kept or indent is None or isinstance(tail, ast.Return | ast.Break | ast.Continue):
        return
    end = s.find_line_span(tail)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for name in kept:
        kinds = s.hints.kinds.get(name, frozenset())
        for other in bound:
            if s.name_may_be(other, kinds):
                text = f"{name} = {other}"
                words = f"`{text}` is missing: `{name}` never changes"
                yield Change(((end, end, f"{pad}{indent}{text}\n"),), 0.8, node.lineno, words)


def propose_new_best(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``least = d`` in ``if d < least:``, where ``least`` is set above the loop and by nothing in it: it is to be the least so far."""
    loop = next((p for p in s.walk_upwards(node) if isinstance(p, _LOOPS)), None)
    if not isinstance(node, ast.If) or loop is None or not isinstance(node.test, ast.Compare):
        return
    if isinstance(loop.body[-1], ast.Return | ast.Break):
        return  # there is no next round
    tail = node.body[-1]
    indent = s.read_indent(tail)
    if len(node.test.ops) != 1 or indent is None or isinstance(tail, ast.Return | ast.Break | ast.Continue):
        return
    bound, begun = _list_stored(loop), _list_begun(s, loop)
    end = s.find_line_span(tail)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    sides = (node.test.left, node.test.comparators[0])
    for kept, other in (sides, sides[::-1]):
        if (
            not isinstance(kept, ast.Name)
            or kept.id not in begun
            or kept.id in bound
            or isinstance(other, ast.Constant)
        ):
            continue
        text = f"{kept.id} = {s.text_of(other)}"
        words = f"`{text}` is missing: `{kept.id}` never changes"
        yield Change(((end, end, f"{pad}{indent}{text}\n"),), 0.9, node.lineno, words)


def _list_begun(s: Scope, loop: ast.AST) -> dict[str, str]:
    """The variables that are set above a loop in its block, and to what."""
    block = next((b for b in s.list_blocks() if loop in b), [])
    above = block[: block.index(loop)] if loop in block else []
    begun: dict[str, str] = {}
    for statement in above:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                begun[name] = s.text_of(value)
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)) if len(names) == len(values):
                pairs = zip(names, values, strict=True)
                begun |= {name.id: s.text_of(value) for name, value in pairs if isinstance(name, ast.Name)}
    return begun


def _list_stored(node: ast.AST) -> list[str]:
    stored = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return list(dict.fromkeys(stored))


def _is_compared(loop: ast.AST, name: str) -> bool:
    tests = (n.test for n in ast.walk(loop) if isinstance(n, ast.If) and n is not loop)
    return any(isinstance(n, ast.Name) and n.id == name for test in tests for n in ast.walk(test))


def propose_begun_anew(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``count = 0``, or ``part = []``, once a branch of the loop has used what was counted, or gathered, since the last time."""
    loop = next((p for p in s.walk_upwards(node) if isinstance(p, _LOOPS)), None)
    if not isinstance(node, ast.Expr | ast.AugAssign | ast.Assign) or loop is None or s.read_indent(node) is None:
        return
    if not isinstance(s.parents.get(node), ast.If) or "\n" in s.text_of(node):
        return
    begun = _list_begun(s, loop)
    read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    target = _find_collector(node)
    end = s.find_line_span(node)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for name in sorted(read & begun.keys() - {target}):
        if not _adds_only(loop, name):
            continue
        for value in dict.fromkeys([begun[name], *(("0", "1") if begun[name] in ("0", "1") else ())]):
            text = f"{name} = {value}"
            prior = 0.6 if value == begun[name] else 0.35
            words = f"`{text}` is missing: `{name}` begins anew here"
            yield Change(((end, end, f"{pad}{s.read_indent(node)}{text}\n"),), prior, node.lineno, words)


def _find_collector(node: ast.AST) -> str:
    """``out`` of ``out.append(x)``, ``out += x`` and ``out = out + x``."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), method))) if method in _FILLS:
            return name
        case ast.AugAssign(ast.Name(name)):
            return name
        case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(other))) if name == other:
            return name
    return ""


def _adds_only(loop: ast.AST, name: str) -> bool:
    """Whether a loop adds to a variable, and never sets it anew."""
    nodes = list(ast.walk(loop))
    is_set = any(isinstance(n, ast.Assign) and any(is_name(t, name) for t in n.targets) for n in nodes)
    return not is_set and any(_find_collector(n) == name for n in nodes)


def propose_last_group(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``out.append(part)`` once more after the loop that does it where a group ends: the last one ends with the loop."""
    if not isinstance(node, _LOOPS) or s.read_indent(node) is None or s.is_in_loop(node):
        return
    end, indent = s.find_line_span(node)[1], s.read_indent(node)
    pad = "" if s.text[:end].endswith("\n") else "\n"
    below = s.text[end:]
    for stmt in ast.walk(node):
        if not isinstance(s.parents.get(stmt), ast.If) or not _find_collector(stmt):
            continue
        text = s.text_of(stmt)
        if "\n" in text or text in below:
            continue
        for new, prior in _list_after_loop(node, text):
            for guard, weight in _list_guards(stmt):
                inner = f"{indent}{guard}\n{indent}    {new}" if guard else f"{indent}{new}"
                words = f"`{new}` is missing after the loop, for the last of them"
                yield Change(((end, end, f"{pad}{inner}\n"),), prior * weight, node.lineno, words)


def _list_after_loop(loop: ast.AST, text: str) -> Iterator[tuple[str, float]]:
    """The statement as it stands, and with the last item in place of the one that the loop is at."""
    yield text, 0.45
    index = loop.target.id if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) else ""
    if index:
        last = re.sub(rf"\[\s*{index}(?:\s*[-+]\s*1)?\s*\]", "[-1]", text)
        if last != text:
            yield last, 0.5


def _list_guards(stmt: ast.AST) -> Iterator[tuple[str, float]]:
    """Without a question, or only where what is brought out is not empty."""
    yield "", 1.0
    match stmt:
        case ast.Expr(ast.Call(_, [ast.Name(part)])):
            yield f"if {part}:", 1.0


OPERATORS = (propose_remembered, propose_new_best, propose_begun_anew, propose_last_group)
