"""A division that leaves no rest in any check: whether it rounds down or up there, no check tells.

``month // 3`` meets ``quarter(3) == 1`` and ``quarter(12) == 4`` as ``(month - 1) // 3 + 1`` does. Nor does one tell of a new ``a * b / x`` whether
a whole number is meant: ``12 == 12.0``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import CodeType

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.search.program import compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner

_NOTE = "__selfheal_rest__"


def note_division(old: str, new: str) -> tuple[str, str] | None:
    """The new text with the first ``//``, or else ``/`` that is new, of the first changed reckoning noted, and that as text; None where none has
    one."""
    tree = ast.parse(new)
    before, after = list(_list_reckonings(ast.parse(old))), list(_list_reckonings(tree))
    known = {dump_tree(whole) for whole in before}
    changed = [whole for whole in after if dump_tree(whole) not in known]
    if len(before) != len(after):  # what is put in may divide in a branch for even numbers alone
        return None
    parts = [node for whole in changed for node in ast.walk(whole) if isinstance(node, ast.BinOp)]
    part = next((node for node in parts if isinstance(node.op, ast.FloorDiv)), None)
    if part is None and _count_divisions(tree) > _count_divisions(ast.parse(old)):
        part = next((node for node in parts if isinstance(node.op, ast.Div)), None)
    if part is None:
        return None
    noted = _Noting(part).visit(tree)
    return ast.unparse(ast.fix_missing_locations(noted)), ast.unparse(part)


def _count_divisions(tree: ast.AST) -> int:
    return sum(isinstance(node, ast.Div) for node in ast.walk(tree))


class _Noting(ast.NodeTransformer):
    """Puts a call in the place of one division."""

    def __init__(self, part: ast.BinOp) -> None:
        self.part = part

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if node is self.part:
            return ast.Call(
                ast.Name(_NOTE, ast.Load()), [node.left, node.right, ast.Constant(isinstance(node.op, ast.Div))], []
            )
        return self.generic_visit(node)


def leaves_no_rest(runner: Runner, codes: Mapping[int, CodeType], unit: int, noted: str, steps: int) -> bool:
    """Whether the division that ``noted`` (the unit's text) notes is of whole numbers, and comes out even each time in a run of the program."""
    rests: list[object] = []

    def note(left: int, right: int, is_true: bool) -> float:
        rests.append(left % right if isinstance(left, int) and isinstance(right, int) else None)
        return left / right if is_true else left // right

    runner.ns[_NOTE] = note
    runner.run({**codes, unit: compile_unit(runner.program, unit, noted)}, steps)
    return bool(rests) and all(rest == 0 for rest in rests)


def _list_reckonings(tree: ast.AST) -> Iterator[ast.BinOp]:
    """The outermost operations of a tree: those that are no side of another one."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.BinOp):
            yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.BinOp))
