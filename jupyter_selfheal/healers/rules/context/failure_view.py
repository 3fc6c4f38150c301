"""The failure in the notebook: in which cell it came up, which syntax nodes may have raised, and edits there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, TypeVar

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import edits, nodes
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.objects import Position
from jupyter_selfheal.model import Case, Failure, Notebook, Replace
from jupyter_selfheal.ports import Facts
from jupyter_selfheal.source.source import lazy_property

Node = TypeVar("Node", bound=ast.AST)

ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict, ast.Set, ast.ListComp)


class CellLine(NamedTuple):
    """A line of a cell: the cell's id and source, and the 1-based line."""

    cell_id: str
    source: str
    line: int


@dataclass(frozen=True)
class FailureView:
    """A failure, and the cell that is looked at: the one it came up in, unless another one was asked for (``other_cell``)."""

    case: Case
    facts: Facts
    other_cell: str | None = None

    @property
    def failure(self) -> Failure:
        return self.case.failure

    @property
    def notebook(self) -> Notebook:
        return self.case.notebook

    @lazy_property
    def failing_tree(self) -> ast.Module:
        """The failing cell's tree; empty where it does not parse (syntax failures)."""
        return src.parse(self.failure.source) or ast.Module([], [])

    @property
    def failing_statement(self) -> ast.stmt | None:
        """The top-level statement that failed, if known."""
        body = self.failing_tree.body
        at = self.failure.statement
        return body[at] if 0 <= at < len(body) else None

    # --- which cell

    @lazy_property
    def failure_location(self) -> CellLine:
        """Where the exception came up in the *user's* code: the innermost frame in a cell, which may be another one than the
        failing one (a function defined above)."""
        for frame in reversed(self.failure.frames):
            if frame.cell_id and (frame.cell_id == self.failure.cell_id or self.notebook.index(frame.cell_id) >= 0):
                return CellLine(frame.cell_id, self.source_of(frame.cell_id), frame.line)
        return CellLine(self.failure.cell_id, self.failure.source, self.failure.line)

    @lazy_property
    def location(self) -> CellLine:
        """The line that is looked at: of another cell its first one."""
        if self.other_cell is None:
            return self.failure_location
        return CellLine(self.other_cell, self.source_of(self.other_cell), 1)

    @property
    def cell_id(self) -> str:
        return self.location.cell_id

    @property
    def source(self) -> str:
        return self.location.source

    @property
    def line(self) -> int:
        return self.location.line

    @lazy_property
    def tree(self) -> ast.Module:
        """The tree of the cell that is looked at; empty where it does not parse, or is in another language."""
        tree = None if src.is_foreign(self.source) else src.parse(self.source)
        return tree or ast.Module([], [])

    @property
    def _nodes(self) -> tuple[ast.AST, ...]:
        return () if src.is_foreign(self.source) else src.walk(self.source)

    def source_of(self, cell_id: str) -> str:
        """The source of any cell; the failing cell's as it ran."""
        return self.failure.source if cell_id == self.failure.cell_id else self.notebook.cell(cell_id).source

    def tree_of(self, cell_id: str) -> ast.Module:
        """The tree of any cell; empty where it does not parse."""
        return src.parse(self.source_of(cell_id)) or ast.Module([], [])

    def list_cells_upwards(self, cell_id: str | None = None) -> tuple[str, ...]:
        """Ids of a cell (the failing one) and of the code cells above it, nearest first: where what it uses was made."""
        first = cell_id or self.failure.cell_id
        return tuple(dict.fromkeys((first, *(c.id for c in reversed(self.notebook.list_code_before(first))))))

    def look_upwards(self, cell_id: str | None = None) -> Iterator[Self]:
        """This context for a cell (the failing one) and for each above it, nearest first, without those that do not parse."""
        views = map(self.view_cell, self.list_cells_upwards(cell_id))
        return (view for view in views if view.tree.body)

    def view_cell(self, cell_id: str) -> Self:
        """This context for any cell of the notebook."""
        return replace(self, other_cell=cell_id)

    # --- which nodes

    @property
    def position(self) -> Position | None:
        """Where the failing instruction stands in the cell that is looked at, if known."""
        return None

    def walk(self, *kinds: type[Node]) -> Iterator[Node]:
        """Nodes of some kinds anywhere in the cell, outermost first."""
        return (node for node in self._nodes if isinstance(node, kinds))

    def walk_notebook(self) -> Iterator[ast.AST]:
        """Every node of every code cell, in their order."""
        return (n for c in self.notebook.cells if c.kind == "code" for n in src.walk(self.source_of(c.id)))

    def list_nodes_on_line(self, *kinds: type[Node]) -> list[Node]:
        """Nodes of some kinds that cover the line, outermost first."""
        placed: list[Any] = [n for n in self.walk(*kinds) if hasattr(n, "lineno")]
        return [n for n in placed if n.lineno <= self.line <= (n.end_lineno or n.lineno)]

    def list_nodes_at_failure(self, *kinds: type[Node]) -> list[Node]:
        """Nodes of some kinds on the failing line: the failing instruction itself first (PEP 657), then those inside it, those
        around it, and the rest."""
        if self.position is None:
            return self.list_nodes_on_line(*kinds)
        position = self.position
        return sorted(self.list_nodes_on_line(*kinds), key=lambda node: _rank_node(node, position))

    def list_failing_nodes(self, *kinds: type[Node]) -> list[Node]:
        """Nodes of some kinds that may have raised: the failing instruction if it is one, else those inside it, innermost first.

        A loop over what cannot be iterated counts as the failing instruction, though Python names only what it goes over (since 3.13).
        Where the kernel cannot tell the instruction, those on the line: a rule that meets several must choose by its own evidence.
        """
        position = self.position
        if position is None:
            candidates = self.list_nodes_on_line(*kinds) if self.line else []
        else:
            candidates = [n for n in self.walk(*kinds) if hasattr(n, "lineno") and _rank_node(n, position)[0] <= 1]
            exact = [n for n in candidates if _rank_node(n, position)[0] == 0]
            loops = self._find_failing_loops(position, kinds) if "not iterable" in self.failure.evalue else []
            if exact or loops:
                return [*exact[:1], *loops] if not exact or isinstance(exact[0], ast.Call) else loops or exact[:1]
        return sorted(candidates, key=lambda n: len(self.text(n)))

    def _find_failing_loops(self, position: Position, kinds: tuple[type[Node], ...]) -> list[Node]:
        return [n for n in self.walk(*kinds) if any(_rank_node(i, position)[0] == 0 for i in list_iterables(n))]

    def list_calls_at_failure(self) -> list[ast.Call]:
        """Calls on the failing line, nearest to the failing instruction first."""
        return self.list_nodes_at_failure(ast.Call)

    def call_of(self, callee: ast.AST) -> ast.Call | None:
        """The call whose function a node is, or None."""
        return next((call for call in self.walk(ast.Call) if call.func is callee), None)

    def is_called(self, callee: ast.AST) -> bool:
        """True where a node is the function of a call."""
        return self.call_of(callee) is not None

    def is_statement(self, node: ast.AST) -> bool:
        """True where a node is a statement of its own, whose value nobody reads (unless it is the cell's last)."""
        return any(statement.value is node for statement in self.walk(ast.Expr))

    # --- text and edits

    def text(self, node: ast.AST) -> str:
        """The source text of a node of the cell."""
        return src.extract_text(self.source, node)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Character offsets [start, end) of a node of the cell."""
        return src.find_span(self.source, node)

    def find_attribute_span(self, node: ast.Attribute) -> tuple[int, int]:
        """Where an attribute's own name stands: the ``b`` of ``a.b``."""
        return edits.find_attribute_span(self.source, node)

    def operand(self, node: ast.expr) -> str:
        """Text of an expression fit to be followed by ``.name``: in parentheses unless it is an atom."""
        text = self.text(node)
        is_number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
        return text if isinstance(node, ATOMS) and not is_number else f"({text})"

    def read_plain_chain(self, node: ast.AST) -> str | None:
        """The text of a node that may be evaluated without running anything (no calls), else None."""
        return nodes.read_plain_chain(node, self.source)

    def add_imports(self, lines: Iterable[str]) -> list[Splice]:
        """Splices that add import lines to the cell where it does not have them already."""
        return edits.add_imports(self.source, lines)

    def replace(self, cell_id: str, splices: Iterable[Splice]) -> tuple[Replace, ...]:
        """One Replace of a cell by splices (start, end, text) of its source; empty where it would change nothing or
        where the result does not compile."""
        old = self.source_of(cell_id)
        new = src.splice(old, splices)
        if new == old or not src.can_compile(new):
            return ()
        return (Replace(cell_id, old, new),)

    def replace_here(self, *splices: Splice) -> tuple[Replace, ...]:
        """:meth:`replace` of the cell that is looked at."""
        return self.replace(self.cell_id, splices)


def list_iterables(node: ast.AST) -> list[ast.expr]:
    """What a loop or a comprehension goes over."""
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return [part.iter for part in node.generators]
    return []


def _rank_node(node: Any, position: Position) -> tuple[int, int]:
    """How near a node is to the failing instruction: 0 itself, 1 inside it, 2 around it, 3 beside it; then by its extent."""
    line, column, end_line, end_column = position
    first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    extent = abs(node.end_lineno - end_line) * 1000 + abs(node.end_col_offset - end_column)
    if (first, last) == ((line, column), (end_line, end_column)):
        return 0, 0
    if (line, column) <= first and last <= (end_line, end_column):
        return 1, extent
    if first <= (line, column) and (end_line, end_column) <= last:
        return 2, extent
    return 3, extent
