"""PDA162: dates counted in nanoseconds, which are kept in another unit since pandas 3."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import list_statements_above, mend_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch

NANOSECONDS = 10**9
"""How many of them a second has: who divides by that counts nanoseconds."""

WHOLE = frozenset({"int", "'int64'", '"int64"', "np.int64", "numpy.int64", "'int'", '"int"', "'i8'", '"i8"'})
"""How the type is named that dates are counted in."""

KEPT = "getattr(({0}), 'dtype', None) is not None and ({0}).dtype.kind in {2!r} and '[ns' not in str(({0}).dtype) and type({0}).__name__ == {1!r}"
IN_NANOSECONDS = (
    ("Series", "mM", ".dt.as_unit('ns')"),
    ("DatetimeIndex", "M", ".as_unit('ns')"),
    ("TimedeltaIndex", "m", ".as_unit('ns')"),
    ("ndarray", "M", ".astype('datetime64[ns]')"),
    ("ndarray", "m", ".astype('timedelta64[ns]')"),
)
"""Type, kinds of its values, and what keeps them in nanoseconds."""


class SecondsOfDates(Rule):
    """Count the nanoseconds of dates that are kept in another unit.

    **Failure** `AssertionError`, or a value that is not the expected one, below `df["when"].astype("int64") // 10**9`. Since pandas 3.0 dates that are read
    of texts are kept in microseconds, and the seconds come out a thousand times too small; so does `pd.to_datetime(df["when"].astype("int64").mean())` in 1970.

    **Fix** `df["when"].dt.as_unit('ns').astype("int64") // 10**9`, in every such place that the failing cell's values come from. The cells that made them
    run again.

    **Fix safety** Safe: a second has 10**9 nanoseconds, `to_datetime` reads a number without a unit as nanoseconds, and the unit that is counted was nanoseconds until pandas 3.0. Silent where the dates are kept in
    nanoseconds, where another number is divided by, and where the unit is named.
    """

    code = "PDA162"
    name = "seconds of dates"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "ValueError", "KeyError", "IndexError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "Until pandas 3.0 dates were kept in nanoseconds, which is what is divided by (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        read_back = {name for *_, statement in list_statements_above(context) for name in _list_read_back(statement)}

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for dates in _list_counted(source, statement, read_back):
                text = src.extract_text(source, dates)
                unit = next((u for *of, u in IN_NANOSECONDS if context.is_true(KEPT.format(text, *of))), "")
                if unit:
                    end = src.find_span(source, dates)[1]
                    yield (end, end, unit), f"{text}{unit}"

        edits, shown = mend_above(context, find)
        if edits and (context.number(RELEASE) or 0) >= 3:
            cause = "Since pandas 3.0 these dates are kept in another unit than nanoseconds, which the cell counts."
            yield self.patch(edits, f"Count nanoseconds: `{shown}`", cause, prior=0.93)


def _list_counted(source: str, statement: ast.stmt, read_back: Collection[str]) -> Iterator[ast.expr]:
    """The dates of ``dates.astype("int64") // 10**9``, of ``/ 1e9``, of ``* 1e-9``, and of ``pd.to_datetime(dates.astype("int64"))``, also
    where the numbers have one of the names that are ``read_back`` so."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Div | ast.Mult):
            divisor = 1 / NANOSECONDS if isinstance(node.op, ast.Mult) else NANOSECONDS
            counted = [node.left] if _read_number(node.right) == divisor else []
        elif isinstance(node, ast.Call):
            counted = [_strip_mean(node.args[0])] if _reads_nanoseconds(node) else []
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            counted = [node.value] if node.targets[0].id in read_back else []
        else:
            continue
        yield from (dates for number in counted for dates in _find_dates(source, number))


def _find_dates(source: str, counted: ast.expr) -> Iterator[ast.expr]:
    if not isinstance(counted, ast.Call) or not isinstance(counted.func, ast.Attribute) or len(counted.args) != 1:
        return
    if read_last_name(counted.func) in ("astype", "view") and src.extract_text(source, counted.args[0]) in WHOLE:
        dates = counted.func.value
        if not isinstance(dates, ast.Call) or read_last_name(dates.func) not in ("as_unit", "astype"):
            yield dates


def _list_read_back(statement: ast.stmt) -> Iterator[str]:
    """Names of the numbers that are read as dates in nanoseconds."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and _reads_nanoseconds(node):
            number = _strip_mean(node.args[0])
            yield from [number.id] if isinstance(number, ast.Name) else []


def _reads_nanoseconds(call: ast.Call) -> bool:
    """True for a call that reads a number as a date, and is told no unit."""
    named = read_last_name(call.func) in ("to_datetime", "Timestamp", "DatetimeIndex", "to_timedelta", "Timedelta")
    return named and len(call.args) == 1 and not call.keywords


def _strip_mean(number: ast.expr) -> ast.expr:
    """What a mean, or another value among them, is taken of."""
    match number:
        case ast.Call(ast.Attribute(value, "mean" | "median" | "min" | "max")):
            return value
    return number


def _read_number(node: ast.expr) -> float | None:
    """The value of ``10**9``, ``1e9`` and ``1_000_000_000``; None for anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, exponent = _read_number(node.left), _read_number(node.right)
        return base**exponent if base == 10 and exponent is not None and abs(exponent) <= 9 else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else None
