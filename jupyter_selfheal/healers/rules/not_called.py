"""ATT103: a method that was named and not called, or subscripted for called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules._live import Parameter, Spot, chain, describe, is_call, signature, spots
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Patch

ABOUT = re.compile(
    r"'(method|function|builtin_function_or_method|type|method-wrapper|ABCMeta|_ArrayFunctionDispatcher)'"
)


class NotCalled(Rule):
    """Call the method.

    **Failure** `TypeError: 'method' object is not subscriptable`, `unsupported operand type(s) for +: 'method' and 'int'`,
    `AttributeError: 'function' object has no attribute 'sum'`: a function stands where its result is meant.

    **Fix** `df.describe.loc[…]` becomes `df.describe().loc[…]`; `print[x]` and `df.groupby['a']`, where the function wants an
    argument, become `print(x)` and `df.groupby('a')`.

    **Fix safety** Safe where the function can be called without arguments, or wants one and was given one in square brackets.
    """

    code = "ATT103"
    name = "method not called"
    enames = frozenset({"TypeError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "A function has no items, attributes or arithmetic of its own; its result was meant."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        if not ABOUT.search(scene.failure.evalue) or "not callable" in scene.failure.evalue:
            return
        for spot in spots(scene, ast.Subscript, ast.Attribute, ast.BinOp, ast.Call, ast.For, ast.Compare):
            for node in _operands(spot.node):
                yield from self._called(scene, spot, node)
            return

    def _called(self, scene: Scene, spot: Spot, node: ast.expr) -> Iterator[Patch]:
        text = chain(node, spot.source)
        thing = describe(scene, text) if text and isinstance(node, ast.Attribute | ast.Name) else None
        if thing is None or not thing.callable or is_call(spot.source, node) or thing.is_module:
            return
        if thing.is_class and not isinstance(spot.node, ast.Subscript):
            return
        parameters = signature(scene, text)
        outer = spot.node
        if isinstance(outer, ast.Subscript) and outer.value is node and _wants(parameters):
            if isinstance(outer.slice, ast.Slice):
                return
            change = (*spot.span(outer), f"{text}({spot.text(outer.slice)})")
            title = f"Call `{text}(…)` with parentheses"
        elif parameters is None or all(p.has_default or "VAR" in p.kind for p in parameters):
            change = (spot.span(node)[1], spot.span(node)[1], "()")
            title = f"Call `{text}()`"
        else:
            return
        edits = self.replace(scene, spot.cell_id, [change])
        yield self.patch(edits, title, f"`{text}` is a function; its result was meant.", prior=0.8)


def _wants(parameters: tuple[Parameter, ...] | None) -> bool:
    """True where the function takes an argument (or does not say)."""
    return parameters is None or any(p.kind != "KEYWORD_ONLY" for p in parameters)


def _operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.For):
        return [node.iter]
    return list(node.args) if isinstance(node, ast.Call) else []
