"""TEN104: a layer that was made for another number of features or channels than it is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

FEATURES = re.compile(
    r"mat1 and mat2 shapes cannot be multiplied \((?:\d+)x(?P<given>\d+) and (?P<taken>\d+)x(?P<made>\d+)\)"
)
CHANNELS = re.compile(
    r"weight of size \[(?P<made>\d+), \d+[^]]*\], expected input\[(?P<shape>[\d, ]+)\] to have (?P<taken>\d+) channels, but got (?P<given>\d+)"
)


class LayerSize(Rule):
    """Make the layer for as many features or channels as it is given.

    **Failure** `RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x20 and 16x3)`, `Given groups=1, weight of size [8, 3, 3, 3], expected
    input[4, 1, 28, 28] to have 3 channels, but got 1 channels instead`.

    **Fix** `nn.Linear(16, 3)` becomes `nn.Linear(20, 3)`, `nn.Conv2d(3, 8, 3)` becomes `nn.Conv2d(1, 8, 3)`, where one layer of the notebook has these
    sizes; pictures whose channels come last are permuted.

    **Fix safety** Unsafe: the layer before it could be the one that has the wrong size.
    """

    code = "TEN104"
    name = "size of a layer"
    stage = Stage.LIBRARY
    enames = frozenset({"RuntimeError"})
    message = re.compile(
        r"mat1 and mat2 shapes cannot be multiplied|expected input\[[\d, ]+\] to have \d+ channels, but got"
    )
    applicability = Applicability.UNSAFE
    why = "The layer before it could have the wrong size instead."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        told = FEATURES.search(message) or CHANNELS.search(message)
        if told is None:
            return
        if told.re is CHANNELS:
            yield from self._permute(context, told)
        names = ("Linear", "LazyLinear") if told.re is FEATURES else ("Conv1d", "Conv2d", "Conv3d")
        keyword = "in_features" if told.re is FEATURES else "in_channels"
        layers = [
            (cell_id, call, size)
            for cell_id in context.list_cells_upwards(context.failure.cell_id)
            for call in context.view_cell(cell_id).walk(ast.Call)
            if read_last_name(call.func) in names
            and (size := _find_first(call, keyword)) is not None
            and _is_number(size, told["taken"])
            and _is_second(call, told["made"])
        ]
        if len(layers) != 1:
            return
        cell_id, call, size = layers[0]
        view = context.view_cell(cell_id)
        edits = change_and_replay(context, {cell_id: [(*view.span(size), told["given"])]})
        if edits:
            yield self.patch(
                edits,
                f"Make `{view.text(call.func)}` for {told['given']} {keyword[3:]}",
                f"The layer is given {told['given']}, and was made for {told['taken']}.",
                prior=0.85,
            )

    def _permute(self, context: RuleContext, told: re.Match[str]) -> Iterator[Patch]:
        """Pictures as NumPy and plots have them: the channels last."""
        shape = [int(n) for n in told["shape"].split(",")]
        if len(shape) not in (3, 4) or shape[-1] != int(told["taken"]):
            return
        for call in context.list_calls_at_failure()[:2]:
            if len(call.args) != 1:
                continue
            ndim = context.describe_all(call.args)[0].ndim
            order = {3: "2, 0, 1", 4: "0, 3, 1, 2"}.get(ndim)
            if order is None:
                continue
            text = f"{context.operand(call.args[0])}.permute({order})"
            yield self.patch(
                context.replace_here((*context.span(call.args[0]), text)),
                f"Put the channels first: `{text}`",
                "The layer takes the channels before the rows and columns.",
                prior=0.88,
            )
            return


def _find_first(call: ast.Call, keyword: str) -> ast.expr | None:
    named = find_keyword(call, keyword)
    return named.value if named is not None else call.args[0] if call.args else None


def _is_number(node: ast.expr, number: str) -> bool:
    """Whether a number, or a product of numbers (``4 * 12 * 12``), is that one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
        parts = [n for n in ast.walk(node) if not isinstance(n, ast.BinOp | ast.operator)]
        plain = all(isinstance(n, ast.Constant) and isinstance(n.value, int) for n in parts)
        return plain and str(eval(compile(ast.Expression(node), "<size>", "eval"), {"__builtins__": {}})) == number
    return isinstance(node, ast.Constant) and str(node.value) == number


def _is_second(call: ast.Call, number: str) -> bool:
    """Whether what the layer gives has that size, as far as that is written as a number."""
    second = (
        call.args[1]
        if len(call.args) > 1
        else next((k.value for k in call.keywords if k.arg in ("out_features", "out_channels")), None)
    )
    return not isinstance(second, ast.Constant) or _is_number(second, number)
