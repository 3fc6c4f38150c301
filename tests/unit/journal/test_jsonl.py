"""The journal on disk: written before anybody acts, whole or not at all, and honest about damage."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import JournalError
from jupyter_selfheal.journal.jsonl import JsonlJournal, list_journals, read_journal
from jupyter_selfheal.loop.events import (
    Answered,
    CancelRequested,
    Decided,
    Ended,
    HealerFailed,
    Priced,
    Reserved,
    Scored,
    Settled,
)
from jupyter_selfheal.model import Choice, Cost, Decision, Reason
from jupyter_selfheal.ports import Answer

EVENTS = (
    HealerFailed("rules", Reason.SELF_ERROR, "ein Fehler: ü \u2028 \ud800"),
    CancelRequested(),
    Ended(Reason.CANCELLED),
)


@pytest.fixture
def journal(tmp_path: Path) -> JsonlJournal:
    made = JsonlJournal.create(
        "run1", notebook="/a/b.ipynb", config=HealConfig(budget_usd=0.5), folder=tmp_path / "runs"
    )
    for event in EVENTS:
        made.append(event)
    return made


def test_what_is_written_is_read_back(journal: JsonlJournal) -> None:
    assert journal.events() == EVENTS
    header = json.loads(journal.path.read_bytes().splitlines()[0])
    assert (header["selfheal"], header["run"], header["notebook"]) == (1, "run1", "/a/b.ipynb")
    assert header["config"]["budget_usd"] == 0.5
    journal.close()


def test_the_disk_is_waited_for_where_money_is_spent_or_the_user_decides_and_not_for_what_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []
    journal = JsonlJournal.create("run2", folder=tmp_path)
    monkeypatch.setattr(os, "fsync", lambda fd: waited.append(os.pread(fd, 1 << 20, 0).splitlines()[-1].decode()))
    free = (
        Priced("m", Cost()),
        Answered("rules", Answer(())),
        Scored((), ()),
        HealerFailed("m", Reason.SELF_ERROR, ""),
    )
    for event in free:
        journal.append(event)
    assert not waited
    assert journal.events() == free, "another process reads them at once"
    lasting = (
        Reserved("m-0", "m", Cost()), Answered("m", Answer(()), "m-0"), Settled("m-0", Cost()), Scored((), (), settles="j-1"),
        Decided(Decision(Choice.STOP)), Ended(Reason.CANCELLED),
    )  # fmt: skip
    for event in lasting:
        journal.append(event)
    assert [json.loads(line)["body"]["$"] for line in waited] == [type(event).__name__ for event in lasting]
    journal.close()


def test_it_is_the_users_own_file(journal: JsonlJournal) -> None:
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700
    assert [p.name for p in journal.path.parent.iterdir()] == ["run1.jsonl"], "no draft is left"
    journal.close()


def test_a_run_is_written_by_one_process_and_never_begun_twice(journal: JsonlJournal) -> None:
    with pytest.raises(JournalError, match="another process"):
        JsonlJournal.resume(journal.path)
    journal.close()
    with pytest.raises(JournalError, match="already"):
        JsonlJournal.create("run1", folder=journal.path.parent)


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_torn_last_line_is_dropped_with_a_notice_and_cut_off(journal: JsonlJournal, cut: int) -> None:
    journal.close()
    data = journal.path.read_bytes()
    journal.path.write_bytes(data[:-cut])
    found = read_journal(journal.path)
    assert found.events() == EVENTS[:2]
    assert "torn" in found.notices[0]
    again, _ = JsonlJournal.resume(journal.path)
    with again:
        again.append(EVENTS[2])
        assert again.events() == EVENTS


@pytest.mark.parametrize("cut", [0, 5, 100])
def test_a_ctrl_c_at_the_end_is_taken_back_on_demand(journal: JsonlJournal, cut: int) -> None:
    journal.close()
    data = journal.path.read_bytes()
    journal.path.write_bytes(data[: len(data) - cut])
    again, found = JsonlJournal.resume(journal.path, uncancelled=True)
    with again:
        assert found.events() == again.events() == EVENTS[:1]
        again.append(EVENTS[0])
        assert again.events() == (EVENTS[0], EVENTS[0])


@pytest.mark.parametrize("line", [1, 2, 3])
def test_damage_elsewhere_is_an_error_that_names_the_line(journal: JsonlJournal, line: int) -> None:
    journal.close()
    lines = journal.path.read_bytes().splitlines(keepends=True)
    lines[line - 1] = b"\x00garbage\n"
    journal.path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=f"line {line} "):
        read_journal(journal.path)


@pytest.mark.parametrize("content", [b"", b'{"selfheal": 99}\n', b"[]\n", b'{"selfheal":1}\n{"v":1}\n'])
def test_what_is_no_journal_of_ours_is_said_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=str(path)):
        read_journal(path)


def test_an_event_of_an_unknown_class_is_an_error_that_names_the_line(journal: JsonlJournal) -> None:
    journal.close()
    with open(journal.path, "ab") as file:
        file.write(b'{"v":1,"at":"","body":{"$":"FromTheFuture"}}\n')
    with pytest.raises(JournalError, match=r"line 5 .*FromTheFuture"):
        read_journal(journal.path).events()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_an_error_that_says_what_to_do() -> None:
    full = JsonlJournal(Path("/dev/full"), os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(JournalError, match=r"No space left.*make room"):
        full.append(CancelRequested())
    full.close()


def test_an_unwritable_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file in the way")
    with pytest.raises(JournalError, match="cannot be written"):
        JsonlJournal.create("r", folder=tmp_path / "runs")


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    for n, name in enumerate(("old", "new")):
        JsonlJournal.create(name, folder=tmp_path).close()
        os.utime(tmp_path / f"{name}.jsonl", (n, n))
    assert [p.stem for p in list_journals(tmp_path)] == ["new", "old"]
