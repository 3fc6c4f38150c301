"""``jupyter selfheal heal`` with real kernels: what a user sees, and what must never be left behind."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.surfaces.notebook.provenance import list_applied_fixes
from tests.batches import cell
from tests.command import HEAL, heal, place, read_cells, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel


def test_a_notebook_is_healed_proven_and_written_beside_the_original(place: Path) -> None:
    given = write(
        place / "n.ipynb", "def area(w, h):\n    return w * h", "size = area(2, 3)\nprint(siz)", "assert size == 6"
    )
    before = given.read_bytes()
    done = heal(given, "--report", "r.json", "--report", "r.html", ends=0)
    assert given.read_bytes() == before
    healed = json.loads((place / "n.healed.ipynb").read_text())
    assert "".join(healed["cells"][1]["source"]) == "size = area(2, 3)\nprint(size)"
    assert healed["cells"][1]["outputs"][0]["text"] == ["6\n"]
    report = json.loads((place / "r.json").read_text())["notebooks"][0]
    assert report["survived_clean_run"]
    assert "fork" in report["cells"][1]["fix"]["isolation"]
    assert "siz" in done.stdout


@pytest.mark.slow
def test_writes_are_thrown_away_unless_asked_for(place: Path) -> None:
    given = write(
        place / "n.ipynb",
        "import os; os.mkdir('out')\nopen('out/f.txt', 'w').write('x')",
        "open('out/f.txt').read().uper()",
    )
    heal(given, ends=0)
    assert not (place / "out").exists()
    assert heal(given, "--write").returncode in (0, 1)
    assert (place / "out" / "f.txt").read_text() == "x"


def test_in_place_keeps_the_bytes_of_what_was_not_healed(place: Path) -> None:
    stored = [{"output_type": "stream", "name": "stdout", "text": ["from long ago\n"]}]
    given = write(place / "n.ipynb", cell("print('now')", outputs=stored, execution_count=3), "x = 'a'.uper()", "x")
    before = json.loads(given.read_text())
    heal(given, "--in-place", "--approve", "all", ends=0)
    after = json.loads(given.read_text())
    assert after["cells"][0] == before["cells"][0]
    assert after["cells"][1]["source"] == ["x = 'a'.upper()"]
    assert given.read_text().endswith("}\n")
    assert given.read_text().startswith('{\n "cells"')


@pytest.mark.slow
def test_approve_none_proposes_and_changes_nothing(place: Path) -> None:
    given = write(place / "n.ipynb", "x = 'a'.uper()")
    done = heal(given, "-o", "out.ipynb", "--approve", "none", ends=1)
    assert "(proposed)" in done.stdout
    assert sources(place / "out.ipynb")[:1] == ["x = 'a'.uper()"]


def test_approve_ask_shows_the_diff_and_obeys(place: Path) -> None:
    import pexpect

    given = write(place / "n.ipynb", "x = 'a'.uper()", "x")
    child = pexpect.spawn(
        sys.executable, [*HEAL[1:], str(given), "-o", "out.ipynb", "--approve", "ask"], cwd=str(place), timeout=90
    )
    child.expect("uper")
    child.expect(r"\[a\]ccept")
    child.sendline("w")
    child.expect("Cause")
    child.expect(r"\[a\]ccept")
    child.sendline("a")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert sources(place / "out.ipynb")[:1] == ["x = 'a'.upper()"]


def test_what_is_asked_does_not_stand_in_the_json_and_where_nobody_answers_that_is_said(place: Path) -> None:
    given = write(place / "n.ipynb", "x = 'a'.uper()")
    done = heal(given, "-o", "out.ipynb", "--approve", "ask", "--json")
    assert "nobody answered" in json.loads(done.stdout)["notebooks"][0]["cells"][0]["detail"]
    assert done.stderr.rstrip().endswith("[?]")
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        ({"kernelspec": {"name": "no-such-kernel", "display_name": "?"}}, "no-such-kernel"),
        ({"kernelspec": {"name": "dies", "display_name": "?"}}, "dies"),
    ],
)
def test_a_kernel_that_cannot_be_had_is_one_line(place: Path, metadata: dict[str, Any], says: str) -> None:
    spec = place.parent / "data" / "kernels" / "dies"
    spec.mkdir(parents=True)
    argv = [sys.executable, "-c", "import sys; sys.exit('no luck today')", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Dies", "language": "python"}))
    given = write(place / "n.ipynb", "x = 1", **metadata)
    good = write(place / "good.ipynb", "x = 1")
    done = heal(given, good, "--output-dir", "out", ends=2)
    assert len(done.stderr.strip().splitlines()) == 1
    assert says in done.stderr
    assert "good.ipynb: the 1 code cell runs" in done.stdout
    assert [p.name for p in (place / "out").iterdir()] == ["good.ipynb"]


def test_no_cells_is_a_healthy_notebook(place: Path) -> None:
    assert heal(write(place / "n.ipynb"), "--json", ends=0).cells == []


def test_a_cell_that_kills_its_kernel_takes_nothing_with_it(place: Path) -> None:
    crash = "import os, signal\ndef crash():\n    os.kill(os.getpid(), signal.SIGSEGV)\n\ncrash()"
    given = write(place / "n.ipynb", "x = 1", crash, "x + 1")
    cells = heal(given, "--json", ends=1).cells
    assert [c["kind"] for c in cells] == ["", "died", ""]
    assert [c["status"] for c in cells][2] == "ran"
    assert "died at line 5: a segmentation fault" in cells[1]["failure"]


def test_papermill_heals_with_our_engine(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    papermill = pytest.importorskip("papermill")
    given = write(place / "n.ipynb", cell("n = 2", metadata={"tags": ["parameters"]}), "print(f'n is {n}'.uper())", "print(n)",
                  kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"})  # fmt: skip
    papermill.execute_notebook(str(given), str(place / "out.ipynb"), {"n": 5}, engine_name="selfheal", cwd=str(place),
                               approve="all", progress_bar=False)  # fmt: skip
    assert "selfheal: Change `.uper` to `.upper`" in caplog.messages
    cells = read_cells(place / "out.ipynb")
    assert ["".join(c["outputs"][0]["text"]) for c in cells if c["outputs"]] == ["N IS 5\n", "5\n"]
    assert "upper" in "".join(cells[2]["source"])
    assert list_applied_fixes({"cells": cells})[0].what == "Change `.uper` to `.upper`", "`log` and `revert` know it"


@pytest.mark.slow
def test_papermill_heals_a_notebook_that_names_no_kernel(place: Path) -> None:
    papermill = pytest.importorskip("papermill")
    given = write(place / "n.ipynb", "print('a'.uper())")
    papermill.execute_notebook(str(given), str(place / "out.ipynb"), engine_name="selfheal", cwd=str(place),
                               approve="all", progress_bar=False)  # fmt: skip
    assert read_cells(place / "out.ipynb")[-1]["outputs"][0]["text"] == ["A\n"]


@pytest.mark.slow
def test_a_state_that_cannot_be_forked_is_replayed_and_that_is_said(place: Path) -> None:
    given = write(
        place / "n.ipynb",
        cell("1 / 0", metadata={"tags": ["raises-exception"]}),
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
        "word = 'a'",
        "print(word.uper())",
    )
    done = heal(given, "-o", "out.ipynb", ends=0)
    assert "reconstructed by replay" in done.stdout
    assert "fresh" in done.stdout
    assert read_cells(place / "out.ipynb")[3]["outputs"][0]["text"] == ["A\n"]


@pytest.mark.slow
def test_a_bash_cell_does_not_end_the_chain_of_forks(place: Path) -> None:
    given = write(place / "n.ipynb", "%%bash\necho from bash", "%%bash\necho again", "print('a'.uper())")
    done = heal(given, "-o", "out.ipynb", ends=0)
    assert "reconstructed" not in done.stdout
    cells = read_cells(place / "out.ipynb")
    assert [c["outputs"][0]["text"] for c in cells] == [["from bash\n"], ["again\n"], ["A\n"]]


@pytest.mark.slow
def test_a_killed_run_is_resumed_without_repeating_its_heals(place: Path) -> None:
    given = write(place / "n.ipynb", "x = 'a'.uper()", "y = 'b'.lowr()", "x, y")
    heal(given, "-o", "first.ipynb", "--no-provenance", ends=0)
    runs = place.parent / "data" / "selfheal" / "runs"
    names = sorted(p.stem for p in runs.glob("*.jsonl"))
    assert [n.rpartition("-")[2] for n in names] == ["1", "2"]
    last = runs / f"{names[1]}.jsonl"
    whole = last.read_bytes()
    last.write_bytes(whole[: len(whole) // 2])  # killed in the middle of a line of the second heal
    first_before = (runs / f"{names[0]}.jsonl").read_bytes()
    heal(given, "-o", "second.ipynb", "--no-provenance", "--resume", names[0].rpartition("-")[0], ends=0)
    assert (place / "second.ipynb").read_bytes() == (place / "first.ipynb").read_bytes()
    assert (runs / f"{names[0]}.jsonl").read_bytes() == first_before, "what had ended is not done again"
    assert b'"Ended"' in last.read_bytes()


@pytest.mark.slow
def test_a_cell_that_needs_what_an_unhealed_one_would_have_made_is_a_cascade_whatever_else_it_lacks(
    place: Path,
) -> None:
    given = write(place / "n.ipynb", "rows = open('rows.bin').read()", "for row in rows:\n    print row")
    cells = heal(given, "--json").cells
    assert [(c["status"], c["cascade_of"]) for c in cells] == [("left alone", 0), ("cascade", 1)]


@pytest.mark.slow
def test_only_the_table_that_got_no_names_lacks_them_because_of_that(place: Path) -> None:
    tables = (
        "import pandas as pd\na = pd.DataFrame({'x': [1], 'y': [2], 'z': [3]})\nb = pd.DataFrame({'Price': [3, 4]})"
    )
    asked = ("print(b['price'].mean())", "c = a.dropna()\nprint(c['price'].mean())")
    done = heal(write(place / "n.ipynb", tables, "a.columns = ['price', 'town']", *asked), "--json")
    assert [(c["status"], c["cascade_of"]) for c in done.cells[2:]] == [("healed", 0), ("cascade", 2)]


def test_what_a_cell_writes_elsewhere_in_its_project_is_thrown_away_not_refused(place: Path) -> None:
    (place / "README.md").write_text("A project.")
    for name in ("notebooks", "output"):
        (place / name).mkdir()
    given = write(
        place / "notebooks" / "n.ipynb",
        "with open('../output/x.csv', 'w') as f:\n    f.write('1')",
        "open('../output/x.csv').read() + 'a'.uper()",
    )
    done = heal(given, "--json")
    cells = done.cells
    assert [c["status"] for c in cells] == ["ran", "healed"], done.stdout
    assert list((place / "output").iterdir()) == []
