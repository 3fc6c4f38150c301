"""The notebooks that are open: a few, each in the version that its file has now."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.surfaces.mcp.open_notebook import OpenNotebook, read_digest
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.notebook.settings import Settings

T = TypeVar("T")

MOST_NOTEBOOKS = 3
"""Notebooks whose kernels and states are kept. The one that was not asked about for longest is let go first."""


class OpenNotebooks:
    """Opens notebooks, and lets go of those that changed on disk or were not asked about for long, once nobody uses them."""

    def __init__(self, settings: Settings, most: int = MOST_NOTEBOOKS) -> None:
        self._settings = settings
        self._most = most
        self._lock = threading.Lock()
        self._open: OrderedDict[Path, OpenNotebook] = OrderedDict()
        self._users: dict[OpenNotebook, int] = {}

    def ask(self, path: Path, run: ToolRun, question: Callable[[OpenNotebook], T]) -> T:
        """What a question about the notebook gives, in its present version, which is run first where it was not yet.

        Where somebody else's cancellation took the run away that this one waited for, it is begun once more.
        """
        with self._use_notebook(path) as notebook:
            try:
                notebook.check(run)
                return question(notebook)
            except KernelError:
                if run.is_cancelled or not notebook.keeper.is_closed:
                    raise
        with self._use_notebook(path) as notebook:
            notebook.check(run)
            return question(notebook)

    def close(self) -> None:
        """Let go of all of them."""
        with self._lock:
            notebooks = {*self._open.values(), *self._users}
            self._open.clear()
        for notebook in notebooks:
            notebook.close()

    @contextlib.contextmanager
    def _use_notebook(self, path: Path) -> Iterator[OpenNotebook]:
        notebook = self._take_notebook(path)
        try:
            yield notebook
        finally:
            self._give_back(notebook)

    def _take_notebook(self, path: Path) -> OpenNotebook:
        digest = read_digest(path)
        with self._lock:
            known = self._open.get(path)
            if known is None or known.digest != digest or known.keeper.is_closed:
                known = OpenNotebook(path, self._settings)
                left = self._open.pop(path, None)
                self._open[path] = known
                self._users.setdefault(known, 0)
                self._close_unused(*([left] if left is not None else []))
            self._open.move_to_end(path)
            self._users[known] += 1
            while len(self._open) > self._most:
                self._close_unused(self._open.popitem(last=False)[1])
            return known

    def _give_back(self, notebook: OpenNotebook) -> None:
        with self._lock:
            self._users[notebook] -= 1
            if notebook.keeper.is_closed and self._open.get(notebook.path) is notebook:
                del self._open[notebook.path]  # its run was cancelled: nothing is left to ask it about
            if notebook not in self._open.values():
                self._close_unused(notebook)

    def _close_unused(self, *notebooks: OpenNotebook) -> None:
        """Close those that nobody uses; the others are closed when they are given back."""
        for notebook in notebooks:
            if not self._users.get(notebook):
                self._users.pop(notebook, None)
                notebook.close()
