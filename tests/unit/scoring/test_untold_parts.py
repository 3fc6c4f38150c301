"""What a few examples leave untold of a patched function is a doubt about the patch; what they tell is none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.inside.search.likely_slips import Slip, list_slips
from jupyter_selfheal.inside.search.odd_code import HARDLY_MEANT
from jupyter_selfheal.inside.search.untold_parts import Asked, _describe_missed, probe
from jupyter_selfheal.model import Applicability, Attempt, Oracle, Patch, Probe, Replace, Step
from jupyter_selfheal.scoring.evidence import Count, Evidence
from jupyter_selfheal.scoring.untold_parts import UntoldParts, mark_untold
from jupyter_selfheal.scoring.verdict import build_verdict
from tests.scoring_cases import ask_untold, case_of

SHIPPING = "def shipping(weight, express):\n    cost = 4\n    if weight > 10:\n        cost += 6\n    if express:\n        cost *= 2\n    return cost"
SUM = "def add_up(items):\n    total = 0\n    for n in items:\n        total += n\n    return total"


def test_a_condition_that_no_check_comes_to_both_ways_is_told_with_a_call() -> None:
    said = ask_untold(
        SHIPPING, ["assert shipping(12, 3) == 20", "assert shipping(20, 5) == 20", "assert shipping(2, 3) == 8"]
    )
    assert said == ""
    told = ask_untold(
        "def fine(days, child):\n    if child and days < 3:\n        return 0\n    return days * 2",
        ["assert fine(4, 1) == 8", "assert fine(6, 0) == 12"],
    )
    assert told.startswith("the checks would also hold if `child` were `not child`: `fine(")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("        cost += 6", "no check comes to `cost += 6`"),
        ("        cost = log(weight)", "no check comes to `cost = log(weight)`"),
        ("        cost = 0", "no check comes to `cost = 0`"),
        ("        return 0", ""),
        ("        cost += weight", ""),
        ("        raise ValueError(str(weight))", ""),
        ("        print(weight)", ""),
    ],
)
def test_of_a_safe_fix_only_what_reckons_and_did_not_run_is_told(body: str, said: str) -> None:
    text = f"def shipping(weight):\n    cost = 4\n    if weight > 10:\n{body}\n    return cost"
    assert ask_untold(text, ["assert shipping(2) == 4"], unrun=True) == said


DIGITS = "def digits(n):\n    out = ''\n    while n:\n        if n % 2:\n            out += '1'\n        else:\n            out += '0'\n        n //= 2\n    return out"


def test_that_no_check_tells_from_which_end_a_text_is_put_together_is_told() -> None:
    told = ask_untold(DIGITS, ["assert digits(5) == '101'", "assert digits(9) == '1001'"])
    assert told.startswith("the checks would also hold if `out += '1'` were `out = '1' + out`: `digits(")


@pytest.mark.parametrize(
    ("definition", "checks"),
    [
        (DIGITS, ["assert digits(5) == '101'", "assert digits(4) == '001'"]),
        (SUM, ["assert add_up([1, 1]) == 2", "assert add_up([4, 2, 6]) == 12", "assert add_up([]) == 0"]),
        (
            "def longest(words):\n    sizes = []\n    for w in words:\n        sizes.append(len(w))\n    return max(sizes)",
            ["assert longest(['a', 'bcd', 'ef']) == 3", "assert longest(['xy', 'z']) == 2"],
        ),
    ],
)
def test_an_order_that_a_check_tells_or_that_does_not_matter_is_no_doubt(definition: str, checks: list[str]) -> None:
    said = ask_untold(definition, checks)
    assert not any(end in said for end in (" + out`", " + total`", ".insert(0"))


def test_a_condition_that_no_check_needs_is_told_though_no_call_of_it_can_be_made_up() -> None:
    text = "def price(item):\n    if item.old and item.size < 3:\n        return 0\n    return item.size"
    item = "__import__('types').SimpleNamespace"
    few = [f"assert price({item}(old=False, size=4)) == 4", f"assert price({item}(old=False, size=1)) == 1"]
    assert "the checks would also hold if `item.size < 3` were `not item.size < 3`" in ask_untold(text, few)
    told = [f"assert price({item}(old=True, size={n})) == {gives}" for n, gives in ((2, 0), (3, 3))]
    assert ask_untold(text, [*few, *told]) == ""


def test_a_question_on_which_only_a_print_hangs_is_none_that_a_check_can_tell() -> None:
    text = "def price(size, old):\n    if old:\n        print('old')\n    return size * 2"
    checks = ["assert price(4, True) == 8", "assert price(6, False) == 12"]
    assert ask_untold(text, checks) == ""
    assert ask_untold(text.replace("print('old')", "size = 0 + size"), checks).startswith(
        "the checks would also hold if `old`"
    )


def test_a_call_like_the_checked_ones_that_does_not_end_is_told() -> None:
    text = "def count(n):\n    k = 0\n    while n != 0:\n        n -= 2\n        k += 1\n    return k"
    assert ask_untold(text, ["assert count(8) == 4", "assert count(4) == 2"]).endswith("does not come to an end")


@pytest.mark.parametrize(
    "checks", [["assert add_up([1, 2, 4]) == 7", "assert add_up([5]) == 5"], ["assert add_up([3]) == 4"]]
)
def test_nothing_is_told_where_every_slip_is_noticed_or_a_check_fails(checks: list[str]) -> None:
    assert ask_untold(SUM, checks) == ""


def test_slips_are_of_one_place_each_and_of_no_docstring_or_annotation() -> None:
    text = (
        'def f(xs: list[int], k: int = 1) -> int:\n    """0 < 1."""\n    return xs[k] if k in xs and not xs[1:] else -1'
    )
    slips = list(list_slips(text))
    assert {s.new for s in slips if s.turned} == {"not (k in xs and (not xs[1:]))", "k not in xs", "xs[1:]"}
    assert all(s.text.startswith(text.partition("return ")[0]) or not s.new for s in slips)
    assert "xs[k + 1]" in {s.new for s in slips}


def test_one_slip_that_a_call_shows_is_no_doubt_and_two_are_or_one_in_a_line_put_in() -> None:
    one = [(Slip("", "n", "n + 1", False, line="m = n"), "`f(1)` gives 1, and would give 2")]
    assert _describe_missed(one, 0, Asked()) == ""
    assert _describe_missed(one, 0, Asked(added=("m = n",))).startswith(
        "the checks would also hold if `n` were `n + 1`: `f(1)` gives"
    )
    assert _describe_missed(one * 2, 0, Asked()).startswith("the checks would also hold if `n` were `n + 1`")
    assert _describe_missed(one * 2, 0, Asked(sure=True)) == ""
    assert _describe_missed(one * 3, 9, Asked(sure=True)).startswith("the checks would also hold if `n`")
    assert _describe_missed(one * 3, 13, Asked(sure=True)) == ""


FEE = "def fee(days, members):\n    cost = 0\n    for m in members:\n        if m in days:\n            cost += 2\n        else:\n            cost += 5\n    return cost"
PAIRS = "def pairs(xs, t):\n    out = []\n    for a in xs:\n        for b in xs:\n            if a < b and a + b == t:\n                out.append([a, b])\n    return out"
SPREAD = "def spread(xs):\n    xs = sorted(xs)\n    rest = xs[:]\n    low, high = xs[0], xs[-1]\n    for x in rest:\n        low, high = min(low, x), max(high, x)\n    return high - low"
LONGEST = (
    "def longest(words):\n    sizes = []\n    for w in words:\n        sizes.append(len(w))\n    return max(sizes)"
)


@pytest.mark.parametrize(
    ("definition", "checks", "said"),
    [
        (FEE, ["fee([1, 2], [1, 3, 2]) == 9"], "1 example does not tell enough of what has 2 conditions and loops"),
        (FEE, ["fee([1, 2], [1, 3, 2]) == 9", "fee([], [4]) == 5"], ""),
        (
            PAIRS,
            ["pairs([1, 2, 3], 5) == [[2, 3]]", "pairs([1, 2, 3, 4], 5) == [[1, 4], [2, 3]]"],
            "2 examples do not tell enough of what has 4 conditions and loops",
        ),
        (
            PAIRS,
            [
                "pairs([1, 2, 3], 5) == [[2, 3]]",
                "pairs([1, 2, 3, 4], 5) == [[1, 4], [2, 3]]",
                "pairs([2], 4) == []",
                "pairs([], 1) == []",
            ],
            "",
        ),
        (
            SPREAD,
            ["spread([4, 1, 6]) == 5", "spread([9, 3]) == 6"],
            "2 examples do not tell enough, as 7 of 13 small slips would pass",
        ),
        (LONGEST, ["longest(['a', 'bcd', 'ef']) == 3"], ""),
    ],
)
def test_a_few_examples_tell_too_little_of_what_has_more_to_decide_or_lets_many_slips_pass(
    definition: str, checks: list[str], said: str
) -> None:
    assert ask_untold(definition, [f"assert {check}" for check in checks]) == said


@pytest.mark.parametrize(
    ("old", "given", "added"),
    [
        (SUM.replace("        total += n\n", "        pass\n"), {}, []),
        (SUM.replace("    total = 0\n", ""), {}, ["total = 0"]),
        (SUM.replace("    total = 0\n", ""), {"applicability": Applicability.SAFE}, []),
        (SUM.replace("    total = 0\n", ""), {"ename": "UnboundLocalError"}, []),
        (SUM.replace("+= n", "+= 1"), {}, []),
        (SUM.replace(":", ""), {}, []),
    ],
)
def test_it_is_said_of_a_guess_whether_it_puts_a_statement_in(
    old: str, given: dict[str, Any], added: list[str]
) -> None:
    (step,) = _list_steps([old, "assert add_up([1]) == 1"], 1, SUM, **given)
    assert isinstance(step, Probe)
    assert step.argument["added"] == added


HALVE = "def halve(n):\n    rounds = 0\n    while n > 1:\n        rounds += 1\n        n -= 1\n    return rounds"
EXTREMES = "def extremes(xs):\n    low = min(xs)\n    high = max(xs)\n    return high"
TOTAL = "def total(xs):\n    least = 0\n    out = least\n    for x in xs:\n        out += x\n    return out"


@pytest.mark.parametrize(
    ("definition", "added", "checks", "said"),
    [
        (HALVE, "n -= 1", ["halve(1) == 0", "halve(2) == 1"], "if `1` were `2`"),
        (HALVE, "n -= 1", ["halve(1) == 0", "halve(4) == 3"], ""),
        (EXTREMES, "return high", ["extremes([4]) == 4"], "if `return high` were `return low`"),
        (EXTREMES, "return high", ["extremes([4, 5, 2]) == 5"], ""),
        (TOTAL, "return out", ["total([4]) == 4", "total([1, 2]) == 3", "total([]) == 0"], ""),
    ],
)
def test_of_a_line_put_in_one_slip_is_enough(definition: str, added: str, checks: list[str], said: str) -> None:
    told = ask_untold(definition, [f"assert {check}" for check in checks], added=(added,))
    assert said in told if said else told == ""


LINKS = """class Link:
    def __init__(self, value, next):
        self.value = value
        self.next = next


def link(values):
    return Link(values[0], link(values[1:])) if values else None


def measure_span(node):
    low = high = node.value
    while node:
        low = min(low, node.value)
        high = max(high, node.value)
        node = node.next
    return high - low"""


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        (["measure_span(link([2])) == 0", "measure_span(link([3, 3])) == 0"], True),
        (["measure_span(link([4, 1, 6])) == 5", "measure_span(link([3, 9, 2])) == 7"], False),
    ],
)
def test_of_objects_the_checks_with_other_literals_show_what_a_slip_would_give(checks: list[str], said: bool) -> None:
    space: dict[str, Any] = {}
    exec(LINKS, space)
    units = [{"text": LINKS.rpartition("\n\n\n")[2], "role": "define", "mutable": True}]
    units += [{"text": f"assert {text}", "role": "check", "mutable": False} for text in checks]
    told = probe(SimpleNamespace(user_ns=space), None, {"units": units})
    assert ("a check with" in told) is said


def _list_steps(cells: list[str], at: int, new: str, ename: str = "AssertionError", **given: Any) -> list[Step]:
    case = case_of(cells, at, ename=ename)
    edit = Replace("c0", cells[0], new)
    patch = Patch((edit,), "mend it", healer="search", **given)
    return list(UntoldParts().list_steps(case, patch, HealConfig()))


@pytest.mark.parametrize(
    ("checks", "given", "asked"),
    [
        ("assert add_up([1]) == 1\nassert add_up([2]) == 2", {}, True),
        ("assert add_up([1]) == 1", {"rival": "another one"}, False),
        ("assert add_up([1]) == 1", {"applicability": Applicability.SAFE}, True),
        ("\n".join(f"assert add_up([{n}]) == {n}" for n in range(5)), {}, True),
        ("\n".join(f"assert add_up([{n}]) == {n}" for n in range(5)), {"applicability": Applicability.SAFE}, False),
        ("\n".join(f"assert add_up([{n}]) == {n}" for n in range(30)), {}, False),
        ("x = add_up([1])\nassert x == 1", {}, False),
        ("assert len([1]) == 1", {}, False),
        ("for n in [1, 2]:\n    assert add_up([n]) == n", {}, False),
    ],
)
def test_it_is_asked_of_a_guess_with_a_few_asserts_of_what_it_changes(
    checks: str, given: dict[str, Any], asked: bool
) -> None:
    steps = _list_steps([SUM.replace("+= n", "+= 1"), checks], 1, SUM, **given)
    assert [isinstance(step, Probe) for step in steps] == [True] * asked


def test_what_the_cell_is_expected_to_give_is_a_check_too() -> None:
    cells = [SUM.replace("+= n", "+= 1"), "add_up([1, 2])", "assert add_up([]) == 0"]
    case = case_of(cells, 1, oracle=Oracle(expect="3"))
    patch = Patch((Replace("c0", cells[0], SUM),), "mend it", healer="search")
    (step,) = UntoldParts().list_steps(case, patch, HealConfig())
    assert isinstance(step, Probe)
    assert isinstance(step.argument, dict)
    units = step.argument["units"]
    assert isinstance(units, list)
    checks = [u["text"] for u in units if isinstance(u, dict) and u["role"] == "check"]
    assert checks == ["assert add_up([]) == 0", "assert (add_up([1, 2])) == (3)"]


def test_a_patch_that_leaves_much_untold_is_offered_and_says_why() -> None:
    patch = Patch((), "mend it", healer="search")
    told = Evidence(True, deciding=Count(2, 2), untold="the checks would also hold without `x`: …")
    assert build_verdict(patch, Evidence(True, deciding=Count(2, 2))).score >= 7
    held = build_verdict(patch, told)
    assert held.score < 7
    assert held.plausible
    assert any(r.startswith("A second fault may be left that no check sees: the checks would") for r in held.reasons)


def test_a_safe_mend_of_syntax_is_offered_where_few_checks_leave_a_condition_untold() -> None:
    patch = Patch((), "`:` is missing", healer="rules", applicability=Applicability.SAFE)
    verdict = build_verdict(patch, Evidence(True, own_asserts=3, untold="the checks would also hold without `x`: …"))
    assert verdict.score < 7
    assert any(r.startswith("A second fault may be left") for r in verdict.reasons)


def test_what_is_held_back_does_not_give_way_to_another_patch_of_the_same_few_checks() -> None:
    case = case_of([SUM, "assert add_up([1]) == 1"], 1)
    one, other = (Patch((Replace("c0", SUM, SUM + end),), "mend it", healer="search") for end in ("\n", "\n\n"))
    told, untold = Evidence(True, deciding=Count(1, 1)), Evidence(True, deciding=Count(1, 1), untold="so it is")
    assert [e.untold for e in mark_untold(case, [one, other], [told, untold], ())] == ["so it is", "so it is"]
    assert [e.untold for e in mark_untold(case, [one], [told], ())] == [""]
    before = Attempt(other, verdict=build_verdict(other, untold))
    assert [e.untold for e in mark_untold(case, [one], [told], [before])] == ["so it is"]
    many = Evidence(True, deciding=Count(9, 9))
    assert [e.untold for e in mark_untold(case, [one], [many], [before])] == [""]


def test_what_can_hardly_be_meant_in_one_patch_does_not_hold_back_another() -> None:
    case = case_of([SUM, "assert add_up([1]) == 1"], 1)
    one, other = (Patch((Replace("c0", SUM, SUM + end),), "mend it", healer="search") for end in ("\n", "\n\n"))
    odd = Evidence(True, deciding=Count(1, 1), untold=f"`n` is set and read nowhere, which {HARDLY_MEANT}")
    told = Evidence(True, deciding=Count(1, 1))
    assert [e.untold for e in mark_untold(case, [one, other], [told, odd], ())] == ["", odd.untold]


DOUBLED = 'def add_up(items):\n    """The sum.\n\n    >>> add_up([1])\n    1\n    >>> add_up([2])\n    2\n    >>> add_up([3, 4])\n    7\n    """\n    return sum(items)'


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ("assert add_up([1]) == 1\nassert add_up([2]) == 2\nassert add_up([3, 4]) == 7", "so it is"),
        ("assert add_up([5]) == 5\nassert add_up([6]) == 6\nassert add_up([3, 5]) == 8", ""),
    ],
)
def test_an_example_that_an_assert_asks_as_well_is_no_second_check(checks: str, said: str) -> None:
    case = case_of([DOUBLED, checks], 1)
    one, other = (Patch((Replace("c0", DOUBLED, DOUBLED + end),), "mend it", healer="search") for end in ("\n", "\n\n"))
    held = Evidence(True, deciding=Count(3, 3), doctests=Count(3, 3))
    assert mark_untold(case, [one, other], [held, Evidence(True, untold="so it is")], ())[0].untold == said


def test_an_assert_that_asks_nothing_does_not_keep_the_others_from_being_looked_at() -> None:
    checks = "assert add_up([1]) == 1\nassert True, 'good'"
    assert _list_steps([SUM.replace("+= n", "+= 1"), checks], 1, SUM)


DIGITS_OF = "{}\ndef to_digits(n, bases):\n    out = []\n    while n:\n        out.append(n % base)\n        n //= base\n    return out\n\nassert to_digits(4, 2) == [0, 0, 1]"


@pytest.mark.parametrize(
    ("old", "new", "asked"), [("base = 10", "base = 2", True), ("unit = 10", "unit = 2", False), ("base = 2", "base = 2", False)]
)  # fmt: skip
def test_a_function_that_reads_what_is_set_anew_is_asked_too(old: str, new: str, asked: bool) -> None:
    steps = _list_steps([DIGITS_OF.format(old)], 0, DIGITS_OF.format(new))
    assert [s.argument["units"][0]["text"][:14] for s in steps if isinstance(s, Probe) and isinstance(s.argument, dict)] == (
        ["def to_digits("] if asked else []
    )  # fmt: skip
    if asked:
        (step,) = steps
        assert isinstance(step, Probe)
        said = probe(SimpleNamespace(user_ns={"base": 2}), None, step.argument)  # type: ignore[arg-type]
        assert said.endswith(HARDLY_MEANT)


def test_one_mend_of_what_does_not_parse_is_not_asked_how_much_there_is_to_decide() -> None:
    broken = FEE.replace("else:", "else")
    checks = "assert fee([1, 2], [1, 3, 2]) == 9"
    (step,) = _list_steps(
        [f"{broken}\n\n{checks}"], 0, f"{FEE}\n\n{checks}", "SyntaxError", applicability=Applicability.SAFE
    )
    assert isinstance(step, Probe)
    space: dict[str, Any] = {}
    exec(FEE, space)
    assert isinstance(step.argument, dict)
    assert probe(SimpleNamespace(user_ns=space), None, step.argument | {"unrun": False}) == ""
    assert "tell enough" in probe(SimpleNamespace(user_ns=space), None, step.argument | {"unrun": False, "sure": False})
