"""A run as a stranger reads it."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.journal.describe import ENDINGS, KINDS, describe_event, format_details, format_headline
from jupyter_selfheal.journal.inspect import (
    find_journal,
    format_run_table,
    format_timeline,
    list_numbered_runs,
    list_runs,
)
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.model import Applicability, Cost, ErrorInfo, Reason
from jupyter_selfheal.ports import Answer
from jupyter_selfheal.testing.scripted import ScriptedHealer, ScriptedScorer, build_scripted_dependencies
from tests.stages import answer, staged

KEY = "ghp_" + "k" * 36


CALL = {
    "prompt": "fix-1",
    "model": "m",
    "system": "You mend cells.",
    "messages": [{"role": "user", "text": "The cell:\nx = [3, 1]"}],
    "reply": json.dumps({"hypotheses": [{"source": "a = 1\nb = 2"}]}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One healed run, with a rule that fails, a model that heals, and a secret in the cell."""
    folder = tmp_path_factory.mktemp("runs")
    stage = staged("x = [3, 1]", f"key = '{KEY}'\nprint(x.lenght)")
    rule = stage.replaced("x.lenght", "x.lengths")
    model = stage.replaced("x.lenght", "len(x)", Applicability.UNSAFE, "language_model")
    healers = [
        ScriptedHealer([answer(rule)]),
        ScriptedHealer(
            [Answer((model,), cost=Cost(usd=0.0123, calls=1), record={"calls": [CALL]})],
            name="language_model",
            paid=True,
            worst=Cost(usd=0.05, calls=1),
        ),
    ]
    with JsonlJournal.create("abc123", notebook="/n/sales.ipynb", folder=folder) as journal:
        parts = build_scripted_dependencies(stage.starts, healers, scorer=ScriptedScorer({model.title: 8.0}))
        assert heal(stage.case, replace(parts, journal=journal)).reason is Reason.HEALED
    return folder


def test_the_timeline_tells_the_whole_story(folder: Path) -> None:
    text = "\n".join(format_timeline("abc", folder=folder))
    for part in (
        "run abc123, begun",
        "notebook /n/sales.ipynb",
        "failed     line 2 of cell c1: AttributeError: 'list' object has no attribute 'lenght'",
        "asked      rules: 1 idea",
        "x.lenght → x.lengths [rules, safe]",
        "AttributeError: 'list' object has no attribute 'lengths' (line 2)",
        "priced     a call of language_model may cost $0.0500",
        "reserved   $0.0500 for language_model",
        "asked      language_model: 1 idea for $0.0123",
        "8/10",
        "proven from before the cell and after the failure",
        "decided    approve by script",
        "ended      healed",
        "spent: $0.0123 (language model $0.0123)",
    ):
        assert part in text


def test_nothing_shown_holds_a_secret(folder: Path) -> None:
    shown = [*format_timeline("abc123", folder=folder), *format_timeline("abc123", json=True, folder=folder)]
    for kind in KINDS:
        shown += format_timeline("abc123", kind=kind, folder=folder)
    assert KEY not in "\n".join(shown)
    assert "SELFHEAL_SECRET_1_" in "\n".join(shown)


def test_a_kind_shows_details_and_an_index_picks_one(folder: Path) -> None:
    request = "\n".join(format_timeline("abc123", kind="request", folder=folder))
    lines = [line.partition("| ")[2] for line in request.splitlines()]
    told = (
        "--- system ---",
        "You mend cells.",
        "--- user ---",
        "The cell:",
        "x = [3, 1]",
        "    source:",
        "      a = 1",
        "      b = 2",
    )
    assert [line for line in lines if line in told] == list(told), "real line breaks, no escaped JSON"
    raw = json.loads("".join(format_timeline("abc123", kind="request", json=True, folder=folder)))
    assert raw["event"]["answer"]["record"]["calls"][0]["messages"] == CALL["messages"]
    second = list(format_timeline("abc123", kind="trial", index=2, folder=folder))
    assert any("len(x)" in line or "ran" in line for line in second)
    assert len([line for line in second if "tried" in line]) == 1
    assert list(format_timeline("abc123", kind="trial", index=-1, folder=folder)) == second
    with pytest.raises(UsageError, match="2 such events, no number 3"):
        list(format_timeline("abc123", kind="trial", index=3, folder=folder))
    with pytest.raises(UsageError, match="unknown kind"):
        list(format_timeline("abc123", kind="nonsense", folder=folder))


def test_json_is_one_event_a_line(folder: Path) -> None:
    bodies = [json.loads(line)["event"]["$"] for line in format_timeline("abc123", json=True, folder=folder)]
    assert (bodies[0], bodies[-1]) == ("Started", "Ended")


def test_runs_are_listed_with_their_end_and_a_damaged_one_as_damaged(folder: Path, tmp_path: Path) -> None:
    (run,) = list_runs(folder)
    assert (run.id, run.ending, run.attempts, run.cost.usd) == ("abc123", "healed", 2, 0.0123)
    (tmp_path / "bad.jsonl").write_text("{}\n")
    (bad,) = list_runs(tmp_path)
    assert bad.ending == "damaged"
    assert "sales.ipynb" in list(format_run_table(folder))[1]


def test_in_a_narrow_terminal_what_failed_stands_below_its_run(tmp_path: Path) -> None:
    for name in ("live-20261130-145432-17014-2", "0123abcd-1"):
        JsonlJournal.create(name, notebook="sales.ipynb", folder=tmp_path).close()
    wide, narrow = (list(format_run_table(tmp_path, columns)) for columns in (200, 80))
    assert all("\n" not in line for line in wide)
    lines = [line for row in narrow for line in row.split("\n")]
    assert len(lines) == 2 * len(wide)
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("    [sales.ipynb] ") for line in lines)


def test_a_run_is_found_by_its_beginning(folder: Path) -> None:
    assert find_journal("last", folder) == find_journal("abc", folder) == folder / "abc123.jsonl"
    with pytest.raises(UsageError, match="no run 'zzz'"):
        find_journal("zzz", folder)


def test_a_commands_name_stands_for_its_runs_in_their_order(tmp_path: Path) -> None:
    for name in (
        "3656e452-10",
        "3656e452-2",
        "3656e452-1",
        "3656e4521-1",
        "91dd-2.1",
        "91dd-2.2",
        "91dd-20.1",
        "live-1",
        "live",
    ):
        JsonlJournal.create(name, folder=tmp_path).close()
    assert list_numbered_runs("3656e452", tmp_path) == ["3656e452-1", "3656e452-2", "3656e452-10"]
    assert list_numbered_runs("91dd-2", tmp_path) == ["91dd-2.1", "91dd-2.2"]
    assert list_numbered_runs("live", tmp_path) == ["live"]
    assert list_numbered_runs("zzz", tmp_path) == ["zzz"]


def test_how_a_run_ended_is_said_in_plain_words(tmp_path: Path) -> None:
    assert set(ENDINGS) == set(Reason) - {Reason.HEALED}
    with JsonlJournal.create("none", folder=tmp_path) as journal:
        journal.append(ev.Ended(Reason.EXHAUSTED, "no working fix found"))
    assert " without a fix " in list(format_run_table(tmp_path))[1]
    assert "ended      without a fix: no working fix found" in "\n".join(format_timeline("none", folder=tmp_path))


def test_the_name_that_a_kernel_made_up_for_a_cell_is_not_shown_and_that_of_a_file_is() -> None:
    for place, shown in (("1271279233.py", ""), ("<ipython-input-3-0aa>", ""), ("helper.py", " (helper.py, line 1)")):
        raised = f"invalid syntax ({place}, line 1)"
        assert format_headline({"ename": "SyntaxError", "evalue": raised}) == f"SyntaxError: invalid syntax{shown}"
        assert ErrorInfo("SyntaxError", raised).words == f"SyntaxError: invalid syntax{shown}"
    assert ErrorInfo("KeyboardInterrupt", "").words == "KeyboardInterrupt"


def test_following_ends_with_the_run(tmp_path: Path) -> None:
    with JsonlJournal.create("live", folder=tmp_path) as journal:
        journal.append(ev.CancelRequested())
        timer = threading.Timer(0.3, lambda: journal.append(ev.Ended(Reason.CANCELLED)))
        timer.start()
        lines = list(format_timeline("live", follow=True, folder=tmp_path))
        timer.join()
    assert [line.split()[-1] for line in lines[-2:]] == ["user", "stopped"]


def test_every_event_has_words_of_its_own() -> None:
    for cls in ev.Event.__args__:  # type: ignore[attr-defined]
        assert describe_event({"$": cls.__name__}) != cls.__name__, f"{cls.__name__} has no description"
        assert any(is_kind({"$": cls.__name__}) for is_kind in KINDS.values()), f"{cls.__name__} is of no kind"


def test_what_a_killed_run_had_set_aside_counts_as_spent_in_the_list(tmp_path: Path) -> None:
    with JsonlJournal.create("cut", folder=tmp_path) as journal:
        journal.append(ev.Reserved("a", "language_model", Cost(usd=0.05, calls=1)))
        journal.append(ev.Settled("a", Cost(usd=0.01, calls=1)))
        journal.append(ev.Reserved("b", "judge", Cost(usd=0.002, calls=2)))
    (run,) = list_runs(tmp_path)
    assert run.cost.usd == pytest.approx(0.012)
    assert "spent: $0.0120 (language model $0.0100, judge $0.0020)" in "\n".join(
        format_timeline("cut", folder=tmp_path)
    )


def test_a_critics_word_and_its_request_are_in_the_timeline(tmp_path: Path) -> None:
    with JsonlJournal.create("risky", folder=tmp_path) as journal:
        journal.append(
            ev.CapabilitiesChecked({"p": ("deletion",)}, {"p": "data.csv is gone"}, record={"calls": [CALL]})
        )
    text = "\n".join(format_timeline("risky", folder=tmp_path))
    assert "p adds deletion: not tried before you allow it" in text
    assert "p could go wrong: data.csv is gone" in text
    assert "You mend cells." in "\n".join(format_timeline("risky", kind="request", folder=tmp_path))


def test_a_call_without_a_known_price_is_on_the_bill_and_marked_in_the_list(tmp_path: Path) -> None:
    unknown = Cost(0.0, 900, 100, 1, unknown=True)
    with JsonlJournal.create("local", folder=tmp_path) as journal:
        journal.append(ev.Reserved("a", "language_model", unknown))
        journal.append(ev.Settled("a", unknown))
    expected = "spent: 1000 tokens at an unknown price (language model 1000 tokens at an unknown price)"
    assert expected in "\n".join(format_timeline("local", folder=tmp_path))
    assert "0.0000?" in list(format_run_table(tmp_path))[1]


def test_events_are_counted_from_one(tmp_path: Path) -> None:
    with JsonlJournal.create("few", folder=tmp_path) as journal:
        journal.append(ev.CancelRequested())
    with pytest.raises(UsageError, match="no number 0"):
        list(format_timeline("few", index=0, folder=tmp_path))


def test_a_secret_at_the_end_of_a_cut_message_is_not_shown_by_half() -> None:
    failure = {"ename": "ValueError", "evalue": "x" * 165 + " password = 'correct-horse-battery-staple'"}
    assert "correct" not in redact(format_headline(failure))


def test_a_journal_that_vanishes_does_not_hide_the_others(tmp_path: Path) -> None:
    JsonlJournal.create("here", folder=tmp_path).close()
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    assert [(run.id, run.ending) for run in list_runs(tmp_path)] == [("here", "unfinished"), ("gone", "damaged")]


def test_calls_that_were_made_again_are_in_the_details_of_a_trial() -> None:
    rows = [
        {"call": "average([2, 4])", "cell": "c1", "gave": "3.0", "change": "gave 3.0, now 12"},
        {"call": "average([1])", "cell": "c1", "gave": "1.0", "change": ""},
    ]
    step = {"status": "ok", "role": "probe", "name": "observed calls", "value": rows}
    lines = format_details({"$": "TrialEnded", "trial": {"steps": [step]}}).splitlines()
    assert lines[1:] == [
        "  average([2, 4]) in c1: gave 3.0, now 12",
        "  average([1]) in c1: gave 1.0, as before",
    ]
