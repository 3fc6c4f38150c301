"""SYN109: a comma (or another separator) that is missing."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Stage
from jupyter_selfheal.healers.rules.context.code_lines import find_open_bracket, mark_code, split_lines
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule, count_programs
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault

GAP = re.compile(r"(?<=[\w)\]}'\"])(\s+)(?=[\w(\[{'\"-])|(?<=[)\]}'\"])()(?=[\w'\"(\[{])|(?<=\w)()(?=['\"])")


class MissingComma(SyntaxRule):
    """Separate two values.

    **Failure** `invalid syntax. Perhaps you forgot a comma?`, `':' expected after dictionary key`, `invalid syntax` inside brackets.

    **Fix** A comma (or a dictionary key's colon) at the one place between two values where the cell compiles; the end of a line
    inside brackets comes first.

    **Fix safety** Safe where one place only gives a program. Unsafe where several do, and in a list, set or dictionary in which texts stand side by side too: Python joins these,
    and their commas may have been forgotten as well; and in `{"a" 1}`, which may be a pair without its colon.
    """

    code = "SYN109"
    name = "missing comma"
    stage = Stage.LAST
    why = "Two values stand side by side in brackets, and only a comma can part them."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if (
            "forgot a comma" not in fault.message
            and "invalid syntax" not in fault.message
            and "':' expected" not in fault.message
        ):
            return
        if "forgot a comma" not in fault.message and find_open_bracket(source, fault) is None:
            return
        mends = [m for m in _list_candidates(source, fault) if _gets_on(m.source, fault)]
        compiling = [m for m in mends if find_fault(m.source) is None]
        joined = add_between_joined_texts(compiling[0].source, fault) if compiling else ""
        paired = [m for m in map(_pair_with_colon, [source] * len(compiling), compiling) if m is not None]
        paired = paired if _begins_braces(source, fault) else []
        sure = count_programs(compiling) == 1 and not joined and not paired
        for mend in (compiling or mends)[:3]:
            yield Mend(mend.source, mend.title, sure or not compiling, 0.9 if sure else 0.55)
        yield from paired[:1]
        if joined:
            yield Mend(joined, "Add the missing commas, between texts too", False, 0.5)


def _begins_braces(source: str, fault: Fault) -> bool:
    """Whether the fault is in the first item of braces: ``{"a" 1}`` is a set without its comma, or a pair without its colon."""
    open_at = find_open_bracket(source, fault)
    if open_at is None or open_at[2] != "}":
        return False
    inside = "\n".join(split_lines(source)[open_at[0] - 1 : fault.line])[open_at[1] + 1 :]
    ahead = inside[: len(inside) - max(len(split_lines(source)[fault.line - 1]) - fault.column, 0)]
    return not any(sign in ahead for sign in ",:")


def _pair_with_colon(source: str, mend: Mend) -> Mend | None:
    """The mend with a colon for its comma, where that parses too."""
    at = next((n for n, (a, b) in enumerate(zip(source, mend.source, strict=False)) if a != b), len(source))
    if mend.source[at : at + 1] != ",":
        return None
    colon = f"{source[:at]}:{source[at:]}"
    return Mend(colon, "Add the missing colon", False, 0.55) if find_fault(colon) is None else None


def add_between_joined_texts(source: str, fault: Fault) -> str:
    """The source with a comma between texts that Python joins in the list, set or dictionary that the fault was in; empty where there are none.

    Where one comma was forgotten, these may have been too. A text that ends or goes on with a blank is one that was broken in two.
    """
    open_at = find_open_bracket(source, fault)
    if open_at is None or open_at[2] not in "]}":
        return ""
    places, depth, last = [], 0, None
    for token in _list_tokens(source):
        if token.start < (open_at[0], open_at[1]) or token.type in (tokenize.NL, tokenize.COMMENT):
            continue
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        if depth <= 0:
            break
        is_text = token.type == tokenize.STRING and depth == 1
        if is_text and last is not None and not (last.string[-2:-1].isspace() or token.string[1:2].isspace()):
            places.append(last.end)
        last = token if is_text else None
    lines = split_lines(source)
    for line, column in reversed(places):
        lines[line - 1] = lines[line - 1][:column] + "," + lines[line - 1][column:]
    return "\n".join(lines) if places else ""


def _list_tokens(source: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):  # what IPython alone reads
        return []


def _gets_on(source: str, fault: Fault) -> bool:
    after = find_fault(source)
    return (
        after is None or after.line > fault.line or (after.line == fault.line and after.column > fault.end_column + 1)
    )


def _list_candidates(source: str, fault: Fault) -> Iterator[Mend]:
    lines = split_lines(source)
    first, last = max(fault.line - 1, 1), min(max(fault.end_line, fault.line), len(lines))
    starts = [0]
    for text in lines:
        starts.append(starts[-1] + len(text) + 1)
    for number in range(last, first - 1, -1):
        text = lines[number - 1]
        code = mark_code(text)
        places = [m.start() for m in GAP.finditer(text) if _is_gap(text, code, m)]
        stripped = text.rstrip()
        if number < last and stripped and stripped[-1] not in ",([{:+-*/\\=":
            places.insert(0, len(stripped))
        for at in places:
            where = starts[number - 1] + at
            if "':' expected" in fault.message:
                yield Mend(source[:where] + ":" + source[where:], "Add the missing colon")
            yield Mend(source[:where] + "," + source[where:], "Add the missing comma")


def _is_gap(text: str, code: list[bool], match: re.Match[str]) -> bool:
    """True where both neighbours are outside of texts, or are a text's own quotes."""
    before, after = match.start() - 1, match.end()
    if after >= len(text):
        return False
    if match.start() == after and text[after] in "'\"" and re.search(r"(?<!\w)[rbfuRBFU]{1,2}$", text[:after]):
        return False  # the letter before a text is a part of it
    return (code[before] or text[before] in "'\"") and (code[after] or text[after] in "'\"")
