"""Every setting of a heal, with what it means under it. Nothing here reads the environment at import."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from jupyter_selfheal.errors import ConfigError

HEALERS = ("memory", "rules", "search", "language_model")
"""Every healer, cheapest first: the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class HealConfig:
    """The limits and permissions of one heal. The live extension maps ``c.SelfHeal.*`` on these names."""

    healers: tuple[str, ...] = HEALERS
    """Which healers may act, out of memory, rules, search, language_model; asked in this order."""

    attempts: int = 5
    """Rounds of a paid healer before the heal pauses and asks."""

    budget_usd: float = 0.10
    """Dollars one heal may spend, checked with the worst case of a call before it is made."""

    session_budget_usd: float = 1.00
    """Dollars all heals of a session (or of one command) may spend together."""

    timeout: float = 0.0
    """Seconds for a trial; 0 means the larger of 10 and three times what the cell took."""

    offline: bool = False
    """True: no model is asked and trials have no network, whatever else is set."""

    install: bool = False
    """True: a missing module may be proven by installing it into a scratch directory."""

    network: bool = False
    """True: trials may use the network."""

    accept: float = 7.0
    """The score (0–10) from which a patch is proposed as healed."""

    rejections: int = 3
    """Rejections by the user before the heal pauses."""

    stuck_after: int = 2
    """Rounds with the same (normalised) patches or feedback before the heal stops as stuck."""

    no_improvement_after: int = 3
    """Scored rounds without a better best score before the heal stops."""

    parallel: int = 4
    """Trials at once."""

    max_patches: int = 24
    """Patches of one healer's answer that are tried, best first."""

    search_seconds: float = 20.0
    """CPU-seconds the search may use for one failure."""

    downstream_seconds: float = 10.0
    """Seconds the cells below may take in a trial; expensive ones are skipped."""

    memory_mb: int = 0
    """Memory limit of a trial in MiB; 0 means the machine's headroom."""

    reproduce: int = 1
    """Times a failure is reproduced before patches are tried (more shows flakiness)."""

    provider: str = "anthropic"
    """anthropic, openai_compatible or scripted."""

    model: str = "claude-sonnet-5-5"
    """The model that proposes patches."""

    judge_model: str = "claude-haiku-5-5"
    """The model that judges where no deterministic oracle decides."""

    base_url: str = ""
    """Base URL of the provider; empty means its own."""

    effort: str = ""
    """Reasoning effort passed to the provider (low, medium, high), empty for its default."""

    max_tokens: int = 4096
    """Tokens a fixing reply may have."""

    hypotheses: int = 3
    """Distinct hypotheses asked for in the first paid call."""

    price_in: float = -1.0
    """Dollars per million input tokens for a model whose price is not known; negative: unknown."""

    price_out: float = -1.0
    """Dollars per million output tokens for a model whose price is not known; negative: unknown."""

    token_ceiling: int = 200_000
    """Tokens one heal may use where no price is known."""

    send_values: bool = False
    """True: previews of live values may be sent to a model; else types, shapes and column names only."""

    consent: bool = False
    """True: the user agreed that failing cells are sent to the provider."""

    memory: bool = True
    """True: approved and rejected patches are remembered in jupyter_data_dir()/selfheal/."""

    def __post_init__(self) -> None:
        unknown = [h for h in self.healers if h not in HEALERS]
        if unknown:
            raise ConfigError(f"unknown healer {', '.join(unknown)!r}: choose from {', '.join(HEALERS)}")
        for name in ("attempts", "parallel", "rejections", "max_patches", "reproduce", "stuck_after"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in (
            "budget_usd",
            "session_budget_usd",
            "timeout",
            "search_seconds",
            "downstream_seconds",
            "memory_mb",
        ):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name} must not be negative, but is {getattr(self, name)}")
        if not 0 <= self.accept <= 10:
            raise ConfigError(f"accept is a score from 0 to 10, not {self.accept}")

    def with_(self, **changes: Any) -> HealConfig:
        """A copy with some fields changed; an unknown name is a :class:`ConfigError`."""
        known = {f.name for f in fields(self)}
        for name in changes:
            if name not in known:
                raise ConfigError(f"unknown setting {name!r}: see `%heal config` for all of them")
        return replace(self, **changes)

    def limit_for(self, seconds: float) -> float:
        """Seconds a trial of a cell may take that took ``seconds`` when it failed."""
        return self.timeout or max(10.0, 3.0 * seconds)
