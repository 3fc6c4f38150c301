"""What tells, of an error that is saved with its cell, that it is shown on purpose.

Words beside a small cell that speak of errors, a heading above it that does, a cell near it that does the same rightly or catches the
error, or an error as textbooks have it. In a saved notebook the error is there already, so that weaker words count than where a text
alone announces it (:mod:`.announced`).
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.left_alone._checks import TROUBLED, Remedies
from jupyter_selfheal.healers.triage.left_alone.repeated_cells import find_repetition
from jupyter_selfheal.model import FailureKind

_STATISTICS = re.compile(
    r"\b(?:absolute|approximation|average|bayes|classification|estimat\w+|forecast\w*|generali[sz]ation|log|margin of|max\w*|mean|measurement|median|"
    r"min\w*|model|numerical|percentage|predict\w+|reconstruction|relative|residual|rms|root|rounding|sampling|squared?|standard|test|total|"
    r"train\w*|trial and|truncation|type i+|validation|zero)[- ]+(?:\w+[- ]+){0,2}errors?\b|\berrors? ?(?:analysis|bars?|codes?|counts?|estimates?|"
    r"functions?|logs?|matrix|metrics?|propagation|rates?|surface|terms?|variance|by|over|per|vs)\b|"
    r"\b(?:without|no|any|fixed) (?:an |the |more )?errors?\b|\bmissing values?\b|\bwith the exception of\b",
    re.IGNORECASE,
)
"""Errors that are numbers, and errors that are not there."""

_NUMBERS = re.compile(r"(?i)err(?:or)?s?\d*$|^(?:rmse|mse|mae|resid\w*)")
"""Names of errors that are numbers: where a notebook has one, a text's "errors" may be these."""

_SHOWS = re.compile(
    r"\b(?:\w*errors?|\w*exceptions?|tracebacks?|crash(?:es)?|will fail|im?mutab\w*|unhashable|read-only|what happens|"
    r"(?:if|when) (?:we|you) (?:try|forget)|case[- ]sensitiv\w*|(?:strongly|dynamically) typed|oops|typos?|misspel\w+|debug\w*|buggy|private attributes?|"
    r"\w*[Ff]ehler\w*|[Aa]usnahmen?|unveränderlich\w*|erreurs?|immuables?|errore[si]?|excepción\w*|inmutables?|erros?|exceções|imutáve\w+|eccezion\w+|immutabil\w+)\b|"
    r"ошибк|исключени|неизменяем|错误|異常|异常|报错|エラー|例外|오류|예외",
    re.IGNORECASE,
)
"""Words by which a text near a cell says that it shows an error."""

_SPEAKS = re.compile(
    r"\b(?:fail(?:s|ed|ure|ing)?|illegal|invalid|(?:not|n't) (?:allow\w*|permitted|possible|work|exist|support\w*|convert|compatible|defined|available|"
    r"accessible|valid)|forbidden|prohibit\w*|can(?:not|'t| not)|could(?:n't| not)|impossible|undefined|out of (?:range|bounds)|(?:is|are)(?:n't| not) there|"
    r"wrong|mistakes?|incorrect\w*|bugs?|rais(?:e|es|ed|ing)|what (?:if|about)|(?:if|when) (?:we|you|i) (?:call|use|add|access|ask)\w*|incompatible|mismatch\w*|refus\w+|reject\w*|"
    r"exhausted|private|unlike|complain\w*|only|must|returns? None|"
    r"nicht|falsch\w*|ne \w+ pas|interdit\w*|impossible|no se puede\w*|no es posible|no está permitido|fallan?|não (?:é possível|pode\w*|existe)|non si p\w+)\b|"
    r"нельзя|不能|不可|できません",
    re.IGNORECASE,
)
"""Words that may say so, and are of other things too: they count where no rule has anything to offer."""

_OF_SYNTAX = re.compile(
    r"\b(?:syntax\w*|indent\w*|colons?|parenthes[ie]s|brackets?|quotes?|keywords?|parser?)\b", re.IGNORECASE
)

_OF_NAMES = re.compile(
    r"\b(?:scope|local|global|inside|outside|before|exists?|defined|definiert|bevor|case|capital\w*|spell\w*|similar|suggest\w*)\b",
    re.IGNORECASE,
)

_HEADED = re.compile(
    r"\b(?:errors?|exceptions?|tracebacks?|debugging|mistakes?|pitfalls?|gotchas?|troubleshoot\w*|\w*fehler\w*|erreurs?|errores|erros|errori)\b|"
    r"ошибк|错误|异常|エラー|오류",
    re.IGNORECASE,
)

_TELLING = re.compile(
    r"undefin|(?:un|not_?)defined|unknown|non_?exist|not_?exist|no_?such|missing|invalid|illegal|wrong|does_?not|doesnt|bad_|bogus|unbound|undeclared",
    re.IGNORECASE,
)
"""In a name or key: it is meant not to be there."""

_SMALL, _LINES, _FAR = 3, 8, 2
"""Statements and lines of a cell that shows an error, and code cells between it and the text that speaks of it."""

_WRITTEN = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set)
_LITERAL = (*_WRITTEN, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context)


def find_sign(context: RuleContext, remedies: Remedies) -> str:
    """What says that the failing cell shows its error on purpose, as the end of a sentence; empty where nothing does."""
    if repetition := find_repetition(context, remedies):
        return repetition
    words = _find_heading(context) or _find_named_error(context)
    if not words and _is_small(context):
        words = _find_words(context, _SHOWS)
        if not words and _is_textbook(context, remedies):
            return "it is an error as lessons show it"
        if not words and not remedies.has_remedy(context):
            if _is_of_literals(context):
                return "it is an error as lessons show it"
            words = _find_words(context, _SPEAKS)
    return f"the text beside it speaks of that: “{words}”" if words else ""


def _is_small(context: RuleContext) -> bool:
    """Whether a cell has few statements, and fails in its last one or does not parse."""
    body, failure = context.failing_tree.body, context.failure
    if failure.kind is FailureKind.SYNTAX:
        return _is_short(failure.source)
    return len(body) <= _SMALL and failure.statement in (-1, len(body) - 1)


def _is_short(source: str) -> bool:
    return len([t for t in source.splitlines() if t.strip() and not t.lstrip().startswith("#")]) <= _LINES


# --- words


def _find_words(context: RuleContext, words: re.Pattern[str]) -> str:
    """The sentence near the cell that speaks of what does not go, cut; empty where there is none, or it is somebody's who is bothered."""
    failure = context.failure
    more = _OF_SYNTAX if failure.kind is FailureKind.SYNTAX else _OF_NAMES if failure.ename == "NameError" else words
    for text in (*_list_comments(failure.source), *_list_texts_beside(context)):
        plain = _drop_numbers(text, context)
        if (words.search(plain) or more.search(plain)) and not TROUBLED.search(plain):
            return _cut_text(text)
    return ""


def _find_named_error(context: RuleContext) -> str:
    """The sentence beside a cell of any size that names the error which ends it ("We got a Name Error"); empty where none does."""
    failure = context.failure
    if failure.statement not in (-1, len(context.failing_tree.body) - 1):
        return ""
    named = re.compile(re.sub(r"(?<=[a-z])(?=[A-Z])", "[ -]?", rf"\b{failure.ename}s?\b"), re.IGNORECASE)
    texts = (*_list_comments(failure.source), *_list_texts_beside(context))
    return next((_cut_text(t) for t in texts if named.search(t) and not TROUBLED.search(t)), "")


def _find_heading(context: RuleContext) -> str:
    """The heading of errors, or of the search for them, that a short cell stands under."""
    headings = _list_headings(context) if _is_short(context.failure.source) else iter(())
    found = (h for h in headings if _HEADED.search(_drop_numbers(h, context)) and not TROUBLED.search(h))
    return _cut_text(next(found, ""))


def _drop_numbers(text: str, context: RuleContext) -> str:
    """A text without its marks, and without errors that are numbers."""
    plain = _STATISTICS.sub(" ", text.replace("`", "").replace("*", ""))
    code = (c for c in context.notebook.cells if c.kind == "code")
    are_numbers = any(_NUMBERS.search(name) for cell in code for name in src.find_names(cell.source).binds)
    return re.sub(r"(?i)\berrors?\b", " ", plain) if are_numbers else plain


def _cut_text(text: str) -> str:
    plain = " ".join(text.split()).strip("#*- ")
    return plain if len(plain) <= 80 else f"{plain[:79]}…"


def _list_comments(source: str) -> list[str]:
    return re.findall(r"(?m)(?:^|\s)#+ *([^#\n'\"]{3,})$", source)


def _list_texts_beside(context: RuleContext) -> Iterator[str]:
    """The sentences of the last two paragraphs above the cell, across a code cell or two, and the first one below it."""
    cells = context.notebook.cells
    at = context.notebook.index(context.failure.cell_id)
    above, code = at - 1, 0
    while above >= 0 and cells[above].kind == "code" and code < _FAR:
        above, code = above - 1, code + 1
    if 0 <= above < at and cells[above].kind == "markdown":
        paragraphs = [p for p in re.split(r"\n\s*\n|\n(?=#)|(?<=\n)(?=[^#\n]*$)", cells[above].source) if p.strip()]
        for paragraph in reversed(paragraphs[-2:]):
            yield from _split_sentences(paragraph)
    if at + 1 < len(cells) and cells[at + 1].kind == "markdown":
        for sentence in _split_sentences(cells[at + 1].source)[:1]:
            if sentence.rstrip().endswith((".", ":", "!")):  # a heading below begins something else
                yield sentence


def _split_sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.:!?])\s+|\n", text) if s.strip()]


def _list_headings(context: RuleContext) -> Iterator[str]:
    """The headings that the cell stands under, the nearest first."""
    level = 7
    for cell in reversed(context.notebook.cells[: max(context.notebook.index(context.failure.cell_id), 0)]):
        for line in reversed(cell.source.splitlines()) if cell.kind == "markdown" else ():
            marks = len(line) - len(line.lstrip("#"))
            if 0 < marks < level:
                level = marks
                yield line


# --- errors as textbooks have them


def _is_textbook(context: RuleContext, remedies: Remedies) -> bool:
    """An error that nobody comes to by a slip of the pen: a division by a zero that is written there, a change of what cannot be changed, a
    name that was deleted, an iterator that is used up, a class that refuses what it is given."""
    failure, statement = context.failure, context.failing_statement
    message = failure.evalue
    if statement is None:
        return False
    if failure.ename == "ZeroDivisionError":
        return any(_divides_by_zero(n) for n in context.list_failing_nodes(ast.BinOp))
    if failure.ename == "NameError":
        name = context.missing_name or ""
        return _TELLING.search(name) is not None or _was_deleted(context, name)
    if failure.ename in ("KeyError", "AttributeError") and _TELLING.search(message.replace("has no attribute", "")):
        return True
    if failure.ename == "StopIteration":
        return "next(" in failure.source
    if failure.ename == "FrozenInstanceError" or re.search(r"has no setter|can't set attribute", message):
        return True
    if re.search(r"'(?:tuple|str|bytes|range|frozenset)' object does(?:n't| not) support item", message):
        return True
    if failure.ename == "AttributeError" and re.search(r"no attribute '__\w+[a-z0-9]'$", message):
        return True  # a private one, asked for from outside
    if failure.ename == "AttributeError" and isinstance(statement, ast.Assign):
        return all(isinstance(t, ast.Attribute) for t in statement.targets) and not remedies.has_remedy(context)
    return _is_refused_by_notebook(context) and _is_call_of_literals(statement)


def _divides_by_zero(node: ast.BinOp) -> bool:
    return (
        isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
        and isinstance(node.right, ast.Constant)
        and node.right.value == 0
    )


def _was_deleted(context: RuleContext, name: str) -> bool:
    """Whether the last that was done to a name above, or in the cell itself, is ``del``."""
    sources = [c.source for c in context.notebook.list_code_before(context.failure.cell_id)]
    for source in (context.failure.source, *reversed(sources)):
        deleted = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Del) for n in src.walk(source))
        if deleted:
            return True
        if name in src.find_names(source).binds:
            return False
    return False


def _is_refused_by_notebook(context: RuleContext) -> bool:
    """Whether a function of another cell raised the error itself."""
    cell_id, source, line = context.location
    return cell_id != context.failure.cell_id and any(
        isinstance(n, ast.Raise) and n.exc is not None and n.lineno <= line <= (n.end_lineno or n.lineno)
        for n in src.walk(source)
    )


def _is_call_of_literals(statement: ast.stmt) -> bool:
    """``account.withdraw(1000)``, ``x = Account(-5)``: a call that is given nothing but what is written there."""
    value = getattr(statement, "value", None)
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)] if isinstance(value, ast.expr) else []
    given = [a for call in calls for a in (*call.args, *(k.value for k in call.keywords))]
    return bool(calls) and all(
        isinstance(n, _LITERAL) or (isinstance(n, ast.Call) and n in calls) for a in given for n in ast.walk(a)
    )


def _is_of_literals(context: RuleContext) -> bool:
    """``"2" + 2``, ``int("abc")``, ``np.linalg.inv(np.ones((2, 2)))``: an expression by itself that reads nothing but what is written there."""
    statement = context.failing_statement
    if not isinstance(statement, ast.Expr):
        return False
    nodes = [n for n in ast.walk(statement.value) if not isinstance(n, _LITERAL)]
    called = {n.func for n in nodes if isinstance(n, ast.Call)}
    above = context.notebook.list_code_before(context.failure.cell_id)
    modules = {name for c in above for name in src.find_names(c.source).imports}
    return all(
        isinstance(n, ast.Call | ast.Subscript | ast.keyword | ast.Attribute)
        or (
            isinstance(n, ast.Name)
            and (n.id in modules or (n in called and hasattr(builtins, n.id) and n.id != "print"))
        )
        for n in nodes
    )
