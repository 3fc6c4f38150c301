"""Cells that somebody is to complete: exercises and templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.spelling import is_plain_slip

_SKELETON = re.compile(
    r"YOUR[ _]?CODE|\bFILL (THIS |ME )?IN\b|<\s*your|\bFILL_?ME\b|your[ _]code[ _]here|"
    r"replace (this|with your)|implement (this|me)|# ?\?\?\?|\.\.\.\s*#|=\s*\.\.\.\s*$|"
    r"(votre|ton) code ici|(tu|su|seu) c[oó]digo aqu[ií]|hier (deine?n?|ihre?n?) code|(deine?n?|ihre?n?) code hier",
    re.IGNORECASE | re.MULTILINE,
)


_GIVEN = re.compile(r"pass|return|(?:return|\w+ =) (?:None|True|False|-?\d+(?:\.\d+)?|''|\"\"|\[\]|\{\}|\(\))")
_NOTE = re.compile(r"#.*\b(TO[- ]?DO|FIXME)\b", re.IGNORECASE)
_REGION = re.compile(
    r"^[ \t]*#+ *(?:BEGIN|START) +(?:YOUR +)?(?:SOLUTION|CODE|ANSWER)\b.*\n((?:.*\n)*?)[ \t]*#+ *END +(?:OF +)?(?:YOUR +)?(?:SOLUTION|CODE|ANSWER)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands between the marks of nbgrader, or of a course."""
_HOLE = re.compile(r"pass|\.\.\.|(?:return|[\w, ]+ =) (?:None|\.\.\.)|return|raise NotImplementedError\b.*")
"""A line that such a place comes with while nobody has written there."""
_REPLACE_NONE = re.compile(
    r"#.*\breplace\W+(?:(?:the|all|each|every)\W+)*None\b\W*"
    r"(?:$|(?:with|by)\W+(?:(?:your|the|an?|some|own)\W+)*(?:correct|right|appropriate|suitable|proper|code|answer|solution|expression|call)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A course's word for what is to be written; who replaces ``None`` by a value in a table says so in other words."""


def is_skeleton(source: str, *, notes: bool = True, raises: bool = True) -> bool:
    """True for a cell that somebody was to complete: placeholders, ``...``, "your code here".

    ``notes``: a ``# TODO`` counts, too; it stands in finished code as often as in an exercise. ``raises``: so does ``raise NotImplementedError``; in
    code that was reached and failed with another error it is a method that heirs have.
    """
    if _SKELETON.search(source) or (notes and _NOTE.search(source)) or has_open_place(source):
        return True
    tree = src.parse(source)
    if tree is None:
        return any(re.search(r"(?<![\w'\"])_{3,}(?![\w'\"])", line.partition("#")[0]) for line in source.splitlines())
    declared, after_return = _list_declared(tree), _list_after_return(tree)
    for node in ast.walk(tree):
        if id(node) in declared:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and re.fullmatch(r"_{3,}", node.id):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...:
            return True
        is_stub = raises and isinstance(node, ast.Raise) and node not in after_return
        if is_stub and "NotImplementedError" in src.dump_tree(node):
            return True
    return False


def has_open_place(source: str) -> bool:
    """True where the marks of a course have nothing between them, a note is followed by nothing but ``pass`` or by a value that stands for
    the answer, or ``None`` is still there that was to be replaced."""
    for region in _REGION.finditer(source):
        lines = [line.strip().partition("#")[0].strip() for line in region[1].splitlines()]
        if all(not line or _HOLE.fullmatch(line) for line in lines):
            return True
    tree = src.parse(source)
    if tree is None:
        return False
    if _REPLACE_NONE.search(source) and _has_open_none(tree):
        return True
    lines = source.splitlines()
    return any(_is_open_block(head, block, lines) for head, block in _list_blocks(tree))


def _has_open_none(tree: ast.Module) -> bool:
    """True where ``None`` stands for a value; who asks ``is None``, or has it as a default, means it."""
    meant: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            meant |= {node.left, *node.comparators}
        elif isinstance(node, ast.arguments):
            meant |= {*node.defaults, *(d for d in node.kw_defaults if d is not None)}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            meant.add(node.returns)
    return any(isinstance(n, ast.Constant) and n.value is None and n not in meant for n in ast.walk(tree))


def _list_blocks(tree: ast.Module) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(node, ast.stmt) and isinstance(block, list) and block:
                yield node, block


def _is_open_block(head: ast.AST, block: list[ast.stmt], lines: list[str]) -> bool:
    """A function of nothing but what an exercise comes with, or a loop of nothing but ``pass``, and a note in it, or right above it, that
    asks for more. A branch that does nothing yet is found in finished code too."""
    is_function = isinstance(head, ast.FunctionDef | ast.AsyncFunctionDef)
    if not is_function and not isinstance(head, ast.For | ast.While):
        return False
    written = (ast.unparse(n) for n in block if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)))
    if not all(_GIVEN.fullmatch(line) if is_function else line == "pass" for line in written):
        return False
    first = block[0].lineno - 1
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return any("#" in t and (_NOTE.search(t) or _SKELETON.search(t)) for t in lines[first : block[-1].end_lineno])


def _list_after_return(tree: ast.Module) -> set[ast.stmt]:
    """Statements that are never reached, as their block has returned: what an exercise came with, below what somebody has written."""
    after: set[ast.stmt] = set()
    for _, block in _list_blocks(tree):
        first = next((at for at, n in enumerate(block) if isinstance(n, ast.Return)), len(block))
        after.update(block[first + 1 :])
    return after


def _list_declared(tree: ast.Module) -> set[int]:
    """The statements of methods that are only declared: abstract ones, and those that another class of the source has, too."""
    declared: set[int] = set()
    classes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    methods = [(c, m) for c in classes for m in c.body if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)]
    for owner, method in methods:
        marks = {ast.unparse(d).rpartition(".")[2] for d in method.decorator_list}
        bases = {ast.unparse(b).rpartition(".")[2] for b in owner.bases}
        heirs = {c.name for c in classes if any(ast.unparse(b) == owner.name for b in c.bases)}
        is_replaced = any(
            c.name in heirs and (m.name == method.name or is_near_method(method.name, m, c)) for c, m in methods
        )
        if marks & {"abstractmethod", "overload", "abstractproperty"} or "Protocol" in bases or is_replaced:
            declared |= {id(n) for statement in method.body for n in ast.walk(statement)}
    return declared


def is_near_method(wanted: str, method: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef) -> bool:
    """True for a method whose name is a slip of the one that is wanted, which its class does not have."""
    has = any(isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef) and m.name == wanted for m in owner.body)
    return not has and len(wanted) >= 4 and is_plain_slip(method.name, wanted)


def has_attempt(source: str) -> bool:
    """True where somebody has written code below the note that asks for it, beside it, or up to a `return` above it, and left no hole in it."""
    lines = source.splitlines()
    codes = _cut_notes(lines)
    first = next((n for n, code in enumerate(codes) if code is not None), None)
    if first is None:
        return False
    above = [line.strip() for line in lines[:first] if line.strip()]
    below = [(codes[first] or "").strip(), *(line.strip() for line in lines[first + 1 :])]
    written = any(line and not _is_given(line) for line in below)
    written = written or bool(above and above[-1].startswith("return "))
    return written and not has_open_place(source) and not is_skeleton(_drop_notes(lines))


def has_code(source: str) -> bool:
    """True where somebody has written code, wherever the note stands that asks for more, and left no hole in it."""
    rest = _drop_notes(source.splitlines())
    written = any(line.strip() and not _is_given(line.strip()) for line in rest.splitlines())
    return written and not has_open_place(source) and not is_skeleton(rest)


def _drop_notes(lines: list[str]) -> str:
    codes = zip(lines, _cut_notes(lines), strict=True)
    return "\n".join(line if code is None else code for line, code in codes)


def _cut_notes(lines: list[str]) -> list[str | None]:
    return [_cut_note(line, lines[n + 1 :]) for n, line in enumerate(lines)]


def _cut_note(line: str, below: list[str]) -> str | None:
    """What stands before the note that asks for code, in a line that has one; None in any other. A hole keeps its note, but for what is added to
    ``below`` it: there somebody has begun with it."""
    code, sign, note = line.partition("#")
    if not sign or not is_skeleton("#" + note):
        return None
    is_hole = bool(code.strip()) and _is_given(code.strip()) and not _is_added_to(code.partition("=")[0].strip(), below)
    return None if is_hole else code.rstrip()


def _is_added_to(name: str, below: list[str]) -> bool:
    added = rf"\s*{re.escape(name)}(?:\.(?:append|add|extend|update|insert)\(|\[.+\] *[-+*]?=[^=]| *[-+*]=)"
    return name.isidentifier() and any(re.match(added, line) for line in below)


def _is_given(line: str) -> bool:
    """A line that the exercise itself may come with: a comment, a head, a check, a value that stands for the answer."""
    return line.startswith(("#", "assert ", "def ")) or _GIVEN.fullmatch(line) is not None
