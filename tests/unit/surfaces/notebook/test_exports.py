"""Reports for other tools hold what their readers need, in a form that those accept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from jupyter_selfheal.surfaces.notebook.exports import (
    find_open_fence,
    format_annotations,
    format_junit,
    format_markdown,
    format_sarif,
    to_sarif,
)
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import CellWarning, NotebookReport, Status
from jupyter_selfheal.surfaces.notebook.report import SCHEMA, to_json, write_report
from tests.batches import batch, cell
from tests.unit.surfaces.notebook.test_report import upper

Make = Callable[..., Document]
PUBLISHED = Path(__file__).parents[4] / "docs" / "report.schema.json"
SECRET = "sk-ant-api03-" + "a" * 90


@pytest.fixture
def reports(document: Make, monkeypatch: pytest.MonkeyPatch) -> list[NotebookReport]:
    """A notebook with a healed cell, two that fail, a cascade; and a file that is no notebook."""
    given = document(
        "a = '<b>'",
        "a.uper()",
        cell(
            "# a comment\n\nmissing_thing",
            outputs=[{"output_type": "stream", "name": "stdout", "text": ['"source": x\n']}],
        ),
        f"raise ValueError('\\x1b[31m ]]> & % {SECRET}')",
        "1 + missing_thing",
    )
    monkeypatch.chdir(given.path.parent)
    report, _ = batch(given, upper).run()
    return [report, NotebookReport("bad, odd.ipynb", error="bad, odd.ipynb: not valid JSON")]


def test_every_form_is_written_by_its_ending_and_tells_no_secret(reports: list[NotebookReport], tmp_path: Path) -> None:
    for name in ("r.xml", "r.md", "r.sarif"):
        write_report(tmp_path / name, reports)
        text = (tmp_path / name).read_text()
        assert "thing" in text
        assert SECRET not in text


def test_junit_has_a_suite_a_notebook_and_a_case_a_cell(reports: list[NotebookReport]) -> None:
    top = ElementTree.fromstring(format_junit(reports))
    first, second = top.findall("testsuite")
    assert (first.get("tests"), first.get("failures"), first.get("errors")) == ("5", "3", "0")
    cases = first.findall("testcase")
    assert [c.get("name") for c in cases] == [f"cell {n}" for n in range(1, 6)]
    assert [c.find("failure") is not None for c in cases] == [False, False, True, True, True]
    assert "+a.upper()" in (cases[1].findtext("system-out") or "")
    assert cases[2].find("failure").get("message") == "NameError: name 'missing_thing' is not defined"  # type: ignore[union-attr]
    assert second.find("testcase/error") is not None


def test_markdown_begins_with_what_fails_and_shows_each_diff(reports: list[NotebookReport]) -> None:
    text = format_markdown(reports)
    order = ["2 notebooks", "### Could not be run", "### Still fails", "### Healed", "+a.upper()"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "<b>" not in text.partition("### Healed")[0]
    assert "name 'missing\\_thing' is not defined" in text


def test_no_text_of_a_notebook_closes_the_code_that_its_diff_stands_in(document: Make) -> None:
    given = document('TEXT = """\n~~~~\n~~~~~\n"""\n"a".uper()')
    report, _ = batch(given, upper).run()
    lines = format_markdown([report]).splitlines()
    begin = next(n for n, line in enumerate(lines) if line.endswith("diff"))
    fence = lines[begin].strip().removesuffix("diff")
    assert '+"a".upper()' in "\n".join(lines[begin : lines.index(f"  {fence}", begin)])
    assert [line for line in lines if line.strip() == fence] == [f"  {fence}"]
    assert find_open_fence(lines) == ""
    assert find_open_fence(lines[: begin + 3]) == f"  {fence}"


def test_markdown_shows_each_offer_below_its_cell_and_with_its_diff(reports: list[NotebookReport]) -> None:
    healed = reports[0]
    records = [replace(r, status=Status.PROPOSED) if r.status is Status.HEALED else r for r in healed.records]
    text = format_markdown([replace(healed, records=tuple(records))])
    failing, _, offered = text.partition("### Offered")
    lines = failing.splitlines()
    at = next(n for n, line in enumerate(lines) if ", cell 2" in line)
    assert "AttributeError" in lines[at - 1], "what it fails of is told once, above it"
    assert lines[at + 1].startswith("    - proposed: ")
    assert "+a.upper()" in offered
    assert "### Healed" not in text


def test_sarif_points_at_the_failing_line_of_the_file(reports: list[NotebookReport]) -> None:
    raw = to_sarif(reports)
    results = raw["runs"][0]["results"]
    lines = (Path(reports[0].path).read_text()).splitlines()
    pointed = [r["locations"][0]["physicalLocation"] for r in results]
    assert [lines[p["region"]["startLine"] - 1].strip(' ",') for p in pointed[:1]] == ["missing_thing"]
    assert pointed[0]["artifactLocation"]["uri"] == "given.ipynb"
    assert pointed[-1] == {"artifactLocation": {"uri": "bad%2C%20odd.ipynb"}, "region": {"startLine": 1}}
    assert {r["ruleId"] for r in results} == {r["id"] for r in raw["runs"][0]["tool"]["driver"]["rules"]}
    assert json.loads(format_sarif(reports)) == raw


def test_annotations_are_one_line_each_as_github_reads_them(reports: list[NotebookReport]) -> None:
    first, *_, last = format_annotations(reports)
    assert first.startswith("::error file=")
    assert ",title=cell 3 fails::NameError: name 'missing_thing' is not defined" in first
    assert last == "::error file=bad%2C odd.ipynb::bad, odd.ipynb: not valid JSON"
    assert not [line for line in format_annotations(reports) if "\n" in line]
    assert "%25" in "".join(format_annotations(reports))


def test_the_json_report_is_what_its_schema_says(reports: list[NotebookReport]) -> None:
    schema = json.loads(PUBLISHED.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    raw = json.loads(json.dumps(to_json(reports)))
    validator.validate(raw)
    assert schema["properties"]["schema"]["const"] == SCHEMA
    notebook = schema["$defs"]["notebook"]["properties"]
    assert set(raw["notebooks"][0]) <= set(notebook), "every key is told of"
    assert set(raw["notebooks"][0]["cells"][1]) <= set(schema["$defs"]["cell"]["properties"])
    assert set(raw["notebooks"][0]["cells"][1]["fix"]) <= set(schema["$defs"]["fix"]["properties"])
    raw["notebooks"][0]["cells"][0]["status"] = "unheard of"
    assert not validator.is_valid(raw)


def test_markdown_has_a_section_of_what_will_stop_working(reports: list[NotebookReport]) -> None:
    warned = CellWarning(2, "FutureWarning: `H` is <deprecated>", "healed", "Change 'H' to 'h'")
    text = format_markdown([replace(reports[0], warnings=(warned,))])
    assert text.startswith("**1 notebook: ")
    place = f"- `{reports[0].path}`, cell 2: "
    said = f"{place}FutureWarning: `H` is \\<deprecated\\>: healed: Change 'H' to 'h'"
    assert text.endswith(f"### Warned of what will stop working\n\n{said}\n")
    assert "Warned of" not in format_markdown(reports)


def test_markdown_says_what_a_person_can_do_once_where_it_is_the_same_for_all_cells(
    reports: list[NotebookReport],
) -> None:
    def lines(*details: str) -> list[str]:
        failed = next(r for r in reports[0].records if r.status is Status.NOT_HEALED)
        records = tuple(replace(failed, number=n, detail=detail) for n, detail in enumerate(details, 1))
        return [line for line in format_markdown([replace(reports[0], records=records)]).splitlines() if "`" in line]

    assert lines("Set `KEY`.", "Set `KEY`.")[0].endswith(" → Set `KEY`.")
    assert [line.count("→") for line in lines("Set `KEY`.", "Set `KEY`.")] == [1, 0, 0]
    assert [line.rpartition(" → ")[2] for line in lines("Set `KEY`.", "Make `data/`.")] == [
        "Set `KEY`.",
        "Make `data/`.",
    ]
