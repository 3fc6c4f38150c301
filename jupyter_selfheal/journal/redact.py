"""Secrets out of a text, and back in.

A pattern finds each secret's own characters (not the name or the quotes around it), and a placeholder takes their place.
The placeholder is a word, so that code stays code; the same secret has the same placeholder in every text that one
:class:`Redactor` saw. What already looks like a placeholder is replaced like a secret, so that ``restore`` is exact.

Patterns, not entropy: the formats are those that the issuers publish, and assignments to names that say ``password``,
``token`` or the like. It errs on the side of replacing; nothing is lost, since a reply is restored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from jupyter_selfheal.model import JSON

PREFIX = "SELFHEAL_SECRET_"

_NAMED = (
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key)"
)

PATTERNS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<secret>{PREFIX}\d+_)",
        r"(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))",
        r"(?<![\w-])(?P<secret>sk-[A-Za-z0-9_\-]{16,})",
        r"(?<!\w)(?P<secret>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_\-]{16,})",
        r"(?<![A-Z0-9])(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Z0-9])",
        r"(?<!\w)(?P<secret>AIza[A-Za-z0-9_\-]{35}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_\-]{32,})",
        r"(?<!\w)(?P<secret>xox[abeoprs]-[A-Za-z0-9\-]{10,})",
        r"(?<![\w.])(?P<secret>eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*)",
        r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s/:@'\"]*:(?P<secret>[^\s/@'\"]+)@",
        r"(?i)authorization['\"]?\s*[:=]\s*[rbf]?['\"]?(?:bearer|basic|token|digest)?\s+?(?P<secret>[A-Za-z0-9+/=._~\-]{6,})",
        r"(?i)\bbearer\s+(?P<secret>[A-Za-z0-9+/=._~\-]{12,})",
        rf"(?i)(?<![a-z]){_NAMED}(?![a-z])\w*['\"]?\]?\s*[:=]\s*[rbuf]{{0,2}}(?P<q>['\"])(?P<secret>(?!(?P=q))[^\r\n]{{4,}}?)(?P=q)",
        (
            rf"(?i)(?<![a-z]){_NAMED}(?![a-z])\w*\s*[:=]\s*(?P<secret>(?=[^\s'\"()\[\]{{}},;.]*\d)(?=[^\s'\"()\[\]{{}},;.]*[a-z])"
            r"[^\s'\"()\[\]{},;.]{6,})(?![\w(.\[])"
        ),
    )
)
"""Each has a group ``secret``: the part that is replaced."""


@dataclass
class Redactor:
    """Replaces secrets by placeholders, consistently over many texts, and restores them."""

    secrets: dict[str, str] = field(default_factory=dict)
    """Placeholder → secret."""

    def redact(self, text: str) -> str:
        """The text without its secrets."""
        spans: list[tuple[int, int]] = []
        for pattern in PATTERNS:
            spans += [match.span("secret") for match in pattern.finditer(text)]
        found, last = [], 0
        for start, end in _merged(spans):
            found += [text[last:start], self._placeholder(text[start:end])]
            last = end
        return "".join([*found, text[last:]])

    def restore(self, text: str) -> str:
        """The text with every placeholder turned back into its secret."""
        return re.sub(rf"{PREFIX}\d+_", lambda m: self.secrets.get(m[0], m[0]), text)

    def _placeholder(self, secret: str) -> str:
        known = next((name for name, value in self.secrets.items() if value == secret), "")
        if not known:
            known = f"{PREFIX}{len(self.secrets) + 1}_"
            self.secrets[known] = secret
        return known


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Overlapping spans as one; sorted."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def redact(text: str) -> str:
    """The text without its secrets, for display and export: there is no way back."""
    return Redactor().redact(text)


def redact_json(value: JSON, redactor: Redactor | None = None) -> JSON:
    """The same value with the secrets in all its strings replaced."""
    redactor = redactor or Redactor()
    if isinstance(value, str):
        return redactor.redact(value)
    if isinstance(value, dict):
        return {k: redact_json(v, redactor) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [redact_json(v, redactor) for v in value]
    return value
