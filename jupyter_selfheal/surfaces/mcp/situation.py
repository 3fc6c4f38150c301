"""A cell as it is, and what it takes to try a patch of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop.observed_calls import CallObserver
from jupyter_selfheal.model import Case, Diagnosis, Trial
from jupyter_selfheal.ports import Facts, Starts


@dataclass(frozen=True, slots=True)
class Situation:
    """A cell as it is, and what it takes to try a patch of it: its case, the run that was seen, the states around it.

    ``failed``: it raises, or misses what it must give; else there is nothing to heal. ``observer`` holds the calls that earlier
    cells made, noted once.
    """

    case: Case
    starts: Starts
    seen: Trial
    failed: bool
    observer: CallObserver
    diagnosis: Diagnosis = Diagnosis(cause="")


def diagnose_case(case: Case, starts: Starts, config: HealConfig) -> Diagnosis:
    """What a failure comes from, by the rules alone."""
    from jupyter_selfheal import engine
    from jupyter_selfheal.journal.redact import Redactor

    with open_facts(case, starts) as facts:
        healers = engine.build_healers(config.with_(healers=("rules",)), None, Redactor())
        return engine.build_diagnoser(healers).diagnose(case, facts)


@contextlib.contextmanager
def open_facts(case: Case, starts: Starts) -> Iterator[Facts]:
    """Answers from the live state of a failure."""
    from jupyter_selfheal import engine

    with contextlib.ExitStack() as stack:
        yield engine.build_facts(starts, case, stack)
