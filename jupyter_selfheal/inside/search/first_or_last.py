"""Does a loop keep the first of what it looks for, or the last? No check says so in which no two are there to be found.

``for i, x in enumerate(xs): if x >= limit: place = i`` keeps the last one; with a ``break`` it would keep the first. Both meet
checks in which one item is found at most.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType

from jupyter_selfheal.inside.search.program import compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.tree_blocks import list_blocks
from jupyter_selfheal.inside.tree_names import list_names

NOTE = "__selfheal_note__"
LOOKED_AT = 3
"""Such variables of one function that are looked at."""
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_Loop = ast.For | ast.While


def list_kept(text: str) -> list[tuple[str, str, str]]:
    """(the text with the loop noted, the variable, the question) of each variable that a loop sets anew for whatever it finds.

    Not meant is what the loop reads (a maximum so far), what is the same each time (a flag), and what is looked up by an equality with
    an item (``if name == wanted``), as there mostly is one such item.
    """
    found = []
    for at, (_, question, kept) in enumerate(list(_list_keeping(ast.parse(text)))[:LOOKED_AT]):
        tree = ast.parse(text)
        loop, asked, _ = next(itertools.islice(_list_keeping(tree), at, None))
        _note_rounds(tree, loop, asked)
        found.append((ast.unparse(ast.fix_missing_locations(tree)), kept, ast.unparse(question.test)))
    return found


def finds_two(runner: Runner, codes: Mapping[int, CodeType], unit: int, noted: str, steps: int) -> bool:
    """Whether some loop of a run of the patched program finds two items; what cannot be seen counts as such."""
    most, count = 0, 0

    def note(begins: bool) -> None:
        nonlocal most, count
        count = 0 if begins else count + 1
        most = max(most, count)

    runner.ns[NOTE] = note
    runner.run({**codes, unit: compile_unit(runner.program, unit, noted)}, steps)
    return most != 1


def _list_keeping(tree: ast.AST) -> Iterator[tuple[_Loop, ast.If, str]]:
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For | ast.While):
            continue
        names = [n for n in ast.walk(loop) if isinstance(n, ast.Name)]
        items = list_names(loop.target) if isinstance(loop, ast.For) else set()
        for question in (n for n in ast.walk(loop) if isinstance(n, ast.If)):
            if isinstance(question.body[-1], _ENDS) or _compares_item(question.test, items):
                continue
            for kept in _list_set(question.body):
                if sum(n.id == kept for n in names) == 1:
                    yield loop, question, kept


def _list_set(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        is_set = isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Constant)
        if is_set and isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name):
            yield target.id


def _compares_item(test: ast.expr, items: set[str]) -> bool:
    """``name == wanted``, ``row[0] == wanted``: an item, or a part of it, is what is looked for."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return any(_name_part(side) in items for side in (test.left, *test.comparators))


def _name_part(node: ast.expr) -> str:
    """The variable of ``x``, ``x.name``, ``x[0]`` and ``xs[x]``; empty for anything that is computed."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.slice if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _note_rounds(tree: ast.AST, loop: _Loop, question: ast.If) -> None:
    """Say before the loop that it begins, and within the question that it has found something."""
    question.body.insert(0, _call_note(begins=False))
    for node in ast.walk(tree):
        for block in list_blocks(node):
            if loop in block:
                block.insert(block.index(loop), _call_note(begins=True))
                return


def _call_note(*, begins: bool) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Name(NOTE, ast.Load()), [ast.Constant(begins)], []))
