"""Says at the end of a run, by name, what was not tested here because something is not installed or not allowed."""

from __future__ import annotations

import gc
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from jupyter_selfheal.testing.processes import stop_marking
from tests.one_worker import make_scheduler

settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("other", deadline=None, print_blob=True)
settings.load_profile("same")
"""The suite tries the same examples each time, so that it tells of a change and not of luck; ``make test-all`` tries others."""

IMPORT = re.compile(r"could not import '([^']+)'")


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A folder in a folder of the test's own: files are also looked for one folder up, where all the other tests' are else."""
    folder = tmp_path / "w"
    folder.mkdir()
    return folder


def what_was_missing(reason: str) -> str:
    """``Skipped: could not import 'dask': No module named 'dask'`` → ``the package dask``; other reasons in their own words."""
    module = IMPORT.search(reason)
    return f"the package {module[1]}" if module else " ".join(reason.removeprefix("Skipped: ").split())[:100]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """No trial of a test runs on into the next one. What a file's tests start is marked no longer when they have ended: a kernel that later ones
    share would be taken for what one left."""
    if fake_kernel := sys.modules.get("jupyter_selfheal.testing.fake_kernel"):
        fake_kernel.end_left_trials()
    yield
    if nextitem is None or nextitem.path != item.path:
        stop_marking()


@pytest.hookimpl(tryfirst=True)  # before those that are slow are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test that is marked ``first_examples(n)``, each example after the first ``n`` is a slow one: `make test-all` runs them all."""
    seen: Counter[str] = Counter()
    for item in items:
        if mark := item.get_closest_marker("first_examples"):
            test = item.nodeid.partition("[")[0]
            seen[test] += 1
            if seen[test] > mark.args[0]:
                item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Twelve thousand tests and all that they import are never garbage: a search for it would go through them, and copy them into each process that a test forks."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # where xdist is installed
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests that share a server run on one worker."""
    return make_scheduler(config, log) if config.getoption("dist") == "loadgroup" else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", ())
    reasons = [report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr) for report in skipped]
    if not reasons:
        return
    terminalreporter.section(f"not run here: {len(reasons)}")
    for missing, count in Counter(map(what_was_missing, reasons)).most_common():
        terminalreporter.write_line(f"{count:4}  {missing or 'NO REASON GIVEN'}")
