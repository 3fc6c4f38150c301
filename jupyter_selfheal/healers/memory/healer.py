"""The first healer: what was approved before, as templates that fit a renamed copy of the cell and no look-alike."""

from __future__ import annotations

import ast
import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.memory.store import MemoryStore, Remembered
from jupyter_selfheal.healers.memory.templates import (
    Change,
    Naming,
    apply_changes,
    learn_changes,
    normalize_node,
    rename_variables,
)
from jupyter_selfheal.model import (
    JSON,
    Applicability,
    Attempt,
    Case,
    Cell,
    Cost,
    Edit,
    Failure,
    FailureKind,
    Insert,
    Outcome,
    Patch,
    Reason,
    Replace,
)
from jupyter_selfheal.ports import Answer, Facts, HealerSetup, Starts

log = logging.getLogger(__name__)

_QUOTED = re.compile(r"(['\"])(\w+)\1")
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|(?<![\w.])\d+(?:\.\d+)?")


class MemoryHealer:
    """Proposes what the user approved for the same failure of the same code, whatever its variables are called.

    A patch comes back only while it was approved more often than rejected. It is *safe* only where a rule had made it safe:
    approving what a search or a model proposed does not make it so.
    """

    name = "memory"
    paid = False
    reasoned = True
    trusted = True
    rank = 0

    def __init__(self, path: Path | None = None) -> None:
        self.store = MemoryStore(path)

    @classmethod
    def build(cls, setup: HealerSetup) -> MemoryHealer | None:
        """The memory at its own place, where one is kept."""
        return cls() if setup.config.memory else None

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """Nothing: it is free."""
        return Cost()

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """See :class:`~jupyter_selfheal.ports.Healer`. Raises :class:`MemoryStoreError` where the database is damaged."""
        key = build_signature(case.failure)
        known = self.store.find(key) if key is not None else ()
        patches = [patch for entry in known if entry.approved > entry.rejected for patch in build_patches(entry, case)]
        return Answer(tuple(patches))

    def learn(self, outcome: Outcome) -> None:
        """The postmortem of a heal: what the user approved counts for it, what they rejected against it.

        What a policy let through (``--approve all``) nobody has looked at: it is not remembered.
        """
        if outcome.reason is Reason.HEALED and outcome.approved_by == "user":
            for candidate in outcome.applied:
                self._record_decision(outcome.failure, candidate.patch, approved=True)
        for attempt in outcome.attempts:
            if attempt.rejection:
                self._record_decision(outcome.failure, attempt.patch, approved=False)

    def _record_decision(self, failure: Failure, patch: Patch, *, approved: bool) -> None:
        changes, key = build_templates(failure, patch), build_signature(failure)
        if not changes or key is None:
            return
        origin = patch.rule or patch.healer
        entry = Remembered(
            key,
            failure.headline,
            patch.title,
            patch.cause,
            changes,
            origin,
            patch.applicability is Applicability.SAFE,
            patch.removes,
        )
        self.store.record(entry, approved=approved)


# --- signatures -----------------------------------------------------------------------------------------------------


def build_signature(failure: Failure) -> str | None:
    """What makes two failures the same: the exception, its message and the failing statement, variables without their names.

    None where the failing statement is not known.
    """
    if failure.kind is FailureKind.SYNTAX or (tree := src.parse(failure.source)) is None:
        text = _strip_failing_line(failure)
        return _hash_texts(failure.ename, failure.evalue, text) if text else None
    node = _find_failing_statement(tree, failure)
    if node is None:
        return None
    naming = Naming(collect_fixed_names(failure))
    statement = normalize_node(node, naming)
    return _hash_texts(failure.kind.value, failure.ename, _normalize_message(failure.evalue, naming), statement)


def collect_fixed_names(failure: Failure) -> frozenset[str]:
    """Names that the error is about: a NameError of another name is another failure."""
    if failure.ename in ("NameError", "ImportError", "ModuleNotFoundError"):
        return frozenset(name for _, name in _QUOTED.findall(failure.evalue))
    return frozenset()


def _find_failing_statement(tree: ast.Module, failure: Failure) -> ast.stmt | None:
    """The innermost statement on the failing line of the cell; for a missed expectation the last one."""
    if failure.kind is FailureKind.MISSED:
        return tree.body[-1] if tree.body else None
    on_line = [
        n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= failure.line <= (n.end_lineno or n.lineno)
    ]
    if not on_line and 0 <= failure.statement < len(tree.body):
        return tree.body[failure.statement]
    return max(on_line, key=lambda n: (n.lineno, -(n.end_lineno or n.lineno)), default=None)


def _normalize_message(evalue: str, naming: Naming) -> str:
    """The message with numbers taken out, and known variables by their number."""
    text = _QUOTED.sub(lambda m: naming.number_variable(m[2]) if m[2] in naming.names else m[0], evalue.strip())
    return _NUMBERS.sub("#", text)


def _strip_failing_line(failure: Failure) -> str:
    lines = failure.source.splitlines()
    return lines[failure.line - 1].strip() if 0 < failure.line <= len(lines) else ""


def _hash_texts(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


# --- patches --------------------------------------------------------------------------------------------------------


def build_templates(failure: Failure, patch: Patch) -> JSON:
    """The patch as JSON templates, one for each edit; empty where one of them says nothing of any other notebook."""
    templates = [_build_template(failure, edit) for edit in patch.edits]
    return templates if all(templates) else []


def _build_template(failure: Failure, edit: Edit) -> dict[str, JSON]:
    """One edit as a template; empty for runs and moves of cells and installations (see docs/adr/0013)."""
    if isinstance(edit, Insert) and edit.before == failure.cell_id:
        return {
            "where": "above",
            "before": _hash_texts(failure.source),
            "after": edit.source,
            "names": _list_variables(failure),
        }
    if not isinstance(edit, Replace):
        return {}
    changes = learn_changes(edit.old, edit.source, collect_fixed_names(failure))
    if not changes and edit.old != failure.source:
        return {}
    where = "failing" if edit.cell_id == failure.cell_id else "other"
    entry: dict[str, JSON] = {"where": where, "before": _hash_texts(edit.old), "changes": [asdict(c) for c in changes]}
    return entry if changes else {**entry, "after": edit.source}


def _list_variables(failure: Failure) -> list[str]:
    """The variables of the failing statement in the order of their numbers; none where it is not known."""
    tree = src.parse(failure.source)
    node = _find_failing_statement(tree, failure) if tree is not None else None
    naming = Naming(collect_fixed_names(failure))
    if node is not None:
        normalize_node(node, naming)
    return naming.names


def build_patches(entry: Remembered, case: Case) -> Iterator[Patch]:
    """The patch that a remembered template makes of this case; none where it does not fit."""
    edits: list[Replace | Insert] = []
    exact = True
    for template in entry.changes:
        edit = _build_cell_above(template, case) if template["where"] == "above" else _build_edit(template, case)
        if edit is None:
            return
        edits.append(edit)
        exact = exact and template["before"] == _hash_texts(
            edit.old if isinstance(edit, Replace) else case.failure.source
        )
    times = f"You approved it before ({entry.approved} of {entry.approved + entry.rejected} times)"
    yield Patch(
        edits=tuple(edits),
        title=entry.title,
        cause=entry.cause,
        healer="memory",
        rule=entry.origin if entry.origin.isupper() else "",
        applicability=Applicability.SAFE if entry.safe else Applicability.UNSAFE,
        why=f"{times}{', for exactly this cell.' if exact else ', for a cell of the same structure.'}",
        removes=entry.removes,
        prior=entry.confidence / 100,
    )


def _build_edit(template: JSON, case: Case) -> Replace | None:
    """The change made in the failing cell, or in the only cell above where it fits of those that the failure goes through."""
    changes = [
        Change(tuple(c["old"]), c["new"], tuple(c["names"]), str(c["anchor"])) for c in template.get("changes") or ()
    ]
    fixed = collect_fixed_names(case.failure)
    if template["where"] == "failing":
        cells = [(case.failure.cell_id, case.failure.source)]
    else:
        cells = [(c.id, c.source) for c in _list_concerned_cells(case)]
    edits = []
    for cell_id, old in cells:
        if changes:
            new = apply_changes(changes, old, fixed)
        else:
            new = str(template.get("after", "")) if template["before"] == _hash_texts(old) else None
        if new and new != old and (not changes or _uses_known_names_only(new, old, case)):
            edits.append(Replace(cell_id, old, new))
    return edits[0] if len(edits) == 1 else None


def _list_concerned_cells(case: Case) -> tuple[Cell, ...]:
    """The cells above that the failing one depends on, and those in the traceback."""
    above, names = case.notebook.list_code_before(case.failure.cell_id), src.find_names(case.failure.source)
    needed = set(src.find_backward_slice([c.source for c in above], names.uses | names.changes))
    mentioned = {frame.cell_id for frame in case.failure.frames}
    return tuple(c for n, c in enumerate(above) if n in needed or c.id in mentioned)


def _build_cell_above(template: JSON, case: Case) -> Insert | None:
    """A new cell above the failing one, in the words of this notebook; None where it would not mean the same here."""
    failure, learnt = case.failure, [str(name) for name in template["names"]]
    here = _list_variables(failure)
    text = (
        rename_variables(str(template["after"]), dict(zip(learnt, here, strict=True)))
        if len(here) == len(learnt)
        else None
    )
    if text is None or (template["before"] != _hash_texts(failure.source) and not _fits_here(text, here, case)):
        return None
    before = case.notebook.list_code_before(failure.cell_id)
    if before and before[-1].source == text:
        return None  # it is there already
    return Insert.above(failure.cell_id, text)


def _fits_here(text: str, here: Sequence[str], case: Case) -> bool:
    """Whether every name that a new cell reads exists above, and what it makes is nothing of the notebook's own."""
    above = [src.find_names(c.source).binds for c in case.notebook.list_code_before(case.failure.cell_id)]
    known, names = frozenset().union(*above), src.find_names(text)
    own = names.binds - set(here)
    return names.uses - names.binds <= known and not own & known


def _uses_known_names_only(new: str, old: str, case: Case) -> bool:
    """Whether every name that the change brings in exists: in a look-alike it does not."""
    brought = src.find_names(new).uses - src.find_names(old).uses
    known = frozenset().union(*(src.find_names(c.source).binds for c in case.notebook.cells if c.kind == "code"))
    return not case.notebook.cells or brought <= known | src.find_names(old).binds
