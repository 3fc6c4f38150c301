"""Another draw: seeds the modules of random numbers, in a throw-away copy of a state.

A copy of a process holds its generators as they are, so that every trial from one state draws the same numbers. Sent as the source
of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only.
"""

from __future__ import annotations

import sys
from typing import Any


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Seed each of ``argument["modules"]`` that is loaded with ``argument["seed"]``."""
    seeded = []
    for name in argument["modules"]:
        module = sys.modules.get(name)
        if module is not None:
            module.seed(argument["seed"])
            seeded.append(name)
    return seeded
