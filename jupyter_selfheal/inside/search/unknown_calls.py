"""Is a function that does not exist only given the name of one that does?"""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_selfheal.inside.search.method_changes import LENGTHS

ALIKE = 0.6
"""How alike two names are (0-1, by :mod:`difflib`) from which one is the other one written wrongly."""


def is_call_of_nothing(name: str, other: str, changes: Iterable[tuple[str, str]], space: Mapping[str, Any]) -> bool:
    """Whether ``name`` is called where nothing defines it, and ``other``, which is called in its place (``""``: nothing), is not that name written otherwise:
    ``str(text)`` for ``clean(text)`` meets what checks there are, and nothing says that it is what ``clean`` was to do."""
    called = re.compile(rf"(?<![\w.]){name}\(")
    defined = re.compile(rf"\b(?:def|class|import|as)\s+{name}\b|(?<![\w.]){name}\s*=(?!=)")
    texts = [old for old, _ in changes]
    is_missing = name not in space and not hasattr(builtins, name) and not any(map(defined.search, texts))
    if not is_missing or not any(map(called.search, texts)) or (name in LENGTHS and other == "len"):
        return False
    is_alike = other in name or name in other or difflib.SequenceMatcher(None, name, other).ratio() >= ALIKE
    return not other or not is_alike
