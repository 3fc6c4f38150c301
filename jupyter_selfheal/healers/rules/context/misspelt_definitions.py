"""Which of two spellings of one thing is the slip: where the definition is the odd one out, it is corrected, not all that uses it.

    self.balence = balance        # defined so, once
    self.balance += amount        # and read so everywhere else

A misspelling that is spread heals the failure and is still wrong: an assert that says ``balance`` is the author's word.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.edits import Splice, find_attribute_span
from jupyter_selfheal.healers.rules.context.failure_view import FailureView
from jupyter_selfheal.healers.rules.context.key_places import list_key_places
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.healers.rules.context.rule import Rule
from jupyter_selfheal.healers.rules.context.skeletons import is_near_method
from jupyter_selfheal.healers.rules.context.spelling import is_plural
from jupyter_selfheal.healers.rules.context.tables import read_words
from jupyter_selfheal.model import Applicability, Cell, Edit, Patch, Replace

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ASKED = re.compile(r'^Module \[(\w+)\] is missing the required "(\w+)" function')
"""What PyTorch says of an heir without the method that it calls."""
ABSTRACT = re.compile(
    r"^Can't instantiate abstract class (\w+) with(?:out an implementation for)? abstract methods? '?(\w+)'?$"
)
"""What Python says of an heir without a method that its base class asks for."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word stands in a cell, and whether it is bound there."""

    start: int
    binds: bool
    reads: bool


def correct_definition(
    context: FailureView, used: str, defined: str, kind: Literal["name", "attribute", "key"] = "name"
) -> tuple[Edit, ...]:
    """Edits that spell the definition as it is used; empty where the use is the slip, or the definition is not to be changed.

    Of the two the word that is an English one is meant; where both are or none is, the one that stands more often, and the one
    that a definition has which nothing reads is the slip. ``self.grade = grades`` that nothing reads says the word itself.
    """
    cells = [c for c in context.notebook.cells if c.kind == "code" and not src.is_foreign(context.source_of(c.id))]
    places = {c.id: tuple(_find_places(context.source_of(c.id), defined, kind)) for c in cells}
    every = [p for found in places.values() for p in found]
    if not any(p.binds for p in every) or any(c.expensive or c.skip for c in cells if places[c.id]):
        return ()
    uses = [p for c in cells for p in _find_places(context.source_of(c.id), used, kind)]
    says_itself = kind == "attribute" and is_stored_under(context, used, defined)
    if not says_itself and not _is_odd(used, defined, len(uses), every):
        return ()
    if not all(_stands_at(context.source_of(c.id), place, defined) for c in cells for place in places[c.id]):
        return ()  # inside an f-string of an older Python, whose nodes do not say where they stand, or a text that is no key
    return tuple(_rename_places(context, cell, places[cell.id], defined, used) for cell in cells if places[cell.id])


def patch_definition(rule: Rule, edits: Iterable[Edit], word: str, used: str, cause: str) -> Patch:
    """The safe patch that spells a definition (``word``, as it is shown) as it is used wherever it is used."""
    return rule.patch(
        edits,
        f"Change `{word}` to `{used}` where it is defined",
        cause,
        applicability=Applicability.SAFE,
        why="The definition is the odd one out: the notebook says it otherwise wherever it is used.",
        prior=0.8,
    )


def is_stored_under(context: FailureView, used: str, defined: str) -> bool:
    """True where objects take a value under another name than the value's (``self.grade = grades``), and nothing reads it so."""
    nodes = list(context.walk_notebook())
    stored = [n for n in nodes if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name) and n.value.id == used]
    targets = [t for n in stored for t in n.targets if isinstance(t, ast.Attribute) and t.attr == defined]
    return bool(targets) and sum(isinstance(n, ast.Attribute) and n.attr == defined for n in nodes) == len(targets)


def is_odd_one(tree: ast.AST, used: str, defined: str) -> bool:
    """True where of a function's two spellings that which it begins with is the slip; a parameter keeps its name."""
    if any(isinstance(n, ast.arg) and n.arg == defined for n in ast.walk(tree)):
        return False
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    places = [Place(0, not isinstance(n.ctx, ast.Load), isinstance(n.ctx, ast.Load)) for n in names if n.id == defined]
    return bool(places) and _is_odd(used, defined, sum(n.id == used for n in names), places)


def _is_odd(used: str, defined: str, uses: int, places: list[Place]) -> bool:
    """True where it is the definition that is misspelt."""
    reads = sum(p.reads for p in places)
    same_words = (
        used.replace("_", "").lower() == defined.replace("_", "").lower()
    )  # `count_down`, `countdown`: both are written right
    if is_written_right(used) != is_written_right(defined) and not (same_words and reads):
        return is_written_right(used)
    return uses > (len(places) if reads else 1)


def is_written_right(name: str) -> bool:
    """True for a name whose every part is a common word."""
    parts = _PARTS.findall(name)
    return bool(parts) and all(part.lower() in read_words("common_words", "words") for part in parts)


def _stands_at(source: str, place: Place, word: str) -> bool:
    return place.start >= 0 and source.startswith(word, place.start)


def _rename_places(context: FailureView, cell: Cell, places: tuple[Place, ...], old: str, new: str) -> Edit:
    source = context.source_of(cell.id)
    splices: list[Splice] = [(p.start, p.start + len(old), new) for p in places]
    return Replace(cell.id, source, src.splice(source, splices))


def _find_places(source: str, word: str, kind: str) -> Iterator[Place]:
    if kind == "key":
        yield from (Place(*place) for place in list_key_places(source, word))
        return
    nodes = src.walk(source)
    updated = {id(n.target) for n in nodes if isinstance(n, ast.AugAssign)}
    if kind == "attribute":
        yield from _find_attributes(source, nodes, word, updated)
    else:
        yield from _find_names(source, nodes, word, updated)


def _find_names(source: str, nodes: tuple[ast.AST, ...], word: str, updated: set[int]) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == word:
            is_read = isinstance(node.ctx, ast.Load) or id(node) in updated
            yield Place(src.find_span(source, node)[0], not isinstance(node.ctx, ast.Load), is_read)
        elif isinstance(node, ast.arg) and node.arg == word:
            yield Place(src.find_span(source, node)[0], True, False)
        elif isinstance(node, ast.keyword) and node.arg == word:
            yield Place(src.find_span(source, node)[0], False, True)
        elif isinstance(node, _DEFINITIONS) and node.name == word:
            yield Place(_find_name_of_definition(source, node, word), True, False)


def _find_attributes(source: str, nodes: tuple[ast.AST, ...], word: str, updated: set[int]) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == word:
            is_read = isinstance(node.ctx, ast.Load) or id(node) in updated
            yield Place(find_attribute_span(source, node)[0], isinstance(node.ctx, ast.Store), is_read)
        elif isinstance(node, ast.ClassDef):
            yield from _find_members(source, node, word)


def _find_members(source: str, holder: ast.ClassDef, word: str) -> Iterator[Place]:
    """What a class's own body defines under the name: a method, a value, a field."""
    for node in holder.body:
        if isinstance(node, _DEFINITIONS) and node.name == word:
            yield Place(_find_name_of_definition(source, node, word), True, False)
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and target.id == word:
                yield Place(src.find_span(source, target)[0], True, False)


def _find_name_of_definition(source: str, node: ast.stmt, word: str) -> int:
    start, end = src.find_span(source, node)
    match = re.compile(rf"\b(?:def|class)\s+({re.escape(word)})\b").search(source, start, end)
    return match.start(1) if match else start


def find_misspelt_override(context: FailureView) -> tuple[str, ast.FunctionDef, str, str] | None:
    """The one method of an heir whose name is a slip of that of the method that failed, which nothing calls: the cell, the method, the base
    class's name and the method's name that is wanted. None where there is none, or several."""
    told = _ASKED.search(context.failure.evalue)
    abstract = ABSTRACT.search(context.failure.evalue)
    if told is not None:
        heir, base, wanted = told[1], "Module", told[2]
    elif abstract is not None:
        heir, base, wanted = abstract[1], "", abstract[2]
    else:
        function = find_function(context.source, context.line)
        owner = next((c for c in context.walk(ast.ClassDef) if function in c.body), None)
        if function is None or owner is None:
            return None
        heir, base, wanted = "", owner.name, function.name
    near = [
        (cell_id, method)
        for cell_id in context.list_cells_upwards()
        for owner in src.walk(context.source_of(cell_id))
        if isinstance(owner, ast.ClassDef)
        and (owner.name == heir if heir else any(ast.unparse(b) == base for b in owner.bases))
        for method in owner.body
        if isinstance(method, ast.FunctionDef)
        and (is_near_method(wanted, method, owner) or (abstract and is_plural(method.name, wanted)))
    ]
    called = {n.attr for n in context.walk_notebook() if isinstance(n, ast.Attribute)}
    if len(near) != 1 or near[0][1].name in called:
        return None
    return (*near[0], base or heir, wanted)
