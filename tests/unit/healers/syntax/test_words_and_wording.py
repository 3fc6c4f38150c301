"""Words that head a block, calls that run into what they are given, placeholders, what is read, other wordings; and near misses of each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jupyter_selfheal.healers.rules.syntax_indent import Indentation
from jupyter_selfheal.healers.search.healer import SearchHealer
from jupyter_selfheal.healers.syntax import name_edits, word_edits
from jupyter_selfheal.healers.syntax.best_first import PROPOSERS
from jupyter_selfheal.healers.syntax.doubts import count_doubts
from jupyter_selfheal.healers.syntax.fault import find_fault
from jupyter_selfheal.healers.syntax.site import Site, Slip, find_site
from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search import explore_reading, try_readings
from jupyter_selfheal.inside.search.extra_lines import drop_emptied_texts, list_extra_lines
from jupyter_selfheal.inside.search.kept_originals import list_kept_originals
from jupyter_selfheal.inside.search.reading_changes import list_reading_changes
from jupyter_selfheal.inside.search.uncalled_functions import list_missing_calls
from jupyter_selfheal.model import Case, Failure, FailureKind, Notebook, Oracle
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fixtures import build_notebook
from jupyter_selfheal.testing.scripted import NoFacts
from tests.unit.healers.syntax.readings import run
from tests.unit.healers.syntax.test_texts_and_readings import align

READ = {
    "a condition without its word": ("x = 3\nx > 2:\n    print(x)", "x = 3\nif x > 2:\n    print(x)"),
    "a loop without its word": ("xs = [1]\nx in xs:\n    print(x)", "xs = [1]\nfor x in xs:\n    print(x)"),
    "a further condition": (
        "x = 3\nif x > 4:\n    print(4)\nx > 2:\n    print(x)",
        "x = 3\nif x > 4:\n    print(4)\nelif x > 2:\n    print(x)",
    ),
    "a call that runs into its argument": (
        "marks = [3]\nlow = minmarks)\nprint(low)",
        "marks = [3]\nlow = min(marks)\nprint(low)",
    ),
    "a placeholder": ("who = 'a'\nprint(<who>, 'is')", "who = 'a'\nprint(who, 'is')"),
    "half of an unequal sign": ("if (y % 4 ! 0) or y:\n    x = 1", "if (y % 4 != 0) or y:\n    x = 1"),
    "what is not in something": ("if x not xs:\n    y = 1", "if x not in xs:\n    y = 1"),
    "a digit for a letter": ("1 = word[::-1]\nprint(int(1), -1)", "l = word[::-1]\nprint(int(l), -1)"),
}


def list_slips(broken: str, propose: Callable[[Site], Iterator[Slip]]) -> list[Slip]:
    fault = find_fault(broken)
    assert fault is not None
    return list(propose(find_site(broken, fault, frozenset())))


@pytest.mark.parametrize(("broken", "meant"), READ.values(), ids=READ)
def test_what_was_meant_is_one_likely_slip_away(broken: str, meant: str) -> None:
    costs = [s.cost for propose in PROPOSERS for s in list_slips(broken, propose) if s.apply(broken) == meant]
    assert min(costs) < 1.3


@pytest.mark.parametrize(
    ("broken", "propose"),
    [
        ("d = {'a': 1\nx: 3}", word_edits.insert_heads),  # a key
        ("x > 2:\nprint(x)", word_edits.insert_heads),  # nothing stands deeper
        ("while x > 2 3:\n    print(x)", word_edits.insert_heads),  # a word is there
        ("f(lambda x: x 3:\n    4)", word_edits.insert_heads),
        ("minmarks = 3\nprint(minmarks))", word_edits.open_calls),  # a name
        ("low = minmarks)", word_edits.open_calls),  # nothing is called `marks`
        ("marks = 3\nlow = minmarks 3", word_edits.open_calls),  # no bracket too much
        ("if a < b > c 3:\n    x = 1", word_edits.strip_placeholders),  # a comparison
        ("if f(x) < n > 3 4:\n    x = 1", word_edits.strip_placeholders),
        ("x = a < b 3", word_edits.strip_placeholders),
        ("1 = word[::-1]\nprint(2)", name_edits.name_literals),  # in one place alone
        ("7 = word[::-1]\nprint(7)", name_edits.name_literals),  # no letter looks like it
        ("l = 2\nI = 3\n1 = f(x)\nprint(1)", name_edits.name_literals),  # both letters are names
    ],
)
def test_no_such_slip_where_something_else_is_meant(broken: str, propose: Callable[[Site], Iterator[Slip]]) -> None:
    assert not list_slips(broken, propose)


@pytest.mark.parametrize(
    ("source", "doubted"),
    [
        ("(a and b - 3) * 5", True),
        ("(not a) * 5", True),
        ("(a > b) * 5", False),
        ("a * 5 and b", False),
        ("not a * 5", False),
    ],
)
def test_who_reckons_with_a_condition_left_out_another_sign(source: str, doubted: bool) -> None:
    assert bool(count_doubts(f"x = {source}", frozenset("ab"))) is doubted


def test_other_words_are_taken_where_two_values_came_out_as_expected() -> None:
    assert align("print('In:', r, 'out:', 5)", "Cost 34 euros 5", {"r": 34}) == "print('Cost', r, 'euros', 5)"
    found = run(["print('In:', x)\nprint('out:', x + 1)"], "Cost 3\nNext 4", x=3)["passing"][0]
    assert found["text"] == "print('Cost', x)\nprint('Next', x + 1)"
    assert found["rival"] == explore_reading.REWORDED


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("print('In:', r)", "Cost 34"),  # one value tells little
        (
            "if r > 3:\n    print(r, 'is more than', 5)\nelse:\n    print(r, 5)",
            "34 beats 5",
        ),  # a condition chooses the words
        ("print(r, 'big' if r > 3 else 'small', 5)", "34 warm 5"),
        ("print('In:', r, 'out:', 5)", "Cost 34 2nd 5"),  # a digit
        ("print('In:', r, 'out:', 5)", "Cost 35 euros 5"),  # another value
    ],
)
def test_other_words_may_be_meant_for_another_result(source: str, expected: str) -> None:
    assert align(source, expected, {"r": 34}) is None


def test_a_print_that_is_left_with_nothing_is_taken_out() -> None:
    reply = run(["print('IN')\nprint('Sum :', x)\nprint('OUT')"], "Sum: 3", x=3)
    assert reply["passing"][0]["text"].splitlines() == ["print('Sum:', x)"]


@pytest.mark.parametrize(
    "text",
    [
        "if x:\n    print('', end='')\nprint(1)",  # alone in its block
        "print('', end=' ')\nprint(1)",  # a blank
        "print('')\nprint(1)",  # a line
        "print('', end=''); print(2)\nprint(1)",  # it shares its line
        "print(x, end='')\nprint(1)",
    ],
)
def test_a_print_that_may_be_meant_stays(text: str) -> None:
    assert drop_emptied_texts("", text) == text
    assert drop_emptied_texts("print('', end='')", "print('', end='')\nprint(1)").startswith("print(''"), (
        "it was written"
    )


class Typed:
    """What is typed, line by line."""

    def __init__(self, *lines: str) -> None:
        self.left = list(lines)

    def __call__(self, prompt: str = "") -> str:
        if not self.left:
            raise EOFError("EOF when reading a line")
        return self.left.pop(0)


TWICE = "name = input()\nprint('Hi', name)\nname = input('AK')\nprint('Bye', name)"


def test_what_was_read_is_not_read_again() -> None:
    found = run([TWICE], "Hi AK\nBye AK", input=Typed("AK"))["passing"][0]
    assert found["text"] == TWICE.replace("name = input('AK')\n", "")
    assert found["rival"]


@pytest.mark.parametrize(
    "source",
    [
        TWICE.replace("name = input('AK')", "other = input('AK')"),
        TWICE.replace("name = input('AK')", "name = input('AK'); name += '!'"),
        TWICE.replace("\nname = input('AK')", "\nfor _ in '12':\n    name = input('AK')"),
    ],
)
def test_another_value_is_read(source: str) -> None:
    assert not any(
        "second time" in w for p in run([source], "Hi AK\nBye AK", input=Typed("AK"))["passing"] for w in p["words"]
    )


def test_a_value_that_was_written_down_to_try_the_cell_is_read() -> None:
    found = run(["temp = 36.6\nprint('Twice', temp * 2)"], "Twice 6.0", input=Typed("3"))["passing"][0]
    assert found["text"] == "temp = float(input())\nprint('Twice', temp * 2)"
    assert found["rival"]


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("temp = 3.0\nprint('Twice', temp * 2)", "Twice 6.0"),  # it gives what is expected
        ("n = input()\ntemp = 36.6\nprint('Twice', temp * 2)", "Twice 6.0"),  # something is read
        ("temps = [36.6]\nprint('Twice', temps[0] * 2)", "Twice 6.0"),  # no plain value
    ],
)
def test_a_value_that_may_be_meant_is_not_read(source: str, stdout: str) -> None:
    assert not any(
        "input" in p["text"].partition("temp")[2] for p in run([source], stdout, input=Typed("3"))["passing"]
    )


def test_a_line_that_is_printed_twice_is_printed_once() -> None:
    source = "print('Hi', 3)\nprint('Hi', 3)\nprint('Bye', 3)\n"
    assert [c.edits for c in list_extra_lines(source, "Hi 3\nBye 3")] == [((15, 30, ""),)]
    assert not list(list_extra_lines(source, "Hi 3\nHi 3\nBye 3"))
    assert not list(list_extra_lines(source.replace("3)\nprint('Bye'", "4)\nprint('Bye'"), "Hi 3\nBye 3"))


@pytest.mark.parametrize(
    ("body", "inside"),
    [
        ("rest = s[1:]\nmore = rest + s\nprint(more)\nprint(s)", 3),  # what only the block binds is read in it
        ("rest = s[1:]\nmore = rest + s\nprint('rest')  # more\nprint(s)", 2),  # a text and a comment read nothing
        ("s = s + 'a'\nprint(s)", 1),  # it was there before
        ("print(s)\nprint(1)", 1),
        ("rest = s[1:]\nprint(s)", 1),  # nobody reads it
        ("print(s)\nrest = s[1:]\nprint(rest)", 1),  # a line of its own that may stand outside
    ],
)
def test_a_block_reaches_as_far_as_what_only_it_binds_is_read(body: str, inside: int) -> None:
    broken = f"s = 'ab'  # rest: more\nif s == 'a':\n{body}"
    fault = find_fault(broken)
    assert fault is not None
    first = next(iter(Indentation().mends(broken, fault))).source.splitlines()
    assert [line.startswith("    ") for line in first[2:]] == [n < inside for n in range(len(first) - 2)]


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        (">>> print('IN')\n>>> print('Sum :', 3)", "print('Sum:', 3)"),
        ("%%bash\nfor i in; do", ""),
        ("print('Sum :'", ""),
    ],
    ids=["prompts that IPython takes off", "another language", "nothing that ran"],
)
def test_a_pasted_cell_that_runs_is_read_without_its_prompts(source: str, mended: str) -> None:
    kind = FailureKind.MISSED if source[0] in ">%" else FailureKind.DIED
    notebook: Notebook = build_notebook([source])
    case = Case(Failure("c0", source, kind), notebook, Oracle(stdout="Sum: 3\n"))
    answer: Any = SearchHealer().propose(case, Starts((FakeKernel(()),)), NoFacts(), ())
    assert [p.source_of("c0", "").strip() for p in answer.patches[:1]] == ([mended] if mended else [])


CALLED = {
    "without parameters": ("def main():\n    print('N', input())", "N 3", "main()"),
    "with a variable": ("def double(n):\n    return n * 2\nk = int(input())", "6", "print(double(k))"),
    "with what is read": ("def double(n):\n    return n * 2", "6", "print(double(int(input())))"),
}


@pytest.mark.parametrize(("source", "stdout", "call"), CALLED.values(), ids=CALLED)
def test_a_function_that_is_never_called_is_called(source: str, stdout: str, call: str) -> None:
    found = run([source], stdout, input=Typed("3"))["passing"][0]
    assert found["text"] == f"{source}\n\n{call}"
    assert found["rival"]


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    return 1\nprint(f())",
        "def f():\n    return 1\nkeep = [f]",  # handed on
        "@app\ndef f():\n    return 1",  # somebody else calls it
        "def f(a, b, c):\n    return a",
        "class A:\n    def f(self):\n        return 1",
    ],
)
def test_no_call_is_missing(source: str) -> None:
    assert not list(list_missing_calls(ast.parse(source), source))


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("a, b = input()\nprint('Sum:', a + b)", "map(int, input().split())"),
        ("a, b = int(input())\nprint('Sum:', a + b)", "map(int, input().split())"),
        ("xs = input().split()\nprint('Sum:', sum(xs))", "list(map(int, input().split()))"),
    ],
)
def test_values_of_one_line_are_parted(source: str, read: str) -> None:
    found = run([source], "Sum: 7", input=Typed("3 4"))["passing"][0]
    assert found["text"].splitlines()[0].endswith(f" = {read}")
    assert found["rival"]


@pytest.mark.parametrize(
    "source", ["a, b = input('Two: '), 3", "a = input() + '!'", "a = input()", "a, b = rows.split()"]
)
def test_what_is_no_line_of_values_is_not_parted(source: str) -> None:
    changes = list_reading_changes(ast.parse(source), source, LineTable(source), "")
    assert not any("one line" in c.words for c in changes)


FOLDED = "w = input()\nw = w.lower()\nif w == w[::-1]:\n    print(w, 'is even.')\nelse:\n    print(w, 'is odd.')"


def test_what_was_read_is_printed_as_it_was() -> None:
    found = run([FOLDED], "Anna is even.", input=Typed("Anna"))["passing"][0]
    meant = FOLDED.replace("w = w.lower()", "lower_w = w.lower()").replace("w == w[::-1]", "lower_w == lower_w[::-1]")
    assert (found["text"], bool(found["rival"])) == (meant, True)


@pytest.mark.parametrize(
    "source",
    [
        FOLDED.replace("w = w.lower()", "v = w.lower()"),  # it has a name of its own
        FOLDED.replace("w == w[::-1]", "True"),  # nobody else reads the other form
        FOLDED.replace("print(w, ", "print("),  # it is not printed
        FOLDED.replace("w.lower()", "w + w"),  # another value
        FOLDED + "\nw = 3",  # it is set again
    ],
)
def test_what_is_overwritten_for_good_stays(source: str) -> None:
    assert not list(list_kept_originals(ast.parse(source), LineTable(source)))


def test_a_prompt_that_is_not_expected_is_taken_out() -> None:
    found = run(["x = input('AK')\nprint('Hi', x)"], "Hi 3", input=Echo("3"))["passing"][0]
    assert found["text"] == "x = input()\nprint('Hi', x)"


class Echo(Typed):
    """What is typed, behind the prompt that is printed for it."""

    def __call__(self, prompt: str = "") -> str:
        print(prompt, end="")
        return super().__call__(prompt)


HIDDEN = "n = x\nif n > 2:\n    print('big')\nelse:\n    {}"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("Print('small')", "print('small')"),  # a builtin spelt otherwise
        ("print(str[n])", "print(str(n))"),  # brackets of another kind
        ("print('small', N)", "print('small', n)"),
    ],
)
def test_what_did_not_run_reads_names_that_there_are(line: str, meant: str) -> None:
    found = run([HIDDEN.format(line)], "big", x=3)["passing"][0]
    assert (found["text"], found["rival"]) == (HIDDEN.format(meant), try_readings.UNRUN)


@pytest.mark.parametrize(
    "source",
    [
        HIDDEN.format("print('small', x)"),  # the notebook has it
        HIDDEN.format("print('small', elsewhere)"),  # nothing is like it
        "from math import *\n" + HIDDEN.format("print(sine(n))"),  # the module may have it
        HIDDEN.format("str = 'ab'\n    print(str[n])"),  # its own
        HIDDEN.format("kinds: dict[str, list[int]] = {}"),
    ],
)
def test_what_did_not_run_and_may_be_meant_stays(source: str) -> None:
    assert run([source], "big", x=3)["passing"][0]["text"] == source
