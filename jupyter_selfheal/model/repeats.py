"""Repeats: how often a cell fails when it is run again, as it is and with a patch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often a cell failed in so many runs, as it is, and with a patch.

    ``sources`` are what it draws on, in words that follow "it depends on". ``fresh`` of the runs were in fresh kernels, each with
    another hash seed, in which the cells above ran again. ``doubt`` says why the patch is no proven cure; empty where it is
    one, and where there is no patch. ``refused`` says why no fresh kernel could be had that would have told.
    """

    runs: int = 0
    failures: int = 0
    patched_runs: int = 0
    patched_failures: int = 0
    fresh: int = 0
    sources: tuple[str, ...] = ()
    doubt: str = ""
    refused: str = ""

    @property
    def is_flaky(self) -> bool:
        """True where the cell as it is fails in some runs and not in others."""
        return 0 < self.failures < self.runs

    @property
    def words(self) -> str:
        """``fails in 5 of 11 runs; with the fix in 0 of 12``."""
        words = f"fails in {self.failures} of {_count_runs(self.runs)}"
        return (
            f"{words}; with the fix in {self.patched_failures} of {self.patched_runs}" if self.patched_runs else words
        )


def _count_runs(runs: int) -> str:
    return f"{runs} run" if runs == 1 else f"{runs} runs"
