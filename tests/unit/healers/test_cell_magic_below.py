"""A cell that is split above a misplaced cell magic: what stands above becomes a cell of its own, with an id that nbformat takes."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbformat.validator import validate

from jupyter_selfheal.healers.rules.cell_magic_below import CellMagicBelow
from jupyter_selfheal.model import Applicability, Insert
from jupyter_selfheal.testing.rule_conformance import Bench


def test_a_cell_is_split_above_its_magic_and_the_new_one_can_be_stored(bench: Bench) -> None:
    (patch,) = bench.fail("k = 3\n%%time\nk + 1").propose_patches(CellMagicBelow())
    (above,) = [e for e in patch.edits if isinstance(e, Insert)]
    assert (above.source, patch.applicability) == ("k = 3", Applicability.UNSAFE)
    long = Insert.above("c" * 64, "k = 3")
    validate(new_notebook(cells=[new_code_cell("k = 3", id=long.cell_id)]))
    assert long.cell_id != above.cell_id


@pytest.mark.parametrize("cell", ["k = 3\n%%time\n%%bash\nls", "k = (\n%%time\n1)"])
def test_a_cell_with_two_magics_or_an_open_bracket_is_left(bench: Bench, cell: str) -> None:
    assert not bench.fail(cell).propose_patches(CellMagicBelow())
