"""``python -m jupyter_selfheal`` is ``jupyter selfheal``."""

from __future__ import annotations

import sys

from jupyter_selfheal.surfaces.cli import run

if __name__ == "__main__":  # a worker process of ``--jobs`` imports this under another name
    sys.exit(run())
