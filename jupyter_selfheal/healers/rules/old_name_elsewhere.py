"""IMP107: code that the notebook imports, and that uses a library by its old names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, project, questions
from jupyter_selfheal.healers.rules.context.knowledge import Change, load_knowledge
from jupyter_selfheal.model import Applicability, Patch

MODULE = re.compile(r"No module named '([\w.]+)'")
NAME = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'|module '([\w.]+)' has no attribute '(\w+)'")


class OldNameElsewhere(Rule):
    """Give code that is not the notebook's the old name of what a library has renamed.

    **Failure** `ModuleNotFoundError: No module named 'sklearn.datasets.samples_generator'`, `ImportError: cannot import name
    'Mapping' from 'collections'`, `AttributeError: module 'numpy' has no attribute 'float'`, raised in a module that the cell imports or calls.

    **Fix** The old name is bound to the new thing above the failing statement:
    `sys.modules["sklearn.datasets.samples_generator"] = sklearn.datasets`, `collections.Mapping = collections.abc.Mapping`.

    **Fix safety** Safe where the library's changelog says that only the name has changed (`data/*.toml`), and the module is installed: its own
    file, which the notebook cannot mend, stays as it is. A file of the notebook's own project is to be mended itself: the line is then
    shown only.
    """

    code = "IMP107"
    name = "old name in imported code"
    enames = frozenset({"ModuleNotFoundError", "ImportError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "The changelog says that only the name has changed."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        statement, frames = context.failing_statement, context.failure.frames
        if statement is None or not frames or frames[-1].cell_id or src.is_foreign(context.failure.source):
            return
        matches = _find_shim(context)
        if matches is None:
            return
        lines, change = matches
        start = src.find_offset(context.failure.source, statement.lineno, 0)
        if context.failure.source[start : src.find_span(context.failure.source, statement)[0]].strip():
            return
        edits = context.replace(context.failure.cell_id, [(start, start, "\n".join(lines) + "\n")])
        own = project.find_own_file(context)
        yield self.patch(
            edits,
            f"Add `{lines[-1]}`",
            f"{own or 'Code this cell uses'} needs `{change.old}`, which {change.library} {change.version} renamed.",
            applicability=Applicability.DISPLAY_ONLY if own else self.applicability,
            why=f"{own} is a file of yours: the old name is better mended there." if own else self.cite(change.source),
            prior=0.8,
        )


def _find_shim(context: RuleContext) -> tuple[list[str], Change] | None:
    """The lines that bind the old name, and the change that they make up for."""
    message = context.failure.evalue
    if match := MODULE.search(message):
        moved = load_knowledge().module(match[1])
        if (
            moved is None
            or match[1] in context.failure.source
            or not _is_same(moved[0])
            or not _is_module(context, moved[1])
        ):
            return None
        return ["import sys", f"import {moved[1]}", f'sys.modules["{match[1]}"] = {moved[1]}'], moved[0]
    if not (match := NAME.search(message)):
        return None
    module, name = (match[2], match[1]) if match[1] else (match[3], match[4])
    change = load_knowledge().names.get(f"{module}.{name}")
    if (
        change is None
        or not _is_same(change)
        or re.search(rf"\b{name}\b", context.failure.source)
        or not context.exists(change.new)
    ):
        return None
    home = change.new if _is_module(context, change.new) else change.new.rpartition(".")[0]
    lines = [f"import {module}", f"{module}.{name} = {change.new}"]
    return ([f"import {home}"] if home and home != module else []) + lines, change


def _is_same(change: Change) -> bool:
    return bool(change.new) and not (change.forms or change.unsafe or change.show or change.requires)


def _is_module(context: RuleContext, path: str) -> bool:
    return bool(path) and context.ask(questions.CHECK_IMPORTS, pairs=[[path, ""]]) == [True]
