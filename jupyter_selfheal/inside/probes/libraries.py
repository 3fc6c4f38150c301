"""Questions of rules about libraries: what can be imported here, what it holds, and how it can be written.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. It runs in a throw-away fork,
so that importing a module to look into it leaves no trace.
"""

from __future__ import annotations

import builtins
import importlib
import os
import pkgutil
import sys
import sysconfig
import types
from typing import Any

from jupyter_selfheal.inside.probes.failure_state import (
    LIMIT,
    FailureState,
    answer,
    build_dotted_path,
    list_attributes,
    question,
)

probe = answer

INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders of what pip, conda or the system installed."""


@question
def resolve(state: FailureState, paths: list[str]) -> Any:
    """Which dotted paths lead to something in this environment (importing what must be imported)."""
    return [_resolves(path) for path in paths]


def _resolves(path: str) -> bool:
    try:
        _follow_path(path)
    except Exception:
        return False
    return True


def _follow_path(path: str) -> Any:
    """What a dotted path leads to, through the longest module that can be imported, or among the builtins."""
    parts = path.split(".")
    for at in range(len(parts), 0, -1):
        try:
            obj: Any = importlib.import_module(".".join(parts[:at]))
        except ImportError:
            continue
        break
    else:
        obj, at = builtins, 0
    for name in parts[at:]:
        obj = getattr(obj, name)
    return obj


def _can_import(path: str) -> bool:
    try:
        importlib.import_module(path)
    except Exception:
        return False
    return True


@question
def check_imports(state: FailureState, pairs: list[list[str]]) -> Any:
    """For each [module, name] (empty name: the module itself) whether the import works."""
    works = []
    for module, name in pairs:
        try:
            loaded = importlib.import_module(module)
            works.append(not name or name == "*" or hasattr(loaded, name) or _is_submodule(loaded, name))
        except Exception:
            works.append(False)
    return works


@question
def select_fitting(state: FailureState, pairs: list[list[str]], attributes: list[str], called: bool) -> Any:
    """Which of the candidates [[module, name], …] import here, have all the attributes, and can be called if need be."""
    return [[module, name] for module, name in pairs if _fits_module(module, name, attributes, called)]


def _fits_module(module: str, name: str, attributes: list[str], called: bool) -> bool:
    try:
        obj: Any = importlib.import_module(module)
        obj = getattr(obj, name) if name else obj
    except Exception:
        return False
    if called and not callable(obj):
        return False
    return all(hasattr(obj, a) or _is_submodule(obj, a) for a in attributes)


def _is_submodule(obj: Any, name: str) -> bool:
    is_package = isinstance(obj, types.ModuleType) and hasattr(obj, "__path__")
    return is_package and _can_import(obj.__name__ + "." + name)


@question
def reference(state: FailureState, path: str) -> Any:
    """How a dotted path can be written in the failing frame.

    ``written``: through an alias that is bound there already, or the name itself where it is; else ``module`` and ``rest`` of an import to add, with
    ``taken`` true where the first name of ``rest`` means something else there. None where the path leads nowhere.
    """
    namespace = state.namespace
    written = _write_by_alias(namespace, path.split("."))
    if not _resolves(path):
        return None
    parts = path.split(".")
    prefixes = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    module = next((prefix for prefix in prefixes if _can_import(prefix)), "")
    rest = path[len(module) + 1 :]
    first = rest.split(".")[0]
    is_same = build_dotted_path(namespace.get(first)) == module + "." + first or _is_in(
        namespace.get(first), module, first
    )
    if not written and is_same and first in namespace and module not in ("builtins", ""):
        written = rest  # `from module import name` stands above
    return {
        "written": written,
        "module": module,
        "rest": rest,
        "taken": first in namespace and not is_same,
        "builtin": module in ("builtins", ""),
    }


def _write_by_alias(namespace: dict[str, Any], parts: list[str]) -> str:
    """The path through the shortest name of the frame for the longest loaded module of it; empty where there is none."""
    for at in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:at]))
        names = [k for k, v in namespace.items() if isinstance(k, str) and v is module and not k.startswith("_")]
        if module is None or not names:
            continue
        obj: Any = module
        for name in parts[at:]:
            obj = getattr(obj, name, None)
        if obj is not None:
            return ".".join([min(names, key=lambda n: (len(n), n)), *parts[at:]])
    return ""


def _is_in(value: Any, module: str, name: str) -> bool:
    owner: Any = sys.modules.get(module)
    return hasattr(owner, name) and value is getattr(owner, name)


@question
def list_members(state: FailureState, path: str) -> Any:
    """``dir()`` of what a dotted path leads to, and a module's submodules; None where it leads nowhere."""
    try:
        obj = _follow_path(path)
    except Exception:
        return None
    submodules = [entry.name for entry in pkgutil.iter_modules(getattr(obj, "__path__", []))]
    return sorted({*list_attributes(obj), *submodules})[:LIMIT]


@question
def list_modules(state: FailureState) -> Any:
    """Names of the top-level modules that could be imported here."""
    names = set(sys.builtin_module_names) | set(getattr(sys, "stdlib_module_names", ()))
    names |= {entry.name for entry in pkgutil.iter_modules()}
    return sorted(n for n in names if not n.startswith("_"))


@question
def is_of_library(state: FailureState, path: str) -> Any:
    """True where a dotted path leads to what an installed package or Python's library defines, and not a file of the user's, nor a wrapper of his."""
    parts = path.split(".")
    prefixes = [".".join(parts[:at]) for at in range(len(parts), 0, -1)]
    module = next((sys.modules[name] for name in prefixes if name in sys.modules), None)
    if module is None or module.__name__ in ("__main__", "builtins") or not _resolves(path):
        return False
    file = getattr(module, "__file__", None)
    if not file:
        return module.__name__ in sys.builtin_module_names
    folders = os.path.abspath(file).split(os.sep)
    standard = os.path.join(sysconfig.get_path("stdlib"), "")
    return not INSTALLED.isdisjoint(folders) or os.path.abspath(file).startswith(standard)


@question
def name_definition(state: FailureState, path: str) -> Any:
    """The path under which what a dotted path leads to was defined; None where it leads nowhere."""
    return build_dotted_path(_follow_path(path))
