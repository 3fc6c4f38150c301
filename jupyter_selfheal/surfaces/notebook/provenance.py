"""What healing changed in a cell, written beside it (``selfheal.healed`` in its metadata), and how to take it back.

Each time a cell is healed adds an entry: the fixes (id, what, by whom, score, evidence), what undoes them, when, and by which version.
The undo is the lines that were there before, so an entry is about as large as the change. Secrets are masked in what is
said; the lines are the notebook's own, which held them before.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.inside.difference import cut_text
from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.model import JSON, Insert, Move, Replace
from jupyter_selfheal.surfaces.notebook.read import Document, join_lines, number_cells
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.write import open_own_metadata

KEY = "healed"
EVIDENCE = 3
"""Sentences of evidence that are kept of a fix."""

LONGEST = 240
"""Characters that are kept of each of them."""


@dataclass(frozen=True, slots=True)
class AppliedFix:
    """A fix as a file tells of it: in which cells (as the table of `heal` counts: code cells that are not empty, from 1), what, by whom, on which evidence, when."""

    id: str
    cells: tuple[int, ...]
    what: str
    by: str
    score: float
    evidence: tuple[str, ...]
    at: str
    version: str


def add_provenance(raw: Mapping[str, JSON], document: Document, report: NotebookReport) -> None:
    """Write into the cells of a healed notebook what was changed in each."""
    before = dict(zip((c.id for c in document.notebook.cells), document.raw["cells"], strict=True))
    order = [c.id for c in document.notebook.cells]
    fixes = [r for r in report.records if r.status is Status.HEALED and r.candidate and r.edits]
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for cell, healed in zip(report.healed.cells, raw["cells"], strict=True):
        own = [r for r in fixes if _touches_cell(r, cell.id)]
        if own:
            undo = _build_undo(before.get(cell.id), healed)
            if any(isinstance(e, Move) and e.cell_id == cell.id for r in own for e in r.edits):
                undo["place"] = order.index(cell.id)
            entry = {"fixes": [_describe_fix(r) for r in own], "undo": undo, "at": at, "version": __version__}
            ours = open_own_metadata(healed)
            ours[KEY] = [*(ours.get(KEY) or []), entry]


def list_applied_fixes(raw: Mapping[str, JSON]) -> list[AppliedFix]:
    """All fixes that a notebook tells of, the earliest first."""
    fixes: dict[tuple[str, str], AppliedFix] = {}
    for number, cell in zip(number_cells(raw["cells"]), raw["cells"], strict=True):
        for entry in _read_entries(cell):
            for fix in entry["fixes"]:
                key = entry["at"], fix["id"]
                cells = (*fixes[key].cells, number) if key in fixes else (number,)
                fixes[key] = AppliedFix(
                    fix["id"], cells, fix["what"], fix["by"], fix["score"], tuple(fix["evidence"]), entry["at"], entry["version"]
                )  # fmt: skip
    return sorted(fixes.values(), key=lambda f: (f.at, f.cells))


def revert_fixes(raw: dict[str, Any], name: str, cell: int = 0, fix: str = "") -> tuple[dict[str, Any], list[str]]:
    """(the notebook without these fixes, a line for each): of one ``cell`` (by its number in the log), of one ``fix`` by the beginning
    of its id, or all.

    A cell that healing changed several times is taken back step by step, the last first. Its outputs go with its code, as
    they are not those of the code that comes back. Raises :class:`NotebookError` for what is not there, and for a
    cell that was edited since.
    """
    applied = list_applied_fixes(raw)
    wanted = {f.id for f in applied if f.id.startswith(fix) and (not cell or cell in f.cells)}
    if not wanted:
        which = f"fix {fix!r}" if fix else f"a fix in cell {cell}" if cell else "any fix"
        hint = ": `jupyter selfheal log` lists what it tells of" if applied else ""
        raise NotebookError(f"{name}: nothing is taken back, as its metadata does not tell of {which}{hint}")
    said = [f"reverted {f.id}: {f.what}" for f in applied if f.id in wanted]
    moved: list[tuple[int, dict[str, Any]]] = []
    kept: list[dict[str, Any]] = []
    for number, given in zip(number_cells(raw["cells"]), raw["cells"], strict=True):
        restored = dict(given)
        while (entries := _read_entries(restored)) and _names_any(entries, wanted):
            last = entries[-1]
            others = {f["id"] for f in last["fixes"]} - wanted
            if others:
                raise NotebookError(
                    f"{name}: cell {number}: fix {', '.join(sorted(others))} came with it or after it: revert that too"
                )
            _check_as_healed(restored, last["undo"], name, number)
            if last["undo"].get("inserted"):
                break
            restored = _restore_cell(restored, last["undo"])
            if "place" in last["undo"]:
                moved.append((last["undo"]["place"], restored))
        else:
            kept.append(restored)
    for place, restored in sorted(moved, key=lambda pair: pair[0]):
        kept = [c for c in kept if c is not restored]
        kept.insert(place, restored)
    return {**raw, "cells": kept}, said


def _touches_cell(record: Record, cell_id: str) -> bool:
    return any(isinstance(e, Replace | Insert | Move) and e.cell_id == cell_id for e in record.edits)


def _describe_fix(record: Record) -> dict[str, JSON]:
    patch, verdict = record.candidate[0].patch, record.candidate[0].verdict
    return {
        "id": hashlib.sha256(repr((record.cell.id, patch.id)).encode()).hexdigest()[:8],
        "what": cut_text(redact(patch.title), LONGEST),
        "by": f"rule {patch.rule}" if patch.rule else patch.healer,
        "score": verdict.score,
        "evidence": [cut_text(redact(reason), LONGEST) for reason in verdict.reasons[:EVIDENCE]],
    }


def _build_undo(before: Mapping[str, JSON] | None, healed: Mapping[str, JSON]) -> dict[str, JSON]:
    """What takes the change back: the old lines where they differ, with the digest of the new text."""
    new = join_lines(healed["source"])
    if before is None:
        return {"inserted": True, "after": _digest_text(new)}
    old_lines, new_lines = join_lines(before["source"]).splitlines(keepends=True), new.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    hunks = [
        {"line": j1 + 1, "lines": j2 - j1, "was": old_lines[i1:i2]}
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]
    return {"after": _digest_text(new), "hunks": hunks}


def _check_as_healed(cell: Mapping[str, Any], undo: Mapping[str, Any], name: str, number: int) -> None:
    if _digest_text(join_lines(cell["source"])) != undo["after"]:
        raise NotebookError(
            f"{name}: cell {number} was edited since it was healed: change it by hand, its old lines are in its metadata"
        )


def _restore_cell(cell: Mapping[str, Any], undo: Mapping[str, Any]) -> dict[str, Any]:
    lines = join_lines(cell["source"]).splitlines(keepends=True)
    for hunk in reversed(undo["hunks"]):
        at = hunk["line"] - 1
        lines[at : at + hunk["lines"]] = hunk["was"]
    restored = {**cell, "source": lines if isinstance(cell["source"], list) else "".join(lines)}
    if undo["hunks"] and "outputs" in cell:
        restored |= {"outputs": [], "execution_count": None}
    return _drop_last_entry(restored)


def _drop_last_entry(cell: dict[str, Any]) -> dict[str, Any]:
    metadata = dict(cell["metadata"])
    ours = dict(metadata["selfheal"])
    ours[KEY] = ours[KEY][:-1]
    if not ours[KEY]:
        del ours[KEY]
    ours.pop("origin", None)
    metadata["selfheal"] = ours
    if not ours:
        del metadata["selfheal"]
    return {**cell, "metadata": metadata}


def _read_entries(cell: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of a cell; none where its metadata holds something else there."""
    metadata = cell.get("metadata")
    ours = metadata.get("selfheal") if isinstance(metadata, dict) else None
    entries = ours.get(KEY) if isinstance(ours, dict) else None
    return list(entries) if isinstance(entries, list) and all(map(_is_entry, entries)) else []


def _is_entry(entry: object) -> bool:
    fixes = entry.get("fixes") if isinstance(entry, dict) else None
    keys = {"id", "what", "by", "score", "evidence"}
    return (
        isinstance(entry, dict)
        and {"undo", "at", "version"} <= entry.keys()
        and isinstance(fixes, list)
        and all(isinstance(f, dict) and keys <= f.keys() for f in fixes)
    )


def _names_any(entries: Sequence[Mapping[str, Any]], wanted: set[str]) -> bool:
    return any(f["id"] in wanted for f in _list_fixes(entries))


def _list_fixes(entries: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for entry in entries:
        yield from entry["fixes"]


def _digest_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
