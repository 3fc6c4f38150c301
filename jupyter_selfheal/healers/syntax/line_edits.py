"""Edits of whole lines: indentation, a body that is not there, a line of prose, a declaration."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.site import Site, Slip
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.token_edits import CLOSERS, OPENERS
from jupyter_selfheal.healers.syntax.tokens import NAME, SIGN, TEXT, find_line

PROMPT = re.compile(r"^(\s*)(>>>+ ?|\.\.\. ?|In ?\[\d*\]: ?|\d+[.:)] +(?=[A-Za-z_#]))")
_PROSE = re.compile(r"^\s*[^\W\d]+(?:[ ,]+[^\W\d]+){2,}[.!?:]*\s*$")
_DECLARATION = re.compile(
    r"^\s*(?:int|float|str|char|double|string|bool|list|var|let)\s+[^\W\d]\w*(?:\s*,\s*\w+)*\s*;?\s*$"
)
_HEADER = re.compile(r"^\s*(?:if|elif|else|for|while|def|class|try|except|finally|with)\b")
_DEFINITION = re.compile(r"[ \t]*(?:def\b|class\b|@)")
STEP = 4


def _list_lines(source: str) -> list[tuple[int, int]]:
    starts = [0, *(n + 1 for n, c in enumerate(source) if c == "\n")]
    return [(s, (starts[n + 1] - 1) if n + 1 < len(starts) else len(source)) for n, s in enumerate(starts)]


def _measure_indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def indent_lines(site: Site) -> Iterator[Slip]:
    """The line of the fault, or the last one above it, stands elsewhere: alone, with its block, with all that follows."""
    lines = _list_lines(site.source)
    here = site.line[0] - 1
    texts = [site.source[s:e] for s, e in lines]
    above = next((n for n in range(here - 1, -1, -1) if texts[n].strip()), None)
    for number, extra in ((here, 0.0), (above, 0.5)):
        if number is None or number >= len(lines) or not texts[number].strip():
            continue
        own = _measure_indent(texts[number])
        for indent in _list_indents(texts, number):
            if indent == own:
                continue
            for block, cost in _list_blocks(texts, number):
                slip = _shift_block(lines, texts, block, own, indent)
                if slip is not None:
                    yield Slip(
                        slip[0][0], slip[0][1], slip[0][2], cost + extra, "the indentation is wrong", tuple(slip[1:])
                    )


def _list_indents(texts: list[str], number: int) -> list[str]:
    """Indentations that a line may have: those of the lines above, and one step into the one before it."""
    indents: dict[str, None] = {}
    for text in reversed(texts[:number]):
        if text.strip() and not text.lstrip().startswith("#"):
            own = _measure_indent(text)
            if not indents:
                indents[own + " " * STEP] = None
            indents[own] = None
    below = next((t for t in texts[number + 1 :] if t.strip()), "")
    indents[_measure_indent(below)] = None
    indents[""] = None
    return list(indents)[:7]


def _list_blocks(texts: list[str], number: int) -> Iterator[tuple[range, float]]:
    """The line alone, it and what stands under or beside it, it and all that follows."""
    own = len(_measure_indent(texts[number]).expandtabs())
    yield range(number, number + 1), find_cost("indent.line")
    end = number + 1
    while end < len(texts) and (not texts[end].strip() or len(_measure_indent(texts[end]).expandtabs()) > own):
        end += 1
    if end > number + 1:
        yield range(number, end), find_cost("indent.block")
    beside = end
    while beside < len(texts) and (
        not texts[beside].strip() or len(_measure_indent(texts[beside]).expandtabs()) >= own
    ):
        beside += 1
    if beside > end and own:
        yield range(number, beside), find_cost("indent.block")
    same = number + 1
    while same < len(texts) and texts[same].strip() and len(_measure_indent(texts[same]).expandtabs()) == own:
        same += 1
        if not _HEADER.match(texts[same - 1]):
            yield range(number, same), find_cost("indent.line") + 0.1 * (same - number)
    if beside < len(texts):
        yield range(number, len(texts)), find_cost("indent.rest")


def _shift_block(
    lines: list[tuple[int, int]], texts: list[str], block: range, own: str, indent: str
) -> list[tuple[int, int, str]] | None:
    splices = []
    for n in block:
        if not texts[n].strip():
            continue
        old = _measure_indent(texts[n])
        if not old.startswith(own):
            new = indent if len(old) <= len(own) else indent + old[len(own) :]
        else:
            new = indent + old[len(own) :]
        splices.append((lines[n][0], lines[n][0] + len(old), new))
    return splices or None


def mend_bodies(site: Site) -> Iterator[Slip]:
    """A header without a body."""
    if "expected an indented block" not in site.fault.message:
        return
    above = site.find_previous_line(site.at) if site.source[site.at :].strip() else _find_last_line(site)
    if above is None:
        return
    start, end = above
    indent = _measure_indent(site.source[start:end]) + " " * STEP
    kind = "insert.body_before_def" if _DEFINITION.match(site.source[site.line[1] :]) else "insert.body"
    yield Slip(end, end, f"\n{indent}pass", find_cost(kind), "the body is missing")


def _find_last_line(site: Site) -> tuple[int, int] | None:
    filled = [(s, e) for s, e in _list_lines(site.source) if site.source[s:e].strip()]
    return filled[-1] if filled else None


def drop_lines(site: Site) -> Iterator[Slip]:
    """A line that is no Python: a prompt in front of it goes, prose and declarations go behind a ``#``."""
    _, start, end = site.line
    spans = [(start, end, 0.0)]
    above = site.find_previous_line(site.at)
    if above is not None:
        spans.append((*above, 0.6))
    for first, last, extra in spans:
        text = site.source[first:last]
        prompt = PROMPT.match(text)
        if prompt:
            yield Slip(first, first + prompt.end(), prompt[1], 0.4 + extra, "a prompt stands before the code")
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        tokens = site.list_line_tokens(first)
        at = first + len(_measure_indent(text))
        yield Slip(
            at, at, "# ", _find_drop_cost(text, len(tokens)) + extra, f"the line `{text.strip()[:40]}` is no Python"
        )
        yield from _drop_tail(site, first, last, extra)


def _find_drop_cost(text: str, tokens: int) -> float:
    if _DECLARATION.match(text):
        return find_cost("delete.declaration")
    if _PROSE.match(text):
        return find_cost("delete.prose")
    return find_cost("delete.line") + find_cost("delete.line_token") * tokens


def _drop_tail(site: Site, first: int, last: int, extra: float) -> Iterator[Slip]:
    """What stands behind the last value of a line: ``float(input())212``."""
    tokens = site.list_line_tokens(first)
    for n, token in enumerate(tokens[1:], 1):
        if token.start >= site.at - 1 and len(tokens) - n <= 4 and token.kind in (NAME, TEXT, "number", "sign"):
            cost = find_cost("delete.after_value") + 0.4 * (len(tokens) - n) + extra
            yield Slip(
                tokens[n - 1].end, last, "", cost, f"`{site.source[token.start : last].strip()[:20]}` is too much"
            )


def strip_prompts(site: Site) -> Iterator[Slip]:
    """A paste with prompts or line numbers in front of several lines: all of them go."""
    spots = []
    for start, end in _list_lines(site.source):
        match = PROMPT.match(site.source[start:end])
        if match:
            spots.append((start, start + match.end(), match[1]))
    if len(spots) > 1:
        yield Slip(*spots[0], 0.3, "prompts stand before the code", tuple(spots[1:]))


def comment_prose(site: Site) -> Iterator[Slip]:
    """Every line of nothing but words goes behind a ``#`` at once, where there are several."""
    spots = [
        (s + len(_measure_indent(t)),) * 2 + ("# ",)
        for s, e in _list_lines(site.source)
        if _PROSE.match(t := site.source[s:e]) and find_line(site.source, s)[0] >= 1
    ]
    if len(spots) > 1:
        yield Slip(*spots[0], find_cost("delete.prose"), "lines of prose stand among the code", tuple(spots[1:]))


_OTHER_COMMENT = re.compile(r"(?P<indent>\s*)(?:/\*(?P<within>.*?)(?:\*/)?|//(?P<behind>.*?))\s*$")


def take_out_of_comments(site: Site) -> Iterator[Slip]:
    """``/* return True */`` and ``// return True`` by themselves on their line: where it is a statement it is meant to run, else it is a comment."""
    found = []
    for start, end in _list_lines(site.source):
        match = _OTHER_COMMENT.fullmatch(site.source[start:end])
        if match:
            found.append((start + len(match["indent"]), end, (match["within"] or match["behind"] or "").strip()))
    if not found:
        return
    words = "a comment of another language"
    commented = tuple((start, end, f"# {text}".rstrip()) for start, end, text in found)
    yield Slip(*commented[0], find_cost("replace.foreign") + 0.4, words, commented[1:])
    if all(_is_statement(text) for *_, text in found):
        yield Slip(*found[0], find_cost("replace.foreign"), f"{words} holds the code", tuple(found[1:]))


def _is_statement(text: str) -> bool:
    """Whether a line is code beyond doubt, and no word or two that parse by chance."""
    tree = src.parse(f"{text}\n    pass" if text.endswith(":") else f"def f():\n    while True:\n        {text}")
    return (
        tree is not None
        and bool(tree.body)
        and not any(isinstance(n, ast.Expr) and isinstance(n.value, ast.Name | ast.BinOp) for n in ast.walk(tree))
    )


def move_branches(site: Site) -> Iterator[Slip]:
    """``elif`` behind ``else``: it goes in front of it."""
    lines = _list_lines(site.source)
    texts = [site.source[s:e] for s, e in lines]
    here = site.line[0] - 1
    if here >= len(texts) or not texts[here].lstrip().startswith("elif"):
        return
    own = _measure_indent(texts[here])
    before = next(
        (n for n in range(here - 1, -1, -1) if texts[n].strip() and len(_measure_indent(texts[n])) <= len(own)), -1
    )
    if before < 0 or not texts[before].startswith(own + "else"):
        return
    end = here + 1
    while end < len(texts) and (not texts[end].strip() or len(_measure_indent(texts[end])) > len(own)):
        end += 1
    moved = "\n".join([*texts[here:end], *texts[before:here]])
    yield Slip(lines[before][0], lines[end - 1][1], moved, find_cost("replace.branch"), "`elif` stands behind `else`")


_COUNTED = re.compile(
    r"(?P<indent>\s*)for\s+(?P<name>\w+)\s*(?:=|in\b|from\b)?\s*(?:range\b)?\s*\(?\s*(?P<first>-?\w+)\s*(?:to|until|upto|\.{2,3}|:|-)\s*"
    r"(?P<last>[\w.]+(?:\([\w.]*\))?(?:\s*[-+]\s*\w+)?)\s*\)?\s*(?:do)?\s*:?\s*$"
)
_REPEATED = re.compile(r"(?P<indent>\s*)repeat\s+(?P<last>[\w.]+(?:\([\w.]*\))?)\s+times?\s*:?\s*$")


def count_loops(site: Site) -> Iterator[Slip]:
    """``for i = 1 to n:`` as ``for i in range(1, n + 1):``, and without the last one; ``repeat n times``."""
    _, start, end = site.line
    text = site.source[start:end]
    words = "a loop is counted as in another language"
    if match := _COUNTED.fullmatch(text):
        head = f"{match['indent']}for {match['name']} in range({match['first']}, {match['last']}"
        yield from (
            Slip(start, end, f"{head}{more}):", find_cost("replace.foreign") + extra, words)
            for more, extra in ((" + 1", 0.2), ("", 0.4))
        )
    elif match := _REPEATED.fullmatch(text):
        yield Slip(
            start, end, f"{match['indent']}for _ in range({match['last']}):", find_cost("replace.foreign"), words
        )


_GOES_ON = re.compile(r"(?:[-+*/%=<>,.&|]|\b(?:and|or|not|in|is))\s*$")
"""What no statement ends with."""
_BEGINS = re.compile(
    r"(?:print|if|elif|else|for|while|def|class|try|except|finally|with|return|import|from|pass|break|continue|raise|del)\b|[\w.\[\]]+ *[-+*/]?=(?!=)"
)
"""What a statement of its own begins with."""


def join_statements(site: Site) -> Iterator[Slip]:
    """``if n ==`` above ``1:``: a statement that goes on in the next line is one."""
    for end in (site.line[2], site.line[1] - 1):
        start = site.source.rfind("\n", 0, max(end, 0)) + 1
        behind = site.source[end + 1 :]
        if end <= 0 or not behind.strip() or not _GOES_ON.search(site.source[start:end]):
            continue
        gap = len(behind) - len(behind.lstrip(" \t\n"))
        if _BEGINS.match(behind, gap):
            continue
        words = "a statement is broken over two lines"
        yield Slip(end, end + 1 + gap, " ", find_cost("join.statement"), words)


def join_lines(site: Site) -> Iterator[Slip]:
    """A text that was broken over two lines: they are one."""
    if "unterminated string" not in site.fault.message:
        return
    end = site.line[2]
    behind = site.source[end + 1 :]
    quote = site.source[site.at : site.at + 1]
    if end >= len(site.source) or quote not in "'\"" or behind.split("\n", 1)[0].count(quote) % 2 == 0:
        return  # the next line does not end the text
    gap = len(behind) - len(behind.lstrip(" \t"))
    for text in (" ", ""):
        yield Slip(
            end, end + 1 + gap, text, find_cost("join.lines") + 0.1 * (not text), "a text is broken over two lines"
        )


_HEAD_WITHOUT_COLON = re.compile(
    r"[ \t]*(?:(?:if|elif|while|class)\b[^:#\n]*[\w)\]}'\"]|else|try|finally|for\b[^:#\n]* in\b[^:#\n]*[\w)\]}'\"]|def\b[^:#\n]*\))[ \t]*$"
)


def add_colons(site: Site) -> Iterator[Slip]:
    """The colon of each head from the fault's line on that has none: who leaves out one leaves out the others too. Not in a bracket, where
    ``for x in xs`` is a part of a value."""
    places, depth = [], 0
    for offset, end in _list_lines(site.source)[site.line[0] - 1 :]:
        text = site.source[offset:end]
        signs = [t.text for t in site.tokens if offset <= t.start < end and t.kind == SIGN]
        change = sum(s in OPENERS for s in signs) - sum(s in CLOSERS for s in signs)
        if depth == change == 0 and _HEAD_WITHOUT_COLON.match(text):
            places.append(offset + len(text.rstrip()))
        depth += change
        if not places:
            return
    if len(places) > 1:
        first, *others = places
        cost = find_cost("insert.colon_at_end") * (1 + find_cost("again") * len(others) / 2)
        yield Slip(first, first, ":", cost, "`:` is missing", tuple((p, p, ":") for p in others))
