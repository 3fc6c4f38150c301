"""A function with nothing in it, a loop that is not there, and what is to be asked of an item: programs of our own, and near misses."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.mutations.empty_bodies import is_stub
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import ITEMS, Hints, Scope
from tests.unit.healers.search.searching import find, list_texts

STOCK = """\
def count_colour(colour, stock):
    found = 0
    for part in stock:
        if part[0] == colour:
            found += 1
    return found


def count_size(size, stock):
    return


def has_rare(colour, stock):
    pass
"""
STOCK_CHECKS = """\
stock = [("red", 4), ("blue", 7), ("red", 7), ("green", 1)]
assert count_colour("red", stock) == 2
assert count_size(7, stock) == 2
assert count_size(1, stock) == 1
assert count_size(9, stock) == 0
assert count_size(4, [("red", 4), ("red", 4), ("blue", 4)]) == 3
"""


def test_a_function_with_nothing_in_it_does_what_its_sibling_does_with_another_part_of_each_item() -> None:
    best = find(STOCK, STOCK_CHECKS)["patches"][0]
    (text,) = best["texts"].values()
    assert "part[1] == size" in text
    assert best["edits"] == 1


@pytest.mark.slow
def test_few_checks_do_not_say_what_an_empty_function_is_for() -> None:
    told = find(STOCK, STOCK_CHECKS)["patches"][0]
    hinted = find(STOCK, STOCK_CHECKS.partition("assert count_size(9")[0])["patches"][0]
    assert "had nothing in it" not in told["rival"]
    assert hinted["rival"]


@pytest.mark.slow
def test_two_empty_functions_are_filled_one_with_what_it_asks_of_each_item() -> None:
    program = STOCK.replace(
        "def has_rare(colour, stock):\n    pass\n", "def has_rare(colour, stock):\n    return False\n"
    )
    checks = STOCK_CHECKS + (
        'assert has_rare("green", stock) is True\nassert has_rare("red", stock) is True\nassert has_rare("blue", stock) is False\n'
        'assert has_rare("pink", stock) is False\nassert has_rare("red", [("red", 7), ("blue", 7)]) is False\n'
        'assert has_rare("blue", [("red", 7), ("blue", 8)]) is True\n'
    )
    best = find(program.replace("found\n\n\ndef count_size(size, stock):\n    return", ALONE), checks)["patches"][0]
    (text,) = best["texts"].values()
    assert "item[0] == colour" in text
    assert "is_alone(item[1], stock)" in text


ALONE = """found


def is_alone(size, stock):
    return count_size(size, stock) == 1


def count_size(size, stock):
    return sum(1 for part in stock if part[1] == size)"""


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("def f(x):\n    return\n", True),
        ("def f(x):\n    pass\n", True),
        ('def f(x):\n    """What it does."""\n', True),
        ('def f(x):\n    """What it does."""\n    return None\n', True),
        ("def f(x):\n    return x\n", False),
        ("def f(x):\n    raise NotImplementedError\n", False),
        ("def f(x):\n    print(x)\n    return\n", False),
        ("f = None", False),
    ],
)
def test_only_a_function_that_does_nothing_counts_as_empty(text: str, is_empty: bool) -> None:
    assert is_stub(text) is is_empty


def propose(text: str, words: str, hints: Hints) -> list[str]:
    return [splice(text, c.edits) for c in list_changes(Scope(text, hints)) if words in c.words]


EMPTY = "def late(train, trains):\n    return\n"
WHOLE = "def early(train, trains):\n    return [t for t in trains if t < train]\n"


def test_nothing_is_put_into_a_function_that_has_a_body_or_that_stands_alone() -> None:
    known = {"late": EMPTY, "early": WHOLE}
    signatures = {"late": ("train", "trains"), "early": ("train", "trains")}
    hints = Hints(texts=known, signatures=signatures, calls={"late": [(2, [1, 2, 3])]})
    assert any("t < train" in t for t in propose(EMPTY, "has no body", hints))
    assert propose(EMPTY.replace("return", "return train"), "has no body", hints) == []
    assert propose(f"class A:\n    {EMPTY.replace('    ', '        ')}", "has no body", hints) == []
    assert propose(EMPTY, "has no body", Hints()) == []
    other = {"late": EMPTY, "early": WHOLE.replace("train, trains", "train, trains, day")}
    assert not any("t < train" in t for t in propose(EMPTY, "has no body", Hints(texts=other)))


SPOT = "def spot(low, row):\n    if value >= low:\n        return at\n    return -1\n"


def test_statements_that_read_an_item_and_its_place_are_put_into_the_loop_that_binds_them() -> None:
    best = find(
        SPOT,
        "assert spot(5, [1, 7, 9]) == 1\nassert spot(1, [1, 7]) == 0\nassert spot(8, [1, 7]) == -1\nassert spot(8, [1, 7, 2, 9]) == 3\n",
    )["patches"][0]
    assert "for at, value in enumerate(row):\n        if value >= low:" in next(iter(best["texts"].values()))


@pytest.mark.parametrize(
    "text",
    [
        SPOT.replace("value", "low").replace("at", "row"),
        SPOT.replace("(low, row)", "(low, row, value, at)"),
        SPOT.replace("if value", "value, at = row[0], 0\n    if value"),
        SPOT.replace("value", "len").replace("return at", "return max"),
    ],
)
def test_no_loop_is_put_around_what_reads_nothing_that_is_unbound(text: str) -> None:
    hints = Hints(kinds={"row": frozenset({ITEMS})}, defined=frozenset({"spot"}))
    assert propose(SPOT, "the loop", hints)
    assert propose(text, "the loop", hints) == []


LAST = "def spot(low, row):\n    at = 0\n    for value in row:\n        if value >= low:\n            at = row.index(value) - 1\n    return at\n"


def test_the_first_hit_is_kept_and_no_longer_one_off() -> None:
    (text,) = list_texts(LAST, "is meant")
    assert "at = (row.index(value))\n            break\n" in text


@pytest.mark.parametrize(
    "text",
    [
        LAST.replace(" - 1", ""),
        LAST.replace(" - 1", " - 2"),
        LAST.replace("for value in row", "while low"),
        LAST.replace("        if value >= low:\n    ", ""),
    ],
)
def test_no_first_hit_is_looked_for_elsewhere(text: str) -> None:
    assert list_texts(text, "is meant") == []


def test_two_functions_in_the_wrong_order_are_exchanged() -> None:
    assert list_texts("n = len(range(xs))\n", "are exchanged") == ["n = range(len(xs))\n"]
    for text in ("n = len(len(xs))\n", "n = len(range(xs, 2))\n", "n = len(*range(xs))\n", "n = len(xs.copy())\n"):
        assert list_texts(text, "are exchanged") in ([], ["n = len(range(2, xs))\n"])


def test_a_method_that_is_subscripted_is_called() -> None:
    assert list_texts("n = xs.index[2]\n", "is a method") == ["n = xs.index(2)\n"]
    for text in ("n = xs.rows[2]\n", "n = xs.index[1:]\n", "n = xs.index\n", "n = index[2]\n"):
        assert list_texts(text, "is a method") == []


RARE = "def has_rare(colour, stock):\n    for part in stock:\n        if part[0] == colour:\n            return True\n    return False\n"


def test_a_function_of_the_program_is_asked_of_a_part_of_an_item() -> None:
    hints = Hints(signatures={"is_alone": ("size", "stock"), "has_rare": ("colour", "stock")})
    texts = propose(RARE.replace("return True", "return part[1] > 0"), "is not asked", hints)
    assert any("part[0] == colour) and is_alone(part[1], stock)" in t.replace("((", "(") for t in texts)
    assert (
        propose(
            RARE.replace("for part in stock:\n        if", "part = stock[0]\n    if 1:\n        if"),
            "is not asked",
            hints,
        )
        == []
    )
    assert propose(RARE, "is not asked", Hints(signatures={"has_rare": ("colour", "stock")})) == []
    asked = RARE.replace("part[0] == colour", "is_alone(part[0], stock)")
    assert propose(asked, "is not asked", hints) == []


EITHER = "def spot(low, row):\n    for at in range(len(row)):\n        if row[at] >= low:\n            return at\n        else:\n            return -2\n"


def test_behind_a_loop_the_number_of_its_items_may_be_meant() -> None:
    texts = list_texts(EITHER, "after the loop for `else`")
    assert [t.splitlines()[-1] for t in texts] == ["    return len(row)"]
    assert list_texts(EITHER.replace("return -2", "return len(row)"), "after the loop for `else`") == []
    assert list_texts(EITHER.replace("range(len(row))", "range(9)"), "after the loop for `else`") == []
    assert list_texts(EITHER.replace("else", "elif low"), "after the loop for `else`") == []
