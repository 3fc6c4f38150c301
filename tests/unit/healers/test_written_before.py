"""A notebook that imports what a library removed ran under an older release, whose behaviour its results come from."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.safety import propose

FOLDS = "from sklearn.model_selection import KFold\nfolds = KFold(3, random_state=1)"


@pytest.mark.parametrize(
    "older",
    [
        "from sklearn.preprocessing import Imputer",
        "import sklearn.cross_validation",
        "from sklearn.externals import joblib",
        "from sklearn.preprocessing import OneHotEncoder\n    OneHotEncoder(categorical_features=[0])",
    ],
)
def test_a_seed_without_effect_goes_where_the_notebook_ran_before_it_was_an_error(bench: Bench, older: str) -> None:
    ((applicability, cell),) = propose(bench, "SKL102", f"def unused():\n    {older}", FOLDS)
    assert applicability is Applicability.SAFE
    assert cell.endswith("KFold(3)")


@pytest.mark.parametrize(
    "other",
    [
        "from sklearn.model_selection import train_test_split",
        "import pandas as pd\npd.Panel = 'sklearn.cross_validation'",
        "def unused():\n    from sklearn.linear_model import Imputer",
        "def OneHotEncoder(categorical_features):\n    return 0\nsklearn = OneHotEncoder(categorical_features=[0])",
        "def unused():\n    from sklearn.datasets import load_boston",  # removed in 1.2 only: it may have run with the error
    ],
)
def test_what_says_nothing_of_that_release_leaves_the_choice(bench: Bench, other: str) -> None:
    assert [a for a, _ in propose(bench, "SKL102", other, FOLDS)] == [Applicability.UNSAFE] * 2


COUNTS = "counts = pd.Series(['oak', 'elm', 'oak'], name='species').to_frame()['species'].value_counts().to_frame()\ncounts['species'].sum()"


@pytest.mark.parametrize(
    ("older", "expected"), [("from pandas.tools.plotting import scatter_matrix", Applicability.SAFE), ("import os", Applicability.UNSAFE)]
)  # fmt: skip
def test_counts_have_their_old_name_where_the_notebook_is_older(
    bench: Bench, older: str, expected: Applicability
) -> None:
    patches = propose(bench, "PDA118", f"import pandas as pd\ndef unused():\n    {older}", COUNTS)
    assert [(a, '.to_frame("species")' in cell) for a, cell in patches] == [(expected, True)]
    assert {a for a, _ in propose(bench, "PDA135", "import pandas as pd", COUNTS)} == {Applicability.UNSAFE}
