from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from jupyter_selfheal.model import Case, FailureKind, Insert, Oracle, Patch, Replace
from jupyter_selfheal.surfaces.notebook.outputs import build_healed_notebook
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import Status
from tests.batches import batch, cell

Make = Callable[..., Document]


def sources(document: Document, fixer: Callable[[Case], Iterator[Patch]]) -> list[str]:
    report, seen = batch(document, fixer).run()
    assert all(r.status in (Status.RAN, Status.HEALED) for r in report.records), report.summary
    return ["".join(c["source"]) for c in build_healed_notebook(document, report, seen, in_place=True)["cells"]]


def plus(case: Case) -> Iterator[Patch]:
    for one in case.notebook.cells:
        if " - " in one.source:
            yield Patch((Replace(one.id, one.source, one.source.replace(" - ", " + ")),), "Add")


def test_what_the_line_expects_is_read_and_the_file_keeps_the_line(document: Make) -> None:
    line = "%%heal --expect 5 --check \"assert x == 5\" --spec 'add them' --budget 0.5"
    given = document(f"{line}\nx = 2 - 3\nx", "y = x")
    assert given.notebook.cells[0].oracle == Oracle("5", "", ("assert x == 5",), "add them")
    assert "\n%%heal" not in "\n" + given.notebook.cells[0].source
    report, _ = batch(given).run()
    assert report.records[0].failure[0].kind is FailureKind.MISSED
    assert sources(given, plus) == [f"{line}\nx = 2 + 3\nx", "y = x"]


def test_lines_keep_their_numbers(document: Make) -> None:
    given = document("%%heal --stdout hello\n\nx = 1\nx.real_")
    report, _ = batch(given).run()
    assert report.records[0].failure[0].line == 4


def test_a_cell_that_is_not_healed_is_written_as_it_was(document: Make) -> None:
    text = "\n%%heal --expect 2\n%%time\nx = 2"
    given = document(text, "y = 2 - 3", cell("%%heal approve\nz = 1", metadata={"tags": ["raises-exception"]}))
    assert given.notebook.cells[0].source == "\n%%time\n# %%heal --expect 2\nx = 2"
    assert given.notebook.cells[2].source == "%%heal approve\nz = 1", "a command is not an expectation"
    report, seen = batch(given).run()
    raw = build_healed_notebook(given, report, seen, in_place=False)
    assert "".join(raw["cells"][0]["source"]) == text


def test_a_cell_magic_below_the_line_stays_below_it(document: Make) -> None:
    given = document("%%heal --expect 5\n%%time\nx = 2 - 3\nx")
    assert sources(given, plus) == ["%%heal --expect 5\n%%time\nx = 2 + 3\nx"]


def test_a_line_put_above_the_comment_comes_below_the_line(document: Make) -> None:
    def fixer(case: Case) -> Iterator[Patch]:
        source = case.failure.source
        yield Patch((Replace(case.failure.cell_id, source, "import math\n" + source),), "Import math")

    given = document("%%heal --expect 2.0\nmath.sqrt(4)")
    assert sources(given, fixer) == ["%%heal --expect 2.0\nimport math\nmath.sqrt(4)"]


def test_an_inserted_cell_has_no_line(document: Make) -> None:
    def fixer(case: Case) -> Iterator[Patch]:
        yield Patch((Insert("new", "import math", case.failure.cell_id),), "Import math")

    given = document("%%heal --expect 2.0\nmath.sqrt(4)")
    assert sources(given, fixer) == ["import math", "%%heal --expect 2.0\nmath.sqrt(4)"]


@pytest.mark.parametrize("line", ["%%heal --nope 3", "%%heal --expect 'open", "%%heal --expect 1 +"])
def test_a_line_that_cannot_be_read_is_said_and_left(document: Make, line: str) -> None:
    given = document(f"{line}\n1")
    assert given.notebook.cells[0].source == f"{line}\n1"
    assert not given.notebook.cells[0].oracle
    assert [n for n in given.notes if n.startswith("cell 1: its %%heal line cannot be read: ")], given.notes


def test_the_line_is_in_view_and_wins_over_the_metadata(document: Make) -> None:
    own = {"selfheal": {"expect": "1", "stdout": "x", "check": ["assert a"]}}
    given = document(cell("%%heal --expect 2 --check 'assert b'\n2", metadata=own))
    assert given.notebook.cells[0].oracle == Oracle("2", "x", ("assert a", "assert b"))


def test_a_name_of_the_notebook_is_meant_as_one(document: Make) -> None:
    given = document("wanted = 3", "%%heal --expect 'wanted'\n3", "%%heal --expect 'other'\n'other'")
    assert [c.oracle.expect for c in given.notebook.cells] == ["", "wanted", "'other'"]
    assert json.loads(given.path.read_text()) == given.raw
