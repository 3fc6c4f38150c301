"""Patches: sets of edits that may heal a failure."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TypeAlias

AS_LIKELY = 0.8
"""A guess with less of the best one's weight is not as likely."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Put ``source`` in place of ``old`` as the whole source of a cell; refused where the cell no longer holds ``old``."""

    cell_id: str
    old: str
    source: str


@dataclass(frozen=True, slots=True)
class Insert:
    """A new cell ``cell_id`` with ``source``, directly above the cell ``before``."""

    cell_id: str
    source: str
    before: str

    @classmethod
    def above(cls, before: str, source: str) -> Insert:
        """A cell above the cell ``before``, with an id that is the same wherever the same cell is proposed."""
        digest = hashlib.sha256(f"{before}\n{source}".encode("utf-8", "replace")).hexdigest()
        return cls(f"selfheal-{digest[:8]}", source, before)


@dataclass(frozen=True, slots=True)
class Move:
    """Move a cell directly above the cell ``before``."""

    cell_id: str
    before: str


@dataclass(frozen=True, slots=True)
class RunCells:
    """Run these cells first, in this order; no source changes (a state fix)."""

    cell_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Install:
    """Install distribution ``requirement``, because ``module`` is missing. Proven in a scratch directory."""

    requirement: str
    module: str

    @property
    def line(self) -> str:
        """The line that does it in a notebook. Quoted where a shell would read more than a name in it."""
        plain = re.fullmatch(r"[\w.-]+", self.requirement)
        return f"%pip install {self.requirement}" if plain else f'%pip install "{self.requirement}"'


Edit: TypeAlias = Replace | Insert | Move | RunCells | Install


class Applicability(IntEnum):
    """How far a change may be trusted, as linters say it (Ruff's ``DisplayOnly < Unsafe < Safe``)."""

    DISPLAY_ONLY = 0
    """Shown, never applied by itself: the user must complete or choose it."""
    UNSAFE = 1
    """Probably right; may change what the code means."""
    SAFE = 2
    """Keeps or restores the evident meaning; only rules and memory may say so, never a model or a search."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A set of edits that may heal a failure.

    ``healer`` is ``memory``, ``rules``, ``search``, ``language_model`` or ``user``; ``rule`` the rule's code, if one made
    it. ``title`` is an imperative line ("Import numpy as np"), ``cause`` says in words what was wrong, ``why`` argues the
    applicability. ``removes`` says what a remedy takes away where removal *is* the remedy; it exempts from the tamper cap.
    ``prior`` (0–1) orders patches of one healer. ``risk`` is what could go wrong, in one line: a critic's word before it was
    tried, or the model's own. ``rival`` says what another change that meets the same few checks does otherwise, where nothing tells
    which of the two is meant. ``behaviour`` is equal for patches of a healer that were seen to do the same on every input on which it
    compared them (empty: not compared); ``weight`` (0–1) says how likely a slip of its kind is, where the healer weighs them.
    ``restores`` names the release since which a library silently gives something else, where the patch gives again what it gave before
    that ("pandas 3.0"): what an earlier cell's call gives under the new release is then no witness against it. ``stages`` are the edits of
    each patch that this one goes on from, the first one first: what it changes last is judged against these, too. ``guess_before`` is the title
    of the fix that is not *safe* and that this one goes on from, as it met another failure: no check speaks for that one alone.
    """

    edits: tuple[Edit, ...]
    title: str
    cause: str = ""
    healer: str = "rules"
    rule: str = ""
    applicability: Applicability = Applicability.UNSAFE
    why: str = ""
    removes: str = ""
    prior: float = 0.5
    risk: str = ""
    rival: str = ""
    behaviour: str = ""
    weight: float = 1.0
    restores: str = ""
    stages: tuple[tuple[Edit, ...], ...] = ()
    guess_before: str = ""

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits of the edits' content: equal edits are one patch, whoever proposed them."""
        text = json.dumps([[type(e).__name__, *_list_fields(e)] for e in self.edits], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def is_empty(self) -> bool:
        """True for the baseline, the patch without edits."""
        return not self.edits

    def source_of(self, cell_id: str, otherwise: str) -> str:
        """The cell's source after this patch."""
        for edit in reversed(self.edits):
            if isinstance(edit, Replace | Insert) and edit.cell_id == cell_id:
                return edit.source
        return otherwise

    @property
    def cells_touched(self) -> tuple[str, ...]:
        """Ids of the cells whose source or place this patch changes, without repeats."""
        return tuple(dict.fromkeys(e.cell_id for e in self.edits if isinstance(e, Replace | Insert | Move)))


def _list_fields(edit: Edit) -> list[object]:
    return [getattr(edit, name) for name in edit.__slots__]


BASELINE = Patch(edits=(), title="nothing changed", healer="user")
"""The empty patch; its trial is the reproduction of the failure."""


def compose(first: Patch, second: Patch) -> Patch:
    """``second`` after ``first`` as one patch: a Replace of the same cell keeps the oldest ``old`` and the newest source.

    The applicability is the weaker of the two; a patch by a model stays one.
    """
    edits: list[Edit] = list(first.edits)
    applicability = min(first.applicability, second.applicability)
    for edit in second.edits:
        if isinstance(edit, Replace):
            at = next(
                (n for n, e in enumerate(edits) if isinstance(e, Replace | Insert) and e.cell_id == edit.cell_id), -1
            )
            if at >= 0:
                edits[at] = _replace_source(edits[at], edit.source)
                continue
        if edit not in edits:
            edits.append(edit)
    edits = [e for e in edits if not (isinstance(e, Replace) and e.old == e.source)]
    if first.is_empty:
        return replace(second, edits=tuple(edits))
    return Patch(
        edits=tuple(edits),
        title=_join_texts(first.title, second.title),
        cause=_join_texts(first.cause, second.cause),
        healer=second.healer if first.healer == second.healer else f"{first.healer}+{second.healer}",
        rule="+".join(dict.fromkeys(r for r in (first.rule, second.rule) if r)),
        applicability=applicability,
        why=_join_texts(first.why, second.why),
        removes=_join_texts(first.removes, second.removes),
        prior=min(first.prior, second.prior),
        risk=_join_texts(first.risk, second.risk),
        rival=_join_texts(first.rival, second.rival),
        weight=min(first.weight, second.weight),
        restores=(first.restores or second.restores) if applicability is Applicability.SAFE else "",
        stages=(*first.stages, first.edits),
        guess_before="" if first.applicability is Applicability.SAFE else first.guess_before or first.title,
    )


def _join_texts(first: str, second: str) -> str:
    """Both texts in one; what the first says already is not said again."""
    sentence = second.endswith((".", ")"))
    if not first or not second or second in first.split("; ") or (sentence and second in first):
        return first or second
    return f"{first} {second}" if first.endswith((".", "?")) else f"{first}; {second}"


def _replace_source(edit: Edit, source: str) -> Edit:
    if isinstance(edit, Replace):
        return Replace(edit.cell_id, edit.old, source)
    return replace(edit, source=source) if isinstance(edit, Insert) else edit
