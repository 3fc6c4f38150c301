"""IMP105: a module of the notebook's own project that is not on the path."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._live import ask
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"No module named '?([\w.]+)'?")


class ModuleElsewhere(Rule):
    """Put the project's folder that holds the module on `sys.path`.

    **Failure** `ModuleNotFoundError` for a module that is a file or package in the notebook's own tree, but not in a folder
    that Python looks into.

    **Fix** `sys.path.append("../src")` (relative to the working directory) above the import, or above the import of a module of the
    project that imports it in turn.

    **Fix safety** Safe where one such file exists below the working directory, or else one in the folders above it within the
    same repository, or where one of several also holds most of what else the notebook misses; appended last, it hides nothing.
    Unsafe where several do.
    """

    code = "IMP105"
    name = "module elsewhere in the project"
    enames = frozenset({"ModuleNotFoundError"})
    applicability = Applicability.SAFE
    why = "The project itself has this module; a folder that is appended to the path hides nothing."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        found = MISSING.search(scene.failure.evalue)
        if not found:
            return
        module = found[1].split(".")[0]
        folders = _folders(scene, module)
        at = _insertion(scene, module)
        if at is None:
            return
        start, indent = at
        for rank, (folder, sure) in enumerate(folders[:3]):
            lines = f'{indent}import sys\n{indent}sys.path.append("{folder}")\n'
            yield self.patch(
                self.replace(scene, scene.failure.cell_id, [(start, start, lines)]),
                f"Put `{folder}` on the path",
                f"`{module}` is in `{folder}`, where Python does not look.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "Several folders hold a module of that name.",
                prior=0.9 if sure else 0.6 - rank / 20,
            )


def _folders(scene: Scene, module: str) -> list[tuple[str, bool]]:
    """Folders that hold the module, best first → whether it is the one to take.

    Those below the working directory come first; among several, the one that also holds most of what else the notebook
    imports and nobody has installed.
    """
    folders: list[str] = ask(scene, "find_module", name=module) or []
    folders = [f for f in folders if not f.startswith("..")] or folders
    if len(folders) < 2:
        return [(f, True) for f in folders]
    installed = set(ask(scene, "modules") or ())
    others = sorted(_imported(scene) - installed - {module})[:6]
    hits = dict.fromkeys(folders, 0)
    for found in (ask(scene, "find_modules", names=others) or {}).values():
        for folder in set(found) & set(folders):
            hits[folder] += 1
    ranked = sorted(folders, key=lambda f: -hits[f])  # stable: the nearer folder first
    return [(f, n == 0 and hits[f] > hits[ranked[1]]) for n, f in enumerate(ranked)]


def _imported(scene: Scene) -> set[str]:
    """Top-level modules that the notebook's cells import."""
    found = set()
    for cell in scene.notebook.cells:
        for node in ast.walk(src.parse(cell.source) or ast.Module([], [])) if cell.kind == "code" else ():
            if isinstance(node, ast.Import):
                found |= {a.name.split(".")[0] for a in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found


def _insertion(scene: Scene, module: str) -> tuple[int, str] | None:
    """Where the lines go, and their indentation: above the import, or above the statement that imports it in turn."""
    node: ast.stmt | None = next(
        (n for n in ast.walk(scene.tree) if isinstance(n, ast.Import | ast.ImportFrom) and _imports(n, module)), None
    )
    node = node or scene.failing_statement()
    if node is None:
        return None
    start = src.offset(scene.source, node.lineno, 0)
    indent = scene.source[start : src.span(scene.source, node)[0]]
    return None if indent.strip() else (start, indent)


def _imports(node: ast.Import | ast.ImportFrom, module: str) -> bool:
    if isinstance(node, ast.Import):
        return any(a.name.split(".")[0] == module for a in node.names)
    return not node.level and (node.module or "").split(".")[0] == module
