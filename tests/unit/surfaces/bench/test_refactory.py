"""Refactory's folders as tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import refactory


def write_question(folder: Path) -> Path:
    question = folder / "question_7"
    files = {
        "code/global.py": "import math\n",
        "code/reference/reference.py": "def area(r):\n    return math.pi * r * r",
        "code/wrong/wrong_7_001.py": "def area(r):\n    return math.pi * r\n",
        "code/wrong/wrong_7_002.py": "def area(r:\n",
        "ans/input_001.txt": "area(0)\n",
        "ans/output_001.txt": "0.0\n",
        "ans/input_002.txt": "area(1)",
        "ans/output_002.txt": "3.14",
    }
    for name, text in files.items():
        path = question / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return question


def test_a_wrong_program_is_a_task_with_an_assert_for_each_answer(tmp_path: Path) -> None:
    question = write_question(tmp_path)
    for path in (tmp_path, question):
        (task,) = refactory.load(path)
        assert task.name == "wrong_7_001"
        assert task.definition == "import math\ndef area(r):\n    return math.pi * r\n"
        assert task.tests == ("assert area(0) == 0.0\n", "assert area(1) == 3.14\n")
        assert task.arguments == ("(0,)", "(1,)")
        assert "r * r" in task.reference


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not Refactory's data"):
        refactory.load(tmp_path)
