from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.inside.probes import doctests
from jupyter_selfheal.inside.probes.expected import probe
from jupyter_selfheal.model import Ending, Isolation, Oracle, Output, Start, StepResult, Trial
from jupyter_selfheal.scoring.expected import find_stdout_difference, read_parts
from tests.scoring_cases import case_of, patch_of

ENDED = (Ending.FINISHED, Start.AFTER_FAILURE, Isolation("fake"))


def ask(expect: str, result: Any = None, name: str = "", **names: Any) -> dict[str, Any]:
    return probe(SimpleNamespace(user_ns=names), SimpleNamespace(result=result), {"expect": expect, "name": name})


def test_the_expectation_is_evaluated_in_the_users_namespace() -> None:
    found = ask("sum(xs)", 6, xs=[1, 2, 3])
    assert found == {"ok": True, "expected": "6", "got": "6", "why": "", "covers": 1}


def test_an_expectation_may_say_np_though_the_notebook_did_not_import_it() -> None:
    import numpy as np

    assert ask("np.array([1., 2.])", np.array([1.0, 2.0]))["ok"]
    assert ask("array([1, 2])", np.array([1, 2]))["ok"]


def test_the_assigned_variable_stands_in_for_a_cell_that_displays_nothing() -> None:
    assert ask("6", None, "total", total=6)["ok"]
    assert not ask("6", None, "total", total=5)["ok"]


def test_an_expectation_that_raises_is_not_met() -> None:
    found = ask("undefined_name", 6)
    assert not found["ok"]
    assert "NameError" in found["why"]


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
    assert find_stdout_difference(wanted, text) is None


@pytest.mark.parametrize(("wanted", "text"), [("6", "16\n"), ("a\nb", "a b"), ("/^b$/", "ab"), ("/(/", "("), ("x", "")])
def test_other_printed_text_is_a_difference(wanted: str, text: str) -> None:
    assert find_stdout_difference(wanted, text)


def test_what_was_printed_before_the_failure_counts_for_a_resumed_trial() -> None:
    case = case_of(
        ["print('a')\nprint(b)"], line=2, oracle=Oracle(stdout="a\nb"), outputs=(Output("stream", "stdout", "a\n"),)
    )
    same, changed = patch_of(case, "print('a')\nprint('b')"), patch_of(case, "print('a', end='\\n')\nprint('b')")
    left = Trial("p", (StepResult("ok", outputs=(Output("stream", "stdout", "b\n"),)),), *ENDED)
    whole = replace(left, steps=(StepResult("ok", outputs=(Output("stream", "stdout", "a\nb\n"),)),))
    assert read_parts(case, left, same)[0].met
    assert read_parts(case, whole, changed)[0].met
    assert not read_parts(case, replace(left, start=Start.BEFORE_CELL), same)[0].met
