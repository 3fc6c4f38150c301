"""Methods are called with generated arguments as functions are, each on an instance of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import pytest

from jupyter_selfheal.inside.search.called_functions import (
    find_callable,
    find_function,
    is_defined_in,
    list_changed_functions,
    list_parameters,
    read_method,
    write_call,
)
from jupyter_selfheal.inside.search.compare_behaviour import collect_behaviours
from jupyter_selfheal.inside.search.localise_faults import trace_program
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.seen import list_hinted_inputs
from tests.unit.healers.search.searching import find

TANK = textwrap.dedent("""\
    class Tank:
        def __init__(self, size, level=0):
            self.size = size
            self.level = level

        def fill(self, litres):
            self.level += litres
            return min(self.level, self.size)

        def drain(self, litres):
            self.level -= litres

        @staticmethod
        def gallons(litres):
            return litres / 4

        @classmethod
        def full(cls, size):
            return cls(size, size)
    """)
LABELS = "from dataclasses import dataclass\n@dataclass\nclass Label:\n    text: str\n    width: int\n    def pad(self, fill):\n        return self.text.ljust(self.width, fill)\n"


def note(text: str, *checks: str) -> Mapping[str, list[tuple[Any, ...]]]:
    """The calls that are noted of a definition and its checks."""
    units = [{"text": t, "role": "define", "mutable": True} for t in text.split("\n\n\n")]
    runner = Runner(
        read_program({"units": [*units, *({"text": c, "role": "check"} for c in checks)]}), {"__name__": "__main__"}
    )
    return {name: given for name, given in trace_program(runner, 100_000).calls.items() if given}


@pytest.mark.parametrize(
    ("text", "checks", "wanted"),
    [
        (TANK, ["assert Tank(5).fill(3) == 3"], {"Tank(_, _).fill": [(5, 0, 3)]}),
        (TANK, ["assert Tank(5, level=4).fill(3) == 5"], {"Tank(_, _).fill": [(5, 4, 3)]}),
        (TANK, ["t = Tank(9)\nassert t.fill(2) == 2\nassert t.fill(3) == 5"], {"Tank(_, _).fill": [(9, 0, 2)]}),
        (TANK, ["assert Tank.gallons(8) == 2"], {"Tank.gallons": [(8,)]}),
        (TANK, ["assert Tank.full(3).level == 3"], {"Tank.full": [(3,)]}),
        (LABELS, ["assert Label('ab', 4).pad('.') == 'ab..'"], {"Label(_, _).pad": [("ab", 4, ".")]}),
        ("class Sums:\n    def add(self, xs):\n        return sum(xs)\n", ["s = Sums()\nassert s.add([1]) == 1\nassert s.add([2]) == 2"],
            {"Sums().add": [([1],), ([2],)]}),
        ("class Memo:\n    def up(self, n):\n        self.seen = n\n        return n + 1\n", ["m = Memo()\nassert m.up(1) == 2\nassert m.up(4) == 5"],
            {"Memo().up": [(1,)]}),
        ("class Fib:\n    def at(self, n):\n        return n if n < 2 else self.at(n - 1) + self.at(n - 2)\n", ["assert Fib().at(4) == 3"],
            {"Fib().at": [(4,)]}),
        ("class Base:\n    def name(self, x):\n        return x\n\n\nclass Kind(Base):\n    pass\n", ["assert Kind().name('a') == 'a'"],
            {"Kind().name": [("a",)]}),
        ("class Rest:\n    def __init__(self, *xs):\n        self.xs = xs\n    def first(self):\n        return self.xs[0]\n", ["assert Rest(1, 2).first() == 1"], {}),
    ],
)  # fmt: skip
def test_a_call_is_noted_where_a_fresh_instance_does_the_same(text: str, checks: list[str], wanted: object) -> None:
    assert note(text, *checks) == wanted


def show(text: str, called: str, given: list[tuple[Any, ...]], check: str = "assert True") -> list[str]:
    units = [{"text": text, "role": "define", "mutable": True}, {"text": check, "role": "check"}]
    runner = Runner(read_program({"units": units}), {"__name__": "__main__"})
    return collect_behaviours(runner, [{}], called, given, 100_000)[0]


def test_what_a_method_leaves_counts_where_it_gives_nothing_or_a_check_asks_for_it() -> None:
    assert show(TANK, "Tank(_, _).drain", [(5, 4, 3), (5, 4, 0)]) == ["None (and leaves level=1)", "None"]
    assert show(TANK, "Tank(_, _).fill", [(5, 1, 3)]) == ["4"]
    assert show(TANK, "Tank(_, _).fill", [(5, 1, 3)], "assert t.level == 4") == ["4 (and leaves level=4)"]
    assert show(TANK, "Tank.full", [(3,)]) == ["Tank(size=3, level=3)"]
    assert show(TANK, "Tank(_, _).empty", [(3, 1)]) == []


def test_the_names_of_methods_are_read_and_written() -> None:
    assert read_method("total") is None
    assert [
        write_call(name, ("ann", 5, [3]))
        for name in ("total", "Tank().sum", "Tank(_, _).fill", "Tank(_).fill", "Tank.of")
    ] == [
        "total('ann', 5, [3])",
        "Tank().sum('ann', 5, [3])",
        "Tank('ann', 5).fill([3])",
        "Tank('ann').fill(5, [3])",
        "Tank.of('ann', 5, [3])",
    ]
    assert [is_defined_in(TANK, name) for name in ("fill", "Tank(_, _).fill", "Tank.full", "Tank().leak")] == [
        False,
        True,
        True,
        False,
    ]
    assert list_parameters(TANK, "Tank(_, _).fill") == ["size", "level", "litres"]
    assert list_parameters(TANK, "Tank.gallons") == ["litres"]
    assert list_parameters(TANK, "Tank.full") == ["size"]
    assert find_callable({"fill": 3, "Tank": 4}, "fill") is find_callable({"Tank": 4}, "Tank().fill") is None
    assert find_function(TANK, "fill") is None
    changed = list_changed_functions(TANK, TANK.replace("self.level -= litres", "self.level = 0"))
    assert [(owner, node.name) for owner, node in changed] == [("Tank", "drain")]


def test_type_hints_of_methods_give_inputs_where_no_constructor_asks_for_any() -> None:
    text = "class Solution:\n    def count(self, xs: list[int], n: int) -> int:\n        return xs.count(n)\n"
    assert list_hinted_inputs(text)["Solution().count"][0] == ([2, 0, -1], 2)
    assert (
        list_hinted_inputs(text.replace(":\n    def count", ":\n    def __init__(self): ...\n    def count", 1)) == {}
    )


RANK = "class Board:\n    def place(self, scores, mine):\n        place = {}\n        for score in scores:\n            if score {} mine:\n                place += 1\n        return place\n"
RANK_CHECKS = "b = Board()\nassert b.place([5, 3], 4) == 2\nassert b.place([], 4) == 1\nassert b.place([9, 8, 7], 1) == 4\nassert b.place([1, 2], 6) == 1\nassert b.place([8, 2, 6], 7) == 2\n"
SHIFT = "class Till:\n    def __init__(self, coins):\n        self.coins = coins\n\n    def pay(self, price):\n        left = {}\n        if left {} 0:\n            return 'short'\n        return left\n"
SHIFT_CHECKS = "assert Till(9).pay(4) == 5\nassert Till(3).pay(8) == 'short'\nassert Till(7).pay(1) == 6\nassert Till(2).pay(6) == 'short'\nassert Till(20).pay(5) == 15\n"


@pytest.mark.parametrize(
    ("text", "checks", "words"),
    [
        (RANK.format("0", ">="), RANK_CHECKS, "`>` for `>=` passes the same checks, and `Board().place("),
        (SHIFT.format("self.coins + price", "<="), SHIFT_CHECKS, "`<` for `<=` passes the same checks, and `Till("),
        (RANK.format("0", ">"), RANK_CHECKS + "assert b.place([4], 4) == 1\nassert b.place([4, 5], 4) == 2\n", ""),
        (SHIFT.format("self.coins + price", "<"), SHIFT_CHECKS + "assert Till(5).pay(5) == 0\n", ""),
    ],
)
def test_a_slip_beside_the_mended_one_is_asked_for_in_methods_too(text: str, checks: str, words: str) -> None:
    rival = find(text, checks)["patches"][0]["rival"]
    assert words in rival if words else not rival
