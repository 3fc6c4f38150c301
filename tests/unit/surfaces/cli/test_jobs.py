"""How many notebooks are healed at once."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.surfaces.cli import jobs
from jupyter_selfheal.surfaces.cli.jobs import choose_workers, count_workers
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings


@pytest.mark.parametrize(
    ("cores", "free_mb", "notebooks", "memory_mb", "workers"),
    [
        (8, 64_000, 500, 2_048, 4),
        (8, 5_000, 500, 2_048, 2),
        (8, 64_000, 8, 2_048, 2),
        (8, 64_000, 7, 2_048, 1),
        (8, 64_000, 500, 32_000, 2),
        (2, 64_000, 500, 2_048, 1),
        (1, 100, 500, 2_048, 1),
        (8, 0, 500, 2_048, 1),
    ],
)
def test_cores_memory_and_work_bound_it(cores: int, free_mb: int, notebooks: int, memory_mb: int, workers: int) -> None:
    assert count_workers(cores, free_mb, notebooks, memory_mb) == workers


def test_what_is_said_holds() -> None:
    given = argparse.Namespace(jobs=3)
    assert choose_workers(given, Settings(), 500) == 3
    assert choose_workers(given, Settings(), 2) == 2, "no more than there are notebooks"
    assert choose_workers(given, Settings(), 0) == 1


@pytest.mark.parametrize(
    "settings", [Settings(writes="allow"), Settings(approve="ask"), Settings(project=Path())], ids=lambda s: s.approve
)
def test_what_could_get_in_each_others_way_is_healed_one_after_the_other(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "count_cores", lambda: 16)
    monkeypatch.setattr(jobs, "_measure_free_mb", lambda: 64_000)
    unsaid = argparse.Namespace(jobs=None)
    assert choose_workers(unsaid, Settings(), 500) == 8
    assert choose_workers(unsaid, Settings(HealConfig(memory_mb=16_000)), 500) == 4
    assert choose_workers(unsaid, settings, 500) == 1


def test_the_memory_that_is_named_bounds_the_notebook_too() -> None:
    with Session(Settings()) as free, Session(Settings(HealConfig(memory_mb=300))) as bounded:
        assert (free.limits.sandbox.memory_mb, bounded.limits.sandbox.memory_mb) == (0, 300)
        assert bounded.limits.sandbox.writes == "allow", "what cells write is the kernel's matter"
