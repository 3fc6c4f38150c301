"""What a trial runs: no more than the patch needs."""

from __future__ import annotations

from jupyter_selfheal.loop.plan import build_trial_steps, find_remainder, list_requirements
from jupyter_selfheal.model import (
    BASELINE,
    Case,
    Cell,
    Edit,
    Failure,
    FailureKind,
    Insert,
    Install,
    Move,
    Notebook,
    Patch,
    Replace,
    Role,
    Run,
    RunCells,
    Start,
)

CELLS = {
    "imports": "import math",
    "define": "def area(r):\n    return math.pie * r * r\n\nRADIUS = 2",
    "double": "diameter = RADIUS * 2",
    "other": "unrelated = 1",
    "fail": "slow = sum(range(10))\nprint(area(RADIUS))\ndone = True",
    "below": "late = 7",
}


def case(line: int = 2, kind: FailureKind = FailureKind.RAISED, source: str = "") -> Case:
    cells = tuple(Cell(name, text) for name, text in CELLS.items())
    return Case(Failure("fail", source or CELLS["fail"], kind, "AttributeError", "pie", line=line), Notebook(cells))


def steps(*edits: Edit, start: Start = Start.BEFORE_CELL, given: Case | None = None) -> list[tuple[str, str, str]]:
    found = build_trial_steps(given or case(), Patch(edits, "a patch"), start)
    return [(s.cell_id, s.role.value, s.code) for s in found if isinstance(s, Run)]


def patched(source: str) -> Replace:
    return Replace("fail", CELLS["fail"], source)


def test_the_baseline_is_the_cell_or_what_is_left_of_it() -> None:
    before = build_trial_steps(case(), BASELINE, Start.BEFORE_CELL)
    assert before == (Run(CELLS["fail"], "fail", Role.CELL),)
    (rest,) = build_trial_steps(case(), BASELINE, Start.AFTER_FAILURE)
    assert isinstance(rest, Run)
    assert rest.code == "#" + " " * 20 + "\nprint(area(RADIUS))\ndone = True"


def test_a_changed_function_is_defined_again_and_nothing_else_runs() -> None:
    new = CELLS["define"].replace("pie", "pi")
    found = steps(Replace("define", CELLS["define"], new), start=Start.AFTER_FAILURE)
    assert [f[:2] for f in found] == [("define", "setup"), ("fail", "cell")]
    assert found[0][2].strip() == "def area(r):\n    return math.pi * r * r"
    assert "range(10)" not in found[1][2]


def test_instances_of_a_changed_class_are_made_again() -> None:
    old = "class Box:\n    def volume(self):\n        return self.sid ** 3"
    cells = (Cell("define", old), Cell("make", "box = Box()"), Cell("other", "x = 1"), Cell("fail", "box.volume()"))
    given = Case(Failure("fail", "box.volume()", ename="AttributeError", evalue="sid", line=1), Notebook(cells))
    found = steps(Replace("define", old, old.replace("sid", "side")), given=given)
    assert [f[0] for f in found] == ["define", "make", "fail"]


def test_what_a_statement_that_is_gone_has_spoilt_is_made_again() -> None:
    old = "import time\nslow = time.time()\nnums = [2, 1]\nnums = nums.sort()"
    cells = (Cell("make", old), Cell("fail", "nums[0]"))
    given = Case(Failure("fail", "nums[0]", ename="TypeError", evalue="NoneType", line=1), Notebook(cells))
    (first, *_) = steps(Replace("make", old, old.replace("nums = nums.sort()", "nums.sort()")), given=given)
    assert first[2].split() == ["#", "nums", "=", "[2,", "1]", "nums.sort()"]
    old = "slow = 1\nnums = [2, 1]\ndel nums"
    cells = (Cell("make", old), Cell("fail", "nums[0]"))
    given = Case(Failure("fail", "nums[0]", ename="NameError", evalue="name 'nums' …", line=1), Notebook(cells))
    (first, *_) = steps(Replace("make", old, "slow = 1\nnums = [2, 1]"), given=given)
    assert first[2].split() == ["#", "nums", "=", "[2,", "1]"]


def test_a_changed_value_takes_along_what_was_derived_from_it() -> None:
    new = CELLS["define"].replace("RADIUS = 2", "RADIUS = 3")
    found = steps(Replace("define", CELLS["define"], new))
    assert [f[0] for f in found] == ["define", "double", "fail"]
    assert found[0][2].split("\n")[-1] == "RADIUS = 3"


def test_what_reads_an_edited_or_repeated_cell_above_is_run_as_a_whole() -> None:
    double = "factor = RADIUS\ndiameter = factor * 2"
    cells = tuple(Cell(name, double if name == "double" else text) for name, text in CELLS.items())
    given = Case(Failure("fail", CELLS["fail"], ename="AttributeError", line=2), Notebook(cells))
    edit = Replace("double", double, "factor = RADIUS\ndiameter = factor * 2.0")
    define = Replace("define", CELLS["define"], CELLS["define"].replace("= 2", "= 3"))
    for first in (define, RunCells(("define",))):
        found = steps(first, edit, given=given)
        assert [f[0] for f in found] == ["define", "double", "fail"]
        assert found[1][2] == edit.source


def test_inserted_moved_and_unrun_cells_run_first() -> None:
    assert steps(Insert("new", "import os", "fail"))[0] == ("new", "setup", "import os")
    assert steps(Insert("new", "import os", "below"))[0][0] == "fail"
    assert steps(RunCells(("imports", "other")))[:2] == [
        ("imports", "setup", "import math"),
        ("other", "setup", "unrelated = 1"),
    ]
    assert steps(Move("below", "fail"))[0] == ("below", "setup", "late = 7")


def test_an_installation_is_no_step_and_neither_is_its_pip_cell() -> None:
    patch = Patch((Install("rich", "rich"), Insert("pip", "%pip install rich", "fail")), "Install rich")
    assert list_requirements(patch) == ("rich",)
    assert [s.cell_id for s in build_trial_steps(case(), patch, Start.BEFORE_CELL) if isinstance(s, Run)] == ["fail"]


def test_earlier_statements_that_changed_run_again() -> None:
    kept = "slow = sum(range(10))\nprint(area(2))\ndone = True"
    assert "range" not in find_remainder(case(), kept)
    assert "range(11)" in find_remainder(case(), kept.replace("10", "11"))


def test_an_import_added_on_top_runs_without_what_ran_already() -> None:
    rest = find_remainder(case(), "import os\n" + CELLS["fail"])
    assert "import os" in rest
    assert "range" not in rest
    assert "print(area(RADIUS))" in rest


def test_a_failure_in_the_first_statement_or_of_syntax_runs_the_whole_cell() -> None:
    assert find_remainder(case(line=1), CELLS["fail"]) == CELLS["fail"]
    assert find_remainder(case(kind=FailureKind.SYNTAX), CELLS["fail"]) == CELLS["fail"]


def test_magics_before_the_failing_statement_are_not_run_again() -> None:
    source = "%matplotlib inline\nx = 1\nboom()\n%time y = 2"
    rest = find_remainder(case(line=3, source=source), source)
    assert rest.split() == ["#", "boom()", "%time", "y", "=", "2"]


def test_what_a_changed_decorator_decorates_is_defined_again() -> None:
    old = "def logged(f):\n    def inner(x):\n        f(x)\n    return inner\n\n@logged\ndef half(x):\n    return x / 2\n\n@other\ndef double(x):\n    return x * 2"
    new = old.replace("        f(x)", "        return f(x)")
    cells = (
        Cell("define", old),
        Cell("between", "@logged\ndef third(x):\n    return x / 3"),
        Cell("fail", "half(2) + 1"),
    )
    given = Case(Failure("fail", "half(2) + 1", FailureKind.RAISED, "TypeError", "NoneType", line=1), Notebook(cells))
    setup = [code for cell_id, role, code in steps(Replace("define", old, new), given=given) if role == "setup"]
    assert "return f(x)" in setup[0]
    assert "def half" in setup[0], "the name still holds what the old decorator made"
    assert "def double" not in setup[0]
    assert setup[1:] == ["@logged\ndef third(x):\n    return x / 3"]
