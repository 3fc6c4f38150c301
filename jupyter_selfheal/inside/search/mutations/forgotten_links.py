"""Mutation operators for a statement that ties one thing to another and is left out: the next node of a list, an entry of a table, the other side
of what is done for one side."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import DICT, Change, Scope
from jupyter_selfheal.inside.tree_names import list_bound_names

_SIDES = (
    ("left", "right"), ("first", "last"), ("next", "prev"), ("low", "high"), ("start", "end"), ("head", "tail"), ("row", "col"),
    ("min", "max"), ("x", "y"),
)  # fmt: skip
"""What is done for one of two is done for the other one too."""
_LINKS = frozenset({"next", "left", "right", "parent", "prev", "tail"})
"""What nodes call each other."""
_OTHER = {a: b for pair in _SIDES for a, b in (pair, pair[::-1])}
_SIDE = re.compile(r"(?<![A-Za-z])(?:" + "|".join(sorted(_OTHER, key=len, reverse=True)) + r")(?![A-Za-z])")


def propose_kept_link(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``new.next = old.next`` before ``old.next = new``, which loses what came behind; and ``new.prev = old`` behind it."""
    match node:
        case ast.Assign([ast.Attribute(ast.Name() | ast.Attribute() as holder, link)], ast.Name(new)):
            place = s.text_of(holder)
        case _:
            return
    indent, (start, end, _) = s.read_indent(node), s.find_line_span(node)
    if indent is None or place in (new, "self"):
        return
    kept = f"{new}.{link} = {place}.{link}"
    if kept not in s.text:
        words = f"`{kept}` is missing: what `{place}.{link}` was is lost"
        yield Change(((start, start, f"{indent}{kept}\n"),), 0.85, node.lineno, words)
    other = _OTHER.get(link)
    back = f"{new}.{other} = {place}"
    if other in s.attributes and back not in s.text:
        edit = (end, end, f"{_open_line(s, end)}{indent}{back}\n")
        yield Change((edit,), 0.5, node.lineno, f"`{back}` is missing")


def propose_next_node(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``node = node.next`` at the end of each round of a ``while`` that asks of ``node``, and never sets it."""
    if not isinstance(node, ast.While) or isinstance(node.body[-1], ast.Return | ast.Break | ast.Continue):
        return
    indent, end = s.read_indent(node.body[-1]), s.find_line_span(node.body[-1])[1]
    links = {n.attr for n in s.order if isinstance(n, ast.Attribute) and not s.is_called(n)} & _LINKS
    links = links or {*s.attributes} & _LINKS
    if indent is None or not links:
        return
    bound = list_bound_names(node)
    for name in dict.fromkeys(n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)):
        for link in sorted(links) if name not in bound else ():
            text = f"{name} = {name}.{link}"
            words = f"`{text}` is missing: `{name}` never goes on"
            yield Change(((end, end, f"{_open_line(s, end)}{indent}{text}\n"),), 0.7, node.lineno, words)


def propose_entry(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``table[key] = value`` where a dictionary that a function is given, or begins empty, is never filled."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    given = [a.arg for a in node.args.args if s.hints.kinds.get(a.arg) == frozenset({DICT})]
    begun = [n.targets[0].id for n in ast.walk(node) if _is_begun_empty(n)]  # type: ignore[attr-defined]
    tables = [n for n in (*given, *begun) if not _is_filled(node, n)]
    names = [n for n in s.values if n not in tables and n != "self"]
    ends = (ast.Return, ast.If, ast.Expr, ast.Assign, ast.AugAssign)
    for stmt in (n for n in ast.walk(node) if isinstance(n, ends)) if tables else ():
        indent, (start, end, _) = s.read_indent(stmt), s.find_line_span(stmt)
        is_end = isinstance(stmt, ast.Return)
        if indent is None or (not is_end and not (s.is_in_loop(stmt) and s.find_next_statement(stmt) is None)):
            continue
        at = start if is_end else end
        pad = "" if is_end else _open_line(s, end)
        for table in tables:
            keys = [*names, f"len({table}) + 1", f"len({table})"]
            pairs = [(k, v) for k in keys for v in names if k != v]
            if table in begun:
                pairs += [(k, f"{table}.get({k}, 0) + 1") for k in names]
            for key, value in pairs:
                text = f"{table}[{key}] = {value}"
                edit = (at, at, f"{pad}{indent}{text}\n")
                prior = 0.4 if table in begun else 0.2
                yield Change((edit,), prior, stmt.lineno, f"`{text}` is missing: `{table}` is never filled")


def _is_begun_empty(node: ast.AST) -> bool:
    match node:
        case ast.Assign([ast.Name()], ast.Dict(keys=[]) | ast.Call(ast.Name("dict"), [], [])):
            return True
    return False


def _is_filled(function: ast.AST, name: str) -> bool:
    """Whether a function puts something into a collection, or hands it on."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(ast.Name(known), ctx=ast.Store() | ast.Del()) if known == name:
                return True
            case ast.Attribute(ast.Name(known), "update" | "setdefault" | "pop" | "clear") if known == name:
                return True
    return False


def propose_other_side(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``queue.append(node.left)`` beside ``queue.append(node.right)``: one of two sides is left out."""
    block = s.parents.get(node)
    indent = s.read_indent(node) if isinstance(node, ast.stmt) else None
    if not isinstance(node, ast.Expr | ast.AugAssign | ast.Assign | ast.If) or indent is None:
        return
    if isinstance(block, ast.ClassDef) or (isinstance(node, ast.If) and (node.orelse or len(node.body) > 1)):
        return
    start, end, _ = s.find_line_span(node)
    old = s.text[start:end].rstrip("\n")
    sides = set(_SIDE.findall(old))
    new = _SIDE.sub(lambda m: _OTHER[m[0]], old)
    for place, other in _find_other_places(s, node).items():
        new = re.sub(rf"\b{place}\b", other, new)
    is_known = sides <= {"left", "right"} or all(_OTHER[side] in s.text for side in sides)
    if (
        len(sides) != 1
        or not is_known
        or _squeeze(new) in _squeeze(s.text)
        or s.text.startswith("elif", s.start_of(node))
    ):
        return
    words = f"`{new.strip().splitlines()[0]}` is missing: it is done for one side only"
    is_first = sides <= {first for first, _ in _SIDES}
    for at, text, prior in (
        (end, f"{_open_line(s, end)}{new}\n", 0.6 if is_first else 0.5),
        (start, f"{new}\n", 0.5 if is_first else 0.6),
    ):
        yield Change(((at, at, text),), prior, node.lineno, words)


def _find_other_places(s: Scope, node: ast.AST) -> dict[str, str]:
    """For each place that a statement reads of one side what a place of the other side is called: ``j`` for ``i`` where ``left[i]`` and ``right[j]`` are read."""
    read = [(n.value.id, p.id) for n in s.order if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)
            for p in ast.walk(n.slice) if isinstance(p, ast.Name)]  # fmt: skip
    places = {
        p.id
        for n in ast.walk(node)
        if isinstance(n, ast.Subscript)
        for p in ast.walk(n.slice)
        if isinstance(p, ast.Name)
    }
    found = {
        place: {m for other, m in read for side, n in read if n == place and _OTHER.get(side) == other}
        for place in places
    }
    return {place: others.pop() for place, others in found.items() if len(others) == 1 and others != {place}}


def propose_only_what_is_there(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if node.left: queue.append(node.left)`` for each side of a node that is put into a collection: there may be none."""
    block = getattr(node, "body", None)
    if not isinstance(block, list) or isinstance(node, ast.Module | ast.ClassDef):
        return
    put = [
        (stmt, part) for stmt in block if (part := _find_put_link(stmt)) is not None and s.read_indent(stmt) is not None
    ]
    edits = []
    for stmt, part in put:
        start, end, _ = s.find_line_span(stmt)
        if s.text_of(part) in _list_questions(s, node):
            return
        edits.append((start, end, f"{s.read_indent(stmt)}if {s.text_of(part)}:\n    {s.text[start:end]}"))
    words = f"`{s.text_of(put[0][1])}` may be none" if put else ""
    for chosen, prior in ((edits, 0.7), *(([edit], 0.4) for edit in edits if len(edits) > 1)):
        if chosen:
            yield Change(tuple(chosen), prior, put[0][0].lineno, words)


def _find_put_link(stmt: ast.stmt) -> ast.Attribute | None:
    match stmt:
        case ast.Expr(
            ast.Call(ast.Attribute(attr="append" | "appendleft" | "add" | "put"), [ast.Attribute(attr=link) as part])
        ):
            return part if link in _LINKS else None
    return None


def _list_questions(s: Scope, node: ast.AST) -> list[str]:
    """What is asked around a place, and at it."""
    asked = (getattr(n, "test", None) for n in (node, *s.walk_upwards(node)))
    return [s.text_of(test) for test in asked if test is not None]


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _open_line(s: Scope, at: int) -> str:
    return "" if s.text[:at].endswith("\n") else "\n"


OPERATORS = (propose_kept_link, propose_next_node, propose_entry, propose_other_side, propose_only_what_is_there)
