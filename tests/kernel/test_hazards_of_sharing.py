"""What a fork shares with the user's kernel, and a trial must not change there: files, sockets, databases, memory, history."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.model import OPEN, Sandbox
from tests.kernel.forking import User, printed, tried

pytestmark = pytest.mark.kernel


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


def test_files_that_other_threads_open_and_close_at_the_time_of_the_fork(user: User) -> None:
    churn = (
        "import os, threading\nstop = threading.Event()\ndef churn():\n    while not stop.is_set():\n"
        "        with open('churned', 'w'): pass\nthread = threading.Thread(target=churn, name='selfheal-churn'); thread.start()"
    )
    user.run(churn)
    try:
        asked = "[type(__import__('sys')._test_zygote.descriptors.list_offsets()).__name__ for _ in range(3000)].count('dict')"
        assert user.value(asked) == 3000
    finally:
        user.run("stop.set(); thread.join()")


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
