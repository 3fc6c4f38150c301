"""A condition that a patch changed and that always comes out the same way: the checks would pass as well without it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping
from types import CodeType

from jupyter_selfheal.inside.search.program import compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.tree_names import is_call_of

NOTE = "__selfheal_note__"
SEVERAL_TIMES = 3
"""How often a condition must be asked before that it always came out the same says anything."""


def change_condition(old: str, new: str) -> tuple[str, str] | None:
    """The new text with the one condition that differs from the old's noted by each of its outcomes, and that condition; None where it
    is none, or not the only one."""
    before, tree = ast.parse(old), ast.parse(new)
    tests = list(_list_conditions(tree))
    texts = [ast.unparse(test) for _, test in tests]
    known = [ast.unparse(test) for _, test in _list_conditions(before)]
    differing = [n for n, (a, b) in enumerate(zip(texts, known, strict=False)) if a != b]
    if len(texts) != len(known) or len(differing) != 1:
        return None
    put, test = tests[differing[0]]
    put(ast.Call(ast.Name(NOTE, ast.Load()), [test], []))
    return ast.unparse(ast.fix_missing_locations(tree)), texts[differing[0]]


def list_outcomes(runner: Runner, codes: Mapping[int, CodeType], unit: int, noted: str, steps: int) -> list[bool]:
    """How the noted condition of a unit came out, each time that it was asked in a run of the patched program."""
    outcomes: list[bool] = []

    def note(value: object) -> object:
        outcomes.append(bool(value))
        return value

    runner.ns[NOTE] = note
    runner.run({**codes, unit: compile_unit(runner.program, unit, noted)}, steps)
    return outcomes


def list_one_way(runner: Runner, unit: int, steps: int) -> list[str]:
    """The conditions of a unit that came out one way whenever the checks came to them: not those that ask for a type, and not where an error is raised."""
    tree = ast.parse(runner.program.units[unit].text)
    raising = {n.test for n in ast.walk(tree) if isinstance(n, ast.If) and isinstance(n.body[0], ast.Raise)}
    tests = [
        (put, test)
        for put, test in _list_conditions(tree)
        if test not in raising and not is_call_of(test, "isinstance")
    ]
    texts = [ast.unparse(test) for _, test in tests]
    outcomes: list[set[bool]] = [set() for _ in tests]

    def note(n: int, value: object) -> object:
        outcomes[n].add(bool(value))
        return value

    for n, (put, test) in enumerate(tests):
        put(ast.Call(ast.Name(NOTE, ast.Load()), [ast.Constant(n), test], []))
    runner.ns[NOTE] = note
    runner.run({unit: compile_unit(runner.program, unit, ast.unparse(ast.fix_missing_locations(tree)))}, steps)
    return [text for text, came in zip(texts, outcomes, strict=True) if len(came) == 1]


def count_decisions(text: str) -> int:
    """How many conditions, or parts of one, and loops a text has."""
    tree = ast.parse(text)
    loops = sum(isinstance(node, ast.For | ast.AsyncFor | ast.While) for node in ast.walk(tree))
    return loops + sum(1 for _ in _list_conditions(tree))


Place = Callable[[ast.expr], None]
"""Puts another expression in the place of a condition."""


def _list_conditions(tree: ast.AST) -> Iterator[tuple[Place, ast.expr]]:
    """(place, condition) of each branch and comprehension, or of the parts joined by ``and`` and ``or`` in it. (The rounds of a
    ``while`` are counted already.)"""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp)):
            yield from _list_parts(functools.partial(setattr, node, "test"), node.test)
        elif isinstance(node, ast.comprehension):
            for at, test in enumerate(node.ifs):
                yield from _list_parts(functools.partial(node.ifs.__setitem__, at), test)


def _list_parts(put: Place, test: ast.expr) -> Iterator[tuple[Place, ast.expr]]:
    if not isinstance(test, ast.BoolOp):
        yield put, test
        return
    for at, part in enumerate(test.values):
        yield from _list_parts(functools.partial(test.values.__setitem__, at), part)
