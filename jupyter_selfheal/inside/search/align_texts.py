"""What is printed against what is expected: which text of the program came out in the place where the two differ.

The texts inside of ``print(…)`` and ``input(…)`` are run with marks around them that no program prints. What stands between marks
in the output came from that text; all else is a value. Where the expected output holds the same values in the same order, what is
between them says what each text should be. A value is never changed, and no text gets a digit that it did not have.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal.inside.positions import Edit, LineTable

FIRST, END, MARKS = 0xF0000, "\ue001", 2000
"""Marks are characters of the private use areas: one for each text that begins, and one for its end."""
LONGEST, PARTS = 4000, 400
"""Characters and parts of an output that are aligned."""
ALIKE = 0.6
"""Similarity of the letters (difflib's ratio) from which a text is another wording, and no value that was written into it."""
SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "of",
        "in",
        "on",
        "at",
        "to",
        "and",
        "or",
        "not",
        "no",
        "by",
        "for",
        "from",
        "with",
        "as",
        "it",
        "its",
        "be",
        "so",
        "that",
        "this",
        "same",
    ]
)
"""Words that a text may lack; any other one that it gets must be a spelling of one that it has, or it is a value."""
VALUES = 2
"""Values that came out as they are expected, in their order: from there on a text may get words of its own. The values tell that the
program is right, and only its wording is another one."""
_CONDITIONS = (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.Match, ast.While)
_WORDS = re.compile(r"[^\W\d_]+")
_LITERAL = re.compile(r"(?s)([A-Za-z]{0,2})('''|\"\"\"|'|\")(.*)\2")
_SLOT = re.compile(r"\{\{|\}\}|\{[^{}]*\}|%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[sdifgrxeEGcu%]")
_CALL = re.compile(r", ?[^\W\d]\w*\([^()]*\)")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text literal between its slots, or the separator or end of a ``print``: characters [start, end) of the source
    (an insertion where nothing is written yet), its value, and the quote that it stands in."""

    start: int
    end: int
    value: str
    quote: str
    keyword: str = ""
    always: bool = False
    """It stands under no condition: no other text is printed in its place."""

    def write(self, value: str) -> Edit:
        """The edit that gives it another value."""
        text = repr(value)[1:-1].replace("\\'", "'").replace('\\"', '"')
        if self.keyword:
            return self.start, self.end, f", {self.keyword}={value!r}"
        return self.start, self.end, text.replace(self.quote, "\\" + self.quote) if self.quote in text else text


@dataclass(frozen=True, slots=True)
class Marked:
    """A source with marks around its texts, and what each mark stands for."""

    source: str
    parts: tuple[Part, ...]


def mark_texts(source: str) -> Marked | None:
    """The source with marks around the texts that it prints; None where it prints none."""
    tree = ast.parse(source)
    table = LineTable(source)
    parts: dict[tuple[int, int, str], Part] = {}
    edits: list[Edit] = []
    for call, always in _list_calls(tree):
        for part in _list_parts(call, source, table):
            parts.setdefault((part.start, part.end, part.keyword), replace(part, always=always))
    ordered = tuple(parts.values())[:MARKS]
    for number, part in enumerate(ordered):
        mark = chr(FIRST + number)
        if part.keyword:
            edits.append((part.start, part.end, f", {part.keyword}={mark + part.value + END!r}"))
        else:
            edits.append((part.start, part.end, mark + source[part.start : part.end] + END))
    if not ordered:
        return None
    text = source
    for start, end, new in sorted(edits, key=lambda e: (e[0], e[1], e[2]), reverse=True):
        text = text[:start] + new + text[end:]
    return Marked(text, ordered)


def _list_calls(tree: ast.Module) -> Iterator[tuple[ast.Call, bool]]:
    """The calls of ``print`` and ``input``, and whether each stands under no condition."""
    queue: deque[tuple[ast.AST, bool]] = deque([(tree, True)])
    while queue:
        node, always = queue.popleft()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input"):
            chooses = any(isinstance(n, _CONDITIONS) for a in node.args for n in ast.walk(a))
            yield node, always and not chooses
        always = always and not isinstance(node, _CONDITIONS)
        queue.extend((child, always) for child in ast.iter_child_nodes(node))


def _list_parts(call: ast.Call, source: str, table: LineTable) -> Iterator[Part]:
    for node in _list_texts(call):
        start = table.offset(node.lineno, node.col_offset)
        end = table.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        yield from _split_literal(source[start:end], start)
    assert isinstance(call.func, ast.Name)
    if call.func.id != "print" or any(isinstance(a, ast.GeneratorExp) for a in call.args):
        return
    close = table.offset(call.end_lineno or call.lineno, call.end_col_offset or 0) - 1
    given = {k.arg for k in call.keywords}
    if source[:close].rstrip().endswith(",") or None in given or not call.args:
        return
    if "sep" not in given and (len(call.args) > 1 or isinstance(call.args[0], ast.Starred)):
        yield Part(close, close, " ", "'", "sep")
    if "end" not in given:
        yield Part(close, close, "\n", "'", "end")


def _list_texts(call: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The text literals inside a call, f-strings as wholes, without those of subscripts, comparisons and other calls' arguments."""
    for child in ast.iter_child_nodes(call):
        if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Constant) and isinstance(child.value, str)):
            yield child
        elif isinstance(child, ast.Subscript | ast.Compare | ast.comprehension):
            continue
        elif isinstance(child, ast.Call) and not isinstance(child.func, ast.Attribute):
            if isinstance(child.func, ast.Name) and child.func.id == "str":
                yield from _list_texts(child)
        elif isinstance(child, ast.Call):
            assert isinstance(child.func, ast.Attribute)
            if child.func.attr in ("format", "join", "rjust", "ljust", "center"):
                yield from _list_texts(child.func)
        else:
            yield from _list_texts(child)


def _split_literal(text: str, start: int) -> Iterator[Part]:
    match = _LITERAL.fullmatch(text)
    if match is None or set(match[1].lower()) & {"r", "b", "u"}:
        return
    at, inside, base = 0, match[3], start + match.start(3)
    slots = [m.span() for m in _SLOT.finditer(inside)]
    for slot_start, slot_end in [*slots, (len(inside), len(inside))]:
        piece = inside[at:slot_start]
        if piece or not slots or at in (0,) or slot_start == len(inside):
            value = _read_value(piece, match[2])
            if value is not None:
                yield Part(base + at, base + slot_start, value, match[2])
        at = slot_end


def _read_value(piece: str, quote: str) -> str | None:
    try:
        value = ast.literal_eval(quote + piece + quote) if piece else ""
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class TextEdits:
    """Edits of texts, how many characters they change, and whether a text gets words that it has nothing of."""

    edits: tuple[Edit, ...]
    size: float
    reworded: bool = False


def find_text_edits(parts: Sequence[Part], printed: str, expected: str) -> TextEdits | None:
    """The edits of texts that turn what was printed (with marks) into what is expected; None where something else than texts differs.

    Tried in this order, because the first is the commonest slip: texts alone; separators alone; texts and separators; texts,
    separators and line ends. Other words than those that a text has are the last resort.
    """
    pieces = _cut_output(printed)
    if not pieces or len(pieces) > PARTS or len(expected) > LONGEST:
        return None
    told = sum(number < 0 and bool(re.search(r"\w", text)) for number, text in pieces) >= VALUES
    frees = (("",), ("sep",), ("", "sep"), ("end",), ("", "end"), ("", "sep", "end"))
    matches = [values for free in frees for values in _match_output(parts, pieces, expected, free)]
    for rewords, values in itertools.product((False, True) if told else (False,), matches):
        changed = {n: v for n, v in values.items() if v != parts[n].value}
        if not changed or not _may_change(parts, changed, rewords):
            continue
        changed.update(_find_siblings(parts, changed, values))
        size = sum(max(len(v), len(parts[n].value)) - _count_common(v, parts[n].value) for n, v in changed.items())
        return TextEdits(tuple(parts[n].write(v) for n, v in changed.items()), float(size), rewords)
    return None


def _may_change(parts: Sequence[Part], changed: Mapping[int, str], rewords: bool) -> bool:
    """Whether each text may become what is expected in its place; with ``rewords`` in other words, but where a condition chooses them."""
    if _moves_words(parts, changed):
        return False
    for number, new in changed.items():
        part = parts[number]
        if _is_taken(parts, number, new) or _adds_value(part.value, new) or _drops_call(part.value, new):
            return False
        if _is_value(part.value, new) and not (rewords and part.always):
            return False
    return True


def _moves_words(parts: Sequence[Part], changed: Mapping[int, str]) -> bool:
    """Whether one text would say what another one is emptied of: a question ``What is your name? Hello!`` and ``print("")``."""
    had = [_WORDS.findall(parts[n].value) for n, new in changed.items() if not _WORDS.findall(new)]
    emptied = [words for words in had if len(words) > 1]
    gained = [set(_WORDS.findall(new)) - set(_WORDS.findall(parts[n].value)) for n, new in changed.items()]
    return any(set(words) <= more for words in emptied for more in gained)


def _cut_output(printed: str) -> list[tuple[int, str]]:
    """The output as (number of a text, or -1 for a value; what came out)."""
    pieces: list[tuple[int, str]] = []
    for piece in re.split(f"([\U000f0000-\U000f0fff][^{END}]*{END})", printed):
        if not piece:
            continue
        number = ord(piece[0]) - FIRST
        if 0 <= number < MARKS:
            pieces.append((number, piece[1:-1]))
        elif END in piece or any(0 <= ord(c) - FIRST < MARKS for c in piece):
            return []
        elif pieces and pieces[-1][0] < 0:
            pieces[-1] = (-1, pieces[-1][1] + piece)
        else:
            pieces.append((-1, piece))
    return pieces


def _match_output(
    parts: Sequence[Part], pieces: Sequence[tuple[int, str]], expected: str, free: tuple[str, ...]
) -> list[dict[int, str]]:
    """The values of the free texts under which the output is the expected one; of texts that came out side by side first as they are most alike."""
    expression: list[str] = []
    named: set[int] = set()
    for number, text in pieces:
        if number < 0 or parts[number].keyword not in free:
            expression.append(re.escape(text))
        elif number in named:
            expression.append(f"(?P=t{number})")
        else:
            named.add(number)
            short = {"sep": "[^\\w\\n]{0,3}?", "end": "[^\\w]{0,2}?"}.get(parts[number].keyword, "[^\\n]{0,60}?")
            if "\n" in text and not parts[number].keyword:
                short = "(?s:.{0,120}?)"
            expression.append(f"(?P<t{number}>{re.escape(text)}|{short})")
    wanted = "\n".join(line.rstrip() for line in expected.strip("\r\n \t").splitlines())
    pattern = "".join(expression)
    if pattern.endswith(("\\\n", "\\n")):
        pattern = pattern[:-2]
    match = re.fullmatch(pattern, wanted + "\n") or re.fullmatch(pattern, wanted)
    if match is None and expression and expression[-1].startswith("(?P="):
        match = re.fullmatch("".join(expression[:-1]), wanted)  # the last blank of a line is not expected
    if match is None:
        return []
    values = {n: match[f"t{n}"] for n in named}
    shared = {**values, **_share_out(parts, [n for n, _ in pieces], values)}
    return [values] if shared == values else [shared, values]


def _share_out(parts: Sequence[Part], numbers: Sequence[int], values: Mapping[int, str]) -> dict[int, str]:
    """What is expected of texts that came out side by side, and once, cut where their own letters end: a question and the next one stand in one
    line, and nothing but their letters says where the second begins."""
    import difflib

    once = {n for n, times in Counter(numbers).items() if times == 1}
    shared: dict[int, str] = {}
    for is_free, run in itertools.groupby(numbers, lambda n: n in values and n in once and not parts[n].keyword):
        side_by_side = list(run) if is_free else []
        if len(side_by_side) < 2:
            continue
        old, new = ("".join(side[n] for n in side_by_side) for side in ({n: parts[n].value for n in values}, values))
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        start = end = 0
        for n in side_by_side:
            end += len(parts[n].value)
            into = next(b for b in blocks if end < b.a + b.size or b.size == 0)
            cut = len(new) if n == side_by_side[-1] else into.b + max(end - into.a, 0)
            shared[n], start = new[start:cut], cut
    return shared


def _adds_value(old: str, new: str) -> bool:
    """True where a text would get a digit or a line that it did not have."""
    return bool(set(_DIGITS.findall(new)) - set(_DIGITS.findall(old))) or new.count("\n") > old.count("\n")


def _drops_call(old: str, new: str) -> bool:
    """True where a call stands in a text that nothing closed in time (``"Sum:, add(a, b)"``), and would give way to what it gives."""
    return any(call not in new for call in _CALL.findall(old))


def _is_value(old: str, new: str) -> bool:
    """True where a text would get what is no wording of its own: other words."""
    words, others = re.sub(r"[\W_]", "", old).lower(), re.sub(r"[\W_]", "", new).lower()
    if not others or words == others:
        return False
    if sorted(_WORDS.findall(old.lower())) == sorted(_WORDS.findall(new.lower())):
        return False  # the same words in another order
    if any(w.lower() not in SMALL_WORDS and not _is_like_any(w, old) for w in _WORDS.findall(new)):
        return True
    return 2 * _count_common(words, others) / (len(words) + len(others)) < ALIKE


def _is_taken(parts: Sequence[Part], number: int, new: str) -> bool:
    """True where another text says just that already: it is the condition between the two that is wrong, not the wording."""
    words = _WORDS.findall(new)
    others = (p.value for n, p in enumerate(parts) if n != number and not p.keyword)
    return words != _WORDS.findall(parts[number].value) and any(_WORDS.findall(o) == words for o in others if words)


def _is_like_any(word: str, text: str) -> bool:
    """True for a word that a text has, spelt so or otherwise, or run together with another one."""
    word, known = word.lower(), [w.lower() for w in _WORDS.findall(text)]
    return any(
        word in other or other in word or 2 * _count_common(word, other) / (len(word) + len(other)) >= ALIKE
        for other in known
    )


def _count_common(one: str, two: str) -> int:
    import difflib

    return sum(b.size for b in difflib.SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks())


def _find_siblings(parts: Sequence[Part], changed: dict[int, str], seen: dict[int, str]) -> dict[int, str]:
    """The same slip at the beginning or end of texts that did not come out: ``is a palindrome`` lacks the full stop that
    ``is NOT a palindrome`` lacks too."""
    more: dict[int, str] = {}
    for number, new in changed.items():
        old = parts[number].value
        if parts[number].keyword or not old.strip() or not new.strip():
            continue
        lead, tail = _find_ends(old, new)
        for other, part in enumerate(parts):
            if other in seen or part.keyword or not part.value.strip():
                continue
            value = more.get(other, part.value)
            if tail and value.split()[-1] == old.split()[-1] and value.endswith(tail[0]):
                value = value[: len(value) - len(tail[0])] + tail[1]
            if lead and value.startswith(lead[0]) and not lead[0].strip() and not lead[1].strip():
                value = lead[1] + value[len(lead[0]) :]
            if value != part.value:
                more[other] = value
    return more


def _find_ends(old: str, new: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """What was changed before and behind the common words of two texts."""
    core = old.strip(" .,:;!?")
    if not core or core not in new:
        return None, None
    at, there = old.index(core), new.index(core)
    lead, tail = (old[:at], new[:there]), (old[at + len(core) :], new[there + len(core) :])
    return (lead if lead[0] != lead[1] else None), (tail if tail[0] != tail[1] else None)
