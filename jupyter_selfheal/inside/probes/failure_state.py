"""The state in which a cell failed, as questions of rules see it, and the one dispatcher that answers them.

A module of questions decorates each function with :func:`question` and binds ``probe = answer``; its text is sent together
with this one. A question that runs code (an argument of the failing call, an import) does so in a throw-away fork.
"""

from __future__ import annotations

import ast
import linecache
import re
import types
import warnings
from collections.abc import Callable
from typing import Any

HIDDEN = {"In", "Out", "exit", "quit", "open", "get_ipython"}
LIMIT = 4000
"""Names, keys or rows of one answer."""

PLAIN = (
    ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load, ast.Tuple, ast.List, ast.Dict,
    ast.UnaryOp, ast.USub, ast.Slice, ast.Compare, ast.BinOp, ast.operator, ast.cmpop,
)  # fmt: skip
"""What an expression may be made of that is evaluated without the question's leave to call things."""

COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
"""Frames of Python 3.11, which has one for each comprehension."""

QUESTIONS: dict[str, Callable[..., Any]] = {}
"""The questions of the module that was sent: this module is loaded anew for each."""


def question(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function ``(state, **argument)`` one that the engine can ask by its name."""
    QUESTIONS[function.__name__] = function
    return function


def answer(shell: Any, last: Any, argument: Any) -> Any:
    """Answer one question; what a module of questions binds as its ``probe``."""
    warnings.simplefilter("ignore")
    state = FailureState(shell, getattr(last, "error", None), argument["place"])
    return QUESTIONS[argument["question"]](state, **argument["argument"])


class FailureState:
    """The namespace of the kernel and the innermost frame of the user's code."""

    def __init__(self, shell: Any, error: Any, place: Any) -> None:
        self.globals = shell.user_ns
        self.hidden = HIDDEN | set(getattr(shell, "user_ns_hidden", ()))
        self.error = error
        self.traceback = find_traceback(error, place)
        self.frame = self.traceback.tb_frame if self.traceback is not None else None
        self._loop_item: dict[str, Any] | None = None

    @property
    def locals(self) -> dict[str, Any]:
        """Local variables of the failing function and comprehension; at the top level of a cell of the latter only."""
        if self.frame is None:
            return {}
        if self.frame.f_code.co_name == "<module>":
            return dict(self.loop_item)
        own = {k: v for k, v in self.frame.f_locals.items() if k not in self.globals or v is not self.globals[k]}
        return {**own, **self.loop_item}

    @property
    def namespace(self) -> dict[str, Any]:
        """All that can be read where it failed."""
        if self.frame is None:
            return dict(self.globals)
        return {**self.globals, **self.frame.f_globals, **self.frame.f_locals, **self.loop_item}

    @property
    def loop_item(self) -> dict[str, Any]:
        """The variable of the comprehension that failed: since Python 3.12 one runs in the frame around it, which forgets the variable."""
        if self._loop_item is None:
            self._loop_item = {}  # what is evaluated to find it asks for it
            try:
                self._loop_item = find_loop_item(self)
            except Exception:  # a cell without its source; what it goes over may do anything as it is read
                self._loop_item = {}
        return self._loop_item

    @property
    def position(self) -> Any:
        """[line, column, end line, end column] of the failing instruction (ast's conventions), or None before Python 3.11."""
        if self.frame is None or self.traceback.tb_lasti < 0 or not hasattr(self.frame.f_code, "co_positions"):
            return None
        # below ``%%time`` the frame counts its lines from the one after the magic
        shift = int(self.frame.f_code.co_filename.startswith("<timed "))
        for n, (line, end, column, end_column) in enumerate(self.frame.f_code.co_positions()):
            if n == self.traceback.tb_lasti // 2:
                if None in (line, end, column, end_column):
                    return None
                return [line + shift, column, end + shift, end_column]
        return None

    def evaluate(self, text: str, calls: bool = False) -> Any:
        """The value of an expression in the failing frame; raises where it would call something and ``calls`` is false."""
        tree = ast.parse("(" + text.strip() + "\n)", mode="eval")
        if not calls and not all(isinstance(node, PLAIN) for node in ast.walk(tree)):
            raise ValueError("not a plain expression: " + text)
        return eval(compile(tree, "<probe>", "eval"), self.namespace)


def find_loop_item(state: FailureState) -> dict[str, Any]:
    """The first item at which the failing expression raises such an error again; where it calls something, and so is not evaluated, the first."""
    place = state.position
    if place is None or state.frame is None or state.frame.f_code.co_name in COMPREHENSIONS:
        return {}
    tree = ast.parse("".join(linecache.getlines(state.frame.f_code.co_filename)))
    around = [n for n in ast.walk(tree) if hasattr(n, "lineno") and _covers_place(n, place)]
    loops = [n for n in around if isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp))]
    if (
        not loops
        or around[-1] is loops[-1]
        or len(loops[-1].generators) != 1
        or _covers_place(loops[-1].generators[0].iter, place)
    ):
        return {}
    part = loops[-1].generators[0]
    items = state.evaluate(ast.unparse(part.iter)) if isinstance(part.target, ast.Name) else ()
    first: dict[str, Any] = {}
    for item in list(items)[:LIMIT] if isinstance(items, (list, tuple, set, dict, str, range)) else ():
        known = {part.target.id: item}  # type: ignore[attr-defined]
        first = first or known
        if not all(isinstance(node, PLAIN) for node in ast.walk(around[-1])):
            return first
        try:
            eval(ast.unparse(around[-1]), {**state.namespace, **known})
        except type(state.error):
            return known
        except Exception:
            continue
    return first


def _covers_place(node: Any, place: Any) -> bool:
    line, column, end, end_column = place
    return (node.lineno, node.col_offset) <= (line, column) and (end, end_column) <= (
        node.end_lineno,
        node.end_col_offset,
    )


def find_traceback(error: Any, place: Any) -> Any:
    """The entry of the traceback that is at a place [file, function, line], else the innermost one in a cell."""
    entries: list[Any] = []
    entry = getattr(error, "__traceback__", None)
    while entry is not None:
        entries.insert(0, entry)
        entry = entry.tb_next
    if place:
        file, function, line = place
        for entry in entries:
            if entry.tb_lineno == line and entry.tb_frame.f_code.co_filename == file:
                return entry
        for entry in entries:
            if entry.tb_lineno == line and entry.tb_frame.f_code.co_name == function:
                return entry
        for entry in entries:
            if file.startswith("<timed ") and entry.tb_frame.f_code.co_filename == file:
                return entry
    in_a_cell = re.compile(r"ipykernel_|ipython-input|^<(fake )?cell")
    return next((e for e in entries if in_a_cell.search(e.tb_frame.f_code.co_filename)), None)


def build_dotted_path(obj: Any) -> str:
    """Where a class, a function or a module is from: ``pandas.core.frame.DataFrame``."""
    if isinstance(obj, types.ModuleType):
        return obj.__name__
    owner = getattr(obj, "__module__", None) or type(getattr(obj, "__self__", None)).__module__
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", "")
    return str(owner) + "." + str(name)


def name_home(obj: Any) -> str:
    """The module that a class or function (or, of a bound builtin, its owner) comes from, empty if it does not say."""
    module = getattr(obj, "__module__", None)
    owner = getattr(obj, "__self__", None)
    if not isinstance(module, str) and owner is not None:
        module = owner.__name__ if isinstance(owner, types.ModuleType) else type(owner).__module__
    return module if isinstance(module, str) and module != "__main__" else ""


def list_attributes(obj: Any) -> list[str]:
    """``dir()`` of an object, as far as it can be told."""
    try:
        return [n for n in dir(obj) if isinstance(n, str)][:LIMIT]
    except Exception:
        return []


def describe_object(obj: Any) -> dict[str, Any]:
    """What an object is: its class and bases, what it can do, how large it is."""
    kind = type(obj)
    is_named = isinstance(obj, (type, types.ModuleType, types.FunctionType))
    dtype = getattr(obj, "dtype", None)
    return {
        "type": kind.__name__,
        "module": kind.__module__,
        "mro": [build_dotted_path(c) for c in kind.__mro__],
        "bases": [build_dotted_path(c) for c in obj.__mro__] if isinstance(obj, type) else [],
        "home": name_home(obj),
        "path": build_dotted_path(obj) if callable(obj) or isinstance(obj, types.ModuleType) else "",
        "name": getattr(obj, "__name__", "") if is_named else "",
        "is_module": isinstance(obj, types.ModuleType),
        "is_class": isinstance(obj, type),
        "is_callable": callable(obj),
        "attributes": list_attributes(obj),
        "text": obj[:200] if isinstance(obj, str) else "",
        "length": measure_length(obj),
        "ndim": obj.ndim if isinstance(getattr(obj, "ndim", None), int) else -1,
        "size": obj.size if isinstance(getattr(obj, "size", None), int) else -1,
        "dtype": str(dtype) if dtype is not None and not callable(dtype) else "",
    }


def measure_length(obj: Any) -> int:
    """``len()`` of plain containers and arrays; -1 for anything else."""
    if isinstance(obj, (str, bytes, list, tuple, dict, set)) or hasattr(obj, "shape"):
        try:
            return len(obj)
        except TypeError:
            pass
    return -1
