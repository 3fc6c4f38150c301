"""PDA122: a write into a column of a table that does nothing since pandas 3, far above the failure that it causes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.called_functions import Called, Place, find_called, walk_with_places
from jupyter_selfheal.healers.rules.context.column_aliases import METHODS, AliasWrite, list_alias_writes
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name
from jupyter_selfheal.healers.rules.context.replay import (
    change_and_replay,
    count_cells_below,
    list_replayed_cells,
)
from jupyter_selfheal.healers.rules.context.text_questions import list_text_questions
from jupyter_selfheal.model import Applicability, Failure, FailureKind, Patch, Replace

FILLING = frozenset({"fillna", "ffill", "bfill", "interpolate"})
WARNING = "ChainedAssignmentError"
"""What pandas 3 warns of where such a write is lost; not where a column has a name of its own, nor where warnings are filtered."""
_CONDITIONS = frozenset(
    {"isna", "isnull", "notna", "notnull", "isin", "duplicated", "between", "eq", "ne", "lt", "gt", "le", "ge"}
)
MISSING = re.compile(
    r"\bNaNs?\b|\bnan\b|missing|NA or inf|non-finite|infinity|'float' object (?:has no attribute|is not)|type '?float'? (?:is not iterable|has no len)",
    re.I,
)
OTHER_MISTAKE = re.compile(
    r"unexpected keyword|positional argument|required argument|not callable|not subscriptable|Invalid parameter|multiple values"
)
"""Messages that speak of a call or an object that is wrong whatever the table holds."""
RELEASE = "int(__import__('pandas').__version__.split('.')[0])"


@dataclass(frozen=True, slots=True)
class Write:
    """One statement that writes into a column: its cell, the table's name, the column's text, and what it becomes."""

    cell_id: str
    table: str
    shown: str
    splice: Splice
    texts: frozenset[str]
    """Texts that it takes out of the column."""
    fills: bool
    place: Place = Place()
    """The function or method that it stands in."""
    by_label: bool = False
    """The row may have been named by position: without an index of integers ``loc`` would add one."""
    column: str = ""
    """The variable that holds the column's name; empty where the name stands in the code."""
    alias: str = ""
    """The column's own name, where it has one."""
    is_sure: bool = True
    """False where no more is known than that pandas warned in a cell that calls the function: of which write, it does not say."""


OF_EVERY_TABLE = frozenset({"columns", "index", "values", "dtypes", "iloc", "loc", "T"})
"""What a table has whatever its columns are."""


class LostWrite(Rule):
    """Write into the table itself where a write into one of its columns is lost.

    **Failure** Any that comes of a table which was not changed, often many cells below: `ValueError: could not convert string to
    float: 'male'`, `Input X contains NaN`. Since pandas 3.0 `df["c"].replace(…, inplace=True)`, `df["c"].fillna(0, inplace=True)`,
    `df["c"][mask] = 0`, `df["c"].loc[mask] = 0` and `df.loc[:, "c"].fillna(0, inplace=True)` change a copy, and only a warning says so, if it is not
    filtered out. So does `c = df["c"]` with `c.fillna(0, inplace=True)` below it, of which nothing warns. And so does a
    method that is given the table, or that writes into the object's own (`self.data["c"].fillna(0, inplace=True)`), where pandas warned of it.

    **Fix** `df["c"] = df["c"].replace(…)`, `df.loc[mask, "c"] = 0`, in every such statement that the failing cell's values come from.
    The cells that made them run again, from the first on. Where texts are replaced by numbers, `infer_objects()` makes
    a column of numbers of it, as pandas did itself.

    **Fix safety** Safe: the statement has no other effect than this one, it had it until pandas 3.0, and the failing cell runs with it
    and did not without. Only offered where it cannot be told that what a function is given is a table: a series in a dictionary is still
    changed in place. What never reached the table (`df[mask]["c"] = 0`, `df["c"].dropna(inplace=True)`) is left as it is.
    """

    code = "PDA122"
    name = "write into a column that is lost"
    stage = Stage.LIBRARY
    enames = frozenset(
        {"ValueError", "TypeError", "KeyError", "IndexError", "IntCastingNaNError", "LinAlgError", "MissingDataError",
         "UFuncNoLoopError", "UFuncTypeError", "_UFuncNoLoopError", "AssertionError", "InvalidParameterError", "AttributeError"}
    )  # fmt: skip
    kinds = frozenset({FailureKind.RAISED, FailureKind.MISSED})
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 this statement changed the table, which is all that it is for (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and may_come_of_a_table(failure)

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        writes = list_lost_writes(context)
        splices: dict[str, list[Splice]] = {}
        for write in writes:
            splices.setdefault(write.cell_id, []).append(write.splice)
        edits = change_and_replay(context, splices, {w.alias for w in writes if w.alias}) if writes else ()
        if not edits or list_text_questions(context):
            return  # PDA125 mends both: one without the other is not what the notebook did
        first = writes[0]
        where = context.notebook.name_cell(first.cell_id)
        below = count_cells_below(context)
        also = f" {below} cells below come of it, too." if below > 1 else ""
        more = f" (and {len(writes) - 1} more)" if len(writes) > 1 else ""
        warned = f" pandas warned of it there ({WARNING})." if _is_warned(context, first) else ""
        yield self.patch(
            edits,
            f"Write into `{first.table}` itself: `{first.shown}`{more}",
            f"Since pandas 3.0, the write into a column of `{first.table}` in {where} changes a copy: the table stays as it was.{warned}{also}",
            applicability=None if all(w.is_sure for w in writes) else Applicability.UNSAFE,
            prior=0.92 if any(_explains_failure(context.failure, w) for w in writes) else 0.6,
        )


def may_come_of_a_table(failure: Failure) -> bool:
    """True where what a table holds may be at fault, and not a call or an object that is wrong whatever it holds."""
    if MISSING.search(failure.evalue):
        return True
    return failure.ename != "AttributeError" and not OTHER_MISTAKE.search(failure.evalue)


def list_lost_writes(context: RuleContext) -> list[Write]:
    """The writes into columns that the failing cell's values come from, in order; none before pandas 3."""
    cells = (*list_replayed_cells(context), context.failure.cell_id)
    writes = [w for cell_id in cells for w in _list_writes(context, cell_id)]
    writes += [
        Write(a.cell_id, a.table, a.shown, a.splice, a.texts, a.fills, alias=a.name) for a in _list_aliases(context)
    ]
    if not writes or (context.number(RELEASE) or 0) < 3:
        return []
    return [judged for w in writes if (judged := _judge_write(context, w)) is not None]


def _list_aliases(context: RuleContext) -> list[AliasWrite]:
    """Writes into columns by a name of their own, of tables that the failing cell's values come from."""
    names = src.find_names(context.failure.source)
    made = [src.find_names(context.source_of(c)) for c in list_replayed_cells(context)]
    read = (names.uses | names.changes).union(*(m.binds | m.uses for m in made))
    return [a for a in list_alias_writes(context) if a.table in read]


def _is_warned(context: RuleContext, write: Write, called: Called | None = None) -> bool:
    """True where pandas warned when the cell of a write ran, or one that calls its function."""
    if not write.place:
        return WARNING in context.notebook.cell(write.cell_id).warned
    warned = [c for c in context.notebook.list_code_before(context.failure.cell_id) if WARNING in c.warned]
    if not write.place.owner:
        return any(write.place.name in src.find_names(c.source).uses for c in warned)
    called = called or find_called(context, write.cell_id, write.place)
    return called is not None and not {c.id for c in warned}.isdisjoint(cell_id for cell_id, _ in called.calls)


def is_lost_write_to_blame(context: RuleContext) -> bool:
    """True where the message names what a lost write would have taken away."""
    return any(_explains_failure(context.failure, write) for write in list_lost_writes(context))


def _explains_failure(failure: Failure, write: Write) -> bool:
    """True where the message names what the write would have taken away: a text that it replaces, or what is missing."""
    return (write.fills and MISSING.search(failure.evalue) is not None) or any(
        repr(text) in failure.evalue for text in write.texts
    )


def _judge_write(context: RuleContext, write: Write) -> Write | None:
    """The write where its name holds a table at the failure, in a function where some call gives it one; None where it does not, or nothing
    speaks for it. Not sure where only a warning does."""
    if write.alias:
        return write if context.describe_all([write.alias])[0].is_a("pandas.Series") else None
    if not write.place:
        is_column = not write.column or context.is_true(f"isinstance({write.column}, str)")  # else it was always a copy
        return write if is_column and _count_tables(context, write, [write.table]) else None
    called = find_called(context, write.cell_id, write.place)
    if called is None or (not called.calls and write.place.owner):
        return None
    is_warned = _is_warned(context, write, called)
    is_column = not write.column or _goes_through_texts(called, write)
    if write.table.startswith("self."):
        names = _list_own_tables(called, write)
        is_every = bool(names) and _count_tables(context, write, names) == len(names)
        return write if is_every and is_warned and is_column else None
    names = [e.id for e in called.list_given(write.table) if isinstance(e, ast.Name)]
    names += _list_results(context, called, write)
    if not called.has_own(write.table) and is_warned:
        names.append(write.table)
    known = context.describe_all(names)
    if _count_tables(context, write, names) and (is_column or is_warned):
        return replace(write, is_sure=is_column and not any(info.is_a("dict") for info in known))
    is_open = is_warned and not write.by_label and not any(info.type for info in known)
    return replace(write, is_sure=False) if is_open else None


def _count_tables(context: RuleContext, write: Write, names: list[str]) -> int:
    """How many names hold a table; none where rows are written to by a label, and a table has no integers for labels."""
    described = zip(names, context.describe_all(names), strict=True)
    tables = [name for name, info in described if info.is_a("pandas.DataFrame")]
    if write.by_label:
        indexes = [table.index_dtype for name in tables if (table := context.table(name)) is not None]
        return len(tables) if indexes and all(dtype.startswith("int") for dtype in indexes) else 0
    return len(tables)


def _list_own_tables(called: Called, write: Write) -> list[str]:
    """``b.data`` of every object ``b`` whose method writes into ``self.data``; empty where one of them has no name, or may be another's."""
    receivers = [
        read_dotted_name(call.func.value) if isinstance(call.func, ast.Attribute) else None for _, call in called.calls
    ]
    if not called.is_sure or called.bound != 1 or not all(receivers):
        return []
    return sorted({f"{receiver}{write.table.removeprefix('self')}" for receiver in receivers})


def _goes_through_texts(called: Called, write: Write) -> bool:
    """True where the variable of a function's write goes through names of columns: ``for c in ["a", "b"]``, ``for c in df.columns``."""
    for node in ast.walk(called.definition):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == write.column:
            items = node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple) else []
            is_written = bool(items) and all(isinstance(i, ast.Constant) and isinstance(i.value, str) for i in items)
            return is_written or (isinstance(node.iter, ast.Attribute) and node.iter.attr == "columns")
    return False


def _list_results(context: RuleContext, called: Called, write: Write) -> list[str]:
    """Names that the calls of a function are assigned to, where it returns the table that it writes into: ``data = clean(load())``."""
    returned = [n.value for n in ast.walk(called.definition) if isinstance(n, ast.Return)]
    if not returned or not all(isinstance(r, ast.Name) and r.id == write.table for r in returned):
        return []
    calls = {id(call) for _, call in called.calls}
    cells = dict.fromkeys(cell_id for cell_id, _ in called.calls)
    statements = [n for c in cells for n in src.walk(context.source_of(c)) if isinstance(n, ast.Assign)]
    return [t.id for n in statements for t in n.targets if isinstance(t, ast.Name) and id(n.value) in calls]


def keep_write(context: RuleContext, patch: Patch) -> Patch:
    """A patch after which a write into a column would be lost, with the write kept: ``df["c"].fillna(method="ffill", inplace=True)`` becomes
    ``df["c"] = df["c"].ffill()``, not ``df["c"].ffill(inplace=True)``, which runs and does nothing since pandas 3."""
    edits = []
    for edit in patch.edits:
        if isinstance(edit, Replace) and edit.cell_id == context.failure.cell_id and "inplace" in edit.source:
            lost = [w for w in _read_writes(edit.cell_id, edit.source) if _is_new(edit, w) and _is_of_table(context, w)]
            edit = replace(edit, source=src.splice(edit.source, [w.splice for w in lost]))
        edits.append(edit)
    return (
        patch
        if tuple(edits) == patch.edits
        else replace(patch, edits=tuple(edits), title=f"{patch.title}, and keep what it writes")
    )


def _is_new(edit: Replace, write: Write) -> bool:
    """Whether a write in place stands in a patched cell as it did not before."""
    start, end, _ = write.splice
    call = edit.source[start:end]
    return "inplace" in call and call not in edit.old


def _is_of_table(context: RuleContext, write: Write) -> bool:
    """Whether a column of a table is written into, in a release in which that changes a copy."""
    is_column = not write.column or context.is_true(f"isinstance({write.column}, str)")
    is_table = is_column and context.describe_all([write.table])[0].is_a("pandas.DataFrame")
    return is_table and (context.number(RELEASE) or 0) >= 3


def has_lost_writes(source: str) -> bool:
    """True where a text holds such a write, whatever it is that it writes into."""
    return any(_read_writes("", source))


def _list_writes(context: RuleContext, cell_id: str) -> Iterator[Write]:
    return _read_writes(cell_id, context.source_of(cell_id))


def _read_writes(cell_id: str, source: str) -> Iterator[Write]:
    if "[" not in source and "inplace" not in source:
        return
    for statement in src.list_statements(source):
        for place, node in walk_with_places(statement.node):
            write = None
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                write = _read_call(source, node.value)
            elif isinstance(node, ast.Assign | ast.AugAssign):
                write = _read_assignment(source, node)
            if write is not None:
                (table, column), span, text, texts, fills = write
                by_label = isinstance(node, ast.Assign | ast.AugAssign) and not _is_mask(node)
                yield Write(cell_id, table, text, (*span, text), texts, fills, place, by_label, column)


_Reading = tuple[tuple[str, str], tuple[int, int], str, frozenset[str], bool]
"""The table and the variable of its column, the span, the text in its place, the texts that it takes out, whether it fills."""


def _read_call(source: str, call: ast.Call) -> _Reading | None:
    """``df["c"].replace(…, inplace=True)`` as ``df["c"] = df["c"].replace(…)``."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in METHODS):
        return None
    in_place = next((k for k in call.keywords if k.arg == "inplace"), None)
    whole = _find_whole_column(source, call.func.value)
    table = (whole[0], "") if whole is not None else _find_table(call.func.value)
    if (
        in_place is None
        or not (isinstance(in_place.value, ast.Constant) and in_place.value.value is True)
        or table is None
    ):
        return None
    column = src.extract_text(source, call.func.value)
    rest = [src.extract_text(source, a) for a in (*call.args, *(k for k in call.keywords if k is not in_place))]
    end = ".infer_objects()" if call.func.attr == "replace" and turns_texts_to_numbers(call) else ""
    value = f"{column}.{call.func.attr}({', '.join(rest)}){end}"
    text = f"{column} = {value}" if whole is None else whole[1].replace("VALUE", value)
    texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return table, src.find_span(source, call), text, frozenset(texts), call.func.attr in FILLING


def turns_texts_to_numbers(call: ast.Call) -> bool:
    """True for ``replace({"no": 0, "yes": 1})``, by the literals in the call, and where a variable holds what is replaced."""
    given = (*call.args, *(k.value for k in call.keywords if k.arg in ("to_replace", "value")))
    if any(isinstance(a, ast.Name | ast.Attribute) for a in given):
        return True
    values = [n.value for a in (*call.args, *call.keywords) for n in ast.walk(a) if isinstance(n, ast.Constant)]
    return any(isinstance(v, str) for v in values) and any(type(v) in (int, float) for v in values)


def _read_assignment(source: str, node: ast.Assign | ast.AugAssign) -> _Reading | None:
    """``df["c"][mask] = 0`` as ``df.loc[mask, "c"] = 0``, ``df["c"].iloc[0] = 0`` by the column's place."""
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    if not isinstance(target, ast.Subscript) or (isinstance(node, ast.Assign) and len(node.targets) > 1):
        return None
    column, how = target.value, "loc"
    if isinstance(column, ast.Attribute) and column.attr in ("loc", "iloc", "at", "iat"):
        how = column.attr
        column = column.value
    elif isinstance(target.slice, ast.Slice):
        return None  # rows by position or by label: which of the two hangs on the index
    table = _find_table(column)
    if table is None or isinstance(target.slice, ast.Tuple):
        return None
    name = _name_column(source, column)
    key = src.extract_text(source, target.slice)
    place = f"{table[0]}.columns.get_loc({name})" if how in ("iloc", "iat") else name
    span = src.find_span(source, target)
    return table, span, f"{table[0]}.{how}[{key}, {place}]", frozenset(), True


def _find_whole_column(source: str, node: ast.expr) -> tuple[str, str] | None:
    """The table of ``df.loc[:, "c"]`` and ``df.iloc[:, 1]``, and the statement that sets the column to VALUE."""
    if not (
        isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and isinstance(node.slice, ast.Tuple)
    ):
        return None
    table, parts = node.value.value, node.slice.elts
    if not isinstance(table, ast.Name) or len(parts) != 2 or not isinstance(parts[0], ast.Slice):
        return None
    rows, column = parts[0], parts[1]
    if not (rows.lower is rows.upper is rows.step is None and isinstance(column, ast.Constant)):
        return None
    key = src.extract_text(source, column)
    if node.value.attr == "loc" and isinstance(column.value, str):
        return table.id, f"{table.id}[{key}] = VALUE"
    if node.value.attr == "iloc" and type(column.value) is int:
        return table.id, f"{table.id}.isetitem({key}, VALUE)"
    return None


def _is_mask(node: ast.Assign | ast.AugAssign) -> bool:
    """True where the rows are chosen by an indexer, or by an expression that is a condition."""
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    if not isinstance(target, ast.Subscript):
        return False
    if isinstance(target.value, ast.Attribute) and target.value.attr in ("loc", "iloc", "at", "iat"):
        return True
    key = target.slice
    return isinstance(key, ast.Compare) or (
        (isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.Invert))
        or (isinstance(key, ast.BinOp) and isinstance(key.op, ast.BitAnd | ast.BitOr))
        or (isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute) and key.func.attr in _CONDITIONS)
    )


def _name_column(source: str, column: ast.expr) -> str:
    """The text of a column's name: ``'c'`` of ``df.c`` and of ``df['c']``."""
    if isinstance(column, ast.Attribute):
        return repr(column.attr)
    return src.extract_text(source, column.slice) if isinstance(column, ast.Subscript) else ""


def _find_table(column: ast.expr) -> tuple[str, str] | None:
    """("df", "") of ``df["c"]`` and ``df.c``, ("df", "name") of ``df[name]``, ("self.df", "") of ``self.df["c"]``; None for anything else, also for
    a list of columns or a selection of rows."""
    table = _name_table(column.value) if isinstance(column, ast.Subscript | ast.Attribute) else ""
    if isinstance(column, ast.Subscript) and table:
        if isinstance(column.slice, ast.Name):
            return table, column.slice.id
        is_one = isinstance(column.slice, ast.Constant) and isinstance(column.slice.value, str)
        return (table, "") if is_one else None
    if isinstance(column, ast.Attribute) and table and column.attr not in OF_EVERY_TABLE:
        return table, ""
    return None


def _name_table(node: ast.expr) -> str:
    """What may be a table's name: ``df``, or ``self.df`` in a method; empty for anything else, such as ``self``."""
    if isinstance(node, ast.Name):
        return "" if node.id == "self" else node.id
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return ast.unparse(node) if is_own else ""
