"""A cell with slips in several statements: each statement is mended by itself, and the ways to mend them are put together, the likeliest first.

The search over a whole cell knows a fixed number of readings. With five slips of three readings each the right one is the last of hundreds, though it is
among the first three of each slip. So one reading is taken, each broken place of it is put back and searched alone, and what is found for
one place is combined with what is found for the others. Where the whole cell is too broken for a first reading, its lines are mended one by one.
"""

from __future__ import annotations

import difflib
import heapq
import itertools
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.best_first import LONGEST, find_readings
from jupyter_selfheal.healers.syntax.fault import find_fault
from jupyter_selfheal.healers.syntax.readings import Reading, choose_readings
from jupyter_selfheal.inside.parsing import parse_module

MOST = 96
"""Readings of a cell with several broken places."""
PLACES, ALTERNATIVES = 8, 12
"""Broken places that are searched alone, and ways to mend one that are combined with the others."""
WORK_OF_PLACE, WORK_OF_LINE, WORK_OF_REST = 0.12, 0.06, 0.4
"""What share of a whole search's work one place, one line, and what the lines leave may take."""
LINES = 16
"""Broken lines that are mended by themselves: a cell with more of them is no program."""
JOINED = 8
"""Lines that one statement goes on over, at most."""
COMBINED, QUEUED = 600, 12_000
"""Combinations that are looked at, and that wait for it at most."""
MARGIN = 3.5
"""How much more than the first reading a combination may cost."""
_BODY = "\n    pass"
_HEADS = (
    (re.compile(r"el(?:se|if|sif|seif)\b"), "if True:\n    pass\n"),
    (re.compile(r"(?:except|finally)\b"), "try:\n    pass\n"),
)
"""What must stand above a line that begins so."""
_COMMENT_BEHIND = re.compile(r"\s#[^'\"]*$")

Edit = tuple[int, int, tuple[str, ...]]
"""Lines [start, end) of a reading, and those in their place."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to mend a place, as what it changes in the reading that the others change, too; ``extra`` is what it costs more."""

    edits: tuple[Edit, ...]
    extra: float
    words: tuple[str, ...]
    guessed: bool


def list_readings(source: str, known: frozenset[str] = frozenset()) -> tuple[Reading, ...]:
    """Ways to make a source parse, the likeliest first: those of the search over all of it, and, where several places of it are broken, those
    that are put together of what mends each of them."""
    if len(source) > LONGEST or src.is_foreign(source):
        return ()
    by_line = _mend_lines(source, known)
    readings = find_readings(source, known, is_sought=by_line is None)
    firsts = [*readings[:1], *([by_line] if by_line is not None else [])]
    if not firsts:
        return readings
    first = min(firsts, key=lambda r: r.cost)
    combined = _combine(source, first, known)
    if not combined and first in readings:
        return readings
    kept = dict[str, Reading]()
    for reading in sorted((*readings, first, *combined), key=lambda r: r.cost):
        kept.setdefault(src.canonicalise(reading.source), reading)
    return choose_readings(kept.values(), MOST)


def _mend_lines(source: str, known: frozenset[str]) -> Reading | None:
    """The likeliest mend of each line that is broken by itself, where there are several, and of what is left then; None where that gives no
    reading."""
    lines = source.split("\n")
    broken = list(itertools.islice(_list_broken(lines), LINES + 1))
    if not 1 < len(broken) <= LINES or _has_lost_indentation(lines):
        return None
    names = known | frozenset(re.findall(r"[^\W\d]\w*", source))
    cost, words, guessed = 0.0, list[str](), False
    for number in broken:
        mend = _mend_line(lines, number, names)
        if mend is None:
            continue
        lines[number] = mend.source
        cost, guessed = cost + mend.cost, guessed or mend.guessed
        words += mend.words
    if not words:
        return None
    whole = "\n".join(lines)
    if find_fault(whole) is None:
        return Reading(whole, cost, tuple(words), guessed)
    rest = next(iter(find_readings(whole, known, WORK_OF_REST)), None)
    if rest is None:
        return None
    return Reading(rest.source, cost + rest.cost, (*words, *rest.words), guessed or rest.guessed)


def _has_lost_indentation(lines: Sequence[str]) -> bool:
    """Whether no line is indented, though one begins a block: where its lines belong is a question of all of them."""
    heads = any(above.rstrip().endswith(":") and below.strip() for above, below in itertools.pairwise(lines))
    return heads and not any(line[:1].isspace() and line.strip() for line in lines)


def _list_broken(lines: Sequence[str]) -> Iterator[int]:
    """The lines that are no statement, nor the head of one, nor begin one that goes on over the lines below."""
    at = 0
    while at < len(lines):
        text = lines[at].strip()
        if not text or text.startswith(("#", "%", "!", "@")) or _is_sound(text):
            at += 1
            continue
        indent = len(lines[at]) - len(lines[at].lstrip())
        ends = range(at + 2, min(at + JOINED, len(lines)) + 1)
        whole = next((end for end in ends if _is_sound("\n".join(line[indent:] for line in lines[at:end]))), None)
        if whole is None:
            yield at
        at = whole or at + 1


def _frame(text: str, has_body: bool = False) -> tuple[str, str]:
    """What must stand above and below a line for it to be read alone."""
    above = next((frame for head, frame in _HEADS if head.match(text)), "")
    return above, _BODY if has_body or _COMMENT_BEHIND.sub("", text).rstrip().endswith(":") else ""


def _is_sound(text: str) -> bool:
    above, below = _frame(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse_module(above + text + below)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _mend_line(lines: Sequence[str], number: int, known: frozenset[str]) -> Reading | None:
    """The likeliest way to read one line alone, with the indentation that it has."""
    line = lines[number]
    text = line.strip()
    indent = line[: len(line) - len(line.lstrip())]
    following = next((other for other in lines[number + 1 :] if other.strip()), "")
    above, below = _frame(text, len(following) - len(following.lstrip()) > len(indent))
    for frame in dict.fromkeys((below, "")):
        for reading in find_readings(above + text + frame, known, WORK_OF_LINE):
            inner = reading.source.removeprefix(above).removesuffix(frame)
            if len(inner) + len(above) + len(frame) == len(reading.source) and "\n" not in inner.strip("\n"):
                return Reading(indent + inner.strip(), reading.cost, reading.words, reading.guessed)
    return None


def _combine(source: str, first: Reading, known: frozenset[str]) -> list[Reading]:
    """Readings that differ from the first one in the way that one or more of its places are mended; none where it has one place."""
    given, mended = source.split("\n"), first.source.split("\n")
    matcher = difflib.SequenceMatcher(None, given, mended, autojunk=False)
    places = [(i, j, k, m) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]
    if not 1 < len(places) <= PLACES:
        return []
    ways: list[list[_Way]] = []
    for start, end, at, stop in places:
        broken = "\n".join([*mended[:at], *given[start:end], *mended[stop:]])
        found = find_readings(broken, known, WORK_OF_PLACE)
        own = next((r for r in found if src.canonicalise(r.source) == src.canonicalise(first.source)), None)
        as_first = own or first  # not found again: what is said of all of it holds for its part
        least = (own or found[0]).cost if found else 0.0
        same = _Way((), 0.0, as_first.words, as_first.guessed)
        ways.append([same, *_list_ways(mended, found, least, first)])
    return list(_put_together(mended, ways, first))


def _list_ways(mended: list[str], found: Sequence[Reading], least: float, first: Reading) -> list[_Way]:
    ways = []
    for reading in found[:ALTERNATIVES]:
        if reading.source != first.source:
            matcher = difflib.SequenceMatcher(None, mended, lines := reading.source.split("\n"), autojunk=False)
            edits = tuple((i, j, tuple(lines[k:m])) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal")
            ways.append(_Way(edits, reading.cost - least, reading.words, reading.guessed))
    return ways


def _put_together(mended: list[str], ways: Sequence[Sequence[_Way]], first: Reading) -> Iterator[Reading]:
    """Combinations of one way for each place, the cheapest first; those that change the same lines are none."""
    ordered = [sorted(place, key=lambda way: way.extra) for place in ways]
    begin = (0,) * len(ordered)

    def sum_extra(chosen: tuple[int, ...]) -> float:
        return sum(place[n].extra for place, n in zip(ordered, chosen, strict=True))

    heap, met, least = [(sum_extra(begin), begin)], {begin}, sum_extra(begin)
    for _ in range(COMBINED):
        if not heap or len(met) > QUEUED:
            return
        extra, chosen = heapq.heappop(heap)
        if extra > least + MARGIN:
            return
        picked = [place[n] for place, n in zip(ordered, chosen, strict=True)]
        new = _apply(mended, picked)
        if new is not None and src.parse(new) is not None:
            words = tuple(word for way in picked for word in way.words)
            yield Reading(new, first.cost + extra, words, any(way.guessed for way in picked))
        for place, n in enumerate(chosen):
            further = (*chosen[:place], n + 1, *chosen[place + 1 :])
            if n + 1 < len(ordered[place]) and further not in met:
                met.add(further)
                heapq.heappush(heap, (sum_extra(further), further))


def _apply(mended: list[str], ways: Sequence[_Way]) -> str | None:
    edits = sorted(edit for way in ways for edit in way.edits)
    if any(one[1] > other[0] or one[:2] == other[:2] for one, other in itertools.pairwise(edits)):
        return None
    lines = list(mended)
    for start, end, new in reversed(edits):
        lines[start:end] = new
    return "\n".join(lines)
