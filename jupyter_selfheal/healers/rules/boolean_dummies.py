"""PDA124: dummy columns, which are truth values since pandas 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch


class BooleanDummies(Rule):
    """Have dummy columns of numbers, as they were.

    **Failure** `ValueError: Pandas data cast to numpy dtype of object`, `TypeError: numpy boolean subtract, the - operator, is not
    supported`, `AttributeError: 'float' object has no attribute 'shape'` at `np.corrcoef(df.values.T)`, below a call of `pd.get_dummies(…)`. Since pandas 2.0 its columns hold True and False.
    So where another value than the stored one is shown: `df.describe()` leaves truth values out.

    **Fix** `pd.get_dummies(…, dtype="uint8")`, in every such call that the failing cell's values come from. The cells that made
    them run again, from the first on.

    Where another number is written into them (`Invalid value '-1.0' for dtype 'bool'`), by which they became floats: `dtype=float`; `2` fits into `uint8`. Where they are subtracted: `dtype=int`, as of `uint8` 0 - 1 is 255.

    **Fix safety** Safe: `uint8` is what the columns were made of until pandas 2.0, and what is subtracted gives the same as whole numbers but where it wrapped, which nobody means. A call that names a dtype is left as it is.
    """

    code = "PDA124"
    name = "dummies of truth values"
    stage = Stage.LIBRARY
    enames = frozenset(
        {
            "AttributeError",
            "DataError",
            "TypeError",
            "UFuncNoLoopError",
            "UFuncTypeError",
            "ValueError",
            "_UFuncNoLoopError",
        }
    )
    message = re.compile(
        r"dtype of object|numpy boolean|\bbool(?:ean)?\b|isfinite|isnan|no numeric data|'float' object has no attribute 'shape'|could not convert(?! string to float: '(?!True'|False'))|Cannot cast ufunc|has no callable \w+ method"
    )
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    restores = "pandas 2.0"
    why = "Until pandas 2.0 this was the default (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "AttributeError" and any(n.attr == "shape" for n in context.walk(ast.Attribute)):
            return  # the cell asks for it, not NumPy of an array of objects
        written = re.search(r"^Invalid value '(-?[\d.]+)' for dtype 'bool'", context.failure.evalue)
        is_small = written is None or (written[1].isdecimal() and int(written[1]) < 256)
        dtype = '"uint8"' if is_small else "float"
        if re.search(r"boolean (?:subtract|negative)", context.failure.evalue):
            dtype = "int"

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            yield from ((splice, "") for splice in _find_dummies(source, statement, dtype))

        edits, _ = mend_above(context, find)
        if edits and (context.number(RELEASE) or 0) >= 2:
            yield self.patch(
                edits,
                f"Add `dtype={dtype}` to `get_dummies`",
                "Since pandas 2.0, dummy columns hold True and False instead of 1 and 0.",
                prior=0.95 if dtype == "float" else 0.86,
            )


def has_boolean_dummies(source: str) -> bool:
    """True where a text makes dummy columns without naming their dtype."""
    return "get_dummies" in source and any(
        True for s in src.list_statements(source) for _ in _find_dummies(source, s.node)
    )


def _find_dummies(source: str, statement: ast.stmt, dtype: str = '"uint8"') -> Iterator[Splice]:
    """The dtype for each call that names none."""
    for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
        if read_last_name(call.func) != "get_dummies" or isinstance(call.func, ast.Name):
            continue
        if not call.args and all(k.arg != "data" for k in call.keywords):
            continue
        if len(call.args) < 8 and all(k.arg not in ("dtype", None) for k in call.keywords):
            end = max(src.find_span(source, n)[1] for n in (*call.args, *call.keywords))
            yield end, end, f", dtype={dtype}"
