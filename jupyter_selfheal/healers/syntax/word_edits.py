"""Words of the language that were left out at the head of a block, and the brackets of a placeholder that was filled in."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import BUILTINS, CLOSERS, COMPOUND, OPENERS, ends_value
from jupyter_selfheal.healers.syntax.tokens import NAME, NUMBER, SIGN, TEXT, Token

_MARKS = frozenset({"match", "case", "lambda", "async"})
"""Words beside the compound ones whose lines may have a colon."""


def insert_heads(site: Site) -> Iterator[Slip]:
    """``x > 3:`` above a deeper line as ``if x > 3:``: the word that heads the block is missing."""
    line = site.list_line_tokens(site.at)
    if len(line) < 2 or line[-1].text != ":" or not _has_body(site) or _is_headed(line):
        return
    start = line[0].start
    words = [t.text for t in line if t.kind == NAME]
    if "in" in words[1:2] and line[0].kind == NAME and line[1].text == "in":
        yield Slip(start, start, "for ", find_cost("insert.head") - 0.3, "`for` is missing")
    yield Slip(start, start, "if ", find_cost("insert.head"), "`if` is missing")
    if _follows_condition(site):
        yield Slip(start, start, "elif ", find_cost("insert.head") - 0.1, "`elif` is missing")
    yield Slip(start, start, "while ", find_cost("insert.head_of_loop"), "`while` is missing")


TYPES = frozenset(
    {"int", "float", "str", "string", "String", "list", "bool", "boolean", "char", "double", "dict", "void", "var", "let", "final"}
)  # fmt: skip
"""Words that stand before a name where another language says its type."""


_OF_PARAMETERS = frozenset({"(", ")", "[", "]", ",", "=", ":", "->", ".", "*", "**"})
"""Signs that parameters, their types and defaults are written with."""


def define_functions(site: Site) -> Iterator[Slip]:
    """``worth(items):`` above a deeper line as ``def worth(items):``, ``int worth(items):`` too; ``def worth(int items)`` without the types."""
    line = site.list_line_tokens(site.at)
    typed = len(line) > 2 and line[0].text in TYPES and line[1].kind == NAME
    head = line[1:] if typed else line
    if (
        len(head) > 3
        and head[0].kind == NAME
        and head[0].text not in BUILTINS | COMPOUND | _MARKS
        and head[1].text == "("
    ):
        plain = all(t.kind in (NAME, NUMBER, TEXT) or t.text in _OF_PARAMETERS for t in head[1:])
        ends = head[-1].text in (":", ")") and plain and not any(t.text in _MARKS | COMPOUND for t in head)
        called = sum(t.text == head[0].text for t in site.tokens) > 1
        if ends and _has_body(site) and (called or _returns_below(site)):
            cost = find_cost("insert.definition")
            yield Slip(line[0].start, head[0].start, "def ", cost, "`def` is missing")
    if line[:1] and line[0].text == "def":
        spots = [
            (a.start, b.start, "")
            for a, b in itertools.pairwise(line[2:])
            if a.text in TYPES and b.kind == NAME and a.kind == NAME
        ]
        if spots:
            words = f"`{site.source[spots[0][0] : spots[0][1]].strip()}` is a type, and no parameter"
            yield Slip(*spots[0], find_cost("delete.parameter_type"), words, tuple(spots[1:]))


def _returns_below(site: Site) -> bool:
    """Whether a block below the fault's line gives something back before the next line that stands as far to the left."""
    _, start, end = site.line
    own = site.source[start:end]
    for text in site.source[end + 1 :].splitlines():
        if text.strip() and len(text) - len(text.lstrip()) <= len(own) - len(own.lstrip()):
            return False
        if text.lstrip().startswith("return"):
            return True
    return False


def _is_headed(line: list[Token]) -> bool:
    """True where the line begins with a word of the language, or its colon is one of a bracket."""
    depth = sum((t.text in OPENERS) - (t.text in CLOSERS) for t in line if t.kind == SIGN)
    return line[0].text in COMPOUND | _MARKS or depth != 0 or any(t.text == "lambda" for t in line)


def _has_body(site: Site) -> bool:
    """True where the next line with code stands deeper."""
    _, start, end = site.line
    own = site.source[start:end]
    for text in site.source[end + 1 :].splitlines():
        if text.strip() and not text.lstrip().startswith("#"):
            return len(text) - len(text.lstrip()) > len(own) - len(own.lstrip())
    return False


def _follows_condition(site: Site) -> bool:
    """True where the nearest line above that stands no deeper begins with ``if`` or ``elif``."""
    _, start, end = site.line
    own = site.source[start:end]
    indent = len(own) - len(own.lstrip())
    for text in reversed(site.source[:start].splitlines()):
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            return text.split()[0] in ("if", "elif") and len(text) - len(text.lstrip()) == indent
    return False


def open_calls(site: Site) -> Iterator[Slip]:
    """``minscores)`` as ``min(scores)``: the bracket that a call opens was left out, and its name runs into what it is given."""
    if "unmatched" not in site.fault.message and "does not match opening" not in site.fault.message:
        return
    names = {t.text for t in site.tokens if t.kind == NAME} | site.known
    bound = {a.text for a, b in itertools.pairwise(site.tokens) if b.text in ("=", "in")} | site.known
    defined = {b.text for a, b in itertools.pairwise(site.tokens) if a.text == "def"}
    closer = site.source[site.at : site.at + 1]
    opener, heads = ("[", bound) if closer == "]" else ("(", {n for n in BUILTINS if n.islower()} | defined)
    for index, token in site.nearby:
        if token.kind != NAME or token.text in BUILTINS or token.text in bound or token.text in defined:
            continue
        for at in range(1, len(token.text)):
            called, rest = token.text[:at], token.text[at:]
            given = rest in names or rest in BUILTINS or (rest.isdigit() and called in defined)
            if called in heads and given and (at > 1 or opener == "["):
                cost = find_cost("insert.opening_of_call") + site.find_distance(index)
                yield Slip(token.start + at, token.start + at, opener, cost, f"`{opener}` is missing behind `{called}`")


def replace_bracket_pairs(site: Site) -> Iterator[Slip]:
    """``print["big"}`` as ``print("big")``: neither bracket is of the kind that was meant."""
    if "does not match opening" not in site.fault.message:
        return
    opened: list[int] = []
    for index, token in enumerate(site.tokens):
        if token.kind != SIGN or token.start > site.at:
            continue
        if token.text in OPENERS:
            opened.append(index)
        elif token.text in CLOSERS and opened:
            first = site.tokens[opened.pop()]
            if token.start != site.at:
                continue
            for pair in ("()", "[]"):
                if first.text != pair[0] and token.text != pair[1]:
                    words = f"`{first.text}` and `{token.text}` stand for `{pair[0]}` and `{pair[1]}`"
                    more = ((token.start, token.end, pair[1]),)
                    yield Slip(first.start, first.end, pair[0], find_cost("replace.bracket_pair"), words, more)


def strip_placeholders(site: Site) -> Iterator[Slip]:
    """``print(<name>, 3)`` as ``print(name, 3)``: the brackets of a placeholder, in all their places."""
    tokens = site.tokens
    spots: list[tuple[int, int, str]] = []
    near = {token.start for _, token in site.nearby}
    for n in range(len(tokens) - 2):
        opened, inside, closed = tokens[n : n + 3]
        before = tokens[n - 1] if n else None
        if (opened.text, closed.text) != ("<", ">") or inside.kind not in (NAME, TEXT) or opened.start not in near:
            continue
        if not ends_value(before) or (before is not None and before.kind == TEXT):
            spots.append((opened.start, closed.end, site.source[inside.start : inside.end]))
    if spots:
        words = f"`<` and `>` are too much around `{spots[0][2]}`"
        yield Slip(*spots[0], find_cost("replace.placeholder"), words, tuple(spots[1:]))
