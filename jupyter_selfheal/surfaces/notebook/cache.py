"""Which notebooks ran without a failure, and need not run again as long as nothing that they depend on has changed.

An entry holds what the notebook was run with (its code and stored outputs, our version, the settings, the environment) and what
it read. It stands for a run only where all of that is as it was. Where it cannot be known what a notebook read, the whole
folder counts; what reads from the network is run every time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import ForkRefused, KernelError, NotebookError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import Probe, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.write import write_atomically

FORM = 1
"""Of an entry; others are not read."""

MOST_BYTES = 32 << 20
"""Files larger than this are the same as long as their size and the time of their last change are."""

MOST_FILES = 5_000
"""A folder with more files than this is not compared: its notebooks run every time, where the whole folder counts."""

_HEALTHY = frozenset({Status.RAN, Status.MEANT_TO_FAIL, Status.SKIPPED})

_LIST_ENVIRONMENT = """
import os, sys
print(sys.version)
for folder in sys.path:
    if os.path.isdir(folder):
        print(folder, sorted(n for n in os.listdir(folder) if n.endswith(("-info", ".pth", ".egg-link"))))
"""


@dataclass(frozen=True, slots=True)
class Reads:
    """What a notebook read: files and folders, whether there may be more in its folder, and whether the network was used."""

    files: tuple[str, ...]
    more: bool = False
    network: bool = False


LISTEN = Probe(probe_source("probes.watch_reads"), "begin", "listen to what is read")
"""The step with which a notebook's first state begins to listen."""


def ask_reads(state: TrialKernel) -> Reads | None:
    """What was read up to this state; None where nobody listened."""
    asked = Probe(LISTEN.source, "end", "what was read", timeout=20.0)
    try:
        trial, _ = state.run(TrialRequest((asked,), timeout=20.0))
    except (ForkRefused, KernelError):
        return None
    answer = trial.probe(asked.name)
    if not isinstance(answer, dict):
        return None
    return Reads(tuple(map(str, answer["files"])), bool(answer["more"]), bool(answer["network"]))


@dataclass
class HealthyCache:
    """The entries in one folder, a file for each notebook. ``settings`` is all that a run hangs on beside the notebook."""

    folder: Path
    settings: str
    _environments: dict[str, str] = field(default_factory=dict)

    def find(self, document: Document, python: str, target: Path | None = None) -> NotebookReport | None:
        """The report of an earlier run that still stands, or None. ``target`` must be as that run wrote it, where one is given."""
        entry = self._read_entry(document)
        if (
            entry is None
            or entry.get("key") != self._build_key(document, python)
            or (
                target is not None
                and (entry.get("written") or {}).get(str(target.resolve())) != stamp_path(str(target))
            )
            or any(stamp_path(path) != stamp for path, stamp in entry["reads"].items())
            or (entry["folder"] is not None and stamp_folder(document.notebook.folder) != entry["folder"])
        ):
            return None
        code = [c for c in document.notebook.cells if c.kind == "code" and c.source.strip()]
        records = tuple(
            Record(cell, number, Status(status))
            for number, (cell, status) in enumerate(zip(code, entry["statuses"], strict=True), start=1)
        )
        return NotebookReport(
            str(document.path),
            records=records,
            given=document.notebook,
            healed=document.notebook,
            survived=True,
            notes=document.notes,
            unchanged=True,
        )

    def keep(self, document: Document, python: str, report: NotebookReport, reads: Reads | None) -> None:
        """Remember a run in which nothing failed; one that cannot be remembered is forgotten."""
        entry = self._locate(document)
        healthy = (
            not report.error
            and not (report.fixes or report.differing or report.changed_cells or report.review)
            and all(r.status in _HEALTHY and not (r.status is Status.RAN and r.detail) for r in report.records)
            and report.notes == document.notes
        )
        folder = stamp_folder(document.notebook.folder) if reads is not None and reads.more else None
        if not healthy or reads is None or reads.network or (reads.more and folder is None):
            with contextlib.suppress(OSError):
                entry.unlink(missing_ok=True)
            return
        raw = {
            "form": FORM,
            "notebook": str(document.path.resolve()),
            "key": self._build_key(document, python),
            "statuses": [r.status.value for r in report.records],
            "reads": {path: stamp_path(path) for path in reads.files},
            "folder": folder,
            "written": {str(Path(report.written).resolve()): stamp_path(report.written)} if report.written else {},
        }
        with contextlib.suppress(OSError):  # it names the user's files
            entry.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(NotebookError):  # a cache that cannot be written costs time, nothing else
            write_atomically(entry, json.dumps(raw, indent=1))

    def _read_entry(self, document: Document) -> Mapping[str, Any] | None:
        try:
            raw: Any = json.loads(self._locate(document).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return raw if isinstance(raw, dict) and raw.get("form") == FORM else None

    def _locate(self, document: Document) -> Path:
        return self.folder / f"{_digest_text(str(document.path.resolve()))[:32]}.json"

    def _build_key(self, document: Document, python: str) -> str:
        if python not in self._environments:
            self._environments[python] = _describe_environment(python)
        cells = [c for c in document.notebook.cells if c.kind == "code"]
        return _digest_text(repr((__version__, self.settings, document.kernelspec, self._environments[python], cells)))


def stamp_path(path: str) -> str:
    """What a file or folder holds, in short; empty where it is not there or cannot be read."""
    try:
        if os.path.isdir(path):
            return _digest_text("\n".join(sorted(n for n in os.listdir(path) if _counts_as_read(n))))
        status = os.stat(path)
        if status.st_size > MOST_BYTES:
            return f"{status.st_size} {status.st_mtime_ns}"
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def stamp_folder(folder: str) -> str | None:
    """The files in a folder and below it with their sizes and times, in short; None where they are too many."""
    lines: list[str] = []
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(n for n in folders if _counts_as_read(n))
        for path in (os.path.join(top, n) for n in sorted(files) if _counts_as_read(n)):
            with contextlib.suppress(OSError):
                status = os.stat(path)
                lines.append(f"{path} {status.st_size} {status.st_mtime_ns}")
        if len(lines) > MOST_FILES:
            return None
    return _digest_text("\n".join(lines))


def _counts_as_read(name: str) -> bool:
    """Notebooks come and go beside a notebook, and so do hidden files and byte code."""
    return not name.startswith(".") and name != "__pycache__" and not name.endswith((".ipynb", ".pyc"))


def _describe_environment(python: str) -> str:
    """The version of a Python, and the distributions on its path with theirs."""
    listed = subprocess.run(
        [python, "-c", _LIST_ENVIRONMENT],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )
    return _digest_text(listed.stdout) if listed.returncode == 0 else os.urandom(16).hex()


def _digest_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
