"""Asserts that a patch edits: none of them is evidence for it, and editing one is tampering unless it is a slip of its own.

``assert a.balance == 150`` is the author's word. A patch that makes it ``a.balence`` because the class is spelt so has spread a slip,
and what then holds was written by the patch.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case

EDITS = "edits the assert that it is to meet"


def read_condition(node: ast.stmt) -> ast.AST:
    """What an assert asks; of a call named so the whole call."""
    return node.test if isinstance(node, ast.Assert) else node


def count_unedited(before: Sequence[ast.stmt], after: Sequence[ast.stmt]) -> Counter[str]:
    """The conditions that stand in both, each as often as it does."""
    return Counter(src.dump_tree(read_condition(n)) for n in before) & Counter(
        src.dump_tree(read_condition(n)) for n in after
    )


def find_edited_asserts(
    case: Case, before: Sequence[ast.stmt], after: Sequence[ast.stmt], *, trusted: bool
) -> Iterator[str]:
    """In words, that an assert was edited other than by correcting a word that stands nowhere else.

    A ``trusted`` rule may spell a name or a call in it anew, which proves nothing then; but not where the assert itself failed.
    """
    own_failure = case.failure.ename == "AssertionError"
    if trusted and not own_failure:
        return
    same = count_unedited(before, after)
    old = _list_without(before, same)
    new = _list_without(after, same)
    for was, now in zip(old, new, strict=False):
        if not is_honest_renaming(case, read_condition(was), read_condition(now)):
            yield EDITS
            return


def is_honest_renaming(case: Case, was: ast.AST, now: ast.AST) -> bool:
    """Whether all that differs are words of which the old ones stand nowhere else: slips of what is asked itself."""
    renamed = _find_renamed_words(was, now)
    return renamed is not None and not any(_stands_elsewhere(case, *pair) for pair in renamed)


def _list_without(nodes: Sequence[ast.stmt], same: Counter[str]) -> list[ast.stmt]:
    left, rest = same.copy(), []
    for node in nodes:
        key = src.dump_tree(read_condition(node))
        if left[key]:
            left[key] -= 1
        else:
            rest.append(node)
    return rest


def _find_renamed_words(one: ast.AST, two: ast.AST) -> list[tuple[str, str]] | None:
    """(word before, word after) for each name, attribute, keyword and text that differs; None where more than words does."""
    first, second = list(ast.walk(one)), list(ast.walk(two))
    if [type(n) for n in first] != [type(n) for n in second]:
        return None
    renamed: list[tuple[str, str]] = []
    for was, now in zip(first, second, strict=True):
        old, new = _read_word(was), _read_word(now)
        if type(old) is not type(new) or (old != new and not isinstance(old, str)):
            return None
        if isinstance(old, str) and isinstance(new, str) and old != new:
            renamed.append((old, new))
    return renamed


def _read_word(node: ast.AST) -> object:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return word
        case ast.keyword(arg=given):
            return given
        case ast.Constant(value=value):
            return value
    return None


def _stands_elsewhere(case: Case, old: str, new: str) -> bool:
    """True where the notebook has the old word outside of asserts and gives the new one its meaning: which of the two is the slip
    is then not the assert's affair."""
    cells = [c for c in case.notebook.cells if c.kind == "code" and c.id != case.failure.cell_id]
    trees = [tree for s in (*(c.source for c in cells), case.failure.source) if (tree := src.parse(s)) is not None]
    asserted = {id(n) for tree in trees for a in ast.walk(tree) if isinstance(a, ast.Assert) for n in ast.walk(a)}
    nodes = [n for tree in trees for n in ast.walk(tree)]
    is_used = any(_read_word(n) == old for n in nodes if id(n) not in asserted)
    return is_used and any(_defines_word(n, new) for n in nodes)


def _defines_word(node: ast.AST, word: str) -> bool:
    if isinstance(node, ast.Name | ast.Attribute):
        return isinstance(node.ctx, ast.Store) and _read_word(node) == word
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == word
    return (isinstance(node, ast.arg) and node.arg == word) or (isinstance(node, ast.Constant) and node.value == word)
