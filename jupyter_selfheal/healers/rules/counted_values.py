"""PDA118: the columns of ``value_counts().reset_index()``, which pandas 2 calls otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_text
from jupyter_selfheal.healers.rules.context.replay import list_statements_above, mend_above
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.model import Applicability, Patch

SOURCE = "https://pandas.pydata.org/docs/whatsnew/v2.0.0.html#value-counts-sets-the-resulting-name-to-count"

_NAMED = re.compile(r"['`](\w+)['`]")
_AS_INDEX = re.compile(r"\bindex\b|is not unique|duplicate")


class CountedValues(Rule):
    """Keep the column names that counted values had before pandas 2.

    **Failure** `KeyError: 'index'`, or a plot that cannot interpret `index`, where the table is `df["city"].value_counts().reset_index()`:
    its columns were `index` and `city`, and are `city` and `count` now; also where they are renamed, and two columns have one name then. `TypeError` where it is reckoned with
    `counts["city"]`, which are the texts now, also under the name that it is renamed to.

    Also `KeyError: 'city'` of `df["city"].value_counts().to_frame()` and `pd.DataFrame(df["city"].value_counts())`, where the counts were called `city`.

    **Fix** `df["city"].value_counts().rename_axis("index").reset_index(name="city")`, where the table is made; `.rename_axis(None).to_frame("city")`.
    Where the counts have a name of their own, or a table of them is renamed by its old names (`rename(columns={"index": "place", "city": "times"})`) and the new ones
    are missing: `value_counts().rename_axis(None).rename("city")`, after which all that follows is as it was.

    **Fix safety** Safe: the columns have exactly their old names again (pandas 2.0 release notes). Of what is reckoned with only where the notebook asks the table for its `index`, too, or uses what pandas 2.0 no longer had;
    elsewhere unsafe, and silent where it asks for `count`. A table of counts alone names its index like that now, so that for `to_frame()` this is safe only
    where the notebook uses what pandas removed before 2.0; else it is offered.
    """

    code = "PDA118"
    name = "columns of counted values"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "ValueError", "TypeError", "AttributeError"})
    applicability = Applicability.SAFE
    why = f"The columns have the names again that they had before pandas 2.0 ({SOURCE})."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "TypeError":
            yield from self._reckon_with_counts(context)
            return
        missing = _find_missing_counts(context)
        above = [c.id for c in reversed(context.notebook.list_code_before(context.failure.cell_id))]
        for cell_id in dict.fromkeys([context.failure.cell_id, *above]):
            source = context.source_of(cell_id)
            if changes := _name_counts(source, missing):
                older = find_older_use(context, "pandas", "2.0")
                yield self.patch(
                    context.replace(cell_id, changes),
                    f"Use `{changes[0][2]}`",
                    "pandas 2.0 renamed the columns of counted values.",
                    applicability=Applicability.SAFE if older else Applicability.UNSAFE,
                    why=f"{self.why} It used `{older}`." if older else "The values that were counted may be meant, as in pandas 2.",
                    prior=0.95 if older else 0.75,
                )  # fmt: skip
                return
            blamed = _AS_INDEX.search(context.failure.evalue) is not None
            changes = []
            for node in src.walk(source):
                blamed = blamed or any(name in context.failure.evalue for name in _list_new_names(node))
                name = _find_counted_column(node)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and name:
                    end = src.find_span(source, node)[1]
                    start = src.find_span(source, _skip_to_frame(node.func.value))[1]
                    changes.append((start, end, f'.rename_axis("index").reset_index(name={name!r})'.replace("'", '"')))
            if changes and blamed:
                yield self.patch(
                    context.replace(cell_id, changes),
                    f"Use `{changes[0][2][1:]}`",
                    "pandas 2.0 renamed the columns of counted values.",
                    prior=0.92,
                )
                return
        yield from self._name_where_counted(context)

    def _name_where_counted(self, context: RuleContext) -> Iterator[Patch]:
        """Counts that come to the failing cell through other names, and a table whose columns are renamed by the names of old."""
        missing = {*_NAMED.findall(context.failure.evalue)}
        old = {"index"} if "index" in missing else set[str]()
        for statement in (s for _, _, s in list_statements_above(context)):
            old.update(name for n in ast.walk(statement) for name, new in _list_renamed(n) if new in missing)

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for node in ast.walk(statement):
                column = read_counted_column(node) if isinstance(node, ast.Call) else ""
                if column and old & {"index", column}:
                    end = src.find_span(source, node)[1]
                    text = f".rename_axis(None).rename({quote_text(column)})"
                    yield (end, end, text), text[1:]

        edits, shown = mend_above(context, find) if old else ((), "")
        if edits:
            yield self.patch(edits, f"Use `{shown}`", "pandas 2.0 renamed the columns of counted values.", prior=0.9)

    def _reckon_with_counts(self, context: RuleContext) -> Iterator[Patch]:
        """``counts["city"] / counts["city"].sum()``: the column held the counts."""
        cells = [context.failure.cell_id]
        cells += [c.id for c in reversed(context.notebook.list_code_before(context.failure.cell_id))]
        code = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
        for cell_id in dict.fromkeys(cells):
            source = context.source_of(cell_id)
            for node in src.walk(source):
                found = _find_table(node)
                column = _find_counted_column(found[1]) if found else ""
                if found is None or not isinstance(found[1], ast.Call) or not isinstance(found[1].func, ast.Attribute):
                    continue
                table, made = found[0], _skip_to_frame(found[1].func.value)
                here = context.list_nodes_at_failure(ast.Subscript, ast.Attribute)
                names = {
                    column,
                    *(new for n in context.walk_notebook() for old, new in _list_renamed(n) if old == column),
                }
                if not any(_is_column(n, table, name) for n in here for name in names) or any(
                    _asks_for_column(s, table, "count") for s in code
                ):
                    continue
                is_old = any(_asks_for_column(s, table, "index") for s in code) or bool(
                    find_older_use(context, "pandas", "2.0")
                )
                new = f'.rename_axis("index").reset_index(name={column!r})'.replace("'", '"')
                yield self.patch(
                    context.replace(
                        cell_id, [(src.find_span(source, made)[1], src.find_span(source, found[1])[1], new)]
                    ),
                    f"Use `{new[1:]}`",
                    "pandas 2.0 renamed the columns of counted values.",
                    applicability=Applicability.SAFE if is_old else Applicability.UNSAFE,
                    why="" if is_old else f"Until pandas 2.0 `{table}[{column!r}]` held how often each value comes.",
                    prior=0.9 if is_old else 0.6,
                )
                return


def _find_table(node: ast.AST) -> tuple[str, ast.expr] | None:
    """The name that a table of counted values is given, and what makes it."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return (node.targets[0].id, node.value) if _find_counted_column(node.value) else None
    return None


def _is_column(node: ast.AST, table: str, column: str) -> bool:
    """``counts["city"]``, ``counts.city``."""
    if isinstance(node, ast.Attribute):
        return node.attr == column and isinstance(node.value, ast.Name) and node.value.id == table
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
        return False
    return node.slice.value == column and isinstance(node.value, ast.Name) and node.value.id == table


def _asks_for_column(source: str, table: str, word: str) -> bool:
    """Whether a statement that reads the table asks for a column of this name."""
    for statement in src.list_statements(source):
        nodes = list(ast.walk(statement.node))
        reads = any(isinstance(n, ast.Name) and n.id == table and isinstance(n.ctx, ast.Load) for n in nodes)
        if reads and any(word in _list_names_asked(n) for n in nodes):
            return True
    return False


_KEY = re.compile(r"^'([^']*)'$|has no attribute '(\w+)'")
"""A column that is not there."""


def _find_missing_counts(context: RuleContext) -> str:
    """The column that is read of a table of counts alone, whose index has its name; empty where nothing of the kind failed."""
    told = _KEY.search(context.failure.evalue)
    missing = next((g for g in told.groups() if g), "") if told else ""
    for node in context.list_failing_nodes(ast.Subscript, ast.Attribute) if missing else ():
        key = (
            node.slice.value
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
            else getattr(node, "attr", "")
        )
        held = (
            context.keys(context.text(node.value))
            if key == missing and isinstance(node, ast.Subscript | ast.Attribute)
            else None
        )
        if held is not None and missing in held.index_names and {*held.columns} <= {"count", "proportion"}:
            return missing
    return ""


def _name_counts(source: str, missing: str) -> list[Splice]:
    """What names the counts after the column that is missing, in each ``df["city"].value_counts().to_frame()`` and ``pd.DataFrame(…)`` of it."""
    changes = list[Splice]()
    for node in src.walk(source) if missing else ():
        match node:
            case ast.Call(func=ast.Attribute(value=counts, attr="to_frame"), args=[], keywords=[]):
                pass
            case ast.Call(func=ast.Attribute(attr="DataFrame") | ast.Name(id="DataFrame"), args=[counts], keywords=[]):
                pass
            case _:
                continue
        if read_counted_column(counts) == missing:
            start, end = src.find_span(source, counts)
            text = f"{source[start:end]}.rename_axis(None).to_frame({quote_text(missing)})"
            changes.append((*src.find_span(source, node), text))
    return changes


def _list_names_asked(node: ast.AST) -> list[object]:
    """Texts that name columns: in brackets, as keys of a dictionary, for the axes of a plot, as what rows are called by."""
    asked: list[ast.expr | None] = []
    if isinstance(node, ast.Subscript):
        asked = list(node.slice.elts) if isinstance(node.slice, ast.List | ast.Tuple) else [node.slice]
    elif isinstance(node, ast.Dict):
        asked = list(node.keys)
    elif isinstance(node, ast.keyword) and node.arg in ("x", "y", "hue", "on", "left_on", "by", "names", "values"):
        asked = [node.value]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("set_index", "sort_values")
    ):
        asked = list(node.args)
    return [n.value for n in asked if isinstance(n, ast.Constant)]


def _list_new_names(node: ast.AST) -> list[str]:
    """What ``rename(columns={"index": "city"})`` makes of the old name: it is missing where nothing was called `index`."""
    return [repr(new) for old, new in _list_renamed(node) if old == "index" and new]


def _list_renamed(node: ast.AST) -> list[tuple[str, str]]:
    """The old and the new names of ``rename(columns={"index": "city"})``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rename"):
        return []
    given = next((k.value for k in node.keywords if k.arg == "columns"), None)
    pairs = zip(given.keys, given.values, strict=True) if isinstance(given, ast.Dict) else ()
    return [
        (str(k.value), str(v.value)) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(v, ast.Constant)
    ]


def _find_counted_column(node: ast.AST) -> str:
    """The name of the column that is counted, of ``df["city"].value_counts(…).reset_index()``; empty for anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reset_index"):
        return ""
    return "" if node.args or node.keywords else read_counted_column(_skip_to_frame(node.func.value))


def _skip_to_frame(counts: ast.expr) -> ast.expr:
    """What ``.to_frame()`` is called on, which changes nothing where ``reset_index`` follows."""
    match counts:
        case ast.Call(func=ast.Attribute(value=inner, attr="to_frame"), args=[], keywords=[]):
            return inner
    return counts


def read_counted_column(counts: ast.expr) -> str:
    """The name of the column that ``df["city"].value_counts(…)`` counts; empty for anything else."""
    if not (isinstance(counts, ast.Call) and isinstance(counts.func, ast.Attribute)):
        return ""
    column = counts.func.value
    if counts.func.attr != "value_counts":
        return ""
    if isinstance(column, ast.Attribute):
        return column.attr
    key = column.slice if isinstance(column, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
