"""PDA159: a function of pandas asked of a table or a column."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

OF_COLUMN = frozenset({"to_numeric", "to_datetime", "to_timedelta", "cut", "qcut", "get_dummies"})
OF_TABLE = frozenset({"get_dummies", "to_datetime", "melt", "pivot"})


class FunctionOfPandas(Rule):
    """Call pandas' function with the object whose method it was taken for.

    **Failure** `AttributeError: 'DataFrame' object has no attribute 'concat'` at `a.concat(b)`, `'Series' object has no attribute
    'to_datetime'` at `df["day"].to_datetime()`.

    **Fix** `pd.concat([a, b])`, `pd.to_datetime(df["day"])`; the other arguments stay.

    **Fix safety** Safe: the function does that with what it is called on. Unsafe for `get_dummies` of texts with `|`, which `.str.get_dummies` parts.
    Silent for a result that nobody keeps, and for `to_datetime` and `get_dummies` of a table with arguments, which may name its columns.
    """

    code = "PDA159"
    name = "function of pandas as a method"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "pandas has it as a function, which takes what it was called on first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name, owner = context.attribute, context.owner
        is_table, is_column = owner.is_a("pandas.DataFrame"), owner.is_a("pandas.Series")
        if not (name == "concat" and (is_table or is_column)) and not (
            (is_column and name in OF_COLUMN) or (is_table and name in OF_TABLE)
        ):
            return
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == name), None)
        call = context.call_of(node) if node is not None else None
        known = context.reference(f"pandas.{name}")
        if node is None or call is None or known is None or context.is_statement(call):
            return
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg in ("sep", None) for k in call.keywords):
            return
        if (
            is_table
            and name in ("to_datetime", "get_dummies")
            and (call.args or (call.keywords and name == "to_datetime"))
        ):
            return
        receiver, arguments = context.text(node.value), [context.text(a) for a in call.args]
        if name == "concat":
            if not arguments:
                return
            first = call.args[0]
            others = [context.text(e) for e in first.elts] if isinstance(first, ast.List | ast.Tuple) else arguments[:1]
            receiver, arguments = f"[{', '.join([receiver, *others])}]", arguments[1:]
        keywords = [context.text(k) for k in call.keywords]
        text = f"{known.text}({', '.join([receiver, *arguments, *keywords])})"
        imports = context.add_imports([known.import_line] if known.import_line else [])
        series = f"({context.text(node.value)}).dropna().astype(str)"
        sure = (
            name != "get_dummies" or is_table or context.is_true(f"not {series}.str.contains('|', regex=False).any()")
        )
        yield self.patch(
            context.replace_here((*context.span(call), text), *imports),
            f"Use `{text}`",
            f"`{name}` is a function of pandas, not a method of a `{owner.type}`.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "Each text may be meant to be parted at `|`: `.str.get_dummies()`.",
            prior=0.93 if sure else 0.6,
        )
