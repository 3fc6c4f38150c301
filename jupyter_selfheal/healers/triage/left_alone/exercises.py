"""Failures behind exercises that are still open: the cell that was to be written, and lines that were never finished."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.skeletons import is_skeleton
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plain_slip
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, find_cell, leave_alone, read_line
from jupyter_selfheal.model import Cell, Diagnosis, FailureKind, Locus, SkipReason

OPEN = re.compile(
    r"\b(solutions?|answers?|code) (goes|go|here)\b|\byour (code|answer|solution|turn)\b|\b(write|type|enter|put|add) your\b|"
    r"^\s*# *%?load\b.*|\bfill in\b|\bwrite (?:an?|the|your) (?:own )?(?:function|class|method)\b|^\s*# *(exercise|todo|solution|answer)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands in a cell of nothing but comments where somebody was to write."""

LOADED = re.compile(r"(?m)^\s*# *(%load +.+?)\s*$")

_LACKING = re.compile(
    r"missing \d+ required (?:positional|keyword-only) arguments?: |(?:expected|takes) (?:at least|exactly) \w+ (?:positional )?arguments?(?: \(0 given\)|, got 0)"
)

NEAR = 12
"""Code cells above in which an open exercise is looked for."""


def diagnose_open_exercise(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A name that no cell binds, or a key that the notebook never writes, below a cell that was to be filled in."""
    name = context.missing_name if context.failure.ename == "NameError" else ""
    above = context.notebook.list_code_before(context.failure.cell_id)
    exercise: Cell | None = None
    if name and not context.is_bound_anywhere(name) and not _is_slip(context, name):
        exercise = next((c for c in reversed(above[-NEAR:]) if _is_open(c.source)), None)
    elif context.failure.ename == "KeyError" and above and _is_open(above[-1].source):
        key = context.failure.evalue.strip("'\"")
        words = re.findall(r"'([^']+)'", context.failure.evalue) or [key]
        exercise = above[-1] if not any(w in c.source for w in words for c in above) else None
    if exercise is None or remedies.has_safe_remedy(context):
        return None
    place = context.notebook.name_cell(exercise.id)
    solution = LOADED.search(exercise.source)
    hint = f" (`{solution[1]}` loads its solution)" if solution else ""
    problem = f"`{name}` isn't defined in any cell" if name else f"{context.failure.evalue} isn't created in any cell"
    return Diagnosis(
        f"{problem}: the exercise in {place} isn't finished.", Locus.ELSEWHERE, exercise.id, 90, SkipReason.SKELETON,
        f"Complete {place}{hint}: only you know what belongs there.",
    )  # fmt: skip


def _is_slip(context: RuleContext, name: str) -> bool:
    """True for a name that is misspelt: another cell binds the word that was meant, whether or not it ran."""
    bound = {
        n for c in context.notebook.cells if c.kind == "code" for n in src.find_names(context.source_of(c.id)).binds
    }
    return any(is_plain_slip(name, near) for near in find_nearest(name, sorted(bound)))


def _is_open(source: str) -> bool:
    """True for a cell of nothing but comments that says that something is to be written there."""
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return bool(lines) and all(line.startswith("#") for line in lines) and OPEN.search(source) is not None


def diagnose_open_value(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """``means = None`` below a note that says what is to be computed there, or ``means = ...``."""
    evalue, statement = context.failure.evalue, context.failing_statement
    wanted = {"None"} if "NoneType" in evalue else set[str]()
    if context.failure.ename == "AssertionError" or "ellipsis" in evalue:
        wanted |= {"...", "'?'"}
    if statement is None or not wanted:
        return None
    cells = (*context.notebook.list_code_before(context.failure.cell_id), find_cell(context))
    left: dict[str, tuple[Cell, str]] = {}
    for cell in cells:
        for name, value in _list_left_open(context.source_of(cell.id)):
            left[name] = cell, value
    used = _list_used_names(context) if "'?'" in {value for _, value in left.values()} else set()
    left = {name: (cell, value) for name, (cell, value) in left.items() if value != "'?'" or name not in used}
    indices = {id(n) for s in ast.walk(statement) if isinstance(s, ast.Subscript) for n in ast.walk(s.slice)}
    for name in (n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and id(n) not in indices):
        if name in left and left[name][1] in wanted:
            cell, value = left[name]
            place = context.notebook.name_cell(cell.id)
            return Diagnosis(
                f"`{name}` is still {value}: the exercise in {place} isn't finished.", Locus.ELSEWHERE, cell.id,
                90, SkipReason.SKELETON, f"Complete {place}: only you know what belongs there.",
            )  # fmt: skip
    return None


def _list_used_names(context: RuleContext) -> set[str]:
    """Names that more than asserts read: ``sep = "_"`` that something is made with is no answer."""
    read = (n for n in context.walk_notebook() if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    checks = [n for n in context.walk_notebook() if isinstance(n, ast.Assert)]
    checked = {id(n) for check in checks for n in ast.walk(check)}
    return {n.id for n in read if id(n) not in checked}


_ASKING = ("?", "??", "???", "_", "__", "___", "____", "TODO")
"""What stands where a text is to be filled in."""


def _list_left_open(source: str) -> Iterator[tuple[str, str]]:
    """Names in the order in which they are bound, with "None" where that stands on the line below, or beside, a note, with "..." where
    that is the value, else with nothing."""
    lines = source.splitlines()
    for statement in src.list_statements(source):
        node, value = statement.node, ""
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value in (None, ...):
            note = "\n".join(t for t in lines[max(statement.first - 2, 0) : statement.last] if "#" in t)
            is_none = node.value.value is None
            value = ("None" if is_skeleton(note) else "") if is_none else "..."
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value in _ASKING:
            value = "'?'"
        elif isinstance(node, ast.Assign) and any(
            isinstance(n, ast.Name) and re.fullmatch(r"_{3,}", n.id) for n in ast.walk(node.value)
        ):
            value = "..."  # `___` is what an earlier cell gave to IPython, and a blank to everybody else
        yield from ((name, value) for name in src.collect_names([node]).binds)


def diagnose_unfinished_line(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """``pd.read``, ``df.``, ``pd.read_csv(``: a line that shows what Tab offers, with nothing stored but that it does not parse; ``def mean(xs):`` with nothing
    below it; or ``df.to_sql()``, written to read its parameters and never run."""
    failure, cell = context.failure, find_cell(context)
    line = "\n".join(t for t in context.failure.source.splitlines() if not t.lstrip().startswith("#")).strip()
    is_syntax = failure.kind is FailureKind.SYNTAX
    if not line or any(not (is_syntax and o.error_name == "SyntaxError") for o in cell.outputs):
        return None
    shown = False
    if failure.kind is FailureKind.SYNTAX and _count_holes(read_line(context)) > 1:
        shown, line = True, read_line(context).strip()
    elif is_syntax and (_ends_in_the_air(line) or _ends_with_head(line)):
        shown, line = True, line.splitlines()[-1].strip()
    elif "\n" in line:
        return None
    elif failure.kind is FailureKind.SYNTAX:
        shown = re.fullmatch(r"[\w.]+\.|[\w.]+\((?:\?)?", line) is not None
    elif failure.ename == "AttributeError" and re.fullmatch(r"[A-Za-z_][\w.]*\.\w+", line):
        owner, _, start = line.rpartition(".")
        known = context.describe(owner)
        shown = known is not None and sum(a.startswith(start) for a in known.attributes) > 1
    elif _LACKING.search(failure.evalue) and re.fullmatch(r"[A-Za-z_][\w.]*\(\)", line):
        shown = cell.count is None and any(c.count is not None for c in context.notebook.cells)
    if not shown:
        return None
    return leave_alone(
        f"`{line}` isn't finished.",
        SkipReason.SKELETON,
        "Finish the line.",
        Locus.CODE,
    )


def _ends_with_head(source: str) -> bool:
    """A function of which nothing is written but its head: with `pass` it would run, and do nothing of what it is for."""
    indent = re.match(r"\s*", source.splitlines()[-1])
    tree = src.parse(f"{source}\n{indent[0] if indent else ''}    pass")
    node: ast.AST | None = tree
    while isinstance(node, ast.Module | ast.ClassDef | ast.If) and node.body:
        node = node.body[-1]
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(node.body[0], ast.Pass)


def _ends_in_the_air(source: str) -> bool:
    """``best = sales.groupby("store")["units"].``: what Tab was to go on from, at the end of a cell that parses without its last point. Behind a
    call by itself (``print(best).``) the point is a slip."""
    tree = src.parse(source[:-1]) if source.endswith(".") and not source.endswith("..") else None
    last = tree.body[-1] if tree is not None and tree.body else None
    return isinstance(last, ast.Assign) or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Subscript))


def _count_holes(line: str) -> int:
    """Places between commas and brackets where something is to be filled in."""
    return len(re.findall(r",\s*(?=,)|\(\s*(?=,)|=\s*(?=[,)])", line))
