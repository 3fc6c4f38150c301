"""Several short runs share a fork, and one that dies takes none of the others with it."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from jupyter_selfheal.inside.search.confined_forks import run_each_in_fork, run_in_fork
from jupyter_selfheal.inside.search.try_readings import leaves_nothing
from tests.unit.healers.syntax.readings import run

FORKS: list[int] = []
os.register_at_fork(after_in_parent=lambda: FORKS.append(1))


def count_forks(work: Callable[[], object]) -> int:
    before = len(FORKS)
    work()
    return len(FORKS) - before


def double(number: int) -> list[int]:
    return [2 * number, os.getpid()]


def test_all_of_them_run_in_one_fork_of_this_process() -> None:
    replies: list[object] = []
    assert count_forks(lambda: replies.extend(run_each_in_fork([partial(double, n) for n in range(40)], 30))) == 1
    assert [r[0] for r in replies if isinstance(r, list)] == [2 * n for n in range(40)]
    assert {r[1] for r in replies if isinstance(r, list)} != {os.getpid()}
    assert len({r[1] for r in replies if isinstance(r, list)}) == 1
    assert count_forks(lambda: run_each_in_fork([], 30)) == 0


@pytest.mark.parametrize("place", [0, 2, 4])
def test_what_a_fork_dies_of_is_none_and_the_others_go_on_in_another_one(place: int) -> None:
    works: list[Callable[[], object]] = [partial(double, n) for n in range(5)]
    works[place] = partial(os._exit, 1)
    replies: list[object] = []
    assert count_forks(lambda: replies.extend(run_each_in_fork(works, 30))) == (1 if place == 4 else 2)
    assert [r[0] if isinstance(r, list) else r for r in replies] == [2 * n if n != place else None for n in range(5)]


@pytest.mark.slow
def test_each_has_its_own_time_and_one_that_waits_too_long_costs_nothing_but_itself() -> None:
    works = [partial(time.sleep, 0.4)] * 4 + [partial(time.sleep, 60)] + [partial(double, 1)]
    replies = run_each_in_fork(works, 2)
    assert replies[:5] == [None] * 5
    assert isinstance(replies[5], list)


def burn(seconds: float) -> str:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return "burnt"


def test_cpu_seconds_are_counted_for_each_by_itself() -> None:
    """Five that take a third of what each may, and together more than one: the system counts by ticks, and not as exactly as they do."""
    replies = run_each_in_fork([partial(burn, 0.3)] * 5 + [partial(burn, 60), partial(burn, 0.1)], 60, cpu=1.0)
    assert replies == [*["burnt"] * 5, None, "burnt"]


def test_a_long_value_comes_whole() -> None:
    assert run_in_fork(lambda: "x\n" * 300_000, 30) == "x\n" * 300_000


def test_readings_are_run_without_a_fork_for_each() -> None:
    readings = [f"total = {n}\nprint(total + {n})" for n in range(30)]
    assert count_forks(lambda: run(readings, "58\n")) <= 12


def test_a_reading_that_ends_its_process_hides_no_other_one() -> None:
    found = run(["import os\nos._exit(0)", "print(4)", "print(5)", "import os\nos._exit(1)"], "5\n")
    assert [p["reading"] for p in found["passing"]] == [2]
    assert found["likeness"][0] == found["likeness"][3] == -1.0


def test_a_reading_finds_nothing_of_what_another_one_did() -> None:
    found = run(["rows.append(1)\nprint(len(rows))", "rows.append(2)\nprint(len(rows))"], "1\n", rows=[])
    assert [p["reading"] for p in found["passing"]] == [0, 1]


@pytest.mark.parametrize(
    ("text", "names", "leaves"),
    [
        ("total = 1\nprint(total + int(input()))", {}, True),
        ("import math\nfrom collections import Counter\nprint(math.pi)", {}, True),
        ("def f(x):\n    return x\nprint(f(1))", {}, True),
        ("print(len(rows), math.pi)", {"rows": [1], "math": math}, True),
        ("import os\nos.chdir('..')", {}, False),
        ("import os.path as p, math", {}, False),
        ("from . import helper", {}, False),
        ("os.chdir('..')", {"os": os}, False),
        ("add(1)", {"add": lambda x: x}, False),
        ("Table.rows.append(1)", {"Table": type("Table", (), {})}, False),
        ("open('x', 'x')", {}, False),
    ],
)
def test_what_a_source_may_change_beyond_its_names_is_seen(text: str, names: dict[str, object], leaves: bool) -> None:
    assert leaves_nothing([text], names) is leaves
    assert leaves_nothing(["print(1)", text], names) is leaves


def test_readings_that_change_the_process_have_a_fork_each(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    readings = [f"import os\nos.chdir({str(tmp_path)!r})\nos.chdir('data')\nprint({n})\nprint(5)" for n in (5, 6, 5.0)]
    assert len(run(readings, "5\n5\n")["passing"]) == 1
    readings = [f"import os\nos.chdir('data')\nprint(5){' ' * n}" for n in range(3)]
    with contextlib.chdir(tmp_path):
        assert len(run(readings, "5\n")["passing"]) == 3, "each finds the folder as it was"


def test_functions_of_the_notebook_find_their_data_as_they_were_for_each_reading() -> None:
    space: dict[str, object] = {}
    exec("rows = []\ndef add(x):\n    rows.append(x)\n    return len(rows)", space)
    readings = ["print(add(1))", "print(add(2))", "print(add(3))"]
    assert [p["reading"] for p in run(readings, "1\n", add=space["add"])["passing"]] == [0, 1, 2]
