"""A model that was named and cannot be asked yet: its key, or its address, is missing. That is an outage like any other, and mended while a heal waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import ModelReply, ModelRequest, Provider


class AwaitedProvider:
    """``find_obstacle`` says what is missing, None where nothing is any more; then ``build`` makes the provider that is asked in its place."""

    def __init__(self, name: str, find_obstacle: Callable[[], str | None], build: Callable[[], Provider]) -> None:
        self.name = name
        self._find_obstacle = find_obstacle
        self._build = build
        self._inner: Provider | None = None
        self._looks = True

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`. Whether what was missing is there is looked at once before each call, here and not when it is made, so that
        no call is made that nothing was set aside for."""
        if self._inner is None and self._looks and self._find_obstacle() is None:
            self._inner = self._build()
        self._looks = False
        return self._inner.worst_case(request) if self._inner is not None else Cost()

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """See :class:`~jupyter_selfheal.ports.Provider`. Raises :class:`ProviderError` while something is missing; nothing is sent then."""
        if self._inner is None:
            self._looks = True
            raise ProviderError(self._find_obstacle() or "the key is there now: try again", kind="auth")
        return self._inner.complete(request, progress)
