"""Judging a healed program apart from the search: all tests, and agreement with the reference on generated inputs.

Runs in a process of its own, which reads a job and writes a verdict, both JSON, with a
CPU limit for every call, because a wrong program may do anything.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.inside.comparator import is_equal_text
from jupyter_selfheal.inside.search import generate_inputs
from jupyter_selfheal.inside.search.plain_data import copy_plain_data
from jupyter_selfheal.own_process import process_arguments
from jupyter_selfheal.surfaces.bench.tasks import Task

INPUTS = 1000
CALL_SECONDS, TEST_SECONDS, BROKEN_SECONDS = 0.3, 10.0, 1.0
"""CPU seconds for one generated input, for one test of a healed program, and of a broken one (which may loop)."""
WAIT = 300
"""Seconds on the clock after which a judging process is given up: a call waits for something, or sits in C code."""
BUDGET = 20.0
"""CPU seconds for all generated inputs of one program; what is left out is counted."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Which tests failed (indices), on how many generated inputs the reference gave a value, and on how many of those the
    program differed; ``example`` is the first of them."""

    failed: tuple[int, ...]
    compared: int = 0
    differed: int = 0
    example: str = ""

    @property
    def correct(self) -> bool:
        return not self.failed and not self.differed


def judge(task: Task, program: str, inputs: int = INPUTS, seed: int = 20261121) -> Judgement:
    """Judge the text of a program (its whole definition cell) against all tests of a task and its reference."""
    tests = [*task.tests, *task.hidden]
    above = f"{task.ahead}\n" if task.ahead else ""
    job = {
        "entry": task.entry, "program": above + program, "reference": above + task.reference, "tests": tests,
        "arguments": list(task.arguments), "domain": task.domain, "cases": task.cases, "harness": task.harness, "compare": task.compare,
        "inputs": inputs, "seed": seed,
    }  # fmt: skip
    reply, why = _ask_process(job)
    if not isinstance(reply, dict):
        return Judgement(tuple(range(len(tests))), example=f"the judge's process {why}")
    return Judgement(tuple(reply["failed"]), reply["compared"], reply["differed"], reply["example"])


class _Late(BaseException):
    """A call has used up its CPU time."""


@contextlib.contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    def on_alarm(*_: object) -> None:
        raise _Late

    signal.signal(signal.SIGVTALRM, on_alarm)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _run_program(source: str, cases: str = "") -> dict[str, Any]:
    ns: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source + "\n" + cases, "<program>", "exec"), ns)
    return ns


def run_tests(program: str, tests: Sequence[str], seconds: float = TEST_SECONDS) -> list[int]:
    """Indices of the tests that fail, each in a namespace of its own."""
    failed = []
    for n, test in enumerate(tests):
        try:
            with _limit_time(seconds):
                exec(compile(test, "<test>", "exec"), _run_program(program))
        except (Exception, SystemExit, _Late):
            failed.append(n)
    return failed


def run_call(ns: dict[str, Any], entry: str, arguments: tuple[Any, ...]) -> str:
    """What a call gives, as text: ``!`` and a name where it raises, ``!late`` where it takes too long."""
    try:
        with _limit_time(CALL_SECONDS):
            value = ns[entry](*copy_plain_data(arguments))
            if hasattr(value, "__next__"):
                value = [v for v, _ in zip(value, range(2000), strict=False)]
            return repr(_normalise_value(value))
    except _Late:
        return "!late"
    except (Exception, SystemExit) as error:
        return "!" + type(error).__name__


def _normalise_value(value: Any) -> Any:
    """The value with dictionaries of all kinds as plain ones in one order, and sets as sorted lists."""
    if isinstance(value, dict):
        return {_normalise_value(k): _normalise_value(v) for k, v in sorted(value.items(), key=repr)}
    if isinstance(value, set | frozenset):
        return ("set", sorted(value, key=repr))
    if type(value) in (list, tuple):
        return type(value)(_normalise_value(v) for v in value)
    return value


def _generate_inputs(job: dict[str, Any]) -> list[tuple[Any, ...]]:
    if job["cases"]:
        return [(seed,) for seed in range(job["inputs"])]
    seen: list[tuple[Any, ...]] = []
    for text in job["arguments"]:
        with contextlib.suppress(ValueError, SyntaxError):
            seen.append(tuple(ast.literal_eval(text)))
    names = _list_parameters(f"{job['reference']}\n{job['harness']}", job["entry"])
    inputs: list[tuple[Any, ...]] = []
    known: set[str] = set()
    for round_ in range(12):
        for arguments in generate_inputs.generate_inputs(
            [*seen, *inputs[:200]], job["inputs"], seed=job["seed"] + round_
        ):
            if repr(arguments) not in known and _is_in_domain(job["domain"], names, arguments):
                inputs.append(arguments)
            known.add(repr(arguments))
        if len(inputs) >= job["inputs"]:
            break
    return inputs[: job["inputs"]]


def _list_parameters(source: str, entry: str) -> list[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return [a.arg for a in node.args.args]
    return []


def _is_in_domain(domain: str, names: list[str], arguments: tuple[Any, ...]) -> bool:
    if not domain:
        return True
    try:
        return bool(eval(domain, dict(zip(names, arguments, strict=False))))
    except Exception:
        return False


def _is_same_outcome(compare: str, a: str, b: str, arguments: tuple[Any, ...]) -> bool:
    if a == b or a.startswith("!"):
        return True
    if not b.startswith("!"):
        try:
            if compare:
                return bool(eval(compare, {"a": a, "b": b, "arguments": arguments}))
            return is_equal_text(a, b)
        except Exception:
            return False
    return False


def _judge_job(job: dict[str, Any]) -> dict[str, Any]:
    import time

    failed = run_tests(job["program"], job["tests"])
    behind = job["harness"] or job["cases"]
    ours, theirs = _run_program(job["program"], behind), _run_program(job["reference"], behind)
    entry = "case" if job["cases"] else job["entry"]
    compared = differed = 0
    example = ""
    for arguments in _generate_inputs(job):
        if time.process_time() > BUDGET:
            break
        expected = run_call(theirs, entry, arguments)
        if expected.startswith("!"):
            continue
        compared += 1
        actual = run_call(ours, entry, arguments)
        if not _is_same_outcome(job["compare"], expected, actual, arguments):
            differed += 1
            example = example or f"{entry}{arguments!r}: {actual[:80]}, reference {expected[:80]}"
    return {"failed": failed, "compared": compared, "differed": differed, "example": example[:400]}


def main() -> None:
    """Read a job from standard input, write the judgement."""
    job = json.load(sys.stdin)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        if "broken" in job:
            reply: Any = run_tests(job["broken"], job["tests"], BROKEN_SECONDS)
        else:
            reply = _judge_job(job)
    print(json.dumps(reply))


def find_failing_tests(program: str, tests: Sequence[str]) -> tuple[int, ...]:
    """Indices of the tests that a program fails, found in a process of its own."""
    indices, _ = _ask_process({"broken": program, "tests": list(tests)})
    return tuple(indices) if isinstance(indices, list) else tuple(range(len(tests)))


def _ask_process(job: dict[str, Any]) -> tuple[Any, str | None]:
    """What a process of its own says of a job, and why it says nothing, if so."""
    command = process_arguments("surfaces.bench.judge")
    try:
        ran = subprocess.run(
            **command, input=json.dumps(job), capture_output=True, text=True, timeout=WAIT, check=False
        )
        return json.loads(ran.stdout.splitlines()[-1]), None
    except subprocess.TimeoutExpired:
        return None, f"did not end within {WAIT} s"
    except (IndexError, ValueError):
        return None, f"died: {ran.stderr[-300:]}"


if __name__ == "__main__":
    main()
