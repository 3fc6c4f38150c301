"""`%heal review` and `%%heal --spec` in a live session: doubts about cells that ran, and words that a model judges."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Received, Says
from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

WRONG = "xs = [2, 4, 9]\nmean = sum(xs) / 2\nprint(mean)"
RIGHT = WRONG.replace("/ 2", "/ len(xs)")


def test_doubts_are_listed_and_nothing_of_them_runs_in_the_users_kernel(loaded: LiveKernel) -> None:
    loaded.run("calls = []\nname = ' a '", "a")
    loaded.run("name.strip()\nprint(name)", "b")
    loaded.run("def test_it():\n    calls.append(1)\n    assert calls == [], 'called'", "c")
    text = loaded.run("%heal review", "d")["text"]
    assert "3 cells that run were looked at: 2 doubts; nothing was changed" in text
    assert "In [3], line 1: REV101 `name.strip()` has no effect" in text
    assert "In [4], line 3: REV302 `test_it` was never called" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert loaded.run("print(calls, name)", "e")["text"].strip() == "[]  a"


def test_a_name_that_was_bound_since_is_not_looked_at(loaded: LiveKernel) -> None:
    loaded.run("name = ' a '\nname.strip()\nprint(name)", "a")
    loaded.run("name = 5", "b")
    assert "nothing speaks against them" in loaded.run("%heal review", "c")["text"]


def test_before_any_cell_has_run_that_is_said(loaded: LiveKernel) -> None:
    assert "no cell has run in this session yet" in loaded.run("%heal review")["text"]


def test_without_a_model_words_are_said_to_be_unchecked(loaded: LiveKernel) -> None:
    ran = loaded.run(f'%%heal --spec "the mean of xs"\n{WRONG}', "a", allow_stdin=True)
    assert "words cannot be checked without a language model" in ran["text"]
    assert "`--expect` and `--check` can" in ran["text"]
    assert loaded.displays == {}, "nothing is healed"


def answer(received: Received) -> Says:
    text = json.dumps(received.body["messages"])
    if "# What it is for" not in text:
        return Says("{}")
    right = "len(xs)" in text.split("# The cell")[1]
    return Says(json.dumps({"score": 9 if right else 2, "feedback": "by their number" if right else "it divides by 2"}))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModelServer]:
    with FakeModelServer(iter(lambda: answer, None)) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


def test_words_are_judged_by_a_model_once_that_is_agreed(model: FakeModelServer, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    kernel = LiveKernel(tmp_path / "work", tmp_path / "data", keep_key=True)
    try:
        kernel.run("%load_ext jupyter_selfheal")
        ran = kernel.run(f'%%heal --spec "the mean of xs"\n{RIGHT}', "a", allow_stdin=True)
        assert "none is asked before you agree: `%heal consent`" in ran["text"]
        assert model.requests == []
        kernel.run("%heal consent")
        kernel.run(f'%%heal --spec "the mean of xs" --no-wait\n{RIGHT}', "a", allow_stdin=True)
        assert "✓ by their number" in kernel.card("✓")
        kernel.run(f'%%heal --spec "the mean of xs" --no-wait\n{WRONG}', "b", allow_stdin=True)
        kernel.wait_for(lambda: "healing" not in kernel.card().splitlines()[0] and "✓" not in kernel.card())
        patches = [json.dumps(r.body) for r in model.requests if "# What it is for" not in json.dumps(r.body)]
        assert any("it divides by 2" in text and "the mean of xs" in text for text in patches), (
            "below 7 a patch is asked for, as for any failure, with the judge's reason"
        )
        kernel.run("def average(xs):\n    '''The mean of xs.'''\n    return sum(xs) / 2", "c")
        text = kernel.run("%heal review", "d")["text"]
        assert "REV401 A model reads it otherwise than its text: it divides by 2" in " ".join(text.split())
    finally:
        kernel.stop()


def test_cells_below_are_tried_ahead_and_the_first_failure_is_healed(loaded: LiveKernel) -> None:
    """Nothing of it happens in the user's kernel; from where a cell may not be run, nothing is known."""
    below = ["total = sum(items)", "prices = {'pear': total}\nprices['pera']", "print(total)", "!ls", "print(1)"]
    cells = [{"id": "a", "source": "items = [1, 2]"}, *({"id": f"b{n}", "source": s} for n, s in enumerate(below))]
    assert "no page has told" in loaded.run("%heal ahead now")["text"]
    loaded.tell({"action": "context", "cells": cells, "path": "n.ipynb"})
    loaded.run("items = [1, 2]", "a")
    lines = loaded.run("%heal ahead now")["text"].splitlines()
    assert [re.split(r"`\s+|  +", line)[1] for line in lines if line.startswith("cell")] == [
        "will run", "will fail", "will run", "not known", "not known",
    ]  # fmt: skip
    assert lines[0].endswith("  will run"), "of what runs there is no more to say"
    assert any("KeyError" in line for line in lines)
    assert any("fix ready: Change" in line for line in lines)
    assert loaded.value("'total' in globals()") == "False"
