"""Which failing tests must pass with a fix: those that may run the functions that it changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.surfaces.project.files import FileFix, read_file
from jupyter_selfheal.surfaces.project.modules import Finder
from jupyter_selfheal.surfaces.project.reach import Change, describe_changes, list_reached, may_run


@pytest.fixture
def finder(tmp_path: Path) -> Finder:
    for name, text in {"stats": "import units\n", "units": "FEET = 0.3\n", "reading": "import csv\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    return Finder(tmp_path, (tmp_path,))


STATS = {"top": ["stats", "top", "stats.py"], "math": ["math", "", ""]}


@pytest.mark.parametrize(
    ("told", "file", "concerned"),
    [
        ({"uses": ["top", "math"]}, "stats.py", True),
        ({"uses": ["top"]}, "units.py", True),  # which stats imports
        ({"uses": ["top"]}, "reading.py", False),
        ({"uses": ["math", "len"]}, "stats.py", False),  # though its file of tests imports it
        ({"uses": ["reading"]}, "reading.py", True),  # imported in the test itself
        ({"uses": ["check"], "own_names": ["check"]}, "reading.py", True),  # who knows what that calls
        ({"own_fixtures": ["course"]}, "reading.py", True),
        ({"in_class": True}, "reading.py", True),
        ({"uses": None}, "reading.py", True),
    ],
)
def test_only_tests_that_may_run_a_fixed_file_must_pass(
    told: dict[str, Any], file: str, concerned: bool, finder: Finder
) -> None:
    test = {"frames": [], "in_class": False, "own_fixtures": [], "own_names": [], "names": STATS, "uses": [], **told}
    assert may_run(test, {finder.project / file: Change("")}, finder) is concerned


def test_a_test_whose_traceback_leads_through_a_file_concerns_it(finder: Finder) -> None:
    path = finder.project / "reading.py"
    assert may_run({"frames": [[str(path), 3, "f"]]}, {path: Change("")}, finder)


BILL = """from functools import cache

LIMIT = 3


def add(a, b):
    return a - b


def total(xs):
    return add(xs[0], xs[1])


def mean(xs):
    return sum(xs) / LIMIT


@cache
def known(x):
    return x + 1
"""


@pytest.mark.parametrize(
    ("line", "better", "used", "concerned"),
    [
        ("a - b", "a + b", "add", True),
        ("a - b", "a + b", "total", True),  # which calls add
        ("a - b", "a + b", "mean", False),
        ("a - b", "a + b", "LIMIT", True),  # a value of the file: who knows what it is made of
        ("sum(xs) / LIMIT", "sum(xs)", "total", False),
        ("LIMIT = 3", "LIMIT = 4", "add", True),  # no function alone
        ("x + 1", "x + 2", "add", True),  # what a decorator does with it is not known
    ],
)
def test_only_tests_that_may_run_a_changed_function_must_pass(
    line: str, better: str, used: str, concerned: bool, tmp_path: Path
) -> None:
    (tmp_path / "bill.py").write_text(BILL)
    file = read_file(tmp_path / "bill.py")
    assert file is not None
    changes = describe_changes([FileFix(file, BILL.replace(line, better))])
    test = {"in_class": False, "own_fixtures": [], "own_names": [], "uses": [used], "frames": []}
    test["names"] = {used: ["bill", used, str(file.path)]}
    finder = Finder(tmp_path, (tmp_path,))
    assert may_run(test, changes, finder) is concerned
    by_module = {**test, "uses": ["bill", used], "names": {"bill": ["bill", "", str(file.path)]}}
    assert may_run(by_module, changes, finder) is concerned


def test_a_traceback_concerns_the_function_that_it_leads_through(tmp_path: Path) -> None:
    change = Change(BILL, frozenset({"mean"}))
    finder = Finder(tmp_path, (tmp_path,))
    told = {"in_class": False, "own_fixtures": [], "own_names": [], "uses": [], "names": {}}
    found = [may_run({**told, "frames": [["/bill.py", n, ""]]}, {Path("/bill.py"): change}, finder) for n in (7, 15)]
    assert found == [False, True]


def test_a_module_named_by_its_package_is_reached(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")
    (tmp_path / "shop" / "bill.py").write_text(BILL)
    test = {"in_class": False, "own_fixtures": [], "own_names": [], "uses": ["shop", "bill", "mean"], "names": {}}
    changes = {tmp_path / "shop" / "bill.py": Change(BILL, frozenset({"mean"}))}
    assert may_run(test, changes, Finder(tmp_path, (tmp_path,)))


@pytest.mark.parametrize(
    ("told", "reached"),
    [
        ({"uses": ["total"]}, {"total", "add"}),
        ({"uses": ["add"]}, {"add"}),
        ({"uses": ["LIMIT"]}, {"add", "total", "mean", "known"}),  # a value of the file: who knows what it is made of
        ({"uses": ["len"]}, set()),
        ({"uses": ["add"], "own_names": ["add"]}, None),
        ({"uses": ["add"], "own_fixtures": ["course"]}, None),
    ],
)
def test_what_a_test_may_run_is_told_function_by_function(
    told: dict[str, Any], reached: set[str] | None, tmp_path: Path
) -> None:
    (tmp_path / "bill.py").write_text(BILL)
    names = {n: ["bill", n, str(tmp_path / "bill.py")] for n in ("add", "total", "mean", "LIMIT")}
    test = {"in_class": False, "own_fixtures": [], "own_names": [], "frames": [], "names": names, **told}
    found = list_reached(test, Finder(tmp_path, (tmp_path,)))
    assert (None if found is None else {name for _, name in found}) == reached
