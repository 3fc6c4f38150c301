"""The half of the rules that runs inside a trial kernel: questions to the live state in which a cell failed.

The source of this file is sent as a probe (:class:`~jupyter_selfheal.model.Probe`), so it imports the standard library
only and keeps to syntax that every supported kernel reads. ``argument["question"]`` names a function of ``QUESTIONS``.
Nothing here calls the user's code, beyond what attribute access and subscripts with constants do; it all happens in a
throw-away fork.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import types
from typing import Any

HIDDEN = {"In", "Out", "exit", "quit", "open", "get_ipython"}
LIMIT = 4000
SAFE_NODES = (
    ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load, ast.Tuple, ast.List,
    ast.UnaryOp, ast.USub, ast.Slice,
)  # fmt: skip


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Answer one question; the entry that the kernel calls."""
    return QUESTIONS[argument["question"]](State(shell, last, argument), argument)


class State:
    """The namespace and the innermost frame of the user's code."""

    def __init__(self, shell: Any, last: Any, argument: Any) -> None:
        self.globals = shell.user_ns
        self.hidden = HIDDEN | set(getattr(shell, "user_ns_hidden", ()))
        self.error = getattr(last, "error", None)
        self.tb = _user_tb(self.error, argument.get("place"))
        self.frame = self.tb.tb_frame if self.tb is not None else None
        # below ``%%time`` the frame counts its lines from the one after the magic
        self.shift = int(self.frame is not None and self.frame.f_code.co_filename.startswith("<timed "))

    @property
    def locals(self) -> Any:
        """Local variables of the failing function, empty at the top level of a cell."""
        if self.frame is None or self.frame.f_code.co_name == "<module>":
            return {}
        return {k: v for k, v in self.frame.f_locals.items() if k not in self.globals or v is not self.globals[k]}

    def evaluate(self, text: str) -> Any:
        """The value of a chain of names, attributes and constant subscripts; raises on anything else."""
        tree = ast.parse(text.strip(), mode="eval")
        for node in ast.walk(tree):
            if not isinstance(node, SAFE_NODES):
                raise ValueError("not a plain chain: " + text)
        return eval(compile(tree, "<probe>", "eval"), dict(self.globals), dict(self.locals))


def _user_tb(error: Any, place: Any) -> Any:
    found = []
    tb = getattr(error, "__traceback__", None)
    while tb is not None:
        found.append(tb)
        tb = tb.tb_next
    found.reverse()
    if place:
        file, function, line = place
        for tb in found:
            code = tb.tb_frame.f_code
            if code.co_name == function and tb.tb_lineno == line and code.co_filename == file:
                return tb
        for tb in found:
            if tb.tb_frame.f_code.co_name == function and tb.tb_lineno == line:
                return tb
        for tb in found:
            if file.startswith("<timed ") and tb.tb_frame.f_code.co_filename == file:
                return tb
    for tb in found:
        name = tb.tb_frame.f_code.co_filename
        if "ipykernel_" in name or "ipython-input" in name or name.startswith(("<cell", "<fake cell")):
            return tb
    return None


def _position(tb: Any, shift: int) -> Any:
    """[line, column, end line, end column] of the failing instruction (ast's conventions), or None."""
    if tb is None or tb.tb_lasti < 0 or not hasattr(tb.tb_frame.f_code, "co_positions"):
        return None
    for n, (line, end, col, end_col) in enumerate(tb.tb_frame.f_code.co_positions()):
        if n == tb.tb_lasti // 2:
            return None if None in (line, end, col, end_col) else [line + shift, col, end + shift, end_col]
    return None


def _public(obj: Any) -> list[str]:
    try:
        return [n for n in dir(obj) if isinstance(n, str)][:LIMIT]
    except Exception:
        return []


def _describe(obj: Any) -> dict[str, Any]:
    kind = type(obj)
    found = {
        "type": kind.__name__,
        "module": kind.__module__,
        "mro": [c.__module__ + "." + c.__qualname__ for c in kind.__mro__],
        "callable": callable(obj),
        "dir": _public(obj),
        "is_module": isinstance(obj, types.ModuleType),
        "is_class": isinstance(obj, type),
        "name": getattr(obj, "__name__", "") if isinstance(obj, (type, types.ModuleType, types.FunctionType)) else "",
        "text": obj[:200] if isinstance(obj, str) else "",
    }
    if isinstance(obj, (str, bytes, list, tuple, dict, set)) or hasattr(obj, "shape"):
        try:
            found["length"] = len(obj)
        except TypeError:
            pass
    return found


def survey(state: State, argument: Any) -> Any:
    """The live names with their types, the failing instruction's position, and what the exception itself holds."""
    names = {
        k: [type(v).__name__, callable(v)]
        for k, v in list(state.globals.items())
        if isinstance(k, str) and not k.startswith("_") and (k not in state.hidden or k in argument.get("bound", ()))
    }
    error: dict[str, Any] = {"args": [a if isinstance(a, (str, int, float, bool)) else repr(a)[:200]
                                      for a in getattr(state.error, "args", ())]}  # fmt: skip
    name = getattr(state.error, "name", None)
    error["name"] = name if isinstance(name, str) else ""
    if isinstance(state.error, AttributeError) and getattr(state.error, "obj", None) is not None:
        error["obj"] = _describe(state.error.obj)
    if isinstance(state.error, AttributeError) and "NoneType" in str(state.error):
        error["obj"] = _describe(None)
    return {
        "names": names,
        "locals": {k: [type(v).__name__, callable(v)] for k, v in state.locals.items()},
        "position": _position(state.tb, state.shift),
        "function": state.frame.f_code.co_name if state.frame is not None else "",
        "error": error,
    }


def describe(state: State, argument: Any) -> Any:
    """What an expression (a plain chain) is: its type, its attributes, its length."""
    return _describe(state.evaluate(argument["expression"]))


def _plain(values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, (str, int, float, bool)) or value is None:
            found.append(value)
        elif isinstance(value, tuple) and all(isinstance(v, (str, int, float, bool)) for v in value):
            found.append(list(value))
        elif hasattr(value, "item"):
            try:
                found.append(value.item())
            except (ValueError, TypeError, AttributeError):
                continue
        if len(found) >= LIMIT:
            break
    return [v for v in found if isinstance(v, (str, int, float, bool, list)) or v is None]


def keys(state: State, argument: Any) -> Any:
    """What an expression can be subscripted with: a mapping's keys, a table's columns and index, a sequence's length."""
    obj = state.evaluate(argument["expression"])
    found: dict[str, Any] = {"type": type(obj).__name__, "keys": [], "columns": [], "index": [], "index_names": []}
    if hasattr(obj, "groups") and hasattr(obj, "obj"):
        obj = obj.obj
    if hasattr(obj, "columns") and hasattr(obj, "index"):
        found["columns"] = _plain(obj.columns)
        found["index"] = _plain(list(obj.index[:LIMIT]))
        found["index_names"] = [n for n in obj.index.names if isinstance(n, str)]
    elif hasattr(obj, "index") and hasattr(obj, "iloc"):
        found["index"] = _plain(list(obj.index[:LIMIT]))
    elif hasattr(obj, "keys"):
        found["keys"] = _plain(list(obj.keys())[:LIMIT])
    if hasattr(obj, "__len__"):
        found["length"] = len(obj)
    return found


def signature(state: State, argument: Any) -> Any:
    """Parameters of a callable: [name, kind, has a default]; for a class those of its constructor."""
    obj = state.evaluate(argument["expression"])
    found = inspect.signature(obj)
    return {
        "parameters": [[p.name, p.kind.name, p.default is not p.empty] for p in found.parameters.values()],
        "module": getattr(obj, "__module__", "") or "",
        "is_class": isinstance(obj, type),
    }


def home(state: State, argument: Any) -> Any:
    """The module that a class or function (or, of a bound builtin, its owner) comes from, empty if it does not say."""
    obj = state.evaluate(argument["expression"])
    module = getattr(obj, "__module__", None)
    owner = getattr(obj, "__self__", None)
    if not isinstance(module, str) and owner is not None:
        module = owner.__name__ if isinstance(owner, types.ModuleType) else type(owner).__module__
    return module if isinstance(module, str) and module != "__main__" else ""


def modules(state: State, argument: Any) -> Any:
    """Names of the top-level modules that could be imported here."""
    import pkgutil

    found = set(sys.builtin_module_names) | set(getattr(sys, "stdlib_module_names", ()))
    for entry in pkgutil.iter_modules():
        found.add(entry.name)
    return sorted(n for n in found if not n.startswith("_"))


def exports(state: State, argument: Any) -> Any:
    """``dir()`` of a module, imported here if it can be; also its submodules."""
    import pkgutil

    module = importlib.import_module(argument["module"])
    found = set(_public(module))
    for entry in pkgutil.iter_modules(getattr(module, "__path__", [])):
        found.add(entry.name)
    return sorted(found)


def provides(state: State, argument: Any) -> Any:
    """Which of the modules [[module, name], …] can be imported and hold the name (empty name: the module itself)."""
    found = []
    for module, name in argument["pairs"]:
        try:
            loaded = importlib.import_module(module)
        except Exception:
            continue
        if not name or hasattr(loaded, name):
            found.append([module, name])
    return found


def fits(state: State, argument: Any) -> Any:
    """Which of the candidates [[module, name], …] import here, have all the attributes, and can be called if need be."""
    found = []
    for module, name in argument["pairs"]:
        try:
            thing = importlib.import_module(module)
            if name:
                thing = getattr(thing, name)
        except Exception:
            continue
        if argument.get("called") and not callable(thing):
            continue
        if all(hasattr(thing, a) or _is_submodule(thing, a) for a in argument["attributes"]):
            found.append([module, name])
    return found


def _is_submodule(thing: Any, name: str) -> bool:
    if not isinstance(thing, types.ModuleType) or not hasattr(thing, "__path__"):
        return False
    try:
        return importlib.import_module(thing.__name__ + "." + name) is not None
    except Exception:
        return False


def values(state: State, argument: Any) -> Any:
    """Short texts of expressions: [[type, repr capped at 200, number or None], …]; None where one cannot be evaluated."""
    found: list[Any] = []
    for text in argument["expressions"]:
        try:
            value = state.evaluate(text)
            number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
            found.append([type(value).__name__, repr(value)[:200], number])
        except Exception:
            found.append(None)
    return found


QUESTIONS = {
    f.__name__: f
    for f in (
        survey,
        describe,
        keys,
        signature,
        home,
        modules,
        exports,
        provides,
        fits,
        values,
    )
}
