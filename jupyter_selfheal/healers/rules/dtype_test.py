"""PDA110: NumPy asked about a dtype of pandas, or dtypes of both put in order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import LOOPS, find_function, find_keyword, read_last_name
from jupyter_selfheal.inside.tree_names import is_method_call
from jupyter_selfheal.model import Applicability, Patch

TESTS = {
    "number": "is_numeric_dtype", "integer": "is_integer_dtype", "floating": "is_float_dtype", "float": "is_float_dtype",
    "int": "is_integer_dtype", "bool": "is_bool_dtype", "bool_": "is_bool_dtype", "object": "is_object_dtype",
    "object_": "is_object_dtype", "datetime64": "is_datetime64_any_dtype", "str": "is_string_dtype", "str_": "is_string_dtype",
    "float64": "is_float_dtype", "int64": "is_integer_dtype",
}  # fmt: skip

SAME = ("is_any_real_numeric_dtype", "is_float_dtype", "is_bool_dtype", "is_object_dtype", "is_datetime64_any_dtype")
"""Tests that say of the columns of ordinary tables what NumPy's says."""


class DtypeTest(Rule):
    """Ask pandas about a dtype that NumPy does not know.

    **Failure** `TypeError: Cannot interpret '<StringDtype(na_value=nan)>' as a data type` from `np.issubdtype(s.dtype, np.number)`.

    **Fix** `pd.api.types.is_numeric_dtype(s.dtype)`, likewise for integers, floats, booleans, dates, objects.

    Or `'<' not supported between instances of 'StringDtype' and 'numpy.dtypes.Int64DType'` at `df.columns.to_series().groupby(df.dtypes)`, as columns of text have
    a dtype of pandas since 3.0: `groupby(df.dtypes, sort=False)`, which gives the same groups in the order in which they come.

    In a loop or a function `is_any_real_numeric_dtype`, as columns of `True` and `False` are no numbers for NumPy.

    **Fix safety** Safe where this one dtype is asked about, or both tests say the same of NumPy's dtypes. Unsafe for integers and texts in a loop or a
    function: pandas takes other widths, and columns of objects.
    """

    code = "PDA110"
    name = "dtype that NumPy does not know"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"Cannot interpret '.*' as a data type|^'<' not supported between instances of '[\w.]*Dtype' and|^'<' not supported .* and '[\w.]*D[Tt]ype'$"
    )
    applicability = Applicability.SAFE
    why = "Both tests say the same of what is asked about here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.evalue.startswith("'<'"):
            yield from self._leave_unsorted(context)
            return
        for call in context.list_calls_at_failure()[:4]:
            if read_last_name(call.func) != "issubdtype" or len(call.args) != 2:
                continue
            test = TESTS.get(read_last_name(call.args[1]))
            asks_others = context.list_nodes_at_failure(*LOOPS) or find_function(context.source, context.line)
            if test == "is_numeric_dtype" and asks_others:
                test = "is_any_real_numeric_dtype"  # True and False are no numbers for NumPy
            known = context.reference(f"pandas.api.types.{test}") if test else None
            if known is None:
                continue
            text = f"{known[0]}({context.text(call.args[0])})"
            sure = not asks_others or test in SAME
            edit = (*context.span(call), text)
            yield self.patch(
                context.replace(context.cell_id, [edit, *context.add_imports([known[1]])]),
                f"Use `{text}`",
                "NumPy doesn't know pandas' dtypes.",
                applicability=self.applicability if sure else Applicability.UNSAFE,
                why=self.why if sure else "Other dtypes are asked about too, and pandas takes more of them.",
                prior=0.9,
            )
            return

    def _leave_unsorted(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not is_method_call(call, "groupby") or find_keyword(call, "sort") or len(call.args) != 1:
                continue
            if context.is_true(f"all(hasattr(t, 'kind') for t in {context.text(call.args[0])})"):
                splice = append_argument(context.source, call, "sort=False")
                cause = (
                    "NumPy's dtypes have no order beside those of pandas, which columns of text have since pandas 3.0."
                )
                edits = context.replace(context.cell_id, [splice])
                yield self.patch(
                    edits, "Leave the groups unsorted", cause, why="The groups are the same in any order.", prior=0.9
                )
                return
