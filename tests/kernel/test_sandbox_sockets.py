"""Unix sockets of the machine are out of reach of what has no network: real servers, in every place where one may listen."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.inside.fork import sandbox, sockets
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.kernels.fresh import FreshKernel
from jupyter_selfheal.model import Keep, Launch, Run, Sandbox, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.cli import main
from tests.command import heal, write
from tests.kernel.enclosed import USERS, Place, available

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")]

CONNECT = """
def connect(address):
    import socket
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(address.replace("@", chr(0)))
        client.sendall(b"bytes")
        return "reached"
"""


class Server:
    """Listens on real Unix sockets and counts the bytes that are delivered to it."""

    def __init__(self, addresses: list[str]) -> None:
        self.received = 0
        self.addresses = addresses
        self._sockets = [self._listen(address) for address in addresses]

    def _listen(self, address: str) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        if address.startswith("/"):
            relative = os.path.dirname(address) == os.getcwd()  # as some servers do
            listener.bind(os.path.basename(address) if relative else address)
            os.chmod(address, 0o777)
        else:
            listener.bind(address.replace("@", chr(0)))
        listener.listen()
        threading.Thread(target=self._serve, args=(listener,), daemon=True).start()
        return listener

    def _serve(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.received += len(listener.accept()[0].recv(9))

    def close(self) -> None:
        for listener, address in zip(self._sockets, self.addresses, strict=True):
            listener.shutdown(socket.SHUT_RDWR)  # else the thread that accepts would hold on to it
            listener.close()
            with contextlib.suppress(OSError):
                os.unlink(address)


@pytest.fixture
def place_in_run() -> Iterator[Path]:
    """A new folder in ``/run``; one elsewhere where that is not ours to write to."""
    base = "/run" if os.access("/run", os.W_OK) else os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(tempfile.mkdtemp(prefix="selfheal-test-", dir=base))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def server(place: Place, place_in_run: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    (place.elsewhere / "deeper").mkdir()
    monkeypatch.chdir(place.elsewhere / "deeper")
    (place.home.parent / "tmp").mkdir(exist_ok=True)
    folders = [place_in_run, place.home, place.home.parent / "tmp", place.project, place.elsewhere]
    through_link = f"/var{place_in_run}/v.sock"
    files = [f"{folder}/s.sock" for folder in folders]
    if place.user is None:  # nobody sees which folders the processes of others are in
        files.append(f"{place.elsewhere}/deeper/relative.sock")
    if os.path.exists(os.path.dirname(through_link)):
        files.append(through_link)
    server = Server([*files, f"@{place_in_run}"])
    yield server
    server.close()


@pytest.mark.parametrize("place", USERS, indirect=True)
@pytest.mark.parametrize("writes", ["discard", "forbid", "allow"])
def test_no_socket_of_the_machine_is_reached(place: Place, server: Server, writes: str) -> None:
    available(sandbox.SOCKETS, sandbox.NETWORK)
    program = f"{CONNECT}\nenter()\nfor path in {server.addresses!r}: attempt(path, lambda: connect(path))"
    saw = place.run(program, writes=writes)
    assert sandbox.SOCKETS in saw["layers"]
    refused = ["ConnectionRefusedError", "[Errno 111] Connection refused", "network: [Errno 111] Connection refused"]
    assert {path: saw[path] for path in server.addresses} == dict.fromkeys(server.addresses, refused)
    assert not server.received


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_with_the_network_they_are_services_like_others(place: Place, server: Server) -> None:
    outside = next(path for path in server.addresses if path.startswith(str(place.elsewhere)))
    saw = place.run(f"{CONNECT}\nenter()\nattempt('there', lambda: connect({outside!r}))", network=True)
    assert saw["there"] == "reached"


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_what_a_cell_listens_on_itself_works(place: Place) -> None:
    available(sandbox.SOCKETS)
    program = """
    enter()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(order["folder"] + "/mine.sock")
        server.listen()
        client.connect(order["folder"] + "/mine.sock")
        server.accept()[0].send(b"hi")
        report["heard"] = client.recv(2).decode()
    """
    assert place.run(program)["heard"] == "hi"


def test_folders_in_use_below_run_stay_and_all_else_of_it_is_gone(place: Place, place_in_run: Path) -> None:
    available(sandbox.SOCKETS)
    (place_in_run / "project").mkdir()
    (place_in_run / "project" / "data.txt").write_text("as it was")
    (place_in_run / "secret.txt").write_text("of a service")
    program = f"""
    plan["folders"] = [{str(place_in_run / "project")!r}]
    os.chdir(plan["folders"][0])
    enter()
    attempt("read", lambda: open("data.txt").read())
    attempt("write", lambda: write("data.txt"))
    attempt("other", lambda: os.path.exists({str(place_in_run / "secret.txt")!r}))
    """
    saw = place.run(program)
    assert [saw[name] for name in ("read", "write", "other")] == ["as it was", "written", False]
    assert (place_in_run / "project" / "data.txt").read_text() == "as it was"


def test_variables_that_lead_to_services_are_taken_away_and_missing_them_proves_nothing(place: Place) -> None:
    names = ", ".join(map(repr, sockets.VARIABLES))
    saw = place.run(
        f"""
        for name in [{names}]: os.environ[name] = "/run/x"
        enter()
        report["left"] = [name for name in [{names}] if name in os.environ or os.popen("echo $" + name).read().strip()]
        attempt("asked", lambda: os.environ["SSH_AUTH_SOCK"])
        """
    )
    assert saw["left"] == []
    assert saw["asked"][2] == "network: 'SSH_AUTH_SOCK'"


# --- trials, and cells of a batch ---------------------------------------------------------------------------------


def told(trial: Trial) -> list[str]:
    return [step.errors[0].ename if step.errors else step.outputs[-1].text.strip() for step in trial.steps]


@pytest.mark.parametrize("fresh", [False, True], ids=["fork", "fresh kernel"])
@pytest.mark.parametrize("network", [False, True], ids=["offline", "kernel with a network"])
def test_a_trial_reaches_none_even_from_a_kept_state(place: Place, server: Server, fresh: bool, network: bool) -> None:
    available(sandbox.SOCKETS, sandbox.NETWORK)
    first: TrialKernel = open_state(Launch("python3", str(place.project), network=network), fresh=fresh)
    assert isinstance(first, FreshKernel) is fresh
    tries = tuple(Run(f"print(connect({path!r}))", go_on=True) for path in server.addresses)
    define = TrialRequest((Run(CONNECT, "c"),), keep=Keep.ALWAYS, sandbox=Sandbox())
    kept = first.run(define)[1]
    assert kept is not None
    try:
        trial = kept.run(TrialRequest(tries, sandbox=Sandbox()))[0]
        assert set(told(trial)) == {"ConnectionRefusedError"}
        assert trial.blocked
        assert sandbox.SOCKETS in trial.isolation.layers
        assert not server.received
    finally:
        kept.close()
        first.close()


@pytest.mark.parametrize("more", [[], ["--fresh"], ["--write"]], ids=["forked", "fresh", "write"])
def test_a_cell_of_an_offline_batch_reaches_none(
    place: Place, server: Server, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    available(sandbox.SOCKETS, sandbox.NETWORK)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    check = f"for path in {server.addresses!r}:\n    try:\n        print(connect(path))\n    except OSError as e:\n        print(e.errno)"
    given = write(place.project / "n.ipynb", CONNECT, check)
    heal(given, "-o", tmp_path / "out.ipynb", "--report", tmp_path / "r.json", *more, ends=0)
    assert not server.received, (tmp_path / "r.json").read_text()


def test_doctor_says_what_can_still_be_reached(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor"])
    assert "a trial or an --offline cell can still reach: " in capsys.readouterr().out


# --- real servers -------------------------------------------------------------------------------------------------

SERVERS = {
    "redis": ("redis-server", ["--port", "0", "--unixsocket", "{path}", "--unixsocketperm", "777", "--save", ""]),
    "postgres": ("postgres", ["-D", "{data}", "-c", "listen_addresses=", "-k", "{folder}"]),
}
SAY = {"redis": b"PING\r\n", "postgres": bytes([0, 0, 0, 8, 4, 210, 22, 47])}
"""Words that each answers before anybody has logged in: a ping; may the connection be encrypted?"""


@pytest.mark.parametrize("name", SERVERS)
def test_a_real_server_is_out_of_reach(place: Place, place_in_run: Path, tmp_path: Path, name: str) -> None:
    available(sandbox.SOCKETS, sandbox.NETWORK)
    program, words = SERVERS[name]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    path = str(place_in_run / ("s.sock" if name == "redis" else ".s.PGSQL.5432"))
    ask = (
        f"import socket\nc = socket.socket(socket.AF_UNIX)\nc.connect({path!r})\nc.sendall({SAY[name]!r})\n"
        "report['answer'] = c.recv(99).decode()"
    )
    data = place.elsewhere / "data"
    given = [word.format(path=path, folder=place_in_run, data=data) for word in words]
    with running(program, given, (data, place_in_run)):
        report: dict[str, str] = {}
        exec(ask, {"report": report})
        assert report["answer"], "the server is there"
        saw = place.run(f"enter()\nattempt('ask', lambda: exec({ask!r}))")
        assert saw["ask"][:2] == ["ConnectionRefusedError", "[Errno 111] Connection refused"]


@contextlib.contextmanager
def running(program: str, words: list[str], folders: tuple[Path, Path]) -> Iterator[None]:
    """The server, from when it says that it accepts connections. PostgreSQL makes its data first, and never runs as root."""
    user = "nobody" if os.geteuid() == 0 else None
    for folder in folders:
        folder.mkdir(exist_ok=True)
        if user is not None:
            shutil.chown(folder, user)
    if program == "postgres":
        make = ["initdb", "-D", str(folders[0]), "--auth=trust", "--no-sync"]
        subprocess.run(make, check=True, capture_output=True, user=user, cwd=folders[0])
    log = subprocess.PIPE
    server = subprocess.Popen(
        [program, *words], stdout=log, stderr=subprocess.STDOUT, text=True, user=user, cwd=folders[0]
    )
    assert server.stdout is not None
    said = []
    try:
        for line in server.stdout:
            said.append(line)
            if "ready to accept connections" in line.lower():
                break
        else:
            pytest.fail("".join(said))
        yield
    finally:
        server.terminate()
        server.communicate()
