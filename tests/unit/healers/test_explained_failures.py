"""Triage explains in words of the notebook what a failure in its code comes from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Cell, FailureKind
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose


@pytest.mark.parametrize(
    ("cause", "cells"),
    [
        ("`nobody_made_it` isn't defined anywhere in this notebook.", ["nobody_made_it(3)"]),
        (
            "`mean` exists only while the function `reckon` of cell 1 runs.",
            ["def reckon(v):\n    mean = sum(v) / len(v)\n    return mean", "reckon([1, 2])\nmean"],
        ),
        (
            "`mean` exists only while the function `reckon` of cell 1 runs.",
            ["class Sample:\n    def reckon(self, v):\n        mean = sum(v) / len(v)\n        return mean", "mean"],
        ),
        ("`word` isn't defined anywhere in this notebook.", ["def f(text):\n    return [word for word in text]", "word"]),
        ("`d` has 2 rows.", ["import pandas as pd\nd = pd.DataFrame({'a': [1, 2]})", "d.iloc[len(d)]"]),
        (
            "The times of `t` have a time zone in one table only.",
            [
                "import pandas as pd\nt = pd.date_range('2024', periods=2)\na, b = pd.DataFrame({'t': t}), pd.DataFrame({'t': t.tz_localize('UTC')})",
                "a.merge(b, on='t')",
            ],
        ),
        (
            "`X` holds 1 missing value, and `m.fit` takes none.",
            ["from sklearn.linear_model import LinearRegression\nm, X, y = LinearRegression(), [[1.0], [float('nan')]], [1, 2]", "m.fit(X, y)"],
        ),
        (
            "The LinearRegression was fitted on 1 columns, and gets 2 here.",
            ["from sklearn.linear_model import LinearRegression\nm = LinearRegression().fit([[1], [2]], [1, 2])", "m.predict([[1, 2]])"],
        ),
        (
            "What is to be predicted are numbers on a scale, and this is for classes.",
            ["from sklearn.tree import DecisionTreeClassifier", "DecisionTreeClassifier().fit([[1], [2]], [0.5, 1.7])"],
        ),
        (
            "`Square` lacks `area`, which its base class asks for.",
            ["from abc import ABC, abstractmethod\nclass Shape(ABC):\n    @abstractmethod\n    def area(self):\n        ...\nclass Square(Shape):\n    def perimeter(self):\n        return 4", "Square()"],
        ),
        (
            "The dataclass is frozen: `x` cannot be set once an object is made.",
            ["from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Point:\n    x: int", "Point(1).x = 2"],
        ),
        (
            "`balance` of `Account` is a property that can only be read.",
            ["class Account:\n    @property\n    def balance(self):\n        return 0", "Account().balance = 2"],
        ),
        (
            "`Ratio` has an `__eq__` and no `__hash__`, and can be no key and no member of a set.",
            ["class Ratio:\n    def __eq__(self, other):\n        return True", "{Ratio()}"],
        ),
        (
            "A function under `@contextmanager` gives way to the `with` block by `yield`, and this one has none.",
            ["from contextlib import contextmanager\n@contextmanager\ndef tag():\n    print('b')", "with tag():\n    print('bold')"],
        ),
        ("The text has a place for value 2, and `format` is given fewer values.", ["'{} is {}'.format('Ann')"]),
        ("`n` is 0 here.", ["rows = [(5, 0)]", "for k, n in rows:\n    k / n"]),
        ("`old` is empty.", ["old = [a for a in [1, 2] if a > 3]", "max(old)"]),
        (
            "There is no group `'East'`. The groups are `'North'`, `'West'`.",
            ["import pandas as pd\ng = pd.DataFrame({'r': ['West', 'North'], 'n': [1, 2]}).groupby('r')", "g.get_group('East')"],
        ),
        (
            "`s.id` is there already, and may come only once: the table itself asks for that.",
            ["import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('CREATE TABLE s(id INTEGER PRIMARY KEY)')",
             "db.executemany('INSERT INTO s VALUES (?)', [(1,), (1,)])"],
        ),
        (
            "A key of the right table comes in several rows, and `validate` says that it may not.",
            ["import pandas as pd\na, b = pd.DataFrame({'k': [1, 2]}), pd.DataFrame({'k': [1, 1]})", "a.merge(b, on='k', validate='1:1')"],
        ),
        ("`d` has no key `'Spain'`. Its only key is `'Italy'`.", ["d = {'Italy': 'Rome'}", "d['Spain']"]),
        ("`v` has 1 item, and item 4 is asked for.", ["v = [1]", "v[4]"]),
        ("`v` is a list: its items are counted from 0, and `'a'` is no number.", ["v = [1]", "v['a']"]),
        ("`f` is closed where its `with` block ends, in line 2.", ["with open('x.txt', 'w') as f:\n    f.write('a')\nf.write('b')"]),
        ("`f` is open for writing.", ["with open('x.txt', 'w') as f:\n    print(f.read())"]),
        ("The text `twelve` is no whole number.", ["int('twelve')"]),
        (
            "`rows` holds items of different shapes: `(2,)`, `(3,)`. Item 1 is the first that is not as item 0.",
            ["import numpy as np\nrows = [np.ones(2), np.ones(3)]", "np.array(rows)"],
        ),
        ("`v` has 2 items, and item 2 (`k`) is asked for.", ["import numpy as np\nv, k = np.ones(2), 2", "v[k]"]),
        ("Cell 2, which is the same as this one, has run already, and changed what both of them read.", ["d = ['a']", "d.remove('a')", "d.remove('a')"]),
        ("`d.head(1)` has no column `z`. It has `a`.", ["import pandas as pd\nd = pd.DataFrame({'a': [1]})", "d.head(1).sort_values(by='z')"]),
        (
            "`total` is 0.30000000000000004, and `0.3` is 0.3: fractions are rounded where they are stored.",
            ["total = 0.1 + 0.2", "assert total == 0.3"],
        ),
        (
            "`p.title = …` in cell 2 put a value in the place of the function `p.title`.",
            ["import types\np = types.ModuleType('p')\np.title = print", "p.title = 'A'", "p.title('B')"],
        ),
        ("`len(v)` is 3, and `4` was expected.", ["v = [1, 2, 3]", "assert len(v) == 4"]),
        ("`x` was deleted in cell 1.", ["x = 1\ndel x", "x + 1"]),
        ("`late` is first defined in cell 2, below this one.", ["late + 1", "late = 2"]),
        ("`price` was removed in cell 2.", ["d = {'price': 1}", "d.pop('price')", "d['price']"]),
        ("`m` is None: `re.search('a', 'b')` in cell 1 returned None.", ["import re\nm = re.search('a', 'b')", "m.group()"]),
        (
            "`v` was in both tables that were merged: it is `v_x` of the first one and `v_y` of the second.",
            ["import pandas as pd\na = pd.DataFrame({'id': [1], 'v': [2]})\nm = a.merge(a, on='id')", "m['v'] * 2"],
        ),
        (
            "The columns have different lengths: `names` 3, `ages` 2, `[1, 2, 3]` 3.",
            ["import pandas as pd\nnames, ages = list('abc'), [3, 4]", "pd.DataFrame({'name': names, 'age': ages, 'n': [1, 2, 3]})"],
        ),
        (
            "They have different lengths: `x` 3, `y[1:]` 1.",
            ["import matplotlib.pyplot as plt\nx, y = [1, 2, 3], [4, 5]", "plt.plot(x, y[1:])"],
        ),
        (
            "They have different lengths: `x` 3, `y` 2.",
            ["import numpy as np\nx, y = np.arange(3), np.arange(2)", "x.sum() + (x + y).sum()"],
        ),
        (
            "They have different lengths: `d` 3, `ages` 2.",
            ["import pandas as pd\nd, ages = pd.DataFrame({'n': [1, 2, 3]}), [4, 5]", "d['age'] = ages"],
        ),
        ("The pattern has 2 groups: there is no group 5.", ["import re\nm = re.match('(.)(.)', 'ab')", "m.group(5)"]),
        (
            "The pattern has 1 group, and none that is called `year`.",
            ["import re\nm = re.match('(.)', 'ab')", "m.group('year')"],
        ),
        ("The pattern has 2 groups: there is no group 3.", ["import re\nm = re.match('(.)(.)', 'ab')", "m.group(1, 3)"]),
        ("The pattern has 1 group: there is no group 2.", ["import re\nm = re.match('(?P<a>.)', 'ab')", "m.group('a', 0, 2)"]),
        (
            "They have different shapes: `a` (4, 3), `w` (2,).",
            ["import numpy as np\na, w = np.ones((4, 3)), np.ones(2)", "r = a * w"],
        ),
        (
            "They have different shapes: `a` (4, 3), `w` (4,).",  # the same length
            ["import numpy as np\na, w = np.ones((4, 3)), np.ones(4)", "r = 2 * (a - w)"],
        ),
        (
            "`np.diff(v)` has one value fewer than what it is made of, and `t` is as long as that.",
            ["import numpy as np, matplotlib.pyplot as plt\nt = np.arange(4)\nv = t * t", "plt.plot(t, np.diff(v))"],
        ),
        (
            "4 edges make 3 groups, and there are 2 labels.",
            ["import pandas as pd\nages = pd.Series([1, 7])", "pd.cut(ages, bins=[0, 5, 9, 20], labels=['a', 'b'])"],
        ),
        (
            "`s > 2` is 3 truth values, and one is asked for.",
            ["import pandas as pd\ns = pd.Series([1, 2, 3])", "if s > 2:\n    n = 1"],
        ),
        (
            "2 edges make 1 group, and there are 3 labels.",
            ["import pandas as pd\nages = pd.Series([1, 7])", "pd.cut(ages, bins=[0, 9], labels=['a', 'b', 'c'])"],
        ),
        (
            "4 edges make 3 groups, and there is 1 label.",
            ["import pandas as pd\nages = pd.Series([1, 7])", "pd.cut(ages, bins=[0, 5, 9, 20], labels=['a'])"],
        ),
        (
            "`d` holds 6 values, and one truth value is asked for.",
            ["import pandas as pd\nd = pd.DataFrame({'n': [1, 2, 3], 'm': [2, 3, 4]})", "if d:\n    n = 1"],
        ),
        (
            "`d > 2` is 6 truth values, and one is asked for.",
            ["import pandas as pd\nd = pd.DataFrame({'n': [1, 2, 3], 'm': [2, 3, 4]})", "if d > 2:\n    n = 1"],
        ),
        (
            "`d` has no column `total`. It has `n`, `m`.",
            ["import pandas as pd\nd = pd.DataFrame({'n': [1], 'm': [2]})", "y = d['total']\nX = d[['n', 'm']]"],
        ),
        (
            "`d` has no column `region`. It has `n`, `m`.",
            ["import pandas as pd\nd = pd.DataFrame({'n': [1], 'm': [2]})", "d.groupby(['n', 'region']).size()"],
        ),
        (
            "`d` has no column `town`. It has `n`. `town` is its index.",
            ["import pandas as pd\nd = pd.DataFrame({'n': [1], 'town': ['a']}).set_index('town')", "d.loc[d['town'] == 'a']"],
        ),
        (
            "`d` has a column `town`, and the table that is joined with it has none.",  # it was taken from no `d` of later
            ["import pandas as pd\nd = pd.DataFrame({'town': ['a']})\ne = d.drop(columns='town')", "d.merge(pd.DataFrame({'city': ['a']}), on='town')"],
        ),
        (
            "The encoder was fitted on other values: it does not know 'z'.",
            ["from sklearn.preprocessing import LabelEncoder\ne = LabelEncoder().fit(['a', 'b'])", "e.transform(['a', 'z'])"],
        ),
        (
            "The encoder was fitted on other values of column 0: it does not know 'z'.",
            ["from sklearn.preprocessing import OneHotEncoder\ne = OneHotEncoder().fit([['a'], ['b']])", "e.transform([['z']])"],
        ),
    ],
)  # fmt: skip
def test_a_failure_in_the_code_is_told_by_what_the_notebook_shows(bench: Bench, cause: str, cells: list[str]) -> None:
    found = diagnose(bench.fail(*cells))
    assert (found.cause, found.skip_reason) == (cause, None)
    assert found.advice


@pytest.mark.parametrize(
    "cells",
    [
        ["import numpy as np, matplotlib.pyplot as plt\nt, v = np.arange(50), np.arange(10)", "plt.plot(t, np.diff(v))"],
        ["import numpy as np, matplotlib.pyplot as plt\nt, v = np.arange(9), np.arange(9)", "plt.plot(t, np.diff(v, n=2))"],
        ["import pandas as pd\nx = pd.Series([1, 7])", "pd.cut(x, [0, 5, 5, 9], labels=['a', 'b', 'c'], duplicates='drop')"],
    ],
)  # fmt: skip
def test_nothing_is_said_of_numbers_that_the_notebook_does_not_show(bench: Bench, cells: list[str]) -> None:
    cause = diagnose(bench.fail(*cells)).cause
    assert "one value fewer" not in cause
    assert "edges make" not in cause


def test_one_group_is_asked_for_as_one(bench: Bench) -> None:
    found = diagnose(bench.fail("import re\nm = re.match('(.)', 'ab')", "m.group(2)"))
    assert found.advice == "Ask for group 1, or put brackets around what it is to hold."


@pytest.mark.parametrize(
    "call",
    ["plt.plot('xs', 'amount', data=t)", "plt.plot(first, second, data=t)", "plt.plot(f'{first}', 'amount', data=t)"],
)
def test_the_length_of_a_columns_name_is_not_told(bench: Bench, call: str) -> None:
    made = "import matplotlib.pyplot as plt\nt = {'xs': [1, 2], 'amount': [1, 2, 3]}\nfirst, second = 'xs', 'amount'"
    assert diagnose(bench.fail(made, call)).cause.startswith("ValueError: x and y must have same first dimension")


@pytest.mark.parametrize(
    "cells",
    [
        ["import pandas as pd\nd = pd.Series({'n': 1})", "d['total']"],
        ["import pandas as pd\nd = pd.DataFrame({'n': [1]})", "d.loc['total', 'n']"],
    ],
)
def test_what_is_no_column_of_a_table_is_told_as_it_was(bench: Bench, cells: list[str]) -> None:
    assert diagnose(bench.fail(*cells)).cause == "KeyError: 'total', at line 1"


def test_a_kernel_that_died_is_told_without_the_class_that_we_gave_it(bench: Bench) -> None:
    broken = bench.fail("[].pop()")
    died = replace(
        broken.case.failure, kind=FailureKind.DIED, ename="KernelDied", evalue="something ended its process (SIGKILL)"
    )
    cause = diagnose(replace(broken, case=replace(broken.case, failure=died))).cause
    assert cause.startswith("The kernel died at line 1: something ended its process (SIGKILL)")


@pytest.mark.parametrize(
    "cells",
    [
        ["x = 1\ndel x", "x + 1"],
        ["def half(n):\n    return n.halves", "half(4)"],
        ["import re\nm = re.search('a', 'b')", "m.group()"],
        ["def check(x):\n    if x < 0:\n        raise ValueError('negative')", "check(-1)"],
    ],
)
def test_a_cell_is_told_by_its_number_among_the_code_cells(bench: Bench, cells: list[str]) -> None:
    broken = bench.fail(*cells)
    text = Cell("text", "Below this text:", kind="markdown")
    notebook = replace(broken.case.notebook, cells=(text, *broken.case.notebook.cells))
    told = diagnose(replace(broken, case=replace(broken.case, notebook=notebook))).cause
    assert "cell 1" in told, told


@pytest.mark.parametrize(
    ("call", "is_told"),
    [
        ("minimize(f, [3.0], method='Anneal')", True),
        ("minimize(f, [3.0], method='Aneal')", False),
        ("minimize(f, [3.0], method='fastest')", False),
        ("minimize(f, 'anneal')", False),
    ],
)
def test_a_solver_that_scipy_gave_up_is_named_with_what_searches_like_it(
    bench: Bench, call: str, is_told: bool
) -> None:
    found = diagnose(bench.fail("from scipy.optimize import minimize\nf = lambda x: (x ** 2).sum()", call))
    assert ("since SciPy 0.16" in found.cause) is is_told
    assert ("dual_annealing" in found.advice) is is_told
