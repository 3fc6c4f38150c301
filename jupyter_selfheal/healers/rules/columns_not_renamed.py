"""PDA154: columns that were to be renamed, by a mapping that is taken for labels of rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch


class ColumnsNotRenamed(Rule):
    """Rename columns, not rows.

    **Failure** `KeyError: 'Name'` at `df['Name']`, below (or behind) `df.rename({'name': 'Name'})`, which renames labels of rows.

    **Fix** `df.rename(columns={'name': 'Name'})`. The cells that made the table run again.

    **Fix safety** Safe: the table has no such row, has a column of the old name, and is asked for one of the new. Silent where `axis`, `index` or `columns` is given,
    and where a row had the name (of a table of correlations, say), or the table cannot be looked at.
    """

    code = "PDA154"
    name = "columns that were not renamed"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "The mapping names a column, and the column of its new name is what is asked for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        wrong = re.search(r"'([^']+)'\"?\]?$|has no attribute '(\w+)'", context.failure.evalue)
        name = (wrong[1] or wrong[2]) if wrong else ""
        splices: dict[str, list[Splice]] = {}
        for view, mapping in list_mappings_to(context, name) if name else ():
            start = view.span(mapping)[0]
            splices.setdefault(view.cell_id, []).append((start, start, "columns="))
            break
        if splices and (edits := change_and_replay(context, splices)):
            cause = (
                "`rename` takes a mapping without `columns=` for labels of rows, so that no column changed its name."
            )
            yield self.patch(edits, "Rename columns: `rename(columns=…)`", cause, prior=0.93)


def list_mappings_to(context: RuleContext, name: str) -> Iterator[tuple[RuleContext, ast.Dict]]:
    """The mappings that ``rename`` was given for rows, and of which a value is the name; with the cell that they stand in."""
    for view in context.look_upwards():
        for call in view.walk(ast.Call):
            is_rename = isinstance(call.func, ast.Attribute) and call.func.attr == "rename" and len(call.args) == 1
            mapping = call.args[0] if is_rename else None
            if not isinstance(mapping, ast.Dict) or {k.arg for k in call.keywords} & {"axis", "index", "columns"}:
                continue
            old = [k for k, v in zip(mapping.keys, mapping.values, strict=True) if getattr(v, "value", None) == name]
            if old and isinstance(old[0], ast.Constant) and _is_column_only(view, call, old[0].value, name):
                yield view, mapping


def _is_column_only(view: RuleContext, call: ast.Call, old: object, new: str) -> bool:
    """True where the table that was renamed, or what was made of it, has a column of the old name, and no row of the old or new one."""
    made = [n.targets[0] for n in view.walk(ast.Assign) if any(c is call for c in ast.walk(n.value))]
    tables = [call.func.value, *made] if isinstance(call.func, ast.Attribute) else made
    test = "{0}.ndim == 2 and {1!r} in {0}.columns and not {{{1!r}, {2!r}}} & {{*{0}.index}}"
    chains = [chain for t in tables if (chain := view.read_plain_chain(t))]
    return any(view.is_true(test.format(chain, old, new)) for chain in chains)
