"""The shipped examples: healed, with checks that no healer has seen, and left alone where they must be."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.notebook.records import Status
from jupyter_selfheal.surfaces.notebook.table import format_reports
from jupyter_selfheal.testing.text_notebook import parse_notebook
from tests.healing import ROOT, Clinic, examples

pytestmark = pytest.mark.kernel

SOURCES = {
    path.stem: parse_notebook(path.read_text(encoding="utf-8"), path.stem)
    for path in sorted((ROOT / "examples/sources").glob("*.txt"))
}
LEFT_ALONE = "22_left_alone"


def hidden_checks() -> dict[str, str]:
    parts = re.split(r"(?m)^=== (.*)\n", (ROOT / "tests/variants/examples.checks").read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_notebooks_are_what_the_sources_say(tmp_path: Path) -> None:
    make = examples()
    for name, source in SOURCES.items():
        make.write(source, tmp_path / f"{name}.ipynb")
        written = (tmp_path / f"{name}.ipynb").read_bytes()
        assert written == (ROOT / "examples/notebooks" / f"{name}.ipynb").read_bytes(), "run examples/make_examples.py"
    for path in (tmp_path / "data").iterdir():
        assert path.read_bytes() == (ROOT / "examples/notebooks/data" / path.name).read_bytes()


def test_every_example_has_hidden_checks() -> None:
    assert hidden_checks().keys() == SOURCES.keys() - {LEFT_ALONE}


FIRST = ("09_inverted_formula", "14_missing_colon", "16_str_plus_int", "19_wrong_operator")
"""By rules, by the search, and of syntax. `make demo` heals all, and says where one is not as intended; `make test-all` asks the hidden checks of each."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in FIRST)) for n in SOURCES if n != LEFT_ALONE]
)
def test_the_example_is_healed_and_its_hidden_checks_hold(ward: Clinic, name: str) -> None:
    report, document = ward.heal(SOURCES[name], name)
    assert report.exit_code == 0, format_reports([report])
    assert report.count(Status.HEALED) >= 1
    trial = ward.check(report.healed, tuple(hidden_checks()[name].splitlines()), document.path.parent)
    wrong = [s for s in trial.steps if not s.ok]
    assert not wrong, f"{format_reports([report])}\n{wrong[0].errors}"


def test_what_must_be_left_alone_is_left_alone_and_named(ward: Clinic) -> None:
    report, document = ward.heal(SOURCES[LEFT_ALONE], LEFT_ALONE)
    assert report.healed == document.notebook
    failing = [r for r in report.records if r.status is not Status.RAN]
    assert [r.status for r in failing] == [Status.MEANT_TO_FAIL, *[Status.LEFT_ALONE] * 5], format_reports([report])
    assert all(r.detail for r in failing), "each says what its author can do"


SHOWN = ("05_missing_import", "11_off_by_one", "14_missing_colon")
"""A cell that is put in, a search, and syntax."""


@pytest.mark.timeout(900)  # each in a kernel of its own twice
def test_what_the_command_writes_passes_nbval(tmp_path: Path) -> None:
    """The real command on examples (each heals in a test of its own), then nbval, which compares outputs, on what it wrote."""
    shutil.copytree(ROOT / "examples/notebooks", tmp_path / "in")
    shutil.copytree(tmp_path / "in/data", tmp_path / "out/data")
    names = [f"{name}.ipynb" for name in SHOWN]
    words = ["--output-dir", "../out", "--offline", "--healers", "rules,search", "--timeout", "60", "--json"]
    command = [sys.executable, "-m", "jupyter_selfheal", "heal", *names, *words, "--jobs", "2"]
    done = subprocess.run(command, cwd=tmp_path / "in", capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(n["survived_clean_run"] for n in json.loads(done.stdout)["notebooks"])
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "."]
    tested = subprocess.run(tests, cwd=tmp_path / "out", capture_output=True, text=True, timeout=600, check=False)
    assert tested.returncode == 0, tested.stdout
