"""The calls that a traced run makes of the program's functions and methods, by what they are called with.

Of a method only calls on an instance that holds what its constructor gave it are noted: a fresh one, made with the same arguments, does the
same. What was changed by calls before is not to be had by a call alone.
"""

from __future__ import annotations

import dataclasses
import inspect
from types import CodeType, FrameType, FunctionType
from typing import Any

from jupyter_selfheal.inside.search.called_functions import Method
from jupyter_selfheal.inside.search.plain_data import copy_plain_data

CALLS = 40
"""Calls of one function that are noted."""
_VARIOUS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class NotedCalls:
    """What functions and methods of the program were called with, by name (see :mod:`.called_functions`)."""

    def __init__(self) -> None:
        self.calls: dict[str, list[tuple[Any, ...]]] = {}
        self.numbers: dict[str, dict[str, float]] = {}
        """The numbers that functions gave, by the arguments as they are written."""
        self._open: dict[int, tuple[str, str]] = {}
        self._made: dict[int, tuple[Any, ...]] = {}
        self._held: dict[int, str] = {}
        self._touched: set[int] = set()

    def note_call(self, frame: FrameType) -> None:
        """A call begins, from outside of the function itself."""
        code, there = frame.f_code, frame.f_locals
        given = [there[n] for n in code.co_varnames[: code.co_argcount] if n in there]
        if len(given) < code.co_argcount:
            return
        if _is_function(frame.f_globals.get(code.co_name), code):
            self._add(code.co_name, (), given)
            if (arguments := _show_plain(given)) is not None:
                self._open[id(frame)] = (code.co_name, arguments)
        elif (found := _find_class(frame, given)) is not None:
            self._note_method(code, given, found)
        else:
            self.calls.setdefault(code.co_name, [])

    def note_return(self, frame: FrameType, value: Any) -> None:
        """Note a number that a function gives; where a constructor returns, what its object holds then: a method that is called later may find it
        changed."""
        code = frame.f_code
        if (called := self._open.pop(id(frame), None)) is not None and type(value) in (int, float):
            name, arguments = called
            self.numbers.setdefault(name, {})[arguments] = value
        if code.co_name == "__init__" and code.co_argcount:
            made = frame.f_locals.get(code.co_varnames[0])
            if id(made) in self._made:
                self._held[id(made)] = _show_held(made)

    def _note_method(self, code: CodeType, given: list[Any], found: tuple[type, bool]) -> None:
        owner, is_instance = found
        if not is_instance:
            is_static = isinstance(vars(owner).get(code.co_name), staticmethod)
            self._add(Method(owner.__name__, code.co_name, None).call_name, (), given[0 if is_static else 1 :])
            return
        instance, arguments = given[0], given[1:]
        if code.co_name == "__init__":
            self._note_constructor(instance, code, arguments)
            return
        made = self._find_fresh(instance)
        self._touched.add(id(instance))
        if made is not None:
            self._add(Method(owner.__name__, code.co_name, len(made)).call_name, made, arguments)

    def _note_constructor(self, instance: Any, code: CodeType, arguments: list[Any]) -> None:
        self._held.pop(id(instance), None)
        self._touched.discard(id(instance))
        try:
            self._made[id(instance)] = tuple(map(copy_plain_data, arguments))
        except ValueError:
            self._made.pop(id(instance), None)
        if code.co_flags & _VARIOUS or code.co_kwonlyargcount:
            self._made.pop(id(instance), None)

    def _find_fresh(self, instance: Any) -> tuple[Any, ...] | None:
        """The arguments that make an instance which is like this one; None where they are not known, or it was changed since."""
        owner, held = type(instance), getattr(instance, "__dict__", {})
        if owner.__init__ is object.__init__:
            return None if held else ()
        if not isinstance(owner.__init__, FunctionType):
            return None
        if dataclasses.is_dataclass(owner) and owner.__init__.__code__.co_filename == "<string>":
            fields = dataclasses.fields(owner)
            is_plain = {f.name for f in fields} == set(held) and not hasattr(owner, "__post_init__")
            return tuple(held[f.name] for f in fields) if is_plain and all(f.init for f in fields) else None
        made = self._made.get(id(instance))
        is_known = id(instance) in self._held
        if made is None or not is_known:
            return None
        is_same = id(instance) not in self._touched or bool(_show_held(instance))
        return made if is_same and _show_held(instance) == self._held[id(instance)] else None

    def _add(self, called: str, made: tuple[Any, ...], given: list[Any]) -> None:
        calls = self.calls.setdefault(called, [])
        if len(calls) < CALLS:
            try:
                calls.append(tuple(copy_plain_data(value) for value in (*made, *given)))
            except (ValueError, KeyError):
                return


def _show_plain(given: list[Any]) -> str | None:
    """Numbers and texts as they are written, as one text; None where something else is among them."""
    return repr(tuple(given)) if all(type(value) in (int, float, str) for value in given) else None


def _show_held(instance: Any) -> str:
    """What an instance holds, as text; empty where that is no plain data."""
    try:
        return repr(copy_plain_data(getattr(instance, "__dict__", {})))
    except ValueError:
        return ""


def _is_function(value: Any, code: CodeType) -> bool:
    return inspect.unwrap(value).__code__ is code if isinstance(inspect.unwrap(value), FunctionType) else False


def _find_class(frame: FrameType, given: list[Any]) -> tuple[type, bool] | None:
    """The class whose method is called, and whether it is one of an instance; None where a class above it has it, or it is none."""
    space, code = frame.f_globals, frame.f_code
    owner = type(given[0]) if given else object
    if space.get(owner.__name__) is owner and _is_function(getattr(owner, code.co_name, None), code):
        return owner, True
    for value in list(space.values()):
        held = vars(value).get(code.co_name) if isinstance(value, type) else None
        if isinstance(held, staticmethod | classmethod) and _is_function(held.__func__, code):
            return value, False
    return None
