"""What an assert measures with: the value that it compares with, and the function that says whether two values are near.

A patch that reads the one (`counts = dict(EXPECTED)`), or makes the other lenient (`def close(a, b, tol=10)`), meets the assert whatever comes out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_asserts, list_patched_cells
from jupyter_selfheal.scoring.deletion import SPELLING, dump

_NEAR = ("close", "equal", "almost", "approx", "same")
"""In the name of what tells whether two values are the same."""


def find_changed_measure(case: Case, patch: Patch) -> str:
    """A function that asserts ask whether two values are near, bound otherwise by the patch; empty where there is none, and where it was
    what failed."""
    asked = {name for node in _list_asserts(case) for name in _list_near(node)}
    failed = {frame.function for frame in case.failure.frames} | {
        case.failure.evalue.partition("'")[2].partition("'")[0]
    }
    for cell_id, before, after in list_patched_cells(case, patch):
        old, new = (dict(_list_bound(text)) for text in (before, after))
        known = {name for c in case.notebook.code_before(cell_id) for name, _ in _list_bound(c.source)} | old.keys()
        for name in sorted((asked & known & new.keys()) - failed):
            if old.get(name) != new[name]:
                return name
    return ""


def find_copied_answer(case: Case, patch: Patch) -> str:
    """A variable that an assert compares with, and that the code reads only with the patch; empty where there is none.

    Not meant is one whose name was misspelt before.
    """
    compared = {name for node in _list_asserts(case) for name in _list_compared(node)}
    cells = list_patched_cells(case, patch)
    before, after = ({name for cell in cells for name in _list_read(cell[n])} for n in (1, 2))
    bound = {
        n.id for cell in cells for n in src.walk(cell[2]) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    given = _list_given(case)
    for name in sorted((compared & after & given) - before - bound):
        if not any(SequenceMatcher(None, name, gone).ratio() >= SPELLING for gone in before - after):
            return name
    return ""


def _list_asserts(case: Case) -> list[ast.stmt]:
    cells = [c for c in case.notebook.cells if c.kind == "code"]
    return [node for c in cells for node in list_asserts(c.source)]


def _list_near(node: ast.stmt) -> Iterator[str]:
    """Functions called so with two values. One whose result is compared with a value of its own is asked itself: ``closest(xs, 4) == 5``."""
    sides = [side for n in ast.walk(node) if isinstance(n, ast.Compare) for side in (n.left, *n.comparators)]
    compared = (
        {id(side) for side in sides} if not any(isinstance(getattr(s, "value", ""), bool) for s in sides) else set()
    )
    for n in ast.walk(node):
        if (
            isinstance(n, ast.Call)
            and id(n) not in compared
            and isinstance(n.func, ast.Name)
            and len(n.args) > 1
            and any(word in n.func.id.lower() for word in _NEAR)
        ):
            yield n.func.id


def _list_compared(node: ast.stmt) -> Iterator[str]:
    """Variables that are a whole side of an equality."""
    for n in ast.walk(node):
        sides: Iterable[ast.expr] = ()
        if isinstance(n, ast.Compare) and any(isinstance(op, ast.Eq | ast.Is) for op in n.ops):
            sides = (n.left, *n.comparators)
        elif isinstance(n, ast.Call) and any(True for _ in _list_near(ast.Expr(n))):
            sides = n.args
        yield from (side.id for side in sides if isinstance(side, ast.Name))


def _list_bound(source: str) -> Iterator[tuple[str, str]]:
    """(name, by what) at the top of a cell."""
    tree = src.parse(source)
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, dump(node)
        elif isinstance(node, ast.Assign):
            yield from ((t.id, dump(node.value)) for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((a.asname or a.name, f"{getattr(node, 'module', '')}.{a.name}") for a in node.names)


def _list_given(case: Case) -> set[str]:
    """Data that the notebook writes down."""
    given = set[str]()
    for cell in (c for c in case.notebook.cells if c.kind == "code"):
        tree = src.parse(cell.source)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.Assign) and isinstance(
                node.value, ast.List | ast.Tuple | ast.Dict | ast.Set | ast.Constant
            ):
                given |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return given


def _list_read(source: str) -> set[str]:
    """Names read outside of asserts."""
    nodes = list(src.walk(source))
    asserted = {id(n) for a in nodes if isinstance(a, ast.Assert) for n in ast.walk(a)}
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in asserted}
