"""Whether statements of earlier cells can be run again: they must give what they gave, and change nothing that they read.

What holds by their text may still not hold (a generator that is used up, chance, a function with a memory): so it is tried
in a fork before any candidate relies on it.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

from jupyter_selfheal.inside.comparator import is_equal
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.search.program import DEFINE, REPLAY, Program
from jupyter_selfheal.inside.search.run_candidate import Runner

QUICK = 2_000_000
"""Steps that the statements may take."""
WAIT = 60.0
"""Seconds on the clock."""
_MISSING = object()


def measure_replay(runner: Runner) -> int | None:
    """Steps that the program's earlier statements take, run as they are; None where they do not leave the state as it is."""

    def run_once() -> int | None:
        read = {n: runner.ns[n] for n in runner.program.copied if n in runner.ns}
        with (
            runner.preserve_state(),
            contextlib.redirect_stdout(Muted()),
            contextlib.redirect_stderr(Muted()),
            runner.count(QUICK),
        ):
            for n, unit in enumerate(runner.program.units):
                if unit.role in (DEFINE, REPLAY):
                    exec(runner.codes[n], runner.ns)
            took = runner.counter.steps_used
            defined = {n for n, v in read.items() if callable(v)}
            computed = {n: runner.before.get(n, _MISSING) for n in runner.program.replayed}
            kept = {n: v for n, v in (read | computed).items() if n not in defined}
            is_kept = all(n in runner.ns and is_equal(v, runner.ns[n]) for n, v in kept.items())
            return took if is_kept else None

    steps = run_in_fork(run_once, WAIT)
    return steps if isinstance(steps, int) else None


def drop_replay(program: Program) -> Program:
    """The program with the values of the earlier statements as they are; the units keep their numbers."""
    units = tuple(replace(u, text="pass", mutable=False) if u.role == REPLAY else u for u in program.units)
    return replace(program, units=units, replayed=(), absent=())
