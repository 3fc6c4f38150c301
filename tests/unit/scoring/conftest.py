"""Trials run in this process: enough of a kernel to see what scoring makes of real outcomes."""

from __future__ import annotations

import ast
import contextlib
import io
import traceback
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.model import (
    BASELINE,
    Case,
    Cell,
    Ending,
    ErrorInfo,
    Failure,
    FailureKind,
    Isolation,
    Notebook,
    Oracle,
    Output,
    Patch,
    Probe,
    Replace,
    Role,
    Run,
    Start,
    StepResult,
    Trial,
)
from jupyter_selfheal.scoring.scorer import EvidenceScorer

NO_ORACLE = Oracle()


class InProcess:
    """Runs steps one after the other in one namespace, as a trial kernel does."""

    def __init__(self) -> None:
        self.shell = SimpleNamespace(user_ns={"__name__": "__main__"})
        self.last = SimpleNamespace(result=None, error=None, stdout="")

    def run(self, step: Run | Probe) -> StepResult:
        if isinstance(step, Probe):
            space: dict[str, Any] = {}
            exec(compile(step.source, "<probe>", "exec"), space)
            return StepResult("ok", name=step.name, value=space["probe"](self.shell, self.last, step.argument))
        out, errors, value = io.StringIO(), (), None
        try:
            tree = ast.parse(step.code)
            tail = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(out):
                exec(compile(tree, "<cell>", "exec"), self.shell.user_ns)
                if tail is not None:
                    value = eval(compile(ast.Expression(tail.value), "<cell>", "eval"), self.shell.user_ns)
        except Exception as error:
            lines = [f.lineno or 0 for f in traceback.extract_tb(error.__traceback__) if f.filename == "<cell>"]
            line = lines[0] if lines else getattr(error, "lineno", 0) or 0
            errors = (ErrorInfo(type(error).__name__, str(error), line, before_exec=isinstance(error, SyntaxError)),)
        outputs = [Output("stream", name="stdout", text=out.getvalue())] if out.getvalue() else []
        if value is not None:
            outputs.append(Output("execute_result", data={"text/plain": repr(value)}))
        if step.role is Role.CELL:
            self.last = SimpleNamespace(result=value, error=None, stdout=out.getvalue())
        return StepResult(
            "error" if errors else "ok", step.role.value, step.cell_id, outputs=tuple(outputs), errors=errors
        )


@pytest.fixture
def try_patch() -> Callable[..., Trial]:
    """try_patch(case, patch): the trial of a patch from the state before the cell, oracle steps included."""

    def run(case: Case, patch: Patch = BASELINE, scorer: EvidenceScorer | None = None) -> Trial:
        kernel, results = InProcess(), []
        for cell in case.notebook.code_before(case.failure.cell_id):
            kernel.run(Run(patch.source_of(cell.id, cell.source), cell.id, Role.SETUP))
        cell_run = Run(patch.source_of(case.failure.cell_id, case.failure.source), case.failure.cell_id)
        stopped = False
        for step in (cell_run, *(scorer or EvidenceScorer()).oracle_steps(case, patch)):
            if stopped:
                role = step.role.value if isinstance(step, Run) else Role.CELL.value
                results.append(StepResult("skipped", role, getattr(step, "cell_id", ""), getattr(step, "name", "")))
                continue
            results.append(kernel.run(step))
            stopped = not results[-1].ok and isinstance(step, Run) and not step.go_on
        return Trial(patch.id, tuple(results), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))

    return run


@pytest.fixture
def case_of() -> Callable[..., Case]:
    """case_of([sources], failing=1, line=1, …): a case whose failing cell is cell ``c<failing>``."""

    def make(
        sources: Sequence[str | Cell],
        failing: int = 0,
        line: int = 1,
        kind: FailureKind = FailureKind.RAISED,
        ename: str = "NameError",
        evalue: str = "boom",
        oracle: Oracle = NO_ORACLE,
        frames: tuple[Any, ...] = (),
        outputs: tuple[Output, ...] = (),
    ) -> Case:
        cells = tuple(s if isinstance(s, Cell) else Cell(f"c{n}", s) for n, s in enumerate(sources))
        cell = cells[failing]
        failure = Failure(cell.id, cell.source, kind, ename, evalue, line, frames=frames, outputs=outputs)
        return Case(failure, Notebook(cells), oracle)

    return make


@pytest.fixture
def patch_of() -> Callable[..., Patch]:
    """patch_of(case, new source[, cell id], healer=…): a patch that replaces one cell."""

    def make(case: Case, source: str, cell_id: str = "", **more: Any) -> Patch:
        where = cell_id or case.failure.cell_id
        old = case.failure.source if where == case.failure.cell_id else case.notebook.cell(where).source
        more.setdefault("healer", "language_model")
        return Patch((Replace(where, old, source),), more.pop("title", "change it"), **more)

    return make
