"""A batch goes on from the state that a fix left behind in its trial: how often a healed cell runs is counted, in real kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.model import Run, Trial, TrialRequest
from jupyter_selfheal.surfaces.notebook.api import HealedNotebook, heal_notebook
from tests.command import place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

FAILS = "made.append(len(made))\nword = 'a'.uper()\nprint(made, word)"
MENDED = FAILS.replace("uper", "upper")
CELLS = ["made = []", FAILS, "made.append('below')\nprint(made, word)", "assert word == 'A'"]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was run as a cell in forked kernels, with what it printed, in order."""
    seen: list[tuple[str, str]] = []
    run_once: Callable[..., tuple[Trial, ForkedKernel | None]] = ForkedKernel._run_once

    def note(self: ForkedKernel, request: TrialRequest, *also: object) -> tuple[Trial, ForkedKernel | None]:
        trial, kept = run_once(self, request, *also)
        for step, result in zip(request.steps, trial.steps, strict=True):
            if isinstance(step, Run) and result.status != "skipped":
                seen.append((step.code, "".join(o.text for o in result.outputs if o.output_type == "stream")))
        return trial, kept

    monkeypatch.setattr(ForkedKernel, "_run_once", note)
    return seen


@pytest.fixture
def library(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed modules."""
    folder = place.parent / "site-packages"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def heal(place: Path, *cells: str, **also: bool) -> HealedNotebook:
    given = write(place / "n.ipynb", *cells)
    return heal_notebook(given, output=place / "out.ipynb", config=HealConfig(healers=("rules",), **also))


def test_a_healed_cell_runs_in_its_trial_and_in_the_clean_run_and_no_third_time(
    place: Path, runs: list[tuple[str, str]]
) -> None:
    healed = heal(place, *CELLS, offline=True)
    assert healed.runs
    assert [printed for code, printed in runs if code == MENDED] == ["[0] A\n"] * 2
    below = [printed for code, printed in runs if code == CELLS[2]]
    assert (
        below.count("[0, 'below'] A\n") == len([b for b in below if b]) >= 3
    )  # of its trial, the chain, the clean run


def test_so_it_does_where_a_trial_has_no_network_and_the_notebook_needs_none(
    place: Path, runs: list[tuple[str, str]]
) -> None:
    assert heal(place, *CELLS).runs
    assert sum(code == MENDED for code, _ in runs) == 2


@pytest.mark.first_examples(1)
@pytest.mark.parametrize("speaks", ["place = 'https://example.org/a.csv'", "import urllib.request"])
def test_where_a_network_may_be_missed_the_fix_is_applied_in_a_state_that_has_one(
    place: Path, runs: list[tuple[str, str]], speaks: str
) -> None:
    assert heal(place, *CELLS, speaks).runs
    assert sum(code == MENDED for code, _ in runs) == 3


@pytest.mark.slow
def test_a_cell_whose_state_cannot_be_kept_is_proven_as_ever(place: Path, runs: list[tuple[str, str]]) -> None:
    waits = "import threading, time\nthreading.Thread(target=time.sleep, args=(20,), daemon=True).start()\n"
    healed = heal(place, "made = []", waits + FAILS, *CELLS[2:], offline=True)
    assert healed.runs
    assert {printed for code, printed in runs if code == waits + MENDED} == {"[0] A\n"}


def test_files_that_the_cell_wrote_are_there_below_and_on_the_disk_they_are_not(place: Path) -> None:
    cells = [
        "open('f.txt', 'w').write('x' * 3)\nword = 'a'.uper()",
        "assert open('f.txt').read() == 'xxx' and word == 'A'",
    ]
    assert heal(place, *cells, offline=True).runs
    assert not (place / "f.txt").exists()


@pytest.mark.slow
def test_many_fixes_stand_upon_each_other_and_none_of_their_cells_runs_a_third_time(
    place: Path, runs: list[tuple[str, str]]
) -> None:
    cells = [
        f"open('f{n}.txt', 'x').close()\nw{n} = 'a{n}'.uper()\nprint('mended')\nassert w{n} == 'A{n}'"
        for n in range(10)
    ]
    healed = heal(place, *cells, offline=True)
    assert healed.runs
    assert len(healed.fixes) == len(cells)
    assert sum(printed == "mended\n" for _, printed in runs) == 2 * len(cells)


def test_what_an_importing_cell_loads_behind_its_failure_is_loaded_once_for_all_trials(
    place: Path, runs: list[tuple[str, str]], library: Path
) -> None:
    (library / "heavy.py").write_text("import os\nmaker = os.getpid()\n")
    (library / "quick.py").write_text("value = 1\n")
    fails = "from quick import valeu\nimport heavy\nimport os\nprint(heavy.maker == os.getpid())"
    healed = heal(place, fails, "print(valeu + heavy.maker * 0)", offline=True)
    printed = [text for code, text in runs if code.startswith("from quick import value")]
    assert healed.runs, healed.report
    assert printed == ["False\n", "True\n"], "in its trial it is there, in the clean run the cell loads it"


def test_of_an_importing_cell_that_nobody_heals_nothing_is_loaded_for_the_cells_below(
    place: Path, runs: list[tuple[str, str]], library: Path
) -> None:
    (library / "heavy.py").write_text("")
    asks = "import sys\nprint('heavy' in sys.modules)"
    assert not heal(place, "import no_such_package_anywhere\nimport heavy", asks, offline=True).runs
    assert {printed for code, printed in runs if code == asks} == {"False\n"}


@pytest.mark.first_examples(1)
@pytest.mark.parametrize(("expected", "runs_through"), [("7", False), ("6", True)])
def test_behind_a_misspelt_name_a_constant_is_not_added_until_the_one_value_is_met(
    place: Path, expected: str, runs_through: bool
) -> None:
    given = write(place / "n.ipynb", "price = 3", f"%%heal --expect {expected}\ntotal = prise * 2\ntotal")
    healed = heal_notebook(
        given, output=place / "out.ipynb", config=HealConfig(healers=("rules", "search"), offline=True)
    )
    assert healed.runs is runs_through
    assert ("price * 2" in (place / "out.ipynb").read_text("utf-8")) is runs_through
