"""Loops that a patch empties: what stands in them no longer runs, so that the checks below them hold for nothing.

``range(min(0, steps))`` mends the error in its head, and every assert about what the loop was to change holds as it did before it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from types import CodeType

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.search.program import CELL, DEFINE, REPLAY, Unit, compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.tree_names import list_bound_names, list_read_names

_NOTE = "__selfheal_range__"
_MADE_A_NUMBER = re.compile(r"//|\b(?:int|len|round)\(")
"""What makes a whole number of what ``range`` does not take: the head itself raised."""


def find_idle_loop(units: Sequence[Unit], texts: Mapping[int, str], ran: Mapping[int, frozenset[int]]) -> str:
    """The head of a loop of the notebook's cells that hangs on a patch and has no round with it, as text; empty where there is none.

    ``texts`` are the patched units, ``ran`` the lines of each unit that ran with them. A loop inside a function may have no round
    for good reason: only those at a cell's top level count.
    """
    touched: set[str] = set()
    for n, unit in enumerate(units):
        if unit.role not in (CELL, DEFINE, REPLAY):
            continue
        tree = ast.parse(texts.get(n, unit.text))
        if n in texts or touched & list_read_names(tree):
            if unit.role != DEFINE and (loop := _find_unrun_loop(tree, ran.get(n, frozenset()))) is not None:
                return ast.unparse(loop).split("\n")[0]
            touched |= _list_bound(tree)
    return ""


def find_fewer_rounds(old: str, new: str) -> str:
    """The changed ``range(…)`` of a loop whose rounds are all alike (``for _ in range(n)``, where nothing reads the number), as text; empty
    where there is none. What raises in one round of such a loop is not mended by another number of them: it is only no longer reached.

    Not meant are other items (``for line in open(path)``), and a head that raised itself: ``range(n // 2)`` for ``range(n / 2)``.
    """
    ways = [_list_equal_rounds(ast.parse(text)) for text in (old, new)]
    pairs = [(a, b) for a, b in zip(*ways, strict=False) if a != b]
    changed = [b for a, b in pairs if len(_MADE_A_NUMBER.findall(b)) <= len(_MADE_A_NUMBER.findall(a))]
    return changed[0] if len(ways[0]) == len(ways[1]) and changed else ""


def change_rounds(old: str, new: str) -> tuple[str, str] | None:
    """The new text with what one loop goes through noted beside what the old one's did, and that as text; None where nothing of this kind
    differs, or more. Only a ``range`` is meant, whose old form costs nothing to ask for once more."""
    tree = ast.parse(new)
    before, after = (
        [n for n in ast.walk(t) if isinstance(n, (ast.For, ast.comprehension))] for t in (ast.parse(old), tree)
    )
    differing = [(a, b) for a, b in zip(before, after, strict=False) if dump_tree(a.iter) != dump_tree(b.iter)]
    if len(before) != len(after) or len(differing) != 1 or not all(_is_range(n.iter) for n in differing[0]):
        return None
    then, now = differing[0]
    words = ast.unparse(now.iter)
    given = [ast.Tuple(n.iter.args, ast.Load()) for n in (then, now) if isinstance(n.iter, ast.Call)]
    now.iter = ast.Call(ast.Name(_NOTE, ast.Load()), list(given), [])
    return ast.unparse(ast.fix_missing_locations(tree)), words


def _is_range(node: ast.expr) -> bool:
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    is_plain = all(isinstance(n.func, ast.Name) and n.func.id in ("range", "len") for n in calls)
    return is_plain and isinstance(node, ast.Call) and ast.unparse(node.func) == "range"


def is_emptied(runner: Runner, codes: Mapping[int, CodeType], unit: int, noted: str, steps: int) -> bool:
    """Whether a loop of a unit has no round wherever a check gave it some before; ``noted`` is the unit's text with both."""
    had: list[int] = []

    def note(then: tuple[int, ...], now: tuple[int, ...]) -> range:
        rounds = range(*now)
        had.extend([len(rounds)] if len(range(*then)) else [])
        return rounds

    runner.ns[_NOTE] = note
    runner.run({**codes, unit: compile_unit(runner.program, unit, noted)}, steps)
    return bool(had) and not any(had)


def _list_equal_rounds(tree: ast.AST) -> list[str]:
    read = list_read_names(tree)
    loops = [n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.comprehension))]
    alike = (n.iter for n in loops if isinstance(n.target, ast.Name) and n.target.id not in read)
    return [ast.unparse(i) for i in alike if isinstance(i, ast.Call) and ast.unparse(i.func) == "range"]


def _find_unrun_loop(tree: ast.Module, lines: frozenset[int]) -> ast.stmt | None:
    """The first loop whose head ran and whose body did not."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        begun = isinstance(node, (ast.For, ast.While)) and node.lineno in lines and node.body[0].lineno > node.lineno
        if begun and not lines.intersection(_list_lines(node.body)):  # type: ignore[attr-defined]
            return node
        waiting.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
    return None


def _list_lines(body: Sequence[ast.stmt]) -> range:
    return range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)


def _list_bound(tree: ast.Module) -> set[str]:
    """The names that the statements of a cell bind, functions and classes included."""
    names = list_bound_names(tree)
    return names | {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
