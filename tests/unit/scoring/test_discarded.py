from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.scoring.discarded import find_discarded_values

OLD = "z = zip('ba', [2, 1])\nz.sort()\nprint(list(z))"


def said(new: str, old: str = OLD) -> list[str]:
    return list(find_discarded_values([old], [ast.parse(new)]))


@pytest.mark.parametrize("instead", ["sorted(z)", "list(z)", "z[0]", "z", "z + z", "x == 3"])
def test_a_value_that_nothing_takes_is_named(instead: str) -> None:
    assert said(OLD.replace("z.sort()", instead))


@pytest.mark.parametrize(
    "new",
    [
        OLD,
        OLD.replace("z.sort()", "z = sorted(z)"),
        OLD.replace("z.sort()", "show(z)"),
        OLD.replace("z.sort()", "yield_(z)\nz.reverse()"),
        "z = zip('ba', [2, 1])\nsorted(z)",
        "f(1)\n'a docstring-like text'\nprint(z)",
    ],
)
def test_what_is_used_shown_or_does_something_is_not(new: str) -> None:
    assert not said(new)


def test_what_the_notebook_threw_away_itself_may_stay() -> None:
    assert not said("sorted(z)\nprint(z)", "sorted(z)\nprint(zz)")


def test_what_stood_in_a_cell_that_did_not_parse_may_stay() -> None:
    assert not said("x[::-1]\nprint('Sum:', x)\n", "x[::-1]\nprint(Sum:', x)\n")
    assert said("x[::-1]\nx[0]\nprint('Sum:', x)\n", "x[::-1]\nprint(Sum:', x)\n")


def test_what_stands_where_an_attribute_alone_stood_may_stay() -> None:
    assert not said("list(search.results)\nprint(z)", "search.scores_\nprint(z)")
    assert said("list(search.results)\nz[0]\nprint(z)", "search.scores_\nprint(z)")
    assert said("sorted(z)\nprint(z)", "z.sort\nprint(z)")
    assert said("list(z)\nsearch.scores_\nprint(z)", "search.scores_\nprint(z)")
