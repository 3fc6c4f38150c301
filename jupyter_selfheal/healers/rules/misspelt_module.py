"""IMP102: a module, or a name imported from one, that is misspelt."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.edits import Splice, rename_name
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.context.spelling import edit_distance, find_nearest, is_plain_slip, is_plural
from jupyter_selfheal.healers.rules.context.tables import find_distribution, import_aliases, read_words
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"No module named '?([\w.]+)'?")
NAME = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")

LEAST = 5
"""Letters of a name that may be the beginning of another."""


class MisspeltModule(Rule):
    """Import the module, or the name in it, that was meant.

    **Failure** `ModuleNotFoundError: No module named 'panda'`, where an importable module is near; `ImportError: cannot
    import name 'Conter' from 'collections'`, where the module has a near name.

    **Fix** `import math.sqrt` becomes `import math` where `math.sqrt` is used, else `from math import sqrt`. The near name, in the import and wherever the cell uses it. Where none is near, one that goes on with another word: `accuracy_score` for `accuracy`.

    **Fix safety** Safe for one slip in five letters, or where the alias (`import panda as pd`) says what is meant. Silent for
    names of well-known distributions, which are missing rather than misspelt.
    """

    code = "IMP102"
    name = "misspelt module or import"
    enames = frozenset({"ModuleNotFoundError", "ImportError"})
    applicability = Applicability.UNSAFE
    why = "The name is near, but another may have been meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if match := NAME.search(context.failure.evalue):
            yield from self._mend_name(context, match[2], match[1])
        elif match := MISSING.search(context.failure.evalue):
            yield from self._mend_module(context, match[1])

    def _mend_module(self, context: RuleContext, wrong: str) -> Iterator[Patch]:
        cell_id, source, _ = context.location
        top, _, last = wrong.rpartition(".")
        if not top and (find_distribution(wrong)[1] or wrong in read_words("distributions", "python2_modules")):
            return
        known = context.ask(questions.LIST_MEMBERS, path=top) if top else context.ask(questions.LIST_MODULES)
        if top and last in (known or ()):
            yield from self._import_member(context, cell_id, source, wrong)
            return
        near = find_nearest(last, known or ())
        alias = _find_alias(source, wrong)
        agreed = [n for n in near if any(m == n for m, _ in import_aliases().get(alias, ()))]
        # `import matplotlib.plot as plt`: the alias says which module of the package is meant
        agreed += [
            m.rpartition(".")[2]
            for m, name in import_aliases().get(alias, ())
            if top and m.startswith(f"{top}.") and not name
        ]
        agreed = [n for n in agreed if n in (known or ())]
        homes = [m for m, name in import_aliases().get(last, ()) if top and m.startswith(f"{top}.") and name == last]
        if homes and not near:
            yield from self._import_member(context, cell_id, source, wrong, homes[0])
            return
        for word in agreed or (near if len(near) <= 2 else ()):
            sure = bool(agreed) or (len(near) == 1 and len(last) >= 5 and is_plain_slip(last, word))
            yield self._build_patch(context, cell_id, _build_module_splices(source, wrong, word), wrong, word, sure)

    def _import_member(
        self, context: RuleContext, cell_id: str, source: str, wrong: str, home: str = ""
    ) -> Iterator[Patch]:
        """``import math.sqrt``: what the module has, but is no module itself; ``import sklearn.train_test_split``: what a module of the package has."""
        top, _, last = wrong.rpartition(".")
        top = home or top
        for node in _list_imports(source):
            if not isinstance(node, ast.Import) or [a.name for a in node.names] != [wrong]:
                continue
            alias = node.names[0].asname
            paths = (n for n in context.walk_notebook() if isinstance(n, ast.Attribute) and n.attr == last)
            by_path = any(ast.unparse(n) == wrong for n in paths)
            text = f"import {top}" if by_path and not alias else f"from {top} import {last}"
            text += f" as {alias}" if alias else ""
            yield self.patch(
                context.replace(cell_id, [(*src.find_span(source, node), text)]),
                f"Write `{text}`",
                f"`{last}` is no module: it is one of the names of `{top}`.",
                applicability=Applicability.SAFE,
                why="The module has just this name, and `import` alone takes modules only.",
                prior=0.93,
            )
            return

    def _mend_name(self, context: RuleContext, module: str, wrong: str) -> Iterator[Patch]:
        if f"{module}.{wrong}" in load_knowledge().names:
            return  # the library had it, and what is near may give something else
        cell_id, source, _ = context.location
        members = context.ask(questions.LIST_MEMBERS, path=module) or []
        near = find_nearest(wrong, members)
        near = tuple(n for n in near if not n.startswith("_") or wrong.startswith("_"))
        near = near or _find_longer(wrong, members)
        for word in near if len(near) <= 2 else ():
            sure = len(near) == 1 and len(wrong) >= 5 and is_plain_slip(wrong, word)
            sure = sure and not _is_of_another_kind(context, module, wrong, word)
            # a plural or singular of what Python's own module has: what it has is known to all
            of_python = module.split(".")[0] in sys.stdlib_module_names
            sure = sure or (len(near) == 1 and of_python and is_plural(wrong, word))
            yield self._build_patch(context, cell_id, _name_splices(source, module, wrong, word), wrong, word, sure)

    def _build_patch(
        self, context: RuleContext, cell_id: str, changes: list[Splice], wrong: str, word: str, sure: bool
    ) -> Patch:
        return self.patch(
            context.replace(cell_id, changes),
            f"Import `{word}` instead of `{wrong}`",
            f"`{wrong}` doesn't exist. Did you mean `{word}`?",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why="Only this one is near, by one slip, or the alias says it." if sure else self.why,
            prior=0.75 if sure else 0.45,
        )


def _find_longer(wrong: str, known: Iterable[str]) -> tuple[str, ...]:
    """``accuracy_score`` for ``accuracy``, ``DecisionTreeClassifier`` and ``DecisionTreeRegressor`` for ``DecisionTree``: names that go on with a word."""
    longer = (
        [k for k in known if k.startswith(wrong) and (k[len(wrong)] == "_" or k[len(wrong)].isupper())]
        if len(wrong) >= LEAST
        else []
    )
    return tuple(longer) if len(longer) <= 2 else ()


def _is_of_another_kind(context: RuleContext, module: str, wrong: str, word: str) -> bool:
    """Whether a near name can hardly be a misspelling: it begins otherwise by more than a letter (``cfexecutor`` for ``Executor``) or behind another one
    (``wminkowski``, of weights), or is a module where a class was asked for (``executor``), which may have been taken out of it."""
    if wrong[:1].casefold() != word[:1].casefold() and (
        wrong[1:] == word or edit_distance(wrong.casefold(), word.casefold()) > 1
    ):
        return True
    is_class = wrong[:1].isupper() and not word[:1].isupper()
    return is_class and context.ask(questions.CHECK_IMPORTS, pairs=[[f"{module}.{word}", ""]]) == [True]


def _list_imports(source: str) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in src.walk(source):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def _find_alias(source: str, module: str) -> str:
    for node in _list_imports(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == module and alias.asname:
                    return alias.asname
    return ""


def _build_module_splices(source: str, wrong: str, word: str) -> list[Splice]:
    """The module's last part renamed in its imports, and its uses where it is bound under its own name."""
    top, _, last = wrong.rpartition(".")
    right = f"{top}.{word}" if top else word
    splices: list[Splice] = []
    for node in _list_imports(source):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module == wrong or node.module.startswith(wrong + "."):
                start = src.find_span(source, node)[0] + len("from ")
                at = source.index(wrong, start)
                splices.append((at, at + len(wrong), right))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == wrong or alias.name.startswith(wrong + "."):
                    start = src.find_span(source, alias)[0]
                    splices.append((start, start + len(wrong), right))
                    if not alias.asname and not top:
                        splices += rename_name(source, last, word)
    return splices


def _name_splices(source: str, module: str, wrong: str, word: str) -> list[Splice]:
    splices: list[Splice] = []
    for node in _list_imports(source):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            for alias in node.names:
                if alias.name == wrong:
                    start = src.find_span(source, alias)[0]
                    splices.append((start, start + len(wrong), word))
                    if not alias.asname:
                        splices += rename_name(source, wrong, word)
    return splices
