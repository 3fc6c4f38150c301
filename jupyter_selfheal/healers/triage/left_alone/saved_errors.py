"""Failures whose saved output is the same error: shown on purpose, or left behind by somebody who went on.

Who works cell by cell meets an error, goes on with another cell and saves, so that a saved error alone says little. Where something
in the notebook says that it is shown on purpose (:mod:`.demonstrations`), the cell is left alone. Where a rule is sure of a slip that
nobody makes on purpose, it is healed like any other. Between the two a fix is offered, and said to be of what may be meant.
"""

from __future__ import annotations

import ast
import difflib
import re

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.left_alone._checks import TAG_IT, Remedies, find_cell, leave_alone, read_line
from jupyter_selfheal.healers.triage.left_alone.demonstrations import find_sign
from jupyter_selfheal.model import Cell, Diagnosis, FailureKind, Locus, Output, SkipReason

_OWN = ("ImportError", "ModuleNotFoundError", "FileNotFoundError")
"""Errors of the machine on which a notebook was saved: nobody shows them."""

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_OF_TEXTS = ("SyntaxError", "IndentationError", "TabError")

_MARKED = re.compile(r"^-+> *\d+ (.+)$", re.MULTILINE)

_SLIPS = re.compile(
    r"name '|has no attribute|no longer|unexpected keyword|positional argument|multiple values|missing \d+ required|'[^']*' is an invalid keyword"
)
"""Messages of a slip of the pen, or of what a library no longer has: misspelt, or called as it is not. Operands of two kinds, an item that
is not there and the like are what lessons show."""

_LESSONS = re.compile(
    r"'(?:tuple|str|bytes|frozenset|range)' object has no attribute '(?:add|append|clear|discard|extend|insert|pop|remove|reverse|sort|update)'"
)
"""A message of the first kind that lessons show all the same."""

AT_ONCE = 0.25
"""Seconds, in which nobody reads an error and runs the next cell: a front end drops what was to run after an error, nbclient goes on if told to."""


def diagnose_shown_error(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """The saved output is the same error, cells below were run after it (or there are none), and something says that it is shown on purpose."""
    is_shown = _is_saved(context) and (
        _was_gone_on_below(context) or not any(c.source.strip() for c in _list_below(context))
    )
    sign = find_sign(context, remedies) if is_shown else ""
    if not sign:
        return None
    return leave_alone(
        f"The saved output of this cell is the same error, and {sign}.", SkipReason.DELIBERATE,
        f"{TAG_IT} If it is not meant, clear the cell's output: then it is healed.", Locus.CODE,
    )  # fmt: skip


def is_kept(context: RuleContext) -> bool:
    """Whether a person saved the notebook with this error, after cells below were run."""
    return _is_saved(context) and _was_gone_on_below(context) and not _was_run_by_machine(context)


def is_plain_slip(context: RuleContext, remedies: Remedies) -> bool:
    """Whether a rule is sure of a slip that nobody makes on purpose."""
    failure = context.failure
    is_slip = (
        failure.kind is FailureKind.SYNTAX
        or (failure.ename == "KeyError" and failure.evalue.strip("'\"") in _list_texts(failure.source))
        or (failure.ename in ("NameError", "AttributeError", "TypeError") and _is_of_slip(failure.evalue))
    )
    name = context.missing_name if failure.ename == "NameError" else None
    if not is_slip or (
        name and any(c.count is not None for c in context.list_binding_cells(name, _list_below(context)))
    ):
        return False
    return remedies.has_safe_remedy(context)


def _is_of_slip(message: str) -> bool:
    return _SLIPS.search(message) is not None and _LESSONS.search(message) is None


def _list_below(context: RuleContext) -> tuple[Cell, ...]:
    return context.notebook.list_code_after(context.failure.cell_id)


def _is_saved(context: RuleContext) -> bool:
    """The same error is stored, and no cell below needs what the cell makes."""
    cell = find_cell(context)
    stored = next((o for o in cell.outputs if o.output_type == "error"), None)
    if stored is None or stored.error_name in _OWN or not _is_same_error(context, stored):
        return False
    return not _is_needed_below(context, cell)


def _was_gone_on_below(context: RuleContext) -> bool:
    return bool(_list_run_after(context, find_cell(context)))


def _list_run_after(context: RuleContext, cell: Cell) -> list[Cell]:
    """Cells below that were run after this one, as the notebook was saved: who only has a failing cell stops there, as *Run all* does.

    Nothing is known of cells without a stored number: there an output tells.
    """
    below = [c for c in _list_below(context) if c.source.strip()]
    if cell.count is None:
        return [c for c in below if c.outputs]
    return [c for c in below if c.count is not None and c.count > cell.count]


def _was_run_by_machine(context: RuleContext) -> bool:
    """Whether the times of the runs say that no person went on, but a machine that is told to (``allow_errors``)."""
    cell = find_cell(context)
    begun = min((c.begun for c in _list_run_after(context, cell)), default=0.0)
    return cell.count is not None and min(cell.ended, begun) > 0 and abs(begun - cell.ended) < AT_ONCE


def _is_needed_below(context: RuleContext, cell: Cell) -> bool:
    """Whether a cell below reads what only this cell makes, before another one does: a demonstration makes nothing that is needed.

    That is a name, or what it stores under a text that stands in no cell above (``df["ratio"] = …``). What the statements before the
    failing one made is there.
    """
    statements = src.list_statements(cell.source)
    made = src.keep_statements(cell.source, range(len(statements))[: max(context.failure.statement, 0)])
    names, keys = _list_made(cell.source)
    for above in (*(c.source for c in context.notebook.list_code_before(cell.id)), made):
        names -= src.find_names(above).binds
        keys -= _list_texts(above) if keys else set()
    for below in _list_below(context):
        found, stored = src.find_names(below.source), _list_stored(below.source) if keys else set()
        if names & found.uses or (keys and (keys - stored) & _list_texts(below.source)):
            return True
        names -= found.binds
        keys -= stored
    return False


def _list_made(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds, as far as its lines tell where it does not parse, and the texts that it stores something under."""
    if src.parse(source) is None:
        return set(src.find_assigned_in_text(source)), set()
    return set(src.find_names(source).binds), _list_stored(source)


def _list_stored(source: str) -> set[str]:
    """The texts that a cell stores something under: ``ratio`` of ``df["ratio"] = …``."""
    slices = (n.slice for n in src.walk(source) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store))
    return {s.value for s in slices if isinstance(s, ast.Constant) and isinstance(s.value, str)}


def _list_texts(source: str) -> set[str]:
    """The texts of a cell, and the names of attributes (``df.ratio``)."""
    texts = {n.value for n in src.walk(source) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return texts | {n.attr for n in src.walk(source) if isinstance(n, ast.Attribute)}


def _is_same_error(context: RuleContext, stored: Output) -> bool:
    """The same name, and for names whose message says what is missing nearly the same message; a type's may be at the same line.

    Libraries word the others anew with every release; an author who kept one of them in the notebook meant to show it. So does Python
    what does not parse: it said `invalid syntax` of nearly everything, and the text is the same.
    """
    one, two = _normalize_message(stored.error_message), _normalize_message(context.failure.evalue)
    if stored.error_name in _OF_TEXTS and context.failure.kind is FailureKind.SYNTAX:
        return True
    if stored.error_name != context.failure.ename:
        return one == two and len(one) >= 20  # a library gave its error a class of its own
    if stored.error_name not in ("NameError", "AttributeError", "TypeError"):
        return True
    if stored.error_name == "TypeError" and read_line(context).strip() in _list_marked_lines(stored):
        return True
    return one == two or (bool(one and two) and difflib.SequenceMatcher(None, one, two).ratio() > 0.75)


def _list_marked_lines(stored: Output) -> list[str]:
    """The lines that a stored traceback points at."""
    text = _COLOURS.sub("", "\n".join(stored.traceback))
    return [line.strip() for line in _MARKED.findall(text)]


def _normalize_message(message: str) -> str:
    first = message.strip().splitlines()[0] if message.strip() else ""
    return re.sub(r"0x[0-9a-f]+|\([^()]*line \d+\)|<ipython[^>]*>|\s+", " ", first).strip()
