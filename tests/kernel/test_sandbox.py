"""The sandbox in real processes: as root and as an ordinary user, with each layer there and away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.kernels import refused, sandbox

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")]

NOBODY = 65534
USERS = [pytest.param(None, id="as-is"), pytest.param(NOBODY, id="ordinary-user")]

PREAMBLE = """
import encodings.idna, json, os, random, resource, socket, sqlite3, sys, tempfile, time, traceback
from jupyter_selfheal.kernels import overlay, refused, sandbox, syscalls
order = json.loads(sys.argv[1])
os.chdir(order["folder"])
os.environ["HOME"] = order["home"]
if order["user"] is not None:
    os.setgroups([]); os.setgid(order["user"]); os.setuid(order["user"]); syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
plan = {"network": False, "writes": "discard", "folders": [order["folder"]], "memory_mb": 0, **order["plan"]}
report = {}
def attempt(name, what):
    try:
        report[name] = what()
    except Exception as error:
        report[name] = [type(error).__name__, str(error), refused.blocked(type(error).__name__, str(error), plan)]
def write(path):
    with open(path, "w") as f:
        f.write("changed")
    return "written"
def enter():
    probed = {**sandbox.probe(), **order["probed"]}
    report["layers"] = sandbox.enter(plan, probed)
def in_fork(what):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            what()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


class Place:
    """A project folder, a home and a folder elsewhere, which the user of the sandbox owns."""

    def __init__(self, root: Path, user: int | None) -> None:
        self.user = user
        self.project, self.home, self.elsewhere = (root / name for name in ("project", "home", "elsewhere"))
        for folder in (self.project, self.home, self.elsewhere):
            folder.mkdir(parents=True)
            (folder / "data.txt").write_text("as it was")
            if user is not None:
                for path in (folder, folder / "data.txt"):
                    os.chown(path, user, user)

    def run(self, code: str, probed: dict[str, str] | None = None, **plan: Any) -> dict[str, Any]:
        """What ``code`` reports in a new process, which enters the sandbox when it calls ``enter()``."""
        order = {
            "folder": str(self.project),
            "home": str(self.home),
            "user": self.user,
            "probed": probed or {},
            "plan": plan,
        }
        program = PREAMBLE + textwrap.dedent(code) + "\nprint(json.dumps(report))"
        env = {**os.environ, "TMPDIR": str(self.home.parent / "tmp"), "PYTHONPATH": str(Path(__file__).parents[2])}
        (self.home.parent / "tmp").mkdir(exist_ok=True, mode=0o777)
        (self.home.parent / "tmp").chmod(0o1777)
        ran = subprocess.run(
            [sys.executable, "-c", program, json.dumps(order)], capture_output=True, text=True, timeout=120, env=env
        )
        assert ran.returncode == 0, ran.stderr
        return dict(json.loads(ran.stdout.splitlines()[-1]))

    def contents(self) -> dict[str, str]:
        root = self.home.parent
        return {str(p.relative_to(root)): p.read_text() for p in sorted(root.rglob("*")) if p.is_file()}


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Any:
    """Outside of the temporary folder, which is itself overlaid."""
    user = getattr(request, "param", None)
    if user is not None and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    base = Path("/var/tmp") if os.access("/var/tmp", os.W_OK) else Path.home()
    import shutil
    import tempfile

    root = Path(tempfile.mkdtemp(prefix="sandbox-test-", dir=base))
    root.chmod(0o755)
    yield Place(root, user)
    shutil.rmtree(root)


def available(*layers: str) -> None:
    missing = [f"{layer}: {why}" for layer in layers if (why := sandbox.probe()[layer])]
    if missing:
        pytest.skip("; ".join(missing))


LOOK_AROUND = """
enter()
attempt("read", lambda: open("data.txt").read())
attempt("read elsewhere", lambda: open(order["home"] + "/../elsewhere/data.txt").read())
attempt("write here", lambda: write("new.txt"))
attempt("overwrite here", lambda: write(order["folder"] + "/data.txt"))
attempt("write at home", lambda: write(order["home"] + "/cache"))
attempt("write temporary", lambda: write(os.environ["TMPDIR"] + "/t"))
attempt("write elsewhere", lambda: write(order["home"] + "/../elsewhere/data.txt"))
attempt("remove elsewhere", lambda: os.remove(order["home"] + "/../elsewhere/data.txt"))
attempt("shared memory", lambda: write(f"/dev/shm/selfheal-test-{os.getpid()}"))
attempt("tidy", lambda: os.remove(f"/dev/shm/selfheal-test-{os.getpid()}"))
attempt("device", lambda: write("/dev/null"))
attempt("connect", lambda: socket.create_connection(("192.0.2.1", 80), timeout=5))
attempt("namespace", lambda: os.readlink("/proc/thread-self/ns/net"))
attempt("list", lambda: sorted(os.listdir(".")))
"""


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_writes_are_discarded_the_network_is_refused_and_reads_are_allowed(place: Place) -> None:
    available(sandbox.OVERLAY, sandbox.NETWORK)
    before = place.contents()
    saw = place.run(LOOK_AROUND)
    assert {"overlay", "read-only mounts", "network namespace", "limits"} <= set(saw["layers"])
    assert saw["read"] == saw["read elsewhere"] == "as it was"
    assert [saw[k] for k in ("write here", "overwrite here", "write at home", "write temporary")] == ["written"] * 4
    assert saw["list"] == ["data.txt", "new.txt"]
    for name in ("write elsewhere", "remove elsewhere"):
        assert saw[name][2].startswith("write: [Errno 30] Read-only file system")
    assert saw["connect"][2].startswith("network: ")
    if place.user is None:
        assert saw["namespace"] not in ("", os.readlink("/proc/self/ns/net"))
    assert saw["shared memory"] == saw["device"] == "written"
    assert place.contents() == before


def test_a_user_namespace_is_entered_only_by_those_who_need_it(place: Place) -> None:
    if os.geteuid() != 0:
        pytest.skip("compares root with another user")
    assert sandbox.USER not in place.run("enter()")["layers"]
    place.user = NOBODY
    assert place.run("enter()\nreport['ids'] = [os.getuid(), os.getgid()]")["layers"][0] == sandbox.USER


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_without_an_overlay_all_is_read_only(place: Place) -> None:
    available(sandbox.READ_ONLY)
    saw = place.run(LOOK_AROUND, probed={sandbox.OVERLAY: "not permitted"})
    assert sandbox.READ_ONLY in saw["layers"]
    assert sandbox.OVERLAY not in saw["layers"]
    assert saw["read"] == "as it was"
    for name in ("write here", "overwrite here", "write at home", "write elsewhere"):
        assert saw[name][2].startswith("write: "), saw[name]


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_without_mounts_landlock_makes_all_read_only(place: Place) -> None:
    available(sandbox.LANDLOCK)
    saw = place.run(LOOK_AROUND, probed={sandbox.OVERLAY: "no", sandbox.READ_ONLY: "no"})
    assert sandbox.LANDLOCK in saw["layers"]
    assert saw["read"] == "as it was"
    assert saw["device"] == saw["shared memory"] == "written"
    for name in ("write here", "overwrite here", "write at home", "write elsewhere", "remove elsewhere"):
        assert saw[name][0] == "PermissionError"
        assert saw[name][2].startswith("write: "), saw[name]


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_without_a_network_namespace_landlock_refuses_connections(place: Place) -> None:
    available(sandbox.LANDLOCK_TCP)
    saw = place.run(LOOK_AROUND, probed={sandbox.NETWORK: "no"})
    assert sandbox.LANDLOCK_TCP in saw["layers"]
    assert saw["connect"][0] == "PermissionError"
    assert saw["connect"][2].startswith("network: ")


def test_without_anything_against_writes_a_trial_must_not_run(place: Place) -> None:
    nothing = dict.fromkeys(sandbox.LAYERS, "no")
    saw = place.run("attempt('enter', enter)", probed=nothing)
    assert saw["enter"][0] == "LayerFailed"
    assert "keep a trial from writing" in saw["enter"][1]
    allowed = place.run("enter()\nattempt('write', lambda: write('data.txt'))", probed=nothing, writes="allow")
    assert allowed["layers"] == [sandbox.LIMITS]
    assert place.contents()["project/data.txt"] == "changed"


def test_the_open_plan_restricts_nothing(place: Place) -> None:
    saw = place.run("enter()\nattempt('write', lambda: write('data.txt'))", writes="allow", network=True)
    assert saw["layers"] == []
    assert place.contents()["project/data.txt"] == "changed"


def test_forbidden_writes_are_refused_everywhere(place: Place) -> None:
    available(sandbox.READ_ONLY)
    saw = place.run(LOOK_AROUND, writes="forbid")
    assert sandbox.OVERLAY not in saw["layers"]
    for name in ("write here", "write at home", "write temporary", "write elsewhere"):
        assert saw[name][2].startswith("write: ")


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_trials_of_trials_see_the_state_before_them_and_leave_it_alone(place: Place) -> None:
    available(sandbox.OVERLAY)
    saw = place.run(
        """
        def level(n):
            enter()
            assert sorted(os.listdir(".")) == ["data.txt", *(f"level{k}" for k in range(n))], os.listdir(".")
            assert open("data.txt").read() == ("as it was" if n == 0 else f"by {n - 1}")
            with open("data.txt", "w") as f: f.write(f"by {n}")
            write(f"level{n}")
            if n < 4:
                in_fork(lambda: level(n + 1))
                assert open("data.txt").read() == f"by {n}"
                assert f"level{n + 1}" not in os.listdir(".")
            if n == 0:
                os.remove("data.txt")
                in_fork(lambda: (enter(), attempt("gone", lambda: open("data.txt"))))
        level(0)
        report["depth"] = "reached"
        """
    )
    assert saw["depth"] == "reached"
    assert place.contents()["project/data.txt"] == "as it was"


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_a_kernel_started_inside_an_overlay_can_isolate_its_trials(place: Place) -> None:
    """``execve`` takes an ordinary user's capabilities, so the trial needs a user namespace within the first."""
    available(sandbox.OVERLAY, sandbox.USER)
    saw = place.run(
        """
        import ctypes, struct
        def as_after_execve():
            if os.geteuid():
                header, none = struct.pack("Ii", 0x20080522, 0), bytes(24)
                assert ctypes.CDLL(None).capset(header, none) == 0
                sandbox._probed.clear()
        def trial():
            enter()
            assert open("data.txt").read() == "by the kernel"
            write("data.txt"); write("new.txt"); write(order["home"] + "/cache")
            attempt("elsewhere", lambda: write(order["home"] + "/../elsewhere/data.txt"))
            assert report["elsewhere"][2].startswith("write: "), report
        plan["network"] = True
        enter()
        with open("data.txt", "w") as f: f.write("by the kernel")
        as_after_execve()
        plan["network"] = False
        in_fork(trial)
        report["then"] = [open("data.txt").read(), sorted(os.listdir("."))]
        """
    )
    assert saw["then"] == ["by the kernel", ["data.txt"]]
    assert place.contents()["project/data.txt"] == "as it was"


def test_writes_to_shared_folders_go_through_and_sockets_there_are_reachable(place: Place, tmp_path: Path) -> None:
    available(sandbox.OVERLAY)
    shared = place.home / "shared"
    shared.mkdir()
    saw = place.run(
        f"""
        def deeper():
            enter()
            write({str(shared)!r} + "/deeper")
        server = socket.socket(socket.AF_UNIX)
        server.bind({str(shared)!r} + "/s")
        server.listen()
        enter()
        write({str(shared)!r} + "/through")
        write(order["home"] + "/discarded")
        in_fork(deeper)
        client = socket.socket(socket.AF_UNIX)
        client.connect({str(shared)!r} + "/s")
        server.accept()[0].send(b"hi")
        report["heard"] = client.recv(2).decode()
        """,
        shared=[str(shared)],
    )
    assert saw["heard"] == "hi"
    assert sorted(p.name for p in shared.iterdir()) == ["deeper", "s", "through"]
    assert not (place.home / "discarded").exists()


def test_mounts_inside_the_project_stay_visible_and_become_read_only(place: Place) -> None:
    available(sandbox.OVERLAY)
    if os.geteuid() != 0:
        pytest.skip("mounts something")
    (place.project / "disk").mkdir()
    saw = place.run(
        """
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
        syscalls.mount("disk", "disk", "tmpfs")
        write("disk/file")
        enter()
        attempt("read", lambda: open("disk/file").read())
        attempt("write", lambda: write("disk/file"))
        """
    )
    assert saw["read"] == "changed"
    assert saw["write"][2].startswith("write: ")


def test_what_can_be_written_is_bounded(place: Place) -> None:
    available(sandbox.OVERLAY)
    saw = place.run(
        """
        if os.geteuid(): sandbox._user_namespace()
        syscalls.unshare(syscalls.CLONE_NEWNS)
        here = order["folder"]
        overlay.enter([here], needed=[here], shared=[], megabytes=1, options=sandbox._overlay_options())
        def fill():
            with open("big", "wb") as f: f.write(bytes(4 << 20))
        attempt("fill", fill)
        """
    )
    assert saw["fill"][2].startswith("write: [Errno 28] No space left on device")


def test_memory_is_limited_beyond_what_the_state_has(place: Place) -> None:
    saw = place.run(
        """
        state = bytearray(200 << 20)
        enter()
        small = bytearray(20 << 20)
        attempt("big", lambda: len(bytearray(400 << 20)))
        """,
        memory_mb=100,
    )
    assert saw["big"][0] == "MemoryError"


@pytest.mark.parametrize("place", [NOBODY], indirect=True)
def test_a_fork_bomb_of_an_ordinary_user_is_bounded(place: Place) -> None:
    available(sandbox.USER)
    saw = place.run(
        """
        sandbox._PROCESSES = 20
        enter()
        def bomb():
            children = []
            try:
                for _ in range(200):
                    child = os.fork()
                    if child == 0:
                        time.sleep(60); os._exit(0)
                    children.append(child)
            finally:
                for child in children:
                    os.kill(child, 9); os.waitpid(child, 0)
        attempt("bomb", bomb)
        """
    )
    assert saw["bomb"][0] == "BlockingIOError"
    assert saw["bomb"][2].startswith("processes: ")


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_probing_changes_nothing(place: Place) -> None:
    saw = place.run(
        """
        def everything():
            spaces = {n: os.readlink(f"/proc/self/ns/{n}") for n in os.listdir("/proc/self/ns")}
            return spaces, os.listdir("/proc/self/fd"), os.getcwd(), open("/proc/self/mountinfo").read()
        before = everything()
        probed = sandbox.probe()
        assert everything() == before
        assert sandbox.probe() == probed
        report["layers"] = sorted(probed)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            report["children"] = "none"
        """
    )
    assert saw["layers"] == sorted(sandbox.LAYERS)
    assert saw["children"] == "none"


REALLY_AWAY = """
if os.geteuid() == 0:
    user = os.geteuid()
    syscalls.unshare(syscalls.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", "0 0 1"), ("gid_map", "0 0 1")):
        with open(f"/proc/self/{name}", "w") as f: f.write(text)
for kind in KINDS:
    with open(f"/proc/sys/user/max_{kind}_namespaces", "w") as f: f.write("0")
"""


def test_a_layer_that_the_system_refuses_is_probed_as_missing_with_the_reason(place: Place) -> None:
    if os.geteuid() != 0:
        pytest.skip("limits namespaces in a namespace of its own")
    code = REALLY_AWAY + "report.update(sandbox.probe())"
    no_network = place.run(code.replace("KINDS", "['net']"))
    assert no_network[sandbox.NETWORK] != ""
    assert no_network[sandbox.OVERLAY] == ""
    no_mounts = place.run(code.replace("KINDS", "['mnt']"))
    assert no_mounts[sandbox.OVERLAY] != ""
    assert no_mounts[sandbox.READ_ONLY] != ""
    assert no_mounts[sandbox.NETWORK] == no_mounts[sandbox.LANDLOCK] == ""


def test_a_layer_that_fails_after_its_probe_aborts_the_trial(place: Place) -> None:
    available(sandbox.NETWORK)
    if os.geteuid() != 0:
        pytest.skip("limits namespaces in a namespace of its own")
    code = "sandbox.probe()" + REALLY_AWAY.replace("KINDS", "['net']") + "attempt('enter', enter)"
    saw = place.run(code, probed=dict.fromkeys(sandbox.LAYERS, ""))
    assert saw["enter"][0] == "LayerFailed"
    assert "could not be entered" in saw["enter"][1]


def test_entering_leaks_no_descriptor_and_keeps_the_working_directory(place: Place) -> None:
    saw = place.run(
        """
        before = sorted(os.listdir("/proc/self/fd"))
        enter()
        report["same"] = sorted(os.listdir("/proc/self/fd")) == before and os.getcwd() == order["folder"]
        """
    )
    assert saw["same"] is True


SHUT = {"network": False, "writes": "discard"}


@pytest.mark.parametrize(
    ("ename", "message", "plan", "kind"),
    [
        ("URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>", SHUT, "network"),
        ("gaierror", "[Errno -2] Name or service not known", SHUT, "network"),
        ("ConnectionRefusedError", "[Errno 111] Connection refused", SHUT, "network"),
        (
            "ConnectionError",
            "HTTPSConnectionPool(host='x', port=443): Max retries exceeded with url: /",
            SHUT,
            "network",
        ),
        ("OSError", "[Errno 101] Network is unreachable", SHUT, "network"),
        ("OSError", "[Errno 101] Network is unreachable", {**SHUT, "network": True}, ""),
        ("OSError", "[Errno 30] Read-only file system: '/data/out.csv'", SHUT, "write"),
        ("OSError", "[Errno 30] Read-only file system: '/data/out.csv'", {**SHUT, "writes": "allow"}, ""),
        ("OSError", "[Errno 18] Invalid cross-device link: 'a' -> 'b'", SHUT, "write"),
        ("OperationalError", "attempt to write a readonly database", SHUT, "write"),
        ("RuntimeError", "can't start new thread", SHUT, "processes"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'", SHUT, ""),
        ("PermissionError", "[Errno 13] Permission denied: '/proc/1/no-such/file'", SHUT, ""),
        ("ConnectionError", "the model has no connection between layers", SHUT, ""),
        ("ValueError", "cannot write a network", SHUT, ""),
        ("KeyError", "'network'", SHUT, ""),
        ("NameError", "name 'x' is not defined", SHUT, ""),
    ],
)
def test_errors_are_laid_to_the_sandbox_only_where_it_caused_them(
    ename: str, message: str, plan: dict[str, Any], kind: str
) -> None:
    assert refused.blocked(ename, message, plan).partition(":")[0] == kind
