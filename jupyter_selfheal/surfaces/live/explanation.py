"""Why a cell failed, for who wants to learn from it: free, without a model, from the failure and the live values.

What failed in one sentence; where the values of the failing line came from, cell by cell; what would fit where that can be
read off them. This is read when the cell fails, while its values are those that it failed with. What the fix does, how to
avoid the like and where to read on comes with the fix. Only Python's own objects and those of known libraries are looked
into, so that nothing of the user's runs.
"""

from __future__ import annotations

import ast
import difflib
import operator
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Candidate, Case, Failure, FailureKind, Replace, diff_sources
from jupyter_selfheal.model.diff import LineKind
from jupyter_selfheal.surfaces.live.plain_sentences import advise_habit, describe_failure
from jupyter_selfheal.surfaces.live.value_descriptions import (
    MOST_KEYS,
    describe_value,
    format_shape,
    is_of,
    list_some,
    shorten,
)
from jupyter_selfheal.surfaces.live.value_origins import OriginTeller, list_values_read, parse_line

FILE_ERRORS = frozenset({"FileNotFoundError", "NotADirectoryError", "IsADirectoryError"})

ARITHMETIC: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
"""What the position of an item is often computed with."""

CONTAINERS = (list, dict, tuple, set, str)
"""Types of which being empty is often all that is wrong."""


def explain_failure(case: Case, names: Mapping[str, Any], error: BaseException | None = None) -> Iterator[str]:
    """Sentences, most telling first. ``names`` are the user's variables as the failure left them; a line that begins with
    blanks belongs to the one above it. ``error`` knows the values inside of the function that failed."""
    failure = case.failure
    if what := describe_failure(failure):
        yield what
    yield from explain_unmade(case)
    statement = find_failing_text(failure)
    if statement:
        yield f"It failed at line {failure.line}: `{shorten(statement)}`"
    yield from OriginTeller(case, names).tell(parse_line(statement), failure.line)
    inner, function, inside = find_inner_values(failure, error)
    if inside:
        place = "There" if function.startswith("<") else f"In `{function}`"  # <genexpr>, <lambda>: Python's own words
        if inner != statement:
            yield f"{place} it failed at `{shorten(inner)}`"
        yield from (f"  `{name}` is {describe_value(inside[name], name)}" for name in _list_read(inner, inside))
    yield from explain_position(failure.ename, inner or statement, {**names, **inside})
    yield from explain_empty(statement, names)
    yield from explain_empty(inner, inside)
    yield from explain_shapes(statement, names)
    yield from explain_shapes(inner, inside)
    yield from explain_file(failure.ename, failure.evalue)


def explain_fix(candidate: Candidate, failure: Failure) -> Iterator[str]:
    """What the fix does, how to avoid the like next time, and the rule's page."""
    patch = candidate.patch
    if patch.cause and patch.cause.rstrip(".") != patch.title:
        yield f"Why: {patch.cause}"
    yield f"The fix: {patch.title}." + (f" {patch.why[0].upper()}{patch.why[1:]}" if patch.why else "")
    yield from explain_habit(failure, patch.rule)
    if patch.rule:
        yield f"More: `jupyter selfheal rules {patch.rule}`"


def explain_habit(failure: Failure, rule: str = "") -> Iterator[str]:
    """How to avoid the like next time, where there is such advice."""
    if habit := advise_habit(failure, rule):
        yield f"Next time: {habit}"


def hint_at_fix(candidate: Candidate, failure: Failure) -> str:
    """Where to look, without saying what to write: for who wants to find the fix."""
    edits = [edit for edit in candidate.patch.edits if isinstance(edit, Replace)]
    if not edits:
        return "Hint: the cell itself is fine; look at what must run before it."
    here = next((edit for edit in edits if edit.cell_id == failure.cell_id), None)
    if here is None:
        return "Hint: the fault is in a cell above this one."
    lines = diff_sources(here.old, here.source, context=0)
    removed = [line.text.strip() for line in lines if line.kind is LineKind.REMOVED]
    if not removed:
        return "Hint: a line is missing."
    at = next(n for n, text in enumerate(here.old.splitlines(), 1) if text.strip() == removed[0])
    more = f" and {len(removed) - 1} more" if len(removed) > 1 else ""
    return f"Hint: look at line {at}{more}: `{shorten(removed[0])}`"


def find_failing_text(failure: Failure) -> str:
    """The failing cell's line at which it failed. Empty where it is not known."""
    lines = failure.source.splitlines()
    if failure.kind is FailureKind.MISSED or not 0 < failure.line <= len(lines):
        return ""
    return lines[failure.line - 1].strip()


def explain_unmade(case: Case) -> Iterator[str]:
    """The cell that would have made the name that is missing, where that one failed itself: there it is to be healed."""
    missing = re.search(r"name '(\w+)' is not defined", case.failure.evalue)
    if missing is None or case.failure.ename != "NameError":
        return
    makers = [c for c in case.notebook.cells if c.unfinished and missing[1] in src.find_names(c.source).binds]
    for cell in (c for c in makers[-1:] if c.id != case.failure.cell_id):
        yield f"The cell `{shorten(cell.first_line)}` makes it, and failed: that one first."


def find_inner_values(failure: Failure, error: BaseException | None) -> tuple[str, str, Mapping[str, Any]]:
    """The line, the name and the values of the notebook's own function in which it failed; empty where it was in none."""
    own = [frame for frame in failure.frames if frame.cell_id]
    if error is None or not own or own[-1].function == "<module>":
        return "", "", {}
    frame = own[-1]
    values: Mapping[str, Any] = {}
    for code, line, inside in _walk_frames(error.__traceback__):
        if code == frame.function and line == frame.line:
            values = inside
    return frame.text, frame.function, values


def _walk_frames(tb: TracebackType | None) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    while tb is not None:
        yield tb.tb_frame.f_code.co_name, tb.tb_lineno, tb.tb_frame.f_locals
        tb = tb.tb_next


def _list_read(text: str, names: Mapping[str, Any]) -> list[str]:
    return list_values_read(parse_line(text), names)


def explain_empty(text: str, names: Mapping[str, Any]) -> Iterator[str]:
    """Which of the values is empty: often all that is wrong."""
    for name in _list_read(text, names):
        if type(names[name]) in CONTAINERS and not names[name]:
            yield f"`{name}` is empty: look at what fills it."


def explain_position(ename: str, text: str, names: Mapping[str, Any]) -> Iterator[str]:
    """Which position of which list was asked for, and how many there are."""
    if ename != "IndexError":
        return
    for node in ast.walk(parse_line(text)):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            continue
        sequence, at = names.get(node.value.id), compute_number(node.slice, names)
        if not isinstance(sequence, list | tuple | str) or type(sequence) not in CONTAINERS:
            continue  # a class of the user's, say
        if (
            sequence and at is not None and not -len(sequence) <= at < len(sequence)
        ):  # of an empty one it is said that it is
            last = len(sequence) - 1
            yield f"`{ast.unparse(node)}` asks for position {at} of `{node.value.id}`; its last one is {last}."


def compute_number(node: ast.expr, names: Mapping[str, Any]) -> int | None:
    """What a sum, difference or product of whole numbers gives; None of anything else."""
    if isinstance(node, ast.Constant | ast.Name):
        value = node.value if isinstance(node, ast.Constant) else names.get(node.id)
        return value if type(value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = compute_number(node.operand, names)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        left, right = compute_number(node.left, names), compute_number(node.right, names)
        return None if left is None or right is None else ARITHMETIC[type(node.op)](left, right)
    return None


def explain_shapes(text: str, names: Mapping[str, Any]) -> Iterator[str]:
    """What two arrays of a matrix product would fit with."""
    for node in ast.walk(parse_line(text)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            sides = [names.get(n.id) if isinstance(n, ast.Name) else None for n in (node.left, node.right)]
            if all(is_of(side, "numpy") and len(getattr(side, "shape", ())) in (1, 2) for side in sides):
                yield from _explain_product(ast.unparse(node.left), ast.unparse(node.right), sides[0], sides[1])


def _explain_product(a: str, b: str, left: Any, right: Any) -> Iterator[str]:
    if left.shape[-1] == right.shape[0]:
        return
    fits = [
        text
        for text, inner, turned in (
            (f"{a}.T @ {b}", (left.shape[0], right.shape[0]), left),
            (f"{a} @ {b}.T", (left.shape[-1], right.shape[-1]), right),
        )
        if inner[0] == inner[1] and len(turned.shape) == 2
    ]
    tried = f"; try `{'` or `'.join(fits)}`" if fits else ""
    yield f"`{a}` is {format_shape(left)}, `{b}` is {format_shape(right)}{tried}"


def explain_file(ename: str, evalue: str) -> Iterator[str]:
    """The names near one that is not there."""
    if ename not in FILE_ERRORS:
        return
    parts = evalue.split("'")
    path = Path(parts[1]) if len(parts) > 2 else None
    if path is None:
        return
    folder = path.parent if path.parent.is_dir() else Path(".")
    try:
        there = sorted(name for name in os.listdir(folder) if name[0] != "." or path.name[:1] == ".")
    except OSError:
        return
    near = difflib.get_close_matches(path.name, there, MOST_KEYS) or there
    where = "this folder" if folder == Path(".") else f"`{folder}`"
    yield f"In {where} there is: {list_some(near)}" if near else f"In {where} there is nothing."
