"""PDA134: rows by position given to ``loc``, columns by name given to ``iloc``, several columns given to ``loc`` one by one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.place_in_table import is_reordered
from jupyter_selfheal.model import Applicability, Patch

NO_NUMBERS = ("string", "datetime64", "datetime", "date", "categorical", "empty")
"""What pandas says labels are of which none is a number."""
SLICED = "The labels are no numbers, so positions are meant; but a slice of labels holds its end, too."


class LabelOrPosition(Rule):
    """Say rows and columns by label to `loc`, by position to `iloc`.

    **Failure** `KeyError: 0` at `df.loc[0]`, where the rows have names; `ValueError: Location based indexing can only have [integer, …` at
    `df.iloc[:, "age"]`; `IndexError: .iloc requires numeric indexers` at `df.iloc[:, ["age", "name"]]`; `IndexingError: Too many indexers` at `df.loc[rows, "name", "age"]`; `TypeError: Slicing a positional slice with .loc is
    not allowed` at `df.loc["sum", :4] = …`.

    **Fix** `df.iloc[0]`, `df.loc[df.index[0], "age"]`; `df.loc[:, "age"]`, `df.loc["rome", "age"]`, `df.iloc[2, df.columns.get_loc("age")]`; `df.loc[rows, ["name", "age"]]`, `df.loc[("rome", 2024), "age"]` where rows have two labels; of a series, whose name is no label, `ages.loc["rome"]`;
    `df.loc["rome"]` for `df.iloc["rome"]`, or `df["age"]` where only a column has that name; `df.loc["sum", df.columns[:4]]`, `df.iloc[:2]`.

    **Fix safety** Safe: no row of an index of texts or dates has a number for its label, no column's place is a text, and the names are
    columns of the table. Unsafe where rows were left out or put in another order (`best = df.sort_values("age")[:3]`, `best.loc[0]`): the row of that label may be meant. Silent where the index holds other numbers, as texts too: `2` may mean the label `"02"`. A slice of whole numbers is safe where it is
    written to: until pandas 2.0 it was one of positions there (https://github.com/pandas-dev/pandas/issues/31810). Unsafe where it is read, which no release did: a label's slice holds its end.
    """

    code = "PDA134"
    name = "label or position"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "ValueError", "TypeError", "IndexingError", "IndexError"})
    applicability = Applicability.SAFE
    why = "The key has one reading: the index holds no numbers, and a name is no place."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            if not (isinstance(node.value, ast.Attribute) and node.value.attr in ("loc", "iloc")):
                continue
            table = node.value.value
            if context.read_plain_chain(table) is None and not context.describe_all([table], calls=True)[0].is_a(
                "pandas.NDFrame"
            ):
                continue
            if (sliced := _mend_slice(context, node, table)) is not None:
                was_place = isinstance(node.ctx, ast.Store)
                yield self.patch(
                    context.replace_here(*sliced[0]),
                    f"Use `{sliced[1]}`",
                    "`loc` takes labels of rows and columns, `iloc` their positions.",
                    applicability=Applicability.SAFE if was_place else Applicability.UNSAFE,
                    why="Until pandas 2.0 such a slice was one of positions where it is written to."
                    if was_place
                    else SLICED,
                    prior=0.92 if was_place else 0.6,
                )
                return
            change = (
                _mend_position(context, node, table) if node.value.attr == "loc" else _mend_name(context, node, table)
            )
            if change:
                yield self.patch(
                    context.replace_here(*change[0]),
                    f"Use `{change[1]}`",
                    "`loc` takes labels of rows and columns, `iloc` their positions.",
                    prior=0.92,
                )
                return
            if (place := _read_missing_row(context, node)) is not None and _is_left_row(context, table, place):
                splices, new = _write_place(context, node, context.operand(table), place)
                yield self.patch(
                    context.replace_here(*splices),
                    f"Use `{new}`",
                    "Rows were left out, or put in another order, and `loc` looks for their old labels.",
                    applicability=Applicability.UNSAFE,
                    why="The row that has this label may be meant, which is not there.",
                    prior=0.7,
                )
                return


def _mend_position(context: RuleContext, node: ast.Subscript, table: ast.expr) -> tuple[list[Splice], str] | None:
    """``df.iloc[0]`` for ``df.loc[0]``, and ``df.loc[rows, ["a", "b"]]`` for ``df.loc[rows, "a", "b"]``."""
    text = context.operand(table)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if context.failure.ename == "IndexingError":
        if (found := _mend_levels(context, node, text, parts)) is not None:
            return found
        names = [p.value for p in parts[1:] if isinstance(p, ast.Constant) and isinstance(p.value, str)]
        if (
            len(names) < 2
            or len(names) != len(parts) - 1
            or not context.is_true(f"set({names!r}) <= set(({text}).columns)")
        ):
            return None
        start, end = context.span(parts[1])[0], context.span(parts[-1])[1]
        inside = context.source[start:end]
        return [(start, end, f"[{inside}]")], f"{text}.loc[…, [{inside}]]"
    if (places := _mend_column_position(context, node, text, parts)) is not None:
        return places
    place = _read_missing_row(context, node)
    if place is None or not context.is_true(
        f"({text}).index.nlevels == 1 and all((isinstance(_, str) and not _.strip().isdigit()) or hasattr(_, 'year') for _ in ({text}).index)"
    ):
        return None
    if not context.is_true(f"-len({text}) <= {place} < len({text})"):
        return None
    return _write_place(context, node, text, place)


def _mend_levels(
    context: RuleContext, node: ast.Subscript, text: str, parts: list[ast.expr]
) -> tuple[list[Splice], str] | None:
    """``totals.loc["rome"]`` for ``totals.loc["rome", "price"]`` of the series `price`, and ``df.loc[("rome", 2024), "price"]`` for
    ``df.loc["rome", 2024, "price"]`` where the rows have two labels."""
    last = context.text(parts[-1]) if parts and isinstance(parts[-1], ast.Constant) else ""
    if not last:
        return None
    levels, rows = (
        len(parts) - 1,
        context.source[context.span(parts[0])[0] : context.span(parts[-2])[1]] if parts[1:] else "",
    )
    if context.is_true(f"({text}).ndim == 1 and ({text}).name == {last} and ({text}).index.nlevels == {levels}"):
        return [(*context.span(node.slice), rows)], f"{text}.loc[{rows}]"
    if levels > 1 and context.is_true(
        f"({text}).ndim == 2 and {last} in ({text}).columns and ({text}).index.nlevels == {levels}"
    ):
        return [(*context.span(node.slice), f"({rows}), {last}")], f"{text}.loc[({rows}), {last}]"
    return None


def _read_missing_row(context: RuleContext, node: ast.Subscript) -> str | None:
    """The whole number written for a row, where it is the key that is missing."""
    row = _find_row(node)
    sign = row.operand if isinstance(row, ast.UnaryOp) and isinstance(row.op, ast.USub) else row
    is_place = isinstance(sign, ast.Constant) and type(sign.value) is int and _is_loc(node)
    place = context.text(row)
    return place if is_place and context.failure.ename == "KeyError" and context.failure.evalue == place else None


def _is_left_row(context: RuleContext, table: ast.expr, place: str) -> bool:
    """Whether a table whose rows are no longer in their first order, or not all there, has a row at that place."""
    text = context.operand(table)
    has_numbers = f"({text}).index.inferred_type == 'integer' and ({text}).index.is_unique"
    return is_reordered(context, table) and context.is_true(f"{has_numbers} and 0 <= {place} < len({text})")


def _write_place(context: RuleContext, node: ast.Subscript, text: str, place: str) -> tuple[list[Splice], str]:
    assert isinstance(node.value, ast.Attribute)
    if isinstance(node.slice, ast.Tuple):
        if not isinstance(node.value.value, ast.Name) and isinstance(node.slice.elts[-1], ast.Constant):
            new = f"{text}.iloc[{place}][{context.text(node.slice.elts[-1])}]"
            return [(*context.span(node), new)], new
        return [(*context.span(_find_row(node)), f"{text}.index[{place}]")], f"{text}.index[{place}]"
    return [(*context.find_attribute_span(node.value), "iloc")], f"{text}.iloc[{place}]"


def _find_row(node: ast.Subscript) -> ast.expr:
    return node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice


def _is_loc(node: ast.Subscript) -> bool:
    return isinstance(node.value, ast.Attribute) and node.value.attr == "loc"


def _mend_slice(context: RuleContext, node: ast.Subscript, table: ast.expr) -> tuple[list[Splice], str] | None:
    """``df.loc["sum", df.columns[:4]]`` for ``df.loc["sum", :4]``, ``df.iloc[:2]`` for ``df.loc[:2]``."""
    assert isinstance(node.value, ast.Attribute)
    is_sliced = re.search("positional slice|cannot do slice indexing", context.failure.evalue) is not None
    if not is_sliced or node.value.attr != "loc":
        return None
    text, splices = context.operand(table), []
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part, axis in zip(parts[:2], ("index", "columns"), strict=False):
        if not isinstance(part, ast.Slice):
            continue
        bounds = [context.text(b) for b in (part.lower, part.upper) if b is not None]
        is_place = bounds and all(context.is_true(f"type({b}) is int") for b in bounds)
        labels = f"({text}).{axis}"
        if is_place and context.is_true(f"{labels}.is_unique and {labels}.inferred_type in {NO_NUMBERS!r}"):
            splices.append((*context.span(part), f"{text}.{axis}[{context.text(part)}]"))
    if not splices:
        return None
    if len(parts) == 1:
        return [(*context.find_attribute_span(node.value), "iloc")], f"{text}.iloc[{context.text(node.slice)}]"
    return splices, ", ".join(new for *_, new in splices)


def _mend_column_position(
    context: RuleContext, node: ast.Subscript, text: str, parts: list[ast.expr]
) -> tuple[list[Splice], str] | None:
    """``df.iloc[0, 2]`` for ``df.loc[0, 2]``, where every column has a name and rows are numbered from 0; ``df.loc[rows, df.columns[2]]`` for other rows."""
    if len(parts) != 2 or not (isinstance(parts[1], ast.Constant) and type(parts[1].value) is int):
        return None
    rows, place = context.text(parts[0]), context.text(parts[1])
    named = f"all(isinstance(_, str) for _ in ({text}).columns) and {place} < ({text}).shape[1]"
    if context.failure.evalue != place or not context.is_true(f"({text}).ndim == 2 and {named}"):
        return None
    assert isinstance(node.value, ast.Attribute)
    is_row = isinstance(parts[0], ast.Constant) and type(parts[0].value) is int
    if is_row and context.is_true(f"list(({text}).index) == list(range(len({text})))"):
        return [(*context.find_attribute_span(node.value), "iloc")], f"{text}.iloc[{rows}, {place}]"
    return [(*context.span(parts[1]), f"{text}.columns[{place}]")], f"{text}.loc[{rows}, {text}.columns[{place}]]"


def _mend_name(context: RuleContext, node: ast.Subscript, table: ast.expr) -> tuple[list[Splice], str] | None:
    """``df.loc[:, "age"]`` for ``df.iloc[:, "age"]``, ``df.iloc[2, df.columns.get_loc("age")]`` for ``df.iloc[2, "age"]``."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if not parts and context.failure.ename == "TypeError":
        return _mend_row_name(context, node, table)
    if len(parts) != 2 or context.failure.ename not in ("ValueError", "IndexingError", "TypeError", "IndexError"):
        return None
    rows, column = parts
    given = column.elts if isinstance(column, ast.List) else [column]
    names = [p.value for p in given if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    text = context.operand(table)
    if not names or len(names) != len(given) or not context.is_true(f"set({names!r}) <= set(({text}).columns)"):
        return None
    assert isinstance(node.value, ast.Attribute)
    if isinstance(rows, ast.Slice) and rows.lower is rows.upper is rows.step is None:
        return [(*context.find_attribute_span(node.value), "loc")], f"{text}.loc[:, {context.text(column)}]"
    if context.is_true(f"isinstance({context.text(rows)}, str) and {context.text(rows)} in ({text}).index"):
        return [(*context.find_attribute_span(node.value), "loc")], f"{text}.loc[{context.text(node.slice)}]"
    how = "get_indexer" if isinstance(column, ast.List) else "get_loc"
    new = f"{text}.columns.{how}({context.text(column)})"
    return [(*context.span(column), new)], new


def _mend_row_name(context: RuleContext, node: ast.Subscript, table: ast.expr) -> tuple[list[Splice], str] | None:
    """``df.loc["rome"]`` for ``df.iloc["rome"]``, where that is a row; ``df["age"]`` for ``df.iloc["age"]``, where it is only a column."""
    label, text = node.slice, context.operand(table)
    if not (isinstance(label, ast.Constant) and isinstance(label.value, str)):
        return None
    is_row = context.is_true(f"{label.value!r} in ({text}).index")
    if is_row == context.is_true(f"{label.value!r} in getattr({text}, 'columns', ())"):
        return None
    assert isinstance(node.value, ast.Attribute)
    if is_row:
        return [(*context.find_attribute_span(node.value), "loc")], f"{text}.loc[{context.text(label)}]"
    new = f"{text}[{context.text(label)}]"
    return [(*context.span(node), new)], new
