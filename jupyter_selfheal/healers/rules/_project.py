"""Typed questions about the notebook's own project: its modules, its files, and what binds the notebook to its folder."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON

FILE_NAME = re.compile(r"[\w.+-]+\.(?!py$|ipynb$|com$|org$|net$|edu$|html?$)[A-Za-z]\w{0,6}$")


def ask(scene: Scene, question: str, **argument: JSON) -> JSON:
    """The answer to one question of :data:`jupyter_selfheal.inside.probes.project_files.QUESTIONS`, or None where it cannot be answered."""
    return scene.facts.ask(probe_source("probes.project_files"), {"question": question, **argument})


def missing_path(scene: Scene) -> str:
    """The path that the failure says is not there, as it was given; empty where it names none."""
    found = ask(scene, "missing_path")
    return found if isinstance(found, str) else ""


def folders_of(scene: Scene, module: str) -> list[str]:
    """Folders of the project that hold a module, relative to the working directory: those below it, else those around it."""
    found = ask(scene, "find_module", name=module)
    folders = [f for f in found if isinstance(f, str)] if isinstance(found, list) else []
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


def weighed(scene: Scene, folders: Iterable[str]) -> list[Weight]:
    """The folders, the one that has most of what the notebook misses first; else in their order."""
    wanted = list(folders)
    modules = {name: sorted(names) for name, names in asked_of_modules(scene).items()}
    raw = ask(scene, "weigh", folders=wanted, modules=modules, files=sorted(named_files(scene)))
    rows = raw if isinstance(raw, list) else [[0, 0, 0]] * len(wanted)
    return sorted((Weight(f, *row) for f, row in zip(wanted, rows, strict=True)), key=lambda w: -w.worth)


def asked_of_modules(scene: Scene) -> dict[str, set[str]]:
    """Top-level modules that the notebook's cells import → the names that it imports or reads of them."""
    found: dict[str, set[str]] = {}
    bound: dict[str, str] = {}
    trees = _trees(scene)
    for node in (n for tree in trees for n in ast.walk(tree)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.setdefault(alias.name.split(".")[0], set())
                if "." not in alias.name:
                    bound[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {a.name for a in node.names if a.name != "*" and "." not in (node.module or "")}
            found.setdefault(node.module.split(".")[0], set()).update(names)
    for node in (n for tree in trees for n in ast.walk(tree)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            found[bound[node.value.id]].add(node.attr)
    return found


def named_files(scene: Scene) -> set[str]:
    """Files that texts of the notebook name: relative paths as written, of addresses the last part."""
    found = set()
    for text in _texts(scene):
        path = text.rsplit("/", 1)[-1] if "://" in text else text
        if FILE_NAME.search(path) and not path.startswith(("/", "~")) and "\n" not in path:
            found.add(path)
    return found


def stays_here(scene: Scene, folder: str) -> bool:
    """True where something that the notebook names or imports is in the working directory, and not in the folder."""
    paths = sorted({t for t in _texts(scene) if len(t) < 200 and "\n" not in t and "://" not in t})
    found = ask(scene, "bound_to_here", folder=folder, paths=paths, modules=sorted(asked_of_modules(scene)))
    return bool(found) if isinstance(found, list) else True


def _texts(scene: Scene) -> Iterator[str]:
    for tree in _trees(scene):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip():
                yield node.value


def _trees(scene: Scene) -> list[ast.Module]:
    """The trees of the notebook's code cells, the failing one's as it ran."""
    sources = [scene.source_of(c.id) for c in scene.notebook.cells if c.kind == "code"]
    if scene.notebook.index(scene.failure.cell_id) < 0:
        sources.append(scene.source)
    return [tree for tree in map(src.parse, sources) if tree is not None]
