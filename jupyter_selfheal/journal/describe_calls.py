"""The calls of earlier cells that a trial made again, line by line, for the trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.model.trial import OBSERVED_CALLS


def format_calls(step: Mapping[str, Any]) -> list[str]:
    """``average([2, 4]) in c1: gave 3.0, now 12`` for each; none where the step asked something else."""
    rows = step.get("value")
    if step.get("name") != OBSERVED_CALLS or not isinstance(rows, list):
        return []
    return [
        redact(
            f"{row.get('call')} in {row.get('cell')}: {row.get('change') or 'gave ' + str(row.get('gave')) + ', as before'}"
        )
        for row in rows
    ]
