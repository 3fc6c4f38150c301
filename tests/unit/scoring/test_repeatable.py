from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.scoring.repeatable import is_own_work, is_passing, is_repeatable, is_trained

TREES = "from sklearn.tree import DecisionTreeClassifier"
FOLDS = "from sklearn.model_selection import KFold, cross_val_score"


def placed(source: str, above: tuple[str, ...]) -> tuple[Cell, Notebook]:
    cell = Cell("a", source)
    return cell, Notebook((*(Cell(f"c{n}", text) for n, text in enumerate(above)), cell))


@pytest.mark.parametrize(
    ("above", "source"),
    [
        ((), "print(sum([1, 2]))"),
        (("import numpy as np", "np.random.seed(0)"), "np.random.rand(3)"),
        (("import time\nstart = time.time()", "x = 3"), "x + 1"),
        ((), "now = 5\nnow"),
        ((), "df.head()"),
        (("import time\nstart = time.time()", "start = 5"), "start + 1"),
        (("import numpy as np", "np.random.seed(0)", "a = np.random.rand(3)"), "np.ones(3)"),
        (("import numpy as np", "a = np.random.rand(3)"), "np.ones(3)"),
        (("from numpy.random import default_rng", "rng = default_rng(1)"), "rng.random()"),
        (("search.fit(X, y)\nsearch.cv_results_",), "search.best_params_"),
        ((), "search.cv_results_['mean_test_score']"),
        (("%cd ..",), "len('three')"),
        ((TREES, "tree = DecisionTreeClassifier(random_state=0).fit(X, y)"), "tree.score(X, y)"),
        ((TREES, "tree = DecisionTreeClassifier(**chosen).fit(X, y)"), "tree.score(X, y)"),
        ((TREES, "class KMeans:\n    seed = 1", "means = KMeans().fit(X)"), "means.labels"),
        (("from sklearn.linear_model import Perceptron", "line = Perceptron().fit(X, y)"), "line.score(X, y)"),
        (("line = LinearRegression().fit(X, y)",), "line.score(X, y)"),
        (
            (
                "import numpy as np\nfrom sklearn.ensemble import *\nnp.random.seed(1)",
                "trees = RandomForestClassifier().fit(X, y)",
            ),
            "trees.score(X, y)",
        ),
        ((FOLDS, "scores = cross_val_score(line, X, y, cv=KFold(5))"), "scores.mean()"),
    ],
)
def test_what_prints_the_same_whenever_it_is_run(above: tuple[str, ...], source: str) -> None:
    assert is_repeatable(*placed(source, above))


@pytest.mark.parametrize(
    ("above", "source"),
    [
        ((), "import random\nrandom.random()"),
        (("import time\nstart = time.time()",), "elapsed = time.time() - start\nelapsed"),
        (("from datetime import datetime\nnow = datetime.now()",), "print(now.year)"),
        ((), "%timeit sum(range(9))"),
        ((), "import os\nos.getcwd()"),
        ((), "sorted(os.listdir('.'))"),
        ((), "pd.__version__"),
        ((), "id(x)"),
        ((), "import uuid\nuuid.uuid4()"),
        ((), "!ls"),
        ((), "%%bash\nls"),
        ((), "pd.read_csv('https://example.org/a.csv').shape"),
        (("xs = [random.random() for _ in range(3)]",), "max(xs)"),
        (("import random as r", "def draw():\n    return r.random()", "x = draw()", "y = [x]"), "print(y)"),
        (("import time", "begin = time.time()", "took = begin + 1"), "took"),
        ((), "%cd .."),
        ((), "search.fit(X, y)\nsearch.cv_results_"),
        ((), "pd.DataFrame(search.cv_results_)"),
        ((), "scores['mean_fit_time'].max()"),
        ((TREES, "tree = DecisionTreeClassifier().fit(X, y)"), "tree.score(X, y)"),
        (("from sklearn.tree import DecisionTreeClassifier as DT", "tree = DT().fit(X, y)"), "tree.score(X, y)"),
        (("from sklearn.tree import *", "tree = DecisionTreeClassifier().fit(X, y)"), "tree.score(X, y)"),
        (
            (
                "from sklearn import ensemble",
                "trees = ensemble.RandomForestClassifier(10, random_state=None)",
                "trees.fit(X, y)",
            ),
            "trees.score(X, y)",
        ),
        ((FOLDS, "scores = cross_val_score(line, X, y, cv=KFold(5, shuffle=True))"), "scores.mean()"),
    ],
)
def test_what_hangs_on_chance_time_or_place(above: tuple[str, ...], source: str) -> None:
    assert not is_repeatable(*placed(source, above))


def test_what_hangs_on_a_fitted_model() -> None:
    assert is_trained(*placed("model.score(X, y)", ("model = Ridge().fit(X, y)",)))
    assert not is_trained(*placed("len(X)", ("model = Ridge().fit(X, y)",)))


def test_what_hangs_on_the_machine_or_the_clock() -> None:
    assert is_passing(*placed("print(folder)", ("import os\nfolder = os.getcwd()",)))
    assert not is_passing(*placed("print(random.random())", ()))


@pytest.mark.parametrize(
    ("above", "source", "own"),
    [
        (("xs = [3, 1, 2]",), "print(xs.sort()[:2])", True),
        (("import math, statistics",), "print(math.pi)", True),
        (("import pandas as pd",), "print(df.mean())", False),
        (("from . import tools",), "print(tools.f())", False),
        (("text = open('a.txt').read()",), "print(len(text))", False),
        ((), "import random\nprint(random.random())", False),
        (("%matplotlib inline",), "print(1)", True),
    ],
)
def test_what_comes_of_the_notebooks_own_code_alone(above: tuple[str, ...], source: str, own: bool) -> None:
    assert is_own_work(*placed(source, above)) is own
