"""The prompts: short, versioned files. The first line of each is ``<!-- version: N -->``; the version goes into the journal."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=None)
def read_prompt(name: str) -> tuple[str, str]:
    """(version, text) of the prompt ``name`` (``fix``, ``repair``, ``judge``); the version is ``fix-1``.

    Raises ``FileNotFoundError`` for an unknown name and ``ValueError`` for a file without a version.
    """
    raw = resources.files(__name__).joinpath(f"{name}.md").read_text("utf-8")
    found = re.match(r"<!-- version: (\d+) -->\n+", raw)
    if found is None:
        raise ValueError(f"the prompt {name} has no version in its first line")
    return f"{name}-{found[1]}", raw[found.end() :].strip()
