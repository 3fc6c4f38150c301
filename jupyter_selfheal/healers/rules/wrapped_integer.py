"""NPA122: a small integer of an array that wraps around when it is reckoned with, since NumPy 2."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_plain_chain
from jupyter_selfheal.healers.rules.context.replay import list_statements_above, mend_above
from jupyter_selfheal.model import Applicability, Patch

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
SMALL = frozenset({"int8", "uint8", "int16", "uint16", "int32", "uint32"})
RELEASE = "int(__import__('numpy').__version__.split('.')[0])"
OVERFLOWS = (
    "isinstance({0}, __import__('numpy').integer) and {0}.itemsize < 8 and not "
    "(__import__('numpy').iinfo(type({0})).min <= {1} <= __import__('numpy').iinfo(type({0})).max)"
)
"""Whether a name holds one integer of NumPy's whose type does not hold what is reckoned with it; one of 64 bits always wrapped."""


class WrappedInteger(Rule):
    """Reckon with a small integer of an array as with any other number.

    **Failure** `AssertionError`, or a value that is not the expected one, below `top = image.max()` and `top + 20`: since NumPy 2.0 the sum is a `uint8` as `top`
    is, and wraps around at 256. Only a warning says so.

    **Fix** `int(top) + 20`, in every such place that the failing cell's values come from. The cells that made them run again.

    **Fix safety** Safe: until NumPy 2.0 such a sum was an `int64`, and the value that is there now does not fit the small type. Silent for arrays,
    whose type was always kept, where the result fits, for types of 64 bits, which always wrapped, and where both sides are NumPy's.
    """

    code = "NPA122"
    name = "integer that wraps around"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "ValueError", "IndexError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "Until NumPy 2.0 a single number and a Python integer gave an int64 (https://numpy.org/doc/stable/release/2.0.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        small = _find_small(context)

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for number, reckoned in _list_reckoned(source, statement) if small else ():
                text = src.extract_text(source, number)
                if text in small and context.is_true(OVERFLOWS.format(text, reckoned)):
                    yield (*src.find_span(source, number), f"int({text})"), text

        edits, shown = mend_above(context, find)
        if edits and (context.number(RELEASE) or 0) >= 2:
            cause = f"Since NumPy 2.0, what is reckoned with `{shown}` keeps its small type, and wraps around."
            yield self.patch(edits, f"Reckon with `int({shown})`", cause, prior=0.9)


def _find_small(context: RuleContext) -> set[str]:
    """What holds an integer of NumPy's below 64 bits, of all that is reckoned with: one question, however long the cells are."""
    places = (
        (source, pair[0]) for _, source, s in list_statements_above(context) for pair in _list_reckoned(source, s)
    )
    texts = list(dict.fromkeys(src.extract_text(source, number) for source, number in places))
    found = context.describe_all(texts)
    return {text for text, info in zip(texts, found, strict=True) if info.ndim == 0 and info.dtype in SMALL}


def _list_reckoned(source: str, statement: ast.stmt) -> Iterator[tuple[ast.expr, str]]:
    """A name or plain chain beside a whole number that is written down, and the text of what they give as Python's integers."""
    for node in ast.walk(statement):
        if not isinstance(node, ast.BinOp) or type(node.op) not in SIGNS:
            continue
        for number, beside in ((node.left, node.right), (node.right, node.left)):
            is_written = isinstance(beside, ast.Constant) and type(beside.value) is int
            if is_written and not isinstance(number, ast.Constant) and read_plain_chain(number, source):
                sides = (f"int({src.extract_text(source, number)})", src.extract_text(source, beside))
                left, right = sides if number is node.left else sides[::-1]
                yield number, f"{left} {SIGNS[type(node.op)]} {right}"
