"""PDA110: NumPy asked about a dtype of pandas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

TESTS = {
    "number": "is_numeric_dtype", "integer": "is_integer_dtype", "floating": "is_float_dtype", "float": "is_float_dtype",
    "int": "is_integer_dtype", "bool": "is_bool_dtype", "bool_": "is_bool_dtype", "object": "is_object_dtype",
    "object_": "is_object_dtype", "datetime64": "is_datetime64_any_dtype", "str": "is_string_dtype", "str_": "is_string_dtype",
    "float64": "is_float_dtype", "int64": "is_integer_dtype",
}  # fmt: skip


class DtypeTest(Rule):
    """Ask pandas about a dtype that NumPy does not know.

    **Failure** `TypeError: Cannot interpret '<StringDtype(na_value=nan)>' as a data type` from `np.issubdtype(s.dtype, np.number)`.

    **Fix** `pd.api.types.is_numeric_dtype(s.dtype)`, likewise for integers, floats, booleans, dates, objects.

    **Fix safety** Safe: for NumPy's dtypes both tests say the same.
    """

    code = "PDA110"
    name = "dtype that NumPy does not know"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(r"Cannot interpret '.*' as a data type")
    applicability = Applicability.SAFE
    why = "For NumPy's own dtypes both tests say the same."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:4]:
            if read_last_name(call.func) != "issubdtype" or len(call.args) != 2:
                continue
            test = TESTS.get(read_last_name(call.args[1]))
            known = context.reference(f"pandas.api.types.{test}") if test else None
            if known is None:
                continue
            text = f"{known[0]}({context.text(call.args[0])})"
            edit = (*context.span(call), text)
            yield self.patch(
                context.replace(context.cell_id, [edit, *context.add_imports([known[1]])]),
                f"Use `{text}`",
                "NumPy doesn't know pandas' dtypes.",
                prior=0.9,
            )
            return
