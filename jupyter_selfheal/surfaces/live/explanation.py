"""Why a cell failed, for who wants to learn from it: free, without a model, from the failure and the live values.

What failed in one sentence; the values that the failing statement read, each with what it is now and the cell that made it;
what would fit where that can be read off them; what the fix does; where to read on. Only the user's own objects of
known library types are looked into, so that nothing of the user's runs.
"""

from __future__ import annotations

import ast
import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, FailureKind
from jupyter_selfheal.surfaces.card import Card
from jupyter_selfheal.surfaces.words import make_cell_namer

MOST_VALUES = 6
"""Values that are described: more are not read."""

MOST_KEYS = 12
"""Keys, columns or file names that are listed."""

PLAIN = (str, bytes, bool, int, float, complex, type(None))
"""Types whose objects are written as they are: of others, the user's code might run."""

FILE_ERRORS = frozenset({"FileNotFoundError", "NotADirectoryError", "IsADirectoryError"})


def explain(case: Case, card: Card, names: Mapping[str, Any]) -> Iterator[str]:
    """Sentences, most telling first. ``names`` are the user's variables as they are now."""
    failure = case.failure
    yield f"{card.headline or failure.headline}"
    if card.cause and not card.cause.startswith(failure.headline):
        yield f"Why: {card.cause}"
    statement = find_failing_text(case)
    if statement:
        yield f"It failed at line {failure.line}: `{shorten(statement)}`"
    used = list_values_read(statement, names)
    for name in used:
        origin = find_origin(case, name)
        yield f"  `{name}` is {describe_value(names[name])}" + (f", made in {origin}" if origin else "")
    yield from explain_empty(used, names)
    yield from explain_shapes(statement, names)
    yield from explain_file(failure.ename, failure.evalue)
    candidate = card.find_candidate()
    if candidate is not None:
        yield f"The fix: {candidate.patch.title}." + (f" {candidate.patch.why}" if candidate.patch.why else "")
        if candidate.patch.rule:
            yield f"More: `jupyter selfheal rules {candidate.patch.rule}`"
    if card.advice and not card.advice.startswith("no working fix found"):
        yield f"What you can do: {card.advice}"


def find_failing_text(case: Case) -> str:
    """The failing cell's line at which it failed, or the innermost of the notebook's own lines. Empty where it is not known."""
    failure = case.failure
    lines = failure.source.splitlines()
    if failure.kind is FailureKind.MISSED or not 0 < failure.line <= len(lines):
        return ""
    return lines[failure.line - 1].strip()


def list_values_read(statement: str, names: Mapping[str, Any]) -> list[str]:
    """Names of variables that the line reads, in its order; modules, functions and classes are left out."""
    tree = src.parse(statement) or src.parse(statement.rstrip(":")) or src.parse(statement + "\n    pass")
    reads = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)] if tree else []
    known = [n for n in dict.fromkeys(reads) if n in names]
    return [
        n for n in known if type(names[n]).__name__ not in ("module", "function", "type", "builtin_function_or_method")
    ][:MOST_VALUES]


def find_origin(case: Case, name: str) -> str:
    """The last cell above the failing one (or that one itself) which makes the name, as people call it."""
    notebook = case.notebook
    cells = [c for c in notebook.code_before(case.failure.cell_id) if c.runs or c.unfinished]
    maker = next((c for c in reversed(cells) if name in src.find_names(c.source).binds), None)
    return make_cell_namer(notebook)(maker.id) if maker is not None else ""


def describe_value(value: Any) -> str:
    """A value in a few words: its type, and its shape, keys, columns or length; short texts and numbers as they are."""
    kind = type(value).__name__
    if type(value) is str:
        return f"the text {shorten(repr(value))}"
    if value is None or type(value) in (bool, int, float, complex):
        return f"{kind} {shorten(repr(value))}" if value is not None else "None"
    if type(value) is dict:
        return f"a dictionary with the keys {list_some(value)}" if value else "an empty dictionary"
    if type(value) in (list, tuple, set, frozenset):
        inside = " and ".join(sorted({type(item).__name__ for item in list(value)[:1000]})[:3])
        return f"a {kind} of {len(value)} ({inside})" if value else f"an empty {kind}"
    if _is_of(value, "pandas") and hasattr(value, "columns"):
        return f"a table of {_format_shape(value)} with the columns {list_some(value.columns)}"
    if _is_of(value, "numpy", "pandas") and hasattr(value, "shape"):
        kind = "array" if kind == "ndarray" else kind
        return f"{_article(kind)} {kind} of shape {_format_shape(value)}, {getattr(value, 'dtype', '')}"
    return f"{_article(kind)} {kind}"


def explain_empty(used: list[str], names: Mapping[str, Any]) -> Iterator[str]:
    """Which of the values is empty: often all that is wrong."""
    for name in used:
        if type(names[name]) in (list, dict, tuple, set, str) and not names[name]:
            yield f"`{name}` is empty: look at the cell that fills it."


def explain_shapes(statement: str, names: Mapping[str, Any]) -> Iterator[str]:
    """What two arrays of a matrix product would fit with."""
    for node in ast.walk(src.parse(statement) or ast.Module([], [])):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            sides = [names.get(n.id) if isinstance(n, ast.Name) else None for n in (node.left, node.right)]
            if all(_is_of(side, "numpy") and len(getattr(side, "shape", ())) == 2 for side in sides):
                yield from _explain_product(ast.unparse(node.left), ast.unparse(node.right), sides[0], sides[1])


def _explain_product(a: str, b: str, left: Any, right: Any) -> Iterator[str]:
    if left.shape[1] == right.shape[0]:
        return
    fits = [
        text
        for text, inner in (
            (f"{a}.T @ {b}", (left.shape[0], right.shape[0])),
            (f"{a} @ {b}.T", (left.shape[1], right.shape[1])),
        )
        if inner[0] == inner[1]
    ]
    tried = f"; try `{'` or `'.join(fits)}`" if fits else ""
    yield f"`{a}` is {_format_shape(left)}, `{b}` is {_format_shape(right)}{tried}"


def explain_file(ename: str, evalue: str) -> Iterator[str]:
    """The names near one that is not there."""
    if ename not in FILE_ERRORS:
        return
    parts = evalue.split("'")
    path = Path(parts[1]) if len(parts) > 2 else None
    if path is None:
        return
    folder = path.parent if path.parent.is_dir() else Path(".")
    try:
        there = sorted(os.listdir(folder))
    except OSError:
        return
    near = difflib.get_close_matches(path.name, there, MOST_KEYS) or there
    where = "this folder" if folder == Path(".") else f"`{folder}`"
    yield f"In {where} there is: {list_some(near)}" if near else f"In {where} there is nothing."


def list_some(items: Any) -> str:
    """The first few, as they are written."""
    shown = [
        shorten(repr(item) if type(item) in PLAIN else type(item).__name__, 40) for item in list(items)[:MOST_KEYS]
    ]
    more = len(items) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def shorten(text: str, most: int = 100) -> str:
    """A text of one line that is not too long to be read."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _is_of(value: Any, *libraries: str) -> bool:
    """Whether its type is one of the library's own: a class of the user's may do anything when asked."""
    return type(value).__module__.partition(".")[0] in libraries


def _format_shape(value: Any) -> str:
    return "×".join(map(str, value.shape)) or "()"


def _article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" else "a"
