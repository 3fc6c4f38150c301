"""No cell makes a command hang, whatever it waits for and whatever it ignores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import heal, place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

BACKGROUND = ("x = 1", "%%script --bg --out lines bash\necho a", "while True:\n    lines.readline()", "'a'.uper()")
DEAF = (
    "import signal, time\nfor one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGHUP):\n    signal.signal(one, signal.SIG_IGN)\n"
    "while True:\n    try:\n        time.sleep(0.01)\n    except BaseException:\n        pass"
)


def statuses(place: Path) -> list[str]:
    report = json.loads((place / "r.json").read_text())
    return [cell["status"] for cell in report["notebooks"][0]["cells"]]


@pytest.mark.slow
def test_an_endless_loop_over_a_background_process_is_cut_and_the_cells_below_are_healed(place: Path) -> None:
    """It took more than 400 s: the cell that makes ``lines`` was left out where the state was reconstructed, the loop raised a
    NameError, and each question about that failure ran it again with ``lines``, for ten minutes."""
    given = write(place / "n.ipynb", *BACKGROUND)
    done = heal(given, "--timeout", "3", "--report", "r.json")
    assert statuses(place) == ["ran", "ran", "not healed", "healed"], done.stdout + done.stderr


def test_a_fix_that_meets_the_time_limit_is_offered_with_its_diff_and_what_hangs_on_it_follows(place: Path) -> None:
    mended = "import time\nword = 'a'.uper()\ntime.sleep(60)\nlong = word * 3"
    given = write(place / "n.ipynb", mended, "print(long)", "x = 1")
    done = heal(
        given,
        "--trial-timeout",
        "0.3",
        "--downstream-seconds",
        "0.5",
        "--report",
        "r.json",
        "--healers",
        "rules",
        ends=1,
    )
    assert statuses(place) == ["proposed", "cascade", "ran"], done.stdout + done.stderr
    offered = json.loads((place / "r.json").read_text())["notebooks"][0]["cells"][0]
    assert "+word = 'a'.upper()" in offered["fix"]["diff"]
    assert (offered["fix"]["score"], offered["fix"]["proven_from"]) == (4.0, [])
    assert "the time limit ended it" in offered["detail"]
    assert "--trial-timeout" in done.stdout


@pytest.mark.slow
def test_a_cell_that_ignores_signals_is_cut_by_the_notebooks_limit_and_what_was_healed_is_written(place: Path) -> None:
    given = write(place / "n.ipynb", "'a'.uper()", DEAF, "x = 1")
    done = heal(given, "--timeout", "600", "--notebook-timeout", "20", "--report", "r.json")
    assert statuses(place) == ["healed", "not reached", "not reached"], done.stdout + done.stderr
    assert "The time limit for this notebook (20 s) was reached." in done.stdout
    assert "upper()" in (place / "n.healed.ipynb").read_text()
