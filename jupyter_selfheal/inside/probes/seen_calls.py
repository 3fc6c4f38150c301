"""Calls of the notebook's own functions: packed by value, made again, and compared. Runs inside a kernel: standard library only.

A call is packed as a pickle in which the notebook's classes and functions stand by their names: unpacked in another state, an
instance is of the class as it is defined there. Nothing outside of kernels ever unpacks one.
"""

from __future__ import annotations

import base64
import contextlib
import io
import pickle
import types
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jupyter_selfheal.inside.comparator import find_difference
from jupyter_selfheal.inside.difference import show_value
from jupyter_selfheal.inside.search.count_steps import OutOfTime
from jupyter_selfheal.inside.search.limit_time import limit_cpu_time
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.search.run_result import Enough

BYTES = 50_000
"""Bytes of one call's packed arguments, and of its packed result; what is bigger is not kept."""
ITEMS = 1_000
"""Items of a generator that are looked at."""
STEPS = 1_000
"""Times that an async function may give way to others."""
SECONDS = 0.5
"""CPU seconds that a call may take to be made again."""
PATIENCE = 4.0
"""How many times longer it may take under a patch."""
SHOWN = 80
"""Characters of an argument or a result in words."""

VALUE, ERROR, LATE, GONE = "value", "error", "late", "gone"


class TooBig(Exception):
    """More bytes than are kept."""


class _Bounded(io.BytesIO):
    def write(self, data: Any, /) -> int:
        if self.tell() + len(data) > BYTES:
            raise TooBig
        return super().write(data)


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, space: dict[str, Any]) -> None:
        super().__init__(file, protocol=5)
        self.space = space
        self.classes: set[str] = set()

    def persistent_id(self, value: Any) -> str | None:
        if not isinstance(value, type | types.FunctionType):
            return None
        name = value.__qualname__
        if find_in_notebook(self.space, name) is not value:
            return None
        if isinstance(value, type):
            self.classes.add(name)
        return name


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, space: dict[str, Any]) -> None:
        super().__init__(file)
        self.space = space

    def persistent_load(self, name: str) -> Any:
        value = find_in_notebook(self.space, name)
        if value is None:
            raise pickle.UnpicklingError(f"{name} is not there")
        return value


def pack(value: Any, space: dict[str, Any]) -> tuple[bytes, set[str]]:
    """A value by value, and the classes of the notebook in it. Raises whatever its objects raise, and :class:`TooBig`."""
    file = _Bounded()
    packer = _Packer(file, space)
    packer.dump(value)
    return file.getvalue(), packer.classes


def unpack(data: bytes, space: dict[str, Any]) -> Any:
    """The value that was packed, of the classes as they are in ``space``."""
    return _Unpacker(io.BytesIO(data), space).load()


def pack_outcome(outcome: Outcome, space: dict[str, Any]) -> tuple[bytes, set[str]]:
    """An outcome as :func:`pack` does it; of it nothing is kept but plain parts, as the class is not there in another process."""
    return pack((outcome.kind, outcome.value, outcome.printed, outcome.after), space)


def unpack_outcome(data: bytes, space: dict[str, Any]) -> Outcome:
    """What :func:`unpack` reads, as an outcome."""
    return Outcome(*unpack(data, space))


def to_text(data: bytes) -> str:
    """Bytes as text that JSON can hold."""
    return base64.b64encode(data).decode("ascii")


def from_text(text: str) -> bytes:
    """The bytes that :func:`to_text` wrote."""
    return base64.b64decode(text)


def find_in_notebook(space: dict[str, Any], name: str) -> Any:
    """What a qualified name (``f``, ``Account.deposit``) stands for in the namespace, as it is defined; None where it is not
    there, or is a class of a library."""
    first, *rest = name.split(".")
    value = space.get(first)
    for part in rest:
        value = vars(value).get(part) if isinstance(value, type) else None
    return None if isinstance(value, type) and value.__module__ != space.get("__name__") else value


def find_callable(space: dict[str, Any], name: str) -> Callable[..., Any] | None:
    """What is to be called for a function or method, with ``self`` (or the class) as its first argument."""
    value = find_in_notebook(space, name)
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    elif isinstance(value, property):
        value = value.fget
    return value if callable(value) and not isinstance(value, type) else None


@dataclass(frozen=True)
class Outcome:
    """What a call gave: its value (or the error's text), what it printed, and its arguments where it changed them."""

    kind: str
    value: Any = None
    printed: str = ""
    after: Any = None

    @property
    def tells(self) -> bool:
        """Whether anybody could see that it gives something else."""
        return self.kind == VALUE and (self.value is not None or bool(self.printed) or self.after is not None)

    def find_change(self, new: Outcome) -> str:
        """What a call gave, and what it gives now, in words; empty where that is the same."""
        if new.kind == ERROR:
            return f"gave {show_value(self.value, SHOWN)}, now raises {new.value}"
        if find_difference(self.value, new.value) is not None:
            return f"gave {show_value(self.value, SHOWN)}, now {show_value(new.value, SHOWN)}"
        if self.printed != new.printed:
            return f"printed {show_value(self.printed, SHOWN)}, now {show_value(new.printed, SHOWN)}"
        if (self.after is None) != (new.after is None):
            return "changed what it is given, and leaves it now" if new.after is None else "changes what it is given"
        if self.after is not None and (why := find_difference(self.after, new.after)) is not None:
            return f"changes what it is given to something else: {why}"[: 2 * SHOWN]
        return ""


def call(space: dict[str, Any], name: str, given: bytes, seconds: float = SECONDS) -> Outcome:
    """Make a call again, with fresh copies of its arguments.

    Where ``given`` holds arguments twice, the second are for the function that the first call gives.
    """
    function = find_callable(space, name)
    if function is None:
        return Outcome(GONE)
    out = Muted(keep=True)
    try:
        *made, arguments, named = unpack(given, space)
        with limit_cpu_time(seconds), contextlib.redirect_stdout(out), contextlib.redirect_stderr(Muted()):
            try:
                value = (function(*made[0], **made[1]) if made else function)(*arguments, **named)
                if isinstance(value, types.CoroutineType):
                    value = run_coroutine(value)
                if hasattr(value, "__next__"):
                    value = list(islice(value, ITEMS))
            except (Exception, SystemExit) as error:
                return Outcome(ERROR, f"{type(error).__name__}: {error}"[: 2 * SHOWN].rstrip(": "), _join_parts(out))
    except (OutOfTime, Enough):
        return Outcome(LATE)
    except Exception:
        return Outcome(GONE)
    return Outcome(VALUE, value, _join_parts(out), _find_changed_arguments(space, given, (*made, arguments, named)))


def run_coroutine(coroutine: types.CoroutineType[Any, Any, Any]) -> Any:
    """What an async function gives, run without an event loop. Raises :class:`OutOfTime` where it waits for something."""
    try:
        for _ in range(STEPS):
            if coroutine.send(None) is not None:
                break
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise OutOfTime


def _find_changed_arguments(space: dict[str, Any], given: bytes, now: Any) -> Any:
    """The arguments after the call, where it changed one of them in place."""
    try:
        return None if find_difference(unpack(given, space), now) is None else now
    except Exception:
        return None


def _join_parts(out: Muted) -> str:
    return "".join(out.parts)[: 20 * SHOWN]


def format_call(name: str, arguments: tuple[Any, ...], named: dict[str, Any], is_method: bool = False) -> str:
    """``average([2, 4])``; of a method without ``self``: ``Account.deposit(5)``."""
    given = arguments[1:] if is_method else arguments
    parts = [show_value(a, SHOWN) for a in given] + [f"{k}={show_value(v, SHOWN)}" for k, v in named.items()]
    return f"{name}({', '.join(parts)})"
