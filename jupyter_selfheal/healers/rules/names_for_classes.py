"""SKL126: a column of the names of classes, where the name of each row's class is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class NamesForClasses(Rule):
    """Take the name of each row's class.

    **Failure** `ValueError: Length of values (3) does not match length of index (150)` at `df["species"] = iris.target_names`.

    **Fix** `df["species"] = iris.target_names[iris.target]`.

    **Fix safety** Safe: the data set has a name for each class and a class for each row of the table, so that each row can only get the name of its class. Silent
    where the table has not as many rows as the data set.
    """

    code = "SKL126"
    name = "names of classes for those of rows"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"Length of values \(\d+\) does not match length of index \((\d+)\)")
    applicability = Applicability.SAFE
    why = "The data set has one class for each row, and one name for each class."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = self.message.search(context.failure.evalue) if self.message else None
        for node in context.list_nodes_on_line(ast.Assign):
            value = node.value if isinstance(node, ast.Assign) else None
            if match is None or not isinstance(value, ast.Attribute) or value.attr != "target_names":
                continue
            owner = context.read_plain_chain(value.value)
            rows = f"len({owner}.target) == {match[1]}"
            if owner is None or not context.is_true(f"{rows} and max({owner}.target) < len({owner}.target_names)"):
                return
            end = context.span(value)[1]
            text = f"{owner}.target_names[{owner}.target]"
            yield self.patch(
                context.replace_here((end, end, f"[{owner}.target]")),
                f"Use `{text}`",
                "These are the names of the classes, not that of each row's class.",
                prior=0.95,
            )
            return
