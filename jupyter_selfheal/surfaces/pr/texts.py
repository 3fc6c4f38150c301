"""What the commit, the pull request and the issue say."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from jupyter_selfheal._version import __version__
from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.model import diff_patch, format_diff
from jupyter_selfheal.surfaces.notebook.exports import find_open_fence, format_failing, format_healed
from jupyter_selfheal.surfaces.notebook.records import BROKEN, NotebookReport, Status
from jupyter_selfheal.surfaces.pr.forge import LONGEST

_MARK = re.compile(r"<!-- jupyter-selfheal (\w+) (\S+) -->")


def format_request_title(reports: Sequence[NotebookReport]) -> str:
    """The title of the pull request and of the commit."""
    healed = [r for r in reports if r.fixes]
    cells = sum(r.count(Status.HEALED) for r in healed)
    nouns = "cell" if cells == 1 else "cells", "notebook" if len(healed) == 1 else "notebooks"
    return f"Heal {cells} {nouns[0]} in {len(healed)} {nouns[1]}"


def format_commit(reports: Sequence[NotebookReport]) -> str:
    """The commit's message: its title, each kind of fix of a notebook in a line, and what tells this set of fixes from another."""
    lines = [
        redact(f"- {r.path}: {title}" + (f" ({times} times)" if times > 1 else ""))
        for r in reports
        for title, times in Counter(r.fixes).items()
    ]
    return "\n".join((format_request_title(reports), "", *lines, "", format_trailer(digest_changes(reports))))


def format_trailer(digest: str) -> str:
    """The line of a commit that says which fixes it holds."""
    return f"Healed-changes: {digest}"


def format_request(reports: Sequence[NotebookReport], digest: str, base: str) -> str:
    """The body of the pull request: each fix with its cause, diff, evidence, run time and output drift."""
    survived = all(r.survived for r in reports if r.fixes)
    head = [
        "Each fix below was run before it was put here: in a copy of the kernel that the cell failed in, from the state before that cell"
        + (", and then the whole notebook from the top in a clean kernel." if survived else "."),
        "" if survived else "**Not every healed notebook ran through in a clean kernel: see below.**",
    ]
    left = sum(bool(r.exit_code) for r in reports)
    tail = (
        [
            f"Still failing after this: {left} of {len(reports)} {'notebook' if len(reports) == 1 else 'notebooks'}; the issue “{format_issue_title(base)}” tells of them.",
            "",
        ]
        if left
        else []
    )
    body = [*format_healed(reports), *tail]
    return _close_body([line for line in head if line] + [""], body, f"changes {digest}")


def format_issue_title(base: str) -> str:
    """The title of the issue."""
    return f"Notebooks that fail on {base}"


def format_issue(reports: Sequence[NotebookReport], base: str) -> str:
    """The body of the issue: what still fails, by cause, with what a person can do."""
    failing = sum(bool(r.exit_code) for r in reports)
    noun, verb = ("notebook" if len(reports) == 1 else "notebooks"), ("fails" if failing == 1 else "fail")
    head = [f"{failing} of {len(reports)} {noun} {verb} on `{base}`, and healing does not mend it all.", ""]
    return _close_body(head, format_failing(reports), f"issue {base}")


def format_closed_issue(base: str) -> str:
    """The body of an issue whose notebooks have stopped failing."""
    return _close_body(
        [f"Every notebook of the last run on `{base}` runs, or is healed by the pull request."], [], f"issue {base}"
    )


def find_mark(body: str, kind: str) -> str | None:
    """What the mark in a body says that we wrote there, or None: the last one, as what stands above it may be a notebook's own text."""
    return next((m[2] for m in reversed([*_MARK.finditer(body)]) if m[1] == kind), None)


def names_notebook(body: str, path: str) -> bool:
    """Whether an issue of ours tells of a notebook."""
    return f"`{path}`" in body


def digest_changes(reports: Sequence[NotebookReport]) -> str:
    """What tells one set of fixes from another, whenever they are made: the changed lines of each notebook."""
    diffs = (
        (report.path, format_diff(diff_patch(record.candidate[0].patch, report.given.name_cell)))
        for report in reports
        for record in report.records
        if record.status is Status.HEALED
    )
    return hashlib.sha256(repr(sorted(diffs)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_left(report: NotebookReport) -> bool:
    """Whether something of a notebook belongs into the issue."""
    return bool(report.error or report.count(*BROKEN))


def _close_body(head: Sequence[str], body: Iterable[str], mark: str) -> str:
    """A body that the service takes: cut at a line, with a note, where it is too long; our mark in its end."""
    end = f"\n<sub>jupyter-selfheal {__version__}</sub>\n<!-- jupyter-selfheal {mark} -->\n"
    room = LONGEST - len(end) - 200
    lines = [*head]
    size = sum(len(line) + 1 for line in lines)
    for line in body:
        size += len(line) + 1
        if size > room:
            fence = find_open_fence(lines)
            lines += [
                *([fence] if fence else []),
                "",
                "… the rest is too long for this page: the commit holds all of it.",
            ]
            break
        lines.append(line)
    return "\n".join(lines).rstrip("\n") + "\n" + end
