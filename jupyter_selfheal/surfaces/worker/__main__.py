"""Serve stdin until it ends.

Nothing but messages is ever written to stdout: the descriptor is kept aside at the start, and whatever prints by mistake
lands in the log (stderr).
"""

from __future__ import annotations

import logging
import os
import signal
import sys

from jupyter_selfheal.surfaces.worker.service import Worker


def main() -> None:
    """Returns never: threads that were left behind must not hold the process."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s [%(process)d] %(levelname)s %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    Worker(sys.stdin.buffer, out).serve()
    logging.shutdown()
    os._exit(0)


if __name__ == "__main__":
    main()
