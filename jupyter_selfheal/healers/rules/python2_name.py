"""NAM102: a builtin of Python 2, or a constant or collection of another language."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice, add_import, rename_name
from jupyter_selfheal.healers.rules.context.tables import call_forms, read_table, read_words
from jupyter_selfheal.model import Applicability, Patch

TABLE = "python2_names"


class Python2Name(Rule):
    """Use Python 3's name for a Python 2 builtin, or another language's constant or collection.

    **Failure** `NameError` for `xrange`, `raw_input`, `unicode`, `long`, `reduce`, `execfile`, `file`, `cmp`, … or for `true`,
    `null`, `nil`, `ArrayList`, `HashMap` and the like, bound by no cell.

    **Fix** The name of Python 3 in every use in the cell; `reduce` is imported from `functools`, `execfile(f)` becomes
    `exec(open(f).read())`, `cmp(a, b)` becomes `(a > b) - (a < b)`.

    **Fix safety** Safe: these are the successors that Python 3's own porting guide names (docs.python.org/3/whatsnew/3.0).
    """

    code = "NAM102"
    name = "Python 2 builtin or foreign constant"
    enames = frozenset({"NameError"})
    applicability = Applicability.SAFE
    why = "Python 3 has it under this name, with the same meaning."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if not name or context.is_bound_anywhere(name) or name in context.state.names:
            return
        changes, text = _write_anew(context, name)
        if changes:
            yield self.patch(
                context.replace(context.cell_id, changes),
                f"Change `{name}` to {text}",
                f"Python 3 has no `{name}`.",
                prior=0.95,
            )


def _write_anew(context: RuleContext, name: str) -> tuple[list[Splice], str]:
    """Splices for every use of the name in the cell, and what it becomes."""
    table = read_table(TABLE)
    renamed, imported = table["renamed"], table["imported"]
    if name in renamed:
        json_words = read_words(TABLE, "json_words")
        words = json_words if name in json_words else {name}
        return [c for word in words for c in rename_name(context.source, word, renamed[word])], f"`{renamed[name]}`"
    if name in imported:
        line = f"from {imported[name]} import {name}"
        return [add_import(context.source, line)], f"`{name}` of `{imported[name]}`"
    changes: list[Splice] = []
    for call in context.walk(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == name:
            written = context.source[context.span(call.func)[1] + 1 : context.span(call)[1] - 1]
            for form in call_forms(TABLE, "calls").get(name, ()):
                text = form.fill(name, [context.text(a) for a in call.args], written)
                if text is not None:
                    changes.append((*context.span(call), text))
    return changes, f"`{changes[0][2]}`" if changes else ""
