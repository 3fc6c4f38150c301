"""TYP233: a percent sign at the end of a format."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

_FORMAT = re.compile(r"%[-+#0]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa]")
_BLANK = re.compile(r"(?<!%)(?:%%)*% ")
"""A sign before a blank: with the letter behind that it is a format, too, and may take what the last one was to write."""
_LONE = re.compile(r"(?<!%)(?:%%)*%$")


class PercentSign(Rule):
    """Double a percent sign that is to be written.

    **Failure** `ValueError: incomplete format` at `plt.pie(shares, autopct="%1.1f%")`, and at `"%d%" % share`.

    **Fix** `"%1.1f%%"`, `"%d%%"`.

    **Fix safety** Safe: a sign that ends a text begins no format, and has no other meaning. Silent where two such texts stand in the statement, where nothing else in it is a
    format, and where a sign stands before a blank (`5% done`).
    """

    code = "TYP233"
    name = "percent sign in a format"
    enames = frozenset({"ValueError"})
    message = re.compile(r"^incomplete format$")
    applicability = Applicability.SAFE
    why = "A percent sign at the end of a text begins no format."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        statement = context.failing_statement if context.cell_id == context.failure.cell_id else context.tree
        texts = [
            n
            for n in ast.walk(statement or context.tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and _LONE.search(n.value)
        ]
        spans = [context.span(n) for n in texts]
        text = str(texts[0].value) if len(texts) == 1 else ""
        if not _FORMAT.search(text) or _BLANK.search(text):
            return
        if not re.fullmatch(r"(['\"])[^'\"\\\n]*%\1", context.source[slice(*spans[0])]):
            return
        at = spans[0][1] - 1
        yield self.patch(
            context.replace_here((at, at, "%")),
            f"Write the percent sign twice: `{context.source[spans[0][0] : at]}%{context.source[at]}`",
            "In a format `%%` is a percent sign.",
            prior=0.93,
        )
