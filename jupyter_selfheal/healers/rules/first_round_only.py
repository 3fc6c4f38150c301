"""NON106: a loop that gives up in its first round."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.used_functions import find_definition, list_functions_used
from jupyter_selfheal.model import Applicability, Patch

FRONT = re.compile(
    r"front|head|top|next|peek|pop|(?:the|its|only|very) first (?:one|line|row|item|entry|element|job|in|of|alone|is|if)",
    re.I,
)
"""Words by which the first item alone is meant."""


class FirstRoundOnly(Rule):
    """Give up only when all items were looked at.

    **Failure** `AttributeError: 'NoneType' object has no attribute 'lend'` at `library.find("Emma").lend()`, where `find` loops over its books with
    `if book.title == title: return book`, `else: return None`.

    **Fix** `return None` stands behind the loop.

    **Fix safety** Safe: a loop that returns in its first round, whatever the item, looks at no other one. Unsafe where something stands behind the loop, which an
    item that is not found would come to as well, and where words say that the one in front is meant (`def front(queue)`). Silent where a round does anything else.
    """

    code = "NON106"
    name = "loop that gives up in its first round"
    stage = Stage.STATE
    enames = frozenset({"AttributeError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The loop returns in its first round whatever the item is, so that it looks at no other one."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for name in list_functions_used(context) if context.is_about_none else ():
            for cell_id in context.list_cells_upwards():
                source = context.source_of(cell_id)
                function = find_definition(source, name)
                loop = _find_loop(function) if function is not None else None
                if function is None or loop is None:
                    continue
                test = loop.body[0]
                assert isinstance(test, ast.If)
                start, end = (src.find_span(source, block[-1])[1] for block in (test.body, test.orelse))
                indent = " " * loop.col_offset
                is_last = loop is function.body[-1]
                is_sure = is_last and not FRONT.search(ast.get_source_segment(source, function) or "")
                behind = f"\n{indent}return None" if is_last else ""
                yield self.patch(
                    context.replace(cell_id, [(start, end, behind)]),
                    f"Let `{name}` give up behind the loop",
                    f"`{name}` returns None in the first round of its loop where the first item is not the one.",
                    applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
                    why=self.why
                    if is_sure
                    else "What is in front may be meant alone, or what stands behind the loop be for no item at all.",
                    prior=0.93 if is_sure else 0.6,
                )
                return


def _find_loop(function: ast.FunctionDef) -> ast.For | None:
    """The loop of a function that is one ``if`` which returns what was found, else None."""
    for node in function.body:
        match node:
            case ast.For(body=[ast.If(body=found, orelse=[ast.Return(given)])], orelse=[]):
                is_none = given is None or (isinstance(given, ast.Constant) and given.value is None)
                last = found[-1]
                if is_none and isinstance(last, ast.Return) and last.value is not None:
                    return node
    return None
