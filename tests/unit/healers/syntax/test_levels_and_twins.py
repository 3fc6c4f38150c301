"""What one more fault is in a cell that did not parse: statements at the wrong level, names in two spellings, an error before anything is printed."""

from __future__ import annotations

import ast
from types import SimpleNamespace

import pytest

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.propose import _find_raising
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.inside.search.case_twins import list_case_twins
from jupyter_selfheal.inside.search.level_changes import list_level_changes
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Oracle
from tests.unit.healers.syntax.readings import run

BINARY = 'n = 10\nbits = ""\nwhile n > 0:\n    bits = str(n % 2) + bits\n{}n = n // 2\nprint("Binary:", bits)\n'
LINES = (
    "class Lines:\n    def __init__(self, lines):\n        self.lines = lines\n"
    "    def __call__(self, prompt=''):\n        return self.lines.pop(0)\ninput = Lines(['banana'])\n"
)
COUNTS = (
    "word = input()\ncounts = {}\nfor letter in word:\n    if letter in counts:\n        letter[letter] += 1\n"
    "    else:\n        counts[letter] = 1\nfor letter in sorted(counts):\n    print(letter, counts[letter])\n"
)


def _move(source: str) -> list[str]:
    return [splice(source, c.edits) for c in list_level_changes(Source(source))]


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        (BINARY.format(""), BINARY.format("    ")),
        ("for i in xs:\n    if i:\n        print(i)\nn += 1\n", "for i in xs:\n    if i:\n        print(i)\n    n += 1\n"),
        ("for i in xs:\n    n += i\n    print(n)\n", "for i in xs:\n    n += i\nprint(n)\n"),
        ("def f(a):\n    return a\n\n    b = f(2)\n", "def f(a):\n    return a\n\nb = f(2)\n"),
        ("if a:\n    b = 1\nelse:\n    b = 2\nc = b\nprint(c)\n", "if a:\n    b = 1\nelse:\n    b = 2\n    c = b\n    print(c)\n"),
        ("for i in xs:\n    pass\nif i:\n    n = 1\n", "for i in xs:\n    pass\n    if i:\n        n = 1\n"),
    ],
)  # fmt: skip
def test_statements_change_their_level(source: str, meant: str) -> None:
    assert meant in _move(source)


@pytest.mark.parametrize(
    "source",
    [
        "for i in xs:\n    print(i)\n",
        "for i in xs:\n    print(i)\nimport math\n",
        "for i in xs:\n    print(i)\ndef f(a):\n    return a\n",
        'for i in xs:\n    print(i)\ntext = """a\nb"""\n',
        "for i in xs: n += i\nprint(n)\n",
        "while a:\n    break\n    n = 1; a = 2\n",
    ],
)
def test_what_has_no_other_level_stays(source: str) -> None:
    assert _move(source) == []


def test_what_ends_a_loop_is_found_though_it_never_ran() -> None:
    found = run([BINARY.format("")], "Binary: 1010\n")["passing"][0]
    assert found["text"] == BINARY.format("    ")
    assert found["rival"], "the output alone asked for it"


def test_two_spellings_are_one_name_where_the_output_is_right_with_it() -> None:
    source = 'mark = 80\nif mark > 90:\n    Grade = "A"\nelse:\n    grade = "B"\nprint("Grade:", grade)\n'
    found = run([source], "Grade: B\n")["passing"][0]
    assert found["text"] == source.replace("Grade =", "grade =")
    assert found["rival"]


@pytest.mark.parametrize(
    "source",
    [
        "n = 3\nN = 4\nprint(n, N)\n",
        "Name = 'Jo'\nname = Name.lower()\nprint(name)\n",
        "Sum = 3\nprint(Sum, sum([1]))\n",
        "class Dog:\n    pass\ndog = Dog()\nprint(dog)\n",
        "Total = 3\ndef show(total):\n    print(total)\nshow(Total)\n",
    ],
)
def test_two_names_stay_two(source: str) -> None:
    assert list_case_twins(source, frozenset()) == []


def test_a_name_of_the_notebook_stays() -> None:
    source = "Rate = 3\nrate = 4\nprint(rate)\n"
    assert len(list_case_twins(source, frozenset())) == 1
    assert list_case_twins(source, frozenset({"Rate"})) == []


def test_every_reading_parses() -> None:
    source = 'n = int(input()\nfor i in range(n):\n    for j in range(i):\n        Print(j, end=" ")\n    print )\n'
    readings = find_readings(source)
    assert readings
    assert all(ast.parse(r.source) for r in readings)


def test_the_cheapest_reading_is_searched_where_it_raises() -> None:
    readings = [Reading("a", 1.5, ()), Reading("b", 1.0, ()), Reading("c", 2.0, ())]
    assert _find_raising(readings, [0, 1]) == [readings[1]]
    assert _find_raising(readings, [0, 2]) == []
    assert _find_raising([Reading("a", 1.0, (), guessed=True)], [0]) == []
    assert _find_raising(readings, []) == []


def _plan(above: str, source: str) -> tuple[str, ...]:
    failure = Failure("c", source, FailureKind.RAISED, ename="TypeError")
    plan = build_plan(Case(failure, Notebook((Cell("a", above), Cell("c", source))), Oracle(stdout="a 3\nb 1\nn 2\n")))
    assert plan is not None
    return plan.copied


def test_an_input_of_the_notebooks_own_is_new_for_each_candidate() -> None:
    failure = Failure("c", COUNTS, FailureKind.RAISED, ename="TypeError")
    case = Case(failure, Notebook((Cell("a", LINES), Cell("c", COUNTS))), Oracle(stdout="a 3\nb 1\nn 2\n"))
    plan = build_plan(case)
    assert plan is not None
    ns: dict[str, object] = {}
    exec(LINES, ns)
    reply = search.probe(SimpleNamespace(user_ns=ns), None, plan.to_argument(4.0, 1))
    assert any("counts[letter] += 1" in text for p in reply["patches"] for text in p["texts"].values())


@pytest.mark.parametrize("above", ["x = 3\n", "def read(prompt):\n    return 'banana'\n", "data = input\n"])
def test_a_builtin_that_nothing_binds_is_not_copied(above: str) -> None:
    assert "input" not in _plan(above, COUNTS)


def test_one_that_a_cell_above_binds_is_copied() -> None:
    assert "input" in _plan(LINES, COUNTS)
    assert "input" not in _plan(LINES, "print(word)\n")
