"""Failures that somebody means: interrupted, deliberate, the notebook's own check, an exercise that is not completed."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.misspelt_definitions import ABSTRACT, find_misspelt_override
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.healers.rules.context.skeletons import has_attempt, has_code, is_skeleton
from jupyter_selfheal.healers.search.reading import has_assert
from jupyter_selfheal.healers.triage.left_alone._checks import TAG_IT, Remedies, find_cell, leave_alone
from jupyter_selfheal.model import Diagnosis, FailureKind, Locus, Oracle, SkipReason

RAISES = "raises-exception"

PLACEHOLDER = re.compile(r"^(your|YOUR|<)\w*|^_{2,}$|^x{3,}$|^X{3,}$|^FILL\w*$|^REPLACE\w*$")

HOLE = re.compile(r"<[^<>]*\byour\b[^<>]*>|\bYOUR[_ -][A-Z]{2}")

UNFINISHED = frozenset({"NameError", "NotImplementedError", "SyntaxError", "IndentationError", "TypeError", "AssertionError",
                        "AttributeError"})  # fmt: skip


def diagnose_interrupted(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A cell that somebody stopped."""
    if context.failure.ename != "KeyboardInterrupt" or (
        context.failure.kind is FailureKind.TIMED_OUT and _may_be_endless(context)
    ):
        return None
    return leave_alone("The cell was interrupted.", SkipReason.INTERRUPTED, "Run the cell again to continue.")


def _may_be_endless(context: RuleContext) -> bool:
    """Whether the cell, or one above it, has a `while` loop: it may have been stopped because that never ends."""
    trees = (context.tree_of(cell_id) for cell_id in context.list_cells_upwards())
    return any(isinstance(node, ast.While) for tree in trees for node in ast.walk(tree))


def diagnose_deliberate(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A tag says so, or the cell itself raises it."""
    cell, failure = find_cell(context), context.failure
    if RAISES in cell.tags:
        return leave_alone(
            "The cell is tagged `raises-exception`.",
            SkipReason.DELIBERATE,
            "Nothing to do: the error is expected.",
            Locus.CODE,
            100,
        )
    if failure.ename == "SystemExit":
        return leave_alone("The cell exits the program on purpose.", SkipReason.DELIBERATE, TAG_IT, Locus.CODE)
    statement = context.failing_statement
    if (
        isinstance(statement, ast.Raise)
        and statement.exc is not None
        and "NotImplementedError" not in src.dump_tree(statement)
    ):
        return leave_alone("The cell raises this error itself.", SkipReason.DELIBERATE, TAG_IT, Locus.CODE, 90)
    return None


def diagnose_own_check(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A function of the notebook, or a condition in the cell, refuses what it was given.

    Not where something says what the right result is (a search or a model may then find the fault that the check
    caught), nor where the error is another one's in new words.
    """
    failure, (cell_id, source, line) = context.failure, context.location
    stated = [s for s in find_cell(context).outputs if s.output_type != "error"] or context.case.oracle != Oracle()
    if failure.kind is not FailureKind.RAISED or stated or isinstance(context.failing_statement, ast.Assert):
        return None
    if not failure.frames or not failure.frames[-1].cell_id or not _raises_its_own(source, line):
        return None
    if remedies.has_remedy(context):
        return None
    function = find_function(source, line)
    where = f"`{function.name}`" if function is not None else "The cell"
    is_elsewhere = context.notebook.index(cell_id) >= 0 and cell_id != failure.cell_id
    place = f" ({context.notebook.name_cell(cell_id)}, line {line})" if is_elsewhere else f" (line {line})"
    if failure.evalue.startswith("exceptions must derive"):
        return Diagnosis(
            f"{where} raises what is no exception{place}.", Locus.CODE, cell_id, 85, SkipReason.OWN_CHECK,
            "Write `raise ValueError(…)` there. It refuses what it was given, so it will still fail, and say why.",
        )  # fmt: skip
    if failure.ename == "StopIteration":
        return Diagnosis(
            f"{where} has nothing more to give{place}.", Locus.CODE, cell_id, 85, SkipReason.OWN_CHECK,
            "Ask for fewer items, make the iterator anew, or give `next` a default.",
        )  # fmt: skip
    return Diagnosis(
        f"{where} itself rejects its input{place}: {failure.headline}", Locus.CODE, cell_id, 85, SkipReason.OWN_CHECK,
        "Check the value named in the message. The check is part of your notebook, so it was kept.",
    )  # fmt: skip


def _raises_its_own(source: str, line: int) -> bool:
    """True for a ``raise Error(...)`` on the line that passes on no other error."""
    tree = src.parse(source)
    nodes = list(ast.walk(tree)) if tree is not None else []
    handled = {n for h in nodes if isinstance(h, ast.ExceptHandler) for n in ast.walk(h)}
    return any(
        isinstance(n, ast.Raise) and n.exc is not None and n.lineno <= line <= (n.end_lineno or n.lineno)
        for n in nodes
        if n not in handled
    )


def diagnose_skeleton(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """An exercise that somebody is to complete."""
    failure = context.failure
    advice = "Complete the cell: only you know what belongs there."
    name = failure.evalue.split("'")[1] if failure.ename == "NameError" and failure.evalue.count("'") > 1 else ""
    if PLACEHOLDER.match(name) and not remedies.has_remedy(context):
        return leave_alone(
            f"`{name}` is a placeholder: replace it with your own code.", SkipReason.SKELETON, advice, Locus.CODE
        )
    if (hole := _find_placeholder(context)) and not remedies.has_remedy(context):
        return leave_alone(
            f"`{hole}` is a placeholder: put your own value in its place.", SkipReason.SKELETON, advice, Locus.CODE
        )
    if failure.ename not in UNFINISHED and "ellipsis" not in failure.evalue:
        return None
    if "'ellipsis'" in failure.evalue and any(_has_hole(c.source) for c in context.notebook.cells if c.kind == "code"):
        return leave_alone(
            "A value is still `...`: this exercise isn't finished.", SkipReason.SKELETON, advice, Locus.CODE
        )
    cell_id, source, _ = context.location
    nothing = failure.ename == "AssertionError" or "NoneType" in failure.evalue
    is_asked_for = failure.ename == "NotImplementedError" or ABSTRACT.search(failure.evalue) is not None
    if is_asked_for and (failure.ename == "TypeError" or find_misspelt_override(context) is not None):
        return None  # an heir has it, under a slip of its name; or it lacks what the message names
    if failure.ename == "NotImplementedError" and any(f.cell_id for f in failure.frames[-1:]):
        return leave_alone("This code isn't implemented yet.", SkipReason.SKELETON, advice, Locus.CODE)
    if _is_slip_in_code(context) or (
        failure.ename in ("AttributeError", "NameError") and remedies.has_safe_remedy(context)
    ):
        return None
    written = (context.failure.source, source)
    for text in (*written, *_list_sources_of_callees(context)):
        if has_attempt(text) and (is_checked(context) or remedies.has_remedy(context)):
            continue
        notes = failure.ename in ("NameError", "NotImplementedError", "SyntaxError")
        if is_skeleton(text, notes=notes, raises=notes or text in written) or (nothing and _is_empty_function(text)):
            return Diagnosis("This exercise isn't finished.", Locus.CODE, cell_id, 95, SkipReason.SKELETON, advice)
    return None


def _find_placeholder(context: RuleContext) -> str:
    """A text that stands for what the reader is to give (``"<your key here>"``, `"YOUR_TOKEN"`), in the failing statement or behind a name that
    it reads; empty where there is none."""
    statement = context.failing_statement
    for node in ast.walk(statement) if statement is not None else ():
        made = context.find_last_assignment(node.id) if isinstance(node, ast.Name) else None
        given = made.node.value if made is not None else node
        if isinstance(given, ast.Constant) and isinstance(given.value, str) and HOLE.search(given.value):
            return given.value[:60]
    return ""


def _is_slip_in_code(context: RuleContext) -> bool:
    """True where what somebody wrote does not parse, and somebody said what the cell must give. What must be written yet is said by that,
    and a place without anything in it is no slip."""
    failure = context.failure
    return (
        failure.kind is FailureKind.SYNTAX
        and bool(context.case.oracle)
        and "indented block" not in failure.evalue
        and has_code(failure.source)
    )


def is_checked(context: RuleContext) -> bool:
    """True where something says what the code must do: somebody's word, a stored output, or an assert below. An attempt is then healed,
    not left."""
    below = context.notebook.list_code_after(context.failure.cell_id)
    own = context.failing_statement
    stored = [o for o in find_cell(context).outputs if o.name != "stderr"]
    return (
        bool(context.case.oracle)
        or (bool(stored) and all(o.output_type != "error" for o in stored))
        or isinstance(own, ast.Assert)
        or any(has_assert(n) for c in below for n in src.walk(c.source)[:1])
    )


def _has_hole(source: str) -> bool:
    """True where ``...`` is assigned or returned."""
    return any(
        isinstance(n, ast.Assign | ast.AnnAssign | ast.Return)
        and isinstance(n.value, ast.Constant)
        and n.value.value is ...
        for n in src.walk(source)
    )


def _is_empty_function(source: str) -> bool:
    """True for a function whose body is ``pass`` or nothing but its docstring."""
    tree = src.parse(source)
    function = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return isinstance(function, ast.FunctionDef) and all(
        isinstance(n, ast.Pass) or (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
        for n in function.body
    )


def _list_sources_of_callees(context: RuleContext) -> Iterator[str]:
    """Sources of the functions that the failing statement calls, and of the methods of the notebook's classes; of none that a class
    below it has too, for then that one is called."""
    statement = context.failing_statement
    calls = [n.func for n in ast.walk(statement) if isinstance(n, ast.Call)] if statement is not None else []
    called = {f.id for f in calls if isinstance(f, ast.Name)}
    methods = {f.attr for f in calls if isinstance(f, ast.Attribute)}
    above = context.notebook.list_code_before(context.failure.cell_id)
    replaced = {name for cell in above for name in _list_replaced(cell.source)}
    for cell in (*above, find_cell(context)):
        lines = cell.source.splitlines()
        for definition in src.list_statements(cell.source):
            node = definition.node
            if isinstance(node, ast.FunctionDef) and node.name in called:
                yield "\n".join(lines[definition.first - 1 : _find_end(cell.source, definition.index)])
            elif isinstance(node, ast.ClassDef):
                for member in node.body:
                    if not isinstance(member, ast.FunctionDef) or member.name not in methods:
                        continue
                    if (node.name, member.name) not in replaced:
                        yield textwrap.dedent("\n".join(lines[member.lineno - 1 : member.end_lineno]))


def _list_replaced(source: str) -> Iterator[tuple[str, str]]:
    """(class, method) of what the classes of a source have in place of a base's."""
    for node in (n for n in src.walk(source) if isinstance(n, ast.ClassDef)):
        for base in map(ast.unparse, node.bases):
            yield from ((base, member.name) for member in node.body if isinstance(member, ast.FunctionDef))


def _find_end(source: str, index: int) -> int:
    """The last line before the next statement: a comment below a function's last one still belongs to it."""
    following = [s.first for s in src.list_statements(source) if s.index == index + 1]
    return following[0] - 1 if following else len(source.splitlines())
