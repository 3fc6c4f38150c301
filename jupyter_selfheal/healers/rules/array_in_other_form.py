"""NPA130: a sparse matrix where an array is taken, and an array of one row or column where values are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"^Shape of passed values is \(\d+, 1\), indices imply|zero-dimensional arrays cannot be concatenated|must have same number of dimensions|"
    r"dimensions except for the concatenation axis must match|dense data is required|sparse (?:array|matrix) length is ambiguous|"
    r"Must pass 2-d input\. shape=\(\)|'(?:cs[rc]|coo|lil|dok|bsr|dia)_(?:matrix|array)' object has no attribute '(?P<attribute>\w+)'|"
    r"(?P<flat>^Length of values \(1\) does not match|Per-column arrays must each be 1-dim|Data must be 1-dimensional, got ndarray of shape \((?:\d+, 1|1, \d+)\))"
)
MOST = 20_000_000
"""Items of a whole array that fit beside everything else."""
OF_ITSELF = frozenset({"base", "byteswap", "ctypes", "data", "fill", "flags", "flat", "itemset", "itemsize", "nbytes", "partition", "put", "setfield", "setflags", "sort", "strides"})  # fmt: skip
"""What changes an array in place, or tells how it is held: of another array it is lost, or something else."""


class ArrayInOtherForm(Rule):
    """Make an array of a sparse matrix, and a row of an array that has one.

    **Failure** `ValueError: Shape of passed values is (2, 1), indices imply (2, 5)` at `pd.DataFrame(counts, columns=…)`, `dense data is required`, `'csr_matrix' object has
    no attribute 'tolist'`, of a sparse matrix; `Length of values (1) does not match length of index (4)` at `pd.Series(model.coef_, index=X.columns)`.

    **Fix** `counts.toarray()` in the call; `counts.shape[0]` for `len(counts)`; `model.coef_[0]`, or `[:, 0]` of one column.

    **Fix safety** Safe: the array has the same values, and no other row or column. Silent where it would have more than 20 million, for what no array has, and for what changes it in place (`fill`) or tells of its memory (`nbytes`).
    """

    code = "NPA130"
    name = "array in another form"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "AttributeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "It has the same values in the form that is taken here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        if told is not None and told["attribute"]:
            nodes: list[ast.expr] = [
                n.value for n in context.list_failing_nodes(ast.Attribute) if n.attr == told["attribute"]
            ]
            known = context.is_true(f"hasattr(__import__('numpy').ndarray, {told['attribute']!r})")
            is_meant = known and told["attribute"] not in OF_ITSELF
            yield from self._make_arrays(context, [n for n in nodes[:1] if is_meant and _is_sparse(context, n)])
            return
        for call in context.list_calls_at_failure():
            if context.text(call.func) == "len" and _is_sparse(context, call.args[0]):
                text = f"{context.operand(call.args[0])}.shape[0]"
                about = f"`{context.text(call.args[0])}` is sparse, and has no length."
                yield self.patch(context.replace_here((*context.span(call), text)), f"Use `{text}`", about, prior=0.93)
                return
            if told is not None and told["flat"]:
                if read_last_name(call.func) not in ("DataFrame", "Series"):
                    continue  # what is reckoned of one row would stand in all
                data = [v for a in call.args for v in (a.values if isinstance(a, ast.Dict) else [a])]
                ways = {n: way for n in data if (way := _find_way(context, n))}
                ends = [(context.span(n)[1], context.span(n)[1], way) for n, way in ways.items()]
                shown = [f"{context.text(n)}{way}" for n, way in ways.items()]
                if shown:
                    about = "It has two dimensions, and a column has one."
                    yield self.patch(context.replace_here(*ends), f"Take `{shown[0]}`", about, prior=0.92)
                    return
                continue
            given = [*call.args, *(k.value for k in call.keywords)]
            parts = [e for g in given for e in (g.elts if isinstance(g, ast.List | ast.Tuple) else [g])]
            if made := list(self._make_arrays(context, [p for p in parts if _is_sparse(context, p)])):
                yield from made
                return

    def _make_arrays(self, context: RuleContext, nodes: list[ast.expr]) -> Iterator[Patch]:
        if nodes:
            yield self.patch(
                context.replace_here(*((*context.span(n), f"{context.operand(n)}.toarray()") for n in nodes)),
                f"Make an array of it: `{context.operand(nodes[0])}.toarray()`",
                f"`{context.text(nodes[0])}` is a sparse matrix, and an array is taken here.",
                prior=0.93,
            )


def _is_sparse(context: RuleContext, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant | ast.Starred | ast.Lambda):
        return False
    text = context.operand(node)
    return context.is_true(
        f"hasattr({text}, 'toarray') and {text}.ndim == 2 and {text}.shape[0] * {text}.shape[1] <= {MOST}"
    )


def _find_way(context: RuleContext, array: ast.expr) -> str:
    """What takes the one row, or the one column, of an array."""
    if not isinstance(array, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        return ""
    text = context.operand(array)
    tests = [
        f"type({text}).__name__ == 'ndarray' and {text}.ndim == 2 and {text}.shape[{n}] == 1 < {text}.shape[{1 - n}]"
        for n in (0, 1)
    ]
    return "[0]" if context.is_true(tests[0]) else "[:, 0]" if context.is_true(tests[1]) else ""
