"""A change with which what is missing is not read any more, though it is as missing as before.

``if not title: self.lower_words()`` mends nothing where no check gives an empty title: nothing has a ``lower_words``, and the statement is only
kept from running. So does a ``return`` above it. ``self.check()`` made ``self.total()``, whose value is dropped, is the same where every check
holds without that line. A value that is None is left out: to ask for it first is how such an error is often mended.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.untold_statements import is_spelt_otherwise
from jupyter_selfheal.inside.tree_names import walk

_NOTE = "__selfheal_read__"
_STEPS = 400_000
"""Steps for seeing whether what was missing is read."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The name or attribute that a check did not find, and where it was read."""

    unit: int
    line: int
    name: str
    is_attribute: bool


def read_missing(error: BaseException, unit: int, line: int) -> Missing | None:
    """What an error says to be missing; None for another error, and for an attribute of None."""
    name = getattr(error, "name", None)
    if not name or (isinstance(error, AttributeError) and error.obj is None):
        return None
    is_plain = type(error) is NameError or isinstance(error, AttributeError)
    return Missing(unit, line, name, isinstance(error, AttributeError)) if is_plain else None


def hides_missing(runner: Runner, missing: Missing, texts: Mapping[int, str], codes: Mapping[int, CodeType]) -> bool:
    """Whether changed texts, which meet every check, only keep from being read what was missing. To be called in a fork."""
    text = texts.get(missing.unit)
    if text is None:
        return False
    old = runner.program.units[missing.unit].text
    without = _drop_call(old, text, missing)
    if without is not None:
        code = compile_unit(runner.program, missing.unit, without)
        return runner.run({**codes, missing.unit: code}, _STEPS).plausible
    noted = _note_reads(old, text, missing)
    if noted is None:
        return False
    was_read: list[bool] = []

    def note(value: object) -> object:
        was_read.append(True)
        return value

    runner.ns[_NOTE] = note
    runner.run({**codes, missing.unit: compile_unit(runner.program, missing.unit, noted)}, _STEPS)
    return not was_read


def _note_reads(old: str, new: str, missing: Missing) -> str | None:
    """The new text in which each read of what was missing, written as it was, is noted; None where there is none any more."""
    read = {ast.unparse(node) for node in walk(parse_once(old)) if _is_read(node, missing) and _is_on(node, missing)}
    tree = ast.parse(new)
    noting = _Noting(missing, read)
    noting.visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) if noting.count else None


def _is_read(node: ast.AST, missing: Missing) -> bool:
    if missing.is_attribute:
        return isinstance(node, ast.Attribute) and node.attr == missing.name and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Name) and node.id == missing.name and isinstance(node.ctx, ast.Load)


def _is_on(node: ast.AST, missing: Missing) -> bool:
    return isinstance(node, ast.expr) and node.lineno <= missing.line <= (node.end_lineno or node.lineno)


class _Noting(ast.NodeTransformer):
    """``x.y`` becomes ``note(x.y)``."""

    def __init__(self, missing: Missing, read: set[str]) -> None:
        self.missing, self.read, self.count = missing, read, 0

    def visit(self, node: ast.AST) -> ast.AST:
        is_read = _is_read(node, self.missing) and ast.unparse(node) in self.read
        self.generic_visit(node)
        if not is_read or not isinstance(node, ast.expr):
            return node
        self.count += 1
        return ast.copy_location(ast.Call(ast.Name(_NOTE, ast.Load()), [node], []), node)


def _drop_call(old: str, new: str, missing: Missing) -> str | None:
    """The old text without the call that was missing and whose value was dropped; None where there is none, or the new text has it still or
    spells it otherwise."""
    tree = ast.parse(old)
    calls = list(_list_dropped_calls(tree))
    lost = next((n for n in calls if _is_on(n.value, missing) and any(_is_read(m, missing) for m in ast.walk(n))), None)
    if lost is None:
        return None
    after = [ast.unparse(n) for n in _list_dropped_calls(ast.parse(new))]
    known = [ast.unparse(n) for n in calls]
    put = [text for text in after if text not in known]
    if ast.unparse(lost) in after or any(is_spelt_otherwise(ast.unparse(lost), text) for text in put):
        return None
    lost.value = ast.copy_location(ast.Constant(None), lost.value)
    return ast.unparse(tree)


def _list_dropped_calls(tree: ast.AST) -> Iterator[ast.Expr]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call))
