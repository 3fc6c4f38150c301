"""TYP110: a date that is written in another format than the one given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.nodes import FUNCTIONS, LOOPS, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"does(?:n't| not) match format|unconverted data remains")
ORDERS = ("%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d")
WORDED = ("%Y%m%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%b %d %Y", "%Y-%b-%d")
DATES = (*(order.replace("-", mark) for mark in "-/. " for order in ORDERS), *WORDED)
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S", "T%H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%SZ",
         "T%H:%M:%S%z", ", %H:%M")  # fmt: skip
MONTH_AND_DOT = "%m.%d"
"""What nobody writes: with dots the day comes first, and a format for slashes was taken from elsewhere."""
FORMATS = tuple(date + time for date in DATES for time in TIMES)


class DateFormat(Rule):
    """Give the format that the dates have.

    **Failure** `ValueError: time data '31/12/2020' does not match format '%Y-%m-%d'`, from `strptime` or `pd.to_datetime`.

    **Fix** The format becomes the one that every text has that is read there.

    **Fix safety** Safe where one common format only fits all of the texts, or one of them has the parts in the order that is given. Else unsafe, with both proposed, where day and month may be
    either (`03/02/2024`; `5.3.2024` by `%m/%d/%Y`, as with dots the day comes first), or day and year (`21/04/13`).
    """

    code = "TYP110"
    name = "format of dates"
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Of the common formats this one alone fits every text."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            given = _format_of(call)
            if given is None or not call.args:
                continue
            every = _find_loop_source(context, call)
            fitting = context.ask(
                questions.SELECT_DATE_FORMATS, expression=context.text(every or call.args[0]), formats=FORMATS
            )
            same = [f for f in fitting if _list_parts(f) == _list_parts(str(given.value))]
            if len(same) == 1 and MONTH_AND_DOT not in same[0]:
                fitting = same  # the order is what the notebook says, and only the marks are others
            for wanted in fitting[:2]:
                sure = len(fitting) == 1 and (every is not None or not _is_in_loop(context, call))
                quote = context.text(given)[-1]
                yield self.patch(
                    context.replace(context.cell_id, [(*context.span(given), f"{quote}{wanted}{quote}")]),
                    f"Change the date format to `{wanted}`",
                    "The dates don't match this format.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why
                    if sure
                    else "Day and month or year may be either, or other texts are read by the same call.",
                    prior=0.85 if sure else 0.6,
                )
            return


def _list_parts(form: str) -> list[str]:
    """``%d``, ``%m``, ``%y`` of a format, in order; a year of two digits stands for one of four."""
    return re.findall(r"%\w", form.replace("%Y", "%y"))


def _format_of(call: ast.Call) -> ast.Constant | None:
    """The constant that is the format of ``strptime(text, format)`` or ``to_datetime(texts, format=…)``."""
    name = read_last_name(call.func)
    keyword: ast.expr | None = next((k.value for k in call.keywords if k.arg == "format"), None)
    if name == "strptime" and len(call.args) == 2:
        keyword = call.args[1]
    is_text = isinstance(keyword, ast.Constant) and isinstance(keyword.value, str) and "%" in keyword.value
    return keyword if isinstance(keyword, ast.Constant) and is_text else None


def _find_loop_source(context: RuleContext, call: ast.Call) -> ast.expr | None:
    """What a loop or comprehension around the call goes through, where the call reads its items: ``for text in texts``."""
    item = call.args[0]
    loops = [n for n in context.walk(ast.For) if any(c is call for c in ast.walk(n))]
    inner = [
        n for n in ast.walk(context.tree) if isinstance(n, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp)
    ]
    loops_in = [g for n in inner if any(c is call for c in ast.walk(n)) for g in n.generators]
    nodes: list[ast.For | ast.comprehension] = [*loops_in, *loops]
    for loop in nodes:
        if isinstance(item, ast.Name) and isinstance(loop.target, ast.Name) and loop.target.id == item.id:
            return loop.iter if isinstance(loop.iter, ast.Name | ast.Attribute | ast.Subscript | ast.List) else None
    return None


def _is_in_loop(context: RuleContext, call: ast.Call) -> bool:
    """True where the call stands in a loop, a comprehension or a function, and so reads other texts, too."""
    name = read_last_name(call.func)
    return name == "strptime" and any(
        isinstance(n, (*LOOPS, *FUNCTIONS)) and any(c is call for c in ast.walk(n)) for n in ast.walk(context.tree)
    )
