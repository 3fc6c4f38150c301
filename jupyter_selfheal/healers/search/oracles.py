"""What tells right from wrong in a notebook, apart from its asserts: the user's word, stored outputs, test functions, doctests."""

from __future__ import annotations

import ast
import doctest
import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.search.reading import has_assert, list_prose_examples
from jupyter_selfheal.model import Case, Cell, Oracle
from jupyter_selfheal.source.commented_results import list_commented_results
from jupyter_selfheal.source.rerun import DEFINITIONS

NUMPY_NUMBERS = frozenset(
    f"np.{name}" for name in ("float64", "float32", "int64", "int32", "uint8", "bool", "bool_", "str_")
)
NUMPY_TRUTHS = {"np.True_": True, "np.False_": False}
"""How NumPy shows single values since release 2 (https://numpy.org/neps/nep-0051-scalar-representation.html)."""
_SHOWN_BY_NAME = frozenset({"Counter", "Decimal", "Fraction", "OrderedDict", "deque"})
"""Classes of Python whose objects are shown as they are made."""
CELLS_BELOW = 8
"""Cells below whose comments are read."""


def find_oracle(case: Case) -> Oracle:
    """What the user said of the failing cell: the case's oracle, else the cell's metadata; what is stored where that is meant."""
    oracle = case.oracle
    if not oracle and case.notebook.index(case.failure.cell_id) >= 0:
        oracle = case.notebook.cell(case.failure.cell_id).oracle
    if not oracle.as_stored:
        return oracle
    stored = read_stored_oracle(case)
    return replace(oracle, expect=oracle.expect or stored.expect, stdout=oracle.stdout or stored.stdout)


def read_stored_oracle(case: Case) -> Oracle:
    """What the notebook holds as the cell's output from the time when it ran, as an oracle; nothing where that is an error."""
    if case.notebook.index(case.failure.cell_id) < 0:
        return Oracle()
    outputs = case.notebook.cell(case.failure.cell_id).outputs
    if any(o.output_type == "error" for o in outputs):
        return Oracle()
    shown = next((str(o.data.get("text/plain", "")) for o in outputs if o.output_type == "execute_result"), "")
    if not _is_value(shown, _list_makers(case)):
        shown = ""
    printed = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stdout")
    return Oracle(expect=shown, stdout=printed.strip())


def _list_makers(case: Case) -> frozenset[str]:
    """The notebook's own classes, and those of Python and pandas that it imports under the name that they are shown by: what they show makes them anew."""
    made = {"Timestamp", "Timedelta"}
    for source in (case.failure.source, *(c.source for c in case.notebook.list_code_before(case.failure.cell_id))):
        made |= {s.node.name for s in src.list_statements(source) if isinstance(s.node, ast.ClassDef)}
        made |= _SHOWN_BY_NAME & src.find_names(source).imports
    return frozenset(made)


def _is_value(shown: str, makers: Collection[str]) -> bool:
    """Whether what is shown is a literal, or is made of literals, NumPy's arrays and numbers, and what these classes make: ``array([0.5, 1. ])``,
    ``np.int64(3)``, ``Point(4, 6)``."""
    try:
        tree = _PlainValues(makers).visit(src.parse_expression(shown))
        ast.literal_eval(tree)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False
    return not any(isinstance(n, ast.Constant) and n.value is ... for n in ast.walk(tree))  # cut where it is shown


class _PlainValues(ast.NodeTransformer):
    """Puts what NumPy's arrays and numbers, and objects of these classes, are made of in their place."""

    def __init__(self, makers: Collection[str]) -> None:
        self.makers = makers

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = ast.unparse(node.func)
        if name in self.makers:
            parts = ast.Tuple([*node.args, *(k.value for k in node.keywords)], ast.Load())
            return ast.fix_missing_locations(self.generic_visit(parts))
        is_plain = all(k.arg == "dtype" and isinstance(k.value, ast.Constant | ast.Name) for k in node.keywords)
        is_known = name == "array" or name in NUMPY_NUMBERS
        types = {k.value.id for k in node.keywords if isinstance(k.value, ast.Name)}
        if not is_known or not is_plain or len(node.args) != 1 or not types <= {"object", "bool", "int", "float"}:
            return node
        return ast.fix_missing_locations(self.generic_visit(node.args[0]))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        value = NUMPY_TRUTHS.get(ast.unparse(node))
        return node if value is None else ast.copy_location(ast.Constant(value), node)


def list_test_functions(case: Case) -> set[str]:
    """Functions that hold asserts and return nothing, or are named like a test: they are oracles, not code."""
    names = set()
    for cell in (
        *case.notebook.list_code_before(case.failure.cell_id),
        Cell("", case.failure.source),
        *case.notebook.list_code_after(case.failure.cell_id),
    ):
        for s in src.list_statements(cell.source):
            if isinstance(s.node, ast.FunctionDef) and has_assert(s.node):
                returns = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(s.node))
                named = s.node.name.startswith(("test", "check", "verify", "assert"))
                if named or (not returns and sum(isinstance(n, ast.Assert) for n in ast.walk(s.node)) > 1):
                    names.add(s.node.name)
    return names


def list_doctests(sources: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The examples in the docstrings of sources: what is called, and what it shows."""
    for source in sources:
        tree = src.parse(source)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, DEFINITIONS) and (text := ast.get_docstring(node)):
                try:
                    examples = doctest.DocTestParser().get_examples(text)
                except ValueError:
                    continue
                yield from ((e.source, e.want) for e in examples)
                if not examples:
                    yield from ((f"{call}\n", f"{want}\n") for call, want in list_prose_examples(text, node.name))


def list_told_results(case: Case, functions: Collection[str]) -> Iterator[tuple[str, str]]:
    """What comments of the failing cell and of those below tell of calls of these functions: the call, and its result."""
    at = case.notebook.index(case.failure.cell_id)
    failing = replace(case.notebook.cells[at], source=case.failure.source) if at >= 0 else Cell("", case.failure.source)
    above = [cell.source for cell in case.notebook.list_code_before(case.failure.cell_id)]
    below = itertools.islice(case.notebook.list_code_after(case.failure.cell_id), CELLS_BELOW)
    for cell in (failing, *below) if functions else ():
        for result in list_commented_results(cell, above):
            if result.function in functions:
                yield f"{result.example}\n", f"{result.result_text}\n"
        above.append(cell.source)
