"""MBPP (Austin et al. 2021, "Program Synthesis with Large Language Models"): short functions with three asserts each.

MBPP holds correct programs. Each gets one random fault, as HumanEval's do in :mod:`~jupyter_selfheal.surfaces.bench.humaneval`.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.humaneval import SEED, inject_fault
from jupyter_selfheal.surfaces.bench.records import build_task, can_parse, read_records
from jupyter_selfheal.surfaces.bench.tasks import Task


def load(path: Path, seed: int = SEED) -> tuple[str, list[Task]]:
    """The tasks of a file or folder of MBPP's records, each with one fault, and their title."""
    records = read_records(path)
    tasks = [t for n, r in enumerate(records) if (t := _build_task(r, n, seed)) is not None]
    if not tasks:
        raise UsageError(f"{path} has not MBPP's fields `code` and `test_list`")
    left_out = len(records) - len(tasks)
    title = f"MBPP with injected faults (seed {seed})"
    return title + (f", {left_out} of {len(records)} records left out" if left_out else ""), tasks


def load_references(path: Path) -> list[tuple[str, Task]]:
    """What each record's words ask for, and its correct program as a task."""
    found = []
    for number, record in enumerate(read_records(path)):
        fields, setup = _to_fields(record), _list_imports(record)
        if fields and (task := build_task(fields, number, "canonical_solution")) is not None:
            words = str(record.get("prompt") or record.get("text") or "")
            found.append((words, replace(task, tests=_split_tests(record, setup))))
    return found


def _build_task(record: dict[str, Any], number: int, seed: int) -> Task | None:
    fields, setup = _to_fields(record), _list_imports(record)
    task = inject_fault(fields, number, seed) if fields else None
    return task and replace(task, tests=_split_tests(record, setup))


def _to_fields(record: dict[str, Any]) -> dict[str, Any]:
    """The record with HumanEval's fields; empty where it makes no program with a test."""
    tests = record.get("test_list")
    if not isinstance(tests, list) or not isinstance(record.get("code"), str) or not can_parse(record["code"]):
        return {}
    return {**_split_program(record), "test": _list_imports(record) + "\n".join(map(str, tests))}


def _list_imports(record: dict[str, Any]) -> str:
    return "".join(f"{line}\n" for line in record.get("test_imports") or ())


def _split_tests(record: dict[str, Any], setup: str) -> tuple[str, ...]:
    return tuple(f"{setup}{test}\n" for test in record["test_list"])


def _split_program(record: dict[str, Any]) -> dict[str, Any]:
    """The record as HumanEval writes one: what stands above the last function's body, the body, and the function's name."""
    lines = record["code"].replace("\r\n", "\n").expandtabs(4).splitlines()
    text = "\n".join(lines) + "\n"
    functions = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)] if can_parse(text) else []
    if not functions or functions[-1].body[0].lineno == functions[-1].lineno:
        return {}
    body = functions[-1].body[0].lineno - 1
    return {
        "task_id": f"MBPP/{record.get('task_id', '')}", "entry_point": functions[-1].name,
        "prompt": "\n".join(lines[:body]) + "\n", "canonical_solution": "\n".join(lines[body:]) + "\n",
    }  # fmt: skip
