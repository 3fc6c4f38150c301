"""What makes the search quick changes nothing of what it finds: counting by lines, reading anew near an edit, telling in bundles, unions
tried early."""

from __future__ import annotations

import ast
import mmap
import os

import pytest

from jupyter_selfheal.inside.positions import find_difference, splice
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.combine_changes import Frontier, brings_names, move_change
from jupyter_selfheal.inside.search.count_steps import ROUND, insert_counting
from jupyter_selfheal.inside.search.localise_faults import look_again, trace_program
from jupyter_selfheal.inside.search.process_pool import Pool
from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit
from jupyter_selfheal.inside.search.propose_mutations import list_changes, weigh_line
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import NEVER_DECIDED, Decided, find_last_failing
from jupyter_selfheal.inside.search.scope import Change, Scope
from tests.unit.healers.search.searching import find

RAINFALL = """\
def count_wet(days):
    # how many days had rain
    wet = 0
    for day in days:
        if day > 0:
            wet += 1
        while wet < 0:
            wet += 1
    return wet

"""
TWO_FUNCTIONS = """\
def find_longest(names):
    longest = names[0]
    for name in names:
        if len(name) < len(longest):
            longest = name
    return longest

def count_vowels(text):
    count = 1
    for letter in text:
        if letter in "aeiou":
            count += 1
    return count

def describe(names):
    parts = []
    for name in sorted(names):
        if len(name) > 2:
            parts.append(name.title())
        else:
            parts.append(name.upper())
    total = 0
    for part in parts:
        total += len(part)
    return parts, total
"""
TWO_CHECKS = """\
assert find_longest(["al", "bernadette", "cy"]) == "bernadette"
assert find_longest(["do", "egon"]) == "egon"
assert count_vowels("banana") == 3
assert count_vowels("sky") == 0
assert describe(["bo", "ann"]) == (["Ann", "BO"], 5)
assert describe([]) == ([], 0)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("day > 0", "day >= 0"),
        ("    wet = 0\n", "    wet = 1\n"),
        ("    wet = 0\n", ""),
        ("    wet = 0\n", "    if not days:\n        return 0\n    wet = 0\n"),
        ("    # how many days had rain\n", "    x = 1\n"),
        ("for day in days:", "for day in days[1:]:"),
        ("while wet < 0:", "while wet < 0 and day:"),
        ("    return wet", "    for x in days:\n        wet -= x\n    return wet"),
        ("", "import os\n"),
    ],
)
def test_a_changed_text_is_counted_as_if_all_of_it_were_read_again(old: str, new: str) -> None:
    changed = RAINFALL.replace(old, new, 1)
    assert insert_counting(changed, RAINFALL) == insert_counting(changed, changed)
    assert insert_counting(changed, RAINFALL).count(ROUND) >= 2


def test_the_difference_of_two_texts_makes_one_of_the_other() -> None:
    pairs = [
        ("abc", "abc"),
        ("aa", "aaa"),
        ("", "x"),
        ("count = 1\n", "count = 0\n"),
        ("abcabc", "abc"),
        ("xay", "xby"),
    ]
    for old, new in pairs:
        assert splice(old, [find_difference(old, new)]) == new
    assert find_difference("count = 1\n", "count = 0\n") == (8, 9, "0")


def test_a_change_keeps_its_place_behind_an_edit_and_is_none_of_what_was_replaced() -> None:
    text, edits = "a = 1\nb = 2\nc = 3\n", [(4, 5, "100")]
    later, within = Change(((16, 17, "4"),), 0.5, 3, ""), Change(((4, 5, "7"),), 0.5, 1, "")
    moved = move_change(later, edits)
    assert moved is not None
    assert splice(splice(text, edits), moved.edits) == "a = 100\nb = 2\nc = 4\n"
    assert move_change(within, edits) is None


def test_near_an_edit_all_is_proposed_that_is_proposed_there_anyway() -> None:
    scope = Scope(TWO_FUNCTIONS.split("\n\n")[1])
    near, every = list(list_changes(scope, {5})), list(list_changes(scope))
    in_line = [c for c in every if c.line == 5 and "count += 1" in scope.text.splitlines()[4]]
    assert 0 < len(near) < len(every) / 2
    assert {c.edits for c in near} <= {c.edits for c in every}
    operands = [c for c in in_line if len(c.edits) == 1 and c.edits[0][1] - c.edits[0][0] == 1]
    assert operands
    assert {c.edits for c in operands} <= {c.edits for c in near}
    assert brings_names("x = 1", "y = 1")
    assert not brings_names("x = y + 1", "y = x")


def test_two_slips_in_two_functions_are_put_together_before_unlikely_changes_are_tried() -> None:
    found = find(TWO_FUNCTIONS, TWO_CHECKS)
    texts = found["patches"][0]["texts"]
    assert "len(name) > len(longest)" in "".join(texts.values())
    assert "count = 0" in "".join(texts.values())
    assert 1_200 < found["first"] < 1_400
    assert found["tried"] < 2_200


@pytest.mark.parametrize(
    ("slip", "right", "other"),
    [
        ("count = 1", "count = 0", ("len(name) < len(longest)", "len(name) > len(longest)")),
        ("len(name) < len(longest)", "len(name) > len(longest)", ("count = 1", "count = 0")),
    ],
)
def test_one_slip_is_found_by_itself_though_others_could_be_put_together(
    slip: str, right: str, other: tuple[str, str]
) -> None:
    best = find(TWO_FUNCTIONS.replace(*other), TWO_CHECKS)["patches"][0]
    assert best["edits"] == 1
    (text,) = best["texts"].values()
    assert right in text
    assert slip not in text


def test_what_a_fork_had_not_told_of_is_run_again_when_it_dies() -> None:
    program = Program((Unit("x = 1", "cell", cell="c"), Unit("assert x > 1", "check", cell="c")))
    texts = [f"x = {n % 3}" for n in range(7)] + ["import os; os._exit(1)"] + [f"x = {n % 3}" for n in range(7)]
    jobs = [(n, {0: compile_unit(program, 0, text)}) for n, text in enumerate(texts)]
    results = list(Pool(Runner(program, {}), 1000, 1).collect_results(iter(jobs), lambda: False))
    assert [index for index, _, _ in results] == list(range(15))
    passing = [index for index, result, _ in results if result is not None and result.plausible]
    assert passing == [n for n, text in enumerate(texts) if ast.unparse(ast.parse(text)) == "x = 2"]


def test_each_is_handed_out_once_though_a_fork_dies_between_telling_and_saying_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    died, here, write = mmap.mmap(-1, 1), os.getpid(), os.write

    def write_and_die_once(pipe: int, data: bytes) -> int:
        written = write(pipe, data)
        if os.getpid() != here and not died[0]:
            died[0] = 1
            os._exit(1)
        return written

    monkeypatch.setattr(os, "write", write_and_die_once)
    program = Program((Unit("x = 1", "cell", cell="c"), Unit("assert x > 1", "check", cell="c")))
    jobs = [(n, {0: compile_unit(program, 0, f"x = {n % 3}")}) for n in range(14)]
    results = list(Pool(Runner(program, {}), 1000, 1).collect_results(iter(jobs), lambda: False))
    assert died[0]
    assert [index for index, _, _ in results] == list(range(14))
    assert [index for index, result, _ in results if result is not None] == [2, 5, 8, 11]


TALLY = """\
def tally(votes):
    total = 0
    for vote in votes:
        if vote > 1:
            total = total + vote
    spare = total
    return total
"""


def make_tally() -> tuple[Program, Runner]:
    units = [Unit(TALLY, "define", mutable=True)]
    units += [Unit(f"assert tally([{n}, 1]) == {n + 1}", "check") for n in (2, 3)]
    units.append(Unit("assert tally([4]) == 4", "check"))
    program = Program(tuple(units))
    return program, Runner(program, {})


def test_a_candidate_ends_where_all_that_failed_fails_again_and_the_rest_was_known() -> None:
    program, runner = make_tally()
    base = runner.run({}, 1000)
    assert (base.failed, base.passed, find_last_failing(base)) == (2, 1, 2)
    runner.decided = Decided(find_last_failing(base), base.mask, base.raised)
    worse = compile_unit(program, 0, TALLY.replace("> 1", "> 9"))
    better = compile_unit(program, 0, TALLY.replace("> 1", "> 0"))
    assert runner.run({0: worse}, 1000).failed + runner.run({0: worse}, 1000).passed == 3  # two checks, and their end
    assert runner.run({0: better}, 1000).passed == 3
    runner.decided = NEVER_DECIDED
    assert runner.run({0: worse}, 1000).failed == 3


def test_states_that_are_looked_at_in_one_fork_are_seen_as_each_by_itself() -> None:
    program, runner = make_tally()
    sight = trace_program(runner, 1000)
    texts = [TALLY, TALLY.replace("total = 0", "total = 1"), TALLY.replace("> 1", "> 9")]
    states = [{0: (text, compile_unit(program, 0, text))} for text in texts]
    together = look_again(runner, 1000, states, sight)
    assert together == [look_again(runner, 1000, [state], sight)[0] for state in states]
    assert len({str(seen) for seen in together}) > 1
    deadly = "import os\n" + TALLY.replace("total = 0", "total = os._exit(1)")
    seen = look_again(runner, 1000, [states[1], {0: (deadly, compile_unit(program, 0, deadly))}], sight)
    assert seen == [together[1], (sight.suspicion, sight.empty)]


@pytest.mark.parametrize("new", ["    total = 0\n    total = 0\n", "    total = 0\n", "\n\n"])
def test_changes_of_a_line_are_weighed_where_a_states_edits_have_moved_them(new: str) -> None:
    program, runner = make_tally()
    maker = Maker(program, {}, {}, trace_program(runner, 1000))
    list(maker.make_singles())
    frontier = Frontier(maker, 0, lambda states: [])
    start = TALLY.index("    total = 0\n") if new.strip() else TALLY.index("vote in") - 4
    end = start + len("    total = 0\n") if new.strip() else start
    state = Candidate({0: splice(TALLY, [(start, end, new)])}, "", 1, 0.5, 0, 1)
    state.spliced = {0: ((start, end, new),)}
    suspicion = {0: {line: line / 10 for line in range(12)}}
    weighed = {id(change): weight for weight, _, change, _ in frontier._weigh_known(state, suspicion, ())}
    added = new.count("\n") - TALLY.count("\n", start, end)
    for _, _, change in maker.changes:
        moved = added if change.edits[0][0] >= end else 0
        weight = change.prior * weigh_line(suspicion[0], change.line + moved)
        assert weighed.get(id(change), weight) == pytest.approx(weight)
