"""A piece of source with its tree: text of nodes, edits by position, and parentheses added only where they matter.

Every candidate is a splice of text, never an unparsed tree, so that the winner keeps the user's formatting and comments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.positions import Edit, LineTable, splice

_ATOMS = (
    ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.JoinedStr,
)  # fmt: skip


class Source:
    """The text of one top-level statement, its tree, and where each node is. Raises SyntaxError where it does not parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.lines = LineTable(text)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.order: list[ast.AST] = []
        self._starts: dict[ast.AST, int] = {}
        self._ends: dict[ast.AST, int] = {}
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            self.order.append(node)
            children = list(ast.iter_child_nodes(node))
            for child in children:
                self.parents[child] = node
            stack.extend(reversed(children))

    def start_of(self, node: Any) -> int:
        """Where the node begins (a decorated definition: at ``def``)."""
        start = self._starts.get(node)
        if start is None:
            start = self._starts[node] = self.lines.offset(node.lineno, node.col_offset)
        return start

    def end_of(self, node: Any) -> int:
        """Where the node ends."""
        end = self._ends.get(node)
        if end is None:
            end = self._ends[node] = self.lines.offset(node.end_lineno, node.end_col_offset)
        return end

    def text_of(self, node: ast.AST) -> str:
        """The text of a node."""
        return self.text[self.start_of(node) : self.end_of(node)]

    def parenthesize(self, node: ast.AST) -> str:
        """The text of an expression, in parentheses unless it binds tightly."""
        text = self.text_of(node)
        tight = isinstance(node, _ATOMS) or (isinstance(node, ast.Tuple | ast.GeneratorExp) and text.startswith("("))
        return text if tight and "\n" not in text else f"({text})"

    def replace_node(self, node: ast.AST, text: str) -> Edit:
        """The edit that puts an expression's text in the place of ``node``, in parentheses; ``tidy`` drops idle ones."""
        bare = text.replace("_", "a").replace(".", "a").isalnum()
        return (
            self.start_of(node),
            self.end_of(node),
            text if bare and not isinstance(node, ast.GeneratorExp) else f"({text})",
        )

    def walk_upwards(self, node: ast.AST) -> Iterator[ast.AST]:
        """The ancestors, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def find_next_statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement below another one in its block."""
        for name in ("body", "orelse", "finalbody"):
            body = getattr(self.parents[node], name, None)
            if isinstance(body, list) and node in body[:-1]:
                following: ast.stmt = body[body.index(node) + 1]
                return following
        return None

    def find_previous_statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement above another one in its block."""
        for name in ("body", "orelse", "finalbody"):
            body = getattr(self.parents.get(node), name, None)
            if isinstance(body, list) and node in body[1:]:
                previous: ast.stmt = body[body.index(node) - 1]
                return previous
        return None

    def read_indent(self, node: ast.AST) -> str | None:
        """The indentation of a statement that begins its line, else None."""
        before = self.text[self.lines.starts[node.lineno - 1] : self.start_of(node)]  # type: ignore[attr-defined]
        return before if not before.strip() else None

    def find_line_span(self, node: ast.AST) -> Edit:
        """The span of whole lines that a statement takes, with its comment and line end."""
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])  # type: ignore[attr-defined]
        return self.lines.starts[first - 1], self.lines.starts[node.end_lineno], ""  # type: ignore[attr-defined]


def drop_idle_parentheses(text: str, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The same edits without the parentheses whose absence changes nothing."""
    if not any("(" in new for _, _, new in edits):
        return edits
    try:
        same = dump_tree(ast.parse(splice(text, edits)))
    except SyntaxError:
        return edits
    shorter = list(edits)
    for n, (start, end, new) in enumerate(edits):
        for a, b in _list_parentheses(new):
            short = shorter[n][2]
            if short[a : a + 1] != "(" or short[b : b + 1] != ")":
                continue
            trial = short[:a] + "\0" + short[a + 1 : b] + "\0" + short[b + 1 :]
            attempt = [*shorter[:n], (start, end, trial.replace("\0", "")), *shorter[n + 1 :]]
            if _dump_tree(splice(text, attempt)) == same:
                shorter[n] = (start, end, trial)
        shorter[n] = (start, end, shorter[n][2].replace("\0", ""))
    return tuple(shorter)


def _dump_tree(text: str) -> str:
    try:
        return dump_tree(ast.parse(text))
    except SyntaxError:
        return ""


def _list_parentheses(text: str) -> list[tuple[int, int]]:
    opened, pairs = [], []
    for at, c in enumerate(text):
        if c == "(":
            opened.append(at)
        elif c == ")" and opened:
            pairs.append((opened.pop(), at))
    return sorted(pairs)
