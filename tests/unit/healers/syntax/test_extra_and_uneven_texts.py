"""Lines that are printed and not expected, texts that end otherwise than their sibling, and near misses of both."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import explore_reading
from jupyter_selfheal.inside.search.align_texts import Part
from jupyter_selfheal.inside.search.extra_lines import list_extra_lines
from jupyter_selfheal.inside.search.uneven_texts import find_uneven_texts
from tests.unit.healers.syntax.readings import run

EXTRA = {
    "what is compared": ("x = 3\nprint(x == 3)\nprint('is', x)\n", "is 3", "x = 3\nprint('is', x)\n"),
    "a heading": ("print('OUTPUT', 5)\nprint('is', 3)\n", "is 3", "print('is', 3)\n"),
    "alone in its branch": (
        "if 1 < 2:\n    print(1)\nprint('is', 3)\n",
        "is 3",
        "if 1 < 2:\n    pass\nprint('is', 3)\n",
    ),
}


@pytest.mark.parametrize(("source", "expected", "meant"), EXTRA.values(), ids=EXTRA)
def test_a_line_that_is_not_expected_is_taken_out_and_doubted(source: str, expected: str, meant: str) -> None:
    first = run([source], expected, x=3)["passing"][0]
    assert (first["text"], bool(first["rival"])) == (meant, True)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("print(a == b)\nprint('is', a)\n", "True\nis 3"),
        ("print('is', a)\nprint('is not', a)\n", "is 3"),
        ("print(a)\n", "3"),
        ("x = 1; print(x)\nprint('is', 3)\n", "is 3"),
    ],
    ids=range(4),
)
def test_a_line_that_may_be_expected_stays(source: str, expected: str) -> None:
    assert not list(list_extra_lines(source, expected))


EVEN = {
    "a full stop": ("print(p, 'is even.')\nprint(p, 'is NOT even')", "print(p, 'is even.')\nprint(p, 'is NOT even.')"),
    "none": ("print(p, 'is even')\nprint(p, 'is not even.')", "print(p, 'is even')\nprint(p, 'is not even')"),
}


@pytest.mark.parametrize(("source", "meant"), EVEN.values(), ids=EVEN)
def test_a_text_ends_as_its_sibling_does(source: str, meant: str) -> None:
    expected = "34 is even." if "even.'" in source.splitlines()[0] else "34 is even"
    assert splice(source, find_uneven_texts(source, expected)) == meant


@pytest.mark.parametrize(
    "source",
    [
        "print(p, 'is even.')\nprint(p, 'is NOT even.')",  # alike
        "print(p, 'is even.')\nprint(p, 'is odd')",  # another last word
        "print(p, 'is even.')\nprint('even')",  # one word tells nothing
        "print(p, 'is even. ')\nprint('not really even')",  # no other word in common
        "print('This p is even.')\nprint('Is the other even')",  # each has words of its own
        "print(p, 'is even.')\nprint(p, 'is what nobody calls even')",  # three words more
    ],
    ids=range(6),
)
def test_other_texts_are_left_as_they_end(source: str) -> None:
    assert find_uneven_texts(source, "34 is even. This p is even.") == []


def test_a_text_that_shares_a_small_word_is_no_sibling() -> None:
    assert find_uneven_texts("print('Loading the data...')\nprint('Error in the data')", "Loading the data...") == []


def test_many_texts_are_not_compared_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr(Part, "__eq__", lambda one, other: compared.append(other) or one is other)
    source = "".join(f"print('item {n} is even.')\nprint('thing {n} is NOT even')\n" for n in range(40))
    find_uneven_texts(source, " ".join(f"item {n} is even." for n in range(40)))
    assert len(compared) < 40


def test_a_sibling_that_ends_otherwise_is_evened_and_doubted() -> None:
    source = "if r > 3:\n    print(r, 'is big.')\nelse:\n    print(r, 'is not big')"
    first = run([source], "34 is big.", r=34)["passing"][0]
    assert "'is not big.'" in first["text"]
    assert first["rival"] == explore_reading.UNSEEN
