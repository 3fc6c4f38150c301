"""What a failing cell of a batch has written is seen by the cells below it, and not by its own trials: in real kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.surfaces.notebook.api import HealedNotebook, heal_notebook
from jupyter_selfheal.surfaces.notebook.records import Status
from tests.command import heal as heal_by_command
from tests.command import place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

FIRST = "import os, shutil, sqlite3\nopen('a.txt', 'w').write('a')\ncost = {'price': 3}"
FAILS = "total = cost['prise']"


def heal(place: Path, *cells: str) -> HealedNotebook:
    given = write(place / "n.ipynb", *cells)
    return heal_notebook(given, output=place / "out.ipynb", config=HealConfig(healers=("rules",), offline=True))


@pytest.mark.first_examples(3)
@pytest.mark.parametrize(
    ("writes", "shows"),
    [
        ("os.makedirs('sub')", "os.listdir('sub') == []"),
        ("open('f.txt', 'x').close()", "os.path.exists('f.txt')"),
        ("with open('a.txt', 'a') as f:\n    f.write('b')", "open('a.txt').read() == 'ab'"),
        ("os.rename('a.txt', 'b.txt')", "os.path.exists('b.txt')"),
        ("shutil.move('a.txt', 'b.txt')", "not os.path.exists('a.txt')"),
        ("os.remove('a.txt')", "not os.path.exists('a.txt')"),
        ("base = sqlite3.connect('t.db')\nbase.execute('CREATE TABLE t (a)')", "os.path.exists('t.db')"),
    ],
)
def test_a_cell_that_cannot_be_run_twice_is_healed(place: Path, writes: str, shows: str) -> None:
    healed = heal(place, FIRST, f"{writes}\n{FAILS}", f"assert total == 3 and {shows}")
    assert healed.runs, healed.report
    assert sorted(path.name for path in place.iterdir()) == ["n.ipynb", "out.ipynb"]


def test_a_database_and_a_file_that_stay_open_take_what_later_cells_write(place: Path) -> None:
    opens = f"{FIRST}\nbase = sqlite3.connect('t.db')\nlog = open('log.txt', 'a')"
    fills = "base.execute('CREATE TABLE t (a)')\nbase.commit()\nlog.write('one')\nlog.flush()"
    adds = "base.execute('INSERT INTO t VALUES (1)')\nbase.commit()\nlog.write('two')\nlog.flush()"
    below = "assert open('log.txt').read() == 'onetwo'\nassert base.execute('SELECT * FROM t').fetchall() == [(1,)]"
    assert heal(place, opens, fills, FAILS, f"{adds}\nassert total == 3", below).runs


def test_a_database_that_stays_open_is_appended_to_once(place: Path) -> None:
    opens = f"{FIRST}\nbase = sqlite3.connect('t.db')\nbase.execute('CREATE TABLE t (a)')\nbase.commit()"
    adds = "base.execute('INSERT INTO t VALUES (1)')\nbase.commit()"
    healed = heal(
        place,
        opens,
        adds,
        f"{adds}\n{FAILS}",
        "rows = base.execute('SELECT * FROM t').fetchall()\nassert len(rows) == 2",
    )
    assert healed.report.records[1].status is Status.RAN
    assert healed.runs or not healed.fixes, "the writes of a failing cell stay here: nothing that adds twice is kept"


@pytest.mark.slow
def test_so_is_one_that_writes_in_a_function_and_ran_together_with_those_above(place: Path) -> None:
    cells = [FIRST, "def prepare():\n    os.makedirs('sub')", f"prepare()\n{FAILS}"]
    assert heal(place, *cells, "assert total == 3 and os.path.isdir('sub')").runs


def test_a_file_that_is_read_on_from_shows_what_later_cells_write(place: Path) -> None:
    cells = ["lines = open('a.txt')\nlines.readline()", "with open('a.txt', 'a') as f:\n    f.write('b')"]
    assert heal(place, FIRST, *cells, "assert lines.readline() == 'b'").runs


def test_a_process_that_a_cell_has_started_sees_what_later_cells_write(place: Path) -> None:
    starts = (
        "import subprocess\nsubprocess.Popen(['sh', '-c', 'until [ -e go ]; do sleep 0.05; done; echo seen > answer'])"
    )
    waits = "import time\nuntil = time.monotonic() + 20\nwhile not os.path.exists('answer') and time.monotonic() < until:\n    time.sleep(0.05)"
    assert heal(place, FIRST, starts, "open('go', 'w').close()", f"{waits}\nassert os.path.exists('answer')").runs


def test_the_cells_below_one_that_stays_broken_see_what_it_wrote(place: Path) -> None:
    broken = "os.makedirs('sub')\nraise RuntimeError('no such luck')"
    healed = heal(place, FIRST, broken, "open('sub/f.txt', 'x').close()", "assert os.listdir('sub') == ['f.txt']")
    statuses = [record.status for record in healed.report.records]
    assert statuses[2:] == [Status.RAN, Status.RAN]


def test_what_cannot_be_written_is_as_before_no_fault_of_the_cell(place: Path) -> None:
    healed = heal(place, FIRST, f"os.makedirs('/proc/selfheal')\n{FAILS}", "assert total == 3")
    assert not healed.runs
    assert not healed.fixes


def test_where_writes_are_to_stay_they_do(place: Path) -> None:
    """A fix cannot be run from the state before the cell then, and none is applied."""
    write(place / "n.ipynb", FIRST, f"os.makedirs('sub')\n{FAILS}", "assert total == 3")
    healed = heal_by_command(place / "n.ipynb", "--write", "--healers", "rules", "--json", ends=1)
    assert (place / "sub").is_dir()
    assert healed.cells[1]["status"] == "not healed"
    assert TOLD in healed.cells[1]["detail"]


TOLD = "it could not be proven: run once more, the cell fails of what it wrote before it failed, which cannot be taken back here (FileExistsError: "


def test_where_a_file_is_open_for_writing_it_is_told_what_stands_in_the_way(place: Path) -> None:
    opens = f"{FIRST}\nlog = open('log.txt', 'w')\nlog.write('x')\nlog.flush()"
    healed = heal(place, opens, f"os.makedirs('sub')\n{FAILS}", "assert total == 3")
    assert TOLD in healed.report.records[1].detail


def test_a_cell_that_fails_of_what_is_there_is_told_nothing_of_the_kind(place: Path) -> None:
    healed = heal(place, FIRST, "os.makedirs('sub')", f"os.makedirs('sub')\n{FAILS}")
    assert "run once more" not in healed.report.records[2].detail
