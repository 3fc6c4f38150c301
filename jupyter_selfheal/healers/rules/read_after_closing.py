"""FIL111: what a file holds, gone through after the file was closed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

LAZY = frozenset({"reader", "DictReader", "enumerate", "map", "filter", "zip", "islice"})
"""What goes through a file only when it is gone through itself."""
WRITING = frozenset({"write", "writelines"})


class ReadAfterClosing(Rule):
    """Read a file while it is open.

    **Failure** `ValueError: I/O operation on closed file` at `for row in rows:`, after `with open(path) as f:` and `rows = csv.reader(f)` (or `rows = f`) in its block.

    **Fix** `rows = list(csv.reader(f))`: the items are read before the file is closed. A line right below the block that uses the file itself (`print(f.read())`) moves into it.

    **Fix safety** Safe: the same items in the same order. Silent where the name is given to `next`, which takes no list, where it is not bound in the block of the file, and where
    that block reads on: from the file, or from the name in a loop that it leaves early.
    """

    code = "FIL111"
    name = "file read after it was closed"
    enames = frozenset({"ValueError"})
    message = re.compile(r"I/O operation on closed file")
    applicability = Applicability.SAFE
    why = "The same items in the same order, read while the file is open."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        moved = _move_into_block(context)
        if moved:
            yield self.patch(
                context.replace_here(*moved),
                "Move the line into the block of its file",
                "The file is closed where its `with` ends.",
                why="The block above opens this file, and does not use it up.",
                prior=0.93,
            )
            return
        names = [n.id for n in context.list_nodes_on_line(ast.Name) if isinstance(n.ctx, ast.Load)]
        for name in dict.fromkeys(names):
            made = _find_assignment(context, name)
            if made is None or _is_stepped(context, name):
                continue
            cell_id, source, node = made
            block = _find_block(source, node)
            if block is None or _reads_on(block, node, name):
                continue
            text = src.extract_text(source, node.value)
            edits = context.replace(cell_id, [(*src.find_span(source, node.value), f"list({text})")])
            yield self.patch(
                edits,
                f"Read it at once: `{name} = list({text})`",
                f"`{name}` reads from a file that is closed where its `with` ends.",
                prior=0.93,
            )
            return


def _move_into_block(context: RuleContext) -> list[Splice]:
    """``print(f.read())`` right below the block of ``with open(path) as f:`` that has not touched the file, or has only written to it as the
    line does."""
    for body in _list_bodies(context.tree):
        for block, below in pairwise(body):
            if not isinstance(block, ast.With) or not below.lineno <= context.line <= (below.end_lineno or 0):
                continue
            files = _list_files(block)
            used = _list_methods(below, files)
            before = {m for statement in block.body for m in _list_methods(statement, files)}
            texts = (n for n in ast.walk(below) if isinstance(n, ast.Constant | ast.JoinedStr))
            if any(t.lineno != t.end_lineno for t in texts):
                return []  # a text of several lines would be indented with the rest
            if not used or (before and not before | used <= WRITING) or isinstance(below, ast.With):
                return []
            start, end = context.span(below)
            last = block.body[-1]
            indent = " " * last.col_offset
            text = context.source[start:end].replace("\n", "\n" + " " * (last.col_offset - below.col_offset))
            if len(block.body) == 1 and isinstance(last, ast.Pass):
                return [(*context.span(last), text), (context.span(last)[1], end, "")]
            return [(context.span(last)[1], end, f"\n{indent}{text}")]
    return []


def _list_bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            yield body


def _list_methods(statement: ast.stmt, files: set[str]) -> set[str]:
    """What a statement asks of the files: the methods' names, ``""`` for any other use."""
    nodes = list(ast.walk(statement))
    methods = {n.value: n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    return {methods.get(n, "") for n in nodes if isinstance(n, ast.Name) and n.id in files}


def _find_assignment(context: RuleContext, name: str) -> tuple[str, str, ast.Assign] | None:
    """Where the name was last bound, at whatever depth: a file's block is none of the top level."""
    for cell_id in context.list_cells_upwards():
        source = context.source_of(cell_id)
        if name not in src.find_names(source).binds:
            continue
        made = [n for n in src.walk(source) if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == name]
        above = [n for n in made if cell_id != context.cell_id or n.lineno < context.line]
        if above:
            return cell_id, source, max(above, key=lambda n: n.lineno)
    return None


def _find_block(source: str, node: ast.Assign) -> ast.With | None:
    """The block of ``with open(…) as f`` in which ``rows = f`` or ``rows = csv.reader(f)`` stands."""
    for block in (n for n in src.walk(source) if isinstance(n, ast.With) and node in ast.walk(n)):
        files, value = _list_files(block), node.value
        if isinstance(value, ast.GeneratorExp):
            value = value.generators[0].iter
        given = value.args if isinstance(value, ast.Call) and read_last_name(value.func) in LAZY else [value]
        if any(isinstance(a, ast.Name) and a.id in files for a in given):
            return block
    return None


def _list_files(block: ast.With) -> set[str]:
    return {i.optional_vars.id for i in block.items if isinstance(i.optional_vars, ast.Name)}


def _reads_on(block: ast.With, node: ast.Assign, name: str) -> bool:
    """Whether what is left in the file is another thing at the end of its block than where the name is bound."""
    below = [n for statement in block.body for n in ast.walk(statement) if getattr(n, "lineno", 0) > node.lineno]
    loops = [n for n in below if isinstance(n, ast.For) and getattr(n.iter, "id", "") == name]
    whole = {n.iter for n in loops if not any(isinstance(b, ast.Break | ast.Return) for b in ast.walk(n))}
    read = _list_files(block) | {name}
    return any(isinstance(n, ast.Name) and n.id in read and n not in whole for n in below)


def _is_stepped(context: RuleContext, name: str) -> bool:
    """True where a cell calls ``next(rows)``, or a method of what it goes through."""
    for cell in context.notebook.cells:
        for node in src.walk(context.source_of(cell.id)) if cell.kind == "code" else ():
            if (
                isinstance(node, ast.Call)
                and read_last_name(node.func) == "next"
                and any(getattr(a, "id", "") == name for a in node.args)
            ):
                return True
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == name:
                return True
    return False
