"""TYP102: a text and a number in one sum."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

ABOUT = re.compile(
    r"can only concatenate str \(not \"(\w+(?:\.\w+)?)\"\) to str|unsupported operand type\(s\) for \S+ '(\w+)' and '(\w+)'|"
    r"must be str, not (\w+)|not supported between instances of '(\w+)' and '(\w+)'"
)
NUMBERS = frozenset({"int", "float", "bool", "int64", "float64", "int32", "float32", "Decimal", "complex"})

HOLLOW = frozenset(
    {
        "NoneType",
        "builtin_function_or_method",
        "method",
        "function",
        "type",
        "module",
        "generator",
        "map",
        "filter",
        "zip",
    }
)
"""What is a fault in itself when it meets a text: its own name would be printed."""
AMOUNT = re.compile(r"[\d.,\s%$€£+-]*\d[\d.,\s%$€£+-]*")
"""A text that holds an amount, in one notation or another: what is added to it may be meant as a number."""


class TextAndNumber(Rule):
    """Turn the number into text where texts are joined, the text into a number where it is reckoned with.

    **Failure** `TypeError: can only concatenate str (not "int") to str`, `unsupported operand type(s) for +: 'int' and 'str'`,
    `'<' not supported between instances of 'str' and 'int'`.

    **Fix** `"Sum: " + total` becomes `"Sum: " + str(total)` (all numbers of the chain at once). Where the text holds a number
    (a value typed in or read) and the operation is one of numbers, `int(…)` or `float(…)` as the text demands, at the operation.

    **Fix safety** Safe where one side is a literal text or holds no number: joining is the only thing it can mean. Unsafe where
    a text that holds a number or an amount meets a number, for `"1" + 1` may mean either. Silent on what is a fault in itself: None, a
    function that was not called.
    """

    code = "TYP102"
    name = "text and number in one expression"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "A text that is no number can only be joined with texts."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not ABOUT.search(context.failure.evalue) or "str" not in context.failure.evalue:
            return
        if HOLLOW & {t for patches in ABOUT.findall(context.failure.evalue) for t in patches}:
            return
        for failing in context.failing_nodes(ast.BinOp, ast.Compare, ast.AugAssign):
            patches = list(self._propose_for(context, failing))
            if patches:
                yield from patches
                return

    def _propose_for(self, context: RuleContext, node: ast.AST) -> Iterator[Patch]:
        sides = _list_sides(node)
        if len(sides) != 2:
            return
        kinds = [_find_type(context, s) for s in sides]
        numeric = [_number_in(context, s) for s in sides]
        adds = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add)
        texts = [n for n in (0, 1) if kinds[n] == "str"]
        others = [n for n in (0, 1) if kinds[n] != "str"]
        if adds and (len(texts) == 1 or (not texts and _message_has_text(context))):
            label = [n for n in texts if not numeric[n]]
            if texts and not label:
                return (yield from self._as_numbers(context, node, texts[0], numeric, 0.6))
            yield self._as_text(context, node, [sides[n] for n in texts])
        elif not adds and len(texts) == 1 and others and numeric[texts[0]]:
            yield from self._as_numbers(context, node, texts[0], numeric, 0.85)

    def _as_text(self, context: RuleContext, node: ast.AST, texts: list[ast.expr]) -> Patch:
        changes = _wrap_operands(context, node)
        amount = any(_is_amount(context, side) for side in texts)
        return self.patch(
            context.replace(context.cell_id, changes),
            "Convert the number to text with `str(…)`",
            "You can't add text and a number.",
            applicability=Applicability.UNSAFE if amount else Applicability.SAFE,
            why="The text is an amount, so that a sum may be meant." if amount else self.why,
            prior=0.88,
        )

    def _as_numbers(
        self, context: RuleContext, node: ast.AST, which: int, numeric: list[str], prior: float
    ) -> Iterator[Patch]:
        side, function = _list_sides(node)[which], numeric[which]
        name = side.id if isinstance(side, ast.Name) else ""
        home = context.find_last_assignment(name) if name else None
        cause = f"`{context.text(side)}` is text, not a number."
        operation = not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add))
        kind = Applicability.SAFE if operation else Applicability.UNSAFE
        why = "The text holds a number, and the operation is one of numbers." if operation else (
            "Both joining and adding make sense here."
        )  # fmt: skip
        if home is not None and isinstance(home[2].value, ast.Call) and _is_input(home[2].value):
            at = src.find_span(home[1], home[2].value)
            text = f"{function}({home[1][at[0] : at[1]]})"
            yield self.patch(
                context.replace(home[0], [(*at, text)]), f"Convert `{name}` to a number", cause,
                applicability=kind, why=why, prior=prior,
            )  # fmt: skip
            return
        at = context.span(side)
        yield self.patch(
            context.replace(context.cell_id, [(*at, f"{function}({context.text(side)})")]),
            f"Convert `{context.text(side)}` to a number",
            cause,
            applicability=kind,
            why=why,
            prior=prior,
        )


def _list_sides(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return [node.left, node.comparators[0]]
    return []


def _find_type(context: RuleContext, node: ast.expr) -> str:
    """The type of an expression, as far as it can be told without running it; empty where it cannot."""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.JoinedStr):
        return "str"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        sides = {_find_type(context, node.left), _find_type(context, node.right)}
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
    if text := context.plain_chain(node):
        thing = context.describe(text)
        return thing.type if thing is not None else ""
    return ""


def _number_in(context: RuleContext, node: ast.expr) -> str:
    """``int`` or ``float`` if the expression is a text that holds such a number, else an empty string."""
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
    elif name := context.plain_chain(node):
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


def _is_amount(context: RuleContext, node: ast.expr) -> bool:
    """True for a variable whose text is an amount, as ``45%`` or ``3.53.5``."""
    thing = (
        context.describe(name) if (name := context.plain_chain(node)) and not isinstance(node, ast.Constant) else None
    )
    return thing is not None and AMOUNT.fullmatch(thing.text) is not None


def _message_has_text(context: RuleContext) -> bool:
    return "str" in context.failure.evalue


def _is_input(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "input"


def _wrap_operands(context: RuleContext, node: ast.AST) -> list[Splice]:
    """``str()`` around every operand of the chain of ``+`` that is no text (and that is not known to be one)."""
    top = node
    for outer in src.walk(context.source):
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add):
            start, end = context.span(outer)
            inner = context.span(node)
            if start == inner[0] and inner[1] <= end and (end - start) > (context.span(top)[1] - start):
                top = outer
    splices: list[Splice] = []
    operands = _list_operands(top) if isinstance(top, ast.BinOp) else [_list_sides(top)[1]]
    for operand in operands:
        kind = _find_type(context, operand)
        if kind == "str":
            continue
        if not kind and not _failed_here(context, node, operand):
            continue
        start, end = context.span(operand)
        text = context.source[start:end]
        inner_text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        splices.append((start, end, f"str({inner_text})"))
    return splices


def _failed_here(context: RuleContext, node: ast.AST, operand: ast.expr) -> bool:
    """True for the operands of the very addition that failed, which cannot both be texts."""
    return any(context.span(s) == context.span(operand) for s in _list_sides(node))


def _list_operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_list_operands(node.left), node.right]
    return [node]
