"""A loop in brackets whose parts stand in another order: ``[x * 2 in xs for x]``, ``[for x in xs: x * 2]``, ``[if x > 0 x for x in xs]``."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.wrapping import find_loop_bracket, list_at_depth
from jupyter_selfheal.inside.parsing import parse_expression

WORDS = "the parts of the loop in brackets stand in another order"


def order_loops(site: Site) -> Iterator[Slip]:
    """The value first, then what it is made for, then the condition."""
    first, last = find_loop_bracket(site)
    own = list_at_depth(site, first, last)
    words = [site.tokens[n].text for n in own]
    if last == 0 or not own or words.count("for") != 1 or words.count("in") != 1:
        return
    begin, end = site.tokens[first].end, site.tokens[last].start
    for new in dict.fromkeys(_list_orders(site, own, words, end)):
        cost = find_cost("move.condition")
        yield Slip(begin, end, new, cost, WORDS)


def _list_orders(site: Site, own: list[int], words: list[str], end: int) -> Iterator[str]:
    loop, inside = own[words.index("for")], own[words.index("in")]
    tokens, source = site.tokens, site.source
    begin = tokens[own[0]].start
    if inside < loop:  # `[value in items for name]`
        value, items = source[begin : tokens[inside].start], source[tokens[inside].end : tokens[loop].start]
        name = source[tokens[loop].end : end]
        yield from _join_parts(value, name, items)
        return
    name = source[tokens[loop].end : tokens[inside].start]
    if loop == own[0]:  # `[for name in items value]`, with or without a sign between
        for n in own[own.index(inside) + 2 :]:
            items = source[tokens[inside].end : tokens[n].start].rstrip().rstrip(":,")
            yield from _join_parts(source[tokens[n].start : end].lstrip(":,"), name, items)
    elif words[0] == "if":  # `[if condition value for name in items]`
        items = source[tokens[inside].end : end]
        for n in own[2 : own.index(loop)]:
            test = source[tokens[own[0]].end : tokens[n].start].rstrip().rstrip(":,")
            value = source[tokens[n].start : tokens[loop].start].lstrip(":,")
            yield from _join_parts(value, name, f"{items.strip()} if {test.strip()}" if _is_value(test) else "")


def _join_parts(value: str, name: str, items: str) -> Iterator[str]:
    value, name, items = value.strip(), name.strip(), items.strip()
    new = f"{value} for {name} in {items}"
    if items and _is_value(value) and name.isidentifier() and _is_value(f"[{new}]"):
        yield new


def _is_value(text: str) -> bool:
    try:
        parse_expression(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
