"""A patch that names the cells to run again, one of which it changes."""

from __future__ import annotations

from jupyter_selfheal.loop.plan import build_trial_steps
from jupyter_selfheal.model import Case, Cell, Failure, Notebook, Patch, Replace, Run, RunCells, Start

CELLS = ("df = read()", "df['a'].fillna(0, inplace=True)", "df = df.drop('b')", "use(df)")
FIXED = "df['a'] = df['a'].fillna(0)"


def test_a_changed_cell_runs_once_in_its_place_among_those_that_run_again() -> None:
    cells = tuple(Cell(f"c{n}", source) for n, source in enumerate(CELLS))
    case = Case(Failure("c3", CELLS[3]), Notebook(cells))
    patch = Patch((RunCells(("c0", "c1", "c2")), Replace("c1", CELLS[1], FIXED)), "Write into the table")
    steps = [s for s in build_trial_steps(case, patch, Start.BEFORE_CELL) if isinstance(s, Run)]
    assert [s.code for s in steps] == [CELLS[0], FIXED, CELLS[2], CELLS[3]]
    assert [s.cell_id for s in steps] == ["c0", "c1", "c2", "c3"]
