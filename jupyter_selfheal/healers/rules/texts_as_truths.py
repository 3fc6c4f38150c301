"""PDA167: texts of truth values that are made truth values by whether they are empty."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_alike
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.model import Applicability, Patch

PAIRS = (("True", "False"), ("true", "false"), ("TRUE", "FALSE"), ("yes", "no"), ("Yes", "No"), ("Y", "N"), ("y", "n"))


class TextsAsTruths(Rule):
    """Compare texts with the one that is true.

    **Failure** `AssertionError`, or another result than the expected one, where the values come from `df["ok"].astype(bool)` and the column holds the texts `True` and `False`,
    or `yes` and `no`: every text that is not empty is true.

    **Fix** `(df["ok"] == "True")`, also in cells above; `df[df["ok"] == "yes"]` for `df[df["ok"]]`, which asks for columns of these names. The cells that made the values run again.

    **Fix safety** Safe: every text of the column is one of the two, and none is missing. Silent for any other text.
    """

    code = "PDA167"
    name = "texts as truth values"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "KeyError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "Every text of the column is one of the two, and `bool` takes both for true."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "KeyError":
            yield from self._compare_mask(context)
            return

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
                column = _read_cast(call)
                if column is None:
                    continue
                text = src.extract_text(source, column)
                for true, false in PAIRS:
                    if context.is_true(f"{{*({text})}} == {{{true!r}, {false!r}}}"):
                        new = f"({text} == {quote_alike(true, source)})"
                        yield (*src.find_span(source, call), new), new

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits,
                f"Compare the texts: `{shown}`",
                "Every text that is not empty is true for `bool`, `False` and `no` too.",
                prior=0.92,
            )

    def _compare_mask(self, context: RuleContext) -> Iterator[Patch]:
        """``df[df["ok"] == "yes"]`` for ``df[df["ok"]]``, of a column of these texts."""
        for node in context.list_failing_nodes(ast.Subscript):
            column = node.slice
            text = context.read_plain_chain(column) if isinstance(column, ast.Subscript | ast.Attribute) else None
            if not text or not context.describe_all([text])[0].is_a("pandas.Series"):
                continue
            for true, false in PAIRS:
                is_mask = context.is_true(f"{{*{text}}} == {{{true!r}, {false!r}}}")
                if is_mask and context.is_true(f"({context.text(node.value)}).index.equals({text}.index)"):
                    new = f"{text} == {quote_alike(true, context.source)}"
                    yield self.patch(
                        context.replace_here((*context.span(column), new)),
                        f"Compare the texts: `{new}`",
                        f"`{text}` holds the texts {true!r} and {false!r}, and no truth values.",
                        why="Every text of the column is one of the two.",
                        prior=0.93,
                    )
                    return


def _read_cast(call: ast.Call) -> ast.Subscript | ast.Attribute | ast.Name | None:
    """The column of ``df["ok"].astype(bool)``, ``.astype("bool")``, ``.map(bool)`` and ``.apply(bool)``."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Subscript() | ast.Attribute() | ast.Name() as column, attr=how),
            args=[ast.Name(id="bool") | ast.Constant(value="bool")],
            keywords=[],
        ) if how in ("astype", "map", "apply"):
            return column
    return None
