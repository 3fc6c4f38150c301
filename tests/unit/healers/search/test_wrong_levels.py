"""Statements at the wrong level, answers that come in the first round, and what a loop forgets in each round or at its end."""

from __future__ import annotations

import textwrap

from tests.unit.healers.search.searching import find, list_texts


def _strip(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def test_a_first_value_moves_into_the_outer_loop() -> None:
    old = _strip("""
        def rows_without_zero(table):
            kept = []
            ok = True
            for row in table:
                for cell in row:
                    if cell == 0:
                        ok = False
                if ok:
                    kept.append(row)
            return kept
        """)
    new = old.replace("    ok = True\n", "", 1).replace("for row in table:\n", "for row in table:\n        ok = True\n")
    assert new in list_texts(old, "belongs into `for row in table`")


def test_two_statements_change_their_level_at_once() -> None:
    old = _strip("""
        def heights(steps):
            seen = []
            for step in steps:
                level = 0
                level += step
            seen.append(level)
            return seen
        """)
    new = _strip("""
        def heights(steps):
            seen = []
            level = 0
            for step in steps:
                level += step
                seen.append(level)
            return seen
        """)
    assert new in list_texts(old, "stand at the wrong level")


def test_each_index_goes_on_in_its_own_branch() -> None:
    old = _strip("""
        def weave(left, right):
            out = []
            n = m = 0
            while n < len(left) and m < len(right):
                if left[n] < right[m]:
                    out.append(left[n])
                else:
                    out.append(right[m])
                n += 1
                m += 1
            return out + left[n:] + right[m:]
        """)
    checks = (
        "assert weave([1, 5], [2, 3]) == [1, 2, 3, 5]\nassert weave([], [4]) == [4]\n"
        "assert weave([7, 9], [1]) == [1, 7, 9]\nassert weave([1, 2], [3, 4]) == [1, 2, 3, 4]\n"
    )
    best = find(old, checks)["patches"][0]
    assert "where its item was taken" in best["words"]
    assert not best["rival"]


def test_an_answer_that_needs_all_rounds_comes_after_the_loop() -> None:
    old = _strip("""
        def all_paid(bills):
            for bill in bills:
                if bill > 0:
                    return False
                else:
                    return True
        """)
    assert any(
        t.endswith("            return False\n    return True\n") for t in list_texts(old, "after all the rounds")
    )
    turned = _strip("""
        def fits(keys, box):
            for key in keys:
                if key in box:
                    return True
                return False
        """)
    new = _strip("""
        def fits(keys, box):
            for key in keys:
                if key not in box:
                    return False
            return True
        """)
    assert new in list_texts(turned, "after all the rounds")


def test_a_flag_is_not_set_back_in_each_round() -> None:
    old = _strip("""
        def has_guest(names, guest):
            for name in names:
                if name == guest:
                    found = True
                else:
                    found = False
            return found
        """)
    new = _strip("""
        def has_guest(names, guest):
            found = False
            for name in names:
                if name == guest:
                    found = True
            return found
        """)
    assert new in list_texts(old, "only the last round decides")


def test_what_is_compared_with_the_last_one_is_remembered() -> None:
    old = _strip("""
        def rises(prices):
            before = 0
            count = 0
            for price in prices:
                if price > before:
                    count += 1
            return count
        """)
    new = old.replace("            count += 1\n", "            count += 1\n        before = price\n")
    assert new in list_texts(old, "never changes")


def test_a_group_begins_anew_and_the_last_one_counts() -> None:
    old = _strip("""
        def trains(cars, size):
            out = []
            train = []
            for car in cars:
                train.append(car)
                if len(train) == size:
                    out.append(train)
            return out
        """)
    anew = old.replace("out.append(train)\n", "out.append(train)\n            train = []\n")
    assert anew in list_texts(old, "begins anew here")
    whole = anew.replace("    return out", "    if train:\n        out.append(train)\n    return out")
    assert whole in list_texts(anew, "for the last of them")


def test_nothing_is_applied_where_the_checks_do_not_tell_the_level() -> None:
    """Near misses: one check of one item, which any level meets; a flag that is meant to be the last one's; a sum that is right."""
    one = "def total(xs):\n    out = []\n    for x in xs:\n        n = 0\n        n += x\n    return out\n"
    assert all(p["rival"] for p in find(one, "assert total([4]) == [4]\n")["patches"])
    last = "def is_last_even(xs):\n    for x in xs:\n        if x % 2 == 0:\n            even = True\n        else:\n            even = False\n    return even\n"
    found = find(last, "assert is_last_even([2, 4]) == True\nassert is_last_even([2, 3]) == False\n")
    assert found["why"] == "nothing fails here"
    assert not found["patches"]
    chance = "def pick(xs):\n    for x in xs:\n        if x > 3:\n            return True\n        else:\n            return False\n"
    assert all(p["rival"] for p in find(chance, "assert pick([1, 9]) == True\n")["patches"])
