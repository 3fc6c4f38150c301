"""Calls that the notebook made before: noted once a heal, and made again in the trial of every patch that changes a function.

A function that a patch changes was called in cells above that ran well. In a throw-away fork of the state before the failing
cell those cells run once more as they are, and which calls they make is noted (:mod:`jupyter_selfheal.inside.probes.record_calls`).
It is done when the first patch that changes one of the functions is tried, never for any other, and only where the state
is the user's own: in a reconstructed one it would take a run of the notebook.
"""

from __future__ import annotations

import ast
import threading
from dataclasses import dataclass, replace

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside import loader
from jupyter_selfheal.inside.probes.record_calls import MARK
from jupyter_selfheal.model import (
    JSON,
    Case,
    Cell,
    FailureKind,
    Patch,
    Probe,
    Replace,
    Role,
    Run,
    Sandbox,
    Step,
    StepResult,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.model.trial import OBSERVED_CALLS
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.source.callers import calls_any, choose_callers, map_definitions, trace_calls
from jupyter_selfheal.source.rerun import DEFINITIONS

CELL_SECONDS = 2.0
"""Seconds that one of them may take."""
SECONDS = 20.0
"""Seconds in which all noted calls must have been made again."""


@dataclass(frozen=True, slots=True)
class Affected:
    """What a patch changes of the functions above: those that may give something else, and classes whose instances differ."""

    functions: frozenset[str] = frozenset()
    reshaped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recording:
    """The calls that were noted, as the kernel packed them, and what the cells that made them printed."""

    calls: tuple[JSON, ...] = ()
    steps: tuple[StepResult, ...] = ()


class CallObserver:
    """The calls of one heal's notebook, noted in the state that patches are tried from. Thread-safe."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._lock = threading.Lock()
        self._recording: Recording | None = None

    def build_probe(self, case: Case, patch: Patch, kernel: TrialKernel) -> Probe | None:
        """What makes the calls again that the patch may change; None where it changes no function, or none was called."""
        affected = find_affected(case, patch)
        cells = choose_callers(list_witnesses(case)) if affected.functions and kernel.is_exact else ()
        if not any(calls_any(cell, affected.functions) for cell in cells):
            return None
        recording = self._record_calls(cells, kernel)
        calls = [c for c in recording.calls if c["name"].split(".")[0] in affected.functions]
        argument = {"calls": calls, "reshaped": sorted(affected.reshaped)}
        return (
            Probe(loader.probe_source("probes.replay_calls"), argument, OBSERVED_CALLS, SECONDS)
            if recording.steps
            else None
        )

    def add_recorded_steps(self, trial: Trial) -> Trial:
        """The trial, with the steps of the recording: what cells above put out under the old code."""
        asked = trial.probe(OBSERVED_CALLS)
        if self._recording is None or not isinstance(asked, list) or not trial.ran:
            return trial
        return replace(trial, steps=(*trial.steps, *self._recording.steps))

    def _record_calls(self, cells: tuple[Cell, ...], kernel: TrialKernel) -> Recording:
        with self._lock:
            if self._recording is None:
                self._recording = record_calls(cells, kernel, self._sandbox)
            return self._recording


def list_witnesses(case: Case) -> tuple[Cell, ...]:
    """The cells above, and what of the failing cell ran before the statement that raised, as far as that does not hang on it.

    ``account.deposit(50)`` above ``assert account.balance == 150`` is what the assert complains of.
    """
    above = case.notebook.list_code_before(case.failure.cell_id)
    failure = case.failure
    if failure.kind is not FailureKind.RAISED or failure.statement < 1 or src.is_foreign(failure.source):
        return above
    statements = src.list_statements(failure.source)
    if failure.statement >= len(statements):
        return above
    nodes = [s.node for s in statements[: failure.statement + 1]]
    texts = [src.extract_text(failure.source, node) for node in nodes]
    needed = src.find_backward_slice(texts[:-1], src.collect_names([nodes[-1]]).uses)
    until = next(
        (n for n in needed if not isinstance(nodes[n], ast.Import | ast.ImportFrom | DEFINITIONS)), len(nodes) - 1
    )
    end = src.find_span(failure.source, nodes[until])[0]
    return (*above, Cell(failure.cell_id, failure.source[:end], runs=1)) if until else above


def record_calls(cells: tuple[Cell, ...], kernel: TrialKernel, sandbox: Sandbox) -> Recording:
    """Run the cells once more, in a trial of their own, and note their calls; nothing where that does not come to its end."""
    source = loader.probe_source("probes.record_calls")
    steps: list[Step] = [Probe(source, "begin", "begin")]
    for cell in cells:
        steps += [
            Probe(MARK, cell.id, "mark"),
            Run(cell.source, cell.id, Role.RECORDED, go_on=True, timeout=CELL_SECONDS),
        ]
    steps.append(Probe(source, "end", OBSERVED_CALLS, SECONDS))
    limit = CELL_SECONDS * len(cells) + 2 * SECONDS
    try:
        trial, _ = kernel.run(TrialRequest(tuple(steps), "record", timeout=limit, sandbox=sandbox))
    except KernelError:
        return Recording()
    described = trial.probe(OBSERVED_CALLS)
    if not isinstance(described, dict):
        return Recording()
    ran = tuple(s for s in trial.steps if s.role == Role.RECORDED.value and s.ok)
    well = {s.cell_id for s in ran}
    return Recording(tuple(c for c in described["calls"] if c["cell"] in well and c["kind"] == "value"), ran)


def find_affected(case: Case, patch: Patch) -> Affected:
    """The functions and classes above the failing cell that a patch changes, and those that come to them."""
    above = case.notebook.list_code_before(case.failure.cell_id)
    ids = {c.id for c in above}
    edits = [e for e in patch.edits if isinstance(e, Replace) and e.cell_id in ids]
    functions: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    reshaped: frozenset[str] = frozenset()
    for edit in edits:
        old, new = map_definitions(edit.old), map_definitions(edit.source)
        changed = {
            name for name, node in old.items() if name not in new or src.dump_tree(node) != src.dump_tree(new[name])
        }
        functions |= changed
        values |= find_changed_values(edit)
        reshaped |= {
            n for n in changed if isinstance(old[n], ast.ClassDef) and _dump_shape(old[n]) != _dump_shape(new.get(n))
        }
    for cell in above if edits else ():
        functions |= trace_calls(cell.source, functions, values).functions
    return Affected(functions, reshaped)


def find_changed_values(edit: Replace) -> frozenset[str]:
    """Names that the statements bind which an edit changes, definitions and imports apart: functions may read them."""
    keys = set(src.list_statement_keys(edit.old))
    fresh = (
        src.collect_names([s.node])
        for s, key in zip(src.list_statements(edit.source), src.list_statement_keys(edit.source), strict=True)
        if key not in keys and not isinstance(s.node, DEFINITIONS)
    )
    return frozenset().union(*(n.binds - n.imports for n in fresh))


_MAKES = ("__init__", "__new__", "__post_init__", "__init_subclass__", "__setstate__", "__getstate__")


def _dump_shape(node: ast.stmt | None) -> str:
    """All of a class but the bodies of the methods that do not make its instances."""
    if not isinstance(node, ast.ClassDef):
        return ""
    body = [n for n in node.body if not isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) or n.name in _MAKES]
    parts = [*body, *node.bases, *node.keywords, *node.decorator_list]
    return "".join(
        src.dump_tree(n) for n in parts if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
    )
