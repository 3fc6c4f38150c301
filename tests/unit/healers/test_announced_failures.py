"""Triage: a text above a cell, or a comment in it, says that it is to fail, or speaks of something else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.healers.triage.left_alone.announced import REMEDY, SHOWN
from jupyter_selfheal.model import Cell, Diagnosis, Output
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose


def diagnose_below(bench: Bench, text: str, cell: str) -> Diagnosis:
    """What triage says of a failing cell below a text."""
    broken = bench.fail(cell)
    above = Cell("text", text, kind="markdown")
    notebook = replace(broken.case.notebook, cells=(above, *broken.case.notebook.cells))
    return diagnose(replace(broken, case=replace(broken.case, notebook=notebook)))


TEXTS = (
    ("Strings are immutable, so this raises an error:", True),
    ("Strings cannot be changed in place. Trying it raises a `TypeError`:", True),
    ("Trying it raises a `KeyError`:", False),
    ("It raises an error if the text is empty.", False),
    ("We print the error of each text:", False),
    ("Missing values raise an error in the model, drop them:", False),
    ("Replacing a letter raises an error:", True),
    ("Texts are immutable, so we make a new one:", False),
    ("You cannot read a file that is not there:", False),
    ("TypeError: how can this be mended?", False),
    ("The next cell stops with an error. Read its last line first.", True),
    ("The next cell stops with an error if a text is empty. Read its last line first.", False),
    ("An error is a message. Read the last line first.", False),
    ("Question: which of these lines fails, and why?", True),
    ("Which of these lines must be changed?", False),
    ("Exercise: why does this fail?", True),
    ("Why does this fail?", False),
    ("This cell has a slip. Can you spot it?", True),
    ("**Exercise**: find and fix the bug below.", True),
    ("I can't find the bug, look again.", False),
    ("Now find the mean squared error of the model.", False),
    ("Strings are immutable, so this raises an error. Let's see:", True),
    ("Strings are immutable, so this raises an error. For example:", True),
    ("Texts are immutable, so we make a new one. Let's see:", False),
    ("A wrong key raises an error. Ours is right, as we see here.", False),
    ("Das führt zu einem Fehler:", True),
    ("Das führt zu einer Liste:", False),
    ("Ceci ne fonctionne pas :", True),
    ("Pourquoi cela ne fonctionne pas ?", False),
    ("If the kinds differ, Python refuses:", True),
    ("If the kinds differ, Python converts them:", False),
    ("Why does the next cell not work? Fix it.", True),
    ("## Debugging practice", True),
    ("### Type errors", True),
    ("### Key errors", False),
    ("### How to fix type errors", False),
)


@pytest.mark.parametrize(
    ("text", "is_left"),
    [("Index out of range:", True), ("Is the index out of range?", False), ("The index:", False), ("Out of:", False)],
)
def test_a_text_that_is_nothing_but_words_of_the_message_announces_it(bench: Bench, text: str, is_left: bool) -> None:
    found = diagnose_below(bench, text, "xs = [1, 2, 3]\nxs[len(xs)]")
    assert (found.skip_reason == "deliberate") is is_left


@pytest.mark.parametrize(
    ("text", "is_left"),
    [
        ("Lists have no `add`, so the following cell raises an `AttributeError`. Use `append`.", True),
        ("The following cell raises a `KeyError`.", False),
        ("An `AttributeError` says that a method is not there.", False),
        ("The following cell makes two lists.", False),
        ("Lists do not have an `add` method. The next cell raises an error.", True),
        ("Lists have an order. The next cell raises an error.", False),
    ],
)
def test_a_text_above_the_cell_that_prepares_it_announces_the_error_that_it_names(
    bench: Bench, text: str, is_left: bool
) -> None:
    broken = bench.fail("xs = [1]", "xs.add(2)")
    cells = (Cell("text", text, kind="markdown"), *broken.case.notebook.cells)
    notebook = replace(broken.case.notebook, cells=cells)
    found = diagnose(replace(broken, case=replace(broken.case, notebook=notebook)))
    assert (found.skip_reason == "deliberate") is is_left


@pytest.mark.parametrize(("text", "is_left"), TEXTS)
@pytest.mark.parametrize("cell", ["s = 'hello'\ns[0] = 'J'", "list('ab')[0] + 1"])
def test_the_text_above_a_cell_announces_what_its_last_statement_raises(
    bench: Bench, text: str, is_left: bool, cell: str
) -> None:
    assert (diagnose_below(bench, text, cell).skip_reason == "deliberate") is is_left


@pytest.mark.parametrize(
    "text",
    [
        "Strings are immutable: you can't change a letter:",
        "Neither texts nor items of a list can be changed so; it does not support that:",
        "TypeError: it does not support item assignment",
    ],
)
@pytest.mark.parametrize(("cell", "is_left"), [("s = 'hello'\ns[0] = 'J'", True), ("list('ab')[0] + 1", False)])
def test_what_a_text_says_does_not_go_is_announced_of_that_alone(
    bench: Bench, text: str, is_left: bool, cell: str
) -> None:
    assert (diagnose_below(bench, text, cell).skip_reason == "deliberate") is is_left


def test_what_is_announced_is_not_a_statement_in_the_middle(bench: Bench) -> None:
    found = diagnose_below(bench, TEXTS[0][0], "s = 'hello'\ns[0] = 'J'\nprint(s)")
    assert found.skip_reason is None


@pytest.mark.parametrize(
    ("cell", "is_left"),
    [
        ("numbers = [1]\nnumbers.push(4)  # lists have no push method!", True),
        ("numbers = [1]\nnumbers.push(4)  # the stack's push", False),
        ("x = '5'\nx + 1   # TypeError: can't add str and int", True),
        ("x = '5'\nx + 1   # can't be negative", False),
        ("t = (1, 2)\n# Tuples are immutable\nt[0] = 5", True),
        ("t = (1, 2)\nt.append(5)  # tuples are immutable", True),
        ("a, n = 'a', 1\n# You can't concatenate a text and a number\na + n", True),
        ("a, n = 'a', 1\na + n  # TypeError: can only concatenate str (not \"int\") to str", True),
        ("3 / None  # you can't divide by nothing", True),
        ("3 / 0  # you can't divide by zero", True),
        ("n = 5\nn()  # numbers are not callable", True),
        ("name = 'Ann'\nName  # Python is case sensitive: `Name` is another one", True),
        ("total = 3\ntotl  # the query is case sensitive", False),
        ("a, n = 'a', 1\na + n  # Adding a number to a text is not allowed", True),
        ("# Demonstration: integers and strings do not add\nprint('total: ' + 5)", True),
        ("a, n = 'a', 1\nprint(a + n)  # the shares do not add up", False),
        ("a, n = 'a', 1\nprint(a + n)  # does not need a title", False),
        ("for i in range(3)\n    print(i)\n# Note the missing colon above: Python complains", True),
        ("# the colon is missing here on the first line\nfor i in range(3)\n    print(i)", True),
        ("for i in range(3)\n    print(i)\n# note the missing values above", False),
        ("for i in range(3)\n    print(i)\n# TODO: must see which missing colon Python means", False),
        ("for i in range(3)\n    prnt(i)\n# the loop ends with a colon", False),
        ("{[1]: 2}  # lists are not hashable", True),
        ("{'a': 1}['b']  # KeyError: 'b'", True),
        ("import numpy as np\nnp.linalg.inv(np.ones((2, 2)))  # it has no inverse, and NumPy says so", True),
        ("import numpy as np\n# Their shapes don't match\nnp.ones(2) + np.ones(3)", True),
        ("import numpy as np\nnp.linalg.inv(np.ones((2, 2)))  # the shapes are incompatible", False),
        (
            "import numpy as np\n# the design has no inverse if two columns are equal\nnp.linalg.inv(np.ones((2, 2)))",
            False,
        ),
        ("import numpy as np\nnp.ones(2) + np.ones(3)  # this matrix is singular", False),
        ("a, n = 'a', 1\n# Strings are immutable\ns = a + n", False),
        ("n = None\n# We can't divide by zero here, n is at least 1\n3 / n", False),
        ("n = 0\n# We can't divide by zero here, n is at least 1\n3 / n", False),
        ("a, n = 'a', 1\ns = a + n  # TypeError: need str() around n", False),
        ("fitted = {}\nfitted['a']  # KeyError: 'a' came up last time, must look into it", False),
        ("cart = []\ncart.add(3)  # this class has no attribute for the total yet", False),
        ("# does not support nested keys yet\nlen(5)", False),
        ("a, n = 'a', 1\ns = a + n  # TypeError: not mended yet", False),
        ("a, n = 'a', 1\ns = a + n  # numbers are not iterable", False),
        ("cart = []\ncart.add(3)  # dictionaries have no push method", False),
        ("# can't use pandas here\ntotal = totl + 1", False),
    ],
)
def test_a_comment_says_that_the_language_does_not_do_it(bench: Bench, cell: str, is_left: bool) -> None:
    assert (diagnose(bench.fail(cell)).skip_reason == "deliberate") is is_left


@pytest.mark.parametrize(
    ("note", "is_shown"),
    [
        ("Let's see what error we get if we add a number and a string:", True),
        ("Which exception does Python raise when we divide by zero?", True),
        ("What error do we get, and how do we fix it?", False),
        ("Which error message do we get?", True),
        ("Let's see which exception is raised:", True),
        ("What error does it give when the list is empty?", True),
        ("What error rate do we get?", False),
        ("Let's see what error we get on the test data.", False),
        ("What error do we get with 10 neighbours?", False),
        ("Let us see what error it gives for k = 3.", False),
        ("We print which exception it raised, and go on.", False),
        ("Now compute what error the model gives on unseen rows:", False),
        ("Which error is handled below?", False),
        ("See what error we get, then remove the blank", False),
    ],
)
def test_a_question_for_the_error_announces_it(note: str, is_shown: bool) -> None:
    shown = SHOWN.search(note)
    assert (shown is not None and not REMEDY.search(note, shown.end())) is is_shown


@pytest.mark.parametrize(
    ("text", "cell", "is_left"),
    [
        ("Let's see what error we get on the test data.", "y_test = [1.0]\nerr = sum(y_tset)", False),
        ("What error do we get if we leave rows out?", "y_test = [1.0]\nerr = sum(y_tset)", False),
        ("What error do we get if we leave rows out?", "from math import factorail", False),
        ("What error do we get if we read an unknown name?", "print(zzq)", True),
        ("What error do we get if we add a text?", "[1.0] + 'a'", True),
    ],
)
def test_a_misspelt_name_below_a_question_for_the_error_is_none_that_was_asked_for(
    bench: Bench, text: str, cell: str, is_left: bool
) -> None:
    assert (diagnose_below(bench, text, cell).skip_reason == "deliberate") is is_left


@pytest.mark.parametrize(
    ("cell", "is_left"),
    [
        ("# texts cannot be changed - run this to see the error\ns = 'hello'\ns[0] = 'J'", True),
        ("# a letter is given, this one fails: look at the message\ns[0] = 'J'", True),
        ("# what happens if a letter is given?\ns = 'hello'\ns['a']", True),
        ("# let's see what happens when a letter is given\ns = 'hello'\ns['a']", True),
        ("# shows what happens if we divide by zero\n1 / 0", True),
        ("# demonstrates what happens when a letter is given\ns = 'hello'\ns['a']", True),
        ("# shows what happens to the letters\ns = 'hello'\ns['a']", False),
        ("# shows what happened when it rained\n1 / 0", False),
        ("# the share of it\n1 / 0", False),
        ("# Fix me: this raises an error\ns = 'hello'\ns[0] = 'J'", False),
        ("# texts cannot be changed\na = 1\nb = 2\ns = 'hello'\ns[0] = 'J'", False),
        ("# texts cannot be changed\ns = 'hello'\ns[0] = 'J'\nprint(s)", False),
        ("# this code does not do what it should\ns = 'hello'\ns[0] = 'J'", False),
    ],
)
def test_the_comment_that_a_short_cell_begins_with_announces_what_its_last_line_raises(
    bench: Bench, cell: str, is_left: bool
) -> None:
    assert (diagnose(bench.fail("s = 'hello'", cell)).skip_reason == "deliberate") is is_left


PRINTED = Output("stream", name="stdout", text="(1, 2)\n")
REFUSED = Output("error", ename="TypeError", evalue="'tuple' object does not support item assignment")


@pytest.mark.parametrize(
    ("note", "outputs", "meant"),
    [
        ("# You cannot change a tuple", (PRINTED, REFUSED), True),
        ("# You cannot change a tuple", (REFUSED,), True),
        ("# You cannot change a tuple", (PRINTED,), False),  # it ran to its end
        ("# change the first number", (PRINTED, REFUSED), False),
    ],
)
def test_what_a_cell_printed_before_its_stored_error_is_no_run(
    bench: Bench, note: str, outputs: tuple[Output, ...], meant: bool
) -> None:
    broken = bench.fail(f"pair = (1, 2)\nprint(pair)\n{note}\npair[0] = 5")
    cells = tuple(replace(c, outputs=outputs) for c in broken.case.notebook.cells)
    notebook = replace(broken.case.notebook, cells=cells)
    diagnosis = diagnose(replace(broken, case=replace(broken.case, notebook=notebook)))
    assert diagnosis.cause.startswith("The notebook says that this fails") is meant
