"""SYN101: a cell of Python 2."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.code_lines import find_code_end, mark_code, split_lines
from jupyter_selfheal.healers.rules.context.divisions import keep_divisions
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.rules.syntax_foreign import DATE
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault
from jupyter_selfheal.model import Patch
from jupyter_selfheal.source.python2 import DIVISION, SYNTAX, refactor

MEANING = ("dict", "map", "filter", "zip", "xrange", "has_key", "raw_input", "reduce", "itertools", "itertools_imports",
           "next", "long", "basestring", "unicode_calls", "execfile", "funcattrs", "methodattrs", "exitfunc",
           "imports", "urllib", "nonzero", "standarderror", "getcwdu", "intern", "reload")  # fmt: skip
PRINTS = re.compile(r"(?:^|[;:])[ \t]*print(?:[ \t]+[^\s=.,)\](]|[ \t]*>>|\"|')", re.MULTILINE)
"""A ``print`` that is a statement: without one ``print(a, b)`` is the function, whatever else is of Python 2."""
MARKS = re.compile(
    r"^[ \t]*print[ \t]+(?![=.,)\]])|^[ \t]*print[ \t]*>>|;[ \t]*print[ \t]+[^=(]|:[ \t]*print[ \t]+[^=(]|^[ \t]*exec[ \t]+[\w'\"]"
    r"|except[ \t]+[\w.()\[\], \t]+,[ \t]*\w+[ \t]*:|^[ \t]*raise[ \t]+[\w.]+[ \t]*,|`[^`\n]+`|<>|\b\d+[lL]\b|\b0\d+\b|\bur['\"]"
    r"|\bdef[ \t]+\w+\([^)\n]*\([\w, ]+\)|lambda[ \t]*\(",
    re.MULTILINE,
)
OCTAL = re.compile(r"\b0\d+\b(?!\.)")
RIGHTS = re.compile(r"\b(?:l?f?chmod|umask|makedirs|mkdir|mkfifo|mknod|S_I\w+)\b|(?:\b|_)mode\b|\bperm", re.IGNORECASE)
MESSAGES = re.compile(
    r"Missing parentheses in call|multiple exception types|invalid syntax|leading zeros|invalid decimal literal|"
    r"Did you mean print|cannot assign|invalid hexadecimal|Lambda expression parameters|Function parameters cannot"
)


class Python2Syntax(SyntaxRule):
    """Turn a cell of Python 2 into Python 3.

    **Failure** `SyntaxError: Missing parentheses in call to 'print'`, and whatever else of Python 2 no longer parses: `exec`
    statements, `except E, e`, `raise E, "…"`, backticks, `<>`, `0777`, `10L`, `ur""`.

    **Fix** fissix (the maintained lib2to3) rewrites the whole cell at once, magics masked; since the cell is Python 2, what
    would silently mean something else is rewritten too (`map` whose list is used, `d.iteritems()`, `xrange`).

    `except ValueError, TypeError:`, whose second name is that of an error, gets brackets around both.

    A cell that also calls `print` with several values, and has nothing else of Python 2, gets the brackets that are missing.

    **Fix safety** Unsafe in such a cell, unless something of Python 3 is in it, and where nothing but a zero before a number is of Python 2 (`010`, which was 8), the rights of
    a file apart. Safe elsewhere: the fixers keep Python 2's meaning. `/` becomes `//` between what can only be whole numbers (`1 / 2`,
    `len(x) / 2`, names that hold some), unless the notebook imports `division` from `__future__`, or was saved under Python 3. Unsafe where
    the notebook is of Python 2 (by its metadata, or what its cells have) and another `/` may be one of whole numbers: it gave a whole number
    there. What a name holds tells nothing where cells above may have made it otherwise there: by a `/` of their own, or by `round`, `floor` and `ceil`, which gave a point. Where nothing tells the notebook's Python, a `/` between other things stays as it is.
    """

    code = "SYN101"
    name = "Python 2 syntax"
    why = "The fixers of lib2to3 keep what the cell meant under Python 2."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        above = [context.source_of(c.id) for c in context.notebook.list_code_before(context.failure.cell_id)]
        texts = [*above, context.failure.source]
        old = context.notebook.python.startswith("2") or any(IS_PYTHON2.search(_hide_texts(text)) for text in texts)
        is_true = any(map(DIVISION.search, texts)) or (context.notebook.python.startswith("3") and not old)
        for patch in super().propose(context):
            yield patch if is_true else keep_divisions(context, patch, above, old)

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if not MESSAGES.search(fault.message) or not MARKS.search(source):
            return
        if "leading zeros" in fault.message and DATE.search(split_lines(source)[fault.line - 1]):
            return
        if _calls_print(source) and not IS_PYTHON2.search(source):
            yield from _mend_mixed(source, fault)
            return
        if (bracketed := _bracket_errors(source)) != source:
            why = "What stands behind the comma is an error as well, and brackets catch both."
            yield Mend(bracketed, "Put the exceptions into brackets", True, 0.95, why)
            return
        text = refactor(source, SYNTAX if PRINTS.search(source) else tuple(f for f in SYNTAX if f != "print"))
        if text is None or find_fault(text) is not None:
            text = _by_line(source)
            after = find_fault(text)
            if text == source or (after is not None and (after.line, after.column) <= (fault.line, fault.column)):
                return
        if find_fault(text) is None:
            text = refactor(text, MEANING) or text
        if "0o" not in source:  # `date(2024, 01, 05)`: one digit is the same number without its zero
            text = re.sub(r"\b0o([0-7])\b", r"\1", text)
        sure = not _is_open_number(source)
        yield Mend(text, "Convert the cell to Python 3", sure, 0.95 if sure else 0.6)


def _bracket_errors(source: str) -> str:
    """``except ValueError, TypeError:``, which gave the error the name of a class in Python 2, and means both to everybody."""
    return _ERRORS.sub(r"\1(\2)", source)


def _is_open_number(source: str) -> bool:
    """Whether nothing but a zero before a number is of Python 2: ``010`` was 8 there, and is ten to who writes it today. The rights of a file are octal to all."""
    others = OCTAL.sub("1", source)
    is_all = MARKS.search(others) is None and IS_PYTHON2.search(source) is None
    return is_all and not RIGHTS.search(source) and any(int(n) > 7 for n in OCTAL.findall(source))


def _calls_print(source: str) -> bool:
    """Whether the cell calls ``print`` as a function, with several values or a keyword: as a statement it would show a tuple."""
    plain = _hide_texts(source)
    return re.search(r"\bprint\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*,", plain) is not None


def _hide_texts(source: str) -> str:
    """The source with `_` for what texts and comments hold."""
    return "\n".join(
        "".join(c if code else "_" for c, code in zip(line, mark_code(line), strict=True))
        for line in split_lines(source)
    )


def _mend_mixed(source: str, fault: Fault) -> Iterator[Mend]:
    """A cell that calls ``print`` in one line and has no brackets in another: they were left out there, or the cell is of Python 2."""
    called = _by_line(source)
    if called == source:
        return
    after = find_fault(called)
    sure = IS_PYTHON3.search(source) is not None
    if after is None or (after.line, after.column) > (fault.line, fault.column):
        yield Mend(called, "Add the brackets of `print`", sure, 0.95 if sure else 0.7)
    text = None if sure else refactor(source, SYNTAX)
    if text is not None and find_fault(text) is None:
        yield Mend(refactor(text, MEANING) or text, "Convert the cell to Python 3", False, 0.5)


IS_PYTHON2 = re.compile(
    r"\b(?:raw_input|xrange|unicode|basestring|execfile|iteritems|itervalues|iterkeys|has_key|urllib2)\b|^[ \t]*print[ \t]*>>|<>"
    r"|^[ \t]*exec[ \t]+['\"\w]|except[ \t]+[\w.()\[\], \t]+,[ \t]*\w+[ \t]*:|^[ \t]*raise[ \t]+[\w.]+[ \t]*,|\bfrom __future__\b",
    re.MULTILINE,
)
"""What only a cell of Python 2 has."""
IS_PYTHON3 = re.compile(r"""\b(?:end|sep)=|\bf['"]|\binput\(|\basync\b|\bnonlocal\b|:=|->""")
"""What a cell of Python 3 has, or one in which somebody reads what is typed as a text."""


_PRINT = re.compile(r"^(\s*(?:.*?[:;]\s*)?)print[ \t]+(?![=.,)\]])(.*)$")
_BARE = re.compile(r"^(\s*)print\s*(#.*)?$")
_ERRORS = re.compile(
    r"^([ \t]*except[ \t]+)([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*[ \t]*,[ \t]*(?:\w+\.)*(?:[A-Z]\w*(?:Error|Exception|Warning)|StopIteration|KeyboardInterrupt|SystemExit|Timeout))(?=[ \t]*:)",
    re.MULTILINE,
)
_EXCEPT = re.compile(r"^(\s*except\s+.+?)\s*,\s*(\w+)\s*:")
_RAISE = re.compile(r"^(\s*raise\s+[\w.]+)\s*,\s*(.+)$")


def _by_line(source: str) -> str:
    """Rewrite line by line, where fissix cannot read the cell because it mixes both Pythons."""
    lines = split_lines(source)
    for n, line in enumerate(lines):
        if m := _BARE.match(line):
            lines[n] = f"{m[1]}print(){'  ' + m[2] if m[2] else ''}"
        elif m := _EXCEPT.match(line):
            lines[n] = f"{m[1]} as {m[2]}:{line[m.end() :]}"
        elif m := _RAISE.match(line):
            lines[n] = f"{m[1]}({m[2]})"
        elif (m := _PRINT.match(line)) and not (m[1].strip() and '"' in m[1] + "'"):
            last = n
            while last + 1 < len(lines) and _is_open("\n".join([m[2], *lines[n + 1 : last + 1]])):
                last += 1
            body = "\n".join([m[2], *lines[n + 1 : last + 1]]).rstrip()
            body, comment = _split_comment(body)
            end = ", end=' '" if body.endswith(",") else ""
            lines[n] = f"{m[1]}print({body.rstrip(',')}{end}){comment}"
            lines[n + 1 : last + 1] = [""] * (last - n)
    return "\n".join(lines)


def _is_open(text: str) -> bool:
    """True where a bracket or a triple quote is still open at the end, or the line goes on by a backslash."""
    if text.endswith("\\"):
        return True
    depth = sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
    return depth > 0 or text.count('"""') % 2 == 1 or text.count("'''") % 2 == 1


def _split_comment(body: str) -> tuple[str, str]:
    if "\n" in body:
        return body, ""
    at = find_code_end(body)
    return body[:at], ("  " + body[at:].strip()) if body[at:].strip() else ""
