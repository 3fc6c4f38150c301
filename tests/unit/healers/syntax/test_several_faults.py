"""Slips in several statements: each place is mended by itself, and the ways to mend them are put together."""

from __future__ import annotations

import pytest

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.readings import Reading, choose_readings
from jupyter_selfheal.healers.syntax.several_faults import _mend_lines, list_readings

MATRIX = """r, c = map(int, input().split())
mat = []
for i in range(r):
    row = list(map(int, input().split()))
    mat.append(row)
for j in range(c):
    s = 0
    for i in range(r):
        s += mat[i][j]
    print("Column", j + 1, "sum:", s)
big = mat[0][0]
for i in range(r):
    for j in range(c):
        if mat[i][j] > big:
            big = mat[i][j]
print("Largest element is", big)
"""
TEMPERATURES = """temps = [int(w) for w in input().split()]
mean = sum(temps) / len(temps)
print("Mean temperature: {:.2f}".format(mean))
rises = 0
for i in range(1, len(temps)):
    if temps[i] > temps[i - 1]:
        rises += 1
print("Rises:", rises)
above = [t for t in temps if t > mean]
print("Above the mean:", len(above), above)
"""


def _break(source: str, *slips: tuple[str, str]) -> str:
    for old, new in slips:
        assert old in source
        source = source.replace(old, new, 1)
    return source


def _find_place(source: str, broken: str) -> int:
    """Where the program that was meant stands among the readings, or -1."""
    programs = [src.canonicalise(r.source) for r in list_readings(broken)]
    return programs.index(src.canonicalise(source)) if src.canonicalise(source) in programs else -1


def test_five_slips_of_several_readings_each_are_told_apart_one_by_one() -> None:
    broken = _break(
        MATRIX, ("= []", "= ["), ("range(r)", "range r)"), ("s = 0", "s = = 0"), ("j in range(c)", "j in range(c]"),
        ('is", big', 'is",, big'),
    )  # fmt: skip
    goal = src.canonicalise(MATRIX)
    assert goal not in {src.canonicalise(r.source) for r in find_readings(broken)}, "lost among those of all places"
    assert 0 <= _find_place(MATRIX, broken) < 48


def test_lines_are_mended_one_by_one_where_most_of_them_are_broken() -> None:
    broken = _break(
        TEMPERATURES, ("len(temps)\n", "len(temps\n"), ("print(", "print "), ("(mean))", "(mean}"), ("[i] >", "[i) >"),
        ("above)", "above),)"),
    )  # fmt: skip
    by_line = _mend_lines(broken, frozenset())
    assert by_line is not None
    assert len(by_line.words) >= 4, "a slip of each line"
    assert 0 <= _find_place(TEMPERATURES, broken) < 10


def test_what_is_put_together_says_of_each_place_what_was_wrong() -> None:
    readings = list_readings("def f(n)\n    return n +, 1\n\nfor i in range(3:\n    print(f(i))\n")
    meant = src.canonicalise("def f(n):\n    return n + 1\n\nfor i in range(3):\n    print(f(i))\n")
    reading = next(r for r in readings if src.canonicalise(r.source) == meant)
    assert len(reading.words) == 3
    assert not reading.guessed


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(3)\n    print(i)\n",  # one place: nothing is to be put together
        "x = 1\nif x:\n    print(x)\n  else:\n    print(2)\n",
        "total = (1 +\n         2\nprint total\n"[:25],
    ],
)
def test_a_cell_with_one_broken_place_is_read_as_before(source: str) -> None:
    assert list_readings(source) == find_readings(source)


@pytest.mark.parametrize(
    "source",
    [
        "x = [\n    1,\n    2,\n]\ny = f(\n    3,\n)\n",  # whole, over several lines
        "try:\n    x = 1\nexcept ValueError:  # none\n    x = 2\nelse:\n    x = 3\n",
        'text = """\nno Python here\nnor here )\n"""\n',
    ],
)
def test_a_cell_that_parses_is_left_as_it_is(source: str) -> None:
    assert list_readings(source) == ()


def test_layouts_of_one_misread_word_do_not_hide_another_word() -> None:
    layouts = [Reading("a\n" + " " * n + "b", 1.0 + n / 100, ()) for n in range(20)]
    other = Reading("c", 2.0, ())
    chosen = choose_readings([*layouts, other], 10)
    assert chosen[-1] == other
    assert len(chosen) == 10
    assert [r.cost for r in chosen] == sorted(r.cost for r in chosen)
    assert choose_readings(layouts, 48) == tuple(layouts), "all of them where there is room"


def test_a_text_that_is_no_program_is_not_read_line_by_line() -> None:
    prose = "\n".join(f"this is the {n} of many lines of prose, no code." for n in range(20))
    assert list_readings(prose) == find_readings(prose)


FLAT = """import math
count = int(input())
rows = []
for i in range(count):
name = input()
k = list(map(float, input().split()))
total = 0
for i in range(1, Len(k)):
total += k[i]  // here we go on
mark = math.floor(total / k[0])
row = list(input().split()))
place = int(row[0])
rows.append([name, mark, place])
rows.sort(key=lambda x: (x[1], x[2]), reverse=True)
for i in rows:
print(i[0])
"""


def test_lines_that_lost_their_indentation_are_not_mended_one_by_one() -> None:
    assert list_readings(FLAT)[0] == find_readings(FLAT)[0]
