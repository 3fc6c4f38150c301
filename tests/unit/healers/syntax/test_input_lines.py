"""Values that are read one by one and stand on one line, and the reverse; near misses of both."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.input_lines import list_line_changes
from jupyter_selfheal.inside.search.source_text import Source
from tests.unit.healers.syntax.readings import run


def _list_sources(source: str) -> list[str]:
    return [splice(source, c.edits) for c in list_line_changes(Source(source))]


MENDED = {
    "texts": ("a = input()\nb = input('b? ')", "a, b = input().split()"),
    "numbers": ("w = int(input())\nh = int(input())", "w, h = map(int, input().split())"),
    "of two kinds, in a loop": (
        "for _ in range(2):\n    k = input()\n    v = float(input())\n    d[k] = v",
        "for _ in range(2):\n    k, v = input().split()\n    v = float(v)\n    d[k] = v",
    ),
    "behind their number": (
        "n = int(input())\na = int(input())\nb = int(input())", "n = int(input())\na, b = map(int, input().split())",
    ),
    "of a loop": (
        "for i in range(n):\n    xs.append(int(input()))", "for i in input().split():\n    xs.append(int(i))",
    ),
    "of a loop that counts": (
        "for i in range(n):\n    t += i * int(input())",
        "for i, item_i in zip(range(n), input().split()):\n    t += i * int(item_i)",
    ),
    "of a list": ("xs = [int(input()) for i in range(3)]", "xs = [int(i) for i in input().split()]"),
    "words of a line": ("s = input()\nfor w in s:\n    print(w)", "s = input()\nfor w in s.split():\n    print(w)"),
    "on their own lines": ("a, b = map(int, input().split())", "a, b = int(input()), int(input())"),
    "as many as were told": (
        "n = int(input())\nxs = list(map(float, input().split()))",
        "n = int(input())\nxs = [float(input()) for _ in range(n)]",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "meant"), MENDED.values(), ids=MENDED)
def test_values_are_read_as_they_stand(source: str, meant: str) -> None:
    assert meant in _list_sources(source)


def test_what_is_read_otherwise_is_left() -> None:
    sources = [
        "a = input()\nprint(a)\nb = input()",
        "a = input()\na = input()",
        "for i in range(n):\n    k, v = input(), input()",
        "for x in xs:\n    x.append(input())",
        "xs = input().split(',')",
        "s = 'ab'\nfor c in s:\n    print(c)",
        "xs = input().split()",  # nothing tells how many lines there are
    ]
    assert [_list_sources(s) for s in sources] == [[]] * len(sources)


def test_it_is_offered_where_the_output_is_right_with_it() -> None:
    reading = "a = int(input())\nb = int(input())\nprint('Sum', a + b)"
    found = run([reading], "Sum 7", input=lambda: "3 4")["passing"]
    assert found[0]["text"].startswith("a, b = map(int, input().split())\n")
    assert found[0]["rival"]
