"""Mutation operators for records that are compared by hand: the wrong field on both sides, a tie that is decided by the wrong part, a key in
place of its value, a guard that comes too late, and two lists of which one is longer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit, splice
from jupyter_selfheal.inside.search.scope import TEXT, Change, Scope

_ORDERS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def _read_field(node: ast.AST) -> int | None:
    match node:
        case ast.Subscript(_, ast.Constant(int(field))):
            return field
    return None


def propose_other_field(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``a[1] > b[1]`` for ``a[0] > b[0]``, and ``a[1] == b[1]`` for ``a[1] == b``: both sides are the same field of their records."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    left, right = node.left, node.comparators[0]
    one, two = _read_field(left), _read_field(right)
    if one is not None and one == two:
        for field in (0, 1, 2, -1):
            if field != one:
                edits = tuple(
                    (s.start_of(side.slice), s.end_of(side.slice), str(field))
                    for side in (left, right)
                    if isinstance(side, ast.Subscript)
                )
                yield Change(
                    edits,
                    0.4 if field in (0, 1) else 0.15,
                    node.lineno,
                    f"`[{one}]` should be `[{field}]` on both sides",
                )
    for known, bare in ((one, right), (two, left)):
        if known is not None and isinstance(bare, ast.Name):
            new = f"{bare.id}[{known}]"
            yield Change(
                (s.replace_node(bare, new),), 0.5, node.lineno, f"`{bare.id}` should be `{new}`, as on the other side"
            )


def propose_same_measure(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``abs(x - t) < abs(best - t)`` for ``abs(x - t) < best`` above ``best = x``: an item is compared as the best one so far is."""
    match node:
        case ast.If(ast.Compare(measure, [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], [ast.Name(best) as right])):
            pass
        case _:
            return
    for statement in node.body:
        match statement:
            case ast.Assign([ast.Name(kept)], ast.Name(item)) if kept == best and not isinstance(measure, ast.Name):
                start, end = s.start_of(measure), s.end_of(measure)
                places = [n for n in ast.walk(measure) if isinstance(n, ast.Name) and n.id == item]
                edits = [(s.start_of(n) - start, s.end_of(n) - start, best) for n in places]
                new = splice(s.text[start:end], edits)
                if places:
                    words = f"`{best}` is an item, and should be compared as `{new}`"
                    yield Change((s.replace_node(right, new),), 0.8, node.lineno, words)


def propose_order_of_ties(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``(a, c) < (b, d)`` for ``a <= b and c < d``: the second part decides only where the first is the same."""
    if not isinstance(node, ast.BoolOp) or len(node.values) != 2:
        return
    one, two = node.values
    if not (isinstance(one, ast.Compare) and isinstance(two, ast.Compare) and len(one.ops) == len(two.ops) == 1):
        return
    first, second = _ORDERS.get(type(one.ops[0]), ""), _ORDERS.get(type(two.ops[0]), "")
    if not second or not (first or isinstance(one.ops[0], ast.Eq)):
        return
    left, right = (
        f"({s.text_of(one.left)}, {s.text_of(two.left)})",
        f"({s.text_of(one.comparators[0])}, {s.text_of(two.comparators[0])})",
    )
    signs = {second, (first or "<")[0] + second[1:], (first or ">")[0] + second[1:]}
    for sign in sorted(signs):
        new = f"{left} {sign} {right}"
        yield Change(
            (s.replace_node(node, new),),
            0.4,
            node.lineno,
            f"the second part decides only where the first is the same: `{new}`",
        )
    new = f"{s.text_of(one.left)} {(first or second)[0]} {s.text_of(one.comparators[0])} or ({s.text_of(one.left)} == {s.text_of(one.comparators[0])} and {s.text_of(two)})"
    yield Change(
        (s.replace_node(node, new),), 0.45, node.lineno, "the second part decides only where the first is the same"
    )


def propose_exchange_in_order(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if same and a > b:`` above ``a, b = b, a``, which is to bring the two in order."""
    if not isinstance(node, ast.If) or not node.body:
        return
    match node.body[-1]:
        case ast.Assign([ast.Tuple([one, two])], ast.Tuple([other, another])) if s.text_of(one) == s.text_of(
            another
        ) and s.text_of(two) == s.text_of(other):
            first, second = s.text_of(one), s.text_of(two)
        case _:
            return
    for text, prior in ((f"{first} > {second}", 0.5), (f"{first} < {second}", 0.4)):
        new = f"{s.parenthesize(node.test)} and {text}"
        yield Change((s.replace_node(node.test, new),), prior, node.lineno, f"`{s.text_of(node.test)}` lacks `{text}`")


def propose_value_of_key(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``ages[name]`` for ``name`` in a loop through ``ages`` or ``sorted(ages)``: the value is meant, and not its key."""
    if not isinstance(node, ast.Name) or not s.is_read(node):
        return
    if isinstance(parent := s.parents.get(node), ast.Subscript) and parent.slice is node:
        return
    for loop in s.walk_upwards(node):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.target.id != node.id:
            continue
        through = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)} & set(s.values)
        for name in sorted(through):
            if "dict" in s.hints.kinds.get(name, frozenset()):
                new = f"{name}[{node.id}]"
                yield Change(
                    (s.replace_node(node, new),),
                    0.5,
                    node.lineno,
                    f"`{node.id}` is a key, and its value `{new}` is meant",
                )


def propose_guard_first(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``i < len(xs) and xs[i] == x`` for ``xs[i] == x and i < len(xs)``: whether there is such a place is asked first."""
    if not isinstance(node, ast.BoolOp) or len(node.values) != 2:
        return
    one, two = node.values
    is_bound = isinstance(two, ast.Compare) and any(
        isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.NotEq) for op in two.ops
    )
    places = {s.text_of(n.slice) for n in ast.walk(one) if isinstance(n, ast.Subscript)}
    asked = {s.text_of(n) for n in ast.walk(two) if isinstance(n, ast.expr)}
    if is_bound and places & asked:
        edits = (s.replace_node(one, s.text_of(two)), s.replace_node(two, s.text_of(one)))
        yield Change(edits, 0.75, node.lineno, f"`{s.text_of(two)}` is to be asked first")


def propose_longer_of_two(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(max(len(a), len(b)))``, and each line of ``out.append(a[i])`` only where there is such a place, for ``range(len(a))``."""
    match node:
        case ast.For(
            ast.Name(index), ast.Call(ast.Name("range"), [ast.Call(ast.Name("len" | "min" | "max")) as size], [])
        ):
            pass
        case _:
            return
    edits: list[Edit] = []
    lists: list[str] = []
    for stmt in node.body:
        read = {
            n.value.id
            for n in ast.walk(stmt)
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and s.text_of(n.slice) == index
        }
        indent = s.read_indent(stmt)
        if len(read) != 1 or indent is None or not isinstance(stmt, ast.Expr | ast.AugAssign):
            return
        name = read.pop()
        lists.append(name)
        start, end, _ = s.find_line_span(stmt)
        edits.append((start, end, f"{indent}if {index} < len({name}):\n{indent}    {s.text_of(stmt)}\n"))
    if len(dict.fromkeys(lists)) == 2:
        bound = f"max({', '.join(f'len({name})' for name in dict.fromkeys(lists))})"
        edits.append((s.start_of(size), s.end_of(size), bound))
        yield Change(tuple(sorted(edits)), 0.5, node.lineno, "one of the two may be longer")


def propose_same_otherwise(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``else: x = rest`` beside ``if i < len(a): x = a[i]``, where ``y`` beside it has its ``else: y = rest``."""
    match node:
        case ast.If(_, [ast.Assign([ast.Name(own)], _)], []) if s.read_indent(node) is not None:
            pass
        case _:
            return
    indent, end = s.read_indent(node), s.find_line_span(node)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for beside in getattr(s.parents.get(node), "body", ()):
        match beside:
            case ast.If(_, [ast.Assign([ast.Name(other)], _)], [ast.Assign([ast.Name(again)], value)]) if (
                other == again != own
            ):
                text = f"{own} = {s.text_of(value)}"
                edit = (end, end, f"{pad}{indent}else:\n{indent}    {text}\n")
                yield Change((edit,), 0.6, node.lineno, f"`else: {text}` is missing, as beside it")


def propose_other_way_round(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``while len(b) < len(a): b.append(x)`` after ``while len(a) < len(b): a.append(x)``: either of the two may be the shorter one."""
    if not isinstance(node, ast.While) or s.read_indent(node) is None or not isinstance(node.test, ast.Compare):
        return
    sides = [node.test.left, *node.test.comparators]
    names = [n.args[0].id for n in sides if isinstance(n, ast.Call) and n.args and isinstance(n.args[0], ast.Name)]
    if len(names) != 2 or names[0] == names[1]:
        return
    start, end, _ = s.find_line_span(node)
    text = s.text[start:end]
    turned = dict(zip(names, reversed(names), strict=True))
    mirrored = re.sub(r"\b[^\W\d]\w*", lambda m: turned.get(m[0], m[0]), text)
    pad = "" if text.endswith("\n") else "\n"
    if mirrored.strip() not in s.text:
        words = f"the same is missing where `{names[1]}` and `{names[0]}` are the other way round"
        yield Change(((end, end, f"{pad}{mirrored}"),), 0.6, node.lineno, words)


def propose_without_blanks(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for c in text.replace(' ', '')`` for ``for c in text``, where the checks give texts with blanks."""
    if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Name):
        return
    name = node.iter.id
    given = (a for calls in s.hints.calls.values() for call in calls for a in call if isinstance(a, str))
    if s.hints.kinds.get(name, frozenset()) == {TEXT} and any(" " in text for text in given):
        new = f"{name}.replace(' ', '')"
        yield Change((s.replace_node(node.iter, new),), 0.4, node.lineno, "blanks do not count")


def propose_whole_record(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``best = x`` for ``best = x[1]`` below ``if x[1] > best[1]:``: what is compared by a field is kept as a whole."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare) or len(node.test.ops) != 1:
        return
    sides = (node.test.left, node.test.comparators[0])
    kept = {s.text_of(side.value) for side in sides if isinstance(side, ast.Subscript)}
    for n in node.body:
        match n:
            case ast.Assign([ast.Name(best)], ast.Subscript(ast.Name(record)) as part) if {best, record} <= kept:
                if s.text_of(part) in map(s.text_of, sides):
                    words = f"`{record}` is kept as a whole: `{best}` is compared by a part of it"
                    yield Change((s.replace_node(part, record),), 0.8, n.lineno, words)


OPERATORS = (
    propose_same_otherwise,
    propose_other_way_round,
    propose_whole_record,
    propose_other_field,
    propose_same_measure,
    propose_order_of_ties,
    propose_exchange_in_order,
    propose_value_of_key,
    propose_guard_first,
    propose_longer_of_two,
    propose_without_blanks,
)
