"""TYP205: sets or dictionaries joined with ``+``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"unsupported operand type\(s\) for \+=?: '(set|dict|frozenset)' and '(set|dict|frozenset)'")


OF_INDEX = re.compile(
    r"for [&|^]: '(?:StringArray|ArrowStringArray|NumpyExtensionArray|str)' and |operation '(?:and_|or_|xor)' not supported for dtype|for [&|^]: 'str' and 'str'|"
    r"Lengths of operands do not match: \d+ != \d+"
)
"""What pandas says of two indexes of texts, since `&` goes item by item (2.0), and of one from which some are taken."""
METHODS: dict[type[ast.operator], str] = {
    ast.BitAnd: "intersection",
    ast.BitOr: "union",
    ast.BitXor: "symmetric_difference",
    ast.Sub: "difference",
}


class UnionWrittenAsSum(Rule):
    """Join sets and dictionaries with `|`.

    **Failure** `TypeError: unsupported operand type(s) for +: 'set' and 'set'`, and the same of two dictionaries.

    **Fix** `a + b` becomes `a | b`, `a += b` becomes `a |= b`.

    Two indexes of texts (`a.columns & b.columns`), whose operators were those of sets before pandas 2: `a.columns.intersection(b.columns)`; `df.columns.difference(["y"])` for `df.columns - ["y"]`.

    **Fix safety** Safe: of texts nothing else can be meant by `&`, `|` and `^`, and pandas 1 did this, nor by `-`, which did it until pandas 0.17. Unsafe for `-` where the texts are not in order in
    a notebook that nothing shows to be that old: `difference` puts them in order. A sum of two sets can only be their union, one of two dictionaries their entries. Unsafe where two dictionaries have other values for the
    same key: the right one's win, and they may be meant to be added, or the left one's to win. Silent where only one of them is a set, or the sum goes on.
    """

    code = "TYP205"
    name = "union written as a sum"
    enames = frozenset({"TypeError", "ValueError"})
    message = re.compile(f"{MESSAGE.pattern}|{OF_INDEX.pattern}")
    applicability = Applicability.SAFE
    why = "Joined, two sets are their union, and two dictionaries hold the entries of both."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if not match:
            yield from self._join_indexes(context)
        if not match or ("dict" in match.groups()) != (match[1] == match[2] == "dict"):
            return
        for node in context.list_failing_nodes(ast.BinOp, ast.AugAssign):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not _is_part(context, node):
                left, right = node.left, node.right
            elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                left, right = node.target, node.value
            else:
                continue
            start, end = context.span(left)[1], context.span(right)[0]
            one, other = context.text(left), context.text(right)
            is_told = match[1] != "dict" or context.is_true(
                f"all(({one})[k] == ({other})[k] for k in ({one}) if k in ({other}))"
            )
            at = start + context.source[start:end].index("+")
            yield self.patch(
                context.replace_here((at, at + 1, "|")),
                "Join them with `|`",
                f"Two values of type `{match[1]}` are joined with `|`, not with `+`.",
                applicability=Applicability.SAFE if is_told else Applicability.UNSAFE,
                why=self.why
                if is_told
                else "Both have values for the same key, of which the right one wins: they may be meant to be added.",
                prior=0.92 if is_told else 0.6,
            )
            return

    def _join_indexes(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.BinOp):
            method = METHODS.get(type(node.op))
            sides = context.describe_all([node.left, node.right], calls=True)
            if method is None or not all(s.is_a("pandas.Index") for s in sides[: 1 if method == "difference" else 2]):
                continue
            if method == "difference" and not _are_texts_taken(context, node):
                continue
            text = f"{context.operand(node.left)}.{method}({context.text(node.right)})"
            is_told = method != "difference" or (
                context.is_true(f"({context.text(node.left)}).is_monotonic_increasing")
                or context.notebook.python.startswith("2")
            )
            yield self.patch(
                context.replace_here((*context.span(node), text)),
                f"Use `{text}`",
                "Operators of an index go item by item."
                if method == "difference"
                else "Operators of an index go item by item since pandas 2.",
                applicability=Applicability.SAFE if is_told else Applicability.UNSAFE,
                why="`difference` puts the texts in order, and they may be meant to stay as they are."
                if not is_told
                else "Of texts nothing else can be taken away."
                if method == "difference"
                else "Before pandas 2 this operator was the method (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html).",
                prior=0.93,
            )
            return


def _are_texts_taken(context: RuleContext, node: ast.BinOp) -> bool:
    """``df.columns - ["y"]``: an index of texts, from which a list of texts or another such index is taken."""
    left, right = context.text(node.left), context.text(node.right)
    is_list = f"type({right}).__name__ in ('list', 'set', 'tuple', 'Index')"
    return context.is_true(f"{is_list} and all(isinstance(_, str) for _ in [*({left}), *({right})])")


def _is_part(context: RuleContext, node: ast.AST) -> bool:
    """True where the sum is an operand of another operation: ``|`` binds less than ``+``."""
    return any(node in (n.left, n.right) for n in context.walk(ast.BinOp)) or any(
        node in (n.left, *n.comparators) for n in context.walk(ast.Compare)
    )
