"""Which notebooks may be touched: those within the folders that were named at the start, and nothing else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import UsageError


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders, resolved. A path is looked at only after every link in it was followed."""

    folders: tuple[Path, ...]

    @classmethod
    def from_options(cls, named: tuple[Path, ...], cwd: Path) -> Roots:
        """The folders that were named, else the working directory. Raises :class:`UsageError`.

        The whole disk and the home folder are roots only where somebody names them.
        """
        if not named and cwd.resolve() in (Path("/"), Path.home().resolve()):
            raise UsageError(f"{cwd} is too wide to be opened to an agent unasked: name a folder with --root DIR")
        folders = tuple(path.expanduser().resolve() for path in named or (cwd,))
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"--root {folder}: there is no such folder")
        return cls(folders)

    def resolve_notebook(self, path: str) -> Path:
        """The notebook that is meant, every link followed. Raises :class:`UsageError` for whatever is not within a root.

        A relative path is looked for in each root. Outside of them nothing is said about what exists.
        """
        if not path.strip() or "\0" in path:
            raise UsageError("path is empty: name a notebook, for example analysis.ipynb")
        candidates = [resolved for folder in self.folders if (resolved := _resolve_path(folder / path)) is not None]
        inside = [p for p in candidates if any(p.is_relative_to(folder) for folder in self.folders)]
        if not inside:
            raise UsageError(
                f"{path[:200]} is outside of the folders that this server may touch ({self.describe()}): "
                "use a path within them, or ask the user to start the server with --root for that folder"
            )
        notebook = next((p for p in inside if os.path.isfile(p)), None)  # also where the name is too long to be one
        if notebook is None:
            what = "is a folder, and no file" if any(os.path.isdir(p) for p in inside) else "no such file"
            raise UsageError(f"{path[:200]}: {what} within {self.describe()}{self._suggest_notebooks(path)}")
        if notebook.suffix != ".ipynb":
            raise UsageError(f"{path[:200]} is no notebook: name a file that ends in .ipynb")
        return notebook

    def describe(self) -> str:
        """The folders on one line."""
        return ", ".join(str(folder) for folder in self.folders)

    def _suggest_notebooks(self, path: str) -> str:
        """The notebooks beside the one that was named, a few."""
        names = sorted({p.name for folder in self.folders for p in folder.glob("*.ipynb") if p.is_file()})
        close = [n for n in names if Path(path).stem.lower() in n.lower()] or names
        return f"; there is {', '.join(close[:5])}" if close else ""


def _resolve_path(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a name too long, links in a circle
        return None
