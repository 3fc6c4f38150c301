"""What a check is: one file, one class, one way in which a cell that runs can be wrong all the same.

A check reads the code by its syntax tree, and asks the live state by probes, each in a throw-away fork of the state after the
cell (or before it). It speaks only where it is right: a doubt about a healthy cell costs more trust than a missed one.
Its docstring is its page in ``docs/review.md``: first line what it looks for, then the sections **Doubt**, **Silent** and
**What to do**.
"""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON, Cell, Doubt, Notebook, Output, Probe, Run, TrialRequest
from jupyter_selfheal.ports import TrialKernel

PROBE_SECONDS = 10.0
"""Seconds for one question to the state."""

REPEATED_SECONDS = 10.0
"""A cell that took longer is not run again, not even in part, for the sake of a question."""


@dataclass(frozen=True)
class ReviewedCell:
    """A cell that ran, as a check sees it.

    ``before`` and ``after`` are the states around it, None where there is none that is exact. ``rebound`` are the names that
    other cells have bound between this one and the state ``after``: what they hold there is not this cell's.
    """

    cell: Cell
    notebook: Notebook
    outputs: tuple[Output, ...] = ()
    seconds: float = 0.0
    before: TrialKernel | None = None
    after: TrialKernel | None = None
    rebound: frozenset[str] = frozenset()

    @cached_property
    def body(self) -> Sequence[ast.stmt]:
        """Its top-level statements; none where it does not parse or is no Python."""
        tree = None if src.is_foreign(self.cell.source) else src.parse(self.cell.source)
        return tree.body if tree is not None else ()

    def extract_text(self, node: ast.AST) -> str:
        """The source text of a node, on one line."""
        return " ".join(src.extract_text(self.cell.source, node).split())

    def ask(self, module: str, question: str, **argument: JSON) -> JSON:
        """The answer of the state after the cell; None where there is none."""
        return _ask_kernel(self.after, (), module, {"question": question, **argument})

    def ask_doctests(self, examples: Sequence[JSON]) -> JSON:
        """What came of docstrings' examples in the state after the cell; None where there is none."""
        return _ask_kernel(self.after, (), "doctests", list(examples))

    def ask_before(self, statement: int, module: str, question: str, **argument: JSON) -> JSON:
        """The answer of the state before a top-level statement of the cell: those above it are run again for it, in a fork of the
        state before the cell."""
        if self.seconds > REPEATED_SECONDS:
            return None
        above = src.keep_statements(self.cell.source, range(statement))
        runs = (Run(above, self.cell.id),) if statement else ()
        return _ask_kernel(
            self.before, runs, module, {"question": question, **argument}, REPEATED_SECONDS + 2 * self.seconds
        )

    def build_doubt(self, code: str, node: ast.AST | None, what: str, advice: str) -> Doubt:
        return Doubt(self.cell.id, code, what, advice, getattr(node, "lineno", 0))


@dataclass(frozen=True)
class ReviewedNotebook:
    """All cells that ran, in the order in which they did, and the state after the last."""

    cells: tuple[Cell, ...] = field(default=())
    state: TrialKernel | None = None

    def ask(self, module: str, question: str, **argument: JSON) -> JSON:
        """The answer of the state after the last cell; None where there is none."""
        return _ask_kernel(self.state, (), module, {"question": question, **argument})


class Check(ABC):
    """One check. Subclasses are stateless."""

    code: ClassVar[str]
    """``REV`` and three digits: 1xx read off the code, 2xx asked of values, 3xx the notebook's own checks, 4xx a model."""

    name: ClassVar[str]
    """A short noun phrase: "unused result"."""

    must_last: ClassVar[bool] = False
    """True: a doubt counts only if the state after the last cell gives it too, since a cell below may provide what it lacks."""

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        """Doubts about one cell. Must not raise for odd input."""
        return iter(())

    def review_notebook(self, notebook: ReviewedNotebook) -> Iterator[Doubt]:
        """Doubts that only the cells together give."""
        return iter(())


def _ask_kernel(
    kernel: TrialKernel | None,
    runs: Sequence[Run],
    module: str,
    argument: JSON,
    seconds: float = 0.0,
) -> JSON:
    if kernel is None or not kernel.is_exact:
        return None
    probe = Probe(probe_source(f"probes.{module}"), argument, timeout=PROBE_SECONDS)
    try:
        trial, _ = kernel.run(TrialRequest((*runs, probe), timeout=PROBE_SECONDS + seconds))
    except KernelError:
        return None  # a review is only a help
    return trial.probe(probe.name)
