"""Mutation operators for values that have another shape than what they are put beside: one item where lists are given back, a list where a text
is, one letter compared with a whole text, one digit where two are written, all digits where some are; and for an ``else`` that does too much."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, TEXT, Change, Scope

_BETWEEN = (("", 0.35), (" ", 0.35), ("\\n", 0.35), (", ", 0.3))
"""What stands between the parts of a text, as it is written, and how likely it is."""
_FEW = (None, True, False, -1, "")
"""What is given back where there is nothing, beside lists too."""
_UNITS = (60, 100)
"""What the rest of a division is written with two digits for: minutes, seconds, cents."""
_ROUNDED = re.compile(r"(?i)\bround|\bcents?\b|\bdecimals?\b|\bdigits?\b")
_ROUNDED_SLOT = re.compile(r"(?<=\{)(round\(([^(){}:,]+), *([0-9])\))(?=\})")
"""``round(x, 2)`` in a text, and what it rounds."""
_DATE = re.compile(r"""f(["'])\{([^{}:!]+)\}([-./:])\{([^{}:!]+)\}\3\{([^{}:!]+)\}\1""")
"""Three values with the same sign between them, and nothing else: a date, or a time with its seconds."""
_SLOT = re.compile(r"(?<=[:.])\{([^{}:!]+)\}")


def propose_results_as_lists(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return [i]`` for ``return i`` in a function that gives back lists elsewhere; in all such places at once, and in each."""
    if not isinstance(node, ast.FunctionDef):
        return
    returns = [n for n in ast.walk(node) if isinstance(n, ast.Return) and n.value and s.find_function(n) is node]
    lists = {
        n.targets[0].id
        for n in ast.walk(node)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and _is_list(n.value, frozenset())
    }
    single = [n.value for n in returns if n.value and _is_item(s, n.value, frozenset(lists))]
    if not single or not any(_is_list(n.value, frozenset(lists)) for n in returns):
        return
    edits = tuple(sorted((s.start_of(v), s.end_of(v), f"[{s.text_of(v)}]") for v in single))
    words = f"`{s.text_of(single[0])}` is given back where lists are elsewhere"
    yield Change(edits, 0.6, single[0].lineno, words)
    for value, edit in zip(single, edits, strict=False) if len(single) > 1 else ():
        yield Change((edit,), 0.3, value.lineno, words)


def _is_list(value: ast.expr | None, lists: frozenset[str]) -> bool:
    match value:
        case ast.List() | ast.ListComp() | ast.Call(ast.Name("list" | "sorted")):
            return True
        case ast.Name(name):
            return name in lists
        case ast.BinOp(left, ast.Add(), right):
            return _is_list(left, lists) or _is_list(right, lists)
    return False


def _is_item(s: Scope, value: ast.expr, lists: frozenset[str]) -> bool:
    match value:
        case ast.Constant(constant):
            return constant not in _FEW or constant == 1
        case ast.Tuple() | ast.Call(ast.Name("len" | "sum" | "min" | "max")):
            return True
        case ast.Name(name):
            return name not in lists and not s.hints.kinds.get(name, frozenset()) & {ITEMS, DICT}
    return False


def propose_joined_text(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return "\\n".join(lines)`` for ``return lines``."""
    match node:
        case ast.Return(value=ast.Name(name) as value) if ITEMS in s.hints.kinds.get(name, frozenset({ITEMS})):
            made = s.find_function(node)
        case _:
            return
    fills = re.compile(rf"\b{name}(?:\.(?:append|insert)\(| = (?:\[\S|\w+\.split))")
    if isinstance(made, ast.FunctionDef) and fills.search(s.text_of(made)):
        for between, prior in _BETWEEN:
            new = f'"{between}".join({name})'
            yield Change((s.replace_node(value, new),), prior, node.lineno, f"`{name}` is to be one text")


def propose_part_at_place(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``text[i:i + len(part)] == part`` for ``text[i] == part``, where both are texts, or both lists."""
    match node:
        case ast.Compare(ast.Subscript(ast.Name(whole), ast.Name(place)) as item, [ast.Eq() | ast.NotEq()], [ast.Name(part)]):  # fmt: skip
            kinds = [s.hints.kinds.get(name, frozenset()) & {TEXT, ITEMS} for name in (whole, part)]
        case _:
            return
    if kinds[0] and kinds[0] == kinds[1]:
        new = f"{whole}[{place}:{place} + len({part})]"
        words = f"`{s.text_of(item)}` is no longer than one, and `{part}` may be"
        yield Change((s.replace_node(item, new),), 0.6, node.lineno, words)


def propose_two_digits(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``str(rest).zfill(2)`` and ``{rest:02d}`` for minutes, seconds and cents behind a point or colon."""
    edits: list[Edit] = []
    match node:
        case ast.BinOp(left, ast.Add(), ast.Call(ast.Name("str"), [value], []) as call):
            before = left.right if isinstance(left, ast.BinOp) else left
            text = before.value if isinstance(before, ast.Constant) else ""
            if str(text)[-1:] in (".", ":") and _is_rest(s, s.text_of(value)):
                edits = [(s.end_of(call), s.end_of(call), ".zfill(2)")]
        case ast.JoinedStr():
            start = s.start_of(node)
            slots = [m for m in _SLOT.finditer(s.text_of(node)) if _is_rest(s, m[1])]
            edits = [(start + m.end(1), start + m.end(1), ":02d") for m in slots]
    if edits:
        yield Change(tuple(edits), 0.6, node.lineno, "a number below ten lacks its second digit")  # type: ignore[attr-defined]


def propose_formats(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``{price:.2f}`` for ``{round(price, 2)}``, which drops the last zero; ``{day:02d}.{month:02d}`` for the parts of a date or time."""
    if not isinstance(node, ast.Return | ast.Assign | ast.Expr | ast.AugAssign):
        return  # within a formatted text nothing is changed by itself
    for text in (n for n in ast.walk(node) if isinstance(n, ast.JoinedStr)):
        yield from _propose_formats_of(s, text)
        yield from propose_two_digits(s, text)


def _propose_formats_of(s: Scope, node: ast.JoinedStr) -> Iterator[Change]:
    start, text = s.start_of(node), s.text_of(node)
    rounded = list(_ROUNDED_SLOT.finditer(text))
    if rounded:
        edits = tuple((start + m.start(1), start + m.end(1), f"{m[2]}:.{m[3]}f") for m in rounded)
        yield Change(edits, 0.7, node.lineno, f"`{rounded[0][1]}` drops zeros at the end")
    elif parts := _DATE.fullmatch(text):
        ends = (start + parts.end(n) for n in (2, 4, 5) if not parts[n].startswith("y"))  # a year has four
        words = "a number below ten lacks its second digit"
        yield Change(tuple((end, end, ":02d") for end in ends), 0.6, node.lineno, words)


def _is_rest(s: Scope, text: str) -> bool:
    """Whether a value is what a division by one of ``_UNITS`` leaves."""
    text = text.strip("() ")
    if any(re.search(rf"%\s*{unit}$", text) for unit in _UNITS):
        return True
    if not text.isidentifier():
        return False
    units = "|".join(map(str, _UNITS))
    left = rf"\b{text} = [^\n]*%\s*(?:{units})\b|, {text} = divmod\([^\n]*\b(?:{units})\)|\b{text} -= [^\n]*\* (?:{units})\b"
    return re.search(left, s.text) is not None


def propose_rounded(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return round(total, 2)`` for ``return total``."""
    match node:
        case ast.Return(value=ast.Name() | ast.BinOp() as value) if s.may_be(value, NUMBER):
            text = s.text_of(value)
        case _:
            return
    told = 2.0 if _ROUNDED.search(s.text_of(s.find_function(node))) else 1.0
    for digits, prior in ((2, 0.2), (1, 0.1)) if "round(" not in text else ():
        change = s.replace_node(value, f"round({text}, {digits})")
        yield Change((change,), prior * told, node.lineno, f"`{text}` is to be rounded")


def propose_no_else(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Nothing for an ``else`` in a loop, whose rounds go on without it."""
    if not isinstance(node, ast.If) or not node.orelse or not s.is_in_loop(node) or s.is_elif(node, node.orelse):
        return
    start = s.find_line_span(node.body[-1])[1]
    end = s.find_line_span(node.orelse[-1])[1]
    if not any(isinstance(n, ast.Return) for n in ast.walk(node)):
        yield Change(((start, end, ""),), 0.3, node.orelse[0].lineno, "the `else` is too much")


def propose_rows(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[[a, b], [c, d]]`` for ``[a, b, c, d]``: rows are asked for, and one row is written."""
    if not isinstance(node, ast.List) or not s.is_read(node) or len(node.elts) not in (4, 6, 8, 9):
        return
    if any(isinstance(n, ast.List | ast.Tuple | ast.Starred | ast.Constant) for n in node.elts):
        return
    given = [s.text_of(n) for n in node.elts]
    for size in (n for n in (2, 3, 4) if len(given) % n == 0 and n < len(given)):
        rows = (f"[{', '.join(given[at : at + size])}]" for at in range(0, len(given), size))
        words = f"`{s.text_of(node)}` is to be rows of {size}"
        yield Change((s.replace_node(node, f"[{', '.join(rows)}]"),), 0.3, node.lineno, words)


OPERATORS = (
    propose_rows,
    propose_results_as_lists,
    propose_joined_text,
    propose_part_at_place,
    propose_two_digits,
    propose_formats,
    propose_rounded,
    propose_no_else,
)
