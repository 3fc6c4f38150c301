"""NPA104: ``and``, ``or`` and ``not`` between arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.healers.rules.unbracketed_comparison import add_parentheses
from jupyter_selfheal.model import Applicability, Patch

ARRAYS = ("pandas.Series", "pandas.DataFrame", "numpy.ndarray", "pandas.Index")


class AmbiguousTruth(Rule):
    """Combine conditions element by element.

    **Failure** `ValueError: The truth value of a Series is ambiguous` from `(df.a > 1) and (df.b < 2)` or `0 < x < 5`.

    **Fix** `&`, `|` and `~` with parentheses around the operands; a chained comparison is written out; `np.where(s > 24, "hot", "cold")` for `"hot" if s > 24 else "cold"`
    where NumPy is at hand. `(a == b).all()` in a test of two arrays.

    `mask or np.ones(n, bool)` of a parameter `mask=None` becomes `np.ones(n, bool) if mask is None else mask`.

    **Fix safety** Safe where the live operands are arrays of booleans and the result is a value, not the test of an `if`: there, as in a choice,
    only the user can say whether `any` or `all` was meant, and nothing is proposed but, unsafe, of two arrays that are compared, and of `if df["a"].isnull():`.
    """

    code = "NPA104"
    name = "ambiguous truth of an array"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"truth value of a.*ambiguous")
    applicability = Applicability.SAFE
    why = "The operands are arrays of booleans, for which only the element-wise operator has a meaning."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        tests = {
            id(n.test) for n in ast.walk(context.tree) if isinstance(n, ast.If | ast.While | ast.Assert | ast.IfExp)
        }
        for choice in context.list_nodes_on_line(ast.IfExp):
            chosen = _choose_elementwise(context, choice)
            if chosen is not None:
                yield self.patch(
                    context.replace_here(chosen),
                    f"Use `{chosen[2]}`",
                    "An array has no single truth value: `np.where` chooses for each of its items.",
                    applicability=Applicability.UNSAFE,
                    why="Whether one of the items decides, or each for itself, stands nowhere.",
                    prior=0.7,
                )
                return
        for statement in context.list_nodes_on_line(ast.If, ast.While):
            if isinstance(statement, ast.If | ast.While):
                yield from self._ask_for_any(context, statement.test)
        outer = [
            n for n in context.list_nodes_at_failure(ast.BoolOp, ast.UnaryOp, ast.Compare) if isinstance(n, ast.expr)
        ]
        whole = [n for n in outer if not any(n is not o and n in ast.walk(o) for o in outer)]
        for node in whole:
            if id(node) in tests and isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
                yield from self._compare_whole(context, node)
                return
            if id(node) in tests or not _is_boolean(node) or not _has_array(context, node):
                continue
            if isinstance(node, ast.Compare) and add_parentheses(context.source, node):
                return  # PDA115
            if (given := _fill_in_default(context, node)) is not None:
                yield self.patch(
                    context.replace_here(given),
                    f"Ask whether it was given: `{given[2]}`",
                    "An array has no single truth value; the parameter is None where nothing was given.",
                    why="The parameter's default is None, and `or` puts something in its place.",
                    prior=0.93,
                )
                return
            if any(_holds_numbers(context, leaf) for leaf in _list_leaves(node)):
                continue
            text = write_elementwise(context, node)
            if text == context.text(node):
                continue
            edit: Splice = (*context.span(node), text)
            yield self.patch(
                context.replace(context.cell_id, [edit]),
                f"Use `{text}`",
                "An array has no single truth value: use `&`, `|` and `~` instead of `and`, `or` and `not`.",
                prior=0.9,
            )
            return

    def _compare_whole(self, context: RuleContext, node: ast.Compare) -> Iterator[Patch]:
        """``if a == b``: of whole arrays, all items are meant; ``!=`` holds where any differs."""
        sides = context.describe_all([node.left, *node.comparators], calls=True)
        if len(sides) == 2 and all(side.is_a("pandas.Series", "numpy.ndarray") for side in sides):
            end = "all" if isinstance(node.ops[0], ast.Eq) else "any"
            yield self.patch(
                context.replace_here((*context.span(node), f"({context.text(node)}).{end}()")),
                f"Ask for `{end}` of the items",
                "Two arrays are compared item by item.",
                applicability=Applicability.UNSAFE,
                why="Whether all items or any of them decide, stands nowhere.",
                prior=0.7,
            )

    def _ask_for_any(self, context: RuleContext, test: ast.expr) -> Iterator[Patch]:
        """``if df["a"].isnull():``: what is asked of a table with gaps is whether it has any."""
        call = test.operand if isinstance(test, ast.UnaryOp) else test
        if not isinstance(call, ast.Call) or read_last_name(call.func) not in ("isnull", "isna", "duplicated"):
            return
        live = context.describe_all([call], calls=True)[0]
        if live.is_a("pandas.Series", "pandas.DataFrame", "numpy.ndarray"):
            added = ".any(axis=None)" if live.is_a("pandas.DataFrame") else ".any()"
            end = context.span(call)[1]
            yield self.patch(
                context.replace_here((end, end, added)),
                f"Ask whether there is any: `{added}`",
                "A column has no single truth value: each of its items has one.",
                applicability=Applicability.UNSAFE,
                why="Whether one of the items decides, or all of them, stands nowhere.",
                prior=0.7,
            )


def _fill_in_default(context: RuleContext, node: ast.expr) -> Splice | None:
    """``mask or np.ones(n, bool)`` of a parameter ``mask=None``: what stands in its place where it was not given."""
    match node:
        case ast.BoolOp(ast.Or(), [ast.Name(name), other]):
            pass
        case _:
            return None
    function = find_function(context.source, context.line)
    if function is None:
        return None
    arguments = [*function.args.posonlyargs, *function.args.args]
    defaults = dict(zip([a.arg for a in arguments][::-1], function.args.defaults[::-1], strict=False))
    defaults |= {a.arg: d for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if d}
    default = defaults.get(name)
    if not isinstance(default, ast.Constant) or default.value is not None:
        return None
    return (*context.span(node), f"{context.text(other)} if {name} is None else {name}")


def _list_leaves(node: ast.expr) -> Iterator[ast.expr]:
    """What `and`, `or` and `not` are between."""
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _list_leaves(value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _list_leaves(node.operand)
    else:
        yield node


def _holds_numbers(context: RuleContext, leaf: ast.expr) -> bool:
    """Whether an operand is an array of numbers: of those `|` and `~` reckon with the digits."""
    chain = context.read_plain_chain(leaf)
    return bool(chain) and context.is_true(f"{chain}.dtype.kind in 'iufc'")


def _choose_elementwise(context: RuleContext, choice: ast.IfExp) -> Splice | None:
    """``np.where(df["t"] > 24, "hot", "cold")`` for ``"hot" if df["t"] > 24 else "cold"``."""
    where = context.reference("numpy.where")
    if where is None or where.import_line or not context.describe_all([choice.test], calls=True)[0].is_a(*ARRAYS):
        return None
    parts = (context.text(part) for part in (choice.test, choice.body, choice.orelse))
    return (*context.span(choice), f"{where.text}({', '.join(parts)})")


def _is_boolean(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare):
        return len(node.ops) > 1
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _has_array(context: RuleContext, node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        leaves = node.values
    elif isinstance(node, ast.UnaryOp):
        leaves = [node.operand]
    else:
        leaves = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    return any(live.is_a(*ARRAYS) for live in context.describe_all(leaves, calls=True)) or any(
        _has_array(context, leaf) for leaf in leaves if _is_boolean(leaf)
    )


def write_elementwise(context: RuleContext, node: ast.expr) -> str:
    """``(a > 1) & ~(b == 3)`` for ``a > 1 and not b == 3``; anything else as it stands."""
    if isinstance(node, ast.BoolOp):
        mark = " & " if isinstance(node.op, ast.And) else " | "
        return mark.join(_write_operand(context, v) for v in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "~" + _write_operand(context, node.operand)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        marks = [_find_operator(context, a, b) for a, b in pairwise(sides)]
        pairs = zip(sides, marks, sides[1:], strict=False)
        return " & ".join(f"({context.text(a)} {m} {context.text(b)})" for a, m, b in pairs)
    return context.text(node)


def _find_operator(context: RuleContext, left: ast.expr, right: ast.expr) -> str:
    between = context.source[context.span(left)[1] : context.span(right)[0]]
    return between.strip().strip("()").strip()


def _write_operand(context: RuleContext, node: ast.expr) -> str:
    text = write_elementwise(context, node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({text})"
