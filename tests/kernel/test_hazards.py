"""What is known to go wrong where a kernel is forked, tried in a real kernel from both starts: threads, code that will not stop.

After each test the user's kernel must be as it was: no child, descriptor, thread, temporary file or random draw of ours (see
the fixtures in conftest.py). Output, the event loop, and what is shared with the user's kernel have files of their own.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.model import OPEN, Ending, Keep, Run, Sandbox, TrialRequest
from jupyter_selfheal.testing.processes import list_marked
from tests.kernel.forking import User, name, open_descriptors, printed, tried
from tests.waiting import wait_until

pytestmark = pytest.mark.kernel


# --- native threads -----------------------------------------------------------------------------------------------


def test_blas_used_before_the_fork(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "numpy"}
    user.run("import numpy as np\nA = np.ones((700, 700)); B = A @ A")
    assert printed(tried(freeze(), "print((A @ A)[0, 0], np.linalg.inv(np.eye(300) * 2)[0, 0])")) == "700.0 0.5\n"


def test_openmp_of_scikit_learn_used_before_the_fork(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "numpy", "random", "temporary"}
    user.run(
        "from sklearn.ensemble import HistGradientBoostingRegressor as H\nimport numpy as np\n"
        "X = np.arange(4000.0).reshape(-1, 2); model = H(max_iter=5).fit(X, X[:, 0])"
    )
    state = freeze()
    assert printed(tried(state, "print(H(max_iter=5).fit(X, X[:, 0]).predict(X).shape)")) == "(2000,)\n"


def test_openmp_used_in_a_kept_trial(user: User, freeze: Any) -> None:
    code = (
        "from sklearn.ensemble import HistGradientBoostingRegressor as H\nimport numpy as np\n"
        "X = np.arange(4000.0).reshape(-1, 2); print(H(max_iter=5).fit(X, X[:, 0]).predict(X).shape)"
    )
    state = freeze()
    trial, kept = state.run(TrialRequest((Run(code, "c"),), keep=Keep.ALWAYS, sandbox=OPEN, timeout=60))
    assert kept is not None, trial
    assert printed(tried(kept, code)) == "(2000,)\n"
    kept.close()


# --- Python's threads ---------------------------------------------------------------------------------------------


def test_a_user_thread_forbids_the_fork(user: User) -> None:
    user.run(
        "import threading; stop = threading.Event(); t = threading.Thread(target=stop.wait, name='poller'); t.start()"
    )
    try:
        found = user.try_to_freeze("before", "pass")
        assert "poller" in found["refused"]
    finally:
        user.run("stop.set(); t.join()")
    user.freeze("before", "pass").close()


def test_threads_that_every_notebook_has_are_allowed(user: User, freeze: Any) -> None:
    user.run(
        "import asyncio, concurrent.futures as cf\nfrom tqdm import tqdm\nlist(tqdm(range(3)))\n"
        "pool = cf.ThreadPoolExecutor(2); assert pool.submit(int, '3').result() == 3\n"
        "assert await asyncio.to_thread(int, '4') == 4"
    )
    user.changed |= {"threads", "fds"}
    try:
        state = freeze()
        code = "print(pool.submit(int, '5').result(timeout=20), await asyncio.to_thread(int, '6'), list(pool.map(int, '78')))"
        assert printed(tried(state, code)) == "5 6 [7, 8]\n"
    finally:
        user.run("pool.shutdown()")


def test_the_thread_that_a_script_cell_leaves_is_allowed(user: User, freeze: Any) -> None:
    user.changed |= {"threads", "fds"}
    assert user.text("%%bash\necho one") == "one\n"
    state = freeze()
    for _ in range(2):
        assert printed(tried(state, "%%bash\necho two")) == "two\n"
    assert user.text("%%bash\necho three") == "three\n"


def test_a_script_in_the_background_forbids_the_fork(user: User) -> None:
    user.changed |= {"threads", "fds", "processes"}
    user.run("%%bash --bg\nexec sleep 60")
    assert "run_forever" in user.try_to_freeze("before", "pass")["refused"]
    user.run("%killbgscripts")
    assert wait_until(lambda: "socket" in user.try_to_freeze("before", "pass"))
    user.run("sys._test_zygote.discard_all()")


# --- code that will not stop --------------------------------------------------------------------------------------


def test_a_loop_that_ignores_every_polite_signal(freeze: Any) -> None:
    code = (
        "import signal\nfor s in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):\n    signal.signal(s, signal.SIG_IGN)\n"
        "def busy():\n    while True: pass\nwhile True:\n    try: busy()\n    except BaseException: pass"
    )
    trial = tried(freeze(), code, timeout=2)
    assert trial.ending is Ending.TIMED_OUT
    assert [f.function for f in trial.steps[0].errors[0].frames] == ["<module>", "busy"]


def test_a_call_into_c_that_never_returns(freeze: Any) -> None:
    state = freeze()
    trial = tried(state, "import ctypes\nctypes.PyDLL(None).pause()", timeout=2)
    assert trial.ending is Ending.TIMED_OUT
    raised = "try:\n    while True: pass\nfinally:\n    raise AttributeError('half cleared up')"
    assert tried(state, raised, timeout=1).steps[0].status == "timeout"


def test_a_fork_bomb_ends_with_the_trial(user: User, freeze: Any) -> None:
    before = set(list_marked())
    state = freeze()
    code = "import os, time\nfor n in range(6):\n    if os.fork() == 0: os.setsid()\ntime.sleep(600)"
    trial = tried(state, code, timeout=4)
    assert trial.ending is Ending.TIMED_OUT
    state.close()
    assert wait_until(lambda: set(list_marked()) <= before)


def test_a_guard_killed_by_its_trial_leaves_nothing(freeze: Any) -> None:
    code = (
        "import os, subprocess, signal\nprint(subprocess.Popen(['sleep', '999'], start_new_session=True).pid, flush=True)\n"
        "os.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass"
    )
    state = freeze()
    with pytest.raises(KernelError):
        tried(state, code, timeout=20)
    assert wait_until(lambda: not [p for p in list_marked() if name(p) == "sleep"])
    assert printed(tried(state, "print(1)")) == "1\n"


def test_memory_beyond_the_limit_is_an_ordinary_error(freeze: Any) -> None:
    trial = tried(freeze(), "big = bytearray(1 << 30)", sandbox=Sandbox(memory_mb=300))
    assert (trial.ending, trial.steps[0].errors[0].ename) == (Ending.FINISHED, "MemoryError")


def test_a_trial_is_the_first_to_go_where_memory_is_short(freeze: Any) -> None:
    assert printed(tried(freeze(), "print(open('/proc/self/oom_score_adj').read())")) == "1000\n\n"


# --- the machinery itself -----------------------------------------------------------------------------------------


def test_an_interrupt_of_the_kernel_leaves_trials_alone(user: User, freeze: Any) -> None:
    state = freeze()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(tried, state, "import time\ntime.sleep(2)\nprint('slept')")
        wait_until(lambda: any(name(p) == "selfheal-guard" for p in list_marked()))
        user.kernel.interrupt_cell()
        for pid in [p for p in list_marked() if name(p).startswith("selfheal")]:
            os.kill(pid, signal.SIGINT)
        assert printed(running.result()) == "slept\n"


def test_a_zygote_keeps_no_descriptor_of_its_trials(user: User, freeze: Any) -> None:
    state = freeze()
    tried(state, "1")
    children = Path(f"/proc/{user.kernel.pid}/task/{user.kernel.pid}/children").read_text().split()
    (zygote,) = [int(p) for p in children if name(int(p)) == "selfheal-zygote"]
    assert wait_until(is_idle)
    had, mine = open_descriptors(zygote), open_descriptors(user.kernel.pid)
    for code in ("1", "1/0", "import os; os._exit(1)"):
        tried(state, code)
    assert wait_until(lambda: is_idle() and open_descriptors(zygote) <= had)
    assert open_descriptors(user.kernel.pid) == mine


def is_idle() -> bool:
    """No trial runs, and the next one's processes wait."""
    names = Counter(name(p) for p in list_marked())
    return not names["selfheal-guard"] and names["selfheal-spare"] == names["selfheal-zygote"]


def test_a_step_of_its_own_limit_says_where_it_was(freeze: Any) -> None:
    trial = tried(freeze(), Run("x = 1\nimport time\ntime.sleep(60)", "a", go_on=True, timeout=1), "print('next')")
    assert (trial.steps[0].status, trial.steps[0].errors[0].line) == ("timeout", 3)
    assert trial.steps[1].ok
