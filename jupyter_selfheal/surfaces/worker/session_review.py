"""``%heal review``: what speaks against the cells that ran in the user's kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from jupyter_selfheal import engine
from jupyter_selfheal import messages as m
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.model import Cost, Doubt
from jupyter_selfheal.scoring.review.reviewer import review_session
from jupyter_selfheal.surfaces.model_review import ModelReview
from jupyter_selfheal.surfaces.worker.journals import find_free_name
from jupyter_selfheal.surfaces.worker.states import connect_states

NOT_COPIED = "the kernel cannot be copied now, so only the code was read"


def review_cells(message: m.Review, report_spent: Callable[[Cost], None]) -> m.Reviewed:
    """The doubts about the cells of a session; ``report_spent`` is told what a model has cost so far."""
    with connect_states(message.states) as starts:
        state = starts.best if starts.before or starts.after else None
        doubts = review_session(message.notebook, state)
    read, notes = _ask_model(message, report_spent)
    order = {cell.id: n for n, cell in enumerate(message.notebook.cells)}
    every = sorted((*doubts, *read), key=lambda d: order.get(d.cell_id, -1))
    return m.Reviewed(message.run, tuple(every), (*(() if state is not None else (NOT_COPIED,)), *notes))


def _ask_model(message: m.Review, report_spent: Callable[[Cost], None]) -> tuple[list[Doubt], list[str]]:
    """A model's doubts about the cells that have words of their own; none where no model may be asked."""
    judge = engine.open_cell_judge(message.config)
    if judge is None:
        return [], []
    spent = message.session_spent

    def pay(cost: Cost) -> None:
        nonlocal spent
        spent = spent + cost
        report_spent(model.spent)

    with contextlib.ExitStack() as closing:
        model = ModelReview(
            judge,
            message.config,
            get_session_spent=lambda: spent,
            pay=pay,
            open_journal=lambda: closing.enter_context(
                JsonlJournal.create(find_free_name(message.run), notebook=message.notebook.path, config=message.config)
            ),
        )
        ran = [c for c in message.notebook.cells if c.kind == "code" and c.runs]
        doubts = [d for cell in ran if (d := model.review(cell, message.notebook, None)) is not None]
    return doubts, [model.note] if model.note else []
