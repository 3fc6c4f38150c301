"""The one equality: a table of values that are equal and of values that are not, both ways round where that holds."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.inside import comparator
from jupyter_selfheal.inside.comparator import find_difference, is_equal, is_equal_text
from jupyter_selfheal.inside.loader import write_loading_code
from jupyter_selfheal.inside.probes import expected
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.inside.search.run_candidate import Runner

NAN, INF = float("nan"), float("inf")


class Point:
    def __init__(self, x: float) -> None:
        self.x = x


class Refuses:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = object.__hash__


def define_again() -> Any:
    return type("Point", (), {"__init__": Point.__init__, "__module__": Point.__module__, "__qualname__": "Point"})


def nest(depth: int, inner: Any) -> list[Any]:
    for _ in range(depth):
        inner = [inner]
    return inner


def hold_itself() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    return items


def share(levels: int) -> Any:
    """A structure whose parts are shared: small, but of 2**levels leaves."""
    value: Any = [1, 2.5]
    for _ in range(levels):
        value = [value, value]
    return value


REFUSES = Refuses()
EQUAL, OTHER = 71, 57
"""How many pairs there are: their values are made when a test asks for them, so that numpy and pandas are in no worker before."""


@cache
def build_frame() -> Any:
    import pandas as pd

    return pd.DataFrame({"a": [1, 2], "b": [0.1 + 0.2, NAN]})


@cache
def list_equal() -> list[tuple[Any, Any]]:
    import numpy as np
    import pandas as pd

    frame = build_frame()
    return [
        (6, 6), (6, 6.0), (0.3, 0.1 + 0.2), (1.0, 1.0 + 5e-7), (0.0, 1e-10), (True, 1), (True, np.bool_(True)),
        (NAN, NAN), (NAN, float("nan")), (NAN, np.float64("nan")), (NAN, Decimal("nan")), (INF, INF), (10**400, 10**400),
        (5, np.int64(5)), (2, Decimal(2)), (0.1, Decimal("0.1")), (0.5, Fraction(1, 2)), (Fraction(1, 3), 1 / 3),
        (1 + 2j, 1 + 2.0000000001j), (complex(NAN, 1), complex(NAN, 1)), ("a", "a"), (b"a", b"a"), (None, None),
        ([1, 2.5], [1, 2.5000000001]), ([1, [NAN]], [1, [float("nan")]]), ((1, "x", None), (1, "x", None)),
        ({"a": [1, {"b": 0.3}]}, {"a": [1, {"b": 0.1 + 0.2}]}), ({1: NAN}, {1: float("nan")}),
        ({0.3, 1}, {0.1 + 0.2, 1}), ({1, 2}, frozenset({2, 1})), ({(0.3, "x")}, {(0.1 + 0.2, "x")}),
        (set(range(5000)), {float(n) + 1e-12 for n in range(5000)}),
        ([0, 1, 2], range(3)), (range(3), [0, 1, 2]), (range(3), range(3)), (range(0), []),
        (["a"], {"a": 1}.keys()), ({"a"}, {"a": 1}.keys()), ({"a": 1}.keys(), {"a": 2}.keys()), ([1], {"a": 1}.values()),
        ({"a": 0.3}.values(), {"a": 0.1 + 0.2}.values()), ([("a", 1)], {"a": 1}.items()), ({"a": 1}.items(), {"a": 1}.items()),
        (np.array([1.0, NAN]), np.array([1.0, NAN])), (np.array([1, 2], "int32"), np.array([1, 2])), (np.array(3), np.array(3)),
        ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])), ([1.0, 2], np.array([1, 2])), (np.array(["a"]), np.array(["a"], object)),
        (np.array(["2020-01-01", "NaT"], "M8[D]"), np.array(["2020-01-01", "NaT"], "M8[D]")), ([np.array([1, 2])], [np.array([1, 2])]),
        (np.array([[1, None]], object), np.array([[1, None]], object)),
        (pd.Series([1, 2], index=["x", "y"]), pd.Series([1, 2], index=["x", "y"])), (pd.Series([1, 2]), pd.Series([1.0, 2.0])),
        ({"x": 1, "y": 2}, pd.Series([1, 2], index=["x", "y"])), ([1, 2], pd.Series([1, 2])), (pd.Series([pd.NaT]), pd.Series([pd.NaT])),
        (pd.DataFrame({"a": [1, 2], "b": [0.3, None]}), frame), (["a", "b"], frame.columns), (pd.Index(["a", "b"]), frame.columns),
        ({"a": [1, 2], "b": [0.3, NAN]}, frame), (pd.NA, pd.NA), (pd.RangeIndex(2), pd.Index([0, 1])), (frame, frame.copy()),
        (Point(0.3), Point(0.1 + 0.2)), (Point(1), define_again()(1)), (REFUSES, REFUSES), ([REFUSES], [REFUSES]),
        (hold_itself(), hold_itself()), (nest(5000, 1), nest(5000, 1)), (share(40), share(40)),
    ]  # fmt: skip


@cache
def list_other() -> list[tuple[Any, Any]]:
    import numpy as np
    import pandas as pd

    frame = build_frame()
    return [
        (6, 5), (10**18, 10**18 + 1), (10**400, 1.0), (0.3, 0.3001), (0.0, 1e-8), (INF, -INF), (INF, 1e300), (NAN, 1.0), (True, False),
        (True, 0), ("6", 6), ("6", b"6"), (None, 0), (0, None), (None, NAN), (None, False), (Decimal("sNaN"), 1.0), (Fraction(1, 3), 0.3),
        ([1, 2], [1, 2, 3]), ([1, 2], (1, 2)), ([1, [2, 3]], [1, [2, 4]]), ([], None), ([], {}), ({1}, [1]), ((1,), {1: 2}),
        ({"a": 1}, {"a": 1, "b": 2}), ({"a": 1}, {"b": 1}), ({1, 2}, {1, 3}), ({1}, {1, 2}), ([0, 1], range(3)),
        (["b"], {"a": 1}.keys()), ({"b"}, {"a": 1}.keys()), ([2], {"a": 1}.values()), ({"a": 1}.values(), {"a": 2}.values()),
        (np.array([1, 2]), np.array([[1, 2]])), (np.array([1, 2]), np.array([1.0, 2.0])), (np.array([1.0, 2.0]), np.array([1.0, 2.1])),
        (np.array([1, 2]), 3), (np.array([1, 2]), [1, 2]), ([1, 3], np.array([1, 2])), (np.array([1, 2]), np.array([1, 3])),
        (pd.Series([1, 2], index=["x", "y"]), pd.Series([1, 2], index=["x", "z"])), (pd.Series([1, 2]), pd.Series([1, 3])),
        (frame, frame.rename(columns={"b": "c"})), (frame, frame.assign(a=[1, 3])), (frame, frame.iloc[:1]), (frame, frame["a"]),
        (frame, 1), (1, frame), (pd.NA, 0), (Point(1), Point(2)), (Point(1), 1), (REFUSES, Refuses()), ([REFUSES], [Refuses()]),
        (hold_itself(), [1, [1, [2]]]), (nest(5000, 1), nest(5000, 2)), (nest(3, 1), nest(4, 1)),
    ]  # fmt: skip


def test_every_pair_is_tried() -> None:
    assert (len(list_equal()), len(list_other())) == (EQUAL, OTHER)


@pytest.mark.parametrize("at", range(EQUAL))
def test_equal_values_have_no_difference(at: int) -> None:
    want, got = list_equal()[at]
    assert find_difference(want, got) is None
    assert is_equal(want, got)


@pytest.mark.parametrize("at", range(OTHER))
def test_other_values_differ_in_words(at: int) -> None:
    want, got = list_other()[at]
    assert find_difference(want, got)
    assert not is_equal(want, got)


@pytest.mark.parametrize("at", range(EQUAL + OTHER))
def test_a_search_and_an_expectation_judge_alike(at: int) -> None:
    want, got = (list_equal() + list_other())[at]
    state = {"want": want, "got": got}
    searched = Runner(Program((Unit("got", "cell", cell="c"),), expect="want"), state).run({}, 4_000_000).plausible
    asked = expected.probe(SimpleNamespace(user_ns=state), SimpleNamespace(result=got), {"expect": "want", "name": ""})
    assert searched is asked["ok"]


def test_a_difference_names_the_place_and_both_values() -> None:
    import numpy as np

    frame = build_frame()
    for want, got, told in (
        ({"a": [1, 2, 3]}, {"a": [1, 9, 3]}, "['a'][1]: expected 2, got 9"),
        (frame, frame.assign(a=[1, 3]), "column 'a'[1]: expected 2, got 3"),
        ([1], [1, 2], "expected [1], got [1, 2] (1 items expected, 2 got)"),
        ({"a": 1}, {"b": 1}, "lacks ['a'] and has also ['b']"),
        (np.array([1, 2]), np.array([[1, 2]]), "expected shape (2,), got (1, 2)"),
        (frame, 1, "expected    a    b"),
        (REFUSES, Refuses(), "the value cannot be compared: RuntimeError: no"),
        (Point(1), Point(2), "Point['x']: expected 1, got 2"),
    ):
        assert str(find_difference(want, got)).startswith(told)


def test_no_value_is_looked_at_for_longer_than_so_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparator, "STEPS", 1000)
    assert is_equal(list(range(100_000)), list(range(100_000)))  # flat values are compared at once
    assert (
        find_difference([[n] for n in range(2000)], [[float(n)] for n in range(2000)]) == "[999] is too big to compare"
    )


def test_literals_in_texts_are_compared_by_value() -> None:
    assert is_equal_text('"21"', "'21'")
    assert is_equal_text("{1, 2}", "{2, 1}\n")
    assert not is_equal_text("f(1)", "f(1)")
    assert not is_equal_text("[1]", "(1,)")


def test_it_needs_only_the_standard_library() -> None:
    code = (
        write_loading_code("comparator")
        + "\nc = load()\nimport sys; assert not {'numpy', 'pandas'} & set(sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code + "print(c.find_difference(1, 2))"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.stdout.strip() == "expected 1, got 2", ran.stderr
