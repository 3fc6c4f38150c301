"""A project's own Python files: which they are, reading one, and putting a fixed one in its place."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.notebook import originals, write
from jupyter_selfheal.surfaces.notebook.save import lock_folder

NOT_OURS = frozenset({"site-packages", "dist-packages", "node_modules", "venv", ".venv", "env", "build", "dist"})
"""Folders whose files belong to somebody else, or are made from others."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file as it was read. ``text`` has plain newlines; ``newline`` is what the file has in their place."""

    path: Path
    raw: bytes
    text: str
    encoding: str
    newline: str = "\n"


@dataclass(frozen=True, slots=True)
class FileFix:
    """A file with its proven new text."""

    file: ProjectFile
    text: str

    @property
    def raw(self) -> bytes:
        """What the file holds once the fix is written."""
        return self.text.replace("\n", self.file.newline).encode(self.file.encoding)


def is_own(path: Path, project: Path) -> bool:
    """Whether a path is a Python file of the project, and none that is installed or hidden in it."""
    if path.suffix != ".py" or not path.is_relative_to(project):
        return False
    folders = path.relative_to(project).parts[:-1]
    return not any(part in NOT_OURS or part.startswith(".") for part in folders)


def read_file(path: Path) -> ProjectFile | None:
    """The file, or None where it cannot be read as Python, or mixes its newlines."""
    try:
        raw = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except (OSError, SyntaxError):
        return None
    return _decode_file(path, raw, encoding)


def read_text_file(path: Path) -> ProjectFile | None:
    """A file of another kind, such as a list of requirements; None where it is not there, is not UTF-8, or mixes its newlines."""
    try:
        return _decode_file(path, path.read_bytes(), "utf-8")
    except OSError:
        return None


def _decode_file(path: Path, raw: bytes, encoding: str) -> ProjectFile | None:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    returns = text.count("\r\n")
    if text.count("\r") != returns or (returns and returns != text.count("\n")):
        return None
    return ProjectFile(path, raw, text.replace("\r\n", "\n"), encoding, "\r\n" if returns else "\n")


def write_fixes(fixes: tuple[FileFix, ...], project: Path) -> tuple[str, ...]:
    """Replace each file by its fixed text, in one step a file; the paths that were written.

    Raises :class:`NotebookError` where a file is not in ``project``, was changed since it was read (then none is written),
    or cannot be written.
    """
    root = project.resolve()
    with lock_folder(root):
        for fix in fixes:
            if not fix.file.path.resolve().is_relative_to(root):
                raise NotebookError(f"{fix.file.path}: not in {project}: name the folder that holds it with --project")
            if _read_bytes(fix.file.path) not in (fix.file.raw, fix.raw):
                raise NotebookError(f"{fix.file.path}: changed on disk while it was being healed: heal it again")
            if fix.file.path.exists() and not fix.file.path.stat().st_mode & 0o222:
                raise NotebookError(f"{fix.file.path}: write-protected: make it writable")
        for fix in fixes:
            originals.keep_original(fix.file.raw, fix.raw)
            write.write_atomically(fix.file.path, fix.text.replace("\n", fix.file.newline), encoding=fix.file.encoding)
    return tuple(str(fix.file.path) for fix in fixes)


def list_served(fixes: tuple[FileFix, ...]) -> Iterator[tuple[str, list[str]]]:
    """Path, and text with encoding, of each fixed file, as the probes take them."""
    return ((str(f.file.path), [f.text.replace("\n", f.file.newline), f.file.encoding]) for f in fixes)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
