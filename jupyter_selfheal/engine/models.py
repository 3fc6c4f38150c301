"""Language models: whether one may be asked, which, paid from where, and what it is asked to judge."""

from __future__ import annotations

import contextlib
import inspect
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_selfheal import registry
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.engine.parts import load_part
from jupyter_selfheal.engine.secrets import build_redactor
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.journal.redact import Redactor, redact_json
from jupyter_selfheal.keys import find_key, find_missing_key, list_keys
from jupyter_selfheal.ports import CellJudge, Critic, Provider, Scorer

if TYPE_CHECKING:
    from jupyter_selfheal.providers.pot import Pot


def why_no_model(config: HealConfig) -> str | None:
    """Why no model is asked, and what would change that; None where one may be."""
    if config.offline:
        return "offline: no model is asked (leave out --offline to allow one)"
    if not any(registry.load_traits(name).paid for name in config.healers):
        return "language_model is not among the healers (c.SelfHeal.healers)"
    try:
        spec = registry.load_provider(config.provider)
    except ConfigError as error:
        return str(error)
    if config.replay:
        return None  # nothing is sent: no key, no address and no consent is needed
    try:
        missing = find_missing_key(spec, config.base_url, config)
    except ConfigError as error:
        return str(error)
    if missing:
        return f"no key: set {missing} to let a model propose what the rules do not know"
    if spec.needs_base_url and not config.base_url:
        return f"{spec.name} has no address of its own: set base_url (`--base-url`, or c.SelfHeal.base_url)"
    if not config.consent:
        return "nothing is sent before you agree: `--consent`, `%heal consent`, c.SelfHeal.consent = True, or consent=True (papermill, Python)"
    return None


def open_provider(config: HealConfig, pot: Pot | None = None) -> Provider | None:
    """The configured provider; where all it lacks is a key or an address, one that says so whenever it is asked, until that is mended; None where no
    model is wanted. Raises :class:`ConfigError`."""
    if why_no_model(config) is None:
        return build_provider(config, pot)
    is_paid = any(registry.load_traits(name).paid for name in config.healers)
    if config.offline or not config.consent or not is_paid:
        return None
    awaited: Provider = load_part("providers.awaited", "AwaitedProvider")(
        config.provider, lambda: why_no_model(config), lambda: build_provider(config, pot)
    )
    return awaited


def build_provider(config: HealConfig, pot: Pot | None = None) -> Provider:
    """The configured provider, with the user's own price where there is one, paid out of ``pot`` if that is given.

    Raises :class:`ConfigError`.
    """
    spec = registry.load_provider(config.provider)
    base_url = config.base_url or spec.base_url
    where = {"provider": spec.prices} if spec.prices else {"api_url": base_url}
    prices = load_part("providers.prices", "Prices")(**where, price_in=config.price_in, price_out=config.price_out)
    named = config.key_file or config.keyring  # else the provider reads the environment, whenever it is asked
    found = {"key": key} if named and spec.key_variable and (key := find_key(spec.key_variable, config)) else {}
    build = registry.load_by_name(spec.where)
    if found and "key" not in inspect.signature(build).parameters:
        raise ConfigError(f"{spec.name} takes its key from the environment only: set {spec.key_variable}")
    provider: Provider = build(
        name=spec.name, key_variable=spec.key_variable, base_url=base_url, prices=prices, **found
    )
    wrapped = _wrap_provider(provider, config, pot)
    return load_part("providers.pot", "PayingProvider")(wrapped, pot) if pot is not None else wrapped


def import_in_background(config: HealConfig) -> threading.Thread | None:
    """Import, beside the free healers' work, what the configured provider's client stands on, where a model may be asked: it takes seconds, and the
    first call need not wait for it. Once in a process; the thread that does it, None where nothing is to be done."""
    if config.provider in _IMPORTED or config.replay or why_no_model(config) is not None:
        return None
    _IMPORTED.add(config.provider)
    thread = threading.Thread(target=_import_libraries, args=(config.provider,), name="selfheal-import", daemon=True)
    thread.start()
    return thread


_IMPORTED: set[str] = set()
"""The providers whose libraries this process has, or is importing."""


def _import_libraries(provider: str) -> None:
    """Never raises: the call itself says what is wrong."""
    with contextlib.suppress(Exception):
        client = registry.load_by_name(registry.load_provider(provider).where)
        for library in getattr(client, "libraries", ()):
            import_module(library)


def choose_judging_provider(config: HealConfig, provider: Provider, pot: Pot | None = None) -> Provider:
    """Who judges: the fixing model's provider, unless another one, or another address, is set."""
    if not config.judge_provider and not config.judge_base_url:
        return provider
    name = config.judge_provider or config.provider
    return build_provider(config.with_(provider=name, base_url=config.judge_base_url), pot)


def _wrap_provider(provider: Provider, config: HealConfig, pot: Pot | None) -> Provider:
    """The provider, recorded or replaced by a recording where the settings say so."""
    if config.record and config.replay:
        raise ConfigError("record and replay exclude each other: leave one of the two out")
    if config.replay:
        replaying: Provider = load_part("providers.cassette", "ReplayingProvider")(provider, Path(config.replay))
        return replaying
    provider = load_part("providers.outages", "watch_service")(provider, pot)
    if not config.record:
        return provider
    redactor = Redactor(known=list_keys(), keeps_placeholders=True)
    recording: Provider = load_part("providers.cassette", "RecordingProvider")(
        provider, Path(config.record), lambda value: redact_json(value, redactor)
    )
    return recording


def build_free_scorer(config: HealConfig) -> Scorer:
    """The scorer that goes by evidence alone."""
    scorer: Scorer = load_part("scoring.scorer", "EvidenceScorer")(config)
    return scorer


def build_judged_scorer(config: HealConfig, provider: Provider, redactor: Redactor) -> Scorer:
    """The scorer that asks a model where no evidence decides."""
    judge = load_part("scoring.judge", "ModelJudge")(provider, config, redactor, read_prompt)
    scorer: Scorer = load_part("scoring.scorer", "EvidenceScorer")(config, judge)
    return scorer


def build_critic(config: HealConfig, provider: Provider, redactor: Redactor) -> Critic:
    """The model that says what could go wrong with a patch before it is run."""
    critic: Critic = load_part("scoring.critic", "ModelCritic")(provider, config, redactor, read_prompt)
    return critic


def build_cell_judge(config: HealConfig, provider: Provider, redactor: Redactor) -> CellJudge:
    """The model that says whether a cell does what words say of it."""
    judge: CellJudge = load_part("scoring.cell_judge", "ModelCellJudge")(provider, config, redactor, read_prompt)
    return judge


def open_cell_judge(config: HealConfig, pot: Pot | None = None) -> CellJudge | None:
    """That model with the configured provider; None where none may be asked (:func:`why_no_model` says why)."""
    if why_no_model(config) is not None:
        return None
    judging = choose_judging_provider(config, build_provider(config, pot), pot)
    return build_cell_judge(config, judging, build_redactor())


def read_prompt(name: str) -> tuple[str, str]:
    """A shipped prompt by its name: its version, and its text."""
    prompt: tuple[str, str] = load_part("providers.prompts", "read_prompt")(name)
    return prompt
