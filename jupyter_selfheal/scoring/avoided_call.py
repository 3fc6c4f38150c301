"""Does a patch call something else in place of the function that failed inside, or that was given what it does not take?

``median([5, 1, 4, 2])`` fails in ``median``; ``mean([5, 1, 4, 2])`` happens to give the same 3.0, and ``median`` is as broken as before. ``sum((1, 2))``
for ``add((1, 2))``, which takes two numbers, gives the same 3, and nobody who defines ``add`` means ``sum``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import PurePath

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch


def find_avoided_call(case: Case, patch: Patch) -> str:
    """The function, of the notebook or of a file beside it, that the failing cell called, in which the failure came up or whose arguments it is
    about, and which it calls less often with the patch, though what defines it is as it was; empty where there is none."""
    failure = case.failure
    before, after = failure.source, patch.source_of(failure.cell_id, failure.source)
    inner = [f for f in failure.frames[1:] if (f.cell_id or _is_own_file(f.file)) and not f.function.startswith("<")]
    if (
        before == after
        or failure.ename.endswith("Warning")  # it warns of itself
        or any(f.cell_id in patch.cells_touched for f in inner if f.cell_id != failure.cell_id)
    ):
        return ""
    called = [inner[0].function] if inner else _list_given_wrongly(case)
    if not called and (converted := _find_conversion_left(case, before, after)):
        return converted
    changed, was, now = _collect_changed_functions(before, after), _count_calls(before), _count_calls(after)
    return next((name for name in called if name not in changed and now[name] < was[name]), "")


_NOT_CONVERTED = re.compile(
    r"could not convert|invalid literal for|[Cc]annot convert (?:non-finite|float NaN)|NaN to integer"
)
_CONVERTING = frozenset({"astype", "int", "float", "to_numeric"})
_REDUCING = frozenset({"sum", "mean", "median", "min", "max", "prod", "std", "var", "count", "first", "last"})


def _find_conversion_left(case: Case, before: str, after: str) -> str:
    """``df["n"].astype(int)`` where ``df["n"].sum().astype(int)`` stands for ``df["n"].astype(int).sum()``: what is left of values that cannot be
    converted can be."""
    if not _NOT_CONVERTED.search(case.failure.evalue):
        return ""
    was, now = _list_conversions(before), _list_conversions(after)
    if not any(is_reduced for text, is_reduced in now.items() if text not in was):
        return ""
    return next((text for text in was if text not in now), "")


def _list_conversions(source: str) -> dict[str, bool]:
    """The calls that convert, as text, and whether each is of the result of a reduction."""
    found = {}
    for call in (n for n in src.walk(source) if isinstance(n, ast.Call) and _read_name(n.func) in _CONVERTING):
        given = [call.func.value] if isinstance(call.func, ast.Attribute) else call.args
        inner = [n for g in given for n in ast.walk(g) if isinstance(n, ast.Call)]
        found[ast.unparse(call)] = any(_read_name(n.func) in _REDUCING for n in inner)
    return found


_GIVEN_WRONGLY = re.compile(r"(?:[\w<>]+\.)*(\w+|<lambda>)\(\) (?:missing|takes|got) ")


def _list_given_wrongly(case: Case) -> list[str]:
    """The functions of the notebook that may be the one that was called with other arguments than it takes: a ``lambda`` is told without its name."""
    told = _GIVEN_WRONGLY.match(case.failure.evalue) if case.failure.ename == "TypeError" else None
    if told is None:
        return []
    nodes = [n for c in case.notebook.cells if c.kind == "code" for n in src.walk(c.source)]
    if told[1] != "<lambda>":
        return [n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == told[1]]
    named = [n for n in nodes if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)]
    return [t.id for n in named for t in n.targets if isinstance(t, ast.Name)]


def _is_own_file(file: str) -> bool:
    """Whether a file is the user's: what is installed, or Python's, is not broken because a call of it fails."""
    path = PurePath(file)
    return path.is_absolute() and path.suffix == ".py" and not any(map(_INSTALLED.fullmatch, path.parts))


_INSTALLED = re.compile(r"site-packages|dist-packages|python\d[.\d]*|\.(venv|tox|nox)|venv")


APPLYING = frozenset({"apply", "map", "applymap", "transform", "filter", "starmap", "vectorize", "pipe", "submit"})
"""What calls the function that it is given: ``df["score"].apply(grade)``."""


def _count_calls(source: str) -> Counter[str]:
    """How often each name is called, by its last part, or given to what calls it."""
    calls = [n for n in src.walk(source) if isinstance(n, ast.Call)]
    counted = Counter(name for call in calls if (name := _read_name(call.func)))
    counted.update(
        name for call in calls if _read_name(call.func) in APPLYING for a in call.args if (name := _read_name(a))
    )
    return counted


def _read_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _collect_changed_functions(before: str, after: str) -> set[str]:
    """Functions that a cell defines otherwise than it did."""
    old, new = (
        {n.name: src.dump_tree(n) for n in src.walk(s) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
        for s in (before, after)
    )
    return {name for name in old if old[name] != new.get(name)}
