"""The half of the library rules that runs inside a trial kernel: what the failing expression, its callee and its
library are *live*.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. ``argument["question"]``
names a function of ``QUESTIONS``. It runs in a throw-away fork, so that importing a submodule to look into it, or
evaluating the receiver of the failing call, leaves no trace.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import types
import warnings
from typing import Any

PLAIN = (
    ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load, ast.Tuple, ast.List, ast.Dict,
    ast.UnaryOp, ast.USub, ast.Slice, ast.Compare, ast.BinOp, ast.operator, ast.cmpop,
)  # fmt: skip


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Answer one question; the entry that the kernel calls."""
    warnings.simplefilter("ignore")
    return QUESTIONS[argument["question"]](State(shell, last, argument), argument)


class State:
    """The namespace and the innermost frame of the user's code."""

    def __init__(self, shell: Any, last: Any, argument: Any) -> None:
        self.error = getattr(last, "error", None)
        self.tb = _user_tb(self.error, argument.get("place"))
        self.space = dict(shell.user_ns)
        if self.tb is not None:
            self.space.update(self.tb.tb_frame.f_globals)
            self.space.update(self.tb.tb_frame.f_locals)

    def evaluate(self, text: str, calls: bool) -> Any:
        """The value of an expression in the failing frame; without ``calls`` only where it calls nothing."""
        tree = ast.parse("(" + text.strip() + "\n)", mode="eval")
        if not calls and not all(isinstance(node, PLAIN) for node in ast.walk(tree)):
            raise ValueError("not a plain expression: " + text)
        return eval(compile(tree, "<probe>", "eval"), self.space)


def _user_tb(error: Any, place: Any) -> Any:
    found = []
    tb = getattr(error, "__traceback__", None)
    while tb is not None:
        found.append(tb)
        tb = tb.tb_next
    found.reverse()
    file, function, line = place or ("", "", 0)
    for tb in found:
        code = tb.tb_frame.f_code
        if tb.tb_lineno == line and code.co_filename == file:
            return tb
    for tb in found:
        if tb.tb_lineno == line and tb.tb_frame.f_code.co_name == function:
            return tb
    for tb in found:
        if file.startswith("<timed ") and tb.tb_frame.f_code.co_filename == file:
            return tb
    return next(
        (tb for tb in found if re.search(r"ipykernel_|ipython-input|<cell", tb.tb_frame.f_code.co_filename)), None
    )


def _path(obj: Any) -> str:
    """Where a class, a function or a module is from: ``pandas.core.frame.DataFrame``."""
    if isinstance(obj, types.ModuleType):
        return obj.__name__
    owner = getattr(obj, "__module__", None) or type(getattr(obj, "__self__", None)).__module__
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", "")
    return str(owner) + "." + str(name)


def _about(obj: Any) -> dict[str, Any]:
    kind = type(obj)
    found: dict[str, Any] = {
        "mro": [_path(c) for c in kind.__mro__],
        "is_module": isinstance(obj, types.ModuleType),
        "is_class": isinstance(obj, type),
        "callable": callable(obj),
        "path": _path(obj) if callable(obj) or isinstance(obj, types.ModuleType) else "",
        "ndim": obj.ndim if isinstance(getattr(obj, "ndim", None), int) else -1,
        "size": obj.size if isinstance(getattr(obj, "size", None), int) else -1,
        "text": obj if isinstance(obj, str) and len(obj) < 200 else "",
    }
    if isinstance(obj, type):
        found["bases"] = [_path(c) for c in obj.__mro__]
    dtype = getattr(obj, "dtype", None)
    found["dtype"] = str(dtype) if dtype is not None and not callable(dtype) else ""
    return found


def site(state: State, argument: Any) -> Any:
    """The failing instruction's position and what the exception itself holds."""
    position = None
    tb = state.tb
    if tb is not None and tb.tb_lasti >= 0 and hasattr(tb.tb_frame.f_code, "co_positions"):
        for n, (line, end, col, end_col) in enumerate(tb.tb_frame.f_code.co_positions()):
            if n == tb.tb_lasti // 2:
                # below ``%%time`` the frame counts its lines from the one after the magic
                shift = int(tb.tb_frame.f_code.co_filename.startswith("<timed "))
                position = None if None in (line, end, col, end_col) else [line + shift, col, end + shift, end_col]
                break
    obj = getattr(state.error, "obj", None) if isinstance(state.error, AttributeError) else None
    name = getattr(state.error, "name", None)
    found = None if obj is None else _about(obj)
    return {"position": position, "name": name if isinstance(name, str) else "", "obj": found}


def types_of(state: State, argument: Any) -> Any:
    """What each expression is; None where it cannot be evaluated."""
    found: list[Any] = []
    for text in argument["expressions"]:
        try:
            found.append(_about(state.evaluate(text, bool(argument.get("calls")))))
        except Exception:
            found.append(None)
    return found


def resolve(state: State, argument: Any) -> Any:
    """Which dotted paths lead to something in this environment (importing what must be imported)."""
    return [_resolves(path) for path in argument["paths"]]


def _resolves(path: str) -> bool:
    try:
        _walk(path)
    except Exception:
        return False
    return True


def _walk(path: str) -> Any:
    parts = path.split(".")
    obj: Any = None
    for at in range(len(parts), 0, -1):
        try:
            obj = importlib.import_module(".".join(parts[:at]))
        except ImportError:
            continue
        for name in parts[at:]:
            obj = getattr(obj, name)
        return obj
    import builtins

    obj = builtins
    for name in parts:
        obj = getattr(obj, name)
    return obj


def imports(state: State, argument: Any) -> Any:
    """For each [module, name] (empty name: the module itself) whether the import works."""
    found = []
    for module, name in argument["pairs"]:
        try:
            loaded = importlib.import_module(module)
            found.append(not name or name == "*" or hasattr(loaded, name) or _submodule(module, name))
        except Exception:
            found.append(False)
    return found


def _submodule(module: str, name: str) -> bool:
    try:
        importlib.import_module(module + "." + name)
    except ImportError:
        return False
    return True


def reference(state: State, argument: Any) -> Any:
    """How a dotted path can be written in the failing frame.

    ``written``: through an alias that is bound there already; else ``module`` and ``rest`` of an import to add, with
    ``taken`` true where the first name of ``rest`` means something else there. None where the path leads nowhere.
    """
    path = argument["path"]
    written = ""
    parts = path.split(".")
    for at in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:at]))
        names = [k for k, v in state.space.items() if isinstance(k, str) and v is module and not k.startswith("_")]
        if module is None or not names:
            continue
        obj: Any = module
        for name in parts[at:]:
            obj = getattr(obj, name, None)
        if obj is not None:
            written = min(names, key=lambda n: (len(n), n)) + "." + ".".join(parts[at:])
            break
    if not _resolves(path):
        return None
    owner = next((".".join(parts[:n]) for n in range(len(parts), 0, -1) if _importable(".".join(parts[:n]))), "")
    rest = path[len(owner) + 1 :]
    first = rest.split(".")[0]
    value = state.space.get(first)
    taken = first in state.space and _path(value) != owner + "." + first and not _same(value, owner, first)
    return {
        "written": written,
        "module": owner,
        "rest": rest,
        "taken": taken,
        "builtin": owner == "builtins" or not owner,
    }


def _same(value: Any, owner: str, name: str) -> bool:
    module: Any = sys.modules.get(owner)
    return hasattr(module, name) and value is getattr(module, name)


def _importable(path: str) -> bool:
    try:
        importlib.import_module(path)
    except Exception:
        return False
    return True


def signature(state: State, argument: Any) -> Any:
    """Parameters [name, kind, default's repr or ""] of the callee and of what it hands its keywords to (``__init__``)."""
    if argument.get("path"):
        obj = _walk(argument["path"])
    else:
        obj = state.evaluate(argument["expression"], bool(argument.get("calls")))
    found = inspect.signature(obj)
    rows = [
        [p.name, p.kind.name, "" if p.default is p.empty else repr(p.default)[:60]] for p in found.parameters.values()
    ]
    return {
        "parameters": rows,
        "path": _path(obj),
        "is_class": isinstance(obj, type),
        "doc": (obj.__doc__ or "")[:20000],
    }


def number(state: State, argument: Any) -> Any:
    """The number that an expression is; None where it is none."""
    value = state.evaluate(argument["expression"], True)
    if isinstance(value, (bool, str)) or (hasattr(value, "ndim") and value.ndim):
        return None
    return value if isinstance(value, (int, float)) else float(value)


def members(state: State, argument: Any) -> Any:
    """``dir()`` of what a dotted path leads to."""
    return sorted(n for n in dir(_walk(argument["path"])) if isinstance(n, str))[:3000]


def columns(state: State, argument: Any) -> Any:
    """What a table's columns and index are: names, dtypes, kind of index; None where the value is no table or series."""
    obj = state.evaluate(argument["expression"], bool(argument.get("calls")))
    index = getattr(obj, "index", None)
    if index is None or not hasattr(obj, "iloc"):
        return None
    found: dict[str, Any] = {
        "index": next(_path(c) for c in type(index).__mro__),
        "length": len(obj),
        "index_dtype": str(getattr(index, "dtype", "")),
        "columns": [],
        "dtypes": [],
    }
    if hasattr(obj, "columns"):
        found["columns"] = [c if isinstance(c, (str, int)) else repr(c) for c in list(obj.columns)[:500]]
        found["dtypes"] = [str(d) for d in list(obj.dtypes)[:500]]
    return found


QUESTIONS = {f.__name__: f for f in (site, types_of, resolve, imports, reference, signature, members, number, columns)}
