"""The first cell that departs from what is stored: a value, a failure, none; and the cells that may be to blame."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Notebook, Output
from jupyter_selfheal.surfaces.notebook.bisect import find_departure, format_departure
from jupyter_selfheal.testing.fake_kernel import FakeKernel


def explain(*cells: tuple[str, str]) -> list[str]:
    """What is said of cells of these sources and stored texts."""
    made = (
        Cell(f"c{n}", source, outputs=(Output("stream", text=text),) if text else ())
        for n, (source, text) in enumerate(cells)
    )
    notebook = Notebook(tuple(made))
    return list(format_departure(notebook, *find_departure(notebook, FakeKernel(), 10.0)))


def test_the_first_other_value_is_named_with_the_cells_that_may_be_to_blame() -> None:
    said = explain(("x = 2\nprint(x)", "2\n"), ("x = x + 2", ""), ("print(x * 10)", "30\n"), ("print(x)", "3\n"))
    assert said == [
        "cell 3 is the first that departs from what is stored:",
        "  stored: 30",
        "  now:    40",
        "Up to cell 1 the cells give what is stored.",
        "Look at cell 2 and cell 3.",
    ]


def test_a_cell_that_fails_departs() -> None:
    said = explain(("x = 2", ""), ("print(x / 0)", "1\n"))
    assert said == [
        "cell 2 is the first that departs: it fails (ZeroDivisionError: division by zero)",
        "Look at cell 1 and cell 2.",
    ]


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("2\n", "Every cell runs, and nothing departs from what is stored (1 cell gives the same)."),
        ("", "Every cell runs; no cell has a stored output to compare with."),
    ],
)
def test_nothing_departs(stored: str, said: str) -> None:
    assert explain(("print(1 + 1)", stored)) == [said]
