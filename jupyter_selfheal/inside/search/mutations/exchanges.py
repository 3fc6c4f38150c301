"""Mutation operators for what is in the wrong place or too many as a whole: branches, exchanged constants and names, the
same fault in several places."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.names import NEAR
from jupyter_selfheal.inside.search.mutations.operators import COMPARE, replace_operator
from jupyter_selfheal.inside.search.scope import NUMBER, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import is_name

GIVEN_EARLY = 0.8
"""How likely what a branch sets, asks and gives back is to be given once the loop around it is over."""

_SIMPLE = ast.Expr | ast.Assign | ast.AugAssign | ast.Return
_OF_NUMBERS = ("v > 0", "v >= 0", "v < 0", "v % 2 == 0", "v % 2 == 1", "v % 2 != 0", "v", "v is not None", "v != 0")
_OF_TEXT = ("v.isalpha()", "v.isdigit()", "v.isupper()", "v.islower()", "v.isalnum()", "v != ' '")


def propose_without_branch(s: Scope, node: ast.AST) -> Iterator[Change]:
    """An ``elif`` or ``else`` too many, or the first branch of several."""
    if not isinstance(node, ast.If) or not node.orelse or s.read_indent(node) is None:
        return
    start, end = s.find_line_span(node)[0], s.find_line_span(node)[1]
    head = s.find_line_span(node.body[-1])[1]
    short = s.text_of(node).splitlines()[0]
    if s.is_elif(node, node.orelse):
        after = node.orelse[0]
        at = s.start_of(after)
        if not s.text.startswith("elif", s.start_of(node)):
            yield Change(((start, at, f"{s.read_indent(node)}"), (at, at + 2, "")), 0.14, node.lineno, f"`{short}` is too many")  # fmt: skip
        else:
            yield Change(((start, s.find_line_span(after)[0], ""),), 0.2, node.lineno, f"`{short}` is too many")
        if isinstance(after, ast.If) and not after.orelse:
            yield Change(((s.find_line_span(after)[0], end, ""),), 0.25, after.lineno, f"`{s.text_of(after).splitlines()[0]}` is too many")  # fmt: skip
    else:
        yield Change(((head, end, ""),), 0.15, node.orelse[0].lineno, "`else` is too many")
        if s.text.startswith("elif", s.start_of(node)):
            other = s.text[s.find_line_span(node.orelse[0])[0] : end]
            text = f"{s.read_indent(node)}else:\n{other}"
            yield Change(((start, end, text),), 0.2, node.lineno, f"`{short}` is too many")


def propose_branch_order(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A branch that an earlier one always takes first: the two stand the wrong way round."""
    if not isinstance(node, ast.If) or s.read_indent(node.body[0]) is None:
        return
    below = node
    while below.orelse and s.is_elif(below, below.orelse):
        (following,) = below.orelse
        assert isinstance(following, ast.If)
        below = following
        spans = [(s.start_of(n.test), s.end_of(n.test)) for n in (node, below)]
        spans += [(s.start_of(n.body[0]), s.end_of(n.body[-1])) for n in (node, below)]
        texts = [s.text[start:end] for start, end in spans]
        edits = tuple((*span, texts[n]) for span, n in zip(spans, (1, 0, 3, 2), strict=True))
        words = f"`{s.text_of(below.test)}` belongs before `{s.text_of(node.test)}`"
        yield Change(edits, 0.4, node.lineno, words)


def propose_exchanges(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Two constants of a function, or two names of a statement, stand for each other."""
    if node is s.tree:
        constants = [n for n in s.order if isinstance(n, ast.Constant) and n not in s.frozen and not s.is_doc(n)]
        for a, b in itertools.combinations(constants[:24], 2):
            if type(a.value) is not type(b.value) or a.value == b.value:
                continue
            beside = s.parents[a] is s.parents[b]
            if beside or not (s.repeats_key(a, repr(b.value)) or s.repeats_key(b, repr(a.value))):
                prior = 0.3 if isinstance(a.value, str | bool) else 0.15
                edits = (s.replace_node(a, s.text_of(b)), s.replace_node(b, s.text_of(a)))
                yield Change(edits, prior, a.lineno, f"`{s.text_of(a)}` and `{s.text_of(b)}` are exchanged")
    if not isinstance(node, _SIMPLE):
        return
    users: dict[str, list[ast.Name]] = {}
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and child not in s.frozen:
            users.setdefault(child.id, []).append(child)
    for a_name, b_name in itertools.combinations([n for n in users if n in s.values], 2):
        swapped = (
            *(s.replace_node(n, b_name) for n in users[a_name]),
            *(s.replace_node(n, a_name) for n in users[b_name]),
        )
        if s.name_may_be(a_name, s.infer_kinds(users[b_name][0])):
            yield Change(swapped, 0.3, node.lineno, f"`{a_name}` and `{b_name}` are exchanged")


def propose_same_everywhere(s: Scope, node: ast.AST) -> Iterator[Change]:
    """The same operator, method or function is wrong in several places."""
    if node is not s.tree:
        return
    methods: dict[str, list[ast.Attribute]] = {}
    calls: dict[str, list[ast.Name]] = {}
    for child in s.order:
        parent = s.parents.get(child)
        if child not in s.frozen and isinstance(parent, ast.Call) and child is parent.func:
            if isinstance(child, ast.Attribute):
                methods.setdefault(child.attr, []).append(child)
            elif isinstance(child, ast.Name):
                calls.setdefault(child.id, []).append(child)
    for old, users in methods.items():
        for new in NEAR.get(old, ()) if len(users) > 1 else ():
            edits = tuple((s.end_of(u) - len(old), s.end_of(u), new) for u in users)
            yield Change(edits, 0.3, users[0].lineno, f"every `.{old}` should be `.{new}`")
    for old, names in calls.items():
        for new in NEAR.get(old, ()) if len(names) > 1 else ():
            yield Change(
                tuple(s.replace_node(n, new) for n in names), 0.3, names[0].lineno, f"every `{old}` should be `{new}`"
            )
    yield from _propose_operators_everywhere(s)


_AROUND = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",)}


def _propose_operators_everywhere(s: Scope) -> Iterator[Change]:
    operands: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
    for node in s.order:
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and node not in s.frozen:
            operands.setdefault(COMPARE[type(node.ops[0])], []).append((node.left, node.comparators[0]))
    for old, pairs in operands.items():
        for new in _AROUND.get(old, ()) if len(pairs) > 1 else ():
            edits = [replace_operator(s, left, right, old, new) for left, right in pairs]
            if all(edits):
                kept = tuple(e for e in edits if e)
                yield Change(kept, 0.25, pairs[0][0].lineno, f"every `{old}` should be `{new}`")


def propose_other_depth(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A statement that belongs two blocks further out or in."""
    if not isinstance(node, ast.If | ast.For | ast.While) or s.read_indent(node) is None:
        return
    inner = node.body[-1]
    last = inner.body[-1] if isinstance(inner, ast.If | ast.For | ast.While) and not inner.orelse else None
    if last is not None and len(inner.body) > 1 and s.read_indent(last) is not None and not node.orelse:  # type: ignore[attr-defined]
        start, end, _ = s.find_line_span(last)
        text = f"{s.read_indent(node)}{s.text_of(last)}\n"
        if "\n" not in s.text_of(last):
            words = f"`{s.text_of(last)}` belongs after both blocks"
            prior = GIVEN_EARLY if _is_best_so_far(inner, last) else 0.4 if isinstance(last, ast.Return) else 0.2
            # shows where the blocks are not entered: there it does not run
            yield Change(((start, end, text),), prior, node.lineno, words)
    if isinstance(inner, ast.If) and not isinstance(node, ast.If) and not node.orelse:
        yield from _propose_else_of_loop(s, node, inner)


def _is_best_so_far(test: ast.stmt, last: ast.stmt) -> bool:
    """Whether a branch gives back what it has just set, and is asked by: ``if n > best: best = n`` with ``return best`` below it."""
    match test, last:
        case ast.If(ast.Compare() as asked, body=body), ast.Return(ast.Name(name)):
            is_set = any(isinstance(n, ast.Assign) and is_name(n.targets[0], name) for n in body)
            return is_set and any(is_name(n, name) for n in ast.walk(asked))
    return False


def _propose_else_of_loop(s: Scope, loop: ast.For | ast.While, test: ast.If) -> Iterator[Change]:
    """What is done when one item does not pass belongs where none has passed: the ``else`` of a loop that a ``break`` leaves."""
    is_plain_else = bool(test.orelse) and not s.is_elif(test, test.orelse)
    if not isinstance(test.body[-1], ast.Break) or not is_plain_else or s.read_indent(test) is None:
        return
    head, end = s.find_line_span(test.body[-1])[1], s.find_line_span(test)[1]
    inner, outer = str(s.read_indent(test)), str(s.read_indent(loop))
    text = "".join(outer + line[len(inner) :] for line in s.text[head:end].splitlines(keepends=True))
    yield Change(((head, end, text),), 0.6, loop.lineno, "`else` belongs to the loop")


_BOTH = ("set({})", "sorted({})", "len({})", "abs({})", "str({})", "int({})", "list({})", "sum({})", "tuple({})")
_BOTH_AFTER = ("{}.lower()", "{}.upper()", "{}.strip()", "{}[::-1]", "{}[0]", "{}[-1]", "{}[1]", "{}.split()")


def _is_slice_of(s: Scope, part: ast.expr, whole: ast.expr) -> bool:
    """Whether it is ``xs[:-1]`` beside ``xs``: the items of both are asked for, in their order, and not whether they have the same ones."""
    return (
        isinstance(part, ast.Subscript)
        and isinstance(part.slice, ast.Slice)
        and s.text_of(part.value) == s.text_of(whole)
    )


def propose_on_both_sides(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``set(a) == set(b)`` for ``a == b``: the same call is missing on both operands, or is too many there."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = node.left, node.comparators[0]
    elif isinstance(node, ast.BinOp):
        left, right = node.left, node.right
    else:
        return
    is_of_itself = any(_is_slice_of(s, part, whole) for part, whole in ((left, right), (right, left)))
    for form in () if is_of_itself else (*_BOTH, *_BOTH_AFTER):
        first, second = (form.format(s.text_of(e) if form in _BOTH else s.parenthesize(e)) for e in (left, right))
        if not isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
            edits = (s.replace_node(left, first), s.replace_node(right, second))
            yield Change(
                edits, 0.22, node.lineno, f"`{s.text_of(node)}` compares the wrong thing, not `{first}` with `{second}`"
            )
    yield from _propose_inside_both(s, left, right)
    if not (isinstance(left, ast.Call) and isinstance(right, ast.Call)) or s.text_of(left.func) != s.text_of(
        right.func
    ):
        return
    if len(left.args) == len(right.args) == 1:
        edits = (s.replace_node(left, s.text_of(left.args[0])), s.replace_node(right, s.text_of(right.args[0])))
        yield Change(edits, 0.25, node.lineno, f"`{s.text_of(left.func)}` is too many on both sides")


def _propose_inside_both(s: Scope, left: ast.expr, right: ast.expr) -> Iterator[Change]:
    """``sorted(a.lower()) == sorted(b.lower())`` for ``sorted(a) == sorted(b)``: what both calls are given is to be made alike first."""
    if not (isinstance(left, ast.Call) and isinstance(right, ast.Call)) or len(left.args) != 1 or len(right.args) != 1:
        return
    one, two = left.args[0], right.args[0]
    if s.text_of(left.func) == s.text_of(right.func) and s.may_be(one, TEXT) and s.may_be(two, TEXT):
        for form in (".lower()", ".strip()", ".upper()", ".split()"):
            edits = (s.replace_node(one, s.parenthesize(one) + form), s.replace_node(two, s.parenthesize(two) + form))
            yield Change(edits, 0.25, left.lineno, f"both sides lack `{form}`")


def propose_whole_items(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs[i], xs[j] = xs[j], xs[i]`` for ``xs[i][1], xs[j][1] = xs[j][1], xs[i][1]``: whole items are exchanged, not one part of each."""
    if (
        not isinstance(node, ast.Assign)
        or not isinstance(node.targets[0], ast.Tuple)
        or not isinstance(node.value, ast.Tuple)
    ):
        return
    parts = [*node.targets[0].elts, *node.value.elts]
    items = [p.value for p in parts if isinstance(p, ast.Subscript) and isinstance(p.value, ast.Subscript)]
    keys = {s.text_of(p.slice) for p in parts if isinstance(p, ast.Subscript)}
    if len(parts) == len(items) == 4 and len(keys) == 1:
        edits = tuple((s.end_of(item), s.end_of(part), "") for part, item in zip(parts, items, strict=True))
        yield Change(edits, 0.5, node.lineno, f"whole items are exchanged, not `[{keys.pop()}]` of each")


def propose_filter(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[v for v in x if test]`` for ``x``: some elements do not count."""
    parent = s.parents.get(node)
    if not isinstance(node, ast.Name) or not s.is_read(node) or s.infer_kinds(node) <= {NUMBER} != frozenset():
        return
    if not isinstance(parent, ast.Call | ast.For | ast.Return) or (
        isinstance(parent, ast.Call) and node not in parent.args
    ):
        return
    texts = TEXT in s.infer_kinds(node)
    for test in _OF_TEXT if texts else _OF_NUMBERS:
        text = f"[v for v in {node.id} if {test}]"
        yield Change((s.replace_node(node, text),), 0.08, node.lineno, f"`{node.id}` should be `{text}`")


def propose_exchanged_calls(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(len(xs))`` for ``len(range(xs))``: two functions, one of what the other one gives, in the wrong order."""
    match node:
        case ast.Call(ast.Name(outer), [ast.Call(ast.Name(inner), [argument], []) as given], []) if outer != inner:
            is_starred = isinstance(argument, ast.Starred)
            edits = (s.replace_node(node.func, inner), s.replace_node(given.func, outer))
            words = f"`{outer}` and `{inner}` are exchanged"
            if not is_starred:
                yield Change(edits, 0.6 if (outer, inner) == ("len", "range") else 0.2, node.lineno, words)


OPERATORS = (
    propose_without_branch,
    propose_branch_order,
    propose_exchanges,
    propose_same_everywhere,
    propose_other_depth,
    propose_on_both_sides,
    propose_whole_items,
    propose_filter,
    propose_exchanged_calls,
)
