"""Failing tests as a cell: calls with their parameters, for the healers to work on. What such a cell cannot hold only proves."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_selfheal import source as src

MOST_CHECKS = 60
"""Tests of one file that a cell is made of."""


@dataclass(slots=True)
class TestCell:
    """``imports`` are the lines that the tests' names come from, ``code`` the tests, ``files`` where the names are defined."""

    __test__ = False

    imports: dict[str, str] = field(default_factory=dict)
    code: list[str] = field(default_factory=list)
    files: set[Path] = field(default_factory=set)
    tests: list[str] = field(default_factory=list)

    @property
    def source(self) -> str:
        """The code of the cell."""
        return "\n".join(self.code)


def build_test_cell(text: str, tests: Mapping[str, Mapping[str, Any]]) -> TestCell:
    """The tests of one file (``text``) that need nothing but their parameters, in the file's order."""
    builder = _Builder(text)
    for test_id, test in tests.items():
        if len(builder.cell.tests) < MOST_CHECKS and test["outcome"] in ("passed", "failed"):
            builder.add(test_id, test)
    return builder.cell


class _Builder:
    """Collects the cell of one file of tests."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.cell = TestCell()
        self._statements = {
            s.node.name: s.node for s in src.list_statements(text) if isinstance(s.node, ast.FunctionDef)
        }
        self._there: set[str] = set()

    def add(self, test_id: str, test: Mapping[str, Any]) -> None:
        """Put a test into the cell, if a cell can hold it."""
        function = self._statements.get(str(test.get("function")))
        parameters: Mapping[str, Any] = test.get("parameters", {})
        if function is None or test.get("in_class") or test.get("fixtures") or None in parameters.values():
            return
        if not all(ast.unparse(d).startswith("pytest.mark.") for d in function.decorator_list):
            return
        body = list(_list_own_statements(function))
        if not self._add_names(function, test["names"]):
            return
        if parameters and all(isinstance(s, ast.Assert) for s in body) and not _binds_any(body, parameters):
            self.cell.code += [_write_with_values(s, parameters) for s in body]
        else:
            self._add_definition(function, body)
            self.cell.code.append(f"{function.name}({', '.join(f'{n}={v}' for n, v in parameters.items())})")
        self.cell.tests.append(test_id)

    def _add_definition(self, function: ast.FunctionDef, body: Sequence[ast.stmt]) -> None:
        if function.name in self._there:
            return
        self._there.add(function.name)
        plain = copy.copy(function)
        plain.body, plain.decorator_list = list(body) or [ast.Pass()], []
        self.cell.code.append(ast.unparse(ast.fix_missing_locations(plain)) + "\n\n")

    def _add_names(self, node: ast.AST, origins: Mapping[str, Sequence[str]]) -> bool:
        """Import or define what a statement of the file reads; False where somebody else makes it."""
        names = src.find_names(src.extract_text(self.text, node))
        for name in sorted((names.uses | names.changes) - set(src.BUILTINS) - names.binds):
            if name in self._there or name in self.cell.imports:
                continue
            if name in origins:
                if not self._add_import(name, *origins[name]):
                    return False
            elif not self._add_statement(name, origins):
                return False
        return True

    def _add_import(self, name: str, module: str, qualified: str, file: str) -> bool:
        if "." in qualified or "<" in qualified:
            return False
        if not qualified:
            self.cell.imports[name] = f"import {module}" if module == name else f"import {module} as {name}"
        else:
            alias = "" if qualified == name else f" as {name}"
            self.cell.imports[name] = f"from {module} import {qualified}{alias}"
        if file:
            self.cell.files.add(Path(file).resolve())
        return True

    def _add_statement(self, name: str, origins: Mapping[str, Sequence[str]]) -> bool:
        """Put the file's own statement that binds a name into the cell, after what it reads."""
        for statement in src.list_statements(self.text):
            if name in src.collect_names([statement.node]).binds and isinstance(
                statement.node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
            ):
                self._there.add(name)
                if not self._add_names(statement.node, origins):
                    return False
                self.cell.code.append(src.extract_text(self.text, statement.node) + "\n")
                return True
        return False


def _list_own_statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """The statements of a test that ran, without its description and the conditions under which it would have been skipped."""
    for number, statement in enumerate(function.body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and not number:
            continue
        if isinstance(statement, ast.If) and not statement.orelse and len(statement.body) == 1:
            only = statement.body[0]
            if isinstance(only, ast.Expr) and ast.unparse(only).startswith("pytest.skip("):
                continue
        yield statement


def _binds_any(body: Sequence[ast.stmt], names: Mapping[str, Any]) -> bool:
    nodes = (n for s in body for n in ast.walk(s))
    return any(
        (isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) and n.id in names)
        or (isinstance(n, ast.arg) and n.arg in names)
        for n in nodes
    )


class _WriteValues(ast.NodeTransformer):
    """Parameters as the values that they have, and ``f(*[1, 2])`` as ``f(1, 2)``."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        text = self._values.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        arguments: list[ast.expr] = []
        for argument in node.args:
            inner = argument.value if isinstance(argument, ast.Starred) else None
            arguments += inner.elts if isinstance(inner, ast.List | ast.Tuple) else [argument]
        node.args = arguments
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``[1, 2][-1]`` is its item: a check with a value in it says more than one that computes it."""
        self.generic_visit(node)
        try:
            return ast.parse(repr(ast.literal_eval(node.value)[ast.literal_eval(node.slice)]), mode="eval").body
        except (ValueError, TypeError, LookupError, SyntaxError):
            return node


def _write_with_values(statement: ast.stmt, values: Mapping[str, str]) -> str:
    copied = ast.parse(ast.unparse(statement)).body[0]
    return ast.unparse(ast.fix_missing_locations(_WriteValues(values).visit(copied)))
