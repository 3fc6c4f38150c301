from __future__ import annotations

from jupyter_selfheal.model import Cell, Failure, Notebook
from jupyter_selfheal.surfaces.notebook import stale
from jupyter_selfheal.surfaces.notebook.lost_state import find_lost_state


def stale_cells(*sources: str, failed: int, statement: int = 0) -> list[int]:
    """Positions of the cells whose stored outputs are no oracle, where the cell ``failed`` did not come to ``statement``."""
    cells = tuple(Cell(str(n), source) for n, source in enumerate(sources))
    lost = {
        str(failed): find_lost_state(
            failed + 1, cells[failed], Failure(str(failed), sources[failed], statement=statement)
        )
    }
    return [int(c.id) for c in stale.mark_stale(Notebook(cells), lost).cells if c.stale]


def test_what_reads_a_name_that_was_to_be_bound_anew_is_stale_and_what_is_made_of_it() -> None:
    below = ["df.head()", "n = len(df)", "print(n)", "print('other')"]
    assert stale_cells("df = first()", "df = read('gone.csv')", *below, failed=1) == [2, 3, 4]


def test_what_was_to_be_changed_in_place_is_stale() -> None:
    assert stale_cells("df = first()", "df['sum'] = missing()", "df.shape", failed=1) == [2]
    assert stale_cells("xs = []", "xs.append(missing())", "xs", failed=1) == [2]


def test_a_name_that_is_bound_anew_is_good_again() -> None:
    assert stale_cells("x = missing()", "x = 1", "x + 1", "x = x + 1", failed=0) == []
    assert stale_cells("n = missing()", "n = 13\nn //= 2\nprint(n)", failed=0) == []


def test_statements_that_ran_before_the_failure_lost_nothing() -> None:
    assert stale_cells("a = 1\nb = missing()", "a", "b", failed=0, statement=1) == [2]


def test_functions_pass_on_what_they_read_and_imports_nothing() -> None:
    below = ["def total():\n    return sum(rows)", "total()", "import math\nmath.fsum(rows)", "math.pi"]
    assert stale_cells("rows = missing()", *below, failed=0) == [1, 2, 3]


def test_a_cell_that_does_not_parse_reads_every_word_of_it() -> None:
    assert stale_cells("rows = missing()", "print len(rows)", "print 'x'", failed=0) == [1]


def test_what_was_imported_is_not_changed_by_a_call_of_what_it_holds() -> None:
    above = "from datetime import datetime\nimport numpy as np"
    assert stale_cells(
        above, "when = datetime.strptime('x', '%Y')\nnp.sum(1)", "datetime(2024, 1, 1)", "np.pi", "when", failed=1
    ) == [4]


def test_an_imported_module_is_changed_by_an_assignment_and_by_a_seed() -> None:
    assert stale_cells("import config", "config.width = missing()", "config.width", failed=1) == [2]
    assert stale_cells("import numpy as np", "np.random.seed(missing())", "np.random.rand()", failed=1) == [2]
