"""The benchmarks: what is read, what the search may see, and the judge that it does not."""

from __future__ import annotations

import argparse
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import humaneval, measure_tasks, quixbugs, run, syntax
from jupyter_selfheal.surfaces.bench.heal_program import heal_program
from jupyter_selfheal.surfaces.bench.humaneval import SEED
from jupyter_selfheal.surfaces.bench.judge import find_failing_tests, judge
from jupyter_selfheal.surfaces.bench.reports import command as report
from jupyter_selfheal.surfaces.bench.rows import Row, RowFile, Setup, compute_figures, format_figures, format_row
from jupyter_selfheal.surfaces.bench.sets import load_tasks
from jupyter_selfheal.surfaces.bench.tasks import Task, choose_tests
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.model_answers import hypothesis, reply
from tests.shown_commands import ROOT

GOOD = "def top(a):\n    return max(a)\n"
BAD = "def top(a):\n    return a[-1]\n"
TASK = Task(
    "top", "top", BAD, ("assert top([7]) == 7\n", "assert top([9, 4]) == 9\n", "assert top([4, 9]) == 9\n"), GOOD,
    arguments=("([7],)", "([9, 4],)"), domain="len(a) > 0",
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
    (tmp_path / "json_testcases" / "top.json").write_text("[[[7]], 7]\n[[[9, 4]], 9]\n[[[4, 9]], 9]\n")
    (tmp_path / "python_programs" / "seen.py").write_text("def seen(n):\n    return False\n")
    (tmp_path / "correct_python_programs" / "seen.py").write_text("def seen(n):\n    return n is not None\n")
    (tmp_path / "python_testcases" / "test_seen.py").write_text(
        "import pytest\n\nx = Node()\n\n\ndef test1():\n    assert seen(x)\n"
    )
    return tmp_path


def test_quixbugs_is_read_without_its_descriptions(clone: Path) -> None:
    seen, top = quixbugs.load(clone)
    assert top.definition == BAD
    assert top.tests == ("assert top([7]) == 7\n", "assert top([9, 4]) == 9\n", "assert top([4, 9]) == 9\n")
    assert top.reference == "def top(a):\n    return max(a)\n"
    assert top.examples == ("assert top([3, 1]) == 3\n",)
    assert seen.definition.startswith("class Node:")
    assert seen.tests == ("x = Node()\ndef test1():\n    assert seen(x)\n\n\ntest1()\n",)
    assert find_failing_tests(seen.definition, seen.tests) == (0,)
    assert find_failing_tests(seen.reference, seen.tests) == ()


def test_the_search_sees_a_failing_test_first_and_the_judge_sees_all() -> None:
    assert choose_tests(TASK, (1,), "1").tests == (TASK.tests[1],)
    assert choose_tests(TASK, (1,), "2").tests == TASK.tests[:2]
    assert choose_tests(TASK, (1,), "2").hidden == (TASK.tests[2],)
    assert choose_tests(TASK, (1,), "all") == TASK


def test_the_judge_finds_what_tests_do_not_show() -> None:
    right, overfit = judge(TASK, GOOD, inputs=100), judge(TASK, "def top(a):\n    return max(a[:2])\n", inputs=300)
    assert right.correct
    assert right.compared > 50
    assert not overfit.failed
    assert overfit.differed
    assert not overfit.correct
    assert find_failing_tests("def top(a):\n    while a: pass\n", TASK.tests[:1]) == (0,)


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
    assert title == "HumanEvalFix records (fix.jsonl)"
    assert task.definition.endswith("    return n\n")
    assert task.tests[0].endswith("check(inc)\n")
    assert task.arguments == ("(1,)", "(5,)")
    assert task.examples[0].endswith("check(inc)\n")


FIVE: tuple[dict[str, object], ...] = (
    {  # as humanevalpack has them, in full
        "task_id": "Python/0", "prompt": 'from typing import List\n\n\ndef low(numbers: List[int]) -> int:\n    """ Least.\n    >>> low([3, 1])\n    1\n    """\n',
        "declaration": "from typing import List\n\n\ndef low(numbers: List[int]) -> int:\n", "canonical_solution": "    return min(numbers)\n",
        "buggy_solution": "    return max(numbers)\n", "bug_type": "function misuse", "failure_symptoms": "incorrect output", "entry_point": "low",
        "import": "", "test_setup": "", "test": "\n\nMETADATA = {}\n\n\ndef check(low):\n    assert low([3, 1, 2]) == 1\n    assert low([5]) == 5\n\ncheck(low)\n",
        "example_test": "def check(low):\n    assert low([3, 1]) == 1\ncheck(low)\n", "docstring": "Least.", "instruction": "Write", "signature": "low(numbers)",
    },
    {  # no call of the checker, no task_id, imports apart, examples told in prose
        "prompt": 'def area(r):\n    """Area of a disc of radius r, e.g. area(0) ➞ 0.0 and\n    area(1) == 3.14 (about)."""\n', "import": "import math",
        "canonical_solution": "    return round(math.pi * r ** 2, 2)\n", "buggy_solution": "    return round(math.pi * r * 2, 2)\n", "entry_point": "area",
        "test": "def check(candidate):\n    assert candidate(1) == 3.14\n    assert candidate(2) == 12.57\n    assert candidate(3) == 28.27\n",
    },
    {  # asserts at the top level, on `candidate`; the solution is the whole function; no entry point
        "task_id": "Python/2", "prompt": 'def twice(s):\n    """Twice the text."""\n', "canonical_solution": "def twice(s):\n    return s + s\n",
        "buggy_solution": "def twice(s):\n    return s\n", "test": "assert candidate('ab') == 'abab'\nassert candidate('') == ''\nassert candidate('x') == 'xx'\n",
    },
    {  # only a declaration, a body without indentation, a test with setup, no reference
        "task_id": "Python/3", "declaration": "def odd(n):\n", "buggy_solution": "return n % 2 == 0", "entry_point": "odd", "test_setup": "import random",
        "test": "def check(f):\n    rng = random.Random(3)\n    for n in range(9):\n        assert f(n) == bool(n % 2)\ncheck(odd)",
    },
    {  # a helper before the function, two checkers
        "task_id": "Python/4", "prompt": "def sq(n):\n    return n * n\n\n\ndef norm(a):\n    'Sum of squares.'\n", "entry_point": "norm",
        "canonical_solution": "    return sum(sq(x) for x in a)\n", "buggy_solution": "    return sum(x for x in a)\n",
        "test": "def check_small(f):\n    assert f([2]) == 4\n\ndef check_more(f):\n    assert f([1, 2, 3]) == 14\n    assert f([]) == 0\n",
    },
)  # fmt: skip


def written(folder: Path) -> Path:
    """The five records in a folder of two files, one of them packed, beside one of another language and one of no use."""
    useless = [
        {"task_id": "CPP/0", "prompt": "int f() {", "buggy_solution": "}"},
        {"prompt": "def f(:\n", "buggy_solution": "    pass\n", "test": "f()"},
    ]
    (folder / "data").mkdir()
    (folder / "data" / "a.jsonl").write_text(
        "\n".join(json.dumps(r) for r in (*FIVE[:2], *useless)) + "\n\n", encoding="utf-8"
    )
    (folder / "data" / "b.jsonl.gz").write_bytes(gzip.compress("\n".join(json.dumps(r) for r in FIVE[2:]).encode()))
    return folder


def test_records_of_many_forms_become_programs_whose_fault_their_tests_notice(tmp_path: Path) -> None:
    title, tasks = humaneval.load(written(tmp_path))
    assert title.endswith("1 of 6 records left out")
    assert [t.name for t in tasks] == ["Python/0 (function misuse)", "1/area", "Python/2", "Python/3", "Python/4"]
    for task in tasks:
        assert find_failing_tests(task.definition, task.tests) == (0,), task.name
        assert not task.reference or find_failing_tests(task.reference, (*task.tests, *task.examples)) == (), task.name
    assert tasks[1].examples == ("assert area(0) == 0.0\n", "assert area(1) == 3.14\n")
    assert tasks[0].arguments == ("([3, 1, 2],)", "([5],)")
    with pytest.raises(UsageError):
        humaneval.load(tmp_path / "data" / "none.jsonl")


@pytest.mark.kernel
@pytest.mark.slow  # five whole heals
def test_our_fixed_programs_are_healed_as_the_baseline_says_by_the_products_own_loop(tmp_path: Path) -> None:
    """Held against the stored baseline by counts: seconds say nothing on a machine that does other work too."""
    title, tasks = humaneval.load(ROOT / "benchmarks" / "programs.jsonl")
    setup = Setup(title, "all", seed=SEED)
    rows = list(measure_tasks.measure([(task, 1) for task in tasks], setup))
    assert [r.place for r in rows] == [1] * 5, (
        "the right one is applied, or the first that is offered where few checks speak for it"
    )
    assert all(r.correct for r in rows if r.plausible), rows
    now = RowFile(tmp_path / "now.jsonl", setup)
    for row in rows:
        now.add(row)
    assert report(["regress", str(ROOT / "benchmarks" / "baseline.jsonl"), str(now.path), "--counts"]) == 0
    assert compute_figures(rows, "", "all", 1)["classes"] == {"function misuse": [1, 1]}


def test_the_stand_in_names_itself_and_repeats(tmp_path: Path) -> None:
    path = tmp_path / "he.jsonl"
    path.write_text(json.dumps(RECORD))
    title, (task,) = humaneval.load(path)
    assert "stand-in" in title
    assert find_failing_tests(task.definition, task.tests)
    assert humaneval.load(path)[1][0].definition == task.definition


def test_syntax_faults_do_not_parse_and_their_repair_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "he.jsonl"
    path.write_text("\n".join(json.dumps({**RECORD, "task_id": f"X/{n}"}) for n in range(8)))
    _, tasks = syntax.load(path)
    assert len(tasks) == 8
    assert not any(syntax.can_compile(t.definition) for t in tasks)
    assert syntax.is_same_program("def f(a):\n    return (a)  # b\n", "def f(a):\n    return a\n")


@pytest.mark.parametrize(
    "words",
    [
        ["quixbugs", "/nowhere"],
        ["quixbugs", "."],
        ["humanevalfix", "pyproject.toml"],
        ["quixbugs", ".", "--oracle", "x"],
        ["quixbugs"],
        ["mbpp", "--task-id", "MBPP/0"],
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(words: list[str]) -> None:
    with pytest.raises(UsageError):
        run.command(argparse.Namespace(arguments=words))


def test_figures_name_what_they_stand_on() -> None:
    rows = [
        Row("a", True, True, cpu=1.0, rank=3),
        Row("b", True, False, cpu=3.0, rank=9, passed=True),
        Row("c", False, False),
    ]
    found = compute_figures(rows, "QuixBugs", "4", 2)
    assert (found["programs"], found["plausible"], found["correct"], found["median_cpu_seconds"]) == (3, 2, 1, 2.0)
    assert found["commit"] in format_figures(found)
    silent = Row("d", False, False, exposed=False)
    assert "1 show no fault to the search: of 3, 2 pass all tests, 1 are correct" in format_figures(
        compute_figures([*rows, silent], "", "docstring", 1)
    )


def test_a_run_that_was_cut_goes_on_behind_its_last_row(tmp_path: Path) -> None:
    kept = RowFile(tmp_path / "rows.jsonl", Setup("QuixBugs", "4"))
    rows = [Row("a", True, True, commit="abc"), Row("b", False, False, commit="abd")]
    assert kept.read_rows() == []
    kept.add(rows[0])
    with kept.path.open("a") as file:
        file.write('{"name": "b", "plaus')  # killed while it wrote
    assert [replace(row, load=0.0) for row in kept.read_rows()] == rows[:1]
    kept.add(rows[1])
    assert [replace(row, load=0.0) for row in RowFile(kept.path, Setup("QuixBugs", "4")).read_rows()] == rows
    assert compute_figures(rows, "", "4", 1)["commit"] == "abc, abd"
    with pytest.raises(UsageError, match="another file"):
        RowFile(kept.path, Setup("QuixBugs", "2")).read_rows()
    (tmp_path / "other").write_text("words\n")
    with pytest.raises(UsageError):
        RowFile(tmp_path / "other", Setup("QuixBugs", "4")).read_rows()


@pytest.mark.kernel
@pytest.mark.slow
def test_only_programs_without_a_row_are_healed(
    clone: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    RowFile(file, Setup("QuixBugs", "all", seed=SEED)).add(Row("seen", True, True, commit="abc", rank=77))
    run.command(argparse.Namespace(arguments=["quixbugs", str(clone), "--rows", str(file), "--json"]))
    found = json.loads(capsys.readouterr().out)
    assert [(r["name"], r["plausible"]) for r in found["rows"]] == [("seen", True), ("top", True)]
    assert found["commit"].startswith("abc, ")
    assert found["rank_max"] == 77
    assert len(file.read_text().splitlines()) == 3


def test_a_program_whose_examples_all_pass_is_counted_apart() -> None:
    task = Task("t", "top", BAD, TASK.tests, GOOD, examples=("assert top([4, 9]) == 9\n",))
    (row,) = measure_tasks.measure([(task, 1)], Setup("", "docstring"))
    assert not row.exposed
    assert format_row(row).startswith("no failure")


@pytest.mark.kernel
def test_a_program_is_healed_by_the_products_own_loop_and_judged_and_its_steps_are_kept(tmp_path: Path) -> None:
    (row,) = measure_tasks.measure([(TASK, 1)], Setup("", "all"), traces=tmp_path)
    assert row.trace == str(tmp_path / "top-1")
    assert list(Path(row.trace).glob("selfheal/runs/*.jsonl"))
    assert row.correct, row
    assert row.healer == "search"
    assert row.cpu > 0


@pytest.mark.kernel
def test_a_program_that_does_not_fail_leaves_no_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))  # it chooses one for its process, which is ours here
    program, _, _, row = heal_program(replace(TASK, definition=GOOD), HealConfig(), tmp_path / "top-1")
    assert program == GOOD
    assert row.healer == ""
    assert not (tmp_path / "top-1").exists()


@pytest.mark.parametrize(
    ("name", "title"), [("humaneval", "HumanEval"), pytest.param("mbpp", "MBPP", marks=pytest.mark.slow)]
)
def test_the_shipped_samples_are_read_where_no_path_is_given(name: str, title: str) -> None:
    found, tasks = load_tasks(name, None, SEED)
    assert found.startswith(f"{title} with injected faults")
    assert found.endswith("the shipped sample")
    assert len(tasks) >= 15
    again = {t.name.split()[0]: t for t in load_tasks(name, None, SEED)[1]}
    for task in tasks[:3]:
        assert again[task.name.split()[0]] == task
        assert find_failing_tests(task.definition, task.tests)
        assert not find_failing_tests(task.reference, task.tests)


@pytest.mark.slow
def test_another_seed_makes_other_faults() -> None:
    one, two = (load_tasks("mbpp", None, seed)[1] for seed in (1, 2))
    assert {t.definition for t in one} != {t.definition for t in two}


@pytest.mark.kernel
def test_a_model_is_measured_and_replayed_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stand-in server answers by script; a model's result is nothing of this."""
    broken = {**RECORD, "buggy_solution": "    m = n + 7 * n * n - 3\n    return m\n"}
    (tmp_path / "set.jsonl").write_text(json.dumps(broken))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-any")
    fixed = reply(hypothesis(GOOD_INC, "Add one", "cell-1"))
    recorded = ["--record", str(tmp_path / "kept")]
    with FakeModelServer([Says(fixed), *[Says("{}")] * 10]) as server:
        row = bench_with_model(tmp_path, capsys, "--base-url", server.url, *recorded)
    assert (row["correct"], row["healer"], row["reason"]) == (True, "language_model", "healed")
    assert row["tokens"]["language_model"] == 1200
    assert row["dollars"]["language_model"] > 0
    again = bench_with_model(tmp_path, capsys, "--replay", str(tmp_path / "kept"))
    same = ("correct", "fix", "tokens", "dollars", "attempts", "reason", "score")
    assert {name: again[name] for name in same} == {name: row[name] for name in same}


GOOD_INC = RECORD["prompt"] + RECORD["canonical_solution"]


def bench_with_model(place: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    words = ["humanevalfix", str(place / "set.jsonl"), "--healers", "language_model", "--json", *more]
    assert run.command(argparse.Namespace(arguments=words)) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert isinstance(row, dict)
    return row


def test_rows_name_the_model_that_judges() -> None:
    """Another provider does not serve the default judge: there the fixing model is asked, and the rows said otherwise."""
    local = HealConfig(healers=("language_model",), provider="openai_compatible", model="local")
    assert run.build_setup("MBPP", "all", 1, local).judge_model == "local"
    assert run.build_setup("MBPP", "all", 1, local.with_(judge_model="other")).judge_model == "other"
    assert (
        run.build_setup("MBPP", "all", 1, local.with_(judge_provider="anthropic")).judge_model
        == HealConfig().judge_model
    )


def test_a_miss_of_a_model_keeps_what_it_wrote_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reply that fails its trial is shown to nobody: the report of failures had no diff of a weak model."""
    missed = measure_tasks._judge_row(
        TASK, "", (), "def top(a):\n    return None\n", Row("top", False, False, why="stuck")
    )
    assert "+    return None" in missed.diff
    assert not measure_tasks._judge_row(TASK, "", (), "", Row("top", False, False)).diff
    kept = RowFile(tmp_path / "rows.jsonl", Setup("s", "all"))
    kept.add(missed)
    report(["failures", str(kept.path)])
    assert "top (run 1), score 0, tried, and shown to nobody: stuck" in capsys.readouterr().out


def test_what_is_shown_first_is_judged_by_every_test_of_the_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other repair programs count what passes the tests: a patch that is only offered was counted nowhere."""
    missed = Row("top", False, False)
    asked = {
        "right first": measure_tasks._judge_row(TASK, "", (TASK.reference,), "", missed),
        "wrong first": measure_tasks._judge_row(
            TASK, "", ("def top(a):\n    return None\n", TASK.reference), "", missed
        ),
        "nothing": measure_tasks._judge_row(TASK, "", (), "", missed),
    }
    assert {name: row.shown_passes for name, row in asked.items()} == {
        "right first": True, "wrong first": False, "nothing": False,
    }  # fmt: skip
    assert [row.place for row in asked.values()] == [1, 2, 0]
    kept = RowFile(tmp_path / "rows.jsonl", Setup("s", "all"))
    for name, row in asked.items():
        kept.add(replace(row, name=name))
    report(["figures", str(kept.path)])
    head, _, line = (
        [cell.strip() for cell in text.split("|")]
        for text in capsys.readouterr().out.splitlines()
        if text.startswith("|")
    )
    assert line[head.index("first one passes")] == "1"
    assert line[head.index("shown")] == "2"
