"""PDA187: a column of dates that `read_csv` made of others by `parse_dates={…}` or `parse_dates=[[…]]`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_text
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Applicability, Patch


class DatesOfColumns(Rule):
    """Make the column of dates behind the call that reads the table.

    **Failure** `TypeError: Only booleans and lists are accepted for the 'parse_dates' parameter` at `pd.read_csv(path, parse_dates={"when": ["date", "time"]})`,
    and `TypeError: list indices must be integers or slices, not list` at `parse_dates=[["date", "time"]]` or `[[0, 1, 2]]`.

    **Fix** The columns are read as the texts that stand in the file (`dtype={"date": str, "time": str}`), and a line behind the call puts the new column first, where it was, in
    place of those that it is made of: `table.insert(0, "when", pd.to_datetime(table.pop("date") + " " + table.pop("time")))`. Without a name of its own it has theirs, as before (`"date_time"`). Where it was
    the index (`index_col=0`), it becomes that again.

    **Fix safety** Safe: pandas joined the same texts by the same blank, and read the result as dates. Unsafe where the call says something of its own of the columns' types: numbers among them lose how
    they were written. Silent with another argument that depends on the columns, and where no name is assigned.
    """

    code = "PDA187"
    name = "dates of several columns"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"^Only booleans and lists are accepted for the 'parse_dates' parameter|^list indices must be integers or slices, not list$"
    )
    applicability = Applicability.SAFE
    why = "The texts of the columns are joined by a blank and read as dates, as pandas did it itself until 3.0."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        known = context.reference("pandas.to_datetime")
        for node in context.list_nodes_on_line(ast.Assign):
            reading = _read_dates(node) if isinstance(node, ast.Assign) else None
            if reading is None or known is None:
                continue
            start, end = context.span(node)
            indent = context.source[context.source.rfind("\n", 0, start) + 1 : start]
            if indent.strip():
                continue
            table = context.text(node.targets[0])
            lines = [
                line for m in reversed(reading.made) for line in _write_column(table, m, reading, known[0], context)
            ]
            if (at := reading.index) is not None:
                new = reading.made[at].new
                lines.append(f"{table} = {table}.set_index({quote_text(new) if new else f'{table}.columns[{at}]'})")
            rest = context.source[context.span(reading.call)[1] : context.span(node.value)[1]]
            if rest:
                lines.append(f"{table} = {table}{rest}")  # `.squeeze("columns")` is of what is left
            written = "".join(f"\n{indent}{line}" for line in lines)
            changes = [*_change_arguments(context, reading), (end - len(rest), end, written)]
            yield self.patch(
                context.replace_here(*changes, *context.add_imports([known[1]] if known[1] else [])),
                f"Make the column {reading.made[0].new!r} behind the call" if reading.made[0].new else "Make the column of dates behind the call",
                "`parse_dates` joins no columns since pandas 3.0.",
                applicability=Applicability.SAFE if reading.is_sure else Applicability.UNSAFE,
                why=self.why if reading.is_sure else "The columns are joined by a blank, as pandas did it until 3.0; numbers among them may have been written otherwise (`07`).",
                prior=0.9,
            )  # fmt: skip
            return


@dataclass(frozen=True, slots=True)
class _Made:
    """A column of dates, and the columns that it is made of: names, or places where the names are not known. ``new`` is empty where it is made of such names."""

    new: str
    parts: tuple[str | int, ...]
    are_places: bool = False


@dataclass(frozen=True, slots=True)
class _Reading:
    """The call that reads a table; ``rest`` are the columns that are dates by themselves, ``index`` the place of the new column that is the index."""

    call: ast.Call
    given: Mapping[str | None, ast.keyword]
    made: Sequence[_Made]
    rest: Sequence[ast.expr]
    index: int | None

    @property
    def types(self) -> ast.keyword | None:
        """What the call says of the columns' types."""
        return self.given.get("dtype")

    @property
    def is_sure(self) -> bool:
        """Whether the columns can be read as the texts that they are in the file, or there is nothing to join."""
        return self.types is None or all(len(m.parts) == 1 for m in self.made)


HELD = frozenset(
    {
        "infer_datetime_format",
        "date_parser",
        "chunksize",
        "iterator",
        "keep_date_col",
        "converters",
        "dtype_backend",
        "usecols",
    }
)
"""Arguments that say more of the columns, or that the new column is needed for at once."""

OF_DATES = {"date_format": "format", "dayfirst": "dayfirst"}
"""What says how dates are read, to `read_csv` and to `to_datetime`."""


def _read_dates(node: ast.Assign) -> _Reading | None:
    """What ``table = pd.read_csv(…, parse_dates=[[…]])`` reads, with or without methods behind it; None where that is another statement."""
    call = _find_reading(node.value)
    if call is None or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None
    given: dict[str | None, ast.keyword] = {k.arg: k for k in call.keywords}
    argument = given.get("parse_dates")
    formats = given.get("date_format")
    is_open = formats is not None and not isinstance(formats.value, ast.Constant)
    if argument is None or given.keys() & HELD or None in given or is_open:
        return None
    groups, rest = _read_groups(argument.value)
    names = _read_names(given)
    made = [_read_made(new, parts, names) for new, parts in groups]
    known = [m for m in made if m is not None]
    if not known or len(known) < len(made) or (len(known) > 1 and any(m.are_places for m in known)):
        return None
    index = given.get("index_col")
    place = None if index is None else _find_index(index.value, known)
    return None if place == -1 else _Reading(call, given, known, rest, place)


def _find_reading(node: ast.expr) -> ast.Call | None:
    """``read_csv(…)`` of ``pd.read_csv(…).squeeze("columns")``."""
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Call) and read_called_name(node) in ("read_csv", "read_table"):
            return node
        node = node.func if isinstance(node, ast.Call) else node.value
    return None


def _read_groups(value: ast.expr) -> tuple[list[tuple[str, ast.expr]], list[ast.expr]]:
    """Each new column with the list of those that it is made of, and what else is named."""
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        return [(str(k.value) if isinstance(k, ast.Constant) else "", v) for k, v in pairs], []
    if not isinstance(value, ast.List | ast.Tuple):
        return [], []
    nested = [e for e in value.elts if isinstance(e, ast.List | ast.Tuple)]
    return [("", e) for e in nested], [e for e in value.elts if e not in nested]


def _read_names(given: Mapping[str | None, ast.keyword]) -> list[str] | None:
    """The columns' names, where the call tells them; empty where there are none (they are their places then), None where they stand in the file."""
    header, names = given.get("header"), given.get("names")
    if names is not None:
        items = names.value.elts if isinstance(names.value, ast.List | ast.Tuple) else []
        return [str(e.value) for e in items if isinstance(e, ast.Constant)] or None
    is_bare = header is not None and isinstance(header.value, ast.Constant) and header.value.value is None
    return [] if is_bare else None


def _read_made(new: str, group: ast.expr, names: list[str] | None) -> _Made | None:
    """A column of dates; None where what it is made of is not written down."""
    items = group.elts if isinstance(group, ast.List | ast.Tuple) else [group] if new else []
    values = [e.value if isinstance(e, ast.Constant) else None for e in items]
    parts = tuple(v for v in values if isinstance(v, str) or type(v) is int)
    if not parts or len(parts) < len(values):
        return None
    if names is None and any(isinstance(p, int) for p in parts):
        return _Made(new, parts, True) if all(isinstance(p, int) and p >= 0 for p in parts) else None
    if names:
        if any(isinstance(p, int) and not 0 <= p < len(names) for p in parts):
            return None
        parts = tuple(names[p] if isinstance(p, int) else p for p in parts)
    return _Made(new or "_".join(map(str, parts)), parts)


def _find_index(value: ast.expr, made: Sequence[_Made]) -> int | None:
    """The place of the new column that is the index: the new ones came first. None for no index, -1 where it is another one."""
    if isinstance(value, ast.List | ast.Tuple) and len(value.elts) == 1:
        value = value.elts[0]
    wanted = value.value if isinstance(value, ast.Constant) else -1
    if wanted is None or wanted is False:
        return None
    if type(wanted) is int:
        return wanted if 0 <= wanted < len(made) else -1
    return next((n for n, m in enumerate(made) if m.new and m.new == wanted), -1)


def _change_arguments(context: RuleContext, reading: _Reading) -> Iterator[Splice]:
    """The call without what the lines behind it say, and with the columns as texts."""
    given, rest = reading.given, ", ".join(context.text(e) for e in reading.rest)
    kept = [f"parse_dates=[{rest}]"] if rest else []
    if reading.types is None:
        parts = dict.fromkeys(p for m in reading.made for p in m.parts)
        kept.append(f"dtype={{{', '.join(f'{_quote(p)}: str' for p in parts)}}}")
    yield build_argument_splice(context, reading.call, given["parse_dates"], ", ".join(kept))
    gone = ["index_col"] if reading.index is not None else []
    for name in [*gone, *(OF_DATES if not rest else ())]:
        if name in given:
            yield build_argument_splice(context, reading.call, given[name], "")


def _write_column(table: str, made: _Made, reading: _Reading, to_datetime: str, context: RuleContext) -> Iterator[str]:
    """The lines that make a column and take those away that it is made of."""
    as_text = "" if reading.types is None else ".astype(str)"
    options = "".join(
        f", {new}={context.text(reading.given[old].value)}" for old, new in OF_DATES.items() if old in reading.given
    )
    places = ", ".join(map(str, made.parts))
    new = quote_text(made.new) if made.new else f'"_".join({table}.columns[[{places}]])'
    read = [f"{table}.iloc[:, {p}]" if made.are_places else f"{table}.pop({_quote(p)})" for p in made.parts]
    joined = ' + " " + '.join(f"{one}{as_text}" for one in read)
    yield f"{table}.insert(0, {new}, {to_datetime}({joined}{options}))"
    if made.are_places:
        behind = ", ".join(str(int(p) + 1) for p in made.parts)
        yield f"{table} = {table}.drop(columns={table}.columns[[{behind}]])"


def _quote(part: str | int) -> str:
    return quote_text(part) if isinstance(part, str) else str(part)
