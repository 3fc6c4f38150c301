"""Cells that hold something else than Python: SQL, LaTeX, R, HTML, plain text."""

from __future__ import annotations

import ast
import re

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, leave_alone
from jupyter_selfheal.model import Diagnosis, FailureKind, Locus, SkipReason

SQL = re.compile(
    r"^\s*(SELECT\b.+\bFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|VIEW|DATABASE|INDEX)|DROP\s+TABLE|"
    r"ALTER\s+TABLE|VACUUM\b|COPY\s+\w+\s+FROM|GRANT\s+\w+|WITH\s+\w+\s+AS\s*\()",
    re.IGNORECASE | re.DOTALL,
)

LATEX = re.compile(r"\\begin\{|\\frac\b|\\documentclass|\\section\{|^\s*\$\$|\\newcommand|\\left\(", re.MULTILINE)

R_ARROW = re.compile(r"^\s*[A-Za-z_.][\w.]*\s*<-\s", re.MULTILINE)
"""R's assignment. Python reads ``x <- 1`` as a comparison; nobody writes one with that spacing as a statement."""

OF_PYTHON = re.compile(
    r"keyword argument|positional argument|outside (async )?function|outside loop|cannot assign|never closed|[Mm]aybe you meant|"
    r"Did you mean|expected ':'|expected 'else' after 'if'|unmatched|does not match|f-string|non-default argument|expected an indented|unindent"
)
"""Messages that CPython has for what is nearly Python."""

MARKUP = re.compile(r"^\s*(<!DOCTYPE|<(html|div|script|style|p|h\d|table|img|svg|br)\b)", re.IGNORECASE)


def diagnose_not_python(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A cell of another language, or a magic that is not there."""
    failure, text = context.failure, context.failure.source
    if failure.ename == "UsageError" and (
        match := re.search(r"(Cell|Line) magic(?: function)? `(%+\w+)` not found", failure.evalue)
    ):
        if remedies.has_remedy(context):
            return None
        if match[1] == "Line" and match[2].startswith("%%"):
            return leave_alone(
                f"`{match[2]}` is a magic for a whole cell, and does not stand in the cell's first line.",
                SkipReason.NOT_PYTHON,
                f"Move `{match[2]}` to the first line, or put it and what follows into a cell of its own.",
            )
        return leave_alone(
            f"The magic command {match[2]} isn't available.", SkipReason.NOT_PYTHON,
            f"Load the extension that provides {match[2]} (`%load_ext …`), or remove the cell.",
        )  # fmt: skip
    if failure.ename == "NameError" and _is_r(context):
        return leave_alone(
            "The cell contains R, not Python.",
            SkipReason.NOT_PYTHON,
            "Use the `%%R` magic, or run it with an R kernel.",
        )
    if failure.kind is not FailureKind.SYNTAX:
        return None
    language = (
        "R"
        if R_ARROW.search(text)
        else "SQL"
        if SQL.search(text)
        else "LaTeX"
        if LATEX.search(text)
        else "HTML"
        if MARKUP.search(text)
        else ""
    )
    foreign = _measure_share_of_python(text) < 0.5 and not OF_PYTHON.search(failure.evalue)
    has_letters = re.search(r"[^\W\d]", text) is not None  # `1 +` is no text
    said = bool(context.case.oracle) or not has_letters  # nobody says what a text must print
    if not language and not said and (_is_prose(text) or foreign) and not remedies.has_remedy(context):
        language = "text"
    if not language:
        return None
    advice = {
        "SQL": "Use a SQL magic (`%%sql`), or pass the statement to the database as a string.",
        "R": "Use the `%%R` magic, or run it with an R kernel.",
    }.get(language, "Change it to a Markdown cell." if language != "HTML" else "Put `%%html` on its first line.")
    return leave_alone(f"The cell contains {language}, not Python.", SkipReason.NOT_PYTHON, advice, Locus.CODE)


def _is_r(context: RuleContext) -> bool:
    """True where the failing statement is an assignment of R, that is a comparison nobody looks at."""
    node = context.failing_statement
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare) and (
        R_ARROW.match(src.extract_text(context.failure.source, node)) is not None
    )  # fmt: skip


_LIKE_CODE = re.compile(
    r"def [^{$]*:|(?:\d+(?=[A-Za-z_]{2}))?[^\W\d][\w.]*(?:\[[^\]$]*\])? ?[-+*/]?=(?!=)[^$]*|[^\W\d][\w.]*(?:\[[^\]$]*\][\w.]*)*\([^$]*"
    r"|[^\W\d][\w.]*\[ *['\"\w:(\[~-][^$]*|[^\W\d]\w*\.['\"(\[][^$]*"
)
"""A line that sets a name, calls something, takes an item of it or begins a function: with a slip in it it is Python all the same. A shell's has ``$``."""

_CASES = re.compile(r"(?:switch|select|case|default|otherwise)\b[^{}\n]*:")
"""A line of a choice of cases that is laid out as Python's, whatever language its words are from."""

_TEXTS = re.compile(r"""(["'])(?:(?!\1).)*\1|\#.*""")

_OF_OTHERS = re.compile(
    r"\[[^\[\]\n]*;[^\[\]\n]*\]"  # `[1 2; 3 4]`: rows of a matrix
    r"|\A(?:[^\n]*;[ ]*(?:\n+|\Z)){2,}\Z"  # each line ends so
    r"|(?:[\d)]|\b(?!(?:return|and|or|not|in|if|else|is|yield|print)\b)[A-Za-z_]\w*) *~ *[\w(]|%[>in]*%"  # a formula and operators of R
    r"|\^[^\n]*\b\d+[A-Za-z]\b"  # `x^2 + 3x`
    r"|\b(?:let|var|const) +\w+ *=|\bfunction *\(|[\w)] *=> *[\w({]|\) *\{ *$"
    r"|\bthen\b.*\bend\b|^ *end(?:if|for|while|function)?[; ]*$",
    re.MULTILINE,
)
"""What stands in other languages' code, and hardly in Python with a slip."""

_OF_PYTHON_ALONE = re.compile(
    r"^ *(?:def|class|elif|for|while|if|with|try|else|except)\b[^{\n]*: *$|\blambda\b|\b(?:None|True|False)\b|\bself\.|\*\*|\.append\("
    r"|\b(?:len|enumerate|isinstance)\(|^ *(?:import +[\w.]+ +as|from +[\w.]+ +import)\b",
    re.MULTILINE,
)


def _measure_share_of_python(text: str) -> float:
    """How many of the cell's lines are Python by themselves (a head counts with a body), or look like it but for a slip: those set a name
    or call something, as they do in other languages, and do not count where the cell has signs of one and none that is Python's alone."""
    both = zip(text.splitlines(), src.mask(text).splitlines(), strict=True)
    lines = [t.strip() for t, masked in both if t.strip() and t == masked and not t.lstrip().startswith("#")]
    code = _TEXTS.sub("''", text).strip()
    is_foreign = _OF_OTHERS.search(code) is not None and _OF_PYTHON_ALONE.search(code) is None
    good = [
        t
        for t in lines
        if src.can_compile(t)
        or src.can_compile(t + " pass")
        or t.startswith(("elif", "else", "except"))
        or (not is_foreign and (_LIKE_CODE.fullmatch(t) or _CASES.fullmatch(t)))
    ]
    return len(good) / len(lines) if lines else 1.0


def _is_prose(text: str) -> bool:
    """True where most lines are words without an operator between them."""
    lines = [t for t in text.splitlines() if t.strip() and not t.lstrip().startswith("#")]
    words = [
        t for t in lines if len(re.findall(r"[A-Za-z]{2,}", t)) >= 4 and not re.search(r"[=(\[{]|\bimport\b|:\s*$", t)
    ]
    return bool(lines) and len(words) * 2 > len(lines)
