"""What is seen of a notebook before any cell of it runs: what it uses that an installed package has no longer."""

from __future__ import annotations

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.model import Cell, Notebook


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from sklearn.cross_validation import train_test_split", "sklearn.cross_validation"),
        (
            "from sklearn.linear_model import LinearRegression\nLinearRegression(normalize=True)",
            "LinearRegression(normalize=…)",
        ),
        ("from sklearn.model_selection import train_test_split", ""),
        ("from sklearn.linear_model import LinearRegression\nLinearRegression(fit_intercept=True)", ""),
        ("# from sklearn.cross_validation import train_test_split", ""),
        ("import absent_package.cross_validation", ""),
        ("from sklearn.cross_validation import", ""),
    ],
)
def test_what_an_installed_package_has_no_longer_is_a_failure_to_come(source: str, found: str) -> None:
    pytest.importorskip("sklearn", minversion="1.2")
    notebook = Notebook((Cell("a", "a = 1"), Cell("b", source)))
    assert engine.find_gone_use(notebook, "python3") == found
