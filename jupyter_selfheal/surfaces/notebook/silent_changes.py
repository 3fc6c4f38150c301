"""Cells that run and give another value than is stored, where a release silently made something of a statement: a write that is lost, a question that finds nothing.

Nothing fails of it in the cell, and much below: what is stored is the one thing that tells. Such a cell is healed by what the rules know of these releases
alone, where it then gives what is stored; where it doesn't, it is a cell that runs, as before.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.model import OTHER_THAN_STORED, Case, Cell, Failure, FailureKind, Notebook, Outcome, Trial
from jupyter_selfheal.scoring.repeatable import is_repeatable, is_trained
from jupyter_selfheal.scoring.stored import compare

MOST_IN_VAIN = 2
"""After so many that were nothing of the kind no further one is asked about: the notebook's stored outputs are of another age for another reason."""


class SilentChanges:
    """Which cells of a notebook are asked about, and what came of it. ``is_held``: every stored output is an expectation already."""

    def __init__(self, is_held: bool) -> None:
        self._left = 0 if is_held else MOST_IN_VAIN

    def may_be(self, cell: Cell, notebook: Notebook) -> bool:
        """Whether a cell has a stored value that comes of a statement of which a release may silently have made something else."""
        if not self._left or cell.oracle or cell.oracle.spec or cell.stale or not compare(cell, cell.outputs).computed:
            return False
        texts, names = [c.source for c in notebook.list_code_before(cell.id)], src.find_names(cell.source)
        made = [texts[n] for n in src.find_backward_slice(texts, names.uses | names.changes)]
        return _SUM_OF_GROUPS.search(cell.source) is not None or any(map(_may_have_changed, (*made, cell.source)))

    def question(self, cell: Cell, notebook: Notebook, trial: Trial, told: Container[str]) -> Failure | None:
        """The failure to be healed of a cell that ran; None where it gave what is stored, nothing speaks for such a change, or it was ``told`` of before."""
        compared = compare(cell, trial.steps[0].outputs)
        if not compared.differs or cell.id in told or not self.may_be(cell, notebook):
            return None
        if not is_repeatable(cell, notebook) or _is_of_model(cell, notebook):
            return None
        return Failure(cell.id, cell.source, FailureKind.MISSED, evalue=OTHER_THAN_STORED, seconds=trial.seconds)

    def mark(self, case: Case) -> Case:
        """The case of a failing cell: one that only differs must give what is stored; of another one it is said whether it may, once it runs."""
        if case.failure.is_silent:
            return replace(case, oracle=replace(case.oracle, as_stored=True))
        cell = case.notebook.cell(case.failure.cell_id)
        is_told = self.may_be(cell, case.notebook) and is_repeatable(cell, case.notebook)
        return replace(case, may_differ_silently=is_told and not _is_of_model(cell, case.notebook))

    def is_in_vain(self, failure: Failure, outcome: Outcome) -> bool:
        """Whether such a cell is left as one that runs: nothing was applied that gives again what a release took away."""
        if not failure.is_silent or (outcome.applied and outcome.applied[0].patch.restores):
            return False
        self._left -= 1
        return True


_SUM_OF_GROUPS = re.compile(r"\b(?:groupby|resample)\(.*\.sum\(\)")
"""Texts are put together there since pandas 2.0; they were left out."""


def _is_of_model(cell: Cell, notebook: Notebook) -> bool:
    """Whether what the cell prints hangs on a fitted model, and not by far more on a default that a release changed."""
    from jupyter_selfheal.healers.rules.changed_default import has_changed_defaults

    return is_trained(cell, notebook) and not has_changed_defaults(cell.source)


def _may_have_changed(source: str) -> bool:
    from jupyter_selfheal.healers.rules.boolean_dummies import has_boolean_dummies  # not in every run
    from jupyter_selfheal.healers.rules.changed_default import has_changed_defaults
    from jupyter_selfheal.healers.rules.context.lost_writes import has_lost_writes
    from jupyter_selfheal.healers.rules.context.text_questions import has_text_questions
    from jupyter_selfheal.healers.rules.pattern_replaced import has_patterns

    asked = (has_lost_writes, has_text_questions, has_patterns, has_boolean_dummies, has_changed_defaults)
    return any(has(source) for has in asked)
