"""What a library says is to be installed, read off its message: what was looked for is not imported by the user's own code."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r"[`'\"]?([A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9])[`'\"]?"
_KIND = r"(?: (?:package|library|module))"

_COMMAND = re.compile(
    r"(?:pip3?|conda|mamba) install (?:-[\w-]+ )*[`'\"]?([A-Za-z][A-Za-z0-9_.-]*(?:\[[\w,. -]+\])?)(?=$|[\s`'\"=<>~,;:).!])"
)
"""``pip install -U "dask[dataframe]"``: the sharpest thing that a message can say."""

_WORDED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"[Mm]issing optional dependency {_NAME}",  # pandas
        r"`Import ([\w.-]+)` failed",  # pandas 3
        rf"[Uu]se (?:pip or conda|[\w ,]+ tool) to install {_NAME}",
        rf"features you requested: {_NAME}",  # Beautiful Soup's parsers
        rf"suitable version of {_NAME}",  # pandas' engines for parquet
        r"[Ii]nstall ([A-Za-z][\w.-]*\[[\w,-]+\])",
        rf"[Ii]nstall (?:the )?{_NAME}(?={_KIND}|$|[.,;:)\n>=]|\s+(?:>|=|for|to|or|and|in|first|with))",
        rf"[Rr]equires? (?:the )?{_NAME}(?={_KIND}|\s*(?:[>=(]|to be (?:installed|available)|or\b|https?:|$))",
        rf"{_NAME}{_KIND}? (?:must|needs to|has to|should) be installed",
        rf"{_NAME}{_KIND}? (?:is|are|was) (?:not installed|required|needed|not available|not found)",
        rf"{_NAME}{_KIND}? not (?:found|installed)",
    )
)

SAYS_SO = re.compile(
    r"(?:not|n't) (?:be )?installed|to be installed|(?:pip3?|conda) install|need to install|must install"
)
"""In an error of another kind than an import's, what makes it one about something that is not installed."""


def list_requirements(message: str) -> Iterator[str]:
    """Requirements that the message may ask for, the surest first; it is for the caller to know which of them exist."""
    for match in _COMMAND.finditer(message):
        yield match[1].rstrip(".")
    for pattern in _WORDED:
        for match in pattern.finditer(message):
            yield match[1]
