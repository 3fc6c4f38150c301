"""One file for a bug report: what helps is in it, what is the user's only with ``--sources``, and secrets never."""

from __future__ import annotations

import json
import stat
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.surfaces.cli import report_bug
from jupyter_selfheal.testing.scripted import ScriptedHealer, ScriptedScorer, build_scripted_dependencies
from tests.disk import no_room
from tests.stages import answer, staged

KEY = "ghp_" + "k" * 36
PLAIN = "correct-horse-battery-staple"
"""A secret that looks like words: only the environment tells that it is one."""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose cell holds two secrets, in a data folder of its own."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("MY_SERVICE_PASSWORD", PLAIN)
    stage = staged("patients = [3, 1]", f"key = '{KEY}'\nword = '{PLAIN}'\nprint(patients.lenght)")
    rule = stage.replaced("patients.lenght", "len(patients)")
    folder = tmp_path / "selfheal" / "runs"
    with JsonlJournal.create("first", folder=folder) as journal:
        parts = build_scripted_dependencies(
            stage.starts, [ScriptedHealer([answer(rule)])], scorer=ScriptedScorer({rule.title: 8.0})
        )
        heal(stage.case, replace(parts, journal=journal))
    return folder


def write(tmp_path: Path, *, sources: bool) -> tuple[str, dict[str, Any]]:
    target = tmp_path / "report.json"
    report_bug.run_report_bug(Namespace(run="last", output=target, sources=sources))
    return target.read_text(), json.loads(target.read_text())


def test_without_permission_nothing_of_the_cells_is_in_it(runs: Path, tmp_path: Path) -> None:
    text, report = write(tmp_path, sources=False)
    assert not [word for word in ("patients", "lenght", KEY, PLAIN, "ghp_") if word in text]
    assert report["events"][0]["event"]["$"] == "Started"
    assert report["doctor"]["python"]
    assert "ipykernel" in report["packages"]


def test_secrets_are_left_out_with_permission_too(runs: Path, tmp_path: Path) -> None:
    text, _ = write(tmp_path, sources=True)
    assert "patients.lenght" in text
    assert KEY not in text
    assert PLAIN not in text


def test_only_its_owner_reads_it_and_no_file_is_overwritten(runs: Path, tmp_path: Path) -> None:
    write(tmp_path, sources=False)
    assert stat.S_IMODE((tmp_path / "report.json").stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="there already"):
        write(tmp_path, sources=False)


def test_a_text_that_is_no_unicode_can_be_written(tmp_path: Path) -> None:
    text = json.dumps({"path": "a\udc80"}, ensure_ascii=False)
    report_bug.write_privately(tmp_path / "r.json", text)
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == {"path": "a\udc80"}


def test_a_second_report_of_a_run_has_a_name_of_its_own(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert report_bug.run_report_bug(Namespace(run="last", output=None, sources=False)) == 0
    assert sorted(p.name for p in tmp_path.glob("*.json")) == [
        "selfheal-report-first-1.json",
        "selfheal-report-first.json",
    ]


def test_where_nothing_was_healed_yet_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    assert write(tmp_path, sources=False)[1]["events"] == []
    assert "no run, as there is none yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"$": "Decided", "reason": "healed"}, {"$": "Decided", "reason": "healed"}),
        ({"$": "Rejected", "reason": "Mr Smith"}, {"$": "Rejected", "reason": "<8 characters>"}),
        ({"$": "Facts", "names": {"smith": {"kind": "x"}}}, {"$": "Facts", "names": {"<name 1>": {"<name 1>": "<1 characters>"}}}),
        ({"$": "ErrorInfo", "ename": "KeyError"}, {"$": "ErrorInfo", "ename": "KeyError"}),
        ({"$": "ErrorInfo", "ename": "AcmeMergerError"}, {"$": "ErrorInfo", "ename": "<15 characters>"}),
        ({"$": "Patch", "rule": "NAM101", "title": "ab"}, {"$": "Patch", "rule": "NAM101", "title": "<2 characters>"}),
    ],
)  # fmt: skip
def test_only_words_of_our_own_stay(value: Any, masked: Any) -> None:
    assert report_bug.mask_texts(value) == masked


def test_kernelspecs_of_the_users_own_are_counted_and_not_named() -> None:
    found = {"kernelspecs": {"python3": "Python 3 (ipykernel)", "acme-merger": "Acme"}, "python": "3.11"}
    masked = {"kernelspecs": {"python3": "Python 3 (ipykernel)", "<kernel 1>": "<4 characters>"}, "python": "3.11"}
    assert report_bug.mask_kernelspecs(found) == masked


def test_a_report_that_does_not_fit_the_disk_leaves_no_file(tmp_path: Path) -> None:
    with no_room(), pytest.raises(UsageError, match="choose another place with -o"):
        report_bug.write_privately(tmp_path / "r.json", "text")
    assert list(tmp_path.iterdir()) == []
