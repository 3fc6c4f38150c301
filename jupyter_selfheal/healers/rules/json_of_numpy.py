"""API208: NumPy's numbers and arrays written as JSON."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_dotted_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Object of type (set|frozenset|u?int\d+|float\d+|bool_?|ndarray|date|datetime|Decimal|UUID|PosixPath|Timestamp) is not JSON serializable"
)

OF_PYTHON = {"date": "str", "datetime": "str", "set": "sorted", "frozenset": "sorted"}
"""What writes values of Python's own; of a class in capitals it is ``str``."""

OF_SETS = "JSON has lists only, and a set has no order that could be lost."
OTHER = "A dictionary may be meant, or something beside the set would be put in order, too."


class JsonOfNumpy(Rule):
    """Write NumPy's numbers and arrays as JSON's.

    **Failure** `TypeError: Object of type int64 is not JSON serializable` (or `float32`, `ndarray`, `date`, `Decimal`) from `json.dumps` and `json.dump`.

    **Fix** `json.dumps(data, default=lambda value: value.tolist())`; `default=str` for dates, `Decimal` and paths, `default=sorted` for sets.

    **Fix safety** Unsafe for Python's own types, which may be meant in another form. Safe for sets, which JSON can only hold as lists (unsafe for one that is written of two texts, as `{"unit": "mm"}` may be meant, and beside an array, whose order `sorted` would change), and for NumPy's: `tolist` gives the same numbers as Python's own, and whatever is no number or array of NumPy's fails as before. Silent
    where the call has a `default` or an encoder of its own.
    """

    code = "API208"
    name = "numbers of NumPy as JSON"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "`tolist` gives the same numbers as Python's own; anything else still fails."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure():
            if (
                read_dotted_name(call.func) not in ("json.dumps", "json.dump", "dumps", "dump")
                or not call.args
                or not match
            ):
                continue
            if find_keyword(call, "default") or find_keyword(call, "cls") or any(k.arg is None for k in call.keywords):
                return
            last = max((*call.args, *(k.value for k in call.keywords)), key=lambda n: context.span(n)[1])
            at = context.span(last)[1]
            way = OF_PYTHON.get(match[1], "" if match[1][0].isupper() else "lambda value: value.tolist()") or "str"
            own = way == "str" or (way == "sorted" and not _has_sets_alone(context, call))
            yield self.patch(
                context.replace_here((at, at, f", default={way}")),
                f"Write such values by `default={way}`"
                if way in OF_PYTHON.values()
                else "Write NumPy's values as Python's own",
                f"JSON knows no `{match[1]}`.",
                applicability=Applicability.UNSAFE if own else Applicability.SAFE,
                why=(OTHER if way == "sorted" else "Another form of them may be meant.")
                if own
                else OF_SETS
                if way == "sorted"
                else self.why,
                prior=0.7 if own else 0.9,
            )
            return


def _has_sets_alone(context: RuleContext, call: ast.Call) -> bool:
    """Whether JSON lacks a form for sets only, none of them one that is written as two texts: of what a function is given next, nobody knows."""
    start, end = context.span(call)
    if any(first <= start and end <= last for first, last in map(context.span, context.walk(ast.FunctionDef))):
        return False
    written = (n for n in context.walk_notebook() if isinstance(n, ast.Set) and len(n.elts) == 2)
    pairs = [ast.unparse(n) for n in written if all(isinstance(e, ast.Constant | ast.JoinedStr) for e in n.elts)]
    is_plain = f"type(v) in (set, frozenset) and v not in [{', '.join(pairs)}]"
    return context.is_true(
        f"__import__('json').dumps({context.text(call.args[0])}, default=lambda v: {{True: sorted}}[{is_plain}](v))"
    )
