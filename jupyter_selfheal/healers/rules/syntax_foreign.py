"""SYN108: a slip in a keyword, or a form that another language has."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator
from functools import lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.code_lines import (
    WORD,
    find_open_bracket,
    mark_code,
    replace_line,
    split_lines,
)
from jupyter_selfheal.healers.rules.context.counted_loops import write_counted_loop
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.rules.context.tables import read_table
from jupyter_selfheal.healers.rules.context.used_functions import walk_own
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault


class ForeignSyntax(SyntaxRule):
    """Use Python's own form for a misspelt keyword or another language's form.

    **Failure** `invalid syntax` at `else if`, `i++`, `&&`, `!found`, `x > 3 ? 1 : 2`, `or x in xs:`, `for i range(3)`, `for i in range 3`, `import numpy np`, `retrun x`, `function f()`,
    `leading zeros in decimal integer literals`.

    **Fix** `elif`, `i += 1`, `and`, `not found`, `for i in range(3)`, `import numpy as np`, `return x`, `def f()`. A word that is one
    slip away from a keyword becomes it, where the cell then gets further.

    A function that waits becomes an `async def`, and its calls in the cell get `await`.

    A loop `for (i = 0; i < n; i++)` becomes `for i in range(n)`, and a `while` where its body changes `i` or `n`, or `i` is read behind it.

    **Fix safety** Safe: the form means this in the language that it comes from, and nothing in Python. Unsafe for `010`, which was 8
    in Python 2 and may be meant as 10; for what stands behind `//` where a value stands before it (`a // of each`), which may be divided, and is
    where it begins with a variable that is set above (nothing is done then);
    and for a loop that changes what it counts by and has a `continue`.
    """

    code = "SYN108"
    name = "slip in a keyword or foreign form"
    why = "The form means nothing in Python, and only this where it comes from."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if "never closed" in fault.message or "unterminated" in fault.message or "indent" in fault.message:
            return
        if "outside async function" in fault.message or "outside function" in fault.message:
            yield from _make_async(source)
            return
        lines = split_lines(source)
        for number in dict.fromkeys((fault.line, fault.line - 1)):
            if not 1 <= number <= len(lines):
                continue
            line = lines[number - 1]
            for mend in (*_use_python_forms(source, number, line), *_list_keyword_slips(source, number, line)):
                after, added = find_fault(mend.source), mend.source.count("\n") + 1 - len(lines)
                if after is None or after.line - added > fault.line:
                    yield mend


WAITING = frozenset({"run", "gather", "create_task", "ensure_future", "wait_for", "run_until_complete"})
"""Functions that are given a coroutine."""


def _make_async(source: str) -> Iterator[Mend]:
    """``def get(): … await fetch()``, and ``get()`` below: only an ``async def`` waits, and who wants its result waits for it."""
    parents = src.read(source).parents
    functions = [n for n in src.walk(source) if isinstance(n, ast.FunctionDef)]
    functions = [
        f for f in functions if any(isinstance(n, ast.Await | ast.AsyncFor | ast.AsyncWith) for n in walk_own(f))
    ]
    if not functions:
        return
    splices = [(start, start, "async ") for f in functions for start in (src.find_span(source, f)[0],)]
    # what is put into a list is waited for later only where something waits for several
    waiting = WAITING | (
        {"append"} if re.search(r"\b(?:gather|wait|as_completed)\(|await \w+\s*$", source, re.M) else set()
    )
    names, seen = {f.name for f in functions}, set[str]()
    used = [n for n in src.walk(source) if isinstance(n, ast.Name) and n.id in names]
    sure = all(isinstance(call := parents[n], ast.Call) and call.func is n for n in used)  # not `map(fetch, pages)`
    for call in (n for n in src.walk(source) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)):
        parent, around = parents[call], find_function(source, call.lineno)
        if not isinstance(call.func, ast.Name) or call.func.id not in names:
            continue
        seen.add(call.func.id)
        if isinstance(parent, ast.Await) or (isinstance(parent, ast.Call) and read_last_name(parent.func) in waiting):
            continue
        sure = sure and (around is None or around in functions or isinstance(around, ast.AsyncFunctionDef))
        start, end = src.find_span(source, call)
        plain = isinstance(parent, ast.Expr | ast.Assign | ast.Return | ast.Call | ast.FormattedValue)
        splices += [(start, start, "await " if plain else "(await "), (end, end, "" if plain else ")")]
    title = f"Make `{'`, `'.join(f.name for f in functions)}` an `async def`"
    why = "Only an `async def` waits for something, and what it returns comes by `await`."
    yield Mend(src.splice(source, splices), title, sure and seen == names, 0.93, why)


def _use_python_forms(source: str, number: int, line: str) -> Iterator[Mend]:
    if "leading zeros" in (getattr(find_fault(source), "message", "")):
        if DATE.search(line):
            return
        yield from _strip_leading_zeros(source, number, line)
        return
    if (loop := write_counted_loop(split_lines(source), number - 1)) is not None:
        lines, sure = loop
        word = "range" if len(lines) == source.count("\n") + 1 else "while"
        head = number - 1 if word == "range" else number
        lines[head] = re.sub(r"\s*\{\s*$", ":", lines[head])
        yield Mend("\n".join(lines), f"Use `{word}` for the loop", sure, 0.92 if sure else 0.5)
    every, titles = line, []
    every_sure = True
    if (noted := _write_comment(source, number, line)) is not None:
        every, every_sure = noted
        titles.append("Use `#` for the comment")
        yield Mend(replace_line(source, number, every), titles[0], every_sure, 0.92 if every_sure else 0.5)
    for form in read_table("foreign_syntax")["form"]:
        changed = _substitute_in_code(form["pattern"], form["python"], line)
        if changed != line:
            yield Mend(replace_line(source, number, changed), form["title"], prior=0.92)
            every = _substitute_in_code(form["pattern"], form["python"], every)
            titles.append(form["title"])
    if len(titles) > 1:
        yield Mend(replace_line(source, number, every), "; ".join(titles), every_sure, 0.92 if every_sure else 0.5)


SLASHES = re.compile(r"\s*//\s*(?=\S)")
NO_VALUE = re.compile(
    r"[;:,({\[]\s*$|^\s*\}*\s*$|(?<![\w.])(?:break|continue|pass|return|else|try|finally)\s*$|^\s*print\([^()]*\)\s*$|[\"']\s*$"
)
"""What ends where nothing can be divided behind it: no value stands there, or a text, or what ``print`` gives."""
BESIDE = re.compile(r"\w+[ ,]+(?!(?:and|or|if|in|is|not|else|for)\b)[^\W\d]")
"""Two words beside each other, which no value is."""


def _is_bound_above(source: str, number: int, text: str) -> bool:
    """Whether a text begins with a variable that a line above sets: ``total // count each`` divides, whatever is wrong behind it."""
    word = re.match(r"[^\W\d]\w*", text)
    above = "\n".join(split_lines(source)[: number - 1])
    return word is not None and re.search(rf"(?<![\w.]){word[0]}\s*=(?!=)", above) is not None


def _write_comment(source: str, number: int, line: str) -> tuple[str, bool] | None:
    """The line with a comment of C as Python's, and whether it is sure: where a value stands before ``//``, it may be divided, and what
    is wrong stands behind."""
    code = mark_code(line)
    for match in SLASHES.finditer(line):
        at = match.end() - len(match[0].lstrip())
        if not code[at]:
            continue
        before, text = line[:at].rstrip(), line[match.end() :]
        opened = find_open_bracket(source, Fault("", number, at, number, at)) is not None and not before
        sure = NO_VALUE.search(before) is not None and not opened
        if sure or (BESIDE.match(text) and not _is_bound_above(source, number, text)):
            return (f"{before}  # {text}" if before.strip() else f"{before or line[:at]}# {text}"), sure
    return None


def _substitute_in_code(pattern: str, text: str, line: str) -> str:
    """Substitute where the match begins in code, not in a text or comment."""
    if re.search(pattern, line) is None:
        return line
    code = mark_code(line)

    def one(match: re.Match[str]) -> str:
        at = match.start()
        while at < match.end() - 1 and line[at] == " ":
            at += 1
        return match.expand(text) if at < len(code) and code[at] else match[0]

    return re.sub(pattern, one, line)


DATE = re.compile(r"(?<![\w.])(?:\d{1,2}([/-])\d{1,2}\1\d{4}|\d{4}([/-])\d{1,2}\2\d{1,2})(?![\w.])")
"""A day that was to be a text: as numbers it is divided, or subtracted."""
LEADING_ZERO = re.compile(r"(?<![\w.])0+[1-9]\d*(?![\w.])")


def _strip_leading_zeros(source: str, number: int, line: str) -> Iterator[Mend]:
    """Python 2 read ``0644`` as octal; ``08`` and ``05`` are plain numbers of a date or a code."""

    def one(match: re.Match[str]) -> str:
        digits = match[0].lstrip("0")
        octal = len(match[0]) > 2 and not set(digits) & set("89")
        return "0o" + digits if octal else digits

    changed = re.sub(LEADING_ZERO, one, line)
    plain = re.sub(LEADING_ZERO, lambda match: match[0].lstrip("0"), line)
    if changed != line:
        sure = changed == plain and all(len(n) == 2 for n in LEADING_ZERO.findall(line))  # `01069` is a postcode
        yield Mend(replace_line(source, number, changed), "Remove the leading zero", sure, 0.9 if sure else 0.6)
        if not sure:
            yield Mend(replace_line(source, number, plain), "Remove the leading zero", False, 0.6)


@lru_cache(1 << 12)
def _find_near_keywords(word: str) -> tuple[str, ...]:
    return find_nearest(word, [*keyword.kwlist, "print"])


HEAD_WITHOUT_FIRST_LETTER = re.compile(r"\s*(or|f)\b(?=.*:\s*(?:#.*)?$)")


def _list_keyword_slips(source: str, number: int, line: str) -> Iterator[Mend]:
    code = mark_code(line)
    if head := HEAD_WITHOUT_FIRST_LETTER.match(line):
        near = "for" if head[1] == "or" else "if"
        changed = line[: head.start(1)] + near + line[head.end() :]
        yield Mend(replace_line(source, number, changed), f"Change `{head[1]}` to `{near}`", prior=0.9)
    for match in WORD.finditer(line):
        word = match[0]
        if not code[match.start()] or word in keyword.kwlist or len(word) < 2:
            continue
        for near in _find_near_keywords(word)[:3]:
            if len(near) < 3 and word.casefold() != near:
                continue
            changed = line[: match.start()] + near + line[match.end() :]
            yield Mend(replace_line(source, number, changed), f"Change `{word}` to `{near}`", prior=0.9)
    joined = re.match(
        r"^(\s*)(import|from|return|def|class|for|while|if|elif|not|print)(?=[A-Za-z_\d\"'])(\S.*)$", line
    )
    if joined:
        yield Mend(
            replace_line(source, number, f"{joined[1]}{joined[2]} {joined[3]}"),
            f"Add a space after `{joined[2]}`",
            prior=0.7,
        )
