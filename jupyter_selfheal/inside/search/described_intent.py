"""What a function's name and description say it does: a change that brings in what they speak of is likelier, one that drops it less so."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope

OWN_SORT = 0.2
"""What remains of the weight of ``sorted(values)`` in a function that is to sort by itself: it is right whatever the rest does, and mends nothing."""
GAIN, LOSS = 1.4, 0.65
"""Factors of the prior of a change that adds, and of one that drops, what the description names."""

_SAID: Mapping[str, str] = {
    "+": "sum add added adding plus total concatenate concatenation", "-": "difference subtract minus distance", "*": "product multiply multiplied times",
    "/": "average mean divide divided ratio quotient", "//": "quotient", "%": "divisible divisor remainder modulo multiple multiples factor factors even odd",
    "**": "square squares squared power cube cubes cubed exponent", "abs": "absolute distance difference", "sorted": "sort sorted ascending order increasing",
    "sort": "sort sorted ascending order increasing", "reverse": "descending reverse reversed decreasing", "set": "unique distinct duplicate duplicates common",
    "lower": "lowercase lower case", "islower": "lowercase lower", "upper": "uppercase upper capital", "isupper": "uppercase upper capital",
    "len": "length number count many size", "sum": "sum total", "max": "max maximum largest greatest biggest longest highest most",
    "min": "min minimum smallest least shortest lowest", "round": "round rounded nearest", "ceil": "up ceiling", "floor": "down floor", "int": "integer whole decimal",
    "str": "string digits", "strip": "whitespace spaces", "isalpha": "letter letters alphabet", "isdigit": "digit digits", "None": "None", "True": "True", "False": "False",
    "any": "any", "all": "all every", "not": "not", "reversed": "reverse reversed backwards", "swapcase": "case", "bin": "binary", "hex": "hex hexadecimal",
    "count": "count number occurrences times", "ord": "ascii ASCII", "index": "index indices position", "enumerate": "index indices position", "prod": "product",
    "sqrt": "square root", "split": "words", "float": "decimal", "startswith": "starts start begins prefix", "endswith": "ends end suffix",
}  # fmt: skip
_WORDS = {token: frozenset(words.split()) for token, words in _SAID.items()}
_SIGNS = frozenset({"+", "-", "*", "/", "//", "%", "**"})
_TOKEN = re.compile(r"""'[^'\n]*'|"[^"\n]*"|\d+(?:\.\d+)?|\w+|\*\*|//|[-+*/%]""")


def weigh_change(s: Scope, change: Change) -> float:
    """How much likelier the description makes a change. Thousands of changes bring in the same at other places: each is read once."""
    own = OWN_SORT if _sorts_by_itself(s) and any(re.search(r"\bsorted\b", new) for _, _, new in change.edits) else 1.0
    if not s.described_words:
        return own
    known, text, edits = _list_known(s), s.text, change.edits
    if len(edits) == 1:  # nearly all of them
        start, end, new = edits[0]
        key: tuple[tuple[str, str], ...] = ((text[start:end], new),)
    else:
        key = tuple((text[start:end], new) for start, end, new in edits)
    weight = known.get(key)
    if weight is None:
        weight = known[key] = _weigh_texts(s, key)
    return own * min(weight, 1.0) if own < 1 else weight


@cache_on_scope
def _sorts_by_itself(s: Scope) -> bool:
    """Whether it is a function that is called after sorting, has a loop, and nobody else sorts for it: that is what it is for."""
    names = [n.name for n in s.order if isinstance(n, ast.FunctionDef)]
    has_loop = any(isinstance(n, ast.For | ast.While) for n in s.order)
    return has_loop and any("sort" in name.lower() for name in names) and not re.search(r"\bsorted\(|\.sort\(", s.text)


@cache_on_scope
def _list_known(s: Scope) -> dict[tuple[tuple[str, str], ...], float]:
    return {}


@cache_on_scope
def _list_tokens(s: Scope) -> dict[str, list[str]]:
    """The tokens of each text that was read."""
    return {}


@cache_on_scope
def _list_said(s: Scope) -> dict[str, bool]:
    """Of each token that was asked for, whether the description speaks of it."""
    return {}


def _weigh_texts(s: Scope, texts: Sequence[tuple[str, str]]) -> float:
    """How much likelier the description makes it that these (old, new) texts stand for each other."""
    tokens = _list_tokens(s)
    more: dict[str, int] = {}
    for pair in texts:
        for text, step in zip(pair, (-1, 1), strict=True):
            if text not in tokens:
                tokens[text] = _TOKEN.findall(text)
            for token in tokens[text]:
                more[token] = more.get(token, 0) + step
    fresh = [token for token, n in more.items() if n > 0]
    if "1" in fresh and set(fresh) <= {"+", "-", "1"}:  # one off: no word of the description speaks of that
        return 1.0
    gone = [token for token, n in more.items() if n < 0]
    if any(token.isdigit() for token in gone):  # an operand goes with its operator
        gone = [token for token in gone if token not in _SIGNS]
    said = _list_said(s)
    for token in (*fresh, *gone):
        if token not in said:
            said[token] = _is_said(s, token)
    added, lost = (any(said[token] for token in side) for side in (fresh, gone))
    return (GAIN if added else 1.0) * (LOSS if lost else 1.0)


def _is_said(s: Scope, token: str) -> bool:
    if token[0] in "'\"":
        return token[1:-1] in s.described_strings
    if token[0].isdigit():
        return token not in ("0", "1") and (float(token) if "." in token else int(token)) in s.described_numbers
    return bool(_WORDS.get(token, frozenset()) & s.described_words)
