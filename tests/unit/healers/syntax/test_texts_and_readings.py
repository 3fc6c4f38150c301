"""What is printed against what is expected, and readings that are run against an oracle."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.healers.rules.context.skeletons import has_attempt, has_code
from jupyter_selfheal.healers.syntax.idle_parts import find_idle_part
from jupyter_selfheal.healers.syntax.reading_patches import LIKELIER, build_passing
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import explore_reading, try_readings
from jupyter_selfheal.inside.search.align_texts import find_text_edits, mark_texts
from jupyter_selfheal.model import Case, Failure, FailureKind
from jupyter_selfheal.testing.fixtures import build_notebook
from tests.unit.healers.syntax.readings import run


def align(source: str, expected: str, given: dict[str, Any] | None = None) -> str | None:
    """The source with its texts as expected, by one marked run; None where that cannot be."""
    printed: list[str] = []

    def show(*values: object, sep: str = " ", end: str = "\n") -> None:
        printed.append(sep.join(map(str, values)) + end)

    marked = mark_texts(source)
    assert marked is not None
    exec(marked.source, {"print": show, **(given or {})})
    edits = find_text_edits(marked.parts, "".join(printed), expected)
    return None if edits is None else splice(source, edits.edits)


TEXTS = {
    "a blank too much": ("print('Reverse :', r)", "Reverse: 34", "print('Reverse:', r)"),
    "a letter": ("print('Celcius', r)", "Celsius 34", "print('Celsius', r)"),
    "a full stop missing": ("print(r, 'is even')", "34 is even.", "print(r, 'is even.')"),
    "a separator": ("print(r, r)", "34, 34", "print(r, r, sep=', ')"),
    "in a format": ("print('R:{} S: {}'.format(r, r))", "R: 34 S: 34", "print('R: {} S: {}'.format(r, r))"),
    "in an f-string": ("print(f'sum :{r}')", "Sum: 34", "print(f'Sum: {r}')"),
    "in a percent format": ("print('sum=%d' % r)", "sum = 34", "print('sum = %d' % r)"),
    "in a loop": (
        "for n in (r, 5):\n    print('n is:', n)",
        "N is: 34\nN is: 5",
        "for n in (r, 5):\n    print('N is:', n)",
    ),
    "an end, the last of which is not expected": (
        "for n in (r, 5):\n    print(n)",
        "34 5",
        "for n in (r, 5):\n    print(n, end=' ')",
    ),
    "of a branch that did not run": (
        "if r > 3:\n    print(r, 'is big')\nelse:\n    print(r, 'is not big')",
        "34 is big.",
        "if r > 3:\n    print(r, 'is big.')\nelse:\n    print(r, 'is not big.')",
    ),
}


@pytest.mark.parametrize(("source", "expected", "meant"), TEXTS.values(), ids=TEXTS)
def test_a_text_is_aligned_with_what_is_expected(source: str, expected: str, meant: str) -> None:
    assert align(source, expected, {"r": 34}) == meant


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("print('Sum:', r)", "Sum: 35"),
        ("print('Sum', r)", "Sum 1 34"),
        ("print('no', r)", "The answer that somebody wants to see is 34"),
        ("print('x', r)", "another value altogether 34"),
        ("print('Hi', r)", "Hi 34\nBye 34"),
        ("print('is a palindrome.')\nprint(r)", "Nitin is a palindrome.\n34"),
        ("if r < 3:\n    print('it is  even')\nelse:\n    print('it is not even')", "it is even"),
    ],
    ids=["a value", "a digit", "many words", "another text", "another line", "a word", "what another text says"],
)
def test_a_value_is_never_written_into_a_text(source: str, expected: str) -> None:
    assert align(source, expected, {"r": 34}) is None


def test_the_reading_that_prints_what_is_expected_passes() -> None:
    reply = run(["print('a', x * 2)", "print('a'), x", "print('a', x)"], "a 3", x=3)
    assert [p["text"] for p in reply["passing"]] == ["print('a', x)"]


def test_a_reading_that_runs_is_carried_on() -> None:
    reply = run(["print('Sum :', tot)"], "Sum: 3.46", total=3.456)
    assert not reply["passing"], "`total` is no name of the cell itself"
    reply = run(["total = x * 1\nprint('Sum :', tot)"], "Sum: 3.46", x=3.456)
    assert reply["passing"][0]["text"] == "total = round(x * 1, 2)\nprint('Sum:', total)"
    assert reply["passing"][0]["rival"].startswith('without "the result is not rounded"')
    reply = run(["total = x * 1\nprint('Sum:', tot)"], "Sum: 3", x=3)
    assert reply["passing"][0]["text"] == "total = x * 1\nprint('Sum:', total)"
    assert reply["passing"][0]["rival"] == "", "a name that nothing binds is no guess"


LINES = {
    "what another print shows": ("name = 'AK'\nprint('Hi', name)", "Hi AK\nBye AK", "\nprint('Bye', name)"),
    "a result that nothing reads": (
        "a = 34\nprint('R:', a)\ntotal = a + 1",
        "R: 34\nSum: 35",
        "\nprint('Sum:', total)",
    ),
}


@pytest.mark.parametrize(("source", "expected", "line"), LINES.values(), ids=LINES)
def test_a_line_that_is_not_printed_is_offered(source: str, expected: str, line: str) -> None:
    reply = run([source], expected)
    assert reply["passing"][0]["text"] == source + line
    assert reply["passing"][0]["rival"].startswith("without"), "offered, and never applied by itself"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("name = 'AK'\nprint('Hi', name)", "Hi AK\n1 more"),
        ("name = 'AK'\nprint('Hi', name)", "Hi AK\nBye"),
        ("name = 'AK'\nprint('Hi', name)", "Hi AK\nBye 34"),
    ],
    ids=["a number", "a word alone", "a value that the cell has not"],
)
def test_a_line_is_never_written_down_as_it_is_expected(source: str, expected: str) -> None:
    assert not run([source], expected)["passing"]


def test_a_comma_and_a_point_are_told_by_what_is_bound() -> None:
    reply = run(["v = 'not bad'\nk = (v,find('bad'))\nprint(k)"], "4")
    assert reply["passing"][0]["text"] == "v = 'not bad'\nk = (v.find('bad'))\nprint(k)"
    reply = run(["total = 3\nprint('is'.total)"], "is 3")
    assert reply["passing"][0]["text"] == "total = 3\nprint('is', total)"


@pytest.mark.parametrize(("lines", "rival"), [(1, explore_reading.FEW_LINES), (4, "")])
def test_texts_that_few_lines_show_leave_a_doubt(lines: int, rival: str) -> None:
    reply = run(
        [f"for n in range({lines}):\n    print('Sum :', x + n)"], "\n".join(f"Sum: {3 + n}" for n in range(lines)), x=3
    )
    assert reply["passing"][0]["text"].endswith("print('Sum:', x + n)")
    assert reply["passing"][0]["rival"] == rival


def test_a_text_that_did_not_come_out_leaves_a_doubt() -> None:
    source = "if x:\n    print('sum:', x)\nelse:\n    print('there is none')"
    reply = run([source], "Sum: 3", x=3)
    assert "print('Sum:', x)" in reply["passing"][0]["text"]
    assert reply["passing"][0]["rival"] == explore_reading.UNSEEN


BRANCHES = "if x > 2:\n    print('big')\nelse:\n    print('small' * x)"


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(BRANCHES.replace("* x)", "* x"), id="its bracket"),
        pytest.param(BRANCHES.replace("else:", " else:"), id="the head of its block"),
        pytest.param(BRANCHES.replace("    print('small'", "  print('small'"), id="its place"),
        pytest.param(BRANCHES + "\n)", id="what stood beside it"),
    ],
)
def test_a_part_that_did_not_run_and_was_changed_leaves_a_doubt(given: str) -> None:
    reply = run([BRANCHES], "big", given=given, x=3)
    assert reply["passing"][0]["rival"] == try_readings.UNRUN


@pytest.mark.parametrize("given", [BRANCHES.replace("2:", "2"), BRANCHES.replace("('big')", "('big'")])
def test_a_part_that_did_not_run_and_is_as_it_was_leaves_none(given: str) -> None:
    first = run([BRANCHES], "big", given=given, x=3)["passing"][0]
    assert (first["rival"], first["unrun"]) == ("", True)


@pytest.mark.parametrize(
    "source",
    [
        "for n in (1, 3):\n    if n > x:\n        print('big')\n    else:\n        pass",
        'def f(n):\n    """One more."""\n    global x\n    return (n +\n            1)\nwhile True:\n    print(\'big\' if f(x) == 3 else \'\')\n    break',
        "try:\n    int('a')\nexcept ValueError:\n    print('big')",
    ],
    ids=["both branches", "a function and a loop", "an exception"],
)
def test_a_reading_that_ran_as_a_whole_is_not_doubted(source: str) -> None:
    reply = run([source], "big", x=2)
    assert [p["rival"] for p in reply["passing"]] == [""]


def test_a_likelier_reading_that_is_doubted_speaks_against_the_next_one() -> None:
    notebook = build_notebook(["print('big'"])
    case = Case(Failure(notebook.cells[0].id, "print('big'", FailureKind.SYNTAX), notebook)
    replies = [
        {"reading": 0, "text": text, "cost": cost, "words": [], "rival": rival}
        for cost, text, rival in (
            (1.0, "print('big')", ""),
            (1.2, "print('big' )", try_readings.UNRUN),
            (1.4, "print(('big'))", ""),
        )
    ]
    patches = build_passing(case, [Reading("print('big')", 1.0, ("`)` is missing",))], replies)
    assert [p.rival for p in patches] == ["", try_readings.UNRUN, LIKELIER]


@pytest.mark.parametrize(("cost", "doubted"), [(1.05, True), (1.3, False)])
def test_of_two_readings_that_are_as_likely_and_pass_neither_is_sure(cost: float, doubted: bool) -> None:
    notebook = build_notebook(["print(len([[1, 2])"])
    source = notebook.cells[0].source
    case = Case(Failure(notebook.cells[0].id, source, FailureKind.SYNTAX), notebook)
    replies = [
        {"reading": 0, "text": text, "cost": cost, "words": [], "rival": ""}
        for cost, text in ((1.0, "print(len([[1, 2]]))"), (cost, "print(len([1]))"))
    ]
    first = build_passing(case, [Reading("print(len([[1, 2]]))", 1.0, ("`]` is missing",))], replies)[0]
    assert bool(first.rival) == doubted


@pytest.mark.parametrize(
    ("words", "doubted"),
    [("`elif` is too much", True), ("`212` is too much", True), ("`)` is too much", False), ("`:` is missing", False)],
)
def test_a_word_that_is_deleted_leaves_a_doubt(words: str, doubted: bool) -> None:
    notebook = build_notebook(["print('big')\nelif"])
    case = Case(Failure(notebook.cells[0].id, "print('big')\nelif", FailureKind.SYNTAX), notebook)
    replies = [{"reading": 0, "text": "print('big')\n", "cost": 1.0, "words": [], "rival": ""}]
    (patch,) = build_passing(case, [Reading("print('big')\n", 1.0, (words,))], replies)
    assert bool(patch.rival) == doubted


IDLE = {
    "a name on a line of its own": ("str\nprint(1)", "nothing comes of `str`"),
    "a word in quotes": ("if 1:\n    'break'\nprint(1)", "nothing comes of `'break'`"),
    "a result that is dropped": ("c = 1.5\nround(c, 2)\nprint(c)", "nothing comes of `round(c, 2)`"),
    "a value that is never read": ("c = '34'\nd = int(c)\nprint(c)", "`d` is computed and never read"),
    "a value that only another cell reads": ("c = '34'\nkept = int(c)\nprint(c)", ""),
    "a call for its effect": ("xs = [2, 1]\nxs.sort()\nprint(xs)", ""),
    "a docstring and a constant": ('def f():\n    """What it does."""\n    ...\nlimit = 3\nprint(f())', ""),
    "a name for what print gives": ("c = '34'\nshown = print(c)", ""),
    "prose for a type": ("Output: 'as shown below'\nprint(1)", "nothing comes of `Output: 'as shown below'`"),
    "a type in quotes": ("rows: 'list[int]'\nprint(1)", ""),
    "a loop's variable": ("for _ in range(3):\n    n = input()\n    print(1)", ""),
}


@pytest.mark.parametrize(("source", "words"), IDLE.values(), ids=IDLE)
def test_what_comes_to_nothing_leaves_a_doubt(source: str, words: str) -> None:
    found = find_idle_part(source, frozenset({"kept"}))
    assert found.startswith(words)
    assert bool(found) == bool(words)


def test_a_declaration_that_is_none_has_not_run() -> None:
    reply = run(["def f():\n    elseprint: (x, 'small')\nf()\nprint('big')"], "big", x=3)
    assert reply["passing"][0]["rival"] == try_readings.UNRUN
    reply = run(["def f():\n    size: int\nf()\nprint('big')"], "big", x=3)
    assert reply["passing"][0]["rival"] == ""


def test_no_further_reading_is_explored_once_the_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = ["total = x * 1\nprint('Sum:', zzz)", "total = x * 1\nprint('Sum:', tot)"]
    every = run(readings, "Sum: 3", x=3)
    monkeypatch.setattr(try_readings, "EXPLORED_FOR", -1.0)
    assert run(readings, "Sum: 3", x=3)["tried"] < every["tried"]


def test_a_reading_that_kills_its_process_costs_nothing_else() -> None:
    reply = run(["import os; os._exit(3)", "print(1)"], "1")
    assert [p["reading"] for p in reply["passing"]] == [1]


def test_an_attempt_below_a_note_is_no_exercise() -> None:
    assert has_attempt("# write your code here\nprint('Hi' x)")
    assert not has_attempt("# write your code here\n")
    assert not has_attempt("# your code here\npass")
    assert has_attempt("def f(xs):\n    ys = []\n    return zs\n    # your code here\n    pass")
    assert not has_attempt("def f(xs):\n    ys = []\n    # your code here\n    return ys".replace("return ys", "pass"))
    assert not has_attempt("# your code here\nx = ___")
    assert not has_attempt("print('Hi' x)")
    assert has_attempt("def f(xs):\n    ys = sorted(xs)\n    print(ys)# Fill in your code here\n")
    assert not has_attempt("def f(xs):\n    ys = None  # your code here\n")
    assert not has_attempt("def f(xs):\n    ys = ___  # your code here\n    print(ys)")
    assert not has_attempt("def f(xs):\n    ys = ...  # your code here\n    return ys")
    assert not has_attempt("def f(xs):\n    ys = []  # your code here\n    return None")
    assert has_attempt("def f(x):\n    # your code here\n    return x * 2\n\nassert f(2) == 6")
    assert not has_attempt("def f(x):\n    # your code here\n    return None\n\nassert f(2) == 6")
    assert not has_attempt("# your code here\nanswer = 0\nassert answer == 42")


def test_code_above_a_note_is_code() -> None:
    assert has_code("print('Hi' x)\n# write your code here")
    assert not has_code("# your code here\nx = ___ 3"), "a hole"
    assert not has_code("def f(x):\n    # your code here"), "a head alone"
    assert not has_code("# your code here\n"), "nothing"


FURTHER = {
    "words behind the last value": (
        "c = x * 1.0\nprint('It is', c)",
        "It is 3.0 degrees.",
        "c = x * 1.0\nprint('It is', c, 'degrees.')",
    ),
    "words before the first value": ("c = x + 4\nprint(c)", "Sum: 7", "c = x + 4\nprint('Sum:', c)"),
    "a result that is dropped": ("c = x / 7\nround(c, 2)\nprint(c)", "0.43", "c = x / 7\nc = round(c, 2)\nprint(c)"),
    "a digit for a letter": (
        "k = 'abcd'\nl = 2\nprint(k[:1])",
        "ab",
        "k = 'abcd'\nl = 2\nprint(k[:l])",
    ),
    "how a number is read": ("f = int(input())\nprint('F', f)", "F 3.0", "f = float(input())\nprint('F', f)"),
    "a builtin of Python 2": ("n = raw_input()\nprint('Hi', n)", "Hi 3", "n = input()\nprint('Hi', n)"),
    "a builtin spelt otherwise": ("n = Input()\nprint('Hi', n)", "Hi 3", "n = input()\nprint('Hi', n)"),
    "a word that is expected": ("print(Sum, x)", "Sum 3", 'print("Sum", x)'),
    "a value that another print has": (
        "n = x\nprint('Hi', n)\nprint('Bye')",
        "Hi 3\nBye 3",
        "n = x\nprint('Hi', n)\nprint('Bye', n)",
    ),
    "a comma before format": ("print('{} it is', format(x))", "3 it is", "print('{} it is'.format(x))"),
    "what was read and not kept": (
        "print(int(input()))\nprint('Twice:', n * 2)",
        "Twice: 6",
        "n = int(input())\nprint('Twice:', n * 2)",
    ),
    "an f before the text": ("n = x\nprint('Hi {n}')", "Hi 3", "n = x\nprint(f'Hi {n}')"),
    "digits of an f-string": (
        "n = x / 8\nprint(f'{n}: {n:.1f}')",
        "0.38: 0.4",
        "n = x / 8\nprint(f'{n:.2f}: {n:.1f}')",
    ),
    "items of a list": ("n = [x, 4]\nprint(n)", "3, 4", "n = [x, 4]\nprint(', '.join(map(str, n)))"),
    "a quotient cut off": ("print('Half:', x // 2)", "Half: 1.5", "print('Half:', x / 2)"),
}


@pytest.mark.parametrize(("source", "stdout", "meant"), FURTHER.values(), ids=FURTHER)
def test_what_else_is_changed_where_the_output_is_known(source: str, stdout: str, meant: str) -> None:
    reply = run([source], stdout, x=3, input=lambda: "3")
    assert reply["passing"][0]["text"] == meant


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("if x == 3:\n    print('no')\nelse:\n    print(int('yes'))", "yes"),
        ("print(Sum, x)", "Total 3"),
        ("print('Hi', x)", "Hi 3\nBye 3"),
    ],
    ids=["a branch that did not run", "another word", "a line that is not there"],
)
def test_what_did_not_run_and_what_nothing_says_is_not_written(source: str, stdout: str) -> None:
    reply = run([source], stdout, x=3)
    assert not [p for p in reply["passing"] if "'yes'" not in p["text"] or "Total" in p["text"] or "Bye" in p["text"]]


def test_changes_of_what_did_not_run_are_not_tried() -> None:
    source = "if x > 2:\n    print('big', x)\nelse:\n" + "    print('small', x // 2)\n" * 3
    assert run([source], "nothing like it", x=3)["tried"] < run([source], "nothing like it", x=1)["tried"]


def test_a_result_that_is_dropped_is_kept_where_the_output_stays() -> None:
    reply = run(["c = x * 2.0\nround(c, 2)\nprint(c)"], "6.0", x=3)
    assert reply["passing"][0]["text"] == "c = x * 2.0\nc = round(c, 2)\nprint(c)"
    assert reply["passing"][0]["rival"]


def test_a_dropped_result_stays_where_the_output_would_change() -> None:
    reply = run(["c = x / 7\nround(c, 1)\nprint(c)"], "0.42857142857142855", x=3)
    assert "c = round" not in reply["passing"][0]["text"]


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("print('It is', x)", "It is 3 4"),  # a value, no words
        ("print('It is', x, 'degrees')", "It is 3 warm degrees"),  # another wording of its own
        ("print('is', x)", "is 4 degrees"),  # the value is another one
    ],
)
def test_words_are_put_behind_the_right_value_only(source: str, stdout: str) -> None:
    assert not any("degrees'" in p["text"] or "4" in p["text"] for p in run([source], stdout, x=3)["passing"])
