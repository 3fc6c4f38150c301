"""PDA131: a method of dates, texts or categories called on a series itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.value_types import ISO
from jupyter_selfheal.healers.rules.parts_of_text import SPLITTING, is_position
from jupyter_selfheal.model import Applicability, Patch

TEXTS = ("object", "str", "string")
ACCESSORS = ("cat", "dt", "str")
"""What pandas says to be missing where the values are of another type; texts have a method `cat` that is something else."""
CATEGORIES = frozenset({"codes", "categories", "ordered", "rename_categories", "reorder_categories", "add_categories", "remove_categories", "set_categories", "remove_unused_categories", "as_ordered"})  # fmt: skip
NO_DATES = re.compile(r"^index is not a valid DatetimeIndex")
OF_MANY = frozenset({"len", "join", "find", "rfind", "index", "rindex", "slice"})
"""What a list has, or is given to, as well as a text: the column as a whole may be meant."""


class AccessorLeftOut(Rule):
    """Reach the dates or texts of a series through its accessor.

    **Failure** `AttributeError: 'Series' object has no attribute 'month'` at `df["when"].month`, `… 'strftime'`, `… 'upper'`; `'Index' object has no attribute
    'strip'` at `df.columns.strip()`; `TypeError: index is not a valid DatetimeIndex or PeriodIndex` at `df["when"].tz_convert("Asia/Tokyo")`.

    **Fix** `df["when"].dt.month`, `df["name"].str.upper()`, `df["size"].cat.codes`; `pd.to_datetime(df["when"]).dt.month` where the dates are texts; `expand=False` in `.str.extract("@(.+)").str.upper()`.

    **Fix safety** Safe: the accessor of the series' own type has the attribute, and the series has not. Texts are read as dates only where
    all of them are ISO dates. Unsafe for what may be asked of the column as a whole, as of a list (`len`, `join`, `find`), unless it becomes a column itself (`join`: of lists). Silent on numbers, and where the accessor has no such attribute.
    """

    code = "PDA131"
    name = "accessor left out"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The accessor of the values' own type has the attribute, and nothing else of the series has."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        wrong, owner = context.attribute, context.owner
        if context.failure.ename == "TypeError":
            wrong, owner = _find_zone_method(context)
        if wrong == "str" and owner.is_a("pandas.DataFrame"):
            yield from self._take_one_group(context)
            return
        if not wrong or wrong in ACCESSORS or not owner.is_a("pandas.Series", "pandas.Index"):
            return
        nodes = [
            n for n in context.list_failing_nodes(ast.Attribute) if n.attr == wrong and isinstance(n.ctx, ast.Load)
        ]
        if not nodes:
            return
        series = context.text(nodes[0].value)
        operand = context.operand(nodes[0].value)
        new, import_line = _find_owner(context, series, operand, owner, wrong)
        if not new:
            return
        alike = [n for n in context.walk(ast.Attribute) if n.attr == wrong and context.text(n.value) == series]
        splices = [(*context.span(n.value), new) for n in alike]
        if new in (f"{operand}.dt", f"{operand}.str", f"{operand}.cat"):  # the brackets are there already
            dots = [context.source.rindex(".", 0, context.find_attribute_span(n)[0]) for n in alike]
            splices = [(dot, dot, new[len(operand) :]) for dot in dots]
        if wrong in SPLITTING:  # `df["email"].split("@")[1]` takes a part, as of one text
            splices += [(end, end, ".str") for end in _list_ends_of_parts(context, alike)]
        kind = {".dt": "dates", "cat": "categories"}.get(new[-3:], "texts")
        is_doubted = wrong in OF_MANY and (
            not _is_stored_as_column(context)
            or (wrong == "join" and not context.is_true(f"all(isinstance(_, list) for _ in {series})"))
        )
        yield self.patch(
            context.replace_here(*splices, *context.add_imports([import_line] if import_line else [])),
            f"Use `{new}.{wrong}`",
            f"`{wrong}` is one of the {kind} in `{series}`, not of the series itself.",
            applicability=Applicability.UNSAFE if is_doubted else Applicability.SAFE,
            why="The column as a whole may be meant, not each of its texts." if is_doubted else self.why,
            prior=0.6 if is_doubted else 0.92,
        )

    def _take_one_group(self, context: RuleContext) -> Iterator[Patch]:
        """``df["mail"].str.extract("@(.+)").str.upper()``: a table of one column is what `extract` gives unless it is told otherwise."""
        for node in context.list_failing_nodes(ast.Attribute):
            call = node.value
            if not isinstance(call, ast.Call) or read_last_name(call.func) != "extract" or len(call.args) != 1:
                continue
            if not call.keywords and context.is_true(f"({context.text(call)}).shape[1] == 1"):
                yield self.patch(
                    context.replace_here(append_argument(context.source, call, "expand=False")),
                    "Add `expand=False`",
                    "`extract` gives a table, of one column here, which has no `str`.",
                    why="The pattern has one group, and a column has what is asked for.",
                    prior=0.92,
                )
                return


def _find_zone_method(context: RuleContext) -> tuple[str, ObjectInfo]:
    """``df["when"].tz_convert("Asia/Tokyo")``: a series has the method, which is of its index, and no dates are there; and what it was called on."""
    nodes = [n for n in context.list_failing_nodes(ast.Attribute) if n.attr in ("tz_convert", "tz_localize")]
    if not nodes or not NO_DATES.search(context.failure.evalue):
        return "", context.owner
    owners = context.describe_all([context.text(n.value) for n in nodes[:1]], calls=True)
    return (nodes[0].attr, owners[0]) if owners[0].dtype.startswith("datetime64") else ("", owners[0])


def _has_texts_with(context: RuleContext, series: str, wrong: str) -> bool:
    found = context.describe_all([f"({series}).str"], calls=True)[0]
    return wrong in found.attributes


def _is_stored_as_column(context: RuleContext) -> bool:
    """Whether what comes of the statement is a column of a table, ``df["words"] = …``: a value for each row."""
    match context.failing_statement:
        case ast.Assign([ast.Subscript(ast.Name(table), ast.Constant(str()))]):
            return context.describe_all([table])[0].is_a("pandas.DataFrame")
    return False


def _list_ends_of_parts(context: RuleContext, nodes: list[ast.Attribute]) -> Iterator[int]:
    """Where the call of a splitting method ends whose result is subscripted with a position at once."""
    for node in nodes:
        call = context.call_of(node)
        outer = src.read(context.source).parents.get(call) if call is not None else None
        if isinstance(outer, ast.Subscript) and outer.value is call and is_position(outer.slice):
            yield context.span(call)[1]


def _find_owner(context: RuleContext, series: str, operand: str, info: ObjectInfo, wrong: str) -> tuple[str, str]:
    """What has the attribute, as it is written, and the import line that it needs; empty where nothing has it."""
    if info.dtype.startswith(("datetime64", "timedelta64", "period")):
        return (f"{operand}.dt", "") if context.is_true(f"hasattr(({series}).dt, {wrong!r})") else ("", "")
    if info.dtype == "category" and wrong in CATEGORIES:
        return f"{operand}.cat", ""
    if info.dtype not in TEXTS:
        return "", ""
    if _has_texts_with(context, series, wrong):
        return f"{operand}.str", ""
    known = context.reference("pandas.to_datetime")
    if known is None or not context.is_true(f"({series}).dropna().astype(str).str.fullmatch({ISO!r}).all()"):
        return "", ""
    if not context.is_true(f"hasattr({known.text}(({series})).dt, {wrong!r})") and known.import_line == "":
        return "", ""
    return f"{known.text}({series}).dt", known.import_line
