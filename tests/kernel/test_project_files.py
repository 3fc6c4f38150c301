"""A failure in a file beside the notebook, healed there, where --project names the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

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
