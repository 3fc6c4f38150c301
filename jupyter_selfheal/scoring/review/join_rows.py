"""REV204: a join that lost rows or multiplied them, and nobody said that it should."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import is_plain

KNOWN = frozenset({"on", "left_on", "right_on", "how", "suffixes", "sort"})
"""Arguments of a merge that this check understands."""


class JoinRows(Check):
    """A merge that lost rows or multiplied them, and nobody said that it should.

    **Doubt** A merge without `how` loses rows of the left table, whose key is looked up in a table where it is unique: they have no
    partner there. Or a merge by a key that is unique in neither table gives more rows than both together, or, without `how`, loses some rows
    and multiplies others, so that the number of rows says nothing. The tables are looked at as they are before the merge.

    **Silent** Where `how`, `validate` or `indicator` says what is meant (for lost rows), where each row finds its partners, where
    the right table holds nothing but the key (a selection), on tables of over a million rows.

    **What to do** Write `how="left"` to keep the rows, or `how="inner"` where they are meant to go; `validate="many_to_one"` keeps a
    key from being multiplied.
    """

    code = "REV204"
    name = "join that lost or multiplied rows"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        for at, statement in enumerate(cell.body):
            call = next((n for n in ast.walk(statement) if isinstance(n, ast.Call) and _is_merge(n)), None)
            if call is None or isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.For | ast.While | ast.If):
                continue
            arguments = _read_arguments(call)
            if arguments is None:
                continue
            answer = self._ask_rows(cell, at, statement, arguments)
            if isinstance(answer, dict) and (words := _find_words(answer, arguments)) is not None:
                yield cell.build_doubt(self.code, statement, *words)

    def _ask_rows(self, cell: ReviewedCell, at: int, statement: ast.stmt, arguments: dict[str, str]) -> Any:
        """Before the statement where that state is there; after the cell where nothing has bound the tables since."""
        asked = {name: arguments.get(name, "") for name in ("left", "right", "on", "left_on", "right_on")}
        if cell.before is not None:
            return cell.ask_before(at, "review_joins", "describe_join", **asked)
        bound = src.collect_names(cell.body[at:]).binds | cell.rebound
        used = {
            n.id
            for text in asked.values()
            if text
            for n in ast.walk(src.parse_expression(text))
            if isinstance(n, ast.Name)
        }
        return None if used & bound else cell.ask("review_joins", "describe_join", **asked)


def _is_merge(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "merge"


def _read_arguments(call: ast.Call) -> dict[str, str] | None:
    """The tables and the keys as text; None where the call has more than this check understands."""
    given = {k.arg: k.value for k in call.keywords}
    if not given.keys() <= KNOWN or not isinstance(call.func, ast.Attribute):
        return None
    is_function = ast.unparse(call.func.value) in ("pd", "pandas")
    tables = list(call.args) if is_function else [call.func.value, *call.args]
    if len(tables) != 2 or not all(is_plain(t) for t in tables):
        return None
    values = {
        "left": tables[0],
        "right": tables[1],
        **{str(k): v for k, v in given.items() if k not in ("suffixes", "sort")},
    }
    return {name: ast.unparse(value) for name, value in values.items()} if all(map(is_plain, values.values())) else None


def _find_words(answer: dict[str, Any], arguments: dict[str, str]) -> tuple[str, str] | None:
    """What is to be said and what to do; None where nothing speaks against the join."""
    left, right, keys = arguments["left"], arguments["right"], ", ".join(answer["keys"])
    if "how" not in arguments and answer["lost"] and answer["right_unique"] and not answer["only_keys"]:
        if answer["left_unique"] and not answer["near"] and answer["inner"]:
            return None  # two lists of their own: what they have in common may be what is asked for
        examples = ", ".join(answer["lost_keys"])
        near = f" ({answer['near'][0]} is {answer['near'][1]} there)" if answer["near"] else f" (such as {examples})"
        what = (
            f"{answer['lost']} of {answer['left']} rows of `{left}` are lost: their `{keys}` is not in `{right}`{near}."
        )
        return what, 'Make the keys alike, or write `how="left"` to keep the rows, `how="inner"` if they shall go.'
    met = answer["left"] - answer["lost"]
    is_many_to_many = not (answer["left_unique"] or answer["right_unique"])
    if (
        "how" not in arguments
        and is_many_to_many
        and answer["lost"]
        and answer["inner"] > met
        and not answer["only_keys"]
    ):
        what = (
            f"{answer['lost']} of {answer['left']} rows of `{left}` are lost, as their `{keys}` is not in `{right}`, and the other {met} become "
            f"{answer['inner']}, as `{right}` holds some of theirs more than once: the number of rows does not show it."
        )
        return (
            what,
            'Write `how="left"`, and make `' + keys + '` unique in one of them; `validate="many_to_one"` checks it.',
        )
    both = answer["left"] + answer["right"]
    is_unique = answer["left_unique"] or answer["right_unique"]
    if arguments.get("how", "'inner'") == "'cross'" or is_unique or answer["inner"] <= both:
        return None
    what = (
        f"{answer['left']} and {answer['right']} rows become {answer['inner']}: `{keys}` is unique in neither table, so each row "
        "meets several."
    )
    return what, 'Join by a key that is unique in one of them; `validate="many_to_one"` checks it.'
