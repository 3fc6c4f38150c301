"""Warnings of what will stop working, raised where a cell's own line is warned. Sent as the source of a probe: standard library only."""

from __future__ import annotations

import warnings
from typing import Any

KINDS = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """From now on such a warning is an error in code of the notebook itself; a filter that the notebook sets comes before it."""
    for kind in KINDS:
        warnings.filterwarnings("error", category=kind, module="__main__")
    return len(KINDS)
