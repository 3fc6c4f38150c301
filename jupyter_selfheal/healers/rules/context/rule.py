"""What a rule is: one file, one class, one kind of failure, and what may be done about it.

A rule locates by the traceback's position and the live state, and edits by splicing text at syntax nodes
(:mod:`jupyter_selfheal.source`), never by a regular expression on the source. Its docstring is its page in
``docs/rules.md``: first line what it does, then the sections **Failure**, **Fix** and **Fix safety**.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import ClassVar

from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.model import Applicability, Edit, Failure, FailureKind, Patch


class Stage(IntEnum):
    """When a rule is asked. Of equal patches the first one stands, and equal priors keep this order, hence:"""

    STATE = 0
    """What the notebook's own state explains, as two thirds of real NameErrors."""
    IMPORTS = 1
    """An import that is missing: more often than the name is misspelt."""
    CHANGELOG = 2
    """What a library's changelog says, before anything that is guessed."""
    LIBRARY = 3
    """What one library is known for."""
    LIKENESS = 4
    """What is near or usual: names, keys, types, files, syntax."""
    LAST = 5
    """What can be read in more than one way, once all that is sharper had its say."""


RAISED_OR_MISSED = frozenset({FailureKind.RAISED, FailureKind.MISSED})
"""The kinds of a rule for what a check sees: an assert that fails, or an expectation that is missed."""


class Rule(ABC):
    """One rule. Subclasses are stateless: one instance serves every heal, from several threads."""

    code: ClassVar[str]
    """Letters for the class of failures and three digits: ``NAM101``."""

    name: ClassVar[str]
    """A short noun phrase: "missing import alias"."""

    stage: ClassVar[Stage] = Stage.LIKENESS
    """When it is asked; within a stage by code."""

    enames: ClassVar[frozenset[str]] = frozenset()
    """Exception names it may match; empty means any."""

    message: ClassVar[re.Pattern[str] | None] = None
    """What its message must contain; ``None`` means any."""

    warning: ClassVar[re.Pattern[str] | None] = None
    """What a warning says that announces the failure, where a release before it warns (``--warnings``); ``None`` where none does."""

    kinds: ClassVar[frozenset[FailureKind]] = frozenset({FailureKind.RAISED})
    """Kinds of failure it may match."""

    applicability: ClassVar[Applicability] = Applicability.UNSAFE
    """What its patches are unless one says otherwise."""

    why: ClassVar[str] = ""
    """Why they are that safe, in a sentence."""

    restores: ClassVar[str] = ""
    """The release since which the library silently gives something else, where its patches give again what it gave before ("pandas 3.0")."""

    doubts_others: ClassVar[bool] = False
    """True where its patch is another reading of the failing line, beside which no other rule's is safe."""

    def matches(self, failure: Failure) -> bool:
        """A cheap test before anything is parsed."""
        if failure.kind not in self.kinds:
            return False
        if self.warning is not None and failure.is_warning:
            return self.warning.search(failure.evalue) is not None
        if failure.kind is FailureKind.MISSED:
            return True
        if self.enames and failure.ename not in self.enames:
            return False
        return self.message is None or self.message.search(failure.evalue) is not None

    @abstractmethod
    def propose(self, context: RuleContext) -> Iterator[Patch]:
        """Patches for the context, best first; nothing where the rule does not apply. Must not raise for odd input."""

    def cite(self, source: str) -> str:
        """Why they are that safe, with the page that says so."""
        return f"{self.why.rstrip('.')} ({source})."

    def patch(
        self,
        edits: Iterable[Edit],
        title: str,
        cause: str,
        *,
        applicability: Applicability | None = None,
        why: str = "",
        removes: str = "",
        prior: float = 0.5,
    ) -> Patch:
        """A patch signed by this rule."""
        level = self.applicability if applicability is None else applicability
        return Patch(
            edits=tuple(edits),
            title=title,
            cause=cause,
            healer="rules",
            rule=self.code,
            applicability=level,
            why=why or self.why,
            removes=removes,
            prior=prior,
            restores=self.restores if level is Applicability.SAFE else "",
        )
