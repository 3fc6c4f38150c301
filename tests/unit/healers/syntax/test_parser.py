"""The parser leaves out what stands above a change, and says the same of it all."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.best_first import _list_slips, _State
from jupyter_selfheal.healers.syntax.parser import Parser, find_tail

ABOVE = "def half(n):\n    return n / 2\n\n\n@print\ndef twice(n):\n    return 2 * n\n\n\nif half(2) > 1:\n    print('no')\n"
FAULTY = (
    "# what comes then\nelse\n    print('yes')\n",
    "x = half(4\ny = 3\nif y:\n    print(x)\n",
    "for i in range(3):\nprint(i)\n",
    "x = [1, 2)\nprint(x)\n",
    "print('a)\nx = 1\n",
    "while x < 3\n    x += 1\nprint(x))\n",
    "\tx = 1\n",
    "x = 1\n  y = 2\n",
    "@\ndef f():\n    pass\n",
    "def f(a b):\n    return a\nelse:\n    print(f)\n",
)


@pytest.mark.parametrize("faulty", FAULTY)
def test_what_is_left_out_changes_no_answer(faulty: str) -> None:
    source = ABOVE + faulty
    whole, parser = Parser(source), Parser(source)
    fault = whole.find_fault(source)
    assert fault is not None
    starts = parser.list_starts(source, fault)
    news = [slip.apply(source) for slip in _list_slips(_State(source, fault, 0.0, (), frozenset()), frozenset())]
    assert len(news) > 5
    answers = [whole.find_fault(new) for new in news]
    assert [parser.find_fault(new, starts) for new in news] == answers
    below = source + "value = 4\n" * 9
    tail = find_tail(below, fault)
    assert tail.count("\n") > 5
    ends = [new + "value = 4\n" * 9 for new in news]
    assert [f and f.line for f in (parser.find_fault(new, starts, tail) for new in ends)] == [
        f and f.line for f in map(whole.find_fault, ends)
    ]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("int n\na = [1)\n", 1),
        ("if x\n    y = [1\nz = 3)\n", 1),
        ("x = 3\nfor i in x\n    y = 'a\n", 2),
        ("a = int((3\nb = 4\nprint('x)\n", 1),
        ("s = {\n    'a': 1,\n    'b' 2,\n    'c: 3}\n", 3),
    ],
)
def test_what_is_said_of_signs_below_hides_no_fault(source: str, line: int) -> None:
    fault = Parser(source).find_fault(source)
    assert fault is not None
    assert fault.line == line


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("a = [1,\n     2,\n     'x\n]\n", 3),
        ("f(a,\n  b +\n  'c)\n", 3),
        ("try:\n    x = 1\n    y = 'a\n", 3),
        ("if a:\n    # so\n    x = 'a\n", 3),
        ("@f\ndef g(:\n    x = 'a\n", 2),
    ],
)
def test_what_only_goes_on_below_is_no_fault(source: str, line: int) -> None:
    fault = Parser(source).find_fault(source)
    assert fault is not None
    assert fault.line == line


def test_statements_above_cost_no_work() -> None:
    fault_below = "total = sum([1 2, 3])\nprint(total)\n"
    spent = []
    for lines in (5, 200):
        source = "price = 3\n" * lines + fault_below
        parser = Parser(source)
        fault = parser.find_fault(source)
        assert fault is not None
        starts, before = parser.list_starts(source, fault), parser.characters
        assert parser.find_fault(source.replace("1 2", "1, 2;"), starts) is not None
        spent.append(parser.characters - before)
    assert spent[0] == spent[1]


@pytest.mark.parametrize("below", ["    x = 1 2\n", "else:\n    x = 1 2\n", "# so\nelse:\n    x = 1 2\n"])
def test_nothing_is_cut_inside_a_statement(below: str) -> None:
    source = "if True:\n    print()\n" + below
    parser = Parser(source)
    fault = parser.find_fault(source)
    assert fault is not None
    assert "if True:\n    print()\n" not in parser.list_starts(source, fault)
