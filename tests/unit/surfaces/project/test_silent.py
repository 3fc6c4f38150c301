"""A cell that fails for what a file of the project did in vain: which failures send us to that file."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.model import Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.surfaces.project.modules import Finder
from jupyter_selfheal.surfaces.project.silent import may_come_of_a_file

CLEAN = 'def clean(frame):\n    frame["sex"].replace({"male": 0, "female": 1}, inplace=True)\n    return frame\n'
TEXT = "ValueError", "could not convert string to float: 'male'"
ABOVE = "from clean import clean", "people = clean(people)", "other = 1"


def is_asked(
    folder: Path, *above: str, last: str = "people.to_numpy(float)", error: tuple[str, str] = TEXT, text: str = CLEAN
) -> bool:
    (folder / "clean.py").write_text(text)
    cells = tuple(Cell(f"c{n}", source) for n, source in enumerate([*above, last]))
    failure = Failure(cells[-1].id, last, kind=FailureKind.RAISED, ename=error[0], evalue=error[1])
    return may_come_of_a_file(failure, Notebook(cells), Finder(folder, (folder,)))


@pytest.mark.parametrize(
    "above",
    [
        ABOVE,
        ("import clean as tools", "people = tools.clean(people)"),
        ("from clean import *", "people = clean(people)", "table = people.copy()"),
    ],
)
def test_a_table_that_comes_through_such_a_file(tmp_path: Path, above: tuple[str, ...]) -> None:
    assert is_asked(tmp_path, *above)


@pytest.mark.parametrize(
    "line",
    ["frame = pd.get_dummies(frame)", "kept = [c for c in frame if frame[c].dtype != 'object']", "frame[frame.age > 3]['sex'][0] = 1"],
)  # fmt: skip
def test_what_pandas_does_otherwise_without_an_error(tmp_path: Path, line: str) -> None:
    text = f"import pandas as pd\ndef clean(frame):\n    {line}\n    return frame\n"
    asked = is_asked(tmp_path, *ABOVE, text=text)
    assert asked is ("][0]" not in line), "a write into rows that were selected never reached the table"


@pytest.mark.parametrize(
    ("last", "error", "text"),
    [
        ("other.upper()", ("AttributeError", "'int' object has no attribute 'upper'"), CLEAN),  # whatever a table holds
        ("float('male')", TEXT, CLEAN),  # nothing of it comes through the file
        ("people.to_numpy(float)", ("TypeError", "f() got an unexpected keyword argument 'axes'"), CLEAN),
        ("people.to_numpy(float)", TEXT, CLEAN.replace(', inplace=True', '').replace('frame["sex"]', 'frame["sex"] = frame["sex"]', 1)),
        ("people.to_numpy(float)", TEXT, CLEAN.replace('frame["sex"]', "frame")),  # a table in place is no copy
    ],
)  # fmt: skip
def test_what_does_not_send_us_there(tmp_path: Path, last: str, error: tuple[str, str], text: str) -> None:
    assert not is_asked(tmp_path, *ABOVE, last=last, error=error, text=text)
