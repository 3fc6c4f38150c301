"""A run ends once, in one way, whatever its thread still does."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.mcp import meter
from jupyter_selfheal.surfaces.mcp.runs import MOST_RUNS, ToolRun, ToolRuns
from jupyter_selfheal.surfaces.mcp.tools import view_run
from jupyter_selfheal.surfaces.mcp.views import Texts


def settled(run: ToolRun) -> ToolRun:
    run.wait_for_news(-1, 60.0) if not run.is_running else None
    while run.is_running:
        run.wait_for_news(run.version, 60.0)
    return run


def test_a_result_is_there_until_it_is_asked_for() -> None:
    runs = ToolRuns()
    run = settled(runs.start("try_patch", lambda run: {"score": 9}))
    assert view_run(runs.get(run.id))["result"] == {"score": 9}


def test_a_refusal_is_its_sentence_and_a_fault_of_ours_one_line() -> None:
    def refuse(run: ToolRun) -> None:
        raise UsageError("name\n a cell")

    def break_down(run: ToolRun) -> None:
        raise ZeroDivisionError

    runs = ToolRuns()
    assert settled(runs.start("diagnose", refuse)).error == "name a cell"
    broken = settled(runs.start("diagnose", break_down))
    assert broken.state == "failed"
    assert broken.error.startswith("internal error, not one of the notebook (ZeroDivisionError")


def test_what_was_cancelled_stays_cancelled_and_writes_nothing() -> None:
    going, ended = threading.Event(), threading.Event()
    refused: list[str] = []

    def work(run: ToolRun) -> str:
        going.wait()
        try:
            run.begin_writing()
        except UsageError as error:
            refused.append(str(error))
        ended.set()
        return "late"

    runs = ToolRuns()
    run = runs.start("apply_fix", work)
    run.cancel()
    going.set()
    ended.wait()
    assert (run.state, run.result) == ("cancelled", None)
    assert "nothing was written" in refused[0]


def test_what_is_being_written_is_not_cancelled_any_more() -> None:
    run = ToolRun("apply_fix")
    run.begin_writing()
    run.cancel()
    assert run.is_running


def test_only_the_latest_results_are_kept() -> None:
    runs = ToolRuns()
    first = settled(runs.start("diagnose", lambda run: 0))
    for _ in range(MOST_RUNS + 2):
        settled(runs.start("diagnose", lambda run: 0))
    with pytest.raises(UsageError, match="call the tool again"):
        runs.get(first.id)


def test_a_long_text_is_cut_and_says_how_to_get_more() -> None:
    text = Texts(100).cut_text("a" * 500)
    assert "400 characters left out; ask with max_chars=500 for more" in text
    assert len(text) < 200
    assert "hunter2secret" not in Texts(100).cut_text("password = 'hunter2secret'")


def test_what_a_run_took_stands_still_once_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = ToolRuns()
    ended = settled(runs.start("check_notebook", lambda run: {}))
    cancelled = runs.start("check_notebook", lambda run: run.wait_for_news(run.version, 60.0))
    cancelled.cancel()
    for run in (ended, cancelled):
        cost = view_run(run)["cost"]
        monkeypatch.setattr(meter, "time", SimpleNamespace(monotonic=lambda: 1e9))
        assert view_run(run)["cost"] == cost
        monkeypatch.undo()
