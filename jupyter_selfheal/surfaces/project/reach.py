"""Which tests may run what a fix changes: told from what they name, from their traceback and from the file's own text."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.source.callers import map_definitions
from jupyter_selfheal.surfaces.project.files import FileFix
from jupyter_selfheal.surfaces.project.modules import Finder, Module

_BY_OTHER_WAYS = re.compile(r"\b(globals|locals|vars|eval|exec|getattr|__subclasses__|__init_subclass__|importlib)\b")
"""Ways to what a file defines that do not name it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the project (``text``) and the functions and classes of it that a fix changes; None where it may be anything."""

    text: str
    names: frozenset[str] | None = None

    def touches_line(self, line: int) -> bool:
        """Whether the fix changes the function or class on a line of the file as it was."""
        if self.names is None:
            return True
        at = src.find_statement(self.text, line)
        node = src.list_statements(self.text)[at].node if at >= 0 else None
        return getattr(node, "name", "") in self.names

    def is_reached_from(self, names: Collection[str]) -> bool:
        """Whether what is changed may run where these names of the file are used, or when it is imported."""
        reached = _find_reached(self.text, names) if self.names is not None else None
        return reached is None or self.names is None or bool(reached & self.names)


def _find_reached(text: str, names: Collection[str]) -> frozenset[str] | None:
    """The functions and classes of a file that may run where these names of it are used, or when it is imported; None where that
    cannot be told."""
    if _BY_OTHER_WAYS.search(text):
        return None
    definitions = map_definitions(text)
    outside = [s.node for s in src.list_statements(text) if getattr(s.node, "name", "") not in definitions]
    at_import = src.collect_names(outside)
    pending = [*names, *at_import.uses]
    if (at_import.binds - at_import.imports) & set(names):  # a value of the file, made of who knows what
        pending += definitions
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name in definitions and name not in reached:
            reached.add(name)
            pending += src.collect_names([definitions[name]]).uses
    return frozenset(reached)


def describe_changes(fixes: Collection[FileFix]) -> dict[Path, Change]:
    """What each fix changes, by its file."""
    return {f.file.path: Change(f.file.text, _find_changed_definitions(f.file.text, f.text)) for f in fixes}


def may_run(test: Mapping[str, Any], changes: Mapping[Path, Change], finder: Finder) -> bool:
    """Whether a test may run what is changed; True where that cannot be told."""
    for path, line, _ in test.get("frames", ()):
        if Path(path) in changes and changes[Path(path)].touches_line(line):
            return True
    if _is_opaque(test):
        return True
    for starts, named, there in _list_modules(test, finder):
        if there is None:
            return True
        change = changes.get(there.file.path)
        if change is not None and (there.name not in named or change.is_reached_from(starts)):
            return True
    return False


def list_reached(test: Mapping[str, Any], finder: Finder) -> frozenset[tuple[Path, str]] | None:
    """The functions and classes of the project's files that a test may run; None where that cannot be told."""
    if _is_opaque(test):
        return None
    found: set[tuple[Path, str]] = set()
    for starts, named, there in _list_modules(test, finder):
        text = there.file.text if there is not None else ""
        reached = (
            _find_reached(text, starts)
            if there is not None and there.name in named
            else frozenset(map_definitions(text))
        )
        if there is None or reached is None:
            return None
        found |= {(there.file.path, name) for name in reached}
    return frozenset(found)


def _is_opaque(test: Mapping[str, Any]) -> bool:
    """Whether what a test uses is not told by the names in it."""
    uses = test.get("uses")
    return uses is None or test["in_class"] or bool(test["own_fixtures"]) or bool(set(uses) & set(test["own_names"]))


def _list_modules(
    test: Mapping[str, Any], finder: Finder
) -> Iterator[tuple[Collection[str], Collection[str], Module | None]]:
    """For each of the project's names that a test uses, and each module it leads to: the names that are used, the modules that are named
    by the test, the module (None where there are too many)."""
    uses, names = test["uses"], test.get("names", {})
    for name in uses:
        module, qualified, file = names.get(name, (name, "", ""))
        path = finder.find(module)
        if path is None and not file.startswith(str(finder.project)):
            continue  # no file of the project, or no module at all
        named = {module, *_list_submodules(module, uses, finder)} if not qualified else {module}
        starts = uses if not qualified else {qualified.partition(".")[0]}
        modules = finder.collect_modules([f"import {name}" for name in sorted(named)], ())
        yield from ((starts, named, there) for there in modules or (None,))


def _list_submodules(module: str, uses: Collection[str], finder: Finder) -> Iterator[str]:
    """The modules of a package that a test names by attributes: ``package.part.f()``."""
    for name in uses:
        if finder.find(f"{module}.{name}") is not None:
            yield f"{module}.{name}"
            yield from _list_submodules(f"{module}.{name}", uses, finder)


def _find_changed_definitions(before: str, after: str) -> frozenset[str] | None:
    """The functions and classes that differ; None where anything else does, or where one is wrapped by a decorator."""
    then, now = map_definitions(before), map_definitions(after)
    kinds = [[s.node for s in src.list_statements(text)] for text in (before, after)]
    if list(then) != list(now) or any(len([n for n in k if _is_named(n, then)]) != len(then) for k in kinds):
        return None
    rest = [[src.dump_tree(n) for n in nodes if not _is_named(n, then)] for nodes in kinds]
    changed = frozenset(n for n in then if src.dump_tree(then[n]) != src.dump_tree(now[n]))
    if rest[0] != rest[1] or any(getattr(then[n], "decorator_list", ()) for n in changed):
        return None
    return changed


def _is_named(node: ast.stmt, definitions: Mapping[str, ast.stmt]) -> bool:
    return getattr(node, "name", "") in definitions
