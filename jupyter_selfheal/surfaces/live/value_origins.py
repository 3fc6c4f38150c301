"""Where a value came from, cell by cell: the backward slice of one name, told with the values that stand there now.

After Weiser, "Program slicing" (ICSE 1981), over the cells in the order in which they ran.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case
from jupyter_selfheal.surfaces.live.value_descriptions import describe_value, find_odd_text, is_of, shorten

MOST_STEPS = 8
"""Values that are told in all: an explanation is read, not studied."""

DEEPEST = 4
"""Steps back from the failing line."""

UNTOLD = ("module", "function", "type", "builtin_function_or_method")
"""Types of what a line calls rather than reads."""

EMPTY = ast.Module([], [])


class OriginTeller:
    """Tells of the values that one failing line reads, each once. ``names`` are the user's variables as they are now."""

    def __init__(self, case: Case, names: Mapping[str, Any]) -> None:
        self._case = case
        self._names = names
        self._cells = [c for c in case.notebook.list_code_before(case.failure.cell_id) if c.runs or c.unfinished]
        self._told: set[str] = set()

    def tell(self, node: ast.AST, line: int = 0, depth: int = 1) -> Iterator[str]:
        """The values that a piece of code reads, and under each those that it was made from.

        ``line`` is where the code stands in the failing cell; 0 where it stands in another.
        """
        for name in list_values_read(node, self._names):
            if name in self._told or len(self._told) >= MOST_STEPS:
                continue
            self._told.add(name)
            cell_id, source, binding = self._find_maker(name, line)
            origin = f", since {self.name_cell(cell_id)}: `{_extract_head(source, binding)}`" if binding else ""
            value = describe_value(self._names[name], name)
            yield f"{'  ' * depth}`{name}` is {value}{origin}{self._tell_changes(name, cell_id)}"
            yield from self._tell_columns(name, node, binding, depth + 1)
            if binding is not None and depth < DEEPEST:
                yield from self.tell(_find_made_from(binding), 0, depth + 1)

    def name_cell(self, cell_id: str) -> str:
        """``cell [3]`` for one that ran in this session (see :meth:`~.Notebook.name_cell`)."""
        return "this cell" if cell_id == self._case.failure.cell_id else self._case.notebook.name_cell(cell_id)

    def _find_maker(self, name: str, line: int) -> tuple[str, str, ast.stmt | None]:
        """The last cell that makes the name, its source and the statement; of the failing cell what stands above the line."""
        failure = self._case.failure
        above = [(failure.cell_id, failure.source, line)] if line else []
        for cell_id, source, before in [*above, *((c.id, c.source, 0) for c in reversed(self._cells))]:
            binding = _find_binding(source, name, before) if name in source else None
            if binding is not None:
                return cell_id, source, binding
        return "", "", None

    def _tell_changes(self, name: str, maker: str) -> str:
        """The cells below the maker that change the value in place; one that failed at its only statement changed nothing."""
        at = next((n for n, cell in enumerate(self._cells) if cell.id == maker), len(self._cells))
        ran = [
            c for c in self._cells[at + 1 :] if name in c.source and not (c.unfinished and _is_one_statement(c.source))
        ]
        below = [c for c in ran if name in src.find_names(c.source).changes]
        return f"; changed in {', '.join(self.name_cell(c.id) for c in below[:3])}" if below else ""

    def _tell_columns(self, name: str, node: ast.AST, binding: ast.stmt | None, depth: int) -> Iterator[str]:
        """Of a table: the columns that the code reads and that hold texts."""
        table = self._names[name]
        if not is_of(table, "pandas") or type(table).__name__ != "DataFrame":
            return
        for column in dict.fromkeys(_list_columns_read(node, name)):
            odd = _find_odd_text(table, column) if column in table.columns else None
            if odd is not None:
                reader = _find_reader(binding) if binding is not None else ""
                where = f", where `{reader}` read {odd!r}" if reader else f", for example {odd!r}"
                yield f"{'  ' * depth}its column `{column}` holds text{where}"


def _is_one_statement(source: str) -> bool:
    tree = src.parse(source)
    return tree is not None and len(tree.body) == 1 and not hasattr(tree.body[0], "body")


def list_values_read(node: ast.AST, names: Mapping[str, Any]) -> list[str]:
    """Names of variables that a piece of code reads, in its order; modules, functions and classes are left out, and what a comprehension
    or a ``lambda`` of it binds for itself."""
    reads = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    own = set(_list_own_names(node))
    return [n for n in dict.fromkeys(reads) if n in names and n not in own and not _is_called(names[n])]


def _is_called(value: Any) -> bool:
    """Whether it is a module, a function or a class: what a line calls rather than reads."""
    return issubclass(type(value), type) or type(value).__name__ in UNTOLD


def _list_own_names(node: ast.AST) -> Iterator[str]:
    """Names of comprehensions and lambdas, which are not the variables of that name."""
    for part in ast.walk(node):
        if isinstance(part, ast.comprehension):
            yield from (n.id for n in ast.walk(part.target) if isinstance(n, ast.Name))
        elif isinstance(part, ast.Lambda):
            yield from (argument.arg for argument in ast.walk(part.args) if isinstance(argument, ast.arg))


def parse_line(text: str) -> ast.Module:
    """A line of source, also the head of a loop or an ``if``; empty where it cannot be read by itself."""
    line = text.strip()
    return src.parse(line) or src.parse(f"{line}\n    pass") or src.parse(f"if 1: pass\n{line}\n    pass") or EMPTY


def _find_binding(source: str, name: str, before: int) -> ast.stmt | None:
    """The last statement which binds the name outside of functions; above the line ``before`` where that is not 0."""
    tree = src.parse(source)
    if tree is None:
        return None
    bindings = [
        s for s in _walk_statements(tree.body) if name in _list_targets(s) and (not before or s.lineno < before)
    ]
    return bindings[-1] if bindings else None


def _walk_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in order, with those inside of loops and conditions, not of functions and classes."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for part in ("body", "orelse", "finalbody"):
                yield from _walk_statements(getattr(statement, part, ()))


def _list_targets(statement: ast.stmt) -> set[str]:
    """Names that the statement itself binds."""
    targets: list[ast.AST] = list(getattr(statement, "targets", ())) if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign | ast.AnnAssign | ast.For | ast.AsyncFor):
        targets.append(statement.target)
    if isinstance(statement, ast.With | ast.AsyncWith):
        targets += [item.optional_vars for item in statement.items if item.optional_vars is not None]
    stores = (n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
    return {n.id for n in stores if isinstance(n.ctx, ast.Store)}


def _find_made_from(binding: ast.stmt) -> ast.AST:
    """What a binding reads: the value of an assignment, what a loop goes over, what a ``with`` opens."""
    if isinstance(binding, ast.For | ast.AsyncFor):
        return binding.iter
    if isinstance(binding, ast.With | ast.AsyncWith):
        return ast.Tuple([item.context_expr for item in binding.items], ast.Load())
    return getattr(binding, "value", None) or EMPTY


def _extract_head(source: str, statement: ast.stmt) -> str:
    """Its first line, not too long to be read."""
    text = src.extract_text(source, statement)
    return shorten(text.strip().split("\n", 1)[0], 70)


def _list_columns_read(node: ast.AST, name: str) -> list[str]:
    """Texts with which the code subscripts the table."""
    return [
        n.slice.value
        for n in ast.walk(node)
        if isinstance(n, ast.Subscript)
        and isinstance(n.value, ast.Name)
        and n.value.id == name
        and isinstance(n.slice, ast.Constant)
        and isinstance(n.slice.value, str)
    ]


def _find_odd_text(table: Any, column: str) -> str | None:
    series = table[column]
    return find_odd_text(series) if type(series).__name__ == "Series" else None


def _find_reader(statement: ast.stmt) -> str:
    """The function that read a file in a statement: ``read_csv``; empty where there is none."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            called = read_called_name(node)
            if called.startswith(("read_", "load", "genfromtxt")):
                return called
    return ""
