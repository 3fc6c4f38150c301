"""Three structural variants of each classic heal, and checks that no healer has seen hold in the healed notebook.

The first of each runs with the suite; the others are slow tests, as sixty take two and a half minutes of a core.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_selfheal.model import Role
from jupyter_selfheal.surfaces.notebook.table import format_reports
from jupyter_selfheal.testing.text_notebook import TextNotebook
from tests.healing import Clinic, variants

pytestmark = pytest.mark.kernel


ENDLESS = "07_infinite_loop"
"""The example that has the same fault is healed in `test_examples.py`."""


def mark_variants() -> Iterator[Any]:
    seen: set[str] = set()
    for name, source in variants():
        classic = name.partition(":")[0]
        is_slow = classic in seen or classic == ENDLESS
        yield pytest.param(name, source, id=name, marks=[pytest.mark.slow] if is_slow else [])
        seen.add(classic)


@pytest.mark.first_examples(6)
@pytest.mark.parametrize(("name", "source"), list(mark_variants()))
def test_the_variant_is_healed_and_its_hidden_checks_hold(ward: Clinic, name: str, source: TextNotebook) -> None:
    report, document = ward.heal(source, name)
    assert report.exit_code == 0, format_reports([report])
    assert source.checks, "a variant without a check proves nothing"
    trial = ward.check(report.healed, source.checks, document.path.parent)
    wrong = [s for s in trial.steps if not s.ok]
    diff = "\n".join(c.source for c in report.healed.cells if c not in document.notebook.cells)
    assert not wrong, f"{format_reports([report])}\n{diff}\n{wrong[0].errors}"
    assert sum(s.role == Role.CHECK.value for s in trial.steps) == len(source.checks)
