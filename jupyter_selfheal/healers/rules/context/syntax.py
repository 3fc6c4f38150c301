"""Mending cells that do not parse: CPython's message says what is wrong and where; ``compile`` says whether it is mended.

A *mend* is a function from a cell and its first syntax error to whole new sources, best first. A rule begins with its own
mends and goes on with everybody's until the cell compiles, so that a cell with three different errors heals at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.rule import Rule
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault
from jupyter_selfheal.healers.syntax.objections import object_in_notebook
from jupyter_selfheal.healers.syntax.tables import calls_values_of_table
from jupyter_selfheal.model import Applicability, FailureKind, Patch, Replace

ROUNDS = 40
"""Errors mended in one cell before giving up: as many as a long cell of Python 2 may have in other places."""
DOUBTED = 0.5
"""The prior, at most, of a mend that something speaks against."""


@dataclass(frozen=True, slots=True)
class Mend:
    """A mended source (it may have further errors). ``sure``: no other reading is likely."""

    source: str
    title: str
    sure: bool = True
    prior: float = 0.8
    why: str = ""
    """Why it is sure, where the rule's own reason is another."""


class SyntaxRule(Rule):
    """A rule whose remedy is text in the right place."""

    kinds = frozenset({FailureKind.SYNTAX})

    @abstractmethod
    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        """Mends of the fault, best first; nothing where it is none of this rule's."""

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        """Mend the first fault by this rule, and what remains by all of them."""
        source = context.failure.source
        fault = None if src.is_foreign(source) else find_fault(source)
        if fault is None:
            return
        seen = set()
        fails = False  # the only other reading: it calls what is no method
        for first in self.mends(source, fault):
            done = finish_mend(first)
            if done is None or done.source in seen:
                continue
            seen.add(done.source)
            if calls_values_of_table(done.source, source, context.notebook):
                fails = len(seen) == 1
                continue
            alone = fails and len(seen) == 2 and find_fault(first.source) is None
            done = replace(done, sure=done.sure or alone)
            objection = object_in_notebook(done.source, context.failure, context.notebook)
            if objection:
                done = replace(done, sure=False, prior=min(done.prior, DOUBTED))
            kind = Applicability.SAFE if done.sure else Applicability.UNSAFE
            patch = self.patch(
                (Replace(context.failure.cell_id, source, done.source),),
                done.title,
                f"Syntax error in line {fault.line}: {fault.message.rstrip('.')}"
                + ("" if fault.message.endswith("?") else "."),
                applicability=kind,
                why=(done.why or self.why)
                if done.sure
                else "The cell compiles again, but it can be read in another way too.",
                prior=done.prior,
            )
            yield replace(patch, rival=f"{objection}: another reading may be meant") if objection else patch


def finish_mend(first: Mend) -> Mend | None:
    """The mend carried on until the cell compiles, or None where it cannot be. Each step must get further down the cell."""
    current, titles, sure = first.source, [first.title], first.sure
    fault = find_fault(current)
    for _ in range(ROUNDS):
        if fault is None:
            return Mend(current, "; ".join(dict.fromkeys(titles)), sure, first.prior, first.why)
        step = _find_next_mend(current, fault)
        if step is None:
            return None
        current = step.source
        titles.append(step.title)
        sure = sure and step.sure
        fault = find_fault(current)
    return None


def _find_next_mend(source: str, fault: Fault) -> Mend | None:
    """The first mend of anybody's that removes the fault or moves it down."""
    for rule in list_syntax_rules():
        for mend in rule.mends(source, fault):
            after = find_fault(mend.source)
            if after is None or _gets_on(fault, after, len(mend.source) - len(source)):
                return mend
    return None


def _gets_on(fault: Fault, after: Fault, longer: int) -> bool:
    """Whether the next fault is further down the cell; what a line says is read only once its indentation is right."""
    reached, was = (after.line, after.column), (fault.line, fault.column + longer)
    return reached > was or (reached == was and fault.kind == "IndentationError" != after.kind)


@cache
def list_syntax_rules() -> tuple[SyntaxRule, ...]:
    """All rules for cells that do not parse."""
    from jupyter_selfheal.healers.rules.healer import load_rules

    return tuple(r for r in load_rules() if isinstance(r, SyntaxRule))


def count_programs(mends: Sequence[Mend]) -> int:
    """How many different programs the mends that compile are."""
    return len({src.canonicalise(m.source) for m in mends if find_fault(m.source) is None})
