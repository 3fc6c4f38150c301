"""PDA198: a table's method whose result is dropped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import list_replayed_cells
from jupyter_selfheal.healers.rules.lost_write import MISSING
from jupyter_selfheal.model import Applicability, Edit, Failure, FailureKind, Patch, RunCells

FILLING = frozenset({"dropna", "fillna", "ffill", "bfill", "interpolate"})
"""Methods after which fewer values are missing."""
GIVING = FILLING | {"sort_values", "sort_index", "drop", "drop_duplicates", "rename", "reset_index", "set_index", "replace", "astype", "clip"}  # fmt: skip
"""Methods that give another table and leave their own as it is."""
OF_ARGUMENT = frozenset({"add_constant", "get_dummies"})
"""Functions that give another table in place of their first argument."""
MAKING = OF_ARGUMENT | {"assign", "join", "merge", "reset_index", "set_index"}
"""What gives a table with other columns or labels."""
OF_COLUMN = (FILLING - {"dropna"}) | {"replace", "astype", "clip"}
"""Those whose result takes a column's place: what others give lacks rows of the table, or has them in another order, and is set back by their labels."""


class ResultDropped(Rule):
    """Keep what a method of a table gives.

    **Failure** `Input X contains NaN`, or `AssertionError`, where a line is `df.dropna()`: the table stays as it was.

    Or `KeyError: 'const'`, where a line is `sm.add_constant(X)`.

    **Fix** `df = df.dropna()`, also in cells above; `df["age"] = df["age"].fillna(0)` of a column. The cells that made the table run again.

    **Fix safety** Safe on a line that is not the last of its cell: it has no other effect. What the last line gives is shown (every line with `ast_node_interactivity`), which may be all that it is for: unsafe, and only for one such line and
    a failed assert. Unsafe, too, where several lines treat the missing values of one table, or another name has what such a method gives (`clean = df.fillna(0)`), which may be meant.
    Unsafe for a key that several such lines give, or one that has other rows, or other values in the columns that there were; silent for a key that the dropped table does not have, for missing values where no line drops or fills them, for tables that the failing cell's values do not come from, and for rows that are taken out of one column.
    """

    code = "PDA198"
    name = "result that is dropped"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "KeyError", "ValueError", "IntCastingNaNError", "MissingDataError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "The line has no other effect than this one."

    def matches(self, failure: Failure) -> bool:
        is_known = _is_wrong(failure) or failure.ename == "KeyError" or MISSING.search(failure.evalue) is not None
        return super().matches(failure) and is_known

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        of_key = context.failure.ename == "KeyError"
        methods = MAKING if of_key else GIVING if _is_wrong(context.failure) else FILLING
        kept: dict[str, list[Splice]] = {}
        treated: list[str] = []
        shown: list[tuple[str, Splice]] = []
        example, changes = "", False
        read = _list_names_read(context)
        for cell_id, source, statement in _list_statements(context):
            target = _read_dropped(source, statement, methods)
            if _find_root(target) not in read or not context.describe_all([target])[0].is_a("pandas.NDFrame"):
                continue
            if of_key and not _gives_key(context, src.extract_text(source, statement)):
                continue
            treated += [target] * (of_key or bool(_read_dropped(source, statement, FILLING)))
            changes = changes or (of_key and not _keeps_values(context, target, src.extract_text(source, statement)))
            start = src.find_span(source, statement)[0]
            splice = (start, start, f"{target} = ")
            example = example or f"{target} = {src.extract_text(source, statement)}"
            if src.list_statements(source)[-1].node.lineno > statement.lineno:
                kept.setdefault(cell_id, []).append(splice)
            else:
                shown.append((cell_id, splice))
        is_single = len(set(treated)) == len(treated) and {_find_root(t) for t in treated if "[" in t}.isdisjoint(
            treated
        )
        is_single = is_single and not any(_read_kept(n) in treated for n in context.walk_notebook())
        is_shown = any(
            "ast_node_interactivity" in c.source for c in context.notebook.cells
        )  # every line, not the last alone
        is_sure = bool(kept) and is_single and not is_shown and not changes
        if not kept and len(shown) == 1 and _is_wrong(context.failure):
            kept = {shown[0][0]: [shown[0][1]]}
        edits = keep_and_replay(context, kept) if kept else ()
        if edits:
            yield self.patch(
                edits,
                f"Keep the result: `{example}`",
                "The method gives another table, and leaves its own as it was.",
                applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
                why=self.why
                if is_sure
                else "It has other rows or values in the columns that there were, and lines between read these."
                if changes
                else "Its result is shown, which may be all that it is for."
                if is_single or is_shown
                else "Several lines make another table of one: one of them may be meant.",
                prior=0.92 if is_sure else 0.8,
            )


def _list_names_read(context: RuleContext) -> frozenset[str]:
    """What the failing cell reads, and what the statements above read and bind that made it."""
    above = [context.source_of(c) for c in list_replayed_cells(context)]
    texts = [src.extract_text(source, s.node) for source in above for s in src.list_statements(source)]
    own = src.find_names(context.failure.source)
    made = [src.find_names(texts[n]) for n in src.find_backward_slice(texts, own.uses | own.changes)]
    return frozenset[str]().union(*(n.uses | n.changes | n.binds for n in (own, *made)))


def _list_statements(context: RuleContext) -> Iterator[tuple[str, str, ast.stmt]]:
    """(cell, its source, statement) of all cells above and the failing one: a cell that only shows a table makes nothing, and is in no slice."""
    above = context.notebook.list_code_before(context.failure.cell_id)
    for cell_id in (*(c.id for c in above if not c.failed), context.failure.cell_id):
        source = context.source_of(cell_id)
        yield from ((cell_id, source, s.node) for s in src.list_statements(source))


def keep_and_replay(context: RuleContext, kept: dict[str, list[Splice]]) -> tuple[Edit, ...]:
    """The changes, and before them the cells that run again: those that make what the failing cell reads, and the changed ones among them."""
    edits: list[Edit] = [e for cell_id, splices in kept.items() for e in context.replace(cell_id, splices)]
    cells = context.notebook.list_code_before(context.failure.cell_id)
    changed = [src.find_names(context.source_of(c)) for c in kept.keys() - {context.failure.cell_id}]
    if not changed:
        return tuple(edits)
    # what a changed cell makes beside the table is made anew from its first cell on, too: it would be made twice
    replayed = list_replayed_cells(context, frozenset[str]().union(*(n.uses | n.changes | n.binds for n in changed)))
    if not replayed:
        return ()
    again = {*replayed, *kept} - {context.failure.cell_id}
    rerun = [c for c in cells if c.id in again]
    return () if any(c.expensive or c.skip for c in rerun) else (RunCells(tuple(c.id for c in rerun)), *edits)


def _is_wrong(failure: Failure) -> bool:
    return failure.kind is FailureKind.MISSED or failure.ename == "AssertionError"


def _read_dropped(source: str, statement: ast.stmt, methods: frozenset[str]) -> str:
    """``df`` of a statement ``df.dropna()``, ``df["age"]`` of ``df["age"].fillna(0)``; empty for anything else."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(), attr) | ast.Name(attr), [ast.Name(target), *_])):
            return target if attr in methods & OF_ARGUMENT else ""
        case ast.Expr(
            ast.Call(ast.Attribute(ast.Name() | ast.Subscript(ast.Name(), ast.Constant(str())) as of, attr), _, given)
        ):
            is_in_place = any(k.arg in ("inplace", None) for k in given)
            known = methods if isinstance(of, ast.Name) else methods & OF_COLUMN
            return src.extract_text(source, of) if attr in known and not is_in_place else ""
    return ""


def _read_kept(node: ast.AST) -> str:
    """``df`` of ``clean = df.fillna(0).round()``: what another name has without its missing values; empty for anything else."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute()) as value):
            call: ast.expr = value
            while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                method, call = call.func, call.func.value
                if method.attr in FILLING and isinstance(call, ast.Name | ast.Subscript):
                    text = ast.unparse(call)
                    return text if _find_root(text) != name else ""
    return ""


def _gives_key(context: RuleContext, made: str) -> bool:
    """Whether what was dropped has the column or label that is missing."""
    keys = context.keys(made, calls=True)
    missing = context.failure.evalue
    return keys is not None and any(repr(k) == missing for k in (*keys.keys, *keys.columns, *keys.index))


def _keeps_values(context: RuleContext, table: str, made: str) -> bool:
    """Whether what was dropped has the table's values, row by row, in each column that both have."""
    return context.is_true(
        f"(lambda old, new: len(old) == len(new) and all(new[_].reset_index(drop=True).equals(old[_].reset_index(drop=True)) "
        f"for _ in getattr(old, 'columns', ()) if _ in getattr(new, 'columns', ())))({table}, {made})"
    )


def _find_root(target: str) -> str:
    return target.split("[")[0]
