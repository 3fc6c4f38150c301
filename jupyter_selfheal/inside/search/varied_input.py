"""What a cell that reads its input prints for other inputs: readings that print the same for the one that is given may part there, and what one of
them prints may be what nobody wants."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.search.explore_reading import Explorer
from jupyter_selfheal.inside.search.run_result import OK

MOST, AGAIN = 12, 4
"""Other inputs, and how often the lines come again for a cell that reads more of them than before."""
_TOLD = "\0"
_RECORD = """__selfheal_read__, __selfheal_told__ = input, []


def input(*prompt):
    __selfheal_told__.append(__selfheal_read__(*prompt))
    return __selfheal_told__[-1]


"""
_SHOW = f"\nprint(end={_TOLD!r} + repr(__selfheal_told__))"
_FEED = """def input(*prompt, lines={lines!r}):
    print(*prompt, end="")
    return lines.pop(0)


"""


def record_lines(explorer: Explorer, source: str) -> list[str]:
    """The lines that a source which runs asks ``input`` for; none where it asks for nothing."""
    if "input" not in source:
        return []
    _, status, printed = explorer.run(_RECORD + source + _SHOW)
    _, _, told = printed.rpartition(_TOLD)
    lines = ast.literal_eval(told) if status == OK and told else []
    return lines if all(isinstance(line, str) for line in lines) else []


def vary_lines(lines: Sequence[str], expected: str) -> list[list[str]]:
    """Other inputs, in each of which one line is another: a number near it, one with a point where such are ``expected``, a text like it."""
    by_line = [_vary_line(line, re.search(r"\d\.\d", expected) is not None) for line in lines]
    kinds = itertools.zip_longest(*by_line)  # each line once, before any is varied in another way
    pairs = ((place, new) for kind in kinds for place, new in enumerate(kind) if new not in (None, lines[place]))
    return [[*lines[:place], new, *lines[place + 1 :]] for place, new in itertools.islice(pairs, MOST)]


def _vary_line(line: str, has_points: bool) -> Iterator[str]:
    first, _, rest = line.partition(" ")
    behind = f" {rest}" if rest else ""
    if re.fullmatch(r"-?\d+", first):
        number = int(first)
        yield from (
            f"{n}{behind}" for n in (number + 1, number * 10, *([number + 0.5] if has_points else ()), 1, number - 1)
        )
    elif re.fullmatch(r"-?\d*\.\d+", first):
        read = float(first)
        yield from (f"{n}{behind}" for n in (read + 1, round(read + 0.555, 3), read * 10))
    else:
        yield from (line.swapcase(), f"{line}x", line[::-1])


def observe(explorer: Explorer, source: str, inputs: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """How a source ends for each of the inputs, and what it prints."""
    feeds = (_FEED.format(lines=[*lines] * AGAIN) for lines in inputs)
    return [explorer.run(feed + source)[1:] for feed in feeds]
