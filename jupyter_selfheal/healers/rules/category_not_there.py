"""PDA194: a value that is put into a column of categories, and is none of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import find_line_span
from jupyter_selfheal.healers.rules.context.lost_writes import OF_EVERY_TABLE
from jupyter_selfheal.model import Applicability, Patch

FILLING = frozenset({"fillna", "where", "mask"})


class CategoryNotThere(Rule):
    """Add a value to the categories before it is put among them.

    **Failure** `TypeError: Cannot setitem on a Categorical with a new category (unknown), set the categories first` at `df["size"].fillna("unknown")`, `df.loc[1, "size"] = "XL"`.

    **Fix** `df["size"].cat.add_categories("unknown").fillna("unknown")`; `df["size"] = df["size"].cat.add_categories("XL")` above the assignment.

    **Fix safety** Safe: the message asks for it, and nothing but the list of categories changes. Unsafe where the categories have an order, in which the new one would be the greatest, and where
    the value is near to a category: it may be misspelt.
    """

    code = "PDA194"
    name = "value that is no category"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = re.compile(r"Cannot setitem on a Categorical with a new category")
    applicability = Applicability.SAFE
    why = "The message asks for it, and nothing but the list of categories changes."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if any(k.arg == "inplace" for k in call.keywords):
                return  # it would fill what is thrown away
            if isinstance(call.func, ast.Attribute) and call.func.attr in FILLING and call.args:
                value = call.args[0] if call.func.attr == "fillna" else call.args[-1]
                column = context.operand(call.func.value)
                if (level := self._judge(context, column, value)) is not None:
                    end = context.span(call.func.value)[1]
                    new = f".cat.add_categories({context.text(value)})"
                    yield self._write(context, column, value, (end, end, new), level)
                return
        statement = context.failing_statement
        for node in context.walk(ast.Assign):
            if not node.lineno <= context.line <= (node.end_lineno or 0) or len(node.targets) != 1:
                continue
            column = _read_column(context, node.targets[0])
            if not column or statement is None or (level := self._judge(context, column, node.value)) is None:
                return
            at = context.span(node)[0]
            indent = context.source[find_line_span(context.source, node.lineno)[0] : at]
            if not indent.strip():
                line = f"{column} = {column}.cat.add_categories({context.text(node.value)})"
                yield self._write(context, column, node.value, (at, at, f"{line}\n{indent}"), level)
            return

    def _write(
        self, context: RuleContext, column: str, value: ast.expr, splice: tuple[int, int, str], level: Applicability
    ) -> Patch:
        return self.patch(
            context.replace_here(splice),
            f"Add {context.text(value)} to the categories of `{column}`",
            f"`{column}` holds categories, and {context.text(value)} is none of them.",
            applicability=level,
            why=self.why
            if level is Applicability.SAFE
            else "The categories have an order, or the value may be one of them misspelt.",
            prior=0.92 if level is Applicability.SAFE else 0.6,
        )

    def _judge(self, context: RuleContext, column: str, value: ast.expr) -> Applicability | None:
        """How far it may be trusted; None where the column holds no categories, or the value is a category or no text."""
        text = context.text(value)
        if not context.is_true(
            f"({column}).dtype.name == 'category' and isinstance({text}, (str, int)) and {text} not in ({column}).cat.categories"
        ):
            return None
        near = f"__import__('difflib').get_close_matches(str({text}).lower(), [str(_).lower() for _ in ({column}).cat.categories], 1, 0.75)"
        part = f"any(str(_).lower().startswith(str({text}).lower()) or str({text}).lower().startswith(str(_).lower()) for _ in ({column}).cat.categories)"
        kind = f"any(type(_) is not type({text}) for _ in ({column}).cat.categories)"
        doubtful = context.is_true(f"({column}).cat.ordered or {near} or {part} or {kind}")
        return Applicability.UNSAFE if doubtful else Applicability.SAFE


def _read_column(context: RuleContext, target: ast.expr) -> str:
    """The column that ``df.loc[rows, "size"] = …``, ``df["size"][rows] = …`` or ``sizes[1] = …`` writes into; empty for anything else."""
    match target:
        case ast.Subscript(
            value=ast.Attribute(value=table, attr="loc" | "at"),
            slice=ast.Tuple(elts=[_, ast.Constant(value=str()) as name]),
        ):
            chain = context.read_plain_chain(table)
            return f"{chain}[{context.text(name)}]" if chain else ""
        case ast.Subscript(value=ast.Attribute(value=column, attr="loc" | "iloc" | "at" | "iat")):
            return context.text(column) if isinstance(column, ast.Name) else ""  # else a part of a table is written to
        case ast.Subscript(value=ast.Name() as column) if not (
            isinstance(column, ast.Attribute) and column.attr in OF_EVERY_TABLE
        ):
            return context.read_plain_chain(column) or ""
    return ""
