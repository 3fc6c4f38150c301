"""PDA137: periods of time asked of a table whose dates are in a column, or are texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import find_line_span, quote_alike
from jupyter_selfheal.healers.rules.context.value_types import DAY_FIRST, ISO, reads_otherwise_day_first
from jupyter_selfheal.model import Applicability, Patch


class TimeColumn(Rule):
    """Name the column of dates to `resample` and `Grouper`.

    **Failure** `TypeError: Only valid with DatetimeIndex, TimedeltaIndex or PeriodIndex, but got an instance of 'RangeIndex'` at
    `df.resample("ME")`, also where the dates are texts; `ValueError: window must be an integer 0 or greater` at `df.rolling("7D")`.

    **Fix** `df.resample("ME", on="day")`; `df.groupby(pd.Grouper(freq="ME", key="day"))`. Of texts, `df.index = pd.to_datetime(df.index)` above the statement,
    or the same for the column that `on=` names, and for the only column of ISO dates where none is named.

    **Fix safety** Safe: the table has one column of dates, and its index counts rows, or every text is an ISO date. Unsafe for dates in another form
    that pandas reads, whose day and month may be exchanged. Silent where there are two columns of dates, or none, and where a text is no date.
    """

    code = "PDA137"
    name = "column of dates"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = re.compile(
        r"Only valid with DatetimeIndex|window must be an integer|compatible with a datetimelike index"
    )
    applicability = Applicability.SAFE
    why = "The table has one column of dates, and its index holds none."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        yield from self._read_dates(context)
        if not context.failure.evalue.startswith("Only valid"):
            return
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("resample", "groupby"):
                continue
            table = context.text(call.func.value)
            if not context.describe_all([table], calls=True)[0].is_a("pandas.DataFrame"):
                continue
            how, word = (call, "on") if call.func.attr == "resample" else (_find_grouper(call), "key")
            if how is None or any(k.arg in ("on", "key", "level") for k in how.keywords):
                return
            keys = context.keys(table)
            dates = [
                c for c in (keys.columns if keys is not None else ())
                if isinstance(c, str) and context.is_true(f"str(({table})[{c!r}].dtype).startswith('datetime64')")
            ]  # fmt: skip
            if not dates and word == "on":
                yield from self._make_dates(context, call, table, keys.columns if keys is not None else ())
            if len(dates) != 1:
                return
            end = context.span(how)[1] - 1
            new = f'{", " if how.args or how.keywords else ""}{word}="{dates[0]}"'
            yield self.patch(
                context.replace_here((end, end, new)),
                f'Name the column of dates: `{word}="{dates[0]}"`',
                f"The index of `{table}` holds no dates; `{dates[0]}` does.",
                prior=0.93,
            )
            return

    def _make_dates(
        self, context: RuleContext, call: ast.Call, table: str, columns: tuple[object, ...]
    ) -> Iterator[Patch]:
        """``resample`` of a table whose rows are counted and which has one column of dates that are texts."""
        known = context.reference("pandas.to_datetime")
        texts = [c for c in columns if isinstance(c, str) and context.is_true(_test_days(table, c))]
        at, indent = _find_statement(context, call)
        others = [c for c in columns if c not in texts and context.is_true(_test_other_days(table, c))]
        if known is None or len(texts) != 1 or others or indent.strip() or not table.isidentifier():
            return
        place = f"{table}[{quote_alike(texts[0], context.source)}]"
        line = f"{place} = {known.text}({place})"
        end = context.span(call)[1] - 1
        named = f"{', ' if call.args or call.keywords else ''}on={quote_alike(texts[0], context.source)}"
        imports = context.add_imports([known.import_line] if known.import_line else [])
        yield self.patch(
            context.replace_here(*imports, (at, at, f"{line}\n{indent}"), (end, end, named)),
            f"Make dates of `{place}`, and name the column",
            f"The index of `{table}` holds no dates; `{texts[0]}` holds their texts.",
            prior=0.9,
        )

    def _read_dates(self, context: RuleContext) -> Iterator[Patch]:
        """Dates that are texts, in the index or in the column that is named."""
        for call in context.list_calls_at_failure():
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in ("resample", "rolling", "asfreq", "groupby"):
                continue
            table = context.read_plain_chain(func.value)
            if isinstance(func.value, ast.Subscript):  # a column has no index of its own that could be set
                owner = context.read_plain_chain(func.value.value)
                is_column = owner and context.describe_all([owner])[0].is_a("pandas.DataFrame")
                table = owner if is_column or not table else table
            if not table:
                yield from self._read_before_index(context, func.value)
                continue
            column = next((k.value for k in call.keywords if k.arg == "on"), None)
            place = f"{table}[{context.text(column)}]" if column is not None else f"{table}.index"
            texts = f"__import__('pandas').Series({place}).dropna()"
            known = context.reference("pandas.to_datetime")
            is_text = f"len({texts}) and all(isinstance(t, str) for t in {texts})"
            if known is None or not context.is_true(is_text):
                continue
            is_iso = context.is_true(f"{texts}.str.fullmatch({ISO!r}).all()")
            if not is_iso and not context.is_true(f"{known.text}({texts}, errors='coerce').notna().all()"):
                return
            at, indent = _find_statement(context, call)
            if indent.strip():
                return  # another statement stands before it on the line
            imports = context.add_imports([known.import_line] if known.import_line else [])
            is_either = not is_iso and reads_otherwise_day_first(context, f"{known.text}({texts})")
            for order in ("", DAY_FIRST) if is_either else ("",):
                line = f"{place} = {known.text}({place}{order})"
                yield self.patch(
                    context.replace_here(*imports, (at, at, f"{line}\n{indent}")),
                    f"Make dates of the texts first: `{line}`",
                    f"`{place}` holds texts, not dates.",
                    applicability=Applicability.SAFE if is_iso else Applicability.UNSAFE,
                    why="Every text is an ISO date." if is_iso else "Day and month may be exchanged.",
                    prior=0.93 if is_iso else 0.7,
                )
            return

    def _read_before_index(self, context: RuleContext, node: ast.expr) -> Iterator[Patch]:
        """``df.set_index("day")["n"].resample("ME")`` of texts: they are made dates above the statement."""
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        call = calls[0] if len(calls) == 1 else None
        if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "set_index":
            return
        table, known = context.read_plain_chain(call.func.value), context.reference("pandas.to_datetime")
        key = call.args[0] if call.args else None
        if not table or known is None or not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            return
        place = f"{table}[{context.text(key)}]"
        texts = f"{place}.dropna()"
        is_iso = f"len({texts}) and all(isinstance(t, str) for t in {texts}) and {texts}.str.fullmatch({ISO!r}).all()"
        at, indent = _find_statement(context, call)
        if indent.strip() or not context.is_true(is_iso):
            return
        line = f"{place} = {known.text}({place})"
        imports = context.add_imports([known.import_line] if known.import_line else [])
        yield self.patch(
            context.replace_here(*imports, (at, at, f"{line}\n{indent}")),
            f"Make dates of the texts first: `{line}`",
            f"`{place}` holds texts, not dates.",
            why="Every text is an ISO date.",
            prior=0.93,
        )


def _find_grouper(call: ast.Call) -> ast.Call | None:
    for given in (*call.args, *(k.value for k in call.keywords)):
        for node in given.elts if isinstance(given, ast.List) else [given]:
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "Grouper":
                return node
    return None


def _find_statement(context: RuleContext, call: ast.Call) -> tuple[int, str]:
    """Where the innermost statement around a call begins, and its indentation."""
    start, end = context.span(call)
    around = [n for n in context.walk(ast.stmt) if context.span(n)[0] <= start and end <= context.span(n)[1]]
    innermost = max(around, key=lambda n: context.span(n)[0])
    at = context.span(innermost)[0]
    return at, context.source[find_line_span(context.source, innermost.lineno)[0] : at]


def _test_other_days(table: str, column: object) -> str:
    """Whether every value of a column is the text of a day in another form than ISO's: it may be the one that is meant."""
    texts = f"({table})[{column!r}].dropna()"
    days = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.*"
    return f"len({texts}) and all(isinstance(t, str) for t in {texts}) and {texts}.str.fullmatch({days!r}).all()"


def _test_days(table: str, column: str) -> str:
    """Whether the rows are counted, and every value of the column is the text of an ISO date."""
    texts = f"({table})[{column!r}]"
    counted = f"type(({table}).index).__name__ == 'RangeIndex'"
    return f"{counted} and len({texts}) > 1 and all(isinstance(t, str) for t in {texts}) and {texts}.str.fullmatch({ISO!r}).all()"
