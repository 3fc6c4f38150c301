"""The part of a review that a language model does: is each cell what its own words say? Within the budget, each call journaled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.loop.events import JUDGE, CellJudged, Reserved, Settled
from jupyter_selfheal.loop.limits import find_exceeded_limit
from jupyter_selfheal.loop.states import Account
from jupyter_selfheal.model import Case, Cell, Cost, Doubt, Failure, FailureKind, Notebook, Oracle, Trial
from jupyter_selfheal.ports import CellJudge, Journal
from jupyter_selfheal.scoring.cell_judge import list_docstrings

CODE = "REV401"


class ModelReview:
    """Asks about cells that run and have a text above them or a docstring.

    ``get_session_spent`` says what the session has spent; ``pay`` is told what a call cost; ``open_journal`` is called once there is a
    cell to ask about: what its journal has already (of a run that was cut off) is not asked again. ``note`` says why no more is
    asked, and is empty as long as there is no reason.
    """

    def __init__(
        self,
        judge: CellJudge,
        config: HealConfig,
        *,
        get_session_spent: Callable[[], Cost],
        pay: Callable[[Cost], None],
        open_journal: Callable[[], Journal],
    ) -> None:
        self.note = ""
        self.spent = Cost()
        self._judge = judge
        self._config = config
        self._get_session_spent = get_session_spent
        self._pay = pay
        self._open_journal = open_journal
        self._journal: Journal | None = None
        self._known: dict[str, CellJudged] = {}

    def review(self, cell: Cell, notebook: Notebook, trial: Trial | None) -> Doubt | None:
        """The model's doubt about a cell; None where it has none, has nothing to go by, or may not be asked."""
        words = collect_words(cell, notebook)
        if self.note or not words or cell.oracle.spec:
            return None
        key = build_call_id(words, cell.source)
        journal = self._find_journal()
        if key in self._known:
            return self._build_doubt(cell, self._known[key])
        budget = self._config.session_budget_usd
        account = Account(budget, budget, tokens=self._config.token_ceiling, session=self._get_session_spent())
        worst = self._judge.worst_case()
        if (why := find_exceeded_limit(account, worst, self._config)) is not None:
            self.note = f"the model was not asked about cells from {notebook.name_cell(cell.id)} on: {why}"
            return None
        case = Case(Failure(cell.id, cell.source, FailureKind.MISSED), notebook, replace(Oracle(), spec=words))
        return self._build_doubt(cell, self._ask_judge(case, trial, worst, key, journal))

    def _find_journal(self) -> Journal:
        if self._journal is None:
            self._journal = self._open_journal()
            self._known = {e.settles: e for e in self._journal.events() if isinstance(e, CellJudged)}
        return self._journal

    def _build_doubt(self, cell: Cell, event: CellJudged) -> Doubt | None:
        if not event.scores or event.scores[0] >= self._config.accept:
            return None
        advice = "Read both; `%%heal --expect` or `--check` says what is right in a way that can be checked."
        return Doubt(cell.id, CODE, f"A model reads it otherwise than its text: {event.reason}", advice)

    def _ask_judge(self, case: Case, trial: Trial | None, worst: Cost, key: str, journal: Journal) -> CellJudged:
        """Set the money aside, ask, settle."""
        journal.append(Reserved(key, JUDGE, worst))
        try:
            opinion = self._judge.judge_cell(case, trial)
        except ProviderError as error:
            self._settle_cost(error.cost or worst)
            journal.append(Settled(key, error.cost or worst))
            self.note = f"the model was not asked about every cell: {error}"
            return CellJudged((), str(error))
        self._settle_cost(opinion.cost)
        scores = () if opinion.score is None else (opinion.score,)
        event = CellJudged(scores, opinion.reason, opinion.cost, key, opinion.record)
        journal.append(event)
        return event

    def _settle_cost(self, cost: Cost) -> None:
        self.spent = self.spent + cost
        self._pay(cost)


def build_call_id(words: str, source: str) -> str:
    """The id of the call about a cell: the same in each run of the same notebook."""
    text = "\n".join((words, source)).encode("utf-8", "replace")
    return f"{JUDGE}-{hashlib.sha256(text).hexdigest()[:12]}"


def collect_words(cell: Cell, notebook: Notebook) -> str:
    """What the notebook says of a cell: the text right above it, and the docstrings in it. Empty where it says nothing."""
    at = notebook.index(cell.id)
    above = notebook.cells[at - 1] if at > 0 else None
    text = above.source.strip() if above is not None and above.kind == "markdown" else ""
    docstrings = [] if src.is_foreign(cell.source) else list_docstrings(cell.source)
    return "\n\n".join(filter(None, (text, *docstrings)))
