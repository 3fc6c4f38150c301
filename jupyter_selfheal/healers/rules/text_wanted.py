"""TYP211: a number where a text is taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS, find_type
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"write\(\) argument must be str, not (?:int|float)|expected string or bytes-like object, got '(?:int|float)'|"
    r"object of type 'int' has no len\(\)|decoding to str: need a bytes-like object, (?:int|float) found|(?:strptime\(\) argument 1|fromisoformat: argument) must be str(?:, not int)?$|"
    r"(?:starts|ends)with first arg must be str or a tuple of str, not int$|^must be str(?: or None)?, not int$"
)
SEARCHED = {"match": 1, "search": 1, "findall": 1, "finditer": 1, "fullmatch": 1, "split": 1, "sub": 2}
"""Functions of ``re``, and which of their arguments is the text."""
FIRST = frozenset({"write", "strptime", "fromisoformat", "startswith", "endswith", "split", "find", "index", "count"})
"""Functions whose first argument is the text."""


class TextWanted(Rule):
    """Turn a number into text where a text is taken.

    **Failure** `TypeError: write() argument must be str, not int`, `expected string or bytes-like object, got 'int'` from
    `re.findall(pattern, n)`, `strptime() argument 1 must be str, not int` for a day as `20240301`, `object of type 'int' has no len()`,
    `decoding to str: need a bytes-like object, int found` from `re.sub(pattern, 1, text)`, `startswith first arg must be str or a tuple of str, not int`.

    **Fix** `str(n)` at the place, `"10"` for a number that is written there. The number of rounds in `range(len(n))` is `n` itself; behind `for x in xs` (or `zip(xs, ys)`, `enumerate(xs)`, in a cell above, too) `len(x)` is `len(xs)`.

    **Fix safety** Safe for what is written, searched or read as a date. Unsafe for `len`, which may be asked of something else.
    """

    code = "TYP211"
    name = "text wanted"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Only text is taken there, and this is how the number is written."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        counts = "has no len" in context.failure.evalue
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            at = 0 if (name == "len" if counts else name in FIRST) else -1
            if not counts and name in SEARCHED:
                is_module = isinstance(call.func, ast.Attribute) and context.text(call.func.value) == "re"
                at = SEARCHED[name] - (not is_module) - (name == "sub" and "decoding to str" in context.failure.evalue)
            if not 0 <= at < len(call.args) or find_type(context, call.args[at]) not in NUMBERS:
                continue
            given = call.args[at]
            text = context.text(given)
            gone_through = _find_gone_through(context, given) if counts else ""
            if gone_through:
                yield self.patch(
                    context.replace_here((*context.span(given), gone_through)),
                    f"Ask for the length of `{gone_through}`",
                    f"`{text}` is one item of `{gone_through}`: the last one, behind the loop.",
                    applicability=Applicability.UNSAFE,
                    why="The number of its digits may be meant.",
                    prior=0.85,
                )
                return
            if counts and self._counts_rounds(context, call):
                changes, title = [(*context.span(call), text)], f"Count up to `{text}`"
            else:
                new = quote_alike(text, context.source) if isinstance(given, ast.Constant) else f"str({text})"
                changes, title = [(*context.span(given), new)], f"Convert `{text}` to text"
            yield self.patch(
                context.replace_here(*changes),
                title,
                f"`{text}` is a number, not a text.",
                applicability=Applicability.UNSAFE if counts else Applicability.SAFE,
                why="The number of its digits may be meant, or the length of something else." if counts else self.why,
                prior=0.6 if counts else 0.9,
            )
            return

    def _counts_rounds(self, context: RuleContext, call: ast.Call) -> bool:
        outer = src.read(context.source).parents.get(call)
        return isinstance(outer, ast.Call) and read_last_name(outer.func) == "range"


def _find_gone_through(context: RuleContext, given: ast.expr) -> str:
    """What a loop above the line, or in the cell above, goes through by this variable: ``total / len(x)`` behind ``for x in xs``; empty where
    there is none."""
    if not isinstance(given, ast.Name):
        return ""
    function = find_function(context.source, context.line)
    loops = [
        n
        for n in context.walk(ast.For)
        if (n.end_lineno or n.lineno) < context.line and find_function(context.source, n.lineno) is function
    ]
    if function is None and context.find_last_assignment(given.id) is None:
        for cell in context.list_binding_cells(
            given.id, reversed(context.notebook.list_code_before(context.failure.cell_id))
        )[:1]:
            loops[:0] = [n for n in src.walk(cell.source) if isinstance(n, ast.For)]
    found = [name for loop in loops if (name := _name_items(loop, given.id))]
    return found[-1] if found else ""


def _name_items(loop: ast.For, name: str) -> str:
    """What a loop takes the variable from: ``xs`` of ``for x in xs``, ``for i, x in enumerate(xs)``, ``for x, y in zip(xs, ys)``, and of ``for
    k, x in xs.items()``."""
    given, at = loop.iter, 0
    if isinstance(loop.target, ast.Tuple) and isinstance(given, ast.Call):
        at = next((n for n, t in enumerate(loop.target.elts) if isinstance(t, ast.Name) and t.id == name), -1)
        called = read_last_name(given.func)
        if called == "items" and isinstance(given.func, ast.Attribute) and at >= 0:
            return given.func.value.id if isinstance(given.func.value, ast.Name) else ""
        at -= called == "enumerate"
        if called not in ("zip", "enumerate") or not 0 <= at < len(given.args):
            return ""
        given = given.args[at]
    elif not isinstance(loop.target, ast.Name) or loop.target.id != name:
        return ""
    return given.id if isinstance(given, ast.Name) else ""
