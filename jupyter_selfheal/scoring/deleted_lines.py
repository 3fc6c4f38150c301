"""Is the line that did not parse still there, as code in nearly the same letters, or as the prose that it was?"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case
from jupyter_selfheal.source.block_ends import BLOCK_END

_BUILTINS = frozenset(dir(builtins)) - {
    "input",
    "all",
    "any",
    "sum",
    "range",
    "list",
    "set",
    "object",
    "type",
    "open",
    "next",
    "id",
    "max",
    "min",
}
"""Names that nobody says in a sentence."""
_KEYWORDS = frozenset(keyword.kwlist) | {"self", "print"}
SPELLING = 0.75
"""Likeness of two names (Ratcliff and Obershelp's, as of ``difflib``) from which one is a slip for the other."""


def find_deleted_line(case: Case, after: Sequence[str]) -> Iterator[str]:
    """For cells that did not parse: are the words of the failing line still in the code, outside comments and strings?"""
    lines = case.failure.source.splitlines()
    at = case.failure.line - 1
    if not 0 <= at < len(lines) or BLOCK_END.fullmatch(lines[at].strip()):
        return
    words = {w for w in _list_code_words(_SAID.sub("", lines[at])) if w not in _KEYWORDS}
    there = {w for source in after for w in _list_code_words(source)}
    gone = len(words & there) * 2 < len(words) if words else lines[at].strip() and not there
    gone = gone or _is_commented_prose(lines[at].strip(), after)
    anew = _list_written_anew(lines, at, after) if gone or _MAY_SET.match(lines[at]) is None else []
    turned = [line for line in anew if _is_turned(lines[at], line)]
    if turned and _COMPARED.search(lines[at]):
        yield "makes an assignment of a comparison that failed"
    elif any(
        line.split("=")[0].strip() not in lines[at] and not _keeps_read(lines[at], line) for line in turned
    ):  # not `total = 3` for `total 3`
        yield "makes an assignment of a line that set nothing"
    if not gone or any(not _is_turned(lines[at], line) for line in anew):
        return
    if not _is_kept_prose(lines[at].strip(), after, [c.source for c in case.notebook.cells if c.kind == "code"]):
        yield "deletes the line that failed"


_SAID = re.compile(
    r"\bis\s+(?:not\s+)?(?:(?:greater|larger|bigger|more|less|smaller)\s+than(?:\s+or\s+equal\s+to)?|equal\s+to)\b|\bequals\b"
)
"""A comparison in English, which no sign of Python's shares a word with."""
_COMPARED = re.compile(r"[=!<>]=|[<>](?!-)")
_ASKS = r"\s*(?:if|elif|while|assert|return|for|def|class|with|lambda)\b(?!\s*=(?!=))"  # ``class = 3`` sets, and by a word of the language
_SETS = re.compile(rf"(?!{_ASKS})[\w.\[\]'\", ]+=(?!=)")
_MAY_SET = re.compile(rf"(?!{_ASKS}).*(?<![=!<>])=(?!=)")
"""The beginning of a line that sets something, and a line that does not parse and may have been to set something (``the-sum = 3``)."""


def _list_written_anew(lines: Sequence[str], at: int, after: Sequence[str]) -> list[str]:
    """The lines that were not there, and are the failing one in nearly the same letters, blanks apart: ``if rest == 0:`` for
    ``ifrest == 0:``."""
    given, known = "".join(lines[at].split()), {"".join(line.split()) for n, line in enumerate(lines) if n != at}
    matcher, found = SequenceMatcher(None, "", given, autojunk=False), []
    for line in dict.fromkeys(re.sub(r"#.*", "", line) for source in after for line in source.splitlines()):
        new = "".join(line.split())
        matcher.set_seq1(new)
        if new not in known and min(matcher.real_quick_ratio(), matcher.quick_ratio()) >= SPELLING:
            found += [line] if matcher.ratio() >= SPELLING else []
    return found


def _is_turned(given: str, new: str) -> bool:
    """``assert_total = 3`` for ``assrt total == 3``: what set nothing sets something now."""
    return _SETS.match(new) is not None and _MAY_SET.match(given) is None


def _keeps_read(given: str, new: str) -> bool:
    """``n = int(input())`` for ``print int(input())``: what is read is asked for as before, and no value is written down."""
    value = "".join(new.partition("=")[2].split())
    return "input(" in value and value in "".join(given.split())


_HEADING = r"(?:(?:sample|expected|example) )?(?:input|output|example|note|explanation|hint|sample)s?"
_PROSE = re.compile(
    rf"(?:(?i:{_HEADING}): ?)(?P<told>[^\W\d_]+(?:,? [^\W\d_]+){{2,}})[.!?:]*|(?P<said>[^\W\d_]+(?:,? [^\W\d_]+){{3,}})[.!?:]*"
)
"""A line of nothing but words: four of them, or three behind a heading (``Output: as shown below``)."""
_SPOKEN = frozenset({"is", "in", "as", "with", "for", "from", "if", "and", "or", "not", "while", "else"})
"""Words of the language that stand in a sentence, too; any other one makes a line code."""
_LEADS = frozenset({"then", "now", "next", "first", "second", "finally", "also", "please", "just", "we", "you", "to", "must", "should"})  # fmt: skip
"""Words before that which says what is to be done."""
_BIDDING = frozenset(
    re.findall(
        r"\w+",
        """
    if else for while
    accept add adjust append apply apt ask assert assign await bash brew build calculate call cast cat catch cd change check
    choose clean clear clone close collect combine compare compute concatenate conda convert copy count cp create curl
    decrease decrement declare define del delete determine display divide do docker double draw drop echo enable end ensure enter
    exit export extract fetch fill filter find fit foreach format generate get git give go goto group halve handle head
    ignore import increase increment init initialise initialize input insert install invert iterate join jupyter keep let
    limit list load log loop ls make map merge mkdir move multiply mv negate normalise normalize npm open otherwise output pip
    plot pop predict print push put python quit raise read receive reduce remove rename repeat replace require reset return
    reverse rm round run save scale search select send set show shuffle skip sort source split square start stop store
    subtract sudo sum swap take test throw train transform turn uninstall unless until update upload use validate verify
    wait wget when write yield
    """,
    )
)
"""Words that say what is to be done, to a computer or a shell: such a line was meant as code that nobody wrote yet."""


def _is_commented_prose(line: str, after: Sequence[str]) -> bool:
    return _PROSE.fullmatch(line) is not None and any(f"# {line}" in map(str.strip, s.splitlines()) for s in after)


def _is_kept_prose(line: str, after: Sequence[str], cells: Sequence[str]) -> bool:
    """A line of words among the code that became a comment, as it stood: it bids nothing, and says no name that the notebook binds."""
    found = _PROSE.fullmatch(line)
    if found is None or not _is_commented_prose(line, after):
        return False
    words = re.findall(r"\w+", (found["told"] or found["said"]).lower())
    first = next((w for w in words if w not in _LEADS), "")
    python = (set(keyword.kwlist) - _SPOKEN) | _BUILTINS
    if first in _BIDDING or (found["said"] and first in _SPOKEN) or not python.isdisjoint(words):
        return False
    names = (_list_bound(tree) for text in {*after, *cells} if (tree := src.parse(text)) is not None)
    return not any(name.lower() in words for bound in names for name in bound)


def _list_bound(tree: ast.Module) -> Iterator[str]:
    """Whatever a cell gives a name to, in any scope."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield from (node.asname or node.name).split(".")


def _list_code_words(text: str) -> set[str]:
    """Identifiers outside of comments (a ``#`` in a string may hide some: fewer words only make the test more lenient)."""
    code = "\n".join(re.sub(r"#.*", "", line) for line in text.splitlines())
    return set(re.findall(r"[^\W\d]\w*", code))
