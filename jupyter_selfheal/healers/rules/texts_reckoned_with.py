"""PDA156: a column of numbers that are written as texts, reckoned with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.decimal_commas import (
    GROUPS,
    UNSHOWN,
    are_groups_shown,
    may_points_part_groups,
)
from jupyter_selfheal.healers.rules.context.value_types import DAY
from jupyter_selfheal.healers.rules.numbers_as_texts import GROUPED, PLAIN
from jupyter_selfheal.model import Applicability, Failure, FailureKind, Patch

WHOLE = r"\s*[-+]?(?:0|[1-9]\d*)\s*|\s*[-+]?[1-9]\d{0,2}(?:,\d{3})+\s*"
REDUCTIONS = frozenset({"sum", "max", "min"})
"""What gives a text for a column of texts, without an error: the sum joins them."""
COLUMNS = (ast.Subscript, ast.Attribute, ast.Name)
"""How a column is written."""
METHODS = frozenset({"abs", "between", "diff", "pct_change", "quantile", "plot", "clip"})
"""What is asked of numbers alone."""
MESSAGE = re.compile(
    r"(?:unsupported operand type\(s\) for (?!\+)|not supported between instances of |bad operand type for ).*'str'|"
    r"can't multiply sequence by non-int of type '|not all arguments converted during string formatting|no numeric data to plot|can only concatenate str \(not \"(?:int|float)\"\)"
)

RELEASES = "Numbers of releases may be meant, of which 3.10 comes behind 3.9."


class TextsReckonedWith(Rule):
    """Make numbers of a column of texts where it is compared, divided, multiplied or subtracted.

    **Failure** `TypeError: '>' not supported between instances of 'str' and 'int'` at `df["people"] > 2000`, `can only concatenate str (not "float") to str` at `df["cost"] * df["n"] + 0.5`, `unsupported operand type(s) for /: 'str' and 'int'` at
    `df["cost"].sum() / 2`, where the sum had joined the texts, also one that has a name in the cell; a wrong value where a sum of texts was shown.

    **Fix** `df["cost"].astype(int).sum() / 2`, in every place of the statement; `df["people"].str.replace(",", "").astype(int)` for `1,200`; `float` where a number has a fraction or one is missing.

    **Fix safety** Safe: every text of the column that is not missing is a number in one notation, and the operation is one of numbers. Unsafe where one has a zero behind and others have fewer decimals (`3.9`, `3.10`), as releases do, where nothing shows that commas part thousands (each number as `1,250`), and where points may part them (`1.200` beside `950`). Silent for sums with `+`, which join texts too, and
    for codes: a number does not begin with `0` before another digit, and for days as `20240301` of which one is subtracted from another.
    """

    code = "PDA156"
    name = "texts that are reckoned with"
    stage = Stage.LIBRARY
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "Every text of the column is a number in one notation, and only numbers are reckoned with so."

    def matches(self, failure: Failure) -> bool:
        is_about = failure.ename == "TypeError" and MESSAGE.search(failure.evalue) is not None
        return super().matches(failure) and (is_about or _is_wrong(failure))

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        operands, places = _list_missed(context) if _is_wrong(context.failure) else _list_failing(context)
        kinds = context.describe_all(operands, calls=True)
        ways: dict[str, str] = {}
        for operand, kind in zip(operands, kinds, strict=True):
            if kind.is_a("pandas.Series") and kind.dtype.lower() in ("str", "string", "object"):
                ways.setdefault(context.text(operand), _choose_conversion(context, operand))
        if not ways or not all(ways.values()):
            return
        splices = [
            (*context.span(n), f"{context.operand(n)}{ways[context.text(n)]}")
            for n in places
            if isinstance(n, COLUMNS) and isinstance(n.ctx, ast.Load) and context.text(n) in ways
        ]
        text, way = next(iter(ways.items()))
        if splices:
            doubt = RELEASES if any(_holds_releases(context, column) for column in ways) else ""
            if any(may_points_part_groups(context, o) for o in operands if context.text(o) in ways):
                doubt = GROUPS
            grouped = [o for o in operands if "," in ways.get(context.text(o), "")]
            if not all(are_groups_shown(context, o) for o in grouped):
                doubt = UNSHOWN
            yield self.patch(
                context.replace_here(*splices),
                f"Make numbers of `{text}` first: `{way}`",
                f"`{text}` holds numbers that are written as texts.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.6 if doubt else 0.92,
            )


def _holds_releases(context: RuleContext, column: str) -> bool:
    """Whether the texts have other numbers of decimals, and a zero ends one of them: ``3.10`` comes behind ``3.9``."""
    decimals = f"({column}).dropna().astype(str).str.extract(r'\\.(\\d+)\\s*$')[0].dropna()"
    return context.is_true(f"{decimals}.str.len().nunique() > 1 and {decimals}.str.endswith('0').any()")


def _is_wrong(failure: Failure) -> bool:
    """True where nothing but a value is wrong."""
    return failure.kind is FailureKind.MISSED or failure.ename == "AssertionError"


def _list_missed(context: RuleContext) -> tuple[list[ast.expr], list[ast.expr]]:
    """What the cell reduces, where nothing raised: the sum of texts is a text. That is also all that is to be changed."""
    asserted = {n for a in context.walk(ast.Assert) for n in ast.walk(a)}
    calls = [n.func for n in context.walk(ast.Call) if n not in asserted and isinstance(n.func, ast.Attribute)]
    operands: list[ast.expr] = [f.value for f in calls if f.attr in REDUCTIONS and isinstance(f.value, COLUMNS)]
    return operands, operands


def _list_failing(context: RuleContext) -> tuple[list[ast.expr], list[ast.expr]]:
    """What may be a column in the operation that failed, and all that may be one in its statement."""
    nodes = context.list_failing_nodes(ast.BinOp, ast.Compare, ast.UnaryOp, ast.Call)
    statement = context.failing_statement
    inside: list[ast.expr] = [n for n in ast.walk(statement) if isinstance(n, COLUMNS)] if statement is not None else []
    operands = [o for n in nodes for o in _list_columns(n)]
    reduced = [r for o in operands if isinstance(o, ast.Name) and (r := _find_reduced(context, o)) is not None]
    return [*operands, *reduced], [*inside, *reduced]


def _find_reduced(context: RuleContext, operand: ast.Name) -> ast.expr | None:
    """The column whose sum, greatest or smallest value the cell gave a name, above: ``total = df["cost"].sum()``."""
    given = [
        n.value
        for n in context.tree.body
        if isinstance(n, ast.Assign) and n.lineno < operand.lineno and ast.unparse(n.targets[0]) == operand.id
    ]
    match given[-1:]:
        case [ast.Call(func=ast.Attribute(value=column, attr=attr))] if attr in REDUCTIONS:
            return column if isinstance(column, COLUMNS) else None
    return None


def _list_factors(node: ast.expr) -> list[ast.expr]:
    """The factors of a product: ``df["c"]`` and 9 of ``df["c"] * 9``, which repeats texts before the division by 5 fails."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_list_factors(node.left), *_list_factors(node.right)]
    return [node]


def _list_columns(node: ast.AST) -> list[ast.expr]:
    """What may be a column in an operation: an operand, or what an operand reduces."""
    match node:
        case ast.BinOp(op=ast.Sub() | ast.Mult() | ast.Div() | ast.FloorDiv() | ast.Mod() | ast.Pow()):
            sides = [*_list_factors(node.left), *_list_factors(node.right)]
        case ast.BinOp(op=ast.Add()):  # `+` joins texts, but nothing but a number is multiplied before it
            products = [s for s in (node.left, node.right) if isinstance(s, ast.BinOp) and isinstance(s.op, ast.Mult)]
            sides = [factor for product in products for factor in _list_factors(product)]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            sides = [node.operand]
        case ast.Compare():
            sides = [node.left, *node.comparators]
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in METHODS:
            assert isinstance(node.func, ast.Attribute)
            sides = [node.func.value]
        case _:
            return []
    reduced = [
        s.func.value
        for s in sides
        if isinstance(s, ast.Call) and isinstance(s.func, ast.Attribute) and s.func.attr in REDUCTIONS
    ]
    return [s for s in (*sides, *reduced) if isinstance(s, COLUMNS)]


def _choose_conversion(context: RuleContext, column: ast.expr) -> str:
    """What makes numbers of the column's texts; empty where one of them is no number."""
    text = f"({context.text(column)})"
    texts = f"{text}.dropna().astype(str).str"
    kind = "int" if context.is_true(f"{texts}.fullmatch({WHOLE!r}).all() and not {text}.isna().any()") else "float"
    if "-: 'str' and 'str'" in context.failure.evalue and context.is_true(f"{texts}.fullmatch({DAY!r}).all()"):
        return ""
    if context.is_true(f"len({text}) > 0 and {texts}.fullmatch({PLAIN!r}).all()"):
        return f".astype({kind})"
    return (
        f'.str.replace(",", "").astype({kind})'
        if context.is_true(f"len({text}) > 0 and {texts}.fullmatch({GROUPED!r}).all()")
        else ""
    )
