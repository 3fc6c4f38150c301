"""``%load_ext jupyter_selfheal``: puts the hook, the magics and the worker into a shell, and takes them out again."""

from __future__ import annotations

from IPython.core.interactiveshell import InteractiveShell


def load(shell: InteractiveShell) -> None:
    """Switch healing on in ``shell``."""


def unload(shell: InteractiveShell) -> None:
    """Take everything back."""
