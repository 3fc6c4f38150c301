"""Files of rows as configurations that can be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.rows import Row, Setup, read_row_file
from jupyter_selfheal.surfaces.bench.statistics import Difference, Share, compare_pairs, estimate_mean, estimate_share


@dataclass(frozen=True, slots=True)
class Configuration:
    """One file: what was measured, and the rows of each task by its name. ``name`` is short, and unlike the others'."""

    name: str
    setup: Setup
    tasks: dict[str, list[Row]]

    @property
    def runs(self) -> int:
        """Of the task that was run least often."""
        return min(map(len, self.tasks.values()))

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [row for rows in self.tasks.values() for row in rows]

    @property
    def failing(self) -> list[str]:
        """The tasks in which there was something to heal; all where that is none."""
        return [name for name, rows in self.tasks.items() if any(row.has_failed for row in rows)] or list(self.tasks)

    def rates(self, kind: str = "correct", names: Sequence[str] | None = None) -> list[float]:
        """By task, the share of its runs for which the row's field ``kind`` is true."""
        chosen = self.tasks if names is None else names
        return [sum(bool(getattr(r, kind)) for r in self.tasks[n]) / len(self.tasks[n]) for n in chosen]

    def means(self, kind: str, names: Sequence[str] | None = None) -> list[float]:
        """By task, the mean of the row's field ``kind`` over its runs."""
        chosen = self.tasks if names is None else names
        return [math.fsum(float(getattr(r, kind)) for r in self.tasks[n]) / len(self.tasks[n]) for n in chosen]

    @property
    def success(self) -> Share:
        """Of the tasks that failed, the share whose applied patch is correct."""
        return estimate_share(self.rates(names=self.failing))

    @property
    def first_success(self) -> Share:
        """The share of tasks that the first round of patches heals correctly; where programs are written from their specification, that
        the model's first reply writes correctly."""
        if self.setup.start == "spec":
            return estimate_share(self.rates("zero_shot", self.failing))
        rates = [
            sum(r.correct and r.first for r in rows) / len(rows) for rows in map(self.tasks.get, self.failing) if rows
        ]
        return estimate_share(rates)

    @property
    def lift(self) -> Difference:
        """What the loop adds to the model's first reply, on the same tasks."""
        return compare_pairs(self.rates("zero_shot", self.failing), self.rates(names=self.failing))

    @property
    def has_price(self) -> bool:
        """Whether its dollars are known: no model was asked, or there is a price of what was."""
        return any(r.dollars_spent for r in self.rows) or not any(sum(r.tokens.values()) for r in self.rows)

    @property
    def cost_per_solved(self) -> float | None:
        """Dollars of all rows for each correct one; None where none is."""
        solved = sum(r.correct for r in self.rows)
        return math.fsum(r.dollars_spent for r in self.rows) / solved if solved else None


def read_configurations(paths: Sequence[Path]) -> list[Configuration]:
    """One configuration a file, by what was measured, or by the files' names where that is the same of two; raises UsageError for a file that holds none, and for files of different sets or oracles."""
    read = [(path, *read_row_file(path)) for path in paths]
    alike = len({setup.label for _, setup, _ in read}) < len(read)
    found = []
    for path, setup, rows in read:
        if not rows:
            raise UsageError(f"{path} holds no rows yet")
        tasks: dict[str, list[Row]] = {}
        for row in rows:
            tasks.setdefault(row.name, []).append(row)
        name = path.stem if alike else setup.label
        found.append(Configuration(name, setup, tasks))
    return found


def compare(first: Configuration, second: Configuration) -> Difference:
    """How the second's success differs on the tasks that both have and that failed; raises UsageError where they have none."""
    shared = [name for name in first.tasks if name in second.tasks]
    if not shared or first.setup.question != second.setup.question:
        raise UsageError(
            f"{first.name} and {second.name} measured different tasks: {first.setup.set}, {second.setup.set}"
        )
    failing = {*first.failing, *second.failing}
    shared = [name for name in shared if name in failing] or shared
    return compare_pairs(first.rates(names=shared), second.rates(names=shared))


def compare_means(first: Configuration, second: Configuration, kind: str) -> Share:
    """The mean difference of a field (seconds, dollars) on the tasks that both have."""
    shared = [name for name in first.tasks if name in second.tasks]
    pairs = zip(first.means(kind, shared), second.means(kind, shared), strict=True)
    return estimate_mean([b - a for a, b in pairs])
