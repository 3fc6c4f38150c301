"""What the search does before any candidate runs grows with the text, not with its square."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.scope import Scope
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook
from tests.work import count_calls

DIFFERENT = count()
"""Makes each text another one, so that nothing is kept of it from the last time."""


def measure_growth(work: Callable[[int], object], small: int, large: int) -> float:
    """The calls made per line of the large text, as a multiple of those per line of the small one."""
    per_line = [count_calls(partial(work, size)) / size for size in (small, large)]
    return per_line[1] / per_line[0]


def plan_lines(count: int) -> None:
    above = "\n".join(f"def f{n}(a):\n    return a + {n}" for n in range(count // 2))
    own = "\n".join(f"x{n} = f{n % 9}({n})" for n in range(count)) + "\nassert x1 == 3"
    below = "\n".join(f"assert x{n} > {n}" for n in range(count))
    cells = tuple(Cell(f"c{n}", f"{source}\n# {next(DIFFERENT)}") for n, source in enumerate((above, own, below)))
    assert build_plan(Case(Failure("c1", cells[1].source, FailureKind.RAISED, "AssertionError"), Notebook(cells)))


def propose_lines(count: int) -> None:
    body = "".join(f"    t += a[{n % 7}] * b + {n}\n" for n in range(count))
    assert rank_changes(Scope(f"def f(a, b):\n    t = 0\n{body}    return t\n"), {})


def test_planning_a_cell_of_1600_lines_takes_per_line_what_one_of_200_takes() -> None:
    assert measure_growth(plan_lines, 200, 1600) < 1.5


def test_proposing_changes_takes_per_line_of_a_function_what_it_takes_in_a_short_one() -> None:
    assert measure_growth(propose_lines, 8, 24) < 1.6  # a longer body has more names to choose from, up to a limit
