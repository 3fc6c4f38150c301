"""A change of a cell as a template: what it looks like once variables have no names of their own.

The variables of the statements concerned are numbered in the order in which they appear; attributes, arguments' names,
constants, builtins and the structure stay as they are. So a template fits a copy of the cell whose variables were renamed,
and nothing that merely looks like it: another attribute, another constant, another argument, or other names that the
error speaks of.
"""

from __future__ import annotations

import ast
import difflib
import io
import keyword
import re
import textwrap
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.positions import split_lines
from jupyter_selfheal.source import BUILTINS

Block = list[ast.stmt]
_LONG_TEXT = re.compile(r"\"\"\"|\'\'\'")


@dataclass(frozen=True, slots=True)
class Change:
    """One change: the statements ``old`` (normalised, one dump each) become the text ``new``.

    ``names`` are the variables by number, as they were called where the change was learnt; ``new`` speaks of them by those
    names. Where nothing is replaced, ``anchor`` says where ``new`` goes in: ``before`` or ``after`` the single statement of
    ``old``, or at the ``top`` of the cell (imports; ``old`` is empty).
    """

    old: tuple[str, ...]
    new: str
    names: tuple[str, ...]
    anchor: str = ""


class Naming:
    """Numbers for variables. ``fixed`` names keep themselves."""

    def __init__(self, fixed: Iterable[str] = ()) -> None:
        self.fixed = frozenset(fixed)
        self.names: list[str] = []

    def number_variable(self, name: str) -> str:
        """``v0``, ``v1`` … in the order of first appearance."""
        if name in BUILTINS or name in self.fixed:
            return name
        if name not in self.names:
            self.names.append(name)
        return f"\u00b7{self.names.index(name)}"


def normalize_node(node: ast.AST, naming: Naming) -> str:
    """The dump of a node with its variables numbered."""
    if isinstance(node, ast.Name):
        return f"Name({naming.number_variable(node.id)})"
    fields = []
    for name, value in ast.iter_fields(node):
        if name in ("ctx", "kind", "type_comment"):
            continue
        if _is_variable(node, name) and isinstance(value, str):
            fields.append(naming.number_variable(value))
        elif isinstance(node, ast.Global | ast.Nonlocal) and name == "names":
            fields.append(",".join(naming.number_variable(n) for n in node.names))
        else:
            fields.append(_normalize_field(value, naming))
    return f"{type(node).__name__}({','.join(fields)})"


def _normalize_field(value: object, naming: Naming) -> str:
    if isinstance(value, ast.AST):
        return normalize_node(value, naming)
    if isinstance(value, list):
        return "[" + ",".join(_normalize_field(v, naming) for v in value) + "]"
    return repr(value)


def _is_variable(node: ast.AST, field: str) -> bool:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler
    return (isinstance(node, kinds) and field == "name") or (isinstance(node, ast.arg) and field == "arg")


# --- learning -------------------------------------------------------------------------------------------------------


def learn_changes(old: str, new: str, fixed: Iterable[str] = ()) -> tuple[Change, ...]:
    """The changes that make ``new`` of ``old``; empty where either does not parse or they cannot be told as templates."""
    before, after = src.parse(old), src.parse(new)
    if before is None or after is None or _list_magics(old) != _list_magics(new):
        return ()
    return tuple(_find_changes(before.body, after.body, new, frozenset(fixed)))


def _list_magics(source: str) -> list[str]:
    return [line.strip() for line in source.splitlines() if line.lstrip().startswith(("%", "!"))]


def _find_changes(old: Block, new: Block, text: str, fixed: frozenset[str]) -> Iterator[Change]:
    before, after = ([src.dump_tree(n) for n in block] for block in (old, new))
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if b - a == d - c == 1 and _has_same_head(old[a], new[c]):
            for inner_old, inner_new in _pair_blocks(old[a], new[c]):
                yield from _find_changes(inner_old, inner_new, text, fixed)
            continue
        naming, anchor, concerned = Naming(fixed), "", old[a:b]
        if a == b:
            imports = all(isinstance(n, ast.Import | ast.ImportFrom) for n in new[c:d])
            anchor = "top" if imports else "before" if a < len(old) else "after"
            concerned = [] if imports or not old else [old[min(a, len(old) - 1)]]
        statements = tuple(normalize_node(n, naming) for n in concerned)
        yield Change(statements, _extract_text(text, new[c:d]), tuple(naming.names), anchor)


def _has_same_head(old: ast.stmt, new: ast.stmt) -> bool:
    """Compound statements that differ in their blocks only."""
    if type(old) is not type(new) or not _list_blocks(old):
        return False
    heads = [
        [src.dump_tree(v) if isinstance(v, ast.AST) else repr([src.dump_tree(x) if isinstance(x, ast.AST) else x for x in v] if isinstance(v, list) else v)
         for name, v in ast.iter_fields(node) if name not in _BLOCKS]
        for node in (old, new)
    ]  # fmt: skip
    return heads[0] == heads[1]


_BLOCKS = ("body", "orelse", "finalbody")


def _list_blocks(node: ast.stmt) -> list[Block]:
    return [value for name in _BLOCKS if isinstance(value := getattr(node, name, None), list)]


def _pair_blocks(old: ast.stmt, new: ast.stmt) -> Iterator[tuple[Block, Block]]:
    yield from zip(_list_blocks(old), _list_blocks(new), strict=True)


def _extract_text(source: str, block: Sequence[ast.stmt]) -> str:
    if not block:
        return ""
    start, end = src.find_span(source, block[0])[0], src.find_span(source, block[-1])[1]
    column = start - (source.rfind("\n", 0, start) + 1)
    return textwrap.dedent(" " * column + source[start:end])


# --- applying -------------------------------------------------------------------------------------------------------


def apply_changes(changes: Sequence[Change], source: str, fixed: Iterable[str] = ()) -> str | None:
    """The source with every change made; None where one of them fits nowhere, or in more than one place."""
    for change in changes:
        tree = src.parse(source)
        places = list(_find_places(tree.body, change, frozenset(fixed))) if tree is not None else []
        if len(places) != 1:
            return None
        block, at, names = places[0]
        changed = _make_change(source, block, at, change, names)
        if not changed:
            return None
        source = changed
    return source


def _find_places(body: Block, change: Change, fixed: frozenset[str]) -> Iterator[tuple[Block, int, tuple[str, ...]]]:
    """Every (block, index, variables) where the change's old statements stand."""
    if not change.old:
        if body:
            yield body, 0, ()
        return
    for at in range(len(body) - len(change.old) + 1):
        naming = Naming(fixed)
        if tuple(normalize_node(n, naming) for n in body[at : at + len(change.old)]) == change.old:
            yield body, at, tuple(naming.names)
    for node in body:
        for block in _list_blocks(node):
            yield from _find_places(block, change, fixed)


def _make_change(source: str, block: Block, at: int, change: Change, names: tuple[str, ...]) -> str | None:
    text = rename_variables(change.new, dict(zip(change.names, names, strict=True)))
    if text is None:
        return None
    start, end = src.find_span(source, block[at])[0], src.find_span(source, block[at + max(len(change.old), 1) - 1])[1]
    indent = source[source.rfind("\n", 0, start) + 1 : start]
    if indent.strip():
        return None  # not the first statement on its line
    text = textwrap.indent(text, indent)[len(indent) :] if text else ""
    if change.anchor == "after":
        return f"{source[:end]}\n{indent}{text}{source[end:]}"
    if change.anchor:
        return f"{source[:start]}{text}\n{indent}{source[start:]}"
    if not text:
        if len(block) == len(change.old):
            return None  # nothing would be left of the block
        end = source.find("\n", end) + 1 or len(source)
        start -= len(indent)
    return source[:start] + _keep_lines(source[start:end], text) + source[end:]


def _keep_lines(old: str, new: str) -> str:
    """The new text with lines of the old one where they say the same with other white space: such a line is no change.

    Within a text of several lines white space is what it says.
    """
    if _LONG_TEXT.search(new):
        return new
    written = {_read_words(line.rstrip("\r\n")): line.rstrip("\r\n") for line in split_lines(old)}
    kept = ((line, line.rstrip("\r\n")) for line in split_lines(new))
    return "".join(written.get(_read_words(body), body) + line[len(body) :] for line, body in kept)


def _read_words(line: str) -> tuple[str, ...]:
    """The indent of a line and its tokens; the line as it is where it is none of its own (in a text of several lines, say)."""
    try:
        tokens = [token.string for token in tokenize.generate_tokens(io.StringIO(line.strip() + "\n").readline)]
    except (tokenize.TokenError, SyntaxError):
        return (line,)
    return (line[: len(line) - len(line.lstrip())], *tokens)


def rename_variables(text: str, names: Mapping[str, str]) -> str | None:
    """The text with variables renamed, formatting kept; None where that cannot be done safely.

    A new name that the text already uses for something else would be captured.
    """
    moved = {old: new for old, new in names.items() if old != new}
    if not moved:
        return text
    tree = src.parse(text)
    if tree is None:
        return None
    others = _collect_identifiers(tree) - set(names)
    if others & set(moved.values()) or any(isinstance(n, ast.JoinedStr) for n in ast.walk(tree)):
        return None
    result = _rename_tokens(text, moved)
    again = src.parse(result)
    if again is None:
        return None
    naming = Naming()
    before = [normalize_node(n, naming) for n in tree.body]
    other = Naming()
    is_same = [normalize_node(n, other) for n in again.body] == before
    return result if is_same and other.names == [names.get(n, n) for n in naming.names] else None


def _collect_identifiers(tree: ast.AST) -> set[str]:
    naming = Naming()
    normalize_node(tree, naming)
    return set(naming.names)


def _rename_tokens(text: str, moved: Mapping[str, str]) -> str:
    """Replace names that are no attribute and no argument's name."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    edits, depth = [], 0
    for n, token in enumerate(tokens):
        depth += (
            {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.string, 0) if token.type == tokenize.OP else 0
        )
        if token.type != tokenize.NAME or token.string not in moved or keyword.iskeyword(token.string):
            continue
        is_attribute = n > 0 and tokens[n - 1].string == "."
        is_argument = depth > 0 and tokens[n + 1].string == "=" and tokens[n - 1].string in ("(", ",")
        if not is_attribute and not is_argument:
            line, column = token.start
            start = src.find_offset(text, line, len(text.splitlines()[line - 1][:column].encode()))
            edits.append((start, start + len(token.string), moved[token.string]))
    return src.splice(text, edits)
