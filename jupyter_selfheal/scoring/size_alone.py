"""Does an output show a size alone, which is the same whatever the patch puts in the place that it changes?

``len([int(s) for s in sizes])`` is 3 however the texts are read, and ``sales[["day", "tax"]].shape`` is the same of any two columns. Such an output is
reproduced by every patch that runs. That of rows which were chosen, ``sales[sales["day"] == "Mon"].shape``, is not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import is_call_of, read_called_name
from jupyter_selfheal.model import Applicability, Case, Patch
from jupyter_selfheal.registry import load_traits

_SIZES = frozenset({"shape", "size", "ndim"})
_KEEPS = frozenset({"abs", "apply", "astype", "clip", "copy", "fillna", "map", "round", "to_list", "to_numpy", "tolist", "transform"})  # fmt: skip
"""Methods whose result has as many items as what they are called on."""
_WINDOWS = frozenset({"ewm", "expanding", "rolling"})
_READS = frozenset({"array", "asarray", "list", "sorted", "to_datetime", "to_numeric", "tuple"})
"""Functions whose result has as many items as what they are given first."""
_ACCESSORS = frozenset({"str", "dt", "values"})


def shows_size_alone(case: Case, patch: Patch, below: str = "") -> bool:
    """Whether nothing but a size is shown by the cell that failed, or by one ``below`` it, and the patch changes nothing that it hangs on. Of a guess, which was
    looked for until something gave that size, it says nothing whatever it changes."""
    old, new = case.failure.source, patch.source_of(case.failure.cell_id, case.failure.source)
    statements = [[*_list_statements(text), *_list_statements(below)] for text in (old, new)]
    measured = [m for own in statements if own and (m := find_measured(own[-1])) is not None]
    if len(measured) < len(statements):
        return False
    if not load_traits(patch.healer).reasoned:
        return True
    if old == new or len(statements[0]) != len(statements[1]):
        return False
    return _hangs_on_no_change(list(zip(*statements, strict=True))[:-1], measured[0], measured[1])


def asks_size_alone(case: Case, patch: Patch, check: ast.stmt) -> bool:
    """Whether an assert below compares nothing but sizes (``len(smooth) == len(sales)``, ``table.shape == (3, 4)``), and the guess that a patch is changes
    nothing that they hang on: it holds whatever the patch puts there. Of a fix that is safe, and of a search's, which is weighed elsewhere, it says nothing."""
    is_guess = patch.applicability is not Applicability.SAFE and load_traits(patch.healer).reasoned
    if not is_guess or not isinstance(check, ast.Assert) or not isinstance(check.test, ast.Compare):
        return False
    sizes = [m for side in (check.test.left, *check.test.comparators) if (m := _find_size(side)) is not None]
    old, new = case.failure.source, patch.source_of(case.failure.cell_id, case.failure.source)
    pairs = list(zip(_list_statements(old), _list_statements(new), strict=False))
    if not sizes or old == new or len(_list_statements(old)) != len(_list_statements(new)):
        return False
    return all(_hangs_on_no_change(pairs, size, size) for size in sizes)


def _hangs_on_no_change(above: Sequence[tuple[ast.stmt, ast.stmt]], measured: ast.expr, then: ast.expr) -> bool:
    """Whether the size of what is measured is the same below each statement as it was and as it is now, whatever a changed one puts there."""
    changed = [pair for pair in above if ast.dump(pair[0]) != ast.dump(pair[1])]
    if not all(_read_target(one) == _read_target(other) != "" for one, other in changed):
        return False
    one, other = (_outline(m, _map_given(pair[n] for pair in above)) for n, m in enumerate((measured, then)))
    return one == other


def _list_statements(text: str) -> list[ast.stmt]:
    return [s.node for s in src.list_statements(text) if not isinstance(s.node, ast.Import | ast.ImportFrom)]


def _map_given(statements: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """The values of variables that are set once as a whole; what is added to them later counts as it did before."""
    return {
        s.targets[0].id: s.value for s in statements if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
    }


def find_measured(statement: ast.stmt) -> ast.expr | None:
    """What a last line asks the size of: ``xs`` of ``len(xs)``, ``xs.shape``, ``xs.shape[0]`` and ``xs.count()``; None where it asks something else."""
    return _find_size(statement.value) if isinstance(statement, ast.Expr) else None


def _find_size(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        node = node.value
    if is_call_of(node, "len") and isinstance(node, ast.Call) and len(node.args) == 1:
        return node.args[0]
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "count"
        and not node.args
    ):
        return node.func.value
    return node.value if isinstance(node, ast.Attribute) and node.attr in _SIZES else None


def _outline(node: ast.expr, given: dict[str, ast.expr]) -> str:
    """What the number of items of an expression hangs on, as text; ``given`` are the values of the cell's variables."""
    match node:
        case ast.Name(name) if name in given:
            return _outline(given[name], {k: v for k, v in given.items() if k != name})
        case ast.Attribute(value, name) if name in _ACCESSORS:
            return _outline(value, given)
        case ast.Call(ast.Attribute(ast.Attribute(value, "str" | "dt"), _)):
            return _outline(value, given)
        case ast.Call(ast.Attribute(value, name)) if name in _KEEPS:
            return _outline(value, given)
        case ast.Call(ast.Attribute(ast.Call(ast.Attribute(value, name)), _)) if name in _WINDOWS:
            return _outline(value, given)
        case ast.Call(args=[first, *_]) if read_called_name(node) in _READS:
            return _outline(first, given)
        case ast.Subscript(value, ast.Constant(str())):
            return f"{_outline(value, given)}[label]"
        case ast.Subscript(value, ast.List(labels)) if all(isinstance(n, ast.Constant) for n in labels):
            return f"{_outline(value, given)}[{len(labels)} labels]"
        case ast.ListComp(_, loops):
            return f"for {', '.join(map(ast.unparse, loops))}"
        case ast.Call(ast.Name("map"), [_, first]):
            return _outline(first, given)
        case ast.BinOp(left, op, right) if not isinstance(op, ast.Mult):
            return " and ".join(_outline(n, given) for n in (left, right) if not isinstance(n, ast.Constant))
    return ast.unparse(node)


def _read_target(statement: ast.stmt) -> str:
    """``total`` of ``total = …``, and ``table["total"]``, which leaves the number of rows; empty for any other statement."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    is_column = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant)
    return ast.unparse(target) if target is not None and (is_column or isinstance(target, ast.Name)) else ""
