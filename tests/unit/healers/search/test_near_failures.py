"""What few checks do not come to: an index that leaves the list, a name that nothing defines, the first or the last of two."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.compare_behaviour import collect_behaviours
from jupyter_selfheal.inside.search.empty_inputs import (
    asks_for_empty,
    asks_for_item,
    describe_failure_when_empty,
    describe_new_failure,
    list_empty_inputs,
    takes_number_from_size,
)
from jupyter_selfheal.inside.search.first_or_last import finds_two, list_kept
from jupyter_selfheal.inside.search.near_failures import (
    describe_near_failure,
    find_unknown_name,
    list_bound,
    list_near_inputs,
)
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.unseen_errors import describe_unseen_error
from jupyter_selfheal.surfaces.notebook.open_questions import build_expectation
from tests.unit.healers.search.searching import find
from tests.work import count_calls

PLACE = """\
def place(x, xs):
    for i in range(len(xs)):
        if xs[i] < x:
            continue
        elif xs[{}] < x:
            return len(xs)
        else:
            return i
    return len(xs) - 1
"""
ABOVE = "assert place(42, [-5, 1, 3, 7]) == 4\nassert place(40, (1, 5)) == 2\n"


def rival(definition: str, checks: str) -> str:
    patches = find(definition, checks)["patches"]
    assert patches
    return str(patches[0]["rival"])


def test_an_index_that_leaves_a_list_like_the_checked_ones_is_a_fault_that_is_left() -> None:
    assert rival(PLACE.format("len(xs)"), ABOVE).endswith("raises IndexError with it")
    calls = [(42, [-5, 1, 3, 7]), (40, (1, 5))]
    for last, is_left in (("len(xs)", True), ("-1", False)):
        text = PLACE.format(last)
        said = describe_near_failure(
            prepare(text), {0: compile(text, "<text>", "exec")}, list_near_inputs(calls, calls, "place")
        )
        assert ("IndexError" in said) is is_left


SECOND = "def second(xs):\n    return sorted(xs)[-1]"
ASKED = "assert second([1, 5, 3]) == 3\nassert second([7, 2]) == 2\nassert second([4, 4, 1]) == 4"


@pytest.mark.parametrize(
    ("call", "error", "is_decided"),
    [
        ("second([1])", "an error (IndexError)", True),
        ("second([8])", "an error (IndexError)", True),
        # near misses: a longer list, another error, another call
        ("second([])", "an error (IndexError)", False),
        ("second([1, 2, 3, 4][4:5])", "an error (IndexError)", False),
        ("second([2, 1])", "1", False),
    ],
)
def test_an_error_that_the_user_expects_of_a_call_is_no_doubt(call: str, error: str, is_decided: bool) -> None:
    said = build_expectation(call, error)
    assert said is not None
    best = next(p for p in find(SECOND, ASKED, said=said)["patches"] if "sorted(xs)[-2]" in str(p["texts"]))
    assert (best["rival"] == "") is is_decided


MEANS = (
    "assert mean([1, 2, 3]) == 2\nassert mean([4]) == 4",
    "assert mean([2, 4, 6]) == 4\nassert mean([10]) == 10\nassert mean([1, 2]) == 1.5\nassert mean([0, 0]) == 0",
)


@pytest.mark.parametrize("checks", MEANS)
def test_a_number_too_many_in_a_divisor_is_taken_out(checks: str) -> None:
    """``len(xs[1:]) + 1`` met the checks as well and was put in, as a mean of nothing was 0 before."""
    best = find("def mean(xs):\n    return sum(xs) / (len(xs) + 1)", checks)["patches"][0]
    assert ("+ 1" in str(best["texts"]), best["rival"]) == (False, "")


@pytest.mark.parametrize(
    ("new", "is_taken"),
    [
        ("sum(xs) / len(xs)", True),
        # near misses: another size, a number that stays, what else is changed
        ("sum(xs) / (len(xs[1:]) + 1)", False),
        ("sum(xs) / (len(xs) + 2)", False),
        ("sum(ys) / len(xs)", False),
    ],
)
def test_only_the_number_goes(new: str, is_taken: bool) -> None:
    assert takes_number_from_size("sum(xs) / (len(xs) + 1)", new) is is_taken


def test_a_guard_of_a_divisor_is_no_number_too_many() -> None:
    assert not takes_number_from_size("sum(xs) / max(len(xs), 2)", "sum(xs) / len(xs)")
    runner, codes = (
        prepare("def mean(xs):\n    return sum(xs) / max(len(xs), 2)"),
        "def mean(xs):\n    return sum(xs) / len(xs)",
    )
    said = describe_new_failure(runner, {0: compile(codes, "<text>", "exec")}, {"mean": [([4, 2],)]}, "mean")
    assert said == "`mean([])` raises ZeroDivisionError with it, and gave 0.0 before"


MERGE = """\
def merge(spans):
    merged = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            {}
        else:
            merged.append([start, end])
    return merged
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("merged[-1][1] = max(merged[-2][1], end)", "raises IndexError in `merged[-1][1] = max(merged[-2][1], end)`"),
        ("merged[-1][1] = max(merged[-1][1], end)", ""),
        ("raise IndexError(start)", ""),
    ],
)
def test_an_error_in_a_line_that_no_check_runs_is_a_fault_that_is_left(line: str, said: str) -> None:
    text = MERGE.format(line)
    checked = [([[1, 2], [5, 7]],), ([[1, 3]],)]
    code = compile(text, "<selfheal:0>", "exec")
    seen = {0: {1, 2, 3, 4, 7, 8}}
    runner = prepare(text)
    doubt = describe_unseen_error(runner, {0: text}, {0: code}, "merge", checked, checked, seen)
    assert said in doubt
    assert bool(doubt) is bool(said)
    every = {0: {*seen[0], 5}}
    assert not describe_unseen_error(runner, {0: text}, {0: code}, "merge", checked, checked, every)


def test_what_the_number_is_to_the_list_in_every_checked_call_it_is_in_those_like_them() -> None:
    """The number of buckets is above all that is sorted into them; what is looked for may be anything."""
    buckets = [([], 14), ([3, 11, 2, 9, 1, 5], 12), ([3, 2, 4, 2, 3, 5], 6)]
    near = [given.arguments for given in list_near_inputs(buckets, buckets, "sort")]
    assert not [given for given in near if given[1] <= max(given[0]) and given[1] >= len(given[0])]
    looked_for = [(7, [1, 5, 10]), (-5, (1, 5, 10)), (10, (-5, 7, 10)), (1, [])]
    assert (-5, (-5,)) in [given.arguments for given in list_near_inputs(looked_for, looked_for, "place")]


def test_calls_of_another_kind_are_passed_over() -> None:
    """`total(1, 0)` has no list where the others have one, and was asked for its length."""
    near = list_near_inputs([([], 0), ([3, 3, 1], 0), (1, 0)], [([], 0), ((3, 3, 1), 0)], "total")
    assert near
    assert all(isinstance(given.arguments[0], list | tuple) for given in near)


@pytest.mark.parametrize("items", [["x"], [None, 3], [[1], [2]], ["x", 3]])
def test_a_call_with_items_that_are_no_numbers_is_passed_over(items: list[object]) -> None:
    """`print(position(["x"], 5))` in one cell ended the whole search: a text cannot be compared with 5."""
    checked = [([3, 5, 7], 3), ([3, 5, 7], 7), ([4, 9], 9), ([4, 9], 6)]
    near = [given.arguments for given in list_near_inputs([*checked, (items, 5)], checked, "position")]
    assert near
    assert all(isinstance(item, int | float) for given in near for item in given[0])


def prepare(definition: str, *checks: str) -> Runner:
    units: list[dict[str, object]] = [{"text": definition, "role": "define", "mutable": True}]
    units += [{"text": check, "role": "check", "cell": "c"} for check in checks]
    return Runner(read_program({"units": units}), {"__name__": "__main__"})


def test_all_inputs_are_tried_in_one_go() -> None:
    """All definitions ran anew for each of them, and each had the steps that are for all."""
    text = "def last(xs):\n    return xs[len(xs)] if xs[0] == 5 else xs[0]\n"
    calls = [([1, 2],), ([3],), ([4, 5, 6],)]
    inputs = list_near_inputs(calls, calls, "last")
    runner, codes, said = prepare(text), {0: compile(text, "<text>", "exec")}, list[str]()
    work = count_calls(
        lambda: said.append(describe_near_failure(runner, codes, inputs)), of=collect_behaviours.__code__
    )
    assert (len(inputs) > 1, work) == (True, 1)
    assert said == ["`last([5])` raises IndexError with it"]


CALLS = {
    "the length is free": ([(2, [1, 4, 6]), (1, [3, 5])], True),
    "always two": ([([1, 2],), ([4, 3],)], False),
    "rows": ([([[1], [2]],), ([[3]],)], False),
    "texts": ([("12:30",), ("1:2",)], False),
    "two lists": ([([1, 2], [3]), ([3], [4, 5])], False),
}


@pytest.mark.parametrize(("calls", "has_some"), CALLS.values(), ids=CALLS)
def test_only_a_list_of_any_length_is_varied(calls: list[tuple[object, ...]], has_some: bool) -> None:
    inputs = list_near_inputs(calls, calls, "f")
    assert bool(inputs) == has_some
    for number, items in (i.arguments for i in inputs):
        assert 0 <= abs(number) < len(items)  # it may be a place in the list


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def f(xs):\n    if xs:\n        return 1\n    return limt\n", "limt"),
        ("def f(xs):\n    if xs:\n        return limit\n    return len(xs)\n", ""),
        ("def f(xs):\n    def g(y):\n        return y + len(xs)\n    return [g(x) for x in xs]\n", ""),
        ("def f(xs):\n    import math\n    return math.pi\n", ""),
        ("def f(xs):\n    return f(xs[1:]) if xs else __name__\n", ""),
        ("class A:\n    size = 3\n    def f(self):\n        return self.size\n", ""),
    ],
)
def test_a_name_that_nothing_defines(text: str, name: str) -> None:
    assert find_unknown_name(text, {"limit", "f"}) == name


@pytest.mark.parametrize(
    "text",
    [
        "def start():\n    global total\n    total = 0\n",
        "with open('a.txt') as total:\n    pass\n",
        "try:\n    total = 1\nexcept ValueError as error:\n    print(error)\n",
        "if (2 > 1):\n    total = 1\n",
        "(rate, total) = 1, 2\n",
        "import totals as total\n",
        "if (total := 3) > 2:\n    pass\n",
        "for total in range(3):\n    pass\n",
        "total: int = 3\n",
        "class total:\n    pass\n",
        "total = = 3\n",
    ],
)
def test_what_binds_a_global_name(text: str) -> None:
    assert "total" in list_bound(["x = 1\n", text])


@pytest.mark.parametrize(
    "text", ["print(total)\n", "def f(total):\n    total = 3\n", "def f():\n    global total\n    return total\n", "x.total = 3\n"]
)  # fmt: skip
def test_what_binds_none(text: str) -> None:
    assert "total" not in list_bound([text])


def test_a_name_of_the_cell_or_of_the_session_is_known() -> None:
    text = "RATE = 3\ndef f(xs):\n    if not xs:\n        return {}\n    return sum(xs) - RATE\n"
    checks = "assert f([1, 2]) == 6\nassert f([2, 2]) == 7\n"
    assert rival(text.format("RATE"), checks) == ""
    assert rival(text.format("RTAE"), checks) == "`RTAE` isn't defined anywhere"


@pytest.mark.slow
def test_a_function_that_asks_whether_its_list_is_empty_means_such_a_list() -> None:
    text = "def high(xs):\n    best = xs[0]\n    for x in xs:\n        if x < best:\n            best = x\n    return best\n"
    checks = "assert high((1, 4, 2)) == 4\nassert high((7, 5)) == 7\n"
    assert rival(text, checks) == ""
    asked = text.replace("    best = xs[0]\n", "    if xs == []:\n        return 0\n    best = xs[0]\n")
    assert rival(asked, checks) == "`high(())` raises IndexError with it"


@pytest.mark.parametrize(("text", "asks"), [
    ("if xs == []:", True), ("if not xs:", True), ("if x or not xs:", True), ("if len(xs) == 0:", True), ("while len(xs) < 1:", True),
    ("if x == 0:", False), ("if not xs[0]:", False), ("if not seen(x):", False), ("if len(xs) == 1:", False), ("if len(xs) < 10:", False),
    ("if not found:", False), ("if found == []:", False), ("while not done:", False),
])  # fmt: skip
def test_what_asks_for_an_empty_list(text: str, asks: bool) -> None:
    assert asks_for_empty(f"def f(x, xs):\n    found = done = x\n    {text}\n        pass\n") == asks


@pytest.mark.parametrize(("calls", "is_so"), [
    ([(42, [1, 5]), (3, [7])], True), ([("tea", {"tea": 1})], True), ([([1, 5], 1), ([7, 8, 9], 3)], False), ([([1, 5],), ([7],)], False),
    ([([1], [2])], False), ([([3], len)], False), ([(1, 2)], False), ([], False),
])  # fmt: skip
def test_what_is_looked_for_in_a_collection(calls: list[tuple[object, ...]], is_so: bool) -> None:
    assert asks_for_item("def f(a, b=0):\n    return a == b\n", "f", calls) == is_so


@pytest.mark.parametrize(("body", "is_so"), [
    ("[x for x in xs if x > n]", True), ("xs.index(n)", True), ("xs[n]", True), ("n in xs", True),
    ("[x * n for x in xs]", False), ("round(sum(xs) / n, n)", False), ("xs[0] + n == xs[1]", False),
])  # fmt: skip
def test_what_is_reckoned_with_is_not_looked_for(body: str, is_so: bool) -> None:
    text = f"def scale(xs, n):\n    return {body}\n"
    assert asks_for_item(text, "scale", [([1, 2], 10), ([4, 5], 7)]) == is_so


def test_of_an_empty_list_the_answer_is_that_it_is_not_there() -> None:
    text = (
        "def place(x, xs):\n    if x >= xs[-1]:\n        return len(xs)\n    return [y >= x for y in xs].index(True)\n"
    )
    calls = [(9, [1, 5, 9]), (42, [1, 5, 7]), (0, [3, 8])]
    inputs = list_empty_inputs({"place": calls}, ["place"])
    is_asked = asks_for_item(text, "place", calls)
    runner, codes = prepare(text), {0: compile(text, "<text>", "exec")}
    said = describe_failure_when_empty(runner, codes, inputs, {"int"}, is_asked=is_asked)
    assert said == "`place(9, [])` raises IndexError with it"
    assert describe_failure_when_empty(runner, codes, inputs, {"int"}) == ""
    assert list_empty_inputs({"place": [*calls, (4, [])]}, ["place"]) == []


@pytest.mark.parametrize(("expected", "is_said"), [({"list"}, True), ({"int"}, False)])
def test_a_list_of_a_list_is_not_meant_to_divide_by_its_length(expected: set[str], is_said: bool) -> None:
    text = "def turn(xs, k):\n    k = k % len(xs)\n    return xs[k:] + xs[:k]\n"
    inputs = list_empty_inputs({"turn": [([1, 2, 3], 1)]}, ["turn"])
    said = describe_failure_when_empty(prepare(text), {0: compile(text, "<text>", "exec")}, inputs, expected)
    assert said == ("`turn([], 1)` raises ZeroDivisionError with it" if is_said else "")


FOUND = "def find(xs):\n    found = -1\n    for {}:\n        if {}:\n            {}\n    return found\n"


def test_the_first_may_be_meant_where_the_last_is_kept() -> None:
    wrong = FOUND.format("x in xs", "x % 2 == 1", "found = x")
    checks = "assert find([1, 4, 7]) == 4\nassert find([1, 3]) == -1\n"
    words = "`found` is of the last with `x % 2 != 1`, and no check has two to tell whether the first is meant"
    assert rival(wrong, checks) == words
    ((noted, kept, asked),) = list_kept(wrong.replace("== 1", "!= 1"))
    assert (kept, asked) == ("found", "x % 2 != 1")
    for items, has_two in (("[1, 4, 7]", False), ("[2, 4, 7]", True), ("[1, 3]", True)):  # of none nothing is seen
        runner = prepare(wrong, f"assert find({items})", "assert find([1, 3])")
        assert finds_two(runner, {}, 0, noted, 400_000) is has_two


@pytest.mark.parametrize(("loop", "asked", "body"), [
    ("x in xs", "x > found", "found = x"),  # the greatest so far
    ("x in xs", "x > 3", "found = True"),  # the same each time
    ("x in xs", "x > 3", "found = x\n            break"),
    ("x in xs", "x > 3", "found += x"),
    ("name, x in xs", "name == 'Bo'", "found = x"),  # there mostly is one
    ("i in range(len(xs))", "xs[i] == 3", "found = i"),
    ("row in xs", "row[0] == 3", "found = row"),
])  # fmt: skip
def test_nothing_is_asked_of_what_is_no_choice_of_two(loop: str, asked: str, body: str) -> None:
    assert list_kept(FOUND.format(loop, asked, body)) == []


def test_a_function_may_be_named_as_symtable_names_a_module() -> None:
    assert find_unknown_name("def top(a):\n    b = max(a)\n    return b\n", ()) == ""
    assert find_unknown_name("def top(a):\n    return max(a, c)\n", ()) == "c"
