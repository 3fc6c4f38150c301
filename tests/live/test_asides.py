"""A failure beside the cell: in a thread that it started, in a callback of a widget. The cell itself ends well."""

from __future__ import annotations

import sys
import threading

import pytest

from jupyter_selfheal.inside.asides import AsideWatch
from tests.live.conftest import LiveKernel

THREAD = """import threading
prices = {'apple': 1.2, 'pear': 0.8}
def work():
    print('costs', prices['aple'])
worker = threading.Thread(target=work)
worker.start()
worker.join()"""
CALLBACK = """import ipywidgets
value = [7]
def show(_button):
    print(vlaue[0])
button = ipywidgets.Button()
button.on_click(show)
button.click()"""


@pytest.mark.kernel
def test_what_fails_in_a_thread_or_a_callback_is_healed(loaded: LiveKernel) -> None:
    assert loaded.run(THREAD, "c1", allow_stdin=True)["status"] == "ok"
    card = loaded.card("KeyError: 'aple': fix ready, tested")
    assert "+    print('costs', prices['apple'])" in card
    assert loaded.run("%heal approve")["text"].startswith("costs 1.2")
    assert loaded.run(CALLBACK, "c2", allow_stdin=True)["status"] == "ok"
    card = loaded.card("NameError: name 'vlaue' is not defined: fix ready, tested")
    assert "+    print(value[0])" in card


def test_only_what_a_cell_raised_beside_it_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ValueError("beside")

    theirs, seen = threading.excepthook, []
    threading.excepthook = seen.append
    watch = AsideWatch()
    try:
        watch.install()
        watch.begin()
        assert watch.take_error() is None
        threading.Thread(target=fail).start()
        watch.wait_for_threads()
        assert str(watch.take_error()) == "beside"
        assert len(seen) == 1, "the hook that was there is called"
        sys.last_value = ValueError("of a magic, say")
        assert watch.take_error() is None
        watch.remove()
        assert threading.excepthook == seen.append
    finally:
        del sys.last_value
        threading.excepthook = theirs
