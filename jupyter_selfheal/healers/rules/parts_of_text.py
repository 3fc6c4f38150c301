"""PDA141: the parts of a column's texts, taken out of `.str` at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import find_keyword
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch


class PartsOfText(Rule):
    """Take the parts of split texts out of `.str` one by one.

    **Failure** `TypeError: 'StringMethods' object is not iterable` at `df["a"], df["b"] = df["ab"].str.split("-", n=1).str`; `KeyError: -1` or `Length
    of values (2) does not match length of index (3)` at `df["b"] = df["ab"].str.split("-")[1]`, which takes a row.

    **Fix** `… = [df["ab"].str.split("-", n=1).str[i] for i in range(2)]`; `df["ab"].str.split("-").str[1]`;
    `expand=True` at `df[["a", "b"]] = df["ab"].str.split("-")` (`Columns must be same length as key`).

    **Fix safety** Safe: this is what going through `.str` gave until pandas 2.0; a row's parts are no column. Unsafe where no column is filled: a row may be meant; and where some texts have fewer parts than there are columns. Silent
    where it is not unpacked into a known number of names, and where the parts of a row are not put into a column.
    """

    code = "PDA141"
    name = "texts' parts unpacked"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "KeyError", "ValueError"})
    applicability = Applicability.SAFE
    why = "Until pandas 2.0, going through `.str` gave these (https://pandas.pydata.org/docs/whatsnew/v2.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "Columns must be same length as key" in context.failure.evalue:
            yield from self._expand(context)
            return
        if context.failure.ename != "TypeError":
            yield from self._take_part(context)
            return
        node = context.failing_statement
        if "'StringMethods' object is not iterable" not in context.failure.evalue or not isinstance(node, ast.Assign):
            return
        target, value = node.targets[-1], node.value
        if not isinstance(target, ast.Tuple | ast.List) or any(isinstance(t, ast.Starred) for t in target.elts):
            return
        if not isinstance(value, ast.Attribute) or value.attr != "str" or "i" in list_names(value):
            return
        text = f"[{context.text(value)}[i] for i in range({len(target.elts)})]"
        yield self.patch(
            context.replace_here((*context.span(value), text)),
            f"Take the {len(target.elts)} parts out one by one",
            "`.str` can no longer be gone through; its items are the parts.",
            prior=0.92,
        )

    def _expand(self, context: RuleContext) -> Iterator[Patch]:
        """``df[["a", "b"]] = df["ab"].str.split("-")``: one column of lists for several columns."""
        match context.failing_statement:
            case ast.Assign(
                targets=[ast.Subscript(slice=names)],
                value=ast.Call(func=ast.Attribute(value=ast.Attribute(attr="str"), attr="split" | "rsplit")) as call,
            ) if find_keyword(call, "expand") is None:
                count = (
                    len(names.elts) if isinstance(names, ast.List) else context.number(f"len({context.text(names)})")
                )
                parts = f"{context.text(call)}.dropna().str.len()"
                most, least = context.number(f"{parts}.max()"), context.number(f"{parts}.min()")
                if count and most == count:
                    yield self.patch(
                        context.replace_here(append_argument(context.source, call, "expand=True")),
                        "Add `expand=True`",
                        "The split gives one column of lists; `expand=True` makes a column of each part.",
                        applicability=None if least == most else Applicability.UNSAFE,
                        why="Each text has as many parts as there are columns."
                        if least == most
                        else "Some texts have fewer parts.",
                        prior=0.93 if least == most else 0.7,
                    )

    def _take_part(self, context: RuleContext) -> Iterator[Patch]:
        """``df["ab"].str.split("-")[1]``: the parts of row 1, where the second part of every row is meant."""
        for node in context.list_nodes_at_failure(ast.Subscript):
            if not _takes_row(node) or not _is_missed(context, node):
                continue
            if not context.describe_all([node.value], calls=True)[0].is_a("pandas.Series"):
                continue
            end, column = context.span(node.value)[1], _fills_column(context.failing_statement)
            yield self.patch(
                context.replace_here((end, end, ".str")),
                f"Use `.str[{context.text(node.slice)}]`",
                f"`[{context.text(node.slice)}]` takes a row; a part of every text is taken by `.str[{context.text(node.slice)}]`.",
                applicability=Applicability.SAFE if column else Applicability.UNSAFE,
                why="What is put into the column is a part of every text, and not the parts of one row."
                if column
                else "The parts of one row may be meant, by `.iloc`.",
                prior=0.92 if column else 0.7,
            )
            return


SPLITTING = frozenset({"split", "rsplit", "partition", "rpartition", "findall"})


def is_position(node: ast.expr) -> bool:
    """True for a written whole number, as `1` and `-1`."""
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(number, ast.Constant) and type(number.value) is int


def _takes_row(node: ast.Subscript) -> bool:
    """True for ``….str.split(…)[1]`` and ``[-1]``."""
    call = node.value
    return (
        is_position(node.slice)
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in SPLITTING
        and isinstance(call.func.value, ast.Attribute)
        and call.func.value.attr == "str"
    )


def _is_missed(context: RuleContext, node: ast.Subscript) -> bool:
    """True where the table has no such row, or where the row's parts were to become a column."""
    if context.failure.ename == "KeyError":
        return context.failure.evalue.strip() == context.text(node.slice)
    statement = context.failing_statement
    return (
        "does not match length of index" in context.failure.evalue
        and isinstance(statement, ast.Assign)
        and statement.value is node
        and _fills_column(statement)
    )


def _fills_column(statement: ast.stmt | None) -> bool:
    """True for ``df["domain"] = …``."""
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript | ast.Attribute)
