"""Mutation operators for what textbook programs leave out: the rest of a merged list, the mean of two middle items, the way back to the
beginning of an alphabet, a list for each key; and two loops, or two neighbouring indexes, that stand one place off."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.own_collection import propose_own_collection
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import list_names

_LETTERS = {"isupper": ("'A'", 0.5), "islower": ("'a'", 0.5), "isalpha": ("", 0.5)}
"""What a character was asked for before it is moved on, and the first letter of the alphabet that it is moved within."""


def propose_rest_of_sequences(s: Scope, node: ast.AST) -> Iterator[Change]:
    """After ``while i < len(a) and j < len(b)``, which fills ``out``, the rest of ``a`` and of ``b`` is missing, or of one of them."""
    if not isinstance(node, ast.While) or not isinstance(node.test, ast.BoolOp) or s.read_indent(node) is None:
        return
    places = [place for part in node.test.values if (place := _read_place(part)) is not None]
    if not isinstance(node.test.op, ast.And) or len(places) != 2 or len(node.test.values) != 2:
        return
    filled = {
        n.func.value.id
        for n in ast.walk(node)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "append"
        and isinstance(n.func.value, ast.Name)
    }
    end = s.find_line_span(node)[1]
    below = "".join(s.text[end:].split())
    rests = [f"{whole}[{index}:]" for index, whole in places]
    missing = [rest for rest in rests if rest not in below]
    if len(filled) != 1 or not missing or any(f"while{i}<len({whole})" in below for i, whole in places):
        return
    (out,) = filled
    pad = "" if s.text[:end].endswith("\n") else "\n"
    lines = [f"{out}.extend({rest})" for rest in missing]
    text = "".join(f"{s.read_indent(node)}{line}\n" for line in lines)
    last = node.end_lineno or node.lineno
    yield Change(
        ((end, end, pad + text),),
        0.8,
        last,
        f"`{'` and `'.join(lines)}` {'are' if len(lines) > 1 else 'is'} missing after the loop",
    )


def _read_place(test: ast.expr) -> tuple[str, str] | None:
    """``i`` and ``a`` of ``i < len(a)``."""
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name) or not isinstance(test.ops[0], ast.Lt):
        return None
    match test.comparators:
        case [ast.Call(func=ast.Name("len"), args=[ast.Name(whole)], keywords=[])]:
            return test.left.id, whole
    return None


def propose_both_middles(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return xs[n // 2]`` is one of the two middle items where their number is even: their mean is meant there."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Subscript) or s.read_indent(node) is None:
        return
    function = s.find_function(node)
    size = None if isinstance(function, ast.Module) else _find_halved(s, node, node.value.slice)
    if size is None or "%" in s.text_of(function):
        return
    whole, middle = s.text_of(node.value.value), s.text_of(node.value.slice)
    indent, start = s.read_indent(node), s.find_line_span(node)[0]
    text = f"{indent}if {size} % 2 == 0:\n{indent}    return ({whole}[{middle} - 1] + {whole}[{middle}]) / 2\n"
    words = f"of an even number of items two are in the middle of `{whole}`"
    yield Change(((start, start, text),), 0.6, node.lineno, words)


def _find_halved(s: Scope, node: ast.AST, index: ast.expr) -> str | None:
    """What an index is the half of: ``n`` of ``n // 2``, also by way of ``mid = n // 2``."""
    if isinstance(index, ast.Name):
        made = [
            n.value
            for n in ast.walk(s.find_function(node))
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id == index.id
        ]
        index = made[0] if len(made) == 1 else index
    if not isinstance(index, ast.BinOp) or not isinstance(index.op, ast.FloorDiv):
        return None
    is_two = isinstance(index.right, ast.Constant) and index.right.value == 2
    return s.text_of(index.left) if is_two and isinstance(index.left, ast.Name | ast.Call) else None


def propose_one_place_off(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs[i - 1] + xs[i]`` for ``xs[i] + xs[i + 1]``, and the other way round: the pair stands one place off."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.left, ast.Subscript):
        return
    right = node.right
    if not isinstance(right, ast.Subscript) or s.text_of(node.left.value) != s.text_of(right.value):
        return
    first, second = node.left.slice, right.slice
    one, two = s.text_of(first), s.text_of(second)
    if _is_step(s, second, ast.Add, one):
        edits = (_put_plain(s, first, f"{one} - 1"), _put_plain(s, second, one))
    elif _is_step(s, first, ast.Sub, two):
        edits = (_put_plain(s, first, two), _put_plain(s, second, f"{two} + 1"))
    else:
        return
    yield Change(edits, 0.4, node.lineno, f"`{s.text_of(node)}` stands one place off")


def _is_step(s: Scope, node: ast.expr, sign: type[ast.operator], base: str) -> bool:
    """Whether it is ``i + 1``, or with another sign ``i - 1``, of the base ``i``."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, sign) or s.text_of(node.left) != base:
        return False
    return isinstance(node.right, ast.Constant) and node.right.value == 1


def propose_exchanged_loops(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Two loops, one within the other, that go through what the other one should: the ranges of rows and of columns."""
    if isinstance(node, ast.For):
        inner = next((n for n in node.body if isinstance(n, ast.For)), None)
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        nested = node.elt.generators if isinstance(node.elt, ast.ListComp | ast.GeneratorExp) else ()
        clauses = [*node.generators, *nested]
        if len(clauses) == 2:
            yield from _exchange_clauses(s, node.lineno, clauses[0], clauses[1])
        return
    else:
        return
    if inner is not None:
        yield from _exchange_clauses(s, node.lineno, node, inner)


def _exchange_clauses(
    s: Scope, line: int, outer: ast.For | ast.comprehension, inner: ast.For | ast.comprehension
) -> Iterator[Change]:
    bound = list_names(outer.target)
    if any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(inner.iter)):
        return
    one, two = s.text_of(outer.iter), s.text_of(inner.iter)
    if one != two:
        words = f"`{one}` and `{two}` are exchanged"
        iterated = (_put_plain(s, outer.iter, two), _put_plain(s, inner.iter, one))
        yield Change(iterated, 0.45, line, words)
        targets = (
            _put_plain(s, outer.target, s.text_of(inner.target)),
            _put_plain(s, inner.target, s.text_of(outer.target)),
        )
        yield Change((*iterated, *targets), 0.4, line, f"the loops over {words}")


def propose_handed_down(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``second = first`` before ``first = x``, with ``elif x > second: second = x`` below: what was first is second then."""
    if not isinstance(node, ast.If) or not s.is_in_loop(node) or not s.is_elif(node, node.orelse or node.body):
        return
    below = node.orelse[0] if node.orelse else None
    pairs = [_read_record(branch) for branch in (node, below)]
    if pairs[0] is None or pairs[1] is None or pairs[0][1] != pairs[1][1] or pairs[0][0] == pairs[1][0]:
        return
    indent = s.read_indent(node.body[0])
    if len(node.body) == 1 and indent is not None:
        text = f"{pairs[1][0]} = {pairs[0][0]}"
        start = s.find_line_span(node.body[0])[0]
        words = f"`{text}` is missing: what was `{pairs[0][0]}` is lost"
        yield Change(((start, start, f"{indent}{text}\n"),), 0.8, node.body[0].lineno, words)


def _read_record(node: ast.AST | None) -> tuple[str, str] | None:
    """``best`` and ``x`` of ``if x > best: best = x``."""
    if not isinstance(node, ast.If) or not isinstance(node.body[-1], ast.Assign):
        return None
    made, test = node.body[-1], node.test
    test = test.values[0] if isinstance(test, ast.BoolOp) else test
    if not isinstance(test, ast.Compare) or not isinstance(made.targets[0], ast.Name):
        return None
    name, value = made.targets[0].id, ast.unparse(made.value)
    sides = {ast.unparse(test.left), ast.unparse(test.comparators[0])}
    return (name, value) if sides == {name, value} and isinstance(made.value, ast.Name) else None


def propose_exchanged_links(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``text.split()[::-1]`` for ``text[::-1].split()``, ``line.strip().split(",")`` for ``line.split(",").strip()``."""
    last = _find_receiver(node)
    first = _find_receiver(last) if last is not None else None
    if last is None or first is None or not s.is_read(node):
        return
    ends = [s.end_of(part) for part in (first, last, node)]
    one, two = s.text[ends[0] : ends[1]], s.text[ends[1] : ends[2]]
    if one != two and "\n" not in one + two and all(link[:1] in (".", "[") for link in (one, two)):
        words = f"`{two}` belongs before `{one}`"
        yield Change(((ends[0], ends[2], two + one),), 0.3, node.lineno, words)  # type: ignore[attr-defined]


def _find_receiver(node: ast.AST) -> ast.expr | None:
    """What a method is called on, or what a slice is taken of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value
    return node.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) else None


def _put_plain(s: Scope, node: ast.AST, text: str) -> tuple[int, int, str]:
    return s.start_of(node), s.end_of(node), text


def propose_way_back(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``chr((ord(c) - ord('a') + k) % 26 + ord('a'))`` for ``chr(ord(c) + k)``: after the last letter comes the first again."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "chr" or not node.args:
        return
    moved = node.args[0]
    if not isinstance(moved, ast.BinOp) or not isinstance(moved.op, ast.Add | ast.Sub):
        return
    character = _read_ord(moved.left)
    asked = next((a for a in _list_answers(s, node) if a[0] == character), None)
    if character is None or asked is None or any(isinstance(n, ast.Mod) for n in ast.walk(moved)):
        return
    letter, prior = _LETTERS[asked[1]]
    begins = f"ord({letter})" if letter else f"ord('A' if {character}.isupper() else 'a')"
    sign, step = "+" if isinstance(moved.op, ast.Add) else "-", s.parenthesize(moved.right)
    new = f"(ord({character}) - {begins} {sign} {step}) % 26 + {begins}"
    words = f"`{s.text_of(node)}` leaves the alphabet: after the last letter comes the first"
    yield Change((_put_plain(s, moved, new),), prior, node.lineno, words)


def propose_offset_again(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``(place - first + k) % size + first`` for ``(place - first + k) % size``: what was taken away to count from 0 comes back after the wrap."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod) or isinstance(node.left, ast.Constant):
        return
    parent = s.parents.get(node)
    if isinstance(parent, ast.Subscript | ast.Compare) or (
        isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub)
    ):
        return
    taken = node.left
    while isinstance(taken, ast.BinOp) and not isinstance(taken.op, ast.Sub):
        taken = taken.left
    if not isinstance(taken, ast.BinOp) or not isinstance(taken.right, ast.Constant | ast.Name | ast.Call):
        return
    offset = s.text_of(taken.right)
    text = f"{s.text_of(node)} + {offset}"
    weight = 0.3 if isinstance(taken.right, ast.Name) else 0.7
    words = f"`{offset}` was taken away before `%`, and is missing after it"
    yield Change(
        (_put_plain(s, node, f"({text})" if isinstance(parent, ast.BinOp) else text),), weight, node.lineno, words
    )


def _read_ord(node: ast.AST) -> str | None:
    """``c`` of ``ord(c)``."""
    is_ord = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ord"
    argument = node.args[0] if isinstance(node, ast.Call) and is_ord and node.args else None
    return argument.id if isinstance(argument, ast.Name) else None


def _list_answers(s: Scope, node: ast.AST) -> Iterator[tuple[str, str]]:
    """The questions around a node that are answered with yes there, innermost first: not those of whose ``else`` it is a part."""
    for parent in s.walk_upwards(node):
        if isinstance(parent, ast.If | ast.IfExp) and (asked := _read_question(parent)) is not None:
            body = parent.body if isinstance(parent, ast.If) else [parent.body]
            if any(part is node for part in body):
                yield asked
        node = parent


def _read_question(node: ast.AST) -> tuple[str, str] | None:
    """``c`` and ``isupper`` of ``if c.isupper():``."""
    test = node.test if isinstance(node, ast.If | ast.IfExp) else None
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Attribute) or test.args:
        return None
    asked = test.func.value
    return (asked.id, test.func.attr) if isinstance(asked, ast.Name) and test.func.attr in _LETTERS else None


def propose_list_by_key(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``groups.setdefault(key, []).append(x)`` for ``groups[key] = [x]`` in a loop: only the last one is kept of each key."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not s.is_in_loop(node):
        return
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return
    if not isinstance(value, ast.List) or len(value.elts) != 1 or isinstance(target.slice, ast.Slice | ast.Constant):
        return
    if isinstance(value.elts[0], ast.Starred) or isinstance(s.parents.get(node), ast.If):
        return
    table, key = target.value.id, s.text_of(target.slice)
    new = f"{table}.setdefault({key}, []).append({s.text_of(value.elts[0])})"
    words = f"`{s.text_of(node)}` forgets what was there for the same key"
    yield Change((_put_plain(s, node, new),), 0.7, node.lineno, words)


def propose_whole_quotient(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``n // 10`` for ``n / 10`` in a loop that takes ``n % 10``: digit by digit, ``n`` stays a whole number."""
    if not isinstance(node, ast.Assign | ast.AugAssign) or not s.is_in_loop(node):
        return
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    divided = node.value if isinstance(node, ast.Assign) else node
    if not isinstance(target, ast.Name) or not isinstance(divided, ast.BinOp | ast.AugAssign):
        return
    by = divided.right if isinstance(divided, ast.BinOp) else divided.value
    left = divided.left if isinstance(divided, ast.BinOp) else target
    if not isinstance(divided.op, ast.Div) or not isinstance(left, ast.Name) or left.id != target.id:
        return
    digit = (ast.unparse(left), s.text_of(by))
    taken = (n for n in ast.walk(s.find_function(node)) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod))
    if any((s.text_of(n.left), s.text_of(n.right)) == digit for n in taken):
        at = s.text.index("/", s.end_of(left))
        yield Change(((at, at, "/"),), 0.9, node.lineno, f"`{digit[0]}` should stay a whole number: `//`")


def propose_taken_out(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs.remove(max(xs))`` after ``out.append(max(xs))`` in a loop: the same one is the greatest again and again."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or not s.is_in_loop(node) or s.read_indent(node) is None:
        return
    match call.args[0]:
        case ast.Call(func=ast.Name("max" | "min"), args=[ast.Name(whole)], keywords=[]):
            text = f"{whole}.remove({s.text_of(call.args[0])})"
        case _:
            return
    end = s.find_line_span(node)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    if text not in s.text and ast.unparse(call.func).endswith(".append"):
        words = f"`{text}` is missing: the same item is taken again"
        yield Change(((end, end, f"{pad}{s.read_indent(node)}{text}\n"),), 0.7, node.lineno, words)  # type: ignore[attr-defined]


OPERATORS = (
    propose_taken_out,
    propose_rest_of_sequences,
    propose_both_middles,
    propose_one_place_off,
    propose_exchanged_loops,
    propose_way_back,
    propose_offset_again,
    propose_own_collection,
    propose_exchanged_links,
    propose_handed_down,
    propose_list_by_key,
    propose_whole_quotient,
)
