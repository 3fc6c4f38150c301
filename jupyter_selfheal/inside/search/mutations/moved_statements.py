"""Mutation operators for a statement that stands at the wrong level: a first value that is set in each round, or only once; a result that
is given in the first round; two of these at once; counters that go on whichever branch was taken."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope

_LOOPS = ast.For | ast.While | ast.AsyncFor
_SIMPLE = ast.Assign | ast.AugAssign | ast.Expr | ast.Return
_FRESH = ("0", "1", "[]", "{}", "''", '""', "set()", "True", "False", "None", "0.0", "list()", "dict()")
"""What a variable begins with."""
TOGETHER = 0.35
"""How likely it is that two statements of one loop stand at the wrong level."""
MOST_PLACES = 40
"""Places of a function that a statement is moved to; a longer function has its faults elsewhere."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A place between statements: the block's owner, the position in the text, the indentation there, and how deep in loops it is."""

    owner: ast.AST
    at: int
    indent: str
    depth: int


def propose_other_place(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A simple statement of a function at any other place of it: out of a loop or a branch, or into one."""
    if not isinstance(node, ast.FunctionDef):
        return
    places = list(_list_places(s, node))
    if len(places) > MOST_PLACES:
        return
    for stmt in _list_simple(s, node):
        start, end, _ = s.find_line_span(stmt)
        depth = _count_loops(s, stmt)
        for place in places:
            if place.at in (start, end) or (isinstance(stmt, ast.Return) and not _is_end_of_block(s, place)):
                continue
            prior = _weigh_move(s, stmt, depth, place)
            if prior:
                words = f"`{s.text_of(stmt)}` belongs {_name_place(s, stmt, place)}"
                line = _find_line(s, stmt, place)
                yield Change(_move_statement(s, stmt, place), prior, line, words)


def _name_place(s: Scope, stmt: ast.stmt, place: _Place) -> str:
    """Where a statement belongs, in words."""
    if isinstance(place.owner, ast.FunctionDef):
        return "outside of the blocks" if s.parents.get(stmt) is not place.owner else "elsewhere"
    return f"into `{s.text_of(place.owner).splitlines()[0].rstrip(':')}`"


def _list_simple(s: Scope, function: ast.FunctionDef) -> Iterator[ast.stmt]:
    for stmt in ast.walk(function):
        if isinstance(stmt, _SIMPLE) and s.find_function(stmt) is function and s.read_indent(stmt) is not None:
            text = s.text_of(stmt)
            if "\n" not in text and not s.is_doc(getattr(stmt, "value", None) or stmt):
                yield stmt


def _list_places(s: Scope, function: ast.FunctionDef) -> Iterator[_Place]:
    for body in s.list_blocks():
        if s.parents[body[0]] is not function and s.find_function(body[0]) is not function:
            continue
        indent = s.read_indent(body[0])
        if indent is None or any(s.read_indent(stmt) is None for stmt in body):
            continue
        depth, owner = _count_loops(s, body[0]), s.parents[body[0]]
        for stmt in body:
            if not s.is_doc(getattr(stmt, "value", None) or stmt):
                yield _Place(owner, s.find_line_span(stmt)[0], indent, depth)
        yield _Place(owner, s.find_line_span(body[-1])[1], indent, depth)


def _count_loops(s: Scope, node: ast.AST) -> int:
    return sum(isinstance(p, _LOOPS) for p in s.walk_upwards(node))


def _is_end_of_block(s: Scope, place: _Place) -> bool:
    """Whether a ``return`` there leaves nothing behind it that would never run."""
    blocks = (getattr(place.owner, name, None) for name in ("body", "orelse"))
    return any(isinstance(b, list) and b and s.find_line_span(b[-1])[1] == place.at for b in blocks)


def _weigh_move(s: Scope, stmt: ast.stmt, depth: int, place: _Place) -> float:
    """How likely a statement belongs there: first values go before loops, or to their beginning; results after them."""
    body = getattr(place.owner, "body", [])
    is_first = bool(body) and s.find_line_span(body[0])[0] == place.at
    if is_fresh(s, stmt):
        if place.depth == depth:
            return 0.05
        return 0.4 if is_first or place.depth < depth else 0.1
    if isinstance(stmt, ast.Return):
        return 0.4 if place.depth < depth else 0.08
    return 0.14 if place.depth != depth else 0.1


def is_fresh(s: Scope, stmt: ast.AST) -> bool:
    """``out = []`` and the like: what a variable begins with."""
    return isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name) and s.text_of(stmt.value) in _FRESH


def _find_line(s: Scope, stmt: ast.stmt, place: _Place) -> int:
    """Where a move shows: at the loop or branch that the statement leaves, which runs where it may not, else at itself."""
    around = [p for p in s.walk_upwards(stmt) if isinstance(p, ast.If | _LOOPS)]
    inside = {place.owner, *s.walk_upwards(place.owner)}
    left = [p for p in around if p not in inside]
    return left[-1].lineno if left else stmt.lineno


@cache_on_scope
def _list_lonely(s: Scope) -> set[ast.stmt]:
    """The statements that are alone in their block."""
    return {block[0] for block in s.list_blocks() if len(block) == 1}


def _move_statement(s: Scope, stmt: ast.stmt, place: _Place) -> tuple[Edit, ...]:
    """The edits that take a statement to another place; ``pass`` stays where it was alone in its block."""
    start, end, _ = s.find_line_span(stmt)
    is_alone = stmt in _list_lonely(s)
    nothing = f"{s.read_indent(stmt)}pass\n" if is_alone else ""
    pad = "" if s.text[: place.at].endswith("\n") or not place.at else "\n"
    return (place.at, place.at, f"{pad}{place.indent}{s.text_of(stmt)}\n"), (start, end, nothing)


def propose_two_places(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A first value that belongs before its loop (or into it), together with what belongs into the loop, or after it."""
    if not isinstance(node, _LOOPS) or s.read_indent(node) is None or s.read_indent(node.body[0]) is None:
        return
    outer, inner = str(s.read_indent(node)), str(s.read_indent(node.body[0]))
    start, end, _ = s.find_line_span(node)
    body_start, body_end = s.find_line_span(node.body[0])[0], s.find_line_span(node.body[-1])[1]
    block = next((b for b in s.list_blocks() if node in b), [])
    at = block.index(node) if node in block else 0
    above, below = block[:at], block[at + 1 :]
    before = _Place(s.parents[node], start, outer, 0)
    first_inside, last_inside = _Place(node, body_start, inner, 1), _Place(node, body_end, inner, 1)
    after = _Place(s.parents[node], end, outer, 0)
    firsts = [(b, before) for b in node.body[:2] if is_fresh(s, b)]
    firsts += [(a, first_inside) for a in above[-3:] if is_fresh(s, a)]
    others: list[tuple[ast.stmt, _Place]] = [
        (b, last_inside) for b in below[:1] if isinstance(b, ast.Expr | ast.AugAssign | ast.Assign)
    ]
    others += [(b, after) for b in node.body[-1:] if isinstance(b, ast.Return | ast.Expr | ast.AugAssign)]
    if body_end != end:
        return
    for (one, to), (two, place) in itertools.product(firsts, others):
        if one is two or any(s.read_indent(n) is None or "\n" in s.text_of(n) for n in (one, two)):
            continue
        words = f"`{s.text_of(one)}` and `{s.text_of(two)}` stand at the wrong level"
        edits = (*_move_statement(s, one, to), *_move_statement(s, two, place))
        yield Change(tuple(sorted(edits, key=lambda e: (e[0], e[1]))), TOGETHER, node.lineno, words)


def propose_counters_in_branches(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``i += 1`` and ``j += 1`` below ``if …: out.append(a[i])``, ``else: out.append(b[j])``: each goes on where its item was taken."""
    if not isinstance(node, _LOOPS) or len(node.body) < 3:
        return
    test, counters = node.body[-3], node.body[-2:]
    if not isinstance(test, ast.If) or not test.orelse or s.is_elif(test, test.orelse):
        return
    if not all(isinstance(c, ast.AugAssign) and isinstance(c.target, ast.Name) for c in counters):
        return
    edits: list[Edit] = []
    for branch in (test.body, test.orelse):
        read = {n.id for stmt in branch for n in ast.walk(stmt) if isinstance(n, ast.Name)}
        own = [c for c in counters if c.target.id in read]  # type: ignore[attr-defined]
        indent = s.read_indent(branch[-1])
        if len(own) != 1 or indent is None:
            return
        at = s.find_line_span(branch[-1])[1]
        edits.append((at, at, f"{indent}{s.text_of(own[0])}\n"))
    if edits[0][2].strip() == edits[1][2].strip():
        return
    first, last = s.find_line_span(counters[0])[0], s.find_line_span(counters[1])[1]
    kept = (edits[0], (edits[1][0], last, edits[1][2])) if first == edits[1][0] else (*edits, (first, last, ""))
    words = "each index goes on only where its item was taken"
    yield Change(kept, 0.6, test.lineno, words)


OPERATORS = (propose_other_place, propose_two_places, propose_counters_in_branches)
