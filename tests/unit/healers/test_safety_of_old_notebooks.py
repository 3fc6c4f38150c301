"""What an old notebook had meant is applied only where something shows that it is old, or that it can mean nothing else."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.safety import propose

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE

PETS = "import pandas as pd\npets = pd.DataFrame({'kind': ['cat', 'dog', 'cat'], 'age': [3, 5, 4]})"
WRITE = "kinds = pets['kind'].values\nkinds[kinds == 'cat'] = 1"
COUNT = "counted = pets['kind'].value_counts().reset_index()"
WORDS = "from sklearn.feature_extraction.text import CountVectorizer\ncounter = CountVectorizer(stop_words={'of'})"


@pytest.mark.parametrize(
    ("code", "cells", "expected"),
    [
        ("NPA102", (PETS, WRITE, "sum(kinds == 1)\npets['age'].mean()"), SAFE),
        ("NPA102", (PETS, WRITE, "pets['kind'].unique()"), UNSAFE),
        ("NPA102", (PETS, WRITE + "\nprint(pets)"), UNSAFE),
        ("NPA102", (PETS, WRITE, "pets['kind'].unique()\npd.rolling_mean(pets['age'], 2)"), SAFE),
        ("PDA118", (PETS, COUNT, "counted['kind'] / 2\ncounted['index']"), SAFE),
        ("PDA118", (PETS, COUNT, "counted['kind'] / 2"), UNSAFE),
        ("PDA118", (PETS, COUNT, "counted['kind'] / 2\ncounted.to_dict(orient='index')"), UNSAFE),
        ("SKL117", (WORDS, "counter.fit(['tales of wind'])"), SAFE),
        ("SKL117", (WORDS, "counter.fit(['tales of wind'])\ncounter.stop_words.add('a')"), UNSAFE),
        ("SKL117", (WORDS, "counter.fit(['tales of wind'])\ncounter.get_params()"), UNSAFE),
    ],
)  # fmt: skip
def test_it_is_applied_only_where_nothing_else_is_meant(
    bench: Bench, code: str, cells: tuple[str, ...], expected: Applicability
) -> None:
    assert propose(bench, code, *cells)[0][0] is expected
