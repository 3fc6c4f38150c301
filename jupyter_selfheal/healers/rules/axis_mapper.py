"""PDA146: labels renamed by the method that names an axis."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.model import Applicability, Patch


class AxisMapper(Rule):
    """Rename labels by `rename`.

    **Failure** ``ValueError: Use `.rename` to alter labels with a mapper.``, from `df.rename_axis({"a": "b"}, axis=1)`; `TypeError: Index does not support
    mutable operations` at `df.columns[0] = "b"`.

    **Fix** `df.rename({"a": "b"}, axis=1)`; `df = df.rename(columns={df.columns[0]: "b"})`.

    **Fix safety** Safe: the labels that an index has cannot be changed one by one, and until pandas 1.0 `rename_axis` called `rename` itself for a mapping or a function. Silent where another keyword than
    `mapper`, `axis`, `copy` and `inplace` is given, and for one label of a table inside of a function, whose caller would keep the old one.
    """

    code = "PDA146"
    name = "labels renamed otherwise than by rename"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(r"Index does not support mutable operations|Use `\.rename` to alter labels with a mapper")
    applicability = Applicability.SAFE
    why = "Until pandas 1.0 it called `rename` itself (https://pandas.pydata.org/docs/whatsnew/v0.21.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "TypeError":
            yield from self._rename_one(context)
            return
        for call in context.list_calls_at_failure():
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "rename_axis"):
                continue
            if {k.arg for k in call.keywords} - {"mapper", "axis", "copy", "inplace"} or len(call.args) > 1:
                continue
            yield self.patch(
                context.replace_here((*context.find_attribute_span(call.func), "rename")),
                "Change `.rename_axis` to `.rename`",
                "`rename_axis` only names an axis; its labels are renamed by `rename`.",
                prior=0.93,
            )
            return

    def _rename_one(self, context: RuleContext) -> Iterator[Patch]:
        if find_function(context.source, context.line) is not None:
            return  # the caller's table would keep its labels
        for node in context.list_nodes_on_line(ast.Assign):
            label = node.targets[0]
            labels = label.value if isinstance(label, ast.Subscript) else None
            if not isinstance(label, ast.Subscript) or isinstance(label.slice, ast.Slice) or len(node.targets) > 1:
                continue
            if not isinstance(labels, ast.Attribute) or labels.attr not in ("columns", "index"):
                continue
            table = context.text(labels.value)
            if not isinstance(labels.value, ast.Name) or not context.is_true(f"({table}).{labels.attr}.is_unique"):
                continue
            new = f"{table} = {table}.rename({labels.attr}={{{context.text(label)}: {context.text(node.value)}}})"
            yield self.patch(
                context.replace_here((*context.span(node), new)),
                f"Use `{new}`",
                f"The labels of `{table}.{labels.attr}` cannot be changed one by one.",
                prior=0.93,
            )
            return
