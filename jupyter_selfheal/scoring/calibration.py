"""How often fixes with a kind of evidence were right, measured on sets that nobody tuned for (``benchmarks/calibration.py``).

The table is data: ``calibration.toml`` beside this file, written by that command and by nobody's hand.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("calibration.toml")
ENOUGH = 10
"""Cases below which a share says nothing."""
_BUCKETS = ((1, "1 check"), (3, "2 or 3 checks"), (7, "4 to 7 checks"))


@dataclass(frozen=True, slots=True)
class Measured:
    """So many fixes were applied with a kind of evidence, and so many of them were right."""

    right: int
    cases: int

    @property
    def sentence(self) -> str:
        """What a proposal says of it."""
        return f"Fixes with this kind of evidence were right in {self.right} of {self.cases} measured cases."


def name_kind(proofs: Sequence[str], checks: int) -> str:
    """The kind of evidence: its strongest proof, and how many values were checked."""
    strongest = next((p for p in proofs if p != "runs"), "runs")
    return f"{strongest}, {next((name for most, name in _BUCKETS if checks <= most), '8 checks or more')}"


def find_measured(kind: str) -> Measured | None:
    """What was measured of a kind of evidence; None where there were too few cases to say anything."""
    right, cases = _read_table().get(kind, (0, 0))
    return Measured(right, cases) if cases >= ENOUGH else None


@cache
def _read_table() -> dict[str, tuple[int, int]]:
    raw = tomllib.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return {kind: (int(row["right"]), int(row["cases"])) for kind, row in raw.get("kinds", {}).items()}
