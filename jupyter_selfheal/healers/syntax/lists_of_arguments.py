"""Edits of a call's arguments: pairs without braces, what follows a named list of one, named ones before others."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import find_at_depth
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, NEWLINE, NUMBER, TEXT, Token

_LITERALS = (TEXT, NUMBER)


def brace_pairs(site: Site) -> Iterator[Slip]:
    """``replace("Ulm": "U")`` as ``replace({"Ulm": "U"})``: pairs of a key and its value are a dictionary."""
    for inside in _list_calls(site):
        arguments = _split_arguments(inside)
        if all(len(a) > 2 and a[0].kind in _LITERALS and a[1].text == ":" for a in arguments):
            words = "the pairs are a dictionary, without its braces"
            start, end = inside[0].start, inside[-1].end
            text = f"{{{site.source[start:end]}}}"
            yield Slip(start, end, text, find_cost("replace.named_argument"), words)


def list_named_values(site: Site) -> Iterator[Slip]:
    """``sort_values(by="town", "year")`` as ``sort_values(by=["town", "year"])``: what follows a named value belongs to it."""
    for inside in _list_calls(site):
        arguments = _split_arguments(inside)
        named = next((n for n, a in enumerate(arguments) if len(a) > 1 and a[1].text == "="), None)
        if named is not None and (values := _find_values_of_lambda(arguments[named:])):
            start, end = values
            text = f"({site.source[start:end]})"
            yield Slip(
                start, end, text, find_cost("insert.brackets_of_lambda"), f"the brackets of `{text}` are missing"
            )
        if named is None or len(arguments[named]) != 3 or arguments[named][2].kind not in _LITERALS:
            continue
        value, end = arguments[named][2], named + 1
        while end < len(arguments) and len(arguments[end]) == 1 and arguments[end][0].kind == value.kind:
            end += 1
        if end > named + 1 and all(len(a) > 1 and a[1].text == "=" for a in arguments[end:]):
            last = arguments[end - 1][0]
            words = f"`{arguments[named][0].text}=` is given several values, without the brackets of a list"
            text = f"[{site.source[value.start : last.end]}]"
            yield Slip(value.start, last.end, text, find_cost("replace.named_argument"), words)


def _find_values_of_lambda(arguments: list[list[Token]]) -> tuple[int, int] | None:
    """Where the values begin and end of ``key=lambda t: t[1], t[0]``, whose function reads its own parameter in each of them."""
    first = arguments[0]
    colon = next((n for n, t in enumerate(first) if t.text == ":"), 0)
    if len(first) < 3 or first[2].text != "lambda" or not 3 < colon < len(first) - 1:
        return None
    own, last = {t.text for t in first[3:colon] if t.kind == NAME}, first
    for argument in arguments[1:]:
        is_named = len(argument) > 1 and argument[1].text == "="
        if is_named or not own.intersection(t.text for t in argument if t.kind == NAME):
            break
        last = argument
    return None if last is first else (first[colon + 1].start, last[-1].end)


def put_named_last(site: Site) -> Iterator[Slip]:
    """``area(h=4, 1)`` as ``area(1, h=4)``: what has no name comes first."""
    for inside in _list_calls(site):
        arguments = [a for a in _split_arguments(inside) if a]
        named = [a for a in arguments if len(a) > 1 and (a[1].text == "=" or a[0].text == "**")]
        plain = [a for a in arguments if a not in named]
        if plain and named and arguments != [*plain, *named]:
            text = ", ".join(site.source[a[0].start : a[-1].end] for a in (*plain, *named))
            words = "an argument without a name stands behind one with a name"
            yield Slip(inside[0].start, inside[-1].end, text, find_cost("replace.named_argument"), words)


def _list_calls(site: Site) -> Iterator[list[Token]]:
    """What stands between the brackets of each call near the fault."""
    for index, token in site.nearby:
        before = site.tokens[index - 1] if index else None
        is_call = (
            token.text == "(" and before is not None and before.kind == NAME and not keyword.iskeyword(before.text)
        )
        heads = is_call and site.list_line_tokens(token.start)[0].text in ("def", "class")
        closed = find_at_depth(site.tokens, index, ")") if is_call and not heads else -1
        inside = [t for t in site.tokens[index + 1 : max(closed, 0)] if t.kind not in (COMMENT, NEWLINE)]
        if inside:
            yield inside


def _split_arguments(inside: list[Token]) -> list[list[Token]]:
    """The arguments: what commas outside of brackets part."""
    arguments, first = list[list[Token]](), 0
    while (comma := find_at_depth(inside, first, ",")) >= 0:
        arguments.append(inside[first:comma])
        first = comma + 1
    return [*arguments, inside[first:]] if first < len(inside) else arguments
