"""Mutation operators for loops that take an item for its place, a place for an item, one loop within another for two side by side; and for an
item that is given a new value which the collection never sees."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import is_name

_SEQUENCES = frozenset({ITEMS, TEXT})


def propose_new_items(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``words[i] = word.upper()``, or a new list, for ``for word in words: word = word.upper()``, which changes no list."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name) or not isinstance(node.iter, ast.Name):
        return
    last, item, whole = node.body[-1], node.target.id, node.iter.id
    indent = s.read_indent(node)
    match last:
        case ast.Assign([ast.Name(name)], value) if name == item and indent is not None:
            new = s.text_of(value)
        case ast.AugAssign(ast.Name(name), _, value) if name == item and indent is not None:
            sign = s.text[s.end_of(last.target) : s.start_of(value)].replace("=", "").strip()
            new = f"{item} {sign} {s.parenthesize(value)}"
        case _:
            return
    words = f"`{s.text_of(last)}` changes no item of `{whole}`"
    start, end, _ = s.find_line_span(node)
    if len(node.body) == 1 and "\n" not in new:
        text = f"{indent}{whole} = [{new} for {item} in {whole}]\n"
        yield Change(((start, end, text),), 0.8, node.lineno, words)
    place = next((n for n in ("i", "n", "place") if n not in s.names), "")
    if place:
        head = ((s.start_of(node.target), s.end_of(node.iter), f"{place}, {item} in enumerate({whole})"),)
        edits = (*head, (s.start_of(last), s.end_of(last), f"{whole}[{place}] = {new}"))
        yield Change(edits, 0.7, node.lineno, words)


def propose_place_of_item(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for i, name in enumerate(names)`` for ``for name in names``, where ``prices[name]`` is to be the price at the same place."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name) or not isinstance(node.iter, ast.Name):
        return
    item, whole = node.target.id, node.iter.id
    indexes = [
        n.slice
        for n in ast.walk(node)
        if isinstance(n, ast.Subscript)
        and isinstance(n.slice, ast.Name)
        and n.slice.id == item
        and isinstance(n.value, ast.Name)
        and s.hints.kinds.get(n.value.id, frozenset()) & _SEQUENCES
    ]
    place = next((n for n in ("i", "n", "place") if n not in s.names), "")
    if indexes and place:
        head = (s.start_of(node.target), s.end_of(node.iter), f"{place}, {item} in enumerate({whole})")
        edits = (head, *((s.start_of(n), s.end_of(n), place) for n in indexes))
        yield Change(edits, 0.75, node.lineno, f"`{item}` is an item of `{whole}`, not its place")


def propose_counted_places(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for i in range(len(xs))`` with ``xs[i]`` wherever an item is reckoned with, for ``for i in xs`` that is to give places."""
    loops = _list_loops_through_items(s, node)
    if not loops:
        return
    edits: list[Edit] = []
    for loop in loops:
        name, whole = loop.target.id, loop.iter.id  # type: ignore[attr-defined]
        edits.append((s.start_of(loop.iter), s.end_of(loop.iter), f"range(len({whole}))"))
        read = [n for n in ast.walk(loops[0]) if isinstance(n, ast.Name) and n.id == name and s.is_read(n)]
        reckoned = [n for n in read if _is_reckoned(s, n)]
        if not reckoned or len(reckoned) == len(read):
            return
        edits += [(s.start_of(n), s.end_of(n), f"{whole}[{name}]") for n in reckoned]
    yield Change(tuple(sorted(edits)), 0.5, loops[0].lineno, "places are wanted, not items")


def _list_loops_through_items(s: Scope, node: ast.AST) -> list[ast.For]:
    """A loop through a collection by its items, and the one that is the first statement in it."""
    loops: list[ast.For] = []
    while (
        isinstance(node, ast.For)
        and isinstance(node.target, ast.Name)
        and isinstance(node.iter, ast.Name)
        and s.name_may_be(node.iter.id, _SEQUENCES)
    ):
        loops.append(node)
        node = node.body[0]
    return loops


def _is_reckoned(s: Scope, node: ast.AST) -> bool:
    """Whether a name stands in a sum, a product or a comparison."""
    return any(isinstance(p, ast.BinOp | ast.Compare) for p in s.walk_upwards(node) if isinstance(p, ast.expr))


def propose_side_by_side(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for name, price in zip(names, prices)`` for a loop through the one within a loop through the other."""
    loops: list[ast.For] = []
    inner = node
    while isinstance(inner, ast.For) and isinstance(inner.target, ast.Name) and isinstance(inner.iter, ast.Name):
        loops.append(inner)
        if len(inner.body) > 1:
            break
        inner = inner.body[0]
    if len(loops) < 2:
        return
    parameters = {n.arg for n in ast.walk(s.tree) if isinstance(n, ast.arg)}
    wholes = [loop.iter.id for loop in loops]  # type: ignore[attr-defined]
    if len(set(wholes)) < len(wholes) or not set(wholes) <= parameters:
        return
    last = loops[-1].body
    outer, inside = s.read_indent(loops[0]), s.read_indent(last[0])
    if outer is None or inside is None or not isinstance(loops[0].body[0], ast.For):
        return
    names = ", ".join(loop.target.id for loop in loops)  # type: ignore[attr-defined]
    start, end = s.find_line_span(loops[0])[0], s.find_line_span(loops[0])[1]
    lines = s.text[s.find_line_span(last[0])[0] : end].splitlines(keepends=True)
    body = "".join(f"{outer}    {line[len(inside) :]}" if line.startswith(inside) else line for line in lines)
    head = f"{outer}for {names} in zip({', '.join(wholes)}):\n"
    words = f"`{'` and `'.join(wholes)}` go side by side"
    yield Change(((start, end, head + body),), 0.5, loops[0].lineno, words)


def propose_round_the_end(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``letters[(at + shift) % len(letters)]`` for ``letters[at + shift]``: after the last place comes the first."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return
    index = node.slice
    if not isinstance(index, ast.BinOp) or not isinstance(index.op, ast.Add | ast.Sub):
        return
    if not isinstance(index.right, ast.Constant):
        edit = (s.start_of(index), s.end_of(index), f"({s.text_of(index)}) % len({node.value.id})")
        yield Change((edit,), 0.55, node.lineno, f"`{s.text_of(node)}` goes beyond the last place")


def propose_pairs_of_table(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for key, value in table.items()`` for ``for key, value in table``, which goes through the keys only."""
    if not isinstance(node, ast.For | ast.comprehension) or not isinstance(node.iter, ast.Name):
        return
    if not isinstance(node.target, ast.Tuple) or len(node.target.elts) != 2:
        return
    if DICT in s.hints.kinds.get(node.iter.id, frozenset()):
        name = node.iter.id
        words = f"`{name}` goes through the keys only: `{name}.items()` gives the values too"
        yield Change((s.replace_node(node.iter, f"{name}.items()"),), 0.85, node.iter.lineno, words)


def propose_first_place(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``least = i`` for ``least = 0`` in ``for i in …``, where a loop over ``j`` within sets ``least = j``: what is before ``i`` is done."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
        return
    outer = node.target.id
    for stmt in node.body:
        match stmt:
            case ast.Assign([ast.Name(kept)], ast.Constant(0) as begun):
                words = f"`{kept}` begins at `{outer}`, not at `0`: what is before it is done"
                if any(_keeps_place(loop, kept, outer) for loop in node.body):
                    yield Change((s.replace_node(begun, outer),), 0.8, stmt.lineno, words)


def _keeps_place(loop: ast.stmt, kept: str, outer: str) -> bool:
    """Whether a loop that begins at, or goes up to, the outer one's place sets a variable to its own."""
    match loop:
        case ast.For(ast.Name(place), given) if any(is_name(part, outer) for part in ast.walk(given)):
            return any(_sets_to(part, kept, place) for part in ast.walk(loop))
    return False


def _sets_to(node: ast.AST, name: str, value: str) -> bool:
    match node:
        case ast.Assign([ast.Name(own)], ast.Name(given)):
            return (own, given) == (name, value)
    return False


def propose_parts_of_length(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs[i:i + n]`` for ``xs[i:n]`` in a loop over ``i`` that does not change ``n``, and steps of ``n``: the parts of a list, one behind the other."""
    match node:
        case ast.Subscript(whole, ast.Slice(ast.Name(place), ast.expr() as end, None) as cut):
            around = [p for p in s.walk_upwards(node) if isinstance(p, ast.For | ast.ListComp | ast.GeneratorExp)]
        case _:
            return
    match end:
        case ast.Name(length):
            edits: tuple[Edit, ...] = ((s.start_of(end), s.end_of(end), f"{place} + {length}"),)
        case ast.BinOp(ast.Name(begun), ast.Add(), ast.Name(length)) if begun == place:
            edits = ()
        case _:
            return
    loops = [loop for p in around for loop in ([p] if isinstance(p, ast.For) else p.generators)]
    loop = next((loop for loop in loops if is_name(loop.target, place)), None)
    if loop is None or length == place:
        return
    words = f"`{s.text_of(whole)}[{place}:{place} + {length}]` are `{length}` of them"
    if edits:
        yield Change(edits, 0.5, cut.lineno, words)
    match loop.iter:
        case ast.Call(ast.Name("range"), [ast.Constant(0), last], []) | ast.Call(ast.Name("range"), [last], []):
            step = f"range(0, {s.text_of(last)}, {length})"
            at = (s.start_of(loop.iter), s.end_of(loop.iter), step)
            yield Change(tuple(sorted((at, *edits))), 0.5, cut.lineno, f"{words}, one part behind the other: `{step}`")


OPERATORS = (
    propose_parts_of_length,
    propose_first_place,
    propose_new_items,
    propose_place_of_item,
    propose_counted_places,
    propose_side_by_side,
    propose_round_the_end,
    propose_pairs_of_table,
)
