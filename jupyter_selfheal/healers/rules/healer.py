"""The rules as a healer: load those that may match, ask them, order their patches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module, metadata

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._table import RULES
from jupyter_selfheal.model import Attempt, Case, Cost, Insert, Patch, Replace
from jupyter_selfheal.ports import Answer, Facts, Starts

ENTRY_POINTS = "jupyter_selfheal.rules"
"""Entry point group of third-party rules: name = code, value = ``package.module:Class``."""

PATCHES_OF_A_RULE = 6
"""A rule that has more to say than this is guessing."""


@cache
def load_rules() -> tuple[Rule, ...]:
    """Every shipped rule in the table's order, then those of third parties by code.

    Raises :class:`~jupyter_selfheal.errors.ConfigError` where an entry point is no rule, or takes a code that is in use.
    """
    found: dict[str, Rule] = {}
    for code, where in RULES.items():
        module, _, name = where.partition(":")
        found[code] = getattr(import_module(f"{__package__}.{module}"), name)()
    for entry in sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda e: e.name):
        rule = entry.load()()
        if not isinstance(rule, Rule) or rule.code in found:
            raise ConfigError(
                f"entry point {entry.name} of {ENTRY_POINTS} is no rule or its code is taken: uninstall it"
            )
        found[rule.code] = rule
    return tuple(found.values())


class RulesHealer:
    """:class:`~jupyter_selfheal.ports.Healer` over a set of rules (all of them unless some are given)."""

    name = "rules"
    paid = False

    def __init__(self, rules: Sequence[Rule] | None = None) -> None:
        self._rules = rules

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """Nothing: rules are free."""
        return Cost()

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """Every rule's patches, by prior and then by the table's order, without what was tried before.

        A rule that raises is a bug of ours (or of a third party): the others go on and the note names it.
        """
        scene = Scene(case, facts)
        seen = {_key(a.patch) for a in history}
        found: list[Patch] = []
        notes = []
        for rule in self._rules if self._rules is not None else load_rules():
            if not rule.matches(case.failure):
                continue
            try:
                proposed = list(_first(rule.propose(scene), PATCHES_OF_A_RULE))
            except Exception as error:
                notes.append(f"rule {rule.code} failed ({type(error).__name__}: {error}): please report it")
                continue
            for patch in proposed:
                key = _key(patch)
                if key not in seen and _is_sound(patch):
                    seen.add(key)
                    found.append(patch)
        found.sort(key=lambda p: -p.prior)  # stable: equal priors stay in the table's order
        return Answer(tuple(found), note="; ".join(notes), exhausted=True)


def _first(patches: Iterator[Patch], count: int) -> Iterator[Patch]:
    for _, patch in zip(range(count), patches, strict=False):
        yield patch


def _is_sound(patch: Patch) -> bool:
    """Something changes, and what changes is Python."""
    return bool(patch.edits) and all(
        src.compiles(e.source) and not (isinstance(e, Replace) and e.old == e.source)
        for e in patch.edits
        if isinstance(e, Replace | Insert)
    )


def _key(patch: Patch) -> str:
    """Equal for patches that differ in formatting only."""
    parts = []
    for edit in patch.edits:
        if isinstance(edit, Replace):
            parts.append(f"replace {edit.cell_id} {src.canonical(edit.source)}")
        elif isinstance(edit, Insert):
            parts.append(f"insert {edit.before} {src.canonical(edit.source)}")
        else:
            parts.append(repr(edit))
    return "\n".join(parts)
