"""Does a guess put another label in the place of one that is not there?

``sales.groupby("area")`` fails as there is no column ``area``; with ``"units"`` it runs, and with ``"region"``, too. What comes out says little of
which is meant: columns that hold as many values, or the same ones, give one result. A label that is nearly the same name is a slip.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells

SHORTEST, ALIKE = 3, 0.7
"""Letters that a name must share with another as a whole to be a part of it; and how alike (`difflib`) two must be to be one, misspelt."""


def find_other_label(case: Case, patch: Patch) -> str:
    """The text of a cell that the failure names, or an argument that is not known, which the patch leaves out or puts a text in the place of that is nothing like it; empty where it
    does neither."""
    if case.failure.ename in ("AssertionError", ""):
        return ""
    for _, old, new in list_patched_cells(case, patch):
        if keyword := _find_left_out_keyword(old, new, case.failure.evalue):
            return keyword
        before, after = (Counter(_list_texts(source)) for source in (old, new))
        was, now = (Counter(_list_named(source)) for source in (old, new))
        brought = [*(after - before), *(now - was)]  # a table may be called as the column that it lacks
        for label in before - after:
            if is_named(label, case.failure.evalue) and not any(are_alike(label, other) for other in brought):
                return label
    return ""


def _find_left_out_keyword(old: str, new: str, message: str) -> str:
    """``sd`` of ``norm(loc=0, sd=1)``, which takes no such argument, where nothing came for it: what the author gave is lost, though a default may be the same."""
    if "unexpected keyword" not in message:
        return ""
    before, after = (Counter(_list_named(source)) for source in (old, new))
    return next((k for k in before - after if is_named(k, message)), "") if not after - before else ""


def _list_named(source: str) -> Iterator[str]:
    """Names, attributes and keywords."""
    for node in src.walk(source):
        match node:
            case ast.Name(name) | ast.Attribute(_, name) | ast.keyword(str(name)):
                yield name


def is_named(label: str, message: str) -> bool:
    """Whether a message speaks of a label, which is a word at least; one of a letter stands there alone."""
    is_word = any(map(str.isalpha, label)) and "%" not in label
    return (
        is_word
        and (len(label) > 1 or message in (label, repr(label)))
        and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", message) is not None
    )


def are_alike(label: str, other: str) -> bool:
    """Whether one may be the other misspelt, shortened, or with a word more: ``temp``, ``temperature`` and ``temp_c``."""
    short, long = sorted((_leave_letters(label), _leave_letters(other)), key=len)
    return (len(short) >= SHORTEST and short in long) or SequenceMatcher(None, short, long).ratio() >= ALIKE


def _leave_letters(label: str) -> str:
    return re.sub(r"[\W_]+", "", label).casefold()


def _list_texts(source: str) -> Iterator[str]:
    return (n.value for n in src.walk(source) if isinstance(n, ast.Constant) and isinstance(n.value, str))
