"""``jupyter selfheal config``: what each setting is, and where it came from."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields

from jupyter_selfheal import registry
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.keys import locate_key
from jupyter_selfheal.surfaces.cli.setting_options import resolve_options
from jupyter_selfheal.surfaces.words import print_lines


def print_settings(options: argparse.Namespace) -> int:
    """One line for each setting; with ``--json`` an object."""
    found = resolve_options(options)
    rows: list[tuple[str, object, str]] = [
        (f.name, getattr(found.config, f.name), found.sources[f.name]) for f in fields(HealConfig)
    ]
    if options.json:
        print(json.dumps({name: {"value": value, "from": source} for name, value, source in rows}, indent=2))
        return 0
    rows += _list_keys(found.config)
    width, longest = max(len(name) for name, _, _ in rows), max(len(_format_value(v)) for _, v, _ in rows)
    for name, value, source in rows:
        print(f"{name:<{width}}  {_format_value(value):<{min(longest, 24)}}  {source}".rstrip())
    print_lines(found.notes)
    return 0


def _list_keys(config: HealConfig) -> list[tuple[str, object, str]]:
    """The keys that the model and the judge need, each with whether and where it is found; no key is shown."""
    providers = {config.provider, config.judge_provider or config.provider}
    names = dict.fromkeys(registry.load_provider(name).key_variable for name in sorted(providers))
    return [_locate_key(name, config) for name in names if name]


def _locate_key(name: str, config: HealConfig) -> tuple[str, object, str]:
    try:
        place = locate_key(name, config)
    except ConfigError as error:
        return name, "", str(error)
    return name, "set" if place else "", place or "not found"


def _format_value(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value) or "-"
