"""Heals failing notebook cells. ``%load_ext jupyter_selfheal`` in a notebook; ``jupyter selfheal heal`` over files.

Nothing heavy is imported here: this module runs in the user's kernel.
"""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"] and sys.path and not sys.flags.safe_path and "jupyter_selfheal" in "".join(sys.orig_argv):
    # `python -m jupyter_selfheal` in a folder with a `queue.py` must not take that for Python's own: Python's modules first
    sys.path.append(sys.path.pop(0))

from typing import TYPE_CHECKING, Any

from jupyter_selfheal._version import __version__

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["__version__", "load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Switch healing on in this shell (``%load_ext jupyter_selfheal``)."""
    from jupyter_selfheal.surfaces.live import extension

    extension.load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take everything back (``%unload_ext jupyter_selfheal``)."""
    from jupyter_selfheal.surfaces.live import extension

    extension.unload(shell)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
