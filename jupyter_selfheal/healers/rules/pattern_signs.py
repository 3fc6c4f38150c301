"""TYP225: a sign with a meaning in a pattern, written for itself or left open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"(?P<open>missing \), unterminated subpattern|unterminated character set)|(?P<other>unbalanced parenthesis|nothing to repeat|multiple repeat)"
)
AT = re.compile(r" at position (\d+)")
LITERAL = re.compile(r"([rRuU]?)('''|\"\"\"|'|\")(.*)\2", re.S)
SIGNS = re.compile(r"[^\w\s\\.]+")
"""A pattern of nothing but signs: it can only stand for itself, unless it is meant as in the name of a file."""
LITERALLY = frozenset({"split", "sub", "subn", "replace", "contains", "count"})
"""What is done with a sign that is there: nobody splits a text, or replaces, at anything whatever."""


class PatternSigns(Rule):
    """Escape a sign of a pattern that is meant for itself, or close what it opens.

    **Failure** `re.error: missing ), unterminated subpattern at position 0` at `re.split("(", text)` or `re.match(r"(\\w+)@(\\w+", text)`, `unterminated character set`, `unbalanced
    parenthesis`, `nothing to repeat`.

    **Fix** `re.split(r"\\(", text)`; `r"(\\w+)@(\\w+)"`, with what is open closed at the end.

    **Fix safety** Safe for a pattern of nothing but signs, which can only stand for itself. Else unsafe: what is open may be closed anywhere, or stand for itself; both are
    offered, and `re.match("*", name)` may mean any name, as a shell does. Silent where the pattern is not written in the failing call, or has escapes of
    Python's other than `\\\\`.
    """

    code = "TYP225"
    name = "sign in a pattern"
    enames = frozenset({"error", "PatternError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "The sign may be meant for itself, or what it opens may be closed elsewhere."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told, at = MESSAGE.search(context.failure.evalue), AT.search(context.failure.evalue)
        for call in context.list_calls_at_failure() if told and at else ():
            patterns = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("pattern", "pat"))]
            for node in patterns:
                written = LITERAL.fullmatch(context.text(node)) if isinstance(node, ast.Constant) else None
                if at is None or told is None or written is None:
                    continue
                body = written[3] if "r" in written[1].lower() else written[3].replace("\\\\", "\\")
                if body != getattr(node, "value", "") or not _is_wrong(body, at[0]):
                    continue
                place = int(at[1])
                is_signs = SIGNS.fullmatch(body) is not None
                is_safe = is_signs and (read_last_name(call.func) in LITERALLY or not set(body) & set("*?"))
                escaped = re.sub(r"([^\w\s])", r"\\\1", body) if is_signs else f"{body[:place]}\\{body[place:]}"
                closed = f"{body}{')' if ')' in told[0] else ']'}" if told["open"] and not is_signs else ""
                for text, prior in ((closed, 0.7), (escaped, 0.6)):
                    if not text or not _is_pattern(text):
                        continue
                    literal = f"r{written[2]}{text}{written[2]}"
                    yield self.patch(
                        context.replace_here((*context.span(node), literal)),
                        f"Use the pattern `{literal}`",
                        f"`{body[place : place + 1]}` has a meaning in a pattern.",
                        applicability=Applicability.SAFE if is_safe else Applicability.UNSAFE,
                        why="A pattern of nothing but signs can only stand for itself." if is_safe else self.why,
                        prior=prior,
                    )
                return


def _is_wrong(pattern: str, place: str) -> bool:
    """True where this is the pattern that the message is about."""
    try:
        re.compile(pattern)
    except re.error as error:
        return place in str(error)
    return False


def _is_pattern(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
