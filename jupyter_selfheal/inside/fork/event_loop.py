"""An event loop for a trial: the user's own, with their tasks, cut off from the kernel's descriptors.

Tasks that the user started go on in the trial as they do in their kernel, and a cell may await them. The loop object stays,
as tasks belong to it; its selector and its self-pipe, which the quarantine of descriptors has cut, are replaced, and what
ipykernel, tornado and zmq had scheduled on it is dropped: their sockets are gone.

Trusted private names, checked in Python 3.11, 3.12 and 3.13: of asyncio's loops ``_selector``, ``_ssock``, ``_csock``,
``_make_self_pipe``, ``_thread_id``, ``_stopping``, ``_ready`` and ``_scheduled``, and ``asyncio.tasks._leave_task``; in IPython 8.18
and 9.18: ``IPython.core.async_helpers._asyncio_event_loop``.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

_KERNELS_OWN = tuple(os.sep + name + os.sep for name in ("ipykernel", "tornado", "zmq", "jupyter_client", "IPython"))
_held: list[Any] = []
"""What must not be finalised: Python would complain of it in the output of the trial."""


def find_loop() -> Any:
    """The loop that cells run on: the running one, else IPython's own; None where there is none yet.

    To be asked before the fork: in the child, asyncio says that no loop is running.
    """
    asyncio: Any = sys.modules.get("asyncio")
    helpers: Any = sys.modules.get("IPython.core.async_helpers")
    running = asyncio._get_running_loop() if asyncio is not None else None
    return running or getattr(helpers, "_asyncio_event_loop", None)


@contextlib.contextmanager
def run_as_current(loop: Any) -> Iterator[None]:
    """As in a kernel, whose running loop calls the code of a cell: ``asyncio.run`` refuses, and tasks can be made."""
    asyncio: Any = sys.modules["asyncio"]
    before = loop._thread_id
    loop._thread_id = threading.get_ident()
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)
        loop._thread_id = before


def make_usable(loop: Any) -> Any:
    """Make the loop usable in this process and the current one; one that cannot be adopted is replaced. Returns it."""
    asyncio: Any = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    asyncio._set_running_loop(None)
    if isinstance(loop, asyncio.SelectorEventLoop) and not loop.is_closed():
        _adopt_loop(asyncio, loop)
    else:
        _held.append(loop)
        loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    helpers: Any = sys.modules.get("IPython.core.async_helpers")
    if helpers is not None:
        helpers._asyncio_event_loop = loop
    return loop


def _adopt_loop(asyncio: Any, loop: Any) -> None:
    current = asyncio.current_task(loop)
    if current is not None:
        asyncio.tasks._leave_task(loop, current)
        _held.append(current)
    _held.append((loop._ssock, loop._csock))
    loop._selector = type(loop._selector)()
    loop._make_self_pipe()
    loop._thread_id = None
    loop._stopping = False
    for queue in (loop._ready, loop._scheduled):
        kept = [handle for handle in queue if not _is_kernels(handle)]
        _held.extend(handle for handle in queue if _is_kernels(handle))
        queue.clear()
        queue.extend(kept)


def _is_kernels(handle: Any) -> bool:
    """True for what the kernel itself, not the user, has scheduled."""
    call = handle._callback
    while hasattr(call, "func"):  # functools.partial
        call = call.func
    owner = getattr(call, "__self__", None)
    code = getattr(getattr(owner, "_coro", None), "cr_code", None) or getattr(call, "__code__", None)
    return code is not None and any(name in code.co_filename for name in _KERNELS_OWN)
