"""The user's own oracle: an expected value, text that must be printed, statements that must hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.difference import show_value
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.inside.search.printed_output import split_printed_lines
from jupyter_selfheal.model import (
    BASELINE,
    Case,
    FailureKind,
    Oracle,
    Output,
    Patch,
    Probe,
    Role,
    Run,
    Start,
    Step,
    StepResult,
    Trial,
)
from jupyter_selfheal.scoring.evidence import Evidence, Part

if TYPE_CHECKING:
    from jupyter_selfheal.config import HealConfig

EXPECTED = "expected"
"""Name of the probe that compares the cell's last value."""

PRINTED = 300
"""Characters of printed text in words."""

CHECK_SECONDS = 10.0
"""Seconds that one check may take."""


def find_oracle(case: Case) -> Oracle:
    """What the user said of the failing cell: the case's oracle, else the one in the cell's metadata."""
    if case.oracle or case.oracle.spec or case.notebook.index(case.failure.cell_id) < 0:
        return case.oracle
    return case.notebook.cell(case.failure.cell_id).oracle


def build_expectation(expect: str, source: str, name: str) -> Probe:
    """The probe that compares the value of a cell of that source with the expression ``expect``."""
    return Probe(
        probe_source("probes.expected"),
        {"expect": expect, "name": _find_assigned_name(source)},
        name=name,
        timeout=CHECK_SECONDS,
    )


def _find_assigned_name(source: str) -> str:
    """The plain variable that the last statement assigns, or empty."""
    statements = src.list_statements(source)
    node = statements[-1].node if statements else None
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = (node.target,)
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def read_parts(case: Case, trial: Trial, patch: Patch = BASELINE) -> tuple[Part, ...]:
    """Every part of the user's oracle, as the trial met it. A part that could not be asked counts as not met."""
    oracle, parts = find_oracle(case), list[Part]()
    if oracle.expect:
        parts.append(_read_expected_part(trial, EXPECTED))
    if oracle.stdout:
        why = find_stdout_difference(oracle.stdout, join_printed_text(case, trial, patch))
        parts.append(Part("printed text", why is None, why or ""))
    if oracle.checks:
        ran = [s for s in trial.steps if s.role == Role.CHECK.value and not s.cell_id and not s.name]
        for n, check in enumerate(oracle.checks):
            parts.append(_read_check_part(check, ran[n] if n < len(ran) else StepResult("skipped")))
    return tuple(parts)


def _read_expected_part(trial: Trial, name: str) -> Part:
    value = trial.probe(name)
    if isinstance(value, dict):
        return Part("expected value", bool(value.get("ok")), str(value.get("why", "")))
    step = next((s for s in trial.steps if s.name == name), None)
    reason = step.errors[0].ename if step is not None and step.errors else "it was not reached"
    return Part("expected value", False, f"the expected value could not be compared: {reason}")


def _read_check_part(check: str, step: StepResult) -> Part:
    if step.ok:
        return Part("check", True)
    reason = f"{step.errors[0].ename}: {step.errors[0].evalue}".rstrip(": ") if step.errors else step.status
    return Part("check", False, f"the check `{check.strip()}` fails: {reason}")


def join_printed_text(case: Case, trial: Trial, patch: Patch = BASELINE) -> str:
    """What the cell printed in all: a resumed trial's output comes after what the cell had printed until it failed."""
    return "".join(
        o.text for o in list_all_outputs(case, trial, patch) if o.output_type == "stream" and o.name != "stderr"
    )


def list_all_outputs(case: Case, trial: Trial, patch: Patch = BASELINE) -> tuple[Output, ...]:
    """The cell's outputs in a trial, those from before the failure included where the trial resumed after it."""
    cell = trial.step(Role.CELL)
    now = cell.outputs if cell is not None else ()
    if trial.start is Start.AFTER_FAILURE and _resumes_cell(
        case, patch.source_of(case.failure.cell_id, case.failure.source)
    ):
        return tuple(o for o in case.failure.outputs if o.output_type != "error") + now
    return now


def _resumes_cell(case: Case, patched: str) -> bool:
    """Whether a trial from after the failure runs only what is left of the cell: the statements that had run are unchanged
    (imports may have come among them)."""
    at = case.failure.statement
    if at < 0:
        at = src.find_statement(case.failure.source, case.failure.line)
    if at <= 0 or case.failure.kind in (FailureKind.SYNTAX, FailureKind.MISSED):
        return False
    left = [src.dump_tree(s.node) for s in src.list_statements(case.failure.source)[:at]]
    for statement in src.list_statements(patched):
        if left and src.dump_tree(statement.node) == left[0]:
            left.pop(0)
        elif left and not isinstance(statement.node, ast.Import | ast.ImportFrom):
            return False
    return not left


def find_stdout_difference(expected: str, text: str) -> str | None:
    """How printed text differs from the expected text (or ``/regular expression/``); None where it does not.

    Trailing white space of lines and blank lines around the whole are no difference.
    """
    if len(expected) > 2 and expected.startswith("/") and expected.endswith("/"):
        try:
            match = re.search(expected[1:-1], text, re.MULTILINE | re.DOTALL)
        except re.error as error:
            return f"the expected pattern {expected} is no regular expression: {error}"
        return None if match else f"printed {show_value(text.strip(), PRINTED)}, which does not match {expected}"
    if split_printed_lines(expected) == split_printed_lines(text):
        return None
    return f"expected to print {show_value(expected.strip(), PRINTED)}, printed {show_value(text.strip(), PRINTED)}"


class UsersWord:
    """The oracle of what the user said: an expected value, text that must be printed, checks."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterator[Step]:
        """The expectation's probe, then the checks. The probe is first: it reads the value of the cell that ran last."""
        oracle = find_oracle(case)
        if oracle.expect:
            yield build_expectation(oracle.expect, patch.source_of(case.failure.cell_id, case.failure.source), EXPECTED)
        for check in oracle.checks:
            yield Run(check, role=Role.CHECK, go_on=True, timeout=CHECK_SECONDS)

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        return replace(evidence, user=read_parts(case, trial, patch))
