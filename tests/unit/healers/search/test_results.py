"""What a process of a search tells of a run comes back whole."""

from __future__ import annotations

from dataclasses import astuple

from jupyter_selfheal.inside.search.run_result import Result


def test_a_result_is_made_again_of_its_fields() -> None:
    result = Result(1, 2, "time", 3, 4, 5, 6)
    assert result.list_fields() == [*astuple(result)]
    assert Result(*result.list_fields()) == result
