"""SYN104: a quote that is missing, or of the wrong kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal.healers.rules.context.code_lines import HASH_IN_FIELD, replace_line, split_lines
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault

TYPOGRAPHIC = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "′": "'", "″": '"', "\u00a0": " ",
     "\u2003": " ", "\u2009": " ", "\u202f": " ", "\u200b": "", "\ufeff": "", "–": "-", "—": "-", "−": "-", "×": "*",
     "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "（": "(", "）": ")", "，": ",", "：": ":", "；": ";",
     "［": "[", "］": "]", "＝": "=", "＋": "+"}
)  # fmt: skip


class Quote(SyntaxRule):
    """Close the text where it ends, and write quotes that Python knows.

    **Failure** `unterminated string literal`, `unterminated triple-quoted string literal`, `invalid character '“' (U+201C)`,
    `invalid non-printable character U+00A0`, `f-string: expecting '}'` for quotes nested in an f-string before Python 3.12, or `'(' was never closed` where one of them holds a `#`.

    **Fix** In this order: typographic characters become Python's; an apostrophe between letters is escaped, or written as one
    where it was typed as a quote; a key that has a quote on one side gets the other; a text that ends with the other quote
    ends with its own; else the quote is put before the brackets that close the line, or at its end.

    **Fix safety** Safe where the text's end is plain: the end of the line, its closing brackets, or the other quote. Unsafe
    within a line of several words.
    """

    code = "SYN104"
    name = "unterminated text or wrong quotes"
    why = "The text can end at one place only, or the characters are other forms of Python's own."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        message = fault.message
        lines = split_lines(source)
        line = lines[fault.line - 1] if fault.line <= len(lines) else ""
        if re.search(r"invalid (non-printable )?character|invalid decimal literal", message):
            if (plain := line.translate(TYPOGRAPHIC)) != line:
                yield Mend(replace_line(source, fault.line, plain), "Use plain quotes and signs", prior=0.95)
        elif "unterminated triple-quoted" in message:
            quote = '"""' if '"""' in line[fault.column - 1 : fault.column + 4] else "'''"
            yield from _close_triple(source, fault, quote)
        elif "unterminated string literal" in message or "EOL while" in message or "unterminated f-string" in message:
            yield from _close_text(source, fault, line)
        elif re.search(FIELD_IS_OPEN, message) and (closed := list(_close_field(source, fault, line))):
            yield from closed
        elif (
            ("was never closed" in message and HASH_IN_FIELD.search(line))
            or "f-string" in message
            or ("invalid syntax" in message and re.search(r"\b[fF]['\"]", line))
        ):
            yield from _use_other_quote(source, fault, line)
        elif "invalid syntax" in message and re.search(r"\w['\"]\w", line):
            yield from _escape_apostrophe(source, fault, line)


def _close_text(source: str, fault: Fault, line: str) -> Iterator[Mend]:
    quote = line[fault.column : fault.column + 1]
    if quote not in ("'", '"'):
        at = max(line.rfind("'"), line.rfind('"'))
        quote, column = line[at : at + 1], at
    else:
        column = fault.column
    if not quote:
        return
    yield from _escape_apostrophe(source, fault, line)
    yield from _close_key(source, fault, line)
    rest = line[column + 1 :].rstrip()
    tail = re.search(r"[)\]}:,;\s]*$", rest)
    assert tail is not None
    body, closers = rest[: tail.start()], rest[tail.start() :]
    head = line[: column + 1]
    title = f"Close the text with `{quote}`"
    other = "'" if quote == '"' else '"'
    if body.endswith(other) and body.count(other) % 2 == 1:
        yield Mend(replace_line(source, fault.line, head + body[:-1] + quote + closers), title, prior=0.95)
    places = [Mend(replace_line(source, fault.line, head + body + closers[:n] + quote + closers[n:]), title, prior=0.9)
              for n in range(len(closers) + 1)]  # fmt: skip
    value = re.search(r"\s*[,+]\s*([A-Za-z_]\w*)$", body)
    if value and re.search(rf"^\s*(?:for\s+)?{value[1]}\s*(?:=|in\b)|def .*\b{value[1]}\b", source, re.MULTILINE):
        # `print('Name:, name)`: a variable of the cell stands behind the last comma
        text = head + body[: value.start()] + quote + body[value.start() :] + closers
        places = [
            Mend(replace_line(source, fault.line, text), title, False, 0.8),
            *(replace(m, sure=False, prior=0.5) for m in places),
        ]
    compiling = [m for m in places if find_fault(m.source) is None]
    yield from compiling[:2]
    for word in re.finditer(r"(?<=\w)(?=[,:\])} ])", body):
        text = head + body[: word.start()] + quote + body[word.start() :] + closers
        mend = Mend(replace_line(source, fault.line, text), title, False, 0.5)
        if find_fault(mend.source) is None:
            yield mend
    if not compiling:
        yield places[0]


def _close_triple(source: str, fault: Fault, quote: str) -> Iterator[Mend]:
    """Close after the paragraph that the quotes open, at the line that looks least like text, or at the cell's end."""
    lines = split_lines(source)
    title = f"Close the text with `{quote}`"
    opening = re.search(rf"{quote}(?P<text>.*?)(?P<short>{quote[0]}{{1,2}})\s*$", lines[fault.line - 1])
    if opening and quote[0] not in opening["text"]:
        whole = lines[fault.line - 1].rstrip()[: -len(opening["short"])] + quote
        mend = Mend(replace_line(source, fault.line, whole), title, prior=0.95)
        if find_fault(mend.source) is None:
            yield mend
            return
    matches = []
    for number in range(fault.line, len(lines) + 1):
        text = lines[number - 1].rstrip()
        if number == fault.line and text.endswith(quote) and text.count(quote) == 1:
            continue
        if not text.strip():
            continue
        mend = Mend(replace_line(source, number, text + quote), title, prior=0.8)
        if find_fault(mend.source) is None:
            matches.append(mend)
    if matches:
        sure = len(matches) == 1
        yield Mend(matches[0].source, title, sure, 0.9 if sure else 0.55)
        if not sure:
            yield Mend(matches[-1].source, title, False, 0.5)


def _escape_apostrophe(source: str, fault: Fault, line: str) -> Iterator[Mend]:
    """Escape an apostrophe between two letters: ``'It's here'``, ``'O'Brien'``; one that was typed as a quote is one: ``"It"s here"``."""
    for match in re.finditer(r"(?<=[A-Za-z])'(?=[a-z])|(?<=['\"][OD])'(?=[A-Z][a-z])", line):
        text = line[: match.start()] + "\\" + line[match.start() :]
        yield from _list_parsed(source, fault, text, "Escape the apostrophe in the text")
    if (text := _TYPED_AS_QUOTE.sub("'", line)) != line:
        yield from _list_parsed(source, fault, text, "Write the apostrophe as one")


def _list_parsed(source: str, fault: Fault, line: str, title: str) -> Iterator[Mend]:
    """The mend with this line, where the cell is then read further."""
    mend = Mend(replace_line(source, fault.line, line), title, prior=0.95)
    after = find_fault(mend.source)
    if after is None or after.line > fault.line:
        yield mend


_OPEN_KEY = re.compile(r"""(?<=[\w\])]\[)(?:(['"])([^\W\d][\w ]*)|([^\W\d][\w ]*)(['"]))(?=\])""")


def _close_key(source: str, fault: Fault, line: str) -> Iterator[Mend]:
    """``table['age]`` and ``table[age']``: a key has its quotes on both sides; where several could be meant none is."""
    mended: list[Mend] = []
    for match in _OPEN_KEY.finditer(line):
        quote, key = match[1] or match[4], match[2] or match[3]
        text = f"{line[: match.start()]}{quote}{key}{quote}{line[match.end() :]}"
        mended += _list_parsed(source, fault, text, f"Close the text with `{quote}`")
    yield from mended if len(mended) == 1 else ()


_TYPED_AS_QUOTE = re.compile(r'(?<=[A-Za-z])"(?=(?:s|t|m|d|re|ve|ll)\b)')
FIELD_IS_OPEN = (
    r"[ft]-string: (?:expecting|single '}')|does not match opening parenthesis '\{'|Perhaps you forgot a comma"
)
"""What is said of a field without its end; the last two since Python 3.12, which reads on behind it."""
FIELD = re.compile(
    r"\{[\w.]+(?:\[[^\[\]{}]*\]|\([^(){}]*\))*(?:![rsa])?(?::[<>=^]?[-+]?\d*,?(?:\.\d+)?[bdeEfFgGnosxX%])?(?=[ ,;.!?)])"
)
"""A field that is whole before the text goes on behind it: `{score:.1f points`."""
GOES_ON = re.compile(r"\s*(?:[-+*/%<>=&|^@]|(?:and|if|in|is|not|or)\b)")
"""What may be the rest of an expression: `{n * 2`, unless a format stands before it."""


def _close_field(source: str, fault: Fault, line: str) -> Iterator[Mend]:
    """``f"{x:.2f"``: the text ends before its field does."""
    for text in re.finditer(r"""\b[fFtT](["'])((?:\\.|(?!\1).)*)\1""", line):
        body = text[2].replace("{{", "").replace("}}", "")
        if body.count("{") == body.count("}") + 1 and body.rfind("{") > body.rfind("}"):
            opened = text.start(2) + text[2].rfind("{")
            begun = FIELD.match(line, opened)
            is_whole = begun and (":" in begun[0] or not GOES_ON.match(line, begun.end()))
            at = begun.end() if begun and is_whole and begun.end() < text.end() - 1 else text.end() - 1
            mend = Mend(
                replace_line(source, fault.line, line[:at] + "}" + line[at:]), "Close the field with `}`", prior=0.95
            )
            after = find_fault(mend.source)
            if after is None or after.line > fault.line:
                yield mend


def _use_other_quote(source: str, fault: Fault, line: str) -> Iterator[Mend]:
    """Quotes inside the braces of an f-string that uses the same ones."""
    for quote, other in (('"', "'"), ("'", '"')):
        pattern = re.compile(rf"(\{{[^{{}}{quote}]*){quote}([^{quote}{{}}{other}]*){quote}([^{{}}]*\}})")
        text, last = line, ""
        while text != last:
            last, text = text, pattern.sub(rf"\1{other}\2{other}\3", text)
        if text != line:
            yield Mend(replace_line(source, fault.line, text), f"Use `{other}` inside the f-string", prior=0.9)
