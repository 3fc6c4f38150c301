"""The half of the rules about values that runs inside a trial kernel: texts, databases, and what a library takes.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. ``argument["question"]`` names a
function of ``QUESTIONS``. It runs in a throw-away fork, so that evaluating an argument of the failing call leaves no trace.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from datetime import datetime
from typing import Any


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Answer one question; the entry that the kernel calls."""
    return QUESTIONS[argument["question"]](_space(shell, last, argument.get("place")), argument)


def _space(shell: Any, last: Any, place: Any) -> dict[str, Any]:
    """The namespace, and over it the locals of the failing frame of the user's code."""
    found = dict(shell.user_ns)
    tb = getattr(getattr(last, "error", None), "__traceback__", None)
    function, line = (place or ["", 0])[-2:]
    while tb is not None:
        if tb.tb_lineno == line and tb.tb_frame.f_code.co_name == function and function != "<module>":
            found.update(tb.tb_frame.f_locals)
        tb = tb.tb_next
    return found


def _texts(value: Any) -> list[str]:
    """The texts that a value is or holds (a list, a column), at most 5,000."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [v for v in list(value)[:5000] if isinstance(v, str)]
    return []


def literal(space: dict[str, Any], argument: Any) -> Any:
    """The type's name of the Python literal that each text of an expression writes; empty where one of them is none."""
    found = {type(ast.literal_eval(text.strip())).__name__ for text in _texts(eval(argument["expression"], space))}
    return found.pop() if len(found) == 1 else ""


def formats(space: dict[str, Any], argument: Any) -> Any:
    """Which of the formats of dates fit every text of an expression."""
    texts = _texts(eval(argument["expression"], space))
    return [f for f in argument["formats"] if texts and all(_fits(text, f) for text in texts)]


def _fits(text: str, wanted: str) -> bool:
    try:
        datetime.strptime(text.strip(), wanted)
    except ValueError:
        return False
    return True


def tables(space: dict[str, Any], argument: Any) -> Any:
    """The tables of every open SQLite connection → their columns."""
    import sqlite3

    found: dict[str, list[str]] = {}
    for value in list(space.values()):
        con = value.connection if isinstance(value, sqlite3.Cursor) else value
        if not isinstance(con, sqlite3.Connection):
            continue
        for (name,) in con.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
            quoted = '"' + name.replace('"', '""') + '"'
            found[name] = [row[1] for row in con.execute(f"PRAGMA table_info({quoted})").fetchall()]
    return found


def properties(space: dict[str, Any], argument: Any) -> Any:
    """What a class of Matplotlib takes by ``set``: its properties, and the parameters of its constructor."""
    import inspect

    for name, module in list(sys.modules.items()):
        found = getattr(module, argument["name"], None) if name.startswith("matplotlib.") else None
        if isinstance(found, type):
            own = set(inspect.signature(found).parameters) - {"self", "args", "kwargs"}
            return sorted({m[4:] for m in dir(found) if m.startswith("set_") and callable(getattr(found, m))} | own)
    return []


def holders(space: dict[str, Any], argument: Any) -> Any:
    """The public modules, one for each package, that define a class or function of a name: [[package, module], …].

    Looked for in the packages that are loaded, and their modules; what is defined in a private module counts for the
    shortest public path that shows it.
    """
    found = []
    for package in argument["packages"]:
        paths: dict[int, list[str]] = {}
        for name, module in sorted(sys.modules.items()):
            if name.split(".")[0] != package or any(part.startswith("_") for part in name.split(".")):
                continue
            value = vars(module).get(argument["name"]) if module is not None else None
            if callable(value) and str(getattr(value, "__module__", "")).split(".")[0] == package:
                paths.setdefault(id(value), []).append(name)
                if value.__module__ == name:
                    paths[id(value)].insert(0, name)
        if len(paths) == 1:
            found.append([package, paths.popitem()[1][0]])
        elif not paths:
            found += _unloaded(package, argument["name"])
    return found


def _unloaded(package: str, name: str) -> list[list[str]]:
    """The one direct submodule of a package, not loaded yet, that lists the name in ``__all__``."""
    top = sys.modules.get(package)
    found = []
    for entry in pkgutil.iter_modules(getattr(top, "__path__", [])):
        path = f"{package}.{entry.name}"
        if entry.name.startswith("_") or path in sys.modules or entry.name in ("tests", "testing", "conftest"):
            continue
        spec = entry.module_finder.find_spec(path, None)
        try:
            with open(getattr(spec, "origin", None) or "", encoding="utf-8") as stream:
                if f'"{name}"' not in stream.read():
                    continue
            if name in getattr(importlib.import_module(path), "__all__", ()):
                found.append([package, path])
        except Exception:
            continue
    return found if len(found) == 1 else []


QUESTIONS = {f.__name__: f for f in (literal, formats, tables, properties, holders)}
