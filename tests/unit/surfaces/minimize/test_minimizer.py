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
    return minimizer.minimise(failing, symptom)


def test_ddmin_keeps_what_is_needed_together() -> None:
    tried: list[tuple[int, ...]] = []

    def holds(part: tuple[int, ...]) -> bool:
        tried.append(part)
        return {3, 17} <= set(part)

    assert minimise_list(range(32), holds) == (3, 17)
    assert len(tried) < 100
    assert minimise_list(range(5), lambda part: True) == ()


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
