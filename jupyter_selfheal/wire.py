"""Model ↔ JSON: the one form for the pipe to the worker, the journal, the widget and golden files.

Every dataclass of the model is written as an object with its class name under ``"$"`` and its fields that differ from
their defaults; enumerations as their values; tuples as lists. Reading is driven by the type hints, so that a tuple is a
tuple again and a union is told apart by ``"$"``. A whole message is ``{"v": VERSION, ...}``.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import sys
import types
import typing
from collections import ChainMap
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from jupyter_selfheal import model
from jupyter_selfheal.errors import WireError

VERSION = 1
"""Of the form. A reader accepts only its own; a change of the model that old readers would misread raises it."""

T = TypeVar("T")

_CLASSES: dict[str, type[Any]] = {}


def register(cls: type[T]) -> type[T]:
    """Class decorator: let a frozen dataclass outside the model (an event of the loop, say) travel too."""
    other = _class(cls.__name__)
    if other is not None and other is not cls and other.__module__ != cls.__module__:
        raise TypeError(f"two wire classes are named {cls.__name__}: {other.__module__} and {cls.__module__}")
    _CLASSES[cls.__name__] = cls
    return cls


def encode(value: Any) -> model.JSON:
    """The JSON form of a value of the model. Raises :class:`WireError` for anything that cannot travel."""
    if isinstance(value, enum.Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, tuple | list | frozenset | set):
        return [encode(v) for v in value]
    cls: Any = type(value)
    if dataclasses.is_dataclass(value) and _class(cls.__name__) is not None:
        found: dict[str, Any] = {"$": cls.__name__}
        for name, default in _defaults(cls):
            item = getattr(value, name)
            if default is dataclasses.MISSING or item != default or type(item) is not type(default):
                found[name] = encode(item)
        return found
    raise WireError(f"{type(value).__name__} cannot be sent: it is not a class of the model")


def decode(raw: model.JSON, hint: Any = Any) -> Any:
    """The value of a JSON form; ``hint`` is the type expected. Raises :class:`WireError` where it does not fit."""
    if isinstance(raw, dict) and isinstance(raw.get("$"), str):
        return _decode_object(raw)
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _decode_union(raw, typing.get_args(hint))
    if origin is tuple:
        if not isinstance(raw, list):
            raise WireError(f"expected a list for {hint}, got {type(raw).__name__}")
        args = typing.get_args(hint)
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(decode(v, args[0]) for v in raw)
        return tuple(decode(v, a) for v, a in zip(raw, args, strict=True))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        args = typing.get_args(hint)
        inner = args[1] if len(args) == 2 else Any
        return {k: decode(v, inner) for k, v in raw.items()}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        try:
            return hint(raw)
        except ValueError as error:
            raise WireError(f"{raw!r} is no {hint.__name__}") from error
    if hint is float and isinstance(raw, int):
        return float(raw)
    return raw


def dumps(value: Any) -> str:
    """One line of JSON with the version."""
    return json.dumps({"v": VERSION, "body": encode(value)}, ensure_ascii=False, separators=(",", ":"))


def loads(line: str | bytes) -> Any:
    """Read what :func:`dumps` wrote. Raises :class:`WireError` for anything else."""
    try:
        raw = json.loads(line)
    except ValueError as error:
        raise WireError(f"not a message: {error}") from error
    if not isinstance(raw, dict) or "body" not in raw:
        raise WireError("not a message: it has no body")
    if raw.get("v") != VERSION:
        raise WireError(
            f"message of version {raw.get('v')!r}, this release reads {VERSION}: use the release that wrote it"
        )
    return decode(raw["body"])


def _decode_object(raw: dict[str, Any]) -> Any:
    cls = _class(raw["$"])
    if cls is None:
        raise WireError(f"unknown class {raw['$']!r} in a message: it was written by another release")
    hints = _hints(typing.cast(Any, cls))
    found = {}
    for name, value in raw.items():
        if name == "$":
            continue
        if name not in hints:
            raise WireError(f"{raw['$']} has no field {name!r}: it was written by another release")
        found[name] = decode(value, hints[name])
    try:
        return cls(**found)
    except TypeError as error:
        raise WireError(f"{raw['$']}: {error}") from error


def _class(name: str) -> type[Any] | None:
    """The registered class, or the one of the model, of that name."""
    found = _CLASSES.get(name) or (getattr(model, name) if name in model.__all__ else None)
    return found if dataclasses.is_dataclass(found) and isinstance(found, type) else None


def _decode_union(raw: Any, options: tuple[Any, ...]) -> Any:
    if raw is None:
        return None
    for option in options:
        if isinstance(option, type) and issubclass(option, enum.Enum):
            try:
                return option(raw)
            except ValueError:
                continue
    return decode(raw, next((o for o in options if typing.get_origin(o) is tuple and isinstance(raw, list)), Any))


@lru_cache(maxsize=None)
def _hints(cls: Any) -> dict[str, Any]:
    home = vars(sys.modules[cls.__module__])
    # a name that the class's module imports for type checkers only is the model's
    names: Any = ChainMap(home, _Nouns())
    return typing.get_type_hints(cls, home, names)


class _Nouns(dict[str, Any]):
    """The model's names, each imported when it is looked up."""

    def __missing__(self, name: str) -> Any:
        if name not in model.__all__:
            raise KeyError(name)
        return getattr(model, name)


@lru_cache(maxsize=None)
def _defaults(cls: Any) -> tuple[tuple[str, Any], ...]:
    found = []
    for f in dataclasses.fields(cls):
        if f.default is not dataclasses.MISSING:
            default = f.default
        elif f.default_factory is not dataclasses.MISSING:
            default = f.default_factory()
        else:
            default = dataclasses.MISSING
        found.append((f.name, default))
    return tuple(found)
