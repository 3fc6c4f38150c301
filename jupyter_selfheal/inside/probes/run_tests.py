"""A project's test command, run in a trial's overlay with some of its files changed. Sent as the source of a probe: standard library only."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from typing import Any

_PYTEST = "import sys; sys.path.pop(0); import pytest; sys.exit(pytest.console_main())"
"""As the program ``pytest`` begins: without the working directory on the path."""


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Run ``argument["command"]``: its exit code, the end of what it printed, and what pytest told of each test."""
    for path, (text, encoding) in argument["files"].items():
        with open(path, "w", encoding=encoding, newline="") as stream:
            stream.write(text)
    with tempfile.TemporaryDirectory(prefix="selfheal-tests-") as folder:
        return _run_pytest(argument, folder)


def _run_pytest(argument: Any, folder: str) -> Any:
    results, printed = os.path.join(folder, "tests.json"), os.path.join(folder, "printed")
    with open(os.path.join(folder, "selfheal_watch_tests.py"), "w", encoding="utf-8") as stream:
        stream.write(argument["plugin"])
    environment = _build_environment(argument, folder, results)
    timed_out = False
    with open(printed, "wb") as out:
        try:
            running = subprocess.Popen(
                list_arguments(argument["command"]), cwd=argument["folder"], env=environment,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except OSError as error:
            return {"code": 127, "printed": f"{error.filename}: {error.strerror}", "timed_out": False}
        try:
            running.wait(argument["seconds"])
        except subprocess.TimeoutExpired:
            timed_out = True
            running.kill()
            running.wait()
    with open(printed, "rb") as stream:
        shown = stream.read()[-4000:].decode("utf-8", "replace")
    report = {}
    if os.path.exists(results):
        with open(results, encoding="utf-8") as stream:
            report = json.load(stream)
    return {"code": running.returncode, "printed": shown, "timed_out": timed_out, **report}


def _build_environment(argument: Any, folder: str, results: str) -> dict[str, str]:
    before = os.environ.get("PYTHONPATH", "")
    plugins = os.environ.get("PYTEST_PLUGINS", "")
    environment = {
        **os.environ,
        "PYTHONPATH": folder + (os.pathsep + before if before else ""),
        "PYTEST_PLUGINS": "selfheal_watch_tests" + ("," + plugins if plugins else ""),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SELFHEAL_TESTS": results,
        "SELFHEAL_SECONDS": str(argument["test_seconds"]),
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""),
    }
    if argument.get("only") is not None:
        environment["SELFHEAL_ONLY"] = os.path.join(folder, "only.json")
        with open(environment["SELFHEAL_ONLY"], "w", encoding="utf-8") as stream:
            json.dump(argument["only"], stream)
    return environment


def list_arguments(command: str) -> list[str]:
    """The command's words; ``pytest`` and ``python`` are those of this kernel."""
    words = shlex.split(command)
    if words[0] in ("pytest", "py.test"):
        return [sys.executable, "-c", _PYTEST, *words[1:]]
    if words[0] in ("python", "python3"):
        return [sys.executable, *words[1:]]
    return words
