"""A folder of one's own cases: JSON files, or notebooks whose cells are tagged. Each is a broken program, tests that the heal may
see, and hidden ones that judge.

A JSON file is one case, or a list of them::

    {"program": "def mean(xs):\\n    return sum(xs) / 2\\n", "tests": ["assert mean([2, 4, 9]) == 5"],
     "hidden": ["assert mean([7]) == 7"], "reference": "def mean(xs):\\n    return sum(xs) / len(xs)\\n"}

In a notebook a cell with the tag ``program`` holds the program, ``test`` a test, ``hidden`` a hidden one; other code cells above the program are
run ahead of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.records import can_parse, find_arguments, find_last_function
from jupyter_selfheal.surfaces.bench.tasks import Task

FIELDS = ("name", "program", "tests", "hidden", "reference", "entry", "ahead")
"""What a case may hold; ``program`` and ``tests`` it must."""


def load(path: Path) -> tuple[str, list[Task]]:
    """Title and tasks of a folder (or one file). Raises UsageError that names the file with a case that cannot be read."""
    files = sorted([*path.rglob("*.json"), *path.rglob("*.ipynb")]) if path.is_dir() else [path]
    files = [f for f in files if ".ipynb_checkpoints" not in f.parts]
    tasks = [task for file in files for task in _read_file(file)]
    if not tasks:
        raise UsageError(f"{path} holds no case: see docs/research.md for their form")
    twice = sorted({t.name for t in tasks if sum(o.name == t.name for o in tasks) > 1})
    if twice:
        raise UsageError(f"{path}: two cases are called {twice[0]!r}: give each a `name` of its own")
    return "own cases", tasks


def _read_file(path: Path) -> list[Task]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is no JSON: {error}") from error
    if isinstance(raw, dict) and "cells" in raw:
        return [_build_task(_read_notebook(raw), path, path.stem)]
    cases = raw if isinstance(raw, list) else [raw]
    names = [path.stem] if len(cases) == 1 else [f"{path.stem}-{n}" for n in range(1, len(cases) + 1)]
    return [_build_task(case, path, name) for case, name in zip(cases, names, strict=True)]


def _read_notebook(raw: dict[str, Any]) -> dict[str, Any]:
    """A case from the tags of a notebook's cells."""
    case: dict[str, Any] = {"program": "", "tests": [], "hidden": []}
    ahead: list[str] = []
    for cell in raw["cells"]:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source, tags = "".join(cell.get("source", "")), set(cell.get("metadata", {}).get("tags", ()))
        if "program" in tags:
            case["program"] = source
        elif tags & {"test", "hidden"}:
            case["hidden" if "hidden" in tags else "tests"].append(source)
        elif not case["program"]:
            ahead.append(source)
    return {**case, "ahead": "\n".join(ahead)}


def _build_task(case: Any, path: Path, name: str) -> Task:
    if not isinstance(case, dict):
        raise UsageError(f"{path}: a case is an object with `program` and `tests`")
    if unknown := sorted(set(case) - set(FIELDS)):
        raise UsageError(f"{path}: a case has no field {unknown[0]!r}, only {', '.join(FIELDS)}")
    program, ahead = _read_text(case, "program", path), _read_text(case, "ahead", path)
    tests, hidden = _read_tests(case, "tests", path), _read_tests(case, "hidden", path)
    if not program.strip() or not tests:
        raise UsageError(f"{path}: a case needs a `program` and at least one test in `tests`")
    reference = _read_text(case, "reference", path)
    entry = _read_text(case, "entry", path) or find_last_function(reference or program)
    found = find_arguments("\n".join((*tests, *hidden)), entry) if reference and entry else ()
    return Task(
        _read_text(case, "name", path) or name, entry, program, tests, reference, hidden, arguments=found, ahead=ahead
    )


def _read_text(case: dict[str, Any], name: str, path: Path) -> str:
    value = case.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{path}: `{name}` is a text")
    return value


def _read_tests(case: dict[str, Any], name: str, path: Path) -> tuple[str, ...]:
    """The tests, a statement or more each. One that does not parse could never pass."""
    value = case.get(name, [])
    tests = [value] if isinstance(value, str) else value
    if not isinstance(tests, list) or not all(isinstance(t, str) and can_parse(t) for t in tests):
        raise UsageError(f'{path}: `{name}` is a list of tests in Python, such as "assert mean([7]) == 7"')
    return tuple(t for t in tests if t.strip())
