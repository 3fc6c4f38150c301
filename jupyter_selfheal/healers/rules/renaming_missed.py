"""PDA203: columns whose new names are read below a renaming that did not hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_alike
from jupyter_selfheal.healers.rules.context.nodes import find_keyword
from jupyter_selfheal.healers.rules.context.renamings import Renaming, find_missed_renaming
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plain_slip, normalize
from jupyter_selfheal.healers.rules.result_dropped import keep_and_replay
from jupyter_selfheal.model import Applicability, Patch


class RenamingMissed(Rule):
    """Rename the column that there is, and keep what the renaming gives.

    **Failure** `AttributeError: 'DataFrame' object has no attribute 'sales_q1'`, or `KeyError: 'sales_q1'`, below `df.rename(columns={"Sales Q1": "sales_q1"})`, whose result is dropped,
    below `df.columns.str.lower()`, or where the mapping names a column `sales Q1` that the table does not have.

    **Fix** `df = df.rename(…)`, `df.columns = df.columns.str.lower()`; the name of the column in the mapping. The cells that made the table run again.

    **Fix safety** Safe where the renaming would give the column that is read, or one column only is near to the one that it names, by a slip. Silent otherwise.
    """

    code = "PDA203"
    name = "renaming that did not hold"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "KeyError"})
    applicability = Applicability.SAFE
    why = "The renaming names just the column that is read."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = re.search(r"^'([^']+)'$|has no attribute '(\w+)'", context.failure.evalue)
        name = (told[1] or told[2]) if told else ""
        found = find_missed_renaming(context, name) if name else None
        if found is None:
            return
        splices: list[Splice] = []
        cause = f"What the renaming gives is dropped, and `{found.table}` stays as it was."
        if not found.is_kept:
            start = found.view.span(found.statement)[0]
            text = found.view.text(found.call)
            target = found.table if context.is_true(f"hasattr({text}, 'columns')") else f"{found.table}.columns"
            splices.append((start, start, f"{target} = "))
        old = _find_old(found, name)
        keys = context.keys(found.table)
        columns = [c for c in keys.columns if isinstance(c, str)] if keys is not None else []
        sure = True
        if old is not None and old.value not in columns:
            near = find_nearest(str(old.value), columns)
            if len(near) != 1:
                return
            sure = is_plain_slip(str(old.value), near[0]) or normalize(str(old.value)) == normalize(near[0])
            splices.append((*found.view.span(old), quote_alike(near[0], found.view.source)))
            cause = f"`{found.table}` has no column {old.value!r} that could be renamed. Did you mean {near[0]!r}?"
        edits = keep_and_replay(context, {found.view.cell_id: splices}) if splices else ()
        if edits:
            yield self.patch(
                edits,
                f"Mend the renaming of {name!r}",
                cause,
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "Another column may be meant to be renamed.",
                prior=0.94 if sure else 0.6,
            )


def _find_old(found: Renaming, name: str) -> ast.Constant | None:
    """The column that a mapping gives the name to."""
    given = find_keyword(found.call, "columns") if isinstance(found.call, ast.Call) else None
    mapping = given.value if given is not None else None
    pairs = zip(mapping.keys, mapping.values, strict=True) if isinstance(mapping, ast.Dict) else ()
    old = [k for k, v in pairs if isinstance(v, ast.Constant) and v.value == name]
    return old[0] if old and isinstance(old[0], ast.Constant) else None
