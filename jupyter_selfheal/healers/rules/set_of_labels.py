"""PDA150: a set of labels, where pandas wants them in an order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Passing a set as an indexer|(?P<made>(?:columns|index) cannot be a set|[Ss]et type is unordered)"
)


class SetOfLabels(Rule):
    """Give pandas a list of labels where it no longer takes a set.

    **Failure** `TypeError: Passing a set as an indexer is not supported. Use a list instead` at `df[{"a", "b"}]`, `ValueError: columns cannot be a
    set` at `pd.DataFrame(rows, columns={"a"})`.

    **Fix** The braces of a set that is written there become brackets; a set by name becomes `list(names)`.

    **Fix safety** Safe where labels are looked up by a set that is written there, in its order: pandas took any order. Unsafe for the names of a new
    table's several columns, of which the order says which is which, and for a set by name or of what a name holds (`{*names}`).
    """

    code = "PDA150"
    name = "set of labels"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = (
        "Until pandas 2.0 a set was taken as well, in any order (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        for node in context.list_failing_nodes(ast.Subscript, ast.Call):
            asked = _list_labels(node)
            labels = next((n for n in asked if isinstance(n, ast.Set)), None) or next(
                (n for n in asked if isinstance(n, ast.Name) and context.describe_all([n])[0].type == "set"), None
            )
            if labels is None:
                continue
            start, end = context.span(labels)
            written = isinstance(labels, ast.Set)
            ordered = (
                isinstance(labels, ast.Set)
                and (len(labels.elts) == 1 or not (match and match["made"]))
                and not any(isinstance(e, ast.Starred) for e in labels.elts)
            )
            yield self.patch(
                context.replace_here((start, start + 1, "["), (end - 1, end, "]"))
                if written
                else context.replace_here((start, end, f"list({context.text(labels)})")),
                "Give the labels as a list",
                "pandas takes labels in an order, and a set has none.",
                applicability=Applicability.SAFE if ordered else Applicability.UNSAFE,
                why=self.why if ordered else "A set has no order, and the order of the labels may matter.",
                prior=0.9 if ordered else 0.6,
            )
            return


def _list_labels(node: ast.AST) -> list[ast.expr]:
    """Where labels may stand: the keys of a subscript, and what a call is given."""
    if isinstance(node, ast.Subscript):
        return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
