"""Mutation operators for a loop that answers in its first round, where the other answer is the one that all the rounds are needed for:
``if x in xs: return True``, ``else: return False`` for *all* items; and for a flag that each round sets anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change, Scope

_LOOPS = ast.For | ast.While | ast.AsyncFor
_OPPOSITE: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.In: "not in", ast.NotIn: "in",
    ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip


def negate(s: Scope, test: ast.expr) -> str:
    """The text of the opposite of a condition."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return f"{s.text_of(test.left)} {_OPPOSITE[type(test.ops[0])]} {s.text_of(test.comparators[0])}"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return s.text_of(test.operand)
    return f"not {s.parenthesize(test)}"


def propose_other_answer_after_loop(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if not test: return B`` in a loop and ``return A`` after it, for ``if test: return A``, ``else: return B``."""
    if not isinstance(node, _LOOPS) or node.orelse or s.read_indent(node) is None:
        return
    last = node.body[-1]
    tests = [n for n in ast.walk(node) if isinstance(n, ast.If)]
    for test in tests:
        answers = _read_answers(s, test, last, node)
        if answers is None or s.read_indent(test) is None:
            continue
        yes, no, end = answers
        inner, outer = str(s.read_indent(test)), str(s.read_indent(node))
        start = s.find_line_span(test)[0]
        whole = s.find_line_span(node)[1]
        word = "elif" if s.text.startswith("elif", s.start_of(test)) else "if"
        following = s.find_next_statement(node)
        words = f"`{yes}` holds only after all the rounds"
        for kept, gone, condition in ((no, yes, negate(s, test.test)), (yes, no, s.text_of(test.test))):
            text = f"{inner}{word} {condition}:\n{inner}    {kept}\n"
            result = f"{outer}{gone}\n"
            pad = "" if s.text[:whole].endswith("\n") else "\n"
            moved: tuple[Edit, ...] = (
                ((start, whole, text + result),) if end == whole else ((start, end, text), (whole, whole, pad + result))
            )
            prior = 0.7 if following is None else 0.25
            yield Change(moved, prior, node.lineno, words)
            if isinstance(following, ast.Return):
                first, final, _ = s.find_line_span(following)
                begin = (start, end, text)
                replaced = (*((begin,) if end <= first else ()), (first, final, result))
                yield Change(replaced, 0.4, node.lineno, words)
                yield Change((begin,), 0.4, node.lineno, words)


def _read_answers(s: Scope, test: ast.If, last: ast.stmt, loop: ast.AST) -> tuple[str, str, int] | None:
    """What is returned where a test holds, and where not, and where that ends: in the ``else``, or below as the last of the loop."""
    if len(test.body) != 1 or not isinstance(test.body[0], ast.Return):
        return None
    if len(test.orelse) == 1 and isinstance(test.orelse[0], ast.Return) and not s.is_elif(test, test.orelse):
        no = test.orelse[0]
    elif not test.orelse and isinstance(last, ast.Return) and _stands_before(loop, test, last):
        no = last
    else:
        return None
    yes = test.body[0]
    if s.text_of(yes) == s.text_of(no) or any("\n" in s.text_of(n) for n in (yes, no)):
        return None
    return s.text_of(yes), s.text_of(no), s.find_line_span(no)[1]


def _stands_before(loop: ast.AST, test: ast.If, last: ast.stmt) -> bool:
    body = getattr(loop, "body", [])
    return len(body) > 1 and body[-2] is test and body[-1] is last


def propose_lasting_flag(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``found = True`` where one round says so, for ``if test: found = True``, ``else: found = False``, which only the last round decides."""
    if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) != 1 or s.is_elif(node, node.orelse):
        return
    yes, no = node.body[0], node.orelse[0]
    if not (isinstance(yes, ast.Assign) and isinstance(no, ast.Assign)) or s.read_indent(node) is None:
        return
    target = s.text_of(yes.targets[0])
    constants = isinstance(yes.value, ast.Constant) and isinstance(no.value, ast.Constant)
    loop = next((p for p in s.walk_upwards(node) if isinstance(p, _LOOPS)), None)
    if not constants or target != s.text_of(no.targets[0]) or loop is None or s.read_indent(loop) is None:
        return
    indent, outer = str(s.read_indent(node)), str(s.read_indent(loop))
    start, end, _ = s.find_line_span(node)
    at = s.find_line_span(loop)[0]
    word = "elif" if s.text.startswith("elif", s.start_of(node)) else "if"
    words = f"only the last round decides of `{target}`"
    for condition, kept, first in ((s.text_of(node.test), yes, no), (negate(s, node.test), no, yes)):
        text = f"{indent}{word} {condition}:\n{indent}    {s.text_of(kept)}\n"
        begins = f"{outer}{s.text_of(first)}\n"
        yield Change(((at, at, begins), (start, end, text)), 0.5, node.lineno, words)


OPERATORS = (propose_other_answer_after_loop, propose_lasting_flag)
