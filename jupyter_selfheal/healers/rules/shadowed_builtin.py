"""STA104: a variable took the name of a builtin or of a function."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, add_imports
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Edit, Patch, RunCells


class ShadowedBuiltin(Rule):
    """Give a variable another name that hides a builtin or a function of the notebook.

    **Failure** `TypeError: 'list' object is not callable`, where the name that is called belongs to a builtin, or to a
    function that a cell defines, and is bound to a plain value now.

    **Fix** Where the failing cell itself binds it: the variable is renamed (`list` → `list_`) everywhere but where it is
    called. Where another cell did: the call says `builtins.list(...)`, which is right whatever the name is bound to. A hidden
    function of the notebook is defined again by its own cell, and the variable is renamed.

    **Fix safety** Safe: calls can only have meant the builtin, since the value that hides it cannot be called.
    """

    code = "STA104"
    name = "shadowed builtin or function"
    stage = Stage.STATE
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "What hides the name cannot be called, so each call means the builtin or function."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not re.match(r"'[\w.]+' object is not callable", context.failure.evalue):
            return
        live = context.state
        for failing in context.list_failing_nodes(ast.Call):
            func = failing.func if isinstance(failing, ast.Call) else None
            if not isinstance(func, ast.Name):
                continue
            name = func.id
            if name in live.locals or live.names.get(name, ("", True))[1]:
                continue
            yield from self._for_name(context, context.cell_id, name)
            return

    def _for_name(self, context: RuleContext, cell_id: str, name: str) -> Iterator[Patch]:
        cause = f"`{name}` was bound to a value that cannot be called."
        here = name in src.find_names(context.failure.source).binds
        edits = _rename_everywhere(context, name)
        if hasattr(builtins, name):
            if here and edits:
                yield self.patch(edits, f"Rename the variable `{name}` to `{name}_`", cause, prior=0.9)
                return
            source = context.source_of(cell_id)
            calls = [(*src.find_span(source, n), f"builtins.{name}") for n in _list_called(source, name)]
            both = context.replace(cell_id, [*add_imports(source, ["import builtins"]), *calls])
            yield self.patch(both, f"Call `builtins.{name}`", cause, prior=0.85)
            return
        definer = next(
            (c for c in context.notebook.list_code_before(context.failure.cell_id) if _defines_name(c.source, name)),
            None,
        )
        if definer is not None and edits:
            yield self.patch(
                (RunCells((definer.id,)), *edits), f"Rename the variable `{name}` to `{name}_`", cause, prior=0.85
            )


def _rename_everywhere(context: RuleContext, name: str) -> tuple[Edit, ...]:
    """Replaces of every cell that binds or reads the variable, calls left alone."""
    edits: list[Edit] = []
    for cell in context.notebook.cells:
        if cell.kind != "code" or _defines_name(cell.source, name):
            continue
        source = context.source_of(cell.id)
        edits += context.replace(cell.id, _rename_variable(source, name))
    return tuple(edits)


def _rename_variable(source: str, name: str) -> list[Splice]:
    """Renaming splices for the variable: all its names but the called ones and annotations."""
    tree = src.parse(source)
    if tree is None:
        return []
    up = src.read(source).parents
    splices: list[Splice] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name:
            above = up[node]
            called = isinstance(above, ast.Call) and above.func is node
            passed = isinstance(above, ast.Call) and node in above.args and _wants_callable(above)
            noted = isinstance(above, ast.arg | ast.FunctionDef) or (
                isinstance(above, ast.AnnAssign) and above.annotation is node
            )
            if not (called or passed or noted):
                splices.append((*src.find_span(source, node), f"{name}_"))
    return splices if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree)) else []


def _wants_callable(call: ast.Call) -> bool:
    name = read_last_name(call.func)
    return name in {"map", "filter", "isinstance", "issubclass", "reduce", "defaultdict", "apply", "astype", "agg"}


def _list_called(source: str, name: str) -> list[ast.Name]:
    tree = src.parse(source)
    return [
        n.func
        for n in (ast.walk(tree) if tree else ())
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
    ]


def _defines_name(source: str, name: str) -> bool:
    return any(
        isinstance(s.node, ast.FunctionDef | ast.ClassDef) and s.node.name == name for s in src.list_statements(source)
    )
