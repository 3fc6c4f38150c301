"""Where in the project's own files a failure stands."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.model import Failure
from jupyter_selfheal.surfaces.project.files import is_own


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A line of a file of the project, and the function that it is in."""

    path: Path
    line: int
    function: str

    def describe(self, folder: Path) -> str:
        """``helper.py, line 3 (`mean`)``, the path as seen from ``folder``."""
        path = os.path.relpath(self.path, folder)
        function = f" (`{self.function}`)" if self.function.isidentifier() else ""
        return f"{path}, line {self.line}{function}"


def find_place(failure: Failure, project: Path) -> FilePlace | None:
    """The innermost frame in the project, if that is in one of its files; None where it is in a cell, or nowhere."""
    for frame in reversed(failure.frames):
        if frame.cell_id:
            return None
        path = Path(frame.file)
        if path.is_absolute() and is_own(path.resolve(), project):
            return FilePlace(path.resolve(), frame.line, frame.function)
    return None


def list_files(failures: Iterable[Failure], project: Path) -> Collection[Path]:
    """The project's files that frames of the failures are in."""
    paths = (Path(f.file) for failure in failures for f in failure.frames if not f.cell_id)
    return {p.resolve() for p in paths if p.is_absolute() and is_own(p.resolve(), project)}
