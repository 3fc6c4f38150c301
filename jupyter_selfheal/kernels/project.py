"""The folder of the project that a notebook belongs to: what its cells write there is thrown away, not refused."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from jupyter_selfheal.inside.fork import overlay

_MARKS = ("README*", "LICENSE*", "pyproject.toml", "setup.py", "requirements*.txt", "environment*.y*ml", "Makefile")
_LEVELS = 4


def find_project(folder: str) -> str:
    """The outermost folder above ``folder``, within four levels, that looks like a project's root; else ``folder`` itself.

    A repository's root ends the search. Never the home or the temporary folder, nor what holds them, and never a folder
    within which something else is mounted: an overlay would hide that.
    """
    root = start = Path(folder).resolve()
    homes = {Path(p).resolve() for p in (os.path.expanduser("~"), tempfile.gettempdir())}
    for here in (start, *start.parents)[: _LEVELS + 1]:
        if len(here.parts) < 3 or any(home.is_relative_to(here) for home in homes):
            break
        if (here / ".git").exists():
            root = here
            break
        if any(next(here.glob(mark), None) is not None for mark in _MARKS):
            root = here
    inside = os.path.join(str(root), "")
    if root != start and any(point.startswith(inside) for point in _list_mounts()):
        return str(start)
    return str(root)


def _list_mounts() -> list[str]:
    try:
        return overlay.list_mounts()
    except OSError:  # not on Linux: there are no overlays either
        return []
