"""How many checks come to what a patch changes.

A check that runs no changed line passes with the patch as it did without it, and says nothing of it: of seventeen asserts of three functions five may be
all that speak for what is changed in one of them. Seen are both runs, that of the program as it was and that of the patched one: what is put in
runs in the one, what is taken out in the other.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType

from jupyter_selfheal.inside.search.localise_faults import Line, Sight, trace_lines
from jupyter_selfheal.inside.search.program import Unit
from jupyter_selfheal.inside.search.run_candidate import Runner

STEPS = 400_000
"""Steps for seeing which lines of the patched program run."""


def count_reaching(
    runner: Runner, sight: Sight, units: Sequence[Unit], texts: Mapping[int, str], codes: Mapping[int, CodeType]
) -> int:
    """The checks that run a changed line; all of them where something is changed that runs once, as the head of a function does.

    To be called in a fork. ``sight`` is what the run of the program as it was has shown.
    """
    before, after = set[Line](), set[Line]()
    for unit, text in texts.items():
        changed = _list_changed_lines(units[unit].text, text)
        if changed is None:
            return len(sight.spectra)
        before.update((unit, number) for number in changed[0])
        after.update((unit, number) for number in changed[1])
    patched, _ = trace_lines(runner, STEPS, {n: (texts[n], code) for n, code in codes.items()})
    reached = [bool(after & lines) for lines in patched]
    if len(patched) == len(sight.spectra):
        reached = [now or bool(before & lines) for now, lines in zip(reached, sight.spectra, strict=True)]
    return sum(reached)


def _list_changed_lines(old: str, new: str) -> tuple[set[int], set[int]] | None:
    """The lines of the statements that differ, in the old text and in the new one; None where one of them is outside of all functions."""
    left, right = old.splitlines(), new.splitlines()
    before, after = set[int](), set[int]()
    for _, start, end, other, last in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if left[start:end] != right[other:last]:
            before.update(range(start + 1, end + 1))
            after.update(range(other + 1, last + 1))
    inside = [_expand_lines(old, before), _expand_lines(new, after)]
    return None if None in inside or not any(inside) else (inside[0] or set(), inside[1] or set())


def _expand_lines(text: str, numbers: set[int]) -> set[int] | None:
    """All lines of the statements, and of the heads of blocks, that have one of these lines; None where one of them is in no function."""
    expanded = set[int]()
    for is_inside, lines in _list_spans(ast.parse(text), is_inside=False):
        if numbers.intersection(lines):
            if not is_inside:
                return None
            expanded.update(lines)
    return expanded


def _list_spans(node: ast.AST, is_inside: bool) -> Iterator[tuple[bool, range]]:
    """The lines of each simple statement, and of the head of each other one, with whether that is inside of a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            body = getattr(child, "body", None)
            end = body[0].lineno - 1 if body else child.end_lineno or child.lineno
            yield is_inside, range(child.lineno, max(end, child.lineno) + 1)
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _list_spans(child, is_inside or is_function)
