"""Short ways to run a trial and to read what came of it."""

from __future__ import annotations

from jupyter_selfheal.model import OPEN, Probe, Run, Sandbox, Step, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel


def run_trial(kernel: TrialKernel, *steps: str | Step, sandbox: Sandbox = OPEN, timeout: float = 60.0) -> Trial:
    """The trial of some steps; a string is a cell with the id ``cell``. Nothing is kept."""
    given = tuple(Run(step, "cell") if isinstance(step, str) else step for step in steps)
    trial, kept = kernel.run(TrialRequest(given, timeout=timeout, sandbox=sandbox))
    assert kept is None
    return trial


def evaluate(kernel: TrialKernel, expression: str) -> object:
    """What an expression gives in a state."""
    source = f"def probe(shell, last, argument):\n    return eval({expression!r}, shell.user_ns)"
    trial = run_trial(kernel, Probe(source))
    assert trial.steps[0].status == "ok", trial
    return trial.steps[0].value


def read_stream(trial: Trial, stream: str = "stdout") -> str:
    """What a trial's steps wrote to a stream."""
    return "".join(o.text for s in trial.steps for o in s.outputs if o.output_type == "stream" and o.name == stream)
