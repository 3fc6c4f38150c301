"""API103: `append` sorted columns that came in another order until pandas 1.0; that is tried where an output is stored that can tell."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.removed_method import RemovedMethod
from jupyter_selfheal.model import Applicability, Cell, Notebook, Output
from jupyter_selfheal.testing.failing import find_first_failure

TABLE = "import pandas as pd\ndf = pd.DataFrame({'b': [1], 'a': [2]})"
SHOWN = (Output("execute_result", data={"text/plain": "   a  b"}),)


@pytest.mark.parametrize(
    ("text", "outputs", "found"),
    [
        ("df = df.append(pd.DataFrame({'a': [4], 'b': [3]}))\ndf", SHOWN, ["", "sort=True"]),
        ("df = df.append(pd.DataFrame({'a': [4], 'b': [3]}))\ndf", (), [""]),  # nothing can tell
        ("df = df.append(pd.DataFrame({'a': [4], 'b': [3]}), sort=False)\ndf", SHOWN, ["sort=False"]),
        ("df = df['a'].append(df['b'])\ndf", SHOWN, [""]),  # a series has no columns
    ],
)
def test_sorted_columns_are_a_second_patch(text: str, outputs: tuple[Output, ...], found: list[str]) -> None:
    broken = find_first_failure(Notebook((Cell("a", TABLE), Cell("b", text, outputs=outputs, count=2))))
    assert broken is not None
    patches = list(RemovedMethod().propose(broken.context))
    sources = [broken.apply_patch(p).cell("b").source.splitlines()[0] for p in patches]
    assert [
        source[source.find("sort=") :].removesuffix(")") if "sort=" in source else "" for source in sources
    ] == found
    assert [p.applicability for p in patches][1:] == [Applicability.UNSAFE] * (len(found) - 1)


TABLES = """import pandas as pd
first = pd.DataFrame({'Sex': ['m'], 'Pay': [1], 'Age': [2], 'City': ['x']})
other = pd.DataFrame({'Age': [3], 'Sex': ['f'], 'City': ['y']})"""
SORTED = "Age     0\nCity    0\nPay     1\nSex     0\ndtype: int64"
AS_JOINED = "Sex     0\nPay     1\nAge     0\nCity    0\ndtype: int64"


@pytest.mark.parametrize(
    ("joined", "below", "shown", "found"),
    [
        ("both = first.append(other)", "both.isnull().sum()", SORTED, ["sort=True"]),
        ("both = first.append(other, ignore_index=True)", "print(both)", SORTED, ["sort=True"]),
        ("both = first.append(other)", "both.isnull().sum()", AS_JOINED, [""]),
        ("both = first.append(other)", "first.isnull().sum()", SORTED, [""]),  # another table
        ("both = first.append(other)", "both = both[sorted(both)]\nboth.isnull().sum()", AS_JOINED, [""]),
        ("both = first.append(other)", "both.sum(numeric_only=True)", "Age    5\nPay    1\ndtype: int64", [""]),  # may be chance
        ("both = first.append(first)", "both.isnull().sum()", SORTED, [""]),  # pandas sorted none that are the same
        ("both = first.append(other, sort=False)", "both.isnull().sum()", SORTED, ["sort=False"]),
    ],
)  # fmt: skip
def test_a_cell_below_that_shows_sorted_columns_tells_that_they_were_sorted(
    joined: str, below: str, shown: str, found: list[str]
) -> None:
    output = Output("execute_result", data={"text/plain": shown})
    cells = (Cell("a", TABLES), Cell("b", joined), Cell("c", below, outputs=(output,), count=3))
    broken = find_first_failure(Notebook(cells))
    assert broken is not None
    patches = list(RemovedMethod().propose(broken.context))
    sources = [broken.apply_patch(p).cell("b").source for p in patches]
    assert [s[s.find("sort=") :].removesuffix(")") if "sort=" in s else "" for s in sources] == found
    assert patches[0].applicability is Applicability.SAFE
