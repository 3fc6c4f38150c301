"""PDA113: several columns of a group in one pair of brackets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name
from jupyter_selfheal.model import Applicability, Patch


class ColumnsInTuple(Rule):
    """Name several columns as a list.

    **Failure** `ValueError: Cannot subset columns with a tuple with more than one element. Use a list instead.` from
    `df.groupby("k")["a", "b"]`, which pandas 2.0 stopped reading as a list.

    **Fix** `df.groupby("k")[["a", "b"]]`, wherever the failing statement has it. `KeyError: ('a', 'b')` from `df["a", "b"]` likewise.

    **Fix safety** Safe: the list is what the tuple was taken for, and the message asks for it. Of a table only where it has every one of the
    columns, and none that is a tuple. `np.std` and `np.var` in an `agg` of the same group become `'std'` and `'var'`, which pandas took them for until it stopped reading the tuple (its own
    divide by `n - 1`, NumPy's by `n`).
    """

    code = "PDA113"
    name = "columns in a tuple"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "KeyError"})
    applicability = Applicability.SAFE
    why = "The list selects the columns that the tuple selected until pandas 2.0."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "KeyError":
            yield from self._select_of_table(context)
            return
        if not context.failure.evalue.startswith("Cannot subset columns with a tuple"):
            return
        keys = [
            node.slice
            for node in context.list_nodes_at_failure(ast.Subscript)
            if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1 and _is_grouped(context, node.value)
        ]
        spreads = list(_list_spreads(context, keys))
        named = f"; use {', '.join(dict.fromkeys(s[2] for s in spreads))} for NumPy's" if spreads else ""
        yield self.patch(
            context.replace(context.cell_id, [*(_write_list(context, key) for key in dict.fromkeys(keys)), *spreads]),
            f"Select the columns with a list{named}",
            "Since pandas 2.0, several columns of a group need a list, not a tuple.",
            prior=0.95,
        )

    def _select_of_table(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Subscript):
            key, owner = node.slice, context.read_plain_chain(node.value)
            if not owner or not isinstance(key, ast.Tuple) or not isinstance(node.ctx, ast.Load):
                continue
            names = [e.value for e in key.elts if isinstance(e, ast.Constant)]
            keys = context.keys(owner)
            if keys is None or keys.type != "DataFrame" or len(names) != len(key.elts) or len(set(names)) < 2:
                continue
            if set(names) <= set(keys.columns) and not any(isinstance(c, tuple) for c in keys.columns):
                yield self.patch(
                    context.replace_here(_write_list(context, key)),
                    "Select the columns with a list",
                    "Several columns of a table need a list, not a tuple.",
                    why="The table has every one of these columns, and none that is a tuple.",
                    prior=0.95,
                )
                return


def _list_spreads(context: RuleContext, keys: list[ast.Tuple]) -> Iterator[Splice]:
    """``'std'`` for ``np.std`` in ``df.groupby("k")["a", "b"].agg([np.mean, np.std])``."""
    for call in context.walk(ast.Call):
        owner = (
            call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr in ("agg", "aggregate") else None
        )
        if not (isinstance(owner, ast.Subscript) and owner.slice in keys):
            continue
        given = [n for a in (*call.args, *(k.value for k in call.keywords)) for n in _list_functions(a)]
        for node in given:
            name = read_dotted_name(node)
            if name in ("np.std", "np.var", "numpy.std", "numpy.var"):
                yield *context.span(node), repr(name.rpartition(".")[2])


def _list_functions(given: ast.expr) -> list[ast.expr]:
    """The functions of ``agg``: one, a list of them, or those of a dictionary's values."""
    if isinstance(given, ast.List | ast.Tuple):
        return [n for item in given.elts for n in _list_functions(item)]
    if isinstance(given, ast.Dict):
        return [n for value in given.values for n in _list_functions(value)]
    return [given]


def _write_list(context: RuleContext, key: ast.expr) -> Splice:
    start, end = context.span(key)
    text = context.source[start:end]
    return start, end, f"[{text[1:-1] if text.startswith('(') else text}]"


def _is_grouped(context: RuleContext, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "groupby":
        return True
    if not isinstance(node, ast.Name):
        return False
    return any(path.endswith(".DataFrameGroupBy") for path in context.describe_all([node])[0].mro)
