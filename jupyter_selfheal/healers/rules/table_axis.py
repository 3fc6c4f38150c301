"""PDA114: a table's method that went along the rows where the columns were meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import find_keyword
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.inside.tree_names import is_method_call
from jupyter_selfheal.model import Applicability, Patch

NO_ATTRIBUTE = re.compile(r"'Series' object has no attribute '(\w+)'")


class TableAxis(Rule):
    """Drop columns as columns, and apply a function of rows to rows.

    **Failure** `KeyError: "['tmp'] not found in axis"` at `df.drop("tmp")`, where `tmp` is a column; `KeyError: 'w'` in the function
    given to `df.apply`, where `w` is a column.

    **Fix** `df.drop(columns="tmp")`, `axis=1` for `axis=0`; `df.apply(f, axis=1)`; `errors="ignore"` for labels that a cell above has dropped already.

    **Fix safety** Safe: every name is a column and none is a row's label, so that the other axis can only have been meant. Unsafe for labels that are gone already; silent where one like it is there.
    """

    code = "PDA114"
    name = "rows taken for columns"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "The names are columns of the live table, and none is a label of a row."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "not found in axis" in context.failure.evalue:
            yield from self._drop_columns(context)
        else:
            yield from self._apply_to_rows(context)

    def _drop_columns(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:3]:
            if (
                not is_method_call(call, "drop")
                or len(call.args) != 1
                or _has_argument(call, "columns", "index", "labels")
            ):
                continue
            names = _list_texts(call.args[0])
            if not names or not _are_columns(context, call, names):
                continue
            start, axis = context.span(call.args[0])[0], find_keyword(call, "axis")
            if axis is not None and not isinstance(axis.value, ast.Constant):
                continue
            edits = context.replace_here(
                (*context.span(axis.value), "1") if axis is not None else (start, start, "columns=")
            )
            yield self.patch(edits, "Drop columns", f"{', '.join(names)}: columns, not row labels.", prior=0.9)
            return
        yield from self._ignore_dropped(context)

    def _ignore_dropped(self, context: RuleContext) -> Iterator[Patch]:
        """``df.drop(columns="tmp")`` below a cell that dropped it: of labels that are gone nothing is left to be dropped."""
        told = re.match(r"[\"']?\[(.+)\] not found in axis", context.failure.evalue)
        above = context.notebook.list_code_before(context.failure.cell_id)
        gone = re.findall(r"'([^']*)'|([\w.]+)", told[1]) if told is not None else []
        for call in context.list_calls_at_failure()[:3]:
            if not is_method_call(call, "drop") or find_keyword(call, "errors") is not None or not gone:
                continue
            keys = context.keys(call.func.value) if isinstance(call.func, ast.Attribute) else None
            words = [text for text, _ in gone if text]
            if keys is None or any(find_nearest(w, [c for c in keys.columns if isinstance(c, str)]) for w in words):
                continue
            owner = src.find_root_name(call.func)
            cells = [
                n
                for c in above
                for n in src.walk(c.source)
                if isinstance(n, ast.Call) and is_method_call(n, "drop") and src.find_root_name(n.func) == owner
            ]
            if not cells:
                continue
            same = [c for c in above if c.source.strip() == context.failure.source.strip()]
            name = context.notebook.name_cell(same[-1].id) if same else ""
            cause = (
                f"C{name[1:]}, which is the same as this one, has dropped {told[1] if told else ''} already: one of the two is to run, and once."
                if same
                else f"`{owner}` has no {told[1] if told else ''}: a cell above has dropped them already, or they were never there."
            )
            yield self.patch(
                context.replace_here(append_argument(context.source, call, 'errors="ignore"')),
                'Drop what is there: `errors="ignore"`',
                cause,
                applicability=Applicability.UNSAFE,
                why="The labels may be meant to be others.",
                prior=0.6,
            )
            return

    def _apply_to_rows(self, context: RuleContext) -> Iterator[Patch]:
        match = NO_ATTRIBUTE.search(context.failure.evalue)
        name = match[1] if match else context.failure.evalue.strip("'\"")
        statement = context.failing_statement
        if statement is None or src.is_foreign(context.failure.source):
            return
        context = context.view_cell(context.failure.cell_id)
        for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
            if (
                is_method_call(call, "apply")
                and call.args
                and len(call.args) == 1
                and all(k.arg for k in call.keywords)
                and _are_columns(context, call, [name])
            ):
                given = find_keyword(call, "axis")
                if given is not None and not (
                    isinstance(given.value, ast.Constant) and given.value.value in (0, "index")
                ):
                    return
                if given is not None:
                    edits = context.replace_here((*context.span(given.value), "1"))
                else:
                    end = context.span(call)[1] - 1
                    comma = "" if context.source[:end].rstrip().endswith(",") else ", "
                    edits = context.replace(context.cell_id, [(end, end, f"{comma}axis=1")])
                yield self.patch(
                    edits,
                    "Apply the function to rows",
                    f"The function reads the column `{name}` of each row.",
                    prior=0.9,
                )
                return


def _has_argument(call: ast.Call, *names: str) -> bool:
    return len(call.args) > 1 or any(k.arg in names or k.arg is None for k in call.keywords)


def _list_texts(node: ast.expr) -> list[str]:
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    nodes = [i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)]
    return nodes if len(nodes) == len(items) else []


def _are_columns(context: RuleContext, call: ast.Call, names: list[str]) -> bool:
    assert isinstance(call.func, ast.Attribute)
    keys = context.keys(call.func.value)
    return keys is not None and all(n in keys.columns and n not in keys.index for n in names)
