"""NPA112: a list of numbers that is reckoned with as an array, and an array of whole numbers changed in place by a float."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import is_held_elsewhere
from jupyter_selfheal.model import Applicability, Patch

LIST = re.compile(r"unsupported operand type\(s\) for (?:-|/|//|\*\*|\*\* or pow\(\)|%): '(?:list|int|float|numpy\.float64)' and '(?:list|int|float|numpy\.float64)'|"
                  r"can't multiply sequence by non-int of type '(?:float|numpy\.float64)'")  # fmt: skip
CAST = re.compile(
    r"Cannot cast ufunc '(add|subtract|multiply|divide)' output from dtype\('float64'\) to dtype\('u?int\d+'\)"
)

SHARED = "Something else holds this array, or what it is a part of, and would have been changed with it."


class ListReckoned(Rule):
    """Reckon with an array, not with a list; give a product of floats a place of its own.

    **Failure** `TypeError: unsupported operand type(s) for -: 'list' and 'float'` at `values - 2.5`; `UFuncTypeError: Cannot cast ufunc
    'multiply' output from dtype('float64') to dtype('int64')` at `counts *= 1.5`.

    **Fix** `np.array(values) - 2.5`; `counts = counts * 1.5`.

    **Fix safety** Safe: the list holds nothing but numbers, the notebook has NumPy at hand, and lists have no such operation; whole numbers cannot hold
    the result. Unsafe where the array is one that something else holds (a row that a loop takes of a table, a part or another name of an array): in place it would have been changed there, too. Silent on lists of anything else, on `+` and on whole multiples, which lists have.
    """

    code = "NPA112"
    name = "list reckoned with"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "UFuncTypeError", "_UFuncOutputCastingError", "UFuncOutputCastingError"})
    applicability = Applicability.SAFE
    why = "Lists have no such operation, and whole numbers cannot hold the result."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if CAST.search(context.failure.evalue):
            for node in context.list_failing_nodes(ast.AugAssign):
                if (
                    isinstance(node.target, ast.Name)
                    and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div)
                    and not context.state.function.isidentifier()
                ):
                    sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(node.op)]
                    value = (
                        context.text(node.value)
                        if isinstance(node.value, ast.Name | ast.Constant | ast.Call)
                        else f"({context.text(node.value)})"
                    )
                    new = f"{node.target.id} = {node.target.id} {sign} {value}"
                    cause = f"`{node.target.id}` holds whole numbers, and the result is none."
                    shared = _is_shared(context, node)
                    yield self.patch(
                        context.replace_here((*context.span(node), new)),
                        f"Use `{new}`",
                        cause,
                        applicability=Applicability.UNSAFE if shared else Applicability.SAFE,
                        why=SHARED if shared else self.why,
                        prior=0.6 if shared else 0.9,
                    )
                return
        if not LIST.search(context.failure.evalue):
            return
        known = context.reference("numpy.array")
        if known is None or known.import_line:
            return
        for operation in context.list_failing_nodes(ast.BinOp):
            for side in (operation.left, operation.right):
                text = context.text(side)
                info = context.describe(side) if isinstance(side, ast.Name | ast.Attribute) else None
                if info is None or info.type != "list" or not info.length > 0:
                    continue
                if context.is_true(f"all(isinstance(_, (int, float)) and not isinstance(_, bool) for _ in {text})"):
                    new = f"{known.text}({text})"
                    cause = f"`{text}` is a list, which cannot be reckoned with number by number."
                    yield self.patch(context.replace_here((*context.span(side), new)), f"Use `{new}`", cause, prior=0.9)
                    return


def _is_shared(context: RuleContext, node: ast.AugAssign) -> bool:
    """Whether the array that is changed in place is a part of another one, or is held by another name or by something else."""
    name = context.text(node.target)
    taken = is_held_elsewhere(context.source, name, node.lineno)
    alike = f"type(_) is type({name}) and (_ if _.base is None else _.base) is ({name} if {name}.base is None else {name}.base)"
    return taken or not context.is_true(f"sum({alike} for _ in [*globals().values()]) == 1")
