"""What shows that a notebook was written before a release: names that were gone by then, and no others."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.changed_value import ChangedValue
from jupyter_selfheal.healers.rules.context.written_before import find_older_use, ran_once
from jupyter_selfheal.healers.rules.estimator_arguments import EstimatorArguments
from jupyter_selfheal.healers.rules.whole_number import WholeNumber
from jupyter_selfheal.model import Applicability, Cell, Notebook, Output
from jupyter_selfheal.testing.failing import find_first_failure


@pytest.mark.parametrize(
    ("below", "found"),
    [
        ("from sklearn.cross_validation import train_test_split", "sklearn.cross_validation"),
        ("import numpy as np\nages.astype(np.int)", "numpy.int"),
        ("import pandas as pd\npd.rolling_mean(ages, 3)", "pandas.rolling_mean"),
        ("from sklearn.model_selection import train_test_split", ""),
        ("import numpy as np\nages.astype(np.int64)", ""),
        ("pd = Tables()\npd.rolling_mean(ages, 3)", ""),
        ("print('pd.rolling_mean, sklearn.cross_validation')", ""),
        ("import pandas as pd\nages.np.int", ""),
    ],
)
def test_only_what_was_gone_by_then_shows_the_age(below: str, found: str) -> None:
    broken = find_first_failure(Notebook((Cell("a", "absent"), Cell("b", below))))
    assert broken is not None
    assert find_older_use(broken.context, "pandas", "3.0") == found


@pytest.mark.parametrize(
    ("below", "package", "release", "found"),
    [
        ("from sklearn.lda import LDA", "pandas", "2.0", "sklearn.lda.LDA"),
        ("ages.ix[0]", "pandas", "2.0", ".ix"),
        ("ages.ix[0]", "sklearn", "0.24", ".ix"),
        ("from scipy.misc import imread", "sklearn", "0.24", "scipy.misc.imread"),
        ("from imblearn.over_sampling import SMOTE\nSMOTE(ratio=1.0)", "sklearn", "0.24", "SMOTE(ratio=…)"),
        ("from imblearn.over_sampling import SMOTE\nSMOTE(sampling_strategy=1.0)", "sklearn", "0.24", ""),
        # NumPy 1.23 had it still, beside pandas 2.0; scikit-learn 0.24 ran beside pandas 1.0
        ("import numpy as np\nages.astype(np.int)", "pandas", "2.0", ""),
        ("import pandas as pd\npd.datetime.now()", "sklearn", "0.24", ""),
        ("from sklearn.metrics import plot_confusion_matrix", "pandas", "2.0", ""),
        ("ages.ix[0]", "statsmodels", "0.14", ""),
    ],
)
def test_what_another_package_had_no_longer_by_an_older_release_shows_it_too(
    below: str, package: str, release: str, found: str
) -> None:
    broken = find_first_failure(Notebook((Cell("a", "absent"), Cell("b", below))))
    assert broken is not None
    assert find_older_use(broken.context, package, release) == found


@pytest.mark.parametrize(
    ("python", "package", "release", "found"),
    [
        ("3.6.4", "pandas", "2.0", "Python 3.6"),
        ("2.7.13", "sklearn", "0.24", "Python 2.7"),
        ("3.6.4", "sklearn", "0.24", ""),  # there is a scikit-learn 0.24 for it
        ("3.10.2", "pandas", "3.0", "Python 3.10"),
        ("3.11.7", "pandas", "3.0", ""),
        ("3.6.4", "torch", "2.0", ""),
        ("", "pandas", "2.0", ""),
        ("of a snake", "pandas", "2.0", ""),
    ],
)
def test_a_python_that_never_had_such_a_release_shows_it(python: str, package: str, release: str, found: str) -> None:
    broken = find_first_failure(Notebook((Cell("a", "absent"),), python=python))
    assert broken is not None
    assert find_older_use(broken.context, package, release) == found


@pytest.mark.parametrize(
    ("count", "outputs", "ran"),
    [
        (3, (), True),
        (None, (Output("stream", text="5"),), True),
        (None, (), False),
        (3, (Output("stream", text="5"), Output("error", ename="NameError")), False),
    ],
)
def test_a_stored_run_without_an_error_shows_that_the_cell_ran(
    count: int | None, outputs: tuple[Output, ...], ran: bool
) -> None:
    broken = find_first_failure(Notebook((Cell("a", "absent", count=count, outputs=outputs),)))
    assert broken is not None
    assert ran_once(broken.context) is ran


@pytest.mark.parametrize(("count", "safe"), [(4, True), (None, False)])
def test_a_seed_without_shuffling_had_no_effect_in_a_cell_that_ran(count: int | None, safe: bool) -> None:
    """SKL102: since scikit-learn 0.24 it is an error, so the stored run was one of an older release."""
    text = "from sklearn.model_selection import KFold\nfolds = KFold(3, random_state=1)"
    broken = find_first_failure(Notebook((Cell("a", text, count=count),)))
    assert broken is not None
    first = next(iter(EstimatorArguments().propose(broken.context)))
    assert (first.title, first.applicability is Applicability.SAFE) == ("Remove `random_state`", safe)


@pytest.mark.parametrize(("python", "ran"), [("3.8.2", True), ("", True), ("3.9.0", False), ("3.12.1", False)])
def test_no_run_under_a_later_python_was_before_the_release(python: str, ran: bool) -> None:
    cell = Cell("a", "absent", count=1)
    broken = find_first_failure(Notebook((cell,), python=python))
    assert broken is not None
    assert ran_once(broken.context, "3.9") is ran


@pytest.mark.parametrize(
    ("text", "python", "count", "safe"),
    [
        ("ends = values[[30 * 0.25 / 4, 10 * 0.75 / 4]]", "3.4.2", 3, True),
        ("ends = values[[30 * 0.25 / 4, 10 * 0.75 / 4]]", "3.4.2", None, False),  # it never ran
        ("ends = values[[30 * 0.25 / 4, 10 * 0.75 / 4]]", "3.8.1", 3, False),  # it was edited since
        ("ends = values[[30 * 0.25 / 4, 10 * 0.75 / 4]]", "", 3, False),
        ("ends = list(values)[10 * 0.75 / 4]", "3.4.2", 3, False),  # no list ever took it
        ("median = values[10 * 0.75 / 4]", "3.4.2", 3, False),
    ],
)
def test_a_fraction_is_cut_off_where_numpy_did_so(text: str, python: str, count: int | None, safe: bool) -> None:
    """NPA103: an array took such an index until NumPy 1.12."""
    first = Cell("a", "import numpy as np\nvalues = np.arange(10)")
    broken = find_first_failure(Notebook((first, Cell("b", text, count=count)), python=python))
    assert broken is not None
    patch = next(iter(WholeNumber().propose(broken.context)))
    assert (patch.applicability is Applicability.SAFE) is safe


@pytest.mark.parametrize(
    ("text", "python", "count", "safe"),
    [
        ("plt.imshow([[1, 2], [3, 4]], origin=0)", "3.4.2", 3, True),
        ("plt.imshow([[1, 2], [3, 4]], origin=0)", "3.4.2", None, False),
        ("plt.imshow([[1, 2], [3, 4]], origin=0)", "3.12.1", 3, False),
        ("days.resample('1min', label='last').sum()", "3.6.1", 3, True),
        ("days.resample('1min', label='last').sum()", "3.8.1", 3, False),
    ],
)
def test_a_value_that_was_taken_for_another_is_that_one(text: str, python: str, count: int | None, safe: bool) -> None:
    """API203: what a release took in place of a value that it did not know is safe where the cell ran under it."""
    first = (
        "import matplotlib.pyplot as plt\nimport pandas as pd\ndays = pd.Series([1], pd.to_datetime(['2020-01-01']))"
    )
    broken = find_first_failure(Notebook((Cell("a", first), Cell("b", text, count=count)), python=python))
    assert broken is not None
    patch = next(iter(ChangedValue().propose(broken.context)))
    assert (patch.applicability is Applicability.SAFE) is safe


@pytest.mark.parametrize(
    ("output", "safe"),
    [
        (Output("stream", name="stdout", text="2020-01-02\n"), False),  # it tells whether the left edge was meant
        (Output("execute_result", data={"text/plain": "2020-01-02    1"}), False),
        (Output("stream", name="stderr", text="FutureWarning: it is deprecated"), True),
        (Output("execute_result", data={"text/plain": "<Axes: >"}), True),
        (Output("display_data", data={"image/png": "aa", "text/plain": "<Figure size 640x480>"}), True),
    ],
)
def test_a_value_that_is_stored_tells_more_than_that_the_cell_ran(output: Output, safe: bool) -> None:
    first = "import pandas as pd\ndays = pd.Series([1], pd.to_datetime(['2020-01-01']))"
    cell = Cell("b", "days.resample('1D', label='last').sum()", count=3, outputs=(output,))
    broken = find_first_failure(Notebook((Cell("a", first), cell), python="3.5.2"))
    assert broken is not None
    patch = next(iter(ChangedValue().propose(broken.context)))
    assert (patch.applicability is Applicability.SAFE) is safe
