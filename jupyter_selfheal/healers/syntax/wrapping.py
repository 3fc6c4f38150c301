"""Edits of several tokens: a call without its brackets, words without their quotes, a text that is not closed."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Iterator, Sequence

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import (
    BUILTINS,
    CLOSERS,
    COMPOUND,
    OPENERS,
    QUOTES,
    begins_value,
    ends_value,
)
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, NEWLINE, NUMBER, QUOTE, SIGN, TEXT, Token, find_line

LONGEST = 14
"""Tokens that are put between quotes or brackets at most."""
FOREIGN_RUN = re.compile(r"[^\x00-\x7f]+")
LOOK_ALIKES = ("0", ",", "-", "*", "")
"""What a sign of another alphabet may stand for."""


def wrap_calls(site: Site) -> Iterator[Slip]:
    """``int input()`` as ``int(input())``, ``print x, y`` as ``print(x, y)``."""
    known = site.known.union(b.text for a, b in itertools.pairwise(site.tokens) if a.text == "def")
    for index, token in site.nearby:
        if token.kind != NAME or keyword.iskeyword(token.text) or index + 1 >= len(site.tokens):
            continue
        behind = site.tokens[index + 1]
        touches = behind.start == token.end and not (behind.kind == TEXT and token.text in BUILTINS)  # `print"Hi"`
        if not behind.begins_value or behind.text in OPENERS or touches:
            continue
        heads = token.text in ("range", "enumerate") and index > 0 and site.tokens[index - 1].text == "in"
        kind = (
            "wrap.range"
            if heads
            else "wrap.call"
            if token.text in BUILTINS or token.text in known
            else "wrap.call_unknown"
        )
        cost = find_cost(kind) + site.find_distance(index)
        for n, end in enumerate(_list_value_ends(site, index + 1)):
            inside = site.source[behind.start : end]
            yield Slip(token.end, end, f"({inside})", cost + 0.1 * n, f"the brackets of `{token.text}` are missing")


def empty_calls(site: Site) -> Iterator[Slip]:
    """``input(print(input:))`` as ``input()``: what stands in the brackets around the fault is no argument."""
    opened: list[tuple[Token, Token]] = []
    _, start, end = site.line
    for before, token in itertools.pairwise(t for t in site.tokens if start <= t.start < end):
        if token.text == "(" and before.kind == NAME and not keyword.iskeyword(before.text):
            opened.append((before, token))
        elif token.text == ")" and opened:
            name, bracket = opened.pop()
            if bracket.end < token.start and bracket.start <= site.at <= token.start and not opened:
                words = f"what stands in the brackets of `{name.text}` is too much"
                cost = find_cost("delete.prompt" if name.text == "input" else "delete.arguments")
                yield Slip(bracket.end, token.start, "", cost, words)


def _list_value_ends(site: Site, first: int) -> list[int]:
    """Where the argument may end that begins with a token: at the line's end, at a bracket of the call around it, at a comma."""
    depth, ends = 0, []
    _, _, line_end = find_line(site.source, site.tokens[first].start)
    last = site.tokens[first].end
    for token in site.tokens[first:]:
        if token.start >= line_end or token.kind == "comment":
            break
        if token.kind == SIGN and token.text in OPENERS:
            depth += 1
        elif token.kind == SIGN and token.text in CLOSERS:
            depth -= 1
        if depth < 0 or (depth == 0 and token.text in (",", ":", ";") and token.kind == SIGN):
            ends.append(last)
            if depth < 0:
                break
        last = token.end
    else:
        return [*ends, last][:4]
    return (ends if depth < 0 else [last, *ends])[:4]


def quote_words(site: Site) -> Iterator[Slip]:
    """``print(Hello World)``: words that were meant as a text."""
    if "expected 'else'" in site.fault.message:
        return  # the parser has read a condition up to there, and no words
    first, last = _find_segment(site)
    segment = list(range(first, last))[:LONGEST]
    is_head = bool(segment) and site.list_line_tokens(site.tokens[first].start)[0].text in COMPOUND
    for length in range(len(segment), 0, -1):
        for n in range(len(segment) - length + 1):
            begin, end = site.tokens[segment[n]], site.tokens[segment[n + length - 1]]
            inside = site.source[begin.start : end.end]
            if "\n" in inside or not _are_words(site.tokens[segment[n] : segment[n + length - 1] + 1]):
                continue
            if begin.text in COMPOUND and site.list_line_tokens(begin.start)[:1] == [begin]:
                continue  # the head of a block is no text
            if length == 1 and begin.text in ENDS_ALONE and site.list_line_tokens(begin.start) == [begin]:
                continue  # nor is a `break` that stands alone
            chosen = site.tokens[segment[n] : segment[n + length - 1] + 1]
            if is_head and any(t.text in ("and", "or", ":") for t in chosen):
                continue  # nor is what a condition is made of: `if letter == a or e:`
            near = 0.0 if segment[n] <= site.center <= segment[n + length - 1] + 1 else 0.3
            cost = find_cost("wrap.quotes") + near + find_cost("wrap.quotes_token") * (len(segment) - length)
            quote = "'" if '"' in inside else '"'
            words = f"the quotes around `{inside[:30]}` are missing"
            yield Slip(begin.start, end.end, f"{quote}{inside}{quote}", cost, words)
            if n == 0 and length == len(segment) > 1:
                yield from _quote_behind_name(site, begin, end, cost)
                yield from _quote_before_name(site, begin, end, cost)
                yield from _quote_around_names(site, site.tokens[segment[0] : segment[-1] + 1], cost)


ENDS_ALONE = frozenset({"break", "continue", "pass", "return"})
"""Words that are a line by themselves."""
SIGNS_SHOWN = frozenset("+-*/=%:,!?.<>&#@$|^~_;")
"""Signs that a program prints, or compares what was typed with."""


def quote_signs(site: Site) -> Iterator[Slip]:
    """``print(a, =, b)``, ``if op == +:``: a sign that was meant as a text."""
    for index, token in site.nearby:
        before = site.tokens[index - 1] if index else None
        if token.text[0] not in SIGNS_SHOWN or before is None or before.text not in ("(", ",", "==", "!=", "+"):
            continue
        if before.text == "+" and (token.text == "=" or before.end == token.start):
            continue  # one sign in two halves
        last = index
        while last + 1 < len(site.tokens) and _goes_on(site.tokens[last], site.tokens[last + 1]):
            last += 1
        end = site.tokens[last]
        behind = site.tokens[last + 1] if last + 1 < len(site.tokens) else None
        compares = before.text in ("==", "!=")
        closes = behind is None or behind.kind in (NEWLINE, COMMENT) or behind.text in (",", ")", ":", "and", "or")
        if closes and (compares or before.text == "+" or behind is None or behind.text in (",", ")")):
            inside = site.source[token.start : end.end]
            cost = find_cost("wrap.sign") + site.find_distance(index)
            yield Slip(token.start, end.end, f'"{inside}"', cost, f"the quotes around `{inside[:30]}` are missing")


SPOKEN = frozenset({"and", "for", "from", "if", "in", "is", "not", "or", "with"})
"""Words of the language that stand in a line that is printed, too."""


def quote_keywords(site: Site) -> Iterator[Slip]:
    """``print("Double of", n, is n * 2)``: a word of the language that was meant as a text, with the comma behind it."""
    for index, token in site.nearby:
        before = site.tokens[index - 1] if index else None
        behind = site.tokens[index + 1] if index + 1 < len(site.tokens) else None
        if token.text not in SPOKEN or before is None or before.text not in ("(", ",") or behind is None:
            continue
        if "print" not in (t.text for t in site.list_line_tokens(token.start)) or not (
            begins_value(behind) or behind.text in ",)"
        ):
            continue
        comma = ", " if begins_value(behind) else ""
        end = behind.start if comma else token.end
        cost = find_cost("wrap.sign") + site.find_distance(index)
        yield Slip(token.start, end, f'"{token.text}"{comma}', cost, f"the quotes around `{token.text}` are missing")


def _goes_on(token: Token, behind: Token) -> bool:
    """Whether a sign is one with the one before it: ``---``."""
    return behind.start == token.end and behind.kind == SIGN and behind.text[0] == token.text[0]


def _quote_behind_name(site: Site, name: Token, end: Token, cost: float) -> Iterator[Slip]:
    """``print(total is high)`` as ``print(total, "is high")``: the first word is a variable of the notebook."""
    inside = site.source[name.end : end.end].strip()
    if name.text in site.list_set_names() and inside[:1].isalpha():
        text = f', "{inside}"'
        words = f"a comma and the quotes around `{inside[:30]}` are missing"
        yield Slip(name.end, end.end, text, cost + find_cost("wrap.quotes_behind_name"), words)


def _quote_before_name(site: Site, begin: Token, name: Token, cost: float) -> Iterator[Slip]:
    """``print(The largest is total)`` as ``print("The largest is", total)``: the last word is a variable of the notebook."""
    inside, bound = site.source[begin.start : name.start].strip(), site.list_set_names()
    if name.text in bound and begin.text not in bound and inside[:1].isalpha():
        text = f'"{inside}", {name.text}'
        words = f"the quotes around `{inside[:30]}` and a comma are missing"
        yield Slip(begin.start, name.end, text, cost + find_cost("wrap.quotes_behind_name"), words)


def _quote_around_names(site: Site, tokens: Sequence[Token], cost: float) -> Iterator[Slip]:
    """``print(a and b are equal)`` as ``print(a, "and", b, "are equal")``: variables of the notebook stand among the words."""
    bound = site.list_set_names()
    values = [t.kind == NAME and t.text in bound for t in tokens]
    groups = [list(g) for _, g in itertools.groupby(zip(values, tokens, strict=True), lambda pair: pair[0])]
    if len(groups) < 3 or any(group[0][0] and len(group) > 1 for group in groups):
        return
    parts = []
    for group in groups:
        text = site.source[group[0][1].start : group[-1][1].end]
        parts.append(text if group[0][0] else f'"{text}"')
    if all('"' not in part.strip('"') for part in parts):
        more = cost + find_cost("wrap.quotes_behind_name") + 0.1 * len(groups)
        words = "commas and the quotes around the words are missing"
        yield Slip(tokens[0].start, tokens[-1].end, ", ".join(parts), more, words)


def _find_segment(site: Site) -> tuple[int, int]:
    """The tokens between the delimiters around the fault: [first, last) of their indices."""

    def is_border(token: Token) -> bool:
        return token.kind in ("newline", "comment", TEXT, QUOTE) or token.text in (
            ",",
            ";",
            "+",
            "=",
            *OPENERS,
            *CLOSERS,
        )

    first = last = min(site.center, len(site.tokens))
    while first > 0 and not is_border(site.tokens[first - 1]):
        first -= 1
    while last < len(site.tokens) and not is_border(site.tokens[last]):
        last += 1
    return first, last


def _are_words(tokens: tuple[Token, ...]) -> bool:
    names = sum(t.kind == NAME for t in tokens)
    return names > 0 and all(t.kind in (NAME, NUMBER) or t.text in ".:!?-_%" for t in tokens)


def move_conditions(site: Site) -> Iterator[Slip]:
    """``[x if x > 0 for x in xs]``: a condition that chooses stands behind the loop; with its ``else`` it stands before."""
    first, last = find_loop_bracket(site)
    own = list_at_depth(site, first, last)
    words = [site.tokens[n].text for n in own]
    if "for" not in words or words.count("if") != 1 or words.count("for") != 1:
        return
    loop, condition = own[words.index("for")], own[words.index("if")]
    begin, end = site.tokens[first].end, site.tokens[last].start
    tokens = site.tokens
    if condition < loop and "else" not in words:
        value = site.source[begin : tokens[condition].start].rstrip()
        test = site.source[tokens[condition].start : tokens[loop].start].rstrip()
        rest = site.source[tokens[loop].start : end].rstrip()
        yield Slip(
            begin, end, f"{value} {rest} {test}", find_cost("move.condition"), "the condition belongs behind the loop"
        )
    elif condition > loop and "else" in words and own[words.index("else")] > condition:
        value = site.source[begin : tokens[loop].start].rstrip()
        rest = site.source[tokens[loop].start : tokens[condition].start].rstrip()
        test = site.source[tokens[condition].start : end].rstrip()
        yield Slip(
            begin, end, f"{value} {test} {rest}", find_cost("move.condition"), "the condition belongs before the loop"
        )


def find_loop_bracket(site: Site) -> tuple[int, int]:
    """The indices of the innermost pair of brackets around the fault that holds a ``for``; (0, 0) where there is none."""
    opened: list[int] = []
    found = (0, 0)
    for index, token in enumerate(site.tokens):
        if token.kind == SIGN and token.text in OPENERS:
            opened.append(index)
        elif token.kind == SIGN and token.text in CLOSERS and opened:
            start = opened.pop()
            holds = site.tokens[start].start <= site.at <= token.start
            if holds and not found[1] and any(t.text == "for" for t in site.tokens[start:index]):
                found = (start, index)
    return found


def list_at_depth(site: Site, first: int, last: int) -> list[int]:
    """The indices of the tokens between two brackets that no inner bracket holds."""
    depth, own = 0, []
    for index in range(first + 1, last):
        text = site.tokens[index].text if site.tokens[index].kind == SIGN else ""
        depth += (text in OPENERS and bool(text)) - (text in CLOSERS and bool(text))
        if depth == 0:
            own.append(index)
    return own


def move_brackets(site: Site) -> Iterator[Slip]:
    """``s.lower([::-1])`` as ``s.lower()[::-1]``: what stands in the brackets of a call belongs behind it."""
    for index, token in site.nearby:
        if token.text != "(" or index == 0 or index + 1 >= len(site.tokens) or site.tokens[index + 1].text != "[":
            continue
        depth = 0
        for other in site.tokens[index:]:
            depth += (other.text in OPENERS) - (other.text in CLOSERS) if other.kind == SIGN else 0
            if depth == 0 or other.kind == NEWLINE:
                break
        if depth == 0 and other.text == ")" and site.tokens[index - 1].kind == NAME:
            inside = site.source[token.end : other.start]
            cost = find_cost("move.bracket") + site.find_distance(index)
            yield Slip(token.end, other.end, f"){inside}", cost, "the bracket closes too late")


def replace_foreign_signs(site: Site) -> Iterator[Slip]:
    """``Î¸`` for ``0``: letters of another alphabet, or of a text that was read in a wrong encoding, in all their places at once."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for match in FOREIGN_RUN.finditer(site.source):
        if not any(t.kind in (TEXT, COMMENT) and t.start <= match.start() < t.end for t in site.tokens):
            runs.setdefault(match[0], []).append(match.span())
    for text, spans in runs.items():
        meant = _decode_again(text)
        signs = ("'", '"') if meant in QUOTES else LOOK_ALIKES
        far = min(abs(start - site.at) for start, _ in spans) * 0.01
        for sign in signs:
            spots = [(start, end, sign) for start, end in spans]
            words = f"`{text}` stands for `{sign}`" if sign else f"`{text}` is too much"
            yield Slip(*spots[0], find_cost("replace.look_alike") + far, words, tuple(spots[1:]))


def _decode_again(text: str) -> str:
    """What a text was before UTF-8 was read as Latin-1 or Windows' own; the text itself where it was not."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except (UnicodeEncodeError, UnicodeDecodeError):
            continue
    return text


def fill_gaps(site: Site) -> Iterator[Slip]:
    """The same sign is missing at every gap between two values of the line: ``print("from" a "to" b)``."""
    tokens = site.list_line_tokens(min(site.at, max(len(site.source) - 1, 0)))
    pairs = itertools.pairwise(tokens)
    gaps = [
        (a.end, b.start)
        for a, b in pairs
        if ends_value(a) and begins_value(b) and not (b.text in OPENERS and a.kind != TEXT)
    ]
    if len(gaps) < 2:
        return
    adds = any("+" in (a.text, b.text) and TEXT in (a.kind, b.kind) for a, b in itertools.pairwise(tokens))
    for text, kind in ((", ", "insert.comma"), (" + ", "insert.plus_beside_plus" if adds else "insert.plus")):
        spots = [(start, end, text) for start, end in gaps]
        cost = find_cost(kind) + 0.3 * len(gaps)
        yield Slip(*spots[0], cost, f"`{text.strip()}` is missing {len(gaps)} times", tuple(spots[1:]))
