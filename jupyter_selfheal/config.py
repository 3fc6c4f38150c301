"""Every setting of a heal, with what it means under it, and the one reading of settings.

A setting comes from Python, or as text: from a command line, from ``--SelfHeal.x=…``, from ``%config SelfHeal.x = …``, from
papermill. :func:`read_setting` reads all of them, and :class:`HealConfig` checks what it is made of, so that no way leads around
it. What cannot be read is refused; a permission that was meant to be refused in a way that nobody understands is never granted.

Nothing here reads the environment at import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from jupyter_selfheal.errors import ConfigError

HEALERS = ("memory", "rules", "search", "language_model")
"""Every shipped healer, cheapest first: the order in which they are asked. Their classes are in :mod:`~jupyter_selfheal.registry`."""

RANGES: Mapping[str, tuple[float, float]] = {
    "attempts": (1, 1_000),
    "budget_usd": (0, 100_000),
    "session_budget_usd": (0, 100_000),
    "timeout": (0, 1_000_000),
    "notebook_timeout": (0, 10_000_000),
    "accept": (0, 10),
    "rejections": (1, 1_000),
    "near_same": (0, 1),
    "stuck_after": (1, 1_000),
    "no_improvement_after": (1, 1_000),
    "parallel": (1, 1_000),
    "max_patches": (1, 100_000),
    "search_seconds": (0, 1_000_000),
    "downstream_seconds": (0, 1_000_000),
    "memory_mb": (0, 1_000_000_000),
    "reproduce": (1, 1_000),
    "max_tokens": (1, 10_000_000),
    "hypotheses": (1, 100),
    "price_in": (-1, 1_000_000),
    "price_out": (-1, 1_000_000),
    "temperature": (-1, 2),
    "token_ceiling": (0, 1_000_000_000_000),
}
"""The least and the greatest that each number may be."""

CHOICES: Mapping[str, tuple[str, ...]] = {"outputs": ("report", "expect")}
"""The only values that some texts may be."""

LIVE_SWITCHES: Mapping[str, bool] = {"auto_suggest": True, "teach": False, "look_ahead": False}
"""Settings of a live session that are none of a heal's, with what they are where nobody says otherwise: whether a fix is offered
as soon as a cell fails, whether the explanation and a hint come first, the fix on a second click, and whether the cells below are
run in copies in idle time."""

CLOSED: Mapping[str, Any] = {
    "healers": ("memory", "rules", "search"),
    "budget_usd": 0.0,
    "session_budget_usd": 0.0,
    "offline": True,
    "install": False,
    "network": False,
    "send_values": False,
    "consent": False,
    "memory": False,
    "keyring": False,
    "warn_only": False,
}
"""What holds in place of a setting that was given and cannot be read: the least that it could allow."""

SWITCH_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
"""The only texts that a switch is read from, in any case."""


@dataclass(frozen=True, slots=True)
class HealConfig:
    """The limits and permissions of one heal. The live extension maps ``c.SelfHeal.*`` on these names."""

    healers: tuple[str, ...] = HEALERS
    """Which healers may act, out of memory, rules, search, language_model, and those of other packages by name; the cheapest
    is asked first."""

    attempts: int = 5
    """Rounds of a paid healer before the heal pauses and asks."""

    budget_usd: float = 0.10
    """Dollars one heal may spend, checked with the worst case of a call before it is made."""

    session_budget_usd: float = 1.00
    """Dollars all heals of a session (or of one command) may spend together."""

    timeout: float = 0.0
    """Seconds for a trial; 0 means the larger of 10 (in a batch, of a rule's safe patch, as long as a cell may run, within a third of what the notebook has left) and three times what the cell took."""

    notebook_timeout: float = 0.0
    """Seconds for a whole notebook of a batch; 0 means ten minutes and three times what its cells may run."""

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

    near_same: float = 0.95
    """How like each other (0 to 1, difflib's ratio) the changes of two patches are that count as the same."""

    warn_only: bool = False
    """True: attempts that repeat themselves or do not get better are named, and do not end the heal; attempts and budget do."""

    parallel: int = 4
    """Trials at once."""

    max_patches: int = 24
    """Patches of one healer's answer that are tried, best first."""

    search_seconds: float = 20.0
    """Seconds the search may use for one failure, counted as 4,000,000 steps each, so that a busy machine gives the same answer; while
    you wait for it in a notebook 10, where nothing else is set."""

    downstream_seconds: float = 10.0
    """Seconds the cells below may take in a trial; expensive ones are skipped."""

    memory_mb: int = 0
    """Memory limit of a trial in MiB; 0 means the machine's headroom."""

    reproduce: int = 1
    """Times a failure is reproduced before patches are tried (more shows flakiness)."""

    provider: str = "anthropic"
    """anthropic, anthropic_batches (half the price, within a day), openai_compatible, or one of another package."""

    model: str = "claude-sonnet-5-5"
    """The model that proposes patches."""

    judge_model: str = "claude-haiku-5-5"
    """The model that judges where no deterministic oracle decides."""

    base_url: str = ""
    """Base URL of the provider; empty means its own."""

    judge_provider: str = ""
    """Who offers the judge's model; empty means the same provider."""

    judge_base_url: str = ""
    """Base URL of the judge's provider, where that is another one."""

    temperature: float = -1.0
    """Temperature passed to an OpenAI-compatible server; negative: its own (Anthropic's models take none)."""

    effort: str = ""
    """Reasoning effort passed to the provider (low, medium, high), empty for its default."""

    max_tokens: int = 4096
    """Tokens a fixing reply may have."""

    hypotheses: int = 3
    """Distinct hypotheses asked for once the first one has failed its trial: the first call asks for one."""

    price_in: float = -1.0
    """Dollars per million input tokens for a model whose price is not known; negative: unknown."""

    price_out: float = -1.0
    """Dollars per million output tokens for a model whose price is not known; negative: unknown."""

    token_ceiling: int = 200_000
    """Tokens one heal may use where no price is known."""

    key_file: str = ""
    """A file of lines NAME=VALUE with the provider's key, read where the environment holds none; no other file is looked for."""

    keyring: bool = False
    """True: the key is also looked for in the system's keyring, as jupyter-selfheal (package keyring)."""

    send_values: bool = False
    """True: previews of live values may be sent to a model; else types, shapes and column names only."""

    record: str = ""
    """A folder in which every request to a model is kept with its reply, to be replayed; empty for none."""

    replay: str = ""
    """A folder of recorded replies that answer in place of a model, without a key or a network; empty for none."""

    consent: bool = False
    """True: the user agreed that failing cells are sent to the provider."""

    memory: bool = True
    """True: approved and rejected patches are remembered in jupyter_data_dir()/selfheal/."""

    outputs: str = "report"
    """What stored outputs are in a batch: report (a cell that runs but gives something else than stored is named) or expect
    (it fails like any other, and is healed)."""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = _check_type(f.name, str(f.type), getattr(self, f.name))
            object.__setattr__(self, f.name, value)  # the way of a frozen class; 1 became 1.0

    def with_(self, **changes: Any) -> HealConfig:
        """A copy with some settings changed, each read by :func:`read_setting`. Raises :class:`ConfigError`."""
        return replace(self, **{name: read_setting(name, value) for name, value in changes.items()})

    def with_every_healer(self) -> HealConfig:
        """A copy in which the shipped healers may all act, beside those that are named."""
        return replace(self, healers=tuple(dict.fromkeys((*self.healers, *HEALERS))))

    def compute_trial_limit(self, seconds: float) -> float:
        """Seconds a trial of a cell may take that took ``seconds`` when it failed."""
        return self.timeout or max(10.0, 3.0 * seconds)


def read_setting(name: str, value: object) -> Any:
    """The value of a setting that was given as Python's value or as text. Raises :class:`ConfigError`, in one line.

    What traitlets makes of a command line or of a half-written configuration is read too: texts of a type of its own, a list of
    what was given several times, and ``c.SelfHeal.healers.append(…)``.
    """
    kind = _find_kind(name)
    if _is_lazy(value):
        value = value.get_value(list(HEALERS) if name == "healers" else None)  # type: ignore[attr-defined]
    if kind == _NAMES:
        value = _split_names(value)
        if value == ():
            raise _build_refusal(name, kind, "")
    elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        value = value[0]  # given once on a command line that allows it to be given several times
    if isinstance(value, str) and kind in _FROM_TEXT:
        text, value = value, _FROM_TEXT[kind](value.strip())
        if value is None:
            raise _build_refusal(name, kind, text)
    return _check_type(name, kind, value)


def read_settings(given: Mapping[str, object], base: HealConfig) -> tuple[HealConfig, list[str]]:
    """``base`` with what was given on top, and one line for each setting that could not be read: that one is closed."""
    config, problems = base, []
    for name, value in given.items():
        if is_untouched(value):
            continue
        try:
            config = config.with_(**{name: value})
        except ConfigError as error:
            problems.append(
                f"{error}" + (f"; until then it is {_format_value(CLOSED[name])}" if name in CLOSED else "")
            )
            config = replace(config, **{name: CLOSED[name]}) if name in CLOSED else config
    return config, problems


def _format_value(value: object) -> str:
    return (
        ", ".join(map(str, value))
        if isinstance(value, tuple)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def is_untouched(value: object) -> bool:
    """True for what traitlets leaves behind where a setting was only looked at: ``if c.SelfHeal.consent: …``."""
    return _is_lazy(value) and not value.to_dict()  # type: ignore[attr-defined]


def _is_lazy(value: object) -> bool:
    """Whether it is traitlets' ``LazyConfigValue``, which is not imported for this."""
    return hasattr(value, "get_value") and hasattr(value, "to_dict")


_NAMES = "tuple[str, ...]"
_KINDS = {f.name: str(f.type) for f in fields(HealConfig)}
_FROM_TEXT: Mapping[str, Callable[[str], Any]] = {
    "bool": lambda text: SWITCH_WORDS.get(text.lower()),
    "int": lambda text: _read_number(text, whole=True),
    "float": lambda text: _read_number(text, whole=False),
}


def _read_number(text: str, *, whole: bool) -> float | None:
    from jupyter_selfheal.numbers import read_number  # a session without settings given as text has no use for it

    return read_number(text, whole=whole)


def _list_healers() -> tuple[str, ...]:
    from jupyter_selfheal.registry import list_healers  # nor, without another package's healer, for this

    return list_healers()


def _find_kind(name: str) -> str:
    if name in LIVE_SWITCHES:
        return "bool"
    if name not in _KINDS:
        raise ConfigError(f"unknown setting {name!r}: `%heal config` lists all of them")
    return _KINDS[name]


def _split_names(value: object) -> object:
    """``rules, search`` as names, also where each was given by itself; an underscore may be a hyphen."""
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        return value
    names = (name.replace("-", "_") for part in parts for name in part.replace(",", " ").split())
    return tuple(dict.fromkeys(names))


def _check_type(name: str, kind: str, value: object) -> Any:
    """The value as the field holds it. Raises :class:`ConfigError` for another type, or one out of range."""
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "str" and isinstance(value, str) and value.strip() in CHOICES.get(name, (value.strip(),)):
        return str(value).strip()
    if kind == _NAMES and isinstance(value, tuple) and not _list_unknown_healers(value):
        return value
    if kind in ("int", "float") and isinstance(value, int | float) and not isinstance(value, bool):
        least, greatest = RANGES[name]
        if least <= value <= greatest and (kind == "float" or value == int(value)):
            return float(value) if kind == "float" else int(value)
    raise _build_refusal(name, kind, value)


def _list_unknown_healers(names: tuple[object, ...]) -> list[str]:
    """Those that are neither shipped nor declared by another package, which is looked up for names of no shipped one only."""
    others = [str(name) for name in names if name not in HEALERS]
    return [name for name in others if name not in _list_healers()] if others else []


def _build_refusal(name: str, kind: str, value: object) -> ConfigError:
    """One line: which setting, what was given, what is accepted."""
    given = " ".join(repr(value).split())
    given = given if len(given) <= 80 else given[:79] + "…"
    if kind == "bool":
        accepted = "true or false (or yes/no, on/off, 1/0)"
    elif kind == _NAMES:
        unknown = _list_unknown_healers(value) if isinstance(value, tuple) else []
        given = f"the unknown healer {', '.join(unknown)!r:.80}" if unknown else given
        accepted = f"one or more of {', '.join(_list_healers())}"
    elif kind == "str":
        accepted = f"one of {', '.join(CHOICES[name])}" if name in CHOICES else "a text"
    else:
        least, greatest = RANGES[name]
        accepted = f"{'a whole number' if kind == 'int' else 'a number'} from {least:,} to {greatest:,}"
    return ConfigError(f"{name} cannot be {given}: it takes {accepted}")
