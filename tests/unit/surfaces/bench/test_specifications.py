"""Programs that begin as their specification: what the loop is given, and zero-shot told apart from healed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.providers.cassette import read_recording
from jupyter_selfheal.surfaces.bench import run
from jupyter_selfheal.surfaces.bench.configurations import read_configurations
from jupyter_selfheal.surfaces.bench.judge import find_failing_tests
from jupyter_selfheal.surfaces.bench.reports import command as report
from jupyter_selfheal.surfaces.bench.rows import Row, RowFile, Setup
from jupyter_selfheal.surfaces.bench.sets import load_tasks
from jupyter_selfheal.surfaces.bench.stand_in import STAND_IN
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from tests.model_answers import hypothesis, reply

RECORD = {
    "task_id": "X/0", "prompt": 'def inc(n):\n    """Next."""\n', "canonical_solution": "    m = n + 1\n    return m\n",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(5) == 6\n", "entry_point": "inc",
}  # fmt: skip
MEASURED = Setup("MBPP from the specification", "all", ("language_model",), start="spec")


@pytest.mark.parametrize(("name", "words"), [("humaneval", "closer to each other"), ("mbpp", "the shared elements")])
def test_a_program_begins_as_its_specification_alone(name: str, words: str) -> None:
    title, tasks = load_tasks(name, None, 0, "spec")
    assert "from the specification" in title
    assert len(tasks) >= 15
    assert words in tasks[0].definition
    assert "return" not in tasks[0].definition
    for task in tasks[:4]:
        assert find_failing_tests(task.definition, task.tests)
        assert not find_failing_tests(task.reference, task.tests)


@pytest.mark.parametrize("words", [["mbpp", "--from", "spec"], ["quixbugs", ".", "--from", "spec", "--healers", "language_model"]])  # fmt: skip
def test_what_cannot_be_written_is_said_in_a_line(words: list[str]) -> None:
    with pytest.raises(UsageError, match="--from spec"):
        run.command(argparse.Namespace(arguments=words))


@pytest.mark.kernel
def test_the_loop_writes_a_program_and_its_first_reply_counts_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stand-in server answers by script: nothing of this is a model's result. Without an example in its docstring, too, an empty function is
    written here: it is no exercise that its author is to complete."""
    (tmp_path / "set.jsonl").write_text(json.dumps(RECORD))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-any")
    prompt = RECORD["prompt"]
    wrong = reply(hypothesis(f"{prompt}    return n\n", "Write it", "cell-1"))
    right = reply(hypothesis(f"{prompt}    return n + 1\n", "Write it so", "cell-1"))
    rows = tmp_path / "rows.jsonl"
    with FakeModelServer([Says(wrong), Says(right), *[Says("{}")] * 5]) as server:
        words = ["humaneval", str(tmp_path / "set.jsonl"), "--from", "spec", "--healers", "language_model"]
        run.command(argparse.Namespace(arguments=[*words, "--base-url", server.url, "--rows", str(rows)]))
        first = json.dumps(server.requests[0].body)
    assert "Next." in first
    assert "candidate(5) == 6" in first, "what is checked is told, with --oracle all"
    assert "m = n + 1" not in first
    (found,) = read_configurations([rows])
    (row,) = found.rows
    assert (row.zero_shot, row.correct, row.attempts) == (False, True, 2)
    assert found.setup.start == "spec"
    capsys.readouterr()
    assert report(["compare", str(rows)]) == 0
    assert "zero-shot 0.0%" in capsys.readouterr().out


@pytest.mark.kernel
@pytest.mark.slow
def test_the_shipped_stand_in_repeats_the_whole_path_without_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second reply is the right one; no server, no key, no model."""
    rows = tmp_path / "rows.jsonl"
    words = ["mbpp", "--from", "spec", "--only", "MBPP/63", "--stand-in", "--rows", str(rows)]
    assert run.command(argparse.Namespace(arguments=words)) == 0
    (found,) = read_configurations([rows])
    (row,) = found.rows
    assert (row.zero_shot, row.correct, row.attempts) == (False, True, 2)
    assert found.setup.label == "language_model (stand-in) from spec", "nobody takes it for a model"
    assert row.tokens["language_model"] > 0
    capsys.readouterr()


def test_the_shipped_stand_in_is_marked_as_written_by_hand_and_answers_for_programs_of_the_samples() -> None:
    found = read_recording(STAND_IN.folder)
    assert found
    assert all(recorded.by_hand for recorded in found)
    assert {reply.model for recorded in found for reply in recorded.replies} == {STAND_IN.model}
    written = [task for name in ("mbpp", "humaneval") for task in load_tasks(name, None, 0, "spec")[1]]
    answered = [t.name for t in written if any(r.contains == (f"def {t.entry}(",) for r in found)]
    assert len(answered) == len(found)
    assert answered[:3] == [t.name for t in written[:3]], "--first 3 works"


@pytest.mark.parametrize("words", [["--model", "m"], ["--replay", "x"], ["--healers", "rules"], ["--base-url", "http://127.0.0.1:9"]])  # fmt: skip
def test_the_stand_in_takes_no_other_model_beside_it(words: list[str]) -> None:
    with pytest.raises(UsageError, match="--stand-in"):
        run.command(argparse.Namespace(arguments=["mbpp", "--from", "spec", "--stand-in", *words]))


def write_rows(path: Path, setup: Setup, *results: tuple[bool, bool]) -> Path:
    kept = RowFile(path, setup)
    for number, (zero_shot, correct) in enumerate(results):
        kept.add(Row(f"t{number}", correct, correct, zero_shot=zero_shot, reason="healed" if correct else "stuck"))
    return path


def test_the_lift_is_paired_and_is_told_with_its_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write_rows(tmp_path / "a.jsonl", MEASURED, *[(True, True)] * 10, *[(False, True)] * 8, *[(False, False)] * 2)
    report(["compare", str(rows)])
    (line,) = [t for t in capsys.readouterr().out.splitlines() if "zero-shot" in t]
    assert "zero-shot 50.0%" in line
    assert "healed 90.0%" in line
    assert "lift +40.0%" in line
    assert "p 0.00781" in line, "McNemar's exact test of eight gained and none lost: 2 / 2 ** 8"


def test_written_programs_are_not_compared_with_mended_ones(tmp_path: Path) -> None:
    written = write_rows(tmp_path / "a.jsonl", MEASURED, (True, True))
    mended = write_rows(tmp_path / "b.jsonl", Setup(MEASURED.set, "all"), (False, True))
    with pytest.raises(UsageError, match="different tasks"):
        report(["compare", str(written), str(mended)])


def test_rows_of_an_earlier_release_are_of_programs_with_a_fault(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", Setup("MBPP", "all"), (False, True))
    head, *rest = path.read_text().splitlines()
    older = {name: value for name, value in json.loads(head).items() if name != "start"}
    path.write_text("\n".join([json.dumps(older), *rest]) + "\n")
    (found,) = read_configurations([path])
    assert found.setup.start == "fault"
