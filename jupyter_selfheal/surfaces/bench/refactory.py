"""Refactory (Hu et al. 2019, "Re-factoring based program repair applied to programming assignments"): wrong programs of students.

``PATH`` is the folder ``data`` of githubhuyang/refactory (unpacked from its ``data.zip``), or one ``question_N`` of it. Each
``code/wrong/*.py`` is a program, each ``ans/input_*.txt`` a call with its value in ``output_*.txt``: a test is an assert of them.
"""

from __future__ import annotations

import ast
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.records import can_parse
from jupyter_selfheal.surfaces.bench.tasks import Task

DOMAINS = {
    "question_1": "isinstance(seq, (list, tuple)) and list(seq) == sorted(seq)",
    "question_4": "all(isinstance(p, (list, tuple)) and len(p) == 2 for p in lst) and len({p[1] for p in lst}) == len(lst)",
    "question_5": "0 <= k <= len(lst)",
}
"""What the description of a question asks of its arguments, as an expression over the reference's parameters."""


def load(path: Path) -> list[Task]:
    """The tasks of all questions below a folder, in order of their names; raises UsageError where there are none."""
    questions = [path] if (path / "code").is_dir() else sorted(p for p in path.glob("question_*") if p.is_dir())
    tasks = [task for question in questions for task in _load_question(question)]
    if not tasks:
        raise UsageError(f"{path} is not Refactory's data: unpack its data.zip and name the folder data")
    return tasks


def _load_question(folder: Path) -> list[Task]:
    ahead = _read_text(folder / "code" / "global.py")
    references = sorted((folder / "code" / "reference").glob("*.py"))
    reference = ahead + _read_text(references[0]) if references else ""
    calls = [_read_text(p).strip() for p in sorted((folder / "ans").glob("input_*.txt"))]
    wanted = [_read_text(p).strip() for p in sorted((folder / "ans").glob("output_*.txt"))]
    tests = tuple(dict.fromkeys(f"assert {call} == {value}\n" for call, value in zip(calls, wanted, strict=True)))
    entry = _find_function(calls[-1]) if calls else ""
    arguments = tuple(
        dict.fromkeys(a for call in calls if _find_function(call) == entry and (a := _find_arguments(call)))
    )
    return [
        Task(path.stem, entry, definition, tests, reference, arguments=arguments, domain=DOMAINS.get(folder.name, ""))
        for path in sorted((folder / "code" / "wrong").glob("*.py"))
        if can_parse(definition := ahead + _read_text(path)) and tests
    ]  # fmt: skip


def _read_text(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    return text.rstrip() + "\n" if text.strip() else ""


def _find_function(call: str) -> str:
    node = ast.parse(call, mode="eval").body
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _find_arguments(call: str) -> str:
    """The literal arguments of a call as the text of a tuple; empty where one is no literal."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    text = f"({', '.join(map(ast.unparse, node.args))},)"
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return ""
    return text
