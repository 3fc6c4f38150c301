"""TYP213: a date and a text in one operation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date, datetime

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.objects import Reference
from jupyter_selfheal.healers.rules.context.value_types import ISO, find_type
from jupyter_selfheal.healers.rules.date_format import FORMATS
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"^Addition/subtraction of integers and integer-arrays|unsupported operand type\(s\) for [-+]=?: .*'datetime\.date(?:time)?'|unsupported operand type\(s\) for -|not supported between instances of|^can't compare datetime\.datetime to datetime\.date$|^can only concatenate str \(not \"datetime\.timedelta\"\)|^'str' object cannot be interpreted as an integer|^type object 'datetime\.(?:date|time)' has no attribute 'strptime'|^'str' object has no attribute '(?:year|month|day|hour|minute|weekday|isoweekday|isocalendar|strftime)'$"
)
TIME_OF_DAY = re.compile(r"%-?[HIMSfpcXTRzZs]")
"""Parts of a format that no day has."""
KINDS = {"datetime.date": "date", "datetime.datetime": "datetime"}


class DateAndText(Rule):
    """Read the date from a text where a date is reckoned with.

    **Failure** `TypeError: unsupported operand type(s) for -: 'datetime.date' and 'str'`, `'<' not supported between instances of
    'datetime.datetime' and 'str'`; `'datetime.date' and 'int'`, `'datetime.datetime' and 'datetime.date'`; `'str' object cannot be interpreted as an integer` at `date(text)`; `type object 'datetime.date' has no attribute 'strptime'` before Python 3.14; `'str' object has no attribute 'month'`.

    **Fix** `date.fromisoformat(text)` for a date as `2024-03-01`, else `datetime.strptime(text, format)`; both where two such texts, or columns of them, are subtracted; `day + 1` becomes `day + timedelta(days=1)`, `now - born` becomes `now.date() - born`; `date.strptime(text, format)` becomes `datetime.strptime(text, format).date()`.

    **Fix safety** Unsafe for a text and a `timedelta`, of which a day or a moment may be meant, for `now + 1` of a day and a time, and of a column of dates, as hours may be meant (silent for `now + 3600`), for a format with a time of day, and for a day and a moment that are compared. Safe where the text is seen and one common format alone fits it. Silent where none does, or several do.
    """

    code = "TYP213"
    name = "date and text"
    enames = frozenset({"TypeError", "AttributeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The text holds a date, and only a date makes sense here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.evalue.startswith("Addition"):
            yield from self._count_days_of_column(context)
            return
        if context.failure.ename == "AttributeError":
            is_text = context.failure.evalue.startswith("'str'")
            yield from self._read_asked(context) if is_text else self._read_by_moment(context)
            return
        if "'int'" in context.failure.evalue:
            yield from self._count_days(context)
            return
        if "interpreted" in context.failure.evalue:
            yield from self._read_argument(context)
            return
        kinds = re.findall(r"['\" ](str|datetime\.\w+)['\"]", context.failure.evalue)
        if kinds == ["str", "str"]:
            yield from self._subtract_texts(context)
            return
        if set(kinds) == set(KINDS) or "can't compare" in context.failure.evalue:
            yield from self._leave_time_out(context)
            return
        wanted = [KINDS[k] for k in kinds if k in KINDS]
        if "datetime.timedelta" in kinds:
            wanted = [*KINDS.values()][::-1]
        for kind in wanted[: 2 if "str" in kinds or "concatenate" in context.failure.evalue else 0]:
            yield from self._read_side(context, kind, is_open=len(wanted) > 1)

    def _read_side(self, context: RuleContext, kind: str, *, is_open: bool) -> Iterator[Patch]:
        """The text of two sides, as a day or a moment; ``is_open``: either may be meant."""
        for node in context.list_failing_nodes(ast.BinOp, ast.Compare):
            sides = _list_sides(node)
            texts = [s for s in sides if find_type(context, s) == "str"]
            if len(sides) != 2 or len(texts) != 1:
                continue
            given = texts[0]
            thing = context.describe(given) if not isinstance(given, ast.Constant) else None
            value = given.value if isinstance(given, ast.Constant) else thing.text if thing is not None else ""
            made = _read_date(str(value), kind, context.text(given))
            named = _name_class(context, "datetime" if "strptime" in made else kind) if made else None
            if named is None:
                return
            imports = context.add_imports([named.import_line]) if named.import_line else []
            yield self.patch(
                context.replace_here(*imports, (*context.span(given), f"{named.text}.{made}")),
                f"Read the date from `{context.text(given)}`",
                f"`{context.text(given)}` is text, not a date.",
                applicability=Applicability.UNSAFE if is_open else Applicability.SAFE,
                why="A day or a moment may be meant." if is_open else self.why,
                prior=0.88,
            )
            return

    def _read_asked(self, context: RuleContext) -> Iterator[Patch]:
        """``row["date"].month`` of a text that holds a date."""
        for node in context.list_failing_nodes(ast.Attribute):
            thing = context.describe(node.value) if context.read_plain_chain(node.value) else None
            if node.attr in ("hour", "minute") and thing is not None and ":" not in thing.text:
                return  # a day without a time is not meant
            if re.match("iso|week|strf", node.attr) and context.call_of(node) is None:
                return  # a method that nobody calls gives nothing
            made = _read_date(thing.text, "datetime", context.text(node.value)) if thing is not None else ""
            named = _name_class(context, "datetime") if made else None
            if named is None:
                return
            imports = context.add_imports([named.import_line]) if named.import_line else []
            yield self.patch(
                context.replace_here(*imports, (*context.span(node.value), f"{named.text}.{made}")),
                f"Read the date from `{context.text(node.value)}`",
                f"`{context.text(node.value)}` is text, not a date.",
                why="The text holds a date, and only a date has what is asked of it.",
                prior=0.9,
            )
            return

    def _read_by_moment(self, context: RuleContext) -> Iterator[Patch]:
        """``date.strptime(text, format)``, which only a day and a time together has: its day is taken."""
        for node in context.list_failing_nodes(ast.Attribute):
            call = context.call_of(node)
            kind = (context.describe_all([node.value])[0].path or "").rpartition(".")[2]
            named = _name_class(context, "datetime") if kind in ("date", "time") else None
            if call is None or named is None:
                return
            imports = context.add_imports([named.import_line]) if named.import_line else []
            end = context.span(call)[1]
            form = call.args[1] if len(call.args) == 2 else None
            written = str(form.value) if isinstance(form, ast.Constant) else ""
            is_moment = kind == "date" and TIME_OF_DAY.search(written) is not None
            is_open = is_moment or kind == "time" or not written
            for part in ["", f".{kind}()"] if is_moment else [f".{kind}()"]:
                yield self.patch(
                    context.replace_here(*imports, (*context.span(node.value), named.text), (end, end, part)),
                    f"Read it by `{named.text}.strptime`" + (f", and take its {kind}" if part else ""),
                    f"`{context.text(node.value)}` has no `strptime`: `datetime` reads a day and a time, and gives either.",
                    applicability=Applicability.UNSAFE if is_open else Applicability.SAFE,
                    why="Of the text a day, a time or both may be meant."
                    if is_open
                    else "It reads the same text by the same format, of which only this part is meant.",
                    prior=0.9 if part == "" or not is_moment else 0.6,
                )
            return

    def _read_argument(self, context: RuleContext) -> Iterator[Patch]:
        """``date("2024-03-01")``: the class takes numbers, and another call reads a text."""
        for call in context.list_calls_at_failure():
            kind = KINDS.get(context.describe_all([call.func])[0].path or "", "") if len(call.args) == 1 else ""
            thing = context.describe(call.args[0]) if kind and not call.keywords else None
            made = _read_date(thing.text, kind, context.text(call.args[0])) if thing is not None else ""
            named = _name_class(context, "datetime" if "strptime" in made else kind) if made else None
            if named is None:
                continue
            imports = context.add_imports([named.import_line]) if named.import_line else []
            yield self.patch(
                context.replace_here(*imports, (*context.span(call), f"{named.text}.{made}")),
                f"Read the date from `{context.text(call.args[0])}`",
                f"`{context.text(call.func)}` takes a year, a month and a day as numbers.",
                prior=0.9,
            )
            return

    def _subtract_texts(self, context: RuleContext) -> Iterator[Patch]:
        """``end - start``, of which both are texts, or columns of texts, that hold dates in one notation."""
        for node in context.list_failing_nodes(ast.BinOp):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
                continue
            sides = [node.left, node.right]
            kinds = context.describe_all(sides)
            if all(k.is_a("pandas.Series") for k in kinds):
                made = _read_columns(context, sides)
            else:
                texts = [
                    str(s.value) if isinstance(s, ast.Constant) else k.text for s, k in zip(sides, kinds, strict=True)
                ]
                is_text = all(find_type(context, s) == "str" for s in sides)
                calls = [_read_date(t, "datetime", context.text(s)) for t, s in zip(texts, sides, strict=True)]
                named = _name_class(context, "datetime") if is_text and all(calls) else None
                made = ([f"{named.text}.{c}" for c in calls], named.import_line) if named else None
            if made is None:
                return
            imports = context.add_imports([made[1]]) if made[1] else []
            splices = [(*context.span(s), text) for s, text in zip(sides, made[0], strict=True)]
            yield self.patch(
                context.replace_here(*imports, *splices),
                f"Read the dates from `{context.text(node.left)}` and `{context.text(node.right)}`",
                "Texts can't be subtracted; these hold dates.",
                why="Both hold a date, and only dates are subtracted.",
                prior=0.88,
            )
            return

    def _leave_time_out(self, context: RuleContext) -> Iterator[Patch]:
        """``datetime.now() - born``: the day of the one is reckoned with the day that the other is."""
        for node in context.list_failing_nodes(ast.BinOp, ast.Compare):
            sides = _list_sides(node)
            kinds = context.describe_all(sides, calls=True)
            moments = [s for s, k in zip(sides, kinds, strict=True) if k.type == "datetime"]
            if len(sides) == 2 and len(moments) == 1 and (new := f"{context.operand(moments[0])}.date()"):
                is_open = _has_written_time(context, moments[0]) or isinstance(node, ast.Compare)
                yield self.patch(
                    context.replace_here((*context.span(moments[0]), new)),
                    f"Take the day: `{new}`",
                    f"`{context.text(moments[0])}` is a day and a time, and the other is a day alone.",
                    applicability=Applicability.UNSAFE if is_open else Applicability.SAFE,
                    why="The beginning of the day may be meant."
                    if is_open
                    else "A day alone has no time that the other's could be reckoned with.",
                    prior=0.7 if is_open else 0.88,
                )
                return

    def _count_days(self, context: RuleContext) -> Iterator[Patch]:
        """``date(2024, 3, 10) + 3``: a date knows no part shorter than a day."""
        is_day = "'datetime.date'" in context.failure.evalue
        if not is_day and "datetime.datetime' and 'int'" not in context.failure.evalue:
            return
        for node in context.list_failing_nodes(ast.BinOp, ast.AugAssign):
            number = (
                node.right if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.AugAssign) else None
            )
            named = _name_class(context, "timedelta")
            if number is None or named is None or find_type(context, number) != "int":
                continue
            text = context.text(number)
            if not is_day and not (context.number(text) or 0) % 60:
                return  # minutes or seconds
            imports = context.add_imports([named.import_line]) if named.import_line else []
            yield self.patch(
                context.replace_here(*imports, (*context.span(number), f"{named.text}(days={text})")),
                f"Count `{text}` days with `timedelta`",
                "A date and a number can't be added: the number does not say of what.",
                applicability=Applicability.SAFE if is_day else Applicability.UNSAFE,
                why="A date has no part shorter than a day." if is_day else "Hours or seconds may be meant.",
                prior=0.85 if is_day else 0.6,
            )
            return

    def _count_days_of_column(self, context: RuleContext) -> Iterator[Patch]:
        """``orders["day"] + 7``: a column of dates and a number, which does not say of what."""
        for node in context.list_nodes_on_line(ast.BinOp):
            kinds = context.describe_all([node.left, node.right])
            numbers = [n for n in (node.left, node.right) if find_type(context, n) == "int"]
            pandas = context.reference("pandas.Timedelta")
            if len(numbers) != 1 or pandas is None or not any(k.is_a("pandas.Series", "pandas.Index") for k in kinds):
                continue
            text = context.text(numbers[0])
            imports = context.add_imports([pandas.import_line]) if pandas.import_line else []
            yield self.patch(
                context.replace_here(*imports, (*context.span(numbers[0]), f"{pandas.text}(days={text})")),
                f"Count `{text}` days with `Timedelta`",
                "Dates and a number can't be added: the number does not say of what.",
                applicability=Applicability.UNSAFE,
                why="Hours or months may be meant.",
                prior=0.7,
            )
            return


def _read_columns(context: RuleContext, sides: list[ast.expr]) -> tuple[list[str], str] | None:
    """What reads two columns of dates as 2024-03-01, and the import that it needs; None where one of the texts is no such date."""
    forms = [
        f"({context.text(s)}).dropna().astype(str).str.fullmatch({ISO!r}).all() and len({context.text(s)}) > 0"
        for s in sides
    ]
    pandas = context.reference("pandas.to_datetime") if all(context.is_true(f) for f in forms) else None
    return ([f"{pandas.text}({context.text(s)})" for s in sides], pandas.import_line) if pandas else None


def _has_written_time(context: RuleContext, moment: ast.expr) -> bool:
    """``datetime(2024, 3, 1, 18, 30)``, ``datetime.strptime(text, "%Y-%m-%d %H:%M")``, also as the value of a name, and ``row["seen"]`` that
    holds one: its time is no clock's."""
    made = context.find_last_assignment(moment.id) if isinstance(moment, ast.Name) else None
    call = made.node.value if made is not None else moment
    if not isinstance(call, ast.Call):
        text = context.read_plain_chain(moment)
        return bool(text) and context.is_true(f"{text}.time() != {text}.time().min")
    texts = [str(a.value) for a in call.args if isinstance(a, ast.Constant)]
    return len(call.args) > 3 or any(TIME_OF_DAY.search(text) for text in texts)


def _list_sides(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _name_class(context: RuleContext, name: str) -> Reference | None:
    """How the cell writes `date` or `datetime`, whichever of the two ways it was imported."""
    is_class = [thing.is_class for thing in context.describe_all([name, f"datetime.{name}"])]
    if is_class[0]:
        return Reference(name, "")
    return Reference(f"datetime.{name}", "") if is_class[1] else context.reference(f"datetime.{name}")


def _read_date(value: str, kind: str, text: str) -> str:
    """The call that reads the date, without its class; empty where no format or more than one fits."""
    try:
        (date if kind == "date" else datetime).fromisoformat(value)
        return f"fromisoformat({text})" if re.match(r"\d{4}-\d\d-\d\d", value) else ""
    except ValueError:
        fitting = [f for f in FORMATS if _fits_format(value, f)]
    if len(fitting) != 1:
        return ""
    return f'strptime({text}, "{fitting[0]}")' + (".date()" if kind == "date" else "")


def _fits_format(value: str, form: str) -> bool:
    if form.startswith("%Y%m%d") and not re.match(r"\d{8}", value):
        return False  # `210413` would be in the year 2104
    try:
        datetime.strptime(value, form)
    except ValueError:
        return False
    return True
