"""Cells whose metadata or ``%%heal`` line says in words what they are for: only a language model can check that."""

from __future__ import annotations

from jupyter_selfheal.model import Cell, Failure, FailureKind, Outcome, Reason, Trial


class SpecificationChecks:
    """Which cells of a notebook are to be judged by their words. ``why_no_model`` is empty where a model may be asked."""

    def __init__(self, why_no_model: str) -> None:
        self._why_no_model = why_no_model
        self._unchecked: list[int] = []

    def question(self, cell: Cell, number: int, trial: Trial) -> Failure | None:
        """What the loop is given to judge a cell that runs; None where there are no words, or nobody to judge them."""
        if not cell.oracle.spec:
            return None
        if self._why_no_model:
            self._unchecked.append(number)
            return None
        return Failure(cell.id, cell.source, FailureKind.MISSED, seconds=trial.seconds)

    @property
    def notes(self) -> tuple[str, ...]:
        """That words were not checked, in a line."""
        if not self._unchecked:
            return ()
        cells = f"cell{'s' if len(self._unchecked) > 1 else ''} {', '.join(map(str, self._unchecked))}"
        why = "words cannot be checked without a language model"
        return (f"the specification of {cells} was not checked: {why}; `--expect` and `--check` can.",)


def describe_word(failure: Failure, outcome: Outcome) -> str | None:
    """What a judge said of a cell that it does not speak against, or why it said nothing; None where the cell missed its words."""
    if failure.kind is not FailureKind.MISSED or outcome.failure.evalue or outcome.applied:
        return None
    return f"{'✓ ' if outcome.reason is Reason.NOT_REPRODUCED else ''}{outcome.detail}"
