"""The measured share of right fixes that a proposal quotes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from jupyter_selfheal.scoring import calibration

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "calibration.py"


@pytest.mark.parametrize(
    ("proofs", "checks", "kind"),
    [
        (("runs",), 0, "runs, 1 check"),
        (("asserts in the cell", "runs"), 1, "asserts in the cell, 1 check"),
        (("doctests", "asserts below", "runs"), 3, "doctests, 2 or 3 checks"),
        (("expected value", "runs"), 7, "expected value, 4 to 7 checks"),
        (("expected value", "runs"), 8, "expected value, 8 checks or more"),
    ],
)
def test_a_kind_is_the_strongest_proof_and_how_much_was_checked(
    proofs: tuple[str, ...], checks: int, kind: str
) -> None:
    assert calibration.name_kind(proofs, checks) == kind


def test_too_few_cases_say_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "calibration.toml"
    table.write_text('[kinds."a"]\nright = 9\ncases = 9\n[kinds."b"]\nright = 38\ncases = 39\n')
    monkeypatch.setattr(calibration, "FILE", table)
    calibration._read_table.cache_clear()
    try:
        assert calibration.find_measured("a") is None
        measured = calibration.find_measured("b")
        assert measured is not None
        assert "38 of 39" in measured.sentence
    finally:
        calibration._read_table.cache_clear()


def test_the_table_is_made_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("calibration_script", SCRIPT)
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    row = {
        "plausible": True,
        "correct": True,
        "place": 1,
        "score": 8.8,
        "proofs": "asserts in the cell, runs",
        "checks": 2,
    }
    rows = [row, {**row, "correct": False}, {**row, "plausible": False, "score": 6.0}, {**row, "score": 0.0}]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps(r) for r in [{"set": "s", "oracle": "2"}, *rows]) + "\n")
    table = script.format_table(list(script.read_rows([file])))
    assert "| asserts in the cell, 2 or 3 checks | 1 | 2 | 9%–91% |" in table
    assert "| 6.0 | 1 | 1 |" in table
    page = tmp_path / "scoring.md"
    page.write_text(f"before\n{script.START}old\n{script.END}after\n")
    monkeypatch.setattr(script, "PAGE", page)
    monkeypatch.setattr(script, "FILE", tmp_path / "calibration.toml")
    script.write_results(list(script.read_rows([file])), table)
    assert page.read_text() == f"before\n{script.START}{table}{script.END}after\n"
    assert 'kinds."asserts in the cell, 2 or 3 checks"' in (tmp_path / "calibration.toml").read_text()
