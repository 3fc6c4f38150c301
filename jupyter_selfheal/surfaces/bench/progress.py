"""How far a measurement is, what is left of time and money, and whether the next heal may begin."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_selfheal.surfaces.bench.rows import Row

TENTHS = 10
"""Lines of progress that a run prints at most, where nobody watches a terminal."""


def ask_to_go_on(question: str) -> bool:
    """Ask whoever sits at the terminal; nobody there says no."""
    if not (sys.stdin and sys.stdin.isatty()):
        return False
    print(question, end=" [y/N] ", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@dataclass(slots=True)
class Progress:
    """``budget`` is what all heals together may spend, in dollars; none where nobody said. ``spent`` includes rows of an earlier run."""

    total: int
    budget: float | None = None
    spent: float = 0.0
    ask: Callable[[str], bool] = ask_to_go_on
    dearest: float = 0.0
    done: int = 0
    stopped: bool = False
    began: float = field(default_factory=time.monotonic)

    def add_row(self, row: Row) -> None:
        """Count a heal that has ended."""
        self.done += 1
        self.spent += row.dollars_spent
        self.dearest = max(self.dearest, row.dollars_spent)

    def may_begin(self, under_way: int) -> bool:
        """Whether one more heal fits the budget, if it and those under way cost as much as the dearest so far. Asks where it does not."""
        if self.stopped:
            return False
        if self.budget is None or self.spent + (under_way + 1) * self.dearest <= self.budget:
            return True
        said = f"{self.done} of {self.total} heals have cost ${self.spent:.4f}; the next may pass the budget of ${self.budget:g}. Go on without one?"
        if self.ask(said):
            self.budget = None
        else:
            self.stopped = True
        return not self.stopped

    def is_worth_a_line(self) -> bool:
        """After the first heal, and after each tenth of them all."""
        return 0 < self.done < self.total and (
            self.done == 1 or self.done * TENTHS // self.total > (self.done - 1) * TENTHS // self.total
        )

    def describe(self) -> str:
        """How far it is, and about how long and how dear what is left will be, by the mean so far."""
        left = self.total - self.done
        minutes = (time.monotonic() - self.began) / self.done * left / 60
        dollars = f", ${self.spent:.2f} spent, about ${self.spent / self.done * left:.2f} more" if self.spent else ""
        rest = f"about {minutes:.0f} min" if minutes >= 1 else "less than a minute"
        return f"{self.done} of {self.total}; {rest} left{dollars}"
