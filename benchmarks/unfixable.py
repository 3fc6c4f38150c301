"""Failures of many kinds that no small change mends: what the healers are asked, and how long it takes them to say so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unfixable:
    """``above`` runs before the cell that fails; ``checked``: asserts say what is right, so that the search is asked."""

    name: str
    above: str
    failing: str
    checked: bool = False


_PRIMES = "def nth_prime(n):\n    primes = [2]\n    return primes[n]"
_ROMAN = """def to_roman(number):
    result = ''
    for sign, value in [('I', 1), ('X', 10)]:
        while number > value:
            result = sign + result
            number -= value
    return result"""
_LEVELS = """def depth(text):
    deepest = level = 0
    for sign in text:
        if sign == '(':
            level += 1
        deepest = level
    return [deepest] * len(text)"""
_MERGE = """def merge_intervals(spans):
    merged = []
    for start, end in spans:
        if merged and merged[-1][0] == start:
            merged[-1] = (start, end)
        else:
            merged.append((start, end))
    return merged"""
_BANK = """class Bank:
    def __init__(self):
        self.accounts = {}

    def deposit(self, name, amount):
        self.accounts[name] = amount

    def transfer(self, source, target, amount):
        self.accounts[source] -= amount

    def history(self, name):
        return []"""
_PATH = """def shortest(graph, start, goal):
    seen = []
    for node in graph:
        if node == goal:
            return len(seen)
        seen.append(node)
    return -1"""
_ASTRAY = """def collatz(n):
    steps = [n]
    while n != 1 and len(steps) < 99:
        if n % 2:
            n = n // 2
        else:
            n = 3 * n - 1
        steps.append(n)
    return {'steps': sorted(steps), 'peak': n}"""
_CALENDAR = """def weekday(year, month, day):
    names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
    days = day + month * 30 + year * 365
    if year % 4 == 0 and month > 2:
        days = days + 1
    if year % 100 == 0:
        days = days - 1
    return names[days % 7].upper()"""
_WORDS = """def top_words(text, count):
    words = text.split(' ')
    table = {}
    for word in words:
        if word in table:
            table[word] = 1
        else:
            table[word] = 0
    pairs = []
    for word in table:
        pairs.append((table[word], word))
    pairs.sort()
    return pairs[count:]"""
_LONG = "\n".join(
    ["def score(hand):", "    total = 0", "    kinds = [card[0] for card in hand]"]
    + [
        f"    if kinds.count('{kind}') == {n}:\n        total += {n * 3} - len(kinds)"
        for n, kind in enumerate("23456789TJQKA")
    ]
    + [
        "    for suit in 'SHDC':",
        "        if all(card[1] == suit for card in hand):",
        "            total = total * 2",
        "    return total",
    ]
)
_FRAME = "import pandas as pd\ntable = pd.DataFrame({'city': ['Bern', 'Oslo'], 'height': [540, 23]})"

UNFIXABLE = (
    Unfixable("another algorithm", _PRIMES, "assert nth_prime(1) == 2\nassert nth_prime(2) == 3\nassert nth_prime(10) == 29", True),
    Unfixable("half a table", _ROMAN, "assert to_roman(4) == 'IV'\nassert to_roman(1990) == 'MCMXC'\nassert to_roman(3) == 'III'", True),
    Unfixable("another shape of result", _LEVELS, "assert depth('(())') == {'deepest': 2, 'open': 0}\nassert depth('(') == {'deepest': 1, 'open': 1}", True),
    Unfixable("several faults", _MERGE, "assert merge_intervals([(6, 9), (1, 4), (3, 5)]) == [(1, 5), (6, 9)]\nassert merge_intervals([(1, 9), (2, 3)]) == [(1, 9)]", True),
    Unfixable("a class half written", _BANK, "b = Bank()\nb.deposit('a', 5)\nb.transfer('a', 'b', 2)\nassert b.history('a') == [('in', 5), ('out', 2)]\nassert b.accounts == {'a': 3, 'b': 2}", True),
    Unfixable("no search in a graph", _PATH, "g = {5: [], 1: [2, 3], 3: [4], 2: [4], 4: [5]}\nassert shortest(g, 1, 5) == 3\nassert shortest(g, 1, 3) == 1\nassert shortest(g, 2, 5) == 2\nassert shortest(g, 5, 1) == -1", True),
    Unfixable("a loop that goes astray", _ASTRAY, "assert collatz(6) == {'steps': [6, 3, 10, 5, 16, 8, 4, 2, 1], 'peak': 16}", True),
    Unfixable("a wrong formula", _CALENDAR, "assert weekday(2024, 2, 29) == 'Thu'\nassert weekday(2000, 1, 1) == 'Sat'\nassert weekday(1999, 12, 31) == 'Fri'", True),
    Unfixable("a chain of faults", _WORDS, "assert top_words('a b a c. A c', 2) == ['a', 'c']\nassert top_words('', 1) == []", True),
    Unfixable("a long function", _LONG, "assert score(['2S', '2H', '9S', '9H', '9D']) == ('full house', 31)\nassert score(['KS']) == ('high card', 13)", True),
    Unfixable("an expected value", "values = [3, 1, 2]", "%%heal --expect 42\nsum(values) / len(values) - min(values)", True),
    Unfixable("a doctest", "def area(r):\n    '''\n    >>> area(2)\n    'twelve and a half'\n    '''\n    return r * r", "import doctest\nassert doctest.run_docstring_examples(area, globals()) is not None", True),
    Unfixable("a check of data", "total = 98.2", "assert total == 100, 'the shares do not add up'"),
    Unfixable("a key that is nowhere", "prices = {'apple': 1.2, 'pear': 0.8}", "print(prices['saxophone'])"),
    Unfixable("a word for a number", "rows = ['3', 'twelve', '4']", "numbers = [int(row) for row in rows]"),
    Unfixable("a column that is nowhere", _FRAME, "print(table['temperature'].mean())"),
    Unfixable("a file that is nowhere", "", "text = open('zqx_observations.dat').read()"),
    Unfixable("a module that is nowhere", "", "import zqx_laboratory"),
    Unfixable("a name that is nowhere", "", "print(quarterly_balance_of_payments)"),
    Unfixable("an attribute that is nowhere", "import math", "print(math.gravitational_lens(3))"),
    Unfixable("list and dictionary", "a, b = [1, 2], {'x': 1}", "print(a - b)"),
    Unfixable("shapes that do not fit", "import numpy as np\nA, B = np.ones((3, 4)), np.ones((5, 2))", "print((A @ B).sum())"),
    Unfixable("recursion without an end", "def walk(tree):\n    return [walk(branch) for branch in tree] + walk(tree)", "print(walk([[], []]))"),
    Unfixable("text that is no JSON", "import json\nanswer = '<html>busy</html>'", "print(json.loads(answer)['items'])"),
    Unfixable("what does not parse", "", "for all the rows in table, print $name : {\n  next ] if (done"),
    Unfixable("an error of its own", "def load(path):\n    raise RuntimeError('the instrument is switched off')", "data = load('a')"),
)  # fmt: skip
