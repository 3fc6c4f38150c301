"""One root that breaks several cells is told with their number."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.testing.rule_conformance import Bench

pytest.importorskip("pandas", minversion="3")

READ = "import pandas as pd\npeople = pd.DataFrame({'sex': ['male', 'female'], 'age': [31.0, 27.0]})"
LOST = "people['sex'].replace({'male': 0, 'female': 1}, inplace=True)"
FAILS = "rows = people.values.astype(float)"


@pytest.mark.parametrize(
    ("below", "told"),
    [
        (["total = rows.sum()", "pd.options.display", "print(total)"], "2 cells below come of it"),
        (["people.sex.sum()"], ""),
        (["pd.options.display", "x = 1", "print(x)"], ""),
    ],
)
def test_the_cells_below_that_come_of_a_lost_write_are_counted(tmp_path: Path, below: list[str], told: str) -> None:
    (patch,) = Bench(tmp_path).propose_patches("PDA122", READ, LOST, FAILS, *below)
    assert ("cells below" in patch.cause) == bool(told)
    assert told in patch.cause
