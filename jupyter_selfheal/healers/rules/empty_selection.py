"""KEY120: a comparison above that holds for no row, because the values are written otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_plain_chain
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.context.spelling import find_meant, normalize
from jupyter_selfheal.model import Applicability, Patch

EMPTY = re.compile(
    r"n_samples=0|with 0 (?:sample|feature)|zero-size array|empty (?:sequence|axes|range|data|array|list|bin)|argument is empty|arg is an empty|axis 0 with size 0|"
    r"indexer is out-of-bounds|no numeric data to plot|array of size 0|[Nn]o objects to concatenate|at least one (?:array|data point|sample)|list index out of range|"
    r"is empty|division by zero"
)
"""What is said of what holds nothing."""


class EmptySelection(Rule):
    """Compare a column with a value that it has, where the comparison holds for no row and what comes of it is empty.

    **Failure** `ValueError: With n_samples=0, … the resulting train set will be empty` below `august = df[df["month"] == "8"]`, where the months are numbers; `zero-size array to
    reduction operation`, `single positional indexer is out-of-bounds`, `Found array with 0 sample(s)` below `df[df["town"] == "ulm"]`, where the towns are written `Ulm`.

    **Fix** `df["month"] == 8`; `df["town"] == "Ulm"`. The cells that made the selection run again.

    **Fix safety** Safe where the column has the same number as a number, or as a text, and where one of its texts alone differs in case, blanks and punctuation only. Unsafe where one is near
    by a slip, and for units and codes of two letters, of which one is written large and one small (`MW`, `mW`). Silent where the comparison holds for some rows, and where nothing near is there.
    """

    code = "KEY120"
    name = "selection that is empty"
    enames = frozenset({"ValueError", "IndexError", "ZeroDivisionError", "TypeError"})
    message = EMPTY
    applicability = Applicability.SAFE
    why = "The comparison holds for no row, and the column has that value in one other spelling."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        sure, asked = [True], dict[str, str]()

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for node in ast.walk(statement):
                match node:
                    case ast.Compare(left, [ast.Eq()], [ast.Constant(str() | int() | float() as value) as constant]):
                        column = read_plain_chain(left, source)
                        text = src.extract_text(source, constant)
                        if column is None or isinstance(value, bool):
                            continue
                        question = f"{column} == {text}"
                        if question not in asked:
                            asked[question], slip = _find_other(context, column, value, text)
                            sure[0] = sure[0] and not slip
                        if asked[question]:
                            yield (*src.find_span(source, constant), asked[question]), question

        edits, shown = mend_above(context, find)
        if edits:
            new = asked[shown]
            yield self.patch(
                edits,
                f"Compare with `{new}`",
                f"`{shown}` holds for no row: the value that is there is `{new}`.",
                applicability=Applicability.SAFE if sure[0] else Applicability.UNSAFE,
                why=self.why if sure[0] else "The value is near, but may have been meant as another.",
                prior=0.9 if sure[0] else 0.6,
            )


def _find_other(context: RuleContext, column: str, value: str | float, text: str) -> tuple[str, bool]:
    """How the column has the value, as Python writes it, and whether that is only near to it; empty where it has none, or the very value."""
    if not context.is_true(f"len({column}) > 0 and not ({column} == {text}).any() and hasattr({column}, 'unique')"):
        return "", False
    keys = context.keys(f"dict.fromkeys({column}.dropna().unique().tolist())", calls=True)
    values = keys.keys if keys is not None else ()
    if isinstance(value, str):
        written = value.strip()
        is_number = re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", written, re.ASCII) is not None
        if is_number and float(written) in [v for v in values if not isinstance(v, bool | str)]:
            return written, False
        texts = [v for v in values if isinstance(v, str)]
        same = [v for v in texts if normalize(v) == normalize(value)]
        near = same[0] if len(same) == 1 and normalize(value) else "" if same else find_meant(value, texts)
        mark = text[-1]
        return (f"{mark}{near}{mark}" if near and not set(near) & set("'\"\\\n") else ""), not same or _is_code(
            value, near
        )
    return (repr(repr(value)), False) if repr(value) in values else ("", False)


def _is_code(one: str, other: str) -> bool:
    """True for ``MW`` and ``mW``: capital and small letters mixed tell a unit from another one."""
    return (
        len(one) <= 3
        and one.casefold() == other.casefold()
        and any(w not in (w.upper(), w.lower(), w.title()) for w in (one, other))
    )
