"""What the search mends, and what it must leave as it is, with real candidates in a fake kernel."""

from __future__ import annotations

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer, _merge_offers
from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.healers.syntax.propose import RUNS
from jupyter_selfheal.inside.search.idle_conditions import change_condition
from jupyter_selfheal.model import Applicability, Case, Cell, Failure, FailureKind, Notebook, Oracle, Output, Patch
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import NoFacts
from tests.unit.healers.search.searching import find

NOTHING = Oracle()


def search(
    *sources: str, oracle: Oracle = NOTHING, at: int = -1, cells: tuple[Cell, ...] = (), seconds: float = 8.0
) -> Answer:
    """Ask for patches of the cell at ``at`` (the last), the ones above having run."""
    cells = cells or tuple(Cell(f"c{n}", source) for n, source in enumerate(sources))
    failing = cells[at]
    above = cells[: cells.index(failing)]
    case = Case(Failure(failing.id, failing.source, FailureKind.MISSED), Notebook(cells), oracle)
    kernel = FakeKernel([c.source for c in above])
    return SearchHealer(HealConfig(search_seconds=seconds)).propose(case, Starts((kernel,)), NoFacts(), ())


def after(patch: Patch, cell_id: str = "c0") -> str:
    return patch.source_of(cell_id, "")


MENDED = {
    "comparison": ("def f(a):\n    return [x for x in a if x > 2]\n", "x > 2", "x >= 2", "assert f([1, 2, 3]) == [2, 3]\nassert f([2]) == [2]"),
    "loop that never ends": (
        "def f(n):\n    k = 0\n    while n > 0:\n        k += n\n        n += 1\n    return k\n", "n += 1", "n -= 1",
        "assert f(3) == 6\nassert f(5) == 15",
    ),
    "missing base case": (
        "def f(n):\n    return n * f(n - 1)\n", "    return n * f(n - 1)\n", "    if n == 0:\n        return 1\n    return n * f(n - 1)\n",
        "assert f(5) == 120\nassert f(1) == 1\nassert f(0) == 1",
    ),
    "inverted formula": ("def rate(part, whole):\n    return whole / part * 100\n", "whole / part", "part / whole", "assert rate(1, 4) == 25\nassert rate(3, 4) == 75"),
    "=+ for +=": ("def f(a):\n    t = 0\n    for x in a:\n        t =+ x\n    return t\n", "t =+ x", "t += x", "assert f([1, 2, 3]) == 6"),
    "precedence": ("def mid(a, b):\n    return a + b / 2\n", "a + b / 2", "(a + b) / 2", "assert mid(2, 4) == 3\nassert mid(1, 1) == 1"),
    "return in the loop": (
        "def f(a):\n    t = 0\n    for x in a:\n        t += x\n        return t\n", "        return t\n", "    return t\n",
        "assert f([1, 2, 3]) == 6\nassert f([]) == 0",
    ),
    "wrong method": ("def f(s):\n    return s.upper()\n", "upper", "lower", "assert f('Ab') == 'ab'"),
    "missing append": (
        "def f(a):\n    found = []\n    for x in a:\n        if x % 2:\n            y = x * x\n    return found\n",
        "            y = x * x\n", "            y = x * x\n            found.append(y)\n", "assert f([1, 2, 3]) == [1, 9]\nassert f([5]) == [25]",
    ),
    "a call under no condition": (
        "def both(a, b):\n    found = set()\n    for x in a:\n        for y in b:\n            found.add(x)\n    return sorted(found)\n",
        "            found.add(x)\n", "            if x == y:\n                found.add(x)\n", "assert both([1, 2], [2, 3]) == [2]\nassert both([4, 1, 2], [2, 4]) == [2, 4]\nassert both([7, 5], [5, 3]) == [5]\nassert both([1, 5], [1, 3]) == [1]",
    ),
    "last round of a loop": (
        "def join(a, s):\n    out = []\n    if not a:\n        return out\n    for x in a[:-1]:\n        out.append(x)\n        out.append(s)\n    return out\n",
        "        out.append(s)\n", "        out.append(s)\n    out.append(a[-1])\n", "assert join([1, 2], 0) == [1, 0, 2]\nassert join([5], 9) == [5]",
    ),
    "one side of a comparison": (
        "def mirror(a):\n    n = 0\n    for i in range(len(a) // 2):\n        if n != a[len(a) - i - 1]:\n            n += 1\n    return n\n",
        "n != a[", "a[i] != a[", "assert mirror([1, 2, 1]) == 0\nassert mirror([1, 2, 3, 4]) == 2\nassert mirror([4, 2, 2, 1]) == 1\nassert mirror([9, 8, 0, 8, 7]) == 1\nassert mirror([0, 1, 1, 1]) == 1\nassert mirror([2, 2, 2, 0]) == 1\nassert mirror([0, 0]) == 0\nassert mirror([5, 6, 7, 6, 8, 5]) == 2\nassert mirror([1, 1, 0, 2, 2, 1]) == 2",
    ),
    "separator": (
        "def dotted(a, b):\n    return a + b\n", "a + b", "a + '.' + b", "assert dotted('x', 'yz') == 'x.yz'\nassert dotted('', 'b') == '.b'",
    ),
    "unread parameter of a key": (
        "def by_ones(a):\n    return sorted(a, key=lambda x: a.count('1'))\n", "a.count", "bin(x).count",
        "assert by_ones([3, 4, 1]) == [4, 1, 3]\nassert by_ones([7, 8]) == [8, 7]",
    ),
    "two statements too many": (
        "def pick(a):\n    low = [x for x in a if x < 0]\n    high = [x for x in a if x > 0]\n    high = [x for x in low if x > 0]\n    low = [x for x in high if x < 0]\n    return low, high\n",
        "    high = [x for x in low if x > 0]\n    low = [x for x in high if x < 0]\n", "",
        "assert pick([1, -2, 3]) == ([-2], [1, 3])\nassert pick([-1]) == ([-1], [])",
    ),
    "one element instead of all": (
        "def digits(n):\n    return bin([int(d) for d in str(n)][-1])[2:]\n", "[int(d) for d in str(n)][-1]", "sum([int(d) for d in str(n)])",
        "assert digits(150) == '110'\nassert digits(1000) == '1'\nassert digits(77) == '1110'",
    ),
    "shared default": (
        "def f(x, seen=[]):\n    seen.append(x)\n    return seen\n", "seen=[]):\n", "seen=None):\n    if seen is None:\n        seen = []\n",
        "assert f(1) == [1]\nassert f(2) == [2]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MENDED)
def test_the_first_patch_is_the_smallest_edit_and_leaves_the_rest_as_written(name: str) -> None:
    broken, old, new, asserts = MENDED[name]
    define = f"# a comment\n{broken}# and another\n"
    patches = search(define, asserts).patches
    assert patches, name
    assert after(patches[0]) == define.replace(old, new, 1)


def test_words_say_what_and_where() -> None:
    patch = search(
        "import os\n\ndef f(a, b):\n    return a - b\n", "assert f(1, 2) == 3\nassert f(5, 5) == 10"
    ).patches[0]
    assert patch.cause == "`-` should be `+` in `f` (line 4)"
    assert patch.healer == "search"
    assert patch.applicability is Applicability.UNSAFE


def test_two_faults_take_two_edits() -> None:
    define = "def stats(a):\n    low = max(a)\n    high = max(a) + 1\n    return low, high\n"
    patches = search(
        define, "assert stats([1, 5])[0] == 1\nassert stats([1, 5])[1] == 5\nassert stats([2, 3]) == (2, 3)"
    ).patches
    assert after(patches[0]) == define.replace("low = max", "low = min").replace(" + 1", "")


def test_asserts_and_test_functions_are_never_touched() -> None:
    check = "def test_f():\n    assert f(2) == 5\n    assert f(3) == 7\n"
    answer = search("def f(x):\n    return 2 * x\n", check, "test_f()\nassert f(0) == 1")
    assert answer.patches
    assert {e.cell_id for p in answer.patches for e in p.edits} == {"c0"}  # type: ignore[union-attr]


def test_an_expected_literal_is_not_written_into_the_code() -> None:
    answer = search("def f(x):\n    return 3\n", "assert f(2) == 42", seconds=3)
    assert not any("42" in after(p) for p in answer.patches)


def test_the_question_a_cell_asks_is_not_changed() -> None:
    answer = search("def f(x):\n    return x + 2\n", "f(3)", oracle=Oracle(expect="4"))
    assert answer.patches
    assert all(after(p, "c1") == "" for p in answer.patches)


def test_what_sets_a_check_up_is_not_changed() -> None:
    source = "class Cart:\n    pass\ncart = Cart()\ncart.price = 3\nother = 5\nassert cart.price == 4\n"
    plan = build_plan(Case(Failure("c", source, FailureKind.RAISED, "AssertionError"), Notebook((Cell("c", source),))))
    assert plan is not None
    assert {p.text: p.query for p in plan.pieces if p.role == "cell" and p.mutable} == {
        "class Cart:\n    pass": False, "cart = Cart()": True, "cart.price = 3": True, "other = 5": False,
    }  # fmt: skip


def test_printed_text_is_an_oracle() -> None:
    patch = search(
        "total = 0\nfor n in range(4):\n    total += n\nprint('sum', total)", oracle=Oracle(stdout="sum 10")
    ).patches[0]
    assert "range(5)" in after(patch) or "range(4 + 1)" in after(patch)


def test_what_is_printed_otherwise_is_offered_where_nothing_may_be_applied() -> None:
    patch = search("name = 'Bo'\nprint('Hello {name}')", oracle=Oracle(stdout="Hello Bo")).patches[0]
    assert after(patch) == "name = 'Bo'\nprint(f'Hello {name}')"
    assert patch.rival == RUNS, "another text may have been printed for a reason of its own"


def test_asserts_below_are_an_oracle() -> None:
    answer = search(
        "def f(a):\n    return a[1]\n", "f([7])", "import os", "assert f([7]) == 7\nassert f([1, 2]) == 1", at=1
    )
    assert after(answer.patches[0]) == "def f(a):\n    return a[0]\n"


def test_stored_output_is_an_oracle_where_nothing_better_is() -> None:
    shown = Output("execute_result", data={"text/plain": "[1, 2]"})
    cells = (Cell("c0", "def f(a):\n    return sorted(a)[1:]\n"), Cell("c1", "f([2, 1])", outputs=(shown,)))
    assert "[1:]" not in after(search(cells=cells).patches[0])


def test_doctests_are_an_oracle() -> None:
    define = 'def f(n):\n    """Square.\n\n    >>> f(3)\n    9\n    >>> f(4)\n    16\n    """\n    return n * 2\n'
    patch = search(define, "f(3) / 0").patches
    assert patch == ()  # the cell fails whatever f gives
    assert (
        after(search(define + "print(f(3))\n").patches[0]).replace("n ** 2", "n * n")
        == define.replace("* 2", "* n") + "print(f(3))\n"
    )


TOLD = '''def span(prices):
    """The greatest less the least; None of nothing.

    span([]) == None
    span([3, 5]) == 2
    span([4, 9]) == 6
    """
    if not prices:
        return None
    return max(prices) + min(prices)
'''


def test_an_example_that_gives_none_is_met_and_one_that_an_assert_contradicts_is_left_out() -> None:
    checks = "assert span([4, 9]) == 5\nassert span([3, 5]) == 2\nassert span([7]) == 0"
    plan = build_plan(
        Case(Failure("t", checks, FailureKind.RAISED, "AssertionError"), Notebook((Cell("d", TOLD), Cell("t", checks))))
    )
    assert plan is not None
    assert [call.strip() for call, _ in plan.doctests] == ["span([])", "span([3, 5])"]
    reply = find(TOLD, checks)
    assert "max(prices) - min(prices)" in reply["patches"][0]["texts"]["0"]


def test_patches_that_differ_on_an_unseen_input_become_a_question() -> None:
    answer = search("def f(a):\n    return a[-1]\n", "assert f([1, 2, 1, 3]) == 1")
    question = answer.questions[0]
    assert question.text.startswith("What should `f([")
    ids = {p.id for p in answer.patches}
    assert len(question.answers) > 1
    assert all(set(found) <= ids for found in question.answers.values())


def test_a_whole_number_and_the_same_as_a_fraction_are_one_answer() -> None:
    define = "def mean(v):\n    return sum(v) / (len(v) - 1)\n"
    questions = search(define, "mean([1, 2, 3])", oracle=Oracle(expect="2.0"), at=1).questions
    numbers = [float(a) for q in questions for a in q.answers if not a.startswith("an error")]
    assert questions
    assert len(numbers) == len(set(numbers))


@pytest.mark.slow
def test_false_and_zero_are_one_answer() -> None:
    define = "def total(xs):\n    t = 1\n    for x in xs:\n        t += x\n    return t\n"
    answer = search(define, "assert total([1, 2]) == 3\nassert total([5]) == 5")
    assert answer.patches
    assert all({"0", "False"} - set(q.answers) for q in answer.questions)


HALVING = (
    "def {name}({args}):\n    lo, hi = 0, {high}\n    while lo < hi:\n        mid = (lo + hi) // 2\n        if {test}:\n"
    "            lo = mid\n        else:\n            hi = {lower}\n    return lo\n"
)


@pytest.mark.slow
def test_a_bound_that_a_loop_waits_for_moves_on_and_one_check_does_not_decide_how() -> None:
    define = HALVING.format(name="place", args="xs, t", high="len(xs)", test="xs[mid] < t", lower="mid")
    answer = search(define, "assert place([1, 3, 5, 7], 5) == 2")
    assert "lo = mid + 1" in after(answer.patches[0])
    assert answer.patches[0].rival
    mended = search(
        define, "assert place([1, 3, 5, 7], 5) == 2\nassert place([1, 3, 5, 7], 7) == 3\nassert place([], 7) == 0"
    )
    assert "lo = mid + 1" in after(mended.patches[0])
    assert not mended.patches[0].rival


@pytest.mark.slow
def test_nobody_is_asked_whether_a_call_should_never_end() -> None:
    define = HALVING.format(name="root", args="x", high="x", test="mid * mid <= x", lower="mid - 1")
    answer = search(define, "assert root(16) == 4\nassert root(17) == 4\nassert root(0) == 0")
    assert answer.patches[0].rival
    assert not [v for q in answer.questions for v in q.answers if "timeout" in v or "Recursion" in v]


@pytest.mark.parametrize(
    ("source", "ename"),
    [("x + 1", "TypeError"), ("import nothing_there\nassert 1", "ModuleNotFoundError"), ("%%bash\nls", ""), ("await x()\nassert x", "")],
)  # fmt: skip
def test_it_is_silent_where_nothing_decides_or_the_cause_is_elsewhere(source: str, ename: str) -> None:
    case = Case(Failure("c", source, ename=ename), Notebook((Cell("c", source),)))
    answer = SearchHealer().propose(case, Starts((FakeKernel(["x = 'a'"]),)), NoFacts(), ())
    assert not answer.patches
    assert answer.note


@pytest.mark.slow
def test_what_was_tried_is_not_proposed_again() -> None:
    from jupyter_selfheal.model import Attempt

    define, asserts = "def f(a, b):\n    return a - b\n", "assert f(1, 2) == 3\nassert f(5, 5) == 10"
    first = search(define, asserts).patches[0]
    cells = (Cell("c0", define), Cell("c1", asserts))
    case = Case(Failure("c1", asserts), Notebook(cells))
    again = SearchHealer().propose(case, Starts((FakeKernel([define]),)), NoFacts(), (Attempt(first),))
    assert first.id not in {p.id for p in again.patches}


SIEVE = (
    "def primes(n):\n    flags = [True] * (n + 1)\n    for i in range(2, int(n ** 0.5) + 1):\n        if flags[i]:\n"
    "            for j in range(i * i, n, i):\n                flags[j] = False\n    return [i for i in range(2, n + 1) if flags[i]]\n"
)
TWO = "assert primes(10) == [2, 3, 5, 7]\nassert primes(25) == [2, 3, 5, 7, 11, 13, 17, 19, 23]"


def test_where_two_checks_admit_changes_as_likely_that_do_otherwise_each_names_the_other_and_one_value_is_asked_for() -> (
    None
):
    answer = search(SIEVE, TWO)
    assert "with another change that passes the same checks" in answer.patches[0].rival
    assert answer.questions
    mended = search(
        SIEVE, TWO + "\nassert primes(7) == [2, 3, 5, 7]\nassert primes(9) == [2, 3, 5, 7]\nassert primes(4) == [2, 3]"
    )
    assert "range(i * i, n + 1, i)" in after(mended.patches[0])
    assert not mended.patches[0].rival


def test_a_change_far_likelier_than_any_other_has_no_rival() -> None:
    answer = search("def least(a):\n    return max(a)\n", "assert least([3, 1, 2]) == 1\nassert least([5, 9]) == 5")
    assert "min(a)" in after(answer.patches[0])
    assert not answer.patches[0].rival


def test_a_table_gets_the_entry_that_its_description_names() -> None:
    define = (
        "def order(words):\n    \"\"\"Sort numbers that are written 'one', 'two', 'three' or 'four'.\"\"\"\n"
        "    value = {'one': 1, 'three': 3, 'four': 4}\n    return sorted(words, key=lambda w: value[w])\n"
    )
    answer = search(
        define,
        "assert order(['two', 'one']) == ['one', 'two']\nassert order(['four', 'two', 'three']) == ['two', 'three', 'four']",
    )
    assert "'two': 2" in after(answer.patches[0])


def test_an_alphabet_gets_its_capitals_and_a_misspelt_word_is_as_described() -> None:
    vowels = "def spots(s):\n    vowels = 'aeiou'\n    return [n for n, c in enumerate(s) if c in vowels]\n"
    check = "assert spots('Anna') == [0, 3]\nassert spots('bEe') == [1, 2]"
    assert any("aeiouAEIOU" in after(p) for p in search(vowels, check).patches)
    planet = (
        'def inner(p):\n    """Planets up to Jupiter that are nearer to the sun than p."""\n'
        "    names = ('Venus', 'Earth', 'Mars', 'Jupyter')\n    return names[:names.index(p)]\n"
    )
    check = "assert inner('Jupiter') == ('Venus', 'Earth', 'Mars')\nassert inner('Earth') == ('Venus',)"
    assert "'Jupiter'" in after(search(planet, check).patches[0])


def test_a_text_is_read_in_another_base_only_where_the_program_speaks_of_one() -> None:
    check = "assert add('10', '1') == 17\nassert add('20', '3') == 35"
    spoken = search("def add(hex_a, hex_b):\n    return int(hex_a) + int(hex_b, 16)\n", check)
    assert "int(hex_a, 16)" in after(spoken.patches[0])
    silent = search("def add(a, b):\n    return int(a) + int(b)\n", check)
    assert all(p.rival for p in silent.patches)  # offered at most


def test_a_patch_with_which_a_loop_has_no_round_is_only_offered() -> None:
    define = "def step(x, v, dt):\n    return x + v * dt, v + x * dt\n"
    cell = (
        "dt, period = 0.1, 1.0\nsteps = period / dt\ntrack = [(1.0, 0.0)]\nfor _ in range(steps):\n"
        "    track.append(step(*track[-1], dt))\nenergies = [x * x + v * v for x, v in track]\n"
        "assert max(energies) - min(energies) < 0.2\nassert abs(track[0][0] - 1) < 1e-9\nassert track[-1][0] <= 1\n"
    )
    cells = (Cell("c0", define), Cell("c1", cell))
    failure = Failure(
        "c1", cell, FailureKind.RAISED, "TypeError", "'float' object cannot be interpreted as an integer", 4, 3
    )
    answer = SearchHealer(HealConfig(search_seconds=8.0)).propose(
        Case(failure, Notebook(cells)), Starts((FakeKernel([define]),)), NoFacts(), ()
    )
    assert "min(0, period / dt)" in after(answer.patches[0], "c1")
    assert answer.patches[0].rival == "`for _ in range(steps):` has no round with it"


def test_a_changed_condition_that_always_holds_is_only_offered() -> None:
    define = (
        "def ready(tasks, needs):\n    done = []\n    for t in tasks:\n"
        "        if set(done).issuperset(needs.get(t, ())) and t not in done:\n            done.append(t)\n    return len(done)\n"
    )
    check = "assert ready(['c', 'b', 'a'], {'c': ['a'], 'b': ['a']}) == 3"
    always = [p for p in search(define, check).patches if "set(tasks)" in after(p)]
    assert always
    assert always[0].rival


@pytest.mark.parametrize(
    ("old", "new", "condition"),
    [
        ("if a and b < 1:\n    pass\n", "if a and b <= 1:\n    pass\n", "b <= 1"),
        ("x = [y for y in z if y]\n", "x = [y for y in z if not y]\n", "not y"),
        ("x = 1 if a else 2\n", "x = 1 if b else 2\n", "b"),
        ("if a:\n    x = 1\n", "if a:\n    x = 2\n", None),
        ("if a and b:\n    pass\n", "if c and d:\n    pass\n", None),
        ("while a < 1:\n    pass\n", "while a < 2:\n    pass\n", None),
    ],
)
def test_the_condition_that_a_patch_changes(old: str, new: str, condition: str | None) -> None:
    found = change_condition(old, new)
    assert (found[1] if found else None) == condition


def test_what_is_printed_and_what_is_reckoned_are_offered_the_likelier_first_and_each_in_its_own_order() -> None:
    def make(title: str, weight: float) -> Patch:
        return Patch((), title, healer="search", weight=weight, rival="another")

    texts = [make("a text", 1.0), make("four changes", 0.4)]
    searched = [make("a likely slip", 0.5), make("behind it", 0.9), make("an unlikely one", 0.002)]
    merged = _merge_offers(texts, searched)
    assert [p.title for p in merged] == ["a text", "a likely slip", "behind it", "an unlikely one", "four changes"]
    assert [p.prior for p in merged] == sorted((p.prior for p in merged), reverse=True)
    assert _merge_offers([], searched) == tuple(searched)
