"""A keyword of a library's function that can only have been misspelt is safe; one that may be another word is a guess."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.changed_keyword import ChangedKeyword
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
    "a whole number for a count, which nothing else is like": ("from sklearn.cluster import AgglomerativeClustering", "AgglomerativeClustering(n_cluster=2)", "n_clusters=2"),
    "a letter that is missing, of NumPy's": ("import numpy as np", "np.interp(1.5, [1, 2], [3, 4], rigt=3)", "right=3"),
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
    "another word": ("from sklearn.linear_model import Ridge", "Ridge(max_items=5)"),
    "a truth value for what is several": ("import pandas as pd", "pd.cut([1, 2], 2, label=False)"),
    "the opposite behind an underscore": ("from sklearn.datasets import make_classification", "make_classification(n_uninformative=2)"),
    "a letter before the word": ("import numpy as np", "np.linalg.lstsq([[1, 0], [0, 1]], [1, 2], cond=1e-6)"),
    "a number for what is a list": ("from sklearn.linear_model import LassoCV", "LassoCV(alpha=0.3)"),
    "a whole number for what is a list": ("from sklearn.linear_model import RidgeCV", "RidgeCV(alpha=3)"),
    "a number for several labels, beside one": ("from sklearn.metrics import f1_score", "f1_score([1, 0], [1, 0], label=1)"),
    "a share for several shares": ("import pandas as pd", "pd.DataFrame({'a': [3, 1]}).describe(percentile=.3)"),
    "a whole number for the names of columns": ("import pandas as pd", "pd.DataFrame([1, 2], column=3)"),
    "a number for several places": (PLOT, "plt.boxplot([1, 2, 3], position=2)"),
    "a count that is none": ("from sklearn.cluster import AgglomerativeClustering", "AgglomerativeClustering(n_cluster=2.5)"),
    "two that are near": ("from sklearn.ensemble import AdaBoostClassifier", "AdaBoostClassifier(n_estimator=50)"),
}  # fmt: skip


@pytest.mark.parametrize("title", GUESSES)
def test_what_may_be_another_word_is_a_guess(bench: Bench, title: str) -> None:
    assert all(level is not Applicability.SAFE for level, _ in propose(bench, CODE, *GUESSES[title]))


OWN = {
    "a parameter that is misspelt itself": ("def draw(colr='r'):\n    return colr", "draw(color='b')", Applicability.UNSAFE),
    "one of a class": ("class Shop:\n    def __init__(self, amuont=1):\n        self.n = amuont", "Shop(amount=2)", Applicability.UNSAFE),
    "two spellings that are both right": ("from functools import partial\ndef paint(n, colour=3):\n    return n\ndraw = partial(paint, 2)", "draw(color=5)", Applicability.SAFE),
    "a slip in the call": ("def make(width, height):\n    return width * height", "make(widht=2, height=3)", Applicability.SAFE),
}  # fmt: skip


@pytest.mark.parametrize("title", OWN)
def test_a_slip_of_a_parameter_of_ones_own_is_the_calls_unless_the_parameter_is_the_slip(
    bench: Bench, title: str
) -> None:
    *cells, level = OWN[title]
    assert [found for found, _ in propose(bench, "CAL101", *cells)] == [level]


@pytest.mark.parametrize("said", ["", ". Did you mean 'ascending'?"])  # the latter since Python 3.13
@pytest.mark.parametrize("call", ["sort_values", "sort_index", "rank"])
def test_the_opposite_is_no_slip(bench: Bench, call: str, said: str) -> None:
    """CAL101 turns it, with its value."""
    broken = bench.fail("import pandas as pd\nprices = pd.Series([3, 1])", f"prices.{call}(descending=True)")
    failure = replace(broken.case.failure, evalue=broken.case.failure.evalue + said)
    assert not list(replace(broken, case=replace(broken.case, failure=failure)).propose_patches(ChangedKeyword()))


def test_a_file_beside_the_notebook_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "drawing.py").write_text("def draw(n, colors=3, wide_margin=1):\n    return n * colors\n")
    load = "import sys\nsys.path.insert(0, '.')\nimport drawing"
    assert propose(Bench(tmp_path), CODE, load, "drawing.draw(2, n_color=5)")[0][0] is Applicability.UNSAFE


ROWS = "from sklearn.linear_model import Ridge\nfrom sklearn.model_selection import cross_val_score\nrows, prices = [[1], [3], [4], [7]], [2, 6, 9, 14]"
MADE = "model = Ridge(normalize=True)\nmodel.fit(rows, prices)"


@pytest.mark.parametrize(
    ("below", "level"),
    [
        ("model.predict(rows)", Applicability.SAFE),
        ("cross_val_score(model, rows, prices, cv=2)", Applicability.UNSAFE),  # a fold has two rows
        ("model.coef_", Applicability.SAFE),  # read of the model behind the scaling
        ("model.alpha", Applicability.UNSAFE),
        ("def show(model):\n    return model.coef_", Applicability.UNSAFE),  # of any model
    ],
)
def test_a_penalty_by_norm_is_the_same_for_all_rows_alone(bench: Bench, below: str, level: Applicability) -> None:
    assert propose(bench, "SKL116", ROWS, MADE, below)[0][0] is level


SERIES = "from statsmodels.tsa.arima.model import ARIMA\nmilk = [3, 4, 6, 5, 7, 8, 7, 9, 8, 10, 9, 11]"


@pytest.mark.parametrize(
    ("order", "below", "level"),
    [
        ("(1, 0, 0)", "fitted.predict(2, 5)", Applicability.SAFE),
        ("(1, 0, 0)", "ahead, error, bounds = fitted.forecast(3)", Applicability.SAFE),  # it fails, and is healed there
        (
            "(1, 0, 0)",
            "ahead = fitted.forecast(3)[0]",
            Applicability.UNSAFE,
        ),  # the first number, where all three were meant
        ("(1, 0, 0)", "fitted.params", Applicability.UNSAFE),
        ("(1, 1, 0)", "fitted.predict(2, 5)", Applicability.UNSAFE),  # the old class had a constant
        ("order", "fitted.predict(2, 5)", Applicability.UNSAFE),
    ],
)
def test_what_the_old_arima_gave(bench: Bench, order: str, below: str, level: Applicability) -> None:
    made = f"order = (1, 0, 0)\nfitted = ARIMA(milk, order={order}).fit(disp=0)"
    assert propose(bench, "API201", SERIES, made, below)[0][0] is level


MAKE = "model = Ridge(alpha=.5, normalize=True)"
FITTED_BESIDE = {
    "chained on to scores": f"{MAKE}\nprint(model.fit(rows, prices).score(rows, prices))",
    "a statement between about something else": f"{MAKE}\nprint('fit')\nmodel.fit(rows, prices)",
    "a penalty by name": "strength = .5\nmodel = Ridge(alpha=strength, normalize=True)\nmodel.fit(rows, prices)",
    "what fit gives back by another name": f"{MAKE}\nfitted = model.fit(rows, prices)\nprint(fitted.coef_)",
    "again in a loop": f"{MAKE}\nfor _ in range(2):\n    model.fit(rows, prices)",
    "in a function": "def train(rows, prices):\n    model = Ridge(normalize=True)\n    model.fit(rows, prices)\n    return model.predict(rows)\ntrain(rows, prices)",
}  # fmt: skip


@pytest.mark.parametrize("title", FITTED_BESIDE)
def test_a_model_that_is_fitted_where_it_is_made_is_safe(bench: Bench, title: str) -> None:
    assert propose(bench, "SKL116", ROWS, FITTED_BESIDE[title])[0][0] is Applicability.SAFE


DOUBTED = {
    "coefficients of what fit gives back": (MAKE, "weights = model.fit(rows, prices).coef_"),
    "what fit gives back by a name that another has": (MAKE, "fitted = model.fit(rows, prices)\nprint(fitted.coef_)", "fitted = 2"),
    "given to a function": (MAKE + "\nprint(model.fit(rows, prices))",),
    "fitted in a function, to its parameter": (MAKE, "def judge(rows, prices):\n    model.fit(rows, prices)\n    return model.score(rows, prices)\njudge(rows[:2], prices[:2])"),
    "fitted in a lambda, to its parameter": (MAKE + "\ntrain = lambda rows, prices: model.fit(rows, prices)\ntrain(rows[:2], prices[:2])",),
    "fitted in a comprehension": (MAKE + "\nscores = [model.fit(rows, prices).score(rows, prices) for _ in range(2)]",),
    "rows dropped between": (MAKE + "\nrows.drop(index=[0], inplace=True)\nmodel.fit(rows, prices[1:])",),
    "rows taken away by a function below": (MAKE, "def trim(a):\n    del a[2:]\ntrim(rows), trim(prices)\nmodel.fit(rows, prices)"),
    "rows shortened in a loop": (MAKE + "\nfor _ in range(2):\n    rows.pop()\n    model.fit(rows, prices)",),
    "a setting for columns as they are": ("model = Lasso(alpha=.5, normalize=True, precompute=True)\nmodel.fit(rows, prices)",),
    "a penalty that is a call for several": ("model = Ridge(alpha=np.array([.5, 1]), normalize=True)\nmodel.fit(rows, prices)",),
}  # fmt: skip


@pytest.mark.parametrize("title", DOUBTED)
def test_a_penalty_by_norm_that_may_be_another_is_offered(bench: Bench, title: str) -> None:
    first = "import numpy as np\nfrom sklearn.linear_model import Lasso\n" + ROWS
    if "dropped" in title:
        first += "\nimport pandas as pd\nrows = pd.DataFrame(rows)"
    assert propose(bench, "SKL116", first, *DOUBTED[title])[0][0] is Applicability.UNSAFE


def test_a_keyword_that_is_still_taken_is_not_said_to_be_gone(bench: Bench) -> None:
    first = "import pandas as pd\nsales = pd.DataFrame({'b': [1], 'c': [2], 'a': [3]})"
    broken = bench.fail(first, "sales.reindex([0, 1], method='ffill', columns=['c', 'a', 'd'])")
    (patch,) = broken.propose_patches(ChangedKeyword())
    assert patch.cause == "`method` fills along the columns too, and their labels are in no order."
