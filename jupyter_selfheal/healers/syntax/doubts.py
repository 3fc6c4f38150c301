"""What speaks against a way to read a cell: it parses, and is hardly what somebody meant."""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax import token_edits
from jupyter_selfheal.healers.syntax.branches import list_one_branch_names
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.tokens import TEXT, split_tokens
from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.inside.self_comparisons import compares_with_itself


def count_doubts(source: str, known: frozenset[str], given: str = "") -> float:
    """What speaks against a reading: CPython's own warnings, names that nothing binds, statements that do nothing.

    ``known`` are the names of the notebook; ``given`` is the cell as it was written: a comparison that stood there is no doubt.
    """
    masked = src.mask(source)
    doubts = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            compile(masked, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return 0.0
    doubts += find_cost("doubt.warning") * len(caught)
    tree = parse_module("") if (parsed := src.parse(source)) is None else parsed
    nodes = tuple(ast.walk(tree))
    doubts += find_cost("doubt.unknown_name") * len(_list_unknown_names(nodes, known))
    doubts += find_cost("doubt.no_effect") * sum(_has_no_effect(n, source) for n in nodes)
    doubts += find_cost("doubt.arguments") * sum(has_other_arguments(n) for n in nodes)
    doubts += find_cost("doubt.return_in_loop") * sum(_returns_in_loop(n) for n in nodes)
    doubts += find_cost("doubt.never_reached") * sum(map(_has_unreached_statements, nodes))
    doubts += find_cost("doubt.asks_nothing") * (
        sum(_is_always_true(n) for n in nodes) + _count_self_comparisons(nodes, given)
    )
    doubts += find_cost("doubt.asks_sum") * sum(_asks_sum(n) for n in nodes)
    doubts += find_cost("doubt.reckons_with_truth") * sum(_reckons_with_truth(n) for n in nodes)
    doubts += find_cost("doubt.one_branch") * len(list_one_branch_names(tree, known))
    doubts += find_cost("doubt.touching_texts") * _count_touching_texts(source)
    return doubts


ARGUMENTS = {
    "len": (1, 1),
    "abs": (1, 1),
    "sum": (1, 2),
    "int": (0, 2),
    "float": (0, 1),
    "input": (0, 1),
    "range": (1, 3),
    "round": (1, 2),
}


PRINTING = frozenset({"sep", "end", "file", "flush", None})
"""What ``print`` is told beside its values; None stands for ``**``."""


def has_other_arguments(node: ast.AST) -> bool:
    """``len(x, 2)``: a builtin that takes no so many; ``print(Total=n)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        return not PRINTING.issuperset(k.arg for k in node.keywords)
    if (
        not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ARGUMENTS)
        or node.keywords
    ):
        return False
    least, most = ARGUMENTS[node.func.id]
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    return not starred and not least <= len(node.args) <= most


def _returns_in_loop(node: ast.AST) -> bool:
    """A function that ends with a loop whose body ends with `return`: the result was meant to stand behind it."""
    if not isinstance(node, ast.FunctionDef) or not isinstance(last := node.body[-1], ast.For | ast.While):
        return False
    inner: ast.stmt = last
    while isinstance(inner, ast.For | ast.While | ast.If):
        inner = inner.body[-1]
    return isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name)


def _count_touching_texts(source: str) -> int:
    """Texts that begin where another one ends: ``'is same as''.C'``. A quote was put in the wrong place."""
    texts = [t for t in split_tokens(source) if t.kind == TEXT]
    return sum(a.end == b.start for a, b in itertools.pairwise(texts))


def _list_unknown_names(nodes: Sequence[ast.AST], known: frozenset[str]) -> set[str]:
    bound = set(known) | token_edits.BUILTINS
    read: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return read - bound


def _has_no_effect(node: ast.AST, source: str) -> bool:
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return not isinstance(node.annotation, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp)
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return not (ast.get_source_segment(source, value) or "").endswith(('"""', "'''"))
    return not isinstance(value, ast.Call | ast.Await | ast.Yield | ast.YieldFrom) and not (
        isinstance(value, ast.Constant) and value.value is ...
    )


def _has_unreached_statements(node: ast.AST) -> bool:
    """A statement stands behind the ``return``, ``break`` or ``continue`` of its block."""
    blocks = (getattr(node, name, None) for name in ("body", "orelse"))
    return any(
        isinstance(s, ast.Return | ast.Break | ast.Continue)
        for block in blocks
        if isinstance(block, list)
        for s in block[:-1]
    )


def _is_always_true(node: ast.AST) -> bool:
    """``if (a, b):``, ``if c := 2:``."""
    test = node.test if isinstance(node, ast.If | ast.While | ast.IfExp) else None
    if isinstance(test, ast.NamedExpr):
        return isinstance(test.value, ast.Constant)
    return bool(isinstance(test, ast.Tuple | ast.List | ast.Set) and test.elts)


def _asks_sum(node: ast.AST) -> bool:
    """``if word + other:``, ``if year % 400 - 0 or last:``: what was to be compared is added up."""
    test = node.test if isinstance(node, ast.If | ast.While | ast.IfExp) else None
    asked = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(isinstance(t, ast.BinOp) and isinstance(t.op, ast.Add | ast.Sub) for t in asked)


def _reckons_with_truth(node: ast.AST) -> bool:
    """``(total and price - 3) * 5``: who reckons with a condition left out another sign."""
    return isinstance(node, ast.BinOp) and any(
        isinstance(side, ast.BoolOp) or (isinstance(side, ast.UnaryOp) and isinstance(side.op, ast.Not))
        for side in (node.left, node.right)
    )


def _count_self_comparisons(nodes: Sequence[ast.AST], given: str) -> int:
    """``a == a``, as often as it does not stand in what was given, word for word."""
    texts = Counter(re.sub(r"\s", "", ast.unparse(n)) for n in nodes if compares_with_itself(n))
    before = re.sub(r"\s*([^\w\s])\s*", r"\1", given)
    stood = {text: len(re.findall(rf"(?<![\w.]){re.escape(text)}(?![\w.(\[])", before)) for text in texts}
    return sum(max(0, count - stood[text]) for text, count in texts.items())
