"""A loop by index that a patch ends one item sooner is a doubt, where nothing in it is of two neighbours."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.last_left_out import find_end_left_out, find_last_left_out

LOOP = "def count(xs):\n    found = 0\n    for i in range({}):\n        if {}:\n            found += 1\n    return {}\n"
WHOLE, SHORT = "len(xs)", "len(xs) - 1"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (LOOP.format(WHOLE, "xs[i] > 2", "found"), LOOP.format(SHORT, "xs[i] > 2", "found"), "range(len(xs) - 1)"),
        (
            LOOP.format(WHOLE, "xs[i] > 2", "found"),
            LOOP.format("len(xs[1:])", "xs[i] > 2", "found"),
            "range(len(xs[1:]))",
        ),
        (
            LOOP.format(WHOLE, "xs[i] > xs[i + 1]", "found"),
            LOOP.format("len(xs[1:])", "xs[i] > xs[i + 1]", "found"),
            "",
        ),
        (LOOP.format(WHOLE, "xs[i] > xs[i + 1]", "found"), LOOP.format(SHORT, "xs[i] > xs[i + 1]", "found"), ""),
        (LOOP.format(WHOLE, "xs[i] > 2", "found + xs[-1]"), LOOP.format(SHORT, "xs[i] > 2", "found + xs[-1]"), ""),
        (
            LOOP.format(WHOLE, "xs[i] < xs[len(xs) - 1]", "found"),
            LOOP.format(SHORT, "xs[i] < xs[len(xs) - 1]", "found"),
            "",
        ),
        (LOOP.format(SHORT, "xs[i] > 2", "found"), LOOP.format(SHORT, "xs[i] > 3", "found"), ""),
        (LOOP.format(SHORT, "xs[i] > 2", "found"), LOOP.format(WHOLE, "xs[i] > 2", "found"), ""),
    ],
)
def test_the_last_item_is_left_out_where_no_neighbour_is_read(old: str, new: str, place: str) -> None:
    assert find_last_left_out(old, new) == place


FOUND = (
    "def found(xs, day):\n    for x in {}:\n        if x == day:\n            return count({}, x) == 1\n    return {}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        (("xs", "xs", "False"), ("xs[1:]", "xs[1:]", "False"), "xs[1:]"),
        (("xs", "xs", "False"), ("xs[:-1]", "xs[:-1]", "False"), "xs[:-1]"),
        (("xs", "xs", "False"), ("xs[1:]", "xs", "False"), ""),
        (("xs", "xs", "xs[0]"), ("xs[1:]", "xs[1:]", "xs[0]"), ""),
        (("xs[1:]", "xs[1:]", "False"), ("xs[1:]", "xs[1:]", "True"), ""),
        (("xs", "xs", "False"), ("xs[day:]", "xs[day:]", "False"), ""),
    ],
)
def test_an_item_that_is_read_nowhere_any_more(old: tuple[str, ...], new: tuple[str, ...], part: str) -> None:
    assert find_end_left_out(FOUND.format(*old), FOUND.format(*new)) == part


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("ys = [int(x) for x in xs]", "ys = [int(x) for x in xs[:-1]]", "xs[:-1]"),
        ("for x in xs:\n    ys.append(int(x))", "for x in xs[:-2]:\n    ys.append(int(x))", "xs[:-2]"),
        ("ys = [x - xs[-1] for x in xs]", "ys = [x - xs[-1] for x in xs[:-1]]", ""),
        ("ys = [a - b for a, b in zip(xs, xs)]", "ys = [a - b for a, b in zip(xs[:-1], xs[1:])]", ""),
        ("ys = [int(x) for x in xs]", "ys = [int(x) for x in xs[1:]]", "xs[1:]"),
        ("ys = [int(x) for x in xs]", "ys = [int(x) for x in xs[::2]]", "xs[::2]"),
        ("ys = list(map(int, xs))", "ys = list(map(int, xs[:-1]))", "xs[:-1]"),
        ("ys = [int(x) for x in sorted(xs)]", "ys = [int(x) for x in sorted(xs[:-1])]", "xs[:-1]"),
        ("ys = [int(x) for x in sorted(xs)]", "ys = [int(x) for x in sorted(xs)[:-1]]", "sorted(xs)[:-1]"),
        ("ys = [int(x) for x in xs]", "ys = [int(x) for x in xs[::-1]]", ""),
        ("ys = [int(x) for x in xs]", "ys = [int(x) for x in xs[:n]]", ""),
        ("ys = [int(x) for x in xs[:-1]]", "ys = [float(x) for x in xs[:-1]]", ""),
    ],
)
def test_the_item_that_fails_in_a_loop_of_a_cell_is_left_out(old: str, new: str, part: str) -> None:
    assert find_end_left_out(old, new) == part


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("n = sum(f[5] != 'k' for f in codes)", "n = sum(f[5] != 'k' for f in codes[-1])", "codes[-1]"),
        ("for f in codes:\n    print(f)", "for f in codes[0]:\n    print(f)", "codes[0]"),
        ("for f in rows:\n    print(f)", "for f in codes[0]:\n    print(f)", ""),
        ("for f in codes:\n    print(f)", "for f in codes[key]:\n    print(f)", ""),
        ("for f in codes[1]:\n    print(f)", "for f in codes[0]:\n    print(f)", ""),
    ],
)
def test_one_text_is_not_gone_through_in_place_of_all(old: str, new: str, part: str) -> None:
    assert find_end_left_out(old, new) == part
