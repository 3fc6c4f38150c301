"""What some variables hold, inside the trial kernel.

Sent there as source (see :class:`jupyter_selfheal.model.Probe`): standard library only.
"""

from __future__ import annotations

import types
from typing import Any

SHOWN = 2_000
"""Characters of a value that are shown."""


def probe(shell: Any, last: Any, argument: Any) -> dict[str, str]:
    """The values of the variables named in ``argument``, as text; modules, functions and classes are left out."""
    texts = {}
    for name in argument:
        value = shell.user_ns.get(name, types)
        if not isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)):
            texts[name] = repr(value)[:SHOWN]
    return texts
