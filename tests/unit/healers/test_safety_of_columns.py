"""A column's name that is nearly right is a slip, unless a stored output shows a column of that very name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.healers.rules.near_key import NearKey
from jupyter_selfheal.model import Applicability, Output
from jupyter_selfheal.testing.rule_conformance import Bench

SAFE = Applicability.SAFE


@pytest.mark.parametrize(
    ("output", "is_safe"),
    [
        (Output("stream", "stdout", "home_town\nOslo    3\n"), False),
        (Output("execute_result", data={"text/plain": "  home_town  n\n0  Oslo  3"}), False),
        (Output("stream", "stdout", "Oslo    3\n"), True),
        (Output("error", ename="KeyError", evalue="'home_town'"), True),
        (Output("stream", "stdout", "home_towns\n"), True),
        (Output("stream", "stdout", "home_town statistics:\n     3\n"), True),
        (Output("execute_result", data={"text/plain": "Oslo  3\nName: home_town, dtype: int64"}), False),
    ],
)
def test_a_column_that_a_stored_output_shows_is_no_slip(bench: Bench, output: Output, is_safe: bool) -> None:
    broken = bench.fail(
        "import pandas as pd\nd = pd.DataFrame({'home town': ['Oslo'], 'n': [3]})", "d.groupby('home_town')['n'].sum()"
    )
    cells = tuple(replace(c, outputs=(output,)) if "groupby" in c.source else c for c in broken.case.notebook.cells)
    seen = replace(broken, case=replace(broken.case, notebook=replace(broken.case.notebook, cells=cells)))
    (patch,) = seen.propose_patches(NearKey())
    assert (patch.applicability is SAFE) is is_safe


def test_an_output_of_another_table_does_not_make_a_slip_doubtful(bench: Bench) -> None:
    broken = bench.fail(
        "import pandas as pd\nd = pd.DataFrame({'city': ['Oslo'], 'n': [3]})\nother = d.rename(columns={'city': 'City'})",
        "other.head()",
        "d['City'].unique()",
    )
    shown = Output("execute_result", data={"text/plain": "   City  n\n0  Oslo  3"})
    cells = tuple(replace(c, outputs=(shown,)) if "head" in c.source else c for c in broken.case.notebook.cells)
    seen = replace(broken, case=replace(broken.case, notebook=replace(broken.case.notebook, cells=cells)))
    assert [p.applicability for p in seen.propose_patches(NearKey())] == [SAFE]
