"""Which notebooks a command is about: files as they are named, folders with all that is in them, patterns.

What git ignores is not looked at, nor are hidden folders (checkpoints among them), environments of Python, and copies that an
earlier run made. A file that is named itself is always taken.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.notebook.text_formats import SUFFIXES as TEXT_SUFFIXES

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIX = ".ipynb"
HEALED_SUFFIX = ".healed.ipynb"
"""How the healed form of ``NAME.ipynb`` ends where no other place is named."""

_STORE = re.compile(r"[a-z][a-z0-9+.]+:/[^/]")
"""How a path begins that was an address, like ``s3://bucket``."""

_NOT_OURS = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Folders whose notebooks belong to somebody else's package."""


@dataclass(frozen=True, slots=True)
class Place:
    """A notebook, and the folder that it was found in (None where the file itself was named)."""

    path: Path
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Discovery:
    """The notebooks, in order, each once; ``problems`` are folders that could not be read, each with a sentence."""

    places: tuple[Place, ...]
    problems: tuple[tuple[Path, str], ...] = ()


def find_notebooks(
    named: Sequence[Path],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    leave_out: Sequence[Path] = (),
) -> Discovery:
    """The notebooks that are meant by files, folders and patterns.

    ``include`` and ``exclude`` are patterns as in a ``.gitignore``, relative to the folder that is searched; ``leave_out`` are
    folders that are not entered. A folder or pattern that holds no notebook stands for itself. Raises :class:`UsageError` for the
    whole disk and for a pattern that cannot be read.
    """
    problems: list[tuple[Path, str]] = []
    search = _Search(include, exclude, frozenset(map(resolve_path, leave_out)), problems)
    places: dict[Path, Place] = {}
    for path in named:
        if _STORE.match(str(path)) and not path.exists():
            raise UsageError(
                f"{path}: object stores are not read: copy the folder here first (docs/scale.md shows how)"
            )
        before = len(problems)
        found = search.find(path)
        if (
            not found and len(problems) == before
        ):  # whoever reads it says what is wrong with it, and the others are healed
            found = [Place(path)]
        for place in found:
            places.setdefault(resolve_path(place.path), place)
    return Discovery(tuple(places.values()), tuple(problems))


def resolve_path(path: Path) -> Path:
    """Where a path leads; of links in a circle, which ``Path.resolve`` refuses, a path that cannot be read."""
    return Path(os.path.realpath(path))


def _is_pattern(path: Path) -> bool:
    return glob.has_magic(str(path)) and not path.exists()


class _Search:
    """One search: what it is told to look at, and the ignore files that it has read."""

    def __init__(
        self,
        include: Sequence[str],
        exclude: Sequence[str],
        leave_out: frozenset[Path],
        problems: list[tuple[Path, str]],
    ) -> None:
        self._wanted = _compile_patterns(include) if include else None
        self._unwanted = _compile_patterns(exclude) if exclude else None
        self._leave_out = leave_out
        self._problems = problems
        self._ignore_files: dict[Path, GitIgnoreSpec | None] = {}

    def find(self, named: Path) -> list[Place]:
        """The notebooks that one word of the command stands for."""
        if named.is_dir():
            return list(self._search_folder(named))
        return list(self._expand_pattern(named)) if _is_pattern(named) else [Place(named)]

    def _expand_pattern(self, pattern: Path) -> Iterator[Place]:
        """What a pattern that no shell has expanded stands for; ``**`` is any number of folders."""
        for name in sorted(glob.glob(str(pattern), recursive=True)):
            path = Path(name)
            if path.is_dir() and pattern.name != "**":
                yield from self._search_folder(path)
            elif (
                (path.suffix == SUFFIX or path.suffix == pattern.suffix in TEXT_SUFFIXES)
                and self._is_wanted(path, name)
                and not self._is_ignored(path, self._find_repository(path.parent.resolve()))
            ):
                yield Place(path)

    def _search_folder(self, folder: Path) -> Iterator[Place]:
        """All notebooks in a folder and below it, those of a folder by name before those of its folders."""
        top = folder.resolve()
        if top == Path(top.anchor):
            raise UsageError(f"{folder} is the whole disk: name the folder of the notebooks")
        above = self._find_repository(top)
        if top != above and self._is_ignored(top, above):
            above = top  # who names a folder that git ignores means it
        for name, folders, files in os.walk(folder, onerror=self._add_problem):
            here = Path(name)
            folders[:] = sorted(n for n in folders if self._is_entered(here / n, folder, above))
            for path in (here / n for n in sorted(files) if n.endswith(SUFFIX) and not n.startswith(".")):
                inner = path.relative_to(folder).as_posix()
                if self._is_wanted(path, inner) and not self._is_ignored(path, above):
                    yield Place(path, folder)

    def _is_wanted(self, path: Path, inner: str) -> bool:
        return (
            (self._wanted is None or self._wanted.match_file(inner))
            and not (self._unwanted is not None and self._unwanted.match_file(inner))
            and not _is_copy(path)
        )

    def _find_repository(self, folder: Path) -> Path:
        """The root of the repository that the folder is in, or the folder itself."""
        return next((p for p in (folder, *folder.parents) if os.path.exists(p / ".git")), folder)

    def _is_entered(self, path: Path, top: Path, above: Path) -> bool:
        inner = path.relative_to(top).as_posix() + "/"
        return not (
            path.name.startswith(".")
            or path.name in _NOT_OURS
            or (self._unwanted is not None and self._unwanted.match_file(inner))
            or os.path.exists(path / "pyvenv.cfg")
            or resolve_path(path) in self._leave_out
            or self._is_ignored(path, above)
        )

    def _is_ignored(self, path: Path, upto: Path) -> bool:
        """Whether git ignores a file or folder: the innermost ``.gitignore`` that speaks of it decides, and in it the last line.

        Ignore files above ``upto`` are not asked.
        """
        resolved = path.parent.resolve() / path.name
        directory = "/" if path.is_dir() else ""
        for folder in resolved.parents:
            if (patterns := self._read_ignore_file(folder)) is not None:
                said = patterns.check_file(resolved.relative_to(folder).as_posix() + directory).include
                if said is not None:
                    return said
            if folder == upto:
                return False
        return False

    def _read_ignore_file(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._ignore_files:
            try:
                lines = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                lines = []
            self._ignore_files[folder] = _compile_patterns(lines) if lines else None
        return self._ignore_files[folder]

    def _add_problem(self, error: OSError) -> None:
        self._problems.append((Path(error.filename), f"a folder that cannot be read ({error.strerror})"))


def _is_copy(path: Path) -> bool:
    """Whether an earlier run made it of the notebook that lies beside it."""
    return path.name.endswith(HEALED_SUFFIX) and path.with_name(path.name.removesuffix(HEALED_SUFFIX) + SUFFIX).exists()


def _compile_patterns(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise UsageError(f"a pattern that cannot be read: {error}") from error
