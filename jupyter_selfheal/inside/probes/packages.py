"""Questions of rules about libraries' names: which module of a package has one.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only. It runs in a throw-away fork,
so that importing a module to look into it leaves no trace.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import sys
from typing import Any

from jupyter_selfheal.inside.probes.failure_state import FailureState, answer, question

probe = answer

PRIVATE = re.compile(r"(^|\.)(_|tests?(\.|$)|testing(\.|$)|conftest|externals|setup(\.|$)|compat(\.|$)|api(\.|$))")


@question
def find_modules(state: FailureState, package: str, names: list[str]) -> Any:
    """Public modules of a package that hold every one of the names: [[module, does ``__all__`` list them?], …].

    Its files are read first, and only those imported that hold the words.
    """
    root = importlib.import_module(package)
    modules = []
    words = [re.compile(r"\b" + re.escape(n) + r"\b") for n in names]
    for module, file in _list_files(package, root):
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
        if all(n in listed if listed is not None else _owns_name(loaded, n, package) for n in names):
            modules.append([module, listed is not None])
    return modules[:20]


def _owns_name(module: Any, name: str, package: str) -> bool:
    value = getattr(module, name, None)
    return value is not None and str(getattr(value, "__module__", "")).split(".")[0] == package


def _list_files(package: str, root: Any) -> Any:
    """(module, file) of the package's public modules, itself first."""
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


@question
def find_definitions(state: FailureState, name: str, packages: list[str]) -> Any:
    """The public modules, one for each package, that define a class or function of a name: [[package, module], …].

    Looked for in the packages that are loaded, and their modules; what is defined in a private module counts for the
    shortest public path that shows it.
    """
    definitions = []
    for package in packages:
        paths = _list_paths(package, name)
        if len(paths) == 1:
            definitions.append([package, paths[0]])
        elif not paths:
            definitions += _find_unloaded(package, name)
    return definitions


def _list_paths(package: str, name: str) -> list[str]:
    """For each class or function of the name that loaded public modules of a package show, the module to import it from."""
    paths: dict[int, list[str]] = {}
    for path, module in sorted(sys.modules.items()):
        parts = path.split(".")
        if parts[0] != package or module is None or any(part.startswith("_") for part in parts):
            continue
        value = vars(module).get(name)
        if callable(value) and str(getattr(value, "__module__", "")).split(".")[0] == package:
            paths.setdefault(id(value), []).append(path)
            if value.__module__ == path:
                paths[id(value)].insert(0, path)
    return [shown[0] for shown in paths.values()]


def _find_unloaded(package: str, name: str) -> list[list[str]]:
    """The one direct submodule of a package, not loaded yet, that lists the name in ``__all__``."""
    top = sys.modules.get(package)
    definitions = []
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
                definitions.append([package, path])
        except Exception:
            continue
    return definitions if len(definitions) == 1 else []
