"""What an assert measures with: the value that it compares with, and the function that says whether two values are near.

A patch that reads the one (`counts = dict(EXPECTED)`), or makes the other lenient (`def close(a, b, tol=10)`), meets the assert whatever comes out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_asserts, list_patched_cells
from jupyter_selfheal.scoring.deleted_lines import SPELLING

_NEAR = frozenset({"close", "equal", "equals", "almost", "approx", "same"})
"""Words in the name of what tells whether two values are the same."""
_BOUNDS = frozenset({"min", "max", "clip", "range", "arange", "islice", "head", "tail", "nlargest", "nsmallest"})
"""Calls that bound what they are given."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ASKING = re.compile(r"^(?:is|are|all|any)(?=.)")


def is_measure(name: str) -> bool:
    """Whether what is named so tells whether two values are the same: ``isclose``, ``assertAlmostEqual``, ``array_equal``; not ``closest``."""
    return any(_ASKING.sub("", word.lower()) in _NEAR for word in _WORD.findall(name))


def is_length(node: ast.AST) -> bool:
    """``len(x)``, ``x.shape``: how long a result is, and not what it is."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    return isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim")


def list_targets(node: ast.AST) -> list[ast.expr]:
    """What a statement sets to its value as a whole, with a type beside it or not."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


def list_assigned(source: str) -> Iterator[tuple[str, ast.expr]]:
    """(name, what it is set to) of the assignments at the top of a cell."""
    tree = src.parse(source)
    for node in tree.body if tree is not None else ():
        value = getattr(node, "value", None)
        yield from ((t.id, value) for t in list_targets(node) if isinstance(t, ast.Name) and value is not None)


def find_changed_measure(case: Case, patch: Patch) -> str:
    """A function that asserts ask whether two values are near, bound otherwise by the patch; empty where there is none, and where it was
    what failed."""
    asked = {name for node in _list_asserts(case) for name in _list_near(node)}
    failed = {frame.function for frame in case.failure.frames} | {
        case.failure.evalue.partition("'")[2].partition("'")[0]
    }
    for cell_id, before, after in list_patched_cells(case, patch):
        old, new = (dict(_list_bound(text)) for text in (before, after))
        known = {
            name for c in case.notebook.list_code_before(cell_id) for name, _ in _list_bound(c.source)
        } | old.keys()
        for name in sorted((asked & known & new.keys()) - failed):
            if old.get(name) != new[name]:
                return name
    return ""


def find_copied_answer(case: Case, patch: Patch) -> str:
    """A variable that an assert compares with, and that the code reads only with the patch; empty where there is none.

    Not meant is one whose name was misspelt before, and a constant that something is reckoned with (``list_reckoned_answers``).
    """
    reckoned = list_reckoned_answers(case, patch)
    return next((name for name in _list_copied(case, patch) if name not in reckoned), "")


def list_reckoned_answers(case: Case, patch: Patch) -> list[str]:
    """Constants that an assert compares with and that the patch reads only to reckon with them (``min(x, LIMIT)``, ``rows[:SIZE]``): parameters, as likely
    as answers."""
    constants = {
        name
        for c in case.notebook.cells
        if c.kind == "code"
        for name, value in list_assigned(c.source)
        if isinstance(value, ast.Constant)
    }
    copied = constants.intersection(_list_copied(case, patch))
    trees = [tree for _, _, after in list_patched_cells(case, patch) if (tree := src.parse(after)) is not None]
    return [name for name in sorted(copied) if all(_only_reckons(tree, name) for tree in trees)]


def _only_reckons(tree: ast.AST, name: str) -> bool:
    """Whether a name is read in asserts, comparisons, ends of slices, and sums or calls with another variable alone."""
    nodes = [n for n in ast.walk(tree) if not isinstance(n, ast.Assert)]
    asserted = {id(n) for a in ast.walk(tree) if isinstance(a, ast.Assert) for n in ast.walk(a)}
    used = {
        id(part)
        for n in nodes
        if _reckons_beside(n, name)
        for part in ast.iter_child_nodes(n)
        if isinstance(part, ast.Name)
    }
    reads = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return all(id(n) in used | asserted for n in reads)


def _reckons_beside(node: ast.AST, name: str) -> bool:
    """Whether a node bounds, compares or sums with a variable beside ``name``, so that its value is not that one's."""
    if isinstance(node, ast.Compare | ast.Slice):
        return True
    parts: list[ast.AST] = [node]
    if isinstance(node, ast.Call):
        called = read_called_name(node)
        if called not in _BOUNDS:
            return False
        parts = [*node.args, *([node.func] if isinstance(node.func, ast.Attribute) else [])]
    elif not isinstance(node, ast.BinOp):
        return False
    return any(isinstance(n, ast.Name) and n.id != name for part in parts for n in ast.walk(part))


def _list_copied(case: Case, patch: Patch) -> Iterator[str]:
    compared = {name for node in _list_asserts(case) for name in _list_compared(node)}
    cells = list_patched_cells(case, patch)
    before, after = ({name for cell in cells for name in _list_read(cell[n])} for n in (1, 2))
    bound = {
        n.id for cell in cells for n in src.walk(cell[2]) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    given = _list_given(case)
    for name in sorted((compared & after & given) - before - bound):
        gone = (other.lower() for other in before - after)
        if not any(SequenceMatcher(None, name.lower(), other).ratio() >= SPELLING for other in gone):
            yield name


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
            and is_measure(n.func.id)
        ):
            yield n.func.id


def _list_compared(node: ast.stmt) -> Iterator[str]:
    """Variables that are a whole side of an equality."""
    for n in ast.walk(node):
        sides: Iterable[ast.expr] = ()
        if isinstance(n, ast.Compare) and any(isinstance(op, ast.Eq | ast.Is) for op in n.ops):
            sides = (n.left, *n.comparators)
            sides = () if any(map(is_length, sides)) else sides
        elif isinstance(n, ast.Call) and any(True for _ in _list_near(ast.Expr(n))):
            sides = n.args
        yield from (side.id for side in sides if isinstance(side, ast.Name))


def _list_bound(source: str) -> Iterator[tuple[str, str]]:
    """(name, by what) at the top of a cell."""
    tree = src.parse(source)
    for node in tree.body if tree is not None else ():
        yield from ((t.id, src.dump_tree(node.value)) for t in list_targets(node) if isinstance(t, ast.Name))  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, src.dump_tree(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((a.asname or a.name, f"{getattr(node, 'module', '')}.{a.name}") for a in node.names)


def _list_given(case: Case) -> set[str]:
    """Data that the notebook writes down."""
    written = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Constant)
    cells = (c for c in case.notebook.cells if c.kind == "code")
    return {name for c in cells for name, value in list_assigned(c.source) if isinstance(value, written)}


def _list_read(source: str) -> set[str]:
    """Names read outside of asserts."""
    nodes = list(src.walk(source))
    asserted = {id(n) for a in nodes if isinstance(a, ast.Assert) for n in ast.walk(a)}
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in asserted}
