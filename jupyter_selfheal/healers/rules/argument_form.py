"""PDA140: an argument of pandas in a form that it does not take, with one form that says the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.aggregates import AGGREGATING
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

WORDS = {"average": "mean", "avg": "mean", "cnt": "count", "med": "median", "stdev": "std", "stddev": "std", "variance": "var", "len": "size", "maximum": "max", "minimum": "min", "total": "sum"}  # fmt: skip
"""What a reduction is called elsewhere, and in pandas."""

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "std", "var", "median", "count", "any", "all", "prod", "nunique", "skew", "kurt", "sem", "average", "ptp"})  # fmt: skip
"""Methods that make one value of a series."""

Change = tuple[list[Splice], str, str]
"""The edits, the title and the cause."""
LOST = "The array may have been meant to have two dimensions."


class ArgumentForm(Rule):
    """Give pandas an argument in the form that it takes.

    **Failure** `AxisError: axis 1 is out of bounds for array of dimension 1` at `v.mean(axis=1)`; `TypeError: only list-like objects are allowed to be passed to isin(), you passed a `str``; `'list' object is not callable` at
    `df.rename(columns=["a", "b"])`; `No axis named 1 for object type Series` at `df["age"].max(axis=1)`; `Concatenation requires list-likes
    containing only strings`; `'SeriesGroupBy' object has no attribute 'average'` at `.agg("average")`.

    **Fix** `columns=["age"]` (`Index(...) must be called with a collection of some kind, 'age' was passed`); `isin(["Ulm"])`; `.str.startswith(("a", "b"))`; `df.set_axis(["a", "b"], axis=1)` for as many names as there are columns; `df["age"].max()`; `.str.cat(df["age"].astype(str))`;
    `.agg("mean")`.

    **Fix safety** Safe: each says the same in the form that pandas takes, and nothing else of the call changes. Unsafe for a text in `isin` that no row has: a part of a text, or a list in one, may be meant. Silent of an `axis` where the result becomes a
    column: one value for each row is wanted then. Unsafe for an array: it may have lost its second dimension above.
    """

    code = "PDA140"
    name = "form of an argument"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "AttributeError", "AxisError", "numpy.exceptions.AxisError"})
    message = re.compile(
        r"only list-like objects are allowed to be passed to isin|'list' object is not callable|No axis named (?:1|columns) for object type Series|"
        r"expected a string or tuple, not list|axis 1 is out of bounds for array of dimension 1|"
        r"Concatenation requires list-likes containing only strings|GroupBy' object has no attribute '\w+'|is not a valid function|"
        r"Index\(\.\.\.\) must be called with a collection of some kind, '"
    )
    applicability = Applicability.SAFE
    why = "It says the same in the form that pandas takes."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            change = _mend_call(context, call) if isinstance(call.func, ast.Attribute) else None
            if change is not None:
                splices, title, cause = change
                is_array = "out of bounds" in context.failure.evalue
                doubt = LOST if is_array else _explain_doubt(context, call)
                yield self.patch(
                    context.replace_here(*splices),
                    title,
                    cause,
                    applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                    why=doubt or self.why,
                    prior=0.55 if doubt else 0.92,
                )
                return


def _explain_doubt(context: RuleContext, call: ast.Call) -> str:
    """Why a text that `isin` is given may be more than one of the values; empty where it is one, and for other calls."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "isin":
        return ""
    column, text = context.operand(call.func.value), context.text(call.args[0])
    is_there = context.is_true(f"({column} == ({text})).to_numpy().any()")
    return "" if is_there else "No value is this text: a part of one, or several of them, may be meant."


def _is_label(context: RuleContext, call: ast.Call, given: ast.keyword, told: str) -> bool:
    """Whether an argument is the text that was told, and one new label of what the call makes: no column that is to be the index, none that the
    given columns lack."""
    data = next((a for a in (*call.args, *(k.value for k in call.keywords if k.arg == "data"))), None)
    label, text = context.text(given.value), context.text(data) if data is not None else "None"
    if read_last_name(call.func) not in ("DataFrame", "Series") or not context.is_true(f"repr({label}) == {told!r}"):
        return False
    if given.arg == "index" or data is None:
        return context.is_true(f"({label}) not in str({text})")
    return context.is_true(f"{{0, {label}}} & {{*{context.text(call.func)}({text}).columns}}")


def _mend_call(context: RuleContext, call: ast.Call) -> Change | None:
    ways = (_list_labels, _pass_in_form, _name_all_columns, _leave_axis_out, _join_numbers, _name_function)
    return next((change for way in ways if (change := way(context, call)) is not None), None)


def _list_labels(context: RuleContext, call: ast.Call) -> Change | None:
    """``pd.DataFrame(data, columns="a")``."""
    told = re.search(r"collection of some kind, ('.*') was passed", context.failure.evalue)
    given = [k for k in call.keywords if k.arg in ("columns", "index")] if told is not None else []
    labels = [k.value for k in given if told is not None and _is_label(context, call, k, told[1])]
    if len(labels) != 1:
        return None
    new = f"[{context.text(labels[0])}]"
    return [(*context.span(labels[0]), new)], f"Use `{new}`", "Labels are given as a list."


def _pass_in_form(context: RuleContext, call: ast.Call) -> Change | None:
    """``isin("a")``, and ``startswith(["a", "b"])``."""
    evalue, method = context.failure.evalue, read_last_name(call.func)
    if len(call.args) != 1:
        return None
    given = call.args[0]
    if "isin" in evalue and method == "isin":
        new = f"[{context.text(given)}]"
        return [(*context.span(given), new)], f"Use `{new}`", "`isin` takes a list of values."
    if "or tuple, not list" not in evalue or method not in ("startswith", "endswith"):
        return None
    new = f"tuple({context.text(given)})"
    if isinstance(given, ast.List) and len(given.elts) > 1:
        new = f"({context.text(given)[1:-1].rstrip().rstrip(',')})"
    return [(*context.span(given), new)], f"Use `{new}`", f"`{method}` takes several texts as a tuple."


def _name_all_columns(context: RuleContext, call: ast.Call) -> Change | None:
    """``df.rename(columns=["a", "b"])`` with a name for each column."""
    if "not callable" not in context.failure.evalue or call.args or not isinstance(call.func, ast.Attribute):
        return None
    match call:
        case ast.Call(ast.Attribute(table, "rename"), [], [ast.keyword("columns", ast.List(names) as given)]):
            pass
        case _:
            return None
    if context.number(f"len(({context.text(table)}).columns)") != len(names):
        return None
    new = f"set_axis({context.text(given)}, axis=1)"
    span = (context.find_attribute_span(call.func)[0], context.span(call)[1])
    return [(*span, new)], f"Use `{new}`", "`rename` takes a dictionary of old and new names."


def _leave_axis_out(context: RuleContext, call: ast.Call) -> Change | None:
    """``prices.sum(axis=1)`` of a column, and of an array of one dimension."""
    evalue = context.failure.evalue
    kind = "pandas.Series" if "No axis named" in evalue else "numpy.ndarray" if "axis 1 is out" in evalue else ""
    axis = next((k for k in call.keywords if k.arg == "axis"), None)
    if not kind or axis is None or read_last_name(call.func) not in REDUCTIONS or _is_kept_as_column(context, call):
        return None
    if not context.describe_all(_list_reduced(call), calls=True)[0].is_a(kind):
        return None
    start, end = context.span(axis)
    before = context.source[:start].rstrip()
    if before.endswith(","):
        start = len(before) - 1
    elif (match := re.match(r"\s*,\s*", context.source[end:])) is not None:
        end += match.end()
    what = "A series" if kind == "pandas.Series" else "An array of one dimension"
    return [(start, end, "")], "Remove `axis`", f"{what} has one axis."


def _join_numbers(context: RuleContext, call: ast.Call) -> Change | None:
    """``names.str.cat(numbers)``."""
    if (
        "Concatenation requires" not in context.failure.evalue
        or read_last_name(call.func) != "cat"
        or len(call.args) != 1
    ):
        return None
    given = call.args[0]
    info = context.describe_all([given], calls=True)[0]
    if not info.is_a("pandas.Series") or not info.dtype.lower().startswith(("int", "uint")):
        return None
    new = f"{context.operand(given)}.astype(str)"
    return [(*context.span(given), new)], f"Use `{new}`", f"`{context.text(given)}` holds numbers, not texts."


def _name_function(context: RuleContext, call: ast.Call) -> Change | None:
    """``agg("avg")``, which pandas calls otherwise, or which is a function of the notebook."""
    evalue = context.failure.evalue
    if "has no attribute" not in evalue and "valid function" not in evalue:
        return None
    is_aggregating = read_last_name(call.func) in AGGREGATING | {"pivot_table", "crosstab"}
    named_by = [*call.args, *(k.value for k in call.keywords)] if is_aggregating else []
    named_by += [k.value for k in call.keywords if k.arg == "estimator"]  # of seaborn
    for node in (n for a in named_by for n in ast.walk(a)):
        if not isinstance(node, ast.Constant) or repr(node.value) not in evalue:
            continue
        if context.is_own_function(own := str(node.value)):
            return [(*context.span(node), own)], f"Use `{own}`", f"`{own}` is a function of the notebook."
        if (word := WORDS.get(own)) and not _is_beside(call, node, word):
            mark = context.text(node)[-1]
            new = f"{mark}{word}{mark}"
            return [(*context.span(node), new)], f"Use {word!r}", f"pandas calls {node.value!r} {word!r}."
    return None


def _is_beside(call: ast.Call, node: ast.Constant, word: str) -> bool:
    """Whether the list that holds the text names that function already: ``["mean", "average"]`` was to have two."""
    lists = (n.elts for n in ast.walk(call) if isinstance(n, ast.List | ast.Tuple) and node in n.elts)
    return any(isinstance(e, ast.Constant) and e.value == word for elements in lists for e in elements)


def _list_reduced(call: ast.Call) -> list[ast.expr]:
    """What a call reduces: ``df["age"]`` of ``df["age"].max(axis=1)`` and of ``np.max(df["age"], axis=1)``."""
    assert isinstance(call.func, ast.Attribute)
    is_function = (
        isinstance(call.func.value, ast.Name) and call.func.value.id in ("np", "numpy") and len(call.args) == 1
    )
    return [call.args[0] if is_function else call.func.value]


def _is_kept_as_column(context: RuleContext, call: ast.Call) -> bool:
    """Whether what a call gives is put under a name of a table."""
    stored = (
        n for n in context.walk(ast.Assign) if any(isinstance(t, ast.Subscript | ast.Attribute) for t in n.targets)
    )
    given = (n for n in context.walk(ast.Call) if read_last_name(n.func) in ("assign", "insert"))
    return any(call in ast.walk(n) for n in (*stored, *given))
