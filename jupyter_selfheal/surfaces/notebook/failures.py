"""From a trial of a cell to its failure, and which failures are only cascades of an earlier one."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.asides import RUN
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.loop import progress
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Candidate,
    Case,
    Cell,
    Failure,
    FailureKind,
    Outcome,
    Output,
    Role,
    Trial,
    Verdict,
)
from jupyter_selfheal.registry import load_traits
from jupyter_selfheal.source.binding import find_changed_members
from jupyter_selfheal.source.rerun import DEFINITIONS, walk_changed_names


def find_failure(cell: Cell, trial: Trial, missed: str | None = None) -> Failure | None:
    """How the cell failed in a trial of it, or None where it ran (and did not miss its oracle: ``missed`` says why).

    As the loop sees it, so that what is reported is what is reproduced.
    """
    return progress.find_failure(Case(Failure(cell.id, cell.source)), cell.source, trial, missed)


RAISES_EXCEPTION = "raises-exception"
"""nbclient's and nbval's tag for a cell that is meant to fail."""


def is_meant(cell: Cell, failure: Failure) -> bool:
    """Whether a cell's author meant it to fail so."""
    return RAISES_EXCEPTION in cell.tags and failure.kind is FailureKind.RAISED


_OUTSIDE = frozenset({"FileNotFoundError", "ModuleNotFoundError", "ConnectionError", "URLError", "HTTPError"})


def lies_in_notebook(failure: Failure) -> bool:
    """Whether a failure is of a kind that is mostly mended in the notebook's own code."""
    return failure.kind in (FailureKind.RAISED, FailureKind.SYNTAX) and failure.ename not in _OUTSIDE


@dataclass(frozen=True, slots=True)
class LostState:
    """What an unhealed cell did not leave behind: global names, keys it would have set in what exists, estimators it would
    have fitted, and (``changed``) what it may have changed in place, ``assigned`` of it by an assignment or a seed, which changes a
    module too, and ``mutated`` of it by what evidently changes it. ``handed`` pairs each function or method that it calls by name
    with what that was given, or is called on: it may change that where the notebook itself defines it. ``filled`` are containers of
    which it would have set items whose keys are reckoned only when it runs. ``whole_modules``: it would have imported all names of a module.
    ``extensions``: it would have loaded IPython extensions; nobody knows what either brings."""

    number: int
    names: frozenset[str]
    keys: frozenset[str] = frozenset()
    unfitted: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    mutated: frozenset[str] = frozenset()
    handed: frozenset[tuple[str, str]] = frozenset()
    filled: frozenset[str] = frozenset()
    whole_modules: frozenset[str] = frozenset()
    extensions: frozenset[str] = frozenset()


def find_lost_state(number: int, cell: Cell, failure: Failure) -> LostState:
    """What is missing because this cell failed: what the failing statement and those after it would have bound.

    Statements before the failing one did run; where it is not known, or a syntax error, none did. What a process did that
    was killed is lost with it.
    """
    first = 0 if failure.kind in (FailureKind.TIMED_OUT, FailureKind.DIED) else max(failure.statement, 0)
    rest = [s.node for s in src.list_statements(cell.source) if s.index >= first]
    scripts = _find_names_of_script(cell, failure)
    extensions = frozenset(_LOAD.findall(cell.source))
    if not rest:
        return LostState(number, src.find_assigned_in_text(cell.source) | scripts, extensions=extensions)
    used = src.collect_names(rest)
    return LostState(
        number,
        used.binds | scripts,
        frozenset(_find_assigned_keys(rest)),
        frozenset(_find_fitted_names(rest)),
        used.changes,
        frozenset(src.find_assigned_roots(rest)),
        frozenset(_find_mutated_names(rest)),
        frozenset(_find_handed_names(rest)),
        frozenset(_find_filled_names(rest)),
        frozenset(_find_whole_modules(rest)),
        extensions,
    )


_LOAD = re.compile(r"(?m)^[ \t]*%(?:re)?load_ext[ \t]+([\w.]+)")
_NO_MAGIC = re.compile(r"(?:Cell|Line) magic(?: function)? `%+\w+` not found")


def _find_whole_modules(body: Iterable[ast.stmt]) -> Iterator[str]:
    """``pandas.tools.rplot`` of ``from pandas.tools.rplot import *``."""
    for node in (n for statement in body for n in ast.walk(statement)):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield node.module or "."


def list_warnings(outputs: Iterable[Output]) -> tuple[str, ...]:
    """Classes of the warnings that a cell put out: ``("ChainedAssignmentError",)``."""
    texts = (o.text for o in outputs if o.name == "stderr")
    return tuple(dict.fromkeys(c for text in texts for c in re.findall(r"(?m)^\S.*:\d+: (\w+): ", text)))


def _find_names_of_script(cell: Cell, failure: Failure) -> frozenset[str]:
    """What the script of a `%run` binds, where that raised: none of it is there in the notebook."""
    for frame in failure.frames if RUN.search(cell.source) else ():
        if not frame.cell_id and Path(frame.file).name in cell.source:
            with contextlib.suppress(OSError, UnicodeError):
                return src.find_names(Path(frame.file).read_text(encoding="utf-8")).binds
    return frozenset()


def find_cascade_root(failure: Failure, lost: Iterable[LostState]) -> int:
    """The number of the earlier unhealed cell that this failure is only a cascade of, or 0.

    Certain cases alone: a name that cell would have bound (IPython takes an unbound one for a magic), a key or attribute that
    it would have set, or an estimator that it would have fitted.
    """
    missing = re.match(r"(?:name|cannot access free variable) '(\w+)'", failure.evalue)
    last = failure.evalue.strip().strip("'\"")
    attribute = re.search(r"has no attribute '(\w+)'", failure.evalue)
    unfitted = failure.ename == "NotFittedError" or (
        attribute is not None and re.fullmatch(r"[a-zA-Z]\w*_", attribute[1])
    )
    names_read = _find_read_names(failure) if unfitted else frozenset[str]()
    magic = re.match(r"\w+", failure.source.strip()) if failure.ename == "UsageError" else None
    for state in lost:
        if names_read & state.unfitted or (magic and magic[0] in state.names):
            return state.number
        if failure.ename == "NameError" and missing and missing[1] in state.names:
            return state.number
        if failure.ename == "KeyError" and last in state.keys:
            return state.number
        if failure.ename == "AttributeError" and attribute and attribute[1] in state.keys:
            return state.number
    return 0


OWN_FAULT = "It has a fault of its own too, which can be healed once that cell runs."
"""What is said of a cell that waits for an earlier one, and would fail without that."""

OWN_FIX = "It has a fault of its own too, whose fix is shown; that can be proven, and applied, once that cell runs."
"""The same where it is known how to mend that."""


def find_unhealed_root(
    cell: Cell, failure: Failure, outcome: Outcome, lost: Sequence[LostState], sources: Iterable[tuple[int, str]]
) -> int:
    """The number of the earlier unhealed cell that a failure with no fix only follows from, or 0. ``sources``: see :func:`find_failed_check_root`."""
    return (
        find_needed_cell(outcome, lost)
        or find_unknown_root(failure, lost)
        or find_half_made_root(cell, failure, lost)
        or find_failed_check_root(failure, lost, sources)
    )


def find_unknown_root(failure: Failure, lost: Iterable[LostState]) -> int:
    """The number of the last unhealed cell above that would have brought names, or magics, of which nobody knows which, or 0.

    For a name that nothing binds and no fix was found for, below ``from pandas.tools.rplot import *``; for a magic that is not there, below a ``%load_ext``.
    """
    is_name = failure.ename == "NameError" and re.match(r"name '\w+' is not defined", failure.evalue) is not None
    is_magic = failure.ename == "UsageError" and _NO_MAGIC.search(failure.evalue) is not None
    brought = (s.number for s in lost if (is_name and s.whole_modules) or (is_magic and s.extensions))
    return max(brought, default=0)


def find_needed_cell(outcome: Outcome, lost: Iterable[LostState]) -> int:
    """The number of the earlier unhealed cell without which an unhealed cell cannot run whatever is mended in it, or 0.

    What shows it are its trials: behind the fault that was mended (Python 2's ``print``, say) a name is missing that the cell
    itself reads, and that the earlier one would have bound.
    """
    known = tuple(lost)
    return next((number for a in outcome.attempts if (number := _find_needed_by(a, outcome.failure, known))), 0)


def _find_needed_by(attempt: Attempt, failure: Failure, lost: Sequence[LostState]) -> int:
    """The number of the earlier unhealed cell that a trial ended for want of, or 0."""
    steps = attempt.trial.steps if attempt.trial else ()
    for error in (e for step in steps if step.role == Role.CELL for e in step.errors):
        name = re.match(r"name '(\w+)'", error.evalue) if error.ename == "NameError" else None
        if name and re.search(rf"\b{name[1]}\b", failure.source):
            seen = Failure(failure.cell_id, failure.source, ename=error.ename, evalue=error.evalue)
            if number := find_cascade_root(seen, lost):
                return number
    return 0


def find_own_fix(outcome: Outcome, lost: Iterable[LostState]) -> tuple[Candidate, ...]:
    """The change that mends the own fault of a cell which waits for an earlier one (at most one): of memory or of a rule, the first with which
    the cell came to a name that the earlier cell would have bound. What is below that was not run. None that somebody rejected, or that tampers."""
    known = tuple(lost)
    for attempt in outcome.attempts:
        is_refused = bool(attempt.rejection or (attempt.verdict is not None and attempt.verdict.tampering))
        is_shown = not is_refused and attempt.patch.applicability is not Applicability.DISPLAY_ONLY
        is_trusted = is_shown and load_traits(attempt.patch.healer).trusted
        if is_trusted and attempt.trial is not None and (number := _find_needed_by(attempt, outcome.failure, known)):
            why = f"With it the cell comes to what cell {number} would have made; the rest of it was not run."
            verdict = Verdict(attempt.patch.id, 0.0, False, reasons=(why,), inconclusive=why, confidence=0)
            return (Candidate(attempt.patch, attempt.trial, verdict),)
    return ()


def find_half_made_root(cell: Cell, failure: Failure, lost: Iterable[LostState]) -> int:
    """The number of the earlier unhealed cell that a failing statement reads a half-made value of, or 0.

    ``total = np.zeros(3)`` above a loop that failed before it added anything: what is computed of ``total`` below is another thing
    than what the author saw, and nothing is to be mended there. A table that lacks one more column is no such value. A name that was
    bound anew in between is whole again (:attr:`Cell.stale`). What the cell itself made of it above the failing statement is no better. A key or place that is missing in a container which the cell would have filled
    is one that it may have filled.
    """
    if not cell.stale or failure.kind is not FailureKind.RAISED:
        return 0
    read = _find_names_read_for(failure)
    asked = _find_subscripted_names(failure) if failure.ename in ("KeyError", "IndexError") else frozenset[str]()
    numbers = [s.number for s in lost if not (read.isdisjoint(s.names | s.unfitted) and asked.isdisjoint(s.filled))]
    return numbers[-1] if numbers else 0


def find_failed_check_root(failure: Failure, lost: Iterable[LostState], sources: Iterable[tuple[int, str]]) -> int:
    """The number of the earlier unhealed cell that would have changed what a failing assert reads, or 0.

    ``sources`` are the cells above the assert, from the top, with their numbers. A name that was bound anew of nothing lost is good again.
    What a method only may have changed does not count: ``df.pivt("a")`` says nothing of what is wrong with ``df``.
    """
    failing = [s.node for s in src.list_statements(failure.source) if s.index == failure.statement]
    if failure.ename != "AssertionError" or not all(isinstance(node, ast.Assert) for node in failing):
        return 0
    states = {state.number: state for state in lost}
    roots: dict[str, int] = {}
    columns: dict[str, frozenset[str]] = {}
    defined: set[str] = set()
    for number, source in sources if states else ():
        names = src.find_names(source)
        defined |= _list_defined(source)
        mutated = frozenset(_find_mutated_names(s.node for s in src.list_statements(source)))
        read = [roots[n] for n in names.uses | names.changes if n in roots]
        for name in names.binds:
            roots.pop(name, None)
        roots.update(dict.fromkeys(names.binds | mutated, max(read)) if read else {})
        if state := states.get(number):
            handed = {name for function, name in state.handed if function in defined}
            whole = state.names | (state.mutated - state.assigned) | (handed - state.assigned)
            columns = {n: k for n, k in columns.items() if n not in whole}
            columns.update(
                (n, columns.get(n, frozenset()) | state.keys)
                for n in state.assigned - whole
                if n in columns or n not in roots
            )
            roots.update(dict.fromkeys(state.assigned | whole, number))
    names_read = [n for n in _find_read_names(failure) if n in roots]
    return max((roots[n] for n in names_read if not _reads_others(failing, n, columns.get(n, frozenset()))), default=0)


def _reads_others(body: Sequence[ast.stmt], name: str, lost: frozenset[str]) -> bool:
    """Whether all that is read of a table is other columns than the ones that are lost: ``assert (orders["price"] > 0).all()``."""
    nodes = [n for statement in body for n in ast.walk(statement)]
    keys = [
        n.slice.value
        for n in nodes
        if isinstance(n, ast.Subscript)
        and isinstance(n.value, ast.Name)
        and n.value.id == name
        and isinstance(n.slice, ast.Constant)
    ]
    uses = sum(isinstance(n, ast.Name) and n.id == name for n in nodes)
    return bool(lost) and len(keys) == uses and lost.isdisjoint(map(str, keys))


_STRINGS_AND_COMMENTS = re.compile(
    r"(?:\b[rbuft]{1,2})?(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"[^\"\n]*\"|'[^'\n]*')|#.*", re.IGNORECASE
)
"""What names nothing; the letter before a string (``f"…"``) is no name either."""


def find_needed_in_text(failure: Failure, lost: Sequence[LostState], ran: Iterable[tuple[int, str]]) -> int:
    """The number of the earlier unhealed cell whose names a cell that does not parse reads at its top level, or 0.

    However it is mended, such a cell (Python 2, say) then ends in a NameError; there is no need to search, which may take minutes.
    ``ran`` are the number and the source of each cell that was run: what they bound is there all the same, but for what is lost.
    """
    if failure.kind is not FailureKind.SYNTAX:
        return 0
    text = _STRINGS_AND_COMMENTS.sub(" ", failure.source)
    own = src.find_assigned_in_text(text) | {
        n
        for targets in re.findall(r"\b(?:for|lambda)\b([^:]*?)(?:\bin\b|:)", text)
        for n in re.findall(r"\w+", targets)
    }
    lines = re.findall(r"(?m)^(?!def\b|class\b|import\b|from\b)[A-Za-z_].*", text)
    read = {n for line in lines for n in re.findall(r"(?<![.\w%!])[A-Za-z_]\w*\b(?!\s*=(?!=))", line)}
    lost_names = {state.number: state.names for state in lost}
    bound = {n for number, source in ran for n in src.find_names(source).binds - lost_names.get(number, frozenset())}
    missing = read - own - bound
    return next((state.number for state in lost if missing & state.names), 0)


def _find_assigned_keys(body: Iterable[ast.stmt]) -> Iterable[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                if isinstance(node.slice, ast.Constant):
                    yield str(node.slice.value)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.attr


def _find_filled_names(body: Iterable[ast.stmt]) -> Iterable[str]:
    """Names of what gets items under keys that are reckoned: ``prices[town] = 3``, ``rows.append(x)``."""
    for node in (n for statement in body if not isinstance(statement, DEFINITIONS) for n in ast.walk(statement)):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store(), slice=key) if not isinstance(
                key, ast.Constant
            ):
                yield name
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend" | "update" | "setdefault")
            ):
                yield name


def _find_subscripted_names(failure: Failure) -> frozenset[str]:
    """Names of which the failing statement reads an item."""
    statements = [s.node for s in src.list_statements(failure.source) if s.index == failure.statement]
    nodes = (n for statement in statements for n in ast.walk(statement))
    return frozenset(n.value.id for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name))


def _find_fitted_names(body: Iterable[ast.stmt]) -> Iterable[str]:
    """Names whose ``fit`` (or ``partial_fit``, ``fit_transform``) the statements call."""
    for node in (n for statement in body for n in ast.walk(statement)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and re.match(r"(partial_)?fit(_|$)", node.func.attr)
        ):
            yield node.func.value.id


def _find_mutated_names(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Names of what statements evidently change in place, functions' bodies left out: ``xs.append(1)``, ``df.drop(…, inplace=True)``."""
    for statement in body:
        if not isinstance(statement, DEFINITIONS):
            yield from walk_changed_names(statement)
            for loop in (n for n in ast.walk(statement) if isinstance(n, ast.For | ast.AsyncFor)):
                yield from find_changed_members(loop)


def _find_handed_names(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Of each call of a function by name: the function with every name that stands alone as its argument; of a method also what it is called on."""
    for node in (n for statement in body for n in ast.walk(statement)):
        if isinstance(node, ast.Call) and (function := read_called_name(node)):
            given = (*node.args, *(k.value for k in node.keywords))
            owner = src.find_root_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            names = (owner, *(value.id for value in given if isinstance(value, ast.Name)))
            yield from ((function, name) for name in names if name)


def _list_defined(source: str) -> set[str]:
    """The functions, classes and methods that a cell defines."""
    return {node.name for node in src.walk(source) if isinstance(node, DEFINITIONS)}


def _find_names_read_for(failure: Failure) -> frozenset[str]:
    """Global names that the failing statement reads, and those of which the cell made them above it."""
    above = [s for s in src.list_statements(failure.source) if s.index < failure.statement]
    texts = [src.extract_text(failure.source, s.node) for s in above]
    return src.find_needed_names(texts, _find_read_names(failure))


def _find_read_names(failure: Failure) -> frozenset[str]:
    """Global names that the failing statement reads."""
    statements = [s.node for s in src.list_statements(failure.source) if s.index == failure.statement]
    return frozenset(src.collect_names(statements).uses) if statements else frozenset()
