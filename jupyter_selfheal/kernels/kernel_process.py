"""A kernel's process, started and ended by way of its warden."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.fork.zygote import make_private_folder
from jupyter_selfheal.kernels.hidden_modules import describe_hidden_module
from jupyter_selfheal.kernels.project import find_project
from jupyter_selfheal.model import JSON

_FOLDER = re.compile(r"selfheal-[a-z0-9_]{8}")
"""The names that :func:`make_private_folder` gives."""

_WARDEN = Path(__file__).with_name("warden.py")


_SETTLED = 60.0
"""Seconds after which an empty folder of a kernel is nobody's: it is filled as soon as it is made."""

_OWNER = "owner"
"""The file in a kernel's folder that its owner holds locked as long as it lives."""


@functools.cache
def remove_left_folders(base: str) -> None:
    """Remove the folders of kernels whose owner was killed, once for each process.

    Their wardens empty them, and cannot remove them: they are mounts there (:mod:`~jupyter_selfheal.kernels.warden`). Where the warden
    was killed with the owner, nobody holds the owner's lock any more.
    """
    with contextlib.suppress(OSError), os.scandir(base) as entries:
        for entry in entries:
            if _FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):  # it is somebody else's
                    stat = entry.stat(follow_symlinks=False)
                    is_private = not stat.st_mode & 0o077  # as ours are: one that somebody made by hand is not
                    if is_private and time.time() - stat.st_mtime > _SETTLED:
                        _remove_unowned(entry.path)


def _lock_folder(folder: str) -> IO[bytes] | None:
    """The file that tells others that a folder is in use, until it is closed or this process dies; None where it cannot be locked."""
    path = Path(folder, _OWNER)
    try:
        file = path.open("xb")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # an unlocked one would say that nobody is there
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    return file


def _remove_unowned(folder: str) -> None:
    """Remove a folder that is empty, or that its owner, who is dead, had locked."""
    try:
        file = os.open(os.path.join(folder, _OWNER), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        os.rmdir(folder)
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(file)


class KernelProcess:
    """A kernel under a warden. ``policy`` says what becomes of ``writes``, whether that is ``strict``, and whether there is a
    ``network`` (see ``start_kernel``). To ``shared`` folders writes go through."""

    def __init__(
        self,
        name: str,
        folder: str,
        argv: list[str],
        env: dict[str, str],
        policy: Mapping[str, JSON],
        shared: Sequence[str] = (),
    ) -> None:
        self._name, self._folder = name, folder
        self.shared = make_private_folder()
        remove_left_folders(os.path.dirname(self.shared))
        # a Ctrl-C may come before there is anybody to call :meth:`forget`
        weakref.finalize(self, shutil.rmtree, self.shared, ignore_errors=True)
        self._owner = _lock_folder(self.shared)
        self.pid = 0
        self.layers: tuple[str, ...] = ()
        self.why_not = ""
        self._exit: int | None = None
        self._heard = b""
        self._lock = threading.RLock()
        self.warden, self._life, self._status = self._start_warden(folder, argv, env, policy, shared)

    def _start_warden(
        self, folder: str, argv: list[str], env: dict[str, str], policy: Mapping[str, JSON], shared: Sequence[str]
    ) -> tuple[subprocess.Popen[bytes], int, int]:
        from jupyter_client.connect import write_connection_file

        path, _ = write_connection_file(
            f"{self.shared}/kernel.json", transport="ipc", ip=f"{self.shared}/k", kernel_name=self._name
        )
        life_read, life_write = os.pipe()
        status_read, status_write = os.pipe()
        order = {
            "life": life_read,
            "status": status_write,
            **policy,
            "folders": [find_project(folder)],
            "shared": [self.shared, *shared],
            "argv": [word.replace("{connection_file}", path) for word in argv],
        }
        environment = {**os.environ, **env, "JUPYTER_SELFHEAL_SHARED": self.shared}
        environment.pop("JPY_PARENT_PID", None)
        try:
            with open(f"{self.shared}/stderr", "wb") as log:
                warden = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_WARDEN), json.dumps(order)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=folder,
                    env=environment,
                    pass_fds=(life_read, status_write),
                    start_new_session=True,
                )
        except OSError as error:
            os.close(life_write)
            os.close(status_read)
            shutil.rmtree(self.shared, ignore_errors=True)
            raise KernelError(f"kernel {self._name!r} cannot start in {folder}: {error}") from error
        finally:
            os.close(life_read)
            os.close(status_write)
        return warden, life_write, status_read

    def read_reports(self, seconds: float = 0.0) -> None:
        """Take in what the warden has reported, waiting at most so long. Raises :class:`KernelError` where it gave up."""
        with self._lock:
            while self._exit is None and self._status >= 0 and select.select([self._status], [], [], seconds)[0]:
                data = os.read(self._status, 65536)
                *lines, self._heard = (self._heard + data).split(b"\n")
                for line in lines:
                    self._take_report(json.loads(line))
                if not data and self._exit is None:
                    self._exit = -signal.SIGKILL
                seconds = 0.0

    def _take_report(self, report: dict[str, object]) -> None:
        match report:
            case {"pid": int(pid), "layers": list(layers), "why_not": str(why_not)}:
                self.pid, self.layers, self.why_not = pid, tuple(map(str, layers)), why_not
            case {"exit": int(code)}:
                self._exit = code
            case {"error": error}:
                raise KernelError(f"kernel {self._name!r} was not started: {error}")

    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; None while the process lives."""
        self.read_reports()
        return self._exit

    def describe_end(self) -> str:
        """What the process said last, on one line, or which file in its folder kept it from starting."""
        printed = ""
        with contextlib.suppress(OSError):
            printed = Path(self.shared, "stderr").read_text("utf-8", "replace").strip()
        lines = [line.strip() for line in printed.splitlines()[-6:]]
        return describe_hidden_module(self._folder, printed) or " | ".join(lines) or "it printed nothing"

    def kill_all(self) -> None:
        """Have everything killed, and wait until it is. Idempotent."""
        with self._lock:
            life, self._life = self._life, -1
            if life >= 0:
                os.close(life)
        self.warden.wait()
        with self._lock, contextlib.suppress(KernelError):
            self.read_reports()

    def remove_folder(self) -> None:
        """Remove the shared folder; the exit code stays known."""
        with self._lock:
            status, self._status = self._status, -1
            if status >= 0:
                os.close(status)
            if self._exit is None:
                self._exit = -signal.SIGKILL
            owner, self._owner = self._owner, None
        shutil.rmtree(self.shared, ignore_errors=True)
        if owner is not None:
            owner.close()
