"""A failure in a file beside the notebook, healed there, where --project names the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_selfheal.journal.jsonl import read_journal
from jupyter_selfheal.loop.events import Answered
from tests.batches import cell
from tests.command import heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

HELPER = '''"""Helpers."""

import math


def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(valeus)


def spread(values):
    centre = mean(values)
    return math.sqrt(sum((v - centre) ** 2 for v in values) / len(values))


if __name__ == "__main__":
    print(mean([1, 2]))
'''
CELLS = "import helper\nvalues = [1, 2, 3, 6]", "print(helper.spread(values))"

TEST = "python -c 'import helper; assert helper.mean([2, 4]) == 3'"


def test_a_fault_in_a_file_is_healed_there(place: Path) -> None:
    helper = place / "helper.py"
    helper.write_text(HELPER)
    given = write(place / "n.ipynb", *CELLS)
    done = heal(given, "-o", "out.ipynb", "--json", "--project", ".", "--test", TEST, ends=0)
    assert [c["status"] for c in done.cells] == ["ran", "healed"]
    assert done.cells[1]["fix"]["diff"].startswith("@@ helper.py @@")
    assert [f["written"] for f in done.notebook["files"]] == [True]
    assert helper.read_text() == HELPER.replace("valeus", "values")
    assert sources(place / "out.ipynb") == list(CELLS)


@pytest.mark.slow  # two notebooks, each run twice
def test_two_notebooks_with_the_same_broken_file_are_healed_by_one_patch(place: Path) -> None:
    helper = place / "helper.py"
    helper.write_text(HELPER)
    given = [write(place / f"{name}.ipynb", *CELLS) for name in "ab"]
    done = heal(*given, "--output-dir", "out", "--json", ends=1)
    notebooks = json.loads(done.stdout)["notebooks"]
    assert [[c["status"] for c in n["cells"]] for n in notebooks] == [["ran", "proposed"]] * 2
    assert len({f["diff"] for n in notebooks for f in n["files"]}) == 1
    assert helper.read_text() == HELPER, "not named with --project"
    journals = (place.parent / "data" / "selfheal" / "runs").glob("*.jsonl")
    events = [event for path in journals for event in read_journal(path).events()]
    found = [p for e in events if isinstance(e, Answered) for p in e.answer.patches if "helper.py" in p.cells_touched]
    assert len(found) == 1, "looked for once, proven in each"


@pytest.mark.slow
def test_a_call_that_fails_in_a_file_is_not_replaced_by_another_that_gives_the_same_by_luck(place: Path) -> None:
    (place / "rows.py").write_text(
        "import pandas as pd\n\n\ndef add_total(frame):\n"
        "    total = {'shop': 'all', 'amount': frame['amount'].sum()}\n    return frame.append(total, ignore_index=True)\n"
    )
    output = {"output_type": "execute_result", "execution_count": 2, "metadata": {}, "data": {"text/plain": ["4"]}}
    frame = "import pandas as pd\nfrom rows import add_total\nsold = pd.DataFrame({'shop': list('abc'), 'amount': [1, 2, 3]})"
    given = write(place / "n.ipynb", frame, cell("len(add_total(sold))", outputs=[output], execution_count=2))
    done = heal(given, "-o", "out.ipynb", "--json", ends=1)  # `len(max(sold))` is 4 as well
    assert done.cells[1]["status"] == "proposed"
    assert "pd.concat" in done.notebook["files"][0]["diff"]


@pytest.mark.slow
def test_tests_that_failed_speak_for_a_fix_though_another_function_of_its_file_stays_broken(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    bill = "def add_tax(amount, rate):\n    return amount * (1 + rte)\n\n\ndef rest(x):\n    return x - 1\n"
    (place / "bill.py").write_text(bill)
    tests = "from bill import add_tax, rest\n\n\ndef test_tax():\n    assert add_tax(100, 0.5) == 150\n\n\ndef test_rest():\n    assert rest(3) == 21\n"
    (place / "test_bill.py").write_text(tests)
    given = write(place / "n.ipynb", "import bill", "bill.add_tax(10, 0.5)")
    heal(given, "-o", "out.ipynb", "--project", ".", "--test", "pytest -q", ends=0)
    assert (place / "bill.py").read_text() == bill.replace("rte", "rate")


@pytest.mark.slow
def test_what_fails_while_a_file_is_imported_is_healed_there_though_a_cell_could_not_help(place: Path) -> None:
    """A submodule that a package no longer has, for another one that is not installed: no cell could bring it back."""
    helper = place / "helper.py"
    helper.write_text(
        "from sklearn.externals.six import StringIO\n\n\ndef read(text):\n    return StringIO(text).read()\n"
    )
    cells = "import sys\nsys.modules['six'] = None", "from helper import read", "print(read('a'))"
    done = heal(write(place / "n.ipynb", *cells), "-o", "out.ipynb", "--json", "--project", ".", ends=0)
    assert [c["status"] for c in done.cells] == ["ran", "healed", "runs again"]
    assert helper.read_text().startswith("from io import StringIO\n")
    assert sources(place / "out.ipynb") == list(cells)


@pytest.mark.slow  # each file costs two runs of the notebook
def test_a_cell_that_fails_in_one_file_after_the_other_is_healed_in_both(place: Path) -> None:
    first, second = place / "first.py", place / "second.py"
    first.write_text("LIMIT = math.floor(2.5)\n")
    second.write_text("def shout(word):\n    return word.uper()\n")
    given = write(place / "n.ipynb", "import first\nimport second\nprint(second.shout(f'a{first.LIMIT}'))")
    done = heal(given, "-o", "out.ipynb", "--json", "--project", ".", ends=0)
    assert [c["status"] for c in done.cells] == ["healed"]
    assert first.read_text().startswith("import math\n")
    assert "word.upper()" in second.read_text()
    assert len(done.notebook["files"]) == 2


@pytest.mark.slow  # the notebook runs three times
def test_a_write_that_is_lost_in_a_file_is_healed_there_for_the_cell_below_that_fails(place: Path) -> None:
    clean = place / "clean.py"
    text = 'def clean(frame):\n    frame["sex"].replace({"m": 0, "f": 1}, inplace=True)\n    return frame\n\n\ndef unused(table):\n    table["x"].fillna(0, inplace=True)\n'
    clean.write_text(text)
    cells = "import pandas as pd\nfrom clean import clean", "people = clean(pd.DataFrame({'sex': ['m', 'f']}))", "x = people.to_numpy(float)", "print(x.sum())"  # fmt: skip
    done = heal(write(place / "n.ipynb", *cells), "-o", "out.ipynb", "--json", "--project", ".", ends=0)
    assert [c["status"] for c in done.cells] == ["ran", "ran", "healed", "runs again"]
    new = 'frame["sex"] = frame["sex"].replace({"m": 0, "f": 1}).infer_objects()'
    assert clean.read_text() == text.replace('frame["sex"].replace({"m": 0, "f": 1}, inplace=True)', new)
    assert sources(place / "out.ipynb") == list(cells)


def test_a_file_that_needs_a_package_behind_its_first_fault_says_which(place: Path) -> None:
    (place / "counting.py").write_text("from scipy.misc import comb\nimport visvis_not_there\n")
    done = heal(write(place / "n.ipynb", "import counting"), "-o", "out.ipynb", "--json", "--project", ".", ends=1)
    assert done.cells[0]["status"] == "not healed"
    assert "it fails in counting.py, line 1; not healed there: fixed the first problem" in done.cells[0]["detail"]
    assert "No module named 'visvis_not_there'" in done.cells[0]["detail"]
