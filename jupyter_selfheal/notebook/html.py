"""The report as one HTML page: no script, no file beside it, nothing fetched; light and dark."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.model import JSON, Output
from jupyter_selfheal.notebook.approve import diff
from jupyter_selfheal.notebook.records import BROKEN, NotebookReport, Record, Status

IMAGES = ("image/png", "image/jpeg", "image/svg+xml")
LONG_OUTPUT = 4_000
"""Characters of one output that are shown."""


def page(reports: Sequence[NotebookReport]) -> str:
    """The whole page."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = resources.files("jupyter_selfheal.notebook").joinpath("templates/report.html.j2").read_text("utf-8")
    return environment.from_string(template).render(
        notebooks=[_notebook(r) for r in reports],
        total=_total(reports),
        style=_code_style(),
        version=__version__,
    )


def _total(reports: Sequence[NotebookReport]) -> Mapping[str, JSON]:
    return {
        "notebooks": len(reports),
        "cells": sum(len(r.records) for r in reports),
        "healed": sum(r.count(Status.HEALED) for r in reports),
        "left": sum(r.count(Status.LEFT_ALONE, Status.MEANT_TO_FAIL) for r in reports),
        "broken": sum(r.count(*(BROKEN - {Status.LEFT_ALONE})) for r in reports),
        "seconds": sum(r.seconds for r in reports),
        "usd": sum(r.cost.usd for r in reports),
    }


def _notebook(report: NotebookReport) -> Mapping[str, Any]:
    return {
        "name": Path(report.path).name,
        "path": report.path,
        "report": report,
        "code": report.exit_code,
        "cells": [_cell(r, report) for r in report.records if r.status is not Status.RAN],
        "isolation": report.isolation.words if report.isolation else "",
    }


def _cell(record: Record, report: NotebookReport) -> Mapping[str, Any]:
    failure = record.failure[0] if record.failure else None
    found: dict[str, Any] = {
        "record": record,
        "css": record.status.name.lower(),
        "source": _coloured(record.cell.source, "python"),
        "before": _last_lines(failure.traceback if failure else ""),
        "fix": None,
    }
    if record.candidate:
        candidate = record.candidate[0]
        why = candidate.patch.why
        ran = [s for s in candidate.trial.steps if s.role == "cell" and s.ok]
        found["fix"] = {
            "patch": candidate.patch,
            "verdict": candidate.verdict,
            "why": "" if any(why and why in r for r in candidate.verdict.reasons) else why,
            "safety": candidate.patch.applicability.name.lower().replace("_", " "),
            "isolation": candidate.trial.isolation,
            "diff": _coloured(diff(candidate.patch, report.given), "diff"),
            "outputs": [_output(o) for o in (ran[-1].outputs if ran else ())],
        }
    return found


def _output(output: Output) -> Mapping[str, str]:
    for mime in IMAGES:
        if mime in output.data:
            data = str(output.data[mime])
            if mime == "image/svg+xml":
                data = base64.b64encode(data.encode()).decode()
            return {"image": f"data:{mime};base64,{data.strip()}"}
    text = output.text or str(output.data.get("text/plain", "")) or output.evalue
    return {"text": text[:LONG_OUTPUT] + ("\n…" if len(text) > LONG_OUTPUT else "")}


def _last_lines(traceback: str, number: int = 14) -> str:
    lines = traceback.rstrip().splitlines()
    return "\n".join((["…"] if len(lines) > number else []) + lines[-number:])


def _coloured(text: str, language: str) -> Any:
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


def _code_style() -> Any:
    import markupsafe
    from pygments.formatters import HtmlFormatter

    light: Any = HtmlFormatter(style="friendly")
    dark: Any = HtmlFormatter(style="monokai")
    style = light.get_style_defs(".code") + "\n@media (prefers-color-scheme: dark) {\n" + dark.get_style_defs(".code")
    return markupsafe.Markup(style + "\n}")
