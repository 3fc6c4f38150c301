"""Triage of errors that are saved with their cells: shown on purpose, left behind by somebody who went on, or a slip."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.healers.triage.left_alone.repeated_cells import is_repetition
from jupyter_selfheal.model import Cell, Diagnosis, Output
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose

LATER = Cell("below", "print('more')", count=9)


def diagnose_saved(
    bench: Bench, *cells: str, above: str = "", below: tuple[Cell, ...] = (LATER,), saved: Output | None = None
) -> Diagnosis:
    """What triage says of the last cell, whose error is saved with it; ``above`` is a text directly above it."""
    broken = bench.fail(*cells)
    failure, notebook = broken.case.failure, broken.case.notebook
    *before, failing = notebook.cells
    saved = saved or Output("error", ename=failure.ename, evalue=failure.evalue)
    text = (Cell("text", above, kind="markdown"),) if above else ()
    counted = (replace(c, count=n) for n, c in enumerate(before, 1))
    notebook = replace(notebook, cells=(*counted, *text, replace(failing, count=7, outputs=(saved,)), *below))
    return diagnose(replace(broken, case=replace(broken.case, notebook=notebook)))


def judge(found: Diagnosis) -> str:
    reason = found.skip_reason.value if found.skip_reason is not None else ""
    return reason or ("offered" if found.may_be_meant else "healed")


@pytest.mark.parametrize(
    ("judgement", "above", "cells"),
    [
        ("healed", "", ["total = 3", "totl + 1"]),
        ("healed", "", ["name = 'ann'", "name.uper()"]),
        ("healed", "", ["sum([1, 2]"]),
        ("healed", "Wrong values cannot be used, so only the first is taken.", ["total = 3", "totl + 1"]),
        ("healed", "## Errors of the model\nNow we print the errors.", ["errors = [1.5]", "sum(errors"]),
        ("healed", "The mean absolute error", ["total = 3", "totl + 1"]),
        ("healed", "Why do I get an error here?", ["total = 3", "totl + 1"]),
        ("offered", "", ["age = 3", "'age: ' + age"]),
        ("offered", "", ["xs = [1, 2]", "xs[2]"]),
        ("offered", "", ["t = (1, 2)", "t.append(3)"]),
        ("offered", "", ["counts = {}", "counts['a'] += 1"]),
        ("deliberate", "Misspelt names are an error:", ["total = 3", "totl + 1"]),
        ("deliberate", "Case matters.", ["total = 3", "Total + 1"]),
        ("deliberate", "# Debugging\nMend it.", ["total = 3", "for i in [1]:\n    totl += i\nprint(total)"]),
        ("deliberate", "Klammern müssen stimmen, sonst kommt eine Fehlermeldung.", ["sum([1, 2]"]),
        ("deliberate", "Only some objects are iterable.", ["sum(3)"]),
        ("deliberate", "", ["1 / 0"]),
        ("deliberate", "", ["x = 1", "del x", "x"]),
        ("deliberate", "", ["t = (1, 2)", "t[0] = 3"]),
        ("deliberate", "", ["undefined_name + 1"]),
        ("deliberate", "", ["def take(n):\n    if n > 9:\n        raise ValueError('too many')", "take(10)"]),
    ],
)  # fmt: skip
def test_a_saved_error_is_left_alone_where_something_says_that_it_is_shown(
    bench: Bench, judgement: str, above: str, cells: list[str]
) -> None:
    found = diagnose_saved(bench, *cells, above=above)
    assert judge(found) == judgement


@pytest.mark.parametrize(
    ("judgement", "below"),
    [
        ("deliberate", "total + 1"),
        ("deliberate", "try:\n    totl + 1\nexcept NameError:\n    print('no')"),
        ("healed", "total * 2 - 5"),
    ],
)
def test_a_cell_that_does_it_rightly_below_says_that_the_failing_one_is_done_with(
    bench: Bench, judgement: str, below: str
) -> None:
    found = diagnose_saved(bench, "total = 3", "totl + 1", below=(replace(LATER, source=below),))
    assert judge(found) == judgement


@pytest.mark.parametrize(
    ("failing", "other", "is_one"),
    [
        ("df.group_by('a').sum()", "df.groupby('a').sum()", True),
        ("df.groupby['a'].sum()", "df.groupby('a').sum()", True),
        ("'a' + 2", "'a' + str(2)", True),
        ("df['c'] = df['a'] + df['d']", "df['c'] = df['a'] + df['b']", True),
        ("if x:\nprint(x)", "if x:\n    print(x)", True),
        ("df.haed()", "df.describe()", False),
        ("df['prices'].mean()", "df['price'].max()", False),
        ("xs[3]", "xs[0]", False),
        ("x", "x = 3", False),
    ],
)
def test_a_repetition_differs_by_a_slip_alone(failing: str, other: str, is_one: bool) -> None:
    assert is_repetition(failing, other) is is_one


def test_the_last_cell_of_all_is_left_alone_only_where_a_sign_says_so(bench: Bench) -> None:
    assert judge(diagnose_saved(bench, "total = 3", "totl + 1", above="This is an error:", below=())) == "deliberate"
    assert judge(diagnose_saved(bench, "total = 3", "totl + 1", below=())) == "healed"


@pytest.mark.parametrize(
    ("judgement", "cells", "stored", "below"),
    [
        ("deliberate", ["text = 'let's learn'"], "invalid syntax (<ipython-input-7-1f>, line 1)", "text = \"let's learn\""),
        ("deliberate", ["print('a)"], "EOL while scanning string literal (<ipython-input-7-1f>, line 1)", "print('a')"),
        ("deliberate", ["if 1:\nprint(2)"], "expected an indented block (<ipython-input-7-1f>, line 2)", "if 1:\n    print(2)"),
        ("healed", ["print('a)"], "EOL while scanning string literal (<ipython-input-7-1f>, line 1)", "print('b', end='')"),
    ],
)  # fmt: skip
def test_what_does_not_parse_is_the_same_error_in_the_words_of_an_older_python(
    bench: Bench, judgement: str, cells: list[str], stored: str, below: str
) -> None:
    saved = Output("error", ename="SyntaxError", evalue=stored)
    assert judge(diagnose_saved(bench, *cells, below=(replace(LATER, source=below),), saved=saved)) == judgement


def save_as_colab(ename: str, message: str) -> Output:
    """An error as Google Colab stored it: the message stands in the traceback alone."""
    last = f"\x1b[0;31m{ename}\x1b[0m: {message}"
    return Output(
        "error", ename=ename, evalue="ignored", traceback=(f"{ename}  Traceback (most recent call last)", last)
    )


@pytest.mark.parametrize(
    ("judgement", "cells", "saved"),
    [
        ("offered", ["t = (1, 2)", "t.append(3)"], save_as_colab("AttributeError", "'tuple' object has no attribute 'append'")),
        ("deliberate", ["undefined_name + 1"], save_as_colab("NameError", "name 'undefined_name' is not defined")),
        ("healed", ["total = 3", "totl + 1"], save_as_colab("NameError", "name 'totl' is not defined")),
        ("healed", ["t = (1, 2)", "t.append(3)"], save_as_colab("AttributeError", "module 'math' has no attribute 'sqr'")),
        ("healed", ["t = (1, 2)", "t.append(3)"], Output("error", ename="AttributeError", evalue="ignored")),
    ],
)  # fmt: skip
def test_an_error_that_colab_stored_is_read_from_its_traceback(
    bench: Bench, judgement: str, cells: list[str], saved: Output
) -> None:
    assert judge(diagnose_saved(bench, *cells, saved=saved)) == judgement


TELL = "def tell(name, age):\n    return name + str(age + 1)"


@pytest.mark.parametrize(
    ("judgement", "cells"),
    [
        ("deliberate", ["total = 3", "total + 1", "Total + 1"]),
        ("deliberate", [TELL, "tell('ann', 3)", "tell(3, 'ann')"]),
        ("healed", ["total = 3", "total * 2", "Total + 1"]),
        ("healed", ["total = 3", "total + 1", "totl + 1"]),
        ("offered", [TELL, "tell('bob', 4)", "tell(3, 'ann')"]),
    ],
)
def test_a_cell_above_that_does_the_same_in_another_order_or_case_says_that_the_error_is_shown(
    bench: Bench, judgement: str, cells: list[str]
) -> None:
    assert judge(diagnose_saved(bench, *cells)) == judgement


LONG = "a = 1\nb = a + 1\nc = a + b\nprint(a, b, c)"


@pytest.mark.parametrize(
    ("judgement", "above", "failing"),
    [
        ("deliberate", "We got a <b>Name Error:</b> a function's names are its own.", f"{LONG}\nprint(totl)"),
        ("deliberate", "Now a `NameError` comes up.", f"{LONG}\nprint(totl)"),
        ("healed", "Why do I get a NameError?", f"{LONG}\nprint(totl)"),
        ("healed", "Texts give a `TypeError`.", f"{LONG}\nprint(totl)"),
        ("healed", "Now a `NameError` comes up.", f"{LONG}\nprint(totl)\nd = 3"),
    ],
)
def test_a_text_that_names_the_error_says_so_of_a_long_cell_too(
    bench: Bench, judgement: str, above: str, failing: str
) -> None:
    assert judge(diagnose_saved(bench, "total = 3", failing, above=above)) == judgement


def test_an_error_that_jupyterlite_stored_is_known_by_its_class(bench: Bench) -> None:
    saved = Output("error", ename="<class 'TypeError'>", evalue="'int' object is not iterable")
    assert judge(diagnose_saved(bench, "sum(3)", above="Only some objects are iterable.", saved=saved)) == "deliberate"
    other = replace(saved, ename="<class 'ValueError'>", evalue="too many")
    assert judge(diagnose_saved(bench, "sum(3)", above="Only some objects are iterable.", saved=other)) == "healed"
