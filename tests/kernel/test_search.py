"""The search in a fork of a real kernel: its state, its limits, and what it must not leave behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Thread

import psutil
import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.healer import SearchHealer
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.model import (
    OPEN,
    Applicability,
    Case,
    Cell,
    Choice,
    Decision,
    Failure,
    FailureKind,
    Keep,
    Launch,
    Notebook,
    Oracle,
    Reason,
    Run,
    TrialRequest,
)
from jupyter_selfheal.ports import Answer, Starts, TrialKernel
from jupyter_selfheal.testing.scripted import NoFacts, ScriptedApprover, build_scripted_dependencies
from tests.waiting import wait_until

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrialKernel]:
    kernel = open_state(Launch("python3", str(tmp_path_factory.mktemp("search"))), say=pytest.fail)
    yield kernel
    kernel.close()


def search(first: TrialKernel, *sources: str, oracle: Oracle = Oracle(), seconds: float = 20.0) -> Answer:  # noqa: B008 (frozen)
    """Run the cells but the last, then ask for patches of the last."""
    cells = tuple(Cell(f"c{n}", source) for n, source in enumerate(sources))
    steps = tuple(Run(c.source, c.id) for c in cells[:-1])
    trial, state = first.run(TrialRequest(steps, keep=Keep.ON_SUCCESS, sandbox=OPEN, timeout=60))
    assert state is not None, trial
    try:
        case = Case(Failure(cells[-1].id, sources[-1], FailureKind.MISSED), Notebook(cells), oracle)
        return SearchHealer(HealConfig(search_seconds=seconds)).propose(case, Starts((state,)), NoFacts(), ())
    finally:
        state.close()


def test_a_fault_in_a_function_three_cells_up_is_mended_there(first: TrialKernel) -> None:
    define = "def spread(values):\n    # largest minus smallest\n    return max(values) + min(values)   # oops\n"
    answer = search(first, define, "data = [4, 1, 9]", "spread(data)", oracle=Oracle(expect="8"))
    edit = answer.patches[0].edits[0]
    assert edit.source == define.replace("max(values) + min", "max(values) - min")
    assert edit.cell_id == "c0"


def test_candidates_see_the_live_objects_and_change_none_of_each_others(first: TrialKernel) -> None:
    setup = "import numpy as np\ntable = np.arange(6.0).reshape(2, 3)\nlog = []"
    define = "def totals(a):\n    log.append(1)\n    a[0] += 0\n    return a.sum(axis=0)\n"
    answer = search(first, setup, define, "assert list(totals(table)) == [3.0, 12.0]\nassert len(log) == 1")
    assert answer.patches
    assert "axis=1" in answer.patches[0].edits[0].source


def test_candidates_that_loop_hoard_memory_or_die_end_neither_the_search_nor_the_kernel(first: TrialKernel) -> None:
    define = (
        "import os\n"
        "def grow(n):\n"
        "    if n > 3:\n        os._exit(3)\n"
        "    found = []\n"
        "    while len(found) > n:\n        found.append('x' * 10 ** (3 + len(found)))\n"
        "    return found\n"
    )  # right, it takes no time, so that no candidate's limit decides; wrong, it loops, takes gigabytes or ends its process
    answer = search(
        first, define, "assert [len(x) for x in grow(2)] == [1000, 10000]\nassert grow(0) == []", seconds=30
    )
    assert any("while len(found) < n" in p.source_of("c0", "") for p in answer.patches), answer.note


def test_straight_line_code_above_is_mended_where_the_live_objects_allow_it(first: TrialKernel) -> None:
    setup = "import numpy as np\ntable = np.arange(6.0).reshape(2, 3)"
    means = "means = table.mean(axis=1)   # of the columns"
    answer = search(first, setup, means, "top = means.max()", "top", oracle=Oracle(expect="3.5"))
    edit = answer.patches[0].edits[0]
    assert (edit.cell_id, edit.source) == ("c1", means.replace("axis=1", "axis=0"))
    drawn = "import random\nrolls = [random.random() for _ in range(3)]"
    assert not search(first, drawn, "n = len(rolls) * rolls[0]", "n", oracle=Oracle(expect="-40.25")).patches


def test_nothing_is_left_running(first: TrialKernel) -> None:
    mark = "left_by_the_search"
    search(
        first,
        f"{mark} = 1\ndef loop(n):\n    while n:\n        n += 1\n    return n\n",
        "assert loop(3) == 0",
        seconds=3,
    )
    me = psutil.Process()

    def count_uncollected() -> int:
        return sum(read_status(p.pid) == psutil.STATUS_ZOMBIE for p in me.children(recursive=True))

    assert wait_until(lambda: count_uncollected() <= 1)  # one that has just ended is collected soon


BROKEN, ASSERTED = "def f(a):\n    return a[-1]\n", "assert f([1, 2, 1, 3]) == 1"


@pytest.fixture
def ambiguous(first: TrialKernel) -> Iterator[tuple[Case, Starts]]:
    """A failure that many small changes mend, each in its own way."""
    trial, state = first.run(TrialRequest((Run(BROKEN, "c0"),), keep=Keep.ON_SUCCESS, sandbox=OPEN, timeout=60))
    assert state is not None, trial
    notebook = Notebook((Cell("c0", BROKEN), Cell("c1", ASSERTED)))
    yield Case(Failure("c1", ASSERTED, FailureKind.RAISED, "AssertionError"), notebook), Starts((state,))
    state.close()


def test_the_users_one_value_decides_among_the_searchs_patches(ambiguous: tuple[Case, Starts]) -> None:
    case, starts = ambiguous
    healer = SearchHealer(HealConfig(search_seconds=5.0))
    looking = ScriptedApprover([Decision(Choice.REJECT)] * 9)
    heal(case, build_scripted_dependencies(starts, [healer], approver=looking))
    (question,) = looking.proposals[0].questions
    candidates = looking.proposals[0].candidates
    assert len(question.answers) > 1
    assert {c.patch.applicability for c in candidates} == {Applicability.UNSAFE}
    best = candidates[0].patch.id
    value, ids = next((v, i) for v, i in question.answers.items() if best not in i and not v.startswith("an error"))
    telling = ScriptedApprover([Decision(Choice.ANSWER, text=value), Decision(Choice.APPROVE)])
    outcome = heal(case, build_scripted_dependencies(starts, [healer], approver=telling))
    assert outcome.reason is Reason.HEALED
    assert outcome.applied[0].patch.id in ids


def test_what_is_shown_first_differs_in_what_it_does(ambiguous: tuple[Case, Starts]) -> None:
    case, starts = ambiguous
    patches = SearchHealer(HealConfig(search_seconds=5.0)).propose(case, starts, NoFacts(), ()).patches
    made = []
    for patch in patches[:2]:
        ns: dict[str, Callable[[list[int]], int]] = {}
        exec(patch.source_of("c0", ""), ns)
        made.append([ns["f"]([*a, 8, 9]) for a in ([], [1], [2, 1], [1, 2, 3], [4, 5, 6, 7])])
    assert made[0] != made[1]


def test_a_cancelled_search_ends_with_all_its_processes(first: TrialKernel) -> None:
    define = "def f(n):\n    k = n\n    while k >= 0:\n        k += n * 2 - n // 3\n    return k\n"
    check = "assert f(3) == 'unreachable'"
    trial, state = first.run(TrialRequest((Run(define, "c0"),), keep=Keep.ON_SUCCESS, sandbox=OPEN, timeout=60))
    assert state is not None, trial
    me = psutil.Process()
    before = {p.pid for p in me.children(recursive=True) if busy(p)}
    case = Case(Failure("c1", check, FailureKind.MISSED), Notebook((Cell("c0", define), Cell("c1", check))))
    answers: list[Answer] = []
    healer = SearchHealer(HealConfig(search_seconds=600.0))
    thread = Thread(target=lambda: answers.append(healer.propose(case, Starts((state,)), NoFacts(), ())))
    thread.start()
    assert wait_until(lambda: [p for p in me.children(recursive=True) if p.pid not in before and busy(p)])
    searching = {p.pid for p in me.children(recursive=True) if busy(p)} - before
    state.close()
    thread.join(60)
    assert not thread.is_alive()
    assert not answers or not answers[0].patches
    assert wait_until(lambda: not any(is_running(pid) for pid in searching))


def busy(process: psutil.Process) -> bool:
    """True once a process has computed for a while: the search runs."""
    try:
        return bool(process.cpu_times().user > 0.2)
    except psutil.NoSuchProcess:
        return False


def is_running(pid: int) -> bool:
    return read_status(pid) not in ("", psutil.STATUS_ZOMBIE)


def read_status(pid: int) -> str:
    """As psutil says it; the empty text of a process that has ended meanwhile."""
    try:
        return str(psutil.Process(pid).status())
    except psutil.NoSuchProcess:
        return ""
