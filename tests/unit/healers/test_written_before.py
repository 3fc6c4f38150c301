"""What shows that a notebook was written before pandas 3.0: names that were gone by then, and no others."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.context.written_before import find_use_before_pandas_3
from jupyter_selfheal.model import Cell, Notebook
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
    assert find_use_before_pandas_3(broken.context) == found
