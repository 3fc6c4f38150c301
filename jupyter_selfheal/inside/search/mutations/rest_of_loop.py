"""Mutation operators for a loop that looks for one place after another: it begins each round at the same one, or leaves out what stands behind the
last one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import ITEMS, NUMBER, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import list_bound_names


def propose_next_start(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``start = at + len(part)`` in ``while at != -1: … at = text.find(part, start)``, where ``start`` never changes."""
    if not isinstance(node, ast.While):
        return
    bound = list_bound_names(node)
    asked = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
    for n, stmt in enumerate(node.body):
        indent, start = s.read_indent(stmt), s.find_line_span(stmt)[0]
        match stmt:
            case ast.Assign([ast.Name(name)], value) if name in asked and indent is not None:
                begins = [x.id for x in ast.walk(value) if isinstance(x, ast.Name) and x.id in s.values]
            case _:
                continue
        for begin in dict.fromkeys(b for b in begins if b not in bound and _may_count(s, b)):
            sized = [v for v in s.values if s.hints.kinds.get(v, frozenset()) & {TEXT, ITEMS}]
            steps = [("+ 1", 0.7), *((f"+ len({v})", 0.7 if v in begins else 0.3) for v in sized), ("", 0.3)]
            for base in dict.fromkeys((name, begin)):
                for step, prior in steps:
                    text = f"{begin} = {base} {step}".rstrip()
                    if base == begin and not step:
                        continue
                    words = f"`{text}` is missing: `{begin}` never changes"
                    yield Change(((start, start, f"{indent}{text}\n"),), prior, node.body[n].lineno, words)


def _may_count(s: Scope, name: str) -> bool:
    return s.name_may_be(name, frozenset({NUMBER}))


def propose_rest(s: Scope, node: ast.AST) -> Iterator[Change]:
    """What a round does with ``text[start:at]`` once more for ``text[start:]`` behind the loop, which ends at the last place that is found."""
    if not isinstance(node, ast.While) or s.is_in_loop(node):
        return
    indent, end = s.read_indent(node), s.find_line_span(node)[1]
    asked = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
    steps = [n for n, stmt in enumerate(node.body) if isinstance(stmt, ast.Assign) and asked & list_bound_names(stmt)]
    if indent is None or not steps:
        return
    for slice_ in (n for stmt in node.body[: steps[0]] for n in ast.walk(stmt) if isinstance(n, ast.Slice)):
        upper = slice_.upper
        if not isinstance(upper, ast.Name) or upper.id not in asked or not isinstance(slice_.lower, ast.Name):
            continue
        moved = next((n for n, b in enumerate(node.body) if slice_.lower.id in list_bound_names(b)), steps[0])
        part = node.body[: min(moved, steps[0])]
        if not part or any(s.read_indent(stmt) is None for stmt in part):
            continue
        first, last = s.find_line_span(part[0])[0], s.find_line_span(part[-1])[1]
        at = s.start_of(upper)
        text = s.text[first:at] + s.text[s.end_of(upper) : last]
        cut = len(str(s.read_indent(part[0]))) - len(indent)
        lines = [line[cut:] if not line[:cut].strip() else line for line in text.rstrip().splitlines()]
        pad = "" if s.text[:end].endswith("\n") else "\n"
        words = f"what stands behind the last `{upper.id}` is left out"
        yield Change(((end, end, pad + "\n".join(lines) + "\n"),), 0.6, node.lineno, words)


OPERATORS = (propose_next_start, propose_rest)
