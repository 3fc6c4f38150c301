"""What healed one notebook of a run, tried first in the next: the same slip stands in forty notebooks.

Nobody has looked at these fixes, so that they are worth no more than where they come from: a rule's is only tried first where the
rule proposes it here too, and is as safe as it says here; a search's or a model's is a guess again, held to the checks of this notebook.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jupyter_selfheal import wire
from jupyter_selfheal.errors import WireError
from jupyter_selfheal.healers.memory.healer import MemoryHealer, build_patches, build_signature, build_templates
from jupyter_selfheal.healers.memory.store import Remembered
from jupyter_selfheal.model import (
    JSON,
    Applicability,
    Attempt,
    Case,
    Cost,
    Edit,
    Failure,
    Outcome,
    Patch,
    Replace,
)
from jupyter_selfheal.ports import Answer, Facts, Healer, Starts
from jupyter_selfheal.registry import load_traits


@dataclass(frozen=True, slots=True)
class KnownFix:
    """A fix that healed a cell of another notebook of this run. ``where`` names that cell; ``signature`` and ``templates`` are its
    failure and its change as the memory keeps them (empty where they cannot be kept so)."""

    patch: Patch
    where: str
    signature: str = ""
    templates: JSON = None


DAYS_KEPT = 7
"""Days for which the fixes of a run that was cut off stay, for ``--resume``."""


class RunFixes:
    """The fixes of a run, in a file that all of its processes append to. It is gone when the run is done; that of a run that was cut
    off goes with the first run that ends :data:`DAYS_KEPT` later.

    It holds sources as they are, as the journals beside it do: a fix with placeholders in it could not be tried. So it is its
    owner's alone (mode 0600, in a folder of mode 0700), and neither sent nor exported; what a model is sent of it goes through the redactor.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: tuple[int, tuple[KnownFix, ...]] = (0, ())

    def add(self, failure: Failure, patch: Patch, where: str) -> None:
        """Keep a fix that stood in the clean run of its notebook."""
        known = {
            "patch": wire.encode(patch), "where": where, "signature": build_signature(failure) or "",
            "templates": build_templates(failure, patch),
        }  # fmt: skip
        line = json.dumps(known) + "\n"
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(self.path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.write(file, line.encode())  # one write: lines of two processes never mix
        finally:
            os.close(file)

    def list_fixes(self) -> tuple[KnownFix, ...]:
        """All of them, in the order in which they were made; a line that is cut is left out."""
        try:
            size = self.path.stat().st_size
        except OSError:
            return ()
        if size != self._read[0]:
            self._read = (size, tuple(_parse_lines(self.path.read_text(encoding="utf-8", errors="replace"))))
        return self._read[1]

    def forget(self) -> None:
        """Remove the file: the run is done. With it go those that runs left behind which nobody went on with."""
        self.path.unlink(missing_ok=True)
        oldest = time.time() - DAYS_KEPT * 86_400
        for left in self.path.parent.glob(f"*{self.path.suffix}"):
            with contextlib.suppress(OSError):  # another run that ends now removes it too
                if left.stat().st_mtime < oldest:
                    left.unlink()


def _parse_lines(text: str) -> Iterator[KnownFix]:
    for line in text.splitlines():
        try:
            known = json.loads(line)
            patch = wire.decode(known["patch"])
            yield KnownFix(patch, known["where"], known["signature"], known["templates"])
        except (WireError, ValueError, TypeError, KeyError):
            continue


class RunFixesHealer:
    """:class:`~jupyter_selfheal.ports.Healer` in the place of the memory: first what healed another notebook of this run, then what
    the user approved before."""

    name = MemoryHealer.name
    paid = False

    def __init__(self, known: RunFixes, rules: Healer | None = None, memory: Healer | None = None) -> None:
        self._known, self._rules, self._memory = known, rules, memory

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """Nothing: it is free."""
        return Cost()

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """See :class:`~jupyter_selfheal.ports.Healer`."""
        answer = self._memory.propose(case, starts, facts, history) if self._memory is not None else Answer()
        fixes = self._known.list_fixes()
        patches = (
            [*self._ask_rules(fixes, case, starts, facts, history), *_transfer_guesses(fixes, case)] if fixes else []
        )
        unique = {patch.id: patch for patch in reversed([*patches, *answer.patches])}
        return replace(answer, patches=tuple(reversed(unique.values())))

    def learn(self, outcome: Outcome) -> None:
        """The user's decisions are the memory's to keep."""
        if isinstance(self._memory, MemoryHealer):
            self._memory.learn(outcome)

    def _ask_rules(
        self, fixes: Sequence[KnownFix], case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]
    ) -> Iterator[Patch]:
        """Of what rules propose here, the likeliest that healed another notebook. (They are asked once, for the diagnosis too.)

        Behind an unsafe one stand the others of its kind: that one reading was meant there says nothing of what is meant here.
        """
        by_rule = {(fix.patch.rule, fix.patch.title): fix for fix in fixes if fix.patch.rule}
        if self._rules is None or not by_rule:
            return
        proposed = self._rules.propose(case, starts, facts, history).patches
        for patch in proposed:
            if (fix := by_rule.get((patch.rule, patch.title))) is not None:
                yield _mark_known(patch, fix)
                if patch.applicability is not Applicability.SAFE:
                    yield from (p for p in proposed if p is not patch and p.applicability is patch.applicability)
                return


def ask_known_first(known: RunFixes, healers: Iterable[Healer]) -> tuple[Healer, ...]:
    """The healers, with one first that knows the fixes of the run; it stands in the place of the memory."""
    healers = tuple(healers)
    by_name = {healer.name: healer for healer in healers}
    first = RunFixesHealer(known, by_name.get("rules"), by_name.get(MemoryHealer.name))
    return (first, *(h for h in healers if h.name != MemoryHealer.name))


def _transfer_guesses(fixes: Sequence[KnownFix], case: Case) -> Iterator[Patch]:
    """The fixes of searches and models, for the cells of this case: in cells of the same text, a model's also in a renamed copy."""
    signature = build_signature(case.failure)
    for fix in fixes:
        if fix.patch.rule:
            continue
        edits = _transfer_edits(fix.patch, case)
        if edits is None and load_traits(fix.patch.healer).paid and signature and fix.signature == signature:
            edits = _rename_edits(fix, case)
        if edits:
            unsafe = replace(fix.patch, edits=edits, applicability=min(fix.patch.applicability, Applicability.UNSAFE))
            yield _mark_known(unsafe, fix)


def _transfer_edits(patch: Patch, case: Case) -> tuple[Edit, ...] | None:
    """The same edits in this notebook; None where a changed cell does not stand here word for word, once."""
    cells = [(c.id, c.source) for c in case.notebook.list_code_before(case.failure.cell_id)]
    cells.append((case.failure.cell_id, case.failure.source))
    edits: list[Edit] = []
    for edit in patch.edits:
        equal = [cell_id for cell_id, text in cells if isinstance(edit, Replace) and text == edit.old]
        if len(equal) != 1 or not isinstance(edit, Replace):
            return None
        edits.append(replace(edit, cell_id=equal[0]))
    return tuple(edits)


def _rename_edits(fix: KnownFix, case: Case) -> tuple[Edit, ...] | None:
    """The edits in a copy of the failing cell whose variables go by other names; None where it is none."""
    entry = Remembered(fix.signature, "", fix.patch.title, fix.patch.cause, fix.templates, approved=1)
    made: Any = next(build_patches(entry, case), None) if fix.templates else None
    return made.edits if made is not None else None


def _mark_known(patch: Patch, fix: KnownFix) -> Patch:
    """The patch, which says where it healed before."""
    return replace(patch, why=f"{patch.why.rstrip('.')}{'; ' if patch.why else ''}the same fix healed {fix.where}")
