"""Mutation operators that put more around an expression: a call, a slice, an operand, or another expression."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.off_by_one import propose_off_by_one
from jupyter_selfheal.inside.search.mutations.operators import may_be_items
from jupyter_selfheal.inside.search.scope import (
    DICT,
    FUNCTIONS,
    ITEMS,
    NUMBER,
    RETURNS,
    SET,
    TEXT,
    TRUTH,
    Change,
    Scope,
    cache_on_scope,
)

_WRAPS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("abs", (NUMBER,), 0.45), ("len", (ITEMS, TEXT, SET, DICT), 0.4), ("sorted", (ITEMS, TEXT, SET, DICT), 0.45), ("list", (ITEMS, TEXT, SET, DICT), 0.3),
    ("set", (ITEMS, TEXT), 0.35), ("int", (NUMBER, TEXT), 0.35), ("str", (NUMBER, TEXT, TRUTH), 0.35), ("float", (NUMBER, TEXT), 0.2),
    ("sum", (ITEMS, SET), 0.25), ("max", (ITEMS, SET), 0.2), ("min", (ITEMS, SET), 0.2), ("tuple", (ITEMS,), 0.15), ("bool", (), 0.05),
    ("round", (NUMBER,), 0.2), ("reversed", (ITEMS, TEXT), 0.15), ("range", (NUMBER,), 0.15), ("any", (ITEMS,), 0.1), ("all", (ITEMS,), 0.1),
    ("bin", (NUMBER,), 0.08),
)  # fmt: skip
_AFTER: tuple[tuple[str, tuple[str, ...], float], ...] = (
    (".lower()", (TEXT,), 0.4), (".upper()", (TEXT,), 0.25), (".strip()", (TEXT,), 0.3), (".split()", (TEXT,), 0.25), ("[::-1]", (TEXT, ITEMS), 0.35),
    ("[1:]", (TEXT, ITEMS), 0.4), ("[:-1]", (TEXT, ITEMS), 0.3), ("[0]", (TEXT, ITEMS), 0.25), ("[-1]", (TEXT, ITEMS), 0.25), ("[1]", (ITEMS,), 0.12),
    (".copy()", (ITEMS, SET, DICT), 0.25), (".items()", (DICT,), 0.3), (".values()", (DICT,), 0.3), (".keys()", (DICT,), 0.2), (".isdigit()", (TEXT,), 0.1),
    (".T", ("ndarray", "DataFrame"), 0.4), ("[::2]", (TEXT, ITEMS), 0.2), ("[1::2]", (TEXT, ITEMS), 0.12), (".swapcase()", (TEXT,), 0.1), (".capitalize()", (TEXT,), 0.1), (".isalpha()", (TEXT,), 0.1), (".sum()", ("ndarray", "Series"), 0.15), (".mean()", ("ndarray", "Series"), 0.15),
)  # fmt: skip
_COLLECTED = frozenset({"sorted", "list", "set", "tuple", "reversed", "range"})
"""Calls that give a collection, which one letter is none of."""


def is_usable(s: Scope, node: ast.AST) -> bool:
    """True for a value that an expression could stand around."""
    parent = s.parents.get(node)
    if not isinstance(node, ast.expr) or not s.is_read(node) or isinstance(node, ast.Starred | ast.Slice | ast.Lambda):
        return False
    if isinstance(parent, ast.Expr | ast.Starred) or (isinstance(parent, ast.Call) and node is parent.func):
        return False
    if isinstance(parent, ast.arguments | FUNCTIONS | ast.ClassDef | ast.ExceptHandler | ast.Raise):
        return False
    return not (
        isinstance(parent, ast.Attribute) and not isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Constant)
    )


def propose_wraps(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``abs(x)``, ``sorted(x)``, ``x.lower()``, ``x[1:]`` for ``x``."""
    if not is_usable(s, node) or isinstance(node, ast.Constant | ast.Tuple | ast.BoolOp | ast.Compare):
        return
    assert isinstance(node, ast.expr)
    text, atom, kinds = s.text_of(node), s.parenthesize(node), s.infer_kinds(node)
    parent = s.parents[node]
    looped = isinstance(parent, ast.For | ast.comprehension) and node is parent.iter
    simple = 1.0 if isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Subscript) else 0.7
    around = getattr(parent.func, "id", "") if isinstance(parent, ast.Call) else ""
    compared = _find_compared(s, node)
    is_letter = isinstance(node, ast.Name) and node.id in _list_letters(s)
    for name, fits, prior in _WRAPS:
        if _is_never_equal(name, compared) or (is_letter and name in _COLLECTED):
            continue
        if around == name or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == name):
            continue
        prior *= simple * _rate_fit(kinds, fits)
        if name == "len" and getattr(s.find_function(node), "name", "") == "__len__":
            prior = 0.9  # the method's own name says so
        if looped:
            prior = {"list": 0.55, "sorted": 0.5, "set": 0.4, "reversed": 0.45, "range": 0.3}.get(name, 0.05)
        inner = text if text.startswith("(") and isinstance(node, ast.GeneratorExp) else f"({text})"
        yield Change(
            (s.replace_node(node, f"{name}{inner}"),), prior, node.lineno, f"`{text}` should be `{name}({text})`"
        )
    if s.may_be(node, ITEMS, TEXT, SET, DICT) and not compared:
        new = f"sorted({text}, reverse=True)"
        yield Change((s.replace_node(node, new),), 0.25 * simple, node.lineno, f"`{text}` should be `{new}`")
    if looped:
        yield Change((s.replace_node(node, f"enumerate({text})"),), 0.1, node.lineno, f"`{text}` should be enumerated")
        yield Change(
            (s.replace_node(node, f"range(len({text}))"),),
            0.3,
            node.lineno,
            f"`{text}` should be counted through by index",
        )
        if (kinds and kinds <= {NUMBER}) or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len"):
            yield Change(
                (s.replace_node(node, f"range({text})"),), 0.5, node.lineno, f"`{text}` should be `range({text})`"
            )
    for after, fits, prior in _AFTER:
        if is_letter and (after.startswith("[") or after == ".split()"):
            continue
        if isinstance(node, ast.List) and ":" in after and after != "[::-1]":
            continue  # what is written down is not cut right there
        yield Change(
            (s.replace_node(node, f"{atom}{after}"),),
            prior * simple * _rate_fit(kinds, fits),
            node.lineno,
            f"`{text}` should be `{text}{after}`",
        )
    for name in s.functions:
        if name != around:
            yield Change(
                (s.replace_node(node, f"{name}({text})"),), 0.15, node.lineno, f"`{text}` should be `{name}({text})`"
            )


def _find_compared(s: Scope, node: ast.expr) -> frozenset[str]:
    """The kind of the number or text that a value is asked to equal (``letter == "("``); empty where it is asked no such thing."""
    parent = s.parents[node]
    if not isinstance(parent, ast.Compare) or not isinstance(parent.ops[0], ast.Eq | ast.NotEq):
        return frozenset()
    others = [n for n in (parent.left, *parent.comparators) if n is not node]
    is_plain = len(others) == 1 and isinstance(others[0], ast.Constant) and type(others[0].value) in (int, float, str)
    return s.infer_kinds(others[0]) if is_plain else frozenset()


def _is_never_equal(name: str, compared: frozenset[str]) -> bool:
    """Whether what a builtin gives is of another kind than all that it is compared with: ``len(letter) == "("``."""
    given = RETURNS.get(name, frozenset())
    return bool(compared and given) and not compared & given


@cache_on_scope
def _list_letters(s: Scope) -> frozenset[str]:
    """Variables of loops through texts and nothing else: of a single letter nothing is sorted, cut or turned round."""
    through: dict[str, list[ast.expr]] = {}
    for node in s.order:
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            through.setdefault(node.target.id, []).append(node.iter)
    return frozenset(name for name, texts in through.items() if all(s.infer_kinds(text) == {TEXT} for text in texts))


def _rate_fit(kinds: frozenset[str], fits: tuple[str, ...]) -> float:
    return 0.5 if not kinds else 1.0 if kinds & set(fits) else 0.08


def propose_slices(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``x[k:]``, ``x[:k]`` and ``x[k]`` for ``x``, with a name of the scope."""
    if not isinstance(node, ast.Name) or not is_usable(s, node) or not may_be_items(s, node):
        if not (isinstance(node, ast.Name) and is_usable(s, node) and s.may_be(node, DICT, "ndarray")):
            return
        whole = [n for n in s.values if n != node.id]
        for name in whole:
            yield Change(
                (s.replace_node(node, f"{node.id}[{name}]"),),
                0.15,
                node.lineno,
                f"`{node.id}` should be `{node.id}[{name}]`",
            )
        return
    for name in s.values:
        if name != node.id and s.name_may_be(name, frozenset({NUMBER})):
            for text, prior in (
                (f"[{name}:]", 0.25),
                (f"[:{name}]", 0.22),
                (f"[{name}]", 0.2),
                (f"[{name} + 1:]", 0.08),
                (f"[:{name} + 1]", 0.08),
            ):
                yield Change(
                    (s.replace_node(node, node.id + text),),
                    prior,
                    node.lineno,
                    f"`{node.id}` should be `{node.id}{text}`",
                )


def propose_operands(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``e - v``, ``v + e``, ``e * e``, ``e ** 2``, ``e % m`` for ``e``: an operand is missing."""
    if not is_usable(s, node) or isinstance(node, ast.Tuple | ast.List | ast.BoolOp | ast.Dict | ast.GeneratorExp):
        return
    assert isinstance(node, ast.expr)
    text, atom, kinds, line = s.text_of(node), s.parenthesize(node), s.infer_kinds(node), node.lineno
    parent = s.parents[node]
    if isinstance(parent, ast.Attribute | ast.keyword | ast.For | ast.comprehension) or (
        isinstance(node, ast.Constant) and node.value is None
    ):
        return
    place = (
        1.0 if isinstance(parent, ast.Return | ast.Assign | ast.AugAssign | ast.Call | ast.BinOp | ast.Compare) else 0.6
    )
    if isinstance(node, ast.Constant):
        place *= 0.25
    for name in s.values:
        joined = kinds and not kinds <= {NUMBER, TRUTH}
        if name == text or not s.name_may_be(name, kinds or frozenset({NUMBER, TEXT, ITEMS})):
            continue
        known = 1.0 if kinds and s.hints.kinds.get(name) else 0.6
        for op, prior in (("+", 0.28), ("-", 0.28)) if not joined else (("+", 0.28),):
            yield Change(
                (s.replace_node(node, f"{atom} {op} {name}"),),
                prior * place * known,
                line,
                f"`{text}` lacks `{op} {name}`",
            )
        if joined:
            yield Change(
                (s.replace_node(node, f"{name} + {atom}"),), 0.28 * place * known, line, f"`{text}` lacks `{name} +`"
            )
        else:
            for op, prior in (("*", 0.16), ("/", 0.1), ("//", 0.08), ("%", 0.12)):
                yield Change(
                    (s.replace_node(node, f"{atom} {op} {name}"),),
                    prior * place * known,
                    line,
                    f"`{text}` lacks `{op} {name}`",
                )
            yield Change(
                (s.replace_node(node, f"{name} - {atom}"),), 0.14 * place * known, line, f"`{text}` lacks `{name} -`"
            )
    yield from _propose_numeric(s, node, text, atom, place)
    for function in s.functions:
        if isinstance(parent, ast.Return):
            for name in s.values:
                yield Change(
                    (s.replace_node(node, f"{atom} + {function}({name})"),),
                    0.05,
                    line,
                    f"`{text}` lacks `+ {function}({name})`",
                )


_OF_HUNDRED = re.compile(r"percent|pct|prozent|rate|discount|interest|tax", re.IGNORECASE)
"""Names of what is told in parts of a hundred."""


def _propose_numeric(s: Scope, node: ast.expr, text: str, atom: str, place: float) -> Iterator[Change]:
    if not s.may_be(node, NUMBER):
        if s.may_be(node, ITEMS, TEXT) and isinstance(node, ast.Name | ast.List | ast.Subscript | ast.BinOp):
            yield Change((s.replace_node(node, f"{atom} * 2"),), 0.08, node.lineno, f"`{text}` should be `{text} * 2`")
        return
    for after, prior in (
        ("** 2", 0.25), ("* 2", 0.2), ("// 2", 0.2), ("/ 2", 0.18), ("% 2", 0.15), ("* 100", 0.2), ("/ 100", 0.2), ("% 10", 0.08), ("// 10", 0.08), ("+ 2", 0.08), ("- 2", 0.08),
        ("** 0.5", 0.12), ("** 3", 0.06),
    ):  # fmt: skip
        if after == "/ 100" and isinstance(node, ast.Name) and _OF_HUNDRED.search(node.id):
            prior = 0.4
        yield Change(
            (s.replace_node(node, f"{atom} {after}"),),
            prior * place,
            node.lineno,
            f"`{text}` should be `{text} {after}`",
        )
    yield Change((s.replace_node(node, f"-{atom}"),), 0.1 * place, node.lineno, f"`{text}` should be `-{atom}`")
    yield Change((s.replace_node(node, f"1 - {atom}"),), 0.12 * place, node.lineno, f"`{text}` should be `1 - {text}`")
    yield Change((s.replace_node(node, f"1 / {atom}"),), 0.05 * place, node.lineno, f"`{text}` should be `1 / {text}`")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        yield Change(
            (s.replace_node(node, f"{s.parenthesize(node.left)} / ({s.text_of(node.right)} - 1)"),),
            0.2,
            node.lineno,
            f"`{text}` divides by one too many",
        )


def propose_divisors(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``sum(… for x in xs) / len(xs)`` for ``sum(… for x in xs) / y``: a sum is divided by how many there are."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div | ast.FloorDiv):
        return
    total = node.left
    if (
        not isinstance(total, ast.Call)
        or getattr(total.func, "id", "") != "sum"
        or not total.args
        or node.right in s.frozen
    ):
        return
    items = total.args[0]
    if (
        isinstance(items, ast.GeneratorExp | ast.ListComp)
        and len(items.generators) == 1
        and not items.generators[0].ifs
    ):
        items = items.generators[0].iter
    count, old = f"len({s.text_of(items)})", s.text_of(node.right)
    if isinstance(items, ast.Name | ast.Attribute) and old != count:
        yield Change((s.replace_node(node.right, count),), 0.6, node.lineno, f"`{old}` should be `{count}`")


def propose_bounds(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``max(v, e)``, ``min(v, e)``, ``max(0, e)`` for a value that must not fall or rise."""
    parent = s.parents.get(node)
    if (
        not isinstance(parent, ast.Assign | ast.Return | ast.Call | ast.keyword)
        or not is_usable(s, node)
        or not s.may_be(node, NUMBER)
    ):
        return
    assert isinstance(node, ast.expr)
    prior = 0.35 if isinstance(parent, ast.Assign | ast.Return) else 0.12
    if isinstance(node, ast.Constant):
        prior *= 0.4
    targets = [s.text_of(t) for t in parent.targets] if isinstance(parent, ast.Assign) else []
    others = [*targets, "0", "1", *(v for v in s.values if v not in targets)]
    for n, other in enumerate(others):
        if other == s.text_of(node) or (n >= 3 and not s.name_may_be(other, frozenset({NUMBER}))):
            continue
        for name in ("max", "min"):
            weight = prior * (1.0 if n < 2 and other != "1" else 0.4)
            yield Change(
                (s.replace_node(node, f"{name}({other}, {s.text_of(node)})"),),
                weight,
                node.lineno,
                f"`{s.text_of(node)}` should be `{name}({other}, {s.text_of(node)})`",
            )


def propose_ingredients(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Another expression of the same function in this place (Le Goues et al. 2012, GenProg: the fix is often nearby)."""
    if not isinstance(
        node,
        ast.Name
        | ast.Subscript
        | ast.Call
        | ast.Attribute
        | ast.BinOp
        | ast.Constant
        | ast.Compare
        | ast.List
        | ast.IfExp,
    ):
        return
    parent = s.parents[node]
    if isinstance(parent, ast.Call) and node is parent.func:
        return
    if isinstance(node, ast.List) and node.elts and all(isinstance(e, ast.Constant) for e in node.elts):
        return  # somebody wrote these values down: another list in their place throws them away
    stored = not s.is_read(node)
    if not stored and not is_usable(s, node):
        return
    old, kinds = s.text_of(node), s.infer_kinds(node)
    for text, other in _list_ingredients(s).items():
        if text == old or (stored and not isinstance(other, ast.Subscript | ast.Attribute | ast.Name)):
            continue
        if stored and text.partition(".")[0] in s.modules:
            continue  # nobody sets what a module holds
        known = s.infer_kinds(other)
        prior = 0.16 if type(other) is type(node) else 0.09
        if kinds and known and not kinds & known:
            prior *= 0.2
        yield Change((s.replace_node(node, text),), prior, node.lineno, f"`{old}` should be `{text}`")
    if not isinstance(node, ast.Name):
        # what is worked out is no variable of a cell that this one does not speak of
        for name in s.values if isinstance(node, ast.Constant) else [n for n in s.values if n not in s.hints.nearby]:
            if not (isinstance(node, ast.Constant) and node.value is None):
                prior = (0.25 if not isinstance(node, ast.Constant) else 0.18) * (
                    1 if s.name_may_be(name, kinds) else 0.2
                )
                if isinstance(node, ast.Constant) and node.value == name:
                    prior = 0.8
                yield Change((s.replace_node(node, name),), prior, node.lineno, f"`{old}` should be `{name}`")


@cache_on_scope
def _list_ingredients(s: Scope) -> dict[str, ast.expr]:
    """Distinct short expressions of the source, by text."""
    ingredients: dict[str, ast.expr] = {}
    for node in s.order:
        if (
            isinstance(node, ast.Subscript | ast.Call | ast.Attribute | ast.BinOp | ast.Compare)
            and node not in s.frozen
        ):
            text = s.text_of(node)
            parent = s.parents[node]
            if len(text) <= 60 and "\n" not in text and not (isinstance(parent, ast.Call) and node is parent.func):
                ingredients.setdefault(text, node)
    return dict(list(ingredients.items())[:60])


OPERATORS = (
    propose_wraps,
    propose_slices,
    propose_operands,
    propose_divisors,
    propose_bounds,
    propose_ingredients,
    propose_off_by_one,
)
