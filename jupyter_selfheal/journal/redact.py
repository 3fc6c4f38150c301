"""Secrets out of a text, and back in.

A pattern finds each secret's own characters (not the name or the quotes around it), and a placeholder takes their place.
The placeholder is a word, so that code stays code; the same secret has the same placeholder in every text that one
:class:`Redactor` saw. What already looks like a placeholder is replaced like a secret, so that ``restore`` is exact.

Patterns, not entropy: the formats are those that the issuers publish, and assignments to names that say ``password``,
``token`` or the like. It errs on the side of replacing; nothing is lost, since a reply is restored.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from jupyter_selfheal.inside.telling_names import NAMES
from jupyter_selfheal.journal.known_secrets import KnownSecrets
from jupyter_selfheal.journal.written_secrets import list_written_secrets
from jupyter_selfheal.model import JSON

PREFIX = "SELFHEAL_SECRET_"

LEAST_KNOWN = 12
"""Characters that a known secret has at least."""

_PATTERNS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<secret>{PREFIX}\d+_)",
        r"(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))",
        r"(?<![\w-])(?P<secret>sk-[A-Za-z0-9_\-]{16,})",
        r"(?<!\w)(?P<secret>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
        r"(?<!\w)(?P<secret>glpat-[A-Za-z0-9_\-]{16,})",
        r"(?<![A-Z0-9])(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Z0-9])",
        r"(?<!\w)(?P<secret>AIza[A-Za-z0-9_\-]{35}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{36})",
        r"(?<!\w)(?P<secret>pypi-[A-Za-z0-9_\-]{32,})",
        r"(?<!\w)(?P<secret>xox[abeoprs]-[A-Za-z0-9\-]{10,})",
        r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s/:@'\"]*:(?P<secret>[^\s/@'\"]+)@",
        (
            r"(?i)authorization['\"]?\s*[:=]\s*+(?:[rbf]?['\"]?(?:bearer|basic|token|digest)?\s++|(?<=\s))"
            r"(?P<secret>[A-Za-z0-9+/=._~\-]{6,})"
        ),
        r"(?i)\bbearer\s+(?P<secret>[A-Za-z0-9+/=._~\-]{12,})",
    )
)
"""Each has a group ``secret``: the part that is replaced. None may take more than linear time, whatever the text: no two
repetitions that can match the same characters may follow one another."""

_QUOTED = re.compile(r"(?i)['\"]?\]?\s*[:=]\s*[rbuf]{0,2}(?P<q>['\"])(?P<secret>(?!(?P=q))[^\r\n]{4,}?)(?P=q)")
_ASSIGNED = re.compile(r"\s*[:=]\s*")
_VALUE = re.compile(r"[^\s'\"()\[\]{},;.]*")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"(?i)[a-z]")
_GOES_ON = re.compile(r"[\w(.\[]")
_REST_OF_WORD = re.compile(r"\w*")

_JWT_HEAD = re.compile(r"(?<![\w.])eyJ")
_JWT_PART = re.compile(r"[A-Za-z0-9_\-]*")
_JWT = re.compile(r"eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*")

Span = tuple[int, int]

_PLACEHOLDER = re.compile(rf"{PREFIX}\d+_")


def _find_secrets(text: str) -> Iterator[Span]:
    """Where the secrets are, in no particular order; some may overlap. Takes time in proportion to the text."""
    for pattern in _PATTERNS:
        yield from (match.span("secret") for match in pattern.finditer(text))
    yield from _find_web_tokens(text)
    yield from _find_assigned(text, lambda at: _match_quoted(text, at))
    yield from _find_assigned(text, _PlainValues(text).match_at)


def _find_web_tokens(text: str) -> Iterator[Span]:
    """JSON web tokens. Where the first start in a run of characters is none, no later one in it is: they are passed over,
    so that ``eyJ-eyJ-…`` is read once."""
    position = end_of_run = 0
    while head := _JWT_HEAD.search(text, position):
        position = head.end()
        if head.start() < end_of_run:
            continue
        if token := _JWT.match(text, head.start()):
            yield token.span()
            position = token.end()
        elif part := _JWT_PART.match(text, position):
            end_of_run = part.end()


def _find_assigned(text: str, value_at: Callable[[int], tuple[Span, int] | None]) -> Iterator[Span]:
    """What is assigned to telling names. ``value_at`` gives the span of the value behind a name and where to go on.

    What follows depends on where the word ends, not on where the name stands in it: so each word is tried once, however
    many names it holds (``token_token_…``).
    """
    position = end_of_word = 0
    while name := NAMES.search(text, position):
        position = name.end()
        if position <= end_of_word:
            continue
        rest = _REST_OF_WORD.match(text, position)
        end_of_word = rest.end() if rest else position
        if value := value_at(end_of_word):
            span, position = value
            yield span


def _match_quoted(text: str, at: int) -> tuple[Span, int] | None:
    value = _QUOTED.match(text, at)
    return (value.span("secret"), value.end()) if value else None


class _PlainValues:
    """Values without quotes: six characters or more with a digit and a letter among them, and no call or attribute.

    What is known of a run of such characters is kept, since it may hold many names (``token=token=…``).
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._end_of_run = self._last_digit = self._last_letter = self._end = -1

    def match_at(self, end_of_name: int) -> tuple[Span, int] | None:
        assigned = _ASSIGNED.match(self._text, end_of_name)
        if not assigned:
            return None
        start = assigned.end()
        if start >= self._end_of_run:
            self._read_run(start)
        if self._end < start + 6 or min(self._last_digit, self._last_letter) < start:
            return None
        return (start, self._end), self._end

    def _read_run(self, start: int) -> None:
        run = _VALUE.match(self._text, start)
        self._end_of_run = self._end = run.end() if run else start
        self._last_digit = self._find_last(_DIGIT, start)
        self._last_letter = self._find_last(_LETTER, start)
        while self._end >= start + 6 and _GOES_ON.match(self._text, self._end):
            self._end -= 1

    def _find_last(self, kind: re.Pattern[str], start: int) -> int:
        return max((m.start() for m in kind.finditer(self._text, start, self._end_of_run)), default=-1)


@dataclass
class Redactor:
    """Replaces secrets by placeholders, consistently over many texts, and restores them."""

    secrets: dict[str, str] = field(default_factory=dict)
    """Placeholder → secret."""
    known: tuple[str, ...] = ()
    """Secrets that are found whatever they look like: the keys of providers. Short ones are no secrets, but words."""
    learns: bool = False
    """True: a secret that was once seen is replaced by its value from then on, wherever it stands."""
    keeps_placeholders: bool = False
    """True: what looks like a placeholder stays as it is, in texts that were redacted already."""
    ask: Callable[[], Iterable[str]] | None = None
    """Asked once, before the first text is redacted: secrets of a live state."""
    live: tuple[str, ...] = ()
    """What :attr:`ask` answered."""
    _asking: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _names: dict[str, str] = field(default_factory=dict, repr=False)
    """Secret → placeholder."""
    _values: KnownSecrets = field(default_factory=KnownSecrets, repr=False)

    def redact(self, text: str) -> str:
        """The text without its secrets."""
        self.ask_live_state()
        if self.learns:
            self.learn(text)
        parts, last = [], 0
        spans = [*_find_secrets(text), *self._find_known(text), *self._values.find(text)]
        for start, end in _merge_spans(spans):
            if self.keeps_placeholders and _PLACEHOLDER.fullmatch(text, start, end):
                continue
            parts += [text[last:start], self._make_placeholder(text[start:end])]
            last = end
        return "".join([*parts, text[last:]])

    def ask_live_state(self) -> None:
        """Ask, where that was not done yet; nobody redacts before the answer is there."""
        if self.ask is None:
            return
        with self._asking:
            if self.ask is not None:
                self.live = tuple(self.ask())
                self.learn_values(self.live)
                self.ask = None

    def learn(self, *texts: str) -> None:
        """Know the secrets of these texts by their values."""
        for text in texts:
            self._values.add(text[start:end] for start, end in _find_secrets(text))
            self._values.add(list_written_secrets(text))

    def learn_values(self, values: Iterable[str]) -> None:
        """Know these values as secrets."""
        self._values.add(values)

    def _find_known(self, text: str) -> Iterator[Span]:
        for secret in self.known:
            if len(secret) >= LEAST_KNOWN:
                yield from (match.span() for match in re.finditer(re.escape(secret), text))

    def restore(self, text: str) -> str:
        """The text with every placeholder turned back into its secret."""
        return re.sub(rf"{PREFIX}\d+_", lambda m: self.secrets.get(m[0], m[0]), text)

    def _make_placeholder(self, secret: str) -> str:
        if secret not in self._names:
            placeholder = f"{PREFIX}{len(self.secrets) + 1}_"
            self._names[secret], self.secrets[placeholder] = placeholder, secret
        return self._names[secret]


def _merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Overlapping spans as one; sorted."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


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
