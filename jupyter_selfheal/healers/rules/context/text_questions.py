"""Questions for columns of dtype object, as ``df[c].dtype == "object"``: until pandas 3 they found the columns of text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.lost_writes import find_lost_downcasts
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import list_statements_above
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.model import Patch, Replace

RELEASE = "int(__import__('pandas').__version__.split('.')[0])"
"""The first number of pandas' release, asked of the kernel."""
_LIST = "['object', 'str']"
_PAIR = "('object', 'str')"


class TextQuestion(NamedTuple):
    """One question: its cell, and the splice that makes it find text too."""

    cell_id: str
    splice: Splice


def list_text_questions(context: RuleContext) -> list[TextQuestion]:
    """The questions for dtype object in the cells that the failing cell's values come from, in order."""
    return [
        TextQuestion(cell_id, splice)
        for cell_id, source, statement in list_statements_above(context)
        if "dtype" in source
        for splice in _find_questions(source, statement)
    ]


def list_asked_downcasts(context: RuleContext) -> list[TextQuestion]:
    """Where texts become numbers before such a question: it is asked again whether there are any, as ``replace`` leaves an object since pandas 3."""
    return [
        TextQuestion(cell_id, splice)
        for cell_id, source, statement in list_statements_above(context)
        if "dtype" in source and any(True for _ in _find_questions(source, statement))
        for _, splice in find_lost_downcasts(source, statement)
    ]


def has_text_questions(source: str) -> bool:
    """True where a text asks so, of whatever."""
    return "dtype" in source and any(True for s in src.list_statements(source) for _ in _find_questions(source, s.node))


def ask_for_text(context: RuleContext, patch: Patch) -> Patch:
    """A patch whose cells ask for text too, where the notebook ran before pandas 3: ``df[c].dtype == np.object`` is ``df[c].dtype in ('object', 'str')``. With
    ``== object`` the cell would run, and pass over the columns of text that it was written for."""
    asking = [e for e in patch.edits if isinstance(e, Replace) and "dtype" in e.source]
    statements = {e.cell_id: [s.node for s in src.list_statements(e.source)] for e in asking}
    splices = {e.cell_id: [q for s in statements[e.cell_id] for q in _find_questions(e.source, s)] for e in asking}
    found = [splice for some in splices.values() for splice in some]
    for e in (e for e in asking if splices[e.cell_id]):
        splices[e.cell_id] += [s for n in statements[e.cell_id] for _, s in find_lost_downcasts(e.source, n)]
    if not found or (context.number(RELEASE) or 0) < 3 or not find_older_use(context, "pandas", "3.0"):
        return patch
    edits = tuple(
        replace(e, source=src.splice(e.source, splices[e.cell_id])) if isinstance(e, Replace) and splices.get(e.cell_id) else e
        for e in patch.edits
    )  # fmt: skip
    return replace(patch, edits=edits, title=f"{patch.title}, and ask for text too: `{found[0][2]}`")


def _find_questions(source: str, statement: ast.stmt) -> Iterator[Splice]:
    parameters = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    dtypes = {name: is_many for name, is_many in _list_assigned_dtypes(source) if name not in parameters}
    dtypes |= {name: is_many for node in ast.walk(statement) for name, is_many in _list_dtype_names(node)}
    for node in ast.walk(statement):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], ast.Eq | ast.NotEq) and (text := _write_question(source, node, dtypes)):
                yield (*src.find_span(source, node), text)
            elif isinstance(node.ops[0], ast.In | ast.NotIn):
                yield from _extend_list(source, node, dtypes)


def _write_question(source: str, node: ast.Compare, dtypes: Mapping[str, bool]) -> str:
    """The question for object or text; empty where a comparison asks for something else."""
    sides: tuple[ast.expr, ...] = (node.left, node.comparators[0])
    sides = tuple(
        n.value if isinstance(n, ast.Attribute) and n.attr == "type" else n for n in sides
    )  # dtype.type == np.object_
    asked = next((a for a, b in (sides, sides[::-1]) if _is_dtype(a, dtypes) and _is_object(b)), None)
    if asked is None:
        return ""
    negated = isinstance(node.ops[0], ast.NotEq)
    text = src.extract_text(source, asked)
    if _is_of_columns(asked, dtypes):
        return f"{'~' * negated}{text}.astype(str).isin({_LIST})"
    return f"{text} {'not ' * negated}in {_PAIR}"


def _extend_list(source: str, node: ast.Compare, dtypes: Mapping[str, bool]) -> Iterator[Splice]:
    """``df[c].dtype in ["object"]``: text joins the list."""
    listed = node.comparators[0]
    if not isinstance(listed, ast.List | ast.Tuple | ast.Set) or not _is_dtype(node.left, dtypes) or not listed.elts:
        return
    has_text = any(isinstance(e, ast.Constant) and e.value in ("str", "string") for e in listed.elts)
    if any(map(_is_object, listed.elts)) and not has_text:
        start, end = src.find_span(source, node)
        at = src.find_span(source, listed.elts[-1])[1]
        yield start, end, f"{source[start:at]}, 'str'{source[at:end]}"


@lru_cache(maxsize=16)
def _list_assigned_dtypes(source: str) -> tuple[tuple[str, bool], ...]:
    """``types`` of ``types = df.dtypes``, as below."""
    made = (n for n in src.walk(source) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Attribute))
    return tuple(
        (target.id, _is_of_columns(node.value, {}))
        for node in made
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Attribute) and node.value.attr == "dtypes"
    )


def _list_dtype_names(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """``t`` of ``for c, t in df.dtypes.items()``, of ``for t in df.dtypes`` and of ``df.dtypes.map(lambda t: …)``; and whether it is all of them, as in
    ``df.dtypes.pipe(lambda t: …)`` and ``df.dtypes[lambda t: …]``."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(attr="dtypes"), attr="pipe" | "map" | "apply" as how),
            args=[ast.Lambda(args=ast.arguments(args=[given]))],
        ):
            yield given.arg, how == "pipe"
        case ast.Subscript(
            value=ast.Attribute(attr="dtypes") | ast.Attribute(value=ast.Attribute(attr="dtypes"), attr="loc"),
            slice=ast.Lambda(args=ast.arguments(args=[given])),
        ):
            yield given.arg, True
    if isinstance(node, ast.For | ast.comprehension):
        target, values = node.target, node.iter
        if (
            isinstance(values, ast.Call)
            and isinstance(values.func, ast.Attribute)
            and values.func.attr in ("items", "iteritems")
        ):
            target = target.elts[-1] if isinstance(target, ast.Tuple) else target
            values = values.func.value
        if isinstance(target, ast.Name) and isinstance(values, ast.Attribute) and values.attr == "dtypes":
            yield target.id, False


def _is_dtype(node: ast.expr, names: Mapping[str, bool]) -> bool:
    """True for ``df["c"].dtype``, ``df.dtypes``, ``df.dtypes["c"]``, ``df["c"].dtype.name``, ``str(df["c"].dtype)``, and names of such."""
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Call):
        is_text = isinstance(node.func, ast.Name) and node.func.id == "str" and len(node.args) == 1
        return is_text and _is_dtype(node.args[0], names)
    if isinstance(node, ast.Attribute) and node.attr == "name":
        return _is_dtype(node.value, names)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "dtypes"
    return isinstance(node, ast.Attribute) and node.attr in ("dtype", "dtypes")


def _is_object(node: ast.expr) -> bool:
    """True for ``"object"``, ``"O"``, ``object`` and ``np.object_``."""
    if isinstance(node, ast.Constant):
        return node.value in ("object", "O")
    return isinstance(node, ast.Name | ast.Attribute) and read_last_name(node) in ("object", "object_")


def _is_of_columns(asked: ast.expr, names: Mapping[str, bool]) -> bool:
    """True where the dtypes of a table are asked for, one for each column: ``df.dtypes``, not ``df[c].dtypes``."""
    if isinstance(asked, ast.Name):
        return names[asked.id]
    if not isinstance(asked, ast.Attribute) or asked.attr != "dtypes":
        return False
    owner = asked.value
    return not (isinstance(owner, ast.Subscript) and not isinstance(owner.slice, ast.List))
