"""The indentation of a whole cell, searched at once: which block each line belongs to, by a beam over the lines from the top.

Single lines and blocks are shifted by :mod:`.line_edits`. Where several lines lost their place (a flattened body, a paste without any
indentation) each line has a few blocks that it may belong to, and what tells them apart is the same everywhere: where it stood, words that
end a block, names that only a block binds, what must stand in a function or a loop.
"""

from __future__ import annotations

import heapq
import itertools
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, NEWLINE, SIGN, TEXT, Token, split_tokens

STEP = 4
BEAM, LAYOUTS = 48, 14
"""States that are kept behind each line, and whole layouts that are proposed."""
LONGEST = 150
"""Lines of a cell whose indentation is searched."""
OWNERS = {
    "elif": ("if", "elif"),
    "else": ("if", "elif", "for", "while", "except"),
    "except": ("try", "except"),
    "finally": ("try", "except", "else"),
}
HEADS = frozenset({"if", "elif", "else", "for", "while", "def", "class", "try", "except", "finally", "with"})
LOOPS = frozenset({"for", "while"})
_FAULTS = ("indent", "outside function", "outside loop", "not properly in loop", "expected 'except'")
_NEVER = 100.0


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    width: int
    """The offset of its first token in the source, and how far it stands to the right."""
    word: str
    opens: bool
    """It heads a block that stands below it."""
    names: frozenset[str]
    binds: frozenset[str]
    """Names that a loop or a definition binds for its block."""
    apart: bool
    """A blank line stands above it."""
    calls: frozenset[str]
    takes_self: bool


@dataclass(frozen=True, slots=True)
class _Block:
    word: str
    width: int
    body: int
    """How far its first line stands to the right; -1 before there is one."""
    binds: frozenset[str]
    name: str = ""


@dataclass(frozen=True, slots=True)
class _State:
    cost: float
    depths: tuple[int, ...]
    blocks: tuple[_Block, ...]


def propose_layouts(site: Site) -> Iterator[Slip]:
    """Other indentations of the whole cell, the likeliest first."""
    message, first = site.fault.message, site.list_line_tokens(site.at)[:1]
    at_branch = bool(first) and first[0].text in OWNERS and "invalid syntax" in message
    if (
        not at_branch
        and site.fault.kind not in ("IndentationError", "TabError")
        and not any(m in message for m in _FAULTS)
    ):
        return
    base = find_cost("indent.layout")
    for source, cost in _list_layouts(site.source):
        yield Slip(
            0, len(site.source), source, base + find_cost("indent.layout_step") * cost, "the indentation is wrong"
        )


@lru_cache(maxsize=64)
def _list_layouts(source: str) -> tuple[tuple[str, float], ...]:
    lines = _read_lines(source)
    if not lines or len(lines) > LONGEST:
        return ()
    states = [_State(0.0, (), ())]
    for number, line in enumerate(lines):
        previous = lines[number - 1] if number else None
        new = [after for state in states for after in _place_line(state, line, previous)]
        states = heapq.nsmallest(BEAM, new, key=lambda s: s.cost)
    found = {_write_lines(source, lines, s.depths): s.cost for s in reversed(states) if s.cost < _NEVER}
    found.pop(source, None)
    return tuple(sorted(found.items(), key=lambda f: f[1])[:LAYOUTS])


def _place_line(state: _State, line: _Line, previous: _Line | None) -> Iterator[_State]:
    """The states behind a line: one for each block that it may belong to."""
    opened = previous is not None and previous.opens
    for depth in range(len(state.blocks), -1, -1):
        if opened and depth < len(state.blocks):
            return
        blocks, cost = state.blocks[:depth], 0.0
        if line.word in OWNERS:
            owner = state.blocks[depth].word if depth < len(state.blocks) else ""
            if owner not in OWNERS[line.word]:
                continue
        cost += _weigh_width(state, line, depth, opened) + _weigh_words(state, line, previous, depth)
        if state.cost + cost >= _NEVER:
            continue
        if opened:
            blocks = (
                *blocks[:-1],
                _Block(blocks[-1].word, blocks[-1].width, line.width, blocks[-1].binds, blocks[-1].name),
            )
        if line.opens:
            name = next(iter(line.calls), "") if line.word == "def" else ""
            blocks = (*blocks, _Block(line.word, line.width, -1, line.binds, name))
        yield _State(state.cost + cost, (*state.depths, depth), blocks)


def _weigh_width(state: _State, line: _Line, depth: int, opened: bool) -> float:
    """What it costs that the line stood elsewhere. Widths say nothing within a body that stood no deeper than its header."""
    if opened:
        return 0.0 if line.width > state.blocks[-1].width else 0.5
    known = [0 if not state.depths else _find_top(state)] + [b.body for b in state.blocks]
    flat = any(b.body <= b.width for b in state.blocks[depth:])
    if line.width == known[depth]:
        deeper = len(state.blocks) - depth
        return 0.3 * deeper if flat and deeper else 0.0
    if line.width in known and not flat:
        return 0.9
    return 0.5 + 0.1 * min(abs(line.width - known[depth]), 8) / STEP


def _find_top(state: _State) -> int:
    return state.blocks[0].width if state.blocks else 0


def _weigh_words(state: _State, line: _Line, previous: _Line | None, depth: int) -> float:
    """What the line's words say: what must stand in a function or a loop, what ends a block, names that only a block binds."""
    inside, left = state.blocks[:depth], state.blocks[depth:]
    kinds = [b.word for b in inside]
    since_def = kinds[len(kinds) - kinds[::-1].index("def") :] if "def" in kinds else kinds
    if (line.word in ("return", "yield") and "def" not in kinds) or (
        line.word in ("break", "continue") and not LOOPS & set(since_def)
    ):
        return _NEVER
    cost = 0.0
    if (
        previous is not None
        and previous.word in ("return", "break", "continue", "raise")
        and state.depths
        and depth >= state.depths[-1]
    ):
        cost += 1.5  # nothing runs behind it
    if line.word in ("import", "from", "class") and inside:
        cost += 0.8
    if line.word == "def":
        cost += 1.0 if line.takes_self != (kinds[-1:] == ["class"]) else 0.0
    for block in left:
        # a loop's name is read behind the loop now and then, a parameter never
        cost += (
            (1.2 if block.word == "def" else 0.5) * bool(block.binds & line.names)
            if line.word not in ("def", "class", "for")
            else 0.0
        )
    for block in inside:
        if block.word == "def" and block.name in line.calls and not block.binds & line.names:
            cost += 0.6
    if line.apart and not left and inside and line.word not in OWNERS:
        cost += 0.15
    return cost


def _write_lines(source: str, lines: list[_Line], depths: tuple[int, ...]) -> str:
    """The source with each line at its depth; what goes on from a line (an open bracket, a text) stays as it is."""
    parts, at = [], 0
    for line, depth in zip(lines, depths, strict=True):
        begin = source.rfind("\n", 0, line.start) + 1
        parts += [source[at:begin], " " * (STEP * depth)]
        at = line.start
    return "".join([*parts, source[at:]])


def _read_lines(source: str) -> list[_Line]:
    """The logical lines of a source: what stands in an open bracket belongs to the line that opens it."""
    lines: list[_Line] = []
    pending: list[Token] = []
    depth = 0
    for token in (*split_tokens(source), Token(NEWLINE, "\n", len(source), len(source))):
        if token.kind == SIGN:
            depth += (token.text in "([{") - (token.text in ")]}")
        if token.kind == NEWLINE and (pending and (depth > 0 or pending[-1].text == "\\")):
            continue
        if token.kind == NEWLINE:
            if pending:
                lines.append(_read_line(source, pending))
            pending, depth = [], 0
        elif token.kind != COMMENT:
            pending.append(token)
    return lines


def _read_line(source: str, tokens: list[Token]) -> _Line:
    begin = source.rfind("\n", 0, tokens[0].start) + 1
    above = source[:begin].rstrip(" \t")
    words = [t.text for t in tokens if t.kind == NAME and not keyword.iskeyword(t.text)]
    inside = {w for t in tokens if t.kind == TEXT and t.text[:1] in "fF" for w in re.findall(r"[^\W\d]\w*", t.text)}
    word = tokens[0].text
    opens = word in HEADS and (tokens[-1].text == ":" or not _has_colon(tokens))
    binds: frozenset[str] = frozenset()
    if word == "for":
        loop = [t.text for t in tokens]
        binds = frozenset(t for t in loop[1 : loop.index("in") if "in" in loop else 2] if t.isidentifier())
    elif word == "def":
        binds = frozenset(words[1:]) - {"self"}
    calls = frozenset({words[0]}) if word == "def" and words else frozenset(
        a.text for a, b in itertools.pairwise(tokens) if a.kind == NAME and b.text == "("
    )  # fmt: skip
    width = len(source[begin : tokens[0].start].expandtabs(STEP))
    return _Line(
        tokens[0].start, width, word, opens, frozenset(words) | inside, binds, above.endswith("\n\n") or not above, calls,
        word == "def" and "self" in (t.text for t in tokens[:5]),
    )  # fmt: skip


def _has_colon(tokens: list[Token]) -> bool:
    """Whether a colon stands outside of the line's brackets."""
    depth = 0
    for token in tokens:
        if token.kind == SIGN:
            depth += (token.text in "([{") - (token.text in ")]}")
            if token.text == ":" and depth == 0:
                return True
    return False
