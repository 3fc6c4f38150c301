"""For pytest: the proven fix below a failing notebook cell, beside nbval (``pytest --nbval --selfheal``) or nbmake.

This module is loaded by every run of pytest where the package is installed: it imports nothing until the option is given and a cell
fails.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_STATE = pytest.StashKey[Any]()
"""The notebooks that were healed in this run: of a class that is not imported here."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The two options."""
    group = parser.getgroup("selfheal", "healing of notebooks (with --nbval or --nbmake)")
    group.addoption("--selfheal", action="store_true", help="show the proven fix below each failing notebook cell")
    group.addoption(
        "--selfheal-fix", action="store_true", help="also write it into the notebook, where it is safe and proven"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Nothing is kept, and nothing imported, where neither option is given."""
    if config.getoption("--selfheal") or config.getoption("--selfheal-fix"):
        from jupyter_selfheal.surfaces.notebook_failures import HealedNotebooks

        options = config.option
        config.stash[_STATE] = HealedNotebooks(
            write=bool(config.getoption("--selfheal-fix")),
            kernel=getattr(options, "nbval_kernel_name", None) or "",
            expect_outputs=bool(getattr(options, "nbval", False)),
        )


@pytest.hookimpl(
    hookwrapper=True
)  # the older form: pytest 7 knows no other, and a plugin must not keep it from starting
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add a section to the report of a failing cell, or of a whole notebook where that is what is tested."""
    outcome = yield
    report, healed = outcome.get_result(), item.config.stash.get(_STATE, None)
    if healed is not None and report.when == "call" and report.failed and item.path.suffix == ".ipynb":
        report.sections.append(("selfheal", healed.explain(Path(item.path), getattr(item, "cell_num", None))))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Which notebooks were written."""
    healed = config.stash.get(_STATE, None)
    for path in healed.written if healed is not None else ():
        terminalreporter.write_line(f"selfheal: healed in place: {path}; run the tests again")
