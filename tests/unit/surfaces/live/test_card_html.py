"""The card where no widget is drawn."""

from __future__ import annotations

from jupyter_selfheal.surfaces.live.card_html import format_html


def test_what_to_run_is_shown_as_code_and_nothing_of_the_cell_is_markup() -> None:
    shown = format_html("NameError: fix ready\n-print(<b>)\n+print('<b>')", ("It failed at `a < b`",), is_open=True)
    assert "run <code>%heal approve</code> in a new cell" in shown
    assert "<b>" not in shown
    assert "a &lt; b" in shown
    assert "No buttons here" not in format_html("fixed\n")
