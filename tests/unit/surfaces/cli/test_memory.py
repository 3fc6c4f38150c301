from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_selfheal.healers.memory.store import MemoryStore, Remembered
from jupyter_selfheal.surfaces.cli import main
from tests.disk import no_room

CHANGE = {"old": ["x"], "new": "pd.concat([df, row])", "names": ["df", "row"], "anchor": ""}
ENTRY = Remembered(
    "sig",
    "AttributeError: no append",
    "Use concat",
    "it was removed",
    [{"where": "failing", "changes": [CHANGE]}],
    "API1",
)


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    return MemoryStore()


def test_an_empty_memory_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "list"]) == 0
    assert "Nothing is remembered" in capsys.readouterr().out


def test_what_is_remembered_is_listed_shown_exported_and_forgotten(
    store: MemoryStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.record(ENTRY, approved=True)
    store.record(ENTRY, approved=False)
    assert main(["memory", "list"]) == 0
    assert "approved 1, rejected 1" in (out := capsys.readouterr().out)
    assert "50 %  Use concat  (AttributeError: no append)" in out
    assert main(["memory", "show", "1"]) == 0
    assert "pd.concat([df, row])" in capsys.readouterr().out
    assert main(["memory", "export", str(tmp_path / "all.json")]) == 0
    assert json.loads((tmp_path / "all.json").read_text())[0]["title"] == "Use concat"
    assert main(["memory", "forget", "1"]) == 0
    assert store.all() == ()


def test_an_unknown_number_and_a_damaged_database_are_one_clear_line(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["memory", "forget", "7"]) == 2
    assert "'7'" in capsys.readouterr().err
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(b"not a database" * 99)
    assert main(["memory", "list"]) == 2
    said = capsys.readouterr().err.strip()
    assert "set aside" in said
    assert "\n" not in said


def test_an_export_that_does_not_fit_the_disk_leaves_the_earlier_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "all.json").write_text("the earlier one")
    assert main(["memory", "list"]) == 0, "its own files are there"
    with no_room():
        assert main(["memory", "export", str(tmp_path / "all.json")]) == 2
    assert (tmp_path / "all.json").read_text() == "the earlier one"
    assert "cannot be written" in capsys.readouterr().err
