"""Mutation operators over arithmetic, comparisons and logic: the edits that are right most often."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import ITEMS, NUMBER, SET, TEXT, Change, Scope
from jupyter_selfheal.inside.tree_names import is_call_of

COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_COMPARE_NEXT = {
    "<": [("<=", 0.95), (">", 0.7), (">=", 0.55), ("!=", 0.3), ("==", 0.25)],
    "<=": [("<", 0.95), (">=", 0.7), (">", 0.55), ("==", 0.25), ("!=", 0.2)],
    ">": [(">=", 0.95), ("<", 0.7), ("<=", 0.55), ("!=", 0.3), ("==", 0.25)],
    ">=": [(">", 0.95), ("<=", 0.7), ("<", 0.55), ("==", 0.25), ("!=", 0.2)],
    "==": [("!=", 0.8), ("<=", 0.45), (">=", 0.45), ("<", 0.3), (">", 0.3), ("in", 0.2), ("is", 0.05)],
    "!=": [("==", 0.8), ("<", 0.35), (">", 0.35), ("<=", 0.2), (">=", 0.2), ("not in", 0.15)],
    "in": [("not in", 0.8), ("==", 0.2)],
    "not in": [("in", 0.8), ("!=", 0.2)],
    "is": [("is not", 0.7), ("==", 0.5)],
    "is not": [("is", 0.7), ("!=", 0.5)],
}
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip
_BINARY_NEXT = {
    "+": [("-", 0.85), ("*", 0.5), ("/", 0.15), ("%", 0.1), ("//", 0.1), ("**", 0.08), ("|", 0.08)],
    "-": [("+", 0.85), ("*", 0.3), ("/", 0.2), ("//", 0.1), ("%", 0.1)],
    "*": [("/", 0.6), ("**", 0.5), ("+", 0.5), ("//", 0.3), ("@", 0.2), ("-", 0.2), ("%", 0.15)],
    "/": [("//", 0.75), ("*", 0.6), ("%", 0.3), ("-", 0.2), ("+", 0.1)],
    "//": [("/", 0.7), ("%", 0.6), ("*", 0.3), ("-", 0.15)],
    "%": [("//", 0.65), ("/", 0.4), ("*", 0.15), ("+", 0.1), ("-", 0.1)],
    "**": [("*", 0.65), ("+", 0.1), ("/", 0.1)],
    "&": [("|", 0.7), ("^", 0.5)],
    "|": [("&", 0.7), ("^", 0.5), ("+", 0.1)],
    "^": [("&", 0.6), ("|", 0.6), ("**", 0.5)],
    "<<": [(">>", 0.8)],
    ">>": [("<<", 0.8)],
    "@": [("*", 0.6)],
}


ROUNDING = "1e-9"
"""How far apart numbers are still equal, relative to the larger one and to 1: the relative bound of ``math.isclose`` where 1 is among them.
https://docs.python.org/3/library/math.html#math.isclose"""
NOT_ROUNDING = 0.4
"""What remains of the weight of another operator where numbers that are rounded are asked whether they are equal."""
_ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
_ORDERS = frozenset({"<", "<=", ">", ">="})


def replace_operator(s: Scope, left: ast.AST, right: ast.AST, old: str, new: str) -> Edit | None:
    """The edit that changes the operator written between two operands."""
    start, end = s.end_of(left), s.start_of(right)
    if s.text[start:end].count("#"):
        return None
    at = s.text.find(old, start, end)
    return None if at < 0 else (at, at + len(old), new)


NO_REMAINDER = 0.4
"""What remains of the weight of another operator for the ``%`` of ``x % n == 0`` or ``if x % n``, which says what it means."""


LEAST_POWER = 5
"""The power of 2 or 10 from which it is a number that is written so."""
TWO_OFF = 0.5
"""What remains of the weight of ``-`` for the ``+`` of ``range(n + 1)``."""
DIVIDES = 0.4
"""What remains of the weight of another comparison for ``n % d == 0``, which asks whether the one divides the other."""


def asks_for_divisor(left: ast.expr, right: ast.expr) -> bool:
    """``n % d == 0`` of a variable: of a number, as 2, either half may be meant."""
    match left, right:
        case ast.BinOp(_, ast.Mod(), ast.Name()), ast.Constant(0):
            return True
    return False


def _is_asked(s: Scope, node: ast.expr) -> bool:
    """True for an operand of a comparison, and for what is a condition by itself."""
    parent = s.parents[node]
    is_test = isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node
    is_filter = isinstance(parent, ast.comprehension) and node in parent.ifs
    is_negated = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    return isinstance(parent, ast.Compare | ast.BoolOp) or is_test or is_filter or is_negated


def _may_be_rounded(s: Scope, left: ast.expr, right: ast.expr) -> bool:
    """Whether numbers are compared of which one is reckoned, none is a whole one as it is written (``n % 2 == 0``), and the checks
    give numbers that binary fractions only come near to."""
    sides = (left, right)
    if any(isinstance(n, ast.Constant) and type(n.value) is not float for n in sides):
        return False
    if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod | ast.FloorDiv) for n in sides):
        return False
    is_reckoned = any(isinstance(n, ast.BinOp | ast.Call) for n in sides)
    if not is_reckoned or not all(s.infer_kinds(n) <= {NUMBER} for n in sides):
        return False
    return any(_holds_fraction(value) for calls in s.hints.calls.values() for call in calls for value in call)


def _holds_fraction(value: object) -> bool:
    """Whether it is, or a list of up to a hundred holds, a number like 0.1, which no float is exactly."""
    if isinstance(value, list | tuple):
        return any(_holds_fraction(item) for item in value[:100])
    return type(value) is float and value == value and abs(value) < 1e9 and value * 1024 % 1 != 0


def propose_comparisons(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``<`` for ``<=``, ``==`` for ``!=``, both operands exchanged, and an off-by-one together with the operator."""
    if not isinstance(node, ast.Compare) or getattr(s.find_function(node), "name", "") in ("__eq__", "__ne__"):
        return  # what is equal is said by their names: another operator would meet a check by turning it
    left: ast.expr = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        old = COMPARE[type(op)]
        is_rounded = old in ("==", "!=") and len(node.ops) == 1 and _may_be_rounded(s, left, right)
        for new, prior in _COMPARE_NEXT[old]:
            prior *= NOT_ROUNDING if is_rounded else 1
            edit = replace_operator(s, left, right, old, new)
            if edit is None:
                continue
            if new in _ORDERS and old in ("==", "!=") and s.infer_kinds(left) | s.infer_kinds(right) == {TEXT}:
                prior *= 0.25
            if old == "==" and asks_for_divisor(left, right):
                prior *= DIVIDES
            if new == "in" and s.infer_kinds(right) == {ITEMS} and ITEMS not in s.infer_kinds(left):
                prior = 0.7  # one item is compared with a whole list
            yield Change((edit,), prior, node.lineno, f"`{old}` should be `{new}`")
            if isinstance(right, ast.Constant) and type(right.value) is int and new in ("<=", ">=", "<", ">"):
                for step in (1, -1):
                    other = s.replace_node(right, str(right.value + step))
                    yield Change(
                        (edit, other),
                        prior * 0.45,
                        node.lineno,
                        f"`{old} {right.value}` should be `{new} {other[2].strip('()')}`",
                    )
        if is_rounded:
            bound = "<=" if old == "==" else ">"
            text = s.text_of(right)
            taken = f"({text})" if isinstance(right, ast.BinOp | ast.IfExp) else text
            near = s.replace_node(node, f"abs({s.text_of(left)} - {taken}) {bound} {ROUNDING} * max(1, abs({text}))")
            yield Change((near,), 0.9, node.lineno, f"`{old}` compares numbers that are rounded")
        if old in ("in", "not in"):
            swapped = (s.replace_node(left, s.text_of(right)), s.replace_node(right, s.text_of(left)))
            yield Change(swapped, 0.2, node.lineno, f"the operands of `{old}` are exchanged")
        left = right


def propose_arithmetic(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Another arithmetic operator, operands exchanged, one operand too many, other parentheses."""
    if isinstance(node, ast.AugAssign):
        old = BINARY[type(node.op)]
        for new, prior in _list_fitting(s, node.target, node.value, old):
            edit = replace_operator(s, node.target, node.value, old + "=", new + "=")
            if edit:
                yield Change((edit,), prior, node.lineno, f"`{old}=` should be `{new}=`")
        edit = replace_operator(s, node.target, node.value, old + "=", "=")
        if edit:
            yield Change((edit,), 0.3, node.lineno, f"`{old}=` should be `=`")
        if old in "+-":
            text = f"{s.text_of(node.target)} = {s.parenthesize(node.value)} {old} {s.text_of(node.target)}"
            yield Change(
                ((s.start_of(node), s.end_of(node), text),), 0.2, node.lineno, "the operands are in the wrong order"
            )
        return
    if not isinstance(node, ast.BinOp):
        return
    old = BINARY[type(node.op)]
    if is_great_number(node):
        return
    for new, prior in _list_fitting(s, node.left, node.right, old):
        if edit := replace_operator(s, node.left, node.right, old, new):
            whole = (s.start_of(node), s.start_of(node), "("), (s.end_of(node), s.end_of(node), ")")
            if new == "%" and isinstance(s.parents[node], ast.Compare):
                prior = max(prior, 0.45)  # what is compared with a number is mostly a remainder
            elif old == "%" and _is_asked(s, node):
                prior *= NO_REMAINDER
            elif _ends_range(s, node):
                prior *= TWO_OFF
            yield Change((whole[0], edit, whole[1]), prior, node.lineno, f"`{old}` should be `{new}`")
    if not (old in "+*&|^" and s.infer_kinds(node.left) == s.infer_kinds(node.right) == {NUMBER}):
        swapped = (s.replace_node(node.left, s.text_of(node.right)), s.replace_node(node.right, s.text_of(node.left)))
        yield Change(swapped, 0.6, node.lineno, f"the operands of `{old}` are exchanged")
    for kept, lost in ((node.left, node.right), (node.right, node.left)):
        yield Change(
            (s.replace_node(node, s.text_of(kept)),),
            0.5 if isinstance(lost, ast.Constant) else 0.4 if _is_small(lost) else 0.25,
            node.lineno,
            f"`{s.text_of(node)}` should be `{s.text_of(kept)}`",
        )
    yield from _propose_regrouping(s, node, old)


def is_great_number(node: ast.AST) -> bool:
    """``10 ** 9``, ``2 ** 31``: nobody writes another operator so, or the two the other way round."""
    match node:
        case ast.BinOp(ast.Constant(2 | 10), ast.Pow(), ast.Constant(int(power))):
            return power >= LEAST_POWER
    return False


def _ends_range(s: Scope, node: ast.BinOp) -> bool:
    """``range(1, n + 1)``, ``range(n - 1)``: one off is likelier than two."""
    is_step = isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.right, ast.Constant) and node.right.value == 1
    return is_step and is_call_of(s.parents[node], "range")


def _list_fitting(s: Scope, left: ast.AST, right: ast.AST, old: str) -> Iterator[tuple[str, float]]:
    texts = not s.may_be(left, NUMBER, SET) or not s.may_be(right, NUMBER, SET)
    rest = [(new, 0.06) for new in _ARITHMETIC if new not in dict(_BINARY_NEXT[old]) and old in _ARITHMETIC]
    for new, prior in (*_BINARY_NEXT[old], *rest):
        if new == old:
            continue
        idle = new in ("*", "/", "//", "**") and isinstance(right, ast.Constant) and right.value == 1
        idle = idle or (new == "*" and isinstance(left, ast.Constant) and left.value == 1)
        yield new, prior * (0.1 if idle or (texts and new not in "+*%") else 1.0)


def _is_small(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant | ast.Name)


WRITTEN = 0.1
"""Parentheses are forgotten; seldom are those that somebody wrote too many."""


def _is_in_parentheses(s: Scope, node: ast.expr) -> bool:
    before, after = s.text[: s.start_of(node)].rstrip(), s.text[s.end_of(node) :].lstrip()
    return before.endswith("(") and after.startswith(")")


def _propose_regrouping(s: Scope, node: ast.BinOp, old: str) -> Iterator[Change]:
    """``a + b / c`` for ``(a + b) / c`` and back."""
    left, right = node.left, node.right
    if isinstance(right, ast.BinOp):
        inner = BINARY[type(right.op)]
        text = f"(({s.parenthesize(left)} {old} {s.parenthesize(right.left)}) {inner} {s.parenthesize(right.right)})"
        prior = WRITTEN if _is_in_parentheses(s, right) else 0.5
        yield Change((s.replace_node(node, text),), prior, node.lineno, f"`{s.text_of(node)}` needs other parentheses")
        if isinstance(right.left, ast.BinOp):  # ``a - b * c / d``: the difference is what is multiplied and divided
            first = right.left
            while isinstance(first.left, ast.BinOp):
                first = first.left
            rest = s.text[s.end_of(first.left) : s.end_of(right)]
            if rest.count("(") == rest.count(")") and not rest.lstrip().startswith(")"):
                text = f"(({s.parenthesize(left)} {old} {s.text_of(first.left)}){rest})"
                yield Change(
                    (s.replace_node(node, text),), 0.45, node.lineno, f"`{s.text_of(node)}` needs other parentheses"
                )
    if isinstance(left, ast.BinOp):
        inner = BINARY[type(left.op)]
        text = f"({s.parenthesize(left.left)} {inner} ({s.parenthesize(left.right)} {old} {s.parenthesize(right)}))"
        prior = WRITTEN if _is_in_parentheses(s, left) else 0.5
        yield Change((s.replace_node(node, text),), prior, node.lineno, f"`{s.text_of(node)}` needs other parentheses")
        crossed = f"(({s.parenthesize(left.left)} {old} {s.parenthesize(right)}) {inner} {s.parenthesize(left.right)})"
        if isinstance(right, ast.BinOp) and type(left.op) is type(node.op):
            last = BINARY[type(right.op)]
            text = f"({s.text_of(left.left)} {inner} ({s.parenthesize(left.right)} {old} {s.parenthesize(right.left)}) {last} {s.parenthesize(right.right)})"
            yield Change(
                (s.replace_node(node, text),), 0.5, node.lineno, f"`{s.text_of(node)}` needs other parentheses"
            )
        if inner != old:
            yield Change(
                (s.replace_node(node, crossed),), 0.25, node.lineno, f"`{s.text_of(node)}` has its operands exchanged"
            )
            yield from _propose_without_middle(s, node, left)
        if _is_small(left.right) and _is_small(right) and s.text_of(left.right) != s.text_of(right):
            swapped = (s.replace_node(left.right, s.text_of(right)), s.replace_node(right, s.text_of(left.right)))
            yield Change(
                swapped,
                0.3 if isinstance(right, ast.Constant) else 0.5,
                node.lineno,
                f"`{s.text_of(left.right)}` and `{s.text_of(right)}` are exchanged",
            )


def _propose_without_middle(s: Scope, node: ast.BinOp, left: ast.BinOp) -> Iterator[Change]:
    """``a ** b`` for ``a ** 2 * b``."""
    if not _is_in_parentheses(s, left):
        text = f"({s.parenthesize(left.left)} {BINARY[type(left.op)]} {s.parenthesize(node.right)})"
        prior = 0.5 if isinstance(left.right, ast.Constant) else 0.4 if _is_small(left.right) else 0.25
        lost = f"{s.text_of(left.right)} {BINARY[type(node.op)]}"
        yield Change((s.replace_node(node, text),), prior, node.lineno, f"`{lost}` is too much")


def propose_logic(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``and`` for ``or``, an operand too many, ``not`` missing or too many, a sign flipped."""
    if isinstance(node, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        edits = [replace_operator(s, a, b, old, new) for a, b in zip(node.values, node.values[1:], strict=False)]
        whole = ((s.start_of(node), s.start_of(node), "("), (s.end_of(node), s.end_of(node), ")"))
        if all(edits):
            yield Change(
                (whole[0], *[e for e in edits if e], whole[1]), 0.85, node.lineno, f"`{old}` should be `{new}`"
            )
        if len(edits) > 1 and edits[-1]:  # `a and b or c`: the last one is the exception
            yield Change((edits[-1],), 0.6, node.lineno, f"the last `{old}` should be `{new}`")
        yield from _propose_bits(s, node, old)
        for n in range(len(node.values)):
            rest = f" {old} ".join(s.parenthesize(v) for v in node.values[:n] + node.values[n + 1 :])
            yield Change(
                (s.replace_node(node, rest),),
                0.35,
                node.lineno,
                f"`{s.text_of(node.values[n])}` is a condition too many",
            )
    elif isinstance(node, ast.UnaryOp):
        prior = {ast.Not: 0.7, ast.USub: 0.45, ast.Invert: 0.3}.get(type(node.op), 0.2)
        yield Change(
            (s.replace_node(node, s.text_of(node.operand)),),
            prior,
            node.lineno,
            f"`{s.text_of(node)}` should be `{s.text_of(node.operand)}`",
        )
        if isinstance(node.op, ast.Invert | ast.USub) and not isinstance(node.operand, ast.Constant):
            yield Change(
                (s.replace_node(node, f"not {s.parenthesize(node.operand)}"),),
                0.2,
                node.lineno,
                f"`{s.text_of(node)}` should use `not`",
            )
    parent = s.parents.get(node)
    if is_test(s, node) and not isinstance(node, ast.UnaryOp | ast.Constant):
        yield Change(
            (s.replace_node(node, f"not {s.parenthesize(node)}"),),
            0.6 if isinstance(node, ast.Name) else 0.5,
            getattr(node, "lineno", 0),
            f"`{s.text_of(node)}` must be negated",
        )
    if isinstance(
        parent, ast.Return | ast.Assign | ast.AugAssign | ast.BinOp | ast.Call | ast.Subscript | ast.Tuple
    ) and _is_negatable(s, node):
        yield Change(
            (s.replace_node(node, f"-{s.parenthesize(node)}"),),
            0.22,
            getattr(node, "lineno", 0),
            f"`{s.text_of(node)}` has the wrong sign",
        )


def _propose_bits(s: Scope, node: ast.BoolOp, old: str) -> Iterator[Change]:
    """``READ | WRITE`` for ``READ and WRITE``: the bits of both numbers, or those that both have."""
    if is_test(s, node) or not all(
        isinstance(v, ast.Name | ast.Attribute) and s.may_be(v, NUMBER) for v in node.values
    ):
        return
    for sign in "|&":
        text = f"({f' {sign} '.join(map(s.text_of, node.values))})"
        yield Change((s.replace_node(node, text),), 0.6, node.lineno, f"`{old}` should be `{sign}`")


def is_test(s: Scope, node: ast.AST) -> bool:
    """True for what decides: the test of an if, while, filter or conditional expression, an operand of and/or, a returned truth."""
    parent = s.parents.get(node)
    if not isinstance(node, ast.expr):
        return False
    if isinstance(parent, ast.If | ast.While | ast.IfExp):
        return node is parent.test
    if isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.comprehension) and node in parent.ifs):
        return True
    return isinstance(parent, ast.Return) and isinstance(node, ast.Compare | ast.BoolOp)


def _is_negatable(s: Scope, node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float) and node.value != 0
    return (
        isinstance(node, ast.Name | ast.Subscript | ast.Call | ast.BinOp) and s.is_read(node) and s.may_be(node, NUMBER)
    )


def may_be_items(s: Scope, node: ast.AST) -> bool:
    """True where an expression may be a list, tuple or text."""
    return s.may_be(node, ITEMS, TEXT)
