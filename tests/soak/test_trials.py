"""Endurance: hostile cells, one after another and side by side, in trials of one kernel (``make soak``)."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.model import OPEN, Ending, Keep, Run, Sandbox, TrialRequest
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants
from jupyter_selfheal.testing.trials import evaluate
from tests.kernel.forking import User, name, open_descriptors
from tests.waiting import wait_until

pytestmark = [pytest.mark.kernel, pytest.mark.slow, pytest.mark.timeout(3000)]

TRIALS = 2000
FREEZE_AGAIN = 100
"""Trials from one frozen copy, before the user's kernel makes another."""

HOSTILE = {
    "healthy": "sum(data)",
    "raises": "data['x']",
    "syntax": "for x in",
    "deep": "def f(n): return f(n + 1)\nf(0)",
    "rewrites the state": "data[:] = [None] * len(data); big = bytearray(20 << 20)",
    "exits": "import os; os._exit({n} % 256)",
    "aborts": "import os; os.abort()",
    "segfaults": "import ctypes; ctypes.string_at(0)",
    "kills itself": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "kills its guard": "import os, signal; os.kill(os.getppid(), signal.SIGKILL); import time; time.sleep(5)",
    "never ends": "def busy():\n    while True: pass\nwhile True:\n    try: busy()\n    except BaseException: pass",
    "prints a lot": "print('x' * 20_000_000)",
    "prints from C": "import subprocess; subprocess.run('yes | head -c 5000000', shell=True)",
    "escapes": "import subprocess; subprocess.Popen(['sleep', '900'], start_new_session=True)",
    "forks": "import os, time\nfor _ in range(4):\n    if os.fork() == 0: os.setsid()\ntime.sleep(60)",
    "threads": "import threading, time\nfor _ in range(5): threading.Thread(target=time.sleep, args=(60,)).start()",
    "closes descriptors": "import os\nos.closerange(3, 4000)",
    "ends streams": "import sys; sys.stdout.close(); sys.stdout = None; print(1)",
    "exhausts memory": "x = [bytearray(1 << 24) for _ in range(10_000)]",
    "writes": "open('junk', 'wb').write(b'x' * 5_000_000); import shutil; shutil.rmtree('.', ignore_errors=True)",
    "network": "import socket; socket.create_connection(('192.0.2.1', 9), timeout=3)",
    "loads": "import json, decimal, fractions, sqlite3; sqlite3.connect('d.db').execute('create table t(x)')",
    "awaits": "import asyncio; await asyncio.gather(*[asyncio.sleep(0.01) for _ in range(50)])",
    "signals": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01); import time; time.sleep(1)",
    "uncollectable": "class A:\n    def __del__(self): print(undefined)\na = A(); a.me = a; del a; import gc; gc.collect()",
    "changes modules": "import sys, os, json\njson.dumps = None; os.getpid = None; sys.modules.clear()",
}


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    mark_descendants()
    user = User(tmp_path)
    user.run("data = list(range(100_000))")
    yield user
    user.stop()
    assert all(is_gone(pid) for pid in list_marked())


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20


def one(state: ForkedKernel, n: int) -> str:
    """One trial; what it was and how it ended."""
    draw = random.Random(n * 7919)
    what = draw.choice(list(HOSTILE))
    sandbox = Sandbox(memory_mb=400, output_kb=256, network=draw.random() < 0.3)
    steps = (Run("data.append(0)", "a"), Run(HOSTILE[what].replace("{n}", str(n)), "b"))
    keep = Keep.ALWAYS if draw.random() < 0.2 else Keep.NEVER
    try:
        trial, kept = state.run(TrialRequest(steps, timeout=3.0, sandbox=sandbox, keep=keep))
    except KernelError:
        return f"{what}: machinery"
    if kept is not None:
        kept.run(TrialRequest((Run("1", "c"),), timeout=20.0, sandbox=OPEN))
        kept.close()
    return f"{what}: {trial.ending}"


def test_two_thousand_hostile_cells(user: User) -> None:
    found, began = Counter[str](), time.monotonic()
    memory, descriptors = [], []
    for batch in range(TRIALS // FREEZE_AGAIN):
        state = user.freeze("before" if batch % 2 else "after")
        with ThreadPoolExecutor(3) as pool:
            found.update(pool.map(partial(one, state), range(batch * 100, batch * 100 + 100)))
        assert evaluate(state, "len(data)") == 100_000
        state.close()
        assert wait_until(lambda: not [p for p in list_marked() if name(p).startswith(("selfheal", "sleep"))])
        assert not user.snapshot()["selfheal children"]
        memory.append(resident_mb(user.kernel.pid))
        descriptors.append(open_descriptors(user.kernel.pid))
    seconds = time.monotonic() - began
    print(
        f"\n{TRIALS} trials in {seconds:.0f} s; kernel {memory[0]:.1f} → {memory[-1]:.1f} MiB, descriptors {descriptors}"
    )
    for line, count in sorted(found.items()):
        print(f"{count:5} {line}")
    assert memory[-1] - memory[1] < 8
    # one that is just being let go of is counted above, one that stays is a leak
    assert wait_until(lambda: open_descriptors(user.kernel.pid) <= descriptors[1] + 1), descriptors
    machinery = {line for line in found if line.endswith("machinery")}
    assert machinery <= {"kills its guard: machinery", "closes descriptors: machinery"}
    assert found[f"never ends: {Ending.TIMED_OUT}"] > 0
