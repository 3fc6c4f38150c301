"""What the command line says beside its tables: a sentence each, on stderr."""

from __future__ import annotations

import sys

from jupyter_selfheal.surfaces.words import print_lines


def print_notice(message: str) -> None:
    """Print one sentence under our name, broken at words where somebody reads it on a terminal."""
    print_lines([f"jupyter selfheal: {' '.join(message.split())}"], sys.stderr)
