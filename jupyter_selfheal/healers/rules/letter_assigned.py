"""TYP206: a letter of a text, an item of a tuple or a field of a named tuple that is assigned to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypedDict

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function, is_held_elsewhere, list_arguments
from jupyter_selfheal.healers.rules.context.value_types import find_type
from jupyter_selfheal.inside.tree_names import is_name, list_bound_names
from jupyter_selfheal.model import Applicability, Patch

ASSIGNED = re.compile(r"'(str|tuple)' object does not support item assignment")


class LetterAssigned(Rule):
    """Make a new text or tuple where a part of one is assigned to.

    **Failure** `TypeError: 'str' object does not support item assignment` at `word[0] = "J"`; the same of a tuple;
    `AttributeError: can't set attribute` of a named tuple.

    **Fix** `word = "J" + word[1:]`; in the middle `word = word[:i] + "J" + word[i + 1:]`; of a tuple `point = (5,) + point[1:]`,
    of a named tuple `point = point._replace(x=5)`.

    **Fix safety** Safe for a text that is a variable of the cell or function, and a place that is not negative: the text that is asked for is the same. Unsafe
    where nothing reads the new text, as in a lesson; for a tuple (a list may be meant, and lessons show that this fails), and for the variable of a loop or a parameter that is not read below, since what is gone through, or the caller, keeps the old one. Silent where it is part of something else, for a slice, and for a value
    that is no text.
    """

    code = "TYP206"
    name = "letter assigned to"
    enames = frozenset({"TypeError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "A text cannot change: the new one has the letter in that place."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "AttributeError":
            yield from self._replace_field(context)
            return
        if not (match := ASSIGNED.match(context.failure.evalue)):
            return
        is_text = match[1] == "str"
        for statement in context.walk(ast.Assign):
            target = statement.targets[0]
            if not statement.lineno <= context.line <= (statement.end_lineno or 0) or len(statement.targets) != 1:
                continue
            if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
                continue
            place = context.number(target.slice) if context.read_plain_chain(target.slice) else None
            if isinstance(target.slice, ast.Constant):
                place = target.slice.value if isinstance(target.slice.value, int) else None
            if place is None or place < 0 or (is_text and find_type(context, statement.value) != "str"):
                continue
            name = target.value.id
            if not _is_own(context, name):
                continue
            at, letter = context.text(target.slice), context.text(statement.value)
            letter = (
                letter
                if isinstance(statement.value, ast.Constant | ast.Name | ast.Call | ast.Subscript)
                else f"({letter})"
            )
            if not is_text:
                letter = f"({context.text(statement.value)},)"
            constant = isinstance(target.slice, ast.Constant)
            before = "" if constant and place == 0 else f"{name}[:{at}] + "
            after = f"{name}[{int(place) + 1}:]" if constant else f"{name}[{at} + 1:]"
            yield self.patch(
                context.replace_here((*context.span(statement), f"{name} = {before}{letter} + {after}")),
                "Make a new text with the letter in it" if is_text else "Make a new tuple with the item in it",
                f"`{name}` is text, and the letters of a text cannot be changed."
                if is_text
                else f"`{name}` is a tuple, and the items of a tuple cannot be changed.",
                **(_rate_name(context, name) if is_text else TUPLE),
            )
            return

    def _replace_field(self, context: RuleContext) -> Iterator[Patch]:
        """``point.x = 5`` of a named tuple."""
        for target in context.list_failing_nodes(ast.Attribute):
            statement = next((s for s in context.walk(ast.Assign) if s.targets == [target]), None) or next(
                (s for s in context.walk(ast.AugAssign) if s.target is target), None
            )
            if statement is None or not isinstance(target.value, ast.Name) or not _is_own(context, target.value.id):
                continue
            thing = context.describe(target.value)
            if thing is None or not {"_fields", "_replace", target.attr} <= set(thing.attributes):
                continue
            name, value = target.value.id, context.text(statement.value)
            if isinstance(statement, ast.AugAssign):
                sign = context.source[context.span(target)[1] : context.span(statement.value)[0]].split("=")[0].strip()
                value = f"({value})" if isinstance(statement.value, ast.BinOp | ast.IfExp | ast.BoolOp) else value
                value = f"{context.text(target)} {sign} {value}"
            yield self.patch(
                context.replace_here((*context.span(statement), f"{name} = {name}._replace({target.attr}={value})")),
                f"Make a new `{thing.type}` with `{target.attr}` replaced",
                f"`{name}` is a named tuple, and its fields cannot be changed.",
                **(
                    {"why": "The new one has this field changed, and all others as they are."}
                    | _rate_name(context, name)
                ),
            )
            return


class _Rating(TypedDict, total=False):
    applicability: Applicability
    why: str
    prior: float


TUPLE: _Rating = {"applicability": Applicability.UNSAFE, "why": "A list may be meant, or be shown that a tuple cannot be changed.", "prior": 0.5}  # fmt: skip


def _rate_name(context: RuleContext, name: str) -> _Rating:
    """How sure it is that the name alone is to get the new value."""
    targets = [*(n.target for n in context.walk(ast.For)), *(n.target for n in context.walk(ast.comprehension))]
    if any(isinstance(n, ast.Name) and n.id == name for target in targets for n in ast.walk(target)):
        return {
            "applicability": Applicability.UNSAFE,
            "why": "What the loop goes through keeps the old one.",
            "prior": 0.5,
        }
    if is_held_elsewhere(context.source, name, context.line):
        why = "The function does not give the new text to anyone, and its caller keeps the old one."
        return {"applicability": Applicability.UNSAFE, "why": why, "prior": 0.5}
    read = (n for n in context.walk(ast.Name) if is_name(n, name) and n.lineno > context.line)
    is_global = find_function(context.source, context.line) is None
    if is_global and not any(read) and not context.is_read_below(name):
        why = "Nothing reads the new text: a lesson may show that a text cannot be changed."
        return {"applicability": Applicability.UNSAFE, "why": why, "prior": 0.5}
    return {"prior": 0.85}


def _is_own(context: RuleContext, name: str) -> bool:
    """True for a variable that the failing place may bind anew: a global of the cell, or the function's own."""
    function = find_function(context.source, context.line)
    if function is None:
        return True
    bound = list_bound_names(function)
    return name in bound or any(a.arg == name for a in list_arguments(function))
