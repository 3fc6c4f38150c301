"""Installing a missing module where only trials see it: a scratch directory that goes on ``sys.path`` for one trial.

``pip install --target`` (or uv's, which is faster) into a folder of its own, constrained to the versions that are
installed already, so that a dependency in the scratch directory is never another version than the one in the kernel.
pip is asked first what is missing, as ``--target`` alone would bring each dependency once more that is there.
Wheels only: the setup of a source distribution would run code before anybody has approved of it.
Nothing in the user's environment changes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from jupyter_selfheal.errors import InfrastructureError

SECONDS = 300.0
"""Seconds that an installation may take."""

_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]*(\[[\w,\-. ]+\])?\s*([=<>!~]=?[\w.*+!,=<>~ ]+)?")


_OWN_MODULES_FIRST = """
import sys
if "" in sys.path:  # the notebook's folder, where a `queue.py` would be taken for Python's own
    sys.path.remove("")
"""
"""What programs that are given by ``-c`` begin with: ``-P`` is unknown to Pythons before 3.11."""

_PIP = """
import importlib.util, runpy
if importlib.util.find_spec("pip") is None:  # an environment that uv made
    import ensurepip, pathlib
    sys.path += map(str, pathlib.Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl"))
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
"""``python -m pip``, also where the environment has none: nothing is added to it."""


class ScratchInstaller:
    """Installs requirements for one Python; each once. Call :meth:`close` to remove them.

    From the index that pip or uv is configured with: who allows installing allows this one use of the network
    (``PIP_NO_INDEX`` and ``UV_NO_INDEX`` forbid it, and leave the folders of wheels that are configured).
    """

    def __init__(self, python: str = sys.executable, *, seconds: float = SECONDS) -> None:
        self._python = python
        self._seconds = seconds
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._done: dict[str, str] = {}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._closed = threading.Event()

    def __call__(self, requirement: str, *, together: Sequence[str] = ()) -> str:
        """Install it; the directory to put on ``sys.path``. Raises :class:`InfrastructureError`, with the installer's words.

        With ``together`` all of these, and what they need, whatever versions are there already.
        """
        if together:
            return self._install_together(together)
        if not _REQUIREMENT.fullmatch(requirement.strip()):
            raise InfrastructureError(f"{requirement!r} is not the name of a distribution: it is not installed")
        with self._lock:
            if self._closed.is_set():
                raise InfrastructureError(f"{requirement} is not installed: the heal has ended")
            if requirement not in self._done:
                self._done[requirement] = self._install_requirement(requirement.strip())
            return self._done[requirement]

    def _install_together(self, requirements: Sequence[str]) -> str:
        for requirement in requirements:
            if not _REQUIREMENT.fullmatch(requirement.partition(";")[0].strip()):
                raise InfrastructureError(f"{requirement!r} is not the name of a distribution: it is not installed")
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="selfheal-install-")
            target = str(Path(self._folder.name, "together"))
            command = [*self._find_installer(), "--quiet", "--only-binary", ":all:", "--target", target, *requirements]
            self._run_command(command, f"{', '.join(requirements)} could not be installed", " (only wheels are)")
            return target

    def close(self) -> None:
        """Remove everything that was installed, and end an installation that is under way. Idempotent."""
        self._closed.set()
        if (process := self._process) is not None:
            process.kill()
        with self._lock:
            if self._folder is not None:
                self._folder.cleanup()
            self._folder, self._done = None, {}

    def _install_requirement(self, requirement: str) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="selfheal-install-")
        root = Path(self._folder.name)
        target = root / f"{len(self._done)}"
        constraints = root / "constraints.txt"
        if not constraints.exists():
            constraints.write_text(self._list_installed())
        common = ["--quiet", "--only-binary", ":all:", "--constraint", str(constraints)]
        complaint, note = f"{requirement} could not be installed", " (only wheels are)"
        installer = self._find_installer()
        wanted = [requirement]
        if installer[0] == self._python:
            try:
                report = root / "missing.json"
                asked = [*installer, *common, "--dry-run", "--report", str(report), requirement]
                self._run_command(asked, complaint, note)
                wanted = _read_missing(report) or wanted
            except InfrastructureError as error:
                if "no such option" not in str(error):  # pip before 22.2 cannot say it
                    raise
        self._run_command([*installer, *common, "--target", str(target), *wanted], complaint, note)
        return str(target)

    def _find_installer(self) -> list[str]:
        """uv where it is on the path, else that Python's own pip, else the one that comes with Python for ``ensurepip``."""
        uv = shutil.which("uv")
        if uv:
            return [
                uv,
                "pip",
                "install",
                "--compile-bytecode",
                "--python",
                self._python,
            ]  # what trials write is thrown away
        return [self._python, "-c", _OWN_MODULES_FIRST + _PIP, "install", "--no-input", "--disable-pip-version-check"]

    def _list_installed(self) -> str:
        """What is installed, as constraints. Distributions from a folder or an address have no version to name."""
        code = (
            "from importlib.metadata import distributions as d\n"
            "print('\\n'.join(sorted({f\"{x.metadata['Name']}=={x.version}\" for x in d()"
            " if x.metadata['Name'] and x.version and not x.read_text('direct_url.json')})))"
        )
        return self._run_command(
            [self._python, "-c", _OWN_MODULES_FIRST + code], "the installed distributions could not be listed"
        )

    def _run_command(self, command: list[str], complaint: str, note: str = "") -> str:
        try:
            process = self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        except OSError as error:
            raise InfrastructureError(f"{complaint}: {error}") from error
        with process:
            if self._closed.is_set():  # :meth:`close` may have come before there was a process to end
                process.kill()
            try:
                out, err = process.communicate(timeout=self._seconds)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise InfrastructureError(f"{complaint} within {self._seconds:g} seconds") from error
        self._process = None
        if process.returncode:
            raise InfrastructureError(f"{complaint}: {_find_reason(err or out)}{note}")
        return out


def _find_reason(said: str) -> str:
    """The last line of what an installer said; of releases that do not go together, that, in place of the address of its help."""
    words = [line.strip() for line in said.splitlines() if line.strip()]
    if words and "ResolutionImpossible" in words[-1]:
        return "none of its releases goes with what is installed here"
    return words[-1].removeprefix("ERROR: ") if words else "no reason given"


def _read_missing(report: Path) -> list[str]:
    """From pip's report of what it would install: these distributions alone, each in its version. Empty where all is there."""
    found = [item["metadata"] for item in json.loads(report.read_text(encoding="utf-8"))["install"]]
    return ["--no-deps", *(f"{data['name']}=={data['version']}" for data in found)] if found else []
