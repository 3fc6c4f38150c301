"""Healers and providers by name: the shipped ones, and those that other packages declare as entry points.

A name leads to a class by a string, and nothing is imported before it is asked for. What another package declares and
cannot be loaded is one line that says so (:meth:`Plugin.describe_problem`); it stops nothing. ``docs/extending.md`` shows how to add
to each group.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from jupyter_selfheal.errors import ConfigError

log = logging.getLogger(__name__)

RULES = "jupyter_selfheal.rules"
HEALERS = "jupyter_selfheal.healers"
PROVIDERS = "jupyter_selfheal.providers"
GROUPS = {RULES: "rule", HEALERS: "healer", PROVIDERS: "provider"}
"""Entry point groups, and what each holds."""

USER = "user"
"""Whose patch it is where the user wrote it."""

AGENT = "agent"
"""Whose patch it is where a coding agent wrote it: it is trusted no further than what its trial shows."""


# --- what other packages declare ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plugin:
    """A part that another package declares: ``where`` is ``package.module:name``."""

    group: str
    name: str
    where: str
    package: str

    @property
    def kind(self) -> str:
        """rule, healer or provider."""
        return GROUPS[self.group]

    def load(self) -> Any:
        """What is declared. Raises :class:`ConfigError`, in one line, where it cannot be had."""
        try:
            return load_by_name(self.where)
        except (Exception, SystemExit) as error:  # what a stranger's module does at import is not ours to bear
            raise ConfigError(self.describe_problem(f"cannot be loaded ({type(error).__name__}: {error})")) from error

    def describe_problem(self, complaint: str) -> str:
        """One line that says what is wrong with it and what to do."""
        line = f"the {self.kind} {self.name} of the package {self.package} {complaint}"
        return f"{' '.join(line.split())}: update or uninstall that package"


@cache
def list_plugins(group: str) -> tuple[Plugin, ...]:
    """What other packages declare in a group, by name; one line in the log for each name that is taken."""
    from importlib import metadata

    plugins: dict[str, Plugin] = {}
    for entry in sorted(metadata.entry_points(group=group), key=lambda e: (e.name, e.value)):
        plugin = Plugin(group, entry.name, entry.value, entry.dist.name if entry.dist else "?")
        if entry.name in plugins or entry.name in _SHIPPED.get(group, ()):
            report_problem(plugin.describe_problem("has a name that is taken"))
        else:
            plugins[entry.name] = plugin
    return tuple(plugins.values())


def load_by_name(where: str) -> Any:
    """The object that ``package.module:name`` names."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


@cache
def report_problem(problem: str) -> None:
    """Say what is wrong with a part of another package: one line in the log, once in a process."""
    log.warning("%s", problem)


# --- healers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Traits:
    """What a healer says of itself in class attributes of these names.

    ``paid``: it costs money, so it is asked last, under the budget, and only after consent. ``reasoned``: it knows why its
    patches heal, and does not take what makes the checks pass. ``trusted``: it may say that a removal is the remedy, and is
    worth showing where nothing can be tried. ``installs``: it is asked about a module that is not installed. ``rank``: the
    order in which healers are asked, and in which equally good patches go; lower is cheaper and more repeatable.
    """

    paid: bool = False
    reasoned: bool = False
    trusted: bool = False
    installs: bool = False
    rank: int = 30


SHIPPED_HEALERS: Mapping[str, str] = {
    "memory": "jupyter_selfheal.healers.memory.healer:MemoryHealer",
    "rules": "jupyter_selfheal.healers.rules.healer:RulesHealer",
    "search": "jupyter_selfheal.healers.search.healer:SearchHealer",
    "language_model": "jupyter_selfheal.healers.model.healer:LanguageModelHealer",
}
"""Every shipped healer, cheapest first."""

_OF_USERS = Traits(reasoned=True, rank=20)


def list_healers() -> tuple[str, ...]:
    """The names of all healers, the shipped ones first."""
    return (*SHIPPED_HEALERS, *(p.name for p in list_plugins(HEALERS)))


def load_healer(name: str) -> Any:
    """A healer's class. Raises :class:`ConfigError` where there is none of that name, or it cannot be loaded."""
    if name in SHIPPED_HEALERS:
        return load_by_name(SHIPPED_HEALERS[name])
    for plugin in list_plugins(HEALERS):
        if plugin.name == name:
            return plugin.load()
    raise ConfigError(f"unknown healer {name!r}: it takes one or more of {', '.join(list_healers())}")


@cache
def load_traits(healer: str) -> Traits:
    """The traits of a healer by its name; of one that is not here, those of a healer that claims nothing.

    A patch that two made (``rules+search``) is trusted as far as the less trusted of them.
    """
    if healer == USER:
        return _OF_USERS
    if healer == AGENT:
        return Traits()
    if "+" in healer:
        return _combine_traits([load_traits(name) for name in healer.split("+")])
    try:
        kind = load_healer(healer)
    except ConfigError:
        return Traits()
    given = {name: getattr(kind, name) for name in Traits.__slots__ if hasattr(kind, name)}
    return Traits(**given)


def is_strangers(healer: str) -> bool:
    """Whether a patch of this healer was made by a model or an agent, which may write down what it cannot compute."""
    return any(name == AGENT or load_traits(name).paid for name in healer.split("+"))


def _combine_traits(several: list[Traits]) -> Traits:
    return Traits(
        paid=any(t.paid for t in several),
        reasoned=all(t.reasoned for t in several),
        trusted=all(t.trusted for t in several),
        installs=all(t.installs for t in several),
        rank=max(t.rank for t in several),
    )


# --- providers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """What is known of a provider before its class is imported.

    ``where`` is the class (``package.module:Class``), made with ``name``, ``key_variable``, ``base_url`` and ``prices``.
    ``key_variable`` is the environment variable that holds the key, empty where none is needed; with
    ``local_needs_no_key`` none is needed at a base URL of the user's. ``prices`` is the provider's id in ``genai-prices``
    (empty: found by the base URL). ``base_url`` is used where the user gives none; ``needs_base_url``: the user must.
    """

    name: str
    where: str
    key_variable: str = ""
    prices: str = ""
    base_url: str = ""
    needs_base_url: bool = False
    local_needs_no_key: bool = False


SHIPPED_PROVIDERS: Mapping[str, ProviderSpec] = {
    spec.name: spec
    for spec in (
        ProviderSpec(
            "anthropic",
            "jupyter_selfheal.providers.anthropic:AnthropicProvider",
            key_variable="ANTHROPIC_API_KEY",
            prices="anthropic",
        ),
        ProviderSpec(
            "anthropic_batches",
            "jupyter_selfheal.providers.message_batches:MessageBatchesProvider",
            key_variable="ANTHROPIC_API_KEY",
            prices="anthropic",
        ),
        ProviderSpec(
            "openai_compatible",
            "jupyter_selfheal.providers.openai_compatible:OpenAICompatibleProvider",
            key_variable="OPENAI_API_KEY",
            local_needs_no_key=True,
        ),
    )
}

_SHIPPED: Mapping[str, Mapping[str, object]] = {HEALERS: SHIPPED_HEALERS, PROVIDERS: SHIPPED_PROVIDERS}


def list_providers() -> tuple[str, ...]:
    """The names of all providers, the shipped ones first."""
    return (*SHIPPED_PROVIDERS, *(p.name for p in list_plugins(PROVIDERS)))


def load_provider(name: str) -> ProviderSpec:
    """What is known of a provider. Raises :class:`ConfigError` where there is none of that name, or none can be had."""
    if name in SHIPPED_PROVIDERS:
        return SHIPPED_PROVIDERS[name]
    for plugin in list_plugins(PROVIDERS):
        if plugin.name == name:
            spec = plugin.load()
            if not isinstance(spec, ProviderSpec) or spec.name != name:
                raise ConfigError(plugin.describe_problem("is no ProviderSpec of that name"))
            return spec
    raise ConfigError(f"unknown provider {name!r}: choose one of {', '.join(list_providers())}")


def list_key_variables() -> tuple[str, ...]:
    """The environment variables that hold providers' keys."""
    return tuple(dict.fromkeys(spec.key_variable for spec in _load_known_providers() if spec.key_variable))


def _load_known_providers() -> Iterator[ProviderSpec]:
    for name in list_providers():
        try:
            yield load_provider(name)
        except ConfigError as error:
            report_problem(str(error))
