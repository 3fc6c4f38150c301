"""How many tokens a text can be, counted high without a provider's tokenizer, of which the newest are not public."""

from __future__ import annotations

import math
import re

BYTES_PER_TOKEN = 2.2
"""Bytes of UTF-8 that a token of prose and of ordinary code has at least: what was measured is 2.8 to 4.1 (``benchmarks/HISTORY.md``)."""

MARGIN = 1.2
"""What the sum over a text's pieces is multiplied by."""

_PIECE = re.compile(
    r"(?P<other>[^\x00-\x7f]+)|(?P<mixed>(?=[A-Za-z]*\d)[A-Za-z\d]{8,})|(?P<digits>\d+)|(?P<capitals>[A-Z]{2,}(?![a-z]))"
    r"|(?P<word>[A-Za-z][a-z]*)|(?P<blank>\s+)|(?P<sign>.)",
    re.DOTALL,
)
"""Pieces that tokenizers cut a text into further: other scripts, keys and hashes, numbers, capitals, words, blanks, signs."""


def estimate_text_tokens(text: str) -> int:
    """How many tokens a text can be at most, counted high: by its length, and by its pieces, since numbers, signs, hashes and other
    scripts take more tokens than their length says. The larger of the two."""
    by_length = len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN
    return math.ceil(max(by_length, MARGIN * sum(map(_count_piece, _PIECE.finditer(text)))))


def _count_piece(piece: re.Match[str]) -> float:
    """Tokens of one piece, fitted to three public tokenizers (Claude 2's, o200k, cl100k)."""
    part, length = piece[0], len(piece[0])
    match piece.lastgroup:
        case "other":
            return len(part.encode("utf-8", "replace")) / 1.5
        case "mixed":
            return length / 1.4
        case "digits":
            return 0.5 + length / 2
        case "capitals":
            return 0.5 + length / 2.2
        case "word":
            return 0.9 + max(0, length - 4) / 5
        case "blank":
            return 0.0 if part == " " else max(1.0, 0.6 * part.count("\n")) if "\n" in part else 0.8
        case _:
            return 0.72
