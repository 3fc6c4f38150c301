"""What beginners leave out or put in the wrong place, for cells whose output is known: an import, a line that stands too deep or too low, a
value within a text, a result that is not printed."""

from __future__ import annotations

import ast
import builtins
import itertools
import math
import re
from collections.abc import Collection, Iterator

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span, is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_blocks import list_blocks
from jupyter_selfheal.inside.tree_names import list_defined_names, list_read_names, walk

MODULES = frozenset({"math", "random", "string", "datetime", "time", "statistics", "itertools", "collections", "calendar"})  # fmt: skip
"""Modules of the standard library that a beginner reads from without importing them."""
_OF_MATH = frozenset(name for name in dir(math) if not name.startswith("_")) - {"e", "pow"}
_LOOPS = (ast.For, ast.While)


def list_beginner_changes(
    tree: ast.Module, source: str, table: LineTable, expected: str, known: frozenset[str]
) -> Iterator[Change]:
    """Such slips, mended. ``expected`` is the output that is known, and ``known`` are names that other cells make."""
    there = list_defined_names(tree) | known | set(dir(builtins))
    yield from list_missing_imports(tree, table, there)
    yield from _reverse_values(tree, source, table, there)
    yield from _print_results(tree, source, table)
    yield from _set_earlier(tree, source, table)
    yield from _leave_loops(tree, source, table)
    yield from _ask_in_loops(tree, source, table)
    yield from _index_called(tree, table)
    yield from _multiply_letters(tree, table, there)
    yield from _free_values(tree, source, table, expected)
    yield from _gather_before(tree, source, table)


def _gather_before(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """``digits = digits + str(r)`` in a loop, where ``digits`` begins as an empty text, as ``str(r) + digits``: the first comes out last."""
    empty = {
        n.targets[0].id
        for n in walk(tree)
        if isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and isinstance(n.value, ast.Constant)
        and n.value.value == ""
    }
    for statement in (s for loop in walk(tree) if isinstance(loop, _LOOPS) for s in loop.body):
        match statement:
            case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(again), ast.Add(), value)) if again == name:
                pass
            case ast.AugAssign(ast.Name(name), ast.Add(), value):
                pass
            case _:
                continue
        if name in empty:
            start, end = find_span(statement, table)
            new = f"{name} = {source[slice(*find_span(value, table))]} + {name}"
            yield Change(((start, end, new),), 0.7, statement.lineno, f"what is gathered in `{name}` comes before it")


def list_missing_imports(tree: ast.Module, table: LineTable, there: Collection[str]) -> Iterator[Change]:
    """``math.sqrt(n)`` and ``sqrt(n)`` where nothing imports ``math``; ``there`` are the names that there are."""
    if any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in walk(tree)):
        return
    there = frozenset(there)
    modules = [
        n.value.id
        for n in walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in MODULES - there
    ]
    for name in dict.fromkeys(modules):
        yield Change(((0, 0, f"import {name}\n"),), 0.95, 1, f"`{name}` is not imported", kind="name")
    bare = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id in _OF_MATH - there]
    if bare and isinstance(bare[0].ctx, ast.Load):
        edits = sorted((*find_span(n, table), f"math.{n.id}") for n in bare)
        start = () if "math" in there else ((0, 0, "import math\n"),)
        yield Change((*start, *edits), 0.9, bare[0].lineno, f"`{bare[0].id}` is `math.{bare[0].id}`", kind="name")


def _reverse_values(tree: ast.Module, source: str, table: LineTable, there: set[str]) -> Iterator[Change]:
    """``reverse(s)`` as ``s[::-1]``."""
    for call in walk(tree):
        if isinstance(call, ast.Call) and is_call(call, "reverse") and "reverse" not in there and len(call.args) == 1:
            first, last = find_span(call.args[0], table)
            words = "`reverse` is not there, and an index turns a value round"
            yield Change(((*find_span(call, table), f"{source[first:last]}[::-1]"),), 0.7, call.lineno, words)


def _print_results(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """``double(4)`` on a line of its own as ``print(double(4))``, where the function gives something back."""
    gives = {
        f.name
        for f in tree.body
        if isinstance(f, ast.FunctionDef) and any(isinstance(n, ast.Return) and n.value for n in ast.walk(f))
    }
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and is_call(statement.value, *gives):
            start, end = find_span(statement.value, table)
            words = "what the function gives is not printed"
            yield Change(((start, end, f"print({source[start:end]})"),), 0.7, statement.lineno, words)


def _set_earlier(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """``print(area)`` above ``area = a * b``: the line that sets it stands too low."""
    set_below: dict[str, list[ast.Assign]] = {}
    for later in tree.body:
        if isinstance(later, ast.Assign) and isinstance(target := later.targets[0], ast.Name):
            set_below.setdefault(target.id, []).append(later)
    bound: set[str] = set()
    for statement in tree.body:
        bound |= list_defined_names(ast.Module([statement], []))
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        read = list_read_names(statement)
        for later in (n for name in sorted(read - bound) for n in set_below.get(name, ())):
            start, end = table.starts[later.lineno - 1], _find_line_end(source, find_span(later, table)[1])
            at, text = table.starts[statement.lineno - 1], source[start:end].rstrip("\n")
            words = f"`{ast.unparse(later.targets[0])}` is set too late"
            yield Change(((at, at, f"{text}\n"), (start, end, "")), 0.7, later.lineno, words)


def _leave_loops(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """A last line of a loop that prints stands behind the loop, or the line behind it belongs into it."""
    for block in (b for node in walk(tree) for b in list_blocks(node)):
        for number, loop in enumerate(block):
            if not isinstance(loop, _LOOPS) or loop.orelse or loop.lineno == loop.body[0].lineno:
                continue
            last = loop.body[-1]
            outer, inner = _read_indent(source, table, loop), _read_indent(source, table, loop.body[0])
            if len(loop.body) > 1 and isinstance(last, ast.Expr) and is_call(last.value, "print"):
                yield _indent_line(table, last, inner, outer, "is printed once, behind the loop")
                yield from _outdent_prints(table, loop, inner, outer)
            if isinstance(last, ast.If) and not last.orelse and len(last.body) > 1:
                asked = last.body[-1]
                if isinstance(asked, ast.Expr) and is_call(asked.value, "print"):
                    deep = _read_indent(source, table, asked)
                    yield _indent_line(table, asked, deep, outer, "is printed once, behind the loop")
            behind = block[number + 1] if number + 1 < len(block) else None
            if isinstance(behind, ast.Expr) and is_call(behind.value, "print"):
                yield _indent_line(table, behind, outer, inner, "is printed each time, in the loop")


def _ask_in_loops(tree: ast.Module, source: str, table: LineTable) -> Iterator[Change]:
    """An ``else`` of a loop that nothing ends early belongs to the ``if`` that the loop ends with."""
    for loop in (n for n in walk(tree) if isinstance(n, _LOOPS) and n.orelse):
        last = loop.body[-1]
        if (
            not isinstance(last, ast.If)
            or _find_last_branch(last).orelse
            or any(isinstance(n, ast.Break) for n in ast.walk(loop))
        ):
            continue
        first, outer, inner = (
            loop.orelse[0].lineno - 1,
            _read_indent(source, table, loop),
            _read_indent(source, table, last),
        )
        lines = source.splitlines()
        head = next((n for n in range(first, loop.lineno - 1, -1) if lines[n].startswith(f"{outer}else")), None)
        if head is None or not inner.startswith(outer):
            continue
        places = [table.starts[n] for n in range(head, loop.orelse[-1].end_lineno or first) if lines[n].strip()]
        edits = tuple((at, at, inner[len(outer) :]) for at in places)
        yield Change(edits, 0.8, head + 1, "the `else` belongs to the `if` in the loop")


def _find_last_branch(node: ast.If) -> ast.If:
    while len(node.orelse) == 1 and isinstance(inner := node.orelse[0], ast.If):
        node = inner
    return node


def _outdent_prints(table: LineTable, loop: ast.For | ast.While, inner: str, outer: str) -> Iterator[Change]:
    """The last lines of a loop that print, where there are several: all of them stand behind it."""
    reversed_body = itertools.takewhile(
        lambda s: isinstance(s, ast.Expr) and is_call(s.value, "print"), loop.body[::-1]
    )
    printing = [s for s in reversed_body if s.lineno == s.end_lineno]
    if 1 < len(printing) < len(loop.body):
        starts = [table.starts[s.lineno - 1] for s in printing[::-1]]
        edits = tuple((start, start + len(inner), outer) for start in starts)
        yield Change(edits, 0.6, printing[-1].lineno, f"{len(printing)} lines are printed once, behind the loop")


def _indent_line(table: LineTable, node: ast.stmt, old: str, new: str, words: str) -> Change:
    start = table.starts[node.lineno - 1]
    return Change(((start, start + len(old), new),), 0.6, node.lineno, f"`{ast.unparse(node)[:30]}` {words}")


def _read_indent(source: str, table: LineTable, node: ast.stmt) -> str:
    start = table.starts[node.lineno - 1]
    return source[start : find_span(node, table)[0]]


def _find_line_end(source: str, offset: int) -> int:
    end = source.find("\n", offset)
    return len(source) if end < 0 else end + 1


def _index_called(tree: ast.Module, table: LineTable) -> Iterator[Change]:
    """``phone(name)`` as ``phone[name]``, where ``phone`` is a list or dictionary wherever it is set, ``rows[i, j]`` as ``rows[i][j]``, where it is
    a list; in all places at once."""
    values: dict[str, list[ast.expr]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name):
            values.setdefault(target.id, []).append(node.value)
    kinds = (ast.List, ast.Dict, ast.Tuple, ast.Set, ast.ListComp, ast.DictComp)
    held = {name for name, given in values.items() if all(isinstance(v, kinds) for v in given)}
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and is_call(n, *held) and len(n.args) == 1]
    if calls:
        edits: list[tuple[int, int, str]] = []
        for call in calls:
            opened, end = find_span(call.func, table)[1], find_span(call, table)[1]
            edits += [(opened, find_span(call.args[0], table)[0], "["), (end - 1, end, "]")]
        words = f"the brackets of `{ast.unparse(calls[0].func)}` are of another kind"
        yield Change(tuple(sorted(edits)), 0.85, calls[0].lineno, words)
    lists = {name for name in held if all(isinstance(v, ast.List | ast.ListComp) for v in values[name])}
    pairs = [
        (n, n.slice.elts)
        for n in walk(tree)
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and isinstance(n.slice, ast.Tuple)
        if n.value.id in lists and len(n.slice.elts) == 2
    ]
    if pairs:
        spans = [(find_span(first, table)[1], find_span(second, table)[0]) for _, (first, second) in pairs]
        words = f"`{ast.unparse(pairs[0][0])}` is an item of an item"
        yield Change(tuple((start, end, "][") for start, end in sorted(spans)), 0.85, pairs[0][0].lineno, words)


def _multiply_letters(tree: ast.Module, table: LineTable, there: set[str]) -> Iterator[Change]:
    """``volume = abc`` as ``volume = a*b*c``: the letters of a name that nothing binds are variables."""
    read = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in there]
    for name in dict.fromkeys(n.id for n in read):
        if len(name) > 1 and set(name) <= there:
            edits = tuple(sorted((*find_span(n, table), f"({'*'.join(name)})") for n in read if n.id == name))
            yield Change(edits, 0.75, 1, f"`{name}` is a product")


def _free_values(tree: ast.Module, source: str, table: LineTable, expected: str) -> Iterator[Change]:
    """``print("a + b")`` as ``print(a + b)``, ``print("Sum is total")`` as ``print("Sum is", total)``: a value stands within the text."""
    variables = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for call in walk(tree):
        for text in call.args if isinstance(call, ast.Call) and is_call(call, "print") else ():
            if not isinstance(text, ast.Constant) or not isinstance(text.value, str) or text.value in expected:
                continue
            start, end = find_span(text, table)
            body, quote = source[start + 1 : end - 1], source[start]
            if quote not in "'\"" or body != text.value:
                continue
            begins = (m.start() for m in re.finditer(r"(?<!\w)[^\W\d]\w*", body) if m[0] in variables)
            at = next((at for at in begins if _is_made_of(body[at:], variables)), -1)
            if at >= 0:
                head = body[:at].rstrip().removesuffix("+").rstrip().removesuffix(",").rstrip()
                new = f"{quote}{head}{quote}, {body[at:]}" if head else body[at:]
                yield Change(((start, end, new),), 0.65, text.lineno, f"`{body[at:]}` is a value, and no text")


def _is_made_of(text: str, variables: set[str]) -> bool:
    """Whether a text is a value of these variables alone, and no sentence."""
    if re.search(r"\b(?:and|or|is|in|not|if|else|for)\b", text):
        return False
    try:
        tree = ast.parse(f"({text})", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return {n.id for n in walk(tree) if isinstance(n, ast.Name)} <= variables | {"round", "len", "str", "sum"}
