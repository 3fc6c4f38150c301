"""Methods of texts, by what they give."""

from __future__ import annotations

QUESTIONS = frozenset({"isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "isupper"})
"""Methods that say whether a text is of a kind: as a condition each holds until it is called."""
PLAIN = frozenset({"capitalize", "casefold", "lower", "lstrip", "rstrip", "strip", "swapcase", "title", "upper"})
"""Methods that need no argument and give a text."""
CHANGED_TEXTS = PLAIN | {"replace", "translate", "zfill"}
"""Methods that give a text anew; ``replace`` of a date too."""
