"""What of a cell's source can be left out: statements inside of others, items of what is written out, lines of a text, a file's
lines. Each way gives the source without it, as text: what stays keeps its form. Pure, but for reading the files that are named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from jupyter_selfheal import source as src

LONG_TEXT = 24
"""Characters from which a text is made smaller."""

MOST_FILE_BYTES = 200_000
"""A file that is larger is not written into the notebook."""


def split_statements(source: str) -> tuple[str, ...]:
    """The top-level statements as they stand; the whole cell where it cannot be parsed, or is a cell magic's."""
    statements = src.list_statements(source)
    if not statements or source.lstrip().startswith("%%"):
        return (source,)
    lines = source.splitlines()
    return tuple("\n".join(lines[s.first - 1 : s.last]) for s in statements)


def list_without_inner_statement(source: str) -> Iterator[str]:
    """The source without one statement inside of another, each in turn, the last first: what needs another goes before it."""
    for node in reversed(list(ast.walk(src.parse(source) or ast.Module([], [])))):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(node, ast.Module) or not isinstance(body, list):
                continue
            for statement in reversed(body):
                if isinstance(statement, ast.stmt) and not isinstance(statement, ast.Pass):
                    yield _cut_statement(source, statement, is_alone=len(body) == 1)


def _cut_statement(source: str, statement: ast.stmt, *, is_alone: bool) -> str:
    begin, end = src.find_span(source, statement)
    if is_alone:
        return source[:begin] + "pass" + source[end:]
    line = source.rfind("\n", 0, begin) + 1
    begin = line if not source[line:begin].strip() else begin
    return source[:begin] + source[end:].lstrip("; \t").removeprefix("\n")


def count_literals(source: str) -> int:
    """How many collections and long texts are written out in the source."""
    return len(_list_literals(source))


def list_parts(source: str, at: int) -> tuple[str, ...]:
    """The items of the n-th literal, as they stand; the lines (or words) of a text."""
    literals = _list_literals(source)
    if at >= len(literals):
        return ()
    node = literals[at]
    if isinstance(node, ast.Constant):
        return _split_text(str(node.value))
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return tuple(
            f"{src.extract_text(source, k)}: {src.extract_text(source, v)}" if k else f"**{src.extract_text(source, v)}"
            for k, v in pairs
        )
    assert isinstance(node, ast.List | ast.Set | ast.Tuple)
    return tuple(src.extract_text(source, item) for item in node.elts)


def replace_parts(source: str, at: int, parts: Sequence[str]) -> str:
    """The source in which the n-th literal has these parts only."""
    node = _list_literals(source)[at]
    begin, end = src.find_span(source, node)
    if isinstance(node, ast.Constant):
        text = repr("".join(parts))
    elif isinstance(node, ast.Tuple):
        text = f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    elif isinstance(node, ast.Set):
        text = f"{{{', '.join(parts)}}}" if parts else "set()"
    else:
        text = f"{{{', '.join(parts)}}}" if isinstance(node, ast.Dict) else f"[{', '.join(parts)}]"
    return source[:begin] + text + source[end:]


def _list_literals(source: str) -> list[ast.expr]:
    """Collections with items and long texts, in the order in which they stand; not what an f-string or a target holds."""
    tree = src.parse(source)
    found = [n for n in ast.walk(tree) if _is_literal(n)] if tree is not None else []
    inside = {
        part for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, ast.JoinedStr) for part in ast.walk(n)
    }
    literals = [n for n in found if isinstance(n, ast.expr) and n not in inside]
    return sorted(literals, key=lambda n: (n.lineno, n.col_offset, -(n.end_lineno or 0), -(n.end_col_offset or 0)))


def _is_literal(node: ast.AST) -> bool:
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Dict | ast.Set):
        return True
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) >= LONG_TEXT


def _split_text(text: str) -> tuple[str, ...]:
    lines = text.splitlines(keepends=True)
    return tuple(lines) if len(lines) > 1 else tuple(part + " " for part in text.split(" "))


def list_with_file_inside(source: str, folder: str) -> Iterator[str]:
    """The source with a file that it reads written into it, one after another, so that the notebook needs it no more."""
    for node in src.walk(source):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        first = node.args[0]
        if node.func.attr in ("read_csv", "read_table", "read_json") and isinstance(first, ast.Constant):
            text = _read_file(Path(folder, str(first.value)))
            if text:
                begin, end = src.find_span(source, first)
                yield f"import io\n{source[:begin]}io.StringIO({text!r}){source[end:]}"


def _read_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= MOST_FILE_BYTES else ""
    except (OSError, ValueError):
        return ""
