"""What is known of live objects: the answers to questions, as types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jupyter_selfheal.model import JSON

Position = tuple[int, int, int, int]
"""Line, column, end line and end column of an instruction, in ast's conventions."""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What an object in the running state is; all empty where that cannot be told.

    ``mro`` holds the dotted paths of its class and bases, ``bases`` those of a class itself, ``path`` where a function, class or
    module is from and ``home`` the module that says so. ``text`` is the beginning of a text. Numbers are -1 where it has none.
    """

    type: str = ""
    module: str = ""
    mro: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    path: str = ""
    home: str = ""
    name: str = ""
    is_module: bool = False
    is_class: bool = False
    is_callable: bool = False
    attributes: tuple[str, ...] = ()
    text: str = ""
    length: int = -1
    ndim: int = -1
    size: int = -1
    dtype: str = ""

    @classmethod
    def from_json(cls, raw: Any) -> ObjectInfo:
        """From an answer; of None an empty one."""
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in (raw or {}).items()}
        return cls(**fields)

    @property
    def is_none(self) -> bool:
        return self.type == "NoneType"

    @property
    def paths(self) -> tuple[str, ...]:
        """Its own path and those of its classes, as far as there are any."""
        return tuple(path for path in (self.path, *self.mro) if path)

    def is_a(self, *kinds: str) -> bool:
        """True for an instance of one of the classes, named in full, by package and name, or by its name alone."""
        names = {n for path in self.mro for n in (path, path.rsplit(".", 1)[-1], shorten_path(path))}
        return not names.isdisjoint(kinds)


def shorten_path(path: str) -> str:
    """``pandas.DataFrame`` of ``pandas.core.frame.DataFrame``."""
    return path.split(".")[0] + "." + path.rsplit(".", 1)[-1]


@dataclass(frozen=True, slots=True)
class LiveState:
    """The state at the failure at one glance.

    ``names`` and ``locals`` map to (type name, can it be called?); ``position`` is the failing instruction's, in the cell of
    the failure's location; ``attribute`` is the exception's ``name`` (AttributeError, NameError, ImportError), ``owner``
    the object that lacks the attribute.
    """

    names: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    locals: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    position: Position | None = None
    function: str = ""
    attribute: str = ""
    owner: ObjectInfo | None = None
    arguments: tuple[JSON, ...] = ()
    is_known: bool = False
    """False where no state is at hand: then nothing may be concluded from an empty ``names``."""

    @classmethod
    def from_json(cls, raw: Any) -> LiveState:
        return cls(
            names={k: (kind, is_callable) for k, (kind, is_callable) in raw["names"].items()},
            locals={k: (kind, is_callable) for k, (kind, is_callable) in raw["locals"].items()},
            position=tuple(raw["position"]) if raw["position"] else None,
            function=raw["function"],
            attribute=raw["attribute"],
            owner=ObjectInfo.from_json(raw["owner"]) if raw["owner"] else None,
            arguments=tuple(raw["arguments"]),
            is_known=True,
        )


@dataclass(frozen=True, slots=True)
class Keys:
    """What an object can be subscripted with. ``length`` is -1 where it has none."""

    type: str
    keys: tuple[JSON, ...] = ()
    columns: tuple[JSON, ...] = ()
    index: tuple[JSON, ...] = ()
    index_names: tuple[str, ...] = ()
    length: int = -1

    @classmethod
    def from_json(cls, raw: Any) -> Keys:
        def freeze(name: str) -> tuple[JSON, ...]:
            return tuple(tuple(k) if isinstance(k, list) else k for k in raw[name])

        names = tuple(raw["index_names"])
        return cls(raw["type"], freeze("keys"), freeze("columns"), freeze("index"), names, raw["length"])

    @property
    def is_table(self) -> bool:
        return self.type in ("DataFrame", "DataFrameGroupBy") or bool(self.columns)


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table (none of a series) with their dtypes, and its index: the class's dotted path, the dtype."""

    columns: tuple[JSON, ...]
    dtypes: tuple[str, ...]
    index_type: str
    index_dtype: str
    length: int

    @classmethod
    def from_json(cls, raw: Any) -> Table:
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, its kind as :mod:`inspect` names it, and its default as text."""

    name: str
    kind: str
    default: str
    has_default: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a callable (of a class: of its constructor), and its documentation."""

    parameters: tuple[Parameter, ...] = ()
    is_class: bool = False
    documentation: str = ""

    @classmethod
    def from_json(cls, raw: Any) -> Signature:
        return cls(tuple(Parameter(*p) for p in raw["parameters"]), raw["is_class"], raw["documentation"])

    @property
    def needs_nothing(self) -> bool:
        """Whether it can be called without arguments."""
        return all(p.has_default or p.kind.startswith("VAR") for p in self.parameters)

    def names(self, *kinds: str) -> list[str]:
        """Names of the parameters, or of those of some kinds."""
        return [p.name for p in self.parameters if not kinds or p.kind in kinds]


class Reference(NamedTuple):
    """How a library's object is written in a cell, and the import line that this needs (or empty)."""

    text: str
    import_line: str


class ValueText(NamedTuple):
    """A value's type, its ``repr`` (cut), and the number that it is."""

    type: str
    text: str
    number: float | None
