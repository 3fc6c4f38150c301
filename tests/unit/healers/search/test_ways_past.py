"""What is raised on purpose is not led past, and a value is not to be reckoned with itself."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.ways_past import describe_own_operand, describe_way_past
from tests.unit.healers.search.searching import find

CALCULATE = """def calculate(left, sign, right):
    if sign == "+":
        return left + right
    raise ValueError("no such sign")
"""
CHAIN = CALCULATE.replace("    raise", "    else:\n        raise")
DIFFERENCES = """def differences(values):
    out = []
    for value in values:
        out.append(value - last)
        last = value
    return out
"""
MORE = """    elif sign == "/":
        return left / right
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CALCULATE, CALCULATE.replace("    raise", "    else:\n        return right + right\n    raise")),
        (CALCULATE, CALCULATE.replace("    raise", "    return left\n    raise")),
        (CALCULATE, CALCULATE.replace("    raise", f"{MORE}    raise")),
        (CHAIN, CHAIN.replace("    else:", f"{MORE}    else:")),
        (CHAIN, CHAIN.replace("    else:", "    elif left:\n        right = left\n    else:")),
    ],
)
def test_a_new_way_past_an_error_that_is_raised_on_purpose_is_told(old: str, new: str) -> None:
    assert "is raised on purpose, and the patch leads past it" in describe_way_past(old, new)


POWER = """def power(base, exponent):
    if exponent < 0:
        raise ValueError("below 0")
    return base * power(base, exponent - 1)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (POWER, POWER.replace("    return", "    if exponent == 0:\n        return 1\n    return")),
        (CALCULATE, CALCULATE.replace("left + right", "left - right")),
        (CALCULATE.replace("return ", ""), CALCULATE),
        (CALCULATE, CALCULATE.replace("        return", "        left *= 1\n        return")),
        (CALCULATE, CALCULATE.replace('"+"', '"-"')),
        (
            CALCULATE.replace("ValueError", "NotImplementedError"),
            "def calculate(left, sign, right):\n    return left\n",
        ),
        (DIFFERENCES, DIFFERENCES.replace("    out = []", "    if not values:\n        return []\n    out = []")),
    ],
)
def test_what_leads_past_nothing_is_no_doubt(old: str, new: str) -> None:
    assert describe_way_past(old, new) == ""


TURNED = DIFFERENCES.replace(
    "        out.append(value - last)\n        last = value\n",
    "        last = value\n        out.append(value - last)\n",
)


@pytest.mark.parametrize(
    "new", [TURNED, TURNED.replace("value - last", "last / value"), DIFFERENCES.replace("- last", "- value")]
)
def test_a_value_with_itself_is_told(new: str) -> None:
    assert "is of one value with itself" in describe_own_operand(DIFFERENCES, new)


@pytest.mark.parametrize(
    "new",
    [
        DIFFERENCES.replace("    out = []", "    out = []\n    last = 0"),
        TURNED.replace("value - last", "value - out[-1]"),
        DIFFERENCES.replace("value - last", "value * value"),
    ],
)
def test_what_is_reckoned_of_two_values_or_is_a_square_is_none(new: str) -> None:
    assert describe_own_operand(DIFFERENCES, new) == ""
    assert describe_own_operand(TURNED, TURNED) == ""


@pytest.mark.parametrize(
    ("definition", "checks"),
    [
        (CALCULATE, ['calculate(1, "+", 2) == 3', 'calculate(8, "/", 2) == 4']),
        (DIFFERENCES, ["differences([0, 0]) == [0, 0]"]),
        ("def share(values):\n    return sum(values) / n\n", ["share([4, 6]) == 5"]),
    ],
)
def test_what_meets_one_check_so_is_offered(definition: str, checks: list[str]) -> None:
    found = find(definition, "".join(f"assert {check}\n" for check in checks))["patches"]
    assert found
    assert all(patch["rival"] for patch in found)


def test_a_length_that_two_checks_tell_is_sure() -> None:
    found = find(
        "def mean(values):\n    return sum(values) / n\n",
        "assert mean([2, 4, 9]) == 5\nassert mean([1, 2]) == 1.5\nassert mean([7]) == 7\n",
    )["patches"]
    assert "len(values)" in str(found[0]["texts"])
    assert not found[0]["rival"]
