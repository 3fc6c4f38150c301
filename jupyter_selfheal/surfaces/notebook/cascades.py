"""Which failures only follow from an earlier cell that is not healed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Candidate,
    Cell,
    Failure,
    FailureKind,
    Outcome,
    Role,
    SkipReason,
    Verdict,
)
from jupyter_selfheal.registry import load_traits
from jupyter_selfheal.source.rerun import DEFINITIONS
from jupyter_selfheal.surfaces.notebook.derivation import find_made, find_shared
from jupyter_selfheal.surfaces.notebook.lost_state import LostState, find_mutated_names
from jupyter_selfheal.surfaces.notebook.outcomes import find_status
from jupyter_selfheal.surfaces.notebook.records import Status


def find_cascade_root(failure: Failure, lost: Iterable[LostState], sources: Iterable[tuple[int, str]] = ()) -> int:
    """The number of the earlier unhealed cell that this failure is only a cascade of, or 0. ``sources``: the number and text of each cell above.

    Certain cases alone: a name that cell would have bound (IPython takes an unbound one for a magic), a key or attribute that
    it would have set in what the failing cell reads it of, a key of what it would have bound anew, or an estimator that it would have fitted.
    """
    missing = re.match(r"(?:name|cannot access free variable) '(\w+)'", failure.evalue)
    attribute = re.search(r"has no attribute '(\w+)'", failure.evalue)
    unfitted = failure.ename == "NotFittedError" or (
        attribute is not None and re.fullmatch(r"[a-zA-Z]\w*_", attribute[1])
    )
    names_read = _find_read_names(failure) if unfitted else frozenset[str]()
    magic = re.match(r"\w+", failure.source.strip()) if failure.ename == "UsageError" else None
    if _NO_SCRIPT.match(failure.evalue):  # an unbound `run` is taken for `%run`
        magic = re.search(r"(?<![%\w.])run(?=\()", failure.source)
    above = list(sources)
    for state in lost:
        if names_read & state.unfitted or (magic and magic[0] in state.names):
            return state.number
        if failure.ename == "NameError" and missing and missing[1] in state.names:
            return state.number
        if failure.ename == "KeyError" and all(
            _lacks_key(failure, k, state, above) for k in _list_keys(failure.evalue)
        ):
            return state.number
        if failure.ename == "AttributeError" and attribute and _lacks_key(failure, attribute[1], state, above):
            return state.number
    return 0


_LISTS_KEYS = re.compile(
    r"^['\"]*(?:Columns? not found: (.+?)|None of \[Index\((\[.+?\]).*|(\[.+\]) not (?:in index|found in axis)|"
    r".* not (?:columns of|present in) the DataFrame: (\[.+\]))['\"]*$"
)
"""What pandas says of columns that are missing, where it does not give the bare one."""


def _list_keys(evalue: str) -> list[str]:
    """The keys that a KeyError names, at least one."""
    told = _LISTS_KEYS.match(evalue.strip())
    named = re.split(r",\s*", next(t for t in told.groups() if t).strip("[]")) if told else [evalue.strip()]
    return [name.strip("'\"") for name in named]


def _lacks_key(failure: Failure, key: str, state: LostState, sources: Sequence[tuple[int, str]]) -> bool:
    """Whether the failing statement looks a key or attribute up in what would have it of an unhealed cell, or in what was made of that since.

    Where it is not seen in what (in a function that it calls, say) all that the statement reads may be meant.
    """
    getters = {name for name, given in state.keys if given == key}
    asked = _find_owners(failure, key)
    anew = state.names & asked if failure.ename == "KeyError" else frozenset[str]()
    if not getters and not anew:
        return False
    failing = src.list_statements(failure.source)
    below = [s.node for number, text in sources if number > state.number for s in src.list_statements(text)]
    below += [s.node for s in failing if s.index < failure.statement]
    if not anew.isdisjoint(find_made(anew, below)):
        return True
    above = [text for number, text in sources if number < state.number]
    failed = next((text for number, text in sources if number == state.number), "")
    names = src.find_names(failure.source)
    asked = asked & (names.uses | names.binds) or _find_read_names(failure)
    loops = [s.node for s in failing if s.index == failure.statement and not isinstance(s.node, ast.Assign)]
    return not asked.isdisjoint(find_made(find_shared(getters, above, failed), (*below, *loops)))


_NO_SCRIPT = re.compile(r"File `'\(.*'` not found")
_NO_MAGIC = re.compile(r"(?:Cell|Line) magic(?: function)? `%+\w+` not found")


def _find_owners(failure: Failure, key: str) -> frozenset[str]:
    """Names in whose values the failing statement looks up a key that is a text, or an attribute: ``people`` of ``people["age"]``, ``people.age``
    and ``people.groupby("age")``."""
    statements = src.list_statements(failure.source)
    failing = [s.node for s in statements if failure.statement < 0 or s.index == failure.statement]
    owners = set[str]()
    for node in (n for statement in failing for n in ast.walk(statement)):
        match node:
            case ast.Attribute(value=owner, attr=attribute) if attribute == key:
                owners.add(src.find_root_name(owner))
            case ast.Subscript(value=owner, slice=index) if _holds_text(index, key):
                owners.add(src.find_root_name(owner))
            case ast.Call(ast.Attribute(value=owner), args, keywords) if any(
                _holds_text(g, key) for g in (*args, *keywords)
            ):
                owners.add(src.find_root_name(owner))
    return frozenset(owners)


def _holds_text(index: ast.AST, text: str) -> bool:
    return any(isinstance(n, ast.Constant) and n.value == text for n in ast.walk(index))


OWN_FAULT = "It has a fault of its own too, which can be healed once that cell runs."
"""What is said of a cell that waits for an earlier one, and would fail without that."""

OWN_FIX = "It has a fault of its own too, whose fix is shown; that can be proven, and applied, once that cell runs."
"""The same where it is known how to mend that."""


def find_root(
    cell: Cell, failure: Failure, outcome: Outcome, lost: Sequence[LostState], sources: Iterable[tuple[int, str]]
) -> int:
    """The number of the earlier unhealed cell that a failure with no fix only follows from, or 0; with a fix that is a guess at a value which that
    cell would have made anew, too. ``sources``: the number and text of each cell above."""
    status = find_status(outcome)
    if status is Status.PROPOSED and not _has_safe_fix(outcome):
        return find_half_made_root(cell, failure, lost)
    if status is Status.NOT_HEALED:
        return find_unhealed_root(cell, failure, outcome, lost, sources)
    skipped = outcome.diagnosis.skip_reason
    if skipped is SkipReason.NOT_PYTHON and (root := find_unknown_root(failure, lost)):
        return root
    return find_failed_check_root(failure, lost, sources) if skipped is SkipReason.BAD_DATA else 0


def _has_safe_fix(outcome: Outcome) -> bool:
    return any(c.patch.applicability is Applicability.SAFE for p in outcome.proposal for c in p.candidates)


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
    itself reads, and that the earlier one would have bound, or a key of what it would have made.
    """
    known = tuple(lost)
    return next((number for a in outcome.attempts if (number := _find_needed_by(a, outcome.failure, known))), 0)


def _find_needed_by(attempt: Attempt, failure: Failure, lost: Sequence[LostState]) -> int:
    """The number of the earlier unhealed cell that a trial ended for want of, or 0."""
    steps = attempt.trial.steps if attempt.trial else ()
    for error in (e for step in steps if step.role == Role.CELL for e in step.errors):
        name = re.match(r"name '(\w+)'", error.evalue) if error.ename == "NameError" else None
        if error.ename == "KeyError" or (name and re.search(rf"\b{name[1]}\b", failure.source)):
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


_OF_LENGTH = re.compile(
    r"expected (?:at least )?\d+, got \d+\)|same (?:size|length|first dimension)|\bempty\b|zero-size|inconsistent numbers of samples|"
    r"Length of values|could not (?:be )?broadcast"
)
"""What is said of a container that holds fewer items than it should."""


def find_half_made_root(cell: Cell, failure: Failure, lost: Iterable[LostState]) -> int:
    """The number of the earlier unhealed cell that a failing statement reads a half-made value of, or 0.

    ``total = np.zeros(3)`` above a loop that failed before it added anything: what is computed of ``total`` below is another thing
    than what the author saw, and nothing is to be mended there. A table that lacks one more column is no such value. A name that was
    bound anew in between is whole again (:attr:`Cell.stale`). What the cell itself made of it above the failing statement is no better. A key or place that is missing in a container which the cell would have filled
    is one that it may have filled, and items that are too few are those that it may have lacked.
    """
    if not cell.stale or failure.kind is not FailureKind.RAISED:
        return 0
    read = _find_names_read_for(failure)
    asked = _find_subscripted_names(failure) if failure.ename in ("KeyError", "IndexError") else frozenset[str]()
    asked = read if _OF_LENGTH.search(failure.evalue) else asked
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
        mutated = frozenset(find_mutated_names(s.node for s in src.list_statements(source)))
        read = [roots[n] for n in names.uses | names.changes if n in roots]
        for name in names.binds:
            roots.pop(name, None)
        roots.update(dict.fromkeys(names.binds | mutated, max(read)) if read else {})
        if state := states.get(number):
            handed = {name for function, name in state.handed if function in defined}
            whole = state.names | (state.mutated - state.assigned) | (handed - state.assigned)
            columns = {n: k for n, k in columns.items() if n not in whole}
            columns.update(
                (n, columns.get(n, frozenset()) | {key for name, key in state.keys if name == n})
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


def _find_subscripted_names(failure: Failure) -> frozenset[str]:
    """Names of which the failing statement reads an item."""
    statements = [s.node for s in src.list_statements(failure.source) if s.index == failure.statement]
    nodes = (n for statement in statements for n in ast.walk(statement))
    return frozenset(n.value.id for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name))


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
