"""Was a result only shifted by a constant, or cut, until the one check holds?

``return w * h + 1`` meets ``assert area(2, 3) == 7`` and is wrong everywhere else; as likely the assert is. A change within
the computation (a bound, an index, an operator) is not meant here: there a check of one value is evidence.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeGuard

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import is_assert, list_patched_cells
from jupyter_selfheal.scoring.expected import find_oracle

_SHORTENING = frozenset({"pop", "popleft", "popitem", "remove", "discard", "clear"})


def is_shifted(case: Case, patch: Patch) -> bool:
    """True where a value that is returned or assigned became the same value with a constant more, or with another constant, or where
    some sequence was cut at its end (``xs`` → ``xs[:-1]``); also after another fix of the same expression (a name that was misspelt)."""
    return any(_shifts_result(before, after) for before, after in _list_changes(case, patch))


def _list_changes(case: Case, patch: Patch) -> Iterator[tuple[str, str]]:
    """Each patched cell before and after the patch as a whole, and before and after each stage of it."""
    for cell_id, before, after in list_patched_cells(case, patch):
        yield before, after
        middle = [replace(patch, edits=edits).source_of(cell_id, before) for edits in patch.stages]
        yield from itertools.pairwise((before, *middle, after) if middle else ())


def _shifts_result(before: str, after: str) -> bool:
    return (
        _cuts_value(before, after)
        or _begins_elsewhere(before, after)
        or any(
            _is_shift(was, now)
            for was, now in zip(_list_results(before), _list_results(after), strict=False)
            if src.dump_tree(was) != src.dump_tree(now)
        )
    )


def _begins_elsewhere(before: str, after: str) -> bool:
    """True where a sum that is kept under a key came to begin with another number than nothing: ``counts.get(w, 1) + 1``."""
    there = {src.dump_tree(n) for n in src.walk(before) if isinstance(n, ast.Call)}
    sums = [n for n in src.walk(after) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add | ast.Sub)]
    calls = [side for n in sums for side in (n.left, n.right) if isinstance(side, ast.Call)]
    return any(
        isinstance(c.func, ast.Attribute) and c.func.attr == "get" and len(c.args) == 2
        and _is_constant(c.args[1]) and c.args[1].value not in (0, "") and src.dump_tree(c) not in there  # type: ignore[attr-defined]
        for c in calls
    )  # fmt: skip


def asks_many(case: Case, patch: Patch) -> bool:
    """True where an assert of a cell that reads what the patch changes, or a check, stands for many examples: in a loop, or compared
    with a container."""
    changed = frozenset(name for _, _, after in list_patched_cells(case, patch) for name in src.find_names(after).binds)
    reading = (c.source for c in case.notebook.cells if c.kind == "code" and changed & src.find_names(c.source).uses)
    cells = (case.failure.source, *(after for _, _, after in list_patched_cells(case, patch)), *reading)
    asking = [node for text in cells for node in _walk_asking(text)]
    oracle = find_oracle(case)
    asking += [
        tree for text in (*oracle.checks, f"_ == ({oracle.expect or 0})") if (tree := src.parse(text)) is not None
    ]
    return any(_is_many(node) for top in asking for node in ast.walk(top))


def _list_results(source: str) -> list[ast.expr]:
    """What is returned and assigned, in the order of the text."""
    nodes = sorted(
        (n for n in src.walk(source) if isinstance(n, ast.Return | ast.Assign | ast.Lambda)),
        key=lambda n: (n.lineno, n.col_offset),
    )
    return [value for n in nodes if (value := n.body if isinstance(n, ast.Lambda) else n.value) is not None]


def _is_shift(was: ast.expr, now: ast.expr) -> bool:
    if isinstance(was, ast.JoinedStr) and isinstance(now, ast.JoinedStr):
        return [src.dump_tree(v) for v in was.values if not _is_constant(v)] == [
            src.dump_tree(v) for v in now.values if not _is_constant(v)
        ]
    old, new = _drop_constants(was), _drop_constants(now)
    if old is None or new is None or src.dump_tree(old) != src.dump_tree(new):
        return False
    # another operator is another computation; a constant that was there is none of the guess's own
    return not _count_operators(was) - _count_operators(now) and bool(_count_constants(now) - _count_constants(was))


def _count_operators(node: ast.expr) -> Counter[str]:
    return Counter(type(n.op).__name__ for n in ast.walk(node) if isinstance(n, ast.BinOp))


def _count_constants(node: ast.expr) -> Counter[str]:
    return Counter(src.dump_tree(n) for n in ast.walk(node) if _is_constant(n))


def _drop_constants(node: ast.expr) -> ast.expr | None:
    """Arithmetic without its constant operands, None where nothing is left: ``2 * (a + 1) - b`` → ``a - b``.

    Within calls, indices and powers, constants stay: ``range(n + 1)`` is another computation, no shift.
    """
    if isinstance(node, ast.Constant):
        return None if _is_constant(node) else node
    if not isinstance(node, ast.BinOp) or isinstance(node.op, ast.Pow):
        return node
    left, right = _drop_constants(node.left), _drop_constants(node.right)
    if left is None or right is None:
        return left if right is None else right
    return ast.BinOp(left, node.op, right)


def _is_constant(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float | str)
        and not isinstance(node.value, bool)
    )


def _cuts_value(before: str, after: str) -> bool:
    """True where a slice with constant bounds was put on something that stood there whole (other bounds are no cut)."""
    there = list(src.walk(before))
    then = list(src.walk(after))
    if sum(map(_takes_out, then)) > sum(map(_takes_out, there)):
        return True
    whole = {src.dump_tree(n) for n in there} - {src.dump_tree(n.value) for n in there if _is_slice(n)}
    return any(
        _is_slice(n)
        and src.dump_tree(n.value) in whole
        and not any(isinstance(part, ast.Name) for part in ast.walk(n.slice))
        for n in then
    )


def _takes_out(node: ast.AST) -> bool:
    """A statement that does nothing but shorten a collection: ``xs.pop()``, ``del xs[0]``."""
    if isinstance(node, ast.Delete):
        return any(isinstance(target, ast.Subscript) for target in node.targets)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _SHORTENING


def _is_slice(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Whatever part of a sequence, but not the whole of it turned around (``[::-1]``, a step that is no plain constant)."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return False
    return node.slice.step is None or isinstance(node.slice.step, ast.Constant)


def _walk_asking(source: str) -> Iterator[ast.AST]:
    """The asserts of a source, and the loops around them."""
    for node in src.walk(source):
        if is_assert(node) or (isinstance(node, ast.For | ast.While) and any(map(is_assert, ast.walk(node)))):
            yield node


def _is_many(node: ast.AST) -> bool:
    """A loop, a comprehension, or a literal of two and more values."""
    if isinstance(node, ast.For | ast.While | ast.comprehension):
        return True
    return isinstance(node, ast.Compare) and any(
        isinstance(side, ast.List | ast.Tuple | ast.Dict | ast.Set)
        and len(side.keys if isinstance(side, ast.Dict) else side.elts) > 1
        for side in (node.left, *node.comparators)
    )
