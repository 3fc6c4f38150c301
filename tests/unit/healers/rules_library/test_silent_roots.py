"""One root that breaks several cells is told with their number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.model import FailureKind
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.needed import needs

pytestmark = needs("pandas", least=3)

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


@pytest.mark.parametrize(
    ("code", "above"),
    [
        ("PDA122", LOST),
        ("PDA122", ""),
        ("PDA125", "texts = [c for c in people if people[c].dtype == 'object']"),
        ("PDA125", "texts = [c for c in people if people[c].dtype == 'float']"),
        ("PDA127", "people['sex'] = people['sex'].str.replace('^m.*', '1')"),
        ("PDA127", "people['sex'] = people['sex'].str.replace('m', '1')"),
        ("PDA124", "people = pd.get_dummies(people)"),
        ("PDA124", "people = pd.get_dummies(people, dtype=int)"),
    ],
)
def test_a_value_that_is_not_the_expected_one_comes_of_a_silent_root_too(tmp_path: Path, code: str, above: str) -> None:
    broken = Bench(tmp_path).fail(READ, above or "pass", "print(people, texts if 'texts' in dir() else '')\n1 / 0")
    failure = replace(broken.case.failure, kind=FailureKind.MISSED, ename="", evalue="stored 1, now 0")
    missed = replace(broken, case=replace(broken.case, failure=failure))
    patches = missed.propose_patches(*(r for r in load_rules() if r.code == code))
    assert len(patches) == (above in (LOST, "people = pd.get_dummies(people)") or "'object'" in above or "'^m" in above)
