"""Edits of names: one that begins with a digit, one of two words, one on the wrong side of its assignment."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.syntax.site import Site, Slip, is_bad_number
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import BUILTINS, LETTERS
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, NEWLINE, NUMBER, TEXT, Token
from jupyter_selfheal.inside.parsing import parse_tree

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_GROUP = re.compile(r"\d{3}")


def mend_numbers(site: Site) -> Iterator[Slip]:
    """Numbers that run into letters or are parted by commas."""
    yield from _rename_numbers(site)
    yield from _multiply_letters(site)
    yield from _join_thousands(site)


def _rename_numbers(site: Site) -> Iterator[Slip]:
    """``1first = …``: a name that begins with a digit, in all its places; ``5x``: a product."""
    for index, token in site.nearby:
        if not is_bad_number(token):
            continue
        digits = token.text[: len(token.text) - len(token.text.lstrip("0123456789."))]
        rest = token.text[len(digits) :]
        far = site.find_distance(index)
        same = [t for t in site.tokens if t.kind == NUMBER and t.text == token.text]
        if rest.isidentifier() and digits.isdigit():
            turned = (
                f"{rest}{digits}"  # another spelling of the same name is another reading only where it stands elsewhere
            )
            for name in (f"_{token.text}", *([turned] if any(t.text == turned for t in site.tokens) else [])):
                spots = tuple((t.start, t.end, name) for t in same)
                cost = find_cost("replace.name_of_digits") + far + (0 if name[0] == "_" else 0.1)
                yield Slip(*spots[0], cost, f"`{token.text}` begins with a digit", spots[1:])
            yield Slip(token.start, token.end, f"{digits}*{rest}", find_cost("insert.times") + far, "`*` is missing")
            yield Slip(token.start, token.end, rest, find_cost("delete.number") + far, f"`{digits}` is too much")
            yield Slip(token.start, token.end, digits, find_cost("replace.unit") + far, f"`{rest}` is too much")


def _multiply_letters(site: Site) -> Iterator[Slip]:
    """``4ac`` as ``4*a*c``, ``b/2a`` as ``b/(2*a)``, ``9/5c`` as ``9/5*c``: digits and the variables behind them are a product, in all their
    places at once."""
    bound = site.list_set_names()
    spots: list[tuple[int, int, str]] = []
    for place, (before, token) in enumerate(itertools.pairwise(site.tokens)):
        digits = re.match(r"\d+(?:\.\d+)?", token.text) if is_bad_number(token) else None
        letters = token.text[digits.end() :] if digits else ""
        names = [letters] if letters in bound else list(letters)
        if digits and letters and bound.issuperset(names):
            product = "*".join([digits[0], *names])
            divides = (
                before.text == "/" and site.tokens[place - 1].kind != NUMBER
            )  # a fraction of two numbers is a factor
            spots.append((token.start, token.end, f"({product})" if divides else product))
    if any(site.line[1] <= start < site.line[2] for start, _, _ in spots):
        yield Slip(*spots[0], find_cost("insert.times_of_letters"), "`*` is missing", tuple(spots[1:]))


def _join_thousands(site: Site) -> Iterator[Slip]:
    """``if pay < 50,000:`` as ``50000``, in all its places at once: groups of three digits, and not between the brackets of a call or a list, where
    a comma parts values."""
    spots: list[tuple[int, int, str]] = []
    around: list[bool] = []  # of each bracket that is open, whether it holds one value
    tokens, end = site.tokens, -1
    for place, token in enumerate(tokens):
        if token.text in _OPENING:
            is_called = place > 0 and (tokens[place - 1].text in _CLOSING or tokens[place - 1].kind == NAME)
            around.append(token.text == "(" and (not is_called or keyword.iskeyword(tokens[place - 1].text)))
        elif token.text in _CLOSING and around:
            around.pop()
        last = place
        while last + 2 < len(tokens) and _is_group_of_digits(*tokens[last : last + 3]):
            last += 2
        if place < last and end < place and all(around) and len(token.text) <= len("999") and token.text.isdigit():
            spots.append((token.start, tokens[last].end, "".join(t.text for t in tokens[place : last + 1 : 2])))
        end = max(end, last if place < last else -1)
    if any(site.line[1] <= start < site.line[2] for start, _, _ in spots):
        words = "a comma between thousands is no part of a number"
        yield Slip(*spots[0], find_cost("delete.thousands"), words, tuple(spots[1:]))


def _is_group_of_digits(number: Token, comma: Token, group: Token) -> bool:
    """``5,000``: a number, a comma and three digits that touch one another."""
    touch = number.end == comma.start and comma.end == group.start
    return (
        touch and number.kind == group.kind == NUMBER and comma.text == "," and _GROUP.fullmatch(group.text) is not None
    )


def name_parameters(site: Site) -> Iterator[Slip]:
    """``def root(25):`` above ``i * i <= n``: a value stands where a parameter must, and the body reads a name that nothing binds."""
    line = site.list_line_tokens(site.at)
    if len(line) < 4 or line[0].text != "def" or line[2].text != "(":
        return
    literals = [
        b for a, b, c in zip(line[2:], line[3:], line[4:], strict=False)
        if a.text in ("(", ",") and b.kind in (NUMBER, TEXT) and c.text in (")", ",")
    ]  # fmt: skip
    body = _list_body_tokens(site)
    bound = site.known | BUILTINS | {t.text for t in line if t.kind == NAME}
    bound |= {a.text for a, b in itertools.pairwise(site.tokens) if a.kind == NAME and b.text in ("=", "in", ",")}
    bound |= {b.text for a, b in itertools.pairwise(site.tokens) if a.text in ("def", "class", "import", "as")}
    free = [
        b.text for a, b in itertools.pairwise([line[0], *body])
        if b.kind == NAME and a.text != "." and b.text not in bound and not keyword.iskeyword(b.text)
    ]  # fmt: skip
    names = list(dict.fromkeys(free))
    if not literals or len(names) < len(literals):
        return
    several = len(names) > 1  # nothing tells which parameter each is, and whether the others are parameters at all
    for chosen in dict.fromkeys((tuple(names[: len(literals)]), tuple(sorted(names[: len(literals)])))):
        spots = [(t.start, t.end, name) for t, name in zip(literals, chosen, strict=True)]
        words = f"`{literals[0].text[:20]}` stands where the parameter `{chosen[0]}` must"
        cost = find_cost("replace.name_of_digits")
        yield Slip(*spots[0], cost, words, tuple(spots[1:]), guessed=several)


def _list_body_tokens(site: Site) -> list[Token]:
    """What stands in the block below the fault's line, as far as it stands deeper."""
    _, start, end = site.line
    head = site.source[start:end]
    own = len(head) - len(head.lstrip())
    at = end + 1
    for text in site.source[end + 1 :].splitlines(keepends=True):
        if text.strip() and len(text) - len(text.lstrip()) <= own:
            break
        at += len(text)
    return [t for t in site.tokens if end < t.start < at and t.kind not in (COMMENT, NEWLINE)]


def name_literals(site: Site) -> Iterator[Slip]:
    """``1 = k[::-1]`` above ``int(1)``: a digit stands for a letter that looks like it, in all places but a sign's."""
    line = site.list_line_tokens(site.at)
    if "cannot assign to literal" not in site.fault.message or len(line) < 4 or line[1].text != "=":
        return
    digit = line[0].text
    if line[0].kind != NUMBER or digit not in LETTERS:
        return
    taken = {t.text for t in site.tokens if t.kind == NAME}
    name = next((letter for letter in LETTERS[digit] if letter not in taken), "")
    signed = {b.start for a, b in itertools.pairwise(site.tokens) if a.text == "-"}
    spots = tuple((t.start, t.end, name) for t in site.tokens if t.text == digit and t.start not in signed)
    if name and len(spots) > 1:
        cost = find_cost("replace.name_of_digits")
        yield Slip(*spots[0], cost, f"`{digit}` stands for `{name}`", spots[1:])


CONVERSIONS = ("int", "float", "str", "list")
"""What a value is made by before it is stored."""


def turn_assignments(site: Site) -> Iterator[Slip]:
    """``5 = x``, ``a + b = x``, ``int(input()) = x``: the name belongs before the sign. ``int(x) = input()``: what makes a number belongs behind it."""
    line = site.list_line_tokens(site.at)
    signs = [n for n, t in enumerate(line) if t.text == "="]
    if "cannot assign to" not in site.fault.message or len(signs) != 1 or not 0 < signs[0] < len(line) - 1:
        return
    at, cost = signs[0], find_cost("move.assignment")
    left = site.source[line[0].start : line[at - 1].end]
    right = site.source[line[at + 1].start : line[-1].end]
    if keyword.iskeyword(line[0].text) or not _is_value(left) or not _is_value(right):
        return
    name = line[-1]
    texts = [t.text for t in line[:at]]
    is_item = (
        texts[1:2] == ["("] and texts[0] in site.list_set_names() - BUILTINS
    )  # `marks(0) = total`: an item of a list is set
    if at == len(line) - 2 and name.kind == NAME and not keyword.iskeyword(name.text) and not is_item:
        new = f"{name.text} = {left}"
        yield Slip(line[0].start, name.end, new, cost, "the name belongs before the `=`")
    if len(texts) == 4 and texts[0] in CONVERSIONS and (texts[1], texts[3]) == ("(", ")") and line[2].kind == NAME:
        new = f"{texts[2]} = {texts[0]}({right})"
        yield Slip(line[0].start, line[-1].end, new, cost, f"`{texts[0]}` belongs behind the `=`")


def _is_value(text: str) -> bool:
    try:
        parse_tree(text, "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def join_names(site: Site) -> Iterator[Slip]:
    """``def my func(x)`` as ``def my_func(x)``: a name of two words, in all its places."""
    heads = {b.start for a, b in itertools.pairwise(site.tokens) if a.text in ("def", "class")}
    near = {token.start for _, token in site.nearby}
    places: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for a, b in itertools.pairwise(site.tokens):
        if a.kind == b.kind == NAME and not any(keyword.iskeyword(t.text) or t.text in BUILTINS for t in (a, b)):
            places.setdefault((a.text, b.text), []).append((a.start, b.end))
    for (first, second), spans in places.items():
        if any(start in near for start, _ in spans) and (len(spans) > 1 or spans[0][0] in heads):
            edits = tuple((start, end, f"{first}_{second}") for start, end in spans)
            yield Slip(*edits[0], find_cost("replace.name_of_words"), f"`{first} {second}` is one name", edits[1:])


_HYPHENED = re.compile(r"(?<![\w.-])[^\W\d]\w*(?:-[^\W\d]\w*)+(?![\w(-])")


def join_hyphened(site: Site) -> Iterator[Slip]:
    """``the-total = 3`` as ``the_total = 3``: a name with a hyphen, in all its places."""
    _, start, end = site.line
    target = re.match(
        r"\s*(?:for\s+|def\s+)?(" + _HYPHENED.pattern + r")\s*(?:[-+*/]?=(?!=)|in\b|\()", site.source[start:end]
    )
    if target is None:
        return
    inside = [(t.start, t.end) for t in site.tokens if t.kind in (TEXT, COMMENT)]
    spots = tuple(
        (m.start(), m.end(), m[0].replace("-", "_"))
        for m in re.finditer(rf"(?<![\w.-]){re.escape(target[1])}(?![\w-])", site.source)
        if not any(first <= m.start() < last for first, last in inside)
    )
    if spots:
        words = f"`{target[1]}` is a name with a sign in it"
        yield Slip(*spots[0], find_cost("join.name"), words, spots[1:])
