"""What is said below a cell that failed in a run of tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.notebook.api import HealedNotebook
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook_failures import HealedNotebooks
from tests.batches import batch
from tests.unit.surfaces.notebook.conftest import document
from tests.unit.surfaces.notebook.test_report import upper

__all__ = ["document"]


@pytest.mark.parametrize(
    ("score", "expect", "said"),
    [(7.0, False, "--in-place --approve all"), (6.0, False, "--in-place --approve ask"), (8.0, True, "--outputs expect --in-place --approve all")],
)  # fmt: skip
def test_the_command_that_is_named_applies_the_fix(
    document: Callable[..., Document], score: float, expect: bool, said: str
) -> None:
    report, _ = batch(document("'a'.uper()"), upper).run()
    (record,) = report.records
    (fix,) = record.candidate
    offered = replace(
        record, status=Status.PROPOSED, candidate=(replace(fix, verdict=replace(fix.verdict, score=score)),)
    )
    report = replace(report, path="my n.ipynb", records=(offered,))

    def heal(path: Path, **asked_for: object) -> HealedNotebook:
        return HealedNotebook(report, {})

    lines = HealedNotebooks(heal=heal, expect_outputs=expect).explain(Path("n.ipynb"), 0).splitlines()
    assert lines[0] == "Cell 0 of this test, which counts from 0, is cell 1 here:"
    assert lines[-1] == f"to apply it: jupyter selfheal heal 'my n.ipynb' {said}"
