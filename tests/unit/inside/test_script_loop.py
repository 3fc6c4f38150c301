"""The thread that IPython keeps after a ``%%bash`` cell ends before a fork, and so do those that waited for the script."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

from jupyter_selfheal.inside.fork.after_fork import stop_script_loop


def test_the_thread_that_waited_for_a_script_is_given_the_time_to_end() -> None:
    """It tells of the script's end a moment before it ends itself: the gate took it for a thread of the user's."""
    loop = asyncio.new_event_loop()
    runs = threading.Thread(target=loop.run_forever, daemon=True)
    runs.start()
    never = threading.Event()

    def wait_for_script() -> None:
        runs.join()
        never.wait(0.3)  # still alive when the loop has ended

    waits = threading.Thread(target=wait_for_script, name="asyncio-waitpid-0", daemon=True)
    waits.start()
    magics = SimpleNamespace(event_loop=loop, bg_processes=[])
    stop_script_loop(SimpleNamespace(magics_manager=SimpleNamespace(registry={"ScriptMagics": magics})))
    assert magics.event_loop is None
    assert not runs.is_alive()
    assert not waits.is_alive()
    loop.close()
