"""Every refusal and every allowance of the gate, each in a process of its own or in a real kernel."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from jupyter_selfheal.kernels.launch import LiveKernel, start_kernel
from tests.ports import choose_port

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux only")]

ASK = "from jupyter_selfheal.inside.fork.gate import find_refusal\n"


def refusal_after(code: str) -> str:
    """What the gate says in a new process that has run ``code``."""
    program = ASK + textwrap.dedent(code) + "\nprint('gate:', find_refusal(1), flush=True)\nimport os; os._exit(0)"
    with tempfile.TemporaryFile("w+") as out:  # a pipe would be held open by the workers of a pool
        ran = subprocess.Popen([sys.executable, "-c", program], stdout=out, stderr=out, start_new_session=True)
        try:
            ended = ran.wait(timeout=120)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(ran.pid, signal.SIGKILL)
        out.seek(0)
        text = out.read()
    assert ended == 0, text
    return text.rpartition("gate:")[2].splitlines()[0].strip()


BUSY_POOL = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
began = threading.Event()
def work():
    began.set()
    {work}
ThreadPoolExecutor(1).submit(work)
began.wait()
"""

REFUSED = {
    "user thread": (
        "import threading, time; threading.Thread(target=time.sleep, args=(60,), name='poller', daemon=True).start()",
        "a user thread is alive: poller",
    ),
    "timer": ("import threading; t = threading.Timer(60, print); t.daemon = True; t.start()", "a user thread is alive"),
    "busy executor": (BUSY_POOL.format(work="time.sleep(60)"), "an executor is busy"),
    "busy executor in Python code": (BUSY_POOL.format(work="while True: time.sleep(0.01)"), "an executor is busy"),
    "an executor that has just been given work": (
        """
        import sys
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(1)
        pool.submit(abs, 1).result()
        sys.setswitchinterval(1000)  # no worker can take it before it is asked
        pool.submit(abs, 1)
        """,
        "an executor is busy",
    ),
    "busy pool of multiprocessing": (
        """
        import threading, time
        from multiprocessing.pool import ThreadPool
        began = threading.Event()
        pool = ThreadPool(2)
        pool.apply_async(lambda: began.set() or time.sleep(60))
        began.wait()
        """,
        "an executor is busy",
    ),
    "multiprocessing's processes": (
        """
        import multiprocessing
        pool = multiprocessing.Pool(1)
        pool.apply(abs, (1,))
        """,
        "an executor is busy",
    ),
    "process pool": (
        """
        from concurrent.futures import ProcessPoolExecutor
        pool = ProcessPoolExecutor(1)
        pool.submit(abs, 1).result()
        """,
        "a user thread is alive",
    ),
    "live loky executor": (
        """
        from joblib import Parallel, delayed
        Parallel(n_jobs=2)(delayed(abs)(n) for n in range(2))
        """,
        "loky",
    ),
    "native thread of a library": (
        """
        import threading, time
        named = threading.Event()
        def run():
            with open('/proc/thread-self/comm', 'w') as name: name.write('tokio-runtime-w')
            named.set()
            time.sleep(60)
        threading.Thread(target=run, daemon=True, name='selfheal-x').start()
        named.wait()
        """,
        "a native thread of a library is alive: tokio-runtime-w",
    ),
    "CUDA started by PyTorch": (
        """
        import sys, types
        torch = types.ModuleType('torch'); torch.cuda = types.SimpleNamespace(is_initialized=lambda: True)
        sys.modules['torch'] = torch
        """,
        "PyTorch has started CUDA",
    ),
    "Qt application": (
        """
        import sys, types
        core = types.ModuleType('PyQt6.QtCore')
        core.QCoreApplication = types.SimpleNamespace(instance=lambda: object())
        sys.modules['PyQt6.QtCore'] = core
        """,
        "a Qt application is running",
    ),
    "another system": ("import sys; sys.platform = 'darwin'", "need Linux"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(name: str) -> None:
    code, words = REFUSED[name]
    assert words in refusal_after(code)


@pytest.mark.parametrize("library", ["polars", "jax", "tensorflow", "ray", "grpc", "pyspark", "cupy", "cudf", "pycuda"])
def test_refuses_a_loaded_library_that_does_not_survive_a_fork(library: str) -> None:
    assert "is loaded" in refusal_after(f"import sys, types; sys.modules[{library!r}] = types.ModuleType({library!r})")


ALLOWED = {
    "nothing": "",
    "tqdm's monitor": "from tqdm import tqdm; bar = tqdm(range(3)); next(iter(bar)); assert bar.monitor.is_alive()",
    "idle executor": """
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(2)
        list(pool.map(abs, range(4)))
        """,
    "asyncio.to_thread's worker": """
        import asyncio, threading
        loop = asyncio.new_event_loop()
        loop.run_until_complete(loop.run_in_executor(None, abs, 1))
        assert threading.active_count() > 1
        """,
    "an idle pool of multiprocessing": """
        from multiprocessing.pool import ThreadPool
        pool = ThreadPool(2)
        pool.map(abs, range(4))
        """,
    "a pool of multiprocessing that has just ended": """
        from multiprocessing.pool import ThreadPool
        with ThreadPool(8) as pool: pool.map(abs, range(4))
        """,
    "our own reader": """
        import threading, time
        threading.Thread(target=time.sleep, args=(60,), name='selfheal-reader', daemon=True).start()
        """,
    "a thread that has ended": "import threading; t = threading.Thread(target=abs, args=(1,)); t.start(); t.join()",
    "PyTorch without CUDA": """
        import sys, types
        torch = types.ModuleType('torch'); torch.cuda = types.SimpleNamespace(is_initialized=lambda: False)
        sys.modules['torch'] = torch
        """,
    "BLAS and OpenMP threads": """
        import numpy as np
        a = np.random.rand(600, 600); a @ a
        from sklearn.cluster import KMeans
        KMeans(2, n_init=1).fit(a[:50])
        """,
    "a loky executor that was shut down": """
        from joblib import Parallel, delayed
        from joblib.externals.loky import get_reusable_executor
        Parallel(n_jobs=2)(delayed(abs)(n) for n in range(2))
        get_reusable_executor().shutdown(wait=True)
        """,
    "debugpy": f"""
        import debugpy
        from debugpy.common import sockets
        create_server = sockets.create_server  # it would ask the system for a port, where a client of a dead kernel may call
        sockets.create_server = lambda host, port, **how: create_server(host, {choose_port()}, **how)
        debugpy.listen(('127.0.0.1', {choose_port()}))
        """,
    "a forked child": """
        import os, threading, time
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        import posix
        child = posix.fork()
        if child:
            os.waitpid(child, 0); os._exit(0)
        """,
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allows(name: str) -> None:
    assert refusal_after(ALLOWED[name]) == "None"


def test_refuses_off_the_main_thread() -> None:
    code = "import threading; said = []; t = threading.Thread(target=lambda: said.append(find_refusal(1)), name='selfheal-t')"
    assert "not on the main thread" in refusal_after(
        code + "\nt.start(); t.join(); print(said[0]); find_refusal = lambda _: said[0]"
    )


def test_refuses_below_the_headroom_and_says_how_much_is_free() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", ASK + "print(find_refusal(10**9))"], capture_output=True, text=True, timeout=60
    )
    assert "MiB of memory are free, 1000000000 are needed" in ran.stdout


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    with start_kernel("python3", str(tmp_path_factory.mktemp("gate")), writes="allow") as started:
        yield started


def said_in(kernel: LiveKernel, code: str = "") -> str:
    reply = kernel.execute(
        textwrap.dedent(code)
        + "\nfrom jupyter_selfheal.inside.fork.gate import find_refusal\nprint('gate:', find_refusal(1))"
    )
    assert not reply.errors, reply.errors
    return "".join(o.text for o in reply.outputs).rpartition("gate:")[2].strip()


def test_allows_a_kernel_with_all_its_own_threads(kernel: LiveKernel) -> None:
    threads = kernel.execute("import threading; print([t.name for t in threading.enumerate()])").outputs[0].text
    assert "IOPub" in threads
    assert said_in(kernel) == "None"


def test_allows_inline_figures_progress_bars_and_idle_workers_in_a_kernel(kernel: LiveKernel) -> None:
    code = """
    %matplotlib inline
    import asyncio, matplotlib.pyplot as plt
    from tqdm.auto import tqdm
    from tqdm import tqdm as plain
    plt.plot([1, 2])
    for _ in plain(range(3)): pass
    await asyncio.to_thread(abs, 1)
    """
    assert said_in(kernel, code) == "None"


def test_refuses_a_gui_event_loop_in_a_kernel(kernel: LiveKernel) -> None:
    said = said_in(kernel, "ip = get_ipython(); ip.active_eventloop = 'tk'")
    kernel.execute("ip.active_eventloop = None")
    assert said == "a GUI event loop is running: tk"


def test_refuses_while_a_subshell_runs_a_cell_and_allows_it_when_idle(kernel: LiveKernel) -> None:
    if int(version("ipykernel").split(".")[0]) < 7:
        pytest.skip("this ipykernel has no subshells")
    client = kernel._client
    client.control_channel.send(client.session.msg("create_subshell_request", {}))
    subshell = client.get_control_msg(timeout=30)["content"]["subshell_id"]
    assert said_in(kernel) == "None"
    assert said_in(kernel, "import threading, time; began, go_on = threading.Event(), threading.Event()") == "None"
    content = {"code": "began.set(); go_on.wait()", "silent": False, "store_history": False}
    request = client.session.msg("execute_request", content)
    request["header"]["subshell_id"] = subshell
    client.shell_channel.send(request)
    assert "is running a cell" in said_in(kernel, "began.wait()")
    again = "from jupyter_selfheal.inside.fork.gate import find_refusal\ngo_on.set()\nwhile find_refusal(1): time.sleep(0.01)"
    assert said_in(kernel, again) == "None"


def test_the_gate_is_quick_and_leaves_nothing_behind(tmp_path: Path) -> None:
    assert (
        refusal_after(
            f"import os; os.chdir({str(tmp_path)!r}); before = os.listdir('/proc/self/fd'); find_refusal(1); assert os.listdir('/proc/self/fd') == before"
        )
        == "None"
    )
    assert not list(tmp_path.iterdir())
