"""What `%heal why` says: free, from the failure and the live values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from jupyter_selfheal.model import Case, Cell, Failure, Notebook
from jupyter_selfheal.surfaces.card import Card
from jupyter_selfheal.surfaces.live import explanation


def explain(
    source: str, names: dict[str, Any], *, above: tuple[str, ...] = (), ename: str = "", evalue: str = ""
) -> str:
    line = len(source.splitlines())
    cells = (*(Cell(f"a{n}", text, runs=n + 1) for n, text in enumerate(above)), Cell("c", source))
    failure = Failure("c", source, ename=ename, evalue=evalue, line=line, statement=line - 1)
    return "\n".join(explanation.explain(Case(failure, Notebook(cells)), Card("run", "c", f"{ename}: {evalue}"), names))


def test_values_are_described_with_the_cell_that_made_them() -> None:
    text = explain("total = price + tax", {"price": "1,200", "tax": 3}, above=("price = read()", "tax = 3"))
    assert "`price` is the text '1,200', made in [1] price = read()" in text
    assert "`tax` is int 3, made in [2] tax = 3" in text


def test_shapes_that_do_not_fit_are_named_with_what_would() -> None:
    text = explain("C = A @ B", {"A": np.zeros((3, 4)), "B": np.zeros((3, 2))})
    assert "`A` is 3×4, `B` is 3×2; try `A.T @ B`" in text


def test_keys_and_columns_that_are_there_are_listed() -> None:
    text = explain("d['c'] + t['x']", {"d": {"a": 1, "b": 2}, "t": pd.DataFrame({"price": [1]})})
    assert "a dictionary with the keys 'a', 'b'" in text
    assert "a table of 1×1 with the columns 'price'" in text


def test_the_list_that_is_empty_is_said() -> None:
    assert "`items` is empty" in explain("max(items)", {"items": []})


def test_files_near_the_one_that_is_missing_are_listed(tmp_path: Path) -> None:
    for name in ("sales_2024.csv", "notes.txt"):
        (tmp_path / name).touch()
    missing = tmp_path / "sales_2042.csv"
    text = explain(
        "f = open(p)", {}, ename="FileNotFoundError", evalue=f"[Errno 2] No such file or directory: '{missing}'"
    )
    assert "'sales_2024.csv'" in text
    assert "notes" not in text


class Loud:
    """An object of the user's: nothing of it may run."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(name)

    def __len__(self) -> int:
        raise AssertionError("len")


def test_nothing_of_the_users_runs() -> None:
    assert "`x` is a Loud" in explain("x @ x", {"x": Loud()})


@pytest.mark.parametrize("source", ["for i in range(:", "%%bash\nls", ""])
def test_what_cannot_be_read_is_left_out(source: str) -> None:
    assert explain(source, {"i": 1})
