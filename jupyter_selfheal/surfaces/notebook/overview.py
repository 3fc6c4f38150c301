"""The end of a run over many notebooks: what failed comes first, the notebooks of one cause together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.table import format_totals, wrap
from jupyter_selfheal.surfaces.words import list_numbers

MANY = 12
"""More notebooks than these get a line each while they run, and an overview in the end."""

PLACES = 10
"""Notebooks that are named for one cause."""

_ROOTS = BROKEN - {Status.CASCADE}


def format_line(report: NotebookReport, columns: int) -> str:
    """What became of a notebook, on one line: a word, its path, and why."""
    word = {0: "ok", 1: "FAILS", 2: "ERROR"}[report.exit_code]
    if word == "ok" and report.fixes:
        word = "healed"
    said = report.summary if not report.error else report.error.removeprefix(f"{report.path}: ")
    line = f"{word:7}{report.path}: {said}"
    return line if len(line) <= columns else line[: max(columns - 1, 20)] + "…"


def format_overview(reports: Sequence[NotebookReport], columns: int) -> str:
    """What could not be run, what fails by cause (the most frequent first), what was healed, and the totals."""
    lines = [
        *_format_errors(reports, columns), *_format_causes(reports, columns), *_format_elsewhere(reports, columns),
        *_format_differing(reports, columns), *_format_healed(reports, columns),
    ]  # fmt: skip
    lines += wrap(format_totals(reports), columns, "", "  ")
    return "\n".join(lines)


def group_by_cause(reports: Sequence[NotebookReport]) -> list[tuple[str, list[tuple[NotebookReport, list[Record]]]]]:
    """Each cause with the notebooks and cells that fail because of it, the cause of most notebooks first."""
    groups: dict[str, dict[int, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for at, report in enumerate(reports):
        for record in report.records:
            if record.status in _ROOTS:
                groups[record.cause or record.headline or record.detail][at].append(record)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), -sum(map(len, item[1].values())), item[0]))
    return [(cause, [(reports[at], records) for at, records in places.items()]) for cause, places in ordered]


def _format_errors(reports: Sequence[NotebookReport], columns: int) -> Iterator[str]:
    errors = [r for r in reports if r.error]
    if errors:
        yield f"Could not be run: {len(errors)}"
        for why, places in _group_errors(errors):
            if len(places) == 1:
                yield from wrap(places[0].error, columns, "  ", "    ")
                continue
            yield from wrap(f"{why} ({_count_notebooks(places)})", columns, "  ", "    ")
            shown = ", ".join(report.path for report in places[:PLACES])
            more = f" and {len(places) - PLACES} more" if len(places) > PLACES else ""
            yield from wrap(f"{shown}{more}", columns, "      ", "      ")
        yield ""


def _group_errors(errors: Sequence[NotebookReport]) -> list[tuple[str, list[NotebookReport]]]:
    """What kept notebooks from being run, with those that it kept, the most frequent first."""
    groups: dict[str, list[NotebookReport]] = defaultdict(list)
    for report in errors:
        groups[report.error.removeprefix(f"{report.path}: ")].append(report)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def _format_causes(reports: Sequence[NotebookReport], columns: int) -> Iterator[str]:
    groups = group_by_cause(reports)
    if not groups:
        return
    yield f"Still fails: {sum(r.exit_code == 1 for r in reports)} of {len(reports)}"
    for cause, places in groups:
        count = sum(len(records) for _, records in places)
        where = "" if count == 1 else f" ({count} cells in {_count_notebooks(places)})"
        yield from wrap(f"{cause}{where}", columns, "  ", "    ")
        yield from _format_places(cause, places, columns)
    yield ""


def _format_places(
    cause: str, places: Sequence[tuple[NotebookReport, Sequence[Record]]], columns: int
) -> Iterator[str]:
    for report, records in places[:PLACES]:
        cells = list_numbers([r.number for r in records])
        said = _say_what_helps(records)
        more = f": {said}" if said != cause else ""
        yield from wrap(f"{report.path}, {cells}{more}", columns, "      ", "        ")
    if len(places) > PLACES:
        yield f"      and {_count_notebooks(places[PLACES:])} more: --report FILE.html lists all"


def _say_what_helps(records: Sequence[Record]) -> str:
    """The fix that is offered, or what a person can do: of several cells once, whichever of their lines it is about."""
    said = [
        f"proposed: {r.candidate[0].patch.title}" if r.candidate else r.detail or r.headline or r.status.value
        for r in records
    ]
    *others, last = dict.fromkeys(_LINE.sub("", text) for text in said) if len(said) > 1 else said
    return "; ".join((*(text.rstrip(".") for text in others), last))


_LINE = re.compile(r" \(line \d+\)")


def _format_elsewhere(reports: Sequence[NotebookReport], columns: int) -> Iterator[str]:
    """What fails in other environments than the one that the notebooks were healed in."""
    failing = [(r, e) for r in reports for e in r.elsewhere if e.failing]
    for name in dict.fromkeys(e.name for _, e in failing):
        places = [(r, e) for r, e in failing if e.name == name]
        yield f"Fails with {name}: {_count_notebooks(places)}"
        for report, environment in places[:PLACES]:
            said = "; ".join(f"cell {number}: {headline}" for number, headline in environment.failing)
            yield from wrap(f"{report.path}, {said}", columns, "  ", "    ")
        if len(places) > PLACES:
            yield f"  and {_count_notebooks(places[PLACES:])} more: --report FILE.html lists all"
        yield ""


def _format_differing(reports: Sequence[NotebookReport], columns: int) -> Iterator[str]:
    """Cells that run, and give another value than is stored."""
    differing = [r for r in reports if r.differing]
    if not differing:
        return
    yield f"Gives something else than stored: {_count_notebooks(differing)}"
    for report in differing[:PLACES]:
        cells = list_numbers([r.number for r in report.differing])
        yield from wrap(f"{report.path}, {cells}", columns, "  ", "    ")
    if len(differing) > PLACES:
        yield f"  and {_count_notebooks(differing[PLACES:])} more: --report FILE.html lists all"
    yield ""


def _format_healed(reports: Sequence[NotebookReport], columns: int) -> Iterator[str]:
    healed = [r for r in reports if r.fixes]
    if not healed:
        return
    count = sum(r.count(Status.HEALED) for r in healed)
    yield f"Healed: {count} {'cell' if count == 1 else 'cells'} in {_count_notebooks(healed)}"
    titles = Counter(title for r in healed for title in r.fixes)
    for title, times in titles.most_common():
        names = list(dict.fromkeys(r.name for r in healed if title in r.fixes))
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        yield from wrap(f"{title}{f' ({times} times)' if times > 1 else ''}: {shown}", columns, "  ", "    ")
    yield ""


def _count_notebooks(notebooks: Sequence[object]) -> str:
    return "1 notebook" if len(notebooks) == 1 else f"{len(notebooks)} notebooks"
