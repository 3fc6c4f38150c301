"""REV302: a test that nobody called, and that fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import list_read_names

_RUNNER = re.compile(r"\b(pytest|ipytest|unittest|nose)\b")


class UncalledTests(Check):
    """A test function that no cell calls fails when it is called.

    **Doubt** The cell defines `test_…` without parameters, no cell names it, and calling it in a fork, after the cell and after the
    notebook, ends in an AssertionError.

    **Silent** Where a cell calls it or a test runner is at work; on functions with parameters or decorators; on any other
    error, which may come of what only the runner provides.

    **What to do** Call it, and mend what it finds.
    """

    code = "REV302"
    name = "failing test that nobody called"
    must_last = True

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        tests = [
            s
            for s in cell.body
            if isinstance(s, ast.FunctionDef)
            and re.match(r"test(_|\d|$)", s.name)
            and not s.decorator_list
            and s.name not in cell.rebound
            and any(isinstance(n, ast.Assert) for n in ast.walk(s))
        ]
        code = [c.source for c in cell.notebook.cells if c.kind == "code"]
        if not tests or any(_RUNNER.search(source) for source in code):
            return
        trees = [tree for source in code if (tree := src.parse(source)) is not None]
        named = list_read_names(trees)
        names = [t.name for t in tests if t.name not in named]
        failing = cell.ask("review_values", "list_failing_tests", names=names) if names else None
        for test in tests:
            if isinstance(failing, dict) and test.name in failing:
                line, message = failing[test.name]
                what = f"`{test.name}` was never called, and it fails{': ' + message if message else ''}."
                at = ast.Pass(lineno=test.lineno + int(line))
                yield cell.build_doubt(self.code, at, what, f"Call `{test.name}()`, and mend what it finds.")
