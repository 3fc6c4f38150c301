"""Mutation operators that repeat what is there with one change: a further condition, term, branch or statement.

What is missing is mostly a sibling of what is there: code repeats itself with small changes (Le Goues et al. 2012, GenProg;
Barr et al. 2014, "The plastic surgery hypothesis").
"""

from __future__ import annotations

import ast
import builtins
import difflib
import itertools
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.mutations.conditions import list_likeliest_tests
from jupyter_selfheal.inside.search.mutations.missing_code import find_accumulated
from jupyter_selfheal.inside.search.mutations.names import NEAR
from jupyter_selfheal.inside.search.mutations.operators import COMPARE, is_test, replace_operator
from jupyter_selfheal.inside.search.scope import Change, Scope, cache_on_scope
from jupyter_selfheal.inside.search.shallow_changes import list_changed_in_place

MOST = 40
"""Variants of one expression or statement that are tried at one place."""
ELSEWHERE = 60
"""Variants of conditions from other places of the function."""
PARALLEL = 24
"""Variants of the condition, and of the statement, of a whole further branch."""
SPELT_SO, MISSPELT = 0.85, 0.08
"""How like a bound name (difflib's ratio) one is that nothing binds for it to be a slip of the pen, and what remains of the weight of binding it."""
COPIED = 1.6
"""How much likelier a copy of an argument is than the argument itself for what has its items set below."""
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_SIMPLE = ast.Expr | ast.Assign | ast.AugAssign | ast.Return | ast.Continue | ast.Break


def list_variants(s: Scope, node: ast.AST, most: int = MOST) -> list[str]:
    """Texts of a node, each with one constant, name, comparison or call in it replaced, or an operand left out."""
    at, text = s.start_of(node), s.text_of(node)
    texts: dict[str, None] = {}
    for child in ast.walk(node):
        if child in s.frozen:
            continue
        for start, end, new in _list_replacements(s, child):
            texts[splice(text, ((start - at, end - at, new),))] = None
    texts.pop(text, None)
    return [t for t in texts if "\n" not in t][:most]


def _list_replacements(s: Scope, node: ast.AST) -> Iterator[tuple[int, int, str]]:
    if isinstance(node, ast.Constant) and not s.is_doc(node):
        for new in _list_constants(s, node.value):
            yield s.start_of(node), s.end_of(node), new
    elif isinstance(node, ast.Name):
        parent = s.parents[node]
        called = isinstance(parent, ast.Call) and node is parent.func
        for name in NEAR.get(node.id, ()) if called else s.values:
            if name != node.id and (called or s.name_may_be(name, s.infer_kinds(node))):
                yield s.start_of(node), s.end_of(node), name
    elif isinstance(node, ast.Attribute):
        for name in NEAR.get(node.attr, ()):
            yield s.end_of(node) - len(node.attr), s.end_of(node), name
    elif isinstance(node, ast.BinOp):
        yield from ((s.start_of(node), s.end_of(node), s.parenthesize(kept)) for kept in (node.left, node.right))
    elif isinstance(node, ast.Compare):
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            old = COMPARE[type(op)]
            if old in _FLIPPED and (edit := replace_operator(s, left, right, old, _FLIPPED[old])):
                yield edit


def _list_constants(s: Scope, value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int):
        yield from (str(value + 1), str(value - 1))
        yield from (repr(n) for n in (*s.numbers, *s.described_numbers) if n != value)
    elif isinstance(value, str):
        yield from (repr(t) for t in (*s.strings, *s.described_strings) if t != value)


def _split_test(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp):
        return [a for v in test.values for a in _split_test(v)]
    return _split_test(test.operand) if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else [test]


@cache_on_scope
def list_tests_in(s: Scope) -> list[ast.expr]:
    """The single conditions of a function, outermost tests first."""
    tests: list[ast.expr] = []
    for node in s.order:
        if isinstance(node, ast.expr) and node not in s.frozen and is_test(s, node):
            tests += [a for a in _split_test(node) if a not in tests and not isinstance(a, ast.Constant)]
    return tests


def propose_further_condition(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``x % 3 == 0 or x % 5 == 0`` for ``x % 3 == 0``: a condition like one that is there is missing."""
    if not isinstance(node, ast.expr) or not is_test(s, node) or not s.is_read(node):
        return
    inside = isinstance(s.parents[node], ast.BoolOp)
    if isinstance(node, ast.Constant) or (inside and isinstance(node, ast.BoolOp)):
        return
    own = dict.fromkeys(t for a in _split_test(node) for t in list_variants(s, a))
    others = [
        t for a in list_tests_in(s) if a is not node for t in (s.text_of(a), *list_variants(s, a, 12)) if t not in own
    ]
    old, atom = s.text_of(node), s.parenthesize(node)
    weight = 0.4 if inside else 1.0
    for tests, prior in ((list(own)[: 2 * MOST], 0.2), (others[:ELSEWHERE], 0.09)):
        for test in tests:
            for word in ("and", "or"):
                text = f"{atom} {word} ({test})"
                yield Change(
                    (s.replace_node(node, text),), prior * weight, node.lineno, f"`{old}` lacks `{word} {test}`"
                )


def propose_further_term(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``f(n - 1) + f(n - 2) + f(n - 3)`` for ``f(n - 1) + f(n - 2)``: a term like one that is there is missing."""
    parent = s.parents.get(node)
    if not isinstance(node, ast.expr) or not s.is_read(node):
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        if isinstance(parent, ast.BinOp) and type(parent.op) is type(node.op):
            return
        signs = "*" if isinstance(node.op, ast.Mult) else "+-"
        terms = _split_terms(node, type(node.op))
        variants = dict.fromkeys(t for term in terms for t in list_variants(s, term, 20))
        for test, joint in itertools.product(variants, signs):
            yield Change((s.replace_node(node, f"{s.text_of(node)} {joint} ({test})"),), 0.16, node.lineno, f"`{s.text_of(node)}` lacks `{joint} {test}`")  # fmt: skip
    if not isinstance(parent, ast.Return | ast.Assign | ast.AugAssign) or node is not parent.value:
        return
    if isinstance(node, ast.BinOp | ast.Name | ast.Call | ast.Subscript):
        for text, word in itertools.product(list(list_parts(s))[:MOST], "+-*"):
            words = f"`{s.text_of(node)}` lacks `{word} {text}`"
            yield Change((s.replace_node(node, f"{s.parenthesize(node)} {word} ({text})"),), 0.06, node.lineno, words)


def _split_terms(node: ast.expr, op: type[ast.operator]) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, op):
        return [*_split_terms(node.left, op), *_split_terms(node.right, op)]
    return [node]


@cache_on_scope
def list_parts(s: Scope) -> dict[str, ast.expr]:
    """Distinct short expressions of a function that are more than a name."""
    parts: dict[str, ast.expr] = {}
    for node in s.order:
        if isinstance(node, ast.Subscript | ast.Call | ast.BinOp | ast.Attribute) and node not in s.frozen:
            parent, text = s.parents[node], s.text_of(node)
            called = isinstance(parent, ast.Call) and node is parent.func
            if len(text) <= 40 and "\n" not in text and not called and s.is_read(node):
                parts.setdefault(text, node)
    return parts


@cache_on_scope
def list_simple_statements(s: Scope) -> dict[str, ast.stmt]:
    """The one-line statements of a function by text, docstrings and what binds imports left out."""
    statements: dict[str, ast.stmt] = {}
    for node in s.order:
        if isinstance(node, _SIMPLE) and node not in s.frozen and not s.is_doc(getattr(node, "value", node) or node):
            text = s.text_of(node)
            if "\n" not in text and len(text) <= 80:
                statements.setdefault(text, node)
    return statements


def propose_further_branch(s: Scope, node: ast.AST) -> Iterator[Change]:
    """An ``else`` or ``elif`` is missing whose statement is like one that is there."""
    if (
        not isinstance(node, ast.If)
        or node.orelse
        or s.read_indent(node) is None
        or s.read_indent(node.body[-1]) is None
    ):
        return
    last, indent, end = node.body[-1], str(s.read_indent(node)), s.find_line_span(node)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    inner = str(s.read_indent(last))
    own = list_variants(s, last) if isinstance(last, _SIMPLE) else []
    there = [t for t in list_simple_statements(s) if t not in own]
    looped = s.is_in_loop(node)
    for text, prior in [*((t, 0.2) for t in own), *((t, 0.12) for t in there)]:
        if text in ("break", "continue") and not looped:
            continue
        whole = f"{pad}{indent}else:\n{inner}{text}\n"
        yield Change(((end, end, whole),), prior, last.lineno, f"`else: {text}` is missing")
    if not isinstance(last, _SIMPLE):
        return
    tests = list_variants(s, node.test, PARALLEL)
    for test, text in itertools.product(tests, [s.text_of(last), *own[:PARALLEL]]):
        whole = f"{pad}{indent}elif {test}:\n{inner}{text}\n"
        yield Change(((end, end, whole),), 0.05, last.lineno, f"`elif {test}: {text}` is missing")


def propose_further_statement(s: Scope, node: ast.AST) -> Iterator[Change]:
    """After a simple statement, one like it; before or after any, one that does with another expression what is done elsewhere."""
    if (
        not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr)
        or s.read_indent(node) is None
        or "\n" in s.text_of(node)
    ):
        return
    if isinstance(s.parents[node], ast.Module) or s.is_doc(getattr(node, "value", node)):
        return
    start, end, _ = s.find_line_span(node)
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for text in list_variants(s, node, PARALLEL):
        words = f"`{text}` is missing"
        yield Change(((end, end, f"{pad}{s.read_indent(node)}{text}\n"),), 0.09, node.lineno, words)
        if not text.startswith(f"{find_accumulated(node)} = "):  # a first value that is set in each round is none
            yield Change(((start, start, f"{s.read_indent(node)}{text}\n"),), 0.06, node.lineno, words)


def propose_binding(s: Scope, node: ast.AST) -> Iterator[Change]:
    """The assignment of a name that is read and bound nowhere is missing: it is like another assignment, or makes a part of an argument."""
    if not isinstance(node, ast.FunctionDef) or s.read_indent(node.body[0]) is None:
        return
    inside = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    bound = {n.id for n in inside if isinstance(n.ctx, ast.Store)} | {
        a.arg for a in ast.walk(node) if isinstance(a, ast.arg)
    }
    known = bound | set(s.functions) | s.hints.outside | set(s.hints.callables) | set(s.modules) | set(dir(builtins))
    lost = dict.fromkeys(n.id for n in inside if isinstance(n.ctx, ast.Load) and n.id not in known)
    values = [
        t for n in ast.walk(node) if isinstance(n, ast.Assign) for t in (s.text_of(n.value), *list_variants(s, n.value))
    ]
    values += [*list_parts(s), *s.values, "0", "1", "[]", "''", "{}", "set()", "None", "True", "False"]
    values += [
        form.format(a.arg)
        for a in node.args.args
        for form in ("len({})", "sorted({})", "{}[0]", "{}[1:]", "{}[::2]", "set({})")
    ]
    copies = [f"{a.arg}.copy()" for a in node.args.args]
    changed = list_changed_in_place(node)
    for name, stmt in itertools.product(list(lost)[:2], node.body):
        prior = MISSPELT if len(name) > 2 and difflib.get_close_matches(name, bound, 1, SPELT_SO) else 0.25
        if s.read_indent(stmt) is None or s.is_doc(getattr(stmt, "value", None) or stmt):
            continue
        start = s.find_line_span(stmt)[0]
        made = copies if name in changed else []
        for value in dict.fromkeys(t for t in (*made, *values) if "\n" not in t):
            text = f"{s.read_indent(stmt)}{name} = {value}\n"
            likely = prior * COPIED if value in made else prior
            yield Change(((start, start, text),), likely, stmt.lineno, f"`{name} = {value}` is missing")


def propose_jumps(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if test: continue``, ``break`` or ``return`` is missing before a statement."""
    if not isinstance(node, ast.stmt) or isinstance(s.parents.get(node), ast.Module | ast.ClassDef | None):
        return
    if (
        s.read_indent(node) is None
        or isinstance(node, ast.FunctionDef)
        or s.is_doc(getattr(node, "value", node) or node)
    ):
        return
    if s.text.startswith("elif", s.start_of(node)):
        return
    start, indent, looped = s.find_line_span(node)[0], s.read_indent(node), s.is_in_loop(node)
    line = node.lineno
    for test, end, prior, words in (_list_jumps_in_loop if looped else _list_jumps)(s):
        yield Change(((start, start, f"{indent}if {test}:\n{indent}    {end}\n"),), prior, line, words)


_Jump = tuple[str, str, float, str]
"""A test, what is left with it, how likely that is, and the two in words."""


@cache_on_scope
def _list_jumps(s: Scope) -> tuple[_Jump, ...]:
    return tuple(_combine_jumps(s, ()))


@cache_on_scope
def _list_jumps_in_loop(s: Scope) -> tuple[_Jump, ...]:
    return tuple(_combine_jumps(s, (("continue", 0.8), ("break", 0.7))))


def _combine_jumps(s: Scope, of_loops: tuple[tuple[str, float], ...]) -> Iterator[_Jump]:
    """The jumps that may be missing before a statement, the same for each of them."""
    ends = [*of_loops, *((f"return {v}", p) for v, p in _list_results(s))]
    tests = [*list_likeliest_tests(s)[:MOST]]
    tests += [(t, 0.2) for a in list_tests_in(s) for t in (s.text_of(a), *list_variants(s, a, 10))][:ELSEWHERE]
    for (test, likely), (end, prior) in itertools.product(tests, ends):
        yield test, end, likely * prior * 0.3, f"`if {test}: {end}` is missing"


@cache_on_scope
def _list_results(s: Scope) -> tuple[tuple[str, float], ...]:
    """What the function returns elsewhere, and what functions return for nothing."""
    return tuple(_find_results(s))


def _find_results(s: Scope) -> Iterator[tuple[str, float]]:
    seen = dict.fromkeys(
        s.text_of(n.value)
        for n in s.order
        if isinstance(n, ast.Return) and n.value is not None and len(s.text_of(n.value)) < 30
    )
    for text in seen:
        yield text, 0.7
    for text in ("None", "False", "True", "0", "-1", "[]", "''"):
        if text not in seen:
            yield text, 0.6 if text in s.described_words else 0.4
    for described in s.described_strings:
        if repr(described) not in seen:
            yield repr(described), 0.5


def propose_otherwise(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``x if test else y`` for ``x``: a value has a case of its own."""
    parent = s.parents.get(node)
    if not isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.BinOp) or not s.is_read(node):
        return
    if not isinstance(parent, ast.Return | ast.Assign) or node is not parent.value:
        return
    tests = [*list_likeliest_tests(s)[:MOST], *((s.text_of(a), 0.25) for a in list_tests_in(s))]
    values = [v for v, _ in _list_results(s)] + [n for n in s.values if s.name_may_be(n, s.infer_kinds(node))]
    old, atom, never = s.text_of(node), s.parenthesize(node), _list_tests_that_fail(node)
    for (test, prior), value in itertools.product(tests, dict.fromkeys(values)):
        if value != old and test not in never:
            edit = s.replace_node(node, f"{atom} if {test} else {value}")
            yield Change((edit,), prior * 0.22, node.lineno, f"`{old}` lacks `if {test} else {value}`")


def _list_tests_that_fail(node: ast.AST) -> set[str]:
    """Tests under which a value can only raise: ``table is None`` for ``table["n"].sum()``, ``not xs`` for ``xs[0]``, ``not total`` for ``hits / total``."""
    never = set[str]()
    for part in ast.walk(node):
        match part:
            case ast.Attribute(ast.Name(name)):
                never.add(f"{name} is None")
            case ast.Subscript(ast.Name(name)) | ast.BinOp(_, ast.Div() | ast.FloorDiv() | ast.Mod(), ast.Name(name)):
                never |= {f"{name} is None", f"not {name}"}
    return never


OPERATORS = (
    propose_further_condition,
    propose_further_term,
    propose_further_branch,
    propose_further_statement,
    propose_binding,
    propose_jumps,
    propose_otherwise,
)
