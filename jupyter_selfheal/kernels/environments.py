"""Environments that notebooks are run in besides the user's: made by uv where it is installed, else by ``venv`` and pip, and removed afterwards.

They hold what a requirements file asks for, and ipykernel. What the user has installed is neither seen there nor changed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from jupyter_selfheal.errors import InfrastructureError

SECONDS = 1_800.0
"""Seconds that making one environment may take: what is asked for may have to be built."""


class Environments:
    """Makes environments, each with a kernelspec that this process and those that it starts find. Call :meth:`close` to remove them."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._folder = tempfile.TemporaryDirectory(prefix="selfheal-environments-")
        self._kernels = Path(self._folder.name, "jupyter")
        self._path_before = os.environ.get("JUPYTER_PATH")
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, (str(self._kernels), self._path_before)))
        self._count = 0

    def make(self, python: str = "", requirements: Path | None = None) -> str:
        """The name of the kernelspec of a new environment; ``python`` is a version, or a path (empty: this Python). The folder of an
        environment that there is stands for that one, as it is.

        Raises :class:`InfrastructureError`, with the installer's words.
        """
        self._count += 1
        name, folder = f"selfheal-environment-{self._count}", Path(self._folder.name, str(self._count))
        if Path(python).is_dir() and python:
            self._write_kernelspec(name, Path(python).absolute(), self._find_own_python(Path(python).absolute()))
            return name
        wanted = ["ipykernel", *(["-r", str(requirements)] if requirements is not None else [])]
        label = f"the environment for {requirements.name if requirements is not None else f'Python {python}'}"
        program = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
        uv = shutil.which("uv")
        if uv:
            self._run_command([uv, "venv", "--quiet", "--python", python or sys.executable, str(folder)], label)
            self._run_command(
                [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", program, *wanted], label
            )
        else:
            self._run_command([find_python(python), "-m", "venv", str(folder)], label)
            pip = [program, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
            self._run_command([*pip, *wanted], label)
        self._write_kernelspec(name, folder, program)
        return name

    def close(self) -> None:
        """Remove all of them. Idempotent."""
        if self._path_before is None:
            os.environ.pop("JUPYTER_PATH", None)
        else:
            os.environ["JUPYTER_PATH"] = self._path_before
        self._folder.cleanup()

    def _find_own_python(self, folder: Path) -> str:
        """The Python of an environment that there is. Raises :class:`InfrastructureError` where no notebook can be run in it."""
        programs = (folder / place for place in ("bin/python", "Scripts/python.exe", "python.exe"))
        program = next((str(path) for path in programs if path.is_file()), "")
        if not program:
            raise InfrastructureError(f"{folder}: no Python in it: name the folder of an environment, or a version")
        try:
            self._run_command([program, "-c", "import ipykernel"], "")
        except InfrastructureError:
            raise InfrastructureError(f"{folder}: no ipykernel in it: {program} -m pip install ipykernel") from None
        return program

    def _write_kernelspec(self, name: str, folder: Path, program: str) -> None:
        path = os.pathsep.join([str(Path(program).parent), os.environ.get("PATH", "")])
        spec = {
            "argv": [program, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": name, "language": "python", "env": {"VIRTUAL_ENV": str(folder), "PATH": path},
        }  # fmt: skip
        target = self._kernels / "kernels" / name
        target.mkdir(parents=True)
        (target / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")

    def _run_command(self, command: Sequence[str], label: str) -> None:
        complaint = f"{label} could not be made"
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=self._seconds, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InfrastructureError(f"{complaint}: {error}") from error
        if done.returncode:
            words = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            last = words[-1] if words and words[0].startswith("Traceback") else " ".join(words)
            said = next((w for w in reversed(words) if w.lower().startswith("error")), last)
            raise InfrastructureError(f"{complaint}: {said or 'no reason given'}"[:500])


def find_python(python: str) -> str:
    """The program of a Python that is named by its version or its path; ours where none is named. Raises :class:`InfrastructureError`."""
    if not python or python == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    found = shutil.which(python) or shutil.which(f"python{python}")
    if found is None:
        raise InfrastructureError(f"there is no Python {python} here: install it, or uv, which fetches it")
    return found
