"""SKL140: an array that a transformer made of a table, used as the table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.rule_context import Assignment
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"'numpy\.ndarray' object has no attribute '(\w+)'|^only integers, slices \(`:`\)")
EACH_COLUMN = frozenset(
    {"StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler", "Normalizer", "PowerTransformer", "QuantileTransformer", "OrdinalEncoder"}
)  # fmt: skip
"""Transformers that give one column for each, in their order."""
SAME_EACH_TIME = frozenset({"drop", "dropna", "fillna", "select_dtypes", "copy"})
OTHER_OF_ARRAY = frozenset(
    {"mean", "std", "var", "sum", "min", "max", "argmin", "argmax", "round", "cumsum", "prod", "any", "all"}
)
"""Methods by which a table and an array give another thing."""


class ArrayOfTable(Rule):
    """Keep the table that a transformer makes an array of.

    **Failure** `AttributeError: 'numpy.ndarray' object has no attribute 'head'` at `df.head()`, or `only integers, slices (`:`) … are valid indices` at `df["age"]`.

    **Fix** `df = pd.DataFrame(scaler.fit_transform(df), columns=df.columns, index=df.index)` where it is made.

    **Fix safety** Safe: a scaler gives one column for each, in their order. Unsafe where the array is gone through by rows, or asked for what a table gives for each column (`scaled.mean()`). Silent for other transformers,
    for rows that are drawn anew each time (`df.sample(9)`), and for what a table has not, either.
    """

    code = "SKL140"
    name = "array made of a table"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "IndexError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The transformer gives one column for each, in their order, and a table is read."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        frame, missed = context.reference("pandas.DataFrame"), MESSAGE.search(context.failure.evalue)
        if frame is None or frame.import_line or missed is None:
            return
        if missed[1]:
            wanted = [n.value for n in context.list_nodes_at_failure(ast.Attribute) if n.attr == missed[1]]
            if not context.exists(f"pandas.DataFrame.{missed[1]}") or _is_asked_of_list(context, missed[1]):
                return
        else:
            keys = context.list_nodes_at_failure(ast.Subscript)
            wanted = [n.value for n in keys if context.is_true(f"isinstance(({context.text(n.slice)}), (str, list))")]
        for name in (n.id for n in wanted if isinstance(n, ast.Name)):
            made = context.find_last_assignment(name)
            match made.node.value if made is not None else None:
                case (
                    ast.Call(func=ast.Attribute(value=owner, attr="fit_transform" | "transform"), args=[table]) as call
                ):
                    pass
                case _:
                    continue
            assert made is not None
            kind, text = context.describe(ast.unparse(owner), calls=True), ast.unparse(table)
            called = (c.func for c in ast.walk(table) if isinstance(c, ast.Call))
            if kind is None or kind.type not in EACH_COLUMN or not kind.module.startswith("sklearn."):
                continue
            if not all(isinstance(c, ast.Attribute) and c.attr in SAME_EACH_TIME for c in called):
                continue
            if isinstance(owner, ast.Name) and _is_bound_behind(context, owner.id, made):
                continue  # it was another transformer then
            is_array_too = _is_read_as_array(context, name)
            start, end = src.find_span(made.source, call)
            new = f"{frame.text}({made.source[start:end]}, columns={text}.columns, index={text}.index)"
            yield self.patch(
                change_and_replay(context, {made.cell_id: [(start, end, new)]}),
                f"Keep the table: `{name} = {new}`",
                f"`{name}` is the array that a `{kind.type}` gives, and is used as a table.",
                applicability=Applicability.UNSAFE if is_array_too else Applicability.SAFE,
                why=f"`{name}` is used as an array, too." if is_array_too else self.why,
                prior=0.6 if is_array_too else 0.93,
            )
            return


def _is_bound_behind(context: RuleContext, name: str, made: Assignment) -> bool:
    """Whether a name is last bound behind that assignment."""
    bound, order = context.find_last_assignment(name), [*reversed(context.list_cells_upwards())]
    return bound is not None and (order.index(bound.cell_id), bound.node.lineno) > (
        order.index(made.cell_id),
        made.node.lineno,
    )


def _is_asked_of_list(context: RuleContext, method: str) -> bool:
    """``codes.count(0)``: a list has such a method, too, and no column is named."""
    calls = (c for c in context.list_calls_at_failure() if isinstance(c.func, ast.Attribute) and c.func.attr == method)
    return hasattr(list, method) and any(
        not any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(c)) for c in calls
    )


def _is_read_as_array(context: RuleContext, name: str) -> bool:
    """Whether something else would come of a table without a word: `scaled.std()`, `for row in scaled`."""
    for node in context.walk_notebook():
        match node:
            case ast.Attribute(value=ast.Name(id=used), attr=attribute) if used == name and attribute in OTHER_OF_ARRAY:
                return True
            case ast.For(iter=source) | ast.comprehension(iter=source):
                if any(isinstance(n, ast.Name) and n.id == name for n in (source, *getattr(source, "args", ()))):
                    return True
            case _:
                pass
    return False
