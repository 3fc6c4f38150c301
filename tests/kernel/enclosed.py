"""Programs for the tests of the sandbox: a process that enters it and reports what it could do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.inside.fork import sandbox

NOBODY = 65534
USERS = [pytest.param(None, id="as-is"), pytest.param(NOBODY, id="ordinary-user")]

PREAMBLE = """
import encodings.idna, json, os, random, resource, socket, sqlite3, sys, tempfile, time, traceback
from jupyter_selfheal.inside.fork import overlay, sandbox, sandbox_errors, syscalls
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
        report[name] = [type(error).__name__, str(error), sandbox_errors.find_cause(type(error).__name__, str(error), plan)]
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
