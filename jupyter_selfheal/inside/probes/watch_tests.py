"""What pytest runs and how it ends, written as JSON for whoever started it. Sent as text; a plugin by its hooks' names alone.

``SELFHEAL_TESTS`` names the file; ``SELFHEAL_SECONDS`` are the CPU seconds that one test may take; ``SELFHEAL_ONLY`` names a file with
the ids of the tests to run (all of them where it is missing).
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import signal
import sys
from typing import Any

TESTS: dict[str, dict[str, Any]] = {}
BROKEN: dict[str, str] = {}
"""The files that cannot be collected, each with the last line of why."""
ENDLESS: set[str] = set()
"""Functions of which a case took too long: their other cases have a second each."""


class TestTimeLimit(Exception):
    """A test took more CPU time than it may."""

    __test__ = False


def _raise_limit(number: int, frame: Any) -> None:
    raise TestTimeLimit("took too many CPU seconds")


def _limit_seconds(seconds: float) -> None:
    if hasattr(signal, "SIGVTALRM"):
        signal.signal(signal.SIGVTALRM, _raise_limit)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def pytest_configure(config: Any) -> None:
    """One file that cannot be collected, or one test that fails, does not keep the others from being run."""
    config.option.continue_on_collection_errors = True
    config.option.maxfail = 0


def pytest_collection_modifyitems(items: Any) -> None:
    """Leave out what was not asked for."""
    path = os.environ.get("SELFHEAL_ONLY")
    if path:
        with open(path, encoding="utf-8") as stream:
            wanted = set(json.load(stream))
        items[:] = [item for item in items if item.nodeid in wanted]


def pytest_collection_finish(session: Any) -> None:
    """Note each test: its function, its parameters as text, and where the names that its module holds come from."""
    for item in session.items:
        TESTS[item.nodeid] = {"outcome": "", "frames": [], **_describe_item(item)}


def pytest_runtest_call(item: Any) -> None:
    """The time of the test begins."""
    seconds = float(os.environ.get("SELFHEAL_SECONDS", "10"))
    _limit_seconds(min(seconds, 1.0) if item.nodeid.partition("[")[0] in ENDLESS else seconds)


def pytest_runtest_teardown(item: Any) -> None:
    """Take back the limit on the test's time."""
    _limit_seconds(0.0)


def pytest_exception_interact(node: Any, call: Any, report: Any) -> None:
    """Note where the exception came from."""
    error = call.excinfo
    if node.nodeid not in TESTS:
        said = re.sub(
            r"\x1b\[[\d;]*m", "", str(getattr(error.value, "msg", None) or error.value or error.type.__name__)
        )
        lines = said.strip().splitlines()
        BROKEN[node.nodeid] = lines[-1].removeprefix("E ").strip()[:200] if lines else error.type.__name__
        return
    if isinstance(error.value, TestTimeLimit):
        ENDLESS.add(node.nodeid.partition("[")[0])
    frames = []
    traceback = error.tb
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append([os.path.realpath(code.co_filename), traceback.tb_lineno, code.co_name])
        traceback = traceback.tb_next
    TESTS[node.nodeid] |= {"frames": frames[-40:], "error": error.type.__name__, "message": str(error.value)[:400]}


def pytest_runtest_logreport(report: Any) -> None:
    """Note how each part of a test ended: what failed stays failed."""
    test = TESTS.get(report.nodeid)
    if test is not None and (report.when == "call" or report.outcome != "passed") and test["outcome"] != "failed":
        test["outcome"] = "xfailed" if hasattr(report, "wasxfail") else report.outcome


def pytest_sessionfinish(session: Any) -> None:
    """Write what was seen of the tests where the engine reads it."""
    with open(os.environ["SELFHEAL_TESTS"], "w", encoding="utf-8") as stream:
        json.dump({"tests": TESTS, "broken": BROKEN, "path": sys.path}, stream)


def _describe_item(item: Any) -> dict[str, Any]:
    function = getattr(item, "function", None)
    if function is None:
        return {"file": str(item.path), "function": ""}
    callspec = getattr(item, "callspec", None)
    parameters = dict(callspec.params) if callspec is not None else {}
    needed = [name for name in getattr(item, "fixturenames", ()) if name not in parameters and name != "request"]
    autouse = set(getattr(getattr(item, "_fixtureinfo", None), "initialnames", ())) - set(
        inspect.signature(function).parameters
    )
    return {
        "file": os.path.realpath(str(item.path)),
        "function": getattr(item, "originalname", None) or function.__name__,
        "in_class": getattr(item, "cls", None) is not None,
        "parameters": {name: _write_value(value) for name, value in parameters.items()},
        "fixtures": [n for n in needed if n not in autouse or not _is_builtin(item, n)],
        "own_fixtures": [n for n in needed if not _is_builtin(item, n)],
        "names": _list_origins(function),
        "uses": sorted(_list_used(function.__code__)) if hasattr(function, "__code__") else None,
        "own_names": sorted(
            n for n, v in function.__globals__.items() if getattr(v, "__module__", "") == function.__module__
        ),
    }


def _list_used(code: Any) -> set[str]:
    """The names that a function's code looks up or imports, those of functions in it too."""
    inner = (_list_used(constant) for constant in code.co_consts if hasattr(constant, "co_names"))
    return set(code.co_names).union(*inner)


def _is_builtin(item: Any, name: str) -> bool:
    """Whether a fixture that every test has is pytest's own, or a plugin's."""
    definitions = item._fixtureinfo.name2fixturedefs.get(name, ())
    return all(
        not os.path.exists(str(getattr(d, "baseid", ""))) and "conftest" not in str(d.func.__code__.co_filename)
        for d in definitions
    )


def _write_value(value: Any) -> Any:
    """The value as Python text that gives an equal one; None where there is none."""
    text = repr(value)
    try:
        return text if len(text) < 20000 and ast.literal_eval(text) == value else None
    except Exception:
        return None


def _list_origins(function: Any) -> dict[str, Any]:
    """For each global name of the test's module that was imported: [module, name in it ("" for the module itself), file]."""
    origins = {}
    own = function.__module__
    for name, value in list(function.__globals__.items()):
        if name.startswith(("__", "@")):
            continue
        if inspect.ismodule(value):
            origins[name] = [value.__name__, "", getattr(value, "__file__", None) or ""]
            continue
        home = getattr(value, "__module__", None)
        module = sys.modules.get(home) if isinstance(home, str) else None
        qualified = getattr(value, "__qualname__", "")
        if module is not None and home != own and isinstance(qualified, str) and hasattr(module, qualified):
            origins[name] = [home, qualified, getattr(module, "__file__", None) or ""]
    return origins
