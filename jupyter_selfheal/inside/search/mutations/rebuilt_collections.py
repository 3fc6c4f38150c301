"""Mutation operators for a collection that is changed while a loop goes through it, loses its order, is one list many times, or is filled
by index while it has no places: it is built anew, or with its places."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.inverted_results import negate
from jupyter_selfheal.inside.search.scope import ITEMS, SET, TEXT, Change, Scope

_KEPT, _ITEM = "kept", "item"
_TAKES = frozenset({"remove", "pop"})
_CHANGES = frozenset({"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"})


def propose_kept_items(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A new list of what stays, for a loop through ``xs`` that takes items out of ``xs`` and so leaps over the next ones."""
    if not isinstance(node, ast.For) or s.read_indent(node) is None or _KEPT in s.names or s.is_in_loop(node):
        return
    function = s.find_function(node)
    whole = _find_looped(node)
    taken = [n for n in ast.walk(node) if whole and _takes_out(n, whole)]
    results = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.lineno > node.lineno]
    given = [n for n in results if isinstance(n.value, ast.Name) and n.value.id == whole]
    if not taken or not given or not isinstance(node.target, ast.Name):
        return
    item = node.target.id if isinstance(node.iter, ast.Name) else f"{whole}[{node.target.id}]"
    indent, (start, end, _) = str(s.read_indent(node)), s.find_line_span(node)
    head = s.text[s.start_of(node) : s.start_of(node.body[0])].rstrip()
    loops = [(test, head, item) for test in _list_tests_of_kept(s, node, item)]
    if any(isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq) for n in ast.walk(node)):
        name = node.target.id if isinstance(node.iter, ast.Name) else _ITEM
        loops.append((f"{name} not in {_KEPT}", f"for {name} in {whole}:", name))
    for test, loop, what in loops:
        lines = (f"{_KEPT} = []", loop, f"    if {test}:", f"        {_KEPT}.append({what})")
        text = "".join(f"{indent}{line}\n" for line in lines)
        edits = ((start, end, text), *(s.replace_node(n.value, _KEPT) for n in given if n.value is not None))
        yield Change(edits, 0.45, node.lineno, f"the loop takes items out of `{whole}` and leaps over the next ones")


def _find_looped(node: ast.For) -> str:
    """``xs`` of ``for x in xs`` and of ``for i in range(len(xs))``."""
    match node.iter:
        case ast.Name(name):
            return name
        case ast.Call(ast.Name("range"), [*_, ast.Call(ast.Name("len"), [ast.Name(name)])]):
            return name
    return ""


def _takes_out(node: ast.AST, whole: str) -> bool:
    if isinstance(node, ast.Delete):
        return any(
            isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name) and t.value.id == whole for t in node.targets
        )
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKES
    return is_method and isinstance(node.func.value, ast.Name) and node.func.value.id == whole  # type: ignore[attr-defined]


def _list_tests_of_kept(s: Scope, node: ast.For, item: str) -> Iterator[str]:
    """What is asked of an item that stays: the opposite of the one question on which it is taken out."""
    test = node.body[0]
    if len(node.body) == 1 and isinstance(test, ast.If) and not test.orelse and len(test.body) == 1:
        yield negate(s, test.test)
        if "count" in s.text_of(test.test):
            yield f"{item} not in {_KEPT}"


def propose_kept_order(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``list(dict.fromkeys(xs))`` for ``list(set(xs))``: each item once, in the order in which they came."""
    match node:
        case ast.Call(ast.Name("list" | "tuple"), [ast.Call(ast.Name("set"), [inner], [])], []):
            made = node.args[0]
            new = f"dict.fromkeys({s.text_of(inner)})"
            yield Change((s.replace_node(made, new),), 0.7, node.lineno, f"`{s.text_of(made)}` loses the order")


def propose_own_rows(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[[0] * n for _ in range(m)]`` for ``[[0] * n] * m``, which is one row many times."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult) or not isinstance(node.left, ast.List):
        return
    row = node.left.elts[0] if len(node.left.elts) == 1 else None
    is_list = isinstance(row, ast.List | ast.ListComp | ast.Dict | ast.Set) or (
        isinstance(row, ast.BinOp) and isinstance(row.left, ast.List)
    )
    if row is not None and is_list:
        new = f"[{s.text_of(row)} for _ in range({s.text_of(node.right)})]"
        words = f"`{s.text_of(node)}` is the same row many times"
        yield Change((s.replace_node(node, new),), 0.9, node.lineno, words, "senseless")


def propose_places(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``out = [0] * len(xs)`` for ``out = []``, which a loop fills by index."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List) or node.value.elts:
        return
    target = node.targets[0]
    function = s.find_function(node)
    if not isinstance(target, ast.Name) or not isinstance(function, ast.FunctionDef):
        return
    written = [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load) and s.text_of(n.value) == target.id
    ]
    sized = [a.arg for a in function.args.args if s.name_may_be(a.arg, frozenset({ITEMS, TEXT, SET}))]
    counts = [f"len({name})" for name in sized] + [n for n in s.values if n != target.id and n not in sized][:3]
    for count in counts if written else ():
        for filled, prior in (("None", 0.6), ("0", 0.5)):
            prior *= 1.0 if count.startswith("len") else 0.3
            new = f"[{filled}] * {count}"
            yield Change(
                (s.replace_node(node.value, new),), prior, node.lineno, f"`{target.id}` has no places to be filled"
            )


def propose_each_once(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs = sorted(set(xs))`` for ``xs.sort()``, or ahead of what a function does: what comes twice counts once."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        owner = node.value.func.value
        if node.value.func.attr == "sort" and isinstance(owner, ast.Name) and not node.value.args:
            options = ", reverse=True" if "reverse=True" in s.text_of(node) else ""
            new = f"{owner.id} = sorted(set({owner.id}){options})"
            if not node.value.keywords or options:
                yield Change(
                    ((s.start_of(node), s.end_of(node), new),), 0.25, node.lineno, "what comes twice counts once"
                )
    if not isinstance(node, ast.FunctionDef):
        return
    first = next((b for b in node.body if not s.is_doc(getattr(b, "value", None) or b)), node.body[-1])
    indent, start = s.read_indent(first), s.find_line_span(first)[0]
    for argument in node.args.args if indent is not None else ():
        if s.hints.kinds.get(argument.arg, frozenset()) & {ITEMS}:
            text = f"{argument.arg} = list(dict.fromkeys({argument.arg}))"
            yield Change(((start, start, f"{indent}{text}\n"),), 0.22, first.lineno, f"`{text}` is missing")


def propose_taken_best(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs.remove(best)`` after ``out.append(best)`` in a loop that chooses ``best`` out of ``xs`` each time."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(_, "append"), [ast.Name(best)], [])):
            pass
        case _:
            return
    loops = [p for p in s.walk_upwards(node) if isinstance(p, ast.For | ast.While)]
    indent = s.read_indent(node)
    if not loops or indent is None:
        return
    loop = loops[0]
    sources = _list_sources(loop, best)
    end = s.find_line_span(node)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for whole in sources:
        if not any(_takes_out(n, whole) for n in ast.walk(loop)):
            text = f"{whole}.remove({best})"
            words = f"`{text}` is missing: the same item is taken again"
            yield Change(((end, end, f"{pad}{indent}{text}\n"),), 0.7, node.lineno, words)


def _list_sources(loop: ast.AST, best: str) -> dict[str, None]:
    """The collections out of which a loop chooses: by ``best = max(xs)``, or by ``best = x`` in a loop through them."""
    found: dict[str, None] = {}
    for n in ast.walk(loop):
        if n is not loop and isinstance(n, ast.For) and isinstance(n.iter, ast.Name):
            bound = {t.id for t in ast.walk(n) if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)}
            if best in bound:
                found[n.iter.id] = None
        match n:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("max" | "min"), [ast.Name(whole), *_])) if name == best:
                found[whole] = None
    return found


def propose_own_copy(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``out.append(list(part))`` for ``out.append(part)`` where ``part`` goes on changing: ``out`` holds it as it is in the end, many times."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(out), "append"), [ast.Name(part) as given], [])) if out != part:
            pass
        case _:
            return
    changed = (
        n for n in ast.walk(s.find_function(node)) if isinstance(n, ast.Attribute) and s.text_of(n.value) == part
    )
    if s.name_may_be(part, frozenset({ITEMS})) and any(n.attr in _CHANGES for n in changed):
        edit = s.replace_node(given, f"list({part})")
        yield Change((edit,), 0.85, node.lineno, f"`{part}` goes on changing after it was put into `{out}`")


def propose_no_more_rounds(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(min(k, len(xs)))`` for ``range(k)``: no more rounds than there are items."""
    match node:
        case ast.Call(ast.Name("range"), [ast.Name(count)], []):
            pass
        case _:
            return
    function = s.find_function(node)
    if isinstance(function, ast.FunctionDef):
        names = [a.arg for a in function.args.args if a.arg != count]
        for name in names:
            if s.hints.kinds.get(name, frozenset()) & {ITEMS, TEXT}:
                new = f"min({count}, len({name}))"
                words = f"there may be fewer than `{count}` items"
                yield Change((s.replace_node(node.args[0], new),), 0.45, node.lineno, words)


def propose_counted_from_one(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(1, n + 1)`` and ``range(2, n + 1)`` for ``range(n)``: both ends are one off, or what is counted are divisors."""
    match node:
        case ast.Call(ast.Name("range"), [last], []) if isinstance(last, ast.Name | ast.Call):
            text = s.text_of(last)
            for new, prior in ((f"1, {text} + 1", 0.4), (f"2, {text} + 1", 0.25), (f"2, {text}", 0.12)):
                edit = (s.start_of(last), s.end_of(last), new)
                yield Change((edit,), prior, node.lineno, f"`{s.text_of(node)}` should be `range({new})`")


OPERATORS = (
    propose_counted_from_one,
    propose_kept_items,
    propose_kept_order,
    propose_own_rows,
    propose_places,
    propose_each_once,
    propose_taken_best,
    propose_no_more_rounds,
    propose_own_copy,
)
