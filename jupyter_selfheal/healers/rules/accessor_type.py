"""PDA117: ``.dt`` of texts, and ``.str`` of numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.value_types import ISO
from jupyter_selfheal.model import Applicability, Patch


class AccessorType(Rule):
    """Turn texts into dates before `.dt`, and numbers into texts before `.str`.

    **Failure** `AttributeError: Can only use .dt accessor with datetimelike values`, `Can only use .str accessor with string values`.

    **Fix** `pd.to_datetime(df["when"]).dt.month`; `df["zip"].astype(str).str[:2]`.

    **Fix safety** Safe for texts that are all ISO dates (`2021-03-04`), and for whole numbers as texts. Unsafe otherwise: day and month
    may be in another order, and a missing value becomes the text `nan`. Silent for a table, which has neither accessor.
    """

    code = "PDA117"
    name = "accessor of another type"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    message = re.compile(r"Can only use \.")
    applicability = Applicability.SAFE
    why = "The values have one reading as this type."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        which = (
            "dt"
            if ".dt accessor" in context.failure.evalue
            else "str"
            if ".str accessor" in context.failure.evalue
            else ""
        )
        if not which:
            return
        node = next(
            (n for n in context.nodes_at_failure(ast.Attribute) if n.attr == which),
            None,
        )
        live = context.describe_all([node.value], calls=True)[0] if isinstance(node, ast.Attribute) else None
        if not isinstance(node, ast.Attribute) or live is None or not live.is_a("pandas.Series"):
            return
        text, imports = context.text(node.value), []
        if which == "dt":
            known = context.reference("pandas.to_datetime")
            if known is None or live.dtype not in ("object", "str", "string"):
                return
            imports = [known[1]]
            sure = _holds_accessor(context, f"({text}).dropna().astype(str).str.fullmatch({ISO!r}).all()")
            new = f"{known[0]}({text})"
        else:
            sure = live.dtype.lower().startswith(("int", "uint"))
            new = f"{context.operand(node.value)}.astype(str)"
        yield self.patch(
            context.replace(context.cell_id, [(*context.span(node.value), new), *context.add_imports(imports)]),
            f"Use `{new}.{which}`",
            f"`.{which}` only works on {'dates' if which == 'dt' else 'text'}; these values are {live.dtype}.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "The values may have another reading.",
            prior=0.85 if sure else 0.6,
        )


def _holds_accessor(context: RuleContext, expression: str) -> bool:
    return bool(context.number(f"int({expression})") == 1)
