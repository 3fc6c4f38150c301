"""Who acts on a session, each made when it is first needed: loading the extension imports none of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from jupyter_selfheal.surfaces.live.session import LiveSession

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.live.actions import Actions
    from jupyter_selfheal.surfaces.live.healing import Healing
    from jupyter_selfheal.surfaces.live.heals import View
    from jupyter_selfheal.surfaces.live.magics import HealMagics
    from jupyter_selfheal.surfaces.live.terminal import Waiting


class Parts:
    """``view_for`` makes the view of a new heal; ``waits`` says whether a cell waits for its heal if nobody says otherwise."""

    def __init__(self, session: LiveSession, view_for: Callable[[Parts], View], waits: Callable[[], bool]) -> None:
        self._session = session
        self._view_for = view_for
        self._waits = waits

    @cached_property
    def healing(self) -> Healing:
        """What is done about a failure."""
        from jupyter_selfheal.surfaces.live.healing import Healing

        return Healing(
            self._session,
            view=lambda: self._view_for(self),
            waits=self._waits,
            wait=lambda heal, result: self.waiting(heal, result),
        )

    @cached_property
    def actions(self) -> Actions:
        """What the user can choose."""
        from jupyter_selfheal.surfaces.live.actions import Actions

        return Actions(self._session, self.healing)

    @cached_property
    def magics(self) -> HealMagics:
        """What ``%heal`` and ``%%heal`` do."""
        from jupyter_selfheal.surfaces.live.magics import HealMagics

        return HealMagics(self._session, self.healing, self.actions)

    @cached_property
    def waiting(self) -> Waiting:
        """Whoever blocks until a heal is decided."""
        from jupyter_selfheal.surfaces.live.terminal import Waiting

        return Waiting(self._session, self.actions)
