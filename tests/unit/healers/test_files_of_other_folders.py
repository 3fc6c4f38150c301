"""A file of the very name in another folder is the one that is meant only where its folder says nothing else."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.near_file import _is_in_another_folder


@pytest.mark.parametrize(
    ("wanted", "found", "is_another"),
    [
        ("/kaggle/input/house-prices/train.csv", "../titanic/train.csv", True),  # what another notebook reads
        ("train.csv", "../titanic/train.csv", True),
        ("/kaggle/input/house-prices/train.csv", "../data/train.csv", False),
        ("/kaggle/input/house-prices/train.csv", "../house-prices/train.csv", False),
        ("/kaggle/input/house-prices/train.csv", "prices/train.csv", False),
        ("/home/ann/course/train.csv", "../../course/train.csv", False),
    ],
)
def test_what_lies_beside_the_notebooks_folder_may_be_anothers(wanted: str, found: str, is_another: bool) -> None:
    assert _is_in_another_folder(wanted, found) is is_another
