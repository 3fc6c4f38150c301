"""A keyword of a library's function that can only have been misspelt is safe; one that may be another word is a guess."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.safety import propose

PLOT = "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt"
TREE = "from sklearn.tree import DecisionTreeClassifier\nfrom sklearn.metrics import accuracy_score"
CODE = "API201"

SLIPS = {
    "a number for what is several": (PLOT, "plt.hist([1, 2, 3], bin=3)", "bins=3"),
    "a letter that is missing": (TREE, "DecisionTreeClassifier(max_dept=3)", "max_depth=3"),
    "two letters that are swapped": ("import pandas as pd", "pd.DataFrame({'a': [1]}).sort_values('a', acsending=False)", "ascending=False"),
    "a British spelling": (TREE, "accuracy_score([1], [1], normalise=False)", "normalize=False"),
}  # fmt: skip


@pytest.mark.parametrize("title", SLIPS)
def test_a_slip_is_safe(bench: Bench, title: str) -> None:
    first, cell, becomes = SLIPS[title]
    level, text = propose(bench, CODE, first, cell)[0]
    assert level is Applicability.SAFE
    assert becomes in text


GUESSES = {
    "a text for what is several": (PLOT, "plt.boxplot([[1, 2], [3, 4]], tick_label='ab')"),
    "a list for what is several": (PLOT, "plt.hist([1, 2, 3], bin=[1, 2, 3])"),
    "a function of the notebook, which may be misspelt itself": ("def draw(colr='r'):\n    return colr", "draw(color='b')"),
    "a class of the notebook": ("class Shop:\n    def __init__(self, amuont=1):\n        self.n = amuont", "Shop(amount=2)"),
    "another word": ("from sklearn.linear_model import Ridge", "Ridge(max_items=5)"),
    "a truth value for what is several": ("import pandas as pd", "pd.cut([1, 2], 2, label=False)"),
    "two that are near": ("from sklearn.ensemble import AdaBoostClassifier", "AdaBoostClassifier(n_estimator=50)"),
}  # fmt: skip


@pytest.mark.parametrize("title", GUESSES)
def test_what_may_be_another_word_is_a_guess(bench: Bench, title: str) -> None:
    assert all(level is not Applicability.SAFE for level, _ in propose(bench, CODE, *GUESSES[title]))


ROWS = "from sklearn.linear_model import Ridge\nfrom sklearn.model_selection import cross_val_score\nrows, prices = [[1], [3], [4], [7]], [2, 6, 9, 14]"
MADE = "model = Ridge(normalize=True)\nmodel.fit(rows, prices)"


@pytest.mark.parametrize(
    ("below", "level"),
    [
        ("model.predict(rows)", Applicability.SAFE),
        ("cross_val_score(model, rows, prices, cv=2)", Applicability.UNSAFE),  # a fold has two rows
        ("model.coef_", Applicability.UNSAFE),
    ],
)
def test_a_penalty_by_norm_is_the_same_for_all_rows_alone(bench: Bench, below: str, level: Applicability) -> None:
    assert propose(bench, "SKL116", ROWS, MADE, below)[0][0] is level
