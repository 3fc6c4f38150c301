"""Methods of another language, methods that are not called or called as functions, attributes without ``self``, and numbers that are added to texts."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.inside.positions import Edit, LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.text_methods import QUESTIONS
from jupyter_selfheal.inside.tree_names import list_names, walk

RENAMED = {
    "push": "append", "push_back": "append", "toUpperCase": "upper", "toLowerCase": "lower", "uppercase": "upper", "lowercase": "lower",
    "trim": "strip", "startsWith": "startswith", "endsWith": "endswith", "indexOf": "index", "isUpper": "isupper", "isLower": "islower",
    "isDigit": "isdigit", "isAlpha": "isalpha",
}  # fmt: skip
"""Methods that no list, text or dictionary of Python has, and what they are here."""
LENGTHS = frozenset({"length", "size", "len"})
"""How other languages ask for a length."""
UNCALLED = frozenset(
    {"upper", "lower", "strip", "split", "sort", "pop", "isupper", "islower", "isdigit", "isalpha", "title", "items", "keys", "copy"}
)  # fmt: skip
"""Methods that need no argument, and that no beginner hands on."""
OF_TEXT = frozenset(
    {
        "upper",
        "lower",
        "split",
        "strip",
        "replace",
        "isupper",
        "islower",
        "isdigit",
        "isalpha",
        "find",
        "append",
        "join",
        "startswith",
    }
)
"""Methods that are written as if they were functions."""


def list_uncalled_questions(text: str) -> list[Change]:
    """``if a.isdigit and b.isdigit:``: what holds whatever the text is; all of them at once."""
    table, edits, line = LineTable(text), list[Edit](), 0
    for node in walk(parse_module(text)):
        asked = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
        asked += node.values if isinstance(node, ast.BoolOp) else []
        asked += [node.operand] if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else []
        for value in asked:
            if isinstance(value, ast.Attribute) and value.attr in QUESTIONS:
                end = find_span(value, table)[1]
                edits, line = [*edits, (end, end, "()")], line or node.lineno  # type: ignore[attr-defined]
    return [Change(tuple(sorted(edits)), 0.9, line, "a question is not called", kind="senseless")] if edits else []


def list_method_changes(tree: ast.Module, source: str, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """The changes of methods and attributes. ``known`` are names that exist apart from the source."""
    own = {n.name for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    given = _list_own_attributes(tree)
    called = {id(n.func) for n in walk(tree) if isinstance(n, ast.Call)}
    handed = {id(k.value) for n in walk(tree) if isinstance(n, ast.Call) for k in n.keywords}
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr not in own | given:
            yield from _change_attribute(node, source, table, id(node) in called, id(node) in handed)
    yield from _measure_lengths(tree, table, own | given)
    yield from _call_of_values(tree, source, table, own | known)
    yield from _read_of_self(tree, table, known)
    yield from _write_as_text(tree, source, table)
    yield from _write_counts(tree, source, table)
    yield from _call_assigned(tree, table)
    yield from _call_alone(tree, table, own | known)


def _call_assigned(tree: ast.Module, table: LineTable) -> Iterator[Change]:
    """``xs.append = x`` as ``xs.append(x)``, in all lines at once: no method of a list is set."""
    edits, line, name = list[Edit](), 0, ""
    for node in walk(tree):
        match node:
            case ast.Assign([ast.Attribute(ast.Name(owner), "append" | "extend" | "remove" as method)], value) if (
                owner != "self"
            ):
                end = find_span(value, table)[1]
                edits += [(find_span(node.targets[0], table)[1], find_span(value, table)[0], "("), (end, end, ")")]
                line, name = line or node.lineno, name or f"{owner}.{method}"
    if edits:
        yield Change(tuple(sorted(edits)), 0.9, line, f"`{name}` is not called", kind="failing")


def _call_alone(tree: ast.Module, table: LineTable, bound: set[str] | frozenset[str]) -> Iterator[Change]:
    """``print`` on a line of its own, which Python 2 took for an empty line: all of them at once."""
    bound = bound | {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    alone = [n.value for n in walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Name)]
    ends = [find_span(n, table)[1] for n in alone if n.id == "print" and n.id not in bound]
    if ends:
        line = next(n.lineno for n in alone if n.id == "print")
        yield Change(
            tuple((end, end, "()") for end in sorted(ends)), 0.8, line, "`print` is not called", kind="senseless"
        )


def _list_own_attributes(tree: ast.Module) -> set[str]:
    return {n.attr for n in walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}


def _change_attribute(
    node: ast.Attribute, source: str, table: LineTable, is_called: bool, is_handed: bool
) -> Iterator[Change]:
    end = find_span(node, table)[1]
    start = end - len(node.attr)
    if source[start:end] != node.attr:
        return
    if node.attr in RENAMED and is_called:
        new = RENAMED[node.attr]
        yield Change(((start, end, new),), 0.85, node.lineno, f"`{node.attr}` is `{new}`", kind="name")
    if node.attr in UNCALLED and not is_called and not is_handed:
        yield Change(((end, end, "()"),), 0.6, node.lineno, f"`{node.attr}` is not called", kind="senseless")


def _measure_lengths(tree: ast.Module, table: LineTable, own: set[str]) -> Iterator[Change]:
    """``xs.length``, ``xs.size()``: ``len(xs)``, in all places at once."""
    called = {id(n.func): n for n in walk(tree) if isinstance(n, ast.Call) and not n.args}
    edits, first, name = [], 0, ""
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in LENGTHS - own and isinstance(node.value, ast.Name):
            start, end = find_span(called.get(id(node), node), table)
            edits.append((start, end, f"len({node.value.id})"))
            first, name = first or node.lineno, name or node.attr
    if edits:
        yield Change(tuple(sorted(edits)), 0.8, first, f"`{name}` is `len`", kind="name")


def _call_of_values(
    tree: ast.Module, source: str, table: LineTable, bound: set[str] | frozenset[str]
) -> Iterator[Change]:
    """``upper(name)`` as ``name.upper()``, ``append(xs, 3)`` as ``xs.append(3)``: nothing is called so."""
    for call in walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not call.args or call.keywords:
            continue
        name, first = call.func.id, call.args[0]
        if name not in OF_TEXT - bound or not isinstance(first, ast.Name | ast.Call | ast.Subscript | ast.Attribute):
            continue
        start, end = find_span(call, table)
        texts = [source[slice(*find_span(a, table))] for a in call.args]
        new = f"{texts[0]}.{name}({', '.join(texts[1:])})"
        yield Change(((start, end, new),), 0.8, call.lineno, f"`{name}(…)` is `{texts[0]}.{name}(…)`", kind="name")


def _read_of_self(tree: ast.Module, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """``width`` in a method of an object that has ``self.width``, where nothing binds ``width``: in all places of the class."""
    outside = (
        known
        | set(dir(builtins))
        | {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    )
    for owner in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        given = _list_own_attributes(ast.Module([owner], []))
        edits, line = [], 0
        for method in (n for n in owner.body if isinstance(n, ast.FunctionDef)):
            taken = {a.arg for a in ast.walk(method.args) if isinstance(a, ast.arg)}
            if "self" not in taken:
                continue
            for node in ast.walk(method):
                if isinstance(node, ast.Name) and node.id in given - taken - outside:
                    start = find_span(node, table)[0]
                    edits.append((start, start, "self."))
                    line = line or node.lineno
        if edits:
            yield Change(tuple(sorted(edits)), 0.8, line, "an attribute is read without `self.`")


def _write_as_text(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """``"Total: " + total``: what is added to a text is one."""
    for node in walk(tree):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            continue
        for text, value in ((node.left, node.right), (node.right, node.left)):
            is_text = ends_with_text(text) and not isinstance(value, ast.Constant | ast.JoinedStr | ast.BinOp)
            if is_text and not (isinstance(value, ast.Call) and "str" in list_names(value.func)):
                start, end = find_span(value, table)
                yield Change(
                    ((start, end, f"str({source[start:end]})"),),
                    0.5,
                    node.lineno,
                    "a number is added to a text",
                    "failing",
                )


def _write_counts(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """``r + s[i] + c`` where ``r`` or ``s`` was set to a text and ``c`` to a number: ``str(c)``, in all places at once."""
    texts, numbers = set[str](), set[str]()
    for node in walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], ast.Constant(str()) | ast.Call(ast.Name("input"))):
                texts.add(name)
            case ast.Assign([ast.Name(name)], ast.Constant(int()) | ast.Call(ast.Name("int" | "len" | "sum"))):
                numbers.add(name)
            case _:
                pass

    def is_text(side: ast.expr) -> bool:
        if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Add):
            return is_text(side.left) or is_text(side.right)
        owner = side.value if isinstance(side, ast.Subscript) else side
        return ends_with_text(side) or (isinstance(owner, ast.Name) and owner.id in texts - numbers)

    sums = [n for n in walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)]
    pairs = [pair for n in sums for pair in ((n.left, n.right), (n.right, n.left))]
    counts = [v for text, v in pairs if isinstance(v, ast.Name) and v.id in numbers - texts and is_text(text)]
    if counts:
        spans = sorted({find_span(v, table) for v in counts})
        edits = tuple((start, end, f"str({source[start:end]})") for start, end in spans)
        yield Change(edits, 0.75, counts[0].lineno, "a number is added to a text", "failing")


def ends_with_text(node: ast.expr) -> bool:
    """A text, or a sum that has one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return ends_with_text(node.left) or ends_with_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
