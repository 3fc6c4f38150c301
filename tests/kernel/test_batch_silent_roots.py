"""A cell above did nothing without saying so: it is healed there, and what was made of it is made again. And answers to `input()`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

LOST = (
    "import pandas as pd",
    'people = pd.DataFrame({"sex": ["male", "female", "male"], "age": [31, 27, 44], "id": [1, 2, 3]})',
    'people["n"] = pd.to_numeric(people["sex"])',
    'people["sex"].replace({"male": 0, "female": 1}, inplace=True)',
    'people.drop("id", axis=1, inplace=True)',
    'people = people.rename(columns={"age": "years"})',
    "x = people.to_numpy(dtype=float)",
    "print(x.sum())",
)


def test_a_write_that_is_lost_is_healed_where_it_stands_and_the_cells_below_are_made_again(place: Path) -> None:
    given = write(place / "n.ipynb", *LOST)
    done = heal(given, "-o", "out.ipynb", "--offline", "--json", ends=1)
    healed = 'people["sex"] = people["sex"].replace({"male": 0, "female": 1}).infer_objects()'
    assert sources(place / "out.ipynb") == [*LOST[:3], healed, *LOST[4:]]
    states = [c["status"] for c in done.notebook["cells"]]
    assert states.count("healed") == 1
    assert states.count("ran") == 6, "the cell that fails above is not run again for the others' sake"


def test_a_silent_root_is_reported_with_the_cells_that_it_heals_and_no_others(place: Path) -> None:
    below = (
        "people.shape",
        "print(people.corr().shape)",
        "half = x / 2",
        'print(people["years"].max())',
        "print(half.mean(), nowhere)",
    )
    given = write(place / "n.ipynb", *LOST[:2], *LOST[3:], *below)
    done = heal(given, "-o", "out.ipynb", "--offline", "--json", ends=1)
    reach = {c["cell"]: c["also_heals"] for c in done.notebook["cells"] if c["also_heals"]}
    assert reach == {6: [7, 9, 10]}, "8 and 11 ran before, and 12 still fails"


def test_input_gets_the_answers_in_their_order_and_without_one_the_cell_is_left_alone(place: Path) -> None:
    asking = 'name = input("Name? ")\nage = int(input("Age? "))'
    given = write(place / "n.ipynb", asking, "assert (name, age) == ('Ada', 36)", "print(math.sqrt(age))")
    done = heal(given, "-o", "out.ipynb", "--json", "--input", "Ada", "--input", "36", ends=0)
    assert done.notebook["cells"][0]["status"] == "ran", "answered in the first run, in trials, and in the clean run"
    one = heal(given, "-o", "out2.ipynb", "--json", "--input", "Ada", ends=1)
    assert one.notebook["cells"][0]["status"] == "left alone"


@pytest.mark.slow
def test_a_lost_write_of_which_nothing_fails_is_told_in_one_line(place: Path) -> None:
    frame = 'import pandas as pd\nstock = pd.DataFrame({"kind": ["a", "b"], "n": [1.0, None]})'
    lost = 'stock["n"].fillna(0, inplace=True)'
    filtered = f"import warnings\nwith warnings.catch_warnings(action='ignore'):\n    {lost}"
    given = write(place / "n.ipynb", frame, lost, "stock['n'] = stock['n'].fillna(0)", filtered, f"{lost}\nnowhere")
    done = heal(given, "-o", "out.ipynb", "--offline", "--json", ends=1)
    assert [n for n in done.notebook["notes"] if "pandas warns" in n] == [
        "pandas warns that what is written into a part of a table is lost there, as it is a copy: cell 2 (`--review` shows the lines)"
    ], "not what writes into the table, what is filtered out, or a cell that fails"
    reviewed = heal(given, "-o", "again.ipynb", "--offline", "--json", "--review", ends=1)
    assert not any("pandas warns" in n for n in reviewed.notebook["notes"]), "the review itself says it"
