"""One command's worth of heals: its settings, its budget, and the parts that each notebook is healed with."""

from __future__ import annotations
