"""NPA107: arrays to be joined that were given one by one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

ABOUT = re.compile(r"only integer scalar arrays can be converted|only integer tensors of a single element|positional arguments? but \d+ (positional arguments? .*)?(was|were) given|cannot be interpreted as an integer|"
                   r"first argument must be an iterable of pandas objects|argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor|axis|^Field elements must be|^Cannot interpret '\[|Data type not understood; expecting list")  # fmt: skip
JOINING = {
    "concatenate": "numpy", "vstack": "numpy", "hstack": "numpy", "dstack": "numpy", "column_stack": "numpy", "stack": "numpy",
    "row_stack": "numpy", "concat": "pandas", "array": "numpy", "cat": "torch", "Matrix": "sympy",
}  # fmt: skip


ARRAYS = ("numpy.ndarray", "pandas.DataFrame", "pandas.Series", "builtins.list", "torch.Tensor")
NUMBERS = ("builtins.int", "builtins.float", "numpy.number")

REDUCING = frozenset({"max", "min", "amax", "amin", "sum", "mean", "median"})
"""Functions of NumPy that take one thing; Python's `max` and `min` take several."""


class ArraysInSequence(Rule):
    """Give the arrays that are to be joined as one sequence.

    **Failure** `TypeError: only integer scalar arrays can be converted to a scalar index` at `np.concatenate(a, b)`; `vstack() takes 1
    positional argument but 2 were given`; the same of `pd.concat(a, b)` and `torch.cat(a, b)`.

    **Fix** `np.concatenate((a, b))`; `np.array([1, 2], [3, 4])` becomes `np.array([[1, 2], [3, 4]])`, so does SymPy's `Matrix`, `np.max(3, 5)` of nothing but numbers `np.max([3, 5])`.

    **Fix safety** Safe: each of the arguments is an array or a table, and none of them can be an axis.
    """

    code = "NPA107"
    name = "arrays not in a sequence"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "AxisError"})
    message = ABOUT
    applicability = Applicability.SAFE
    why = "Each of the arguments is an array or a table, and none can be an axis."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:3]:
            callee = call.func
            name = read_last_name(callee)
            library = "numpy" if name in REDUCING else JOINING.get(name)
            if library is None or len(call.args) < 2 or any(isinstance(a, ast.Starred) for a in call.args):
                continue
            function, *given = context.describe_all([callee, *call.args], calls=True)
            kinds = NUMBERS if name in REDUCING else ARRAYS
            if "argument 'tensors'" in context.failure.evalue:
                library = "torch"
            if not function.path.startswith(library) or not all(g.is_a(*kinds) and g.type != "bool" for g in given):
                continue
            if name in ("array", "Matrix") and len({g.length for g in given}) > 1:
                continue
            start, end = context.span(call.args[0])[0], context.span(call.args[-1])[1]
            marks = "[]" if library == "pandas" or name in ("array", "Matrix", *REDUCING) else "()"
            edits = context.replace(context.cell_id, [(start, start, marks[0]), (end, end, marks[1])])
            yield self.patch(
                edits,
                f"Pass `{context.text(callee)}` one sequence",
                "The arrays to join belong in one sequence.",
                prior=0.9,
            )
            return
