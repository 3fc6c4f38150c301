"""PDA103: a reduction over columns some of which are text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE, list_text_questions
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.healers.rules.lost_downcast import list_lost_downcasts
from jupyter_selfheal.healers.rules.lost_write import is_lost_write_to_blame
from jupyter_selfheal.model import Applicability, FailureKind, Patch

REDUCTIONS = frozenset({
    "mean", "median", "sum", "std", "var", "sem", "skew", "kurt", "kurtosis", "prod", "product", "corr", "cov", "quantile", "min", "max",
    "corrwith", "cumsum", "cumprod", "idxmax", "idxmin",
})  # fmt: skip
GROUPED = frozenset({"mean", "median", "std", "var", "sem"})
"""Those that left out every column of objects where they were asked of groups."""
MOSTLY = 0.9
"""The share of a column's texts that are numbers from which on it may be meant as numbers."""
OBJECTS = "A column of objects holds numbers, and would be left out."
_ANY = ("count", "size", "nunique", "first", "last", "len")
"""What stands beside a reduction in a list and takes text, too."""
MESSAGE = re.compile(
    r"Cannot perform reduction|does not support operation|could not convert string to float|agg function failed|"
    r"[Cc]ould not convert|Cannot aggregate non-numeric|unsupported operand type|not supported between|"
    r"Cannot interpolate with (?:str|object) dtype|dtype .* does not support|Cannot convert .* to numeric|can only concatenate|No numeric types|category (?:dtype|type) does not support"
)
TABLES = ("pandas.DataFrame", "pandas.DataFrameGroupBy", "pandas.Rolling", "pandas.Expanding", "pandas.DatetimeIndexResampler",
          "pandas.Resampler", "pandas.RollingGroupby", "pandas.ExponentialMovingWindow")  # fmt: skip


GROUPS = ("pandas.DataFrameGroupBy", "pandas.DatetimeIndexResampler", "pandas.Resampler")


class NumericOnly(Rule):
    """Reduce the numeric columns only.

    **Failure** `TypeError: Cannot perform reduction 'mean' with string dtype`, `ValueError: could not convert string to float:
    'x'` in `corr`, `TypeError: agg function failed [how->mean,dtype->object]`.

    So where the sums of a `groupby` or `resample` are not as expected or stored: texts are put together there, and were left out.

    **Fix** `numeric_only=True` in the call; `df.fillna(df.select_dtypes('number').interpolate())`, which keeps the texts; where a pivot table or `agg` reduces, the numeric columns are selected before it, as where `agg` is given a function of the notebook's own.

    **Fix safety** Safe: pandas before 2.0 left such columns out without a word, which is what the code was written for, and
    the live object is a table of which some columns are numeric. Never for a single column of text. Where a cell above asks for columns of dtype object,
    which finds no text since pandas 3.0, it is safe only together with that question mended: the columns may have been encoded.
    """

    code = "PDA103"
    name = "reduction over text columns"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "DataError", "NotImplementedError"})
    message = MESSAGE
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "Before pandas 2.0 columns that are not numeric were left out (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.kind is FailureKind.MISSED:
            yield from self._leave_texts_out(context)
            return
        for call in context.list_calls_at_failure()[:4]:
            if not isinstance(call.func, ast.Attribute):
                continue
            live = context.describe_all([call.func.value], calls=True)[0]
            if call.func.attr == "interpolate" and live.is_a("pandas.DataFrame"):
                yield from self._interpolate_numbers(context, call, call.func.value)
                return
            if call.func.attr in REDUCTIONS and live.is_a(*TABLES) and not _has_keyword(call, "numeric_only"):
                table = _write_table(context, call.func.value)
                if context.number(f"len({table}.select_dtypes('number').columns)") == 0:
                    return  # nothing would be left
                yield from self._add_numeric_only(context, call, call.func.attr)
                return
            if (
                call.func.attr in ("agg", "aggregate", "transform")
                and live.is_a("pandas.DataFrameGroupBy")
                and _is_reduction(call)
            ):
                if splices := _select_of_groups(context, call, call.func.value):
                    yield self._select_numbers(context, splices, call.func.value)
                return
            if (
                call.func.attr == "pivot_table"
                and not _has_keyword(call, "values")
                and len(call.args) == int(live.is_module)
            ):
                whole = call.args[0] if call.args else call.func.value
                yield self._select_numbers(context, _select_of_pivot(context, call), whole)
                return
            if (
                call.func.attr in ("agg", "aggregate", "apply")
                and live.is_a("pandas.DataFrame")
                and _is_reduction(call)
            ):
                start = context.span(call.func.value)[1]
                yield self._select_numbers(context, [(start, start, ".select_dtypes('number')")], call.func.value)
                return
        if re.search(r"'str'|string dtype", context.failure.evalue):
            yield from self._select_for_own_function(context.view_cell(context.failure.cell_id))

    def _interpolate_numbers(self, context: RuleContext, call: ast.Call, owner: ast.expr) -> Iterator[Patch]:
        """``df.fillna(df.select_dtypes("number").interpolate())``: columns of objects were passed over, and are kept."""
        table = context.read_plain_chain(owner)
        if table is None or _has_keyword(call, "inplace") or _has_keyword(call, "axis"):
            return
        if context.is_true(
            f"not {table}.index.is_unique or {table}.select_dtypes(['datetime', 'timedelta']).isna().any(axis=None)"
        ):
            return
        start, end = context.span(owner)[1], context.span(call)[1]
        yield self.patch(
            context.replace_here((start, end, f".fillna({table}.select_dtypes('number'){context.source[start:end]})")),
            "Interpolate the numeric columns",
            "Some columns hold text, between which there is nothing to interpolate.",
            prior=0.9,
        )

    def _leave_texts_out(self, context: RuleContext) -> Iterator[Patch]:
        """``df.groupby("k").sum()``, with whose result nobody is content: of texts there is a sum since pandas 2.0."""
        sums = [c for c in context.walk(ast.Call) if _is_bare_sum(c) and _adds_texts(context, c.func)]
        if splices := [append_argument(context.source, call, "numeric_only=True") for call in sums]:
            cause = "Since pandas 2.0, the texts of a group are put together where it is summed; they were left out."
            patch = self.patch(
                context.replace(context.cell_id, splices), "Add `numeric_only=True` to `sum`", cause, prior=0.8
            )
            yield replace(patch, restores="pandas 2.0")

    def _select_for_own_function(self, context: RuleContext) -> Iterator[Patch]:
        """``groups.agg(spread)``: columns of text were left out, as any that a function of the notebook's own failed for; of dates it may not."""
        own = {n.name for n in context.walk_notebook() if isinstance(n, ast.FunctionDef)}
        own |= {
            read_last_name(n.targets[0])
            for n in context.walk_notebook()
            if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)
        }
        for call in context.walk(ast.Call):
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("agg", "aggregate", "transform"):
                continue
            groups, given = call.func.value, call.args[0] if len(call.args) == 1 else None
            is_own = isinstance(given, ast.Lambda) or (isinstance(given, ast.Name) and given.id in own)
            if not is_own or not context.describe_all([groups], calls=True)[0].is_a("pandas.DataFrameGroupBy"):
                continue
            text = f"({context.text(groups)})"
            known = f"all(t.kind in 'iufbOU' or t.name in ('str', 'string') for t in {text}.obj.dtypes)"
            if not context.is_true(f"{known} and set({text}.obj.select_dtypes('number')) - set({text}.exclusions)"):
                return
            if splices := _select_columns(context, groups):
                yield self._select_numbers(context, splices, groups)
            return

    def _add_numeric_only(self, context: RuleContext, call: ast.Call, name: str) -> Iterator[Patch]:
        splices = [append_argument(context.source, call, "numeric_only=True")]
        for other in ast.walk(context.tree):
            if (
                isinstance(other, ast.Call)
                and other is not call
                and isinstance(other.func, ast.Attribute)
                and other.func.attr in REDUCTIONS
                and isinstance(call.func, ast.Attribute)
                and context.text(other.func.value) == context.text(call.func.value)
                and not _has_keyword(other, "numeric_only")
            ):
                splices.append(append_argument(context.source, other, "numeric_only=True"))
        doubt = _explain_doubt(context, call.func.value, call.func.attr) if isinstance(call.func, ast.Attribute) else ""
        downcasts = list_lost_downcasts(context)[0] if doubt == OBJECTS else {}
        if downcasts:
            cells: dict[str, list[Splice]] = {cell_id: list(some) for cell_id, some in downcasts.items()}
            cells.setdefault(context.cell_id, []).extend(splices)
            if edits := change_and_replay(context, cells):
                title = f"Make numbers of what is replaced by numbers above; add `numeric_only=True` to `{name}`"
                yield self.patch(
                    edits,
                    title,
                    "Since pandas 3.0, a column whose texts are replaced by numbers stays one of objects.",
                    prior=0.9,
                )
        if not doubt and is_lost_write_to_blame(context):
            doubt = "A write above would have made a column of numbers of it, and is lost since pandas 3.0."
        questions = list_text_questions(context) if not doubt and (context.number(RELEASE) or 0) >= 3 else []
        if questions:
            doubt = "A question above for columns of text finds none since pandas 3.0: they may have been made numbers."
            changed: dict[str, list[Splice]] = {context.cell_id: list(splices)}
            for cell_id, splice in questions:
                changed.setdefault(cell_id, []).append(splice)
            if edits := change_and_replay(context, changed):
                title = f"Ask for text too: `{questions[0].splice[2]}`; add `numeric_only=True` to `{name}`"
                yield self.patch(edits, title, f"Some columns hold text, which has no `{name}`.", prior=0.85)
        yield self.patch(
            context.replace(context.cell_id, splices),
            f"Add `numeric_only=True` to `{name}`",
            f"Some columns hold text, which has no `{name}`.",
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or self.why,
            prior=0.6 if doubt else 0.9,
        )

    def _select_numbers(self, context: RuleContext, splices: list[Splice], table: ast.expr) -> Patch:
        doubt = _explain_doubt(context, table)
        return self.patch(
            context.replace(context.cell_id, splices),
            "Select the numeric columns first",
            "Some columns hold text.",
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or self.why,
            prior=0.6 if doubt else 0.85,
        )


def _write_table(context: RuleContext, table: ast.expr) -> str:
    """The table itself, also of groups."""
    return f"getattr(({context.text(table)}), 'obj', ({context.text(table)}))"


def _explain_doubt(context: RuleContext, table: ast.expr, name: str = "") -> str:
    """Why leaving out the text columns may not be what is meant; empty where nothing speaks for that.

    A column of which a tenth is no number (a ticket's `A/5 21171`) holds names, not numbers; marks of what is missing (`?`) apart, and words without a digit
    among numbers (a price that is `on request`). One of which every text is a number
    was put together (`"12" + "34"`) and read as one number by tables before pandas 2, and left out by groups, `corr` and `cov`, as any other text was.
    """
    text = _write_table(context, table)
    bare = "dropna().astype(str).str.replace(r'[,%$€£\\s]', '', regex=True)"
    told = f"(lambda _: _[~_.str.fullmatch(r'(?i)\\W*|nan|n/?a|none|null|missing|unknown')])({text}[c].{bare})"
    share = (
        "(lambda _, n: n.sum() / _.str.contains(r'\\d').sum() if n.mean() > 0.5 else n.mean())"
        f"(*(lambda _: (_, __import__('pandas').to_numeric(_, errors='coerce').notna()))({told}))"
    )
    kind = f"__import__('pandas').api.types.infer_dtype({text}[c].dropna())"
    columns = f"{text}.select_dtypes('object').columns"
    most = context.number(
        f"float(max([{share} for c in {columns} if {kind} in ('string', 'mixed', 'mixed-integer')], default=0))"
    )
    objects = context.is_true(f"any({kind} in ('integer', 'floating', 'mixed-integer-float') for c in {columns})")
    if most is None or (most < MOSTLY and not objects):
        return ""
    if most < MOSTLY:
        return "" if find_older_use(context, "pandas", "2.0") and not list_lost_downcasts(context)[0] else OBJECTS
    of_groups = context.describe_all([table], calls=True)[0].is_a("pandas.DataFrameGroupBy")
    was_left_out = most < 1 or (of_groups and name in GROUPED) or name in ("corr", "cov")
    if was_left_out and find_older_use(context, "pandas", "2.0"):
        return ""
    return "A column of text holds numbers, and would be left out: it may be meant as numbers."


def _has_keyword(call: ast.Call, name: str) -> bool:
    return any(k.arg == name for k in call.keywords)


def _select_of_groups(context: RuleContext, call: ast.Call, groups: ast.expr) -> list[Splice]:
    """``.agg(np.mean)`` → ``.agg("mean", numeric_only=True)``; ``df.groupby("k").agg(["mean", "std"])`` →
    ``df.groupby("k")[df.select_dtypes("number").columns].agg(…)``: of a list no column was kept that one of its functions failed for."""
    first = call.args[0]
    if not isinstance(first, ast.List):
        name = first.value if isinstance(first, ast.Constant) else getattr(first, "attr", "")
        return [(*context.span(first), f"{name!r}, numeric_only=True")]
    return _select_columns(context, groups)


def _select_columns(context: RuleContext, groups: ast.expr) -> list[Splice]:
    """The numeric columns of groups, taken before they are reduced; their keys not."""
    is_made_here = (
        isinstance(groups, ast.Call) and isinstance(groups.func, ast.Attribute) and groups.func.attr == "groupby"
    )
    if not is_made_here and not isinstance(groups, ast.Name):
        return []
    text = context.text(groups)
    kinds = "['number', 'bool']" if context.is_true(f"len({text}.obj.select_dtypes('bool').columns)") else "'number'"
    columns = f".select_dtypes({kinds}).columns"
    if context.is_true(f"any(k in {text}.exclusions for k in {text}.obj{columns})"):
        keys = groups.args[0] if isinstance(groups, ast.Call) and groups.args else None
        if not isinstance(keys, ast.Constant | ast.List):
            return []
        columns += f".drop({context.text(keys)}, errors='ignore')"
    table = (
        context.operand(groups.func.value)
        if isinstance(groups, ast.Call) and isinstance(groups.func, ast.Attribute)
        else f"{text}.obj"
    )
    at = context.span(groups)[1]
    return [(at, at, f"[{table}{columns}]")]


def _select_of_pivot(context: RuleContext, call: ast.Call) -> list[Splice]:
    """The numeric columns as ``values``, without those that the table is built by."""
    keys = [context.text(k.value) for k in call.keywords if k.arg in ("index", "columns")]
    if not isinstance(call.func, ast.Attribute) or not keys:
        return []
    table = context.operand(call.args[0] if call.args else call.func.value)
    parts = [k[1:-1] if k.startswith("[") else k for k in keys]
    text = f", values=list({table}.select_dtypes('number').columns.difference([{', '.join(parts)}]))"
    at = len(context.source[: context.span(call)[1] - 1].rstrip())
    return [(at, at, text)]


def _is_reduction(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    items = first.elts if isinstance(first, ast.List) else [first]
    return (
        bool(items)
        and all(_name_function(item) in (*REDUCTIONS, *_ANY) for item in items)
        and any(_name_function(item) in REDUCTIONS for item in items)
    )


def _name_function(item: ast.expr | None) -> str:
    return str(item.value) if isinstance(item, ast.Constant) else getattr(item, "attr", "")


def _is_bare_sum(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "sum" and not (call.args or call.keywords)


def _adds_texts(context: RuleContext, func: ast.expr) -> bool:
    """Whether a sum is one of groups, some columns of which are text and others numbers."""
    if not isinstance(func, ast.Attribute):
        return False
    live = context.describe_all([func.value], calls=True)[0]
    table = _write_table(context, func.value)
    columns = f"{table}.select_dtypes('number').columns) and any(t.name in ('object', 'str', 'string') for t in {table}.dtypes"
    return live.is_a(*GROUPS) and context.is_true(f"len({columns})")
