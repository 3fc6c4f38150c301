"""PyDex (Zhang et al. 2022, "Repairing bugs in Python assignments using large language models"): students' programs that do not parse.

``PATH`` is the folder ``PyDex`` of microsoft/prose-benchmarks, or one of its files. A program reads from its standard input and
prints: a cell above it gives it the lines of the first example, whose output is the one expectation of its own cell. It is judged
apart, as a script, on every example.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.inside.search.printed_output import matches
from jupyter_selfheal.surfaces.bench.judge import Judgement
from jupyter_selfheal.surfaces.bench.tasks import Task

UNSOUND = frozenset({"2883", "2920"})
"""Assignments whose examples hold the tracebacks of another Python, or letters that the reference does not print."""
SECONDS = 20
"""Seconds on the clock that a healed program may take for one example: it reads, counts and prints."""

FEED = '''
class _Lines:
    """What a user would type, line by line."""

    def __init__(self, text):
        self.lines = text.split("\\n")

    def __call__(self, prompt=""):
        print(prompt, end="")
        if not self.lines:
            raise EOFError("EOF when reading a line")
        return self.lines.pop(0)


input = _Lines({text!r})
'''


def load(path: Path) -> list[Task]:
    """The programs of a folder or file, in order; raises UsageError where there are none."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    tasks = [task for file in files if file.name[:4] not in UNSOUND for task in _load_file(file)]
    if not tasks:
        raise UsageError(f"{path} is not PyDex's data: give the folder PyDex of microsoft/prose-benchmarks")
    return tasks


def _load_file(path: Path) -> list[Task]:
    record = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(record, dict) or not isinstance(record.get("submission"), list):
        return []
    runs = tuple((e["input"], e["output"]) for e in record.get("IO_example", ()))
    return [
        _build_task(f"{record.get('problem_ID', path.name[:4])}/{n}", submission, runs)
        for n, submission in enumerate(record["submission"])
        if runs and not _can_parse(submission["syntax_incorrect"])
    ]


def _can_parse(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _build_task(name: str, submission: dict[str, Any], runs: tuple[tuple[str, str], ...]) -> Task:
    ahead = FEED.replace("{text!r}", repr(runs[0][0])).lstrip()
    program = submission["syntax_incorrect"]
    return Task(name, "", program, ("pass\n",), submission["semantics_correct"], ahead=ahead, runs=runs)


def judge(task: Task, program: str) -> Judgement:
    """Run a program as a script on every example: the indices of those that it misses, and the first of them."""
    failed, example = [], ""
    with tempfile.TemporaryDirectory(prefix="selfheal-bench-") as folder:
        script = Path(folder, "program.py")
        script.write_text(program, encoding="utf-8")
        for n, (text, wanted) in enumerate(task.runs):
            printed = _run_script(script, text)
            if printed is None or not matches(wanted, printed):
                failed.append(n)
                example = example or f"for the input {text!r} it prints {printed!r}, not {wanted!r}"
    return Judgement(tuple(failed), len(task.runs), len(failed), example[:300])


def _run_script(script: Path, text: str) -> str | None:
    """What a script prints for an input; None where it fails or does not end."""
    try:
        ran = subprocess.run(
            [sys.executable, "-I", str(script)], input=text.encode(), capture_output=True, timeout=SECONDS, cwd=script.parent
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return ran.stdout.decode(errors="replace") if ran.returncode == 0 else None
