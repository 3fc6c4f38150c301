"""ATT103: a method that was named and not called, or subscripted for called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature
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

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not ABOUT.search(context.failure.evalue) or "not callable" in context.failure.evalue:
            return
        for failing in context.failing_nodes(ast.Subscript, ast.Attribute, ast.BinOp, ast.Call, ast.For, ast.Compare):
            for node in _list_operands(failing):
                yield from self._propose_call(context, failing, node)
            return

    def _propose_call(self, context: RuleContext, outer: ast.AST, node: ast.expr) -> Iterator[Patch]:
        text = context.plain_chain(node)
        thing = context.describe(text) if text and isinstance(node, ast.Attribute | ast.Name) else None
        if text is None or thing is None or not thing.is_callable or context.is_called(node) or thing.is_module:
            return
        if thing.is_class and not isinstance(outer, ast.Subscript):
            return
        signature = context.signature(text)
        if isinstance(outer, ast.Subscript) and outer.value is node and _takes_argument(signature):
            if isinstance(outer.slice, ast.Slice):
                return
            change = (*context.span(outer), f"{text}({context.text(outer.slice)})")
            title = f"Call `{text}(…)` with parentheses"
        elif signature is None or all(p.has_default or "VAR" in p.kind for p in signature.parameters):
            change = (context.span(node)[1], context.span(node)[1], "()")
            title = f"Call `{text}()`"
        else:
            return
        edits = context.replace(context.cell_id, [change])
        yield self.patch(edits, title, f"`{text}` is a function: call it to get its result.", prior=0.8)


def _takes_argument(signature: Signature | None) -> bool:
    """True where the function takes an argument (or does not say)."""
    return signature is None or any(p.kind != "KEYWORD_ONLY" for p in signature.parameters)


def _list_operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.For):
        return [node.iter]
    return list(node.args) if isinstance(node, ast.Call) else []
