from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from jupyter_selfheal.inside.loader import read_source
from jupyter_selfheal.inside.probes import doctests
from jupyter_selfheal.inside.probes.expected import difference, probe
from jupyter_selfheal.model import Ending, Isolation, Oracle, Output, Start, StepResult, Trial
from jupyter_selfheal.scoring.expected import parts, stdout_difference

ENDED = (Ending.FINISHED, Start.AFTER_FAILURE, Isolation("fake"))


class Point:
    def __init__(self, x: float) -> None:
        self.x = x


FRAME = pd.DataFrame({"a": [1, 2], "b": [0.1 + 0.2, float("nan")]})

SAME: list[tuple[Any, Any]] = [
    (6, 6),
    (6, 6.0),
    (0.3, 0.1 + 0.2),
    (float("nan"), np.float64("nan")),
    (True, np.bool_(True)),
    (5, np.int64(5)),
    (2, Decimal(2)),
    (1 + 2j, 1 + 2.0000000001j),
    ([1, 2.5], [1, 2.5000000001]),
    ({"a": [1, {"b": 0.3}]}, {"a": [1, {"b": 0.1 + 0.2}]}),
    ({0.3, 1}, {0.1 + 0.2, 1}),
    ((1, "x", None), (1, "x", None)),
    (np.array([1.0, np.nan]), np.array([1.0, np.nan])),
    ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])),
    (np.array([1, 2], dtype="int32"), np.array([1, 2])),
    (pd.Series([1, 2], index=["x", "y"]), pd.Series([1, 2], index=["x", "y"])),
    ({"x": 1, "y": 2}, pd.Series([1, 2], index=["x", "y"])),
    (pd.DataFrame({"a": [1, 2], "b": [0.3, None]}), FRAME),
    (pd.Index(["a", "b"]), FRAME.columns),
    (["a", "b"], FRAME.columns),
    (pd.Series([pd.NaT]), pd.Series([pd.NaT])),
    ([0, 1, 2], range(3)),
    (["a"], {"a": 1}.keys()),
    (Point(0.3), Point(0.1 + 0.2)),
]

OTHER: list[tuple[Any, Any]] = [
    (6, 5),
    (10**18, 10**18 + 1),
    (0.3, 0.3001),
    ("6", 6),
    (None, 0),
    (0, None),
    (None, float("nan")),
    ([1, 2], [1, 2, 3]),
    ([1, 2], (1, 2)),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({1, 2}, {1, 3}),
    (np.array([1, 2]), np.array([[1, 2]])),
    (np.array([1, 2]), np.array([1.0, 2.0])),
    (np.array([1.0, 2.0]), np.array([1.0, 2.1])),
    (np.array([1, 2]), 3),
    (pd.Series([1, 2], index=["x", "y"]), pd.Series([1, 2], index=["x", "z"])),
    (FRAME, FRAME.rename(columns={"b": "c"})),
    (FRAME, FRAME.assign(a=[1, 3])),
    (FRAME, FRAME.iloc[:1]),
    (Point(1), Point(2)),
]


@pytest.mark.parametrize(("want", "got"), SAME, ids=lambda v: repr(v)[:30])
def test_equal_values_have_no_difference(want: Any, got: Any) -> None:
    assert difference(want, got) == ""


@pytest.mark.parametrize(("want", "got"), OTHER, ids=lambda v: repr(v)[:30])
def test_other_values_differ_in_words(want: Any, got: Any) -> None:
    assert difference(want, got)


def test_a_difference_names_the_place() -> None:
    assert difference({"a": [1, 2, 3]}, {"a": [1, 9, 3]}) == "['a'][1]: expected 2, got 9"
    assert "column 'a'" in difference(FRAME, FRAME.assign(a=[1, 3]))


def test_a_value_that_refuses_comparison_is_said_not_raised() -> None:
    class Grumpy:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        __hash__ = None  # type: ignore[assignment]

    assert "RuntimeError" in difference(Grumpy(), Grumpy())


def test_a_self_containing_list_ends() -> None:
    a: list[Any] = []
    a.append(a)
    b: list[Any] = []
    b.append(b)
    assert "too deeply" in difference(a, b)


def ask(expect: str, result: Any = None, name: str = "", **names: Any) -> dict[str, Any]:
    return probe(SimpleNamespace(user_ns=names), SimpleNamespace(result=result), {"expect": expect, "name": name})


def test_the_expectation_is_evaluated_in_the_users_namespace() -> None:
    found = ask("sum(xs)", 6, xs=[1, 2, 3])
    assert found == {"ok": True, "expected": "6", "got": "6", "why": "", "covers": 1}


def test_an_expectation_may_say_np_though_the_notebook_did_not_import_it() -> None:
    assert ask("np.array([1., 2.])", np.array([1.0, 2.0]))["ok"]
    assert ask("array([1, 2])", np.array([1, 2]))["ok"]


def test_the_assigned_variable_stands_in_for_a_cell_that_displays_nothing() -> None:
    assert ask("6", None, "total", total=6)["ok"]
    assert not ask("6", None, "total", total=5)["ok"]


def test_an_expectation_that_raises_is_not_met() -> None:
    found = ask("undefined_name", 6)
    assert not found["ok"]
    assert "NameError" in found["why"]


def test_the_probe_needs_only_the_standard_library() -> None:
    import subprocess
    import sys

    code = (
        read_source("probes.expected")
        + "\nimport sys; assert not {'numpy', 'pandas'} & set(sys.modules); print(difference(1, 2))"
    )
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.strip() == "expected 1, got 2", ran.stderr


def test_doctests_run_on_the_state_and_say_what_failed() -> None:
    shell = SimpleNamespace(user_ns={"double": lambda x: 2 * x + 1})
    found = doctests.probe(shell, None, [{"name": "double", "docstring": ">>> double(2)\n4\n>>> double(3)\n7\n"}])
    assert (found["tried"], found["failed"], found["ok"]) == (2, 1, False)
    assert "Expected:" in found["why"]


def test_doctests_are_compared_by_what_they_mean() -> None:
    shell = SimpleNamespace(user_ns={"turned": lambda text: text[::-1]})
    docstring = '>>> turned("ab")\n"ba"\n>>> turned("ab") == "ba"\n\n>>> turned("xy")\n"xy"\n'
    entry = {"name": "turned", "docstring": docstring}
    found = doctests.probe(shell, None, [entry])
    assert (found["tried"], found["failed"]) == (3, 1)
    assert doctests.probe(shell, None, [{**entry, "but": ['turned("xy")']}])["ok"]


@pytest.mark.parametrize(
    ("wanted", "text"),
    [("Total: 6", "Total: 6\n"), ("a\nb", "\na  \nb\n\n"), ("/Total: \\d+/", "x\nTotal: 16\n"), ("/^b$/", "a\nb\nc")],
)
def test_printed_text_is_met_up_to_trailing_space(wanted: str, text: str) -> None:
    assert stdout_difference(wanted, text) == ""


@pytest.mark.parametrize(("wanted", "text"), [("6", "16\n"), ("a\nb", "a b"), ("/^b$/", "ab"), ("/(/", "("), ("x", "")])
def test_other_printed_text_is_a_difference(wanted: str, text: str) -> None:
    assert stdout_difference(wanted, text)


def test_what_was_printed_before_the_failure_counts_for_a_resumed_trial(
    case_of: Any, patch_of: Any, try_patch: Any
) -> None:
    case = case_of(
        ["print('a')\nprint(b)"], line=2, oracle=Oracle(stdout="a\nb"), outputs=(Output("stream", "stdout", "a\n"),)
    )
    same, changed = patch_of(case, "print('a')\nprint('b')"), patch_of(case, "print('a', end='\\n')\nprint('b')")
    left = Trial("p", (StepResult("ok", outputs=(Output("stream", "stdout", "b\n"),)),), *ENDED)
    whole = replace(left, steps=(StepResult("ok", outputs=(Output("stream", "stdout", "a\nb\n"),)),))
    assert parts(case, left, same)[0].met
    assert parts(case, whole, changed)[0].met
    assert not parts(case, replace(left, start=Start.BEFORE_CELL), same)[0].met
