"""PDA146: labels renamed by the method that names an axis."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class AxisMapper(Rule):
    """Rename labels by `rename`.

    **Failure** ``ValueError: Use `.rename` to alter labels with a mapper.``, from `df.rename_axis({"a": "b"}, axis=1)`.

    **Fix** `df.rename({"a": "b"}, axis=1)`.

    **Fix safety** Safe: until pandas 1.0 `rename_axis` called `rename` itself for a mapping or a function. Silent where another keyword than
    `mapper`, `axis`, `copy` and `inplace` is given.
    """

    code = "PDA146"
    name = "labels renamed by rename_axis"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"Use `\.rename` to alter labels with a mapper")
    applicability = Applicability.SAFE
    why = "Until pandas 1.0 it called `rename` itself (https://pandas.pydata.org/docs/whatsnew/v0.21.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.calls_at_failure():
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "rename_axis"):
                continue
            if {k.arg for k in call.keywords} - {"mapper", "axis", "copy", "inplace"} or len(call.args) > 1:
                continue
            yield self.patch(
                context.replace_here((*context.attribute_span(call.func), "rename")),
                "Change `.rename_axis` to `.rename`",
                "`rename_axis` only names an axis; its labels are renamed by `rename`.",
                prior=0.93,
            )
            return
