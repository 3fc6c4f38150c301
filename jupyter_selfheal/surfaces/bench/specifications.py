"""``--from spec``: a program begins as nothing but its specification, and the loop writes it.

The failing cell's program is a function's head with a docstring: HumanEval's prompt as it is, MBPP's words under the head of its
reference. Which tests the model may see is said by ``--oracle``, as for faults; the others judge.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import mbpp
from jupyter_selfheal.surfaces.bench.records import build_task, can_parse, read_records
from jupyter_selfheal.surfaces.bench.tasks import Task


def load_specifications(name: str, path: Path) -> tuple[str, list[Task]]:
    """Title and tasks of ``humaneval`` or ``mbpp``; raises UsageError for a set that has no specifications."""
    if name not in _LOADERS:
        raise UsageError(f"--from spec takes {' or '.join(_LOADERS)}, as {name} has no specification of its programs")
    tasks = _LOADERS[name](path)
    if not tasks:
        raise UsageError(f"{path} has no program with a specification and a test")
    return f"{_TITLES[name]} from the specification", tasks


def _load_humaneval(path: Path) -> list[Task]:
    found = []
    for number, record in enumerate(read_records(path)):
        prompt = str(record.get("prompt") or "")
        task = build_task(record, number, "canonical_solution") if record.get("canonical_solution") else None
        if task is not None and can_parse(prompt):
            found.append(replace(task, definition=prompt, specified=True))
    return found


def _load_mbpp(path: Path) -> list[Task]:
    found = []
    for words, task in mbpp.load_references(path):
        if words:
            found.append(replace(task, definition=write_head(task.reference, task.entry, words), specified=True))
    return found


def write_head(reference: str, entry: str, words: str) -> str:
    """The function's head with the words as its docstring, and nothing of its body."""
    functions = [n for n in ast.parse(reference).body if isinstance(n, ast.FunctionDef) and n.name == entry]
    function = functions[-1]
    function.body = [ast.Expr(ast.Constant(words))]
    return ast.unparse(ast.fix_missing_locations(function)) + "\n"


_LOADERS: dict[str, Callable[[Path], list[Task]]] = {"humaneval": _load_humaneval, "mbpp": _load_mbpp}
_TITLES = {"humaneval": "HumanEval", "mbpp": "MBPP"}
