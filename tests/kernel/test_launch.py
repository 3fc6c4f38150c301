"""Real kernels of a kernelspec: their outputs, their isolation, and that nothing of them is left."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.fork import sandbox
from jupyter_selfheal.kernels.byte_code import prepare
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.kernels.kernel_process import remove_left_folders
from jupyter_selfheal.kernels.launch import LiveKernel, start_kernel
from jupyter_selfheal.model import Launch, Output, Run, TrialRequest
from tests.waiting import wait_until

pytestmark = pytest.mark.kernel
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("project")
    (found / "data.txt").write_text("as it was")
    return found


@pytest.fixture(scope="module")
def kernel(folder: Path) -> Iterator[LiveKernel]:
    with start_kernel("python3", str(folder)) as started:
        yield started


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def text_of(outputs: tuple[Output, ...], name: str = "") -> str:
    return "".join(o.text for o in outputs if name in ("", o.name))


def test_outputs_are_those_a_notebook_stores(kernel: LiveKernel) -> None:
    heard: list[Output] = []
    reply = kernel.execute(
        "import sys\nfrom IPython.display import display, HTML\n"
        "print('a'); print('b'); print('c', file=sys.stderr)\n"
        "shown = display(HTML('<b>1</b>'), display_id=True); shown.update(HTML('<b>2</b>'))\n6 * 7",
        on_output=heard.append,
    )
    assert reply.ok
    assert [(o.output_type, o.name, o.text) for o in reply.outputs[:2]] == [
        ("stream", "stdout", "a\nb\n"),
        ("stream", "stderr", "c\n"),
    ]
    assert reply.outputs[2].data["text/html"] == "<b>2</b>"
    assert reply.outputs[3].data == {"text/plain": "42"}
    assert reply.execution_count > 0
    assert text_of(tuple(heard)) == "a\nb\nc\n"


def test_cleared_output_is_not_kept(kernel: LiveKernel) -> None:
    code = "from IPython.display import clear_output\nfor n in range(3):\n    clear_output(wait=True); print(n)"
    assert text_of(kernel.execute(code).outputs) == "2\n"


def test_an_error_is_data_and_the_kernel_goes_on(kernel: LiveKernel) -> None:
    reply = kernel.execute("1 / 0")
    assert [(e.ename, e.evalue) for e in reply.errors] == [("ZeroDivisionError", "division by zero")]
    assert "\x1b" not in reply.errors[0].traceback
    assert kernel.execute("1 + 1").ok


def test_input_is_an_error_rather_than_a_hang(kernel: LiveKernel) -> None:
    assert kernel.execute("input('?')", timeout=30).errors[0].ename == "StdinNotImplementedError"


def test_a_timeout_leaves_a_kernel_that_can_be_interrupted(kernel: LiveKernel) -> None:
    assert kernel.execute("import time\nprint('on', flush=True)\ntime.sleep(600)", timeout=1).timed_out
    assert kernel.execute("1", timeout=0.5).timed_out
    kernel.interrupt_cell()
    assert kernel.execute("'alive'", timeout=60).outputs[0].data["text/plain"] == "'alive'"


@linux_only
def test_writes_are_discarded_and_the_working_directory_is_the_notebooks(kernel: LiveKernel, folder: Path) -> None:
    if kernel.writes_isolated:
        pytest.skip(kernel.writes_isolated)
    reply = kernel.execute(
        "import os, tempfile\nopen('data.txt', 'a').write('!'); open('new.txt', 'w').write('x')\n"
        "tempfile.mkstemp(prefix='selfheal-launch-test')\nprint(os.getcwd(), sorted(os.listdir()), open('data.txt').read())"
    )
    assert text_of(reply.outputs) == f"{folder} ['data.txt', 'new.txt'] as it was!\n"
    assert sandbox.OVERLAY in kernel.layers
    assert [p.name for p in folder.iterdir()] == ["data.txt"]
    assert (folder / "data.txt").read_text() == "as it was"
    assert not list(Path("/tmp").glob("selfheal-launch-test*"))


def test_writes_can_be_allowed(folder: Path) -> None:
    with start_kernel("python3", str(folder), writes="allow") as kernel:
        assert kernel.execute("open('kept.txt', 'w').write('x')").ok
        assert kernel.writes_isolated == ""
    assert (folder / "kept.txt").read_text() == "x"
    (folder / "kept.txt").unlink()


@linux_only
def test_writes_can_be_forbidden(folder: Path) -> None:
    if why := sandbox.probe()[sandbox.READ_ONLY]:
        pytest.skip(why)
    with start_kernel("python3", str(folder), writes="forbid", strict=True) as kernel:
        assert kernel.execute("open('x', 'w')").errors[0].evalue.startswith("[Errno 30]")
        assert kernel.execute("import tempfile; tempfile.TemporaryFile()").ok


@linux_only
def test_stopping_ends_everything_that_the_kernel_started(folder: Path, request: pytest.FixtureRequest) -> None:
    kernel = start_kernel("python3", str(folder), env={"OF_THE_TEST": "1"})
    request.addfinalizer(kernel.stop)
    code = """
import os, subprocess, sys
assert os.environ["OF_THE_TEST"] == "1"
plain = subprocess.Popen(["sleep", "600"])
away = subprocess.Popen(["setsid", "sh", "-c", "trap '' TERM INT HUP; sleep 600 & wait"], stdout=subprocess.DEVNULL)
if not (child := os.fork()):
    os.setsid()
    if os.fork(): os._exit(0)
    while True: pass
print(plain.pid, away.pid)
"""
    pids = [kernel.pid, *map(int, text_of(kernel.execute(code).outputs, "stdout").split())]
    descendants = subprocess.run(
        ["ps", "-eo", "pid,ppid", "--no-headers"], capture_output=True, text=True, check=True
    ).stdout.split()
    by_parent: dict[int, list[int]] = {}
    for pid, parent in zip(map(int, descendants[::2]), map(int, descendants[1::2]), strict=True):
        by_parent.setdefault(parent, []).append(pid)
    stack = [kernel._process.warden.pid]
    while stack:
        found = by_parent.get(stack.pop(), [])
        pids += found
        stack += found
    assert len(set(pids)) >= 4
    before = set(os.listdir("/proc/self/fd"))
    kernel.stop()
    kernel.stop()
    assert all(is_gone(pid) for pid in pids)
    assert not os.path.exists(kernel.shared)
    assert len(os.listdir("/proc/self/fd")) < len(before)
    assert not kernel.alive
    with pytest.raises(KernelError, match="has ended"):
        kernel.execute("1")


@linux_only
def test_a_kernel_does_not_outlive_us_even_when_we_are_killed(folder: Path) -> None:
    program = f"""
import sys, time
from jupyter_selfheal.kernels.launch import start_kernel
k = start_kernel("python3", {str(folder)!r})
k.execute("import subprocess; subprocess.Popen(['setsid', 'sleep', '600'])")
print(k.pid, k._process.warden.pid, k.shared, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        kernel, warden, shared = owner.stdout.readline().split()
        owner.kill()
    assert wait_until(lambda: is_gone(int(kernel)) and is_gone(int(warden)))
    assert wait_until(lambda: not os.path.exists(shared) or not os.listdir(shared))
    subprocess.run(["rm", "-rf", shared], check=True)


@linux_only
def test_the_next_run_removes_what_a_kill_of_both_of_us_left(folder: Path) -> None:
    program = f"""
import time
from jupyter_selfheal.kernels.launch import start_kernel
k = start_kernel("python3", {str(folder)!r})
print(k.pid, k._process.warden.pid, k.shared, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        kernel, warden, shared = owner.stdout.readline().split()
        os.utime(shared, (0, 0))
        remove_left_folders.__wrapped__(os.path.dirname(shared))
        assert os.path.exists(f"{shared}/kernel.json"), "its owner lives"
        os.kill(int(warden), signal.SIGKILL)
        owner.kill()
    assert wait_until(lambda: is_gone(int(kernel)) and is_gone(int(warden)))
    assert os.path.exists(f"{shared}/kernel.json")
    os.utime(shared, (0, 0))
    remove_left_folders.__wrapped__(os.path.dirname(shared))
    assert not os.path.exists(shared)


@linux_only
def test_a_kernel_that_is_forgotten_ends(folder: Path) -> None:
    kernel = start_kernel("python3", str(folder))
    kernel.execute("1")
    pid, shared = kernel.pid, kernel.shared
    cycle = [kernel]
    cycle.append(cycle)  # type: ignore[arg-type]
    del kernel, cycle
    gc.collect()
    assert is_gone(pid)
    assert not os.path.exists(shared)


def test_a_kernel_outlives_the_thread_that_started_it(folder: Path) -> None:
    made: list[LiveKernel] = []
    thread = threading.Thread(target=lambda: made.append(start_kernel("python3", str(folder))))
    thread.start()
    thread.join()
    with made[0] as kernel:
        assert kernel.execute("1").ok


@pytest.mark.parametrize(("how", "code"), [("os._exit(3)", 3), ("os.abort()", -signal.SIGABRT)])
def test_a_kernel_that_ends_under_a_cell_is_seen_at_once(folder: Path, how: str, code: int) -> None:
    with start_kernel("python3", str(folder)) as kernel:
        reply = kernel.execute(f"import os\nprint('last words', flush=True)\n{how}", timeout=60)
        assert reply.died
        assert not reply.timed_out
        assert kernel.exit_code == code


def test_a_missing_kernelspec_is_named_with_those_installed(folder: Path) -> None:
    with pytest.raises(KernelError, match=r"no kernel named 'julia-0\.3' is installed \(installed: .*python3"):
        start_kernel("julia-0.3", str(folder))


def test_python3_needs_no_kernelspec(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("JUPYTER_PATH", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    with start_kernel("python3", str(folder)) as kernel:
        assert text_of(kernel.execute("import sys; print(sys.executable)").outputs).strip() == sys.executable


def spec(root: Path, name: str, argv: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "kernels" / name).mkdir(parents=True)
    (root / "kernels" / name / "kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": name, "language": "python", "env": {"FROM_SPEC": "${HOME}/x"}})
    )
    monkeypatch.setenv("JUPYTER_PATH", str(root))


def test_a_kernel_that_dies_at_start_says_why(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec(tmp_path, "dying", [sys.executable, "-c", "raise SystemExit('no such licence')"], monkeypatch)
    with pytest.raises(KernelError, match=r"'dying' died at start: .*no such licence"):
        start_kernel("dying", str(folder))
    spec(tmp_path, "absent", ["/no/such/python", "-f", "{connection_file}"], monkeypatch)
    with pytest.raises(KernelError, match=r"'absent' died at start: .*/no/such/python"):
        start_kernel("absent", str(folder))
    spec(tmp_path, "mute", [sys.executable, "-c", "import time; time.sleep(600)"], monkeypatch)
    with pytest.raises(KernelError, match="'mute' did not answer in time"):
        start_kernel("mute", str(folder), timeout=1)


def test_a_missing_folder_is_an_error_that_names_it() -> None:
    with pytest.raises(KernelError, match="/no/such/folder"):
        start_kernel("python3", "/no/such/folder")


def test_the_environment_of_a_kernelspec_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec(tmp_path, "with-env", argv, monkeypatch)
    with start_kernel("with-env", str(folder)) as kernel:
        said = text_of(kernel.execute("import os; print(os.environ['FROM_SPEC'])").outputs)
    assert said == f"{os.environ['HOME']}/x\n"


@linux_only
@pytest.mark.slow
def test_a_kernel_reads_byte_code_that_was_compiled_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages, project, cache = tmp_path / "site-packages", tmp_path / "project", tmp_path / "cache"
    for name in ("bare_one", "bare_two"):
        (packages / name).mkdir(parents=True)
        (packages / name / "__init__.py").write_text("value = 1\n")
    project.mkdir()
    (project / "bare_two.py").write_text("value = 3\n")  # the notebook's own: it runs in kernels only
    monkeypatch.chdir(project)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([".", str(packages)]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    kept = prepare("python3", ("bare_one", "bare_two"))
    assert kept.startswith(str(cache))
    assert list(Path(kept).rglob("bare_one/__init__.*.pyc"))
    assert not list(packages.rglob("*.pyc"))
    assert list(Path(kept).rglob("bare_two/__init__.*.pyc"))
    assert not list(Path(kept).rglob("bare_two.*.pyc"))
    source = packages / "bare_one" / "__init__.py"
    dated = source.stat().st_mtime_ns
    source.write_text("value = 2\n")
    os.utime(source, ns=(dated, dated))  # whoever compiled it anew would find another value
    code = "import bare_one, os\nprint(bare_one.value, os.environ.get('PYTHONPYCACHEPREFIX'))"
    with closing(open_state(Launch("python3", str(project), byte_code=kept))) as state:
        trial, _ = state.run(TrialRequest((Run(code),), timeout=30.0))
    assert trial.steps[0].outputs[-1].text == "1 None\n"
