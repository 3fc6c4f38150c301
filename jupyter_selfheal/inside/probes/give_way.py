"""Lets a state, and every trial forked from it, go behind whatever else the machine has to do.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only.
"""

from __future__ import annotations

import os
from typing import Any


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Set this process's niceness to ``argument`` (-20 to 19) where it is lower; the niceness it has then."""
    now = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, max(now, int(argument)))
    return os.getpriority(os.PRIO_PROCESS, 0)
