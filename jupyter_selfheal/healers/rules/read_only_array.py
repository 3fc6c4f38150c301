"""NPA102: an array that shares its data with a table and is read-only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.shared_arrays import find_column, find_owner, list_names_of_table
from jupyter_selfheal.healers.rules.context.written_before import find_older_use, ran_once
from jupyter_selfheal.model import Applicability, Patch

TABLES = ("pandas.DataFrame", "pandas.Series")

REACHED = "The cell has run, so before pandas 3.0, and its write reached"
READ_ONLY = re.compile(r"read-only|WRITEABLE|readonly")
OF_TEXT = re.compile(r"Invalid value .* for dtype '?str'?", re.S)


class ReadOnlyArray(Rule):
    """Copy an array that is to be written into.

    **Failure** `ValueError: assignment destination is read-only`, where the array was taken from a table (`df.values`). `TypeError: Invalid value '1' for dtype 'str'` from `kinds[kinds == "m"] = 1`, where
    `kinds` are the values of a column of text: an array of objects until pandas 3.0, and of texts alone since.

    **Fix** `.copy()` (of a column of text `.astype(object)`) where the variable was assigned, in this cell or in the one above that did it; where the array is a column of a table that is read below, the column is
    set to it behind the write too (`homes['price'] = prices`). `homes['area'].values[mask] = 0` becomes `homes.loc[mask, 'area'] = 0`,
    `homes.columns.values[2] = 'zone'` a `rename`.

    **Fix safety** Safe: since pandas 3.0 such an array never writes through to its table, so a copy is what it is where nothing below reads the column. Where something does, the copy alone is
    unsafe: until pandas 3.0 the write reached the table, which it does where the column is set again. That is
    safe where the notebook stores that the failing cell has run, or uses what was gone before pandas 3.0 (`sklearn.cross_validation`, `np.int`), and unsafe elsewhere: who writes it today may mean the array alone. A copy is unsafe, too, where the table has
    a second name that is read below, where it is an item of something or an attribute (`self.table["price"]`), and for a view of an array that is locked (a diagonal,
    `np.memmap(…, mode="r")`, `flags.writeable = False`): the write was to reach that.
    """

    code = "NPA102"
    name = "read-only array"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(f"{READ_ONLY.pattern}|{OF_TEXT.pattern}", re.DOTALL)
    applicability = Applicability.SAFE
    why = "The array does not write through to its table any more, so that a copy has the same effect."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        is_text = OF_TEXT.search(context.failure.evalue) is not None
        if not is_text:
            yield from self._write_by_label(context)
            yield from self._rename_column(context)
        names = _list_written(context)
        for other in context.look_upwards(context.cell_id):
            node = _find_taken(other, names, context.line if other.cell_id == context.cell_id else 0)
            if node is not None and (not is_text or _is_column_of_text(node)):
                yield from self._copy(context, other, node, is_text=is_text)
            if node is not None:
                return

    def _copy(self, context: RuleContext, other: RuleContext, node: ast.Assign, *, is_text: bool) -> Iterator[Patch]:
        splice = _copy_array(other, node.value, ".astype(object)" if is_text else ".copy()")
        title = f"Copy the array before it is written into: `{splice[2].strip('()')}`"
        cause = "The array shares its data with what it was made of, and is read-only."
        if is_text:
            title = "Let the array hold any object: `.astype(object)`"
            cause = "Since pandas 3.0, the values of a column of text are an array that holds nothing but texts."
        table = src.find_root_name(node.value)
        is_table = context.describe_all([table])[0].is_a(*TABLES)
        is_read = is_table and is_read_below(context, table, _find_own_column(node.value))
        shared = "" if is_read else _describe_shared(context, node.value)
        if is_read and (back := _set_column(context, other, node)):
            splices = {other.cell_id: [splice]}
            splices.setdefault(context.cell_id, []).append(back)
            edits = tuple(e for cell_id, changes in splices.items() for e in context.replace(cell_id, changes))
            older = find_older_use(context, "pandas", "3.0")
            ran = ran_once(context) or bool(older)
            yield self.patch(
                edits,
                f"{title}, and set the column: `{back[2].strip()}`",
                cause,
                applicability=Applicability.SAFE if ran else Applicability.UNSAFE,
                why=f"The notebook uses `{older}`, so it was written before pandas 3.0, and the write reached `{table}`."
                if older
                else f"{REACHED if ran else 'If the notebook is older than pandas 3.0, the write reached'} `{table}`.",
                prior=0.9 if ran else 0.7,
            )
        yield self.patch(
            context.replace(other.cell_id, [splice]),
            title,
            cause,
            applicability=Applicability.UNSAFE if is_read or shared else Applicability.SAFE,
            why=f"Until pandas 3.0 the write reached `{table}`, which is read below." if is_read else shared,
            prior=0.6 if is_read or shared else 0.88,
        )

    def _rename_column(self, context: RuleContext) -> Iterator[Patch]:
        """``homes.columns.values[2] = 'zone'`` → ``homes = homes.rename(columns={homes.columns[2]: 'zone'})``."""
        for node in context.list_nodes_at_failure(ast.Assign):
            target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
            array = target.value if isinstance(target, ast.Subscript) else None
            names = array.value if isinstance(array, ast.Attribute) and array.attr == "values" else None
            is_names = (
                isinstance(names, ast.Attribute) and names.attr == "columns" and isinstance(names.value, ast.Name)
            )
            if not (isinstance(node, ast.Assign) and isinstance(target, ast.Subscript) and is_names):
                continue
            at, text = context.text(target.slice), context.text(node.value)
            table = src.find_root_name(target)
            is_one = context.is_true(f"isinstance({at}, int) and isinstance({text}, str) and {table}.columns.is_unique")
            if is_one and node in context.tree.body and context.describe_all([table])[0].is_a(TABLES[0]):
                new = f"{table} = {table}.rename(columns={{{table}.columns[{at}]: {text}}})"
                yield self.patch(
                    context.replace_here((*context.span(node), new)),
                    f"Rename the column: `{new}`",
                    "Since pandas 3.0, the names of columns are read-only.",
                    prior=0.9,
                )

    def _write_by_label(self, context: RuleContext) -> Iterator[Patch]:
        """``homes['area'].values[mask] = 0`` → ``homes.loc[mask, 'area'] = 0``."""
        for node in context.list_nodes_at_failure(ast.Assign):
            target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
            array = target.value if isinstance(target, ast.Subscript) else None
            place = find_column(array.value) if isinstance(array, ast.Attribute) and array.attr == "values" else None
            if not isinstance(target, ast.Subscript) or place is None or not isinstance(node, ast.Assign):
                continue
            mask, value = context.text(target.slice), context.text(node.value)
            is_plain = context.is_true(
                f"str(getattr(({mask}), 'dtype', '')) == 'bool' and __import__('numpy').ndim({value}) == 0"
            )
            if is_plain and context.describe_all([place[0]])[0].is_a(TABLES[0]):
                new = f"{place[0]}.loc[{mask}, {place[1]!r}]"
                yield self.patch(
                    context.replace_here((*context.span(target), new)),
                    f"Write into `{place[0]}` itself: `{new}`",
                    "Since pandas 3.0, the values of a column are read-only.",
                    prior=0.9,
                )


def _list_written(context: RuleContext) -> set[str]:
    """Names that the failing line writes into, or hands to something that does."""
    names: set[str] = set()
    for node in context.list_nodes_at_failure(ast.Assign, ast.AugAssign, ast.Call):
        if isinstance(node, ast.Assign):
            names |= {src.find_root_name(t) for t in node.targets if isinstance(t, ast.Subscript)}
        elif isinstance(node, ast.AugAssign):
            names.add(src.find_root_name(node.target))
        elif isinstance(node, ast.Call):
            names |= {
                src.find_root_name(a)
                for a in [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
            }
    return names - {""}


def _find_taken(context: RuleContext, names: set[str], before: int) -> ast.Assign | None:
    """The last assignment of one of the names that takes an array out of a table."""
    last = None
    for node in ast.walk(context.tree):
        if isinstance(node, ast.Assign) and not (before and node.lineno > before):
            taken = [t.id for t in node.targets if isinstance(t, ast.Name)]
            if names & set(taken) and _takes_array(node.value):
                last = node
    return last


def _is_column_of_text(node: ast.Assign) -> bool:
    """``kinds = df["kind"].values``, ``df.iloc[:, 4].values``."""
    if not (isinstance(node.value, ast.Attribute) and node.value.attr == "values"):
        return False
    match node.value.value:
        case ast.Subscript(value=ast.Attribute(attr="iloc"), slice=ast.Tuple(elts=[ast.Slice(), last])):
            number = last.operand if isinstance(last, ast.UnaryOp) else last
            return isinstance(number, ast.Constant) and isinstance(number.value, int)
    return bool(_find_own_column(node.value))


def _copy_array(context: RuleContext, value: ast.expr, call: str) -> Splice:
    """``.copy()`` behind what takes the array."""
    start, end = context.span(value)
    atom = context.operand(value)
    return (end, end, call) if atom == context.text(value) else (start, end, f"{atom}{call}")


def _find_own_column(value: ast.expr) -> str:
    """The column that an array is of, where it is of one."""
    inner = next((n for n in ast.walk(value) if isinstance(n, ast.expr) and find_column(n) is not None), None)
    place = find_column(inner) if inner is not None else None
    return place[1] if place is not None else ""


def is_read_below(context: RuleContext, table: str, column: str) -> bool:
    """Whether a table, or what holds this column of it where one is named, is read behind the failing line: in this cell or in one below."""
    later = [n for n in context.tree.body if n.lineno > context.line]
    later += _list_beside(context)
    cells = [c.source for c in context.notebook.list_code_after(context.failure.cell_id) if table in c.source]
    statements = (*later, *(s.node for source in cells for s in src.list_statements(source)))
    shape = context.table(table) if column else None
    others = frozenset(map(str, shape.columns)) - {column} if shape else frozenset[str]()
    return any(_reads_more(statement, table, column, others) for statement in statements)


def _list_beside(context: RuleContext) -> list[ast.stmt]:
    """The statements of the loop or block that the failing one stands in: they may run behind it."""
    around = next((n for n in context.tree.body if n.lineno <= context.line <= (n.end_lineno or 0)), None)
    inner = [n for n in ast.walk(around) if isinstance(n, ast.stmt) and n is not around] if around is not None else []
    return [n for n in inner if not n.lineno <= context.line <= (n.end_lineno or 0)]


def _reads_more(statement: ast.stmt, table: str, column: str, others: frozenset[str]) -> bool:
    """Whether it reads more of a table than its shape and its ``others``, columns that are not the one at hand."""
    elsewhere: set[int] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and node.id == table and id(node) not in elsewhere:
            return True
        read = set[str]()
        owner: ast.expr | None = None
        if isinstance(node, ast.Subscript):
            owner, keys = node.value, node.slice.elts if isinstance(node.slice, ast.List) else [node.slice]
            read = {str(k.value) if isinstance(k, ast.Constant) else column for k in keys}
        elif isinstance(node, ast.Attribute):
            owner, read = node.value, set() if node.attr in ("shape", "columns", "index") else {node.attr}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "drop":
            given = [n for part in (*node.args, *(k.value for k in node.keywords)) for n in ast.walk(part)]
            is_left_out = any(isinstance(n, ast.Constant) and n.value == column for n in given)
            owner = node.func.value if is_left_out else None
        if column and isinstance(owner, ast.Name) and read <= others:
            elsewhere.add(id(owner))
    return False


def _describe_shared(context: RuleContext, value: ast.expr) -> str:
    """What else a write into an array may be meant to reach; empty where nothing has a part in it."""
    owner = find_owner(value)
    if owner is None:
        return "What the array is a view of may be meant to be changed."
    if isinstance(owner, ast.Call):
        return ""  # a table of its own
    live = context.describe(ast.unparse(owner))  # it may stand in another cell
    if live is None or live.is_a("numpy.ndarray"):
        return "The array was locked, or is a view of one: the write may be meant to reach that, or not to be made."
    is_part = not isinstance(owner, ast.Name | ast.Constant)
    if not live.is_a(*TABLES, "pandas.Index"):
        is_part = is_part or any(
            isinstance(n, ast.Subscript | ast.Attribute) and n.value is owner for n in ast.walk(value)
        )
        if not is_part:
            return ""  # what was given to `asarray` and such: bytes, a picture
    if is_part or not isinstance(owner, ast.Name):
        return f"Until pandas 3.0 the write reached `{ast.unparse(owner)}`, which may be read elsewhere."
    other = next((name for name in list_names_of_table(context, owner.id) if is_read_below(context, name, "")), "")
    return f"Until pandas 3.0 the write reached `{other}`, which is read below." if other else ""


def _set_column(context: RuleContext, other: RuleContext, node: ast.Assign) -> Splice | None:
    """``homes['price'] = prices`` behind the last write of the cell, where the array is one column of a table, and is not written into below."""
    target, value = node.targets[0], node.value
    taken = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else value
    is_whole = (
        isinstance(value, ast.Call)
        and read_last_name(value.func) == "to_numpy"
        and not value.args
        and not value.keywords
    )
    column = taken if is_whole else taken.value if isinstance(taken, ast.Attribute) and taken.attr == "values" else None
    place = find_column(column) if column is not None else None
    writing = next((n for n in context.tree.body if n.lineno <= context.line <= (n.end_lineno or 0)), None)
    if place is None or len(node.targets) > 1 or not isinstance(target, ast.Name) or writing is None:
        return None
    last = next(n for n in reversed(context.tree.body) if n is writing or _is_written(n, target.id))
    between = [n for n in context.tree.body if writing.lineno < n.lineno <= last.lineno]
    if any(_reads_more(statement, place[0], "", frozenset()) for statement in (*_list_beside(context), *between)):
        return None  # before the block has ended
    if any(_is_bound(n, target.id) for n in between):
        return None
    writing = last
    below = [n for n in ast.walk(context.tree) if getattr(n, "lineno", 0) > (writing.end_lineno or 0)]
    below += [n for c in context.notebook.list_code_after(context.failure.cell_id) for n in src.walk(c.source)]
    if any(
        isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and src.find_root_name(n) == target.id
        for n in below
    ):
        return None
    end = context.source.find("\n", context.span(writing)[1])
    end = len(context.source) if end < 0 else end
    if context.source[context.span(writing)[1] : end].strip():
        return None  # something else stands on its line
    column_text = other.text(column) if column is not None else ""
    return end, end, f"\n{column_text} = {target.id}"


def _is_written(statement: ast.stmt, name: str) -> bool:
    """Whether a statement writes into items of a name."""
    stored = [n for n in ast.walk(statement) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    return any(src.find_root_name(n) == name for n in stored)


def _is_bound(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a name another value."""
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(statement))


def _takes_array(value: ast.expr) -> bool:
    """True for ``….values``, ``….to_numpy()``, ``np.asarray(…)`` and a column or a slice of one."""
    if isinstance(value, ast.Attribute):
        return value.attr in ("values", "array", "T", "flat", "_values")
    if isinstance(value, ast.Subscript):
        return _takes_array(value.value)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in (
            "to_numpy",
            "asarray",
            "asanyarray",
            "broadcast_to",
            "reshape",
            "ravel",
            "diagonal",
            "unique",
            "array",
            "frombuffer",
            "memmap",
        )
    return False
