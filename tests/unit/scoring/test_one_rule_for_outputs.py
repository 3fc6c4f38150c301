"""The one rule for outputs: the same, another form of the same value, or another value."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Cell, Output
from jupyter_selfheal.scoring.comparison import Match
from jupyter_selfheal.scoring.output_values import parse_value
from jupyter_selfheal.scoring.stored import compare


def result(value: str, page: str = "") -> Output:
    return Output("execute_result", data={"text/plain": value} | ({"text/html": page} if page else {}))


def printed(value: str) -> Output:
    return Output("stream", name="stdout", text=value)


def match(stored: str | Output, now: str | Output, source: str = "f(x)") -> Match:
    one, other = (o if isinstance(o, Output) else result(o) for o in (stored, now))
    return compare(Cell("a", source, outputs=(one,)), (other,)).match


FRAME = "     name  size\n0    Ada    12\n1  Grace     7"
PAGE = "<table><tr><th></th><th>a</th></tr><tr><th>0</th><td>{}</td></tr></table>"

OLD_REPORT = """             precision    recall  f1-score   support

          a       0.97      0.99      0.98       234
          b       0.83      0.62      0.71        16

avg / total       0.96      0.97      0.96       250
"""
REPORT = """              precision    recall  f1-score   support

           a       0.97      0.99      0.98       234
           b       0.83      0.62      0.71        16

    accuracy                           0.97       250
   macro avg       0.90      0.81      0.85       250
weighted avg       0.96      0.97      0.96       250
"""
SHARE = "    accuracy                           0.97 "
MICRO = "   micro avg       0.97      0.97      0.97 "
TEXTS = "<StringArray>\n['M', 'B', nan]\nLength: 3, dtype: str"
DUMMIES = "   n  sex_f  sex_m\n0  5      1      0\n1  7      0      1"
TRUTHS = "   n  sex_f  sex_m\n0  5   True  False\n1  7  False   True"

REGRESSION = """                            OLS Regression Results
==============================================================================
Dep. Variable:                    mpg   R-squared:                       0.606
Method:                 Least Squares   F-statistic:                     599.7
Date:                Tue, 25 Jul 2017   Prob (F-statistic):           7.03e-81
Time:                        22:41:45   Log-Likelihood:                -1178.7
==============================================================================
                 coef    std err          t      P>|t|      [95.0% Conf. Int.]
------------------------------------------------------------------------------
power         -0.1578      0.006    -24.489      0.000        -0.171    -0.145
==============================================================================

Warnings:
[1] Standard Errors assume that the covariance matrix of the errors is correctly specified.
"""
REGRESSION_NOW = (
    REGRESSION.replace("Tue, 25 Jul 2017", "Tue, 01 Dec 2026")
    .replace("[95.0% Conf. Int.]", "[0.025      0.975]")
    .replace("Warnings:", "Notes:")
)

SAME = [
    (REGRESSION, REGRESSION_NOW),
    ("0.30000000000000004", "0.3"),
    ("1.0000000000000002", "1.0"),
    ("1e-05", "0.00001"),
    ("np.float64(2.5)", "2.5"),
    ("[np.int64(1), np.int64(2)]", "[1, 2]"),
    ("(np.True_, np.False_)", "(True, False)"),
    ("array([ 0.5,  1. ])", "array([0.5, 1. ])"),
    ("array([[1, 2],\n       [3, 4]])", "array([[1, 2], [3, 4]])"),
    (FRAME, "    name   size\n0   Ada     12\n1  Grace     7"),
    ("0    1\n1    2\ndtype: int64", "0    1\n1    2\ndtype: int32"),
    ("0    a\ndtype: object", "0    a\ndtype: str"),
    ("<__main__.Point object at 0x7f3a5c2d1e18> 3", "<__main__.Point object at 0x7fb11d2d1e18> 3"),
    ("<function f at 0x7f3a5c2d1e18>", "<function f at 0x7fb11d2d1e18>"),
    ("'a'", '"a"'),
    ("100%|█████| 10/10 [00:00<00:00, 5.1it/s]\n3", "100%|█████| 10/10 [00:01<00:00, 9.9it/s]\n3"),
    ("done 5 in 3.2 s", "done 5 in 7.9 s"),
    ("at 12:03:44 found 7", "at 09:55:01 found 7"),
    ("\x1b[31m5\x1b[0m apples", "5 apples"),
]

OLD_SUMMARY = """<class 'pandas.core.frame.DataFrame'>
RangeIndex: 2 entries, 0 to 1
Data columns (total 2 columns):
TV speed    2 non-null float64
name        1 non-null object
dtypes: float64(1), object(1)
memory usage: 112.0+ bytes
"""
SUMMARY = """<class 'pandas.DataFrame'>
RangeIndex: 2 entries, 0 to 1
Data columns (total 2 columns):
 #   Column    Non-Null Count  Dtype
---  ------    --------------  -----
 0   TV speed  2 non-null      float64
 1   name      1 non-null      str
dtypes: float64(1), str(1)
memory usage: 164.0 bytes
"""

FORM = [
    (printed(OLD_REPORT), printed(REPORT)),
    (printed(f"of all: 3\n{OLD_REPORT}"), printed(f"of all: 3\n{REPORT}")),
    (
        OLD_REPORT.replace(
            "avg / total ",
            "   micro avg       0.97      0.97      0.97       250\n   macro avg       0.90      0.81      0.85       250\nweighted avg",
        ),
        REPORT,
    ),
    (REPORT.replace(SHARE, MICRO), REPORT),
    ("array(['M', 'B', nan], dtype=object)", TEXTS),
    (printed("['M' 'B' nan]\n"), printed(f"{TEXTS}\n")),
    (DUMMIES, TRUTHS),
    (printed(f"{DUMMIES}\n\n[2 rows x 3 columns]\n"), printed(f"{TRUTHS}\n\n[2 rows x 3 columns]\n")),
    (
        "GridSearchCV(cv=5, error_score='raise', iid=True,\n       param_grid={'n_neighbors': [1, 3, 5]})",
        "GridSearchCV(cv=5, param_grid={'n_neighbors': range(1, 6, 2)})",
    ),
    ("   n  \\\n0  5   \n1  7   \n\n   sex_f  sex_m  \n0      1      0  \n1      0      1  ", TRUTHS),
    (printed(OLD_SUMMARY.replace("object\n", "uint8\n", 1)), printed(SUMMARY.replace("str\n", "bool\n", 1))),
    ("uint8      15\nint64       5\ndtype: int64", "bool     15\nint64     5\nName: count, dtype: int64"),
    ("{int64: ['n', 'k'], object: ['name']}", "{str: ['name'], int64: ['n', 'k']}"),
    (
        "{dtype('int64'): Index(['n', 'k'], dtype='object'), dtype('O'): Index(['name'],\n dtype='object')}",
        "{str: ['name'], int64: ['n', 'k']}",
    ),
    ("{'b', 'a'}", "{'a', 'b'}"),
    ("{3, 1, 2}", "{1, 2, 3}"),
    ("set([1, 2])", "{1, 2}"),
    ("frozenset({1, 2})", "frozenset({2, 1})"),
    ("{(1, 'x'), (2, 'y')}", "{(2, 'y'), (1, 'x')}"),
    ("{'b': 1, 'a': 2}", "{'a': 2, 'b': 1}"),
    ("{'a': {2.0, 1}, 'b': []}", "{'b': [], 'a': {1, 2}}"),
    ("OrderedDict([('a', 1), ('b', 2)])", "OrderedDict({'a': 1, 'b': 2})"),
    ("Counter({'a': 2, 'b': 2})", "Counter({'b': 2, 'a': 2})"),
    ("defaultdict(<class 'int'>, {'b': 1, 'a': 2})", "defaultdict(<class 'int'>, {'a': 2, 'b': 1})"),
    ("dict_keys(['a', 'b'])", "['a', 'b']"),
    ("dict_keys(['b', 'a'])", "dict_keys(['a', 'b'])"),
    ("dict_items([('b', 1), ('a', 2)])", "dict_items([('a', 2), ('b', 1)])"),
    ("array([1, 2], dtype=int64)", "array([1, 2])"),
    ("array([], dtype=float64)", "array([])"),
    ("[np.str_('a'), np.datetime64('2020')]", "['a', datetime64('2020')]"),
    ("Int64Index([1, 2], dtype='int64')", "Index([1, 2], dtype='int64')"),
    ("Index(['a', 'b'], dtype='object')", "Index(['a', 'b'], dtype='str', name='k')"),
    ("Timestamp('2020-01-01 00:00:00', freq='D')", "Timestamp('2020-01-01 00:00:00')"),
    (
        "LogisticRegression(C=1.0, class_weight=None, dual=False,\n          multi_class='warn', tol=0.0001)",
        "LogisticRegression()",
    ),
    ("Ridge(alpha=2.0, copy_X=True, fit_intercept=True)", "Ridge(alpha=2)"),
    (
        "TimedeltaIndex(['1 days', '-1 days +02:00:00'], dtype='timedelta64[ns]', freq='H')",
        "TimedeltaIndex(['1 days 00:00:00', '-1 days +02:00:00'], dtype='timedelta64[us]', freq='h')",
    ),
    ("MultiIndex(levels=[['a', 'b'], [1, 2]],\n  labels=[[0, 1], [1, -1]])", "MultiIndex([('a', 2), ('b', nan)])"),
    ("Period('2016-01-01 23:00', 'H')", "Period('2016-01-01 23:00', 'h')"),
    ("Period('2016', 'A-DEC')", "Period('2016', 'Y-DEC')"),
    ("Period('2016-01-01 00:15', '15T')", "Period('2016-01-01 00:15', '15min')"),
    ("[u'a', 10L]", "['a', 10]"),
    ("<type 'int'>", "<class 'int'>"),
    ("<class 'pandas.core.frame.DataFrame'>", "<class 'pandas.DataFrame'>"),
    ("0    1\n1    2\nName: x, Length: 2, dtype: int64", "0    1\n1    2\ndtype: int64"),
    ("a    3\nb    2\nName: species, dtype: int64", "species\na    3\nb    2\nName: count, dtype: int64"),
    ("a    3\nb    1\nc    1\ndtype: int64", "a    3\nc    1\nb    1\ndtype: int64"),
    ("   a     b\n0  1  None\n1  2     x", "   a    b\n0  1  NaN\n1  2    x"),
    (
        "    a\n0   1\n1   2\n2   3\n..  ..\n7   8\n8   9\n9  10\n\n[10 rows x 1 columns]",
        "    a\n0   1\n1   2\n..  ..\n8   9\n9  10\n\n[10 rows x 1 columns]",
    ),
    ("   a  b  \\\n0  1  2   \n1  3  4   \n\n   c  \n0  5  \n1  6  ", "   a  b  c\n0  1  2  5\n1  3  4  6"),
    (printed(OLD_SUMMARY), printed(SUMMARY)),
    (printed("seen: {'b', 'a'} of 2\n"), printed("seen: {'a', 'b'} of 2\n")),
    (printed("n.py:3: FutureWarning: this will go\n  old()\n42\n"), printed("42\n")),
    (
        printed(
            'Traceback (most recent call last):\n  File "n.py", line 3, in f\n    g(1)\nTypeError: bad operand\n7\n'
        ),
        printed(
            'Traceback (most recent call last):\n  File "m.py", line 9, in f\n    g(1)\n    ~^^^\nTypeError: unsupported\n7\n'
        ),
    ),
    (printed("('rows', 3)\n('\\n train', (3L, 2L))\nend\n"), printed("rows 3\n\n train (3, 2)\nend\n")),  # Python 2
    (printed("/Users/bob/work/data.csv has 3 rows\n"), printed("/home/ann/data.csv has 3 rows\n")),
    (result("a   1 wide", PAGE.format(1.0)), result("another text", PAGE.format(1))),
]

VALUE = [
    (REGRESSION, REGRESSION.replace("599.7", "612.4")),
    (REGRESSION, REGRESSION.replace("-0.1578", "-0.1612")),
    ("Date:     Tue, 25 Jul 2017", "Date:     Wed, 26 Jul 2017"),
    ("Warnings: 3 lines", "Notes: 3 lines"),
    ("uint8      15\nint64       5\ndtype: int64", "bool     14\nint64     6\nName: count, dtype: int64"),
    ("uint8      15\nint64       5\ndtype: int64", "float64     15\nint64     5\nName: count, dtype: int64"),
    ("{dtype('int64'): ['n', 'k'], dtype('O'): ['name']}", "{str: ['name', 'k'], int64: ['n']}"),
    ("{dtype('int64'): ['n', 'k'], dtype('O'): ['name']}", "{str: ['name'], float64: ['n', 'k']}"),
    ("30", "20"),
    ("3.14", "3.15"),
    ("-5", "5"),
    ("1000000", "1000001"),
    ("[1, 2]", "[2, 1]"),
    ("[1, 2]", "(1, 2)"),
    ("{1, 2}", "{1, 3}"),
    ("{'a': 1}", "{'a': 2}"),
    ("{'a': 1}", "{'b': 1}"),
    ("'yes'", "'no'"),
    ("dict_keys(['a', 'b'])", "dict_keys(['a', 'c'])"),
    ("dict_keys(['b', 'a'])", "['a', 'b']"),
    ("dict_values([1, 2])", "dict_values([2, 1])"),
    ("None", "0"),
    ("True", "False"),
    ("array([1, 2])", "array([1, 3])"),
    ("array([1, 2])", "array([1, 2, 3])"),
    (FRAME, FRAME.replace("12", "13")),
    (FRAME, FRAME.replace("Grace", "Alan")),
    (FRAME, "\n".join([FRAME.splitlines()[0], *reversed(FRAME.splitlines()[1:])])),
    ("a    3\nb    2\ndtype: int64", "a    2\nb    3\ndtype: int64"),
    ("    a\n0   1\n..  ..\n9  10\n\n[10 rows x 1 columns]", "    a\n0   1\n..  ..\n9  10\n\n[12 rows x 1 columns]"),
    ("    a\n0   1\n1   2\n..  ..\n9  10\n\n[10 rows x 1 columns]", "    a\n0   1\n1   3\n..  ..\n9  10\n\n[10 rows x 1 columns]"),
    (printed(OLD_REPORT), printed(REPORT.replace("0.62", "0.68"))),
    (printed(OLD_REPORT), printed(REPORT.replace("weighted avg       0.96", "weighted avg       0.94"))),
    (printed("accuracy 0.97\n3\n"), printed("3\n")),
    (printed("('rows', 3)\n"), printed("rows 4\n")),
    (printed("('rows', 3)\n"), printed("('rows', 4)\n")),
    (printed(REPORT), printed(REPORT.replace("0.97       250\n   macro", "0.93       250\n   macro"))),
    (printed(REPORT), printed(REPORT.replace("macro avg       0.90", "macro avg       0.89"))),
    (REPORT.replace(SHARE, MICRO), REPORT.replace("0.97       250\n   macro", "0.93       250\n   macro")),
    ("array(['M', 'F', nan], dtype=object)", TEXTS),
    (printed("['M' 'F' nan]\n"), printed(f"{TEXTS}\n")),
    (DUMMIES, TRUTHS.replace("True", "False")),
    (printed("1\n0\n"), printed("True\nFalse\n")),
    ("1", "True"),
    ("{'k': [1, 3, 5]}", "{'k': range(1, 5, 2)}"),
    ("{'k': [1, 3, 5]}", "{'k': range(0)}"),
    ("{'k': (0, 1)}", "{'k': range(2)}"),
    ("{'k': [0]}", "{'k': span(1)}"),
    ("Ridge(alpha=2.0)", "Ridge(alpha=3.0)"),
    ("Ridge(alpha=2.0)", "Lasso(alpha=2.0)"),
    ("Timestamp('2020-01-01 00:00:00')", "Timestamp('2021-01-01 00:00:00')"),
    ("TimedeltaIndex(['1 days'], freq='D')", "TimedeltaIndex(['2 days 00:00:00'], freq='D')"),
    ("MultiIndex(levels=[['a', 'b'], [1, 2]], labels=[[0, 1], [1, 0]])", "MultiIndex([('a', 1), ('b', 2)])"),
    ("Period('2016Q1', 'Q-DEC')", "Period('2016Q1', 'Q-JAN')"),
    ("Period('2016-01', 'M')", "Period('2016-01', '3M')"),
    ("Period('2016-01-01 23:00', 'H')", "Period('2016-01-01 22:00', 'h')"),
    (printed(OLD_SUMMARY), printed(SUMMARY.replace("1 non-null", "2 non-null"))),
    (printed(OLD_SUMMARY), printed(SUMMARY.replace("name ", "nick "))),
    (printed(OLD_SUMMARY), printed(SUMMARY.replace("2 entries, 0 to 1", "3 entries, 0 to 2"))),
    (printed("total: 30\n"), printed("total: 20\n")),
    (printed("the best model: ridge\n"), printed("the best model: lasso\n")),
    (printed("1\n2\n"), printed("1\n")),
    (printed("on 2020/01/02\n"), printed("on 2020/02/02\n")),
    (printed("seen: {'b', 'a'}\n"), printed("seen: {'c', 'a'}\n")),
    (result("a", PAGE.format(1)), result("b", PAGE.format(2))),
]  # fmt: skip


@pytest.mark.parametrize(("stored", "now"), SAME)
def test_what_changes_between_runs_is_the_same(stored: str, now: str) -> None:
    assert match(stored, now) is Match.SAME
    assert match(now, stored) is Match.SAME


def test_a_whole_number_is_not_the_decimal_that_a_division_gave() -> None:
    assert match("3.0", "3") is Match.FORM
    assert match(printed("mean 3.0 of 5\n"), printed("mean 3 of 5\n")) is Match.FORM
    assert match("3", "3.0") is Match.SAME, "Python 2 gave the one where Python 3 gives the other"
    assert match("[3. 5.]", "[3.0 5.0]") is Match.SAME
    assert match("3.00", "3.0") is Match.SAME
    assert match("3.25", "3.25000001") is Match.SAME


@pytest.mark.parametrize(("stored", "now"), FORM)
def test_another_form_of_the_same_value_is_no_other_value(stored: str | Output, now: str | Output) -> None:
    assert match(stored, now) is Match.FORM
    assert match(now, stored) is Match.FORM


@pytest.mark.parametrize(("stored", "now"), VALUE)
def test_another_value_is_not_taken_for_another_form(stored: str | Output, now: str | Output) -> None:
    assert match(stored, now) is Match.VALUE
    assert match(now, stored) is Match.VALUE


def test_what_is_not_stored_cannot_differ() -> None:
    assert match("", "5") is Match.NOT_ASKED
    assert match(Output("stream", name="stderr", text="a warning"), "5") is Match.NOT_ASKED
    assert match("5", "6", "# NBVAL_IGNORE_OUTPUT\nf(x)") is Match.NOT_ASKED


def test_how_alike_two_outputs_are_is_read_from_what_the_cell_computed() -> None:
    cell = Cell("a", "print('the total is', total)", outputs=(printed("the total is 30\n"),))
    assert compare(cell, (printed("the total is 20\n"),)).similarity == 0.0
    assert compare(cell, (printed("the total is 30\n"),)).similarity == 1.0


@pytest.mark.parametrize("text", ["", "not a value", "<object>", "a b", "__import__('os').system('x') + 1", "[1, 2"])
def test_what_is_no_value_is_not_read_as_one(text: str) -> None:
    assert parse_value(text) is None


def test_a_text_of_any_size_is_read_or_refused() -> None:
    deep = "[" * 5_000 + "]" * 5_000
    assert parse_value(deep) is None
    assert match(deep, deep + "1") is Match.VALUE
    assert match("9" * 5_000, "9" * 4_999 + "8") is Match.VALUE
    assert match("9" * 400, "9" * 399 + "8") is Match.VALUE
    assert match(f"[{'1' * 5_000}]", f"[{'1' * 5_000}, 2]") is Match.VALUE
    many = "{" + ", ".join(map(str, range(10_000))) + "}"
    assert match(many, "{" + ", ".join(map(str, reversed(range(10_000)))) + "}") is Match.FORM


@pytest.mark.parametrize(
    ("now", "source", "expected"),
    [
        ("b  5\na  4\nx  0\ny  0\ndtype: int64", "n.sort_values(ascending=False).head(4)", Match.FORM),
        ("b  5\na  4\nx  0\ny  0\ndtype: int64", "n.head(4)", Match.VALUE),
        ("b  5\nx  4\nc  0\nd  0\ndtype: int64", "n.sort_values(ascending=False).head(4)", Match.VALUE),
        ("b  5\na  4\nx  0\ny  1\ndtype: int64", "n.sort_values(ascending=False).head(4)", Match.VALUE),
    ],
)
def test_a_sorted_column_may_be_cut_among_equal_values(now: str, source: str, expected: Match) -> None:
    assert match("b  5\na  4\nc  0\nd  0\ndtype: int64", now, source) is expected


@pytest.mark.parametrize(
    ("now", "source", "expected"),
    [
        ("bad good\nDog 4.0 2.0\nCat 12.0 0.0\n", "t.groupby(kinds).sum()", Match.FORM),
        ("bad good\nDog 4.0 2.0\nCat 12.0 0.0\n", "t.groupby(kinds).agg('sum')", Match.FORM),
        ("bad good\nDog 4.0 2.0\nCat 12.0 0.0\n", "t.groupby(kinds).mean()", Match.VALUE),
        ("bad good\nDog 4.0 2.0\nCat 12.0 7.0\n", "t.groupby(kinds).sum()", Match.VALUE),
        ("bad good\nDog 4.0 2.0\nCat 0.0 0.0\n", "t.groupby(kinds).sum()", Match.VALUE),
        ("bad good\nDog 4.0 0.0\nCat 12.0 NaN\n", "t.groupby(kinds).sum()", Match.VALUE),
        ("bad good\nDog 4 2\nCat 12 0\n", "print(t.groupby(kinds).sum(), t.max())", Match.VALUE),
    ],
)
def test_the_sum_of_nothing_was_missing(now: str, source: str, expected: Match) -> None:
    assert match("bad good\nDog 4 2\nCat 12 NaN\n", now, source) is expected


DATES = """count                      93
unique                     31
top       2018-10-01 00:00:00
freq                        3
first     2018-10-01 00:00:00
last      2018-10-31 00:00:00
Name: date, dtype: object"""
DATES_NOW = """count                     93
mean     2018-10-16 00:00:00
min      2018-10-01 00:00:00
25%      2018-10-08 00:00:00
50%      2018-10-16 00:00:00
75%      2018-10-24 00:00:00
max      2018-10-31 00:00:00
Name: date, dtype: datetime64[us]"""


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (DATES_NOW, Match.FORM),
        (DATES_NOW.replace("10-31", "10-30"), Match.VALUE),
        (DATES_NOW.replace("min      2018-10-01", "min      2018-01-10"), Match.VALUE),
        (DATES_NOW.replace("93", "90"), Match.VALUE),
        (DATES_NOW.replace("Name: date", "Name: day"), Match.VALUE),
    ],
)
def test_dates_are_described_otherwise_since_pandas_2(now: str, expected: Match) -> None:
    assert match(DATES, now, "table.date.describe()") is expected
