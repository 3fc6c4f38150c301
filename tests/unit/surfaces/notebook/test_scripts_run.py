"""What the script of a `%run` raised: IPython shows it, and calls the cell well ended; all that the script makes is missing below."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jupyter_selfheal.inside.asides import find_error_of_script
from jupyter_selfheal.model import Cell, Failure, Frame
from jupyter_selfheal.surfaces.notebook.cascades import find_cascade_root
from jupyter_selfheal.surfaces.notebook.lost_state import find_lost_state

ERROR = ZeroDivisionError("in the script")


@pytest.mark.parametrize("code", ["%run tools.py", "x = 1\n%run tools.py --fast", "  %run -i tools"])
def test_what_a_script_raised_is_the_cells(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "last_value", ERROR, raising=False)
    assert find_error_of_script(code, None) is ERROR


@pytest.mark.parametrize(
    ("code", "before", "shown"),
    [
        ("%run tools.py", ERROR, ERROR),  # shown below another cell
        ("tools = 1", None, ERROR),
        ("# %run tools.py", None, ERROR),
        ("%run -e tools.py", None, ERROR),  # it may raise, says the cell
        ("%run -d tools.py", None, ERROR),
        ("%run tools.py", None, SystemExit(0)),
        ("%run", None, ERROR),
    ],
)
def test_what_no_script_raised_is_not(
    code: str, before: object, shown: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "last_value", shown, raising=False)
    assert find_error_of_script(code, before) is None


@pytest.mark.parametrize(("name", "root"), [("price", 1), ("np", 1), ("prices", 0)])
def test_what_the_script_would_have_made_follows_from_its_cell(name: str, root: int, tmp_path: Path) -> None:
    script = tmp_path / "tools.py"
    script.write_text("import numpy as np\nlimit = np.float(3)\ndef price(n):\n    return n * limit\n")
    failed = Failure("c1", "%run tools.py", ename="AttributeError", frames=(Frame(str(script), 2, "<module>"),))
    below = Failure("c2", f"{name}(3)", ename="NameError", evalue=f"name '{name}' is not defined")
    assert find_cascade_root(below, [find_lost_state(1, Cell("c1", "%run tools.py"), failed)]) == root


@pytest.mark.parametrize(
    ("below", "root"),
    [("people['AGE'].mean()", 1), ("print(people[['name', 'AGE']])", 1), ("people.groupby('AGE')['n'].sum()", 1), ("others['AGE'].mean()", 0), ("people['x'] + d['AGE']", 0)],
)  # fmt: skip
def test_a_key_of_what_would_have_been_bound_anew_follows_from_its_cell(below: str, root: int) -> None:
    cell = Cell("c1", "people = people.rename(columns=str.upper())")
    failed = Failure("c1", cell.source, ename="TypeError", statement=0)
    found = Failure("c2", below, ename="KeyError", evalue="'AGE'")
    assert find_cascade_root(found, [find_lost_state(1, cell, failed)]) == root


def test_a_script_that_is_gone_binds_nothing(tmp_path: Path) -> None:
    failed = Failure("c1", "%run tools.py", frames=(Frame(str(tmp_path / "tools.py"), 1, "<module>"),))
    assert find_lost_state(1, Cell("c1", "%run tools.py"), failed).names == frozenset()


@pytest.mark.parametrize(
    ("renames", "key", "root"),
    [
        ("people.columns = ['AGE', 'town']", "AGE", 1),
        ("people.rename(columns={'age': 'AGE'}, inplace=True)", "AGE", 1),
        ("people.rename(columns={'age': 'AGE'}, inplace=True)", "age", 0),
        ("people.columns = names", "AGE", 0),
        ("people.drop(columns=['AGE'], inplace=True)", "AGE", 0),
    ],
)
def test_a_column_that_would_have_got_its_name_follows_from_the_cell(renames: str, key: str, root: int) -> None:
    failed = Failure("c1", renames, ename="ValueError", evalue="Length mismatch", statement=0)
    lost = [find_lost_state(1, Cell("c1", renames), failed)]
    asked = Failure("c2", f"people['{key}'].mean()", ename="KeyError", evalue=f"'{key}'")
    named = Failure(
        "c2", f"people.{key}", ename="AttributeError", evalue=f"'DataFrame' object has no attribute '{key}'"
    )
    assert [find_cascade_root(f, lost) for f in (asked, named)] == [root, root]


@pytest.mark.parametrize(
    ("source", "said", "root"),
    [
        ("run(4)", "File `'(4)'` not found", 1),
        ("%timeit -n1 run()", "File `'()'` not found", 1),
        ("%run gone.py", "File `'gone.py'` not found", 0),
        ("show(4)", "File `'(4)'` not found", 0),
    ],
)
def test_a_function_that_is_not_there_is_taken_for_the_magic_of_its_name(source: str, said: str, root: int) -> None:
    made = "import gone\ndef run(n):\n    return n"
    lost = find_lost_state(
        1, Cell("c1", made), Failure("c1", made, ename="ModuleNotFoundError", evalue="no", statement=0)
    )
    assert find_cascade_root(Failure("c2", source, ename="Exception", evalue=said, statement=0), [lost]) == root
