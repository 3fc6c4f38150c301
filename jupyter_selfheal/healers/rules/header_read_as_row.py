"""FIL109: the heading of a file that is read as its first row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"(?:could not convert string to float|invalid literal for int\(\) with base 10): ['\"]([^'\"]*)['\"]"
)

MISSING = re.compile(r"\W+|n/?a|nan|none|null|nil|missing|unknown|tba|tbd|x+", re.IGNORECASE)
"""What stands in the place of a value that is missing: such a line is data."""


class HeaderReadAsRow(Rule):
    """Leave out the heading of a file before its rows are read as numbers.

    **Failure** `ValueError: could not convert string to float: 'price'` at `total += float(row[1])` in `for row in reader:`, where the reader of `csv` has given its
    first line alone.

    **Fix** `next(reader)` above the loop.

    **Fix safety** Safe: the first line holds nothing but words, where a number is wanted. Silent where it holds a number or a sign of a missing value, and where
    a later line failed.
    """

    code = "FIL109"
    name = "heading read as a row"
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "It is the first line that failed, and it holds a word where the others hold numbers."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if match is None or not match[1].strip() or re.search(r"\d", match[1]) or MISSING.fullmatch(match[1].strip()):
            return
        parents = src.read(context.source).parents
        for node in context.list_nodes_on_line(ast.stmt):
            loop: ast.AST | None = node
            while loop is not None and not isinstance(loop, ast.For):
                loop = parents.get(loop)
            if loop is None or not isinstance(loop.iter, ast.Name) or _holds_number(context, loop.target):
                continue
            reader = loop.iter.id
            live = context.describe(reader)
            if live is None or not live.is_a("_csv.reader") or not context.is_true(f"{reader}.line_num == 1"):
                continue
            start = context.span(loop)[0]
            yield self.patch(
                context.replace(context.cell_id, [(start, start, f"next({reader})\n{' ' * loop.col_offset}")]),
                f"Leave out the heading: `next({reader})`",
                f"The first line of the file is its heading: {match[1]!r} is no number.",
                prior=0.9,
            )
            return


def _holds_number(context: RuleContext, row: ast.expr) -> bool:
    """True where a part of the line that failed begins as a number, a day or an amount does, and none of a heading."""
    begins = "isinstance(t, str) and t.strip().lstrip('+-$€£')[:1].isdigit()"
    return context.is_true(f"any({begins} for t in [*{context.text(row)}])")
