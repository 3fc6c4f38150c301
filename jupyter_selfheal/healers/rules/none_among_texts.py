"""PDA200: a missing text that was None until pandas 3, and is NaN now, asked for by ``== None``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

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

    **Fix safety** Safe where the cell reads a column of texts by the name that got the results of a function, given to `apply`, `map` or `transform`, which gives None,
    or what `get` does not find: until pandas 3.0 the question was answered with yes there. Unsafe elsewhere: what a file leaves out was NaN before, too, and so was None among numbers.
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
        is_sure = _has_given_none(context)
        yield self.patch(
            context.replace(context.cell_id, splices),
            f"Ask `{splices[0][2]}`",
            f"`{name}` is missing, which is NaN and not None.",
            applicability=None if is_sure else Applicability.UNSAFE,
            why=self.why if is_sure else "What a file leaves out was NaN before pandas 3.0, too.",
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


def _has_given_none(context: RuleContext) -> bool:
    """True where the cell reads texts that a function gave, as an argument of ``apply`` and the like, which may give None: by that word, or by ``get``."""
    nodes = list(context.walk_notebook())
    defined = {n.name: n for n in nodes if isinstance(n, ast.FunctionDef)}
    made = [
        target
        for n in nodes
        if isinstance(n, ast.Assign) and any(_may_call_none(c, defined) for c in ast.walk(n.value))
        for target in n.targets
        if isinstance(target, ast.Name) or _find_column(target)
    ]
    names = {n.id for n in context.walk(ast.Name) if isinstance(n.ctx, ast.Load)}
    columns = {_find_column(n) for n in context.walk(ast.Attribute, ast.Subscript)}
    read = [t for t in made if (t.id in names if isinstance(t, ast.Name) else _find_column(t) in columns)]
    texts = dict.fromkeys(ast.unparse(target) for target in read)
    return any(context.is_true(f"str(getattr({text}, 'dtype', 'str')) == 'str'") for text in texts)


def _find_column(node: ast.expr) -> str:
    """``deck`` of ``df.deck`` and ``df["deck"]``; empty for anything else."""
    match node:
        case ast.Attribute(_, column) | ast.Subscript(_, ast.Constant(str(column))):
            return column
    return ""


def _may_call_none(node: ast.AST, defined: Mapping[str, ast.FunctionDef]) -> bool:
    """``df["cabin"].apply(find_deck)`` with a function that may give None."""
    match node:
        case ast.Call(ast.Attribute(_, attr), [given, *_]) if attr in _GIVING:
            function = defined.get(given.id) if isinstance(given, ast.Name) else given
            return isinstance(function, ast.FunctionDef | ast.Lambda) and _may_give_none(function)
    return False


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
