"""Cells that run several in one process: which of them may, and what each of them did.

A fork with its guard takes 0.1 s of processor time at the size that pandas and scikit-learn have, and more on a busy machine; most cells take less. Where one
of them fails those above it run once more, to have the state before it: so only what can be run twice goes together.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.loop.consent import find_capabilities
from jupyter_selfheal.model import Cell, Ending, Failure, FailureKind, Notebook, Trial
from jupyter_selfheal.source.chance import CLOCK, RANDOM, find_chance
from jupyter_selfheal.surfaces.notebook.beside import stays_inside

TOGETHER_SECONDS, TOGETHER_SECONDS_LATER = 0.5, 0.3
"""No further cell is begun in one process when those before it took so long: that is what running them again may cost. Where a cell of a notebook
has failed, others are likely to: then less is ventured."""

MOST_TOGETHER = 20
"""Cells at once."""

_TWICE_ALIKE = frozenset({RANDOM, CLOCK})
"""What of chance does no harm: a copy of a state draws the same numbers, and reading a clock changes nothing."""

_KEEPS_STATE = re.compile(
    r"^[^#\n]*(?:import|\bfrom\b)[^#\n]*\b(?:sqlite3|shelve|dbm|duckdb|h5py|tables|tinydb|logging|tempfile|ftplib|smtplib|webbrowser)\b",
    re.MULTILINE,
)
"""Imports of modules that keep something outside of the process's memory, though no other process. A word is none: ``fit.summary().tables[1]``."""

_PLAIN_MAGIC = re.compile(r"\s*%(?:matplotlib|config|precision|pylab)\b")
_ANY_MAGIC = re.compile(r"\s*[%!?]|[^#]*\?\s*$")
_FRESH_DRAWS = re.compile(r"\b(?:default_rng|SystemRandom|Random)\(|\bawait\b|\binput\(")
"""Numbers that another run would not draw again, as they are seeded by the system; and what is asked of somebody."""


def changes_memory_only(notebook: Notebook) -> bool:
    """Whether nothing in a notebook's code speaks for a change of anything but its own memory and files that are thrown away."""
    is_known = not any(_KEEPS_STATE.search(c.source) for c in notebook.cells if c.kind == "code")
    return is_known and stays_inside(notebook, at_once=False)


def take_cells(cells: Iterable[Cell], is_alone: Callable[[Cell], bool] = lambda _: False) -> list[Cell]:
    """The first code cells of those that are left, as many as may be run in one process; none that is to be run by itself (``is_alone``)."""
    code = (c for c in cells if c.kind == "code" and c.source.strip())
    return list(
        itertools.islice(itertools.takewhile(lambda c: _may_run_twice(c) and not is_alone(c), code), MOST_TOGETHER)
    )


def _may_run_twice(cell: Cell) -> bool:
    is_asked = bool(cell.oracle) or bool(cell.oracle.spec)
    if cell.skip or cell.expensive or is_asked or _FRESH_DRAWS.search(cell.source) or src.parse(cell.source) is None:
        return False
    if not has_plain_magics(cell.source):
        return False
    return not find_capabilities(cell.source) and _TWICE_ALIKE.issuperset(find_chance(cell.source, ()).drawn)


def has_plain_magics(source: str) -> bool:
    """Whether a cell's magics, if it has any, do nothing but set up how things are shown."""
    return not any(_ANY_MAGIC.match(line) and not _PLAIN_MAGIC.match(line) for line in source.splitlines())


def split_trial(trial: Trial) -> list[Trial]:
    """The trial of each cell that was begun, as if it had been run by itself."""
    begun = [step for step in trial.steps if step.status != "skipped"]
    endings = [Ending.FINISHED] * (len(begun) - 1) + [trial.ending]
    return [
        replace(trial, steps=(step,), ending=Ending.TIMED_OUT, detail=LATE, seconds=step.seconds)
        if step.status == "timeout"
        else replace(trial, steps=(step,), ending=ending, seconds=step.seconds)
        for step, ending in zip(begun, endings, strict=False)
    ]


LATE = "the time limit was reached"
"""The detail of a trial that was cut off."""

_SETTERS = frozenset(
    {
        "filterwarnings",
        "simplefilter",
        "set",
        "set_theme",
        "set_style",
        "set_context",
        "set_palette",
        "set_option",
        "use",
        "seed",
    }
)
"""Functions of modules by which notebooks are set up: called twice with the same literals they do what they do once."""


_LOOKS = frozenset({"print", "listdir", "getcwd", "format"})
"""Functions that change nothing: called twice they print the same."""

_ACTS = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Starred, ast.comprehension)


def leaves_only_imports(cell: Cell, failure: Failure) -> bool:
    """Whether a cell failed in an import or a setting, and what ran of it before are such too: the state behind the failure is then the state before the
    cell, but that what was imported is there already."""
    if (
        failure.kind is not FailureKind.RAISED
        or failure.cell_id != cell.id
        or failure.statement < 0
        or not cell.source.strip()
    ):
        return False
    statements = src.list_statements(cell.source)
    failing = next((s.node for s in statements if s.index == failure.statement), None)
    above = [s.node for s in statements if s.index < failure.statement]
    is_idle = failing is not None and is_setting(failing)
    return is_idle and has_plain_magics(cell.source) and all(map(is_setting, above))


def is_set_up(cell: Cell) -> bool:
    """Whether a cell holds nothing but imports and settings: hardly a fix of another cell changes it."""
    return has_plain_magics(cell.source) and all(is_setting(s.node) for s in src.list_statements(cell.source))


def is_setting(node: ast.stmt) -> bool:
    """Whether a statement is an import or a setting, or prints what it need not compute (``print(os.listdir("../input"))``)."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):  # as which a magic is read
        return True
    if isinstance(node, ast.Assign):
        return all(_is_option(target) for target in node.targets) and _is_literal(node.value)
    value = node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Call) and read_called_name(value) == "print":
        return _only_looks(value)
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.Constant)
    given = (*value.args, *(k.value for k in value.keywords))
    return read_called_name(value) in _SETTERS and all(isinstance(v, ast.Constant) for v in given)


def _is_option(target: ast.expr) -> bool:
    """``pd.options.display.width``, ``plt.rcParams["font.size"]``: of a module, not a name of the cell."""
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Constant) and isinstance(target.value, ast.Attribute | ast.Name)
    return isinstance(target, ast.Attribute)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _only_looks(call: ast.Call) -> bool:
    """Whether what is printed is read only: names, literals, and calls that change nothing."""
    return all(
        read_called_name(node) in _LOOKS if isinstance(node, ast.Call) else not isinstance(node, _ACTS)
        for node in ast.walk(call)
    )
