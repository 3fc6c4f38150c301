"""Small edits that several rules make, as splices (start, end, text)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src

Splice = tuple[int, int, str]


def add_import(source: str, line: str) -> Splice:
    """The splice that adds an import line to a cell: after the imports that it begins with, else above its first line.

    Cell magics, ``from __future__`` and a docstring stay first. A cell that does not parse gets it as its first line
    after a cell magic.
    """
    lines = source.splitlines(keepends=True)
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].lstrip().startswith("%%")):
        at += 1
    statements = src.list_statements(source)
    shared = {s.first for s in statements if not isinstance(s.node, ast.Import | ast.ImportFrom)}
    for statement in statements:
        if statement.last in shared and isinstance(statement.node, ast.Import | ast.ImportFrom):
            break  # what stands behind it on its line may use the new name
        is_magic = isinstance(statement.node, ast.Pass) and re.match(r"\s*[%!]", lines[statement.first - 1])
        is_docstring = statement.index == 0 and _is_text(statement.node)
        if not (isinstance(statement.node, ast.Import | ast.ImportFrom) or is_docstring or is_magic):
            break
        at = statement.last
    start = sum(len(text) for text in lines[:at])
    before = "\n" if start and not source[:start].endswith("\n") else ""
    after = "" if start >= len(source) else "\n"
    return start, start, before + line + after


def keep_outermost(splices: Iterable[Splice]) -> list[Splice]:
    """Without splices that lie inside others, from the top down; of several for one place the first."""
    kept: list[Splice] = []
    for splice in sorted(splices, key=lambda s: (s[0], -s[1])):
        if not kept or splice[1] > kept[-1][1]:
            kept.append(splice)
    return kept


def quote_alike(text: str, source: str) -> str:
    """A plain text in the quotes that a source uses more often."""
    quote = '"' if source.count('"') > source.count("'") else "'"
    return f"{quote}{text}{quote}"


def _is_text(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def add_imports(source: str, lines: Iterable[str]) -> list[Splice]:
    """Splices that add import lines to a cell where it does not have them already."""
    present = {line.strip() for line in source.splitlines()} | set(_list_imports(source))
    wanted = [line for line in dict.fromkeys(lines) if line and line not in present]
    return [add_import(source, "\n".join(wanted))] if wanted else []


def _list_imports(source: str) -> Iterator[str]:
    """Each name that the cell's own lines import, as a line of its own: ``from dataclasses import dataclass, field`` is two."""
    for statement in src.list_statements(source):
        node = statement.node
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from (format_import(node.module or "", a.name, a.asname or "") for a in node.names)
        elif isinstance(node, ast.Import):
            yield from (format_import(a.name, "", a.asname or "") for a in node.names)


def format_import(module: str, name: str = "", alias: str = "") -> str:
    """``import numpy as np``, ``from math import sqrt``, ``from collections import Counter as C``."""
    bound = name or module
    tail = f" as {alias}" if alias and alias != bound else ""
    return f"from {module} import {name}{tail}" if name else f"import {module}{tail}"


def rename_name(source: str, old: str, new: str, scope: ast.AST | None = None) -> list[Splice]:
    """Splices that rename every ``Name`` of that id in a cell (or below a node of it)."""
    tree = scope or src.parse(source)
    if tree is None:
        return []
    return [
        (*src.find_span(source, node), new) for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == old
    ]


def find_attribute_span(source: str, node: ast.Attribute) -> tuple[int, int]:
    """Where the attribute's own name stands: the ``b`` of ``a.b``."""
    _, end = src.find_span(source, node)
    return end - len(node.attr), end


def find_line_span(source: str, line: int) -> tuple[int, int]:
    """Character offsets of a 1-based line without its line end."""
    start = src.find_offset(source, line, 0)
    end = source.find("\n", start)
    return start, len(source) if end < 0 else end


def append_argument(source: str, call: ast.Call, text: str) -> Splice:
    """What puts one more argument behind the last one of a call, whether a comma or a comment follows that or not."""
    end = src.find_span(source, call)[1] - 1
    given = [*call.args, *(k.value for k in call.keywords)]
    if not given:
        return end, end, text
    at = max(src.find_span(source, node)[1] for node in given)
    while (closing := re.match(r"\s*\)", source[at:end])) is not None:
        at += closing.end()
    return at, at, f", {text}"


def quote_text(text: str) -> str:
    """A text as it is written in code: in double quotes where that needs no escape."""
    return repr(text) if '"' in text or "\\" in text else f'"{text}"'
