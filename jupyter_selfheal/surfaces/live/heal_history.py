"""The heals that a session remembers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.live.live_heal import LiveHeal

KEPT_HEALS = 20
"""Heals remembered for ``%heal show`` and ``undo``."""


class HealHistory:
    """The heals of a session by run, oldest first. Any thread may look, add and remove: iterating goes over a copy.

    The main thread begins heals, a page's request may begin one again, and the worker's reader looks them up.
    """

    def __init__(self) -> None:
        self._heals: dict[str, LiveHeal] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[LiveHeal]:
        with self._lock:
            return iter(tuple(self._heals.values()))

    def __len__(self) -> int:
        return len(self._heals)

    def get(self, run: str) -> LiveHeal | None:
        """The heal of a run, if it is remembered."""
        return self._heals.get(run)

    @property
    def latest(self) -> LiveHeal | None:
        """The latest to have begun."""
        with self._lock:
            return next(reversed(self._heals.values()), None)

    @property
    def at_hand(self) -> LiveHeal | None:
        """The one that a command of the user's is about: the latest, and once they have decided that, the newest that waits for them."""
        latest = self.latest
        if latest is None or not latest.is_decided:
            return latest
        return next((heal for heal in reversed(tuple(self)) if heal.is_open), latest)

    @property
    def newest_offer(self) -> LiveHeal | None:
        """The newest whose fix waits for the user."""
        return next((heal for heal in reversed(tuple(self)) if heal.is_open and heal.card.phase == "proposed"), None)

    def add(self, heal: LiveHeal) -> list[LiveHeal]:
        """Keep a heal under its run; the oldest, which go for it."""
        with self._lock:
            self._heals[heal.run] = heal
            return [self._heals.pop(run) for run in list(self._heals)[:-KEPT_HEALS]]

    def remove(self, run: str) -> None:
        """Forget a run."""
        with self._lock:
            self._heals.pop(run, None)
