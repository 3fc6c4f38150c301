"""What readings print for other inputs than the one that is given: which are told apart by them, and whose numbers come out as nobody writes them."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from jupyter_selfheal.healers.syntax.reading_patches import put_unlike_first
from jupyter_selfheal.inside.search import try_readings
from jupyter_selfheal.inside.search.varied_input import vary_lines
from tests.unit.healers.syntax.readings import run

CELSIUS = 'f = float(input())\nc = (f - 32) * 5 / 9\nprint("Celsius", {})\n'
REVERSED = "n = input()\nr = n[::-1]\nprint({})\n"


class Lines:
    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def __call__(self, prompt: str = "") -> str:
        print(prompt, end="")
        return self.lines.pop(0)


def _try(readings: list[str], stdout: str, *lines: str) -> list[dict[str, Any]]:
    return list(run(readings, stdout, input=Lines(*lines))["passing"])


@pytest.mark.parametrize(
    ("shown", "meant"),
    [
        ("c", "round(c, 2)"),
        ("str(c)", "str(round(c, 2))"),
        ("(f - 32) * 5 / 9", "round((f - 32) * 5 / 9, 2)"),
        ('f"{c}"', 'f"{round(c, 2)}"'),
        ('"{}".format(c)', '"{}".format(round(c, 2))'),
        ('"%s" % c', '"%s" % round(c, 2)'),
    ],
)
def test_a_number_that_is_long_for_other_inputs_is_shown_rounded_behind(shown: str, meant: str) -> None:
    first, second = _try([CELSIUS.format(shown)], "Celsius 100.0\n", "212")
    assert first["text"] == CELSIUS.format(shown)
    assert second["text"] == CELSIUS.format(meant)
    assert "not rounded" in first["rival"]
    assert "not rounded" in second["rival"]


def test_it_is_rounded_to_as_many_decimals_as_are_expected() -> None:
    text = 'r = int(input())\nprint("Area", r / 8, "of", r / 7)\n'
    passing = _try([text], "Area 0.875 of 1.0\n", "7")
    assert [p["text"] for p in passing] == [text, text.replace("r / 7", "round(r / 7, 3)")]


@pytest.mark.parametrize(
    ("shown", "meant"), [("'Reverse:', r", "'Reverse:', int(r)"), ("'Reverse: ' + str(r)", "'Reverse: ' + str(int(r))")]
)
def test_digits_that_begin_with_noughts_for_other_inputs_are_shown_as_a_number_behind(shown: str, meant: str) -> None:
    passing = _try([REVERSED.format(shown)], "Reverse: 34\n", "43")
    assert [p["text"] for p in passing] == [REVERSED.format(shown), REVERSED.format(meant)]


@pytest.mark.parametrize(
    ("text", "stdout", "line"),
    [
        ("f = float(input())\nprint('Twice', f * 2)\n", "Twice 424.0\n", "212"),  # short for every input
        (CELSIUS.format("c"), "Celsius 37.77777777777778\n", "100"),  # expected so
        (CELSIUS.format("round(c, 2)"), "Celsius 100.0\n", "212"),  # rounded already
        ("f = 212\nprint('Celsius', (f - 32) * 5 / 9)\n", "Celsius 100.0\n", ""),  # nothing is read
        ("w = input()\nprint('Back:', w[::-1])\n", "Back: anna\n", "anna"),  # no digits
        ("n = int(input())\nprint('Time:', n, n / 4)\n", "Time: 8 2.0\n", "8"),
        ("h = input()\nprint('At 0' + h + ':00')\n", "At 09:00\n", "9"),  # a time of day
    ],
)
def test_nothing_is_put_behind_what_comes_out_as_it_should(text: str, stdout: str, line: str) -> None:
    (only,) = _try([text], stdout, line)
    assert only["text"] == text


def test_of_two_readings_the_one_that_fails_for_fewer_inputs_is_first() -> None:
    whole, other = (f"f = {kind}(input())\nprint('Twice', float(f) * 2)\n" for kind in ("int", "float"))
    reply = run([whole, other], "Twice 424.0\n", input=Lines("212"))
    costs = {p["text"]: p["cost"] - p["reading"] for p in reply["passing"]}
    assert costs[whole] > costs[other]


def test_readings_that_do_the_same_for_all_inputs_have_one_behaviour() -> None:
    texts = [f"n = int(input())\nprint({shown})\n" for shown in ("n + 2", "(n + 2)", "n * 2")]
    assert [p["behaviour"] for p in _try(texts, "4\n", "2")] == [0, 0, 2]


def test_what_prints_the_same_whatever_it_reads_stands_behind_what_does_not() -> None:
    texts = ['n = int(input())\nprint("Sum", 4)\n', 'n = int(input())\nprint("Sum", n + 2)\n']
    costs = {p["text"]: p["cost"] for p in _try(texts, "Sum 4\n", "2")}
    assert costs[texts[0]] == pytest.approx(1.8)
    assert costs[texts[1]] == pytest.approx(2.0)


@pytest.mark.parametrize(
    "texts",
    [
        ['n = int(input())\nprint("Sum", 4)\n', 'n = int(input())\nprint("Sum", 2 + 2)\n'],  # none of them reads it
        ['n = int(input())\nprint("odd" if n % 2 else "even")\n', 'n = int(input())\nprint("even" if n % 2 == 0 else "odd")\n'],
        ['print("Sum", 4)\n', 'print("Sum", 2 + 2)\n'],  # nothing is read
    ],
)  # fmt: skip
def test_what_prints_the_same_costs_nothing_where_all_do_or_where_it_differs(texts: list[str]) -> None:
    stdout = "even\n" if "odd" in texts[0] else "Sum 4\n"
    assert [p["cost"] for p in _try(texts, stdout, "2")] == [1.0, 2.0]


def test_answers_that_were_given_ahead_are_there_for_each_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    left = ["212"]

    def answer(prompt: str = "") -> str:
        return left.pop(0)

    answer.left = left  # type: ignore[attr-defined]  # as in a trial's kernel (``fork/capture.py``)
    monkeypatch.setattr(builtins, "input", answer)
    reply = run([CELSIUS.format("f"), CELSIUS.format("c")], "Celsius 100.0\n")
    assert [p["text"] for p in reply["passing"]] == [CELSIUS.format("c"), CELSIUS.format("round(c, 2)")]
    assert left == ["212"]


def test_what_does_something_else_is_shown_before_what_does_the_same() -> None:
    texts = ("print(n)", "print((n), end='\\n')", "print(n + n - n)", "print(n * n)")
    replies = [{"text": text, "behaviour": number} for text, number in zip(texts, (0, 0, 0, 3), strict=True)]
    assert [r["text"] for r in put_unlike_first(replies)] == [texts[0], texts[3], texts[1], texts[2]]


def test_the_same_program_is_shown_once_and_what_was_not_compared_keeps_its_place() -> None:
    replies = [{"text": text} for text in ("print(n)", "print(n) ", "print( n )", "n", "print(-n)")]
    assert [r["text"] for r in put_unlike_first(replies)] == ["print(n)", "n", "print(-n)"]


def test_other_inputs_that_take_long_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_readings, "LOOKED", 0.5)
    text = "import threading\nn = int(input())\nthreading.Event().wait(n - 2)\nprint('Waited', n)\n"
    (only,) = _try([text], "Waited 2\n", "2")
    assert only["text"] == text
    assert "behaviour" not in only


def test_other_inputs_are_near_the_given_one() -> None:
    assert vary_lines(["7"], "7") == [["8"], ["70"], ["1"], ["6"]]
    assert ["7.5"] in vary_lines(["7"], "7.0")
    assert vary_lines(["3 4"], "7")[0] == ["4 4"]
    assert ["aB"] in vary_lines(["Ab"], "Ab")
    assert len(vary_lines([str(n) for n in range(20)], "")) == 12


def test_readings_behind_those_that_take_all_the_time_are_left_out() -> None:
    endless = ["n = 1\nwhile n > 0:\n    n = n * 10 + 1\n", "n = 1\nwhile n > 0:\n    n = n * 100 + 1\n"]
    reply = run([*endless, "print(2)\n"], "2\n", cpu=0.0)
    assert reply["passing"] == []
    assert reply["endless"] == [0, 1, 2]
