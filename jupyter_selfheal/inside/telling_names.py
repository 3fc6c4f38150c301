"""Names that say that what they stand for is a secret."""

from __future__ import annotations

import re

NAMES = re.compile(
    r"(?i)(?<![a-z])(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?"
    r"|(?:api|access|auth|private)[_-]?key)(?![a-z])"
)
"""Such a name in a text."""

_OF_VARIABLES = re.compile(
    r"(?:^|_)(?:pass(?:words?|wds?|phrases?|codes?)?|pwd|pw|secrets?|token|cred(?:ential)?s?|auth|bearer"
    r"|(?:api|access|auth|private|account|encryption|signing)_?key)(?:_|$)"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_telling(name: str) -> bool:
    """Whether the name of a variable, a field or an argument says that its value is a secret."""
    return bool(_OF_VARIABLES.search(_CAMEL.sub("_", name).lower().replace("-", "_")))


def is_likely_secret(name: str, value: str) -> bool:
    """Whether the value of a telling name is one. What is called a token is a word as often: it must look unlike one. ``PWD`` is a folder."""
    if name.lower().endswith("pwd") and value.startswith(("/", "~")):
        return False
    if "token" not in name.lower():
        return True
    return len(value) >= 8 and not value.isalpha() and not any(c.isspace() for c in value)
