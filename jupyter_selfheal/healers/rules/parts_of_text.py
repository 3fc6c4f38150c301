"""PDA141: the parts of a column's texts, taken out of `.str` at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class PartsOfText(Rule):
    """Take the parts of split texts out of `.str` one by one.

    **Failure** `TypeError: 'StringMethods' object is not iterable` at `df["a"], df["b"] = df["ab"].str.split("-", n=1).str`.

    **Fix** `… = [df["ab"].str.split("-", n=1).str[i] for i in range(2)]`.

    **Fix safety** Safe: this is what going through `.str` gave until pandas 2.0. Silent where it is not unpacked into a known number of names.
    """

    code = "PDA141"
    name = "texts' parts unpacked"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "Until pandas 2.0, going through `.str` gave these (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        node = context.failing_statement
        if "'StringMethods' object is not iterable" not in context.failure.evalue or not isinstance(node, ast.Assign):
            return
        target, value = node.targets[-1], node.value
        if not isinstance(target, ast.Tuple | ast.List) or any(isinstance(t, ast.Starred) for t in target.elts):
            return
        if (
            not isinstance(value, ast.Attribute)
            or value.attr != "str"
            or "i" in {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        ):
            return
        text = f"[{context.text(value)}[i] for i in range({len(target.elts)})]"
        yield self.patch(
            context.replace_here((*context.span(value), text)),
            f"Take the {len(target.elts)} parts out one by one",
            "`.str` can no longer be gone through; its items are the parts.",
            prior=0.92,
        )
