"""A stored error below which cells were run means something where a person ran them, and nothing where a machine was told to go on."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Output
from jupyter_selfheal.testing.rule_conformance import Bench, build_notebook, find_first_failure
from tests.unit.healers.triage import diagnose

SAVED = (Output("error", ename="NameError", evalue="name 'prise' is not defined"),)


@pytest.mark.parametrize(
    ("ended", "begun", "meant"),
    [
        (100.0, 100.02, False),  # as nbclient with `allow_errors`
        (100.0, 103.0, True),  # somebody read the error, and went on
        (0.0, 0.0, True),  # nothing is known of times
        (100.0, 0.0, True),
        (100.0, 90.0, True),  # a clock that was set
    ],
)
def test_numbers_below_count_where_a_person_went_on(bench: Bench, ended: float, begun: float, meant: bool) -> None:
    cells = [Cell("c1", "prise * 3", outputs=SAVED, count=3, ended=ended), Cell("c2", "2", count=4, begun=begun)]
    broken = find_first_failure(build_notebook(cells, bench.folder))
    assert broken is not None
    assert diagnose(broken).may_be_meant is meant
