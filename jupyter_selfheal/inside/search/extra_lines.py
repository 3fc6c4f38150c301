"""Lines that are printed and not expected: ``print(a == b)``, with which somebody looked at what goes on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit, splice
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_blocks import list_blocks


def list_extra_lines(text: str, expected: str) -> Iterator[Change]:
    """The changes that take out a ``print`` whose text is not in what is expected, or that has none, or that stands there twice.

    Only where the source has more of them than lines are expected: one of fewer belongs to a line.
    """
    source = Source(text)
    calls = [n for n in source.order if isinstance(n, ast.Expr) and _is_print(n.value)]
    if len(calls) <= len(expected.strip().splitlines()):
        return
    alone_in_block = {id(block[0]) for n in source.order for block in list_blocks(n) if len(block) == 1}
    met: set[str] = set()
    for call in calls:
        twice = (shown := ast.unparse(call)) in met
        met.add(shown)
        said = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        if not twice and any(part and part in expected.lower() for value in said for part in value.lower().split()):
            continue
        alone = id(call) in alone_in_block
        edit = (source.start_of(call), source.end_of(call), "pass" if alone else "")
        start = text.rfind("\n", 0, edit[0]) + 1
        end = text.find("\n", edit[1]) + 1 or len(text)
        if not alone and text[start:end].strip() == text[edit[0] : edit[1]]:
            edit = (start, end, "")
        elif not alone:
            continue  # another statement, or a comment, shares its line
        yield Change((edit,), 0.3, call.lineno, f"`{shown}` prints a line that is not expected")


def drop_emptied_texts(before: str, text: str) -> str:
    """A source without what a change of its texts has left empty: ``print("", end="")``, the prompt of ``input("")``."""
    source = Source(text)
    edits: list[Edit] = []
    for block in (b for n in source.order for b in list_blocks(n)):
        silent = [n for n in block if isinstance(n, ast.Expr) and _is_silent(n.value)]
        if len(silent) < len(block):
            whole = [n for n in silent if source.read_indent(n) is not None and _ends_its_line(source, n)]
            edits += [source.find_line_span(n) for n in whole if source.text_of(n) not in before]
    for call in source.order:
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "input"
            and len(call.args) == 1
        ):
            prompt = call.args[0]
            if isinstance(prompt, ast.Constant) and prompt.value == "" and source.text_of(call) not in before:
                edits.append((source.start_of(prompt), source.end_of(prompt), ""))
    return splice(text, edits)


def _is_silent(node: ast.expr) -> bool:
    if not (_is_print(node) and isinstance(node, ast.Call) and len(node.args) == 1):
        return False
    ends = {k.arg: k.value for k in node.keywords}
    values = (node.args[0], ends.get("end"))
    return list(ends) == ["end"] and all(isinstance(v, ast.Constant) and v.value == "" for v in values)


def _ends_its_line(source: Source, node: ast.Expr) -> bool:
    end = source.end_of(node)
    return source.text[end:].partition("\n")[0].strip() in ("", ";")


def _is_print(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
