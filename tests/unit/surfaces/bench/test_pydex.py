"""PyDex's files as tasks, and how a program is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import pydex

RECORD = {
    "problem_ID": "1234",
    "submission": [
        {"syntax_incorrect": "print(input()", "semantics_correct": "print(input())"},
        {"syntax_incorrect": "print(1)", "semantics_correct": "print(1)"},
    ],
    "IO_example": [{"input": "a", "output": "a\n"}, {"input": "b c", "output": "b c\n"}],
}


def test_a_program_that_does_not_parse_is_a_task_with_its_examples(tmp_path: Path) -> None:
    (tmp_path / "1234_pair.json").write_text(json.dumps(RECORD))
    (task,) = pydex.load(tmp_path)
    assert task.name == "1234/0"
    assert task.runs == (("a", "a\n"), ("b c", "b c\n"))
    names: dict[str, object] = {}
    exec(task.ahead, names)
    assert names["input"]() == "a"  # type: ignore[operator]
    assert pydex.judge(task, task.reference).correct
    assert pydex.judge(task, "input()\nprint('a')").failed == (1,)


def test_what_holds_no_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="PyDex"):
        pydex.load(tmp_path)
