"""*Safe* means: any competent reader would make this change and no other. Where two plausible fixes give different values, both
are offered and neither is safe."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.safety import propose

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE

AMBIGUOUS = {
    "a text that is a number, before a number": (
        "TYP102",
        ('age = "42"; print("Next: " + age + 1)',),
        ('print("Next: " + str(int(age) + 1))', 'print("Next: " + age + str(1))'),
    ),
    "two numbers behind a text": (
        "TYP102",
        ('age = 42\nprint("Next: " + age + 1)',),
        ('"Next: " + str(age + 1)', '"Next: " + str(age) + str(1)'),
    ),
    "what a person types": ("TYP102", ("def ask():\n    return '4'\nask() + 1",), ("str(1)",)),
    "an empty text that is added to": ("TYP102", ("total = ''\ntotal += 5",), ("total += str(5)",)),
    "a number before brackets, as a named argument": (
        "TYP231",
        ("f, x = dict, 3\nf(w=2 (x), h=1)",),
        ("f(w=2 *(x), h=1)",),
    ),
    "a number before brackets, in a dictionary": ("TYP231", ("x = 3\n{'a': 2 (x)}",), ("{'a': 2 *(x)}",)),
    "a number before brackets, in an item's sum": ("TYP231", ("a, b = 5, 3\n[a - 1 (b)]",), ("[a - 1 *(b)]",)),
    "a number before brackets, in an index": ("TYP231", ("x, rows = 1, {2: 3}\nrows[2 (x)]",), ("rows[2 *(x)]",)),
    "an index of its own": (
        "IDX101",
        ("xs = [1, 2, 3]\ntotal = 0\nfor i in range(len(xs)):\n    total += xs[i + 1]\ntotal / len(xs)",),
        ("range(len(xs) - 1)", "total += xs[i]"),
    ),
    "both neighbours": (
        "IDX101",
        ("xs = [1, 2, 3]\nfor i in range(len(xs)):\n    print(xs[i - 1] + xs[i] + xs[i + 1])",),
        ("range(len(xs) - 1)", "xs[i] + xs[i])"),
    ),
    "a loop that counts from one": (
        "IDX101",
        ("xs = [1, 2]\ni = 1\nwhile i <= len(xs):\n    print(xs[i])\n    i += 1",),
        ("i < len(xs)",),
    ),
    "an item that is put behind the last": ("IDX101", ("xs = [1, 2]\nxs[len(xs)] = 3",), ("xs[-1] = 3",)),
    "an item of a pair": ("IDX101", ("rows = [('May', 1)]\nfor r in rows:\n    print(r[2])",), ("r[1]", "r[0]")),
    "an item of three": ("IDX101", ("rows = [('May', 1, 2)]\nfor r in rows:\n    print(r[3])",), ("r[2]",)),
    "a dictionary that was given": (
        "TYP105",
        ("def clean(d):\n    for k in d:\n        if not d[k]:\n            del d[k]\n    return d", "clean({'a': 0})"),
        ("for k in list(d)",),
    ),
    "a set that grows": ("TYP105", ("s = {1}\nfor n in s:\n    if n < 5:\n        s.add(n + 1)",), ("list(s)",)),
    "a count that is added": (
        "CAL102",
        ("n = 10\ntotal = 0\nfor i in n:\n    total += i",),
        ("for i in range(n)", "for i in range(1, n + 1)"),
    ),
    "items that are printed": (
        "CAL102",
        ("x = ['a', 'b']\nfor v in range(x):\n    print(v)",),
        ("range(len(x))", "for v in x:"),
    ),
    "items that are measured": (
        "CAL102",
        ("words = ['a', 'bb']\nfor w in len(words):\n    print(w, 'is a word')",),
        ("range(len(words))", "for w in words:"),
    ),
    "items that are compared": (
        "CAL102",
        (
            "def place(x, row):\n    for k in len(range(row)):\n        if x <= k:\n            return k",
            "place(3, [1, 4])",
        ),
        ("range(len(row))", "for k in row:"),
    ),
    "floats that are divided for an index": ("NPA103", ("x = [1, 2, 3]\nx[0.3 / 0.1]",), ("x[int(0.3 / 0.1)]",)),
    "labels that a name holds": (
        "PDA150",
        ("import pandas as pd\nt = pd.DataFrame({'a': [1]})\nwanted = ['a', 'a']\nt[{*wanted}]",),
        ("t[[*wanted]]",),
    ),
    "an assignment at the end": (
        "NON102",
        (
            "def find(xs, x):\n    for n, y in enumerate(xs):\n        if x == y:\n            return n\n    last = len(xs)",
            "find([1], 2) + 1",
        ),
        ("return last",),
    ),
    "a sum that the function returns": (
        "NAM103",
        ("total = 0\ndef add(xs):\n    for x in xs:\n        total += x\n    return total", "add([1])"),
        ("global total",),
    ),
    "pages that may be rounded up": ("NPA103", ("pages = 7\nfor n in range(pages / 4):\n    pass",), ("pages // 4",)),
    "half way between two levels": (
        "SYN105",
        ("for x in [1, 2]:\n    y = x\n  print(y)",),
        ("", ""),
    ),
    "an attribute or a method": (
        "SYN103",
        ("values = {'a': 1}\nprint(values.values))",),
        ("values.values())", "(values.values)"),
    ),
    "a function or what it gives": (
        "SYN103",
        ("word = 'a'\ndef tidy(x):\n    return x\ntidy(word.lower))",),
        ("tidy(word.lower())", "tidy(word.lower)"),
    ),
    "what is divided, and a word too many": (
        "SYN108",
        ("total = 9\ncount = 2\nshare = total // of each",),
        ("# of each",),
    ),
    "what a call gives is divided too": ("SYN108", ("share = len([4, 5]) // 2 parts",), ("# 2 parts",)),
    "what stands in brackets is divided too": ("SYN108", ("share = (9 + 3) // 2 parts",), ("# 2 parts",)),
    "a loop of C that changes its counter and goes on": (
        "SYN108",
        ("n = 6\nfor (i = 0; i < n; i++):\n    if i == 2:\n        i = i + 1\n        continue\n    print(i)",),
        ("range(n)",),
    ),
    "the same with braces": (
        "SYN112",
        (
            "n = 6\nfor (i = 0; i < n; i++) {\n    if (i == 2) {\n        i += 2;\n        continue;\n    }\n    print(i);\n}",
        ),
        ("range(n)",),
    ),
    "a loop of C on one line that changes its counter": (
        "SYN112",
        ("n = 6\nfor (i = 0; i < n; i++) { i += 1; print(i); }",),
        ("range(n)",),
    ),
    "half of a number that C rounds": (
        "SYN108",
        ("n = 7\nfor (i = 0; i < n / 2; i++):\n    print(i)",),
        ("while i < n / 2",),
    ),
    "a number that was octal": ("SYN108", ("x = 010",), ("x = 0o10", "x = 10")),
    "a seed without shuffling": (
        "SKL102",
        ("from sklearn.model_selection import KFold\nfolds = KFold(3, random_state=1)",),
        ("KFold(3)", "shuffle=True"),
    ),
    "a file that is opened in a loop": (
        "FIL104",
        ("for word in ['a', 'b']:\n    with open('absent_file.txt') as f:\n        f.write(word)",),
        ('"w"',),
    ),
    "a day that may be a month": (
        "PDA109",
        ("import pandas as pd\npd.to_datetime(['2020-01-31', '03-04-2021'])",),
        ('format="mixed")', "dayfirst=True"),
    ),
    "an amount that grows": (
        "NAM108",
        ("for rate in [0.1, 0.2]:\n    saved *= 1 + rate\nprint(saved)",),
        ("saved = 1\n",),
    ),
    "a place that moves on": ("NAM108", ("for _ in range(3):\n    x += 0.1\nprint(x)",), ("x = 0\n",)),
    "a beginning that is given": (
        "NAM108",
        ("def add(xs, start=0):\n    for x in xs:\n        total += x\n    return total\nadd([1, 2], 10)",),
        ("    total = 0\n",),
    ),
    "texts that hold numbers": (
        "NAM108",
        ("rows = [{'price': '1.5'}]\nfor row in rows:\n    total += row['price']\nprint(total)",),
        ("total = ''\n",),
    ),
    "a sum that may go on from row to row": (
        "NAM108",
        ("for row in [[1, 2], [3]]:\n    for n in row:\n        total += n\n    print(total)\nprint(total)",),
        ("    total = 0\n",),
    ),
    "columns of a table": (
        "NAM108",
        ("import pandas as pd\nt = pd.DataFrame({'a': [1]})\nfor c in t:\n    twice[c] = t[c] * 2\nprint(twice)",),
        ("twice = {}\n",),
    ),
    "a root or a half": ("TYP223", ("x = 9.0\nx ^ 1/2",), ("x ** 1/2",)),
    "how much stands in the exponent": ("TYP223", ("x = 3.0\n2.718 ^ -x**2/2",), ("2.718 ** -x**2/2",)),
    "a product in the exponent": (
        "TYP223",
        ("import math\nk, x = 2, 3.0\nmath.e ^ k*x",),
        ("math.e ** k*x",),
    ),
    "bits of a number that was halved": ("TYP223", ("n = 5\nn ^ (n / 2)",), ("n ** (n / 2)",)),
    "bits beside other bits": ("TYP223", ("h = 5.0\n(h ^ 3) & 255",), ("(h ** 3) & 255",)),
    "a list that is also sorted for its caller": (
        "NON101",
        ("def order(xs):\n    return xs.sort()\na = [2, 1]\norder(a)\norder([3, 1])[0]",),
        ("return sorted(xs)",),
    ),
    "a list that its caller still holds": (
        "NON101",
        ("def order(xs):\n    return xs.sort()\na = [2, 1]\nprint(order(a)[0], a)",),
        ("return sorted(xs)",),
    ),
    "another order of chance": (
        "API213",
        ("import random as r\ndef random():\n    return 0.5", "cards = [1, 2]\nr.shuffle(cards, random)"),
        ("r.shuffle(cards)",),
    ),
    "a star, as a shell reads it": (
        "TYP225",
        ("import re\n[n for n in ['a.csv'] if re.match('*', n)]",),
        (r"re.match(r'\*', n)",),
    ),
    "a row or a column of a square": (
        "NPA121",
        ("import numpy as np\nx, y = np.zeros((2, 2)), np.ones(2)\nnp.concatenate((x, y))",),
        ("y.reshape(1, -1)",),
    ),
    "keys or pairs": (
        "CAL106",
        ("d = {'a': 3}\nmax(d, key=lambda k, v: v)",),
        ("max(d.items(), key=lambda item: item[1])",),
    ),
    "a blank line among lines of which some were taken": (
        "TYP229",
        ("lines = iter(['1', '', '2'])\ntotal = 0\nfor line in lines:\n    total += int(line)",),
        ("    if not line.strip():",),
    ),
    "a blank line among lines of a file": (
        "TYP229",
        ("import io\nlines = io.StringIO('1\\n\\n2\\n')\ntotal = 0\nfor line in lines:\n    total += int(line)",),
        ("    if not line.strip():",),
    ),
    "a blank line between two numbers": (
        "TYP229",
        ("lines = ['1', '', '2']\ntotal = 0\nfor line in lines:\n    total += int(line)",),
        ("    if not line.strip():",),
    ),
    "a text or its words, for an empty list": (
        "TYP230",
        ("words = []\nline = 'a b'\nwords = words + line",),
        ("words + [line]",),
    ),
    "texts that hold several": (
        "PDA159",
        ("import pandas as pd\nt = pd.DataFrame({'tags': ['a|b', 'b']})\ntags = t['tags'].get_dummies()",),
        ("pd.get_dummies(t['tags'])",),
    ),
    "the place or the name of a node": (
        "TYP101",
        ("import networkx as nx\nG = nx.Graph([(1, 2)])\nG.nodes()[0]",),
        ("list(G.nodes())[0]",),
    ),
}
"""Failures that two changes would end with different values: the rule, the cells, and what each patch makes of them."""


@pytest.mark.parametrize("title", AMBIGUOUS)
def test_what_can_mean_two_things_is_offered_and_never_safe(bench: Bench, title: str) -> None:
    code, cells, becomes = AMBIGUOUS[title]
    found = propose(bench, code, *cells)
    assert {level for level, _ in found} == {UNSAFE}
    assert len(found) == len(becomes)
    for part in becomes:
        assert any(part in text for _, text in found), (part, found)


PLAIN = {
    "a row of a square, by its axis": (
        "NPA121",
        ("import numpy as np\nx, y = np.zeros((2, 2)), np.ones(2)\nnp.concatenate((x, y), axis=0)",),
        "y.reshape(1, -1)",
    ),
    "a star at which a text is split": ("TYP225", ("import re\nre.split('*', '2*3')",), r"re.split(r'\*', '2*3')"),
    "a label and a number": ("TYP102", ("total = 3\n'Sum: ' + total",), "'Sum: ' + str(total)"),
    "numbers with texts between": ("TYP102", ("n = 3\n'Sum: ' + n + ' of ' + 5",), "str(n) + ' of ' + str(5)"),
    "a word and a number": ("TYP102", ("name = 'Ann'\nname + 1",), "name + str(1)"),
    "pairs of neighbours": (
        "IDX101",
        ("xs = [1, 2]\nfor i in range(len(xs)):\n    print(xs[i + 1] - xs[i])",),
        "range(len(xs) - 1)",
    ),
    "the notebook's own dictionary": ("TYP105", ("d = {'a': 0}\nfor k in d:\n    del d[k]",), "for k in list(d)"),
    "an object's own dictionary": (
        "TYP105",
        (("class Shop:\n    def __init__(self):\n        self.d = {'a': 0}\n    def clean(self):\n        for k in self.d:\n"
         "            del self.d[k]\nShop().clean()"),),
        "for k in list(self.d)",
    ),
    "a loop that reads no number": ("CAL102", ("n = 3\nfor _ in n:\n    print('x')",), "range(n)"),
    "an index": ("CAL102", ("x = ['a']\nfor i in range(x):\n    print(x[i])",), "range(len(x))"),
    "a branch that drops its value": (
        "NON102",
        ("def fact(n):\n    if n == 0:\n        return 1\n    n * fact(n - 1)", "fact(3) + 1"),
        "return n * fact(n - 1)",
    ),
    "a counter": ("NAM103", ("count = 0\ndef visit():\n    count += 1\nvisit()",), "global count"),
    "a middle": ("NPA103", ("x = [1, 2, 3]\nx[len(x) / 2]",), "len(x) // 2"),
    "one column off": ("SYN105", ("for x in [1, 2]:\n    y = x\n   print(y)",), "\n    print(y)"),
    "a method of which a bracket is left": ("SYN103", ("word = 'a'\nprint(word.lower))",), "print(word.lower())"),
    "a method's way of sorting": ("SYN103", ("print(sorted(['b', 'A'], key=str.lower)))",), "key=str.lower))"),
    "a comment of C": ("SYN108", ("count = 5; // the count of all",), "# the count"),
    "a comment of C behind a text": ("SYN108", ("kind = 'a' // the kind of all",), "# the kind"),
    "a loop of C that changes its counter": (
        "SYN108",
        ("n = 6\nfor (i = 0; i < n; i++):\n    if i == 2:\n        i = i + 1\n    print(i)",),
        "while i < n:",
    ),
    "a day": ("SYN108", ("import datetime\ndatetime.date(2020, 08, 05)",), "(2020, 8, 5)"),
    "dates of one reading": (
        "PDA109",
        ("import pandas as pd\npd.to_datetime(['2020-01-31', '31 January 2021'])",),
        "mixed",
    ),
    "what is counted": ("NAM108", ("for x in 'aba':\n    if x == 'a':\n        n_found += 1\nprint(n_found)",), "n_found = 0\n"),
    "a method that does not read its object": (
        "NAM108",
        ("class Till:\n    def add(self, xs):\n        for x in xs:\n            total += x\n        return total\nTill().add([1])",),
        "total = 0\n",
    ),
    "a product": ("NAM108", ("for i in range(1, 5):\n    result *= i\nprint(result)",), "result = 1\n"),
    "a mean of each column": (
        "NAM108",
        ("import pandas as pd\nt = pd.DataFrame({'a': [1]})\nfor c in t:\n    means[c] = t[c].mean()\nprint(means)",),
        "means = {}\n",
    ),
    "a blank line behind the last": (
        "TYP229",
        ("lines = ['1', '2', '']\ntotal = 0\nfor line in lines:\n    total += int(line)",),
        "    if not line.strip():",
    ),
    "a text for a list of texts": ("TYP230", ("names = ['Ann']\nnames = names + 'Bob'",), "names + ['Bob']"),
    "a text for each row": (
        "PDA159",
        ("import pandas as pd\nt = pd.DataFrame({'kind': ['a', 'b']})\nkinds = t['kind'].get_dummies()",),
        "pd.get_dummies(t['kind'])",
    ),
    "a node's place among names": (
        "TYP101",
        ("import networkx as nx\nG = nx.Graph([('a', 'b')])\nG.nodes()[0]",),
        "list(G.nodes())[0]",
    ),
    "half of a square": ("TYP223", ("v = 3.0\nv ^ 2/2",), "v ** 2/2"),
    "interest": ("TYP223", ("n = 3\n100 * (1 + 0.02) ^ n",), "(1 + 0.02) ** n"),
}  # fmt: skip


@pytest.mark.parametrize("title", PLAIN)
def test_what_can_mean_one_thing_stays_safe(bench: Bench, title: str) -> None:
    code, cells, becomes = PLAIN[title]
    level, text = propose(bench, code, *cells)[0]
    assert level is SAFE
    assert becomes in text


def test_the_old_jaccard_function_is_the_accuracy_unless_samples_may_have_several_labels(bench: Bench) -> None:
    cell = "from sklearn.metrics import jaccard_similarity_score"
    ((level, healed),) = propose(bench, "API101", cell)
    assert (level, "accuracy_score as jaccard_similarity_score" in healed) == (SAFE, True)
    several = "from sklearn.preprocessing import MultiLabelBinarizer"
    ((level, _),) = propose(bench, "API101", several, cell)
    assert level is UNSAFE


def test_a_parameter_that_changed_nothing_goes_and_one_that_did_is_asked_about(bench: Bench) -> None:
    tree = "from sklearn.tree import DecisionTreeClassifier\n"
    ((level, healed),) = propose(bench, "API201", tree + "DecisionTreeClassifier(min_impurity_split=None)")
    assert (level, "DecisionTreeClassifier()" in healed) == (SAFE, True)
    ((level, _),) = propose(bench, "API201", tree + "DecisionTreeClassifier(min_impurity_split=0.1)")
    assert level is UNSAFE
    linear = "from sklearn.linear_model import LinearRegression, Ridge\n"
    ((level, _),) = propose(bench, "API201", linear + "LinearRegression(normalize=True)")
    assert level is SAFE
    ((level, _),) = propose(bench, "API201", linear + "Ridge(normalize=True)")
    assert level is UNSAFE
