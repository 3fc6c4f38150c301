"""PDA187: a column of dates that `read_csv` made of others by `parse_dates={…}`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, quote_text
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch


class DatesOfColumns(Rule):
    """Make the column of dates behind the call that reads the table.

    **Failure** `TypeError: Only booleans and lists are accepted for the 'parse_dates' parameter` at `pd.read_csv(path, parse_dates={"when": ["date", "time"]})`.

    **Fix** Without the argument, and a line behind it that puts the new column first, where it was, in place of those that it is made of:
    `table.insert(0, "when", pd.to_datetime(table.pop("date").astype(str) + " " + table.pop("time").astype(str)))`.

    **Fix safety** Safe where one column is read as dates under its new name. Unsafe where several are joined, by the same blank as before:
    numbers among them lose how they were written. Silent with another argument that depends on them, and where no name is assigned.
    """

    code = "PDA187"
    name = "dates of several columns"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    message = re.compile(r"^Only booleans and lists are accepted for the 'parse_dates' parameter")
    applicability = Applicability.UNSAFE
    why = "The columns are joined by a blank, as pandas did it until 3.0; numbers among them may have been written otherwise (`07`)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        known = context.reference("pandas.to_datetime")
        for node in context.list_nodes_on_line(ast.Assign):
            given = _read_dates(node)
            if given is None or known is None or node not in context.tree.body:
                continue
            call, argument, made = given
            name = context.text(node.targets[0])
            lines = [_write_column(name, new, parts, known[0]) for new, parts in made]
            end = context.span(node)[1]
            changes: list[Splice] = [build_argument_splice(context, call, argument, "")]
            lines.reverse()
            index = next((k for k in call.keywords if k.arg == "index_col"), None)
            if index is not None:
                changes.append(build_argument_splice(context, call, index, ""))
                lines.append(f"{name} = {name}.set_index({context.text(index.value)})")
            changes.append((end, end, "".join(f"\n{line}" for line in lines)))
            is_text = all(len(parts) == 1 for _, parts in made)
            yield self.patch(
                context.replace_here(*changes, *context.add_imports([known[1]] if known[1] else [])),
                f"Make the column {made[0][0]!r} behind `read_csv`",
                "`parse_dates` takes no dictionary since pandas 3.0.",
                applicability=Applicability.SAFE if is_text else self.applicability,
                why="It is one column, which is read as dates under its new name." if is_text else self.why,
                prior=0.9,
            )
            return


def _read_dates(node: ast.AST) -> tuple[ast.Call, ast.keyword, list[tuple[str, list[str]]]] | None:
    """The call of ``table = pd.read_csv(…, parse_dates={…})``, that argument, and new columns with those that they are made of."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None
    call = node.value
    if not isinstance(call, ast.Call):
        return None
    given = {k.arg: k for k in call.keywords}
    argument = given.get("parse_dates")
    if argument is None or not isinstance(argument.value, ast.Dict) or given.keys() & HELD:
        return None
    made = []
    for key, value in zip(argument.value.keys, argument.value.values, strict=True):
        parts = (
            [e.value for e in value.elts if isinstance(e, ast.Constant)]
            if isinstance(value, ast.List | ast.Tuple)
            else []
        )
        if not isinstance(key, ast.Constant) or not parts or not all(isinstance(p, str) for p in parts):
            return None
        made.append((str(key.value), [str(p) for p in parts]))
    index = given.get("index_col")
    if index is not None and not (
        isinstance(index.value, ast.Constant) and index.value.value in [new for new, _ in made]
    ):
        return None
    return call, argument, made


HELD = frozenset(
    {
        "infer_datetime_format",
        "date_parser",
        "date_format",
        "chunksize",
        "iterator",
        "keep_date_col",
        "dayfirst",
        "header",
    }
)
"""Arguments that say more of the dates, or that the new column is needed for at once."""


def _write_column(name: str, new: str, parts: list[str], to_datetime: str) -> str:
    popped = [f"{name}.pop({quote_text(part)})" for part in parts]
    joined = ' + " " + '.join(f"{one}.astype(str)" for one in popped)
    return f"{name}.insert(0, {quote_text(new)}, {to_datetime}({joined}))"
