"""What can be said of a failure in the code, for whoever has to mend it by hand where no healer does."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.deleted_name import find_deletion


def find_likely_cause(context: RuleContext) -> tuple[str, str]:
    """(cause, advice) in sentences; both empty where the message says all that there is."""
    name = context.missing_name if context.failure.ename == "NameError" else ""
    if name:
        return _of_name(context, name)
    if context.failure.ename == "KeyError":
        return _of_key(context, context.failure.evalue.strip("'\""))
    if context.is_about_none:
        return _of_none(context)
    return "", ""


def _of_name(context: RuleContext, name: str) -> tuple[str, str]:
    found = find_deletion(context, name)
    if found is not None:
        number = context.notebook.index(found.cell_id) + 1
        return f"`{name}` was deleted in cell {number}.", f"Take `{name}` from the `del`, or use it before."
    binds = [
        n
        for n, c in enumerate(context.notebook.cells, 1)
        if c.kind == "code" and name in src.find_names(c.source).binds
    ]
    if not binds:
        return f"`{name}` is defined nowhere in the notebook.", f"Define or import `{name}`, or correct the name."
    at = context.notebook.index(context.failure.cell_id) + 1
    if at and min(binds) > at:
        return f"`{name}` is defined only in cell {min(binds)}, below this one.", "Put the definition above its use."
    return "", ""


def _of_key(context: RuleContext, key: str) -> tuple[str, str]:
    """A column that a cell above took away or called otherwise."""
    for cell in reversed(context.notebook.code_before(context.failure.cell_id)):
        for node in src.walk(cell.source):
            method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if method not in ("drop", "pop", "rename") or not key:
                continue
            said = {n.value: n for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
            number = context.notebook.index(cell.id) + 1
            if method == "rename" and (new := _new_name(node, key)):
                return f"`{key}` was renamed to `{new}` in cell {number}.", f"Use `{new}` from there on."
            if method != "rename" and key in said:
                return (
                    f"`{key}` was taken away in cell {number}.",
                    f"Use it before that, or keep it there if `{key}` is wanted.",
                )
    return "", ""


def _new_name(call: ast.AST, key: str) -> str:
    pairs = ((k, v) for d in ast.walk(call) if isinstance(d, ast.Dict) for k, v in zip(d.keys, d.values, strict=True))
    return next(
        (str(v.value) for k, v in pairs if isinstance(k, ast.Constant) and k.value == key and isinstance(v, ast.Constant)),
        "",
    )  # fmt: skip


def _of_none(context: RuleContext) -> tuple[str, str]:
    for name in context.list_names_of_none():
        found = context.find_last_assignment(name)
        if found is not None and isinstance(found[2].value, ast.Call):
            number = context.notebook.index(found[0]) + 1
            made = " ".join(src.extract_text(found[1], found[2].value).split())[:80]
            return f"`{name}` is None: that is what `{made}` gave in cell {number}.", "Look at why it gave nothing."
    return "", ""
