"""Of two spellings the one is corrected that is the odd one out, be it the definition or its use."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.context.spelling import is_plain_slip
from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.safety import propose

CLASS = """class Account:
    def __init__(self, balance):
        self.balence = balance
    def deposit(self, n):
        self.balance += n
        return self.balance"""

DEFINITIONS = {
    "an attribute": ("ATT101", (CLASS, "a = Account(100)\na.deposit(50)\nassert a.balance == 150"), "balence"),
    "an attribute whose object was made above": ("ATT101", (CLASS, "a = Account(100)", "print(a.balance)"), "balence"),
    "a method": (
        "ATT101",
        ("class Dog:\n    def barkk(self):\n        return 'wow'\n", "Dog().bark()", "Dog().bark()"),
        "barkk",
    ),
    "a name that is read twice": ("NAM101", ("totl = sum([1, 2])", "print(total)\nassert total == 3"), "totl"),
    "a name that is read once, and is a word": ("NAM101", ("totl = sum([1, 2])\nprint(total)",), "totl"),
    "a name that is added to": ("NAM101", ("totl = 0\nfor x in [1, 2]:\n    total += x\ntotal",), "totl"),
    "a function": ("NAM101", ("def calcualte_mean(xs):\n    return 1", "calculate_mean([1])"), "calcualte"),
    "a parameter": ("NAM101", ("def twice(valeu):\n    return value + value", "twice(2)"), "valeu"),
    "a variable of a function": (
        "NAM103",
        ("def add(xs):\n    totl = 0\n    for x in xs:\n        total += x\n    return total", "add([1])"),
        "totl",
    ),
}
"""The definition is the odd one out: the rule, the cells, and the misspelling that must be gone."""


@pytest.mark.parametrize("title", DEFINITIONS)
def test_a_misspelt_definition_is_corrected_and_not_what_uses_it(bench: Bench, title: str) -> None:
    code, cells, slip = DEFINITIONS[title]
    level, text = propose(bench, code, *cells)[0]
    assert level is Applicability.SAFE
    assert slip not in text


USES = {
    "a use of a word that is defined right": ("NAM101", ("size = 6", "print(siz)"), "print(size)"),
    "a slip in a class that says it right once": (
        "ATT101",
        (("class A:\n    def __init__(self):\n        self.balance = 3\n    def add(self, n):\n        self.balence += n\n"
         "        return self.balence"), "A().add(1)"),
        "return self.balance",
    ),
    "one slip among many uses": ("NAM101", ("kolm = 1\nkolm + kolm", "kollm + 1"), "kolm + 1"),
    "a library's method": ("ATT101", ("words = 'a b'\nwords.splt()\nwords.splt()",), "words.split()\nwords.split()"),
}  # fmt: skip


@pytest.mark.parametrize("title", USES)
def test_a_misspelt_use_is_corrected_where_the_definition_is_right(bench: Bench, title: str) -> None:
    code, cells, becomes = USES[title]
    assert becomes in propose(bench, code, *cells)[0][1]


TWO_WORDS = {
    "a country and a county": ("KEY101", ("kent = {'county': 3}", "kent['country']")),
    "who has work and who has none": ("KEY101", ("kent = {'unemployed': 3}", "kent['employed']")),
    "an attribute": ("ATT101", ("class House:\n    unfurnished = True\nhome = House()", "home.furnished")),
    "a name": ("NAM101", ("rice = 3", "print(price)")),
}
"""What is there is another word than the one that is missed, and no slip of it."""


@pytest.mark.parametrize("title", TWO_WORDS)
def test_a_word_of_its_own_is_no_slip_of_another(bench: Bench, title: str) -> None:
    code, cells = TWO_WORDS[title]
    assert {level for level, _ in propose(bench, code, *cells)} == {Applicability.UNSAFE}


def test_which_words_are_slips() -> None:
    slips = [
        ("arival", "arrival"),
        ("prcie", "price"),
        ("colour", "color"),
        ("X_scale", "X_scaled"),
        ("lenght", "length"),
    ]
    words = [("country", "county"), ("dependent", "independent"), ("mean_rain", "mean_train"), ("Close", "Closed"), ("rice", "price")]  # fmt: skip
    assert [pair for pair in slips if not is_plain_slip(*pair)] == []
    assert [pair for pair in words if is_plain_slip(*pair, strict=True)] == []
