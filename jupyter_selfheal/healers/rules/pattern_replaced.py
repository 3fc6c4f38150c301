"""PDA127: a regular expression that `str.replace` takes for plain text since pandas 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Failure, FailureKind, Patch

SIGNS = re.compile(r"[\\^$.|?*+()\[\]{}]")
"""What makes a regular expression of a text; a single character was always taken as it is."""


UNREAD = re.compile(r"[Cc]ould not convert|invalid literal for|[Uu]nable to parse|cannot convert|Invalid value")
NO_COLUMN = re.compile(r"^KeyError: |^AttributeError: 'DataFrame' object has no attribute|not in index|Column\(s\)")
"""What is said of a column that is not there by that name."""


class PatternReplaced(Rule):
    """Have `str.replace` read a pattern as a regular expression again.

    **Failure** `ValueError: could not convert string to float: '$1,200'`, where the text comes from `df["price"].str.replace("[$,]", "")`,
    maybe cells above: since pandas 2.0 the pattern is plain text, and nothing is replaced. `KeyError: 'home_town'`, where the columns' own names were
    to be changed so: `df.columns = df.columns.str.replace(r"\\W+", "_")`.

    **Fix** `regex=True`, in every such call that the failing cell's values come from. The cells that made them run again.

    **Fix safety** Safe: it was the default until pandas 2.0. Silent for plain texts, single characters, and calls that give `regex`.
    """

    code = "PDA127"
    name = "pattern that is taken for plain text"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "KeyError", "AttributeError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    restores = "pandas 2.0"
    why = "Until pandas 2.0 a pattern was a regular expression by default (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and (
            failure.kind is FailureKind.MISSED
            or UNREAD.search(failure.evalue) is not None
            or NO_COLUMN.search(failure.headline) is not None
        )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        calls: list[ast.Call] = []

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and _takes_pattern(node):
                    calls.append(node)
                    yield append_argument(source, node, "regex=True"), src.extract_text(source, node.args[0])

        edits, shown = mend_above(context, find)
        if NO_COLUMN.search(context.failure.headline) and not any(map(_is_of_columns, calls)):
            return
        if edits and (context.number(RELEASE) or 0) >= 2:
            cause = "Since pandas 2.0, `str.replace` takes a pattern for plain text, and finds it nowhere."
            yield self.patch(edits, f"Add `regex=True` where {shown} is replaced", cause, prior=0.92)


def has_patterns(source: str) -> bool:
    """True where a text replaces a pattern so, of whatever."""
    return ".str.replace" in source and any(isinstance(n, ast.Call) and _takes_pattern(n) for n in src.walk(source))


def _is_of_columns(call: ast.Call) -> bool:
    """True for ``df.columns.str.replace(…)``, whatever stands between."""
    return any(isinstance(n, ast.Attribute) and n.attr == "columns" for n in ast.walk(call.func))


def _takes_pattern(call: ast.Call) -> bool:
    """True for ``x.str.replace("[$,]", "")``."""
    func = call.func
    is_replace = isinstance(func, ast.Attribute) and func.attr == "replace"
    if not (
        isinstance(func, ast.Attribute)
        and is_replace
        and isinstance(func.value, ast.Attribute)
        and func.value.attr == "str"
    ):
        return False
    pattern = call.args[0] if call.args else None
    if not (isinstance(pattern, ast.Constant) and isinstance(pattern.value, str)) or any(
        k.arg == "regex" for k in call.keywords
    ):
        return False
    return len(pattern.value) > 1 and len(call.args) <= 2 and SIGNS.search(pattern.value) is not None
