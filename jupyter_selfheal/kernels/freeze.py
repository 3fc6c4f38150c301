"""From a notebook's kernelspec to the state that its first cell starts from: its own kernel, started and frozen.

The modules that freeze it are sent to the kernel as source, as its environment need not have this package. Where the kernel
cannot be forked, or a trial of the fork does not give what it must (a version of Python, IPython or ipykernel that breaks
an assumption), the state is a :class:`~jupyter_selfheal.kernels.fresh.FreshKernel`, and the reason is said.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from jupyter_selfheal.errors import ForkRefused, KernelError
from jupyter_selfheal.inside.fork.guard import count_memory_kills
from jupyter_selfheal.inside.loader import write_loading_code
from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.kernels.fresh import FreshKernel
from jupyter_selfheal.kernels.launch import LiveKernel, build_environment, start_kernel
from jupyter_selfheal.kernels.project import find_project
from jupyter_selfheal.model import OPEN, Ending, Launch, Probe, Run, Start, TrialRequest
from jupyter_selfheal.ports import TrialKernel

_checked: set[tuple[str, str]] = set()
"""The kernelspecs, and folders, of which this process has seen that their kernels can be forked."""


def open_state(
    launch: Launch, *, fresh: bool = False, timeout: float = 60.0, say: Callable[[str], None] | None = None
) -> TrialKernel:
    """Start a kernel and freeze it before its first cell.

    ``fresh``: do not fork. ``timeout`` in seconds is for the start. ``say`` is called with one line where a fallback is taken. Closing the
    state, and every state kept from it, stops the kernel.

    Raises :class:`KernelError` where the kernel cannot be started.
    """
    if not fresh:
        try:
            return _open_forked(launch, timeout)
        except ForkRefused as refused:
            if say is not None:
                say(f"trials run in fresh kernels, as {refused}")
    return FreshKernel(launch)


def _open_forked(launch: Launch, timeout: float) -> ForkedKernel:
    if sys.platform != "linux":
        raise ForkRefused(f"forked trials need Linux, this is {sys.platform}")
    env = {**_limit_openmp(), **build_environment(launch)}
    kernel = start_kernel(
        launch.kernelspec, launch.folder, writes=launch.writes, network=launch.network, timeout=timeout, env=env
    )
    try:
        checkpoint = _freeze_kernel(kernel, timeout)
        state = ForkedKernel.connect(
            checkpoint["socket"], Start.BEFORE_CELL, folders=(find_project(launch.folder),), on_close=kernel.stop,
            explain_end=functools.partial(_explain_end, kernel, count_memory_kills()),
        )  # fmt: skip
    except BaseException:
        kernel.stop()
        raise
    try:
        if (launch.kernelspec, launch.folder) not in _checked:  # a clean run's kernel is as the first one
            _check_fork(state)
            _checked.add((launch.kernelspec, launch.folder))
    except BaseException:
        state.close()
        raise
    return state


def _explain_end(kernel: LiveKernel, memory_kills: int) -> str:
    """What is known of the end of a kernel's frozen states; ``memory_kills`` is what the system had killed for want of memory before."""
    if count_memory_kills() > memory_kills:
        return "the system has ended processes for want of memory meanwhile"
    return "" if kernel.alive else f"their kernel has ended: {kernel.describe_end()}"


def _limit_openmp() -> dict[str, str]:
    """A state is the fork of a fork, and libgomp waits for its threads in each that comes after its first use: the second
    ``KMeans().fit`` of a notebook would never end. With one thread it makes no pool. What the user has set counts."""
    return {} if "OMP_NUM_THREADS" in os.environ else {"OMP_NUM_THREADS": "1"}


def _freeze_kernel(kernel: LiveKernel, timeout: float) -> dict[str, Any]:
    """Have the kernel checkpoint itself. Raises :class:`ForkRefused` where it will not or cannot."""
    reply = kernel.execute(write_freezing_code(kernel.shared), timeout=timeout, silent=True)
    if reply.died:
        raise KernelError(f"kernel {kernel.spec_name!r} died while it was forked: {kernel.describe_end()}; try --fresh")
    text = "".join(o.text for o in reply.outputs if o.name == "stdout")
    try:
        checkpoint: dict[str, Any] = json.loads(text)
    except ValueError:
        why = f"{reply.errors[0].ename}: {reply.errors[0].evalue}" if reply.errors else "it is no IPython kernel"
        raise ForkRefused(why) from None
    if "refused" in checkpoint:
        raise ForkRefused(checkpoint["refused"])
    return checkpoint


def write_freezing_code(socket_dir: str) -> str:
    """Code for a kernel that freezes it, prints what ``checkpoint`` returned as JSON, and leaves no name behind."""
    inner = (
        f"{write_loading_code('fork.zygote')}\nimport json\nzygote = load()\n"
        f"print(json.dumps(zygote.checkpoint(shell, socket_dir={socket_dir!r})))"
    )
    return f"exec({inner!r}, {{'shell': get_ipython()}})"


def _check_fork(state: ForkedKernel) -> None:
    """Try the fork on what every trial relies on. Raises :class:`ForkRefused` where it does not hold here."""
    probe = Probe("def probe(shell, last, argument):\n    return [last.result, last.stdout, argument]", "argument")
    steps = (Run("print('text')\n40 + 2"), probe, Run("raise ValueError('wanted')", go_on=True))
    try:
        trial, _ = state.run(TrialRequest(steps, timeout=20.0, sandbox=OPEN))
    except KernelError as error:
        raise ForkRefused(f"a trial of the fork failed: {error}") from error
    first, asked, failed = trial.steps
    kinds = [o.output_type for o in first.outputs]
    holds = trial.ending is Ending.FINISHED and kinds == ["stream", "execute_result"]
    holds = holds and asked.value == [42, "text\n", "argument"] and [e.line for e in failed.errors] == [1]
    if not holds:
        raise ForkRefused(f"a trial of the fork did not give what it must ({trial.ending}; {kinds}; {asked.value!r})")
