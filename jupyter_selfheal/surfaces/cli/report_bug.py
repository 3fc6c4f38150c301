"""``jupyter selfheal report-bug``: one file for a bug report, with what helps and without what is the user's.

What the user wrote is left out by a list of what may stay, not of what must go: of a run's events the structure, numbers and the words
of our own stay (and the names of Python's own exceptions), every other text becomes its length. ``--sources`` lets all of it in. Secrets are replaced by their values in either
case, also those that only the environment knows.
"""

from __future__ import annotations

import argparse
import builtins
import itertools
import json
import os
from importlib import metadata
from pathlib import Path
from typing import Final

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.journal.inspect import find_journal, format_timeline
from jupyter_selfheal.journal.jsonl import list_journals, read_journal
from jupyter_selfheal.journal.known_secrets import list_environment_secrets
from jupyter_selfheal.journal.redact import Redactor, redact_json
from jupyter_selfheal.model import JSON, Reason
from jupyter_selfheal.surfaces.cli.doctor import collect_findings
from jupyter_selfheal.surfaces.words import print_lines

OUR_WORDS: Final = frozenset(
    {"$", "at", "applicability", "began", "ename", "ending", "healer", "healers", "kernel", "kind", "layers", "output_type", "rule",
     "run", "skip_reason", "start", "status", "stop", "who"}
)  # fmt: skip
"""Fields of events whose texts are from a list of our own (names of rules, healers, kinds, classes of exceptions)."""

KNOWN_ERRORS: Final = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)
"""Exceptions of Python's own. One of another name may be a class of the user's, which says what the work is about."""

KNOWN_KERNELS: Final = ("python3", "Python 3 (ipykernel)")
"""What ipykernel calls itself. Other kernelspecs have names of the user's: of projects, of clients."""

OUR_REASONS: Final = frozenset(Reason)
"""Why a run ended. Other texts under ``reason`` are what a person said."""

LONGEST_WORD: Final = 60
"""Characters of a word of ours: a longer text under such a name is somebody's."""


def run_report_bug(options: argparse.Namespace) -> int:
    """Write the report and say what is in it. Raises ``UsageError`` where the run, or a place to write, is not there."""
    report = collect_report(options.run, options.sources)
    target = options.output or find_free_name(f"selfheal-report-{report['run_id'] or 'no-run'}")
    write_privately(target, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    contents = describe_contents(report, options.sources)
    print_lines(
        [
            f"written: {target}",
            f"  in it: versions, what `jupyter selfheal doctor` says, and {contents}",
            "  look at it before you send it: it is plain text, and nothing was sent",
        ]
    )
    return 0


def find_free_name(stem: str) -> Path:
    """A file of that name here that is not there yet: with a number behind it where an earlier report has the plain one."""
    names = (Path(f"{stem}{f'-{number}' if number else ''}.json") for number in itertools.count())
    return next(path for path in names if not path.exists())


def describe_contents(report: dict[str, JSON], sources: bool) -> str:
    """What of the run is in the report, in words."""
    if not report["run_id"]:
        return "no run, as there is none yet"
    how = "with your cells and values" if sources else "without your cells and values (--sources puts them in)"
    return f"{len(report['events'])} events of run {report['run_id']}, {how}"


def collect_report(run: str, sources: bool, folder: Path | None = None) -> dict[str, JSON]:
    """Everything as JSON. ``run`` is a run's id, the beginning of it, or ``last``; with no run at all there are no events."""
    path = None if run == "last" and not any(True for _ in list_journals(folder)) else find_journal(run, folder)
    lines = [] if path is None else format_timeline(str(path) if path.is_file() else run, json=True, folder=folder)
    events = [json.loads(line) for line in lines]
    header = read_journal(path).header if path is not None else {}
    findings = collect_findings()
    report: dict[str, JSON] = {
        "report": 1,
        "run_id": path.stem if path is not None else "",
        "by": {name: header.get(name) for name in ("version", "began")},
        "doctor": findings if sources else mask_kernelspecs(findings),
        "packages": list_packages(),
        "events": events if sources else [mask_texts(event) for event in events],
    }
    return hide_places(report)


def list_packages() -> dict[str, str]:
    """Every distribution of this environment with its release."""
    known = ((d.metadata["Name"], d.version) for d in metadata.distributions())
    return {name: version for name, version in sorted(known) if name}


def mask_texts(value: JSON, name: str = "event") -> JSON:
    """The value with every text by its length alone, except for words of our own; names of the user's go with their values.

    ``name`` is the field that holds the value, empty where the user's own names led to it.
    """
    if isinstance(value, str):
        if name == "ename" and value not in KNOWN_ERRORS:
            return _hide_text(value)
        is_word = name in OUR_WORDS and len(value) <= LONGEST_WORD and "\n" not in value
        return value if is_word or (name == "reason" and value in OUR_REASONS) else _hide_text(value)
    if isinstance(value, list):
        return [mask_texts(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    if "$" in value or name == "event":  # the fields of a class of ours
        return {key: mask_texts(item, key) for key, item in value.items()}
    return {f"<name {number}>": mask_texts(item, "") for number, item in enumerate(value.values(), 1)}


def mask_kernelspecs(findings: dict[str, JSON]) -> dict[str, JSON]:
    """What ``doctor`` found, with kernelspecs of the user's own by number alone."""
    specs = findings["kernelspecs"]
    assert isinstance(specs, dict)
    known = {name: title for name, title in specs.items() if (name, title) == KNOWN_KERNELS}
    others = [title for name, title in specs.items() if name not in known]
    return {
        **findings,
        "kernelspecs": {**known, **{f"<kernel {n}>": _hide_text(str(t)) for n, t in enumerate(others, 1)}},
    }


def _hide_text(text: str) -> str:
    return f"<{len(text)} characters>"


def hide_places(report: dict[str, JSON]) -> dict[str, JSON]:
    """The report with secrets replaced and the home folder as ``~``: its path holds the user's name."""
    redactor = Redactor(learns=True, keeps_placeholders=True)
    redactor.learn_values(list_environment_secrets())
    text = json.dumps(redact_json(report, redactor), ensure_ascii=False)
    home = json.dumps(str(Path.home()), ensure_ascii=False)[1:-1]
    hidden: dict[str, JSON] = json.loads(text.replace(home, "~") if len(home) > 1 else text)
    return hidden


def write_privately(path: Path, text: str) -> None:
    """Write a new file that only its owner reads. Raises ``UsageError`` where there is one already, or none can be written: then
    none is there."""
    is_ours = False
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        is_ours = True
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))  # half a surrogate stays, as JSON writes it
    except FileExistsError:
        raise UsageError(f"{path} is there already: give another name with -o") from None
    except OSError as error:
        if is_ours:
            path.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written ({error.strerror}): choose another place with -o") from error
