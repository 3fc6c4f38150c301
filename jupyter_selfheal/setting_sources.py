"""Where settings come from, and which goes first.

One order everywhere: what the surface was given (an option of the command, ``c.SelfHeal.x``, an engine argument), then the environment
(``SELFHEAL_BUDGET_USD``), then the file that was named with ``--config``, then ``[tool.jupyter-selfheal]`` of the ``pyproject.toml`` that
lies nearest above the folder, then the defaults.

A ``pyproject.toml`` comes with a folder, which may be a stranger's: it can close a permission and lower a limit, never open or raise one.
"""

from __future__ import annotations

import ast
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from jupyter_selfheal import config as config_module
from jupyter_selfheal import registry
from jupyter_selfheal.config import HealConfig, read_setting
from jupyter_selfheal.errors import ConfigError

PREFIX = "SELFHEAL_"
"""How environment variables of settings begin; the rest is the setting's name in capitals."""

TABLE = "jupyter-selfheal"
"""The table of ``[tool]`` in a ``pyproject.toml``."""

OPTIONS: Mapping[str, str] = {
    "budget_usd": "budget",
    "session_budget_usd": "session-budget",
    "timeout": "trial-timeout",
}
"""Settings whose option has another name: ``--timeout`` is that of a cell, and ``--budget`` of the command."""

DEFAULT, ENVIRONMENT = "default", "environment"

NAMES = tuple(f.name for f in fields(HealConfig))

_SWITCHES = ("consent", "send_values", "install", "network", "keyring", "warn_only")
_LIMITS = ("budget_usd", "session_budget_usd", "token_ceiling")
_ADDRESSES = (
    "provider", "judge_provider", "base_url", "judge_base_url", "record", "replay", "price_in", "price_out", "key_file",
)  # fmt: skip
"""What a folder's own file may not decide: whether something is sent, to whom, and for how much."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings, where each came from, and what was not taken, a line each."""

    config: HealConfig
    sources: Mapping[str, str]
    notes: tuple[str, ...] = ()


def resolve_settings(
    given: Mapping[str, Any],
    *,
    given_by: str = "option",
    file: Path | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    base: HealConfig = HealConfig(),  # noqa: B008 (frozen)
) -> Resolved:
    """Every setting by the one order. Raises :class:`ConfigError`, in one line that says where what cannot be read stands."""
    values: dict[str, Any] = {}
    sources = dict.fromkeys(NAMES, DEFAULT)
    notes: list[str] = []
    project = find_project_file(folder) if folder is not None else None
    layers: list[tuple[str, Mapping[str, Any]]] = []
    if project is not None:
        layers.append((str(project), _select_harmless(_read_project(project), project, base, notes)))
    if file is not None:
        layers.append((str(file), read_settings_file(file)))
    layers.append((ENVIRONMENT, read_environment(os.environ if environment is None else environment)))
    layers.append((given_by, given))
    for source, layer in layers:
        for name, value in layer.items():
            values[name] = _read_value(name, value, source)
            sources[name] = f"{PREFIX}{name.upper()}" if source == ENVIRONMENT else source
    return Resolved(base.with_(**values), sources, tuple(notes))


def _read_value(name: str, value: Any, source: str) -> Any:
    try:
        return read_setting(name, tuple(value) if isinstance(value, list) else value)
    except ConfigError as error:
        raise ConfigError(f"{PREFIX + name.upper() if source == ENVIRONMENT else source}: {error}") from error


def read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings that the environment holds; variables of other names are none of ours."""
    return {name: environment[PREFIX + name.upper()] for name in NAMES if PREFIX + name.upper() in environment}


def read_settings_file(path: Path) -> dict[str, Any]:
    """The settings of a TOML file: at its top, or in its ``[tool.jupyter-selfheal]``. Raises :class:`ConfigError`."""
    raw = _read_toml(path)
    tool = raw.get("tool")
    return _take_names(tool.get(TABLE, {}) if isinstance(tool, dict) else raw, path)


def _read_project(path: Path) -> dict[str, Any]:
    return _take_names(_read_toml(path)["tool"][TABLE], path)


def _take_names(raw: Any, path: Path) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: [tool.{TABLE}] is no table")
    taken = {str(name).replace("-", "_"): value for name, value in raw.items()}
    for name in taken:
        if name not in NAMES:
            raise ConfigError(f"{path}: unknown setting {name!r}: `jupyter selfheal config` lists all of them")
    return taken


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is no TOML: {error}") from error


def find_project_file(folder: Path) -> Path | None:
    """The nearest ``pyproject.toml`` at or above a folder, if it has our table."""
    for place in (folder.absolute(), *folder.absolute().parents):
        path = place / "pyproject.toml"
        if path.is_file():
            tool = _read_toml(path).get("tool")
            return path if isinstance(tool, dict) and TABLE in tool else None
    return None


def _select_harmless(layer: Mapping[str, Any], path: Path, base: HealConfig, notes: list[str]) -> dict[str, Any]:
    """What a folder's own file may decide; the rest is noted."""
    taken = {}
    for name, value in layer.items():
        if _is_harmless(name, _read_value(name, value, str(path)), base):
            taken[name] = value
        else:
            option = f"--{OPTIONS.get(name, name.replace('_', '-'))}"
            notes.append(
                f"{path}: {name} is not taken from a folder's own file: give {option}, --config or {PREFIX}{name.upper()}"
            )
    return taken


def _is_harmless(name: str, value: Any, base: HealConfig) -> bool:
    if name in _SWITCHES:
        return value is False
    if name in _LIMITS:
        return bool(value <= getattr(base, name))
    if name == "accept":
        return bool(value >= base.accept)
    if name == "healers":
        return not any(registry.load_traits(healer).paid for healer in value)
    return name != "offline" or value is True if name not in _ADDRESSES else False


@cache
def read_descriptions() -> Mapping[str, str]:
    """What each setting means: the text under it in :class:`HealConfig`; empty where the source is not there."""
    try:
        tree = ast.parse(Path(config_module.__file__ or "").read_text(encoding="utf-8"))
    except OSError:
        return {}
    return dict(_walk_descriptions(tree))


def _walk_descriptions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    body = next(n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == HealConfig.__name__)
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            yield ast.unparse(field.target), " ".join(str(text.value.value).split())
