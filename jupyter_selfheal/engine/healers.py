"""The healers of a heal, cheapest first, and who says what failed."""

from __future__ import annotations

from collections.abc import Iterable

from jupyter_selfheal import registry
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.engine.models import read_prompt
from jupyter_selfheal.engine.parts import load_part
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.ports import Diagnoser, Healer, HealerSetup, Provider


def build_healers(config: HealConfig, provider: Provider | None, redactor: Redactor) -> tuple[Healer, ...]:
    """The configured healers, cheapest first; the language model only where there is a provider."""
    setup = HealerSetup(config, provider, redactor, read_prompt)
    healers = (
        _build_healer(name, setup) for name in sorted(config.healers, key=lambda h: registry.load_traits(h).rank)
    )
    return tuple(healer for healer in healers if healer is not None)


def _build_healer(name: str, setup: HealerSetup) -> Healer | None:
    """The healer, or None where it cannot act. One of another package that cannot be had is one line in the log."""
    try:
        kind = registry.load_healer(name)
        healer: Healer | None = kind.build(setup)
    except Exception as error:
        if name in registry.SHIPPED_HEALERS:
            raise
        registry.report_problem(
            str(error) if isinstance(error, ConfigError) else f"the healer {name} cannot be built: {error}"
        )
        return None
    return healer


def build_diagnoser(healers: Iterable[Healer]) -> Diagnoser:
    """Triage by the failure, the notebook and the live state. It asks the same rules as the loop will, once for both."""
    rules = next((healer for healer in healers if healer.name == "rules"), None)
    diagnoser: Diagnoser = load_part("healers.triage.diagnoser", "Triage")(rules)
    return diagnoser
