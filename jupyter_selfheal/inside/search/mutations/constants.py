"""Mutation operators over constants: one off, another one of the function, the usual texts, all at once."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.operators import DIVIDES, asks_for_divisor, is_great_number
from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope

ALPHABET, WORD, LIKE = 3, 4, 0.75
"""Letters of a text that may be an alphabet, and of one that may be a misspelt word of the description, which is so much alike."""

VOWELS = frozenset("aeiouAEIOU")
"""Letters that are looked for together."""


def propose_constants(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A number one off, another number of the function, True for False, another text, and the same everywhere at once."""
    if not isinstance(node, ast.Constant) or s.is_doc(node):
        return
    old, value = s.text_of(node), node.value
    for new, prior in _list_replacements(s, node):
        if new == old or s.repeats_key(node, new):
            continue
        if _is_idle(s, node, new) or is_great_number(s.parents[node]):
            prior *= 0.3
        if isinstance(parent := s.parents[node], ast.Compare) and asks_for_divisor(parent.left, node):
            prior *= DIVIDES
        yield Change((s.replace_node(node, new),), prior, node.lineno, f"`{old}` should be `{new}`")
        sign = _read_sign(s, node)
        same = [n for n in group_equal_constants(s).get((type(value), value), ()) if _read_sign(s, n) == sign]
        if len(same) > 1 and same[0] is node:
            yield Change(
                tuple(s.replace_node(n, new) for n in same),
                prior * 0.5,
                node.lineno,
                f"every `{old}` should be `{new}`",
            )


@cache_on_scope
def group_equal_constants(s: Scope) -> dict[tuple[type, object], list[ast.Constant]]:
    """The constants of a statement by type and value."""
    groups: dict[tuple[type, object], list[ast.Constant]] = {}
    for node in s.order:
        if isinstance(node, ast.Constant) and node not in s.frozen:
            groups.setdefault((type(node.value), node.value), []).append(node)
    return groups


def _read_sign(s: Scope, node: ast.Constant) -> str:
    """The sign before a number: the 1 of ``n - 1`` is another one than that of ``n + 1``."""
    before = s.text[: s.start_of(node)].rstrip()[-1:]
    return before if before and before in "+-" else ""


def _is_idle(s: Scope, node: ast.Constant, new: str) -> bool:
    """True for ``x + 0`` and ``x * 1``: leaving the operand out says the same better, and so does ``-1`` for ``(-1) ** 3``; and for a
    value that its list has already."""
    parent = s.parents[node]
    if isinstance(parent, ast.UnaryOp):
        return new == "0"
    if isinstance(parent, ast.AugAssign):
        return new == ("0" if isinstance(parent.op, ast.Add | ast.Sub) else "1")
    if isinstance(parent, ast.List | ast.Set | ast.Dict | ast.Tuple) and len(_list_siblings(parent)) > 2:
        return _is_odd_one(parent, node, new)
    if not isinstance(parent, ast.BinOp):
        return False
    if isinstance(parent.op, ast.Pow) and node is parent.right and s.text_of(parent.left) in ("1", "-1"):
        return True
    return (new == "0" and not isinstance(parent.op, ast.Mod)) or (
        new == "1" and isinstance(parent.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Pow) and node is parent.right
    )


def _list_siblings(parent: ast.AST) -> list[ast.expr]:
    return parent.keys if isinstance(parent, ast.Dict) else parent.elts  # type: ignore[return-value, attr-defined]


def _is_odd_one(parent: ast.AST, node: ast.Constant, new: str) -> bool:
    """True for a value that stands in the same literal already, or is longer or shorter than all others there."""
    others = [e for e in _list_siblings(parent) if e is not node]
    if not all(isinstance(e, ast.Constant) for e in others):
        return False
    if isinstance(parent, ast.Dict) and node not in parent.keys:
        return False
    lengths = {len(e.value) for e in others if isinstance(e, ast.Constant) and isinstance(e.value, str)}
    odd = len(lengths) == 1 and new[:1] in "'\"" and len(new) - 2 not in lengths
    return odd or any(ast.unparse(e) == new for e in others)


def _list_replacements(s: Scope, node: ast.Constant) -> Iterator[tuple[str, float]]:
    value = node.value
    if isinstance(value, bool):
        yield str(not value), 0.75
    elif isinstance(value, int):
        if isinstance(parent := s.parents[node], ast.Subscript) and parent.slice is node and value > 0:
            yield str(-value - 1), 0.4  # as far from the other end
        yield from _list_integers(s, value)
    elif isinstance(value, float):
        yield from _list_floats(s, value)
    elif isinstance(value, str):
        yield from _list_larger_alphabets(s, node, value)
        yield from _list_texts(s, value)
    elif value is None:
        yield from _list_instead_of_none(s, node)


def _list_integers(s: Scope, value: int) -> Iterator[tuple[str, float]]:
    yield from [(str(value + 1), 0.75), (str(value - 1), 0.75)]
    for other, prior in ((0, 0.5), (1, 0.5), (-1, 0.35), (2, 0.3), (10, 0.3)):
        yield str(other), prior
    for number in s.numbers:
        yield repr(number), 0.35
    for described in s.described_numbers:
        yield repr(described), 0.4
    for digit in range(3, 10):
        yield str(digit), 0.12
    yield from [
        (str(-value), 0.45),
        (str(value * 100), 0.12),
        (str(value // 2), 0.1),
        (str(value + 10), 0.06),
        (str(value - 10), 0.06),
        *(
            (str(common), 0.06)
            for common in (12, 16, 26, 32, 48, 60, 64, 65, 90, 97, 100, 122, 128, 255, 256, 360, 1000)
        ),
        (str(value * 10), 0.2),
        (str(value * 2), 0.15),
        (str(value + 2), 0.15),
        (str(value - 2), 0.15),
    ]
    if value > 9 and value % 10 not in (0, value // 10 % 10):
        yield str(value)[:-2] + str(value)[-1] + str(value)[-2], 0.3  # 23 for 32
    if value % 10 == 0 and value:
        yield str(value // 10), 0.2
    yield from [
        (f"{value}.0", 0.1),
        ("float('inf')", 0.12),
        ("float('-inf')", 0.12),
        ("None", 0.08),
        ("True", 0.05),
        ("False", 0.05),
        ("''", 0.05),
        ("[]", 0.05),
    ]


def _list_floats(s: Scope, value: float) -> Iterator[tuple[str, float]]:
    for near in (
        value + 1,
        value - 1,
        value * 10,
        value / 10,
        -value,
        1 / value if value else 1.0,
        0.0,
        1.0,
        0.5,
        value * 2,
        value / 2,
    ):
        yield repr(round(near, 12)), 0.3
    for described in s.described_numbers:
        yield repr(described), 0.35
    for number in s.numbers:
        yield repr(number), 0.35


def _list_instead_of_none(s: Scope, node: ast.Constant) -> Iterator[tuple[str, float]]:
    parent = s.parents.get(node)
    known = [
        ("False", 0.3),
        ("[]", 0.35),
        ("0", 0.35),
        ("True", 0.2),
        ("''", 0.3),
        ("-1", 0.2),
        ("{}", 0.15),
        ("1", 0.1),
    ]
    yield from known
    if isinstance(parent, ast.Return):
        for name in s.values:
            yield name, 0.45


def _list_texts(s: Scope, value: str) -> Iterator[tuple[str, float]]:
    for other in s.strings:
        yield repr(other), 0.4
    for other in (
        "",
        " ",
        ",",
        ", ",
        "\n",
        value.lower(),
        value.upper(),
        value.strip(),
        value + " ",
        value[::-1],
        value.title(),
    ):
        yield repr(other), 0.25
    yield from _list_lazy_patterns(value)
    yield from _list_shorter_texts(value)
    for described in s.described_strings:
        yield repr(described), 0.4
    if _is_alphabet(value):
        yield repr(value + value.swapcase()), 0.35
    if len(value) >= WORD:
        for word in difflib.get_close_matches(value, sorted(s.described_words - {value}), 2, LIKE):
            yield repr(word), 0.4
    yield from _list_respelt_texts(value)


def _list_lazy_patterns(value: str) -> Iterator[tuple[str, float]]:
    """A pattern whose ``.*`` or ``.+`` takes as little as it can: as much as it can is what is seldom meant."""
    lazy = re.sub(r"(?<!\\)(\.[*+])(?![?+])", r"\1?", value)
    if lazy != value:
        yield repr(lazy), 0.5


def _list_shorter_texts(value: str) -> Iterator[tuple[str, float]]:
    """The text without one character, and without that one everywhere in both cases."""
    if 1 < len(value) <= 12:
        for n in range(len(value)):
            yield repr(value[:n] + value[n + 1 :]), 0.15
            both = value.replace(value[n].lower(), "").replace(value[n].upper(), "")
            yield repr(both), 0.12


def _is_alphabet(value: str) -> bool:
    """True for different letters of one case, which the other case may have been left out of."""
    is_one_case = value in (value.lower(), value.upper())
    return len(value) >= ALPHABET and value.isalpha() and len(set(value)) == len(value) and is_one_case


def _list_larger_alphabets(s: Scope, node: ast.Constant, value: str) -> Iterator[tuple[str, float]]:
    """One more letter where something is looked for among these: ``c in "aeio"`` for ``c in "aeiou"``."""
    parent = s.parents[node]
    is_asked = (
        isinstance(parent, ast.Compare) and node in parent.comparators and isinstance(parent.ops[0], ast.In | ast.NotIn)
    )
    if is_asked and _is_alphabet(value):
        first = "a" if value == value.lower() else "A"
        for letter in (chr(ord(first) + n) for n in range(26)):
            if letter not in value:
                yield repr(value + letter), 0.6 if {*value, letter} <= VOWELS else 0.2


def _list_respelt_texts(value: str) -> Iterator[tuple[str, float]]:
    """Another character, another sign, a character more, something else that is empty."""
    if len(value) == 1:
        for letter in _list_near_letters(value):
            yield repr(letter), 0.12
    if value[:1] in ("-", "+"):
        yield repr(value[1:]), 0.35
    elif value in ("inf", "infinity"):
        yield repr("-" + value), 0.5
    if len(value) <= 12 and value.isalnum():
        for letter in "aeiouybcdfghjklmnpqrstvwxz0123456789AEIOUBCDFGHJKLMNPQRSTVWXYZ":
            yield repr(value + letter), 0.06
    if value == "":
        yield "None", 0.1
        yield "[]", 0.1


def _list_near_letters(letter: str) -> str:
    """What may stand for one character: the other case, then characters of its kind, the nearest first; any sign for a sign."""
    for kind in ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
        if letter in kind:
            return letter.swapcase() + "".join(sorted(kind, key=lambda c: abs(kind.index(c) - kind.index(letter))))
    return " ,.;:!?-_+*/()[]{}<>=#@%&|^~'\"\n\t"
