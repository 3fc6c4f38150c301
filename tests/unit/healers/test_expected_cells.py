"""Cells of which somebody expects something are no exercises and no texts: a slip in them is healed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Oracle, SkipReason
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose


@pytest.mark.parametrize(
    ("cell", "stdout", "reason"),
    [
        ("name = 'AK'print('Hi', name)\n# write your code below", "Hi AK", None),
        ("name = 'AK'print('Hi', name)\n# write your code below", "", SkipReason.SKELETON),
        ("x = 1\ndef f(x):\n    # your code here\n", "1", SkipReason.SKELETON),
        ("# your code here\nx = ___ 3", "3", SkipReason.SKELETON),
    ],
    ids=["a slip, and what is expected", "nothing is expected", "nothing is written there", "a hole"],
)
def test_code_above_an_open_place_is_healed_where_somebody_said_what_it_must_give(
    bench: Bench, cell: str, stdout: str, reason: SkipReason
) -> None:
    broken = bench.fail(cell)
    case = replace(broken.case, oracle=Oracle(stdout=stdout))
    assert diagnose(replace(broken, case=case)).skip_reason == reason


@pytest.mark.parametrize(
    ("cell", "stdout", "reason"),
    [
        ("total = 3 print(total)", "3", None),
        ("this is a note that somebody wrote into a code cell", "", SkipReason.NOT_PYTHON),
        ("SELECT name FROM products;", "3", SkipReason.NOT_PYTHON),
        ("values <- c(1, 2)\nmean(values)", "3", SkipReason.NOT_PYTHON),
    ],
)
def test_what_somebody_expects_something_of_is_no_text(
    bench: Bench, cell: str, stdout: str, reason: SkipReason | None
) -> None:
    broken = bench.fail(cell)
    case = replace(broken.case, oracle=Oracle(stdout=stdout))
    assert diagnose(replace(broken, case=case)).skip_reason == reason


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("low = min([3, 1], key=lambda v -> v)\nprint('Low:', low", None),
        ("total = 3 +* 4", None),
        ("# who is young\ndata[data['age] < 30]['name']", None),
        ("data.loc['a, 'b']\ndata['c'].mean() +* 2", None),
        ("as shown in figure [3], this is\na note, see the docs", SkipReason.NOT_PYTHON),
        ("total = 3 +* 4;", None),  # one line of a cell may end so
        ("x = 5;\ny = = len([x]);", None),  # each line ends so, and one calls what is Python's alone
        ("print('y ~ x'\nprint('[1; 2]' x)", None),  # a text is no sign
        ("seen = table[~ known &* 2]", None),
        ("print(not ~known &* 2)", None),
        ("total = start +* end", None),
        ("d = dict(a=1 +,\n)\ne = {\n}", None),
        ("xs = [1 2 3]", None),
        ("prices['area'].map(lambda v: v * 2 if v > 3)", None),
        ("if x => 3:\n    y = = 2", None),
        ("switch day:\n    case MON:\n        print('Mo')\n    default:\n        print('?')", None),
        (
            "switch (day) {\n    case 1:\n        x = 2;\n        break;\n    default:\n        x = 3;\n}",
            SkipReason.NOT_PYTHON,
        ),
        ("A = [1 2 3];\nB = [4 5; 6 7];\nC = [1 2];", SkipReason.NOT_PYTHON),
        ("A = [1 2; 3 4];\nb = A';\ndisp(A*b)\nx = linspace(0, 1, 5)';", SkipReason.NOT_PYTHON),
        ("x = c(1, 2, 3)\ny = x^2 + 3x\nplot(x ~ y)\nm = lm(y ~ x, data=d)", SkipReason.NOT_PYTHON),
        ("y = x^2 + 3x", SkipReason.NOT_PYTHON),
        ("plot(x ~ y)", SkipReason.NOT_PYTHON),
        ("console.log('x');\nlet y = 3;\nvar z = {a: 1};\nz.foo(function(x) { return x; });", SkipReason.NOT_PYTHON),
        ("SELECT(a, b) FROM t", SkipReason.NOT_PYTHON),
        ("x = if a then b else c end", SkipReason.NOT_PYTHON),
        ("gzip $HOME/data/*.csv and\nthen (cd data; ls) done", SkipReason.NOT_PYTHON),
        ("x = $HOME/data/*.csv ;;", SkipReason.NOT_PYTHON),
        ("see the table (page 3) for more of them", SkipReason.NOT_PYTHON),
    ],
)
def test_lines_that_set_a_name_or_call_something_are_python(bench: Bench, cell: str, reason: SkipReason | None) -> None:
    assert diagnose(bench.fail(cell)).skip_reason == reason
