"""Straight-line code of the cells above a failing check: what may be mended there, and what is left as it is."""

from __future__ import annotations

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer
from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.healers.search.producers import find_producers
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Oracle, Replace, RunCells
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import NoFacts

NOTHING = Oracle()


def case_of(*sources: str, oracle: Oracle = NOTHING, expensive: int = -1) -> Case:
    """The last cell's check fails; the cells above ran."""
    cells = tuple(Cell(f"c{n}", source, expensive=n == expensive) for n, source in enumerate(sources))
    kind = FailureKind.MISSED if oracle else FailureKind.RAISED
    failure = Failure(cells[-1].id, sources[-1], kind, "" if oracle else "AssertionError")
    return Case(failure, Notebook(cells), oracle)


def again(*sources: str, expensive: int = -1) -> list[str]:
    """Ids of the cells that are run again."""
    case = case_of(*sources, expensive=expensive)
    return [c.id for c in find_producers(case, {"out"})]


def search(*sources: str, oracle: Oracle = NOTHING) -> Answer:
    case = case_of(*sources, oracle=oracle)
    kernel = FakeKernel([c.source for c in case.notebook.cells[:-1]])
    return SearchHealer(HealConfig(search_seconds=6.0)).propose(case, Starts((kernel,)), NoFacts(), ())


LOOP = "out = 0\nfor x in data:\n    out += x"


def test_the_slice_goes_up_from_the_check_and_passes_over_data() -> None:
    assert again("data = [1, 2]", "import os", LOOP, "other = 1", "assert out == 4") == ["c2"]
    assert again("data = [1]", "mid = sorted(data)", "out = mid[0]", "print(out)", "assert out == 4") == ["c1", "c2"]
    assert again("v = 1", "a = v + 1", "b = a + 1", "c = b + 1", "out = c + 1", "assert out") == ["c2", "c3", "c4"]


@pytest.mark.parametrize(
    "above",
    [
        ("items = []", "items.append(1)\nout = items[0]"),
        ("out = 1", "out += 1"),
        ("t = {}", "t['a'] = 1\nout = t['a'] + 1"),
        ("p = 'x'", "out = open(p).read()"),
        ("import subprocess as s\nc = 'ls'", "out = s.run(c)"),
        ("q = 'name'", "out = input(q)"),
        ("n = 2", "%time out = n + 1"),
        ("n = 2", "out = await f(n)"),
        ("n = 2", "%%bash\nout=1"),
    ],
)
def test_what_cannot_be_run_again_stays_out(above: tuple[str, ...]) -> None:
    assert again(*above, "assert out == 4") == []


def test_a_cell_is_not_run_again_under_one_that_used_it_and_cannot_be() -> None:
    data = "data = [1, 2]"
    assert again(data, LOOP, "log.append(out)", "assert out == 4") == []
    assert again(data, LOOP, "report = out", "assert out == 4", expensive=2) == []
    assert again(data, LOOP, "log.append(data)", "assert out == 4") == ["c1"]


def test_only_a_failed_check_reaches_up() -> None:
    case = case_of("data = [1]", LOOP, "out + 'a'")
    raised = Case(Failure("c2", "out + 'a'", ename="TypeError"), case.notebook)
    assert find_producers(raised, {"out"}) == ()


def test_data_and_constants_are_not_pieces_to_change() -> None:
    found = build_plan(
        case_of("rows = [3, 1]\nlimit = 7\nimport math\nout = sum(rows) * limit\nassert limit", "assert out == 4")
    )
    assert found is not None
    assert [p.text for p in found.pieces if p.mutable] == ["out = sum(rows) * limit"]
    assert found.replayed == ("limit", "out", "rows")


MENDED = {
    "plus swapped": (
        ("count = 0\nfor w in ['a', 'b', 'a']:  # all\n    if w == 'a':\n        count =+ 1\ncount", "assert count == 2"), "c0", "=+", "+=",
    ),
    "slice": (("prices = [3, 1, 2]", "total = 0\nfor p in prices[1:]:\n    total += p", "print(total)\nassert total == 6"), "c1", "1:", "0:"),
    "formula": (("v = [2, 4, 6]", "mean = sum(v) * len(v)", "shown = mean", "assert mean == 4"), "c1", "*", "/"),
    "maximum": (("s = [3, 9, 4]", "best = s[0]\nfor x in s:\n    if x < best:\n        best = x", "assert best == 9"), "c1", "<", ">"),
}  # fmt: skip


@pytest.mark.parametrize("name", MENDED)
def test_the_statement_above_is_mended_where_it_stands(name: str) -> None:
    sources, cell_id, old, new = MENDED[name]
    given = sources[int(cell_id[1:])]
    patch = search(*sources).patches[0]
    assert patch.edits == (Replace(cell_id, given, given.replace(old, new, 1)),)


def test_printed_text_is_an_oracle_of_the_cells_above_but_what_they_print_is_not() -> None:
    cell = "total = 0\nfor p in prices:\n    total =- p\nprint('summed')"
    patch = search("prices = [3, 1]", cell, "print(total)", oracle=Oracle(stdout="-4")).patches[0]
    assert patch.edits == (Replace("c1", cell, cell.replace("=-", "-=")),)


def test_cells_that_call_a_changed_function_run_again() -> None:
    define = "def area(w, h):\n    return w + h"
    patch = search(define, "a = area(3, 4)", "double = 2 * a", "assert double == 24").patches[0]
    assert patch.edits == (
        Replace("c0", define, define.replace("+", "*")), RunCells(("c1",)), RunCells(("c2",)),
    )  # fmt: skip


@pytest.mark.parametrize(
    "sources",
    [
        ("rows = [1, 2, 3]", "assert len(rows) == 10"),
        ("ages = [34, 27, 41]", "mean = sum(ages) / len(ages)", "assert mean == 30"),
        ("n = 0\nfor w in ['a', 'b', 'a']:\n    if w == 'a':\n        n += 1", "assert n == 3"),
        ("items = []", "items.append(1)", "assert items == [1, 1]"),
        ("it = iter([1, 2, 3, 4])", "first = next(it) * next(it)", "assert first == 3"),
        ("log = []\ndef f(n):\n    log.append(n)\n    return len(log)", "a = f(1) * 2", "assert a == 3"),
    ],
)
def test_data_is_not_bent_to_a_check_nor_a_spent_state_run_again(sources: tuple[str, ...]) -> None:
    touched = {e.cell_id for p in search(*sources).patches for e in p.edits if isinstance(e, Replace)}
    assert not touched & {f"c{n}" for n, s in enumerate(sources[:-1]) if "def " not in s}


def test_a_change_reads_no_name_that_is_bound_below_it() -> None:
    answer = search("x = [1, 2]", "t = sum(x)", "u = t * 2", "assert t == 9 and u == 12")
    assert not any(
        "u" in e.source or "+=" in e.source for p in answer.patches for e in p.edits if isinstance(e, Replace)
    )


def test_an_instance_is_made_again_of_the_class_as_changed() -> None:
    define = "class Tally:\n    n = 0\n\n    def add(self, xs):\n        for x in xs:\n            self.n =+ x"
    patch = search(define, "c = Tally()\nc.add([5, 2])", "assert c.n == 7").patches[0]
    assert patch.edits == (Replace("c0", define, define.replace("=+", "+=")), RunCells(("c1",)))
