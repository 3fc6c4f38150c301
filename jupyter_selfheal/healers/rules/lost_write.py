"""PDA122: a write into a column of a table that does nothing since pandas 3, far above the failure that it causes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.called_functions import Called, find_called
from jupyter_selfheal.healers.rules.context.column_aliases import AliasWrite, list_alias_writes
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.lost_writes import Write, read_writes
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name
from jupyter_selfheal.healers.rules.context.replay import (
    change_and_replay,
    count_cells_below,
    list_replayed_cells,
)
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE, list_text_questions
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.model import Applicability, Edit, Failure, Patch, Replace

WARNING = "ChainedAssignmentError"
"""What pandas 3 warns of where such a write is lost; not where a column has a name of its own, nor where warnings are filtered."""
MISSING = re.compile(
    r"\bNaNs?\b|\bnan\b|missing|NA or inf|non-finite|infinity|'float' object (?:has no attribute|is not)|type '?float'? (?:is not iterable|has no len)",
    re.I,
)
IGNORED = re.compile(r"\b(?:filterwarnings|simplefilter)\(\s*(?:action\s*=\s*)?['\"]ignore")
OTHER_MISTAKE = re.compile(
    r"unexpected keyword|positional argument|required argument|not callable|not subscriptable|Invalid parameter|multiple values"
)
"""Messages that speak of a call or an object that is wrong whatever the table holds."""


class LostWrite(Rule):
    """Write into the table itself where a write into one of its columns is lost.

    **Failure** Any that comes of a table which was not changed, often many cells below: `ValueError: could not convert string to
    float: 'male'`, `Input X contains NaN`. Since pandas 3.0 `df["c"].replace(…, inplace=True)`, `df["c"].fillna(0, inplace=True)`,
    `df["c"][mask] = 0`, `df["c"][:5] = 0`, `df["c"].loc[mask] = 0` and `df.loc[:, "c"].fillna(0, inplace=True)` change a copy, and only a warning says so, if it is not
    filtered out. So does `c = df["c"]` with `c.fillna(0, inplace=True)` below it, of which nothing warns. And so does a
    method that is given the table, or that writes into the object's own (`self.data["c"].fillna(0, inplace=True)`), where pandas warned of it. A table whose
    name holds an array by now (`X = scaler.fit_transform(X)`) counts where pandas warned, or the notebook filters its warnings out.

    **Fix** `df["c"] = df["c"].replace(…)`, `df.loc[mask, "c"] = 0`, in every such statement that the failing cell's values come from, and in those that write into the same table elsewhere. Where texts are replaced by numbers, `infer_objects()` makes
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
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 this statement changed the table, which is all that it is for (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and may_come_of_a_table(failure)

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        writes = list_lost_writes(context)
        aside = _list_writes_aside(context, writes)
        named = {w.alias for w in writes if w.alias}
        edits = _write_all(context, [*writes, *aside], named | {w.table for w in aside}) if aside else ()
        if edits:
            writes = [*writes, *aside]
        elif writes:
            edits = _write_all(context, writes, named)
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


def _write_all(context: RuleContext, writes: list[Write], also: set[str]) -> tuple[Edit, ...]:
    """The edits of some writes, above the failing cell with the cells that run again; none where one of them cannot be made again."""
    splices: dict[str, list[Splice]] = {}
    for write in writes:
        splices.setdefault(write.cell_id, []).append(write.splice)
    below = {c.id for c in context.notebook.list_code_after(context.failure.cell_id)}
    above = change_and_replay(context, {c: s for c, s in splices.items() if c not in below}, also)
    return (*above, *(e for c in splices if c in below for e in context.replace(c, splices[c]))) if above else ()


def _list_writes_aside(context: RuleContext, writes: list[Write]) -> list[Write]:
    """What else is lost of the same tables, of which nothing fails here: in cells above that the failing one does not read, and in those
    below, down to one where the name becomes something else. It is as surely lost, and else its cells would run and be wrong."""
    tables = {w.table for w in writes if not (w.place or w.alias or w.column) and w.is_sure}
    seen = {w.cell_id for w in writes}
    above = {c.id for c in context.notebook.list_code_before(context.failure.cell_id)}
    again = list_replayed_cells(context, tables)
    found: list[Write] = []
    for cell in (
        *(context.notebook.cell(i) for i in again),
        *context.notebook.list_code_after(context.failure.cell_id),
    ):
        source = context.source_of(cell.id)
        if cell.id not in above:
            tables -= {t for t in tables if t in src.find_names(source).binds and not _stays_table(source, t)}
        if cell.id not in seen and not cell.skip and not cell.failed:
            lost = [w for w in _list_writes(context, cell.id) if w.table in tables]
            found += [w for w in lost if not (w.place or w.column or w.by_label)]
    return found


def _stays_table(source: str, name: str) -> bool:
    """Whether what a cell binds a table's name to is made of that table: ``df = df.drop("a", axis=1)``."""
    statements = [s.node for s in src.list_statements(source) if name in src.find_names(ast.unparse(s.node)).binds]
    return all(isinstance(s, ast.Assign) and _find_root(s.value) == name for s in statements)


def _find_root(node: ast.expr) -> str:
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


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
        return (
            write
            if is_column and (_count_tables(context, write, [write.table]) or _was_table(context, write))
            else None
        )
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


def _was_table(context: RuleContext, write: Write) -> bool:
    """True where the name holds something else by now (``X = scaler.fit_transform(X)``), and pandas warned when the write's cell ran, or could not,
    as the notebook filters warnings out."""
    if write.by_label or context.describe_all([write.table])[0].is_a("dict", "pandas.DataFrame", "pandas.Series"):
        return False
    above = context.notebook.list_code_before(context.failure.cell_id)
    return _is_warned(context, write) or any(IGNORED.search(c.source) for c in above)


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
    ``df["c"] = df["c"].ffill()``, not ``df["c"].ffill(inplace=True)``, which runs and does nothing since pandas 3, and ``df["c"].ix[mask] = 0``
    ``df.loc[mask, "c"] = 0``. What else the cell writes in
    place into columns of that table is kept too, and in a notebook that was written before pandas 3 whatever it writes so: with one half of it the
    cell would run, and give something else than it did."""
    edits = []
    for edit in patch.edits:
        if isinstance(edit, Replace) and edit.cell_id in (context.failure.cell_id, context.cell_id):
            failing = _list_failing_tables(context, edit)
            writes = [
                w
                for w in read_writes(edit.cell_id, edit.source)
                if _is_in_place(edit, w) or ((_is_new(edit, w) or w.table in failing) and not w.by_label)
            ]
            tables = {w.table for w in writes if (_is_new(edit, w) or w.table in failing) and _is_of_table(context, w)}
            is_old = not tables and bool(writes) and bool(find_older_use(context, "pandas", "3.0"))
            lost = [w for w in writes if (is_old or w.table in tables) and _is_of_table(context, w)]
            edit = replace(edit, source=src.splice(edit.source, [w.splice for w in lost]))
        edits.append(edit)
    return (
        patch
        if tuple(edits) == patch.edits
        else replace(patch, edits=tuple(edits), title=f"{patch.title}, and keep what it writes")
    )


def _list_failing_tables(context: RuleContext, edit: Replace) -> set[str]:
    """The table whose column the failing line itself writes into: it never did, and with a patch it would for nothing."""
    if edit.cell_id != context.cell_id:
        return set()
    writes = read_writes(edit.cell_id, edit.old)
    spans = ((w.table, [edit.old.count("\n", 0, at) + 1 for at in w.splice[:2]]) for w in writes)
    return {table for table, (first, last) in spans if first <= context.line <= last}


def _is_in_place(edit: Replace, write: Write) -> bool:
    start, end, _ = write.splice
    return "inplace" in edit.source[start:end]


def _is_new(edit: Replace, write: Write) -> bool:
    """Whether a write stands in a patched cell as it did not before."""
    start, end, _ = write.splice
    return edit.source[start:end] not in edit.old


def _is_of_table(context: RuleContext, write: Write) -> bool:
    """Whether a column of a table is written into, in a release in which that changes a copy."""
    is_column = not write.column or context.is_true(f"isinstance({write.column}, str)")
    is_table = is_column and context.describe_all([write.table])[0].is_a("pandas.DataFrame")
    return is_table and (context.number(RELEASE) or 0) >= 3


def _list_writes(context: RuleContext, cell_id: str) -> Iterator[Write]:
    return read_writes(cell_id, context.source_of(cell_id))
