"""Names that were given to a column of a table, and are changed in place: until pandas 3.0 the table changed with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import is_truth
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

METHODS = frozenset({"replace", "fillna", "ffill", "bfill", "interpolate", "clip", "where", "mask"})


@dataclass(frozen=True, slots=True)
class AliasWrite:
    """One statement that changes a column by its own name: what puts it back into the table stands behind the statement."""

    cell_id: str
    name: str
    table: str
    shown: str
    splice: Splice
    texts: frozenset[str]
    """Texts that it takes out of the column."""
    fills: bool


def list_alias_writes(context: RuleContext) -> list[AliasWrite]:
    """Such statements above the failure and in its cell, at the top level: ``age = df["age"]``, then ``age.fillna(0, inplace=True)``."""
    cells = [
        *(c for c in context.notebook.list_code_before(context.failure.cell_id)),
        context.notebook.cell(context.failure.cell_id),
    ]
    aliases: dict[str, tuple[str, str]] = {}
    found: list[AliasWrite] = []
    for cell in cells:
        source = context.source_of(cell.id)
        for statement in src.list_statements(source):
            node = statement.node
            write = _read_write(node, aliases)
            if write is not None:
                name, texts, fills = write
                table, column = aliases[name]
                end = src.find_span(source, node)[1]
                shown = f"{table}[{column}] = {name}" + (".infer_objects()" if texts else "")
                found.append(AliasWrite(cell.id, name, table, shown, (end, end, f"\n{shown}"), texts, fills))
                continue
            changed = src.collect_names([node]).binds | src.collect_names([node]).changes
            gone = [a for a, (table, _) in aliases.items() if a in changed or table in src.collect_names([node]).binds]
            for name in gone:
                del aliases[name]
            aliases.update(_read_alias(source, node))
    return found


def _read_alias(source: str, node: ast.stmt) -> Iterator[tuple[str, tuple[str, str]]]:
    """``age`` → (``df``, ``"age"``) for ``age = df["age"]`` and ``age = df.age``."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)):
        return
    value = node.value
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and isinstance(value.slice, ast.Constant):
        if isinstance(value.slice.value, str):
            yield node.targets[0].id, (value.value.id, src.extract_text(source, value.slice))
    elif isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        yield node.targets[0].id, (value.value.id, repr(value.attr))


def _read_write(node: ast.stmt, aliases: dict[str, tuple[str, str]]) -> tuple[str, frozenset[str], bool] | None:
    """(name, texts that it takes out, whether it fills) of ``age.fillna(0, inplace=True)`` and ``age[mask] = 0``."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and len(node.targets) == 1:
        owner = node.targets[0].value
        if isinstance(owner, ast.Attribute) and owner.attr in ("loc", "iloc"):
            owner = owner.value
        return (owner.id, frozenset(), True) if isinstance(owner, ast.Name) and owner.id in aliases else None
    call = node.value if isinstance(node, ast.Expr) else None
    if not (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    ):
        return None
    in_place = next((k.value for k in call.keywords if k.arg == "inplace"), None)
    if call.func.value.id not in aliases or call.func.attr not in METHODS:
        return None
    if not is_truth(in_place, True):
        return None
    texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return call.func.value.id, frozenset(texts), call.func.attr in ("fillna", "ffill", "bfill", "interpolate")
