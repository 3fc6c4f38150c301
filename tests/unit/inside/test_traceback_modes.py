"""Tracebacks of trials are brief; what a cell says of how they are to be written holds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from IPython.core.ultratb import AutoFormattedTB

from jupyter_selfheal.inside.fork.steps import keep_tracebacks_brief


@pytest.mark.parametrize(
    ("before", "chosen", "after"),
    [
        ("Context", (), "Context"),
        ("Verbose", (), "Verbose"),
        ("Context", ("Verbose",), "Verbose"),
        ("Context", ("Plain",), "Plain"),
        ("Context", ("Minimal", "Context"), "Context"),
        ("Context", ("",), "Verbose"),
    ],
)
def test_mode_that_a_cell_chose_is_kept(before: str, chosen: tuple[str, ...], after: str) -> None:
    drawer = AutoFormattedTB(mode=before)
    with keep_tracebacks_brief(SimpleNamespace(InteractiveTB=drawer)):
        assert drawer.mode == "Plain"
        for mode in chosen:
            drawer.set_mode(mode=mode)  # as `%xmode MODE` does; without a mode it takes the next one
            assert drawer.mode == (mode or after)
    assert drawer.mode == after
    assert drawer.include_vars == (after == "Verbose")
    assert "set_mode" not in vars(drawer)


def test_shell_without_such_a_drawer_is_left_as_it_is() -> None:
    shell = SimpleNamespace(colors="NoColor")
    with keep_tracebacks_brief(shell):
        assert vars(shell) == {"colors": "NoColor"}
    assert vars(shell) == {"colors": "NoColor"}
