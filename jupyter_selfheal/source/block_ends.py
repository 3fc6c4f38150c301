"""The words by which other languages end a block."""

from __future__ import annotations

import re

BLOCK_END = re.compile(
    r"(?:end|done|fi|wend|esac|next|end ?(?:if|for|while|def|function|sub|class|switch))(?: \w+)?;?", re.IGNORECASE
)
"""A line that says no more than that a block ends: ``endif``, ``end while``, ``next i``. The indentation says so in Python."""
