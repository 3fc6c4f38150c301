"""The parts of the runtime, each by itself."""

from __future__ import annotations

import gc
import mmap
import os
import struct
import subprocess
import sys
import warnings

import pytest

from jupyter_selfheal.inside import loader
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.probes import record_calls
from jupyter_selfheal.inside.search import (
    confined_forks,
    generate_inputs,
    localise_faults,
    patience,
    process_pool,
    propose_mutations,
    screen_candidates,
    search,
)
from jupyter_selfheal.inside.search.confined_forks import LEAST_MEMORY, MOST_MEMORY
from jupyter_selfheal.inside.search.count_steps import STEPS_PER_SECOND, OutOfTime
from jupyter_selfheal.inside.search.limit_time import TOOL, watch_clock
from jupyter_selfheal.inside.search.printed_output import matches
from jupyter_selfheal.inside.search.process_pool import Pool, Worker
from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit, fingerprint
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.scope import Hints, Scope
from jupyter_selfheal.inside.search.search import Search
from jupyter_selfheal.inside.search.source_text import drop_idle_parentheses

SAMPLE = '''def f(a, b=[], *rest, key=None, **more):
    """Says."""
    total, seen = 0, set()
    for i, x in enumerate(a):  # über alles
        if x > 1 and not (i == 2 or x in seen):
            total += x ** 2 % 7
        elif key is None:
            seen.add(x); continue
        else:
            total =- 1
    while total < 10:
        total += len(a[1:]) - a[-1] if a else 1
    d = {k: v for k, v in zip(a, b) if k}
    with open("é") as file:
        y = [file.read().lower() for _ in range(3)]
    try:
        g = lambda z: z + 1
    except ValueError as e:
        raise
    return max(total, d.get(1)), f"{total}", (lambda q: q)(y)
'''


def test_every_candidate_is_python_but_for_a_few() -> None:
    found = propose_mutations.rank_changes(Scope(SAMPLE), dict.fromkeys(range(1, 30), 1.0))
    broken = 0
    for _, change in found[::20]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                compile(splice(SAMPLE, change.edits), "x", "exec")
        except (SyntaxError, ValueError):
            broken += 1
    assert len(found) > 5000
    assert broken < len(found) / 20 / 50


def test_candidates_change_neither_docstrings_nor_asserts_nor_imports() -> None:
    source = 'def f(a):\n    """Doc 1."""\n    import os\n    assert a > 1, "big"\n    return a + 1\n'
    for _, change in propose_mutations.rank_changes(Scope(source), {5: 1.0}):
        new = splice(source, change.edits)
        if "pass" not in new:
            assert "assert a > 1" in new or "is too many" in change.words
            assert "import os" in new


def test_weights_follow_suspicion() -> None:
    source = "def f(a):\n    x = a + 1\n    y = a + 1\n    return x + y\n"
    best = propose_mutations.rank_changes(Scope(source), {2: 0.1, 3: 1.0, 4: 0.1})[0][1]
    assert best.line == 3


def test_idle_parentheses_go_and_needed_ones_stay() -> None:
    text = "y = a * b"
    assert splice(text, drop_idle_parentheses(text, ((4, 9, "((a) + (b)) * (c)"),))) == "y = (a + b) * c"


def test_fingerprints_ignore_formatting_and_see_constants() -> None:
    program = Program((Unit("def f(a): return a", "define"),))

    def of(text: str) -> int:
        return fingerprint(compile_unit(program, 0, text))

    assert of("def f(a): return (a)+1") == of("def f(a):\n    # why\n    return a + 1")
    assert of("def f(a): return a + 1") != of("def f(a): return a + 1.0")
    assert of("def f(a): return a + True") != of("def f(a): return a + 1")


def test_printed_text_is_compared_by_lines_or_by_expression() -> None:
    assert matches("a\nb", "a  \nb\n")
    assert not matches("a", "a\nb")
    assert matches("/^b$/", "a\nb\n")


STEPS = 100_000


def runner(*units: Unit, **state: object) -> Runner:
    ns: dict[str, object] = {"__name__": "__main__", **state}
    return Runner(Program(units, copied=tuple(state)), ns)


def test_a_run_leaves_the_namespace_and_what_it_holds_as_they_were() -> None:
    made = runner(
        Unit("data.append(1)\nnew = 2", "cell", cell="c"), Unit("assert len(data) == 1", "check", cell="c"), data=[]
    )
    assert made.run({}, STEPS).plausible
    assert made.run({}, STEPS).plausible
    assert "new" not in made.ns
    assert made.ns["data"] == []


def test_every_assert_counts_by_itself() -> None:
    made = runner(Unit("for n in range(5):\n    assert n != 2\n    assert n / (n - 3) is not None", "check", cell="c"))
    result = made.run({}, STEPS)
    assert (result.passed, result.failed) == (8, 2)


def test_time_is_up_even_for_code_that_swallows_everything() -> None:
    loop = "while True:\n    try:\n        pass\n    except BaseException:\n        pass"
    assert runner(Unit(loop, "cell", cell="c")).run({}, STEPS).status == "time"


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python 3.12 and newer can watch the clock in every loop")
def test_without_a_timer_loops_are_cut_by_the_clock_the_inner_limit_first() -> None:
    space: dict[str, object] = {}
    exec(
        compile(
            "def spin():\n    while True:\n        try:\n            x = 1\n        except Exception:\n            pass",
            "<cell>",
            "exec",
        ),
        space,
    )
    with watch_clock(30.0), pytest.raises(OutOfTime), watch_clock(0.02):
        space["spin"]()  # type: ignore[operator]
    assert getattr(sys, "monitoring").get_tool(TOOL) is None  # noqa: B009


def test_the_pool_survives_death_hoarding_and_c_loops() -> None:
    made = runner(Unit("x = 1", "cell", cell="c"), Unit("assert x == 2", "check", cell="c"))
    texts = [
        "import os; os._exit(1)",
        "x = 'a' * 10 ** 12",
        "x = sum(range(10 ** 11))",
        "import os; os.kill(os.getpid(), 9)",
        "x = 2",
        "x = 3",
    ]
    jobs = [(n, {0: compile_unit(made.program, 0, text)}) for n, text in enumerate(texts)]
    pool = Pool(made, 1000, 1, jobs=2)
    results = list(pool.collect_results(iter(jobs), lambda: False))
    assert [index for index, _, _ in results] == list(range(len(texts)))
    assert [index for index, result, _ in results if result is not None and result.plausible] == [4]
    assert results[3][2] > results[5][2]  # one that does not come back counts as if it had taken all that it may
    assert not pool.workers


def test_a_check_that_fills_the_memory_ends_a_patient_run() -> None:
    made = runner(
        Unit("def f():\n    raise MemoryError", "cell", cell="c"), Unit("assert f()\nassert True", "check", cell="c")
    )
    made.patient = True
    result = made.run({}, STEPS)
    assert (result.passed, result.failed, result.plausible) == (0, 2, False)


def test_a_candidate_may_fill_an_eighth_of_a_gibibyte_and_no_more_than_three_quarters() -> None:
    """Whatever the process that searches holds: how much that is, is told by what ran in it before."""
    made = runner(Unit("x = 1", "cell", cell="c"), Unit("assert x == 2", "check", cell="c"))
    sizes = (LEAST_MEMORY >> 20) - 56, (MOST_MEMORY >> 20) + 56
    texts = [f"x = len(bytes({size} << 20)) >> 20 == {size} and 2" for size in sizes]
    jobs = [(n, {0: compile_unit(made.program, 0, text)}) for n, text in enumerate(texts)]
    results = list(Pool(made, STEPS, 1).collect_results(iter(jobs), lambda: False))
    assert [result is not None and result.plausible for _, result, _ in results] == [True, False]


def test_parameters_that_are_empty_where_a_check_fails_are_noted_and_not_those_where_it_passes() -> None:
    source = "def f(xs, ys):\n    return xs[0] if ys else 0\n"
    checks = [Unit(f"assert f({given}) == 0", "check") for given in ("[], [1]", "[2], []", "(), ''")]
    made = runner(Unit(source, "define", True), *checks)
    assert localise_faults.trace_program(made, STEPS).empty == {"xs"}


def test_a_case_for_an_empty_parameter_is_likelier_where_a_failing_check_gives_one() -> None:
    source = "def f(xs):\n    return xs[0]\n"

    def weigh(*empty: str) -> dict[str, float]:
        return {c.words: c.prior for c in list_changes(Scope(source, Hints(empty=frozenset(empty))))}

    case = "`f` lacks the case `if not xs: return 0`"
    assert weigh("xs")[case] > 2 * weigh()[case]
    assert weigh("ys") == weigh()
    assert {words for words, prior in weigh("xs").items() if prior != weigh()[words]} <= {
        w for w in weigh() if "not xs" in w
    }


def test_suspicion_is_highest_where_only_failing_checks_go() -> None:
    source = "def f(n):\n    if n > 2:\n        return n + 2\n    return n\n"
    made = runner(Unit(source, "define", True), Unit("assert f(1) == 1", "check"), Unit("assert f(5) == 5", "check"))
    seen = localise_faults.trace_program(made, STEPS)
    suspicion = seen.suspicion[0]
    assert suspicion[3] > suspicion[2] > suspicion[4]
    assert seen.kinds[0]["n"] == {"number"}
    assert seen.calls["f"] == [(1,), (5,)]


def test_generated_inputs_keep_their_types_and_repeat() -> None:
    calls = [([1, 2], "ab", {"k": 1.5})]
    first = generate_inputs.generate_inputs(calls, 50)
    assert first == generate_inputs.generate_inputs(calls, 50)
    assert len(first) > 40
    assert all(type(a) is list and type(b) is str and type(c) is dict for a, b, c in first)


def test_the_search_runs_from_its_text_alone() -> None:
    source = loader.probe_source("search.search")
    program = {
        "units": [
            {"text": "y = x - 1", "role": "cell", "mutable": True, "cell": "c"},
            {"text": "assert y == 3", "role": "check", "cell": "c"},
        ]
    }
    script = f"{source}\nclass S: user_ns = {{'x': 2}}\nimport json; print(json.dumps(probe(S, None, {program!r} | {{'seconds': 3}})))"
    ran = subprocess.run(
        [sys.executable, "-I", "-"], input=script, capture_output=True, text=True, timeout=60, check=True
    )
    assert "`-` should be `+`" in ran.stdout


MANY_MEND = Program(
    (
        Unit("def f(a):\n    t = 0\n    for x in a:\n        if x > 1:\n            t += x\n    return t + 1", "define", True, "c0"),
        Unit("assert f([1, 2, 3]) == 7", "check", cell="c1"),
    )
)  # fmt: skip


def test_how_many_processes_search_and_which_ends_first_changes_nothing_in_the_answer() -> None:
    answers = [Search(MANY_MEND, {"__name__": "__main__"}, 60.0, jobs, {}).run() for jobs in (1, 4)]
    assert answers[0]["plausible"] > 3
    assert answers[0]["patches"] == answers[1]["patches"]


def test_without_forks_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    forked = Search(MANY_MEND, {"__name__": "__main__"}, 60.0, 2, {}).run()
    for module in (confined_forks, process_pool, record_calls, screen_candidates, search):
        monkeypatch.setattr(module, "HAS_FORKS", False)
    for module in (confined_forks, process_pool):
        monkeypatch.setattr(module, "fork_process", None)
    alone = Search(MANY_MEND, {"__name__": "__main__"}, 60.0, 0, {}).run()
    assert forked["plausible"] > 3
    assert alone["patches"] == forked["patches"]
    assert alone["questions"] == forked["questions"]


def test_a_busy_machine_changes_nothing_in_the_answer_until_the_clock_ends_the_search() -> None:
    idle, busy = (Search(MANY_MEND, {"__name__": "__main__"}, 600.0, 2, {}) for _ in range(2))
    busy.net.started -= 0.96 * patience.CLOCK * busy.seconds
    assert busy.run()["patches"] == idle.run()["patches"]
    over = Search(MANY_MEND, {"__name__": "__main__"}, 600.0, 2, {})
    over.net.started -= patience.CLOCK * over.seconds
    assert not over.run()["patches"]


def test_results_come_in_the_order_of_the_candidates_however_late_a_fork_is() -> None:
    made = runner(Unit("x = 1", "cell", cell="c"), Unit("assert x == 2", "check", cell="c"))
    read, write = os.pipe()
    texts = (f"import os\nx = len(os.read({read}, 9))", "x = 2", f"import os\nx = os.write({write}, b'ab')")
    jobs = [(n + 1, {0: compile_unit(made.program, 0, text)}) for n, text in enumerate(texts)]
    pool = Pool(made, STEPS, 1, jobs=2, alone=True)  # the last lets the first go on
    found = [
        (index, result is not None and result.plausible)
        for index, result, _ in pool.collect_results(iter(jobs), lambda: False)
    ]
    assert found == [(1, True), (2, True), (3, True)]


def test_a_search_that_had_to_end_early_only_offers_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "CLOCK", 1e6)  # steps end it, on a busy machine too
    whole = Search(MANY_MEND, {"__name__": "__main__"}, 60.0, 2, {}).run()
    seconds = 0.9 * whole["steps"] / STEPS_PER_SECOND
    found = [Search(MANY_MEND, {"__name__": "__main__"}, seconds, jobs, {}).run() for jobs in (2, 1)]
    assert found[0]["plausible"] >= 1
    assert found[0]["steps"] < whole["steps"]
    assert all(patch["rival"] for patch in found[0]["patches"])
    assert {**found[0], "cpu": 0} == {**found[1], "cpu": 0}


def test_when_garbage_is_collected_changes_no_count_of_steps() -> None:
    called: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        called.append(phase)

    counted = set()
    threshold = gc.get_threshold()
    gc.callbacks.append(note)  # as Hypothesis does, and profilers of memory
    try:
        for first in (threshold[0], 50, 10):
            gc.set_threshold(first, *threshold[1:])
            counted.add(Search(MANY_MEND, {"__name__": "__main__"}, 60.0, 1, {}).run()["steps"])
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*threshold)
    assert called
    assert gc.isenabled()
    assert len(counted) == 1


def test_checks_that_are_all_cheap_stay_in_the_order_in_which_they_are_written() -> None:
    made = runner(*(Unit(f"assert {n} >= 0", "check", cell="c") for n in range(6)))
    made.sort_checks({0: 30, 1: 9, 2: 500, 3: 20, 4: 500_000, 5: 10}, {3, 5})
    assert made.order == [3, 5, 0, 1, 2, 4]


@pytest.mark.parametrize(
    "text",
    [
        "n = 0\nwhile True:\n    n += 1",
        "import itertools\nfor n in itertools.count():\n    pass",
        "def f(n):\n    return f(n - 1) + f(n - 1) if n else 1\nf(40)",
        "def f(n):\n    def g(m):\n        return n\n    return f(n - 1) + f(n - 1) if n else 1\nf(40)",
        "def f():\n    while True:\n        yield 1\nsum(f())",
    ],
)
def test_a_loop_is_told_by_its_steps_and_always_at_the_same(text: str) -> None:
    results = [runner(Unit(text, "cell", cell="c")).run({}, 1000) for _ in range(2)]
    assert results[0].status == "time"
    assert results[0].steps == results[1].steps == 1000
    assert sys.gettrace() is None


def test_slow_work_is_no_loop() -> None:
    slow = runner(Unit("total = sum(range(300_000))", "cell", cell="c"))
    assert slow.run({}, 1000).plausible


def test_a_right_candidate_that_is_cut_at_first_is_tried_again_once_another_is_plausible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is right may take more steps than the limit that the program's own checks set."""
    monkeypatch.setattr(patience, "count_least", lambda base, is_endless: 100)
    monkeypatch.setattr(search, "MOST", 100)
    slow = (
        "def f(n):\n    a = []\n    while len(a) > n:\n        a.append(sum(1 for _ in range(99)))\n    return len(a)\n"
    )
    checks = [Unit(f"assert f({n}) == {n}", "check", cell="c1") for n in (2, 0)]
    program = Program((Unit(slow, "define", True, "c0"), *checks))
    patches = Search(program, {"__name__": "__main__"}, 60.0, 2, {}).run()["patches"]
    assert any("while len(a) < n" in text for p in patches for text in p["texts"].values())


def test_a_fork_that_has_not_begun_is_not_taken_to_be_stuck() -> None:
    shared = mmap.mmap(-1, 8)
    shared[:8] = struct.pack("q", -1)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        worker = Worker(process.pid, -1, [(0, {})], shared)
        pool = Pool(Runner(Program(()), {}), STEPS, 1)
        pool._unstick(worker)
        process.communicate(b"go on\n")
    assert process.returncode == 0
    assert [pool._count_stillborn(worker), pool._count_stillborn(worker)] == [0, 1]
