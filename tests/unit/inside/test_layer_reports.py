"""What a copy of the kernel found of the sandbox's layers is told to the kernel, so that its next copies need not look."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.inside.fork.layer_reports import LayerReports
from jupyter_selfheal.inside.fork.sandbox import LANDLOCK, LAYERS, NETWORK

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked here")

WHOLE = {**dict.fromkeys(LAYERS), LANDLOCK: "the kernel has no Landlock"}
"""Landlock is used only where the namespaces are not to be had."""


@pytest.fixture
def reports() -> Iterator[LayerReports]:
    made = LayerReports()
    yield made
    if made._ends is not None and all(map(made._is_ours, made._ends)):
        for end in made._ends:
            os.close(end)


def tell(end: int, found: object) -> None:
    os.write(end, json.dumps(found).encode() + b"\n")


def test_the_next_copy_is_told_what_one_has_found(reports: LayerReports) -> None:
    end = reports.open_report()
    assert reports.open_report() == end, "nothing was said yet: the next copy may say it"
    tell(end, WHOLE)
    tell(end, WHOLE)  # two copies that were made before either had looked
    assert reports.open_report() == -1
    assert reports.known == WHOLE


@pytest.mark.parametrize(
    "found", [{**WHOLE, NETWORK: "no space left"}, dict.fromkeys(LAYERS, "the probe died"), {}, [], "x", None, 3]
)
def test_what_is_missing_may_be_had_again_and_is_looked_for_again(reports: LayerReports, found: object) -> None:
    tell(reports.open_report(), found)
    assert reports.open_report() >= 0
    assert reports.known is None


def test_it_counts_for_a_while(reports: LayerReports) -> None:
    tell(reports.open_report(), WHOLE)
    reports.open_report()
    reports._until = 0.0
    assert reports.open_report() >= 0
    assert reports.known is None


def test_what_a_cell_opened_under_the_number_of_ours_is_not_read(reports: LayerReports) -> None:
    reports.open_report()
    assert reports._ends is not None
    for end in reports._ends:
        os.close(end)
    theirs = os.pipe()
    os.write(theirs[1], json.dumps(WHOLE).encode() + b"\n")
    new = reports.open_report()
    assert reports.known is None
    assert new not in theirs
    assert os.read(theirs[0], 1 << 16)
    for end in theirs:
        os.close(end)


def test_a_fork_of_the_users_has_a_pipe_of_its_own(reports: LayerReports) -> None:
    end = reports.open_report()
    reports._pid -= 1
    assert reports.open_report() != end
    os.close(end)


@pytest.mark.parametrize("closed", [0, 1])
def test_the_end_that_a_cell_left_open_is_closed(reports: LayerReports, closed: int) -> None:
    reports.open_report()
    assert reports._ends is not None
    before, pipe = reports._ends, reports._pipe
    os.close(before[closed])
    reports.open_report()
    assert reports._pipe != pipe
    names = [os.readlink(entry) for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
    assert f"pipe:[{pipe}]" not in names, "it leaks"
