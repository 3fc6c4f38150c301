"""Steps of a trial in a real kernel: cells as cells, probes as questions to the live state."""

from __future__ import annotations

import ast
import contextlib
import json
import signal
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.fork import sandbox
from jupyter_selfheal.inside.fork.memory_use import measure_own_peak_mb
from jupyter_selfheal.inside.fork.steps import keep_line_numbers
from jupyter_selfheal.inside.loader import write_loading_code
from jupyter_selfheal.kernels.deaths import describe_death
from jupyter_selfheal.kernels.launch import LiveKernel, Reply
from jupyter_selfheal.kernels.trial_results import read_error
from jupyter_selfheal.model import (
    JSON,
    Ending,
    ErrorInfo,
    Output,
    Probe,
    Run,
    Sandbox,
    Step,
    StepResult,
    TrialRequest,
)

_MODULE = "_selfheal_inside"
_INSIDE = f'__import__("sys").modules["{_MODULE}"]'
_SHELL = "get_ipython()"
_GRACE = 3.0
_STREAMS = ("stdout", "stderr")


class TrialSession:
    """A kernel that has been told to watch its cells. ``layers`` are the sandbox's layers that are on."""

    def __init__(self, kernel: LiveKernel) -> None:
        self.kernel = kernel
        self.layers = list(kernel.layers)
        self.has_network = sandbox.NETWORK not in self.layers
        self._stdout = ""
        code = write_loading_code("fresh_kernel")
        start = f"\nimport sys\nmodule = sys.modules[{_MODULE!r}] = load()\nmodule.watch(shell, {kernel.shared!r})\n"
        reply = kernel.execute(
            f"exec({code + start!r}, {{'shell': {_SHELL}}})",
            silent=True,
            timeout=60,
        )
        if not reply.ok:
            kernel.stop()
            why = reply.errors[0].evalue if reply.errors else "it does not answer"
            needs = "IPython, and a temporary folder that can be written to"
            raise KernelError(f"kernel {kernel.spec_name!r} cannot run trials, which need {needs}: {why}")

    def enter_sandbox(self, limits: Sandbox) -> None:
        """Cut the network and limit memory, as the sandbox asks. The files were isolated when the kernel started."""
        code = write_loading_code("fork.sandbox")
        stays_as_it_is = limits.network or not self.has_network
        layers = self._fetch_answer(f"enter_sandbox({code!r}, {limits.memory_mb}, {stays_as_it_is})", 30.0)
        self.has_network = self.has_network and limits.network
        self.layers += layers if isinstance(layers, list) else []
        self.layers.append(sandbox.LIMITS)

    def prepend_paths(self, paths: tuple[str, ...]) -> None:
        """Put folders first on the kernel's ``sys.path``."""
        self.kernel.execute(f'__import__("sys").path[:0] = {list(paths)!r}', silent=True, timeout=30)

    def run_step(self, step: Step, seconds: float) -> StepResult:
        """Run one step for at most ``seconds``. A kernel that died under it gives the status ``error`` and no error."""
        began = time.monotonic()
        result = self._run_cell(step, seconds) if isinstance(step, Run) else self._run_probe(step, seconds)
        result = result.label(step, time.monotonic() - began)
        return replace(result, peak_mb=measure_own_peak_mb(self.kernel.pid)) if isinstance(step, Run) else result

    def _run_cell(self, step: Run, seconds: float) -> StepResult:
        heard = {name: len(self._read_echo(name)) for name in _STREAMS}
        reply = self.kernel.execute(keep_line_numbers(step.code), seconds, cell_id=step.cell_id)
        if reply.died:
            reply = replace(reply, outputs=self._add_last_words(reply.outputs, heard))
        self._stdout = "".join(o.text for o in reply.outputs if o.output_type == "stream" and o.name != "stderr")
        if reply.timed_out:
            return StepResult("timeout", outputs=reply.outputs)
        if reply.died or not reply.errors:
            return StepResult("error" if reply.died else "ok", outputs=reply.outputs)
        return StepResult("error", outputs=reply.outputs, errors=(self._locate_error(reply, step.code),))

    def _read_echo(self, name: str, start: int = 0) -> bytes:
        with contextlib.suppress(OSError), open(f"{self.kernel.shared}/echo-{name}", "rb") as kept:
            kept.seek(start)
            return kept.read()
        return b""

    def _add_last_words(self, outputs: tuple[Output, ...], heard: Mapping[str, int]) -> tuple[Output, ...]:
        """The outputs with what a process printed but could not send any more before it ended."""
        all_outputs = list(outputs)
        for name in _STREAMS:
            printed = self._read_echo(name, heard[name]).decode("utf-8", "replace")
            sent = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == name)
            if printed.startswith(sent) and len(printed) > len(sent):
                all_outputs.append(Output("stream", name=name, text=printed[len(sent) :]))
        return tuple(all_outputs)

    def _locate_error(self, reply: Reply, code: str) -> ErrorInfo:
        shown = reply.errors[0]
        where = self._fetch_answer("locate_error()", 30.0)
        if not isinstance(where, Mapping):  # a fault that raised no exception in the cell: a bad magic, say
            return shown
        return read_error({**where, "traceback": shown.traceback}, code)

    def _run_probe(self, step: Probe, seconds: float) -> StepResult:
        argument = json.dumps(step.argument)
        reply = self._send_call(f"ask({_SHELL}, {step.source!r}, {argument!r}, {self._stdout!r})", seconds)
        if reply.timed_out:
            return StepResult("timeout")
        if not reply.ok:
            return StepResult("error", errors=reply.errors)
        answer = _decode_answer(reply)
        if "value" in answer:
            return StepResult("ok", value=answer["value"])
        return StepResult("error", errors=(ErrorInfo(answer["ename"], answer["evalue"]),))

    def _send_call(self, call: str, seconds: float) -> Reply:
        return self.kernel.execute(
            f"{_INSIDE}.{call}", seconds, silent=True, expressions={"answer": f"{_INSIDE}.answer"}
        )

    def _fetch_answer(self, call: str, seconds: float) -> JSON:
        reply = self._send_call(call, seconds)
        if reply.died:
            return None
        if not reply.ok:
            why = reply.errors[0].evalue if reply.errors else "it does not answer"
            raise KernelError(f"a trial kernel cannot be set up: {why}")
        return _decode_answer(reply)

    def interrupt_step(self, deadline: float) -> bool:
        """Interrupt a step that passed its own limit; True where the kernel answers again (what ignores it does not)."""
        self.kernel.interrupt_cell()
        return self.kernel.execute("", min(_GRACE, max(deadline - time.monotonic(), 0.001)), silent=True).ok

    def find_ending(self) -> tuple[Ending, str]:
        """How the process of a dead kernel ended, and that in words."""
        code = self.kernel.exit_code or 0
        return describe_death(code, 0.0, oom=code == -signal.SIGKILL)

    def peak_mb(self) -> float:
        """The most memory that the kernel's process has had, in MiB; 0 where that is not known."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.kernel.pid}/status").read_text("utf-8").splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
        return 0.0

    def stop(self) -> None:
        """End the kernel and everything it started."""
        self.kernel.stop()


def run_steps(session: TrialSession, request: TrialRequest) -> tuple[tuple[StepResult, ...], Ending, str]:
    """Run the steps of a request until one ends the trial (those after it are ``skipped``), how it ended, and a detail."""
    deadline = time.monotonic() + request.timeout
    results: list[StepResult] = []
    ending, detail, over = Ending.FINISHED, "", False
    for step in request.steps:
        if over:
            results.append(StepResult("skipped").label(step))
            continue
        left = max(deadline - time.monotonic(), 0.001)
        result = session.run_step(step, min(left, step.timeout or left))
        results.append(result)
        if result.status == "timeout" and 0 < step.timeout < left and session.interrupt_step(deadline):
            over = isinstance(step, Run) and not step.go_on
        elif result.status == "timeout":
            session.stop()
            ending, detail, over = Ending.TIMED_OUT, f"cut off after {result.seconds:.1f} s", True
        elif not session.kernel.alive:
            ending, detail = session.find_ending()
            over = True
        elif result.status == "error" and isinstance(step, Run) and not step.go_on:
            over = True
    return tuple(results), ending, detail


def _decode_answer(reply: Reply) -> JSON:
    return json.loads(ast.literal_eval(reply.values["answer"]))
