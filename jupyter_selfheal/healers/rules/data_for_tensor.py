"""TEN106: data of another kind than a function makes tensors of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"expected np\.ndarray \(got (?:list|tuple|Series|DataFrame|Tensor)\)|could not determine the shape of object type '(?:DataFrame|Series)'|"
    r"can't convert np\.ndarray of type numpy\.object_|only one element tensors can be converted to Python scalars|new\(\): invalid data type|"
    r"only integer tensors of a single element can be converted|too many dimensions '(?:DataFrame|Series)'"
)
TABLES = ("pandas.DataFrame", "pandas.Series")


class DataForTensor(Rule):
    """Make a tensor of what the data are.

    **Failure** `TypeError: expected np.ndarray (got list)` at `torch.from_numpy`, `ValueError: could not determine the shape of object type
    'DataFrame'` at `torch.tensor`, `only one element tensors can be converted to Python scalars` for a list of tensors, `can't convert np.ndarray of
    type numpy.object_`.

    **Fix** `torch.tensor(values)`, `torch.tensor(df.values)`, `torch.stack(rows)`, `torch.from_numpy(values.astype(float))`.

    **Fix safety** Safe: the values and their order are the same. Unsafe for values of mixed types, which become floats, and for a list of floats, of which
    `torch.tensor` makes shorter ones than NumPy would. Silent for columns of texts.
    """

    code = "TEN106"
    name = "data for a tensor"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The values and their order are the same."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:3]:
            if not call.args or isinstance(call.args[0], ast.Starred):
                continue
            function, given = context.describe_all([call.func, call.args[0]], calls=True)
            if not function.path.startswith("torch."):
                continue
            change = _find_change(context, call, function, given)
            if change is None:
                continue
            (start, end, text), is_same = change
            yield self.patch(
                context.replace_here((start, end, text)),
                f"Use `{text}`",
                f"`{context.text(call.func)}` does not take what `{context.text(call.args[0])}` is.",
                applicability=Applicability.SAFE if is_same else Applicability.UNSAFE,
                why=self.why if is_same else "The values become floats, perhaps of another precision.",
                prior=0.92,
            )
            return


def _find_change(
    context: RuleContext, call: ast.Call, function: ObjectInfo, given: ObjectInfo
) -> tuple[tuple[int, int, str], bool] | None:
    """A splice, and whether the values stay the same."""
    first = call.args[0]
    text = context.operand(first)
    head = context.text(call.func).rpartition(".")[0]
    name = function.path.rpartition(".")[2]
    if given.is_a(*TABLES):
        if context.is_true(f"({text}).values.dtype.kind in 'biuf'"):
            return (*context.span(first), f"{text}.values"), True
        if context.is_true(f"bool(({text}).astype(float).size)"):
            return (*context.span(first), f"{text}.astype(float).values"), False
        return None
    if given.is_a("numpy.ndarray") and given.dtype == "object":
        is_number = context.is_true(f"bool(({text}).astype(float).size)")
        return ((*context.span(first), f"{text}.astype(float)"), False) if is_number else None
    if name == "from_numpy" and given.type in ("list", "tuple") and head:
        is_whole = context.is_true(f"all(type(value) in (int, bool) for value in {text})")
        return (*context.span(call.func), f"{head}.tensor"), is_whole
    if (
        name in ("tensor", "Tensor", "FloatTensor", "as_tensor")
        and given.type in ("list", "tuple")
        and head
        and len(call.args) == 1
    ):
        alike = f"len({{type(t).__name__ for t in {text}}}) == 1 and len({{tuple(t.shape) for t in {text}}}) == 1"
        item = context.describe_all([f"{text}[0]"])[0]
        if item.is_a("torch.Tensor") and not call.keywords and context.is_true(alike):
            return (*context.span(call.func), f"{head}.stack"), True
    return None
