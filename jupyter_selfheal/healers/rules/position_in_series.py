"""PDA104: an integer in brackets that meant a position of a Series."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.model import Applicability, Patch

MISSED = re.compile(r"^\s*-?\d+\s*$|^\W{0,2}(?:None of \[\w*(?:Index)?\()?\[\s*-?\d+(?:,\s*-?\d+)*\]")

APART = re.compile(r"broadcast|[Ll]ength|[Ss]hape|size")
"""What is said of two things of which one is longer."""

NUMBERS = re.compile(r"u?int|float|double|decimal", re.IGNORECASE)
_INTEGERS = re.compile(r"u?int", re.IGNORECASE)


class PositionInSeries(Rule):
    """Take an item of a Series by its position with ``.iloc``.

    **Failure** `KeyError: 0` from `s[0]`, also from `s[[0, 2]]` or `s[np.argsort(s)]`, where the index of `s` holds no integers: pandas 3 reads every key as a label. `ValueError: operands could not be
    broadcast together`, below `s[-1] = 5`, which added a row of that label.

    **Fix** `s.iloc[0]`, for every integer key of the same Series in the cell.

    **Fix safety** Safe where the live index is not of numbers, because an integer could mean nothing but a position. Unsafe for
    a negative key on an index of numbers (`s[-1]`), which never worked but can mean nothing else, for truth values, where a text has that number, and for a row
    that a key from zero on added, unless the notebook is older. Silent where the number
    may be a label that is missing.
    """

    code = "PDA104"
    name = "position in a Series"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "IndexError", "ValueError"})
    warning = re.compile(r"Series\.__[gs]etitem__ treating keys as positions is deprecated")
    applicability = Applicability.SAFE
    why = "The live index holds no numbers, so that the integer can only be a position (pandas 3.0 release notes)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "ValueError":
            yield from self._mend_added_rows(context)
            return
        if not context.failure.is_warning and not MISSED.search(context.failure.evalue):
            return
        for node in context.list_nodes_at_failure(ast.Subscript):
            table = context.table(node.value)
            if not table or table.columns or not is_position(context, node.slice):
                continue
            if is_forecast_of_old(context, node.value):
                return
            labels = 2 if NUMBERS.match(table.index_dtype) else _rate_labels(context, node, table.index_dtype)
            negative = context.failure.evalue.strip().startswith("-")
            if labels > 1 and not (negative and "RangeIndex" in table.index_type):
                continue
            splices = [s for other in _list_same_subscripts(context, node) for s in _use_iloc(context, other)]
            yield self.patch(
                context.replace(context.cell_id, splices),
                f"Use `{context.text(node.value)}.iloc[{context.text(node.slice)}]`",
                f"`{context.text(node)}` looks for a label, not a position.",
                applicability=Applicability.UNSAFE if labels else Applicability.SAFE,
                why=(self.why, "A label may be meant.", "No label is negative.")[labels],
                prior=0.75 if labels else 0.9,
            )
            return

    def _mend_added_rows(self, context: RuleContext) -> Iterator[Patch]:
        """``s[-1] = 5`` of an index of texts or dates: it was the last item, and is a row of that label since pandas 3.0."""
        if not APART.search(context.failure.evalue):
            return
        written = [
            n
            for n in context.walk(ast.Subscript)
            if isinstance(n.ctx, ast.Store) and isinstance(n.slice, ast.Constant | ast.UnaryOp)
        ]
        for text in dict.fromkeys(context.text(n.value) for n in written if isinstance(n.value, ast.Name)):
            same = [n for n in written if context.text(n.value) == text]
            keys = f"{{{', '.join(context.text(n.slice) for n in same)}}}"
            added = f"{{n for n in {text}.index if hasattr(n, '__index__')}} == {keys}"
            doubt = "" if "-" in keys or find_older_use(context, "pandas", "3.0") else "A label may be meant."
            if context.is_true(f"{added} and all(abs(k + 0.5) < len({text}) - len({keys}) for k in {keys})"):
                yield self.patch(
                    context.replace_here(*(s for n in same for s in _use_iloc(context, n))),
                    f"Use `{text}.iloc[{context.text(same[0].slice)}]`",
                    f"`{context.text(same[0])} = …` added a row to `{text}`, of which no other label is a number.",
                    applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                    why=doubt or self.why,
                    prior=0.9,
                )


def is_forecast_of_old(context: RuleContext, node: ast.expr) -> bool:
    """True for ``model.forecast(5)`` in a notebook with statsmodels' removed ARIMA, which gave three arrays: forecasts, errors, intervals."""
    is_forecast = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "forecast"
    return is_forecast and any("arima_model" in c.source for c in context.notebook.cells if c.kind == "code")


def _rate_labels(context: RuleContext, node: ast.Subscript, dtype: str) -> int:
    """2 where a label, or its first part, may be a number; 1 for truth values, and where one is that number as a text; else 0."""
    if dtype == "bool":
        return 1
    key = f"({context.text(node.slice)})"
    labels = f"(i[0] if isinstance(i, tuple) else i for i in ({context.text(node.value)}).index)"
    is_number = "hasattr(n, '__index__') or hasattr(n, 'left') or (isinstance(n, float) and n == n)"
    is_truth = "type(n).__name__ in ('bool', 'bool_')"
    is_text = f"n in [str(k) for k in ({key} if hasattr({key}, '__len__') else [{key}])]"
    rated = context.number(
        f"max((1 if {is_truth} or {is_text} else 2 if {is_number} else 0 for n in {labels}), default=0)"
    )
    return int(rated) if rated is not None else 2 if dtype in ("object", "category") else 0


def is_position(context: RuleContext, key: ast.expr) -> bool:
    """Whether a key is a whole number, or a list or an array of them."""
    live = context.describe_all([key], calls=True)[0]
    if live.is_a("numpy.ndarray", "pandas.Series", "pandas.Index"):
        return _INTEGERS.match(live.dtype) is not None
    if live.is_a("builtins.bool"):
        return False
    if live.is_a("builtins.int", "numpy.integer"):
        return True
    return isinstance(key, ast.List) and bool(key.elts) and all(is_position(context, e) for e in key.elts)


def _list_same_subscripts(context: RuleContext, node: ast.Subscript) -> list[ast.Subscript]:
    text = context.text(node.value)
    return [
        n
        for n in context.walk(ast.Subscript)
        if (
            n is node
            or (
                context.text(n.value) == text
                and isinstance(n.slice, ast.Constant | ast.UnaryOp | ast.List)
                and is_position(context, n.slice)
            )
        )
    ]


def _use_iloc(context: RuleContext, node: ast.Subscript) -> list[Splice]:
    end = context.span(node.value)[1]
    return [(end, end, ".iloc")]
