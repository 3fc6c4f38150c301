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

    **Fix** `sys.path.append("../src")` (relative to the working directory) above the import.

    **Fix safety** Safe where one such file exists below the working directory, or else one in the folders above it within the
    same repository; appended last, it hides nothing. Unsafe where several do.
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
        folders = ask(scene, "find_module", name=module) or []
        folders = [f for f in folders if not f.startswith("..")] or folders  # below the working directory comes first
        cell_id, source, _ = scene.place()
        if cell_id != scene.failure.cell_id:
            return
        node = next(
            (n for n in ast.walk(scene.tree) if isinstance(n, ast.Import | ast.ImportFrom) and _imports(n, module)),
            None,
        )
        if node is None:
            return
        start = src.offset(source, node.lineno, 0)
        indent = source[start : src.span(source, node)[0]]
        if indent.strip():
            return
        for folder in folders[:3]:
            lines = f'{indent}import sys\n{indent}sys.path.append("{folder}")\n'
            yield self.patch(
                self.replace(scene, cell_id, [(start, start, lines)]),
                f"Put `{folder}` on the path",
                f"`{module}` is in `{folder}`, where Python does not look.",
                applicability=Applicability.SAFE if len(folders) == 1 else Applicability.UNSAFE,
                why=self.why if len(folders) == 1 else "Several folders hold a module of that name.",
                prior=0.9 if len(folders) == 1 else 0.6,
            )


def _imports(node: ast.Import | ast.ImportFrom, module: str) -> bool:
    if isinstance(node, ast.Import):
        return any(a.name.split(".")[0] == module for a in node.names)
    return not node.level and (node.module or "").split(".")[0] == module
