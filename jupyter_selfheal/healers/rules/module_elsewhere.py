"""IMP105: a module of the notebook's own project that is not on the path."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.project import Weight, find_folders, is_bound_here, weigh_folders
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"No module named '?([\w.]+)'?")


class ModuleElsewhere(Rule):
    """Put the project's folder that holds the module on `sys.path`, or work in that folder.

    **Failure** `ModuleNotFoundError` for a module that is a file or package in the notebook's own tree, but not in a folder
    that Python looks into.

    **Fix** `sys.path.append("../src")` (relative to the working directory) above the import, or above the import of a module of the
    project that imports it in turn. Where the notebook also names files that are in that folder and not in its own, and
    nothing of its own folder, it was written to run there: `os.chdir("../code")`.

    **Fix safety** Safe where one such folder exists below the working directory, or else one in the folders above it within the
    same project, or where one of several has more than the others of what the notebook imports, of the names that it asks of
    those modules and of the files that it names, or where one of several that are alike is the notebook's own, which a cell has left. Appended last, the folder
    hides nothing. Unsafe where several are alike.
    """

    code = "IMP105"
    name = "module elsewhere in the project"
    enames = frozenset({"ModuleNotFoundError"})
    applicability = Applicability.SAFE
    why = "The project itself has this module; a folder that is appended to the path hides nothing."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MISSING.search(context.failure.evalue)
        if not match:
            return
        module = match[1].split(".")[0]
        at = _find_insertion(context, module)
        if at is None:
            return
        ranked = weigh_folders(context, find_folders(context, module))
        own = _find_own(context, ranked)
        if own is not None:
            ranked = [own, *(w for w in ranked if w is not own)]
        for rank, weight in enumerate(ranked[:3]):
            sure = weight is own or (own is None and _is_the_one(weight, ranked))
            level = Applicability.SAFE if sure else Applicability.UNSAFE
            why = self.why if sure else "Several folders hold a module of that name."
            if weight is own:
                why = "Of several folders that hold it, this is the notebook's own, which it has left."
            cause = f"`{module}` is in `{weight.folder}`, where Python does not look."
            if (
                sure
                and weight.files
                and not is_bound_here(context, weight.folder)
                and context.ask(questions.IS_HERE_ON_PATH)
            ):
                yield self.patch(
                    context.replace(context.failure.cell_id, [_write_lines(at, "os", f'os.chdir("{weight.folder}")')]),
                    f"Work in `{weight.folder}`",
                    f"`{module}` and files this notebook uses are in `{weight.folder}`.",
                    why="The folder holds what the notebook imports and reads, and its own folder holds nothing of that.",
                    prior=0.92,
                )
            yield self.patch(
                context.replace(
                    context.failure.cell_id, [_write_lines(at, "sys", f'sys.path.append("{weight.folder}")')]
                ),
                f"Add `{weight.folder}` to the path",
                cause,
                applicability=level,
                why=why,
                prior=0.9 if sure else 0.6 - rank / 20,
            )


def _find_own(context: RuleContext, ranked: list[Weight]) -> Weight | None:
    """The notebook's own folder, where a cell has left it (`os.chdir("..")`), it is one of several and no other has more of what the notebook misses."""
    own = os.path.realpath(context.notebook.folder or ".")
    best = [w for w in ranked if w.worth == ranked[0].worth]
    there = (w for w in best if context.is_true(f"__import__('os').path.realpath({w.folder!r}) == {own!r}"))
    return next(there, None) if len(best) > 1 and context.notebook.folder else None


def _is_the_one(weight: Weight, ranked: list[Weight]) -> bool:
    """True for the only folder, and for the one that has more than every other of what the notebook misses."""
    return len(ranked) == 1 or (weight is ranked[0] and weight.worth > ranked[1].worth)


def _write_lines(at: tuple[int, str], module: str, call: str) -> tuple[int, int, str]:
    start, indent = at
    return start, start, f"{indent}import {module}\n{indent}{call}\n"


def _find_insertion(context: RuleContext, module: str) -> tuple[int, str] | None:
    """Where the lines go, and their indentation: above the import, or above the statement that imports it in turn."""
    node: ast.stmt | None = next(
        (
            n
            for n in ast.walk(context.failing_tree)
            if isinstance(n, ast.Import | ast.ImportFrom) and _imports_module(n, module)
        ),
        None,
    )
    node = node or context.failing_statement
    if node is None:
        return None
    start = src.find_offset(context.failure.source, node.lineno, 0)
    indent = context.failure.source[start : src.find_span(context.failure.source, node)[0]]
    return None if indent.strip() else (start, indent)


def _imports_module(node: ast.Import | ast.ImportFrom, module: str) -> bool:
    if isinstance(node, ast.Import):
        return any(a.name.split(".")[0] == module for a in node.names)
    return not node.level and (node.module or "").split(".")[0] == module
