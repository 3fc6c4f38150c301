"""How much of a patch was chosen freely, and how many values say that it was chosen well.

A patch that branches on what tells the checked inputs apart (``xs[0] * 3 if len(xs) == 3 else …``), or that reckons with a number of its own, has a
choice for each value that it must give: it meets them all, follows its inputs, and is wrong for the next one. So each choice needs values of
its own, as many as a whole patch without one does (docs/adr/0036).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserted_tables import list_all_wanted
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.literals import list_expected_literals
from jupyter_selfheal.scoring.measures import is_measure, list_reckoned_answers, list_targets

EACH = 2
"""Values that each choice needs: what one value shows, one choice can be made for."""

_HALVES = (0, 1, 2)
"""Numbers that stand in any formula."""

_TRUTHS = 4
"""Yes and no: so many say as much as one value."""

_LOOPS = (ast.For, ast.While, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ENDS = (ast.Raise, ast.Assert, ast.Continue, ast.Pass)
_CUTS = frozenset({"abs", "clip", "trunc", "floor", "ceil", "rint"})
"""Calls that cut a result to size."""
_OF_NAMES = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError")
"""Failures that come up whatever the item is."""
_DEFAULTED = {"get": 2, "next": 2, "getattr": 3, "setdefault": 2, "fillna": 1, "pop": 2, "replace": 2}
"""Calls whose last argument of so many comes in place of something."""
_TABLE = 3
"""Numbers of a literal that is a table."""


def count_choices(case: Case, patch: Patch) -> int:
    """What the patch brings that chooses: conditions that decide once in a call (one in a loop decides for each item, and is seen at work), what
    leaves items out, numbers in a formula, a constant that an assert compares with, tables of numbers that a loop goes through, and what cuts a result to size (`abs`, `clip`).
    A guard that only raises gives no value."""
    known, added = set[str](), set[str]()
    known_answers = [*list_expected_literals(case), *list_all_wanted(case)]
    expected = {str(item) for value in known_answers for item in _list_items(value)}
    for _, before, after in list_patched_cells(case, patch):
        known |= set(_list_known(before))
        new = src.parse(after)
        nodes = (
            [
                *_list_deciding(new),
                *_list_skips(new, case.failure.ename),
                *_list_fallbacks(new),
                *_list_lookups(new, expected),
            ]
            if new is not None
            else []
        )
        added |= set(map(src.dump_tree, nodes))
    for cell in case.notebook.list_code_before(case.failure.cell_id):
        known |= set(_list_known(cell.source))
    return len(added - known) + len(list_reckoned_answers(case, patch))


def count_named_values(
    asserts: Iterable[ast.AST], given: Mapping[str, object] | None = None, rows: Iterable[object] = ()
) -> int:
    """The values that asserts say must come out: each different item of a list or a dictionary is one, and four of *yes* and *no*. ``given`` are
    those that stand under a name, ``rows`` what the rows of a table say."""
    wanted = [leaf for row in rows for leaf in dict.fromkeys(_list_items(row))]
    truths, seen = sum(isinstance(leaf, bool) for leaf in wanted), set[str]()
    values = len(wanted) - truths
    for node in asserts:
        compared = [n for n in ast.walk(node) if isinstance(n, ast.Compare | ast.Call)]
        for part in compared:
            if (text := src.dump_tree(part)) in seen:
                continue
            seen.add(text)
            leaves = [leaf for side in _list_sides_of_equality(part) for leaf in _list_constants(side, given or {})]
            truths += sum(isinstance(leaf, bool) for leaf in leaves)
            values += len({repr(leaf) for leaf in leaves if not isinstance(leaf, bool)})
        truths += not any(_list_sides_of_equality(part) for part in compared) and isinstance(node, ast.Assert)
    return values + truths // _TRUTHS


def _list_known(source: str) -> Iterator[str]:
    """What a source has that may choose. Of other nodes nothing is written out: a sum of a thousand texts is as deep as that."""
    for node in src.walk(source):
        if isinstance(node, ast.Compare | ast.Constant):
            yield src.dump_tree(node)
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield src.dump_tree(node.test)
        yield from map(src.dump_tree, (*_list_tables(node), *_list_cuts(node), *getattr(node, "ifs", ())))
        if (found := _read_fallback(node)) is not None:
            yield src.dump_tree(found)


def _list_deciding(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes that choose: conditions outside of loops and of guards that only end, and what fits a value wherever it stands."""
    left = [tree]
    while left:
        for child in ast.iter_child_nodes(left.pop()):
            if isinstance(child, _LOOPS):
                for node in ast.walk(child):
                    yield from _list_numbers(node)
                    yield from _list_bends(node)
                continue
            if isinstance(child, ast.If) and not child.orelse and all(isinstance(s, _ENDS) for s in child.body):
                continue
            if isinstance(child, ast.Compare) and any(map(_is_constant, (child.left, *child.comparators))):
                yield child
            elif isinstance(child, ast.If | ast.IfExp) and not any(
                isinstance(n, ast.Compare) for n in ast.walk(child.test)
            ):
                yield child.test
            yield from _list_numbers(child)
            yield from _list_cuts(child)
            left.append(child)


def _list_fallbacks(tree: ast.AST) -> Iterator[ast.AST]:
    """Values of the patch's own that come in place of a missing one (``find(x) or 3``, ``costs.get(day, 0)``, ``.replace('n/a', '13.2')``), but
    for those that an item is counted up from (``counts[w] = counts.get(w, 0) + 1``)."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr)
            and node.value is not None
        ):
            targets = list_targets(node)
            counted = {ast.unparse(t.value) for t in targets if isinstance(t, ast.Subscript)}
            for inner in ast.walk(node.value):
                held = (
                    inner.func.value if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) else None
                )
                if (found := _read_fallback(inner)) is not None and not (
                    counted and held and ast.unparse(held) in counted
                ):
                    yield found


def _read_fallback(node: ast.AST) -> ast.expr | None:
    """A value that is written down to come in place of another, in a set: so that it is not the same as an ordinary constant."""
    last: ast.AST | None = None
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        last = node.values[-1]
    elif isinstance(node, ast.Call):
        name = read_called_name(node)
        last = node.args[-1] if len(node.args) == _DEFAULTED.get(name, -1) else None
        if name == "replace" and not (isinstance(last, ast.Constant) and any(map(str.isdigit, str(last.value)))):
            return None
    return ast.Set([last]) if isinstance(last, ast.Constant) and last.value is not None else None


def _list_lookups(tree: ast.AST, expected: set[str]) -> Iterator[ast.AST]:
    """The entries of a table that is written down and looked up, where at least half of them are what is ``expected``: each is chosen."""
    named = {
        t.id: value
        for n in ast.walk(tree)
        if isinstance(value := getattr(n, "value", None), ast.List | ast.Tuple | ast.Dict)
        for t in list_targets(n)
        if isinstance(t, ast.Name)
    }
    for node in ast.walk(tree):
        looked: ast.AST | None = None
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant | ast.Slice):
            looked = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            looked = node.func.value
        if looked is not None:
            table = named.get(looked.id) if isinstance(looked, ast.Name) else looked
            items = _list_entries(table)
            answers = sum(str(item.value) in expected for item in items)
            yield from (ast.Set([item]) for item in items if 2 * answers >= len(items))


def _list_entries(table: ast.AST | None) -> list[ast.Constant]:
    """What a table holds as it is written: a text its letters."""
    if isinstance(table, ast.Constant) and isinstance(table.value, str):
        return [ast.Constant(letter) for letter in table.value]
    items: Sequence[ast.AST] = table.values if isinstance(table, ast.Dict) else getattr(table, "elts", ())
    return [item for item in items if isinstance(item, ast.Constant)]


def _list_skips(tree: ast.AST, ename: str) -> Iterator[ast.expr]:
    """Conditions by which a loop leaves items out, where the failure is that of an item: it may be the one that is left out. And tables that a loop goes
    through."""
    for node in ast.walk(tree):
        yield from _list_tables(node)
        if ename in _OF_NAMES:
            continue
        if isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.If) and any(isinstance(s, ast.Continue) for s in node.body):
            yield node.test


def _list_tables(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.For | ast.comprehension) and sum(map(_is_written_number, ast.walk(node.iter))) >= _TABLE:
        yield node.iter


def _list_cuts(node: ast.AST) -> Iterator[ast.AST]:
    """What cuts a result, or an index, to size."""
    if isinstance(node, ast.Call):
        name = read_called_name(node)
        if name in _CUTS:
            yield ast.Name(name)
        elif name in ("min", "max"):
            yield from (ast.Set([n]) for n in node.args if isinstance(n, ast.Constant) and n.value not in _HALVES)
    yield from _list_bends(node)


def _list_bends(node: ast.AST) -> Iterator[ast.AST]:
    """Indices and ends of ranges that are kept within a sequence, and the numbers that they are kept within."""
    parts: Sequence[ast.AST] = [node.slice] if isinstance(node, ast.Subscript) else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        parts = node.args
    for bend in (n for part in parts for n in ast.walk(part) if isinstance(n, ast.expr) and _is_bend(n)):
        yield ast.Set([bend])
        yield from (ast.Set([n]) for n in getattr(bend, "args", ()) if isinstance(n, ast.Constant))


def _is_bend(node: ast.AST) -> bool:
    """What keeps an index within its sequence: ``min(i + 1, len(xs) - 1)``, ``(i + 1) % len(xs)``."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mod)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max")


def _list_numbers(node: ast.AST) -> Iterator[ast.Constant]:
    """Numbers that something is reckoned with; an exponent is a root or a square of any formula."""
    if isinstance(node, ast.BinOp):
        for side in (node.left, *([] if isinstance(node.op, ast.Pow) else [node.right])):
            if isinstance(side, ast.Constant) and _is_number(side.value) and side.value not in _HALVES:
                yield side


def _is_written_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and _is_number(node.value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_constant(node: ast.expr) -> bool:
    """A number or text, or several; None and truths are no values of an input."""
    constants = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
    plain = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.UnaryOp, ast.USub, ast.expr_context)
    own = [c for c in constants if c.value is not None and not isinstance(c.value, bool)]
    return bool(own) and all(isinstance(n, plain) for n in ast.walk(node))


def _list_sides_of_equality(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators] if any(isinstance(op, ast.Eq | ast.Is) for op in node.ops) else []
    if isinstance(node, ast.Call):
        name = read_called_name(node)
        return list(node.args) if is_measure(name) else []
    return []


def _list_constants(side: ast.expr, given: Mapping[str, object]) -> list[object]:
    """The values of a side that is a literal, or the name of one; none of one that is computed."""
    if isinstance(side, ast.Name):
        return list(_list_items(given[side.id])) if side.id in given else []
    try:
        value = ast.literal_eval(side)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return []
    return list(_list_items(value))


def _list_items(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _list_items(item)
    else:
        yield value
