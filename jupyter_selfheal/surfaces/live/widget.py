"""The approve widget: anywidget over ipywidgets, imported when the first card is shown and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anywidget
import traitlets

from jupyter_selfheal.surfaces.card import Card
from jupyter_selfheal.surfaces.live.card_html import NO_BUTTONS, format_html
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal
from jupyter_selfheal.surfaces.live.widget_payload import build_payload, list_explanation
from jupyter_selfheal.surfaces.words import format_card

STATIC = Path(__file__).parent / "static"

ASK_LATER = "`%heal show` tells what came of it."
"""For a console, which prints the text of a card that has just begun and not what it becomes."""

CLOSED = "This card is closed: run the cell again for a new one."

Act = Callable[[LiveHeal, str, str, str], None]
"""(heal, action, patch id, text): what the user chose."""


class ApproveWidget(anywidget.AnyWidget):
    """Draws ``card`` (see :func:`jupyter_selfheal.surfaces.live.widget_payload.build_payload`); sends ``{action, patch, text, run}``."""

    _esm = (STATIC / "widget.js").read_text(encoding="utf-8")
    _css = (STATIC / "widget.css").read_text(encoding="utf-8")
    card = traitlets.Dict().tag(sync=True)


class WidgetView:
    """A card in the output of the failing cell. Updates go by trait, from any thread; the output's text (plain, and as
    HTML), which is all that a saved notebook keeps, is renewed when the phase changes."""

    def __init__(self, shell: Any, act: Act) -> None:
        self._shell = shell
        self._act = act
        self._widget: ApproveWidget | None = None
        self._heal: LiveHeal | None = None
        self._display_id = ""

    def show(self, heal: LiveHeal) -> None:
        """Display the widget below the traceback: under the heal's lock, as a page may ask for it while the worker answers."""
        with heal.lock:
            self._widget = ApproveWidget(card=build_payload(heal.card, heal.case.notebook))
            self._widget.on_msg(lambda _widget, content, _buffers: self._handle_message(heal, content))
            self._heal = heal
            self._display_id = f"selfheal-{heal.run}"
            self._publish_card(heal, update=False)

    def update(self, heal: LiveHeal, before: Card) -> None:
        """Renew the text where the phase changed, then set the trait.

        In this order: JupyterLab draws the whole output anew for a text, and for a moment there is nothing to press and nowhere for
        the focus to be. So the buttons of the new phase come once that is over, and what a notebook holds is never older than what it shows.
        """
        if self._widget is None:
            return
        if (before.phase, before.revealed) != (heal.card.phase, heal.card.revealed):
            self._publish_card(heal, update=True)
        self._widget.card = build_payload(heal.card, heal.case.notebook)

    def close(self) -> None:
        """Close the comm. The card's text takes the widget's place, which would else leave nothing in the page.

        Under the heal's lock, as :meth:`update` is: what the worker says at that moment is shown before, or no more.
        """
        heal = self._heal
        if heal is None:
            return
        with heal.lock:
            if self._widget is None:
                return
            card = heal.card
            is_open = card.phase in ("healing", "proposed", "paused")
            text = format_card(card, heal.case.notebook) + (f"\n{CLOSED}" if is_open else "")
            self._publish(text, list_explanation(card) if not card.hides_fix else ())
            self._widget.close()
            self._widget = None

    def _publish_card(self, heal: LiveHeal, update: bool) -> None:
        assert self._widget is not None
        is_folded = heal.card.phase in ("proposed", "paused", "applied") and not heal.card.hides_fix
        plain = format_card(heal.card, heal.case.notebook)
        drawn = (self._widget._repr_mimebundle_() or ({}, {}))[0]
        advice = {"healing": ASK_LATER, "proposed": NO_BUTTONS}.get(heal.card.phase, "")
        self._publish(plain, list_explanation(heal.card) if is_folded else (), drawn, update, advice)

    def _publish(
        self,
        plain: str,
        explanation: Sequence[str],
        drawn: Mapping[str, Any] = MappingProxyType({}),
        update: bool = True,
        advice: str = "",
    ) -> None:
        text = f"{plain}\n{advice}" if advice else plain
        html = format_html(plain, explanation, is_open=advice == NO_BUTTONS)
        bundle = {**drawn, "text/plain": text, "text/html": html}
        self._shell.display_pub.publish(bundle, {}, transient={"display_id": self._display_id}, update=update)

    def _handle_message(self, heal: LiveHeal, content: dict[str, Any]) -> None:
        self._act(heal, str(content.get("action", "")), str(content.get("patch", "")), str(content.get("text", "")))
