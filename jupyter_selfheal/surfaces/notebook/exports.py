"""The report as other tools read it: JUnit XML, Markdown, SARIF, and GitHub's annotations."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from jupyter_selfheal._version import __version__
from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.model import JSON, diff_patch, format_diff
from jupyter_selfheal.surfaces.notebook.drift import measure_drift
from jupyter_selfheal.surfaces.notebook.overview import group_by_cause
from jupyter_selfheal.surfaces.notebook.places import FilePlaces
from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.roots import describe_reach
from jupyter_selfheal.surfaces.notebook.table import format_totals

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_ROOTS = BROKEN - {Status.CASCADE}
_SAID_OF_FIX = {Status.HEALED: "Healed", Status.CASCADE: "Not run"}
_SKIPPED = (Status.SKIPPED, Status.MEANT_TO_FAIL)


def format_junit(reports: Sequence[NotebookReport]) -> str:
    """JUnit XML: a test suite a notebook, a test case a code cell; a notebook that could not be run is an error."""
    top = ElementTree.Element("testsuites", name="jupyter-selfheal")
    for report in reports:
        suite = ElementTree.SubElement(
            top,
            "testsuite",
            name=_clean_for_xml(report.path),
            tests=str(max(len(report.records), 1)),
            failures=str(report.count(*BROKEN)),
            errors=str(int(bool(report.error))),
            skipped=str(report.count(*_SKIPPED)),
            time=f"{report.seconds:.3f}",
        )
        if report.error:
            case = ElementTree.SubElement(
                suite, "testcase", name="notebook", classname=_clean_for_xml(report.path), time="0"
            )
            ElementTree.SubElement(case, "error", message=_clean_for_xml(redact(report.error)))
        for record in report.records:
            _add_case(suite, report, record)
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"


def _add_case(suite: ElementTree.Element, report: NotebookReport, record: Record) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        name=f"cell {record.number}",
        classname=_clean_for_xml(report.path),
        time=f"{record.seconds:.3f}",
    )
    if record.status in BROKEN:
        failure = ElementTree.SubElement(
            case, "failure", type=record.status.value, message=_clean_for_xml(redact(record.headline or record.detail))
        )
        failure.text = _clean_for_xml(redact("\n".join(explain_record(report, record))))
    elif record.status in _SKIPPED:
        ElementTree.SubElement(case, "skipped", message=_clean_for_xml(record.detail or record.status.value))
    elif record.status is Status.HEALED:
        ElementTree.SubElement(case, "system-out").text = _clean_for_xml(
            redact("\n".join(explain_record(report, record)))
        )


def _clean_for_xml(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff") else "?" for c in text)


def format_markdown(reports: Sequence[NotebookReport]) -> str:
    """Markdown, as for a job's summary or a pull request: what fails by cause first, then what was healed and what is offered, with its diffs."""
    lines = [
        f"**{_escape_prose(format_totals(reports))}**",
        "",
        *format_failing(reports),
        "",
        *format_healed(reports),
        *_format_offered(reports),
        *_format_warnings(reports),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def format_failing(reports: Sequence[NotebookReport]) -> Iterator[str]:
    """Lines of Markdown: the notebooks that could not be run, and what fails, by cause."""
    if errors := [r for r in reports if r.error]:
        yield from ("### Could not be run", "", *map(_format_error, errors), "")
    for number, (cause, places) in enumerate(group_by_cause(reports)):
        yield from () if number else ("### Still fails", "")
        yield from _format_cause(cause, places)


def _format_cause(cause: str, places: Sequence[tuple[NotebookReport, Sequence[Record]]]) -> Iterator[str]:
    """One cause and its cells; what a person can do behind the cause where that is the same for all of them, else behind each cell."""
    advice = {"" if record.candidate else record.detail for _, records in places for record in records}
    of_all = advice.pop() if len(advice) == 1 else ""
    yield f"- {_format_said(cause, of_all)}"
    for report, records in places:
        for record in records:
            said = record.headline or record.detail
            own = "" if record.candidate or record.detail in (said, of_all) else record.detail
            more = _format_said("" if said == cause else said, own)
            yield f"  - `{report.path}`, cell {record.number}{': ' * bool(more)}{more}"
            yield from (f"    - proposed: {_escape_prose(redact(c.patch.title))}" for c in record.candidate)


def _format_said(said: str, advice: str) -> str:
    """What fails, and behind an arrow what a person can do."""
    return " → ".join(_escape_prose(redact(text)) for text in dict.fromkeys((said, advice)) if text)


def _format_error(report: NotebookReport) -> str:
    error = report.error.removeprefix(f"{report.path}: ")
    return f"- `{report.path}`: {_escape_prose(redact(error))}"


def _format_offered(reports: Sequence[NotebookReport]) -> Iterator[str]:
    """Lines of Markdown: each fix that is offered and was not applied, with its evidence and diff."""
    offered = [(r, record) for r in reports for record in r.records if record.status is Status.PROPOSED]
    yield from ("### Offered", "") if offered else ()
    for report, record in offered:
        yield from _format_fix(report, record)


def _format_warnings(reports: Sequence[NotebookReport]) -> Iterator[str]:
    """Lines of Markdown: what will stop working some day, and what became of it."""
    warned = [(r, w) for r in reports for w in r.warnings]
    yield from ("### Warned of what will stop working", "") if warned else ()
    for report, warning in warned:
        said = f"{warning.headline}: {warning.status}" + (f": {warning.title}" if warning.title else "")
        yield f"- `{report.path}`, cell {warning.cell}: {_escape_prose(redact(said))}"


def format_healed(reports: Sequence[NotebookReport]) -> Iterator[str]:
    """Lines of Markdown: each fix with its cause, evidence and diff, and what changed beside it."""
    healed = [r for r in reports if r.count(Status.HEALED)]
    yield from ("### Healed", "") if healed else ()
    for report in healed:
        for record in report.records:
            if record.status is Status.HEALED:
                yield from _format_fix(report, record)
        for environment in report.elsewhere:
            yield from (f"- `{report.path}`: {_escape_prose(redact(environment.words))}", "")
        if (drift := measure_drift(report)) is not None:
            yield from (f"- `{report.path}`, run time, memory and outputs: {_escape_prose(drift.words)}", "")


def _format_fix(report: NotebookReport, record: Record) -> Iterator[str]:
    candidate = record.candidate[0]
    yield f"- `{report.path}`, cell {record.number}: {_escape_prose(redact(record.headline))}"
    yield f"  - cause: {_escape_prose(redact(record.cause or record.headline))}"
    yield f"  - fix: {_escape_prose(redact(candidate.patch.title))}, score {candidate.verdict.score:g} of 10"
    yield from (f"  - {_escape_prose(redact(reason))}" for reason in candidate.verdict.reasons)
    yield from (f"  - {reach}" for reach in [describe_reach(report, record)] if reach)
    if record.stored.differs:
        yield "  - its output shows another value than the stored one"
    yield ""
    diff = redact(_format_fix_diff(report, record))
    fence = _choose_fence(diff)
    yield from (f"  {fence}diff", *(f"  {line}" for line in diff.splitlines()), f"  {fence}", "")


_FENCE = re.compile(r"  (~{4,})diff")
_TILDES = re.compile(r"~{4,}")


def _choose_fence(text: str) -> str:
    """A fence that no line of the text closes: a notebook's text must not be read as Markdown of ours."""
    return "~" * max(4, 1 + max((len(run[0]) for run in _TILDES.finditer(text)), default=0))


def find_open_fence(lines: Sequence[str]) -> str:
    """The line that closes the code which is open behind these lines of Markdown of ours; empty where none is."""
    closing = ""
    for line in lines:
        if not closing and (opening := _FENCE.fullmatch(line)):
            closing = f"  {opening[1]}"
        elif line == closing:
            closing = ""
    return closing


def _escape_prose(text: str) -> str:
    """A line of prose: what Markdown or HTML would take for its own stands for itself; code between backticks stays code."""
    parts = " ".join(text.split()).split("`")
    marks = str.maketrans({c: f"\\{c}" for c in "\\*_[]<>#|~"})
    even = len(parts) % 2 == 1
    return "`".join(part if even and n % 2 else part.translate(marks) for n, part in enumerate(parts))


def to_sarif(reports: Sequence[NotebookReport]) -> dict[str, JSON]:
    """SARIF 2.1.0, which code scanning shows: a result for each cell that fails of itself, and for each notebook that cannot be run."""
    places = FilePlaces()
    results = [
        _build_result(report.path, places.find_line(report, record), record.headline or record.status.value, record.cause,
                      proposed=record.candidate[0].patch.title if record.candidate else "")
        for report in reports for record in report.records if record.status in _ROOTS
    ]  # fmt: skip
    results += [_build_result(r.path, 1, r.error, "cannot be run") for r in reports if r.error]
    rules = [{"id": rule} for rule in dict.fromkeys(r["ruleId"] for r in results)]
    driver = {"name": "jupyter-selfheal", "version": __version__, "rules": rules}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _build_result(path: str, line: int, headline: str, cause: str, proposed: str = "") -> dict[str, JSON]:
    said = ". ".join(dict.fromkeys(s.rstrip(".") for s in (headline, cause) if s))
    text = redact(f"{said}. Proposed: {proposed}" if proposed else said)
    return {
        "ruleId": headline.partition(":")[0] if headline.partition(":")[0].isidentifier() else "notebook",
        "level": "error",
        "message": {"text": text or "fails"},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": _to_uri(path)}, "region": {"startLine": line}}}
        ],
    }


def _to_uri(path: str) -> str:
    """A path below the working directory as a relative URI, any other as an absolute one."""
    from urllib.parse import quote

    absolute = Path(os.path.abspath(path))
    if absolute.is_relative_to(Path.cwd()):
        return quote(absolute.relative_to(Path.cwd()).as_posix())
    return absolute.as_uri()


def format_annotations(reports: Sequence[NotebookReport]) -> Iterator[str]:
    """GitHub's workflow commands: an error at the failing line of each cell that fails of itself."""
    places = FilePlaces()
    for report in reports:
        if report.error:
            yield f"::error file={_to_property(report.path)}::{_to_data(redact(report.error))}"
        for record in report.records:
            if record.status in _ROOTS:
                line = places.find_line(report, record)
                title = _to_property(f"cell {record.number} fails")
                said = redact("\n".join(explain_record(report, record)))
                yield f"::error file={_to_property(report.path)},line={line},title={title}::{_to_data(said)}"


def _to_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _to_property(text: str) -> str:
    return _to_data(text).replace(":", "%3A").replace(",", "%2C")


def explain_record(report: NotebookReport, record: Record) -> Iterator[str]:
    """The failure, its cause, what a person can do, and the change that is made or proposed."""
    yield from dict.fromkeys(s for s in (record.headline, record.cause, record.detail) if s)
    if record.candidate:
        yield f"{_SAID_OF_FIX.get(record.status, 'Proposed')}: {record.candidate[0].patch.title}"
        yield from filter(None, [describe_reach(report, record)])
        yield _format_fix_diff(report, record)


def _format_fix_diff(report: NotebookReport, record: Record) -> str:
    return format_diff(diff_patch(record.candidate[0].patch, report.given.name_cell))


def format_sarif(reports: Sequence[NotebookReport]) -> str:
    """The text of a SARIF file."""
    return json.dumps(to_sarif(reports), ensure_ascii=False, indent=2) + "\n"


FORMATS: dict[str, Callable[[Sequence[NotebookReport]], str]] = {
    ".xml": format_junit,
    ".md": format_markdown,
    ".sarif": format_sarif,
}
"""How each of these files is written, by its ending."""
