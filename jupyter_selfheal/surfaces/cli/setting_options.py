"""One option for every setting of a heal, made from the settings themselves."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from jupyter_selfheal import registry
from jupyter_selfheal.config import CHOICES, HealConfig, read_setting
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.setting_sources import OPTIONS, Resolved, read_descriptions, resolve_settings

HELP: Mapping[str, str] = {
    "offline": "no language model, and no network for cells or trials",
    "install": "allow proving a missing module by installing it into a scratch directory, from pip's index, with --offline too",
    "provider": "who offers the model (default anthropic)",
    "attempts": "rounds of a paid healer for one failure",
    "budget_usd": "dollars that the whole command may spend",
    "session_budget_usd": "the same, where one failure may spend less (--budget)",
    "outputs": "report: name the cells that run but give another value than is stored (the default); expect: such a cell fails "
    "like any other, and is healed (NBVAL_IGNORE_OUTPUT in a cell leaves it out)",
    "memory_mb": "MiB that a notebook may take beyond what its kernel has, and each trial beyond the state that it starts from (default: a trial three "
    "quarters of what is free, a notebook without a limit)",
    "notebook_timeout": "seconds for a whole notebook; what was healed until then is kept (default: ten minutes and three times "
    "what its cells may run)",
    "consent": "agree that failing cells are sent; to name language_model among the healers says it too",
}
"""Where the command says it in other words than the setting."""

_METAVARS = {"str": "TEXT", "int": "N", "float": "X", "tuple[str, ...]": "LIST"}


def add_setting_options(parser: argparse.ArgumentParser) -> None:
    """The options, each read as the setting of its name is everywhere; what is not given is None."""
    group = parser.add_argument_group(
        "settings",
        "also as SELFHEAL_NAME in the environment, or in a TOML file;\n`jupyter selfheal config` shows what holds",
    )
    group.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML, named as below")
    for f in fields(HealConfig):
        _add_option(group, f.name, str(f.type))


def _add_option(group: Any, name: str, kind: str) -> None:
    option = f"--{OPTIONS.get(name, name.replace('_', '-'))}"
    text = HELP.get(name) or read_descriptions().get(name, "")
    if name == "healers":
        known = ", ".join(registry.list_healers())
        text = f"comma-separated, out of {known}; language_model is asked only if it is named"
    text = text.replace("%", "%%")
    if kind == "bool":
        group.add_argument(option, action=argparse.BooleanOptionalAction, default=None, help=text)
    elif name in CHOICES:
        group.add_argument(option, choices=CHOICES[name], help=text)
    else:
        group.add_argument(option, type=make_setting_reader(name), metavar=_METAVARS[kind], help=text)


def make_setting_reader(name: str) -> Callable[[str], Any]:
    """Reads one option as the setting of that name."""

    def read_option(text: str) -> Any:
        try:
            return read_setting(name, text)
        except ConfigError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read_option


def resolve_options(options: argparse.Namespace) -> Resolved:
    """The settings that hold for a command. ``--budget`` is that of the command unless that is given too. To name a healer that asks a
    model is the consent to send. Raises :class:`ConfigError`."""
    given: dict[str, Any] = {}
    for f in fields(HealConfig):
        value = getattr(options, OPTIONS.get(f.name, f.name).replace("-", "_"), None)
        if value is not None:
            given[f.name] = value
    if "budget_usd" in given:
        given.setdefault("session_budget_usd", given["budget_usd"])
    free = tuple(h for h in HealConfig().healers if not registry.load_traits(h).paid)
    found = resolve_settings(
        given, given_by="option", file=options.config, folder=Path.cwd(), base=HealConfig(healers=free)
    )
    if found.sources["consent"] != "default":
        return found
    named = any(registry.load_traits(healer).paid for healer in found.config.healers)
    return Resolved(found.config.with_(consent=named), found.sources, found.notes)
