"""``jupyter selfheal``, from its first import on; ``python -m jupyter_selfheal`` is the same."""

from __future__ import annotations

import gc
import sys


def run() -> int:
    """The program. What it imports takes a moment, and a Ctrl-C then is told as any later one is."""
    # trees of programs come and go by the hundred thousand: looking for cycles in them took a tenth of this process's time
    gc.set_threshold(50_000, 20, 50)
    try:
        from jupyter_selfheal.surfaces import cli

        return cli.run()
    except KeyboardInterrupt:
        from jupyter_selfheal.errors import INTERRUPTED

        print(f"jupyter selfheal: {INTERRUPTED}", file=sys.stderr)
        return 2


if __name__ == "__main__":  # a worker process of ``--jobs`` imports this under another name
    sys.exit(run())
