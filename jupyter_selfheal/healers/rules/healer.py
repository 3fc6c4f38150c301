"""The rules as a healer: load those that may match, ask them, order their patches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from jupyter_selfheal import registry
from jupyter_selfheal import source as src
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.held_failure import view_held_failure
from jupyter_selfheal.healers.rules.context.lost_writes import has_lost_writes
from jupyter_selfheal.healers.rules.context.text_questions import ask_for_text
from jupyter_selfheal.model import Applicability, Attempt, Case, Cost, Insert, Patch, Replace, compose
from jupyter_selfheal.ports import Answer, Facts, HealerSetup, Starts

PATCHES_OF_A_RULE = 6
"""A rule that has more to say than this is guessing."""


@cache
def load_rules() -> tuple[Rule, ...]:
    """Every shipped rule in the order in which it is asked, then those of third parties by code.

    What another package declares and is no rule, or takes a code that is in use, is one line in the log.
    """
    rules = list(_load_shipped())
    for plugin in registry.list_plugins(registry.RULES):
        try:
            rules.append(load_plugin_rule(plugin))
        except ConfigError as error:
            registry.report_problem(str(error))
    return tuple(rules)


@cache
def _load_shipped() -> tuple[Rule, ...]:
    """The rules of this folder: a module of it holds one, in a class with a ``code``. Only the first failure pays for it
    (0.2 CPU-seconds for a hundred modules; an index made with ``ast`` would take longer than to import them)."""
    modules = [
        import_module(f"{__package__}.{m.name}") for m in iter_modules([str(Path(__file__).parent)]) if not m.ispkg
    ]
    kinds = [
        kind for m in modules for kind in vars(m).values() if isinstance(kind, type) and kind.__module__ == m.__name__
    ]
    rules = [kind() for kind in kinds if issubclass(kind, Rule) and "code" in vars(kind)]
    return tuple(sorted(rules, key=lambda rule: (rule.stage, rule.code)))


def load_plugin_rule(plugin: registry.Plugin) -> Rule:
    """The rule that another package declares. Raises :class:`ConfigError` where it is none, or its code is taken."""
    made = plugin.load()
    try:
        rule = made()
    except Exception as error:
        raise ConfigError(plugin.describe_problem(f"cannot be made ({type(error).__name__}: {error})")) from error
    if not isinstance(rule, Rule) or rule.code != plugin.name:
        raise ConfigError(plugin.describe_problem("is no rule of that code"))
    if any(rule.code == shipped.code for shipped in _load_shipped()):
        raise ConfigError(plugin.describe_problem("has a code that is taken"))
    return rule


class RulesHealer:
    """:class:`~jupyter_selfheal.ports.Healer` over a set of rules (all of them unless some are given)."""

    name = "rules"
    paid = False
    reasoned = True
    trusted = True
    installs = True
    rank = 10

    def __init__(self, rules: Sequence[Rule] | None = None) -> None:
        self._rules = rules
        self._last_asked: tuple[Case, Facts, Answer] | None = None

    @classmethod
    def build(cls, setup: HealerSetup) -> RulesHealer:
        """All rules."""
        return cls()

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """Nothing: rules are free."""
        return Cost()

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """Every rule's patches, by prior and then by the table's order, without what was tried before.

        Of a derived case that is what was tried on top of its base: what did not help with the first failure may help with this one.
        Each rule is asked once about a failure: who diagnoses it asks first, whether it can be mended at all.
        """
        if self._last_asked is None or self._last_asked[0] != case or self._last_asked[1] is not facts:
            self._last_asked = (case, facts, self._ask_rules(case, facts))
        answer, tried = self._last_asked[2], {_make_key(a.patch) for a in history}
        return replace(
            answer, patches=tuple(p for p in answer.patches if _make_key(compose(case.base, p)) not in tried)
        )

    def _ask_rules(self, case: Case, facts: Facts) -> Answer:
        """A rule that raises is a bug of ours (or of a third party): the others go on and the note names it."""
        held = view_held_failure(case)
        contexts = [RuleContext(c, facts) for c in (case, held) if c is not None]
        seen: set[str] = set()
        patches: list[Patch] = []
        doubted_by: list[Patch] = []
        notes = []
        rules = self._rules if self._rules is not None else load_rules()
        for rule, context in ((r, c) for r in rules for c in contexts):
            if not rule.matches(context.failure):
                continue
            try:
                proposed = [_keep_meaning(context, p) for p in _take_first(rule.propose(context), PATCHES_OF_A_RULE)]
            except Exception as error:
                notes.append(f"rule {rule.code} failed ({type(error).__name__}: {error}): please report it")
                continue
            for patch in proposed:
                key = _make_key(patch)
                if key not in seen and _is_sound(patch):
                    seen.add(key)
                    patches.append(patch)
                    if rule.doubts_others:
                        doubted_by.append(patch)
        if doubted_by:
            patches = [p if p in doubted_by else _doubt(p, doubted_by[0]) for p in patches]
        patches.sort(key=lambda p: -p.prior)  # stable: equal priors stay in the table's order
        return Answer(tuple(patches), note="; ".join(notes), exhausted=True)


def _doubt(patch: Patch, other: Patch) -> Patch:
    if patch.applicability is not Applicability.SAFE:
        return patch
    why = f"Something else may be meant: {other.title[0].lower()}{other.title[1:]}."
    return replace(patch, applicability=Applicability.UNSAFE, why=why, prior=min(patch.prior, other.prior - 0.01))


def _keep_meaning(context: RuleContext, patch: Patch) -> Patch:
    if any(isinstance(e, Replace) and "dtype" in e.source for e in patch.edits):
        patch = ask_for_text(context, patch)
    if any(isinstance(e, Replace) and has_lost_writes(e.source) for e in patch.edits):
        from jupyter_selfheal.healers.rules.lost_write import keep_write

        return keep_write(context, patch)
    return patch


def _take_first(patches: Iterator[Patch], count: int) -> Iterator[Patch]:
    for _, patch in zip(range(count), patches, strict=False):
        yield patch


def _is_sound(patch: Patch) -> bool:
    """Something changes, and what changes is Python."""
    return bool(patch.edits) and all(
        src.can_compile(e.source) and not (isinstance(e, Replace) and e.old == e.source)
        for e in patch.edits
        if isinstance(e, Replace | Insert)
    )


def _make_key(patch: Patch) -> str:
    """Equal for patches that differ in formatting only."""
    parts = []
    for edit in patch.edits:
        if isinstance(edit, Replace):
            parts.append(f"replace {edit.cell_id} {src.canonicalise(edit.source)}")
        elif isinstance(edit, Insert):
            parts.append(f"insert {edit.before} {src.canonicalise(edit.source)}")
        else:
            parts.append(repr(edit))
    return "\n".join(parts)
