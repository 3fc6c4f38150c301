"""Typed questions about the notebook's own project: its modules, its files, and what binds the notebook to its folder."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import questions
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

FILE_NAME = re.compile(r"[\w.+-]+\.(?!py$|ipynb$|com$|org$|net$|edu$|html?$)[A-Za-z]\w{0,6}$")

INSTALLED = frozenset({"site-packages", "dist-packages", "node_modules", "venv", ".venv", "env", "build", "dist"})
"""Folders of what is installed or made, not written by the user."""

STANDARD = re.compile(r"[/\\]python\d\.\d+[/\\]")
"""In the path of each module of Python's own."""

MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "environment.yml")
"""What the root of a project holds."""


def find_missing_path(context: RuleContext) -> str | None:
    """The path that the failure says is not there, as it was given; None where it names none."""
    return context.ask(questions.NAME_MISSING_PATH) or None


def find_own_file(context: RuleContext) -> str:
    """The file that asked for what is not there, seen from the notebook's folder, where it lies there or in the folder above, if that is a project's,
    and is not installed; empty for a cell, and for what is not the user's to mend."""
    frames = [f for f in context.failure.frames if f.function != "__getattr__"]  # the library's, which answers
    if not frames or frames[-1].cell_id or not Path(frames[-1].file).is_absolute():
        return ""
    path, folder = Path(frames[-1].file).resolve(), Path(context.notebook.folder or ".").resolve()
    root = folder.parent if _is_project(folder.parent) else folder
    if root == root.parent or not path.is_relative_to(root) or STANDARD.search(str(path)):
        return ""
    prefixes = (p for p in (sys.prefix, sys.base_prefix) if not folder.is_relative_to(p))
    if INSTALLED.intersection(path.relative_to(root).parts) or any(path.is_relative_to(p) for p in prefixes):
        return ""
    return os.path.relpath(path, folder)


def _is_project(folder: Path) -> bool:
    return folder != Path.home() and any((folder / mark).exists() for mark in MARKS)


def find_folders(context: RuleContext, module: str) -> list[str]:
    """Folders of the project that hold a module, relative to the working directory: those below it, else those around it."""
    folders = context.ask(questions.FIND_FOLDERS, module=module)
    return [f for f in folders if not f.startswith("..")] or folders


@dataclass(frozen=True, slots=True)
class Weight:
    """How much of what the notebook misses a folder has: ``modules``, ``files`` that the notebook names, and how many names
    that it asks of those modules are ``lacking`` there."""

    folder: str
    modules: int
    lacking: int
    files: int

    @property
    def worth(self) -> int:
        return self.modules + min(self.files, 3) - self.lacking


def weigh_folders(context: RuleContext, folders: Iterable[str]) -> list[Weight]:
    """The folders, the one that has most of what the notebook misses first; else in their order."""
    wanted = list(folders)
    modules = {name: sorted(names) for name, names in list_imported_names(context).items()}
    raw = context.ask(questions.WEIGH_FOLDERS, folders=wanted, modules=modules, files=sorted(list_named_files(context)))
    rows = raw or [[0, 0, 0]] * len(wanted)
    return sorted((Weight(f, *row) for f, row in zip(wanted, rows, strict=True)), key=lambda w: -w.worth)


def list_imported_names(context: RuleContext) -> dict[str, set[str]]:
    """Top-level modules that the notebook's cells import → the names that it imports or reads of them."""
    known: dict[str, set[str]] = {}
    bound: dict[str, str] = {}
    trees = _list_trees(context)
    for node in (n for tree in trees for n in ast.walk(tree)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                known.setdefault(alias.name.split(".")[0], set())
                if "." not in alias.name:
                    bound[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {a.name for a in node.names if a.name != "*" and "." not in (node.module or "")}
            known.setdefault(node.module.split(".")[0], set()).update(names)
    for node in (n for tree in trees for n in ast.walk(tree)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            known[bound[node.value.id]].add(node.attr)
    return known


def list_named_files(context: RuleContext) -> set[str]:
    """Files that texts of the notebook name: relative paths as written, of addresses the last part."""
    names = set()
    for text in list_texts(context):
        path = text.rsplit("/", 1)[-1] if "://" in text else text
        if FILE_NAME.search(path) and not path.startswith(("/", "~")) and "\n" not in path:
            names.add(path)
    return names


def is_bound_here(context: RuleContext, folder: str) -> bool:
    """True where something that the notebook names or imports is in the working directory, and not in the folder."""
    paths = sorted({t for t in list_texts(context) if len(t) < 200 and "\n" not in t and "://" not in t})
    matches = context.ask(
        questions.LIST_BOUND_HERE, folder=folder, paths=paths, modules=sorted(list_imported_names(context))
    )
    return matches is None or bool(matches)


def list_texts(context: RuleContext) -> Iterator[str]:
    """The texts that the notebook's code writes out, blank ones left out."""
    for tree in _list_trees(context):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip():
                yield node.value


def _list_trees(context: RuleContext) -> list[ast.Module]:
    """The trees of the notebook's code cells, the failing one's as it ran."""
    sources = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
    if context.notebook.index(context.failure.cell_id) < 0:
        sources.append(context.failure.source)
    return [tree for tree in map(src.parse, sources) if tree is not None]
