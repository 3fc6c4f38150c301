"""Files that lie where a notebook does, and must be of no consequence for us: each raises when it is imported."""

from __future__ import annotations

from pathlib import Path

STANDARD = ("queue", "random", "token", "json", "select", "socket", "signal", "copy", "abc", "logging")
"""Names of Python's own modules that a kernel has imported before it looks in the notebook's folder."""

FATAL = ("types", "enum")
"""Those without which ``python -m`` does not start at all, a kernel neither."""


def write_modules(folder: Path, *names: str) -> None:
    for name in names:
        (folder / f"{name}.py").write_text(f"raise RuntimeError('the {name} of the notebook')\n")
