"""What `%heal why` says: free, from the failure and the live values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.model import (
    Candidate,
    Case,
    Cell,
    Ending,
    Failure,
    FailureKind,
    Frame,
    Isolation,
    Notebook,
    Patch,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.surfaces.live import explanation


def explain(
    source: str, names: dict[str, Any], *, above: tuple[str, ...] = (), ename: str = "", evalue: str = ""
) -> str:
    line = len(source.splitlines())
    cells = (*(Cell(f"a{n}", text, runs=n + 1) for n, text in enumerate(above)), Cell("c", source))
    failure = Failure("c", source, ename=ename, evalue=evalue, line=line, statement=line - 1)
    return "\n".join(explanation.explain_failure(Case(failure, Notebook(cells, shows_runs=True)), names))


def test_values_are_described_with_the_cell_that_made_them() -> None:
    text = explain("total = price + tax", {"price": "1,200", "tax": 3}, above=("price = read()", "tax = 3"))
    assert "`price` is the text '1,200', since cell [1]: `price = read()`" in text
    assert "`tax` is 3, since cell [2]: `tax = 3`" in text


@pytest.mark.parametrize(
    ("maker", "is_unfinished", "is_said"),
    [
        ("import seaborn\nplanets = seaborn.load_dataset('planets')", True, True),
        ("import seaborn\nplanets = seaborn.load_dataset('planets')", False, False),
        ("planet = 1 / 0", True, False),
        ("print(planets)", True, False),
    ],
)
def test_a_name_that_a_failed_cell_would_have_made_leads_there(maker: str, is_unfinished: bool, is_said: bool) -> None:
    cells = (Cell("m", maker, unfinished=is_unfinished), Cell("c", "planets.head()", unfinished=True))
    failure = Failure("c", "planets.head()", ename="NameError", evalue="name 'planets' is not defined", line=1)
    text = "\n".join(explanation.explain_failure(Case(failure, Notebook(cells, shows_runs=True)), {}))
    assert ("The cell `import seaborn` makes it, and failed: that one first." in text) is is_said


def test_shapes_that_do_not_fit_are_named_with_what_would() -> None:
    import numpy as np

    text = explain("C = A @ B", {"A": np.zeros((3, 4)), "B": np.zeros((3, 2))})
    assert "`A` is 3×4, `B` is 3×2; try `A.T @ B`" in text


def test_a_row_of_values_is_a_shape_too() -> None:
    import numpy as np

    text = explain("w @ x", {"w": np.zeros((5, 3)), "x": np.ones(5)})
    assert "`w` is 5×3, `x` is 5; try `w.T @ x`" in text
    assert "`x` is an array of 5 values, float64" in text


def test_a_single_number_of_numpy_is_told_as_a_number() -> None:
    import numpy as np

    text = explain("use(best, share)", {"best": np.int64(40), "share": np.float64(0.5)})
    assert "`best` is 40" in text
    assert "`share` is 0.5" in text


def test_the_position_that_was_asked_for_is_said_with_what_there_is() -> None:
    names = {"levels": [2, 4, 8], "k": 2, "none": []}
    text = explain("levels[k + 1] / levels[k]", names, ename="IndexError", evalue="list index out of range")
    assert "`levels[k + 1]` asks for position 3 of `levels`; its last one is 2." in text
    assert "`levels[k]` asks" not in text
    assert "asks" not in explain("levels[k.real]", names, ename="IndexError", evalue="list index out of range")
    empty = explain("none[0]", names, ename="IndexError")
    assert "`none` is empty: look at what fills it." in empty
    assert "asks for position" not in empty, "that it is empty is said once"


def test_keys_and_columns_that_are_there_are_listed() -> None:
    import pandas as pd

    text = explain("d['c'] + t['x']", {"d": {"a": 1, "b": 2}, "t": pd.DataFrame({"price": [1]})})
    assert "a dictionary with the keys 'a', 'b'" in text
    assert "a table of 1×1 with the column 'price'" in text


def test_the_list_that_is_empty_is_said() -> None:
    assert "`items` is empty" in explain("max(items)", {"items": []})


def test_files_near_the_one_that_is_missing_are_listed(tmp_path: Path) -> None:
    for name in ("sales_2024.csv", "notes.txt"):
        (tmp_path / name).touch()
    missing = tmp_path / "sales_2042.csv"
    text = explain(
        "f = open(p)", {}, ename="FileNotFoundError", evalue=f"[Errno 2] No such file or directory: '{missing}'"
    )
    assert "'sales_2024.csv'" in text
    assert "notes" not in text


class Loud:
    """An object of the user's: nothing of it may run."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(name)

    def __len__(self) -> int:
        raise AssertionError("len")


def test_nothing_of_the_users_runs() -> None:
    assert "`x` is a Loud" in explain("x @ x", {"x": Loud()})


@pytest.mark.parametrize("source", ["for i in range(:", "%%bash\nls", ""])
def test_what_cannot_be_read_is_left_out(source: str) -> None:
    assert explain(source, {"i": 1}, ename="SyntaxError", evalue="invalid syntax")


def test_a_value_is_followed_back_cell_by_cell() -> None:
    names = {"total": "1,200", "prices": ["1,200"], "row": {"price": "1,200"}}
    above = ("row = load()", "prices = [row['price']]", "total = max(prices)\nprices.append('3')")
    lines = explain("total * 1.2", names, above=above).splitlines()
    told = [line for line in lines if line.startswith("  ")]
    assert [len(line) - len(line.lstrip()) for line in told] == [2, 4, 6]
    assert told[0].strip().startswith("`total` is the text '1,200', since cell [3]: `total = max(prices)`")
    assert told[1].endswith("since cell [2]: `prices = [row['price']]`; changed in cell [3]")
    assert told[2].endswith("since cell [1]: `row = load()`")


@pytest.mark.parametrize(
    ("failed", "told"), [("prices.append({'shop': 1}, True)", False), ("prices.append('3')\nprices.add(4)", True)]
)
def test_a_cell_that_failed_at_its_only_statement_changed_nothing(failed: str, told: bool) -> None:
    cells = (Cell("a", "prices = ['1']", runs=1), Cell("b", failed, unfinished=True), Cell("c", "prices[7]"))
    case = Case(Failure("c", "prices[7]", ename="IndexError", line=1, statement=1), Notebook(cells, shows_runs=True))
    assert ("; changed in cell" in "\n".join(explanation.explain_failure(case, {"prices": ["1", "3"]}))) is told


def test_a_column_of_texts_is_named_with_the_cell_that_read_it() -> None:
    import pandas as pd

    table = pd.DataFrame({"price": ["3", "1,200"], "n": [1, 2]})
    text = explain("df['price'] = df['price'] * 1.2 + df['n']", {"df": table}, above=("df = pd.read_csv('p.csv')",))
    assert text.count("its column `price` holds text, where `read_csv` read '1,200'") == 1
    assert "column `n`" not in text


def test_a_name_that_the_failing_cell_made_above_the_line_comes_from_there() -> None:
    text = explain("x = 3\nfor item in [1, 'a']:\n    x + item", {"x": 3, "item": "a"}, above=("x = 9",))
    assert "`x` is 3, since this cell: `x = 3`" in text
    assert "`item` is the text 'a', since this cell: `for item in [1, 'a']:`" in text


@pytest.mark.parametrize("value", ["sk-proj-a1b2c3d4e5f6g7h8i9j0", "postgres://me:pass@host/db"])
def test_what_may_be_a_secret_is_not_shown(value: str) -> None:
    assert value not in explain("use(x)", {"x": value})
    assert "hunter2" not in explain("use(db_password)", {"db_password": "hunter2"})


def test_values_inside_the_failing_function_are_told() -> None:
    source = "def mean(xs):\n    return sum(xs) / len(xs)\nmean([])"
    shared: dict[str, Any] = {}
    try:
        exec(compile(source, "cell", "exec"), shared)
    except ZeroDivisionError as error:
        frames = (
            Frame("cell", 3, "<module>", "mean([])", "c"),
            Frame("cell", 2, "mean", "return sum(xs) / len(xs)", "c"),
        )
        failure = Failure("c", source, ename="ZeroDivisionError", evalue="division by zero", line=3, frames=frames)
        text = "\n".join(explanation.explain_failure(Case(failure, Notebook((Cell("c", source),))), shared, error))
    assert "A number was divided by zero." in text
    assert "`xs` is an empty list" in text
    assert "`xs` is empty: look at what fills it." in text


@pytest.mark.parametrize(
    ("ename", "evalue", "said"),
    [
        ("NameError", "name 'prise' is not defined", "`prise` has no value yet"),
        ("TypeError", "argument of type 'int' is not iterable", "`in` can't look into a whole number."),
        ("TypeError", "argument of type 'int' is not a container or iterable", "`in` can't look into a whole number."),
        ("TypeError", "object int can't be used in 'await' expression", "`await` was given a whole number."),
        ("TypeError", "'int' object can't be awaited", "`await` was given a whole number."),
        ("TypeError", "'list' object does not support the context manager protocol (missed __exit__ method)", "`with` does not work with a list."),
        ("TypeError", "cannot use 'list' as a dict key (unhashable type: 'list')", "A list can change, and so is no key"),
        ("ValueError", "math domain error", "a number for which it has no value"),
        ("ValueError", "expected a nonnegative input, got -4.0", "a number for which it has no value"),
        ("ValueError", "expected a file of this kind", "The cell stopped with ValueError: expected a file of this kind."),
        ("ValueError", "day is out of range for month", "There is no such date or time."),
        ("ValueError", "day 30 must be in range 1..29 for month 2 in year 2020", "There is no such date or time."),
        ("TypeError", 'can only concatenate str (not "int") to str', "You can't add text and a whole number."),
        ("TypeError", "unsupported operand type(s) for +: 'int' and 'str'", "`+` does not work between a whole number and text."),
        ("AttributeError", "'list' object has no attribute 'push'", "A list has no `.push`."),
        ("KeyError", "'aple'", "There is no key or column 'aple'."),
        ("ValueError", "could not convert string to float: '1,200'", "The text '1,200' cannot be read as a number."),
        ("IndexError", "index 3 is out of bounds for axis 0 with size 3", "the last one is 2"),
        ("KeyError", "'Column not found: amout'", "There is no column 'amout'."),
        ("KeyError", "\"['x', 'y'] not in index\"", "There is no column 'x', 'y'."),
        ("KeyError", "\"None of [Index(['x', 'y'], dtype='str')] are in the [columns]\"", "None of these columns is there: 'x', 'y'."),
        ("AttributeError", "'Account' object has no attribute 'ownr'", "An `Account` has no `.ownr`."),
        ("TypeError", "'ky' is an invalid keyword argument for sort()", "`sort` has no option named `ky`."),
        ("AttributeError", "Line2D.set() got an unexpected keyword argument 'colour'", "`Line2D.set` has no option named `colour`."),
        ("ValueError", "Expected 2D array, got 1D array instead:\narray=[1.]", "A table (rows and columns) was expected"),
        ("OwnError", "no such luck", "The cell stopped with OwnError: no such luck"),
    ],
)  # fmt: skip
def test_what_failed_is_one_plain_sentence(ename: str, evalue: str, said: str) -> None:
    assert said in explain("f(x)", {}, ename=ename, evalue=evalue).splitlines()[0]


def test_a_syntax_error_is_told_without_the_file_that_ipython_made_up() -> None:
    said = "invalid syntax. Perhaps you forgot a comma? (887749457.py, line 1)"
    failure = Failure("c", "[1, 2 3]", FailureKind.SYNTAX, "SyntaxError", said, line=1)
    assert failure.headline == "SyntaxError: invalid syntax. Perhaps you forgot a comma?"
    first = next(explanation.explain_failure(Case(failure, Notebook((Cell("c", "[1, 2 3]"),))), {}))
    assert first == "Python cannot read line 1: invalid syntax. Perhaps you forgot a comma?"
    failure = Failure(
        "c", "np.float_(3)", ename="AttributeError", evalue="`np.float_` was removed. Use `np.float64` instead."
    )
    assert failure.headline.endswith("Use `np.float64` instead"), "more follows it on a card"
    failure = Failure("c", "f(x)", ename="ValueError", evalue="Expected 2D array, got 1D array instead:\narray=[1.]")
    assert failure.headline == "ValueError: Expected 2D array, got 1D array instead"


def test_the_variable_of_a_comprehension_is_not_the_global_of_that_name() -> None:
    text = explain("max(i * k for i in xs)", {"i": 7, "k": 2, "xs": [1]}, above=("i = 7", "k = 2", "xs = [1]"))
    assert "`k` is 2" in text
    assert "`i` is" not in text
    assert "`Model`" not in explain("Model().fit(k)", {"Model": type("Model", (), {}), "k": 2})


def test_a_hint_says_where_and_not_what() -> None:
    failure = Failure("c", "a = 1\nprint(prise)", ename="NameError", evalue="name 'prise' is not defined", line=2)
    patch = Patch((Replace("c", failure.source, "a = 1\nprint(price)"),), "Change `prise` to `price`")
    candidate = Candidate(
        patch, Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake")), Verdict(patch.id, 7, True)
    )
    hint = explanation.hint_at_fix(candidate, failure)
    assert "line 2" in hint
    assert "price" not in hint
    assert "Next time: After a restart" in "\n".join(explanation.explain_fix(candidate, failure))
    imported = replace(candidate, patch=replace(patch, rule="IMP101"))
    assert "Next time: Put all imports into the first cell." in explanation.explain_fix(imported, failure)
