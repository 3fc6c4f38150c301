"""ATT105: an attribute that is a value, called like a method."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.axes_setter import SETTABLE
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class ValueCalled(Rule):
    """Read an attribute that is a value without calling it.

    **Failure** `TypeError: 'tuple' object is not callable` at `df.shape()`, `'Index' object is not callable` at `df.columns()`, and at
    a property of the notebook's own class; `'str' object is not callable` at `plt.title("Profit")`, below `plt.title = "Sales"` in the same cell.

    **Fix** The empty parentheses go: `df.shape`. `plt.title("Sales")` is called, not assigned to.

    **Fix safety** Safe: the attribute of the live object is a value that cannot be called, and the call passes nothing. Silent where
    arguments are given, and for attributes that a cell of the notebook sets on objects of its own.
    """

    code = "ATT105"
    name = "value called like a method"
    enames = frozenset({"TypeError"})
    message = re.compile("object is not callable")
    applicability = Applicability.SAFE
    why = "The attribute is a value that cannot be called, and nothing was passed to it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for failing in context.list_failing_nodes(ast.Call):
            call = failing
            if patch := self._call_assigned(context, call.func):
                yield patch
                return
            if not isinstance(call, ast.Call) or call.args or call.keywords or not isinstance(call.func, ast.Attribute):
                continue
            text = context.text(call.func)
            members = _list_own_members(context, call.func.attr)
            if any(not _is_property(m) for m in members) and _is_of_any_kind(context, call):
                return  # a method elsewhere: the one that is a property is the odd one
            if not any(map(_is_property, members)):
                thing = context.describe(text) if context.read_plain_chain(call.func) else None
                if thing is None or thing.is_callable or _is_set(context, call.func):
                    continue
            edits = context.replace(context.cell_id, [(context.span(call.func)[1], context.span(call)[1], "")])
            if edits:
                yield self.patch(
                    edits, f"Remove the parentheses after `{text}`", f"`{text}` is a value, not a function.", prior=0.85
                )
            return

    def _call_assigned(self, context: RuleContext, called: ast.expr) -> Patch | None:
        """``plt.title = "Sales"`` above `plt.title("Profit")`: the function of the library is gone, and no title was set."""
        if not isinstance(called, ast.Attribute) or not context.describe_all([called.value])[0].is_module:
            return None
        module = context.text(called.value)
        given = [n for n in context.walk(ast.Assign) if len(n.targets) == 1 and isinstance(n.targets[0], ast.Attribute)]
        gone = [n for n in given if context.text(n.targets[0].value) == module and n.targets[0].attr in SETTABLE]  # type: ignore[attr-defined]
        text = f"{module}.{called.attr}"
        if text not in [context.text(n.targets[0]) for n in gone]:
            return None
        calls = [(*context.span(n), f"{context.text(n.targets[0])}({context.text(n.value)})") for n in gone]
        cause = f"`{text} = …` puts a value in the place of the function `{text}`."
        return self.patch(context.replace_here(*calls), f"Call `{text}(…)`, don't assign to it", cause,
                          why="A text in the function's place shows nothing, and the call shows it.", prior=0.93)  # fmt: skip


def _list_own_members(context: RuleContext, name: str) -> list[ast.FunctionDef]:
    """What the notebook's classes define under a name."""
    cells = [c.id for c in context.notebook.cells if c.kind == "code"]
    classes = [n for c in cells for n in src.walk(context.source_of(c)) if isinstance(n, ast.ClassDef)]
    return [m for c in classes for m in c.body if isinstance(m, ast.FunctionDef) and m.name == name]


def _is_of_any_kind(context: RuleContext, call: ast.Call) -> bool:
    """True where the call is made on whatever comes: on a parameter, or on what a loop goes through."""
    assert isinstance(call.func, ast.Attribute)
    name = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
    loops = [n.target for n in context.walk(ast.For, ast.comprehension) if isinstance(n, ast.For | ast.comprehension)]
    variables = {n.id for target in loops for n in ast.walk(target) if isinstance(n, ast.Name)}
    return name in variables | {n.arg for n in context.walk(ast.arg)}


def _is_property(member: ast.FunctionDef) -> bool:
    return any(read_last_name(d) in ("property", "cached_property", "setter") for d in member.decorator_list)


def _is_set(context: RuleContext, node: ast.Attribute) -> bool:
    """True where a cell assigns to an attribute of this name: then a method of a class of one's own may be hidden by it."""
    if context.describe_all([node.value])[0].is_a("pandas.DataFrame", "pandas.Series", "numpy.ndarray"):
        return False
    return any(
        isinstance(n, ast.Attribute) and n.attr == node.attr and isinstance(n.ctx, ast.Store)
        for cell in context.notebook.cells
        if cell.kind == "code"
        for n in src.walk(context.source_of(cell.id))
    )
