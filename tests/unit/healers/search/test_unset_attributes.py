"""Attributes that methods read and that nothing sets: what ``__init__`` is given and does not keep, what it does not begin; and near misses."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.search.mutations.own_collection import find_class_reads
from jupyter_selfheal.inside.search.scope import Hints
from tests.unit.healers.search.searching import list_texts

PERSON = "class Person:\n    def __init__(self, name, age):\n        self.name = name\n{}\n    def is_grown(self):\n        return self.age >= 18\n"
SHOP = (
    "class Shop:\n    def __init__(self, name):\n        self.name = name\n{}\n    def sell(self, item):\n        {}\n"
)


@pytest.mark.parametrize(
    ("source", "words", "meant"),
    [
        (PERSON.format(""), "never kept", "        self.name = name\n        self.age = age\n"),
        (
            SHOP.format("", "self.sold.append(item)"),
            "never begun",
            "        self.name = name\n        self.sold = []\n",
        ),
        (SHOP.format("", "self.sold[item] = self.sold.get(item, 0) + 1"), "never begun", "        self.sold = {}\n"),
        (SHOP.format("", "self.seen.add(item)"), "never begun", "        self.seen = set()\n"),
        (SHOP.format("", "self.count += 1"), "never begun", "        self.count = 0\n"),
        (
            "class Pile:\n    '''Plates.'''\n    def put(self, plate):\n        self.plates.append(plate)\n",
            "never begun",
            "    '''Plates.'''\n    def __init__(self):\n        self.plates = []\n\n    def put",
        ),
        (
            "class Pile:\n    def __init__(self):\n        pass\n    def put(self, plate):\n        self.plates.append(plate)\n",
            "never begun",
            "    def __init__(self):\n        self.plates = []\n    def put",
        ),
    ],
)
def test_what_nothing_sets_is_set_where_the_object_begins(source: str, words: str, meant: str) -> None:
    assert any(meant in text for text in list_texts(source, words))


@pytest.mark.parametrize(
    "source",
    [
        PERSON.format("        self.age = 0\n"),
        PERSON.format("        self.years = age\n"),
        PERSON.format("").replace("class Person:", "class Person(Being):"),
        PERSON.format("").replace("class Person:", "@dataclass\nclass Person:"),
        PERSON.format("    age = 3\n"),
        PERSON.format("    @property\n    def age(self):\n        return 3\n"),
        PERSON.format("        self.__dict__.update(age=age)\n"),
        PERSON.format("    def grow(self):\n        self.age = 3\n"),
        SHOP.format("", "return self.sold"),
        SHOP.format("        sold = []\n", "self.sold.append(item)"),
        SHOP.replace("name)", "name, goods)").format("", "self.sold.append(item)"),
    ],
)
def test_nothing_is_set_that_something_else_may_set_or_that_is_kept_otherwise(source: str) -> None:
    assert not [text for words in ("never kept", "never begun") for text in list_texts(source, words)]


def test_nothing_is_begun_that_is_set_from_outside() -> None:
    source = SHOP.format("", "self.sold.append(item)")
    tree = ast.parse("shop.sold = []\nshop.sell(1)")
    outside, extended = find_class_reads([tree])
    assert outside == {"sold"}
    assert not list_texts(source, "never begun", Hints(of_classes=outside, extended=extended))
    assert not list_texts(source, "never begun", Hints(extended=frozenset({"Shop"})))
