"""What healthy cells give: said where it is not what is stored, and never changed by a fix without evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jupyter_selfheal.model import Agreement, Case, Patch, Replace
from jupyter_selfheal.surfaces.notebook.html import format_page
from jupyter_selfheal.surfaces.notebook.outputs import build_healed_notebook
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.report import to_json
from jupyter_selfheal.surfaces.notebook.table import format_reports, format_totals
from tests.batches import batch, cell

Make = Callable[..., Document]

AVERAGE = "def average(xs):\n    return sum(xs) / len(xs)"


def printed(text: str) -> list[dict[str, Any]]:
    return [{"output_type": "stream", "name": "stdout", "text": [text]}]


def shown(source: str, text: str) -> dict[str, Any]:
    return cell(source, outputs=printed(text), execution_count=1)


def with_definition(new: str, where: str = "c0") -> Callable[[Case], Iterator[Patch]]:
    def fix(case: Case) -> Iterator[Patch]:
        yield Patch((Replace(where, case.notebook.cell(where).source, new),), "Change the function")

    return fix


def test_a_fix_that_changes_what_a_healthy_cell_gave_is_taken_back(document: Make) -> None:
    given = document(AVERAGE, shown("print(average([2, 4]))", "3.0\n"), shown("print(average([]))", "0\n"))
    report, seen = batch(given, with_definition(AVERAGE.replace("/", "*"))).run()
    assert [r.status for r in report.records] == [Status.RAN, Status.RAN, Status.REVERTED]
    assert report.records[2].detail == (
        "taken back: with it cell 2 gives 12 where 3.0 is stored, without it what is stored"
    )
    assert report.exit_code == 1
    raw = build_healed_notebook(given, report, seen, in_place=False)
    assert "".join(raw["cells"][0]["source"]) == AVERAGE
    assert raw["cells"][1]["outputs"] == printed("3.0\n")


def test_a_fix_that_leaves_what_healthy_cells_gave_stays(document: Make) -> None:
    given = document(AVERAGE, shown("print(average([2, 4]))", "3.0\n"), shown("print(average([]))", "0\n"))
    report, _ = batch(given, with_definition(AVERAGE + " if xs else 0")).run()
    assert [r.status for r in report.records] == [Status.RAN, Status.RAN, Status.HEALED]
    assert (report.exit_code, report.differing, report.changed_cells) == (0, (), ())


def test_which_of_two_fixes_changes_it_is_found(document: Make) -> None:
    given = document(
        AVERAGE,
        shown("print(average([2, 4]))", "3.0\n"),
        "print('a'.uper())",
        "print(average([]))",
        "print('b'.uper())",
    )

    def fix(case: Case) -> Iterator[Patch]:
        source = case.failure.source
        if "uper" in source:
            yield Patch((Replace(case.failure.cell_id, source, source.replace("uper", "upper")),), "Write upper")
        else:
            yield from with_definition(AVERAGE.replace("/", "*"))(case)

    report, _ = batch(given, fix).run()
    ran, healed = Status.RAN, Status.HEALED
    assert [r.status for r in report.records] == [ran, ran, healed, Status.REVERTED, healed]


def test_where_an_assert_says_that_values_are_wrong_those_of_healthy_cells_may_change_and_are_written(
    document: Make,
) -> None:
    wrong = "def total(xs):\n    return sum(xs) - 1"
    given = document(wrong, shown("print(total([1, 2]))", "2\n"), "assert total([1, 2, 3]) == 6", "print('as it was')")
    report, seen = batch(given, with_definition(wrong.replace(" - 1", ""))).run()
    assert report.exit_code == 0
    assert [r.number for r in report.changed_cells] == [2]
    assert [r.number for r in report.differing] == [2]
    raw = build_healed_notebook(given, report, seen, in_place=True)
    assert raw["cells"][1]["outputs"] == printed("3\n"), "never left beside code that no longer gives it"
    said = format_reports([report])
    assert "  cell 2 runs, but gives something else than stored\n" in said
    assert "  cell 2 gives something else since the fixes; the new output is written" in said
    assert to_json([report])["notebooks"][0]["changed_by_fixes"] == [2]


def test_cells_that_run_and_give_something_else_are_named_at_the_end(document: Make) -> None:
    given = document(
        shown("print(1 + 1)", "2\n"),
        shown("print(2 + 1)", "30\n"),
        shown("print({'b', 'a'})", "{'a', 'b'}\n"),
        shown("import time\nprint(time.time())", "1.5\n"),
        shown("print(2 + 3)", "50\n"),
        shown("# NBVAL_IGNORE_OUTPUT\nprint(2 + 4)", "60\n"),
    )
    report, seen = batch(given).run()
    assert report.exit_code == 0
    said = format_reports([report])
    assert said.splitlines()[-1] == "  cells 2 and 5 run, but give something else than stored"
    assert format_totals([report, report]).endswith("; 4 cells run, but give something else than stored")
    assert to_json([report])["notebooks"][0]["differs_from_stored"] == [2, 5]
    assert "stored: 30" in " ".join(format_reports([report], verbose=True).split())
    page = format_page([report])
    assert "Cells 2 and 5 run, but give something else than stored." in page
    assert "<pre>30</pre>" in page
    assert json.dumps(build_healed_notebook(given, report, seen, in_place=True)) == json.dumps(given.raw)


def test_where_all_is_as_it_was_nothing_is_said(document: Make) -> None:
    report, _ = batch(document(shown("print(1 + 1)", "2\n"), "print(3)")).run()
    assert "stored" not in format_reports([report], verbose=True)
    assert to_json([report])["notebooks"][0]["differs_from_stored"] == []


@pytest.mark.parametrize(
    ("outputs", "agreement"),
    [
        (("5\n", "7\n", "9\n"), Agreement(3, 3)),
        (("5\n", "0\n", "0\n"), Agreement(3, 1)),
        (("5\n", "2\n", "0\n"), Agreement(3, 1)),
    ],
)
def test_a_heal_is_told_how_many_healthy_cells_give_what_is_stored(
    document: Make, outputs: tuple[str, ...], agreement: Agreement
) -> None:
    given = document(
        shown("print(2 + 3)", outputs[0]),
        shown("print(3 + 4)", outputs[1]),
        shown("print(4 + 5)", outputs[2]),
        shown("print('a constant')", "a constant\n"),
        shown("import random\nprint(random.random())", "7.25\n"),
        shown("import sklearn_like as m\nprint(m.fit(1))", "1\n"),
        "print('x'.uper())",
    )
    made = batch(given)
    made.run()
    cases = made.loop.cases  # type: ignore[attr-defined]
    assert cases[-1].notebook.agreement == agreement


def test_a_cell_that_depends_on_an_unhealed_one_says_nothing_of_what_is_stored(document: Make) -> None:
    given = document("x = 1", "x = missing + 1", shown("print(x + 4)", "7\n"), "print('x'.uper())")
    made = batch(given)
    report, _ = made.run()
    assert made.loop.cases[-1].notebook.agreement == Agreement()  # type: ignore[attr-defined]
    assert report.differing == ()
    assert report.healed == given.notebook


def test_a_healed_cell_that_draws_is_not_said_to_give_something_else(document: Make) -> None:
    given = document(
        shown("import random\nprint('a'.upper(), random.random())", "A 7.25\n"),
        shown("print(random.random(), 'b'.uper())", "7.25 B\n"),
    )
    report, _ = batch(
        given,
        lambda case: [Patch((Replace("c1", case.failure.source, case.failure.source.replace("uper", "upper")),), "x")],
    ).run()
    assert [r.status for r in report.records] == [Status.RAN, Status.HEALED]
    assert report.reproduced_outputs == (0, 1)
    assert report.differing == ()


@pytest.mark.parametrize(
    ("stored", "status"),
    [
        ("2\n", Status.HEALED),  # it ran on the text that the failing cell left, and gave "11"
        ("11\n", Status.REVERTED),
        ("", Status.REVERTED),
        ("2 at 9:30\n", Status.REVERTED),  # of a cell that reads the clock, what is stored says nothing
    ],
)
def test_a_fix_stays_that_breaks_nothing_but_what_ran_on_what_a_failure_had_left(
    document: Make, stored: str, status: Status
) -> None:
    clock = "import time\ntime.time()\n" if "at" in stored else ""
    below = shown(f"{clock}print(value + '1')", stored) if stored else f"{clock}print(value + '1')"
    given = document("value = '1'", "value = as_number(value)", below)
    report, _ = batch(given, with_definition("value = int(value)", "c1")).run()
    assert [r.status for r in report.records][1:] == [
        status,
        Status.NOT_HEALED if status is Status.HEALED else Status.FOLLOWED,
    ]
