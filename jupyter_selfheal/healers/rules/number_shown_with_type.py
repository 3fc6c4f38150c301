"""NPA123: a text that holds `np.float64(1.5)`, as NumPy 2 shows its numbers, where it was `1.5` before."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.wrapped_integer import RELEASE
from jupyter_selfheal.model import Applicability, Patch

SHOWN = r"\bnp\.(?:(?:u?int|float|complex|longdouble|str|bytes)\w*\(|(?:True|False)_)"
"""A number, a text or a truth value of NumPy's as NumPy 2 shows it inside a list, or by `repr`."""

HOLDS = (
    "any(isinstance(t, str) and __import__('re').search({1!r}, t) for t in "
    "([{0}] if isinstance({0}, str) else {0} if isinstance({0}, (list, tuple, set, dict)) else ()))"
)
"""Whether a text is such a one, or there is one among texts or keys."""

SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr


class NumberShownWithType(Rule):
    """Write NumPy's numbers as before NumPy 2.

    **Failure** Any that comes of a text such as `[np.float64(1.5)]`, often below `text = str(values)` or `f"IN {tuple(ids)}"`: `AssertionError`, `KeyError`,
    `could not convert string to float: 'np.float64(1.5)'`, a query or JSON that does not parse. Since NumPy 2.0, `repr` of a number names its type, and so does every
    list, tuple and dict that holds one.

    **Fix** `with np.printoptions(legacy="1.25"):` around each statement that makes such a text and that the failing cell's values come from. The cells that
    made them run again.

    **Fix safety** Unsafe: what was written may be meant to name the type; an assert, a stored output or the cells below must show the old text. Silent where
    something the cell says itself names the type, for statements of several lines, asserts and the value that a cell ends with, and where NumPy has another name than `np`.
    """

    code = "NPA123"
    name = "number shown with its type"
    stage = Stage.LIBRARY
    enames = frozenset({"AssertionError", "KeyError", "ValueError", "OperationalError", "JSONDecodeError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.UNSAFE
    restores = "NumPy 2.0"
    why = "Until NumPy 2.0 a number was shown without its type (https://numpy.org/doc/stable/release/2.0.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if re.search(SHOWN, context.failure.source) or not _may_read_text(context):
            return

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            if (
                not isinstance(statement, SIMPLE)
                or statement.lineno != statement.end_lineno
                or _is_shown(source, statement)
            ):
                return
            made = [src.extract_text(source, node) for node in _list_texts(statement)]
            if any(context.is_true(HOLDS.format(text, SHOWN)) for text in made):
                start, _ = src.find_span(source, statement)
                yield (start, start, 'with np.printoptions(legacy="1.25"):\n    '), src.extract_text(source, statement)

        edits, shown = mend_above(context, find)
        if edits:
            cause = (
                f"Since NumPy 2.0 the text that `{shown}` makes names the type of each number, as in `np.float64(1.5)`."
            )
            yield self.patch(edits, f"Write numbers as before NumPy 2: `{shown}`", cause, prior=0.8)


def _may_read_text(context: RuleContext) -> bool:
    """Whether NumPy 2 is there as `np`; the message names such a text, or the error is one that may come of a text without naming it."""
    is_named = bool(re.search(SHOWN, context.failure.evalue)) or context.failure.ename not in ("KeyError", "ValueError")
    is_there = "getattr(globals().get('np'), '__name__', '') == 'numpy'"
    return is_named and context.is_true(is_there) and (context.number(RELEASE) or 0) >= 2


def _is_shown(source: str, statement: ast.stmt) -> bool:
    """Whether the statement is a cell's last value, which the notebook shows; inside of a block it would not be shown."""
    return isinstance(statement, ast.Expr) and statement.lineno == src.list_statements(source)[-1].node.lineno


def _list_texts(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement binds a name to, and what it writes into a text itself."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    yield from (t for t in targets if isinstance(t, ast.Name))
    for node in ast.walk(statement):
        match node:
            case (
                ast.JoinedStr()
                | ast.Call(func=ast.Name(id="str" | "repr"))
                | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod())
            ):
                yield node
