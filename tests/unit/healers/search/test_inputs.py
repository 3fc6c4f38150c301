"""What candidates are compared on: checks with other values in them, the domain that checks show, and the shortest telling call."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer
from jupyter_selfheal.inside.search.compare_behaviour import unify_rounding
from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.inside.search.input_domain import (
    infer_domain,
    is_related,
    list_covered,
    list_properties,
    shrink_input,
)
from jupyter_selfheal.inside.search.program import Program, read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.vary_checks import make_variations, run_variations
from jupyter_selfheal.model import Case, Cell, Failure, Notebook
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import NoFacts

QUEUE = """class Queue:
    def __init__(self):
        self.items = []
    def put(self, item):
        self.items.append(item)
    def take(self):
        return self.items.pop({})
"""
USE = ("queue = Queue()", "queue.put('a')", "queue.put('b')", "assert queue.take() == 'a'")
PERSON = "class Person:\n    def __init__(self, name, boss=None):\n        self.name, self.boss = name, boss"
TEST = """def test_chief():
    ann = Person("Ann")
    bob = Person("Bob", ann)
    cyd = Person("Cyd", bob)
    assert find_chief(cyd) == "Ann"
"""


def make_program(definition: str, *statements: str, test: str = "") -> Program:
    units: list[dict[str, Any]] = [{"text": definition, "role": "define", "mutable": True}]
    units += [{"text": test, "role": "cell", "tests": True}] if test else []
    units += [{"text": s, "role": "check" if "assert" in s or test else "cell", "cell": "c"} for s in statements]
    return read_program({"units": units})


def run(program: Program, *texts: str) -> list[list[str]]:
    """What the variations of a program give with each of the ``texts`` as its first unit."""
    runner = Runner(program, {"__name__": "__main__"})
    variations = make_variations(program, {0})
    variants = [{0: compile(text, "<text>", "exec")} for text in texts]
    return run_variations(runner, variants, variations, 20_000_000)


def search(*sources: str) -> Answer:
    cells = [Cell(f"c{n}", source, runs=n + 1) for n, source in enumerate(sources)]
    case = Case(Failure(cells[-1].id, sources[-1], ename="AssertionError", line=1), Notebook(tuple(cells)))
    kernel = FakeKernel(list(sources[:-1]))
    return SearchHealer(HealConfig(search_seconds=6.0), jobs=1).propose(case, Starts((kernel,)), NoFacts(), ())


def test_methods_are_told_apart_by_other_values_in_the_checks() -> None:
    first, last = run(make_program(QUEUE.format(""), *USE), QUEUE.format("0"), QUEUE.format(""))
    assert first != last
    assert len(first) == len(last) > 5
    assert "'a'" in first[0] + first[1] + first[2]


def test_what_does_the_same_gives_the_same_for_every_variation() -> None:
    texts = QUEUE.format("0"), QUEUE.format("len(self.items) - len(self.items)")
    first, same = run(make_program(QUEUE.format(""), *USE), *texts)
    assert first == same


def test_a_variable_of_a_test_function_is_replaced_by_another_one() -> None:
    chief = PERSON + "\ndef find_chief(p):\n    return {}"
    program = make_program(chief.format("p.name"), "test_chief()", test=TEST)
    direct, far = run(program, chief.format("p.boss.name"), chief.format("p.boss.boss.name"))
    assert direct != far
    assert any("in place of `cyd`" in v.text for v in make_variations(program, {0}))


def test_what_candidates_change_is_not_varied() -> None:
    program = make_program(QUEUE.format(""), *USE)
    assert 2 in {v.unit for v in make_variations(program, {0})}
    assert 2 not in {v.unit for v in make_variations(program, {0, 2})}


def test_a_variation_leaves_the_namespace_as_it_was() -> None:
    program = make_program(QUEUE.format(""), *USE)
    space: dict[str, Any] = {"__name__": "__main__", "kept": [1]}
    run_variations(Runner(program, space), [{}], make_variations(program, {0}), 20_000_000)
    assert space == {"__name__": "__main__", "kept": [1]}


def test_what_an_object_holds_is_varied_by_calls_left_out_and_made_twice() -> None:
    program = make_program(QUEUE.format(""), *USE)
    texts = [v.text for v in make_variations(program, {0})]
    assert "`queue.take()` twice" in texts
    assert "`queue.put('a')` left out" in texts
    last, second = run(program, QUEUE.format(""), QUEUE.format("1"))
    assert last != second


def test_a_method_is_told_from_its_rival_in_words() -> None:
    cells = (QUEUE.format(""), "q = Queue()\nq.put(3)\nq.put(5)\nassert q.take() == 3")
    patches = search(*cells).patches
    assert patches
    assert len({p.behaviour for p in patches}) > 1
    assert any("a check with `" in p.rival for p in patches)


def test_a_guess_that_fails_where_a_varied_check_gives_a_value_is_not_applied() -> None:
    stack = QUEUE.replace("{}", "0")
    patches = search(stack, "s = Queue()\ns.put(3)\ns.put(5)\nassert s.take() == 5").patches
    wrong = [p for p in patches if ".pop(1)" in str(p.edits)]
    assert wrong
    assert all("IndexError" in p.rival for p in wrong)


def test_a_property_of_every_checked_call_is_the_domain_from_four_calls_on() -> None:
    calls = [([3, 1],), ([2, 5, 1],), ([4],), ([7, 2],)]
    domain = infer_domain(calls)
    assert domain == {(0, "not empty"), (0, "all different"), (0, "none negative"), (0, "all positive")}
    assert not infer_domain(calls[:3])
    assert domain <= list_properties(([9, 8],))
    assert not any(domain <= list_properties((xs,)) for xs in ([1, 1], [], [-1]))


def test_a_call_is_covered_by_few_that_have_what_it_has_and_are_no_smaller() -> None:
    checked = [(5, [1, 3, 5, 9]), (3, [2, 3])]
    assert list_covered([(1, [1, 3])], checked) == [True]
    near = {"longer": (1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 9.5]), "larger": (11, [2, 11]), "longer than the shortest": (1, [1, 3, 5]), "empty": (1, []),
            "not ascending": (1, [3, 1]), "another type": (1, (1, 3)), "one argument": ([1, 3],)}  # fmt: skip
    assert not any(list_covered(list(near.values()), checked))
    assert list_covered([(1, [1, 3])], []) == [False]
    assert is_related((1, [1, 3]), checked)
    assert not is_related((4, [1, 3]), checked)


def test_the_smallest_calls_of_the_seen_items_are_tried() -> None:
    given = generate_inputs([(9, (4, 6, 9), "x")], size=0)
    assert (4, (4,), "x") in given
    assert (6, (4, 6), "x") in given


def test_records_of_a_list_keep_their_length_and_the_order_of_their_parts() -> None:
    given = generate_inputs([([("F", 18), ("M", 23)],)])
    assert len(given) > 100
    assert {tuple(type(part) for part in record) for (records,) in given for record in records} == {(str, int)}
    free = generate_inputs([([(1,), (2, 3), ()],)])  # tuples of several lengths are lists by another name
    assert {len(t) for (tuples,) in free for t in tuples} > {0, 1, 2}
    assert {len(t) for (t,) in generate_inputs([((1, 2),)])} > {1, 2}


def test_records_that_agree_in_one_part_are_tried() -> None:
    apart = generate_inputs([([("M", 35)], [("M", 23)]), ([("F", 18)], [("F", 19)])], size=0)
    assert ([("M", 35)], [("F", 35)]) in apart
    assert ([("F", 35)], [("M", 35)]) in apart
    assert ([("M", 23)], [("M", 18)]) in apart
    mixed = generate_inputs([([("M", 35), (1, 2, 3)],)], size=0)
    assert {len(item) for (items,) in mixed for item in items} == {2, 3}


@pytest.mark.parametrize(
    ("given", "shortest"),
    [(([5, 9, 3, 7],), ([0, 0, 0],)), ((["word", "ab", "c"],), (["", "", ""],))],
    ids=["numbers", "texts"],
)
def test_an_input_is_made_as_short_as_still_tells(given: tuple[Any, ...], shortest: tuple[Any, ...]) -> None:
    assert shrink_input(given, lambda arguments: len(arguments[0]) >= 3) == shortest


def test_an_input_that_nothing_shorter_tells_stays() -> None:
    assert shrink_input(([1, 2],), lambda arguments: False) == ([1, 2],)


def test_the_question_asks_for_the_shortest_call_that_tells() -> None:
    code = "def count(xs, limit):\n    return len([x for x in xs if x < limit])"
    answer = search(code, "assert count([4, 8, 15, 16, 23], 10) == 3")
    (question,) = answer.questions
    assert len(question.subject) <= len("count([0], 0)")
    assert len(question.answers) > 1


def test_the_last_digits_of_floats_are_no_other_behaviour_and_other_numbers_are() -> None:
    rows = [
        ["np.float64(0.8807970779778823)", "0.1", "3", "[1e-05, 2.0]", "'0.8807970779778823'"],
        ["np.float64(0.8807970779778824)", "0.2", "3.0", "[1.0000000000001e-05, 2.0]", "'0.8807970779778823'"],
        ["np.float64(0.8807970779)", "0.1", "4", "[1e-06, 2.0]", "!timeout"],
    ]
    unify_rounding(rows)
    assert rows[1] == ["np.float64(0.8807970779778823)", "0.2", "3.0", "[1e-05, 2.0]", "'0.8807970779778823'"]
    assert rows[2][2:] == ["4", "[1e-06, 2.0]", "!timeout"]
    short = [
        ["0.3", "1.0", "1"],
        ["0.30000000000000004", "1.0000000000000002", "1.0000000000000002"],
        ["0.31", "1", "1"],
    ]
    unify_rounding(short)
    assert short == [["0.3", "1.0", "1"], ["0.3", "1.0", "1.0000000000000002"], ["0.31", "1", "1"]]


def test_a_part_of_records_is_moved_on_from_each_to_the_next() -> None:
    calls = [([("ann", 4), ("bob", 9), ("cy", 1)],), ([("ann", 4), ("bob", 9)],)]
    given = generate_inputs(calls)
    assert ([("ann", 9), ("bob", 1), ("cy", 4)],) in given
    assert ([("ann", 1), ("bob", 4), ("cy", 9)],) in given
