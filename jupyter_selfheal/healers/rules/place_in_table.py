"""PDA171: rows and columns of a table, or items of a shuffled Series, that are taken by their place as those of an array."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.parts_of_split import find_split
from jupyter_selfheal.healers.rules.position_in_series import is_position
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Applicability, Patch

_MISSED = re.compile(
    r"^-?\d+$|^\(.*\)$|\(.*\)' is an invalid key|unhashable type: 'slice'|None of \[(?:Index|RangeIndex)\([\s\S]*\] are in the \[columns\]"
)
"""What is missed is a number, or several at once."""
_TAKE_TABLES = re.compile(r"predict\w*|transform|inverse_transform|decision_function|score_samples")
"""Methods of estimators that take rows as a table."""
_REORDER = frozenset({
    "sample", "sort_values", "dropna", "drop_duplicates", "query", "nlargest", "nsmallest", "shuffle",
    "resample", "drop", "head", "tail",
})  # fmt: skip
"""Functions and methods that leave labels of rows out, or in another order."""


class PlaceInTable(Rule):
    """Take rows and columns by their place with `.iloc`.

    **Failure** `InvalidIndexError: (slice(None, None, None), 0)` at `X[:, 0]`, `KeyError: 0` at `X_test[0]`, where `X` is a table and no array;
    `KeyError: 0` at `y_test[0]`, where `y_test` came of `train_test_split` and the row 0 went to the other part; `KeyError: "None of [Index([0, 2], dtype='int64')] are in the [columns]"`
    at `X[train]`, where `train` are places.

    **Fix** `X.iloc[:, 0]`; `X.iloc[train], y.iloc[train]`; `X_test.iloc[0]`, and `X_test.iloc[[0]]` where an estimator is given it; `y_test.iloc[0]`.

    **Fix safety** Safe for several indices: all are numbers or slices of such, no column has one for its name, and rows are all taken, or counted from 0. Safe for the number of a loop through all places of a Series (`range(len(best))`), where the loop asks no other rows by it; other columns of these rows are asked by place, too. Safe for an array of places, where labels count the rows from 0 and there are not so many columns. Unsafe for another one: a column or a label
    may be meant. Silent for a Series whose labels nothing reordered, and where there is no such place.
    """

    code = "PDA171"
    name = "place in a table"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "InvalidIndexError", "TypeError"})
    message = _MISSED
    applicability = Applicability.UNSAFE
    why = "A label that is missing may be meant, and no place."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            table = context.table(node.value) if isinstance(node.ctx, ast.Load) else None
            if not table or any(not isinstance(c, str) or c.lstrip("-").isdigit() for c in table.columns):
                continue
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if not all(_is_place(context, part) for part in parts):
                continue
            text, key = context.operand(node.value), context.text(node.slice)
            is_several = len(parts) > 1
            is_shuffled = table.index_dtype.startswith("int") and is_reordered(context, node.value)
            if (is_several and len(parts) != 2) or not (table.columns or (is_shuffled and not is_several)):
                continue
            if not context.is_true(f"({text}.iloc[{key}], True)[1]"):
                continue
            if "None of" in context.failure.evalue:
                yield self._take_rows(context, node)
                return
            is_sure = is_several and (_is_whole(parts[0]) or _counts_rows(context, text))
            alike = [] if table.columns or is_several else _list_places_of_loop(context, node)
            is_sure = is_sure or bool(alike)
            row = f"[{key}]" if table.columns and not is_several and _is_given_to_estimator(context, node) else key
            yield self.patch(
                context.replace_here(
                    (*context.span(node), f"{text}.iloc[{row}]"),
                    *((*context.span(n), f"{context.operand(n.value)}.iloc[{key}]") for n in alike if n is not node),
                ),
                f"Use `{text}.iloc[{row}]`",
                f"`{context.text(node)}` looks for {'a column' if table.columns else 'a label'}, not a place.",
                applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
                why="All indices are places, and no column or row has another number for its name."
                if is_several and is_sure
                else "The loop counts all rows of the table from 0."
                if is_sure
                else self.why,
                prior=0.92 if is_sure else 0.7,
            )
            return

    def _take_rows(self, context: RuleContext, node: ast.Subscript) -> Patch:
        """Rows by an array of places: ``X.iloc[train]``, with all that is taken by these arrays, so that rows keep their partners."""
        key, taken = context.text(node.slice), _list_taken(context, node)
        owners = dict.fromkeys(context.operand(n.value) for n in taken)
        is_beyond = context.is_true(f"max({key}) >= {context.operand(node.value)}.shape[1]")  # no columns are meant
        is_sure = is_beyond and all(_counts_rows(context, owner) for owner in owners)
        return self.patch(
            context.replace_here(
                *((*context.span(n), f"{context.operand(n.value)}.iloc[{context.text(n.slice)}]") for n in taken)
            ),
            f"Use `{context.operand(node.value)}.iloc[{key}]`",
            f"`{context.text(node)}` looks for columns, not for places.",
            applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
            why="These are places of rows, and no label of a row is another number." if is_sure else self.why,
            prior=0.9 if is_sure else 0.7,
        )


def _list_taken(context: RuleContext, node: ast.Subscript) -> list[ast.Subscript]:
    """What the cell takes of tables and Series by an array of places that the failing table is asked by."""
    named = [n for n in context.walk(ast.Subscript) if isinstance(n.ctx, ast.Load) and isinstance(n.slice, ast.Name)]
    owner = context.text(node.value)
    keys = {context.text(n.slice) for n in named if context.text(n.value) == owner and is_position(context, n.slice)}
    asked = [n for n in named if n is not node and context.text(n.slice) in keys]
    known = context.describe_all([n.value for n in asked])
    return [node, *(n for n, live in zip(asked, known, strict=True) if live.is_a("pandas.NDFrame"))]


def _is_place(context: RuleContext, part: ast.expr) -> bool:
    """A number, or a slice between numbers."""
    if isinstance(part, ast.Slice):
        return all(is_position(context, b) for b in (part.lower, part.upper, part.step) if b is not None)
    return not isinstance(part, ast.List) and is_position(context, part)


def _list_places_of_loop(context: RuleContext, node: ast.Subscript) -> list[ast.Subscript]:
    """``good["v"][i]`` and its like in ``for i in range(len(good))``, also by a name for that length: each number of the loop is the place of a row.

    Empty where it may be something else.
    """
    if not isinstance(node.slice, ast.Name):
        return []
    owner = node.value.value if isinstance(node.value, ast.Subscript | ast.Attribute) else node.value
    lengths = {f"len({context.text(t)})" for t in (owner, node.value)} | {f"{context.text(owner)}.shape[0]"}
    for loop in context.walk(ast.For):
        match loop:
            case ast.For(target=ast.Name(id=counter), iter=ast.Call(func=ast.Name(id="range"), args=[bound])) if (
                counter == node.slice.id and loop.lineno <= node.lineno <= (loop.end_lineno or 0)
            ):
                pass
            case _:
                continue
        home = context.find_last_assignment(bound.id) if isinstance(bound, ast.Name) else None
        told = ast.unparse(home.node.value) if home is not None else ast.unparse(bound)
        if not context.is_true(f"{context.text(bound)} == len({context.text(owner)})"):
            return []
        is_moved = any(
            isinstance(n, ast.Name) and n.id == counter and isinstance(n.ctx, ast.Store)
            for s in loop.body
            for n in ast.walk(s)
        )
        if told in {ast.unparse(parse_expression(text)) for text in lengths} and not is_moved:
            return _list_alike(context, loop, node)
    return []


def _list_alike(context: RuleContext, loop: ast.For, node: ast.Subscript) -> list[ast.Subscript]:
    """What the loop reads by its number of columns with these rows: one asked by place beside another asked by label would be two rows.

    Empty where the number is a label of other rows, or one that is written to (``best.loc[i, "x"] = …`` makes a row), or an index of what has
    another length, or keys. Lists and arrays of one length are asked by place.
    """
    counter, rows = ast.unparse(node.slice), context.text(node.value)
    keyed = [
        n
        for n in ast.walk(loop)
        if isinstance(n, ast.Subscript) and any(isinstance(k, ast.Name) and k.id == counter for k in ast.walk(n.slice))
    ]
    asked = [n for n in keyed if not (isinstance(n.value, ast.Attribute) and n.value.attr in ("iloc", "iat"))]
    alike: list[ast.Subscript] = []
    owners = [
        n.value.value if isinstance(n.value, ast.Attribute) and n.value.attr in ("loc", "at") else n.value
        for n in asked
    ]
    for n, of, known in zip(asked, owners, context.describe_all(owners), strict=True):
        is_indexer, text = of is not n.value, context.text(of)
        is_read = isinstance(n.ctx, ast.Load)
        if known.is_a("pandas.NDFrame"):
            is_column = is_read and not is_indexer and isinstance(n.slice, ast.Name) and known.is_a("pandas.Series")
            if not is_column or not context.is_true(f"({text}).index.equals(({rows}).index)"):
                return []
            alike.append(n)
        elif is_read and (known.is_a("builtins.dict") or not context.is_true(f"len({text}) == len({rows})")):
            return []
    return alike if node in alike else []


def _is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _counts_rows(context: RuleContext, table: str) -> bool:
    """Whether the label of each row is its place, or no number."""
    index = f"({table}).index"
    counted = f"(type({index}).__name__ == 'RangeIndex' and {index}.start == 0 and {index}.step == 1)"
    return context.is_true(f"{counted} or all(isinstance(label, str) for label in {index})")


def is_reordered(context: RuleContext, node: ast.expr) -> bool:
    """Whether what gave a variable its value, or what stands there, leaves labels out or takes them in another order."""
    if _reorders(node):
        return True
    if isinstance(node, ast.Subscript):  # a column of it
        return is_reordered(context, node.value)
    if not isinstance(node, ast.Name):
        return False
    split = find_split(context)
    if split is not None and node.id in {*split.data.values(), *split.labels.values()} - {
        split.data.get("all"),
        split.labels.get("all"),
    }:
        return True
    home = context.find_last_assignment(node.id)
    made = home[2].value if home is not None else None
    return made is not None and _reorders(made)


def _reorders(made: ast.expr) -> bool:
    calls = {read_last_name(n.func) for n in ast.walk(made) if isinstance(n, ast.Call)}
    masks = any(isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Compare | ast.BinOp) for n in ast.walk(made))
    return masks or not calls.isdisjoint(_REORDER)


def _is_given_to_estimator(context: RuleContext, node: ast.expr) -> bool:
    return any(
        node in call.args and _TAKE_TABLES.fullmatch(read_last_name(call.func)) is not None
        for call in context.walk(ast.Call)
    )
