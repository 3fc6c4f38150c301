"""PDA135: a column that became the table's index."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import quote_text
from jupyter_selfheal.model import Applicability, Patch

NAMED = re.compile(
    r"^\"?\['([^']+)'\] not (?:in|found in) |^['\"]([^'\"\[\]]+)['\"]$|Could not interpret value `([^`]+)`|has no attribute '(\w+)'"
    r"|^cannot insert (.+), already exists"
)


class IndexAsColumn(Rule):
    """Make a column again of what became the index.

    **Failure** `KeyError: 'city'` at `means["city"]`, after `means = df.groupby("city").mean()` or `df.set_index("city")`; seaborn's `Could not
    interpret value `city` for `x``; `ValueError: cannot insert city, already exists` at `means.reset_index()`.

    **Fix** `means.reset_index()["city"]`, `sns.barplot(data=means.reset_index(), x="city", …)`; `means.index` where the rows must stay aligned; `reset_index(drop=True)` where a column
    holds what the index holds, and `reset_index(name="count")` of counts that have the index's name; `reset_index(drop=True)` of an index that only counts the rows.

    **Fix safety** Safe: the table has no such column, and its index has this name: nothing else can be meant. Unsafe for the name of counts, or of an index that differs from the column, and for an index without a name that is no plain count. Silent where the name is written to. Unsafe for
    what `value_counts` gave: until pandas 2 its counts had that name (PDA118).
    """

    code = "PDA135"
    name = "index taken for a column"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "ValueError", "AttributeError"})
    message = NAMED
    applicability = Applicability.SAFE
    why = "The table's index has this name, and no column has."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = NAMED.search(context.failure.evalue)
        key = next((g for g in told.groups() if g), "") if told else ""
        if not key:
            return
        if context.failure.evalue.startswith("cannot insert"):
            yield from self._reset_beside_column(context, key)
            return
        cause = "`{}` has no column {!r}: it is the table's index."
        for node in context.list_failing_nodes(ast.Subscript, ast.Attribute):
            if not isinstance(node, ast.Subscript | ast.Attribute) or not _reads_column(node, key):
                continue
            table = context.text(node.value)
            if not _is_index(context, table, key):
                continue
            counted = _holds_counts(context, table)
            text = context.operand(node.value)
            whole = isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant)
            new = (
                f"{text}.reset_index()[{context.text(node.slice)}]"
                if whole and isinstance(node, ast.Subscript)
                else f"{text}.reset_index()[{quote_text(key)}]"
            )
            for way, prior in ((new, 0.92), *(() if whole else ((_name_level(context, text, key), 0.6),))):
                yield self.patch(
                    context.replace_here((*context.span(node), way)),
                    f"Use `{way}`",
                    cause.format(table, key),
                    applicability=Applicability.UNSAFE if counted else self.applicability,
                    why="Until pandas 2 the counts had this name, and may be meant." if counted else self.why,
                    prior=prior / 2 if counted else prior,
                )
            yield from self._keep_as_column(context, node.value, key)
            return
        for call in context.list_calls_at_failure():
            if not any(isinstance(a, ast.Constant) and a.value == key for a in _list_values(call)):
                continue
            for given in (*_list_values(call), *([call.func.value] if isinstance(call.func, ast.Attribute) else [])):
                root = given.value if isinstance(given, ast.Attribute) and given.attr == "plot" else given
                if not isinstance(root, ast.Name) or not _is_index(context, root.id, key):
                    continue
                yield self.patch(
                    context.replace_here((*context.span(root), f"{root.id}.reset_index()")),
                    f"Use `{root.id}.reset_index()`",
                    cause.format(root.id, key),
                    prior=0.9,
                )
                return

    def _reset_beside_column(self, context: RuleContext, key: str) -> Iterator[Patch]:
        """``table.reset_index()`` of a table that has the index as a column too, or of counts that have the name of what is counted."""
        for call in context.list_calls_at_failure():
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr != "reset_index" or call.args or call.keywords:
                continue
            made, table = func.value, context.read_plain_chain(func.value)
            how = made.func.attr if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) else ""
            if table and context.is_true(f"{table}.ndim == 2 and list({table}[{key!r}]) == list({table}.index)"):
                new, sure, cause = "drop=True", True, f"`{table}` has a column {key!r} already, which holds what its index holds."  # fmt: skip
            elif how in ("count", "nunique", "size", "value_counts", "sum", "mean", "max", "min") or (table and context.is_true(f"{table}.ndim == 1")):  # fmt: skip
                new, sure, cause = f'name="{how or "value"}"', False, f"The values have the name of the index, {key!r}."
            elif table and context.is_true(f"{table}.ndim == 2 and {table}.index.nlevels == 1"):
                yield self._keep_both(context, call, table, key)
                return
            else:
                return
            end = context.span(call)[1] - 1
            yield self.patch(
                context.replace_here((end, end, new)),
                f"Use `reset_index({new})`",
                cause,
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why="The index and the column hold the same, and the table keeps one of them." if sure else "The values need a name of their own, and another one may be meant.",
                prior=0.9 if sure else 0.75,
            )  # fmt: skip
            return

    def _keep_both(self, context: RuleContext, call: ast.Call, table: str, key: str) -> Patch:
        """The index of a table that has another column of the name which it would get."""
        end = context.span(call)[1] - 1
        is_plain = context.is_true(f"{table}.index.name is None")
        is_count = is_plain and context.is_true(f"list({table}.index) == list(range(len({table})))")
        if is_plain:
            change, how = (end, end, "drop=True"), "reset_index(drop=True)"
            why = (
                "The index only counts the rows, and does so afterwards."
                if is_count
                else "Which rows these were is in the index alone, and may be wanted."
            )
        elif context.is_true(f"{table}.shape[1] == 1"):
            at = context.span(call.func)[1] - len(".reset_index")
            change, how = (at, at, f'.rename(columns={{{key!r}: "value"}})'), "rename"
            why = "The values need a name of their own, and another one may be meant."
        else:
            change, how = (end, end, f"names={key + '_of_index'!r}"), "reset_index(names=…)"
            why = "The column and the index differ, and another name may be meant."
        return self.patch(
            context.replace_here(change),
            f"Use `{how}`",
            f"`{table}` has a column {key!r} already.",
            applicability=Applicability.SAFE if is_count else Applicability.UNSAFE,
            why=why,
            prior=0.9 if is_count else 0.7,
        )  # fmt: skip

    def _keep_as_column(self, context: RuleContext, table: ast.expr, key: str) -> Iterator[Patch]:
        """``totals = df.groupby("city")["n"].sum().reset_index()``: a series of groups that is read as a table."""
        home = context.find_last_assignment(table.id) if isinstance(table, ast.Name) else None
        if (
            home is None
            or not isinstance(home.node.value, ast.Call)
            or not context.is_true(f"({context.text(table)}).ndim == 1")
        ):
            return
        end = src.find_span(home.source, home.node.value)[1]
        yield self.patch(
            context.replace(home.cell_id, [(end, end, ".reset_index()")]),
            f"Make a table of `{context.text(table)}`: `.reset_index()`",
            f"`{context.text(table)}` is a series, whose index is {key!r}.",
            applicability=Applicability.UNSAFE,
            why="Other cells may read it as a series.",
            prior=0.75,
        )


def _holds_counts(context: RuleContext, table: str) -> bool:
    """True where the table is what `value_counts` gave: until pandas 2 the counts had the name that the index has now (PDA118)."""
    keys = context.keys(table)
    is_of_counts = keys is not None and set(keys.columns) <= {"count", "proportion"}
    return is_of_counts and any(
        isinstance(n, ast.Attribute) and n.attr == "value_counts" for n in context.walk_notebook()
    )


def _reads_column(node: ast.Subscript | ast.Attribute, key: str) -> bool:
    """True for ``table["city"]``, ``table[["city", "age"]]`` and ``table.city``."""
    if not isinstance(node.ctx, ast.Load):
        return False
    if isinstance(node, ast.Attribute):
        return node.attr == key
    parts = node.slice.elts if isinstance(node.slice, ast.List) else [node.slice]
    return any(isinstance(p, ast.Constant) and p.value == key for p in parts)


def _list_values(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def _is_index(context: RuleContext, table: str, key: str) -> bool:
    keys = context.keys(table)
    if keys is None or keys.type not in ("DataFrame", "Series"):
        return False
    return key in keys.index_names and key not in keys.columns


def _name_level(context: RuleContext, text: str, key: str) -> str:
    is_one = context.is_true(f"({text}).index.nlevels == 1")
    return f"{text}.index" if is_one else f"{text}.index.get_level_values({quote_text(key)})"
