"""Thirteen classic scripts, each with one slip, given only what they print: whatever is applied must be right for other inputs too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.testing.text_notebook import TextNotebook, parse_file
from tests.healing import Clinic, clinic

pytestmark = pytest.mark.kernel

SCRIPTS = parse_file(Path(__file__).parents[1] / "data" / "beginners.txt")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clinic]:
    with clinic(tmp_path_factory.mktemp("beginners")) as opened:
        yield opened


SLOW = ("sum of evens", "countdown")
"""The search goes on to its end for these."""


@pytest.mark.first_examples(4)
@pytest.mark.parametrize(
    "script", [pytest.param(s, id=s.title, marks=[pytest.mark.slow] * (s.title in SLOW)) for s in SCRIPTS]
)
def test_what_is_applied_to_a_beginners_script_is_right(opened: Clinic, script: TextNotebook) -> None:
    report, document = opened.heal(script, script.title)
    (record,) = report.records
    assert record.status in (Status.HEALED, Status.PROPOSED, Status.NOT_HEALED, Status.LEFT_ALONE)
    if record.status is not Status.HEALED:
        assert report.healed.cells[0].source == document.notebook.cells[0].source
        return
    ran = opened.check(report.healed, script.checks, document.path.parent)
    wrong = [e.evalue or e.ename for step in ran.steps for e in step.errors]
    assert not wrong, f"{record.candidate[0].patch.title}: {report.healed.cells[0].source}"
