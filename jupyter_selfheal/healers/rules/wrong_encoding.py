"""FIL102: a text file in another encoding."""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_plain_chain
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

READERS = frozenset(
    {
        "open",
        "read_csv",
        "read_table",
        "read_fwf",
        "read_text",
        "genfromtxt",
        "loadtxt",
        "read_json",
        "DictReader",
        "decode",
    }
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "cp1250", "cp1251", "gb18030", "shift_jis", "euc-kr", "latin-1")


class WrongEncoding(Rule):
    """Read the file in the encoding that it has.

    **Failure** `UnicodeDecodeError: 'utf-8' codec can't decode byte 0xfc …` while a file is read.
    `KeyError: 'id'` at `row["id"]`, `invalid literal for int() with base 10: '\\ufeff7'` or `Unexpected UTF-8 BOM`, of a file that begins with a byte-order mark.

    **Fix** `encoding="…"` in the call that opens it: UTF-16 or UTF-8 where the file's first bytes say so, else the first
    encoding that decodes the *whole actual file* into letters (Windows-1252, 1250, 1251, GB 18030, Shift-JIS, …).

    **Fix safety** Safe where a byte-order mark says it, or where Windows-1252 decodes the whole file and its letters beyond ASCII
    stand within Latin words. Unsafe otherwise: several encodings decode any file. Silent for bytes that end within a character.
    """

    code = "FIL102"
    name = "wrong encoding"
    enames = frozenset({"UnicodeDecodeError", "UnicodeError", "KeyError", "ValueError", "JSONDecodeError"})
    applicability = Applicability.UNSAFE
    why = "The file can be decoded so, but other encodings would also do it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "Unicode" not in context.failure.ename:
            if _is_about_mark(context):
                yield from self._read_without_mark(context)
            return
        for cell_id, source, call in _list_reading_calls(context):
            path = None if _is_cut(context, call) else _find_path(call, source)
            raw = context.ask(questions.LIST_DECODING, expression=path, encodings=list(ENCODINGS)) if path else None
            if not isinstance(raw, dict):
                continue
            matches = _choose_encoding(raw)
            if not matches or _is_given(call, matches[0]):
                continue
            encoding, sure = matches
            yield self.patch(
                context.replace(cell_id, [_with_encoding(source, call, encoding)]),
                f'Read the file with encoding="{encoding}"',
                "The file has another encoding.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why="The whole file decodes so, into letters of Latin words (or its first bytes say so)."
                if sure
                else self.why,
                prior=0.88 if sure else 0.6,
            )
            return

    def _read_without_mark(self, context: RuleContext) -> Iterator[Patch]:
        """A file whose first word came with the byte-order mark in front."""
        for cell_id, source, call in _list_reading_calls(context):
            is_opened = read_last_name(call.func) in ("open", "read_text")
            path = _find_path(call, source) if is_opened else None
            raw = context.ask(questions.LIST_DECODING, expression=path, encodings=["utf-8-sig"]) if path else None
            if not isinstance(raw, dict) or bytes(raw["start"])[:3] != codecs.BOM_UTF8 or _is_given(call, "utf-8-sig"):
                continue
            yield self.patch(
                change_and_replay(context, {cell_id: [_with_encoding(source, call, "utf-8-sig")]}),
                'Read the file with encoding="utf-8-sig"',
                "The file begins with a byte-order mark, which became a part of its first word.",
                applicability=Applicability.SAFE,
                why="The file's first bytes are the mark, and the word that fails has it in front.",
                prior=0.95,
            )
            return


def _is_about_mark(context: RuleContext) -> bool:
    """True where a byte-order mark stands in front of what fails: in the message, or in a key of the object that lacks it."""
    if re.search("\\\\ufeff|\ufeff|UTF-8 BOM", context.failure.evalue):
        return True
    if context.failure.ename != "KeyError":
        return False
    asked = [n for n in context.list_failing_nodes(ast.Subscript) if context.read_plain_chain(n.value)]
    return any(context.is_true(f"'\\ufeff' + {context.text(n.slice)} in {context.text(n.value)}") for n in asked)


def _list_reading_calls(context: RuleContext) -> Iterator[tuple[str, str, ast.Call]]:
    """Calls that read a file: those where it failed first, then the rest of the cell, then the cells above."""
    place, _, line = context.location
    for cell_id in dict.fromkeys((place, *context.list_cells_upwards())):
        source = context.source_of(cell_id)
        calls = [
            n
            for n in src.walk(source)
            if isinstance(n, ast.Call) and read_last_name(n.func) in READERS and not _is_binary(n)
        ]
        calls.sort(key=lambda n: abs(n.lineno - line) if cell_id == place else n.lineno)
        for call in calls:
            yield cell_id, source, call


def _is_cut(context: RuleContext, call: ast.Call) -> bool:
    """True for bytes that end within a character: a part of a text, whose encoding is right."""
    return read_last_name(call.func) == "decode" and "unexpected end of data" in context.failure.evalue


def _is_binary(call: ast.Call) -> bool:
    modes = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]
    return any(
        isinstance(m, ast.Constant) and isinstance(m.value, str) and ("b" in m.value or "w" in m.value) for m in modes
    )


def _find_path(call: ast.Call, source: str) -> str | None:
    """The plain expression of the path: the first argument, or what ``read_text``, ``open`` and (bytes') ``decode`` are called on."""
    text = (
        read_plain_chain(call.args[0], source)
        if call.args and read_last_name(call.func) not in ("read_text", "decode")
        else None
    )
    is_mode = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
    if text and not (is_mode and len(text) <= 4):
        return text
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("read_text", "open", "decode"):
        if isinstance(call.func.value, ast.Constant):  # bytes that are written down: they are what they are
            return None
        return read_plain_chain(call.func.value, source)
    if call.args and isinstance(call.args[0], ast.BinOp):
        return src.extract_text(source, call.args[0])
    return None


def _choose_encoding(raw: dict[str, object]) -> tuple[str, bool] | None:
    start = bytes(raw["start"])  # type: ignore[call-overload]
    names = {name: (odd, foreign) for name, odd, foreign in raw["encodings"]}  # type: ignore[attr-defined]
    if start[:2] in (b"\xff\xfe", b"\xfe\xff") and "utf-16" in names:
        return "utf-16", True
    if start[:3] == b"\xef\xbb\xbf" and "utf-8-sig" in names:
        return "utf-8-sig", True
    if "utf-8" in names:
        return "utf-8", True
    names.pop("utf-16", None)
    if "cp1252" in names and names["cp1252"] == (0, 0):
        return "cp1252", True
    best = min(names, key=lambda n: (sum(names[n]), ENCODINGS.index(n)), default="")
    return (best, False) if best else None


def _is_given(call: ast.Call, encoding: str) -> bool:
    return any(
        k.arg == "encoding" and isinstance(k.value, ast.Constant) and k.value.value == encoding for k in call.keywords
    )


def _with_encoding(source: str, call: ast.Call, encoding: str) -> tuple[int, int, str]:
    for keyword in call.keywords:
        if keyword.arg == "encoding":
            start, end = src.find_span(source, keyword.value)
            return start, end, f'"{encoding}"'
    if read_last_name(call.func) in ("read_text", "decode") and call.args:
        start, end = src.find_span(source, call.args[0])
        return start, end, f'"{encoding}"'
    end = src.find_span(source, call)[1] - 1
    inside = source[src.find_span(source, call.func)[1] : end].strip("( \n")
    return end, end, f', encoding="{encoding}"' if inside else f'encoding="{encoding}"'
