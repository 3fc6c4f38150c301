"""Values that are secrets wherever they stand, known from where they were seen with a telling name."""

from __future__ import annotations

import builtins
import keyword
import os
import re
from collections.abc import Iterable, Iterator, Mapping

LEAST, MOST = 5, 500
"""Characters that such a value has at least, and how many values are kept."""

_WORDS = frozenset(
    (
        *keyword.kwlist,
        *dir(builtins),
        "string",
        "password",
        "secret",
        "token",
        "utf-8",
        "example",
        "basic",
        "digest",
        "bearer",
        "oauth2",
    )
)
_TELLING = re.compile(
    r"(?i)(?:^|[_.-])(?:pass(?:word|wd|phrase)?|secret|token|credentials?|(?:api|access|auth|private)_?key)(?:$|[_.-])"
)
"""Names of environment variables that hold a secret; ``PWD`` is a folder."""


def is_worth_knowing(value: str) -> bool:
    """Whether a value is replaced wherever it stands: not one that is an everyday word of code, or hardly longer than a number."""
    return len(value.strip()) >= LEAST and value.lower() not in _WORDS and not value.startswith("SELFHEAL_SECRET_")


def list_environment_secrets(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The values of the environment variables whose names say that they hold a secret."""
    given = os.environ if environment is None else environment
    return tuple(value for name, value in given.items() if _TELLING.search(name) and is_worth_knowing(value))


class KnownSecrets:
    """Such values, and where they stand in a text."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None
        self.add(values)

    def add(self, values: Iterable[str]) -> None:
        """Know these too, as they are and as ``repr`` writes them."""
        for value in values:
            for form in (value, repr(value)[1:-1]) if is_worth_knowing(value) else ():
                if form not in self._values and len(self._values) < MOST:
                    self._values[form], self._pattern = None, None

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Where they stand, the longest first. One that is a word is found where no letter or digit goes on."""
        if self._values and self._pattern is None:
            longest_first = sorted(self._values, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(_build_pattern, longest_first)))
        if self._pattern is not None:
            yield from (match.span() for match in self._pattern.finditer(text))


def _build_pattern(value: str) -> str:
    """A short word is not looked for inside of longer ones."""
    inner = re.escape(value)
    if len(value) >= 8 and not value.isalpha():
        return inner
    before = r"(?<![^\W_])" if value[0].isalnum() else ""
    after = r"(?![^\W_])" if value[-1].isalnum() else ""
    return f"{before}{inner}{after}"
