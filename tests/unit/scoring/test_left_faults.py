"""A fault that a patched function still has, and that its text alone tells: the fix is offered, and not applied."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Oracle, Patch, Replace
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.left_faults import find_left_fault
from jupyter_selfheal.scoring.verdict import build_verdict

IN_LOOP = """\
def spot(x, row):
    for i in range(len(row)):
        if x <= row[i]:
            return i
        elif x > row[-1]:
            return len(row)
        elif {}:
            return 0
"""


def fault_of(before: str, after: str, more: str = "") -> str:
    failure = Failure("a", before, FailureKind.RAISED, "IndexError")
    case = Case(failure, Notebook((Cell("a", before), Cell("b", more))))
    return find_left_fault(case, Patch((Replace("a", before, after),), "Change it"))


@pytest.mark.parametrize("asked", ["len(row) == 0", "not row", "row == []", "row == ()"])
def test_a_question_whether_what_is_gone_through_is_empty_never_holds(asked: str) -> None:
    after = IN_LOOP.format(asked)
    fault = fault_of(after.replace("row[-1]", "row[len(row)]"), after)
    assert fault == f"`{asked}` is asked inside of the loop through `row`, where it never holds"


@pytest.mark.parametrize(
    "after",
    [
        IN_LOOP.format("len(x) == 0"),
        IN_LOOP.format("len(row) == 1"),
        IN_LOOP.format("not row[i]"),
        IN_LOOP.format("len(row) == 0").replace("range(len(row))", "range(x)"),
        IN_LOOP.format("len(row) == 0").replace("return i\n", "row.pop()\n"),
        IN_LOOP.format("len(row) == 0").replace("return i\n", "row = row[1:]\n"),
        IN_LOOP.format("len(row) == 0").replace("return i\n", "heapq.heappop(row)\n"),
        IN_LOOP.format("len(row) == 0").replace("return i\n", "take_one(row)\n"),
        IN_LOOP.format("len(row) == 0").replace("for i in range(len(row))", "while x"),
        "def spot(x, row):\n    if not row:\n        return 0\n    for y in row:\n        if x <= y:\n            return y\n",
        "def spot(x, row):\n    for y in row:\n        x.append(lambda row: 0 if not row else y)\n    if not row:\n        return 0\n",
    ],
)
def test_nothing_is_said_where_it_may_hold(after: str) -> None:
    assert fault_of(after.replace("def spot(x, row):", "def spot(x, row, z):"), after) == ""


BEHIND = """\
def spot(x, row):
    for item in row:
        if x <= item:
            return list(row).index(item)
        elif x > max(row):
            return list(row).index(max(row)) + 1
"""


def test_behind_the_greatest_item_is_not_behind_the_first_that_is_as_great() -> None:
    assert "list(row).index(max(row))` is the place of the first" in fault_of(
        BEHIND.replace("x > max", "x >= max"), BEHIND
    )
    assert "is the place of the first" in fault_of(BEHIND, BEHIND.replace("x > max(row)", "x >= max(row) + 1"))


@pytest.mark.parametrize(
    "after",
    [
        BEHIND.replace("max(row)) + 1", "max(row))"),
        BEHIND.replace("x > max(row)", "x > item"),
        BEHIND.replace("list(row).index(max(row))", "list(x).index(max(row))"),
        "def month_of_most(sales):\n    return sales.index(max(sales)) + 1\n",
    ],
)
def test_the_place_of_the_greatest_item_is_right_where_nothing_is_compared_with_it(after: str) -> None:
    assert fault_of(after.replace("return", "return  0 *"), after) == ""


@pytest.mark.parametrize(
    ("checks", "is_told"),
    [
        ("assert spot(3, []) == 0", False),
        ("assert spot(3, ()) == 0\nassert spot(3, [4]) == 0", False),
        ("assert spot(3, [4]) == 0", True),
        ("assert other([]) == 0", True),
        ("spot(3, [])", True),
    ],
)
def test_it_is_no_fault_where_a_check_says_what_an_empty_one_gives(checks: str, is_told: bool) -> None:
    after = IN_LOOP.format("not row")
    before = after.replace("row[-1]", "row[len(row)]")
    cells = Notebook((Cell("a", before), Cell("b", checks)))
    case = Case(Failure("b", checks, FailureKind.RAISED, "IndexError"), cells)
    assert bool(find_left_fault(case, Patch((Replace("a", before, after),), "Change it"))) == is_told


def test_the_place_of_the_last_item_is_that_of_the_first_of_equal_ones() -> None:
    after = "def end(xs):\n    return xs.index(xs[-1]) + 1\n"
    assert (
        fault_of(after.replace("return ", ""), after) == "`xs.index(xs[-1])` is the place of the first of equal items"
    )


@pytest.mark.parametrize(
    "found",
    ["xs.index(ys[-1])", "xs.index(max(xs))", "xs.index(x)", "xs.index(xs[1:])", "xs.index(xs[0])", "xs.find(xs[-1])"],
)
def test_nothing_is_said_of_another_place(found: str) -> None:
    after = f"def end(xs, ys, x):\n    return {found}\n"
    assert fault_of(after.replace("return ", ""), after) == ""


@pytest.mark.parametrize(
    ("question", "is_told"),
    [("x > top", True), ("top <= x", True), ("top + x > 9", False), ("x > len(xs)", False), ("x != top", False)],
)
def test_the_place_behind_the_greatest_is_told_where_that_has_a_name(question: str, is_told: bool) -> None:
    after = f"def put(x, xs):\n    top = max(xs)\n    if {question}:\n        return xs.index(top) + 1\n    return 0\n"
    assert bool(fault_of(after.replace("return 0", "0"), after)) == is_told


def test_nothing_is_said_of_a_function_that_the_patch_leaves_alone() -> None:
    other = "def end(xs):\n    return xs.index(xs[-1])\n"
    assert fault_of(f"{other}x = end([1)\n".replace("[1)", "[1, 2])"), f"{other}x = end([1])\n") == ""


def test_a_sum_of_many_texts_is_looked_through() -> None:
    """It is as deep as it has texts, and was more than Python's recursion takes."""
    total = " + ".join(["'a'"] * 990)  # of many more Python itself, deep in other calls, makes no tree
    after = f"def end(xs):\n    text = {total}\n    return text + xs.index(xs[-1])\n"
    assert fault_of(after.replace("return ", ""), after).startswith("`xs.index(xs[-1])` is the place")


@pytest.mark.parametrize(
    ("checks", "healer", "score"), [(2, "rules", 6.0), (14, "rules", 6.0), (15, "rules", 9.0), (2, "user", 9.0)]
)
def test_such_a_fix_is_only_offered(checks: int, healer: str, score: float) -> None:
    patch = Patch((Replace("a", "x", "y"),), "Change it", healer=healer, applicability=Applicability.SAFE)
    verdict = build_verdict(patch, Evidence(ran=True, own_asserts=checks, left_fault="`not xs` never holds"))
    assert (verdict.score < 7) == (score < 7)
    assert ("a fault is left" in verdict.feedback) == (score < 7)


SUMMARY = "def summary(values, title):\n    arr = np.array(values, dtype=np.float)\n    return arr.mean()\n"


@pytest.mark.parametrize(
    "before",
    [
        SUMMARY,
        "def f(xs):\n    n = np.float\n    for x in xs:\n        y = n(x)\n        return y\n",
        "def f(n):\n    k = np.float(n)\n    k + 1\n    return k\n",
    ],
    ids=["a parameter", "one round", "a sum"],
)
def test_what_did_nothing_before_says_nothing_of_a_safe_rules_fix(before: str) -> None:
    case = Case(Failure("a", before, FailureKind.RAISED, "AttributeError"), Notebook((Cell("a", before),)))
    edit = Replace("a", before, before.replace("np.float", "float"))
    assert find_left_fault(case, Patch((edit,), "np.float", healer="rules", applicability=Applicability.SAFE)) == ""
    assert find_left_fault(case, Patch((edit,), "np.float", healer="rules", applicability=Applicability.UNSAFE)) != ""


KEEP = """\
def keep(xs):
    kept = []
    for i in range({}):
        if xs[i] not in kept:
            kept.append(xs[i])
    return kept
"""
LOOP = "the loop over `range(len(xs) - 1)` never comes to the last item of `xs`"
FAULTS = {
    "the last item": (KEEP.format("len(xs) - 1"), LOOP),
    "all items": (KEEP.format("len(xs)"), ""),
    "the next item": (KEEP.format("len(xs) - 1").replace("not in kept:", "!= xs[i + 1]:"), ""),
    "the last one apart": (KEEP.format("len(xs) - 1").replace("return kept", "return kept + [xs[-1]]"), ""),
    "a loop of its own": (KEEP.format("len(xs) - 1").replace("return kept", "return [x for x in xs]"), ""),
    "another collection": (KEEP.format("len(xs) - 1").replace("kept.append(xs[i])", "gaps[i] += xs[i]"), ""),
    "a smaller range": (KEEP.format("len(xs) - 1").replace("kept.append(xs[i])", "kept += range(i, 9)"), ""),
    "an unused function": (
        "def f(n):\n    def double(k):\n        return 2 * k\n    return n\n",
        "`double`, which `f` defines, is never used",
    ),
    "a function that is given away": (
        "def f(n):\n    def double(k):\n        return 2 * k\n    return map(double, n)\n",
        "",
    ),
    "a route": ("def f(app):\n    @app.route('/')\n    def home():\n        return 'x'\n", ""),
    "a method that is not called": ("def f(xs):\n    xs.reverse\n    return xs\n", "`xs.reverse` calls nothing"),
    "a method that is called": ("def f(xs):\n    xs.reverse()\n    return xs\n", ""),
    "a value that is shown": ("def f(frame):\n    frame.columns\n    return frame\n", ""),
}


@pytest.mark.parametrize(("after", "fault"), FAULTS.values(), ids=FAULTS)
def test_what_the_text_of_a_patched_function_tells(after: str, fault: str) -> None:
    assert fault_of(after.replace("(", "(z, ", 1), after) == fault


def test_a_function_that_is_not_patched_is_nobodys_question() -> None:
    old = KEEP.format("len(xs) - 1")
    assert fault_of(f"{old}\nx = 1\n", f"{old}\nx = 2\n") == ""


TAKE = """\
def keep_even(xs):
    for x in {}:
        if x % 2:
            {}
    return xs
"""


@pytest.mark.parametrize("taken", ["xs.remove(x)", "xs.pop(xs.index(x))", "del xs[xs.index(x)]", "y = xs.pop(0)"])
def test_a_loop_that_takes_items_out_of_what_it_goes_through_passes_over_others(taken: str) -> None:
    after = TAKE.format("xs", taken)
    fault = fault_of(after.replace("return ", ""), after)
    assert fault.endswith("takes items out of what the loop goes through, and the item behind is passed over")


@pytest.mark.parametrize(
    "after",
    [
        TAKE.format("list(xs)", "xs.remove(x)"),
        TAKE.format("xs[:]", "xs.remove(x)"),
        TAKE.format("xs", "ys.remove(x)"),
        TAKE.format("xs", "xs.remove(x)\n            break"),
        TAKE.format("xs", "xs.remove(x)\n            return xs"),
        TAKE.format("xs", "xs = xs[1:]\n            xs.remove(x)"),
        TAKE.format("xs", "xs.append(x)"),
        TAKE.format("reversed(xs)", "xs.remove(x)"),
        TAKE.format("xs", "y = x\n    else:\n        y = xs.pop()"),
        TAKE.format("xs", "y = x\n    else:\n        if xs:\n            xs.remove(y)"),
    ],
)
def test_nothing_is_said_where_no_item_is_passed_over(after: str) -> None:
    assert fault_of(after.replace("return xs\n", "return\n", 1), after) == ""


@pytest.mark.parametrize(
    "gone_through",
    [
        "sorted(range(0, len(xs) - 1), reverse=True)",
        "range(len(xs) - 1)[::-1]",
        "reversed(list(range(len(xs) - 2)))",
    ],
)
def test_the_last_item_is_left_whatever_the_order(gone_through: str) -> None:
    after = f"def total(xs):\n    s = 0\n    for i in {gone_through}:\n        s += xs[i]\n    return s\n"
    assert (
        fault_of(after.replace("return ", ""), after)
        == f"the loop over `{gone_through}` never comes to the last item of `xs`"
    )


ONE_ROUND = """\
def take(xs, k):
    found = []
    while xs:
        while len(found) < k:
            found.append(xs.pop())
        return found
"""


def test_a_loop_that_returns_in_its_first_round_gives_nothing_without_one() -> None:
    fault = fault_of(ONE_ROUND.replace("< k", "<= k"), ONE_ROUND)
    assert fault == "the loop of `take` returns in its first round, and without one the function gives nothing"


@pytest.mark.parametrize(
    "after",
    [
        ONE_ROUND + "    return found\n",
        ONE_ROUND.replace("while xs", "while True"),
        ONE_ROUND.replace("        return", "        if not xs:\n            continue\n        return"),
        ONE_ROUND.replace("        return found", "        if len(found) == k:\n            return found"),
        "def first(xs, k):\n    for x in xs:\n        return x + k\n",
    ],
)
def test_nothing_is_said_of_a_loop_that_may_go_on_or_is_meant_to_take_one(after: str) -> None:
    assert fault_of(after.replace("k", "k + 1", 2), after) == ""


@pytest.mark.parametrize(
    ("other", "stdout", "is_told"),
    [
        ("'is NOT even'", "4 is even.", True),
        ("'is NOT even.'", "4 is even.", False),
        ("'is odd'", "4 is even.", False),
        ("'is NOT even'", "", False),
    ],
)
def test_a_text_that_ends_otherwise_than_the_one_that_was_to_be_printed_is_told(
    other: str, stdout: str, is_told: bool
) -> None:
    after = f"if n % 2 == 0:\n    print(n, 'is even.')\nelse:\n    print(n, {other})"
    before = after.replace("    print(n, 'is even.')", "print(n, 'is even.')")
    case = Case(Failure("a", before, FailureKind.SYNTAX), Notebook((Cell("a", before),)), oracle=Oracle(stdout=stdout))
    for level in (
        Applicability.SAFE,
        Applicability.UNSAFE,
    ):  # a cell that did not parse has shown nobody what it prints
        patch = Patch((Replace("a", before, after),), "Indent it", applicability=level)
        assert bool(find_left_fault(case, patch)) is is_told


@pytest.mark.parametrize(("level", "is_told"), [(Applicability.SAFE, False), (Applicability.UNSAFE, True)])
def test_a_safe_fix_is_not_blamed_for_a_text_that_was_there_before(level: Applicability, is_told: bool) -> None:
    before = "if lenn([1]):\n    print('is even.')\nelse:\n    print('is NOT even')"
    case = Case(Failure("a", before), Notebook((Cell("a", before),)), oracle=Oracle(stdout="is even."))
    patch = Patch((Replace("a", before, before.replace("lenn", "len")),), "Change `lenn`", applicability=level)
    assert bool(find_left_fault(case, patch)) is is_told


MEAN = "def mean(scores):\n    return sum(scores) / len(score)\n"


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        (MEAN, MEAN.replace(" / len(score)", ""), True),
        (MEAN + "mean([1])\n", MEAN.replace("sum(scores) / len(score)", "scores") + "mean([1])\n", True),
        (MEAN, MEAN.replace("len(score)", "len(scores)"), False),  # another name
        (MEAN, MEAN.replace("    return", "    score = scores\n    return"), False),  # it is bound
        (MEAN, MEAN.replace("/ len(score)", "/ 2"), False),  # something in its place: see the search's doubts
        ("x = 1\nscore\n", "x = 1\n", False),  # a stray word
    ],
)
def test_an_unknown_name_that_is_only_left_out_is_told(before: str, after: str, is_told: bool) -> None:
    failure = Failure("b", "mean([1])", FailureKind.RAISED, "NameError", "name 'score' is not defined")
    case = Case(failure, Notebook((Cell("a", before), Cell("b", "mean([1])"))))
    assert ("left out" in find_left_fault(case, Patch((Replace("a", before, after),), "Change it"))) is is_told


KEPT = "def spot(row):\n    kept = []\n    for x in row:\n        if x in {}:\n            continue\n        kept{}\n    return kept\n"


@pytest.mark.parametrize("more", [" += [x]", ".append(x)"])
@pytest.mark.parametrize("place", ["kept[:x]", "row[x:]"])
def test_an_item_is_no_place_of_what_keeps_it(place: str, more: str) -> None:
    fault = fault_of(KEPT.format("row[1:x]", more), KEPT.format(place, more))
    assert fault == f"`{place}` takes `x`, an item, for a place"


@pytest.mark.parametrize("after", [KEPT.format("kept", " += [x]"), KEPT.format("kept[:9]", ".append(x)"), KEPT.format("kept[:x]", ".append(x)").replace("in row:", "in range(len(row)):"), KEPT.format("[kept[x]]", ".append(x)"), KEPT.format("other[:x]", ".append(x)"), KEPT.format("kept[:x]", ".append(9)")])  # fmt: skip
def test_another_place_is_no_fault(after: str) -> None:
    assert fault_of(after.replace("def spot(row):", "def spot(row, z):"), after) == ""
