"""Everything that is known to go wrong where a kernel is forked, tried in a real kernel from both starts.

After each test the user's kernel must be as it was: no child, descriptor, thread, temporary file or random draw of ours.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.model import OPEN, Ending, Keep, Run, Sandbox, TrialRequest
from jupyter_selfheal.testing.processes import is_gone, mark, marked

sys.path.insert(0, str(Path(__file__).parent))
from forking import User, name, open_descriptors, printed, tried, wait_for

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    mark()
    user = User(tmp_path_factory.mktemp("user"))
    yield user
    user.stop()
    assert all(is_gone(pid) for pid in marked())


@pytest.fixture
def user(kernel: User) -> Iterator[User]:
    """The kernel, compared with itself afterwards; what a test itself changes it says in ``changed``."""
    kernel.changed = set()
    before, processes = kernel.snapshot(), set(marked())
    yield kernel
    after = kernel.snapshot()
    new = Counter(after.pop("fds")) - Counter(before.pop("fds"))  # fewer is ipykernel's own doing
    assert "fds" in kernel.changed or not new, new
    different = {k: (before[k], after[k]) for k in before if before[k] != after[k]}
    assert set(different) <= kernel.changed, different
    assert "processes" in kernel.changed or wait_for(lambda: set(marked()) == processes)


@pytest.fixture(params=["before", "after"])
def freeze(request: pytest.FixtureRequest, user: User) -> Iterator[Callable[..., ForkedKernel]]:
    made: list[ForkedKernel] = []

    def make(*cell: str) -> ForkedKernel:
        made.append(user.freeze(request.param, *cell))
        return made[-1]

    yield make
    for state in made:
        state.close()


def mime(state: ForkedKernel, code: str) -> list[set[str]]:
    trial = tried(state, code)
    assert trial.ran, trial
    return [set(o.data) for o in trial.steps[0].outputs if o.data]


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
    assert wait_for(lambda: "socket" in user.try_to_freeze("before", "pass"))
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
    trial = tried(freeze(), "import ctypes\nctypes.PyDLL(None).pause()", timeout=2)
    assert trial.ending is Ending.TIMED_OUT


def test_a_fork_bomb_ends_with_the_trial(user: User, freeze: Any) -> None:
    before = set(marked())
    state = freeze()
    code = "import os, time\nfor n in range(6):\n    if os.fork() == 0: os.setsid()\ntime.sleep(600)"
    trial = tried(state, code, timeout=4)
    assert trial.ending is Ending.TIMED_OUT
    state.close()
    assert wait_for(lambda: set(marked()) <= before)


def test_a_guard_killed_by_its_trial_leaves_nothing(freeze: Any) -> None:
    code = (
        "import os, subprocess, signal\nprint(subprocess.Popen(['sleep', '999'], start_new_session=True).pid, flush=True)\n"
        "os.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass"
    )
    state = freeze()
    with pytest.raises(KernelError):
        tried(state, code, timeout=20)
    assert wait_for(lambda: not [p for p in marked() if name(p) == "sleep"])
    assert printed(tried(state, "print(1)")) == "1\n"


def test_memory_beyond_the_limit_is_an_ordinary_error(freeze: Any) -> None:
    trial = tried(freeze(), "big = bytearray(1 << 30)", sandbox=Sandbox(memory_mb=300))
    assert (trial.ending, trial.steps[0].errors[0].ename) == (Ending.FINISHED, "MemoryError")


def test_a_trial_is_the_first_to_go_where_memory_is_short(freeze: Any) -> None:
    assert printed(tried(freeze(), "print(open('/proc/self/oom_score_adj').read())")) == "1000\n\n"


# --- output -------------------------------------------------------------------------------------------------------


def test_two_hundred_megabytes_of_output_are_cut(freeze: Any) -> None:
    state = freeze()
    small = Sandbox(output_kb=100)
    text = printed(tried(state, "for n in range(200): print('x' * 1_000_000)", sandbox=small))
    assert len(text) <= 101 * 1024
    trial = tried(
        state,
        "from IPython.display import display\ndisplay({'text/plain': 'x' * 200_000_000}, raw=True)\n1",
        sandbox=small,
    )
    assert "output cut" in printed(trial, "stderr")
    trial = tried(
        state,
        "import subprocess\n_ = subprocess.run('yes | head -c 200000000', shell=True)\nprint('end')",
        sandbox=small,
    )
    assert len(printed(trial)) <= 101 * 1024
    assert "output cut" in printed(trial, "stderr")


def test_output_from_c_keeps_its_place(freeze: Any) -> None:
    code = (
        "import os, subprocess, ctypes\nprint('a')\n_ = os.write(1, b'b\\n')\nprint('c')\n_ = subprocess.run(['echo', 'd'])\n"
        "libc = ctypes.CDLL(None)\n_ = libc.puts(b'e'); _ = libc.fflush(None)\nprint('f')\n_ = os.write(2, b'err')"
    )
    trial = tried(freeze(), code)
    assert printed(trial) == "a\nb\nc\nd\ne\nf\n"
    assert printed(trial, "stderr") == "err"


def test_shell_commands_and_magics(user: User, freeze: Any) -> None:
    state = freeze()
    assert printed(tried(state, "!echo one\nx = !echo two\nprint(x)")).replace("\r", "") == "one\n['two']\n"
    assert printed(tried(state, "%%bash\necho three")) == "three\n"
    assert "Wall time" in printed(tried(state, "%%time\nsum(range(10))"))
    trial = tried(state, "%%time\na = 1\nb = {}\nb['k']")
    if "no-raise-error" not in user.text("print(get_ipython().find_cell_magic('time').__doc__)"):
        return  # an IPython whose %%time swallows the error, so that its kernel replies that all is well
    assert (trial.steps[0].errors[0].ename, trial.steps[0].errors[0].line) == ("KeyError", 4)


SHOWN = "class A:\n    def __repr__(self): raise ValueError('shown')\nA()"


@pytest.mark.parametrize("code", ["%%capture\n1/0", "%%script false\n1", "%%time\n1/0", SHOWN])
def test_what_swallows_an_error_does_so_as_in_the_kernel(user: User, freeze: Any, code: str) -> None:
    user.changed |= {"threads", "fds"}
    state = freeze()
    reply = user.kernel._client.execute(code, reply=True, timeout=60)["content"]
    assert tried(state, code).steps[0].status == reply["status"]


def test_an_inline_figure_is_shown(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "numpy", "random", "temporary"}
    user.run("%matplotlib inline\nimport matplotlib.pyplot as plt")
    assert {"image/png", "text/plain"} in mime(freeze(), "plt.plot([1, 2]);")


def test_a_figure_is_carried_over(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "numpy", "random", "temporary"}
    user.run("%matplotlib inline\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots(); plt.close(fig)")
    assert {"image/png", "text/plain"} in mime(freeze(), "ax.plot([1, 2])\nfig")


def test_widgets_are_shown_and_changed_in_the_trial_only(user: User, freeze: Any) -> None:
    user.run("import ipywidgets\nslider = ipywidgets.IntSlider(value=1)")
    shown = mime(freeze(), "slider.value = 7\ndisplay(slider)")
    assert any("application/vnd.jupyter.widget-view+json" in kinds for kinds in shown)
    assert user.value("slider.value") == 1


def test_updated_and_cleared_displays(freeze: Any) -> None:
    code = (
        "from IPython.display import clear_output, display\nprint('gone'); clear_output()\n"
        "h = display('first', display_id=True); h.update('second')"
    )
    (output,) = tried(freeze(), code).steps[0].outputs
    assert output.data["text/plain"] == "'second'"


def test_input_is_refused(user: User, freeze: Any) -> None:
    can_answer = "type(get_ipython().kernel)._allow_stdin = property(lambda kernel: True, lambda kernel, value: None)"
    user.run(f"{can_answer}  # as JupyterLab can")
    try:
        state = freeze()
        for call in ("input('?')", "import getpass; getpass.getpass()"):
            trial = tried(state, call, timeout=20)
            assert trial.steps[0].errors[0].ename == "StdinNotImplementedError"
    finally:
        user.run("type(get_ipython().kernel)._allow_stdin = False")


def test_a_traceback_of_thousands_of_frames_is_shown_by_its_ends(freeze: Any) -> None:
    (error,) = tried(freeze(), "def f(n):\n    return f(n + 1)\nf(0)").steps[0].errors
    assert (error.ename, error.line, error.frames[0].function, error.frames[1].line) == (
        "RecursionError",
        3,
        "<module>",
        2,
    )
    assert len(error.frames) <= 60
    assert len(error.traceback) < 30_000


# --- things that are shared with the user's kernel ----------------------------------------------------------------


def test_a_file_being_read(user: User, freeze: Any) -> None:
    user.changed |= {"fds"}
    user.run(
        "open('lines.txt', 'w').write('1\\n2\\n3\\n' * 9000); reading = open('lines.txt', buffering=2); reading.readline()"
    )
    state = freeze()
    for _ in range(2):
        assert printed(tried(state, "print(reading.readline().strip(), len(reading.read()))")) == "2 53996\n"
    assert user.value("reading.readline()") == "2\n"
    user.run("reading.close()")


@pytest.mark.parametrize("sandbox", [Sandbox(), Sandbox(writes="forbid")], ids=["discard", "forbid"])
def test_a_file_being_written(user: User, freeze: Any, sandbox: Sandbox) -> None:
    user.run("writing = open('log.txt', 'w'); _ = writing.write('user\\n')")
    trial = tried(freeze(), "_ = writing.write('trial\\n'); writing.flush(); writing.seek(0, 2)", sandbox=sandbox)
    assert trial.ran, trial
    assert (user.folder / "log.txt").read_text() == ""
    user.run("writing.close()")
    assert (user.folder / "log.txt").read_text() == "user\n"


def test_a_socket(user: User, freeze: Any) -> None:
    user.run("import socket; left, right = socket.socketpair(); left.setblocking(False)")
    tried(freeze(), "right.send(b'from the trial')")
    assert "BlockingIOError" in user.text(
        "try:\n    print(left.recv(9))\nexcept OSError as e:\n    print(type(e).__name__)"
    )
    user.run("left.close(); right.close()")


@pytest.mark.parametrize("where", ["base.db", ":memory:"])
def test_a_database(user: User, freeze: Any, where: str) -> None:
    user.run(
        f"import sqlite3; db = sqlite3.connect({where!r}); db.execute('create table t (x)'); db.execute('insert into t values (1)'); db.commit()"
    )
    code = (
        "db.execute('insert into t values (2)'); db.commit(); print(db.execute('select count(*) from t').fetchone()[0])"
    )
    assert printed(tried(freeze(), code)) == "2\n"
    assert user.value("db.execute('select count(*) from t').fetchone()[0]") == 1
    user.run("db.execute('drop table t'); db.commit(); db.close()")


def test_a_lock_and_a_generator(user: User, freeze: Any) -> None:
    user.run("import threading; lock = threading.Lock(); _ = lock.acquire(); numbers = iter(range(9)); next(numbers)")
    state = freeze()
    assert printed(tried(state, "print(lock.locked(), next(numbers)); lock.release()")) == "True 1\n"
    assert user.value("[lock.locked(), next(numbers)]") == [True, 1]


def test_a_memory_map(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "numpy", "random", "temporary"}
    user.run("import numpy as np; np.zeros(2000).tofile('map.bin'); mapped = np.memmap('map.bin', float, 'r+')")
    state = freeze()
    user.run("mapped[1] = 5")
    assert printed(tried(state, "mapped[0] = 7; mapped.flush(); print(mapped[0], mapped[1])")) == "7.0 0.0\n"
    assert user.value("[float(mapped[0]), float(np.fromfile('map.bin')[0])]") == [0.0, 0.0]
    user.run("del mapped")


def test_what_the_cell_does_at_once_is_not_in_the_state_before_it(user: User) -> None:
    user.changed |= {"fds", "numpy", "random", "temporary"}
    user.run("import numpy as np; np.zeros(2000).tofile('map.bin'); mapped = np.memmap('map.bin', float, 'r+')")
    user.run(
        "open('lines', 'w').write('one\\ntwo\\n'); many = [open('lines', 'rb', 0) for _ in range(400)]"
    )  # so that it takes
    state = user.freeze("before", "mapped[:] = 5; many[-1].read(4); raise RuntimeError('the failing cell')")
    try:
        assert printed(tried(state, "print(mapped.sum(), many[-1].read(4))")) == "0.0 b'one\\n'\n"
    finally:
        state.close()
    user.run("del mapped, many")


def test_shared_memory(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "processes"}
    user.run("from multiprocessing import shared_memory; shared = shared_memory.SharedMemory(create=True, size=100)")
    try:
        assert printed(tried(freeze(), "shared.buf[0] = 9; print(shared.buf[0]); shared.unlink()")) == "9\n"
        assert user.value("shared.buf[0]") == 0
        user.run("shared_memory.SharedMemory(name=shared.name).close()")
    finally:
        user.run("shared.close(); shared.unlink()")


def test_a_process_with_pipes(user: User, freeze: Any) -> None:
    user.run("import subprocess; cat = subprocess.Popen(['cat'], stdin=-1, stdout=-1)")
    tried(freeze(), "cat.stdin.write(b'trial'); cat.stdin.flush(); cat.terminate(); cat.kill()")
    assert user.value("[cat.poll(), cat.communicate(b'user')[0].decode()]") == [None, "user"]


def test_logging_handlers(user: User, freeze: Any) -> None:
    user.changed |= {"fds"}
    user.run(
        "import logging, sys; log = logging.getLogger('app'); log.propagate = False\n"
        "log.addHandler(logging.FileHandler('app.log', 'w')); log.addHandler(logging.StreamHandler(sys.stderr))\n"
        "log.warning('by the user')"
    )
    assert printed(tried(freeze(), "log.warning('by the trial')"), "stderr") == "by the trial\n"
    assert (user.folder / "app.log").read_text() == "by the user\n"
    user.run("[h.close() for h in log.handlers]; log.handlers.clear()")


def test_exit_handlers(user: User, freeze: Any) -> None:
    user.run("import atexit; leaving = lambda: open('left.txt', 'w').close(); _ = atexit.register(leaving)")
    state = freeze()
    for code in ("1", "import sys; sys.exit()"):
        tried(state, code, sandbox=OPEN)
    state.close()
    assert not (user.folder / "left.txt").exists()
    user.run("atexit.unregister(leaving)")


def test_random_draws_are_those_of_the_users_kernel(user: User, freeze: Any) -> None:
    user.changed |= {"random", "numpy", "fds", "temporary"}
    user.run("import random, numpy as np; random.seed(3); np.random.seed(4); rng = np.random.default_rng(5)")
    state = freeze()
    draw = "[random.random(), float(np.random.rand()), float(rng.random())]"
    drawn = {printed(tried(state, f"print({draw})")) for _ in range(2)}
    assert drawn == {user.text(f"print({draw})")}


def test_running_tasks_go_on_in_the_trial_and_in_the_kernel(user: User, freeze: Any) -> None:
    user.run(
        "import asyncio\nticks = []\nasync def tick(count):\n    for n in range(count):\n        ticks.append(n)\n"
        "        await asyncio.sleep(0.01)\n    return 'done'\n"
        "long, short = asyncio.create_task(tick(3000)), asyncio.create_task(tick(30)); await asyncio.sleep(0.05)"
    )
    trial = tried(
        freeze(),
        "had = len(ticks)\nprint(await short, long.done(), len(ticks) > had, await asyncio.to_thread(int, '4'))",
    )
    assert printed(trial) == "done False True 4\n"
    had = user.value("len(ticks)")
    assert wait_for(lambda: user.value("len(ticks)") > had)
    user.run("_ = long.cancel(); await asyncio.sleep(0)")


@pytest.mark.parametrize(
    "code",
    [
        "async def f(): return 5\ntry:\n    asyncio.run(f())\nexcept RuntimeError as e:\n    print(e)",
        "print(asyncio.get_running_loop() is asyncio.get_event_loop(), asyncio.get_event_loop().is_running())",
        "async def f(): return 5\ntry:\n    asyncio.get_event_loop().run_until_complete(f())\nexcept RuntimeError as e:\n    print(e)",
        "%%time\ntry:\n    asyncio.run(asyncio.sleep(0))\nexcept RuntimeError as e:\n    print(e)",
        "print(await asyncio.sleep(0, 6))",
    ],
    ids=["run", "running loop", "until complete", "in a magic", "await"],
)
def test_a_cell_is_called_from_a_running_loop_as_in_the_kernel(user: User, freeze: Any, code: str) -> None:
    user.run("import asyncio")
    state = freeze()
    first = [text.splitlines()[0] for text in (printed(tried(state, code)), user.text(code))]
    assert first[0] == first[1]


def test_tasks_made_in_a_trial(freeze: Any) -> None:
    made = "import asyncio\nasync def f(): return 5\ntask = asyncio.create_task(f())"
    assert printed(tried(freeze(), made, "print(await task)")) == "5\n"


def test_nested_loops(user: User, freeze: Any) -> None:
    if not user.value("bool(__import__('importlib.util').util.find_spec('nest_asyncio'))"):
        pytest.skip("nest_asyncio is not installed")
    nested = "import nest_asyncio; nest_asyncio.apply()\nasync def f(): return 7\nprint(asyncio.run(f()))"
    code = "import asyncio, " + nested.removeprefix("import ")
    assert printed(tried(freeze(), code, "print(asyncio.run(f()) + 1)", "print(await f())")) == "7\n8\n7\n"


def test_context_variables_last_from_cell_to_cell(freeze: Any) -> None:
    state = freeze()
    made = "import contextvars, numpy as np; v = contextvars.ContextVar('v', default=0); _ = v.set(1); _ = np.seterr(all='raise')"
    trial = tried(state, made, "print(v.get(), np.geterr()['divide'])")
    assert printed(trial) == "1 raise\n"


def test_the_historys_locks_are_free(user: User) -> None:
    if user.value("hasattr(get_ipython().history_manager, '_stop_thread')"):
        pytest.skip("this IPython ends the thread that holds them before every fork")
    user.run(
        "import sys; history = get_ipython().history_manager\n"
        "with history.db_input_cache_lock, history.db_output_cache_lock:\n"
        "    sys._frozen = sys._test_zygote.checkpoint(get_ipython())"
    )
    state = ForkedKernel.connect(user.value("sys._frozen")["socket"])
    assert printed(tried(state, "print(6)", "7", timeout=20)) == "6\n"
    state.close()


def test_history_is_untouched(user: User, freeze: Any) -> None:
    count = "[len(get_ipython().history_manager.input_hist_raw), get_ipython().execution_count]"
    state = freeze()
    cells, number = user.value(count)
    write = "get_ipython().history_manager.writeout_cache()"
    assert tried(state, "secret_of_the_trial = 1", write, sandbox=OPEN).ran
    assert user.value(count) == [cells + 1, number + 1]
    user.run("get_ipython().history_manager.writeout_cache()")
    look = "import sqlite3, glob, os\nfor p in glob.glob(os.environ['IPYTHONDIR'] + '/profile_default/history.sqlite'):\n    c = sqlite3.connect(p); print(c.execute(\"select count(*) from history where source like 'secret_of%'\").fetchone()[0]); c.close()"
    assert user.text(look) == "0\n"


def test_a_debugger(user: User, freeze: Any) -> None:
    user.run("import sys; traced = []; sys.settrace(lambda frame, event, arg: traced.append(event))")
    try:
        state = freeze()
        assert printed(tried(state, "print(sys.gettrace())")) == "None\n"
    finally:
        user.run("sys.settrace(None)")


def test_processes_started_in_a_trial(freeze: Any) -> None:
    code = (
        "import multiprocessing as mp\nwith mp.get_context('fork').Pool(2) as pool:\n    print(pool.map(abs, [-1, -2]))\n"
        "import subprocess\nprint(subprocess.run(['echo', 'x'], capture_output=True, text=True).stdout)"
    )
    assert printed(tried(freeze(), code)) == "[1, 2]\nx\n\n"


# --- the machinery itself -----------------------------------------------------------------------------------------


def test_an_interrupt_of_the_kernel_leaves_trials_alone(user: User, freeze: Any) -> None:
    state = freeze()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(tried, state, "import time\ntime.sleep(2)\nprint('slept')")
        wait_for(lambda: any(name(p) == "selfheal-guard" for p in marked()))
        user.kernel.interrupt()
        for pid in [p for p in marked() if name(p).startswith("selfheal")]:
            os.kill(pid, signal.SIGINT)
        assert printed(running.result()) == "slept\n"


def test_a_zygote_keeps_no_descriptor_of_its_trials(user: User, freeze: Any) -> None:
    state = freeze()
    tried(state, "1")
    children = Path(f"/proc/{user.kernel.pid}/task/{user.kernel.pid}/children").read_text().split()
    (zygote,) = [int(p) for p in children if name(int(p)) == "selfheal-zygote"]
    assert wait_for(is_idle)
    had, mine = open_descriptors(zygote), open_descriptors(user.kernel.pid)
    for code in ("1", "1/0", "import os; os._exit(1)"):
        tried(state, code)
    assert wait_for(lambda: is_idle() and open_descriptors(zygote) <= had)
    assert open_descriptors(user.kernel.pid) == mine


def is_idle() -> bool:
    """No trial runs, and the next one's processes wait."""
    names = Counter(name(p) for p in marked())
    return not names["selfheal-guard"] and names["selfheal-spare"] == names["selfheal-zygote"]


def test_a_step_of_its_own_limit_says_where_it_was(freeze: Any) -> None:
    trial = tried(freeze(), Run("x = 1\nimport time\ntime.sleep(60)", "a", go_on=True, timeout=1), "print('next')")
    assert (trial.steps[0].status, trial.steps[0].errors[0].line) == ("timeout", 3)
    assert trial.steps[1].ok
