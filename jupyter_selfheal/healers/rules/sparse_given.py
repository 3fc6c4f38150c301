"""NPA130: a sparse matrix, where an array is taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"^Shape of passed values is \(\d+, 1\), indices imply|zero-dimensional arrays cannot be concatenated|must have same number of dimensions|"
    r"dimensions except for the concatenation axis must match|dense data is required|sparse (?:array|matrix) length is ambiguous|"
    r"Must pass 2-d input\. shape=\(\)|'(?:cs[rc]|coo|lil|dok|bsr|dia)_(?:matrix|array)' object has no attribute '(?P<attribute>\w+)'"
)
MOST = 20_000_000
"""Items of a whole array that fit beside everything else."""


class SparseGiven(Rule):
    """Make an array of a sparse matrix where an array is taken.

    **Failure** `ValueError: Shape of passed values is (2, 1), indices imply (2, 5)` at `pd.DataFrame(counts, columns=…)`, `Sparse data was passed for X, but dense
    data is required`, `zero-dimensional arrays cannot be concatenated` at `np.concatenate([counts, other])`, `'csr_matrix' object has no attribute 'tolist'`, of a sparse matrix.

    **Fix** `counts.toarray()` in the call; `counts.shape[0]` for `len(counts)`.

    **Fix safety** Safe: the array has the same values. Silent where it would have more than 20 million, and for what no array has.
    """

    code = "NPA130"
    name = "sparse matrix for an array"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "AttributeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The array has the same values, and only an array is taken here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        if told is not None and told["attribute"]:
            nodes: list[ast.expr] = [
                n.value for n in context.list_failing_nodes(ast.Attribute) if n.attr == told["attribute"]
            ]
            known = context.is_true(f"hasattr(__import__('numpy').ndarray, {told['attribute']!r})")
            yield from self._make_arrays(context, nodes[:1] if known else [])
            return
        for call in context.list_calls_at_failure():
            if context.text(call.func) == "len" and _is_sparse(context, call.args[0]):
                text = f"{context.operand(call.args[0])}.shape[0]"
                about = f"`{context.text(call.args[0])}` is sparse, and has no length."
                yield self.patch(context.replace_here((*context.span(call), text)), f"Use `{text}`", about, prior=0.93)
                return
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
