"""The whole flow with a language model: the command, real kernels, the real SDK, a stand-in for the model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ["08_key_error.ipynb", "13_percent_formatting.ipynb"]


@pytest.mark.kernel
def test_notebooks_are_healed_by_the_hypothesis_that_proves_right(tmp_path: Path) -> None:
    notebooks = [str(ROOT / "examples" / "notebooks" / name) for name in NOTEBOOKS]
    command = [sys.executable, str(ROOT / "examples" / "demo_model.py"), "--into", str(tmp_path / "healed"), *notebooks]
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    report = json.loads((tmp_path / "healed" / "report.json").read_text())
    fixes = [cell["fix"] for found in report["notebooks"] for cell in found["cells"] if cell["fix"]]
    assert [fix["title"] for fix in fixes] == ['Write `entry["costs"]`', "Write `% (name, points)`"]
    assert {fix["healer"] for fix in fixes} == {"language_model"}
    assert {fix["applicability"] for fix in fixes} == {"unsafe"}
    assert 0 < report["cost_usd"] < 0.05
    runs = list((tmp_path / "data" / "selfheal" / "runs").glob("*.jsonl"))
    sent = [line for path in runs for line in path.read_text().splitlines() if "fix-2" in line]
    assert len(sent) == 2, "each request is in the journal, with the version of its prompt"
