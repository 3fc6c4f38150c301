"""KEY119: a list of labels of which some are not there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class MissingLabels(Rule):
    """Ask for labels that may be missing with `reindex`.

    **Failure** `KeyError: "['z'] not in index"` at `s.loc[["a", "z"]]`, `s[["a", "z"]]`, `df.loc[rows]`, `df.loc[:, columns]`, where at least one of the labels is there.

    **Fix** `s.reindex(["a", "z"])`, `df.reindex(rows)`, `df.reindex(columns=columns)`, as pandas' user guide says: until pandas 1.0 these forms gave just that, with a warning.

    **Fix safety** Unsafe: the missing rows come as NaN, and whether the label is missing data or misspelt stands nowhere. Silent where none of the labels is there and for
    `df[["x", "z"]]`, which raised in every release, where labels are repeated, for what is written to, and where rows and columns are both chosen.
    """

    code = "KEY119"
    name = "labels that may be missing"
    stage = Stage.CHANGELOG
    enames = frozenset({"KeyError"})
    message = re.compile(r"\] not in index")
    applicability = Applicability.UNSAFE
    why = "Until pandas 1.0 a missing label gave NaN (https://pandas.pydata.org/docs/user_guide/indexing.html); it may be misspelt."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            if not isinstance(node.ctx, ast.Load):
                continue
            owner, labels, axis = _read_lookup(node)
            if any(isinstance(n, ast.Call) for n in (*ast.walk(owner), *ast.walk(labels))):
                continue  # asked twice, it may answer otherwise
            table, wanted = context.text(owner), context.text(labels)
            live, held = context.describe(owner), f"{table}.{axis}"
            kinds = ("pandas.Series",) if owner is node.value else ("pandas.Series", "pandas.DataFrame")
            some = f"0 < sum(label in {held} for label in {wanted}) < len({wanted})"
            if live is None or not live.is_a(*kinds):
                continue
            if not context.is_true(f"{held}.is_unique and {held}.nlevels == 1 and {some}"):
                continue
            new = f"{context.operand(owner)}.reindex({'columns=' if axis == 'columns' else ''}{wanted})"
            yield self.patch(
                context.replace_here((*context.span(node), new)),
                f"Change `{context.text(node)}` to `{new}`",
                f"Not all of the labels are in `{held}`, and pandas 1.0 and later raise for that.",
                prior=0.45,
            )
            return


def _read_lookup(node: ast.Subscript) -> tuple[ast.expr, ast.expr, str]:
    """What is asked, for which labels, on which axis: ``s[labels]``, ``df.loc[labels]``, ``df.loc[:, labels]``."""
    if not (isinstance(node.value, ast.Attribute) and node.value.attr == "loc"):
        return node.value, node.slice, "index"
    match node.slice:
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), labels]):
            return node.value.value, labels, "columns"
        case ast.Tuple(elts=[labels, ast.Slice(lower=None, upper=None, step=None)]):
            return node.value.value, labels, "index"
    return node.value.value, node.slice, "index"
