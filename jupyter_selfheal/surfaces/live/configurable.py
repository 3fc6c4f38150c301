"""``%config SelfHeal.x = …``: the settings of a session as traits, so that IPython's own magic shows and changes them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from traitlets import TraitType
from traitlets.config import Configurable

from jupyter_selfheal.config import LIVE_SWITCHES, HealConfig, read_setting

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.live.session import LiveSession

    _Trait = TraitType[Any, Any]
else:
    _Trait = TraitType  # Colab's traitlets 5.7 cannot be subscripted


class _Setting(_Trait):
    """A trait without a value of its own: it reads and writes the session's."""

    def get(self, obj: Any, cls: Any = None) -> Any:
        """What the session has."""
        return obj.read(self.name)

    def set(self, obj: Any, value: Any) -> None:
        """Let the one reading of settings decide. Raises :class:`~jupyter_selfheal.errors.ConfigError`."""
        obj.write(self.name, value)


class _Settings(Configurable):
    """The settings of the session at hand; a change holds from the next heal on."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__()
        self._session = session

    def read(self, name: str) -> Any:
        """One setting."""
        return getattr(self._session if name in LIVE_SWITCHES else self._session.config, name)

    def write(self, name: str, value: Any) -> None:
        """Change one setting."""
        if name in LIVE_SWITCHES:
            setattr(self._session, name, read_setting(name, value))
        else:
            self._session.config = self._session.config.with_(**{name: value})


_NAMES = (*LIVE_SWITCHES, *(f.name for f in fields(HealConfig)))

SelfHeal: Any = type("SelfHeal", (_Settings,), {name: _Setting().tag(config=True) for name in _NAMES})
"""IPython goes by the name of the class: ``%config SelfHeal.budget_usd = 0.5``."""
