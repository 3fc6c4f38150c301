"""What beginners' functions have wrong, one slip or several at once, and what is near it and stays as it is."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.input_domain import list_properties
from jupyter_selfheal.inside.search.laws import list_laws
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import ITEMS, Hints, Scope
from jupyter_selfheal.inside.search.several_edits import describe_doubt_of_several
from tests.unit.healers.search.searching import find, list_texts

BESIDE, TAKEN, EXCHANGED = "is missing beside", "leaves the item", "the keys and the values"
LISTS = Hints(kinds={name: frozenset({ITEMS}) for name in ("xs", "seen")})
ITSELF, TWICE = "gives each item with itself", "gives each pair twice"

MEANS = """def means(pairs):
    totals = {}
    counts = {}
    for k, v in pairs:
        if k in totals:
            totals[k] += v
        else:
            totals[k] = v
            counts[k] = 1
    return {k: totals[k] / counts[k] for k in totals}
"""
ACCOUNT = """class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = 0

    def deposit(self, amount):
        self.balance += amount

    def withdraw(self, amount):
        if amount >= self.balance:
            return False
        self.balance -= amount
        return True
"""
LONGEST = """def longest_word(text):
    words = text.split()
    longest = words[0]
    for word in words:
        if len(word) > len(longest):
            longest = word
            return longest
"""


def get_best(definition: str, checks: str) -> str:
    return find(definition, checks)["patches"][0]["texts"]["0"]


def test_what_one_branch_begins_the_other_one_goes_on_with() -> None:
    checks = 'assert means([("a", 1), ("a", 3)]) == {"a": 2.0}\nassert means([("x", 5), ("y", 7), ("x", 6)]) == {"x": 5.5, "y": 7.0}\n'
    assert get_best(MEANS, checks) == MEANS.replace("+= v\n", "+= v\n            counts[k] += 1\n").rstrip("\n")


def test_what_one_branch_adds_to_the_other_one_begins() -> None:
    missing = MEANS.replace("+= v\n", "+= v\n            counts[k] += 1\n").replace("            counts[k] = 1\n", "")
    assert missing.replace("= v\n    return", "= v\n            counts[k] = 1\n    return") in list_texts(
        missing, BESIDE
    )


@pytest.mark.parametrize(
    "source",
    [
        MEANS.replace("+= v\n", "+= v\n            counts[k] += 1\n"),
        MEANS.replace("            counts[k] = 1\n", "            last = k\n"),
        MEANS.replace("        else:", "        elif v:"),
        MEANS.replace("totals[k] += v", "return None"),
    ],
)
def test_branches_that_are_not_of_one_kind_stay(source: str) -> None:
    assert list_texts(source, BESIDE) == []


def test_three_slips_of_a_class_are_found_though_one_by_itself_mends_no_check() -> None:
    checks = (
        'a = Account("x", 10)\nassert [a.deposit(5), a.withdraw(3), a.balance] == [15, True, 12]\n'
        'b = Account("y")\nassert b.withdraw(1) is False\n'
        'c = Account("z", 4)\nassert [c.withdraw(4), c.deposit(2)] == [True, 2]\n'
        'd = Account("w", 1)\nassert [d.deposit(1), d.deposit(1), d.withdraw(5), d.withdraw(3)] == [2, 3, False, True]\n'
    )
    right = ACCOUNT.replace("self.balance = 0", "self.balance = balance").replace(">=", ">")
    right = right.replace("+= amount\n", "+= amount\n        return self.balance\n")
    assert get_best(ACCOUNT, checks) == right.rstrip("\n")


def test_the_constructor_and_a_local_name_of_another_method_give_nothing_back() -> None:
    words = [c.words for c in list_changes(Scope(ACCOUNT)) if "does not return" in c.words]
    assert "`deposit` does not return `self.balance`" in words
    assert not [w for w in words if "__init__" in w or w.endswith(("`balance`", "`owner`"))]


def test_pop_takes_out_what_it_gives() -> None:
    source = "class Stack:\n    def pop(self):\n        return self.items[-1]\n"
    assert list_texts(source, TAKEN) == [source.replace("self.items[-1]", "(self.items.pop())")]
    source = "def dequeue(line):\n    return line[0]\n"
    assert list_texts(source, TAKEN) == [source.replace("line[0]", "(line.pop(0))")]


@pytest.mark.parametrize(
    "source",
    [
        "class Stack:\n    def peek(self):\n        return self.items[-1]\n",
        "def pop(line):\n    del line[-1]\n    return line[-1]\n",
        "def pop(line):\n    line = line[1:]\n    return line[0]\n",
        "def pop(line, n):\n    return line[n]\n",
        "def popular(line):\n    return line[0]\n",
    ],
)
def test_what_only_looks_or_has_taken_out_stays(source: str) -> None:
    assert list_texts(source, TAKEN) == []


def test_a_table_that_is_asked_for_its_values_is_turned_round() -> None:
    source = 'def close(c):\n    pairs = {"(": ")", "[": "]"}\n    return pairs[c]\n'
    checks = 'assert close(")") == "("\nassert close("]") == "["\n'
    assert '{")": "(", "]": "["}' in get_best(source, checks)


@pytest.mark.parametrize("table", ['{"a": 1, "b": 2}', '{"a": "b"}', '{"a": "b", "b": "a"}', '{"a": x, "b": "c"}'])
def test_a_table_that_cannot_be_turned_round_stays(table: str) -> None:
    assert list_texts(f"def f(c, x):\n    return {table}[c]\n", EXCHANGED) == []


PAIR = """def has_pair(xs, target):
    for i in range(len(xs)):
        for j in range({}):
            if xs[i] + xs[j] == target:
                return True
    return False
"""


@pytest.mark.parametrize("stop", ["len(xs)", "0, len(xs)", "i, len(xs)"])
def test_no_item_is_paired_with_itself(stop: str) -> None:
    checks = (
        "assert has_pair([1, 2, 3], 5) is True\nassert has_pair([1, 3], 7) is False\nassert has_pair([4], 8) is False\n"
    )
    checks += "assert has_pair([4, 4], 8) is True\nassert has_pair([3, 1, 2], 6) is False\n"
    assert get_best(PAIR.format(stop), checks) == PAIR.format("i + 1, len(xs)").rstrip("\n")


@pytest.mark.parametrize("stop", ["i + 1, len(xs)", "1, len(xs)", "len(ys)", "n, len(xs)"])
def test_other_loops_within_a_loop_stay(stop: str) -> None:
    assert list_texts(PAIR.format(stop), ITSELF) == list_texts(PAIR.format(stop), TWICE) == []


def test_the_best_so_far_is_given_back_once_all_were_seen() -> None:
    checks = 'assert longest_word("a bb cc") == "bb"\nassert longest_word("hello") == "hello"\nassert longest_word("one three two") == "three"\n'
    moved = LONGEST.replace("            return longest", "    return longest")
    assert get_best(LONGEST, checks) == moved.rstrip("\n")


@pytest.mark.parametrize(
    "source",
    [
        LONGEST.replace("len(word) > len(longest)", "len(word) > 5"),
        LONGEST.replace("            longest = word\n", "            words = [word]\n"),
        LONGEST.replace("return longest", "return word"),
    ],
)
def test_what_is_found_first_is_given_back_as_likely_as_before(source: str) -> None:
    assert [c.prior for c in list_changes(Scope(source)) if "belongs after both blocks" in c.words] == [0.4]


def test_what_a_function_only_reads_is_not_added_to() -> None:
    source = (
        "def runs(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n"
    )
    assert list_texts(source, "`xs.append(best)` is missing", LISTS) == []
    assert list_texts(source.replace("return best", "print(best)"), "`xs.append(best)` is missing", LISTS)


@pytest.mark.parametrize(
    "source",
    [
        "def visit(node, seen):\n    if node in seen:\n        return 0\n    return 1\n",
        "def put(node, seen=[]):\n    n = len(seen)\n    return n\n",
        "def put(node, seen):\n    n = len(seen)\n    return seen\n",
        "def put(node, seen):\n    n = len(seen)\n",
    ],
)
def test_what_may_be_to_be_filled_is(source: str) -> None:
    assert list_texts(source, "`seen.append(node)` is missing", LISTS)


@pytest.mark.parametrize(
    ("spoken_for", "failed", "is_held"), [(0, 2, True), (1, 2, False), (1, 1, True), (2, 2, False), (2, 1, True)]
)
def test_what_its_text_speaks_for_needs_no_checks_of_its_own(spoken_for: int, failed: int, is_held: bool) -> None:
    both = Candidate({0: "", 1: ""}, "two slips", 1, 0.5, 0, 10, edits=2, spoken_for=spoken_for)
    assert bool(describe_doubt_of_several(both, failed, 4)) is is_held


def test_slips_that_are_senseless_by_their_text_are_known_as_such() -> None:
    source = "def f(word, n):\n    word.lower()\n    n =+ 1\n    k = - 1\n    word.append(1)\n    k = -1\n    return word, n, k\n"
    changes = list_changes(Scope(source))
    assert {c.words for c in changes if c.kind == "senseless"} == {
        "the result of `word.lower()` is dropped",
        "`=+` should be `+=`",
    }


LETTERS = "has what is no item of what it is given"


def test_letters_that_come_out_small_are_no_item_of_what_is_given() -> None:
    known = [
        (("Anna",), {"a": 2, "n": 2}),
        (("a b a",), {"a": 2, "b": 1}),
        (("zZ9",), {"z": 2}),
        (("hi",), {"h": 1, "i": 1}),
    ]
    assert LETTERS not in [law.words for law in list_laws(known)]


@pytest.mark.parametrize(
    "first",
    [
        (("anna",), {"a": 2, "n": 2}),
        (("Ann",), {"A": 1, "n": 2}),
        (("Anna",), {"A": 1, "a": 1, "n": 2}),
        (("Bnn",), {"n": 2}),
    ],
)
def test_other_letters_are(first: tuple[tuple[str], dict[str, int]]) -> None:
    known = [first, (("a b a",), {"a": 2, "b": 1}), (("z9",), {"z": 1}), (("hi",), {"h": 1, "i": 1})]
    assert LETTERS in [law.words for law in list_laws(known)]


def test_tables_and_lists_of_one_shape_are_known_as_such() -> None:
    assert {(0, "rows of one length"), (1, "the shape of 0")} <= list_properties(([[1, 2], [3, 4]], [[0, 0], [0, 0]]))


@pytest.mark.parametrize(
    "given", [([[1], [3, 4]], [[0], [0, 0, 0]]), ([1, 2], [3]), ([[]], []), ([[1, 2], [3]], [[1], [2, 3]])]
)
def test_lists_of_other_shapes_are_told_from_these(given: tuple[list[object], list[object]]) -> None:
    assert (1, "the shape of 0") not in list_properties(given)
