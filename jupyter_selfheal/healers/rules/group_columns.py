"""PDA121: columns that groups are made by, missed in the groups."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_literal
from jupyter_selfheal.model import Applicability, Edit, Patch, RunCells

NO_ATTRIBUTE = re.compile(r"'DataFrame' object has no attribute '(\w+)'")
NOT_LISTED = re.compile(r"^[\"']\['(\w+)'\] not (?:in index|found in axis)")
ROW_WISE = frozenset({"copy", "drop_duplicates", "dropna", "fillna", "head", "query", "sample", "sort_index", "sort_values", "tail"})  # fmt: skip
"""Methods that give a table of the same columns."""
RELEASE = "int(__import__('pandas').__version__.split('.')[0])"


@dataclass(frozen=True, slots=True)
class Applied:
    """A call ``table.groupby(keys).apply(f)``, or ``groups.apply(f)``, in the top-level statement of a cell."""

    cell_id: str
    source: str
    statement: src.Statement
    call: ast.Call
    groups: ast.expr
    """What ``apply`` is called on."""

    grouping: ast.Call
    table: ast.expr
    """What has the columns of the table that is grouped: ``df``, ``df[mask]``, ``df`` of ``df.sort_values("x")``."""

    @property
    def name(self) -> str:
        """The variable that holds it."""
        return src.find_root_name(self.table)


class GroupColumns(Rule):
    """Hand a function that is applied to groups the columns that they are made by, too.

    **Failure** `KeyError: 'year'` or `AttributeError: 'DataFrame' object has no attribute 'year'` in `f`, or later, of what
    `df.groupby(["year", "sex"]).apply(f)` gave. Since pandas 3.0 the groups are without these columns.

    **Fix** `df.groupby(["year", "sex"])[list(df.columns)].apply(f)`, wherever groups are made by the missing column, also of `df[mask]` and
    `df.sort_values("day")`. Where `f` returns the group itself, changed, `group_keys=False`: the rows then kept their labels. Of a chain that makes columns
    `.drop(columns="year")` right behind `apply` goes, as nothing is there to drop.

    **Fix safety** Safe: it is what pandas did until 3.0, and the failing statement is, or depends on, such a call.
    """

    code = "PDA121"
    name = "columns that groups are made by"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "Until pandas 3.0 the groups had these columns (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = NO_ATTRIBUTE.search(context.failure.evalue)
        listed = NOT_LISTED.search(context.failure.evalue)
        name = match[1] if match else listed[1] if listed else context.failure.evalue.strip("'\"")
        if not name or (context.failure.ename == "AttributeError" and not match):
            return
        applied = list(_list_applied(context, name))
        release = context.number(RELEASE)
        if not isinstance(release, int | float) or release < 3:
            return
        if not applied:
            yield from self._drop_nothing(context, name)
        if not applied or not _depends_on_column(context, applied):
            return
        edits = _build_edits(context, applied)
        if edits:
            yield self.patch(
                edits,
                f"Keep `{name}` in the groups",
                f"Since pandas 3.0, a function applied to groups no longer gets the column `{name}`.",
                prior=0.85,
            )

    def _drop_nothing(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``….groupby("hour").apply(f).drop(columns="hour")`` of a table without a name: ``f`` no longer gets what is dropped."""
        for call in context.list_calls_at_failure():
            applied = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "drop" else None
            if not isinstance(applied, ast.Call) or not isinstance(applied.func, ast.Attribute):
                continue
            named = {k.arg: k.value for k in call.keywords}
            is_plain = set(named) == ({"axis"} if call.args else {"columns"})
            dropped = call.args[0] if call.args else named.get("columns")
            is_whole = is_plain and dropped is not None and read_literal(dropped)[1] in (name, [name])
            if not is_whole or applied.func.attr != "apply" or not _is_grouped_by(applied.func.value, name):
                continue
            if "axis" in context.text(applied):
                return  # it may reckon with all columns of a row
            start, end = context.span(applied)[1], context.span(call)[1]
            yield self.patch(
                context.replace_here((start, end, "")),
                f"Remove `{context.source[start:end]}`",
                f"Since pandas 3.0, a function applied to groups no longer gets the column `{name}`: nothing is there to drop.",
                prior=0.85,
            )
            return


def _list_cells(context: RuleContext) -> Iterator[tuple[str, str]]:
    """(id, source) of the code cells up to the failing one."""
    for cell in context.notebook.list_code_before(context.failure.cell_id):
        yield cell.id, context.source_of(cell.id)
    yield context.failure.cell_id, context.failure.source


def _list_applied(context: RuleContext, name: str) -> Iterator[Applied]:
    """Calls of ``apply`` on groups by the column."""
    grouped: dict[str, tuple[ast.Call, ast.expr]] = {}
    for cell_id, source in _list_cells(context):
        for statement in src.list_statements(source):
            for node in ast.walk(statement.node):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                    continue
                groups = node.func.value
                made = _find_grouping(groups, name)
                if made is None and isinstance(groups, ast.Name):
                    made = grouped.get(groups.id)
                if node.func.attr == "apply" and made is not None:
                    yield Applied(cell_id, source, statement, node, groups, *made)
            if isinstance(statement.node, ast.Assign) and isinstance(statement.node.targets[0], ast.Name):
                target = statement.node.targets[0].id
                grouped.pop(target, None)
                if (made := _find_grouping(statement.node.value, name)) is not None:
                    grouped[target] = made


def _is_grouped_by(node: ast.expr, name: str) -> TypeGuard[ast.Call]:
    """Whether it is ``….groupby(keys)``, where the keys are written down and one is the name."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "groupby"):
        return False
    keys = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "by"), None)
    items = keys.elts if isinstance(keys, ast.List | ast.Tuple) else [keys]
    return any(isinstance(i, ast.Constant) and i.value == name for i in items)


def _find_grouping(node: ast.expr, name: str) -> tuple[ast.Call, ast.expr] | None:
    """The call and the table of ``table.groupby(keys)``, as above."""
    if not _is_grouped_by(node, name) or not isinstance(node.func, ast.Attribute):
        return None
    table = node.func.value
    while isinstance(table, ast.Call) and isinstance(table.func, ast.Attribute) and table.func.attr in ROW_WISE:
        table = table.func.value
    is_plain = isinstance(table.value if isinstance(table, ast.Subscript) else table, ast.Name)
    return (node, table) if is_plain else None


def _depends_on_column(context: RuleContext, applied: list[Applied]) -> bool:
    """True where the failing statement makes such a call, or reads what came of one."""
    failing = context.failing_statement
    calls = {(a.cell_id, a.statement.index) for a in applied}
    tainted: set[str] = set()
    for cell_id, source in _list_cells(context):
        for statement in src.list_statements(source):
            names = src.collect_names([statement.node])
            touched = (cell_id, statement.index) in calls or bool(tainted & names.uses)
            if (
                cell_id == context.failure.cell_id
                and failing is not None
                and statement.index == context.failure.statement
            ):
                return touched
            tainted = tainted | names.binds | names.changes if touched else tainted - names.binds
    return False


def _build_edits(context: RuleContext, applied: list[Applied]) -> tuple[Edit, ...]:
    splices: dict[str, dict[Splice, None]] = {}
    first: list[str] = []
    for one in applied:
        mine = splices.setdefault(one.cell_id, {})
        end = src.find_span(one.source, one.groups)[1]
        table = src.extract_text(one.source, one.table) if one.groups is one.grouping else one.name
        whole = f"{one.groups.id}.obj" if isinstance(one.groups, ast.Name) else table
        mine[end, end, f"[list({whole}.columns)]"] = None
        if one.groups is one.grouping and _returns_the_group(context, one.call.args[0]) and not _has_keys(one.grouping):
            inside = src.find_span(one.source, one.grouping)[1] - 1
            mine[inside, inside, ", group_keys=False"] = None
        if one.name in src.collect_names([one.statement.node]).binds:
            first += _list_makers(context, one)
    edits: list[Edit] = [RunCells(tuple(dict.fromkeys(first)))] if first else []
    for cell_id, changes in splices.items():
        edits += context.replace(cell_id, sorted(changes))
    return tuple(edits)


def _list_makers(context: RuleContext, one: Applied) -> list[str]:
    """The cell above that made the table which the statement overwrites: it must run again first."""
    above = [c for c, _ in _list_cells(context)]
    above = above[: above.index(one.cell_id)]
    made = [c for c in above if one.name in src.find_names(context.source_of(c)).binds]
    return made[-1:]


def _has_keys(grouping: ast.Call) -> bool:
    return any(k.arg == "group_keys" for k in grouping.keywords)


def _returns_the_group(context: RuleContext, function: ast.expr) -> bool:
    """True for a function of the notebook that gives back its argument, never bound to anything else in it."""
    if not isinstance(function, ast.Name):
        return False
    for _, source in _list_cells(context):
        for statement in src.list_statements(source):
            made = statement.node
            if isinstance(made, ast.FunctionDef) and made.name == function.id and made.args.args:
                group = made.args.args[0].arg
                nodes = list(ast.walk(made))
                bound = any(isinstance(n, ast.Name) and n.id == group and isinstance(n.ctx, ast.Store) for n in nodes)
                given = [n.value for n in nodes if isinstance(n, ast.Return)]
                return bool(given) and not bound and all(isinstance(v, ast.Name) and v.id == group for v in given)
    return False
