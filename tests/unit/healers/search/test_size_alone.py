"""A size says how much there is and nothing of what it is: another label that gives as much is doubted, and other changes are not."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.program import CELL, CHECK, Program, Unit
from jupyter_selfheal.inside.search.size_alone import DOUBT, describe_size_alone

OLD, NEW = "df[['time', 'rain']]", "df[['time', 'time']]"
LESS = "pd.melt(df, id_vars='time', value_vars='rain')", "pd.melt(df, id_vars='time')"


@pytest.mark.parametrize("change", [(OLD, NEW), LESS])
@pytest.mark.parametrize("form", ["{}.shape", "len({})", "{}.shape[0]", "{}.nunique()"])
def test_another_label_is_doubted_where_a_size_is_shown(change: tuple[str, str], form: str) -> None:
    old, new = (form.format(text) for text in change)
    assert describe_size_alone(Program((Unit(old, CELL, True, "c"),), "(2, 2)"), [(old, new)]) == DOUBT


def test_another_label_is_doubted_where_an_assert_asks_for_a_size() -> None:
    units = (Unit(f"part = {OLD}", CELL, True, "c"), Unit("assert len(part) == 2", CHECK, cell="c"))
    assert describe_size_alone(Program(units), [(f"part = {OLD}", f"part = {NEW}")]) == DOUBT


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        (f"part = {OLD}", f"part = {NEW}", "assert part['time'].sum() == 3"),
        (f"part = {OLD}", f"part = {NEW}", "assert len(part) == 2\nassert part.max().max() == 3"),
        ("part = xs[1:]", "part = xs[2:]", "assert len(part) == 2"),
        ("part = f(xs)", "part = g(xs)", "assert len(part) == 2"),
    ],
)
def test_other_checks_and_other_changes_are_not_doubted(old: str, new: str, check: str) -> None:
    units = (Unit(old, CELL, True, "c"), Unit(check, CHECK, cell="c"))
    assert describe_size_alone(Program(units), [(old, new)]) == ""


def test_a_value_that_is_shown_is_no_size() -> None:
    old, new = f"{OLD}.sum().tolist()", f"{NEW}.sum().tolist()"
    assert describe_size_alone(Program((Unit(old, CELL, True, "c"),), "[3, 3]"), [(old, new)]) == ""
