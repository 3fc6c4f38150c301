"""SYN113: an `else` behind the condition of a comprehension."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")


class SyntaxComprehension(SyntaxRule):
    """Write the choice of a comprehension's item in front of its `for`.

    **Failure** `SyntaxError: invalid syntax` at `[x ** 2 for x in numbers if x % 2 == 0 else 0]`.

    **Fix** `[x ** 2 if x % 2 == 0 else 0 for x in numbers]`; an `else pass` or `else continue` goes, as a condition behind the `for` leaves items out by
    itself.

    **Fix safety** Safe: a comprehension takes an `else` in one place only. Silent where it has another condition already.
    """

    code = "SYN113"
    name = "else behind a comprehension's condition"
    why = "A comprehension takes an `else` in one place only, before its `for`."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if "invalid syntax" not in fault.message and "expected" not in fault.message:
            return
        tokens = _read_tokens(source)
        at = next((n for n, (start, text) in enumerate(tokens) if text == "else" and _is_at(source, start, fault)), -1)
        words = _find_words(tokens, at) if at >= 0 else None
        if words is None:
            return
        first, loop, condition, end = (tokens[n][0] for n in words)
        item, loops = source[first + 1 : loop].strip(), source[loop:condition].strip()
        test, other = source[condition + 2 : tokens[at][0]].strip(), source[tokens[at][0] + 4 : end].strip()
        if not (item and loops and test and other):
            return
        if other in ("pass", "continue"):
            yield Mend(source[: tokens[at][0]].rstrip() + source[end:], f"Leave out `else {other}`", prior=0.9)
            return
        inner = [text for start, text in tokens if first < start < condition]
        if "if" in inner or "lambda" in inner:
            return  # a second choice, whose order nobody can tell
        text = f"{item} if {test} else {other} {loops}"
        yield Mend(source[: first + 1] + text + source[end:], "Write the choice in front of the `for`", prior=0.93)


def _read_tokens(source: str) -> list[tuple[int, str]]:
    """(offset, text) of each token as far as the source can be read."""
    masked = src.mask(source)
    starts = [0]
    for line in masked.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tokens = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(masked).readline):
            if token.string.strip() and token.start[0] <= len(starts):
                tokens.append((starts[token.start[0] - 1] + token.start[1], token.string))
    except (tokenize.TokenError, SyntaxError):
        pass
    return tokens


def _is_at(source: str, offset: int, fault: Fault) -> bool:
    """True for the token that the parser stopped at."""
    line = source.count("\n", 0, offset) + 1
    return line == fault.line and offset - (source.rfind("\n", 0, offset) + 1) == fault.column


def _find_words(tokens: list[tuple[int, str]], at: int) -> tuple[int, int, int, int] | None:
    """Indices of the opening bracket, the first ``for``, the last ``if`` and the closing bracket around an ``else``."""
    depth, condition, loop, n = 0, -1, -1, at - 1
    while n >= 0:
        text = tokens[n][1]
        if text in CLOSING:
            depth += 1
        elif text in OPENING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and text == "if" and condition < 0 and loop < 0:
            condition = n
        elif depth == 0 and text == "for":
            loop = n
        n -= 1
    if n < 0 or loop < 0 or condition < loop:
        return None
    depth = 0
    for end in range(at + 1, len(tokens)):
        text = tokens[end][1]
        if text in CLOSING and depth == 0:
            return n, loop, condition, end
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0 and text in ("for", "if", ","):
            return None
    return None
