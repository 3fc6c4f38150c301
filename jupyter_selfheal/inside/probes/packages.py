"""The half of the rules about libraries' names that runs inside a trial kernel: which module of a package has a name.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. ``argument["question"]`` names a
function of ``QUESTIONS``. It runs in a throw-away fork, so that importing a module to look into it leaves no trace.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import sys
import warnings
from typing import Any

PRIVATE = re.compile(r"(^|\.)(_|tests?(\.|$)|testing(\.|$)|conftest|externals|setup(\.|$)|compat(\.|$)|api(\.|$))")


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Answer one question; the entry that the kernel calls."""
    warnings.simplefilter("ignore")
    return QUESTIONS[argument["question"]](argument)


def find(argument: Any) -> Any:
    """Public modules of a package that hold every one of the names: found by reading the package's files, then importing."""
    names, package = argument["names"], argument["package"]
    root = importlib.import_module(package)
    found = []
    words = [re.compile(r"\b" + re.escape(n) + r"\b") for n in names]
    for module, file in _files_of(package, root):
        try:
            with open(file, encoding="utf-8", errors="replace") as stream:
                text = stream.read()
        except OSError:
            continue
        if not all(w.search(text) for w in words):
            continue
        try:
            loaded = importlib.import_module(module)
        except Exception:
            continue
        listed = getattr(loaded, "__all__", None)
        if all(n in listed if listed is not None else _owns(loaded, n, package) for n in names):
            found.append([module, listed is not None])
    return found[:20]


def _owns(module: Any, name: str, package: str) -> bool:
    value = getattr(module, name, None)
    return value is not None and str(getattr(value, "__module__", "")).split(".")[0] == package


def _files_of(package: str, root: Any) -> Any:
    yield package, getattr(root, "__file__", None) or os.devnull
    count = 0
    for top in getattr(root, "__path__", ()):
        for folder, folders, files in os.walk(top):
            inner = os.path.relpath(folder, top).replace(os.sep, ".")
            inner = "" if inner == "." else inner + "."
            folders[:] = sorted(d for d in folders if not PRIVATE.search(d) and d != "__pycache__")
            for file in sorted(files):
                stem = file[:-3]
                if not file.endswith(".py") or (stem != "__init__" and PRIVATE.search(stem)):
                    continue
                name = package + "." + (inner[:-1] if stem == "__init__" else inner + stem)
                count += 1
                if name.strip(".") != package and count < 3000:
                    yield name.strip("."), os.path.join(folder, file)


def holders(argument: Any) -> Any:
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


QUESTIONS = {f.__name__: f for f in (find, holders)}
