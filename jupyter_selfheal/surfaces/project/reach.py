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
from jupyter_selfheal.surfaces.project.modules import Finder

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
        if self.names is None or _BY_OTHER_WAYS.search(self.text):
            return True
        definitions = map_definitions(self.text)
        outside = [s.node for s in src.list_statements(self.text) if getattr(s.node, "name", "") not in definitions]
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
        return bool(reached & self.names)


def describe_changes(fixes: Collection[FileFix]) -> dict[Path, Change]:
    """What each fix changes, by its file."""
    return {f.file.path: Change(f.file.text, _find_changed_definitions(f.file.text, f.text)) for f in fixes}


def may_run(test: Mapping[str, Any], changes: Mapping[Path, Change], finder: Finder) -> bool:
    """Whether a test may run what is changed; True where that cannot be told."""
    for path, line, _ in test.get("frames", ()):
        if Path(path) in changes and changes[Path(path)].touches_line(line):
            return True
    uses, names = test.get("uses"), test.get("names", {})
    if uses is None or test["in_class"] or test["own_fixtures"] or set(uses) & set(test["own_names"]):
        return True
    for name in uses:
        module, qualified, file = names.get(name, (name, "", ""))
        path = finder.find(module)
        if path is None and not file.startswith(str(finder.project)):
            continue  # no file of the project, or no module at all
        named = {module, *_list_submodules(module, uses, finder)} if not qualified else {module}
        reached = finder.collect_modules([f"import {name}" for name in sorted(named)], ())
        if not reached:
            return True
        for there in reached:
            change = changes.get(there.file.path)
            if change is None:
                continue
            starts = uses if not qualified else {qualified.partition(".")[0]}
            if there.name not in named or change.is_reached_from(starts):
                return True
    return False


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
    rest = [[ast.dump(n) for n in nodes if not _is_named(n, then)] for nodes in kinds]
    changed = frozenset(n for n in then if ast.dump(then[n]) != ast.dump(now[n]))
    if rest[0] != rest[1] or any(getattr(then[n], "decorator_list", ()) for n in changed):
        return None
    return changed


def _is_named(node: ast.stmt, definitions: Mapping[str, ast.stmt]) -> bool:
    return getattr(node, "name", "") in definitions
