"""Mutation operators over what decides: a condition with a part missing, a condition for a constant, another test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.operators import is_test
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, SET, TEXT, TRUTH, Change, Scope, cache_on_scope

NO_TRUTH = 0.4
"""How much less likely it is that a number is returned for ``True`` than what is asked of it."""
MOST_TESTS = 250
"""Conditions that are tried at each place, likeliest first: their number grows with the square of the names."""


OTHER_BOUND = 0.5
"""What remains of the weight of a bound where the source compares the name with other numbers only."""
OWN_COUNT = 0.3
"""What remains of the weight of a further condition that asks for what its own branch counts (``if c in vowels or n == 1: n += 1``)."""

_NAMES = re.compile(r"[^\W\d]\w*")


def list_tests(s: Scope, names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """Conditions that can be made of the names, with how likely each is."""
    for name in names:
        kinds = s.hints.kinds.get(name, frozenset())
        sized = not kinds or bool(kinds & {ITEMS, TEXT, SET, DICT})
        number = not kinds or NUMBER in kinds
        yield f"not {name}", 0.25 if kinds == {NUMBER} else 0.35
        yield name, 0.3
        yield f"{name} is None", 0.25 if not number else 0.12
        yield f"{name} is not None", 0.15
        if number:
            for op, value, prior in (
                ("==", 0, 0.35),
                ("<", 0, 0.25),
                (">", 0, 0.25),
                ("<=", 0, 0.22),
                (">=", 0, 0.18),
                ("!=", 0, 0.22),
                ("<=", 1, 0.18),
                ("==", 1, 0.22),
                (">", 1, 0.15),
                ("<", 2, 0.12),
                ("<", 1, 0.1),
            ):
                bounds = s.bounds.get(name, frozenset())
                yield f"{name} {op} {value}", prior * (OTHER_BOUND if bounds and value not in bounds else 1)
            for known in s.numbers:
                if known not in (0, 1):
                    for op in ("==", "!=", "<", ">", "<=", ">="):
                        yield f"{name} {op} {known!r}", 0.08
            for tail in ("% 2 == 0", "% 2 == 1", "% 2 != 0"):
                yield f"{name} {tail}", 0.14
        if sized:
            yield f"len({name}) == 0", 0.05
            yield f"len({name}) <= 1", 0.1
            yield f"len({name}) > 1", 0.08
    yield from _list_pair_tests(s, names)


def _list_pair_tests(s: Scope, names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    for a in names:
        for b in names:
            if a == b:
                continue
            alike = s.name_may_be(a, s.hints.kinds.get(b, frozenset()))
            if alike and a < b:
                for op, prior in (("==", 0.2), ("!=", 0.22)):
                    yield f"{a} {op} {b}", prior
            if alike:
                for op, prior in (("<", 0.14), ("<=", 0.12)):
                    yield f"{a} {op} {b}", prior
            kinds = s.hints.kinds.get(b, frozenset())
            if not kinds or kinds & {ITEMS, TEXT, SET, DICT}:
                yield f"{a} in {b}", 0.12
                yield f"{a} not in {b}", 0.14


@cache_on_scope
def list_own_tests(s: Scope) -> tuple[tuple[str, float], ...]:
    """Conditions that can be made of the statement's own names; an object itself (``self``) always holds."""
    return tuple(list_tests(s, tuple(name for name in s.values if name not in ("self", "cls"))))


@cache_on_scope
def list_likeliest_tests(s: Scope) -> tuple[tuple[str, float], ...]:
    """The tests of :func:`list_own_tests`, likeliest first, as many as are tried."""
    return tuple(sorted(list_own_tests(s), key=lambda test: -test[1])[:MOST_TESTS])


def _list_chains(s: Scope, test: ast.AST) -> list[str]:
    """What is looked into inside a test, shortest first: ``hare`` and ``hare.successor`` of ``hare.successor.x``."""
    chains: dict[str, None] = {}
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute | ast.Subscript):
            chains[s.text_of(node.value)] = None
            chains[s.text_of(node)] = None
    return sorted((t for t in chains if "\n" not in t), key=len)


def propose_longer_condition(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``test or not x``, ``x is None or test``, ``test and a != b``: a part of the condition is missing."""
    if not isinstance(node, ast.expr) or not is_test(s, node) or not s.is_read(node):
        return
    parent = s.parents[node]
    if isinstance(parent, ast.BoolOp):
        return
    old, atom = s.text_of(node), f"({s.text_of(node)})"
    for text in _list_chains(s, node):
        for first, prior in (
            (f"{text} is None or {atom}", 0.4),
            (f"{text} is not None and {atom}", 0.35),
            (f"{text} and {atom}", 0.25),
            (f"not {text} or {atom}", 0.2),
        ):
            yield Change(
                (s.replace_node(node, first),), prior, node.lineno, f"`{old}` should be `{first.replace(atom, old)}`"
            )
    counted = _list_counted(parent)
    for test, prior in list_likeliest_tests(s):
        words = f"`{old}` lacks `{test}`"
        prior *= OWN_COUNT if counted & set(_NAMES.findall(test)) else 1.0
        yield Change((s.replace_node(node, f"{atom} or {test}"),), prior, node.lineno, words)
        yield Change((s.replace_node(node, f"{atom} and {test}"),), prior, node.lineno, words)
        if prior >= 0.25:
            yield Change((s.replace_node(node, f"{test} and {atom}"),), prior * 0.6, node.lineno, words)
            yield Change((s.replace_node(node, f"{test} or {atom}"),), prior * 0.6, node.lineno, words)
    for op, prior in (("==", 0.1), ("!=", 0.1)):
        for name in s.values:
            for text in s.strings:
                yield Change(
                    (s.replace_node(node, f"{atom} {'or' if op == '==' else 'and'} {name} {op} {text!r}"),),
                    prior,
                    node.lineno,
                    f"`{old}` lacks `{name} {op} {text!r}`",
                )


def _list_counted(branch: ast.AST) -> set[str]:
    """The names that a branch counts with (``n += 1``)."""
    body = branch.body if isinstance(branch, ast.If) else []
    return {n.target.id for n in body if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}


def propose_other_condition(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A condition where a constant is returned or looped on (``while True``, ``return True``), another condition as a whole."""
    parent = s.parents.get(node)
    constant = isinstance(node, ast.Constant) and isinstance(node.value, bool)
    looped = isinstance(parent, ast.While | ast.Return | ast.Assign | ast.If) and constant
    if not looped and not (
        isinstance(node, ast.expr) and isinstance(node, ast.Name | ast.Compare | ast.BoolOp) and is_test(s, node)
    ):
        return
    assert isinstance(node, ast.expr)
    weight = (0.9 if isinstance(parent, ast.While | ast.Return) else 0.5) if constant else 0.3
    old, is_returned = s.text_of(node), constant and isinstance(parent, ast.Return)
    for test, prior in list_own_tests(s):
        kinds = s.hints.kinds.get(test, frozenset()) if is_returned else frozenset()
        prior *= NO_TRUTH if kinds and TRUTH not in kinds else 1.0
        yield Change((s.replace_node(node, test),), prior * weight, node.lineno, f"`{old}` should be `{test}`")


def propose_constant_test(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A test that should be dropped: the branch is always or never taken."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Compare | ast.Name | ast.BoolOp | ast.Call):
        for text in ("True", "False"):
            yield Change(
                (s.replace_node(node.test, text),),
                0.04,
                node.lineno,
                f"`if {s.text_of(node.test)}` should be always {text}",
            )
    if isinstance(node, ast.IfExp):
        edits = (s.replace_node(node.body, s.text_of(node.orelse)), s.replace_node(node.orelse, s.text_of(node.body)))
        yield Change(edits, 0.45, node.lineno, f"the branches of `{s.text_of(node)}` are exchanged")
        for kept in (node.body, node.orelse):
            yield Change(
                (s.replace_node(node, s.text_of(kept)),),
                0.15,
                node.lineno,
                f"`{s.text_of(node)}` should be `{s.text_of(kept)}`",
            )


def propose_other_remainder(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``x % 2 == 0`` for ``x % 2 == 1``, another remainder, another divisor; ``a < b < c`` with one bound changed."""
    if not isinstance(node, ast.Compare):
        return
    if (
        isinstance(node.left, ast.BinOp)
        and isinstance(node.left.op, ast.Mod)
        and isinstance(node.comparators[0], ast.Constant)
    ):
        for tail, prior in (("== 0", 0.6), ("== 1", 0.55), ("!= 0", 0.5)):
            text = f"{s.text_of(node.left)} {tail}"
            yield Change((s.replace_node(node, text),), prior, node.lineno, f"`{s.text_of(node)}` should be `{text}`")
    if len(node.ops) == 2:
        kept = s.text[s.start_of(node) : s.end_of(node.comparators[0])]
        yield Change((s.replace_node(node, kept),), 0.15, node.lineno, f"a bound of `{s.text_of(node)}` is too many")


OPERATORS = (propose_longer_condition, propose_other_condition, propose_constant_test, propose_other_remainder)
