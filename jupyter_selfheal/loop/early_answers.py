"""What diagnosis and the quick, free healers say of a failure, found out while the cell as it is runs again.

Both take about as long, neither needs the other, and in a live session somebody waits for their sum. Nothing is decided here:
an answer is taken where the loop would have asked, and only if it would have asked just that.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from jupyter_selfheal.loop.threads import start_work
from jupyter_selfheal.model import Case
from jupyter_selfheal.ports import Facts, HealDependencies, Starts

DIAGNOSIS: Final = "diagnosis"
QUICK: Final = "is_quick"
"""The class attribute by which a free healer says that it takes milliseconds and may be asked twice: what it says of a failure
that does not come again, or comes otherwise, is not used."""


class EarlyAnswers:
    """The answers of one heal about the failure that it was begun for."""

    def __init__(self, parts: HealDependencies) -> None:
        self._parts = parts
        self._case: Case | None = None
        self._answers: dict[str, Future[Any]] = {}

    def begin(self, case: Case, starts: Starts, facts: Facts) -> None:
        """Ask, on a thread of its own, where questions need no run of the cell: there is a state after the failure."""
        if self._case is not None or not starts.after:
            return
        self._case = case
        calls: dict[str, Callable[[], Any]] = {DIAGNOSIS: lambda: self._parts.diagnoser.diagnose(case, facts)}
        for healer in self._parts.healers:
            if getattr(healer, QUICK, False) and not healer.paid:
                calls[healer.name] = lambda healer=healer: healer.propose(case, starts, facts, ())  # type: ignore[misc]
        self._answers = {who: Future() for who in calls}
        waiting = dict(self._answers)

        def ask_all() -> None:
            for who, call in calls.items():
                _settle(waiting[who], call)

        start_work(ask_all, "selfheal-early")

    def take(self, who: str, case: Case, ask: Callable[[], Any]) -> Any:
        """What was answered about this case, waited for where it is on its way, and raised where it raised; else ``ask`` now."""
        answer = self._answers.pop(who, None) if case == self._case else None
        return ask() if answer is None else answer.result()


def _settle(answer: Future[Any], call: Callable[[], Any]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:  # raised again by who takes it
        answer.set_exception(error)
