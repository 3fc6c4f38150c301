"""What type an expression has at the failure, and which number a text holds, as far as that can be told without running anything."""

from __future__ import annotations

import ast

from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

NUMBERS = frozenset({"int", "float", "bool", "int64", "float64", "int32", "float32", "Decimal", "complex"})
DAY = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
"""A day as `20240301`: two of them are as many days apart as the calendar says, not as many as the numbers."""

ISO = r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?"
"""A date with one reading, with or without a time of day; the whole text is to be it (`fullmatch`)."""

DAY_FIRST = ", dayfirst=True"


def reads_otherwise_day_first(context: RuleContext, reading: str) -> bool:
    """Whether a call that reads dates gives other ones with the day first: `03/04/2024`. Then both are proposed, as neither is known to be meant."""
    other = f"{reading[:-1]}{DAY_FIRST})"
    return context.is_true(f"any(a != b and a == a for a, b in zip({reading}, {other}))")


def find_type(context: RuleContext, node: ast.expr) -> str:
    """The type of an expression, as far as it can be told without running it; empty where it cannot."""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.JoinedStr):
        return "str"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        sides = {find_type(context, node.left), find_type(context, node.right)}
        return "str" if "str" in sides else "int" if sides <= NUMBERS else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return {
            "str": "str",
            "input": "str",
            "len": "int",
            "int": "int",
            "float": "float",
            "sum": "int",
            "round": "float",
        }.get(node.func.id, "")
    if text := context.read_plain_chain(node):
        thing = context.describe(text)
        return thing.type if thing is not None else ""
    return ""


def read_number_in(context: RuleContext, node: ast.expr) -> str:
    """``int`` or ``float`` if the expression is a text that holds such a number, else an empty string."""
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
    elif name := context.read_plain_chain(node):
        thing = context.describe(name)
        text = thing.text if thing is not None else ""
    else:
        return ""
    for function in (int, float):
        try:
            function(text)
        except ValueError:
            continue
        return function.__name__
    return ""


def is_whole(context: RuleContext, node: ast.expr) -> bool:
    """True where an expression holds a whole number at the failure, or halves something: half of an odd number is cut off."""
    halves = isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value in (2, 2.0)
    number = context.number(node)
    return halves or (number is not None and float(number).is_integer())
