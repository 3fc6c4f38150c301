"""NPA101: something that must be an array of another kind, or a copy of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MATRIX = re.compile(r"np\.matrix is not supported")
RAGGED = re.compile(r"inhomogeneous shape")
NO_COPY = re.compile(r"Unable to avoid copy while creating an array")
MAKERS = ("array", "asarray", "asanyarray")


class ArrayWanted(Rule):
    """Give a function the kind of array that it takes now.

    **Failure** `TypeError: np.matrix is not supported` (scikit-learn), `ValueError: … inhomogeneous shape`, `ValueError: Unable to
    avoid copy while creating an array as requested`.

    **Fix** `np.asarray(m)` around the matrix; `dtype=object` for an array of lists of different lengths; `np.asarray(x)` in
    place of `np.array(x, copy=False)`.

    **Fix safety** Safe: each is what the library did before by itself, and what its message or its migration guide names. Unsafe for rows of numbers that stand in
    the call, of which one may be missing.
    """

    code = "NPA101"
    name = "another kind of array wanted"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = re.compile(f"{MATRIX.pattern}|{RAGGED.pattern}|{NO_COPY.pattern}")
    applicability = Applicability.SAFE
    why = "It is what the library did by itself before, and what its migration guide names."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        for call in context.list_calls_at_failure()[:4]:
            if MATRIX.search(message):
                patch = self._convert_matrix(context, call)
            elif RAGGED.search(message):
                patch = self._add_object_dtype(context, call)
            else:
                patch = self._avoid_copy(context, call)
            if patch is not None:
                yield patch
                return

    def _convert_matrix(self, context: RuleContext, call: ast.Call) -> Patch | None:
        lives = context.describe_all(call.args, calls=True)
        known = context.reference("numpy.asarray")
        matrices = [a for a, live in zip(call.args, lives, strict=True) if live.is_a("numpy.matrix")]
        if not matrices or known is None:
            return None
        splices = [(*context.span(a), f"{known[0]}({context.text(a)})") for a in matrices]
        return self.patch(
            context.replace(context.cell_id, [*splices, *context.add_imports([known[1]])]),
            f"Change `{context.text(matrices[0])}` to `{splices[0][2]}`",
            "scikit-learn no longer accepts a matrix.",
            prior=0.9,
        )

    def _add_object_dtype(self, context: RuleContext, call: ast.Call) -> Patch | None:
        if (
            read_last_name(call.func) not in MAKERS
            or any(k.arg == "dtype" for k in call.keywords)
            or len(call.args) != 1
        ):
            return None
        end = context.span(call)[1] - 1
        is_written = _is_written_out(call.args[0])
        return self.patch(
            context.replace(context.cell_id, [(end, end, ", dtype=object")]),
            "Add `dtype=object`",
            "The rows have different lengths, so they only fit an array of objects.",
            applicability=Applicability.UNSAFE if is_written else Applicability.SAFE,
            why="A number may be missing in a row." if is_written else self.why,
            prior=0.6 if is_written else 0.85,
        )

    def _avoid_copy(self, context: RuleContext, call: ast.Call) -> Patch | None:
        keyword = next((k for k in call.keywords if k.arg == "copy"), None)
        known = context.reference("numpy.asarray")
        if read_last_name(call.func) != "array" or keyword is None or known is None or not call.args:
            return None
        rest = [context.text(a) for a in call.args]
        rest += [
            f"{k.arg}={context.text(k.value)}"
            for k in call.keywords
            if k is not keyword and k.arg in ("dtype", "order")
        ]
        text = f"{known[0]}({', '.join(rest)})"
        return self.patch(
            context.replace(context.cell_id, [(*context.span(call), text)]),
            f"Change `{context.text(call)}` to `{text}`",
            "Since NumPy 2.0, `copy=False` fails where a copy is needed.",
            prior=0.9,
        )


def _is_written_out(rows: ast.expr) -> bool:
    """``[[1, 2, 3], [4, 5]]``: rows of numbers that stand in the call."""
    lists = rows.elts if isinstance(rows, ast.List | ast.Tuple) else []
    return bool(lists) and all(
        isinstance(row, ast.List | ast.Tuple) and all(isinstance(n, ast.Constant | ast.UnaryOp) for n in row.elts)
        for row in lists
    )
