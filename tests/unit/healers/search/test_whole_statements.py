"""Statements that are missing, in the wrong place or of the wrong form: programs of our own, and near misses."""

from __future__ import annotations

from tests.unit.healers.search.searching import find, list_texts

EARLY = """\
def has_fever(readings):
    for reading in readings:
        if reading > 38:
            return True
        else:
            return False
"""


def test_a_result_in_the_first_round_is_put_after_the_loop() -> None:
    checks = "assert has_fever([36, 39])\nassert not has_fever([36, 37])\nassert has_fever([40, 36]) is True\nassert has_fever([]) is False\n"
    best = find(EARLY, checks)["patches"][0]
    assert best["texts"]["0"] == EARLY.replace(
        "        else:\n            return False\n", "    return False\n"
    ).rstrip("\n")


def test_an_else_that_does_not_return_an_else_of_a_loop_and_a_nested_function_stay() -> None:
    for source in (
        EARLY.replace("            return False", "            print(reading)"),
        EARLY.replace("        else:\n            return False\n", "    else:\n        return False\n"),
        "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
    ):
        assert not list_texts(source, "belongs after the loop")


PRIMES = """\
def primes(n):
    result = []
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
            else:
                result.append(k)
    return result
"""


def test_an_else_below_a_break_is_given_to_the_loop() -> None:
    best = find(PRIMES, "assert primes(12) == [2, 3, 5, 7, 11]\n")["patches"][0]
    assert best["texts"]["0"] == PRIMES.replace(
        "            else:\n                result.append(k)\n", "        else:\n            result.append(k)\n"
    ).rstrip("\n")
    assert not list_texts(PRIMES.replace("break", "print(d)"), "belongs to the loop")


def test_a_difference_is_taken_before_a_whole_product() -> None:
    source = "def to_celsius(f):\n    return f - 32 * 5 / 9\n"
    best = find(source, "assert to_celsius(212) == 100\nassert to_celsius(32) == 0\n")["patches"][0]
    assert best["texts"]["0"].endswith("return (f - 32) * 5 / 9")


PLACE = """\
def find_place(x, queue):
    for i, y in enumerate(queue):
        if x <= y:
            return i
"""


def test_a_missing_last_result_is_found_in_what_the_arguments_are() -> None:
    checks = "assert find_place(3, [1, 5]) == 1\nassert find_place(9, [1, 5]) == 2\nassert find_place(9, []) == 0\nassert find_place(0, [1]) == 0\n"
    assert find(PLACE, checks)["patches"][0]["texts"]["0"].endswith("            return i\n    return len(queue)")


def test_a_function_that_ends_with_a_result_gets_no_other_one() -> None:
    ends = ("    return i\n", "    return None\n", "    return\n")
    assert not any(t.count("return len(queue)") for e in ends for t in list_texts(PLACE + e, "is missing"))


COUNTS = """\
def count_letters(text):
    counts = {}
    for letter in text:
        counts[letter] += 1
    return counts
"""


def test_a_missing_key_starts_with_nothing() -> None:
    best = find(COUNTS, "assert count_letters('noon') == {'n': 2, 'o': 2}\nassert count_letters('') == {}\n")[
        "patches"
    ][0]
    assert "counts.get(letter, 0) + 1" in best["texts"]["0"]


def test_a_missing_list_of_a_key_is_made() -> None:
    source = "def group(words):\n    by = {}\n    for w in words:\n        by[w[0]].append(w)\n    return by\n"
    best = find(source, "assert group(['ab', 'b', 'ac']) == {'a': ['ab', 'ac'], 'b': ['b']}\nassert group([]) == {}\n")[
        "patches"
    ][0]
    assert "by.setdefault(w[0], []).append(w)" in best["texts"]["0"]


def test_slices_attributes_and_plain_names_are_no_missing_keys() -> None:
    for line in ("a[1:] += b", "a.n += 1", "a += 1", "a.append(b)", "a[1:].copy()", "a[0].strip()"):
        assert not list_texts(f"def f(a, b):\n    {line}\n    return a\n", "may have no")


def test_what_is_printed_is_returned_in_all_places_or_in_one() -> None:
    source = "def sign(n):\n    if n < 0:\n        return print(-1)\n    return print(1)\n"
    texts = list_texts(source, "should be returned")
    assert "def sign(n):\n    if n < 0:\n        return -1\n    return 1\n" in texts
    assert len(texts) == 3
    for near in (
        "    print(n)\n    return n\n",
        "    return print()\n",
        "    return print(n, end='')\n",
        "    log(n)\n",
    ):
        assert not list_texts("def f(n):\n" + near, "should be returned")


def test_one_item_is_added_as_an_item_to_what_is_known_to_hold_items() -> None:
    assert list_texts("def f(x):\n    return (1, 2) + x\n", "should be `(x,)`")
    for line in ("x + 1", "(1, 2) + (x,)", "(1, 2) * x", "'a' + x"):
        assert not list_texts(f"def f(x):\n    return {line}\n", "`x` should be `(x,)")


def test_two_assignments_that_are_meant_at_once_are_made_one() -> None:
    definition = "def gcd(a, b):\n    while b != 0:\n        a = b\n        b = a % b\n    return a\n"
    assert any("a, b = b, a % b" in text for text in list_texts(definition, "at once"))
    turned = "def turn(a, b):\n    kept = a\n    a = b\n    b = kept\n    return a, b\n"
    assert not list_texts(turned, "at once")


def test_a_missing_comma_between_texts_is_put_and_what_is_written_down_stays() -> None:
    written = 'def names():\n    shown = []\n    return ["Ann" "Bob", "Cid"]\n'
    assert [t for t in list_texts(written, "comma") if '["Ann", "Bob", "Cid"]' in t]
    assert not list_texts('def names():\n    return ["Ann", "Bob"]\n', "a comma")
    assert not list_texts("""def names():\n    return ["say 'no' 'no'"]\n""", "a comma")
    assert not [t for t in list_texts(written, "should be `shown`") if "return shown" in t]
