"""Many changes of one function compiled at once: to compile the whole of it anew for each takes half of the time of a search that finds nothing.

Each changed expression or statement becomes a choice by a number (mutant schemata: Untch, Offutt, Harrold 1993): ``if x > 1:`` is compiled as
``if ((x >= 1) if '#' == 1 else (x < 1) if '#' == 2 else (x > 1)):``. The number is a constant, so that every change gets code of its own, by a copy
of the compiled function with another constant: it needs no name in the program, and whatever runs code can run it. Only its lines are others:
what comes of a run decides whether a change is looked at further, and then it is compiled by itself.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType

from jupyter_selfheal.inside.positions import LineTable, find_difference

SWITCH = "<selfheal switch>"
"""The constant in whose place each copy has the number of its change."""
TOGETHER, LEAST = 64, 4
"""Changes in one program: with more of them each copy grows; and the fewest that are worth one."""
SHORT = 400
"""Characters of a text that is as quickly compiled by itself: of 150 to 350 characters (Refactory) none gains, of 700 to 900 each takes a third."""
_CHAIN = 8
"""Choices that are asked one after the other; more are halved."""
_APART = re.compile(r"\b(?:yield|await|async|global|nonlocal|import|def|class|match)\b|:=|\"\"\"|'''|\\\n")
"""What would change more than its place: how names are bound, or what kind of function it is; and texts that go on over lines."""
_IDLE = re.compile(r"[ \t]*(?:#|$)")


@dataclass(frozen=True, slots=True)
class _Block:
    """Statements below each other, from line to line (0-based, the second one behind it). ``bound`` are the names that it may bind."""

    indent: str
    spans: tuple[tuple[int, int], ...]
    bound: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where in a text a change can stand beside others."""

    lines: tuple[str, ...]
    roots: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """By line the columns of whole expressions of statements."""
    starts: dict[int, _Block] = field(default_factory=dict)
    ends: dict[int, list[_Block]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Place:
    """Lines, or columns of one line (``end`` > 0), in place of which something else stands."""

    first: int
    after: int
    start: int = 0
    end: int = 0
    indent: str = ""


def compile_together(
    text: str, variants: Sequence[str], compile_text: Callable[[str], CodeType | None], known: Container[str]
) -> list[tuple[CodeType, int] | None]:
    """For each variant of a function's (or class's) text its code, and what is equal for two that do the same; None for those that must be
    compiled by themselves. ``known`` are the names that there are outside of it."""
    made: list[tuple[CodeType, int] | None] = [None] * len(variants)
    layout = _read_layout(text) if len(text) >= SHORT and len(variants) >= LEAST else None
    if layout is None:
        return made
    placed = [(n, *found) for n, new in enumerate(variants) if (found := _find_place(layout, new, known)) is not None]
    for begin in range(0, len(placed), TOGETHER):
        for n, code, key in _compile_group(layout, placed[begin : begin + TOGETHER], compile_text):
            made[n] = code, key
    return made


_Placed = tuple[int, _Place, tuple[str, ...], int]
"""The number of a variant, its place, the lines (or the one expression) that stand there, and their key."""


def _compile_group(
    layout: _Layout, group: Sequence[_Placed], compile_text: Callable[[str], CodeType | None]
) -> Iterator[tuple[int, CodeType, int]]:
    if len(group) < LEAST:
        return
    text, numbers = _Writer(layout, group).write()
    code = compile_text(text)
    if code is None:  # one of them is no Python where it stands: `break` outside of a loop
        yield from _compile_group(layout, group[: len(group) // 2], compile_text)
        yield from _compile_group(layout, group[len(group) // 2 :], compile_text)
        return
    held = _find_switches(code, {})
    for n, _, _, key in group:
        if n in numbers:
            yield n, _set_switch(code, numbers[n], held), key


def _set_switch(code: CodeType, number: int, held: Mapping[int, Sequence[int]]) -> CodeType:
    consts = list(code.co_consts)
    for place in held[id(code)]:
        inner = consts[place]
        consts[place] = _set_switch(inner, number, held) if isinstance(inner, CodeType) else number
    return code.replace(co_consts=tuple(consts))


def _find_switches(code: CodeType, held: dict[int, list[int]]) -> dict[int, list[int]]:
    """By the identity of code its constants that are the switch, or code in which it is."""
    held[id(code)] = [
        n for n, const in enumerate(code.co_consts)
        if const == SWITCH or (isinstance(const, CodeType) and _find_switches(const, held)[id(const)])
    ]  # fmt: skip
    return held


# --- where a change stands ---


@functools.lru_cache(maxsize=64)
def _read_layout(text: str) -> _Layout | None:
    if not text.startswith(("def ", "class ", "@")) or "\r" in text or "\f" in text or SWITCH in text:
        return None
    layout, table = _Layout(tuple(text.split("\n"))), LineTable(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            _note_roots(layout, table, node)
        if isinstance(node, ast.FunctionDef):
            _note_function(layout, node, _list_bound(node))
    return layout


def _note_function(layout: _Layout, function: ast.FunctionDef, bound: frozenset[str]) -> None:
    """Note the blocks of a function, but for those of functions and classes in it."""
    inner: list[ast.stmt] = [function]
    while inner:
        node = inner.pop()
        for block in _list_blocks(node):
            _note_block(layout, block, bound)
            inner += [s for s in block if not isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]


def _list_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        if isinstance(block := getattr(node, name, None), list) and block and isinstance(block[0], ast.stmt):
            yield block
    for handler in getattr(node, "handlers", ()):
        yield handler.body


def _note_block(layout: _Layout, block: Sequence[ast.stmt], bound: frozenset[str]) -> None:
    """Note a block of which each statement has lines of its own."""
    lines, spans = layout.lines, list[tuple[int, int]]()
    for s in block:
        first = min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]) - 1
        after = s.end_lineno or s.lineno
        tail = lines[after - 1].encode()[s.end_col_offset or 0 :].decode()
        if (
            lines[s.lineno - 1][: s.col_offset].strip()
            or not _IDLE.match(tail)
            or lines[first].lstrip().startswith("elif")
        ):
            return
        spans.append((first, after))
    indent = lines[spans[0][0]][: len(lines[spans[0][0]]) - len(lines[spans[0][0]].lstrip())]
    noted = _Block(indent, tuple(spans), bound)
    layout.starts.update((first, noted) for first, _ in spans)
    for _, after in spans:
        layout.ends.setdefault(after, []).append(noted)


def _note_roots(layout: _Layout, table: LineTable, node: ast.stmt) -> None:
    for name in ("test", "iter", "value"):
        root = getattr(node, name, None)
        if not isinstance(root, ast.expr) or root.lineno != root.end_lineno:
            continue
        line, begin = layout.lines[root.lineno - 1], table.starts[root.lineno - 1]
        start = table.offset(root.lineno, root.col_offset) - begin
        end = table.offset(root.lineno, root.end_col_offset or 0) - begin
        while start and line[start - 1] == "(" and line[end : end + 1] == ")":
            start, end = start - 1, end + 1
        if not line.endswith("\\"):
            layout.roots.setdefault(root.lineno - 1, []).append((start, end))


def _list_bound(tree: ast.AST) -> frozenset[str]:
    """Names that a function or some statements bind, those of comprehensions apart."""
    apart = {id(n) for c in ast.walk(tree) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)}
    bound = {
        n.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and id(n) not in apart and not isinstance(n.ctx, ast.Load)
    }
    return frozenset(bound | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)})


def _find_place(layout: _Layout, new: str, known: Container[str]) -> tuple[_Place, tuple[str, ...], int] | None:
    """Where a variant differs, what stands there, and its key; None where that cannot be a choice."""
    old, lines = layout.lines, new.split("\n")
    most = min(len(old), len(lines))
    first = next((n for n in range(most) if old[n] != lines[n]), most)
    alike = next((n for n in range(most - first) if old[-1 - n] != lines[-1 - n]), most - first)
    after, changed = len(old) - alike, tuple(lines[first : len(lines) - alike])
    if after - first == 1 and len(changed) == 1 and (found := _find_root(layout, first, changed[0])) is not None:
        return found
    if _APART.search("\n".join((*changed, *old[first:after]))):
        return None
    indent = next((t[: len(t) - len(t.lstrip())] for t in (*changed, *old[first:after]) if not _IDLE.match(t)), None)
    block = None if indent is None else _find_block(layout, first, after, indent)
    if block is None or indent is None or any(t.strip() and not t.startswith(indent) for t in changed):
        return None
    read = _read_statements("\n".join(t[len(indent) :] for t in changed))
    if read is None or any(name in known for name in read[0] - block.bound):  # elsewhere it would be a local one then
        return None
    if not read[1] and (first, after) == (block.spans[0][0], block.spans[-1][1]):  # a block without a statement
        return None
    place = _Place(first, after, indent=indent)
    return place, changed if read[1] else (*changed, indent + "pass"), hash((place, changed))


def _find_root(layout: _Layout, line: int, new: str) -> tuple[_Place, tuple[str, ...], int] | None:
    """A change within one expression."""
    old = layout.lines[line]
    begin, end, put = find_difference(old, new)
    root = next((r for r in layout.roots.get(line, ()) if r[0] <= begin and end <= r[1]), None)
    if root is None:
        return None
    text = old[root[0] : begin] + put + old[end : root[1]]
    key = _read_expression(text)
    place = _Place(line, line + 1, *root)
    if key is None or key == _read_expression(old[root[0] : root[1]]):  # what stands there, written otherwise
        return None
    return place, (text,), hash((place, key))


@functools.lru_cache(maxsize=4096)
def _read_expression(text: str) -> int | None:
    """What is equal for two texts of the same expression; None where it is none, or binds a name."""
    if "#" in text or _APART.search(text):
        return None
    try:
        code = compile(text.strip(), "", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return (
        hash((code.co_code, repr(code.co_consts), code.co_names)) if "<code" not in repr(code.co_consts) else hash(text)
    )


@functools.lru_cache(maxsize=4096)
def _read_statements(text: str) -> tuple[frozenset[str], bool] | None:
    """The names that statements bind, and whether there are any; None where they do not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _list_bound(tree), bool(tree.body)


def _find_block(layout: _Layout, first: int, after: int, indent: str) -> _Block | None:
    """The block of which whole statements stand in these lines, or between two statements of which an empty range of lines is."""
    block = layout.starts.get(first)
    if first < after:
        return block if block is not None and block in layout.ends.get(after, ()) and block.indent == indent else None
    if block is not None and block.indent == indent:
        return block
    while first and _IDLE.match(layout.lines[first - 1]):
        first -= 1
    return next((b for b in layout.ends.get(first, ()) if b.indent == indent and b.spans[-1][1] == first), None)


# --- all of them as one text ---


class _Writer:
    """Writes a text with all changes of a group in it, each beside what stands in its place."""

    def __init__(self, layout: _Layout, group: Sequence[_Placed]) -> None:
        self.lines = layout.lines
        self.numbers: dict[int, int] = {}
        self.by_place: dict[_Place, list[_Placed]] = {}
        for member in group:
            self.by_place.setdefault(member[1], []).append(member)
        self.by_line: dict[int, list[_Place]] = {}
        for place in self.by_place:
            self.by_line.setdefault(place.first, []).append(place)
        self.unit = "\t" if any(line.startswith("\t") for line in self.lines) else " "
        self.done: set[_Place] = set()
        self.parts: list[str] = []

    def write(self) -> tuple[str, dict[int, int]]:
        """The text, and the number of each variant that is in it: of two that cross each other one is not."""
        self._write_lines(0, len(self.lines), 0, "")
        return "\n".join(self.parts), self.numbers

    def _number(self, place: _Place) -> list[tuple[int, tuple[str, ...]]]:
        found = []
        for n, _, changed, _ in self.by_place[place]:
            self.numbers[n] = len(self.numbers) + 1
            found.append((self.numbers[n], changed))
        return found

    def _write_lines(self, first: int, after: int, depth: int, outer: str) -> None:
        at = first
        while True:
            here = [p for p in self.by_line.get(at, ()) if not p.end and p not in self.done and p.after <= after]
            # between the lines: what ends an inner block comes first, and behind the last line nothing else is meant
            inserted = [p for p in here if p.after == at and (at < after or len(p.indent) > len(outer))]
            for place in sorted(inserted, key=lambda p: -len(p.indent)):
                self._write_choice(place, depth)
            if at >= after:
                return
            longest = max((p for p in here if p.after > at), key=lambda p: p.after, default=None)
            if longest is not None:
                self._write_choice(longest, depth)
                at = longest.after
            else:
                self.parts.append(self.unit * depth + self._write_line(at))
                at += 1

    def _write_choice(self, place: _Place, depth: int) -> None:
        self.done.add(place)
        choices, begin = self._number(place), self.unit * depth + place.indent
        self.parts.append(f"{begin}if {choices[0][0]} <= {SWITCH!r} <= {choices[-1][0]}:")
        for number, changed in choices:
            self.parts.append(f"{begin}{self.unit}if {SWITCH!r} == {number}:")
            self.parts += [self.unit * (depth + 2) + line for line in changed]
        if place.first < place.after:
            self.parts.append(f"{begin}else:")
            self._write_lines(place.first, place.after, depth + 1, place.indent)

    def _write_line(self, number: int) -> str:
        line, parts, last = self.lines[number], list[str](), 0
        for place in sorted((p for p in self.by_line.get(number, ()) if p.end), key=lambda p: p.start):
            choices = [(n, text) for n, (text,) in self._number(place)]
            old = line[place.start : place.end]
            asked = f"{choices[0][0]} <= {SWITCH!r} <= {choices[-1][0]}"
            parts += [line[last : place.start], f"({_write_choices(choices)} if {asked} else ({old}))"]
            last = place.end
        return "".join([*parts, line[last:]])


def _write_choices(choices: Sequence[tuple[int, str]]) -> str:
    if len(choices) > _CHAIN:
        middle = len(choices) // 2
        less, more = _write_choices(choices[:middle]), _write_choices(choices[middle:])
        return f"({less} if {SWITCH!r} < {choices[middle][0]} else {more})"
    *others, (_, last) = choices
    return "(" + "".join(f"({text}) if {SWITCH!r} == {number} else " for number, text in others) + f"({last}))"
