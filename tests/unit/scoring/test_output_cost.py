"""What an output of another value costs, and what a cell below that calls nothing says: nothing."""

from __future__ import annotations

import pytest

from jupyter_selfheal.scoring.comparison import Comparison, Match
from jupyter_selfheal.scoring.evidence import CellBelow, Evidence
from jupyter_selfheal.scoring.output_cost import compute_charge


@pytest.mark.parametrize(
    ("got", "is_charged"),
    [
        ("<bound method IndexOpsMixin.tolist of 0    4>", False),
        ("<function <lambda> at 0x7f>", False),
        ("<map object at 0x7f>", False),
        ("[4, 8, 6]", True),
        ("'<bound method of a text>'", True),
        ("<Cart of 3>", True),
    ],
)
def test_a_cell_that_does_not_call_what_it_names_is_at_fault_itself(got: str, is_charged: bool) -> None:
    below = CellBelow("b", True, "", Comparison(Match.VALUE, stored="[4, 8, 5]", got=got, similarity=0.4))
    assert (compute_charge(Evidence(True, below=(below,))).points > 0) is is_charged
