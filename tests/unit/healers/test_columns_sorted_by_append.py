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
