"""The operands of a sum of texts, and ``str()`` around those that are numbers."""

from __future__ import annotations

import ast
import re

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.healers.rules.context.value_types import find_type


def list_sides(node: ast.AST) -> list[ast.expr]:
    """Both sides of a sum, an update or a comparison of two; empty for anything else."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return [node.left, node.comparators[0]]
    return []


def list_operands(node: ast.expr) -> list[ast.expr]:
    """``a``, ``b`` and ``c`` of ``a + b + c``, in their order."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*list_operands(node.left), node.right]
    return [node]


def list_factors(operand: ast.expr) -> list[ast.expr]:
    """Both sides of a product; anything else alone."""
    is_product = isinstance(operand, ast.BinOp) and isinstance(operand.op, ast.Mult)
    return [operand.left, operand.right] if is_product and isinstance(operand, ast.BinOp) else [operand]


def find_chain(context: RuleContext, node: ast.AST) -> ast.AST:
    """The whole chain of ``+`` that begins as the failing sum does."""
    top = node
    for outer in src.walk(context.source):
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add):
            start, end = context.span(outer)
            inner = context.span(node)
            if start == inner[0] and inner[1] <= end and (end - start) > (context.span(top)[1] - start):
                top = outer
    return top


def wrap_operands(context: RuleContext, node: ast.AST) -> list[Splice]:
    """``str()`` around every operand of the chain of ``+`` that is no text (and that is not known to be one)."""
    top = find_chain(context, node)
    splices: list[Splice] = []
    operands = list_operands(top) if isinstance(top, ast.BinOp) else [list_sides(top)[1]]
    for operand in operands:
        kind = find_type(context, operand)
        if kind == "str":
            continue
        if not kind and not _failed_here(context, node, operand):
            continue
        start, end = context.span(operand)
        text = context.source[start:end]
        inner_text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        splices.append((start, end, f"str({inner_text})"))
    return splices


def wrap_alike(context: RuleContext, node: ast.AST) -> list[Splice]:
    """``str()`` around the other literal numbers that the same function adds to the same text: ``bits += 0`` in one branch, ``bits += 1`` in the other."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Name):
        return []
    around = [f for f in context.walk(ast.FunctionDef) if f.lineno <= node.lineno <= (f.end_lineno or 0)]
    scope = around[-1] if around else context.tree
    return [
        (*context.span(n.value), f"str({context.text(n.value)})")
        for n in ast.walk(scope)
        if n is not node
        and isinstance(n, ast.AugAssign)
        and isinstance(n.op, ast.Add)
        and isinstance(n.target, ast.Name)
        and n.target.id == node.target.id
        and isinstance(n.value, ast.Constant)
        and type(n.value.value) in (int, float)
    ]


def _failed_here(context: RuleContext, node: ast.AST, operand: ast.expr) -> bool:
    """True for the operand of the very addition that failed which is no text, as the message says."""
    told = re.search(r"for \+=?: '(\w+)' and '(\w+)'", context.failure.evalue)
    left_is_text = "can only concatenate str" in context.failure.evalue
    kinds = (told[1], told[2]) if told else ("str" if left_is_text else "", "")
    sides = zip(list_sides(node), kinds, strict=False)
    return any(kind != "str" and context.span(s) == context.span(operand) for s, kind in sides)
