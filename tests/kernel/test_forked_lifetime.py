"""Who ends when: the user's kernel, the frozen states, the trials, and what they started."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.kernels.trial_channels import NotBegun
from jupyter_selfheal.model import OPEN, Ending, Keep, Launch, Run, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants
from jupyter_selfheal.testing.trials import evaluate
from tests.kernel.forking import User, name, printed, tried
from tests.waiting import wait_until

pytestmark = pytest.mark.kernel

SERVER = "import subprocess\nprint(subprocess.Popen(['sleep', '999'], start_new_session=True).pid)"


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    mark_descendants()
    user = User(tmp_path)
    yield user
    user.stop()
    assert all(is_gone(pid) for pid in list_marked())


def kept(kernel: TrialKernel, code: str) -> ForkedKernel:
    trial, after = kernel.run(TrialRequest((Run(code, "c"),), keep=Keep.ALWAYS, sandbox=OPEN))
    assert isinstance(after, ForkedKernel), trial
    return after


def named(*names: str) -> list[int]:
    return [pid for pid in list_marked() if name(pid) in names]


def find_zygote() -> int:
    """The one zygote; what it has just forked still has its name."""
    return min(named("selfheal-zygote"))


def test_the_death_of_the_users_kernel_ends_every_state_and_trial(user: User) -> None:
    first = user.freeze("after")
    second = kept(first, "x = 1")
    with ThreadPoolExecutor(2) as pool:
        running = [
            pool.submit(tried, k, SERVER + "\nimport time; time.sleep(300)", timeout=300.0) for k in (first, second)
        ]
        assert wait_until(lambda: len(named("sleep")) == 2)
        # its parent would end everything below it: without it, the kernel dies and nothing else does
        os.kill(int(Path(f"/proc/{user.kernel.pid}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
        for future in running:
            with pytest.raises(KernelError):
                future.result(timeout=60)
    assert wait_until(lambda: not named("selfheal-zygote", "selfheal-guard", "sleep"))
    with pytest.raises(KernelError, match="run the cell again"):
        tried(second, "1")
    first.close()
    second.close()


def test_the_end_of_the_engine_ends_every_state(user: User) -> None:
    found = user.try_to_freeze("after", "1/0")
    code = (
        "import sys\nfrom jupyter_selfheal.kernels.forked import ForkedKernel\nfrom jupyter_selfheal.model import *\n"
        "k = ForkedKernel.connect(sys.argv[1])\n"
        "t, k2 = k.run(TrialRequest((Run('x = 1'),), keep=Keep.ALWAYS, sandbox=OPEN))\n"
        "k2.run(TrialRequest((Run('import time; time.sleep(600)'),), timeout=600.0))"
    )
    engine = subprocess.Popen([sys.executable, "-c", code, found["socket"]])
    assert wait_until(lambda: len(named("selfheal-zygote")) == 2 and bool(named("selfheal-guard")))
    engine.kill()
    engine.wait()
    assert wait_until(lambda: not named("selfheal-zygote", "selfheal-guard"))


def test_a_killed_zygote_is_an_error_with_advice(user: User) -> None:
    state = user.freeze("before")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(tried, state, SERVER + "\nimport time; time.sleep(300)", timeout=300.0)
        assert wait_until(lambda: bool(named("sleep")))
        os.kill(find_zygote(), signal.SIGKILL)
        with pytest.raises(KernelError, match="run the cell again"):
            running.result(timeout=60)
    assert wait_until(lambda: not named("sleep", "selfheal-guard"))
    state.close()


def test_a_state_outlives_a_system_that_has_no_files_left_for_a_trial(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = user.freeze("before")
    assert printed(tried(state, "print(0)")) == "0\n", "it has come up"
    zygote = find_zygote()
    limits, run_once = resource.prlimit(zygote, resource.RLIMIT_NOFILE), state._run_once

    def has_no_files() -> bool:
        """None but those of a pair that was there already, or that it has closed since."""
        used = set(map(int, os.listdir(f"/proc/{zygote}/fd")))
        resource.prlimit(zygote, resource.RLIMIT_NOFILE, (min(set(range(len(used) + 1)) - used), limits[1]))
        try:
            run_once(TrialRequest((Run("print(1)", "cell"),), timeout=60.0))
        except NotBegun:
            return True
        return False

    def run_and_restore(request: TrialRequest) -> tuple[Trial, ForkedKernel | None]:
        try:
            return run_once(request)
        except NotBegun:
            resource.prlimit(zygote, resource.RLIMIT_NOFILE, limits)
            raise

    assert wait_until(has_no_files)
    with pytest.raises(KernelError, match="out of processes, files or memory"):
        tried(state, "print(2)")
    monkeypatch.setattr(state, "_run_once", run_and_restore)
    assert printed(tried(state, "print(3)")) == "3\n", "it was asked for again"
    assert resource.prlimit(zygote, resource.RLIMIT_NOFILE) == limits, "as the first time nothing was heard"
    state.close()
    assert wait_until(lambda: not named("selfheal-zygote", "selfheal-guard", "selfheal-spare"))


def test_a_state_may_be_closed_before_those_kept_from_it(user: User) -> None:
    states = [user.freeze("before")]
    for n in range(4):
        states.append(kept(states[-1], f"x = {n}\n{SERVER}"))
        states[-2].close()
    assert wait_until(lambda: len(named("sleep")) == 4), (
        "what the cells of a state started lives on with the states kept from it"
    )
    assert evaluate(states[-1], "x") == 3
    states[-1].close()
    assert wait_until(lambda: not named("sleep", "selfheal-zygote"))


def test_the_stack_does_not_grow_with_kept_states(user: User) -> None:
    states = [user.freeze("before")]
    depth = "import inspect\nprint(len(inspect.stack()))"
    depths = []
    for _ in range(3):
        depths.append(printed(tried(states[-1], depth)))
        states.append(kept(states[-1], "1"))
        states[-2].close()
    states[-1].close()
    assert len(set(depths)) == 1


def test_a_state_with_a_thread_is_not_kept_and_says_so(user: User) -> None:
    state = user.freeze("before")
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), name='poller').start()"
    trial, after = state.run(TrialRequest((Run(code, "c"),), keep=Keep.ALWAYS, sandbox=OPEN))
    assert after is None
    assert trial.ran
    assert "poller" in trial.detail
    state.close()


def test_a_state_in_which_joblib_kept_its_workers_is_kept_and_starts_others(user: User) -> None:
    """A search with ``n_jobs=-1`` leaves them for the next one: every cell below was replayed otherwise, in fresh kernels."""
    search = "from joblib import Parallel, delayed\nprint(sum(Parallel(n_jobs=2)(delayed(abs)(n) for n in range(9))))"
    before = user.freeze("before")
    state = kept(before, search)
    again = state.run(TrialRequest((Run(search, "c"),), timeout=60.0, sandbox=OPEN))[0]
    assert again.ran
    assert again.steps[0].outputs[0].text == "36\n"
    state.close()
    before.close()


def test_a_discarded_copy_leaves_no_file(user: User) -> None:
    found = user.try_to_freeze("before", "1")
    assert Path(found["socket"]).exists()
    user.run(f"sys._test_zygote.discard({found['pid']})")
    assert not Path(found["socket"]).parent.exists()
    assert wait_until(lambda: not named("selfheal-zygote"))


def test_an_ended_copy_is_collected_without_another_cell(user: User) -> None:
    user.freeze("before", "1").close()
    children = Path(f"/proc/{user.kernel.pid}/task/{user.kernel.pid}/children")  # zombies too
    assert wait_until(lambda: not children.read_text().strip())


def warden_of(user: User) -> int:
    return int(Path(f"/proc/{user.kernel.pid}/stat").read_text().rpartition(")")[2].split()[1])


# --- processes made ahead of a request ----------------------------------------------------------------------------


def waiting_guard() -> int:
    """The guard that waits; its trial has the same name for a moment, and is its child."""
    spares = named("selfheal-spare")
    return next(
        p for p in spares if int(Path(f"/proc/{p}/stat").read_text().rpartition(")")[2].split()[1]) not in spares
    )


def made_ahead(state: ForkedKernel) -> bool:
    return wait_until(lambda: "ahead" in tried(state, "1").phases and bool(named("selfheal-spare")))


@pytest.mark.parametrize("start", ["before", "after"])
def test_a_request_meets_processes_that_wait_for_it(user: User, start: str) -> None:
    user.run("x = [1]")
    state = user.freeze(start)
    assert made_ahead(state)
    assert [printed(tried(state, "x.append(2); print(x)")) for _ in range(3)] == ["[1, 2]\n"] * 3
    state.close()
    assert wait_until(lambda: not named("selfheal-spare", "selfheal-guard", "selfheal-zygote"))


@pytest.mark.parametrize("which", ["guard", "trial"])
def test_a_killed_spare_is_replaced(user: User, which: str) -> None:
    state = user.freeze("before")
    for _ in range(3):
        assert made_ahead(state)
        spare = waiting_guard()
        waiting = Path(f"/proc/{spare}/task/{spare}/children")
        assert wait_until(lambda: bool(waiting.read_text()))  # noqa: B023
        os.kill(spare if which == "guard" else int(waiting.read_text()), signal.SIGKILL)
        assert wait_until(lambda: spare not in list_marked())  # noqa: B023
        assert printed(tried(state, "print(1)")) == "1\n"
    state.close()


def test_a_trial_that_was_begun_ahead_is_the_first_equal_one_and_no_other(user: User) -> None:
    with contextlib.closing(user.freeze("before")) as kernel:
        request = TrialRequest((Run("import os; print(os.getpid())", "c"),), "patch", timeout=60.0)
        kernel.run_ahead(request)
        other = tried(kernel, "print('another cell')", timeout=60.0)
        assert printed(other) == "another cell\n"
        first, again = (printed(kernel.run(request)[0]) for _ in range(2))
        assert first != again  # it ran once ahead, and once more
        kernel.run_ahead(replace(request, steps=(Run("1 / 0", "c"),)))
    # closed while it runs: nobody waits for it, and nothing of it is left, as the fixture sees


def test_a_trial_that_was_begun_ahead_in_vain_is_ended(user: User) -> None:
    endless = TrialRequest((Run(f"{SERVER}\nwhile True: pass", "c"),), "patch", timeout=600.0, sandbox=OPEN)
    with contextlib.closing(user.freeze("before")) as kernel:
        for asks_otherwise in (
            lambda: kernel.run(replace(endless, steps=(Run("print(1)", "c"),))),
            lambda: kernel.run_ahead(TrialRequest((Run("print(2)", "c"),), "other", timeout=60.0)),
        ):
            kernel.run_ahead(endless)
            assert wait_until(lambda: bool(named("sleep")))
            asks_otherwise()
            assert wait_until(lambda: not named("sleep"))
        assert printed(tried(kernel, "print(3)", timeout=60.0)) == "3\n"


def test_a_discarded_copy_takes_its_spare_along(user: User) -> None:
    before = set(list_marked())
    user.try_to_freeze("before", "1")
    assert wait_until(lambda: bool(named("selfheal-spare")))
    user.run("sys._test_zygote.discard_all()")
    assert set(list_marked()) <= before, "all of it is gone before the zygote is"


def test_the_result_comes_after_the_end_of_what_the_trial_started(user: User) -> None:
    state = user.freeze("before")
    for start in (SERVER, "import os, time\nchild = os.fork()\nif child == 0: time.sleep(600)\nprint(child)"):
        assert made_ahead(state)
        started = int(printed(tried(state, start, sandbox=OPEN)))
        assert started not in list_marked()
        # guards that have told of the end may themselves still be ending, on a machine that does much else
        assert wait_until(lambda: len(set(list_marked()) - {user.kernel.pid, warden_of(user)}) <= 5), (
            "the zygote and at most two pairs"
        )
    port = "import socket, threading\ns = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])\n"
    number = int(printed(tried(state, port, sandbox=OPEN)))
    again = f"import socket\ns = socket.create_server(('127.0.0.1', {number}), reuse_port=False); print('free')"
    assert printed(tried(state, again, sandbox=OPEN)) == "free\n"
    state.close()


# --- memory -------------------------------------------------------------------------------------------------------


def control_group(limit: int) -> Path:
    """A new control group with a memory limit in bytes; the test is skipped where none can be made."""
    for parent, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = Path(parent, f"selfheal-test-{os.getpid()}")
        if not Path(parent, "cgroup.procs").exists():
            continue
        try:
            group.mkdir()
            (group / file).write_text(str(limit))
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        return group
    pytest.skip("no control group with a memory limit can be made here")


def test_a_trial_out_of_memory_dies_before_the_kernel(user: User) -> None:
    group = control_group(600 << 20)
    (group / "cgroup.procs").write_text(str(user.kernel.pid))
    state = user.freeze("before")
    try:
        trial = tried(state, "x = [bytearray(1 << 20) for _ in range(4000)]", sandbox=OPEN)
        assert trial.ending is Ending.OUT_OF_MEMORY, trial
        assert user.value("1") == 1
    finally:
        state.close()
        user.stop()
        wait_until(lambda: not (group / "cgroup.procs").read_text().strip())
        group.rmdir()


# --- opening a notebook's kernel ----------------------------------------------------------------------------------


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    mark_descendants()
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    return startup


@pytest.mark.parametrize(
    ("startup", "words"),
    [
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=(99,), name='poller', daemon=True).start()",
            "poller",
        ),
        ("get_ipython().ast_node_interactivity = 'none'", "did not give what it must"),
    ],
    ids=["gate", "self-test"],
)
def test_a_kernel_that_cannot_be_forked_falls_back(profile: Path, tmp_path: Path, startup: str, words: str) -> None:
    (profile / "start.py").write_text(startup)
    said: list[str] = []
    state = open_state(Launch("python3", str(tmp_path), writes="allow"), say=said.append)
    try:
        assert state.isolation.kernel == "fresh"
        assert len(said) == 1
        assert words in said[0]
        assert "\n" not in said[0]
    finally:
        state.close()
    assert all(is_gone(pid) for pid in list_marked())


def test_an_unknown_kernelspec_is_named(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="no-such-kernel"):
        open_state(Launch("no-such-kernel", str(tmp_path)))


def test_the_kernel_knows_nothing_of_the_package_that_froze_it(profile: Path, tmp_path: Path) -> None:
    state = open_state(Launch("python3", str(tmp_path), writes="allow"), say=pytest.fail)
    try:
        look = "import sys\nprint([m for m in sys.modules if m.startswith('jupyter_selfheal')], [n for n in dir() if 'heal' in n])"
        assert printed(tried(state, look)) == "[] []\n"
        assert printed(tried(state, "print(In, Out, get_ipython().execution_count)")).endswith(("] {} 1\n", "] {} 2\n"))
    finally:
        state.close()
