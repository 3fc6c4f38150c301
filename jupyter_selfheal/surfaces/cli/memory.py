"""``jupyter selfheal memory``: what was approved and rejected before."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.healers.memory.store import MemoryStore, Remembered
from jupyter_selfheal.surfaces.notebook import write
from jupyter_selfheal.surfaces.words import print_lines


def run_memory(options: argparse.Namespace) -> int:
    """List, show, forget or export what the memory holds."""
    store, action = MemoryStore(), options.action or "list"
    if action == "list":
        print_lines(list(map(_format_line, store.all())) or ["Nothing is remembered yet."])
    elif action == "show":
        print(_format_page(_find_entry(store, options.ids[0])))
    elif action == "forget":
        for entry_id in [str(e.id) for e in store.all()] if options.ids == ["all"] else options.ids:
            entry = _find_entry(store, entry_id)
            store.forget(entry.id)
            print_lines([f"Forgotten: {_format_line(entry).strip()}"])
    else:
        _export_memory(store, options.file)
    return 0


def _find_entry(store: MemoryStore, entry_id: str) -> Remembered:
    entry = next((e for e in store.all() if str(e.id) == entry_id), None)
    if entry is None:
        raise UsageError(f"nothing of the number {entry_id!r} is remembered: `jupyter selfheal memory list` shows all")
    return entry


def _format_line(entry: Remembered) -> str:
    counts = f"approved {entry.approved}, rejected {entry.rejected}"
    return f"{entry.id:4}  {counts:24}  {entry.confidence:3} %  {entry.title}  ({entry.headline})"


def _format_page(entry: Remembered) -> str:
    lines = [_format_line(entry).strip(), f"made by: {entry.origin}", f"cause: {entry.cause or 'not known'}"]
    for edit in entry.changes:
        lines.append(f"in the {edit['where']} cell:")
        for change in edit["changes"]:
            where = f"{change['anchor']} the statement" if change["anchor"] else "in place of the statement"
            lines.append(f"  {where}, with the variables {', '.join(change['names']) or '(none)'}:")
            lines += [f"    {line}" for line in (change["new"] or "(nothing)").splitlines()]
        lines += [f"    {line}" for line in str(edit.get("after", "")).splitlines()]
    return "\n".join(lines)


def _export_memory(store: MemoryStore, file: Path | None) -> None:
    text = json.dumps([asdict(entry) for entry in store.all()], indent=1, ensure_ascii=False)
    if file is None:
        sys.stdout.write(text + "\n")
        return
    write.write_atomically(file, text + "\n", option="`memory export FILE`")
