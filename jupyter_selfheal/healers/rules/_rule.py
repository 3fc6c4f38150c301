"""What a rule is: one file, one class, one kind of failure, and what may be done about it.

A rule locates by the traceback's position and the live state, and edits by splicing text at syntax nodes
(:mod:`jupyter_selfheal.source`), never by a regular expression on the source. Its docstring is its page in
``docs/rules.md``: first line what it does, then the sections **Failure**, **Fix** and **Fix safety**.
"""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from jupyter_selfheal import source as src
from jupyter_selfheal.model import (
    Applicability,
    Case,
    Edit,
    Failure,
    FailureKind,
    Notebook,
    Patch,
    Replace,
)
from jupyter_selfheal.ports import Facts


@dataclass(frozen=True, slots=True)
class Scene:
    """What a rule looks at: the case, and questions to the live state (``scene.facts.ask``)."""

    case: Case
    facts: Facts

    @property
    def failure(self) -> Failure:
        return self.case.failure

    @property
    def notebook(self) -> Notebook:
        return self.case.notebook

    @property
    def source(self) -> str:
        """The failing cell's source."""
        return self.case.failure.source

    @property
    def tree(self) -> ast.Module:
        """The failing cell's tree; empty where it does not parse (syntax failures)."""
        return src.parse(self.source) or ast.Module([], [])

    def failing_statement(self) -> ast.stmt | None:
        """The top-level statement that failed, if known."""
        body = self.tree.body
        at = self.failure.statement
        return body[at] if 0 <= at < len(body) else None

    def place(self) -> tuple[str, str, int]:
        """Where the exception came up in the *user's* code, innermost cell frame first: (cell id, its source, line).

        The cell may be another one than the failing one (a function defined above).
        """
        for frame in reversed(self.failure.frames):
            if frame.cell_id and frame.cell_id != self.failure.cell_id and self.notebook.index(frame.cell_id) >= 0:
                return frame.cell_id, self.notebook.cell(frame.cell_id).source, frame.line
            if frame.cell_id == self.failure.cell_id:
                return frame.cell_id, self.source, frame.line
        return self.failure.cell_id, self.source, self.failure.line

    def upwards(self, cell_id: str = "") -> tuple[str, ...]:
        """Ids of a cell (the failing one) and of the code cells above it, nearest first: where what it uses was made."""
        first = cell_id or self.failure.cell_id
        return tuple(dict.fromkeys((first, *(c.id for c in reversed(self.notebook.code_before(first))))))

    def source_of(self, cell_id: str) -> str:
        """The source of any cell; the failing cell's as it ran."""
        return self.source if cell_id == self.failure.cell_id else self.notebook.cell(cell_id).source


def nodes_on_line(source: str, line: int) -> Iterator[ast.AST]:
    """Every node of the source that covers the line, outermost first."""
    tree = src.parse(source)
    if tree is None:
        return
    for node in ast.walk(tree):
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is not None and last is not None and first <= line <= last:
            yield node


class Rule(ABC):
    """One rule. Subclasses are stateless: one instance serves every heal, from several threads."""

    code: ClassVar[str]
    """Letters for the class of failures and three digits: ``NAM101``."""

    name: ClassVar[str]
    """A short noun phrase: "missing import alias"."""

    enames: ClassVar[frozenset[str]] = frozenset()
    """Exception names it may match; empty means any."""

    message: ClassVar[re.Pattern[str] | None] = None
    """What its message must contain; ``None`` means any."""

    kinds: ClassVar[frozenset[FailureKind]] = frozenset({FailureKind.RAISED})
    """Kinds of failure it may match."""

    applicability: ClassVar[Applicability] = Applicability.UNSAFE
    """What its patches are unless one says otherwise."""

    why: ClassVar[str] = ""
    """Why they are that safe, in a sentence."""

    def matches(self, failure: Failure) -> bool:
        """A cheap test before anything is parsed."""
        if failure.kind not in self.kinds or (self.enames and failure.ename not in self.enames):
            return False
        return self.message is None or self.message.search(failure.evalue) is not None

    @abstractmethod
    def propose(self, scene: Scene) -> Iterator[Patch]:
        """Patches for the scene, best first; nothing where the rule does not apply. Must not raise for odd input."""

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
        return Patch(
            edits=tuple(edits),
            title=title,
            cause=cause,
            healer="rules",
            rule=self.code,
            applicability=self.applicability if applicability is None else applicability,
            why=why or self.why,
            removes=removes,
            prior=prior,
        )

    def replace(self, scene: Scene, cell_id: str, changes: Iterable[tuple[int, int, str]]) -> tuple[Replace, ...]:
        """One Replace of a cell by splices (start, end, text) of its source; empty where it would change nothing or
        where the result does not compile."""
        old = scene.source_of(cell_id)
        new = src.splice(old, changes)
        if new == old or not src.compiles(new):
            return ()
        return (Replace(cell_id, old, new),)
