from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from jupyter_selfheal.model import Case, Cell, Cost, Diagnosis, Failure, Patch, Replace
from jupyter_selfheal.surfaces.notebook.html import format_page
from jupyter_selfheal.surfaces.notebook.outputs import build_executed_notebook, build_healed_notebook
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.report import to_json, write_report
from jupyter_selfheal.surfaces.notebook.table import format_reports, format_totals, list_paid
from tests.batches import batch, cell

Make = Callable[..., Document]


def upper(case: Case) -> Iterator[Patch]:
    source = case.failure.source
    yield Patch(
        (Replace(case.failure.cell_id, source, source.replace("uper", "upper")),), "Write 'upper' <b>", why="one slip"
    )


@pytest.fixture
def healed(document: Make) -> tuple[Document, NotebookReport, dict]:  # type: ignore[type-arg]
    given = document("a = '<script>'", "a.uper()", "missing_thing", "missing_thing + 1", "print(a)")
    report, seen = batch(given, upper).run()
    return given, report, seen


def test_the_json_report_has_a_stable_form(healed: tuple[Document, NotebookReport, dict], tmp_path: Path) -> None:  # type: ignore[type-arg]
    raw = to_json([healed[1]])
    assert raw["schema"] == 2
    assert raw["exit_code"] == 1
    cells = raw["notebooks"][0]["cells"]
    assert [c["status"] for c in cells] == ["ran", "healed", "not healed", "not healed", "ran"]
    assert set(cells[1]) == {
        "cell", "id", "status", "failure", "kind", "cause", "skip_reason", "detail", "cascade_of", "seconds", "cost_usd",
        "cost_by", "tokens_by", "reason", "run", "stored_output", "attempts", "also_heals", "fix"
    }  # fmt: skip
    assert cells[1]["fix"]["diff"].splitlines() == ["@@ cell 2 @@", "-a.uper()", "+a.upper()"]
    assert cells[1]["fix"]["proven_from"] == ["before the cell"]
    write_report(tmp_path / "r.json", [healed[1]])
    assert json.loads((tmp_path / "r.json").read_text()) == raw


def test_the_table_says_who_was_paid_what_in_one_line(healed: tuple[Document, NotebookReport, dict]) -> None:  # type: ignore[type-arg]
    report = healed[1]
    assert list(list_paid(report)) == []
    spent = (
        {"language_model": Cost(0.004, 1200, 300, 1), "judge": Cost(0.001, calls=1)},
        {"language_model": Cost(0.002, calls=1)},
    )
    records = [replace(r, cost_by=by) for r, by in zip(report.records, spent, strict=False)]
    paid = replace(report, records=(*records, *report.records[2:]))
    assert "  paid: language model $0.0060; judge $0.0010" in format_reports([paid]).splitlines()
    unpriced = replace(
        report, records=(replace(report.records[0], cost_by={"judge": Cost(0, 900, 100, 1, unknown=True)}),)
    )
    assert list(list_paid(unpriced)) == ["paid: judge cost unknown (1,000 tokens)"]
    assert format_totals([paid, paid]).endswith("; paid: language model $0.0120; judge $0.0020"), "of all jobs together"
    assert "paid" not in format_totals([report])


def test_the_page_is_one_file_that_fetches_nothing_and_escapes_everything(
    healed: tuple[Document, NotebookReport, dict],  # type: ignore[type-arg]
) -> None:
    text = format_page([healed[1]])
    assert "<script" not in text
    assert "Write &#39;upper&#39; &lt;b&gt;" in text
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", text)
    assert "prefers-color-scheme: dark" in text
    targets = re.findall(r'href="#([^"]+)"', text)
    assert {"n1-c2", "n1-c3", "n1-c4"} <= set(targets), "every cell that is told of can be pointed at"
    assert set(targets) <= set(re.findall(r'id="([^"]+)"', text))
    yours = text[text.index("Needs your attention") : text.index("<section")]
    assert (yours.count("<li>"), yours.count("<a ")) == (1, 2), (
        "what is not healed is for a person, what is alike in one line"
    )

    class Balanced(HTMLParser):
        stack: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "img", "br"):
                self.stack.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.stack.pop() == tag

    parser = Balanced()
    parser.feed(text)
    assert parser.stack == []


def test_the_page_of_several_notebooks_begins_with_an_overview(
    healed: tuple[Document, NotebookReport, dict],  # type: ignore[type-arg]
) -> None:
    failed = NotebookReport("/some/where/broken.ipynb", error="/some/where/broken.ipynb: not valid JSON")
    text = format_page([healed[1], failed])
    assert "<h1>1 cell healed in 1 of 2 notebooks</h1>" in text
    assert "<b>1</b>could not be run" in text
    assert "could not be run" not in format_page([healed[1]])
    assert "<h1>1 cell healed in 1 notebook</h1>" in format_page([healed[1]])
    assert 'aria-label="2 ran, 1 healed, 2 still broken"' in text
    assert 'not valid JSON · <a href="#n2">broken.ipynb</a>' in text
    assert "jupyter selfheal trace run-1" in text


def test_what_is_to_be_done_is_said_once_and_in_order() -> None:
    def report(name: str, *found: tuple[Status, str, str]) -> NotebookReport:
        records = (
            Record(
                Cell(f"c{n}", "x"),
                n,
                status,
                (Failure(f"c{n}", "x", ename="KeyError", evalue="'x'"),),
                Diagnosis(cause),
                detail=detail,
            )
            for n, (status, cause, detail) in enumerate(found, start=1)
        )
        return NotebookReport(name, records=tuple(records))

    left, lacks = Status.LEFT_ALONE, "It is not installed here."
    network = (left, "The cell needs the network.", "Run it where the address can be reached.")
    first = report("a.ipynb", (Status.NOT_HEALED, "", "nothing was found"), (Status.CASCADE, "", ""), network)
    second = report(
        "b.ipynb", (left, lacks, "`%pip install tabulate`"), (left, lacks, "`%pip install lifelines`"), network
    )
    late = [NotebookReport(f"{name}.ipynb", error=f"{name}.ipynb: the time is up") for name in ("c", "d")]
    text = re.sub(r"<[^>]+>", "", format_page([first, second, *late]))
    lines = [line.strip() for line in text[text.index("Needs your attention") : text.index("Notebooks")].splitlines()]
    assert list(filter(None, lines))[1:] == [
        "the time is up · c.ipynb, d.ipynb",
        "%pip install lifelines tabulate, or heal again with --install, which proves it first · b.ipynb, cell 1, cell 2",
        "The cell needs the network. Run it where the address can be reached. · a.ipynb, cell 3, b.ipynb, cell 3",
        "not healed: KeyError: &#39;x&#39; (nothing was found) · a.ipynb, cell 1",
    ]
    assert "1fails because of those" in text


def test_the_table_says_what_was_healed_and_what_was_not(healed: tuple[Document, NotebookReport, dict]) -> None:  # type: ignore[type-arg]
    text = format_reports([healed[1]])
    assert "given.ipynb: 5 code cells: 2 ran, 1 healed, 2 not healed" in text
    assert "Write 'upper'" in text
    assert "nobody knows" in text
    assert max(map(len, text.splitlines())) <= 170


def test_in_place_only_healed_cells_get_new_outputs(document: Make) -> None:
    stored = [{"output_type": "stream", "name": "stdout", "text": ["as stored\n"]}]
    error = [{"output_type": "error", "ename": "AttributeError", "evalue": "x", "traceback": []}]
    given = document(
        cell("print('now')", outputs=stored, execution_count=7),
        cell("print('a'.uper())", outputs=error, execution_count=8),
        cell("print('fresh')"),
    )
    report, seen = batch(given, upper).run()
    in_place = build_healed_notebook(given, report, seen, in_place=True)["cells"]
    assert [c["outputs"] and c["outputs"][0].get("text") for c in in_place] == [["as stored\n"], ["A\n"], []]
    assert [c["execution_count"] for c in in_place] == [7, 2, None]
    elsewhere = build_healed_notebook(given, report, seen, in_place=False)["cells"]
    assert [c["outputs"][0]["text"] for c in elsewhere] == [["as stored\n"], ["A\n"], ["fresh\n"]]
    executed = build_executed_notebook(given, report, seen)["cells"]
    assert [c["outputs"][0]["text"] for c in executed] == [["now\n"], ["A\n"], ["fresh\n"]]


def test_the_report_says_whether_healed_cells_reproduce_what_is_stored(document: Make) -> None:
    def stored(text: str) -> list[dict[str, object]]:
        return [{"output_type": "stream", "name": "stdout", "text": [text]}]

    error = [{"output_type": "error", "ename": "AttributeError", "evalue": "x", "traceback": []}]
    given = document(
        cell("print('ab'.uper())", outputs=stored("AB\n")),
        cell("print('cd'.uper())", outputs=stored("CDE 7\n")),
        cell("print('ef'.uper())", outputs=error),
        cell("print('gh'.uper())"),
        cell("# NBVAL_IGNORE_OUTPUT\nprint('ij'.uper())", outputs=stored("other\n")),
        cell("print('kl')", outputs=stored("not healed, not asked\n")),
    )
    report, _ = batch(given, upper).run()
    assert report.reproduced_outputs == (1, 2)
    raw = to_json([report])
    assert raw["stored_outputs"] == {"compared": 2, "reproduced": 1}
    found = [c["stored_output"] for c in raw["notebooks"][0]["cells"]]
    assert found[0] == {"reproduced": True, "match": "same", "similarity": 1.0, "stored": "AB", "now": "AB"}
    assert (found[1]["reproduced"], found[1]["stored"], found[1]["now"]) == (False, "CDE 7", "CD")
    assert found[2:5] == [None] * 3
    assert found[5]["match"] == "differs in value", "a healthy cell that gives something else is said too"
    assert raw["notebooks"][0]["differs_from_stored"] == [2, 6]
    assert "1 of 2 healed cells with a stored output reproduce it" in format_reports([report])
    assert "2 notebooks: 2 run; 10 cells healed; 2 of 4 healed" in format_totals([report, report])


def test_two_notebooks_of_one_name_are_told_apart() -> None:
    fails = Record(Cell("c1", "x"), 1, Status.NOT_HEALED, (Failure("c1", "x", ename="NameError", evalue="x"),))
    reports = [NotebookReport(f"{folder}/problem1.ipynb", records=(fails,)) for folder in ("release", "source")]
    page = format_page(reports)
    assert '<a href="#n2">source/problem1.ipynb</a>' in page
    assert '<a href="#n2-c1">source/problem1.ipynb, cell 1</a>' in page
    assert "source/problem1.ipynb: 1 code cell" in format_reports(reports)


def test_a_notebook_without_code_is_not_said_to_be_unrunnable() -> None:
    page = format_page([NotebookReport("words.ipynb"), NotebookReport("bad.ipynb", error="bad.ipynb: not JSON")])
    assert page.count('class="bars">could not be run') == 1
    assert "<b>1</b>could not be run" in page


def test_the_dot_of_a_notebook_has_the_colour_of_what_is_worst_in_its_bar(document: Make) -> None:
    broken, _ = batch(document("missing_thing"), upper).run()
    left_alone = replace(broken, records=tuple(replace(r, status=Status.LEFT_ALONE) for r in broken.records))
    dots = re.findall(r'<td><span class="dot code(\d)"', format_page([broken, left_alone]))
    assert dots == ["2", "1"]
