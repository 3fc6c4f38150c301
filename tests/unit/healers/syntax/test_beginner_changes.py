"""What beginners leave out or put in the wrong place beside their slips, and near misses."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.inside.search.beginner_changes import list_beginner_changes
from tests.unit.healers.syntax.readings import run


def change(source: str, expected: str = "9") -> list[str]:
    changes = list_beginner_changes(ast.parse(source), source, LineTable(source), expected, frozenset())
    return [splice(source, c.edits) for c in changes]


CHANGED = {
    "a module that nothing imports": (
        "r = 2\nprint(math.pi * r)",
        "import math\nr = 2\nprint(math.pi * r)",
    ),
    "a function of one": (
        "h = 2\nprint(ceil(h), floor(h))",
        "import math\nh = 2\nprint(math.ceil(h), math.floor(h))",
    ),
    "of one that is imported": ("import math\nprint(sqrt(9))", "import math\nprint(math.sqrt(9))"),
    "what turns a text round": ("w = 'ab'\nprint(reverse(w))", "w = 'ab'\nprint(w[::-1])"),
    "a result that is not printed": (
        "def cube(n):\n    return n ** 3\ncube(2)",
        "def cube(n):\n    return n ** 3\nprint(cube(2))",
    ),
    "a line that stands too low": (
        "w = 2\nprint('cost', cost)\ncost = w * 5\n",
        "w = 2\ncost = w * 5\nprint('cost', cost)\n",
    ),
    "a line that stands too deep": (
        "s = 0\nfor k in range(3):\n    s += k\n    print(s)",
        "s = 0\nfor k in range(3):\n    s += k\nprint(s)",
    ),
    "a line that stands two blocks too deep": (
        "s = 0\nfor k in range(3):\n    if k % 2:\n        s += k\n        print(s)",
        "s = 0\nfor k in range(3):\n    if k % 2:\n        s += k\nprint(s)",
    ),
    "a line that does not stand deep enough": (
        "for k in range(3):\n    s = k\nprint(s)",
        "for k in range(3):\n    s = k\n    print(s)",
    ),
    "an else that stands at the loop": (
        "e = o = 0\nfor k in [3, 4]:\n    if k % 2:\n        o += 1\n\nelse:\n    e += 1\nprint(e, o)",
        "e = o = 0\nfor k in [3, 4]:\n    if k % 2:\n        o += 1\n\n    else:\n        e += 1\nprint(e, o)",
    ),
    "a value within a text": ("w = 2\nprint('Weight: w * 5')", "w = 2\nprint('Weight:', w * 5)"),
    "an item that is called": ("ages = {'Bo': 4}\nprint(ages('Bo'))", "ages = {'Bo': 4}\nprint(ages['Bo'])"),
    "an item of an item": ("t = []\nt.append([4])\nprint(t[0, 0])", "t = []\nt.append([4])\nprint(t[0][0])"),
    "letters beside each other": ("p = r = 2\ncost = pr", "p = r = 2\ncost = (p*r)"),
    "a value behind a full stop": ("w = 2\nprint('Rs.w')", "w = 2\nprint('Rs.', w)"),
    "nothing but a value": ("w = 2\nprint('w * 5')", "w = 2\nprint(w * 5)"),
}


@pytest.mark.parametrize("case", CHANGED)
def test_what_was_meant_is_among_the_changes(case: str) -> None:
    source, meant = CHANGED[case]
    assert meant in change(source)


@pytest.mark.parametrize(
    "source",
    [
        "math = {'a': 1}\nprint(math.get('a'))",  # a variable
        "import math\nprint(math.sqrt(9))",
        "def sqrt(x):\n    return x ** 0.5\nprint(sqrt(9))",
        "def reverse(s):\n    return s\nprint(reverse('ab'))",
        "ages = {'Bo': 4}\nages = max\nprint(ages(2, 3))",  # a function
        "p = r = 2\npr = 3\nprint(pr)",  # a variable of its own
        "def show(n):\n    print(n)\nshow(2)",  # gives nothing
        "w = 2\nprint('Weight', w)\nw = 3",  # set before, too
        "w = 2\nprint('the w or so')",  # a sentence
        "w = 2\nprint('9')",  # expected as it stands
        "ages = {(1, 2): 3}\nprint(ages[1, 2])",  # a key of two parts
        "for k in [3]:\n    if k == 2:\n        break\nelse:\n    k = 0\n",  # it ends early
        "for k in [3]:\n    if k:\n        w = 1\n    else:\n        w = 2\nelse:\n    w = 3\n",  # has one
        "for k in [3]:\n    if k:\n        w = 1\n    w = 2\nelse:\n    w = 3\n",  # more stands behind the `if`
    ],
)
def test_near_misses_stay(source: str) -> None:
    assert change(source) == []


def test_what_was_missing_is_offered_and_an_import_may_be_applied() -> None:
    found = run(["n = 16\nprint('root', math.sqrt(n))"], "root 4.0\n")["passing"]
    assert [(p["text"].split("\n")[0], p["rival"]) for p in found] == [("import math", "")]
    doubted = run(["w = 2\nprint('Weight: w * 5')"], "Weight: 10\n")["passing"]
    assert doubted
    assert all(p["rival"] for p in doubted)


def test_a_word_that_a_branch_prints_and_nothing_binds_is_a_text() -> None:
    found = run(["n = 4\nif n > 3:\n    print('Large')\nelse:\n    print(Small)"], "Large\n")["passing"]
    assert [(p["text"].split("\n")[-1], bool(p["rival"])) for p in found] == [('    print("Small")', True)]
