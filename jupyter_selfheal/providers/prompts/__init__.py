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
    version = re.match(r"<!-- version: (\d+) -->\n+", raw)
    if version is None:
        raise ValueError(f"the prompt {name} has no version in its first line")
    return f"{name}-{version[1]}", raw[version.end() :].strip()
