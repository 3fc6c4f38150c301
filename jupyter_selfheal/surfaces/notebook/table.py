"""The table at the end of a batch run, for a terminal."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from jupyter_selfheal.model import Cost
from jupyter_selfheal.surfaces.notebook.drift import measure_drift
from jupyter_selfheal.surfaces.notebook.open_questions import OpenQuestion, list_open_questions
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.roots import describe_reach
from jupyter_selfheal.surfaces.words import format_doubts, format_money, list_numbers, shorten_answer

HEADERS = ("cell", "failure", "cause", "fix", "proven from", "isolation", "score", "tries", "seconds", "cost")
_NARROW = {"cell": 4, "proven from": 13, "isolation": 9, "score": 5, "tries": 5, "seconds": 7, "cost": 7}
_PROSE = (20, 32)
"""Least and most characters for each of the three columns of prose."""

WIDE = 130
"""Characters that a line must have for the columns to stand beside each other; with fewer they stand below each other."""


def format_reports(reports: Sequence[NotebookReport], verbose: bool = False, columns: int = 160) -> str:
    """Every notebook: its one-line summary, a table of what was healed, and what was left alone, with advice.

    ``columns`` is how many characters a line may have.
    """
    return "\n".join(line for report in reports for line in _format_notebook(report, verbose, columns)).rstrip("\n")


def format_totals(reports: Sequence[NotebookReport]) -> str:
    """One line over several notebooks."""
    codes = [r.exit_code for r in reports]
    unchanged = sum(r.unchanged for r in reports)
    same_as_before = f" ({unchanged} unchanged)" if unchanged else ""
    parts = [
        f"{codes.count(0)} run{same_as_before}",
        f"{codes.count(1)} still broken",
        f"{codes.count(2)} could not be run",
    ]
    healed = sum(r.count(Status.HEALED) for r in reports)
    noun = "notebook" if len(reports) == 1 else "notebooks"
    line = f"{len(reports)} {noun}: {', '.join(p for p in parts if not p.startswith('0 '))}; {healed} {'cell' if healed == 1 else 'cells'} healed"
    offered = sum(r.count(Status.PROPOSED) for r in reports)
    line += f", {offered} with a fix that is offered" if offered else ""
    same, asked = (sum(pair) for pair in zip(*(r.reproduced_outputs for r in reports), strict=True))
    line += f"; {format_reproduced(same, asked)}" if asked else ""
    waiting = sum(len(r.paused_cells) for r in reports)
    line += (
        f"; {waiting} {'cell waits' if waiting == 1 else 'cells wait'} for a service that was down" if waiting else ""
    )
    line += "".join(f"; {text}" for text in list_paid(*reports))
    differing = sum(len(r.differing) for r in reports)
    if not differing:
        return line
    return (
        line
        + f"; {differing} {'cell runs, but gives' if differing == 1 else 'cells run, but give'} something else than stored"
    )


def format_reproduced(same: int, asked: int) -> str:
    """``2 of 3 healed cells with a stored output reproduce it``."""
    noun = "cell" if asked == 1 else "cells"
    return f"{same} of {asked} healed {noun} with a stored output reproduce{'s' if asked == 1 else ''} it"


def _format_notebook(report: NotebookReport, verbose: bool, columns: int) -> Iterator[str]:
    yield from wrap(f"{report.name}: {report.summary}", columns, "", "  ")
    yield from _format_records(report, verbose, columns)
    yield from _format_runs(report, verbose, columns)
    if report.review is not None:
        places = {d.cell_id: f"cell {report.number_of(d.cell_id)}" for d in report.review.doubts}
        yield from format_doubts(report.review.doubts, places, report.review.cells, columns)
        yield from ([f"  note: {report.review.note}"] if report.review.note else [])
    if verbose:
        yield from (f"  {line}" for record in report.differing for line in _format_difference(record))
    yield from (line for note in report.notes for line in _wrap_below(f"note: {note}", columns))
    yield from (line for e in report.elsewhere for line in _wrap_below(e.words, columns))
    yield from _format_warnings(report, columns)
    yield from _format_files(report, columns)
    yield from (line for text in list_differing(report) for line in _wrap_below(text, columns))
    yield from _format_questions(list_open_questions(report), columns)
    yield from (line for text in list_paid(report) for line in _wrap_below(text, columns))
    for last in report.paused_cells[-1:]:
        yield from _wrap_below(_describe_outage(report, last), columns)
    yield ""


def _format_records(report: NotebookReport, verbose: bool, columns: int) -> Iterator[str]:
    """What came of each cell: those with a fix or a failure in the table, the others grouped below it."""
    shown = [r for r in report.records if _is_shown(r)]
    if shown and columns >= WIDE:
        yield from _format_rows([HEADERS, *(_format_row(r) for r in shown)], _choose_widths(columns))
    for record in shown if columns < WIDE else ():
        yield from _format_block(record, columns)
    hidden = {Status.RAN} if verbose else {Status.RAN, Status.FOLLOWED}
    groups: dict[str, list[Record]] = {}
    for record in report.records:
        if record.status not in hidden and not _is_shown(record):
            groups.setdefault(_describe_unhealed(record), []).append(record)
    for said, records in groups.items():
        yield from _format_unhealed(said, records, columns)
    for record in shown:
        if record.status is Status.PROPOSED and (risk := record.candidate[0].patch.risk):
            yield from _wrap_below(
                f"cell {record.number}, what could go wrong with the fix that is offered: {risk}", columns
            )
    for record in report.records:
        if record.status is Status.PROPOSED and (why := record.candidate[0].verdict.difference):
            yield from _wrap_below(f"cell {record.number}, with the fix that is offered: {why}", columns)
        elif record.detail and ((record.status is Status.PROPOSED and not record.questions) or record.is_fix_unrun):
            yield from _wrap_below(f"cell {record.number}: {record.detail}", columns)
    for record in report.records:
        if record.status is Status.RAN and record.detail:
            yield from _wrap_below(f"cell {record.number}: {record.detail}", columns)
    for record in report.records:
        if reach := describe_reach(report, record):
            yield from _wrap_below(reach, columns)


def _is_shown(record: Record) -> bool:
    return bool(record.candidate) or record.status is Status.NOT_HEALED


def _format_runs(report: NotebookReport, verbose: bool, columns: int) -> Iterator[str]:
    """What the clean run, the stored outputs and the drift say of the notebook as a whole."""
    if report.fixes:
        yield f"  {report.clean_run_words}"
    same, asked = report.reproduced_outputs
    if asked:
        yield from _wrap_below(format_reproduced(same, asked), columns)
    if (drift := measure_drift(report)) is not None and (verbose or drift.is_noteworthy):
        yield from _wrap_below(f"run time, memory and outputs: {drift.words}", columns)


def _format_files(report: NotebookReport, columns: int) -> Iterator[str]:
    for change in report.files:
        yield from _wrap_below(f"{Path(change.path).name}: {change.title}: {change.status}", columns)
        yield from (f"    {line}" for line in change.diff.splitlines())
    if report.written:
        yield f"  written: {report.written}"


def _format_warnings(report: NotebookReport, columns: int) -> Iterator[str]:
    """What will stop working some day, a line each."""
    if report.warnings:
        yield "  warned of what will stop working:"
    for warning in report.warnings:
        fix = f": {warning.title}" if warning.title else ""
        yield from wrap(f"cell {warning.cell}: {warning.headline}: {warning.status}{fix}", columns, "    ", "      ")


def _describe_outage(report: NotebookReport, last: Record) -> str:
    """Which cells wait for something outside, as the last of them found it, and how to go on with them."""
    numbers = ", ".join(str(record.number) for record in report.paused_cells)
    cells = f"cell{'s' if len(report.paused_cells) > 1 else ''} {numbers}"
    run = last.run.partition("-")[0]
    how = f"; when that is mended: go on with --resume {run}" if run else ""
    return f"{cells} could not be tried to the end: {last.detail}{how}"


def _format_questions(questions: Sequence[OpenQuestion], columns: int) -> Iterator[str]:
    """Each question with its answers, the line that says the first of them in the notebook, and its id for ``--answers``."""
    if not questions:
        return
    asks = "1 question decides" if len(questions) == 1 else f"{len(questions)} questions decide"
    yield f"  {asks} between fixes:"
    for question in questions:
        shown = [shorten_answer(value) for value in question.values]
        is_named = all(f"`{value}`" in question.text for value in shown)
        answers = "" if is_named else f" {' or '.join(shown)}"
        yield from _wrap_below(f"cell {question.cell}: {question.text}{answers}", columns)
        for value, line in zip(shown, question.lines, strict=True):
            if line:
                yield f"    if {value}:  {line}"
        yield f"    id: {json.dumps(question.id, ensure_ascii=False)}"
    has_line = any(line for question in questions for line in question.lines)
    how = "Put such a line on top of the cell, or give all answers at once" if has_line else "To answer"
    yield from _wrap_below(
        f"{how}: --answers FILE, with a line `id = value` for each (ids and texts in quotes)", columns
    )


def list_differing(report: NotebookReport) -> Iterator[str]:
    """One sentence for the cells that run but give something else than is stored, and one for those that a fix changed."""
    if report.differing:
        yield f"{_format_cells(report.differing, 'runs', 'run')}, but give{_format_plural(report.differing)} something else than stored"
    if report.changed_cells:
        yield f"{_format_cells(report.changed_cells, 'gives', 'give')} something else since the fixes; the new output is written"


def list_paid(*reports: NotebookReport) -> Iterator[str]:
    """One sentence that says what each who was paid cost in these notebooks; none where nobody was."""
    spent: dict[str, Cost] = {}
    for record in (record for report in reports for record in report.records):
        for who, cost in record.cost_by.items():
            spent[who] = spent.get(who, Cost()) + cost
    parts = [
        f"{who.replace('_', ' ')} {format_money(cost)}" for who, cost in spent.items() if cost.usd or cost.input_tokens
    ]
    if parts:
        yield f"paid: {'; '.join(parts)}"


def _format_plural(records: Sequence[Record]) -> str:
    return "s" if len(records) == 1 else ""


def _format_cells(records: Sequence[Record], one: str, many: str) -> str:
    """``cell 2 runs``, ``cells 2, 5 and 7 run``."""
    numbers = [str(r.number) for r in records]
    if len(numbers) == 1:
        return f"cell {numbers[0]} {one}"
    return f"cells {', '.join(numbers[:-1])} and {numbers[-1]} {many}"


def _format_difference(record: Record) -> Iterator[str]:
    yield f"cell {record.number}: gives something else than stored"
    for word, text in (("stored", record.stored.stored), ("now", record.stored.got)):
        yield f"    {word + ':':8}{' '.join(text.split())[:100]}"


def wrap(text: str, columns: int, first: str, rest: str) -> list[str]:
    """The text on lines of at most so many characters; a word that is longer stays whole, so that a path can be copied."""
    return textwrap.wrap(
        text,
        max(columns, 40),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrap_below(text: str, columns: int) -> list[str]:
    return wrap(text, columns, "  ", "    ")


def _format_block(record: Record, columns: int) -> Iterator[str]:
    """What the row of the wide table says, on lines below each other."""
    row = dict(zip(HEADERS, _format_row(record), strict=True))
    yield from _wrap_below(f"cell {row['cell']}: {row['failure']}", columns)
    for name in ("cause", "fix"):
        if row[name].strip("— ") and (name == "fix" or row[name] != row["fix"].removeprefix("— ")):
            label = "no fix" if name == "fix" and not record.candidate else name
            yield from wrap(f"{label}: {row[name].removeprefix('— ')}", columns, "    ", "      ")
    proof = ""
    if record.candidate:
        proven = f"proven from {row['proven from']}" if record.proven_from else row["proven from"]
        score = f"; score {row['score']}" if not record.is_fix_unrun else ""
        proof = f"{proven}, {row['isolation']}{score}; "
    tries = "1 try" if row["tries"] == "1" else f"{row['tries']} tries"
    yield from wrap(f"{proof}{tries}, {row['seconds']} s, {row['cost']}", columns, "    ", "      ")


_MARKS = {
    Status.HEALED: "",
    Status.PROPOSED: "(proposed) ",
    Status.REVERTED: "(taken back) ",
    Status.CASCADE: "(not run) ",
}
"""What stands before the title of a fix."""


def _format_row(record: Record) -> tuple[str, ...]:
    cause = record.cause if record.cause != record.headline else "—"
    if not record.candidate:
        return (str(record.number), record.headline, cause or record.detail, f"— {record.detail}", "—", "—",
                "—", str(record.attempts), f"{record.seconds:.1f}", format_money(record.cost, short=True))  # fmt: skip
    candidate = record.candidate[0]
    mark = _MARKS.get(record.status, "— ")
    proven = ", ".join(s.value.split()[0] for s in record.proven_from) or "not proven"
    return (
        str(record.number),
        record.headline,
        cause,
        mark + candidate.patch.title,
        proven,
        candidate.trial.isolation.kernel,
        f"{candidate.verdict.score:.1f}" if not record.is_fix_unrun else "—",
        str(record.attempts),
        f"{record.seconds:.1f}",
        format_money(record.cost, short=True),
    )


def _describe_unhealed(record: Record) -> str:
    why = record.diagnosis.skip_reason
    status = f"follows from cell {record.cascade_of}" if record.cascade_of else record.status.value
    said = f"{status}{f' ({why})' if why else ''}: {record.headline or record.detail}"
    return f"{said}\n{record.detail}" if record.headline and record.detail else said


def _format_unhealed(said: str, records: Sequence[Record], columns: int) -> Iterator[str]:
    """The cells of which the same is to be said, and what a person can do."""
    first, _, advice = said.partition("\n")
    if len(records) > 1 and first.startswith("follows "):
        first = first.replace("follows", "follow", 1)
    yield from wrap(f"{list_numbers([r.number for r in records])}: {first}", columns, "  ", "      ")
    if advice:
        yield from wrap(advice, columns, "      → ", "        ")


def _choose_widths(columns: int) -> list[int]:
    """A width for each column: prose shares what the others leave."""
    free = columns - 2 * len(HEADERS) - sum(_NARROW.values())
    prose = min(max(free // 3, _PROSE[0]), _PROSE[1])
    return [_NARROW.get(name, prose) for name in HEADERS]


def _format_rows(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for number, row in enumerate(rows):
        columns = [textwrap.wrap(text, width) or [""] for text, width in zip(row, widths, strict=True)]
        for line in range(max(len(c) for c in columns)):
            cells = [(c[line] if line < len(c) else "").ljust(w) for c, w in zip(columns, widths, strict=True)]
            yield ("  " + "  ".join(cells)).rstrip()
        if number == 0:
            yield "  " + "  ".join("─" * width for width in widths)
