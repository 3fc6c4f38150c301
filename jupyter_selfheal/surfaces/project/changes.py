"""A fix of a file as reports show it."""

from __future__ import annotations

import difflib

from jupyter_selfheal.surfaces.notebook.records import FileChange
from jupyter_selfheal.surfaces.project.files import FileFix


def describe_change(fix: FileFix, title: str, status: str, *, written: bool = False) -> FileChange:
    """A fix of a file with its unified diff."""
    return FileChange(str(fix.file.path), format_file_diff(fix), title, status, written)


def format_file_diff(fix: FileFix) -> str:
    """The fix as a unified diff with two lines around each change."""
    name = fix.file.path.name
    lines = difflib.unified_diff(fix.file.text.splitlines(), fix.text.splitlines(), name, name, lineterm="", n=2)
    return "\n".join(lines)
