"""A failure beside the cell: in a thread that it started, in a callback of a widget, in how a thing is shown. The cell itself ends well."""

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
SHOWN = """class Note:
    title = 'tea'
    def _repr_html_(self):
        return self.titel"""
NOT_OURS = """import types
library = types.ModuleType('library')
exec(compile('class Part:\\n def _repr_html_(self): return self.nmae', 'library.py', 'exec'), library.__dict__)
class Plain:
    def _repr_html_(self):
        raise NotImplementedError
class Named(Exception):
    pass
def tell():
    try:
        raise Named('told, and dealt with')
    except Named:
        get_ipython().showtraceback()"""


@pytest.mark.kernel
def test_what_fails_in_a_thread_or_a_callback_is_healed(loaded: LiveKernel) -> None:
    assert loaded.run(THREAD, "c1", allow_stdin=True)["status"] == "ok"
    card = loaded.card("KeyError: 'aple': fix ready, tested")
    assert "+    print('costs', prices['apple'])" in card
    assert loaded.run("%heal approve")["text"].startswith("costs 1.2")
    assert loaded.run(CALLBACK, "c2", allow_stdin=True)["status"] == "ok"
    card = loaded.card("NameError: name 'vlaue' is not defined: fix ready, tested")
    assert "+    print(value[0])" in card
    loaded.run(SHOWN, "c3", allow_stdin=True)
    loaded.run("Note()", "c4", allow_stdin=True)
    card = loaded.card("AttributeError: 'Note' object has no attribute 'titel': fix ready, tested")
    assert "+        return self.title" in card
    loaded.run("%heal approve")
    assert any(m["content"].get("data", {}).get("text/html") == "tea" for m in loaded.messages)
    shown = len(loaded.displays)
    loaded.run(NOT_OURS, "c5", allow_stdin=True)
    for number, cell in enumerate(("library.Part()", "Plain()", "tell()")):
        loaded.run(cell, f"d{number}", allow_stdin=True)
    assert len(loaded.displays) == shown, "no code of a cell failed in how a thing is shown"


def test_a_thread_that_goes_on_is_told_of() -> None:
    watch, go_on = AsideWatch(), threading.Event()
    try:
        watch.install()
        watch.begin()
        threading.Thread(target=lambda: None).start()
        assert watch.wait_for_threads() == 0
        threading.Thread(target=go_on.wait, daemon=True).start()
        assert watch.wait_for_threads() == 1
    finally:
        go_on.set()
        watch.remove()


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


LATER = """import ipywidgets
prices = {'apple': 1.2}
button = ipywidgets.Button()
slider = ipywidgets.IntSlider()
def show(button):
    print('costs', prices['aple'], button.description)
def move(change):
    print(change.nwe * 2)
button.on_click(show)
slider.observe(move, 'value')
print(button.comm.comm_id, slider.comm.comm_id)"""


@pytest.mark.kernel
def test_a_callback_that_fails_when_the_widget_is_used_later_is_healed_where_it_stands(loaded: LiveKernel) -> None:
    button, slider = loaded.run(LATER, "c1", allow_stdin=True)["text"].split()
    loaded.ask("comm_msg", {"comm_id": button, "data": {"method": "custom", "content": {"event": "click"}}})
    place = "s = get_ipython()._jupyter_selfheal; s.on_main(s.heals.latest.run, 'place', '', '')"
    loaded.run(place, silent=True, store_history=False)
    card = loaded.card("KeyError: 'aple': fix ready, tested")
    assert "+    print('costs', prices['apple'], button.description)" in card
    assert "It failed at line 1: `show(button)`" in loaded.run("%heal why")["text"]
    reply = loaded.run("%heal approve")
    put = next(p["text"] for p in reply["payload"] if p["source"] == "set_next_input")
    assert put == LATER.replace("'aple'", "'apple'")
    slider = reply["text"].split()[1]
    loaded.ask("comm_msg", {"comm_id": slider, "data": {"method": "update", "state": {"value": 3}, "buffer_paths": []}})
    loaded.run(place, silent=True, store_history=False)
    assert "+    print(change.new * 2)" in loaded.card("fix ready, tested")
