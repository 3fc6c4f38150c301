"""The report as one HTML page: no script, no file beside it, nothing fetched; light and dark."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import resources
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.model import Cost, Output, diff_patch, format_diff
from jupyter_selfheal.surfaces.notebook.drift import measure_drift
from jupyter_selfheal.surfaces.notebook.open_questions import list_open_questions, questions_to_json
from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.roots import describe_reach
from jupyter_selfheal.surfaces.notebook.table import format_reproduced, list_differing
from jupyter_selfheal.surfaces.words import format_money

IMAGES = ("image/png", "image/jpeg", "image/svg+xml")
LONG_OUTPUT = 4_000
"""Characters of one output that are shown."""


def format_page(reports: Sequence[NotebookReport]) -> str:
    """The whole page."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["ticks"] = _format_ticks
    template = (
        resources.files("jupyter_selfheal.surfaces.notebook").joinpath("templates/report.html.j2").read_text("utf-8")
    )
    return environment.from_string(template).render(
        notebooks=[_build_notebook(r, n) for n, r in enumerate(reports, start=1)],
        total=_sum_totals(reports),
        yours=_list_tasks(reports),
        money=partial(format_money, short=True),
        style=_build_code_style(),
        version=__version__,
    )


def _sum_totals(reports: Sequence[NotebookReport]) -> Mapping[str, Any]:
    same, asked = sum(r.reproduced_outputs[0] for r in reports), sum(r.reproduced_outputs[1] for r in reports)
    return {
        "notebooks": len(reports),
        "healed_notebooks": sum(bool(r.count(Status.HEALED)) for r in reports),
        "not_run": sum(bool(r.error) for r in reports),
        "cells": sum(len(r.records) for r in reports),
        "healed": sum(r.count(Status.HEALED) for r in reports),
        "left": sum(r.count(Status.LEFT_ALONE, Status.MEANT_TO_FAIL) for r in reports),
        "broken": sum(r.count(*(BROKEN - {Status.LEFT_ALONE, Status.CASCADE})) for r in reports),
        "follow": sum(r.count(Status.CASCADE) for r in reports),
        "seconds": sum(r.seconds for r in reports),
        "cost": sum((r.cost for r in reports), Cost()),
        "stored": format_reproduced(same, asked) if asked else "",
    }


KINDS = (
    ("ran", "ran", (Status.RAN, Status.SKIPPED, Status.MEANT_TO_FAIL)),
    ("good", "healed", (Status.HEALED, Status.FOLLOWED)),
    ("warn", "needs you", (Status.LEFT_ALONE, Status.PROPOSED)),
    ("bad", "still broken", (Status.NOT_HEALED, Status.REVERTED, Status.NOT_REACHED)),
    ("follow", "fails because of those", (Status.CASCADE,)),
)
"""The parts of a notebook's bar: colour, what it says, and which cells it counts."""


def _list_tasks(reports: Sequence[NotebookReport]) -> list[Mapping[str, Any]]:
    """What is left for a person to do, what is done in one go in one line: each with the places that wait for it.

    In this order: what could not be run at all, as nothing is known of it; proven fixes, which only want a look; what is to be
    installed; what is left alone, by what it takes; and what nobody has a remedy for.
    """
    places_by_task: dict[tuple[int, str, str], list[Mapping[str, str]]] = {}
    packages: set[str] = set()
    for number, report in enumerate(reports, start=1):
        name = report.name
        if report.error:
            error = report.error.removeprefix(f"{report.path}: ")
            places_by_task.setdefault((0, "code2", error), []).append({"where": name, "anchor": f"n{number}"})
        for record in (r for r in report.records if r.status in BROKEN - {Status.CASCADE}):
            install = _INSTALL.fullmatch(record.detail) if record.status is Status.LEFT_ALONE else None
            if install:
                packages.add(install[1])
            key = (2, "code1", "") if install else _describe_task(record)
            places = places_by_task.setdefault(key, [])
            is_same = bool(places) and places[-1]["anchor"].startswith(f"n{number}-")
            where = f"cell {record.number}" if is_same else f"{name}, cell {record.number}"
            places.append({"where": where, "anchor": f"n{number}-c{record.number}"})
    installs = f"`%pip install {' '.join(sorted(packages))}`, or heal again with `--install`, which proves it first"
    return [
        {"what": task or installs, "css": css, "places": places}
        for (_, css, task), places in sorted(places_by_task.items(), key=lambda item: item[0][0])
    ]


_INSTALL = re.compile(r"`%pip install ([^`]+)`")
"""Advice that only says what to install."""


def _describe_task(record: Record) -> tuple[int, str, str]:
    """(order, colour, words) of what a person has to do about a cell."""
    if record.status is Status.PROPOSED:
        title = record.candidate[0].patch.title if record.candidate else record.headline
        return 1, "code1", f"look at a proven fix: {title}: {record.detail}"
    if record.status is Status.LEFT_ALONE:
        return 3, "code1", " ".join(filter(None, (record.cause, record.detail)))
    detail = f" ({record.detail})" if record.headline and record.detail else record.detail
    return 4, "code2", f"{record.status.value}: {record.headline}{detail}"


def _build_notebook(report: NotebookReport, number: int) -> Mapping[str, Any]:
    counts = [(css, word, report.count(*statuses)) for css, word, statuses in KINDS]
    return {
        "id": f"n{number}",
        "healed": report.count(Status.HEALED),
        "bar": [(css, word, count) for css, word, count in counts if count],
        "stored": format_reproduced(*report.reproduced_outputs) if report.reproduced_outputs[1] else "",
        "differing": list(list_differing(report)),
        "others": [r for r in report.differing if r.status is Status.RAN],
        "name": report.name,
        "path": report.path,
        "report": report,
        "drift": measure_drift(report),
        "code": report.exit_code,
        "cells": [_build_cell(r, report) for r in report.records if r.status is not Status.RAN],
        "isolation": report.isolation.words if report.isolation else "",
        "questions": questions_to_json(list_open_questions(report)),
    }


def _build_cell(record: Record, report: NotebookReport) -> Mapping[str, Any]:
    failure = record.failure[0] if record.failure else None
    entry: dict[str, Any] = {
        "record": record,
        "reach": describe_reach(report, record),
        "css": record.status.name.lower(),
        "source": _highlight_code(record.cell.source, "python"),
        "before": _keep_last_lines(failure.traceback if failure else ""),
        "fix": None,
        "not_run": record.is_fix_unrun,
    }
    if record.candidate:
        candidate = record.candidate[0]
        why = candidate.patch.why
        ran = [s for s in candidate.trial.steps if s.role == "cell" and s.ok]
        entry["fix"] = {
            "patch": candidate.patch,
            "verdict": candidate.verdict,
            "why": "" if any(why and why in r for r in candidate.verdict.reasons) else why,
            "safety": candidate.patch.applicability.name.lower().replace("_", " "),
            "isolation": candidate.trial.isolation,
            "diff": _highlight_code(format_diff(diff_patch(candidate.patch, report.given.name_cell)), "diff"),
            "outputs": [_build_output(o) for o in (ran[-1].outputs if ran else ())],
            "judged": "judge" in candidate.verdict.proofs,
            "spent": ", ".join(
                f"{who.replace('_', ' ')} {format_money(cost, short=True)}" for who, cost in record.cost_by.items()
            ),
        }
    return entry


def _build_output(output: Output) -> Mapping[str, str]:
    for mime in IMAGES:
        if mime in output.data:
            data = str(output.data[mime])
            if mime == "image/svg+xml":
                data = base64.b64encode(data.encode()).decode()
            return {"image": f"data:{mime};base64,{data.strip()}"}
    text = output.text or str(output.data.get("text/plain", "")) or output.evalue
    return {"text": text[:LONG_OUTPUT] + ("\n…" if len(text) > LONG_OUTPUT else "")}


def _keep_last_lines(traceback: str, number: int = 14) -> str:
    lines = traceback.rstrip().splitlines()
    return "\n".join((["…"] if len(lines) > number else []) + lines[-number:])


def _highlight_code(text: str, language: str) -> Any:
    import markupsafe
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    lexer = get_lexer_by_name("ipython3" if language == "python" and _has_ipython_lexer() else language)
    return markupsafe.Markup(highlight(text, lexer, HtmlFormatter(nowrap=True)))


def _has_ipython_lexer() -> bool:
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        find_lexer_class_by_name("ipython3")
    except ClassNotFound:
        return False
    return True


def _format_ticks(text: str) -> Any:
    """Words of a person with what stands between backticks as code."""
    import markupsafe

    return markupsafe.Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(markupsafe.escape(text))))


def _build_code_style() -> Any:
    import markupsafe
    from pygments.formatters import HtmlFormatter

    light: Any = HtmlFormatter(style="friendly")
    dark: Any = HtmlFormatter(style="monokai")
    style = light.get_style_defs(".code") + "\n@media (prefers-color-scheme: dark) {\n" + dark.get_style_defs(".code")
    return markupsafe.Markup(style + "\n}")
