"""NPA115: numbers that an array holds as objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.lost_downcast import list_lost_downcasts
from jupyter_selfheal.model import Applicability, Patch

HOLDERS = ("numpy.ndarray", "pandas.Series", "pandas.DataFrame")
ARE_NUMBERS = (
    "all(isinstance(_, (int, float)) and -2**53 < _ < 2**53 or getattr(_, 'dtype', None) is not None and _.dtype.kind in 'biuf'"
    " for _ in __import__('numpy').ravel({0}))"
)
"""Of a table or array: each item is a number that a float holds exactly, and none is missing."""


TEXTS = re.compile(
    r"dtypes are not compatible with \w+\.reduce\. Resolved \(dtype\('<U|string multiply ufunc|did not contain a loop with signature matching types \(dtype\('<U"
)
"""What NumPy says of an array of texts that is reckoned with."""
WRITTEN = r"\s*-?(?:0|[1-9]\d*){0}\s*"


class NumbersAsObjects(Rule):
    """Make floats of numbers that are held as objects.

    **Failure** `TypeError: loop of ufunc does not support argument 0 of type int which has no callable sqrt method` from `np.sqrt(a)`;
    `AttributeError: 'numpy.dtypes.ObjectDType' object has no attribute 'dtype'` from `stats.zscore(df)`.

    **Fix** `np.sqrt(a.astype(float))`; `a.astype(float).mean()` of an array of texts that are numbers.

    **Fix safety** Safe: each item is a number that a float holds exactly. Silent where one is a text, is missing, or is larger than that.
    """

    code = "NPA115"
    name = "numbers held as objects"
    stage = Stage.LIBRARY
    enames = frozenset(
        {
            "TypeError",
            "AttributeError",
            "UFuncTypeError",
            "_UFuncNoLoopError",
            "UFuncNoLoopError",
            "numpy._core._exceptions._UFuncNoLoopError",
        }
    )
    message = re.compile(
        rf"{TEXTS.pattern}|"
        r"which has no callable \w+ method|ObjectDType' object has no attribute|ufunc '\w+' not supported for the input types"
    )
    applicability = Applicability.SAFE
    why = "Each item is a number that a float holds exactly."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if TEXTS.search(context.failure.evalue):
            yield from self._read_texts(context)
            return
        for call in context.list_calls_at_failure():
            given = [a for a in call.args if context.read_plain_chain(a) is not None or isinstance(a, ast.Subscript)]
            lives = context.describe_all(given)
            for argument, live in zip(given, lives, strict=True):
                text = context.text(argument)
                if not live.is_a(*HOLDERS) or not context.is_true(
                    f"__import__('numpy').asarray({text}).dtype == object"
                ):
                    continue
                if not context.is_true(ARE_NUMBERS.format(text)):
                    continue
                written = f"{context.operand(argument)}.astype(float)"
                shown = list_lost_downcasts(context)[1]
                yield self.patch(
                    context.replace_here((*context.span(argument), written)),
                    f"Use `{written}`",
                    f"`{text}` holds its numbers as objects, which `{context.text(call.func)}` cannot reckon with.",
                    applicability=Applicability.UNSAFE if shown else Applicability.SAFE,
                    why=f"`{shown}` is a column of objects below as well, where it was one of numbers until pandas 3."
                    if shown
                    else self.why,
                    prior=0.6 if shown else 0.92,
                )
                return

    def _read_texts(self, context: RuleContext) -> Iterator[Patch]:
        """``a.astype(float)`` of an array of texts, each of which is a number and none a code that begins with 0."""
        for node in context.list_nodes_at_failure(ast.Call, ast.BinOp):
            match node:
                case ast.BinOp(left=left, right=right):
                    sides = [left, right]
                case ast.Call(func=ast.Attribute(value=owner), args=given):
                    sides = [*given, owner]
                case ast.Call(args=given):
                    sides = given
                case _:
                    continue
            for side in sides:
                text = context.text(side)
                if context.read_plain_chain(side) is None or not context.describe_all([side])[0].is_a("numpy.ndarray"):
                    continue
                kinds = [(kind, WRITTEN.replace("{0}", end)) for kind, end in (("int", ""), ("float", r"(?:\.\d+)?"))]
                kind = next(
                    (
                        k
                        for k, form in kinds
                        if context.is_true(
                            f"{text}.size and {text}.dtype.kind == 'U' and all(__import__('re').fullmatch({form!r}, _) for _ in {text}.ravel().tolist())"
                        )
                    ),
                    "",
                )
                if kind:
                    end = context.span(side)[1]
                    yield self.patch(
                        context.replace_here((end, end, f".astype({kind})")),
                        f"Use `{text}.astype({kind})`",
                        f"`{text}` holds numbers that are written as texts.",
                        why="Every text is a number.",
                        prior=0.92,
                    )
                    return
