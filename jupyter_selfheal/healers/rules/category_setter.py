"""PDA107: categories assigned to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.model import Applicability, Patch


class CategorySetter(Rule):
    """Rename categories with ``rename_categories``.

    **Failure** `AttributeError: property 'categories' of 'Categorical' object has no setter` from
    `df["grade"].cat.categories = ["good", "bad"]`.

    **Fix** `df["grade"] = df["grade"].cat.rename_categories(["good", "bad"])`.

    **Fix safety** Safe: pandas' release notes name this method as what the assignment did. Silent for a name inside a function, whose caller's object would stay as it is.
    """

    code = "PDA107"
    name = "categories assigned to"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "`rename_categories` does what the setter did (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "categories" not in context.failure.evalue and "ordered" not in context.failure.evalue:
            return
        for node in ast.walk(context.tree):
            if (
                not isinstance(node, ast.Assign)
                or len(node.targets) != 1
                or not node.lineno <= context.line <= (node.end_lineno or 0)
            ):
                continue
            target = node.targets[0]
            if not isinstance(target, ast.Attribute) or target.attr != "categories":
                continue
            owner = target.value
            accessor = isinstance(owner, ast.Attribute) and owner.attr == "cat"
            column = owner.value if isinstance(owner, ast.Attribute) and accessor else owner
            live = context.describe_all([column])[0]
            if not live.is_a("pandas.Series", "pandas.Categorical", "pandas.CategoricalIndex"):
                continue
            if isinstance(column, ast.Name) and find_function(context.source, context.line) is not None:
                continue
            text = f"{context.text(column)} = {context.text(owner)}.rename_categories({context.text(node.value)})"
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(node), text)]),
                "Use `rename_categories`",
                "pandas no longer lets you assign to categories.",
                prior=0.92,
            )
            return
