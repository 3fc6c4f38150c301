"""The smallest notebook that fails in the same way, in a kernel without a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.minimize import pieces
from jupyter_selfheal.surfaces.minimize.delta_debugging import minimise_list
from jupyter_selfheal.surfaces.minimize.minimizer import Minimizer
from jupyter_selfheal.testing.fake_kernel import FakeKernel


def minimise(*sources: str, folder: str = ".", most_trials: int = 1_000) -> tuple[str, ...]:
    minimizer = Minimizer(FakeKernel(), folder, most_trials=most_trials)
    symptom, failing = minimizer.find_failing(sources)
    assert symptom is not None
    minimizer.warm_up(failing, symptom)
    smallest = minimizer.minimise(failing, symptom)
    assert minimizer.is_cut_short == (most_trials == 1)
    return smallest


def test_the_failure_that_is_meant_comes_without_those_above_it() -> None:
    cells = ("a = 1", "1 / 0", "b = {}", "c = b['y']", "print(c)")
    minimizer = Minimizer(FakeKernel())
    assert minimizer.find_failure_of(cells[:4])[1] == ("a = 1", "b = {}", "c = b['y']")
    assert minimizer.find_failure_of(cells[:2])[1] == ("a = 1", "1 / 0")
    assert minimizer.find_failure_of(cells[:3])[0] is None, "it runs"


def test_ddmin_keeps_what_is_needed_together() -> None:
    tried: list[tuple[int, ...]] = []

    def holds(part: tuple[int, ...]) -> bool:
        tried.append(part)
        return {3, 17} <= set(part)

    assert minimise_list(range(32), holds) == (3, 17)
    assert len(tried) < 100
    assert minimise_list(range(5), lambda part: True) == ()


@pytest.mark.parametrize("needed", [{150}, {0, 299}, {0, 1, 7}, {3, 40, 41, 200}, {299}])
def test_few_of_a_long_list_are_found_by_bisection(needed: set[int]) -> None:
    tried: list[tuple[int, ...]] = []

    def holds(part: tuple[int, ...]) -> bool:
        tried.append(part)
        return needed <= set(part)

    assert set(minimise_list(range(300), holds)) == needed
    assert len(tried) <= 12 * len(needed) + 10


@pytest.mark.parametrize("most", range(30))
def test_what_it_gives_has_the_property_also_where_the_tries_run_out(most: int) -> None:
    """Of a property that more items can take away again, too: an odd number of the first ten, and the last."""
    tried: list[tuple[int, ...]] = []

    def has(part: tuple[int, ...]) -> bool:
        return len([n for n in part if n < 9]) % 2 == 1 and 39 in part

    def holds(part: tuple[int, ...]) -> bool:
        tried.append(part)
        return len(tried) <= most and has(part)

    assert has(minimise_list(range(40), holds))


def test_many_of_a_long_list_are_kept_in_order() -> None:
    needed = range(0, 60, 3)
    assert minimise_list(range(60), lambda part: set(needed) <= set(part)) == tuple(needed)


def test_what_the_failing_statement_does_not_need_goes_in_one_trial() -> None:
    """What stands below it in its cell, and statements that bind nothing it reads."""
    kernel = FakeKernel()
    noise = "\n".join(f"extra_{n} = {n}\nprint(extra_{n})" for n in range(20))
    sources = (f"prices = {{}}\n{noise}", f"{noise}\nprices['b']\n{noise}")
    minimizer = Minimizer(kernel)
    symptom, failing = minimizer.find_failing(sources)
    assert symptom is not None
    assert minimizer.minimise(failing, symptom) == ("prices = {}", "prices['b']")
    assert minimizer.trials <= 12
    assert all(request.is_brief for request in kernel.requests), (
        "IPython's long traceback is most of what a trial takes"
    )


def test_cells_and_statements_that_are_not_needed_go() -> None:
    smallest = minimise(
        "import math\nimport json", "x = 3\nunused = [1, 2]", "print('hello')", "y = x + 1\nprices = {'a': 1}",
        "total = 0\nprint(y)\nprices['b']\nprint('never')", "print('below')",
    )  # fmt: skip
    assert smallest == ("prices = {}", "prices['b']")


def test_statements_inside_of_functions_and_loops_go() -> None:
    smallest = minimise(
        "def mean(values):\n    '''The mean.'''\n    total = 0\n    for v in values:\n        total += v\n    return total / len(values)",
        "mean([])",
    )
    assert "for v" not in smallest[0]
    assert "total = 0" not in "".join(smallest) or "total / len" in "".join(smallest)


def test_data_goes_down_to_what_fails() -> None:
    rows = ", ".join(f"'{n}'" for n in range(40))
    smallest = minimise(f"rows = [{rows}, '1,200', {rows}]", "for row in rows:\n    float(row)")
    assert smallest[0] == "rows = ['1,200']"


def test_another_failure_is_not_the_same() -> None:
    """Without the import the last line fails too, in another way."""
    smallest = minimise("import math", "math.sqrt(-1)")
    assert smallest == ("import math", "math.sqrt(-1)")


def test_where_no_trial_is_left_what_was_reached_counts() -> None:
    sources = ("a = 1", "b = 2", "1 / 0")
    assert minimise(*sources, most_trials=1) == sources


def test_a_file_that_is_read_is_written_into_the_notebook(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("price\n3\n")
    inside = list(pieces.list_with_file_inside("df = pd.read_csv('p.csv', sep=';')", str(tmp_path)))
    assert inside == ["import io\ndf = pd.read_csv(io.StringIO('price\\n3\\n'), sep=';')"]
    assert not list(pieces.list_with_file_inside("df = pd.read_csv('none.csv')", str(tmp_path)))


@pytest.mark.parametrize("source", ["%%bash\nls", "x = (", ""])
def test_what_cannot_be_parsed_stays_whole(source: str) -> None:
    assert pieces.split_statements(source) == (source,)
