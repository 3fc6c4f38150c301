"""Which of two equal items comes first is no fault of a patch that keeps them as they were given; what changes it may be one."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.broken_laws import describe_broken_law
from jupyter_selfheal.inside.search.near_failures import list_near_inputs
from jupyter_selfheal.inside.search.order_of_equals import find_order_keys, is_order_of_equals
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from tests.unit.healers.search.searching import find

BY_AGE = ("[('a', 1), ('b', 2)]", "[('d', 3), ('a', 4)]", "[('z', 5), ('c', 7), ('b', 9)]")
GIVEN = ([("x", 3), ("y", 3)],)
KEPT, TURNED = "[('x', 3), ('y', 3)]", "[('y', 3), ('x', 3)]"


@pytest.mark.parametrize(
    ("results", "mine", "theirs", "is_so"),
    [
        (BY_AGE, KEPT, TURNED, True),
        (BY_AGE, TURNED, KEPT, False),  # what sorts keeps their order
        (BY_AGE[:2], KEPT, TURNED, False),  # too few checks to say what it is put in order by
        ((*BY_AGE, "[('e', 2), ('e', 1)]"), KEPT, TURNED, False),  # no order by anything
        ((*BY_AGE, "[('e', 2), ('f', 2)]"), KEPT, TURNED, False),  # a check has equal ones
        (BY_AGE, KEPT, "[('x', 3)]", False),  # one is lost
        (BY_AGE, "[('x', 3), ('y', 4)]", "[('y', 4), ('x', 3)]", False),  # not equal
        (("['a', 'bb']", "['z', 'yy', 'xxx']", "['q', 'ab']"), "['x', 'y']", "['y', 'x']", False),  # of other items
        (BY_AGE, "!IndexError", KEPT, False),
        (BY_AGE, "[('x',), ()]", "[(), ('x',)]", False),  # what they are put in order by is not there
    ],
)
def test_only_equal_items_that_stay_as_they_were_given_are_not_asked_for(
    results: tuple[str, ...], mine: str, theirs: str, is_so: bool
) -> None:
    assert is_order_of_equals(find_order_keys(results), GIVEN, mine, theirs) is is_so


def test_words_are_put_in_order_by_their_length_too() -> None:
    keys = find_order_keys(("['ccc', 'bb']", "['zzz', 'yy', 'x']", "['bb', 'q']"))
    assert is_order_of_equals(keys, (["x", "y"],), "['x', 'y']", "['y', 'x']")


INSERT = "def oldest(people):\n    result = []\n    for person in people:\n        for i in range(len(result)):\n            if person[1] {} result[i][1]:\n                result.insert(i, person)\n                break\n    return result\n"
ASKED = """
assert oldest([('ann', 30), ('bob', 41), ('cy', 7)]) == [('bob', 41), ('ann', 30), ('cy', 7)]
assert oldest([]) == []
assert oldest([('ann', 30)]) == [('ann', 30)]
assert oldest([('a', 9), ('b', 8), ('c', 7)]) == [('a', 9), ('b', 8), ('c', 7)]
assert oldest([('a', 1), ('b', 2), ('c', 3)]) == [('c', 3), ('b', 2), ('a', 1)]
"""


@pytest.mark.parametrize(("sign", "is_doubted"), [(">", False), pytest.param(">=", True, marks=pytest.mark.slow)])
def test_what_is_put_into_its_place_behind_its_equals_is_applied(sign: str, is_doubted: bool) -> None:
    best = find(INSERT.format(sign), ASKED)["patches"][0]
    assert "result.append(person)" in best["texts"]["0"]
    assert bool(best["rival"]) is is_doubted


DROP = (
    "def drop(xs, value):\n    return [x for x in xs if x != value]\n",
    [([1, 2, 1, 3], 1), ([1, 1, 2], 1), ([2, 1, 1], 1), ([5, 5, 7, 6], 5)],
)


def test_what_is_left_out_altogether_does_not_say_that_all_else_is_given_once() -> None:
    text, checked = DROP
    units = {"units": [{"text": text, "role": "define", "mutable": True}]}
    runner = Runner(read_program(units), {"__name__": "__main__"})
    calls = [([3, 3], 1), ([2, 2, 4], 4)]
    assert describe_broken_law(runner, {0: runner.codes[0]}, "drop", calls, checked) == ""


def test_a_number_that_is_never_more_than_the_length_is_not_asked_for_beyond_it() -> None:
    checked = [([9, 3, 4], 2), ([4, 5, 1], 0), ([2, 9, 3], 3), ([7], 1)]
    within, beyond = (
        [i.arguments for i in list_near_inputs(calls, calls, "largest")] for calls in (checked, [*checked, ([8], 4)])
    )
    assert within
    assert all(count <= len(xs) for xs, count in within)
    assert any(count > len(xs) for xs, count in beyond)
