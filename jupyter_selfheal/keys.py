"""A provider's key: of the environment, else of the file that the user named, else of the system's keyring where that is allowed.

Nothing is looked for by itself: a ``.env`` that lies in a folder is never read, and the keyring is not asked unless a setting says so.
"""

from __future__ import annotations

import os
from pathlib import Path

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.registry import ProviderSpec, list_key_variables

SERVICE = "jupyter-selfheal"
"""Under what name the keyring holds keys: ``keyring set jupyter-selfheal ANTHROPIC_API_KEY``."""

_FOUND: set[str] = set()


def find_key(variable: str, config: HealConfig) -> str:
    """The key that goes by the name of this environment variable; empty where there is none.

    Raises :class:`ConfigError`, in one line, for a file or a keyring that was named and cannot be read.
    """
    return _look_for_key(variable, config)[0]


def locate_key(variable: str, config: HealConfig) -> str:
    """Where :func:`find_key` has it from: ``environment``, the file's path or ``keyring``; empty where there is none. Raises as that does."""
    return _look_for_key(variable, config)[1]


def _look_for_key(variable: str, config: HealConfig) -> tuple[str, str]:
    key, place = os.environ.get(variable, "").strip(), "environment"
    if not key and config.key_file:
        key, place = _read_from_file(Path(config.key_file).expanduser(), variable), config.key_file
    if not key and config.keyring:
        key, place = _read_from_keyring(variable), "keyring"
    if key:
        _FOUND.add(key)
    return (key, place) if key else ("", "")


def find_missing_key(spec: ProviderSpec, base_url: str, config: HealConfig) -> str | None:
    """The name of the key that must be set before this provider can be asked; None where nothing is missing. Raises as
    :func:`find_key` does."""
    if not spec.key_variable or (spec.local_needs_no_key and base_url):
        return None
    return None if find_key(spec.key_variable, config) else spec.key_variable


def list_keys() -> tuple[str, ...]:
    """Every provider's key that is set, and every one that was read in this process, so that none of them is ever shown or sent on."""
    values = (os.environ.get(variable, "").strip() for variable in list_key_variables())
    return tuple(dict.fromkeys((*filter(None, values), *_FOUND)))


def _read_from_file(path: Path, variable: str) -> str:
    """The value of a line ``NAME=VALUE``, as shells write it: with ``export``, quotes and comments. The last such line holds."""
    import shlex

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise ConfigError(f"key_file: {path} cannot be read: {why}") from error
    key = ""
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and name.strip() == variable:
            try:
                key = "".join(shlex.split(value, comments=True)[:1])
            except ValueError as error:
                raise ConfigError(f"key_file: the line of {variable} in {path} has a quote without an end") from error
    return key


def _read_from_keyring(variable: str) -> str:
    try:
        import keyring
    except ImportError as error:
        raise ConfigError("keyring is not installed: pip install 'jupyter-selfheal[keyring]'") from error
    try:
        return (keyring.get_password(SERVICE, variable) or "").strip()
    except Exception as error:  # a backend's own errors are of any kind: none there, locked, no bus to talk over
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise ConfigError(f"the keyring cannot be read ({reason}): set {variable} in the environment") from error
