"""What speaks against a mended cell, so that the only mend that a rule knows is no safe one."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax.objections import find_objection
from jupyter_selfheal.healers.syntax.tables import calls_values_of_table
from jupyter_selfheal.model import Cell, Notebook

SPOKEN_AGAINST = {
    "a method that is asked": ("if w.isupper\n    x = 1", "if w.isupper:\n    x = 1"),
    "a method that is denied": ("while not w.isdigit\n    w = x", "while not w.isdigit:\n    w = x"),
    "a method that is compared": ("x = (w.lower in words", "x = (w.lower in words)"),
    "a tuple is printed": ("print(('Sum:', x)", "print(('Sum:', x))"),
    "a builtin is named": ("print(total(int input()))", "print(total(int, input()))"),
    "a builtin is given to a builtin": ("n = int(input))", "n = (int(input))"),
    "a builtin has no items": ("print['a', x}", "print['a', x]"),
    "a builtin stands alone": ("print )", "print"),
    "a text holds code": ("print('Area:, w * x)", "print('Area:, w * x')"),
    "a text holds a quote": ("ys = ['a', 'b\", x]", "ys = ['a', 'b\", x]']"),
    "a text has no such attribute": ("print('*'. end=' ')", "print('*'. end==' ')"),
    "a tuple is reckoned with": ("y = x * (1 x / 100)", "y = x * (1, x / 100)"),
    "a name that nothing binds": ("print(x even)", "print(x, even)"),
    "a word behind a header": ("while x > 3 do\n    x = x - 1", "while x > 3: do\nx = x - 1"),
    "a parameter outside of its function": ("def f(n):\n    g = n\nprint(n)", "def f(n):\n    g = n\nprint(n)"),
    "too many arguments": ("def f(n):\n    return n\nf(1 2)", "def f(n):\n    return n\nf(1, 2)"),
    "a builtin's arguments": ("f(int(x, 2, 3)", "f(int(x, 2, 3))"),
    "a product for a comma": ("xs.sort(key=lambda t: t[1], t[0])", "w.sort(key=lambda t: t[1] * t[0])"),
    "a sum for a comma": ("print(x, sep='', x)", "print(x, sep='' + x)"),
    "a method is named": ("print('{}'.format x))", "print('{}'.format, x)"),
    "what print gives": ("x = round(x, 2) print(x)", "x = round(x, 2), print(x)"),
    "a builtin that is set by the mend": ("print = (x))", "print = (x)\nprint[0]"),
    "a builtin is added": ("y = sum + (x", "y = sum + (x)"),
    "a builtin is kept": ("n = input)", "n = input"),
    "a builtin is compared": ("if x == len):\n    x = 1", "if x == len:\n    x = 1"),
    "what was read is lost": ("name = input()\nname'AK'", "name = input()\nname='AK'"),
    "a call of a text": ("print('a' (x))", "print('a'(x))"),
    "what was to be compared is set": ("y = 2\nif x = y:\n    z = 1", "y = 2\nif x := y:\n    z = 1"),
    "both of what was to be compared": ("y = 2\nif(x % 2 = y):\n    z = 1", "y = 2\nif(x % 2 and y):\n    z = 1"),
    "one of what was to be compared": ("y = 2\nwhile x = y\n    y = 1", "y = 2\nwhile x:\n    y = 1"),
    "a number for two names": ("x.min[axis=0]", "x.min, axis=0"),
    "one value for two names": ("x.min[axis=0]", "x.min, axis=[0]"),
}
NOTHING_AGAINST = {
    "a value for each name": ("a, b = 0 1", "a, b = 0, 1"),
    "a text of two letters": ("a, b = 'xy", "a, b = 'xy'"),
    "the rest of several": ("a, *b = [1, 2, 3", "a, *b = [1, 2, 3]"),
    "what is compared": ("y = 2\nif x = y:\n    z = 1", "y = 2\nif x == y:\n    z = 1"),
    "both are asked": ("y = 2\nif x and y\n    z = 1", "y = 2\nif x and y:\n    z = 1"),
    "an argument by its name": ("if sorted(x reverse=True):\n    z = 1", "if sorted(x, reverse=True):\n    z = 1"),
    "what is set and asked": ("if y := (x:\n    z = 1", "if y := (x):\n    z = 1"),
    "a method that is called": ("if w.isupper()\n    x = 1", "if w.isupper():\n    x = 1"),
    "an attribute of its own": ("if w.is_upper\n    x = 1", "if w.is_upper:\n    x = 1"),
    "a method that is handed on": ("x = sorted(w, key=str.lower", "x = sorted(w, key=str.lower)"),
    "it was set anew so before": ("n = input()\nn = 3\nprint(n", "n = input()\nn = 3\nprint(n)"),
    "what was read is used first": ("n = input()\nm = n\nn 3", "n = input()\nm = n\nn = 3"),
    "another name is set": ("n = input()\nm 3", "n = input()\nm = 3"),
    "a shape": ("import numpy as np\nz = np.zeros((3, 4)", "import numpy as np\nz = np.zeros((3, 4))"),
    "a tuple as one value": ("ys.append((x, 2)", "ys.append((x, 2))"),
    "a builtin is applied": ("ys = list(map(int, x.split())", "ys = list(map(int, x.split()))"),
    "a kind is asked": ("print(isinstance(x, int)", "print(isinstance(x, int))"),
    "a text with a comma": ("print('Hello, world)", "print('Hello, world')"),
    "a text of two values": ("print('%d and %d' % (x, 2)", "print('%d and %d' % (x, 2))"),
    "a value is shown": ("ys = [x\nys", "ys = [x]\nys"),
    "a comprehension": ("print(sum(v for v in [x])", "print(sum(v for v in [x]))"),
    "a global of a method": (
        "class A:\n    n = 1\n    def f(self):\n        return A.n + x",
        "class A:\n    n = 1\n    def f(self):\n        return A.n + x",
    ),
    "a default": ("def f(n=1, m):\n    return n", "def f(n=1):\n    return n\nprint(f(), f(2))"),
    "a kind in brackets": ("def f(xs: list[int] -> int:\n    return xs", "def f(xs: list[int]) -> int:\n    return xs"),
    "a sum that is a variable": ("sum = 0\nsum = sum + (x", "sum = 0\nsum = sum + (x)"),
    "a text that is a variable": ("str = 'ab'\nprint(str[0]", "str = 'ab'\nprint(str[0])"),
    "a comma too many": ("print(x + 1,, x)", "print(x + 1, x)"),
    "values in brackets": ("w.sort(key=lambda t: t[1], t[0])", "w.sort(key=lambda t: (t[1], t[0]))"),
    "a power": ("x = 10,*2", "x = 10**2"),
    "a joined text": ("print(', '.join(ys)", "print(', '.join(ys))"),
}
KNOWN = frozenset({"x", "ys", "w", "total"})


@pytest.mark.parametrize(("given", "mended"), SPOKEN_AGAINST.values(), ids=SPOKEN_AGAINST)
def test_what_was_hardly_meant_is_said(given: str, mended: str) -> None:
    assert find_objection(mended, given, KNOWN)


@pytest.mark.parametrize(("given", "mended"), NOTHING_AGAINST.values(), ids=NOTHING_AGAINST)
def test_what_may_well_be_meant_is_left(given: str, mended: str) -> None:
    assert find_objection(mended, given, KNOWN) == ""


def test_names_are_not_looked_for_where_something_binds_them_unseen() -> None:
    assert find_objection("print(array(x))", "print(array(x)", None) == ""
    assert find_objection("print(array(x))", "print(array(x)", KNOWN)


@pytest.mark.parametrize(
    ("above", "mended", "is_table"),
    [
        ("df = pd.read_csv('a.csv')", "print(df.values())", True),
        ("df = pd.DataFrame(rows)\ndf = df.dropna()", "x = df.values()", True),
        ("df = {'a': 1}", "print(df.values())", False),
        ("df = pd.read_csv('a.csv')\ndf = df.to_dict()", "print(df.values())", False),
        ("df = pd.read_csv('a.csv')\nfor df in parts:\n    pass", "print(df.values())", False),
        ("x = 1", "print(df.values())", False),
        ("import pandas as p\ndf = p.read_csv('a.csv').dropna().head()", "print(df.values())", True),
        ("d = pd.read_csv(f).to_dict('list')", "print(d.values())", False),
        ("d = pd.DataFrame(r).iloc[0]", "print(d.values())", False),
        ("d = pd.read_excel(f, sheet_name=None)", "print(d.values())", False),
        ("d = pd.read_excel(f, None)", "print(d.values())", False),
        ("d = pd.read_json(f, typ='series')", "print(d.values())", False),
        ("d = pd.read_html(f)", "print(d.values())", False),
        ("df = pd.read_csv(f)", "def f(df):\n    print(df.values())\nf({'a': 1})", False),
        ("df = pd.read_csv(f)", "g = lambda df: print(df.values())", False),
        ("df = pd.read_csv(f)", "for k, df in {1: {}}.items():\n    print(df.values())", False),
        ("df = pd.read_csv(f)\nx, df = 1, {'a': 2}", "print(df.values())", False),
        ("df = pd.read_csv(f)\nif (df := {}):\n    pass", "print(df.values())", False),
        ("df = pd.read_csv(f)\nwith g() as df:\n    pass", "print(df.values())", False),
        ("df = pd.read_csv(f)", "print([df.values() for df in parts])", False),
        ("df = pd.read_csv(f)", "print(self.df.values())", False),
        ("pd = make()\ndf = pd.read_csv(f)", "print(df.values())", False),
        ("df = pd.read_csv(f)\n%run other.py", "print(df.values())", False),
    ],
)
def test_a_table_has_its_values_without_a_call(above: str, mended: str, is_table: bool) -> None:
    given = mended.replace("()", "", 1) + ")"
    assert calls_values_of_table(mended, given, Notebook((Cell("a", above), Cell("b", given)))) is is_table
