"""A name that nothing in the notebook binds, in a cell that did not parse and runs now: what reads it did not run.

``print(Scalene)`` in a branch that the expected output does not come from fails as soon as it is run, and whoever left out the quotes left
them out before the cell was mended.
"""

from __future__ import annotations

import ast
import re

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.source import BUILTINS

_BINDS_UNSEEN = re.compile(r"import\s+\*|^\s*[%!]|\b(?:exec|eval|globals|locals|setattr|getattr)\(", re.MULTILINE)
"""What may bind names that the text does not tell."""


def find_unknown_name(case: Case, patch: Patch) -> str:
    """Such a name of the cell that failed, in words; empty where there is none, or where something may bind it unseen."""
    after = patch.source_of(case.failure.cell_id, case.failure.source)
    others = [c.source for c in case.notebook.cells if c.kind == "code" and c.id != case.failure.cell_id]
    if any(src.parse(text) is None or _BINDS_UNSEEN.search(text) for text in (after, *others)):
        return ""
    names = [src.find_names(text) for text in (after, *others)]
    known = BUILTINS.union({"_", "__class__", "get_ipython", "display"}, *(n.binds | n.imports for n in names))
    unknown = next(iter(sorted(names[0].uses - known - _list_surely_read(after))), "")
    return f"`{unknown}` is read where nothing binds it" if unknown else ""


def _list_surely_read(source: str) -> set[str]:
    """The names that are read whichever way a cell goes: where it came to its end, there is something by that name."""
    parts: list[ast.AST] = []
    for statement in getattr(src.parse(source), "body", ()):
        heads = (
            [getattr(statement, name, None) for name in ("test", "iter")] if hasattr(statement, "body") else [statement]
        )
        parts += [head for head in heads if head is not None]
    return {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
