"""Who acts on a session, each made when it is first needed: loading the extension imports none of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from jupyter_selfheal.surfaces.live.session import LiveSession

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.live.actions import Actions
    from jupyter_selfheal.surfaces.live.ahead import Ahead
    from jupyter_selfheal.surfaces.live.heal_dispatcher import HealDispatcher
    from jupyter_selfheal.surfaces.live.live_heal import View
    from jupyter_selfheal.surfaces.live.magics import HealMagics
    from jupyter_selfheal.surfaces.live.terminal import HealWaiter


class Components:
    """What acts on one session, each made on its first use.

    ``make_view`` makes the view of a new heal; ``should_wait`` says whether a cell waits for its heal if nobody says
    otherwise.
    """

    def __init__(
        self, session: LiveSession, make_view: Callable[[Components], View], should_wait: Callable[[], bool]
    ) -> None:
        self._session = session
        self._make_view = make_view
        self._should_wait = should_wait

    @cached_property
    def dispatcher(self) -> HealDispatcher:
        """What is done about a failure."""
        from jupyter_selfheal.surfaces.live.heal_dispatcher import HealDispatcher

        return HealDispatcher(
            self._session,
            make_view=lambda: self._make_view(self),
            should_wait=self._should_wait,
            wait_for=lambda heal, result: self.waiter(heal, result),
        )

    @cached_property
    def ahead(self) -> Ahead:
        """Who looks at the cells below."""
        from jupyter_selfheal.surfaces.live.ahead import Ahead

        ahead = Ahead(self._session, lambda: self._make_view(self))
        self._session.ahead = ahead
        return ahead

    @cached_property
    def actions(self) -> Actions:
        """What the user can choose."""
        from jupyter_selfheal.surfaces.live.actions import Actions

        return Actions(self._session, self.dispatcher)

    @cached_property
    def magics(self) -> HealMagics:
        """What ``%heal`` and ``%%heal`` do."""
        from jupyter_selfheal.surfaces.live.magics import HealMagics

        return HealMagics(self._session, self.dispatcher, self.actions, lambda: self.ahead)

    @cached_property
    def waiter(self) -> HealWaiter:
        """Whoever blocks until a heal is decided."""
        from jupyter_selfheal.surfaces.live.terminal import HealWaiter

        return HealWaiter(self._session, self.actions)
