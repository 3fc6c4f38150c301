"""What is left out of a statement or broken over two lines, methods of elsewhere, prose that becomes a comment, and near misses of each."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.best_first import _find_needed
from jupyter_selfheal.healers.syntax.fault import find_fault
from jupyter_selfheal.healers.syntax.line_edits import join_statements
from jupyter_selfheal.healers.syntax.missing_tokens import insert_tokens
from jupyter_selfheal.healers.syntax.quotes import close_fields
from jupyter_selfheal.healers.syntax.site import find_site
from jupyter_selfheal.healers.syntax.token_edits import join_tokens, replace_tokens
from jupyter_selfheal.healers.syntax.word_edits import define_functions, open_calls, replace_bracket_pairs
from jupyter_selfheal.inside.search.value_changes import list_value_changes
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.scoring.deletion import find_deletion
from tests.unit.healers.syntax.readings import run

LEFT_OUT = {
    "a count": ("tries = 3\ntries = tries 1\n", "tries = 3\ntries = tries + 1\n"),
    "a sum": ("a, b = 2, 3\nwhole = a b\n", "a, b = 2, 3\nwhole = a + b\n"),
    "what a line ends with": ("print(4, end=)\nprint(5)\n", "print(4, end=' ')\nprint(5)\n"),
    "the equals sign": ("fare 5\nprint(fare)\n", "fare = 5\nprint(fare)\n"),
    "the line's own end": ("n = 4\nif n >\n3:\n    print(n)\n", "n = 4\nif n > 3:\n    print(n)\n"),
    "a colon and a line end": (
        "for i in range(2) print(i)\n    print(3)\n",
        "for i in range(2):\n    print(i)\n    print(3)\n",
    ),
    "a comma for a point": ("n = 4\nprint(range(1.n))\n", "n = 4\nprint(range(1, n))\n"),
    "the end of a field": ("a = b = 2\nprint(f'{a{b} is {b}')\n", "a = b = 2\nprint(f'{a}{b} is {b}')\n"),
    "brackets of one kind": ("print[4}\n", "print(4)\n"),
    "the word def": (
        "worth(pens):\n    return pens * 2\nprint(worth(3))\n",
        "def worth(pens):\n    return pens * 2\nprint(worth(3))\n",
    ),
    "the word def before types": (
        "worth(pens: int, each: float = 2.5) -> float:\n    return pens * each\n",
        "def worth(pens: int, each: float = 2.5) -> float:\n    return pens * each\n",
    ),
    "a type for the word def": ("int half(n):\n    return n / 2\n", "def half(n):\n    return n / 2\n"),
    "a type before a parameter": ("def half(int n):\n    return n / 2\n", "def half(n):\n    return n / 2\n"),
    "the bracket of a call, before a number": (
        "def fib4(n):\n    return n\nprint(fib410))\n",
        "def fib4(n):\n    return n\nprint(fib4(10))\n",
    ),
    "a sign in the midst of another": ("n = 1\nn =+ = 2\n", "n = 1\nn += 2\n"),
    "half of a name": ("rowCount = 2\nprint(row Count)\n", "rowCount = 2\nprint(rowCount)\n"),
    "one sign of two": ("n = 4\nif n >>= 3:\n    print(n)\n", "n = 4\nif n >= 3:\n    print(n)\n"),
}


LIKELY = 1.2
"""What the slip costs at most."""


def _mend(source: str) -> list[str]:
    """What the likely slips of the kinds of this file make of a source."""
    fault = find_fault(source)
    assert fault is not None
    site = find_site(source, fault, frozenset())
    kinds = (
        insert_tokens,
        replace_tokens,
        join_tokens,
        join_statements,
        define_functions,
        replace_bracket_pairs,
        close_fields,
        open_calls,
    )
    return [slip.apply(source) for kind in kinds for slip in kind(site) if slip.cost <= LIKELY]


@pytest.mark.parametrize(("source", "meant"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_was_left_out_is_a_likely_slip(source: str, meant: str) -> None:
    assert meant in _mend(source)


NOT_MEANT = {
    "a condition is no definition": ("ok(3):\n    print(3)\n", "def ok(3)"),
    "a call that heads a block": ("n = 3\nready(n):\n    print(n)\n", "n = 3\ndef ready"),
    "a call keeps its words": ("print total 5\n", "print = total"),
    "a type is no variable": ("int total = 5\n", "int = total"),
    "a statement of its own": ("b = 5 +\nprint(b)\n", "b = 5 + print"),
    "a line that ends is no half": ("x = 3)\n4\n", "x = 3 4"),
}


@pytest.mark.parametrize(("source", "unlikely"), NOT_MEANT.values(), ids=NOT_MEANT)
def test_what_was_not_left_out_is_no_likely_slip(source: str, unlikely: str) -> None:
    assert not [m for m in _mend(source) if m.startswith(unlikely)]


OF_ELSEWHERE = {
    "length": ("s = 'abcd'\nprint(s.length)\n", "4", "s = 'abcd'\nprint(len(s))\n"),
    "push": ("xs = [2]\nxs.push(5)\nprint(xs)\n", "[2, 5]", "xs = [2]\nxs.append(5)\nprint(xs)\n"),
    "as a function": ("s = 'ab'\nprint(upper(s))\n", "AB", "s = 'ab'\nprint(s.upper())\n"),
    "not called": ("s = 'ab'\nprint(s.upper)\n", "AB", "s = 'ab'\nprint(s.upper())\n"),
    "without self": (
        "class P:\n    def __init__(self, n):\n        self.age = n\n    def next(self):\n        return age + 1\nprint(P(3).next())\n",
        "4",
        "class P:\n    def __init__(self, n):\n        self.age = n\n    def next(self):\n        return self.age + 1\nprint(P(3).next())\n",
    ),
    "a number in a text": ("n = 4\nprint('n' + n)\n", "n4", "n = 4\nprint('n' + str(n))\n"),
}


UNPACKED = {
    "enumerate": ("for i, x in xs:\n    print(i, x)\n", "0 p\n1 q", "for i, x in enumerate(xs):\n    print(i, x)\n"),
    "items": ("for k, v in ages:\n    print(k, v)\n", "Bo 4", "for k, v in ages.items():\n    print(k, v)\n"),
    "zip": ("for x, y in xs, ns:\n    print(x, y)\n", "p 1\nq 2", "for x, y in zip(xs, ns):\n    print(x, y)\n"),
    "rows": ("print('All', sum(rows))\n", "All 6", "print('All', sum(map(sum, rows)))\n"),
    "a target misspelt": (
        "for x in ns:\n    prce = x * 3\n    if x > 1:\n        price = 0\n    print('No', price)\n",
        "No 3\nNo 0",
        "for x in ns:\n    price = x * 3\n    if x > 1:\n        price = 0\n    print('No', price)\n",
    ),
    "a whole quotient": ("print('Half', 5 / 2)\n", "Half 2", "print('Half', 5 // 2)\n"),
    "a name and a sign": (
        "for i in Range(1, 3):\n    print('no', i)\n",
        "no 1\nno 2\nno 3",
        "for i in range(1, 4):\n    print('no', i)\n",
    ),
}
DATA = {"xs": ["p", "q"], "ns": [1, 2], "ages": {"Bo": 4}, "rows": [[1, 2], [3]]}


@pytest.mark.parametrize(("source", "expected", "meant"), UNPACKED.values(), ids=UNPACKED)
def test_what_is_unpacked_is_found_and_offered(source: str, expected: str, meant: str) -> None:
    passing = run([source], expected, **DATA)["passing"]
    assert meant in [p["text"].replace("(3 + 1)", "3 + 1") for p in passing]
    assert all(p["rival"] for p in passing)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("for a, b in [(1, 2)]:\n    print(a)\n", "enumerate"),
        ("for a, b, c in xs:\n    print(a)\n", "items"),
        ("for x in xs, ns:\n    print(x)\n", "zip"),
        ("print(sum(xs, 3))\n", "each has its"),
    ],
    ids=range(4),
)
def test_what_has_its_parts_is_not_unpacked_otherwise(source: str, words: str) -> None:
    assert not [c for c in list_value_changes(source, "1", frozenset()) if words in c.words]


@pytest.mark.parametrize(("source", "expected", "meant"), OF_ELSEWHERE.values(), ids=OF_ELSEWHERE)
def test_a_method_of_elsewhere_is_the_one_of_here(source: str, expected: str, meant: str) -> None:
    assert meant in [p["text"] for p in run([source], expected)["passing"]]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("class Pile:\n    def push(self, x):\n        pass\nPile().push(3)\n", "append"),
        ("class Box:\n    def __init__(self):\n        self.length = 3\nprint(Box().length)\n", "`len`"),
        ("def upper(s):\n    return s\nprint(upper('a'))\n", ".upper("),
        ("print(sorted(['b', 'A'], key=str.lower))\n", "not called"),
        ("age = 3\nclass P:\n    def __init__(self):\n        self.age = 2\n    def f(self):\n        return age\n", "without `self.`"),
    ],
    ids=range(5),
)  # fmt: skip
def test_what_the_cell_itself_has_is_left(source: str, words: str) -> None:
    changes = list_value_changes(source, "", frozenset())  # nothing is expected to be printed: asserts may decide
    assert not [c for c in changes if words in c.words]


PROSE = [
    ("Output: as shown below\nprint(3)\n", "# Output: as shown below\nprint(3)\n", True),
    ("this part reads all values\nprint(3)\n", "# this part reads all values\nprint(3)\n", True),
    ("Input: the values, one each\nx = input()\n", "# Input: the values, one each\nx = input()\n", True),
    ("Print total of all\nx = 3\n", "# Print total of all\nx = 3\n", False),
    ("print total of all\nx = 3\n", "# print total of all\nx = 3\n", False),
    ("total price of items\ntotal = 3\n", "# total price of items\ntotal = 3\n", False),
    ("this part reads all values\nprint(3)\n", "print(3)\n", False),
    ("total = price plus tax\nx = 3\n", "# total = price plus tax\nx = 3\n", False),
    ("Note: rows come in pairs\nprint(3)\n", "# Note: rows come in pairs\nprint(3)\n", True),
]
TOLD = [
    "increment x by one", "Then multiply y by two", "let y be x", "result: x times two here", "total equals x plus one",
    "unless x is zero stop here", "ensure result is always positive", "throw error when negative", "load data frame here",
    "now swap both of them", "pip install numpy pandas seaborn", "git clone my repository", "Note: raise y by one",
    "select name from users where active", "Output: if empty say nothing", "answer: twice that value here",
]  # fmt: skip
"""Lines of words that were to do something, or speak of a variable."""
PROSE += [(f"{line}\nx = y = 3\n", f"# {line}\nx = y = 3\n", False) for line in TOLD]


@pytest.mark.parametrize(
    ("old", "new", "is_kept"),
    [
        ("class = ['a']\nprint(len(class))\n", "class_ = ['a']\nprint(len(class_))\n", True),
        ("if total\n    print(total)\n", "if_total = 3\n", False),
        ("print float(input())\nprint(price)\n", "price = float(input())\nprint(price)\n", True),
        ("print float(input())\nprint(price)\n", "price = float(input)\nprint(price)\n", False),
        ("print float(total)\nprint(price)\n", "price = float(total)\nprint(price)\n", False),
        ("print float(input())\nprint(price)\n", "price = float(input(7))\nprint(price)\n", False),
    ],
)
def test_a_word_of_the_language_that_is_set_is_a_line_that_sets(old: str, new: str, is_kept: bool) -> None:
    case = Case(Failure("c", old, FailureKind.SYNTAX, "SyntaxError", line=1), Notebook((Cell("c", old),)))
    assert ("makes an assignment of a line that set nothing" not in list(find_deletion(case, [], [], [new]))) is is_kept


@pytest.mark.parametrize(("old", "new", "is_kept"), PROSE, ids=range(len(PROSE)))
def test_prose_that_becomes_a_comment_is_no_deleted_line(old: str, new: str, is_kept: bool) -> None:
    case = Case(Failure("c", old, FailureKind.SYNTAX, "SyntaxError", line=1), Notebook((Cell("c", old),)))
    assert ("deletes the line that failed" not in list(find_deletion(case, [], [], [new]))) is is_kept


@pytest.mark.parametrize(
    ("old", "new", "is_kept"),
    [
        ("ifready == 0:\n    x = 1\n", "if ready == 0:\n    x = 1\n", True),
        ("esle:\n    x = 1\n", "else:\n    x = 1\n", True),
        ("ifready == 0:\n    x = 1\n", "if True:\n    x = 1\n", False),
        ("ifready == 0:\n    x = 1\n", "x = 1  # ifready == 0:\n", False),
        ("stepp one two =\nsteps = 1\n", "steps = 1\n", False),
        ("assrt total == 3\n", "assert_total = 3\n", False),
        ("check total 3\n", "check_total3 = 0\n", False),
        ("assrt total == 3\n", "assert total == 3\n", True),
        ("totl2 = = 3\n", "total2 = 3\n", True),
    ],
    ids=range(9),
)
def test_a_line_in_nearly_the_same_letters_is_no_deleted_one(old: str, new: str, is_kept: bool) -> None:
    case = Case(Failure("c", old, FailureKind.SYNTAX, "SyntaxError", line=1), Notebook((Cell("c", old),)))
    assert ("deletes the line that failed" not in list(find_deletion(case, [], [], [new]))) is is_kept


@pytest.mark.parametrize(
    ("old", "new", "is_turned"),
    [
        ("assrt total == 3\ntotal = 3\n", "assert_total = 3\ntotal = 3\n", True),
        ("check total 3\ntotal = 3\n", "check_total3 = 0\ntotal = 3\n", True),
        ("total 3\nprint(total)\n", "total = 3\nprint(total)\n", False),
        ("the-total = 3\nprint(the-total)\n", "the_total = 3\nprint(the_total)\n", False),
        ("iff total >= 3:\ntotal = 3\n", "if_total = 3\ntotal = 3\n", True),
        ("assrt total == 3\ntotal = 3\n", "assert total == 3\ntotal = 3\n", False),
        ("if total = 3:\n    total = 4\n", "if total == 3:\n    total = 4\n", False),
        ("def f(total == 3):\n    return total\n", "def f(total = 3):\n    return total\n", False),
    ],
    ids=range(8),
)
def test_no_comparison_becomes_an_assignment(old: str, new: str, is_turned: bool) -> None:
    case = Case(Failure("c", old, FailureKind.SYNTAX, "SyntaxError", line=1), Notebook((Cell("c", old),)))
    assert bool(list(find_deletion(case, [], [], [new]))) is is_turned


def test_a_line_between_two_levels_needs_no_bracket() -> None:
    fault = find_fault("def f(text):\n    n = 3\n   return text * n\n")
    assert fault is not None
    assert _find_needed(fault) == ""
    assert _find_needed(find_fault("x = (1]\n") or fault)


@pytest.mark.parametrize(
    ("last", "is_kept"), [("end if", True), ("End While;", True), ("next i", True), ("end of list", False)]
)
def test_a_word_that_ends_a_block_elsewhere_says_nothing_that_could_be_lost(last: str, is_kept: bool) -> None:
    old = f"if total:\n    x = 1\n{last}\n"
    case = Case(Failure("c", old, FailureKind.SYNTAX, "SyntaxError", line=3), Notebook((Cell("c", old),)))
    new = "if total:\n    x = 1\n"
    assert ("deletes the line that failed" not in list(find_deletion(case, [], [], [new]))) is is_kept


@pytest.mark.parametrize(
    ("line", "new", "is_kept"),
    [
        ("if n is greater than 5:", "if n > 5:", True),
        ("while n is less than or equal to top:", "while n <= top:", True),
        ("if n is equal to total:", "if total:", True),
        ("if count of rows is greater than top:", "if 5 > 3:", False),
        ("if n is greater than 5:", "if True:", False),
    ],
)
def test_a_comparison_in_english_has_no_names_to_lose(line: str, new: str, is_kept: bool) -> None:
    case = Case(
        Failure("c", f"{line}\n    x = 1\n", FailureKind.SYNTAX, "SyntaxError", line=1), Notebook((Cell("c", line),))
    )
    assert ("deletes the line that failed" not in list(find_deletion(case, [], [], [f"{new}\n    x = 1\n"]))) is is_kept
