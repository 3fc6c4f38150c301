"""Changes that speak for themselves are no guesses: without them the cell fails, or does what nobody means."""

from __future__ import annotations

import pytest

from tests.unit.healers.syntax.readings import run


@pytest.mark.parametrize(
    ("source", "stdout", "read_line", "words"),
    [
        ("n = input()\nfor i in range(n):\n    print(i)\n", "0\n1\n2\n", "3", "what is read is no whole number yet"),
        ("r = input()\nprint('Area', r * 2.5)\n", "Area 5.0\n", "2.0", "what is read is no number yet"),
        ("w = input()\nif w.isupper:\n    print('loud')\nelse:\n    print('calm')\n", "calm\n", "ab", "`isupper` is not called"),
        ("w = input()\nt = 0\nfor c in w:\n    t =+ 1\nprint(t)\n", "3\n", "abc", "a variable is to count on"),
    ],
)  # fmt: skip
def test_what_nobody_means_is_changed_without_a_doubt(source: str, stdout: str, read_line: str, words: str) -> None:
    first = run([source], stdout, input=lambda prompt="": read_line)["passing"][0]
    assert first["words"] == [words]
    assert "the cell parses too, and prints something else" not in first["rival"]


@pytest.mark.parametrize(
    ("source", "stdout", "read_line"),
    [
        pytest.param("m = input()\nif m > 90:\n    print('A')\nelse:\n    print('B')\n", "B\n", "85", id="a float does as well"),
        pytest.param("a = input()\nprint(a * 2)\n", "14\n", "7", id="it runs as it is"),
        pytest.param("n = int(input())\nfor i in range(n):\n    print(i + 1)\n", "0\n1\n2\n", "3", id="another beginning"),
    ],
)  # fmt: skip
def test_what_may_be_meant_otherwise_is_a_guess(source: str, stdout: str, read_line: str) -> None:
    passing = run([source], stdout, input=lambda prompt="": read_line)["passing"]
    assert passing
    assert all(p["rival"] for p in passing)
