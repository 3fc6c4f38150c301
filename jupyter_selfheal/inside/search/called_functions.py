"""What can be called with generated arguments, and the name it goes by: ``f`` of ``f(3)``, and of methods the instance with them.

``Solution().solve`` is called on an instance that is made without arguments; ``Account(_, _).deposit`` takes the two arguments of the
constructor first, then its own; ``Account.parse`` is one of the class. Each call of a method is of a fresh instance, so that it says the same
whatever was called before.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.inside.search.parsed_once import parse_once

_METHOD = re.compile(r"(\w+)(\((?:_(?:, _)*)?\))?\.(\w+)")
_HEAD = "(?:async )?def {}\\("
Defined = tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]
"""A function with nothing, or a method with the class in which it stands."""
_ADDRESSED: Any = object.__repr__
SHOWN = 500
"""Characters of what an object holds that are shown."""
DEPTH = 6
"""Objects within objects whose attributes are shown."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method by its class, its name, and how many arguments make the instance; None where it is one of the class."""

    owner: str
    name: str
    made: int | None

    @property
    def call_name(self) -> str:
        made = "" if self.made is None else f"({', '.join('_' * self.made)})"
        return f"{self.owner}{made}.{self.name}"


class MethodCall:
    """A method that is called on a fresh instance each time."""

    def __init__(self, owner: Any, method: Method) -> None:
        self.owner, self.method = owner, method
        self.before: dict[str, str] = {}
        self.instance: Any = None

    def __call__(self, *arguments: Any) -> Any:
        if self.method.made is None:
            return getattr(self.owner, self.method.name)(*arguments)
        self.instance = self.owner(*arguments[: self.method.made])
        self.before = show_attributes(self.instance)
        return getattr(self.instance, self.method.name)(*arguments[self.method.made :])

    def show_change(self, value: Any, read: Collection[str]) -> str:
        """What the last call changed of the instance, in words: all of it where it gave no ``value``, else of the attributes that are
        ``read``; empty where nothing changed."""
        after = show_attributes(self.instance)
        changed = [
            f"{name}={shown}"
            for name, shown in after.items()
            if shown != self.before.get(name) and (value is None or name in read)
        ]
        return f" (and leaves {', '.join(changed)})"[:SHOWN] if changed else ""


@functools.lru_cache(maxsize=64)
def read_method(called: str) -> Method | None:
    """The method that goes by this name; None for a function."""
    match = _METHOD.fullmatch(called)
    return Method(match[1], match[3], match[2].count("_") if match[2] is not None else None) if match else None


def find_callable(space: Mapping[str, Any], called: str) -> Callable[..., Any] | None:
    """What is called by a name in a namespace; None where there is no such thing."""
    method = read_method(called)
    found = space.get(method.owner if method else called)
    if method is None:
        return found if callable(found) else None
    return MethodCall(found, method) if isinstance(found, type) and hasattr(found, method.name) else None


def write_call(called: str, arguments: Sequence[Any]) -> str:
    """A call as it is written: ``Account('ann', 5).deposit(3)``."""
    method = read_method(called)
    made = method.made or 0 if method else 0
    shown = list(map(repr, arguments))
    if method and method.made is not None:
        called = f"{method.owner}({', '.join(shown[:made])}).{method.name}"
    return f"{called}({', '.join(shown[made:])})"


def is_defined_in(text: str, called: str) -> bool:
    """Whether a top-level statement defines what goes by a name: the function, or the class with its method."""
    method = read_method(called)
    if method is None:
        return re.search(f"^{_HEAD.format(re.escape(called))}", text, re.MULTILINE) is not None
    is_class = re.search(r"^class\b", text, re.MULTILINE) is not None
    return is_class and re.search(rf"^[ \t]+{_HEAD.format(re.escape(method.name))}", text, re.MULTILINE) is not None


def find_function(text: str, called: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function, or the method, that a top-level statement defines by a name."""
    method = read_method(called)
    own = [(owner, node) for owner, node in list_functions(text) if is_one_of(called, [(owner, node)])]
    return min(own, key=lambda pair: method is not None and pair[0] != method.owner, default=("", None))[1]


def list_parameters(text: str, called: str) -> list[str]:
    """The parameters of what goes by a name, in the order in which it is called: those of the constructor first, no ``self``."""
    method, function = read_method(called), find_function(text, called)
    if function is None:
        return []
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    if method is None:
        return names
    is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    made = [f"argument {n + 1}" for n in range(method.made or 0)]
    constructor = find_function(text, f"{method.owner}().__init__") if made else None
    if constructor is not None:
        made = [a.arg for a in constructor.args.args[1 : len(made) + 1]]
    return [*made, *names[0 if is_static else 1 :]]


def list_functions(text: str) -> Iterator[Defined]:
    """The functions that a text defines at the top, each with nothing, and the methods of its classes, each with the class."""
    for node in parse_once(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name, n) for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def list_changed_functions(old: str, new: str) -> list[Defined]:
    """The functions and methods of a text that are not the same in its old one, as they stand in the new one."""
    before = {(owner, text) for owner, _, text in _write_functions(old)}
    return [(owner, node) for owner, node, text in _write_functions(new) if (owner, text) not in before]


@functools.lru_cache(maxsize=256)
def _write_functions(text: str) -> tuple[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, str], ...]:
    """What :func:`list_functions` gives, each with its text as Python writes it."""
    return tuple((owner, node, ast.unparse(node)) for owner, node in list_functions(text))


def is_one_of(called: str, defined: Sequence[Defined]) -> bool:
    """Whether a name is that of one of these functions and methods; a method may stand in a class above its own."""
    method = read_method(called)
    name = method.name if method else called
    return any(node.name == name and bool(owner) == bool(method) for owner, node in defined)


def show_attributes(value: Any, depth: int = DEPTH) -> dict[str, str]:
    """What an object holds, as text by name."""
    held = getattr(value, "__dict__", None)
    return {name: show_value(item, depth) for name, item in held.items()} if isinstance(held, dict) else {}


def show_value(value: Any, depth: int = DEPTH) -> str:
    """The text of a value; of an object that has none of its own what it holds."""
    if type(value).__repr__ is not _ADDRESSED or not hasattr(value, "__dict__"):
        return repr(value)
    if not depth:
        return f"{type(value).__name__}(...)"
    held = show_attributes(value, depth - 1).items()
    return f"{type(value).__name__}({', '.join(f'{name}={shown}' for name, shown in held)})"
