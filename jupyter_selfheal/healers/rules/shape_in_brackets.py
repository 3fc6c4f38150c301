"""NPA110: a shape or a row of values given as several arguments, or the other way round."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import takewhile

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS, find_type
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Cannot interpret '-?\d+(?:\.\d+)?' as a data type|array\(\) takes from 1 to 2 positional arguments but|"
    r"(?:zeros|ones|empty)\(\) takes (?:from \d to \d|at most \d) (?:positional )?arguments|Too many arguments|"
    r"takes (?:from \d+ to |at most )?\d+ (?:positional )?arguments? (?:but|\(\d+ given)|got multiple values for argument|'int' object is not iterable|"
    r"^order must be str|^Unknown resampling filter|^Size must be a list|requested shape|"
    r"'(?:tuple|list|numpy\.float64)' object cannot be interpreted as an integer|maximum supported dimension for an ndarray"
)
SHAPED = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty"})
"""Functions that take the shape as one argument."""
COUNTED = frozenset({"numpy.random.rand", "numpy.random.randn"})
"""Functions that take each length of the shape as an argument."""
FIRST_SHAPED = frozenset({"zeros", "ones", "empty", "full"})
SIZED = frozenset({"shape", "size", "newshape", "new_shape", "reps", "box"})
"""Parameters of libraries that take several whole numbers in brackets."""
RESHAPED = frozenset({"reshape", "resize", "broadcast_to", "tile"})
"""Functions whose shape is not that of another array as such: the values have to fill it."""


class ShapeInBrackets(Rule):
    """Give NumPy a shape, or the values of an array, in the brackets that the function asks for.

    **Failure** `TypeError: Cannot interpret '4' as a data type` from `np.zeros(3, 4)` or `np.array(1, 2)`; `TypeError: 'tuple' object
    cannot be interpreted as an integer` from `np.random.rand((3, 4))`; `ValueError: maximum supported dimension for an ndarray is
    currently 64, found 200` from `np.random.normal(0, 1, size=t)`, where `t` is an array; `Unknown resampling filter (12)` from `picture.resize(16, 12)`.

    **Fix** `np.zeros((3, 4))`, `rng.normal(0, 1, (3, 4))`, `picture.resize((16, 12))`, `np.array([1, 2])`, `df["c"].isin(["x", "z"])`, `np.random.rand(3, 4)`, `size=t.shape`.

    **Fix safety** Safe: a number is no data type, so it can only be a length or a value; other functions of a library have a parameter for a shape or a size where the first of the whole numbers stands. Silent where an argument is no whole number (a shape)
    or no number (values), and in `isin` no number or text: of two lists, neither is among the values. Of an array only where its values
    can be no lengths: fractions, or more than 64.
    """

    code = "NPA110"
    name = "brackets around a shape"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "A number is no data type: it can only be a length or a value."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "float64" in context.failure.evalue or "maximum" in context.failure.evalue:
            yield from self._take_shape(context)
            return
        for call in context.list_failing_nodes(ast.Call):
            path = _find_path(context, call.func)
            if call.keywords and any(k.arg is None for k in call.keywords):
                continue
            kinds = [find_type(context, a) for a in call.args]
            if path == "" and read_last_name(call.func) == "isin" and len(kinds) > 1 and not call.keywords:
                if all(k in NUMBERS or k == "str" for k in kinds):  # of lists, none is among the values
                    yield self._bracket_shape(context, call, "[]", "values")
                return
            if path in SHAPED and len(kinds) > 1 and all(k == "int" for k in kinds):
                yield self._bracket_shape(context, call, "()", "shape")
            elif path == "numpy.array" and len(kinds) > 1 and all(k in NUMBERS for k in kinds):
                yield self._bracket_shape(context, call, "[]", "values")
            elif path in COUNTED and len(call.args) == 1 and isinstance(call.args[0], ast.Tuple | ast.List):
                inner = context.text(call.args[0])[1:-1].strip().rstrip(",")
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), inner)),
                    "Give each length of the shape by itself",
                    f"`{context.text(call.func)}` takes the lengths one by one, not as a tuple.",
                    prior=0.92,
                )
            elif row := _find_row(context, call):
                yield self._bracket_shape(context, call, "()", "size", row)
            else:
                continue
            return

    def _take_shape(self, context: RuleContext) -> Iterator[Patch]:
        """``np.random.normal(0, 1, size=t)``: as many values as `t` has."""
        for call in context.list_failing_nodes(ast.Call):
            name, given = read_last_name(call.func), [k.value for k in call.keywords if k.arg in ("size", "shape")]
            given = given or (call.args[:1] if name in FIRST_SHAPED else call.args[-1:])
            text = context.read_plain_chain(given[0]) if given else None
            path = context.describe_all([call.func])[0].path
            if not text or name in RESHAPED or path.startswith("__main__"):
                continue
            if any(a.arg == text.partition(".")[0] for a in context.walk(ast.arg)):
                return  # what is called with the array may be meant to be given its length
            no_lengths = f"getattr({text}, 'ndim', 0) == 1 and {text}.dtype.kind in 'iuf' and ({text}.dtype.kind == 'f' or len({text}) > 64)"
            if context.is_true(f"type({text}).__name__ == 'ndarray' and {no_lengths}"):
                yield self.patch(
                    context.replace_here((*context.span(given[0]), f"{text}.shape")),
                    f"Give the shape of `{text}`: `{text}.shape`",
                    f"`{text}` is an array, and `{context.text(call.func)}` takes a shape there: as many values as `{text}` has.",
                    why="The values of the array can be no lengths: they are fractions, or more than an array has dimensions.",
                    prior=0.92,
                )
            return

    def _bracket_shape(
        self, context: RuleContext, call: ast.Call, brackets: str, what: str, row: list[ast.expr] | None = None
    ) -> Patch:
        items = row or call.args
        start, end = context.span(items[0])[0], context.span(items[-1])[1]
        inner = context.source[start:end]
        return self.patch(
            context.replace_here((start, end, f"{brackets[0]}{inner}{brackets[1]}")),
            f"Put the {what} in brackets",
            f"`{context.text(call.func)}` takes the {what} as one argument.",
            prior=0.92,
        )


def _find_row(context: RuleContext, call: ast.Call) -> list[ast.expr]:
    """``16, 12`` of ``picture.resize(16, 12)``: whole numbers from the parameter on that takes a shape or a size, without those that a parameter behind it needs."""
    live = context.describe_all([call.func], calls=True)[0]
    known = None if live.path.startswith("__main__") else context.signature(call.func, calls=True)
    parameters = [p for p in known.parameters if p.kind.startswith("POSITIONAL")] if known is not None else []
    at = next((n for n, p in enumerate(parameters) if p.name in SIZED), len(call.args))
    row = list(takewhile(lambda a: find_type(context, a) == "int", call.args[at:]))
    needed = {p.name for p in parameters[at + 1 :] if not p.has_default} - {k.arg for k in call.keywords}
    behind = len(call.args) - at - len(row)
    row = row[: len(row) - max(len(needed) - behind, 0)]
    return row if len(row) > 1 else []


def _find_path(context: RuleContext, func: ast.expr) -> str:
    """The dotted path of NumPy's function that is called; empty where it is another's."""
    text = context.read_plain_chain(func) or ""
    thing = context.describe(text) if text else None
    name = text.rpartition(".")[2]
    if thing is None:
        return ""
    return next(
        (
            path
            for path in (*SHAPED, *COUNTED, "numpy.array")
            if path.endswith(f".{name}") and _is_numpys(context, text)
        ),
        "",
    )


def _is_numpys(context: RuleContext, text: str) -> bool:
    """True where the chain begins at a module of NumPy's."""
    module = context.describe(text.rpartition(".")[0]) if "." in text else None
    return module is not None and module.is_module
