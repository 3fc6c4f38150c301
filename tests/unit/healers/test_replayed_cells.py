"""Which cells run again with a fix above: those that make what the failing cell reads, and those without which a name would be set back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.healers.rules.context.replay import list_replayed_cells
from jupyter_selfheal.model import Cell
from jupyter_selfheal.testing.rule_conformance import Bench

ABOVE = ("import math\nmodel = 1\nfirst = model + 1", "import math\nmodel = 2\nsecond = model + 1", "rate = 3")


@pytest.mark.parametrize(
    ("below", "replayed"),
    [
        ("print(first)", ("c1",)),
        ("print(model)", ("c1", "c2")),
        ("print(second, math.pi)", ("c1",)),
        ("model = 5\nprint(model)", ("c1",)),
    ],
    ids=["what it makes", "what was bound since", "what it does not touch", "what is bound below"],
)
def test_a_name_that_cells_below_read_is_not_set_back(bench: Bench, below: str, replayed: tuple[str, ...]) -> None:
    broken = bench.fail(*ABOVE, "first.upper()")
    cells = broken.case.notebook.cells
    case = replace(broken.case, notebook=replace(broken.case.notebook, cells=(*cells, Cell("z", below))))
    assert list_replayed_cells(replace(broken, case=case).context) == replayed
