"""SYN101: a cell of Python 2."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.syntax import (
    Fault,
    Mend,
    SyntaxRule,
    find_code_end,
    find_fault,
    mark_code,
    split_lines,
)
from jupyter_selfheal.model import Applicability, Edit, Patch, Replace
from jupyter_selfheal.source.python2 import DIVISION, SYNTAX, is_float, refactor

MEANING = ("dict", "map", "filter", "zip", "xrange", "has_key", "raw_input", "reduce", "itertools", "itertools_imports",
           "next", "long", "basestring", "unicode_calls", "execfile", "funcattrs", "methodattrs", "exitfunc",
           "imports", "urllib", "nonzero", "standarderror", "getcwdu", "intern", "reload")  # fmt: skip
PRINTS = re.compile(r"(?:^|[;:])[ \t]*print(?:[ \t]+[^\s=.,)\](]|[ \t]*>>|\"|')", re.MULTILINE)
"""A ``print`` that is a statement: without one ``print(a, b)`` is the function, whatever else is of Python 2."""
ROUNDED = re.compile(r"(?<!\bint\()(?<!\bnp\.)\b(?:math\.)?(?:round|floor|ceil)\(")
"""What is a whole number now, and had a point in Python 2."""
DIVIDES = "A `/` of whole numbers gave a whole number in Python 2."
WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
MARKS = re.compile(
    r"^[ \t]*print[ \t]+(?![=.,)\]])|^[ \t]*print[ \t]*>>|;[ \t]*print[ \t]+[^=(]|:[ \t]*print[ \t]+[^=(]|^[ \t]*exec[ \t]+[\w'\"]"
    r"|except[ \t]+[\w.()\[\], \t]+,[ \t]*\w+[ \t]*:|^[ \t]*raise[ \t]+[\w.]+[ \t]*,|`[^`\n]+`|<>|\b\d+[lL]\b|\b0\d+\b|\bur['\"]"
    r"|\bdef[ \t]+\w+\([^)\n]*\([\w, ]+\)|lambda[ \t]*\(",
    re.MULTILINE,
)
OCTAL = re.compile(r"\b0\d+\b(?!\.)")
RIGHTS = re.compile(r"\b(?:l?f?chmod|umask|makedirs|mkdir|mkfifo|mknod|S_I\w+)\b|(?:\b|_)mode\b|\bperm", re.IGNORECASE)
MESSAGES = re.compile(
    r"Missing parentheses in call|multiple exception types|invalid syntax|leading zeros|invalid decimal literal|"
    r"Did you mean print|cannot assign|invalid hexadecimal|Lambda expression parameters|Function parameters cannot"
)


class Python2Syntax(SyntaxRule):
    """Turn a cell of Python 2 into Python 3.

    **Failure** `SyntaxError: Missing parentheses in call to 'print'`, and whatever else of Python 2 no longer parses: `exec`
    statements, `except E, e`, `raise E, "…"`, backticks, `<>`, `0777`, `10L`, `ur""`.

    **Fix** fissix (the maintained lib2to3) rewrites the whole cell at once, magics masked; since the cell is Python 2, what
    would silently mean something else is rewritten too (`map` whose list is used, `d.iteritems()`, `xrange`).

    A cell that also calls `print` with several values, and has nothing else of Python 2, gets the brackets that are missing.

    **Fix safety** Unsafe in such a cell, unless something of Python 3 is in it, and where nothing but a zero before a number is of Python 2 (`010`, which was 8), the rights of
    a file apart. Safe elsewhere: the fixers keep Python 2's meaning. `/` becomes `//` between what can only be whole numbers (`1 / 2`,
    `len(x) / 2`, names that hold some), unless the notebook imports `division` from `__future__`, or was saved under Python 3. Unsafe where
    the notebook is of Python 2 (by its metadata, or what its cells have) and another `/` may be one of whole numbers: it gave a whole number
    there. What a name holds tells nothing where cells above may have made it otherwise there: by a `/` of their own, or by `round`, `floor` and `ceil`, which gave a point. Where nothing tells the notebook's Python, a `/` between other things stays as it is.
    """

    code = "SYN101"
    name = "Python 2 syntax"
    why = "The fixers of lib2to3 keep what the cell meant under Python 2."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        above = [context.source_of(c.id) for c in context.notebook.list_code_before(context.failure.cell_id)]
        texts = [*above, context.failure.source]
        old = context.notebook.python.startswith("2") or any(IS_PYTHON2.search(_hide_texts(text)) for text in texts)
        is_true = any(map(DIVISION.search, texts)) or (context.notebook.python.startswith("3") and not old)
        for patch in super().propose(context):
            if not is_true:
                patch = _divide_as_before(context, patch, above, old)
            yield patch

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if not MESSAGES.search(fault.message) or not MARKS.search(source):
            return
        if _calls_print(source) and not IS_PYTHON2.search(source):
            yield from _mend_mixed(source, fault)
            return
        text = refactor(source, SYNTAX if PRINTS.search(source) else tuple(f for f in SYNTAX if f != "print"))
        if text is None or find_fault(text) is not None:
            text = _by_line(source)
            after = find_fault(text)
            if text == source or (after is not None and (after.line, after.column) <= (fault.line, fault.column)):
                return
        if find_fault(text) is None:
            text = refactor(text, MEANING) or text
        if "0o" not in source:  # `date(2024, 01, 05)`: one digit is the same number without its zero
            text = re.sub(r"\b0o([0-7])\b", r"\1", text)
        sure = not _is_open_number(source)
        yield Mend(text, "Convert the cell to Python 3", sure, 0.95 if sure else 0.6)


def _is_open_number(source: str) -> bool:
    """Whether nothing but a zero before a number is of Python 2: ``010`` was 8 there, and is ten to who writes it today. The rights of a file are octal to all."""
    others = OCTAL.sub("1", source)
    is_all = MARKS.search(others) is None and IS_PYTHON2.search(source) is None
    return is_all and not RIGHTS.search(source) and any(int(n) > 7 for n in OCTAL.findall(source))


def _calls_print(source: str) -> bool:
    """Whether the cell calls ``print`` as a function, with several values or a keyword: as a statement it would show a tuple."""
    plain = _hide_texts(source)
    return re.search(r"\bprint\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*,", plain) is not None


def _hide_texts(source: str) -> str:
    """The source with `_` for what texts and comments hold."""
    return "\n".join(
        "".join(c if code else "_" for c, code in zip(line, mark_code(line), strict=True))
        for line in split_lines(source)
    )


def _mend_mixed(source: str, fault: Fault) -> Iterator[Mend]:
    """A cell that calls ``print`` in one line and has no brackets in another: they were left out there, or the cell is of Python 2."""
    called = _by_line(source)
    if called == source:
        return
    after = find_fault(called)
    sure = IS_PYTHON3.search(source) is not None
    if after is None or (after.line, after.column) > (fault.line, fault.column):
        yield Mend(called, "Add the brackets of `print`", sure, 0.95 if sure else 0.7)
    text = None if sure else refactor(source, SYNTAX)
    if text is not None and find_fault(text) is None:
        yield Mend(refactor(text, MEANING) or text, "Convert the cell to Python 3", False, 0.5)


IS_PYTHON2 = re.compile(
    r"\b(?:raw_input|xrange|unicode|basestring|execfile|iteritems|itervalues|iterkeys|has_key|urllib2)\b|^[ \t]*print[ \t]*>>|<>"
    r"|^[ \t]*exec[ \t]+['\"\w]|except[ \t]+[\w.()\[\], \t]+,[ \t]*\w+[ \t]*:|^[ \t]*raise[ \t]+[\w.]+[ \t]*,|\bfrom __future__\b",
    re.MULTILINE,
)
"""What only a cell of Python 2 has."""
IS_PYTHON3 = re.compile(r"""\b(?:end|sep)=|\bf['"]|\binput\(|\basync\b|\bnonlocal\b|:=|->""")
"""What a cell of Python 3 has, or one in which somebody reads what is typed as a text."""


def _divide_as_before(context: RuleContext, patch: Patch, above: Sequence[str], old: bool) -> Patch:
    """The patch with `//` for `/` between what can only be whole numbers. In a notebook of Python 2 it is offered where another `/` may give
    something else today."""
    modules = {name for text in above for name in src.find_names(text).imports}
    edits, is_open = list[Edit](), False
    for edit in patch.edits:
        if isinstance(edit, Replace):
            types = _find_types(context, edit.source, modules, above) if old else {}
            floats, splices = {name for name, kind in types.items() if kind == "float"}, list[Splice]()
            for node in src.walk(edit.source):
                match node:
                    case ast.BinOp(op=ast.Div(), left=left, right=right):
                        if _is_whole(left, types) and _is_whole(right, types):
                            splices += _find_slash(edit.source, left, right)
                        else:
                            sides = (left, right)
                            is_open |= not any(is_float(side, modules, floats) for side in sides) and not any(
                                _has_point_there(context, side, edit.source, above) for side in sides if old
                            )
                    case ast.AugAssign(op=ast.Div(), target=target, value=value):
                        is_open |= not any(is_float(side, modules, floats) for side in (target, value))
                    case _:
                        pass
            edit = replace(edit, source=src.splice(edit.source, splices))
        edits.append(edit)
    patch = replace(patch, edits=tuple(edits))
    if old and is_open and patch.applicability is Applicability.SAFE:
        return replace(
            patch, applicability=Applicability.UNSAFE, why="What a `/` of it divides is not known.", risk=DIVIDES
        )
    return patch


def _find_slash(source: str, left: ast.expr, right: ast.expr) -> list[Splice]:
    start, end = src.find_span(source, left)[1], src.find_span(source, right)[0]
    return [(at := source.index("/", start, end), at + 1, "//")] if source.count("/", start, end) == 1 else []


def _find_types(context: RuleContext, source: str, modules: Collection[str], above: Sequence[str]) -> dict[str, str]:
    """`int` or `float` by name: of what is there and the cell leaves alone, and of what each of its own assignments gives a point."""
    names = [n for n in src.walk(source) if isinstance(n, ast.Name)]
    stored = Counter(n.id for n in names if not isinstance(n.ctx, ast.Load))
    stored.update(n.arg for n in src.walk(source) if isinstance(n, ast.arg))
    made = [n for text in above for n in src.walk(text)]
    trusted = {"int"} if not any(map(ROUNDED.search, above)) else set[str]()
    if not any(_divides_openly(n, modules) for n in made):
        trusted.add("float")
    types = {}
    for name in {n.id for n in names} - stored.keys():
        thing = context.describe(name)
        if thing is not None and thing.type in trusted:
            types[name] = thing.type
    floats = {name for name, kind in types.items() if kind == "float"}
    pointed = Counter(
        node.targets[0].id
        for node in src.walk(source)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and len(node.targets) == 1
        and is_float(node.value, modules, floats)
    )
    return types | {name: "float" for name, count in pointed.items() if count == stored[name]}


def _has_point_there(context: RuleContext, side: ast.expr, source: str, above: Sequence[str]) -> bool:
    """Whether a sum, an item or the like of what is there, and the cell leaves alone, has a point, as in ``sum(prices.values()) / len(prices)``."""
    nodes = list(ast.walk(side))
    calls = [n.func for n in nodes if isinstance(n, ast.Call)]
    reckoned = [f for f in calls if isinstance(f, ast.Name) and f.id in ("sum", "max", "min", "abs")]
    listed = [f for f in calls if isinstance(f, ast.Attribute) and f.attr == "values"]
    if len(calls) > len(reckoned) + len(listed) or not all(isinstance(n, _LOOKED_UP) for n in nodes):
        return False
    used = {n.id for n in nodes if isinstance(n, ast.Name)}
    stored = {n.id for n in src.walk(source) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    stored |= {n.arg for n in src.walk(source) if isinstance(n, ast.arg)}
    modules = {name for text in above for name in src.find_names(text).imports}
    if used & stored or any(_divides_openly(n, modules) for text in above for n in src.walk(text)):
        return False
    return context.is_true(f"isinstance({ast.unparse(side)}, float)")


_LOOKED_UP = (ast.Name, ast.Constant, ast.Subscript, ast.Attribute, ast.Call, ast.expr_context)


def _divides_openly(node: ast.AST, modules: Collection[str]) -> bool:
    match node:
        case ast.BinOp(op=ast.Div(), left=left, right=right) | ast.AugAssign(op=ast.Div(), target=left, value=right):
            return not any(is_float(side, modules) for side in (left, right))
    return False


def _is_whole(node: ast.expr, types: Mapping[str, str]) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, WHOLE) and _is_whole(node.left, types) and _is_whole(node.right, types)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _is_whole(node.operand, types)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    if isinstance(node, ast.Name):
        return types.get(node.id) == "int"
    return isinstance(node, ast.Constant) and type(node.value) is int


_PRINT = re.compile(r"^(\s*(?:.*?[:;]\s*)?)print[ \t]+(?![=.,)\]])(.*)$")
_BARE = re.compile(r"^(\s*)print\s*(#.*)?$")
_EXCEPT = re.compile(r"^(\s*except\s+.+?)\s*,\s*(\w+)\s*:")
_RAISE = re.compile(r"^(\s*raise\s+[\w.]+)\s*,\s*(.+)$")


def _by_line(source: str) -> str:
    """Rewrite line by line, where fissix cannot read the cell because it mixes both Pythons."""
    lines = split_lines(source)
    for n, line in enumerate(lines):
        if m := _BARE.match(line):
            lines[n] = f"{m[1]}print(){'  ' + m[2] if m[2] else ''}"
        elif m := _EXCEPT.match(line):
            lines[n] = f"{m[1]} as {m[2]}:{line[m.end() :]}"
        elif m := _RAISE.match(line):
            lines[n] = f"{m[1]}({m[2]})"
        elif (m := _PRINT.match(line)) and not (m[1].strip() and '"' in m[1] + "'"):
            last = n
            while last + 1 < len(lines) and _is_open("\n".join([m[2], *lines[n + 1 : last + 1]])):
                last += 1
            body = "\n".join([m[2], *lines[n + 1 : last + 1]]).rstrip()
            body, comment = _split_comment(body)
            end = ", end=' '" if body.endswith(",") else ""
            lines[n] = f"{m[1]}print({body.rstrip(',')}{end}){comment}"
            lines[n + 1 : last + 1] = [""] * (last - n)
    return "\n".join(lines)


def _is_open(text: str) -> bool:
    """True where a bracket or a triple quote is still open at the end, or the line goes on by a backslash."""
    if text.endswith("\\"):
        return True
    depth = sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
    return depth > 0 or text.count('"""') % 2 == 1 or text.count("'''") % 2 == 1


def _split_comment(body: str) -> tuple[str, str]:
    if "\n" in body:
        return body, ""
    at = find_code_end(body)
    return body[:at], ("  " + body[at:].strip()) if body[at:].strip() else ""
