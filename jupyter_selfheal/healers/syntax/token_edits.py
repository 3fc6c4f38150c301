"""Edits of single tokens: something left out, something too much, one thing for another, two the wrong way round."""

from __future__ import annotations

import builtins
import itertools
import keyword
from collections.abc import Iterator, Sequence

from jupyter_selfheal.healers.rules.context.spelling import edit_distance
from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, NEWLINE, NUMBER, QUOTE, SIGN, TEXT, Token

COMPOUND = frozenset({"if", "elif", "else", "for", "while", "def", "class", "try", "except", "finally", "with"})
CONDITION = frozenset({"if", "elif", "while", "and", "or", "not", "assert", "return"})
OPENERS, CLOSERS = "([{", ")]}"
FOREIGN = {
    "&&": " and ",
    "||": " or ",
    "!": " not ",
    "++": " += 1",
    "--": " -= 1",
    "<>": "!=",
    "===": "==",
    "=<": "<=",
    "=>": ">=",
}
JOINED = frozenset({"==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "//", "**", ":="})
QUOTES = "“”„‘’‚´`«»"
BUILTINS = frozenset(dir(builtins))
OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**"})
VALUES = frozenset({"None", "True", "False"})
COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
LETTERS = {"1": "lI", "0": "oO"}
"""Digits, and the letters that look like them."""


def find_at_depth(tokens: Sequence[Token], first: int, text: str) -> int:
    """The index of the next sign of that text that no bracket opened from ``first`` on holds; -1 where there is none."""
    depth = 0
    for n in range(first, len(tokens)):
        if tokens[n].kind != SIGN:
            continue
        depth += (tokens[n].text in OPENERS) - (tokens[n].text in CLOSERS)
        if depth == 0 and tokens[n].text == text:
            return n
    return -1


def is_keyword(token: Token) -> bool:
    """Whether a token is a keyword that is no value."""
    return token.kind == NAME and keyword.iskeyword(token.text) and token.text not in VALUES


def ends_value(token: Token | None) -> bool:
    """Whether a value may end with a token."""
    return token is not None and token.ends_value and not is_keyword(token)


def begins_value(token: Token | None) -> bool:
    """Whether a value may begin with a token."""
    return token is not None and token.begins_value and (not is_keyword(token) or token.text in ("not", "lambda"))


def delete_tokens(site: Site) -> Iterator[Slip]:
    """Readings in which one token is too much."""
    for index, token in site.nearby:
        if token.kind == NEWLINE:
            continue
        kind = {QUOTE: "quote", NUMBER: "number", TEXT: "text", NAME: "name"}.get(token.kind, "sign")
        if kind == "sign" and token.text in OPENERS + CLOSERS:
            kind = "bracket"
        if kind == "name" and is_keyword(token):
            kind = "keyword"
        if index and token.kind == SIGN and token.text in ",.:;" and site.tokens[index - 1].text == token.text:
            kind = "twice"
        dangles = _is_dangling(site, index)
        gap = " " if _joins_names(site, index) else ""
        cost = find_cost(f"delete.{kind}") + site.find_distance(index)
        yield Slip(token.start, token.end, gap, cost, f"`{token.text[:20]}` is too much", guessed=dangles)


def _is_dangling(site: Site, index: int) -> bool:
    """``5 +``: whoever wrote the sign had something behind it in mind."""
    token, behind = site.tokens[index], site.tokens[index + 1] if index + 1 < len(site.tokens) else None
    at_end = behind is None or behind.kind in (NEWLINE, COMMENT) or behind.text in CLOSERS
    return token.text in OPERATORS and at_end and index > 0 and ends_value(site.tokens[index - 1])


def _joins_names(site: Site, index: int) -> bool:
    if not 0 < index < len(site.tokens) - 1:
        return False
    before, token, behind = site.tokens[index - 1 : index + 2]
    return before.end == token.start and behind.start == token.end and before.kind == NAME and behind.kind == NAME


def replace_tokens(site: Site) -> Iterator[Slip]:
    """Readings in which one token stands for another."""
    own = _list_own_names(site)
    for index, token in site.nearby:
        far = site.find_distance(index)
        for text, kind in _list_replacements(site, index, token, own):
            if text != token.text:
                words = f"`{token.text[:20]}` stands for `{text.strip()[:20]}`"
                yield Slip(token.start, token.end, text, find_cost(kind) + far, words)


def _list_replacements(site: Site, index: int, token: Token, own: frozenset[str]) -> Iterator[tuple[str, str]]:
    text = token.text
    if text == "!" and index and ends_value(site.tokens[index - 1]):
        yield "!=", "replace.foreign"
    elif text in FOREIGN:
        yield FOREIGN[text], "replace.foreign"
    if text in QUOTES:
        yield from ((quote, "replace.foreign") for quote in "'\"")
    elif not text.isascii() and token.kind in (SIGN, NAME):
        yield from ((sign, "replace.look_alike") for sign in ("0", ",", "-", "*", ""))
    if token.kind == SIGN:
        yield from _list_signs(site, token)
    elif token.kind == QUOTE:
        quotes = [t.text for t in site.list_line_tokens(token.start) if t.kind == QUOTE]
        mixed = len(quotes) == 2 and len(set(quotes)) == 2
        yield ("'" if text == '"' else '"'), "replace.quote_mixed" if mixed else "replace.quote"
    elif token.kind == NUMBER:
        yield from ((name, "replace.look_alike") for name in LETTERS.get(text, "") if name in own)
        if text.endswith("."):
            yield text[:-1] + ",", "replace.dot_comma"
        elif (parts := text.partition("."))[0].isdigit() and parts[2].isidentifier():  # `range(1.n)`
            yield f"{parts[0]}, {parts[2]}", "replace.dot_comma"
    elif token.kind == NAME:
        yield from _list_names(site, index, token, own)


def _list_signs(site: Site, token: Token) -> Iterator[tuple[str, str]]:
    text = token.text
    if text == "=":
        first = site.list_line_tokens(token.start)[0].text
        yield "==", "replace.assign_compare" if first in CONDITION else "insert.compare"
        yield "+", "replace.same_key"
        yield from ((sign, "insert.compare") for sign in ("-", ":", ","))
    elif text == "==":
        yield "=", "replace.assign_compare"
    elif text in ".,":
        yield ("," if text == "." else "."), "replace.dot_comma"
        if text == ".":
            yield " + ", "replace.sign"
    elif text == "->":
        yield ":", "replace.arrow"
    elif text == "\\":
        yield "/", "replace.foreign"
    elif text in (">>", "<<", ">>=", "<<=") and site.list_line_tokens(token.start)[0].text in CONDITION:
        yield text[0] + text[2:], "replace.foreign"
        yield text[0], "replace.foreign"
    elif text in ":;":
        if text == ";" or site.list_line_tokens(token.start)[-1] is not token:  # at the end of its line it is too much
            yield (";" if text == ":" else ":"), "replace.colon_semicolon"
        yield ",", "replace.sign"
    elif text in OPENERS + CLOSERS:
        group = OPENERS if text in OPENERS else CLOSERS
        yield from ((other, "replace.bracket") for other in group)
        yield from ((other, "replace.sign") for other in ("9", "0") if text in "()")
    elif text in ("<", ">", "!", "+=", "-=", "-", "+", "*"):
        yield from ((other, "replace.sign") for other in ("==", "=", ",", "-", "+"))


def _list_names(site: Site, index: int, token: Token, own: frozenset[str]) -> Iterator[tuple[str, str]]:
    text = token.text
    lower = text.lower()
    if lower != text and lower in keyword.kwlist:
        yield lower, "replace.keyword_case"
    if text.capitalize() in VALUES and text.capitalize() != text:
        yield text.capitalize(), "replace.keyword_case"
    if lower == "x" and _stands_for_times(site, index):
        yield "*", "replace.times"
    following = site.tokens[index + 1].text if index + 1 < len(site.tokens) else ""
    if text in ("else", "elif"):
        yield ("elif" if text == "else" else "else"), "replace.branch"
    elif text in ("for", "while", "if"):
        if text == "for" and _compares_in_head(site, token):
            yield "while", "replace.branch"
            yield "if", "replace.asking_loop"
        yield from ((other, "replace.branch_keyword") for other in ("if", "while", "for"))
    elif not keyword.iskeyword(text) and len(text) > 1:
        near = [k for k in (*COMPOUND, "in", "and", "or", "not", "return", "import", "is") if _is_near(text, k)]
        yield from ((k, "replace.keyword_slip") for k in near)
        yield from (
            (k + " " + text[len(k) :], "replace.keyword_slip")
            for k in ("if", "elif", "in", "return", "print", "while", "for", "not")
            if _runs_into(text, k, own)
        )
    if index < site.center + 2 and following not in ("(",) and not keyword.iskeyword(text):
        near_own = [name for name in own if name != text and _is_near(text, name)]
        yield from ((name, "replace.own_name") for name in sorted(near_own)[:3])


def _compares_in_head(site: Site, word: Token) -> bool:
    """``for i < n:``: the head of a loop asks, and goes over nothing."""
    head = [t.text for t in site.list_line_tokens(word.start) if t.start > word.start]
    return "in" not in head and any(text in COMPARISONS for text in head)


def _stands_for_times(site: Site, index: int) -> bool:
    """``price x 2``: an ``x`` between two values in a cell that has no such variable."""
    if not 0 < index < len(site.tokens) - 1:
        return False
    before, token, behind = site.tokens[index - 1 : index + 2]
    sets = any(a.text == token.text and b.text in ("=", ",", "in") for a, b in itertools.pairwise(site.tokens))
    values = ends_value(before) and begins_value(behind) and TEXT not in (before.kind, behind.kind)
    return values and not sets and token.text not in site.known


def multiply_by_letter(site: Site) -> Iterator[Slip]:
    """``p x r x t``: a letter that stands for a product more than once in its line does so everywhere."""
    _, start, end = site.line
    near = [n for n, t in enumerate(site.tokens) if t.text in ("x", "X") and start <= t.start < end]
    if len(near) > 1 and all(_stands_for_times(site, n) for n in near):
        spots = tuple((site.tokens[n].start, site.tokens[n].end, "*") for n in near)
        yield Slip(*spots[0], find_cost("replace.times"), f"`{site.tokens[near[0]].text}` stands for `*`", spots[1:])


def _runs_into(text: str, start: str, own: frozenset[str]) -> bool:
    """``printx``: a word and a name of the notebook that run together."""
    return text.startswith(start) and text[len(start) :] in own


def _is_near(text: str, other: str) -> bool:
    return abs(len(text) - len(other)) <= 1 and edit_distance(text.lower(), other, 2) == 1


def _list_own_names(site: Site) -> frozenset[str]:
    names = {t.text for t in site.tokens if t.kind == NAME and not keyword.iskeyword(t.text)}
    return frozenset(names | site.known)


def swap_tokens(site: Site) -> Iterator[Slip]:
    """Two neighbours the wrong way round; a sign behind a text that belongs into it."""
    tokens = site.tokens
    for index, token in site.nearby:
        if index + 1 >= len(tokens):
            return
        behind = tokens[index + 1]
        if NEWLINE in (token.kind, behind.kind) or COMMENT in (token.kind, behind.kind):
            continue
        far = site.find_distance(index)
        if SIGN in (token.kind, behind.kind) or is_keyword(token) or is_keyword(behind):
            gap = site.source[token.end : behind.start]
            swapped = behind.text + gap + token.text
            cost = find_cost("move.swap") + far
            yield Slip(
                token.start, behind.end, swapped, cost, f"`{token.text}` and `{behind.text}` are the wrong way round"
            )
        if token.kind == TEXT and behind.text in ".:!?;":
            quote = token.text[-1]
            cost = find_cost("move.into_text") + far
            inside = token.text[:-1] + behind.text + quote
            yield Slip(token.start, behind.end, inside, cost, f"`{behind.text}` belongs into the text")


def join_tokens(site: Site) -> Iterator[Slip]:
    """Two tokens that are one: ``else if``, ``= =``, ``in put``."""
    names = BUILTINS | _list_own_names(site)
    for index, token in site.nearby:
        if index + 1 >= len(site.tokens):
            return
        behind = site.tokens[index + 1]
        joined = token.text + behind.text
        third = site.tokens[index + 2] if index + 2 < len(site.tokens) else behind
        if token.text == third.text == "=" and behind.text in ("+", "-", "*", "/"):
            words = f"`= {behind.text} =` stands for `{behind.text}=`"
            cost = find_cost("replace.foreign") + site.find_distance(index)
            yield Slip(token.start, third.end, f"{behind.text}=", cost, words)
        if (token.text, behind.text) == ("else", "if"):
            new, cost = "elif", find_cost("replace.foreign")
        elif token.text == "not" and behind.text in ("=", "=="):
            new, cost = "!=", find_cost("replace.foreign")
        elif joined == "^^":
            new, cost = "**", find_cost("replace.foreign")
        elif joined in JOINED or (token.kind == behind.kind == NAME and joined in names):
            new, cost = joined, find_cost("replace.foreign")
        else:
            continue
        words = f"`{token.text} {behind.text}` stands for `{new}`"
        yield Slip(token.start, behind.end, new, cost + site.find_distance(index), words)
