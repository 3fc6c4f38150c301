"""Loops of C, ``for (i = 0; i < n; i++)``, as Python has them: a ``range`` where it counts the same, else a ``while``.

C asks its condition in each round, and keeps the counter: what changes one of them in the body, or reads the counter behind the
loop, has no effect on a ``range`` or finds another number.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.code_lines import mark_code, read_indent

_HEAD = re.compile(
    r"(?P<indent>\s*)for\s*\(?\s*(?:[^\W\d]\w*\s+)?(?P<name>[^\W\d]\w*)\s*=\s*(?P<first>\w+)\s*[;,]\s*(?P=name)\s*(?P<sign><=?)\s*"
    r"(?P<limit>[\w.]+(?:\([\w.]*\))?|[^;{}]+?(?=\s*;))\s*[;,]\s*"
    r"(?:(?P=name)\s*\+\+|\+\+\s*(?P=name)|(?P=name)\s*\+=\s*1|(?P=name)\s*=\s*(?P=name)\s*\+\s*1)\s*\)?\s*"
    r"(?P<tail>[:{]?\s*|\{.*\}\s*;?\s*)"
)
_COUNTS = frozenset({"abs", "int", "len", "max", "min", "round", "sum"})
"""Functions that give the same again as long as nothing changes what they are given."""
_NO_NUMBER = re.compile(r"[<>&|^!?=%]|\b(?:and|if|in|is|not|or)\b")
"""What makes of a limit more than a number."""
_BINDS = r"(?:\s*,[^=()]*)?\s*(?:[-+*/%&|^@:]|//|\*\*|<<|>>)?=(?!=)"
STEP = "    "


@dataclass(frozen=True, slots=True)
class _Loop:
    name: str
    first: str
    sign: str
    limit: str
    body: range
    """The lines of its body, without that of the closing brace; empty where it stands on the head's line."""
    code: str
    """The code of its body, texts and comments left out."""
    after: tuple[str, ...]
    """The code of the lines below it, as far as its names reach."""

    @property
    def is_counted(self) -> bool:
        """Whether a ``range`` counts the same, by what can be seen."""
        if _NO_NUMBER.search(self.limit) or "/" in self.limit or _is_changed(self.name, self.code):
            return False
        if any(name not in _COUNTS for name in re.findall(r"(\w+)\s*\(", self.limit)):
            return False
        paths = [path for path in re.findall(r"[^\W\d][\w.]*", self.limit) if path not in _COUNTS]
        objects = {path.partition(".")[0] for path in paths if "." in path or "(" in self.limit}
        changed = any(_is_changed(path, self.code) for path in paths) or any(
            _is_changed_inside(name, self.code) for name in {*objects, *(p for p in paths if "(" in self.limit)}
        )
        return not changed and not _is_read_next(self.name, self.after)


def write_counted_loop(lines: Sequence[str], at: int) -> tuple[list[str], bool] | None:
    """The lines with the loop of C whose head is line ``at`` (from 0) as Python's, and whether that is sure; None where it is none."""
    match = _HEAD.fullmatch(lines[at])
    if match is None:
        return None
    indent, tail = match["indent"], match["tail"].rstrip()
    loop = _read_loop(lines, at, match)
    rest = tail if tail else ":"
    if loop.is_counted:
        return [
            *lines[:at],
            f"{indent}for {loop.name} in {_write_range(loop)}{_join_tail(rest)}",
            *lines[at + 1 :],
        ], True
    if not loop.body or re.search(r"\bcontinue\b", loop.code) or not lines[loop.body[0]].strip():
        return [
            *lines[:at],
            f"{indent}for {loop.name} in {_write_range(loop)}{_join_tail(rest)}",
            *lines[at + 1 :],
        ], False
    inner = read_indent(lines[loop.body[0]])
    head = [
        f"{indent}{loop.name} = {loop.first}",
        f"{indent}while {loop.name} {loop.sign} {loop.limit}{_join_tail(rest)}",
    ]
    body = [*lines[loop.body.start : loop.body.stop], f"{inner}{loop.name} += 1"]
    return [*lines[:at], *head, *body, *lines[loop.body.stop :]], "/" not in loop.limit


def write_counted_loops(lines: Sequence[str]) -> tuple[list[str], bool]:
    """The lines with all loops of C as Python's, and whether each of them is sure."""
    changed, sure = list(lines), True
    for at in range(len(changed) - 1, -1, -1):
        if (written := write_counted_loop(changed, at)) is not None:
            changed, sure = written[0], sure and written[1]
    return changed, sure


def _join_tail(tail: str) -> str:
    return tail if tail == ":" else f" {tail}"


def _write_range(loop: _Loop) -> str:
    last = loop.limit if loop.sign == "<" else f"{loop.limit} + 1"
    return f"range({last})" if loop.first == "0" else f"range({loop.first}, {last})"


def _read_loop(lines: Sequence[str], at: int, match: re.Match[str]) -> _Loop:
    tail = match["tail"].strip()
    if tail.endswith(("}", ";")):
        body, code = range(0), tail.strip("{};")
    else:
        body = range(at + 1, _find_end(lines, at, is_braced=tail.endswith("{")))
        while body and not lines[body[-1]].strip():
            body = body[:-1]
        code = "\n".join(map(_read_code, lines[body.start : body.stop]))
    after = tuple(_list_after(lines, max(body.stop, at + 1), match["indent"]))
    return _Loop(match["name"], match["first"], match["sign"], match["limit"], body, code, after)


def _find_end(lines: Sequence[str], at: int, *, is_braced: bool) -> int:
    """The line behind a loop's body: that of its brace, or the first one that is no deeper than its head."""
    depth, indent = 1, len(read_indent(lines[at]))
    for number in range(at + 1, len(lines)):
        code = _read_code(lines[number])
        if is_braced:
            for sign in code:
                depth += (sign == "{") - (sign == "}")
                if depth == 0:
                    return number
        elif code.strip() and len(read_indent(code)) <= indent:
            return number
    return len(lines)


def _list_after(lines: Sequence[str], start: int, indent: str) -> Iterator[str]:
    for line in lines[start:]:
        if len(read_indent(line)) <= len(indent) and re.match(r"\s*(?:async\s+def|def|class|@)\b", line) and indent:
            return
        yield _read_code(line)


def _read_code(line: str) -> str:
    marks = mark_code(line)
    return "".join(c if marks[n] else " " for n, c in enumerate(line))


def _is_changed(path: str, code: str) -> bool:
    """Whether code binds a name or an attribute anew, counts it up or down, or deletes it."""
    here = rf"(?<![\w.]){re.escape(path)}(?![\w.])"
    slice_of = rf"{here}\s*\[[^\[\]]*:[^\[\]]*\]"
    return bool(
        re.search(rf"{here}{_BINDS}|{slice_of}\s*[-+*]?=(?!=)|{here}\s*(?:\+\+|--)|(?:\+\+|--)\s*{here}", code)
        or re.search(rf"\b(?:for|as|del|global|nonlocal)\s+\(?(?:\w+\s*,\s*)*{here}", code)
    )


def _is_changed_inside(path: str, code: str) -> bool:
    """Whether code may change what a name holds: by a method, by ``del``, or in a function that it is given to."""
    here = rf"(?<![\w.]){re.escape(path)}"
    if any(not src.is_pure_method(method) for method in re.findall(rf"{here}\.(\w+)\s*\(", code)):
        return True
    called = re.findall(rf"([\w.]+)\s*\((?=[^()]*{here}(?![\w.\[]))", code)
    return bool(re.search(rf"\bdel\s+{here}\b", code)) or any(name not in vars(builtins) for name in called)


def _is_read_next(name: str, lines: Sequence[str]) -> bool:
    """Whether the first of these lines that has a name reads it, and does not bind it."""
    line = next((line for line in lines if re.search(rf"(?<![\w.]){name}\b", line)), "")
    binds = rf"\bfor\s*\(?\s*(?:\w+\s+)?{name}\b|^\s*{name}\s*=(?!=)|\b(?:def|lambda)\b[^:]*\b{name}\b"
    return bool(line) and re.search(binds, line) is None
