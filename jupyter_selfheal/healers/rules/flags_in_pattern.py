"""TYP222: flags of a regular expression that do not stand at its beginning."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"global flags not at the start of the expression at position (\d+)")
FLAGS = re.compile(r"\(\?[aiLmsux]+\)")
TAKE_PATTERNS = frozenset({
    "compile", "match", "fullmatch", "search", "split", "findall", "finditer", "sub", "subn",
    "contains", "extract", "extractall", "count", "replace",
})  # fmt: skip
"""Functions of `re`, and methods of a column's `str`, whose first argument is a pattern."""
OPENING = re.compile(r"[rRuUbB]{0,2}('''|\"\"\"|'|\")")


class FlagsInPattern(Rule):
    r"""Put the flags of a regular expression at its beginning.

    **Failure** `PatternError: global flags not at the start of the expression at position 3` (`error` before Python 3.13) at `re.findall("foo(?i)", text)`.

    **Fix** `re.findall("(?i)foo", text)`, where the pattern is written: in the failing cell or above. Every pattern of the cell that has such flags is mended.

    **Fix safety** Safe: until Python 3.11 such flags held for the whole expression, wherever they stood.
    """

    code = "TYP222"
    name = "flags inside of a pattern"
    stage = Stage.LIBRARY
    enames = frozenset({"error", "PatternError", "re.error"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Flags held for the whole expression wherever they stood (https://docs.python.org/3/whatsnew/3.11.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        position = int(match[1]) if match else -1
        for view in context.look_upwards():
            texts = [c for c in view.walk(ast.Constant) if isinstance(c.value, str | bytes)]
            if not any(_has_flags_at(str(c.value), position) for c in texts):
                continue
            patterns = {id(c.args[0]) for c in view.walk(ast.Call) if c.args and _takes_pattern(c.func)}
            meant = [c for c in texts if id(c) in patterns or _has_flags_at(str(c.value), position)]
            splices = [s for c in meant for s in _move_flags(view, c)]
            edits = view.replace(view.cell_id, splices)
            if edits:
                cause = "Since Python 3.11, flags such as `(?i)` are only taken at the beginning of a pattern."
                yield self.patch(edits, "Put the flags at the beginning of the pattern", cause, prior=0.93)
            return


def _takes_pattern(function: ast.expr) -> bool:
    """True for functions of a module of patterns and methods of a column's texts; a text's own ``replace`` takes it as it is."""
    owner = read_last_name(function.value) if isinstance(function, ast.Attribute) else ""
    return read_last_name(function) in TAKE_PATTERNS and (isinstance(function, ast.Name) or owner in ("re", "str"))


def _has_flags_at(pattern: str, position: int) -> bool:
    return position > 0 and FLAGS.match(pattern, position) is not None


def _move_flags(context: RuleContext, node: ast.Constant) -> list[Splice]:
    """The splices that put a literal's only flags behind its opening quote; none where they are there, or are no flags."""
    start, end = context.span(node)
    written = context.source[start:end]
    opening, places = OPENING.match(written), list(FLAGS.finditer(written))
    if opening is None or len(places) != 1 or places[0].start() == opening.end():
        return []
    at = places[0].start()
    if written[at - 1] in "\\[":  # an escaped bracket, or one of a set of characters
        return []
    return [
        (start + opening.end(), start + opening.end(), places[0][0]),
        (start + at, start + places[0].end(), ""),
    ]
