"""Whatever class is registered makes the round trip: model, messages, events and commands, with any values."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jupyter_selfheal.loop.events
import jupyter_selfheal.messages
from jupyter_selfheal import wire
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import JSON

assert jupyter_selfheal.loop.events
assert jupyter_selfheal.messages

CLASSES = dict(sorted(wire._CLASSES.items()))
TEXT = st.text(st.characters(), max_size=8)  # lone surrogates too: a cell may hold them
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT.filter(lambda k: k != "$"), inner, max_size=2),
    max_leaves=3,
)


def values(hint: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of a type hint, shallow below the third level."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or hint is JSON or isinstance(hint, typing.ForwardRef):
        return JSONS
    if origin in (types.UnionType, typing.Union):
        return st.one_of([values(a, depth) for a in args])
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return st.lists(values(args[0], depth + 1), max_size=2 if depth < 3 else 0).map(tuple)
        return st.tuples(*(values(a, depth + 1) for a in args))
    if origin is not None and issubclass(origin, Mapping):
        return st.dictionaries(TEXT.filter(lambda k: k != "$"), values(args[1], depth + 1), max_size=2)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return st.sampled_from(hint)
    if hint is HealConfig:
        return st.builds(HealConfig, attempts=st.integers(1, 9), offline=st.booleans())
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        required = {
            f.name: values(hints[f.name], depth + 1)
            for f in dataclasses.fields(hint)
            if depth < 3 or (f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING)
        }
        return st.builds(hint, **required)  # type: ignore[arg-type]
    simple: dict[Any, st.SearchStrategy[Any]] = {
        str: TEXT,
        int: st.integers(0, 5),
        float: st.floats(0, 10),
        bool: st.booleans(),
        type(None): st.none(),
    }
    return simple[hint]


@pytest.mark.parametrize("name", CLASSES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_sent_arrives(name: str, data: st.DataObject) -> None:
    value = data.draw(values(CLASSES[name]))
    line = wire.dumps(value)
    assert "\n" not in line
    assert wire.loads(line.encode("utf-8", "surrogatepass")) == value
