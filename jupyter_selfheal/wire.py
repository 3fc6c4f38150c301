"""Model ↔ JSON: the one form for the pipe to the worker, the journal, the widget and golden files.

Every dataclass of the model is written as an object with its class name under ``"$"`` and its fields that differ from
their defaults; enumerations as their values; tuples as lists. Reading is driven by the type hints, so that a tuple is a
tuple again and a union is told apart by ``"$"``. A whole message is ``{"v": VERSION, ...}``.
"""

from __future__ import annotations

import contextlib
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
from jupyter_selfheal.errors import ConfigError, WireError
from jupyter_selfheal.numbers import read_number

VERSION = 1
"""Of the form. A reader accepts only its own; a change of the model that old readers would misread raises it."""

TOO_DEEP = "it is nested too deeply"

T = TypeVar("T")

_CLASSES: dict[str, type[Any]] = {}


def register(cls: type[T]) -> type[T]:
    """Class decorator: let a frozen dataclass outside the model (an event of the loop, say) travel too."""
    other = _find_class(cls.__name__)
    if other is not None and other is not cls and other.__module__ != cls.__module__:
        raise TypeError(f"two wire classes are named {cls.__name__}: {other.__module__} and {cls.__module__}")
    _CLASSES[cls.__name__] = cls
    return cls


def encode(value: Any) -> model.JSON:
    """The JSON form of a value of the model. Raises :class:`WireError` for anything that cannot travel."""
    try:
        return _encode_value(value)
    except RecursionError:
        raise WireError(f"{type(value).__name__} cannot be sent: {TOO_DEEP}") from None


def decode(raw: model.JSON) -> Any:
    """The object of the model that a JSON form stands for. Raises :class:`WireError` for anything else.

    Every field holds what its type hint says afterwards; only fields of type ``JSON`` may hold anything that JSON can say.
    """
    try:
        return _decode_object(raw)
    except RecursionError:
        raise WireError(f"not a message: {TOO_DEEP}") from None


def parse_json(text: str | bytes) -> model.JSON:
    """What a line of JSON says. Raises :class:`WireError` where it says nothing."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise WireError(f"it is no JSON: {error}") from error
    except RecursionError:
        raise WireError(TOO_DEEP) from None


def dumps(value: Any) -> str:
    """One line of JSON with the version."""
    return json.dumps({"v": VERSION, "body": encode(value)}, ensure_ascii=False, separators=(",", ":"))


def loads(line: str | bytes) -> Any:
    """Read what :func:`dumps` wrote. Raises :class:`WireError` for anything else, and nothing but that."""
    raw = parse_json(line)
    if not isinstance(raw, dict) or "body" not in raw:
        raise WireError("not a message: it has no body")
    if raw.get("v") != VERSION:
        raise WireError(
            f"message of version {raw.get('v')!r}, this release reads {VERSION}: use the release that wrote it"
        )
    return decode(raw["body"])


def _encode_value(value: Any) -> model.JSON:
    if isinstance(value, enum.Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(k): _encode_value(v) for k, v in value.items()}
    if isinstance(value, tuple | list | frozenset | set):
        return [_encode_value(v) for v in value]
    cls: Any = type(value)
    if dataclasses.is_dataclass(value) and _find_class(cls.__name__) is not None:
        sent: dict[str, Any] = {"$": cls.__name__}
        for name, default in _list_defaults(cls):
            item = getattr(value, name)
            if default is dataclasses.MISSING or item != default or type(item) is not type(default):
                sent[name] = _encode_value(item)
        return sent
    raise WireError(f"{type(value).__name__} cannot be sent: it is not a class of the model")


def _decode_object(raw: model.JSON) -> Any:
    name = raw.get("$") if isinstance(raw, dict) else None
    cls = _find_class(name) if isinstance(name, str) else None
    if cls is None:
        raise WireError(f"no object of this release: {_shorten_value(raw)}")
    hints = _read_hints(typing.cast(Any, cls))
    values = {}
    for field, value in raw.items():
        if field == "$":
            continue
        if field not in hints:
            raise WireError(f"{name} has no field {field!r}: it was written by another release")
        values[field] = _decode_value(value, hints[field])
    try:
        return cls(**values)
    except (TypeError, ValueError, ConfigError) as error:
        raise WireError(f"{name}: {error}") from error


def _decode_value(raw: model.JSON, hint: Any) -> Any:
    """The value that a type hint asks for."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return raw
    if origin in (types.UnionType, typing.Union):
        return _decode_union(raw, args)
    if origin is tuple and isinstance(raw, list):
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(_decode_value(v, args[0]) for v in raw)
        if len(args) == len(raw):
            return tuple(_decode_value(v, a) for v, a in zip(raw, args, strict=True))
    elif origin is Mapping and isinstance(raw, dict):
        return {k: _decode_value(v, args[1]) for k, v in raw.items()}
    elif isinstance(hint, type) and issubclass(hint, enum.Enum):
        with contextlib.suppress(ValueError):
            return hint(raw)
    elif dataclasses.is_dataclass(hint):
        value = _decode_object(raw)
        if isinstance(value, typing.cast(Any, hint)):
            return value
    elif hint is float:
        if not isinstance(raw, str) and (number := read_number(raw)) is not None:
            return number
    elif hint is type(None):
        if raw is None:
            return None
    elif type(raw) is hint:
        return raw
    raise WireError(f"expected {getattr(hint, '__name__', hint)}, got {_shorten_value(raw)}")


def _decode_union(raw: model.JSON, options: tuple[Any, ...]) -> Any:
    """The value of the first type that fits."""
    if isinstance(raw, dict) and "$" in raw:
        value = _decode_object(raw)
        if isinstance(value, options):
            return value
    else:
        for option in options:
            with contextlib.suppress(WireError):
                return _decode_value(raw, option)
    raise WireError(f"expected {' or '.join(str(o) for o in options)}, got {_shorten_value(raw)}")


def _shorten_value(raw: model.JSON) -> str:
    """The beginning of a value, for a complaint about it; only texts and numbers are shown."""
    if isinstance(raw, dict) and isinstance(raw.get("$"), str):
        return f"{raw['$'][:40]!r}, which is unknown here or fits nowhere"
    return repr(raw)[:60] if isinstance(raw, str | int | float) or raw is None else type(raw).__name__


def _find_class(name: str) -> type[Any] | None:
    """The registered class, or the one of the model, of that name."""
    cls = _CLASSES.get(name) or (getattr(model, name) if name in model.__all__ else None)
    return cls if dataclasses.is_dataclass(cls) and isinstance(cls, type) else None


@lru_cache(maxsize=None)
def _read_hints(cls: Any) -> dict[str, Any]:
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
def _list_defaults(cls: Any) -> tuple[tuple[str, Any], ...]:
    defaults = []
    for f in dataclasses.fields(cls):
        if f.default is not dataclasses.MISSING:
            default = f.default
        elif f.default_factory is not dataclasses.MISSING:
            default = f.default_factory()
        else:
            default = dataclasses.MISSING
        defaults.append((f.name, default))
    return tuple(defaults)
