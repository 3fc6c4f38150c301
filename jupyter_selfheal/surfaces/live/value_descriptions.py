"""Live values in a few words, for an explanation: what a value is, without running anything of the user's.

Only objects of Python's own and of known libraries' types are looked into, and nothing is shown of what may be a secret: an
explanation stands in the notebook's output, and is saved with it.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

MOST_KEYS = 12
"""Keys, columns or file names that are listed."""

MOST_ITEMS = 1_000
"""Items of a list or a column that are looked at."""

PLAIN = (str, bytes, bool, int, float, complex, type(None))
"""Types whose objects are written as they are: of others, the user's code might run."""

SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|pwd|credential|auth")
"""Names whose texts are not shown."""

SECRET_TEXT = re.compile(r"://[^/\s]*@|\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{20,}\b")
"""Texts that are not shown: an address with a password in it, a long word of letters and digits."""


def describe_value(value: Any, name: str = "") -> str:
    """A value in a few words: its type, and its shape, keys, columns or length; short texts and numbers as they are."""
    kind = type(value).__name__
    if type(value) is str:
        return describe_text(value, name)
    if value is None or type(value) in (bool, int, float, complex):
        return shorten(repr(value))
    if type(value) is dict:
        return (
            f"a dictionary with the key{'s' * (len(value) > 1)} {list_some(value)}" if value else "an empty dictionary"
        )
    if type(value) in (list, tuple, set, frozenset):
        inside = " and ".join(sorted({type(item).__name__ for item in _take_items(value)})[:3])
        return f"a {kind} of {len(value)} ({inside})" if value else f"an empty {kind}"
    if is_of(value, "pandas") and hasattr(value, "columns"):
        return f"a table of {format_shape(value)} with the column{'s' * (len(value.columns) > 1)} {list_some(value.columns)}"
    if is_of(value, "numpy") and getattr(value, "shape", None) == ():
        return shorten(str(value)) if value.dtype.kind in "biufc" else add_article(kind)
    if is_of(value, "numpy", "pandas") and hasattr(value, "shape"):
        kind = "array" if kind == "ndarray" else kind
        size = f"{value.shape[0]} values" if len(value.shape) == 1 else f"shape {format_shape(value)}"
        return f"{add_article(kind)} of {size}, {getattr(value, 'dtype', '')}"
    return add_article(kind)


def describe_text(value: str, name: str = "") -> str:
    """A text as it is, unless it is empty or may be a secret."""
    if not value:
        return "an empty text"
    if SECRET_NAME.search(name) or SECRET_TEXT.search(value):
        return f"a text of {len(value)} characters"
    return f"the text {shorten(repr(value))}"


def find_odd_text(column: Any) -> str | None:
    """The first text in a table's column that is no number, as it stands there; None where its values are not texts."""
    texts = [item for item in list(column.iloc[:MOST_ITEMS]) if type(item) is str]
    shown = [text for text in texts if not SECRET_TEXT.search(text)]
    return next((text for text in shown if not _is_number(text)), next(iter(shown), None))


def list_some(items: Any) -> str:
    """The first few, as they are written."""
    shown = [
        shorten(repr(item) if type(item) in PLAIN else type(item).__name__, 40)
        for item in itertools.islice(items, MOST_KEYS)
    ]
    more = len(items) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def shorten(text: str, most: int = 100) -> str:
    """A text of one line that is not too long to be read."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def is_of(value: Any, *libraries: str) -> bool:
    """Whether its type is one of the library's own: a class of the user's may do anything when asked."""
    return type(value).__module__.partition(".")[0] in libraries


def format_shape(value: Any) -> str:
    """``3×4``."""
    return "×".join(map(str, value.shape)) or "()"


def add_article(noun: str) -> str:
    """``an array``."""
    return f"an {noun}" if noun[:1].lower() in tuple("aeiou") else f"a {noun}"


def _take_items(value: Any) -> list[Any]:
    return list(itertools.islice(value, MOST_ITEMS))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
