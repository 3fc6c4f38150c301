"""Mutation operators for whole statements: a result that comes too early or not at all, a missing key, a loop that never ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import ITEMS, NUMBER, SET, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import list_bound_names

_LOOPS = ast.For | ast.While | ast.AsyncFor
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef
_STARTS = (("0", 0.6), ("1", 0.15), ("''", 0.2), ("0.0", 0.1))
"""What a counter that is not there yet starts with."""
_FILLS = {"append": "[]", "extend": "[]", "insert": "[]", "add": "set()", "update": "{}"}
"""What a collection is made of that is not there yet, by the method that fills it."""
AFTER_LOOP = 0.3
"""How much less likely it is that behind the loop the number of items is meant, and not what its ``else`` gave."""
NEVER_ADDED = 0.7
"""How likely it is that one item is meant, where what is added to a list is known to be none."""
_SINGLE = ast.Name | ast.Subscript | ast.Call | ast.Attribute | ast.Constant
LONGEST = 50
"""Characters of an expression that may be returned as it stands elsewhere."""


def propose_result_after_loop(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``else: return False`` in a loop gives up at the first element: it belongs after the loop."""
    if not isinstance(node, _LOOPS) or s.read_indent(node) is None or node.orelse:
        return
    early = [n for stmt in node.body for n in ast.walk(stmt) if isinstance(n, ast.If) and _returns_otherwise(n)]
    texts = dict.fromkeys(s.text_of(n.orelse[0]) for n in early)
    for text in texts:
        inner = [n for n in early if s.text_of(n.orelse[0]) == text]
        for chosen in (inner, *([n] for n in inner if len(inner) > 1)):
            yield from _put_after_loop(s, node, chosen, text)
        for whole in _list_counted_collections(s, node):
            if text != f"return len({whole})":
                yield from _put_after_loop(s, node, inner, f"return len({whole})", AFTER_LOOP)


def _list_counted_collections(s: Scope, loop: ast.AST) -> Iterator[str]:
    """The parameters that a ``for`` goes through."""
    function = s.find_function(loop)
    if isinstance(loop, ast.For) and isinstance(function, _DEFINITIONS):
        read = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
        yield from (a.arg for a in function.args.args if a.arg in read)


def _returns_otherwise(node: ast.If) -> bool:
    return len(node.orelse) == 1 and isinstance(node.orelse[0], ast.Return)


def _put_after_loop(
    s: Scope, loop: ast.AST, branches: list[ast.If], text: str, weight: float = 1.0
) -> Iterator[Change]:
    cuts: list[Edit] = []
    for branch in branches:
        if s.read_indent(branch.orelse[0]) is None or s.read_indent(branch.body[-1]) is None:
            return
        cuts.append((s.find_line_span(branch.body[-1])[1], s.find_line_span(branch.orelse[0])[1], ""))
    end = s.find_line_span(loop)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    line = branches[0].orelse[0].lineno
    words = f"`{text}` belongs after the loop" if weight == 1.0 else f"`{text}` after the loop for `else`"
    new = f"{pad}{s.read_indent(loop)}{text}\n"
    prior = weight * (0.75 if s.find_next_statement(loop) is None else 0.15)
    if cuts[-1][1] == end:
        yield Change((*cuts[:-1], (cuts[-1][0], end, new.lstrip("\n"))), prior, line, words)
    else:
        yield Change((*cuts, (end, end, new)), prior, line, words)
    following = s.find_next_statement(loop)
    if isinstance(following, ast.Return) and weight == 1.0:
        yield Change(tuple(cuts), 0.5, line, f"`else: {text}` ends the loop too early")


def propose_last_result(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A function that may come to its end without a result: ``return len(xs)``, or an expression that it has elsewhere."""
    if (
        not isinstance(node, _DEFINITIONS)
        or isinstance(node.body[-1], ast.Return)
        or s.read_indent(node.body[-1]) is None
    ):
        return
    last = node.body[-1]
    end, indent = s.find_line_span(last)[1], s.read_indent(last)
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for value, prior in _list_last_results(s, node):
        text = f"return {value}"
        yield Change(((end, end, f"{pad}{indent}{text}\n"),), prior, last.lineno, f"`{text}` is missing")


def _list_last_results(s: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, float]]:
    kinds = frozenset({ITEMS, TEXT, SET})
    arguments = [a.arg for a in node.args.args if a.arg != "self" and s.name_may_be(a.arg, kinds)]
    for name in arguments:
        yield f"len({name})", 0.35
        yield f"len({name}) - 1", 0.1
    for text in ("-1", "''", "{}", "set()"):
        yield text, 0.1
    known = (
        n for n in ast.walk(node) if isinstance(n, ast.Call | ast.BinOp | ast.Compare | ast.Subscript) and s.is_read(n)
    )
    for text in dict.fromkeys(s.text_of(n) for n in known):
        if "\n" not in text and len(text) < LONGEST:
            yield text, 0.12


def propose_first_entry(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``counts[key] += 1``, ``counts[key] = counts[key] + 1`` and ``groups[key].append(x)`` into a dictionary that has no such key yet."""
    if isinstance(node, ast.AugAssign) and _is_entry(node.target):
        target = node.target
        assert isinstance(target, ast.Subscript)
        whole, key, sign = (
            s.text_of(target.value),
            s.text_of(target.slice),
            s.text[s.end_of(target) : s.start_of(node.value)],
        )
        sign = sign.replace("=", "").strip()
        for start, prior in _STARTS:
            new = f"{whole}[{key}] = {whole}.get({key}, {start}) {sign} {s.parenthesize(node.value)}"
            words = f"`{whole}` may have no `{key}` yet: it starts with `{start}`"
            yield Change(((s.start_of(node), s.end_of(node), new),), prior, node.lineno, words)
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_entry(node.targets[0]):
        entry = node.targets[0]
        assert isinstance(entry, ast.Subscript)
        whole, key, written = s.text_of(entry.value), s.text_of(entry.slice), s.text_of(entry)
        read = next((n for n in ast.walk(node.value) if _is_entry(n) and s.text_of(n) == written), None)
        for start, prior in _STARTS if read is not None else ():
            words = f"`{whole}` may have no `{key}` yet: it starts with `{start}`"
            yield Change(
                ((s.start_of(read), s.end_of(read), f"{whole}.get({key}, {start})"),), prior, node.lineno, words
            )
    elif isinstance(node, ast.Attribute) and node.attr in _FILLS and _is_entry(node.value) and s.is_called(node):
        entry = node.value
        assert isinstance(entry, ast.Subscript)
        start = _FILLS[node.attr]
        new = f"{s.text_of(entry.value)}.setdefault({s.text_of(entry.slice)}, {start})"
        words = f"`{s.text_of(entry.value)}` may have no `{s.text_of(entry.slice)}` yet: it starts with `{start}`"
        yield Change(((s.start_of(entry), s.end_of(entry), new),), 0.5, node.lineno, words)


def _is_entry(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)


def propose_progress(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A ``while`` whose condition never changes: its variable goes on at the end of each round."""
    if not isinstance(node, ast.While) or s.read_indent(node.body[-1]) is None or isinstance(node.body[-1], ast.Return):
        return
    changed = list_bound_names(node)
    last = node.body[-1]
    end, indent = s.find_line_span(last)[1], s.read_indent(last)
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for name in dict.fromkeys(n.id for n in ast.walk(node.test) if isinstance(n, ast.Name) and n.id not in s.functions):
        if not s.name_may_be(name, frozenset({NUMBER})):
            continue
        weight = 0.4 if name in changed else 1.0
        for step, prior in (
            ("+= 1", 0.5),
            ("-= 1", 0.45),
            ("//= 10", 0.3),
            ("//= 2", 0.3),
            ("+= 2", 0.1),
            ("*= 2", 0.15),
        ):
            text = f"{name} {step}"
            yield Change(
                ((end, end, f"{pad}{indent}{text}\n"),), prior * weight, last.lineno, f"`{text}` is missing in the loop"
            )


def propose_returned_values(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return print(x)``, and ``print(x)`` in a function that returns nothing: it should return what it prints."""
    if not isinstance(node, _DEFINITIONS):
        return
    inner = list(ast.walk(node))
    returned = [n for n in inner if isinstance(n, ast.Return) and _find_printed(n.value) is not None]
    has_result = any(isinstance(n, ast.Return) and n.value is not None for n in inner)
    printed = [n for n in inner if isinstance(n, ast.Expr) and _find_printed(n.value) is not None and not has_result]
    for found, prior in ((returned, 0.9), (printed, 0.6)):
        for chosen in (found, *([n] for n in found if len(found) > 1)):
            edits = tuple((s.start_of(n), s.end_of(n), f"return {s.text_of(_find_printed(n.value))}") for n in chosen)  # type: ignore[arg-type]
            if edits:
                yield Change(
                    edits,
                    prior if chosen is found else prior / 2,
                    chosen[0].lineno,
                    "what is printed should be returned",
                )


def _find_printed(node: ast.expr | None) -> ast.expr | None:
    """The one thing that a call of ``print`` prints."""
    is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    if not isinstance(node, ast.Call) or not is_print or len(node.args) != 1 or node.keywords:
        return None
    return None if isinstance(node.args[0], ast.Starred) else node.args[0]


def propose_wrapped_items(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs + x`` that should add one item: ``xs + (x,)`` or ``xs + [x]``; ``[x] + xs``, too, and where the list is a slice of one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        pairs = [(node.left, node.right), (node.right, node.left)]
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        pairs = [(node.target, node.value)]
    else:
        return
    for whole, item in pairs:
        is_first = (whole, item) != pairs[0]
        if ITEMS not in _infer_whole(s, whole) or not isinstance(item, _SINGLE) or (is_first and s.may_be(item, ITEMS)):
            continue
        text, prior = s.text_of(item), 0.4 if s.may_be(item, ITEMS) else NEVER_ADDED
        for new in (f"({text},)", f"[{text}]"):
            edit = (s.start_of(item), s.end_of(item), new)
            yield Change((edit,), prior, item.lineno, f"`{text}` should be `{new}`")


def _infer_whole(s: Scope, node: ast.AST) -> frozenset[str]:
    """The kinds of an expression; a slice is of those of its whole."""
    is_slice = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return _infer_whole(s, node.value) if is_slice else s.infer_kinds(node)  # type: ignore[attr-defined]


OPERATORS = (
    propose_result_after_loop, propose_last_result, propose_first_entry, propose_progress, propose_returned_values, propose_wrapped_items,
)  # fmt: skip
