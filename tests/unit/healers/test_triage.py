"""Triage: what is left alone, with which reason, and what is not."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from jupyter_selfheal.healers.rules.context.skeletons import is_skeleton
from jupyter_selfheal.model import Locus
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose


@pytest.mark.parametrize(
    ("reason", "cells"),
    [
        ("interrupted", ["raise KeyboardInterrupt"]),
        ("deliberate", ["raise ValueError('as a demonstration')"]),
        ("deliberate", ["import sys\nsys.exit(1)"]),
        ("deliberate", ["t = (1, 2)", "t[0] = 5  # fails because tuples cannot be changed"]),
        ("deliberate", ["# Using a variable before it is defined gives a NameError\nprint(later_defined)"]),
        ("deliberate", ["def add(a, b):\n    return a + b", "# This test fails on purpose, to show the report\nassert add(2, 2) == 5"]),
        ("deliberate", ["t = (1, 2)", "t[0] = 5  # TypeError!"]),
        ("deliberate", ["t = 5", "# Let's see what error we get if we add a number and a text\nt + 'five'"]),
        ("deliberate", ["t = (1, 2)", "# -> raises a TypeError\nt[0] = 5"]),
        ("deliberate", ["t = (1, 2)", "t[5]  # gives a LookupError"]),
        ("skeleton", ["def f(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()", "f(1)"]),
        ("skeleton", ["def f(x):\n    # your code here\n    pass", "f(1) + 1"]),
        ("skeleton", ["def f(n):\n    \"\"\"The n-th number.\"\"\"\n    # YOUR CODE HERE", "assert f(3) == 2"]),
        ("skeleton", ["total = ____"]),
        ("skeleton", ["x = ...\nx + 1"]),
        ("skeleton", ["def f(n):\n    out = []  # your code here\n    return out", "assert f(2) == [1, 2]"]),
        ("skeleton", ["def f(n):\n    out = None  # your code here\n    return out + n", "assert f(2) == 3"]),
        ("skeleton", ["def f(n):\n    total = 0  # your code here\n    print(total)\n    return total", "assert f(2) == 3"]),
        ("skeleton", ["print(your_name)"]),
        ("skeleton", ["average = ...", "average + 1"]),
        ("skeleton", ["q1 = ...", "print(q1)", "assert isinstance(q1, float) and q1 > 2"]),
        ("skeleton", ["q1 = ...", "assert q1 == 3"]),
        ("skeleton", ["# Solution goes here", "graph = make_digraph([1, 2])"]),
        ("skeleton", ["# %load snippets/01.py", "stacked.head()"]),
        ("skeleton", ["class Sampler:\n    pass", "# Write your class here", "t = StdSampler()"]),
        ("skeleton", ["data = {'a': 1}", "# %load snippets/02.py", "data['months']"]),
        ("skeleton", ["# TODO: compute the column means\nmeans = None", "means.shape"]),
        ("skeleton", ["def reverse(s):\n    # TODO: return the reversed string\n    pass", "assert reverse('ab') == 'ba'"]),
        ("skeleton", ["def f(x):\n    ### BEGIN SOLUTION\n\n    ### END SOLUTION\n    return y", "f(3)"]),
        ("skeleton", ["def f(x):\n    ### START CODE HERE ### (1 line)\n    s = None\n    ### END CODE HERE ###\n    return s", "assert f(0) - 0.5 < 1"]),
        ("skeleton", ["def f(x):\n    counts = {}\n    for c in x:\n        # TODO: count it\n        pass\n    return counts", "assert f('a') == {'a': 1}"]),
        ("skeleton", ["def f(x):\n    # TODO: implement\n    return 0", "assert f(3) == 9"]),
        ("skeleton", ["def f(n):\n    # Replace None with your code\n    for i in range(None):\n        n += 1\n    return n", "assert f(3) == 6"]),
        ("skeleton", ["def f(x):\n    # (1 line) replace None\n    s = None\n    return s", "assert f(0) - 0.5 < 1"]),
        ("skeleton", ["class Stack:\n    def push(self, x):\n        pass\n    def pop(self):\n        pass", "s = Stack()\nassert s.pop() == 1"]),
        ("skeleton", ["def f(x):\n    # votre code ici\n    raise NotImplementedError()", "f(1)"]),
        ("skeleton", ["import json", "json.load"[:-2]]),
        ("skeleton", ["import json", "json.loads("]),
        ("skeleton", ["print(1, , 2, , 3)"]),
        ("skeleton", ["sales = {'a': 1}", "best = sales['a']."]),
        ("skeleton", ["def area(w, h):\n    \"\"\"The area. (Exercise 2)\"\"\"\n    pass\n\nassert area(2, 3) == 6"]),
        ("skeleton", ["URL = '<your address here>'", "import urllib.request\nurllib.request.urlopen(URL)"]),
        ("bad data", ["people = [{'id': 1, 'mail': 'a'}, {'id': 2}]", "mails = [p['mail'] for p in people]"]),
        ("deliberate", ["# lists cannot be dictionary keys - see for yourself:\n{[1, 2]: 'pair'}"]),
        ("deliberate", ["1 / 0   # ZeroDivisionError: this is what Python says"]),
        ("skeleton", ["# Task 4. Write a function `is_prime(n)` here, then run the next cell.", "print(is_prime(7))"]),
        ("bad data", ["answer = {'status': 'error', 'message': 'quota exceeded'}", "rows = answer['results']"]),
        ("bad data", ["answer = {'ok': False, 'error': 'invalid_auth'}", "items = answer['items']"]),
        ("skeleton", ["# a) mean  b) sum\nanswer = '?'", "assert answer in ('a', 'b')"]),
        ("skeleton", ["n = 2\ndef count_leaves(tree):\n    # a leaf has no branches"]),
        ("skeleton", ["class Tree:\n    def count(self,\n              deep=True):"]),
        ("skeleton", ["p = 0", "assert p != 0, 'Replace 0 by your answer'"]),
        ("skeleton", ["assert False, 'the test is still missing'"]),
        ("bad data", ["amounts = [float(a) for a in ['12.5', '7,1O', '3']]"]),
        ("deliberate", ["from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Coin:\n    value: int\nc = Coin(5)", "c.value = 10  # frozen: not allowed"]),
        ("not python", ["values <- c(1, 2)\nmean(values)"]),
        ("not python", ["f <- function(x) {\n  x + 1\n}"]),
        ("own check", ["def check(x):\n    if x < 0:\n        raise ValueError('negative')", "check(-1)"]),
        ("own check", ["count = 9", "if count > 5:\n    raise RuntimeError('too many')"]),
        ("not python", ["SELECT name FROM products;"]),
        ("not python", [r"\begin{equation} a = b \end{equation}"]),
        ("not python", ["<div>hello</div>"]),
        ("not python", ["this is a note that somebody wrote into a code cell"]),
        ("missing credential", ["import os", "os.environ['SOME_SERVICE_API_KEY']"]),
        ("missing credential", ["class HTTPError(Exception): pass", "def get():\n    raise HTTPError('HTTP Error 401: no')\nget()"]),
        ("network", ["import urllib.error", "def get():\n    raise urllib.error.URLError('no route')\nget()"]),
        ("network", ["def get():\n    raise OSError('[Errno 101] Network is unreachable')\nget()"]),
        ("missing data", ["open('/nowhere/at/all.csv')"]),
        ("missing module", ["import lifelines_that_nobody_has"]),
        ("missing module", ["from matplotlib.animation import FFMpegWriter, writers\n@writers.register('film')\nclass Film(FFMpegWriter):\n    isAvailable = classmethod(lambda cls: False)", "writers['film']"]),
        ("input", ["def ask():\n    raise EOFError\ninput = ask\ninput()"]),
        ("input", ["def input():\n    raise EOFError('EOF when reading a line')\ndef menu():\n    while input() != 'q':\n        pass", "menu()"]),
        ("input", ["from IPython.core.error import StdinNotImplementedError\ndef input(prompt):\n    raise StdinNotImplementedError('nobody')", "age = int(input('Age? '))"]),
        ("memory", ["def big():\n    raise MemoryError\nbig()"]),
        ("bad data", ["import pandas as pd\nd = pd.DataFrame({'d': ['2024-01-15', '2024-02-30']})", "pd.to_datetime(d['d'])"]),
        ("bad data", ["import pandas as pd\npd.Timestamp('2023-02-29')"]),
        ("bad data", ["prices = [3, -1]", "assert min(prices) > 0, 'negative'"]),
        ("bad data", ["speeds = [3, -90]", "assert abs(min(speeds)) < 80, 'too fast'"]),
        ("bad data", ["rows = ['3', '4', 'n/a', '7']", "total = 0\nfor row in rows:\n    total += int(row)"]),
        ("bad data", ["def load(rows):\n    return [float(r.split(',')[1]) for r in rows]", "load(['a,2', 'b,?'])"]),
        ("bad data", ["prices = [3, 4.5, None, 2]", "total = 0\nfor price in prices:\n    total += price"]),
        ("bad data", ["import csv\nrows = csv.DictReader(['city,pop', 'Oslo,7', 'Bergen,'])", "[int(r['pop']) for r in rows]"]),
        ("bad data", ["scores = [88, 92, 'absent', 79]", "print(max(scores))"]),
        ("bad data", ["from datetime import datetime\ndays = ['2021-02-28', '2021-02-30']", "[datetime.strptime(d, '%Y-%m-%d') for d in days]"]),
        ("deliberate", ["# Dividing by zero is an error in Python:\n1 / 0"]),
        ("deliberate", ["xs = [1, 2, 3]", "# what happens if the index is too large?\nxs[7]"]),
        ("skeleton", ["squares = [___ for n in range(5)]", "assert squares == [0, 1, 4]"]),
        ("missing data", ["import subprocess", "subprocess.run(['no-such-program'], check=True)"]),
        ("bad data", ["rows = [{'p': 3}, {'p': 4}, {'p': None}]", "def worth(rows):\n    return sum(r['p'] for r in rows)", "worth(rows)"]),
        ("bad data", ["marks = {'Ann': 3, 'Bob': 4, 'Cy': 'missing'}", "sum(marks.values())"]),
    ],
)  # fmt: skip
def test_it_is_left_alone_with_its_reason(bench: Bench, reason: str, cells: list[str]) -> None:
    found = diagnose(bench.fail(*cells))
    assert found.skip_reason == reason
    assert found.advice
    assert found.confidence >= 80


@pytest.mark.parametrize(
    ("call", "missing"),
    [
        ("subprocess.run(['python3', '-V'], cwd='nowhere')", "folder `nowhere`"),
        ("subprocess.run(command, cwd=where)", "folder `nowhere`"),
        ("subprocess.check_output('no-such-program', cwd='.')", "program `no-such-program`"),
        ("subprocess.run(['no-such-program'])", "program `no-such-program`"),
        ("subprocess.run(absent, cwd='/tmp')", "program `no-such-program`"),
        ("subprocess.run(absent, cwd=pathlib.Path('/tmp'))", "program `no-such-program`"),
        ("subprocess.run(absent, cwd=here)", "program `no-such-program`"),
        ("subprocess.run(absent, cwd=str(here))", "program `no-such-program`"),
        ("subprocess.run(command, cwd=pathlib.Path('nowhere'))", "folder `nowhere`"),
        ("def run(at):\n    return subprocess.run(command, cwd=at)\nrun(where)", "folder `nowhere`"),
    ],
)
def test_a_missing_folder_to_run_in_is_no_missing_program(bench: Bench, call: str, missing: str) -> None:
    given = "import pathlib, subprocess\nwhere, command = 'nowhere', ['python3', '-V']\nabsent, here = ['no-such-program'], pathlib.Path('/tmp')"
    assert f"The {missing} isn't there" in diagnose(bench.fail(given, call)).cause


@pytest.mark.parametrize(
    "cells",
    [
        ["def mean(x):\n    return sum(x)", "assert mean([1, 3]) == 2"],
        ["total = 1 + 1", "assert total == 3"],
        ["import pandas as pd\nd = pd.DataFrame({'n': [3, -1]})", "d['n'][d['n'] < 0] = 0", "assert (d['n'] >= 0).all()"],
        ["mean = 2.0 * 3", "assert abs(mean - 1.5) < 1e-9"],
        ["integral = sum([1.0, -0.5])", "assert abs(integral) < 1e-6"],
        ["# TODO: faster\nvalues = [1]\nvalues.append(2)[0]"],
        ["def f(x):\n    # YOUR CODE HERE\n    return x * 2\n    raise NotImplementedError()", "assert f(3) == 9"],
        ["def f(x):\n    ### BEGIN SOLUTION\n    return x * 2\n    ### END SOLUTION", "assert f(3) == 9"],
        ["def f(x):\n    # hier deinen Code\n    return x * 2", "assert f(3) == 9"],
        ["def f(n):\n    out = []  # your code here\n    for k in range(n):\n        out.append(k)\n    return out", "assert f(2) == [1, 2]"],
        ["def f(x):\n    if x < 0:\n        # TODO: warn\n        return None\n    return x * 2", "assert f(3) == 9"],
        ["class Stack:\n    def close(self):\n        pass\n    def pop(self):\n        # TODO: the last one\n        return len('ab')", "s = Stack()\nassert s.pop() == 1"],
        ["xs = [v for v in [1, None] if v is not None]  # replace None by 0\nsum(xs) / lenght"],
        ["sales = {'price': 2}", "# cannot read the price? try it with its whole name\nsales['pirce']"],
        ["ys = [0 if v is None else v for v in [1]]  # replace None\nsum(ys) / lenght"],
        ["row = {'a': None}  # replace NaN and None later on\nrow['b']"],
        [
            "class Shape:\n    def area(self):\n        raise NotImplementedError",
            "class Square(Shape):\n    side = 2\n    def area(self):\n        return self.sied ** 2",
            "Square().area()",
        ],
        [
            "class Shape:\n    def __init__(self, name):\n        self.name = name\n    def area(self):\n        raise NotImplementedError",
            "class Square(Shape):\n    def __init__(self, side):\n        super().__init__()\n        self.side = side\nassert Square(3).side == 3",
        ],
        [
            "class Shape:\n    def area(self):\n        raise NotImplementedError\nclass Square(Shape):\n    def aera(self):\n        return 9",
            "assert Square().area() == 9",
        ],
        ["print 'hello'"],
        ["def cube x:\n    return x ** 3\nprint(cube(2))"],
        ["import pandas as pd\nt = pd.DataFrame({'town': ['Ulm']})", "t['town'].replace('Ulm': 'U')"],
        ["x = {'alpha': 1}", "x['alhpa']"],
        ["f = dict", "f(a=1, a=2)"],
        ["f = print", "f(end='', 'a')"],
        ["class Odd(Exception): pass", "def f(x):\n    try:\n        return 1 / x\n    except ZeroDivisionError as e:\n        raise Odd() from e", "f(0)"],
        ["def f(x):\n    if x != 2:\n        raise ValueError('two')\n    return x", "assert f(3) == 2"],
        ["x = 3\ny = 1\nz < -1"],
        ["# Solution goes here", "import math", "# Exercise 2", "np.arange(3)"],
        ["d = {'price': 1}", "# Solution goes here", "d['prcie']"],
        ["def on_event(e):\n    pass", "on_event()"],
        ["best = None", "best.shape"],
        ["xs = {'alpha': 1}", "# what happens if we double it?\nxs['Alpha'] * 2"],  # a slip, by a rule that is sure of it
        ["fit = {}", "# what is left over is an error\nfit['a'] + 1"],
        ["fit = {}", "# the remaining part is an error term\nfit['a'] + 1"],
        ["xs = {'alpha': 1}", "# shows what happens if we double it\nxs['Alpha'] * 2"],
        ["totals = {}", "# let us see what happens with a longer list\ntotals['a'] + 1"],
        ["codes = ['a1', 'b2', 3, 4]", "max(codes)"],
        ["rows = ['name', '4', '7']", "[int(r) for r in rows]"],  # a heading
        ["rows = ['3', '4', 'n/a']", "total = 0\nfor r in rows:\n    total += int(r)", "assert total == 7"],  # it says what comes out
        ["def half(n):\n    if n > 2:\n        return n / 2", "xs = [half(n) for n in [1, 4, 6]]", "sum(xs)"],  # a function gives it
        ["node = [1, None, None]", "def depth(node):\n    return 1 + depth(node[1])", "depth(node)"],  # no child
        ["names = ['Ann', None]", "for n in names:\n    print(n + 1)"],
        ["from datetime import date\nyear, month = 2021, 12", "date(year, month + 1, 1)"],  # the year's end is forgotten
        ["person = {'name': 'Ann', 'age': 34, 'height': 170}", "person['age'] - person['name']"],  # a record holds any
        ["prices = [3, 4.5]", "# what if prices rise by a fifth?\nprices / 0.8"],  # a rule has something to offer
        ["fit = {}", "# understanding it: RMSE is an error measure\nfit['a'] + 1"],
        ["fit = {}", "# the ranking is an exception to this\nfit['a'] + 1"],
        ["fit = {}", "# When running this there is an error\nfit['a'] + 1"],
        ["fit = {}", "# the string is an error message\nfit['a'] + 1"],
        ["q1 = ...", "q1 = 1 + 1", "assert q1 == 3"],  # it was done, and is wrong
        ["rows = ...", "xs = {rows: 2}\nassert xs[rows] == 3"],  # an index, not a hole
        ["# raises an error if x is negative\nx = {}\nx['a']"],
        ["d = {}\n# this raises an error when the key is not there\nd['a']"],
        ["# must not fail\n{}['a']"],
        ["t = (1, 2)", "t[0] = 5  # TypeError?"],
        ["t = (1, 2)", "t[0] = 5  # why a TypeError here, it worked before"],
        ["t = (1, 2)", "t[3]  # gives a TypeError"],
        ["t = (1, 2)", "t[3]  # gives a KeyError"],
        ["1first = 3\n2second = 4\nprint(1first)"],  # names that begin with a digit
        ["def greet(your_name):\n    return 'Hi ' + your_nme", "greet('Bo')"],  # no placeholder
        ["def mean(x):\n    # your code here\n    return sum(x) / lne(x)", "mean([1, 2])"],
        ["prices = [1, 2]\n# This will raise the average\nsum(price) / 2"],
        ["rates = [0.5]\nrates[0].rond(2)  # we get an error rate of 5 %"],
        ["1 +"],
        ["def double(n):\nreturn 2 * n"],  # its body is there
        ["class TooDeep(Exception):"],
        ["for n in range(3):"],
        ["blank = '_'\nboard = [[blank] * 3]", "assert [['x', blank]] == board"],
    ],
)  # fmt: skip
def test_it_is_a_matter_of_the_code(bench: Bench, cells: list[str]) -> None:
    assert diagnose(bench.fail(*cells)).skip_reason is None


def test_a_file_with_another_number_is_named_and_not_taken(bench: Bench) -> None:
    bench.write_file("sales_2024.csv", "a\n1\n")
    found = diagnose(bench.fail("open('sales_2042.csv')"))
    assert found.skip_reason == "missing data"
    assert "there is `sales_2024.csv`, with another number" in found.advice
    assert "No file in the project has a similar name." in diagnose(bench.fail("open('costs_2024.csv')")).advice


def test_a_folder_that_a_file_is_written_into_is_no_missing_file(bench: Bench) -> None:
    found = diagnose(bench.fail("open('/nowhere/at/all.csv', 'w')"))
    assert found.cause == "The folder `/nowhere/at` is not there, and the cell writes a file into it."
    assert diagnose(bench.fail("open('nowhere_yet/all.csv', 'w')")).skip_reason is None, "making it is offered"


def test_what_a_rule_can_mend_is_not_left_alone(bench: Bench) -> None:
    bench.write_file("lib/own_helpers.py", "x = 1\n")
    bench.write_file("data/rivers.csv", "a\n1\n")
    assert diagnose(bench.fail("import own_helpers")).skip_reason is None
    assert diagnose(bench.fail("open('data/rivres.csv')")).skip_reason is None
    assert diagnose(bench.fail("import panda as pd")).skip_reason is None


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("tf.constant(1)", "Run `%pip install tensorflow`, and add `import tensorflow as tf`."),
        ("[x for x in tf]", "Define or import `tf`, or correct its spelling."),  # no library is gone through
        ("qq.constant(1)", "Define or import `qq`, or correct its spelling."),
    ],
)
def test_the_alias_of_a_library_that_is_not_installed_says_so(bench: Bench, cell: str, advice: str) -> None:
    assert diagnose(bench.fail(cell)).advice == advice
    assert diagnose(bench.fail(f"def work():\n    return {cell}", "work()")).advice == advice


def test_a_missing_module_says_which_distribution_to_install(bench: Bench) -> None:
    found = diagnose(bench.fail("import skbio"))
    assert (found.skip_reason, found.locus) == ("missing module", Locus.ENVIRONMENT)
    assert "scikit-bio" in found.advice


def test_a_module_that_nobody_knows_may_be_a_slip_of_a_known_one(bench: Bench) -> None:
    """Of a slip's name alone a person would install what somebody has put there for such slips."""
    slip = diagnose(bench.fail("import tensorflwo"))
    assert (
        slip.advice
        == "If `tensorflow` is meant, correct the name, and `%pip install tensorflow`; else `%pip install tensorflwo`"
    )
    other = diagnose(bench.fail("import nobodys_own_thing"))
    assert other.advice == "`%pip install nobodys-own-thing`, if that is the package you mean"


def test_what_a_distribution_of_its_own_has_now_says_which_to_install(bench: Bench) -> None:
    found = diagnose(bench.fail("import numpy as np\nmonthly = np.pmt(0.01, 12, 300)"))
    assert (found.cause, found.skip_reason) == ("`numpy.pmt` was removed (numpy 1.20).", None)
    assert "%pip install numpy-financial" in found.advice
    assert diagnose(bench.fail("import numpy as np\nnp.pmtx(0.01)")).advice == ""


def test_a_magic_whose_extension_is_not_installed_says_what_to_install(bench: Bench) -> None:
    broken = bench.fail("1 / 0")
    said = "Cell magic `%%octave` not found."
    failure = replace(broken.case.failure, source="%%octave\n1 + 1", ename="UsageError", evalue=said)
    found = diagnose(replace(broken, case=replace(broken.case, failure=failure)))
    assert found.cause == "No cell loads the extension `oct2py.ipython`, which brings `%%octave`."
    assert "%pip install oct2py" in found.advice


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("from IPython.parallel import Client", "`%pip install ipyparallel`, and import it from there"),
        ("__import__('pandas.old_indexes')", "this release of it has no `pandas.old_indexes`"),
        ("__import__('cythonmagic')", "The extension is `Cython` now"),
    ],
)
def test_a_module_that_its_library_no_longer_has_is_not_said_to_be_a_missing_file(
    bench: Bench, cell: str, advice: str
) -> None:
    found = diagnose(bench.fail(cell))
    assert found.skip_reason == "missing module"
    assert advice in found.advice


def test_who_raises_a_text_is_told_to_raise_an_exception(bench: Bench) -> None:
    found = diagnose(bench.fail("def check(x):\n    if x < 0:\n        raise 'negative'", "check(-1)"))
    assert found.cause == "`check` raises what is no exception (cell 1, line 3)."
    assert found.advice.startswith("Write `raise ValueError(…)` there.")


def test_a_fault_in_a_function_of_another_cell_is_placed_there(bench: Bench) -> None:
    found = diagnose(bench.fail("def f(d):\n    return d['b']", "f({'a': 1})"))
    assert (found.locus, found.cell_id) == (Locus.ELSEWHERE, "c1")


def test_what_a_line_reads_and_writes_elsewhere_is_a_file_that_is_missing(bench: Bench) -> None:
    found = diagnose(bench.fail("import pandas as pd", "pd.read_csv('nowhere_here/in.csv').to_csv('out.csv')"))
    assert found.skip_reason == "missing data"
    assert "folder" not in found.advice


def test_a_long_chain_of_conditions_is_not_written_out_for_each_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    written = list[ast.AST]()
    unparse = ast.unparse
    monkeypatch.setattr(ast, "unparse", lambda node: (written.append(node), unparse(node))[1])
    branches = "".join(f"    elif x == {n}:\n        y = {n}\n" for n in range(50))
    assert not is_skeleton(f"def f(x):\n    if x < 0:\n        y = 0\n{branches}    return y\n")
    assert len(written) <= 1


@pytest.mark.parametrize(
    ("text", "open_"),
    [
        ("# fill in the formula\narea =", True),
        ("# FILL THIS IN\narea =", True),
        ("fill input with Fahrenheit temperature\nf = 212", False),
        ("# fulfill in one go\nf = (212", False),
        ("# fill index gaps\nf = (212", False),
    ],
)
def test_words_that_begin_like_those_of_an_exercise_make_none(text: str, open_: bool) -> None:
    assert is_skeleton(text) is open_


def test_a_length_of_401_is_no_refused_login(bench: Bench) -> None:
    assert diagnose(bench.fail("import numpy as np\nnp.zeros(401) + np.zeros(403)")).skip_reason is None


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("Line magic function `%%time` not found.", "Move `%%time` to the first line"),
        ("Line magic function `%nothere` not found.", "Load the extension that provides %nothere"),
        ("Cell magic `%%nothere` not found.", "Load the extension that provides %%nothere"),
    ],
)
def test_a_magic_in_the_wrong_line_is_not_said_to_be_missing(bench: Bench, message: str, advice: str) -> None:
    broken = bench.fail("x = 1\nmissing_name")
    failure = replace(broken.case.failure, ename="UsageError", evalue=message)
    found = diagnose(replace(broken, case=replace(broken.case, failure=failure)))
    assert found.advice.startswith(advice)


@pytest.mark.parametrize(
    "said",
    [
        "File `'helpers/plot.py'` not found.",
        "'helpers/plot.py' was not found in history, as a file, url, nor in the user namespace.",
    ],
)
def test_a_script_that_a_magic_does_not_find_is_named(bench: Bench, said: str) -> None:
    cell = f"def read_magic():\n    raise Exception({said!r})", "read_magic()"
    found = diagnose(bench.fail(*cell))
    assert found.skip_reason is not None
    assert (found.skip_reason.value, found.cause) == (
        "missing data",
        "The script `helpers/plot.py`, which a magic reads, is missing.",
    )


def test_a_missing_file_that_a_library_does_not_quote_is_named(bench: Bench) -> None:
    found = diagnose(bench.fail("import numpy as np", "np.genfromtxt('stockholm_2042.dat')"))
    assert found.cause == "A data file is missing: stockholm_2042.dat."
