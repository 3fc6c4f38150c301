"""A write that a change lets reach more than it did is held back: the checks of an assert seldom tell it."""

from __future__ import annotations

import re

import pytest

from jupyter_selfheal.inside.search.widened_writes import find_widened_write


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("df.iloc[0]['q'] = 100", "df['q'] = 100"),
        ("grid[row][col] = 1", "grid[row] = 1"),
        ("grid[row][col] += 1", "grid[row] += 1"),
        ("df.loc[0, 'q'] = 1", "df.loc[:, 'q'] = 1"),
        ("xs[0] = x", "xs[:] = x"),
    ],
)
def test_a_target_that_loses_an_index_writes_more(old: str, new: str) -> None:
    assert find_widened_write(old, new) == re.split(r" \+?= ", new)[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("grid[row][col] = 1", "grid[col][row] = 1"),
        ("df['q'] = 100", "df['p'] = 100"),
        ("totals[name][0] = x", "totals[name][0] = x + 1"),
        ("names[0][1] = x", "others[0] = x"),
        ("grid[row][col] = 1", "cell = 1"),
        ("grid[row][col] = 1", "grid[row, col] = 1"),
        ("df[old]['q'] = 1", "df.loc[old, 'q'] = 1"),
        ("xs[1:3] = ys", "xs[1:] = ys"),
        ("xs[0][1] += 1", "xs[0] = 1"),
    ],
)
def test_another_index_or_another_value_is_no_wider_write(old: str, new: str) -> None:
    assert not find_widened_write(old, new)
