"""PDA200: a missing text that was None until pandas 3, and is NaN now, asked for by ``== None``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch

_ASKING = (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)
_GIVING = frozenset({"apply", "map", "transform"})


class NoneAmongTexts(Rule):
    """Ask for a missing value where it was None until pandas 3.

    **Failure** Any of a cell that asks a value whether it is None (`if title == None: continue`, `if title is not None:`), where that is NaN when the cell fails. A
    column of texts in which a function gave None had None until pandas 3.0, and has NaN since.

    **Fix** `pd.isnull(title)` or `pd.notnull(title)`, for each such question in the cell.

    **Fix safety** Safe where a function that the notebook gives to `apply`, `map` or `transform` gives None, or what `get` does not find: until pandas 3.0 the
    question was answered with yes there. Unsafe elsewhere: what a file leaves out was NaN before, too.
    """

    code = "PDA200"
    name = "None that is NaN among texts"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError", "AttributeError", "KeyError", "IndexError"})
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 a missing text that a function gave as None stayed None (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        questions = [q for q in context.walk(ast.Compare) if _find_asked(q)]
        names = dict.fromkeys(_find_asked(q) for q in questions)
        missing = {n for n in names if context.is_true(f"{n} != {n}")}
        if not missing or (context.number(RELEASE) or 0) < 3 or not context.is_true("pd.isnull is not None"):
            return
        asked = [q for q in questions if _find_asked(q) in missing]
        splices: list[Splice] = [(*context.span(q), _write_question(q)) for q in asked]
        name = _find_asked(asked[0])
        yield self.patch(
            context.replace(context.cell_id, splices),
            f"Ask `{splices[0][2]}`",
            f"`{name}` is missing, which is NaN and not None.",
            applicability=None if _gives_none(context) else Applicability.UNSAFE,
            prior=0.85,
        )


def _find_asked(question: ast.Compare) -> str:
    """The name that is compared with None alone; empty for another comparison."""
    match question:
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]) if isinstance(
            op, _ASKING
        ):
            return name
    return ""


def _write_question(question: ast.Compare) -> str:
    asks = "isnull" if isinstance(question.ops[0], ast.Eq | ast.Is) else "notnull"
    return f"pd.{asks}({_find_asked(question)})"


def _gives_none(context: RuleContext) -> bool:
    """True where some function that the notebook gives to ``apply`` and the like may give None: by that word, or by ``get``."""
    nodes = list(context.walk_notebook())
    defined = {n.name: n for n in nodes if isinstance(n, ast.FunctionDef)}
    calls = (
        n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _GIVING
    )
    given = (a for call in calls for a in call.args[:1])
    functions = (defined.get(a.id) if isinstance(a, ast.Name) else a for a in given)
    return any(_may_give_none(f) for f in functions if isinstance(f, ast.FunctionDef | ast.Lambda))


def _may_give_none(function: ast.FunctionDef | ast.Lambda) -> bool:
    ends = (
        [function.body]
        if isinstance(function, ast.Lambda)
        else [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
    )
    for node in (n for end in ends if end is not None for n in _walk_results(end)):
        is_get = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        if (isinstance(node, ast.Constant) and node.value is None) or (is_get and len(node.args) == 1):  # type: ignore[attr-defined]
            return True
    return False


def _walk_results(end: ast.expr) -> Iterator[ast.expr]:
    """What an expression may give: both sides of a choice."""
    if isinstance(end, ast.IfExp):
        yield from _walk_results(end.body)
        yield from _walk_results(end.orelse)
    else:
        yield end
