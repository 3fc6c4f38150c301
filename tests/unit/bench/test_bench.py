"""The benchmarks: what is read, what the search may see, and the judge that it does not."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from jupyter_selfheal.bench import humaneval, quixbugs, run, syntax
from jupyter_selfheal.bench.judge import failing_tests, judge
from jupyter_selfheal.bench.tasks import Task, shown
from jupyter_selfheal.errors import UsageError

GOOD = "def top(a):\n    return max(a)\n"
BAD = "def top(a):\n    return a[-1]\n"
TASK = Task(
    "top", "top", BAD, ("assert top([1]) == 1\n", "assert top([2, 1]) == 2\n", "assert top([1, 2]) == 2\n"), GOOD,
    arguments=("([1],)", "([2, 1],)"), domain="len(a) > 0",
)  # fmt: skip


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A QuixBugs of two programs."""
    for name in ("python_programs", "correct_python_programs", "json_testcases", "python_testcases"):
        (tmp_path / name).mkdir()
    (tmp_path / "python_testcases" / "node.py").write_text("class Node:\n    pass\n")
    (tmp_path / "python_programs" / "top.py").write_text(
        BAD + '\n"""\nTop\n\nExamples:\n    >>> top([3, 1])\n    3\n"""\n'
    )
    (tmp_path / "correct_python_programs" / "top.py").write_text(GOOD + "\ndef top(a):\n    return sorted(a)[-1]\n")
    (tmp_path / "json_testcases" / "top.json").write_text("[[[1]], 1]\n[[[2, 1]], 2]\n")
    (tmp_path / "python_programs" / "seen.py").write_text("def seen(n):\n    return False\n")
    (tmp_path / "correct_python_programs" / "seen.py").write_text("def seen(n):\n    return n is not None\n")
    (tmp_path / "python_testcases" / "test_seen.py").write_text(
        "import pytest\n\nx = Node()\n\n\ndef test1():\n    assert seen(x)\n"
    )
    return tmp_path


def test_quixbugs_is_read_without_its_descriptions(clone: Path) -> None:
    seen, top = quixbugs.load(clone)
    assert top.definition == BAD
    assert top.tests == ("assert top([1]) == 1\n", "assert top([2, 1]) == 2\n")
    assert top.reference == "def top(a):\n    return max(a)\n"
    assert top.examples == ("assert top([3, 1]) == 3\n",)
    assert seen.definition.startswith("class Node:")
    assert seen.tests == ("x = Node()\ndef test1():\n    assert seen(x)\n\n\ntest1()\n",)
    assert failing_tests(seen.definition, seen.tests) == (0,)
    assert failing_tests(seen.reference, seen.tests) == ()


def test_the_search_sees_a_failing_test_first_and_the_judge_sees_all() -> None:
    assert shown(TASK, (1,), "1").tests == (TASK.tests[1],)
    assert shown(TASK, (1,), "2").tests == TASK.tests[:2]
    assert shown(TASK, (1,), "2").hidden == (TASK.tests[2],)
    assert shown(TASK, (1,), "all") == TASK


def test_the_judge_finds_what_tests_do_not_show() -> None:
    right, overfit = judge(TASK, GOOD, inputs=100), judge(TASK, "def top(a):\n    return max(a[:2])\n", inputs=300)
    assert right.correct
    assert right.compared > 50
    assert not overfit.failed
    assert overfit.differed
    assert not overfit.correct
    assert failing_tests("def top(a):\n    while a: pass\n", TASK.tests[:1]) == (0,)


RECORD = {
    "task_id": "X/0", "prompt": 'def inc(n):\n    """Next.\n    >>> inc(1)\n    2\n    """\n', "canonical_solution": "    m = n + 1\n    return m\n",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(5) == 6\n", "entry_point": "inc",
}  # fmt: skip


def test_humanevalfix_records_are_read_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "fix.jsonl"
    path.write_text(
        json.dumps(
            {**RECORD, "buggy_solution": "    return n\n", "example_test": "def check(f):\n    assert f(1) == 2\n"}
        )
    )
    title, (task,) = humaneval.load(path)
    assert title == "HumanEvalFix"
    assert task.definition.endswith("    return n\n")
    assert task.tests[0].endswith("check(inc)\n")
    assert task.arguments == ("(1,)", "(5,)")
    assert task.examples[0].endswith("check(inc)\n")


def test_the_stand_in_names_itself_and_repeats(tmp_path: Path) -> None:
    path = tmp_path / "he.jsonl"
    path.write_text(json.dumps(RECORD))
    title, (task,) = humaneval.load(path)
    assert "stand-in" in title
    assert failing_tests(task.definition, task.tests)
    assert humaneval.load(path)[1][0].definition == task.definition


def test_syntax_faults_do_not_parse_and_their_repair_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "he.jsonl"
    path.write_text("\n".join(json.dumps({**RECORD, "task_id": f"X/{n}"}) for n in range(8)))
    _, tasks = syntax.load(path)
    assert len(tasks) == 8
    assert not any(syntax.parses(t.definition) for t in tasks)
    assert syntax.same("def f(a):\n    return (a)  # b\n", "def f(a):\n    return a\n")


@pytest.mark.parametrize(
    "words",
    [
        ["quixbugs", "/nowhere"],
        ["quixbugs", "."],
        ["humanevalfix", "pyproject.toml"],
        ["quixbugs", ".", "--oracle", "x"],
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(words: list[str]) -> None:
    with pytest.raises(UsageError):
        run.command(argparse.Namespace(arguments=words))


def test_figures_name_what_they_stand_on() -> None:
    rows = [
        run.Row("a", True, True, cpu=1.0, rank=3),
        run.Row("b", True, False, cpu=3.0, rank=9),
        run.Row("c", False, False),
    ]
    found = run.figures(rows, "QuixBugs", "4", 2)
    assert (found["programs"], found["plausible"], found["correct"], found["median_cpu_seconds"]) == (3, 2, 1, 2.0)
    assert found["commit"] in run.words(found)


@pytest.mark.kernel
def test_a_program_is_healed_by_the_products_own_loop_and_judged() -> None:
    (row,) = run.measure([TASK], "all")
    assert row.correct, row
    assert row.healer == "search"
    assert row.cpu > 0
