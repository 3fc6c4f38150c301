"""A user's kernel for the tests of forked trials: it freezes itself from its own hooks, as a live session does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.kernels.freeze import write_freezing_code
from jupyter_selfheal.kernels.launch import LiveKernel, start_kernel
from jupyter_selfheal.model import Output, Run, Sandbox, Start, Step, Trial, TrialRequest
from tests.waiting import wait_until

HOOK = """
def install(shell, code):
    import sys
    def freeze(start, error=None):
        if armed and armed[0] == start:
            armed.clear()
            try:
                sys._frozen = zygote.checkpoint(shell, error=error)
            except Exception as failed:
                sys._frozen = {"raised": repr(failed)}
    armed = []
    zygote = sys._test_zygote
    shell.events.register("pre_run_cell", lambda info: freeze("before"))
    shell.events.register("post_run_cell", lambda result: freeze("after", result and result.error_in_exec))
    sys._arm = armed.append
"""

SNAPSHOT = """
def snapshot():
    import os, random, sys, threading, gc
    numpy = sys.modules.get("numpy")
    fds = []
    for n in os.listdir("/proc/self/fd"):
        try:
            fds.append(os.readlink("/proc/self/fd/" + n))
        except OSError:  # the listing's own
            continue
    children = open("/proc/self/task/%d/children" % os.getpid()).read().split()
    ours = [c for c in children if open("/proc/%s/comm" % c).read().startswith("selfheal")]
    return {"fds": sorted(f for f in fds if "profile_default" not in f), "selfheal children": ours, "threads": sorted(t.name for t in threading.enumerate()
                              if not type(t).__module__.startswith(("IPython", "ipykernel"))),
            "random": hash(random.getstate()), "cwd": os.getcwd(),
            "numpy": hash(numpy.random.get_state()[1].tobytes()) if numpy else 0,
            "oom": open("/proc/self/oom_score_adj").read(), "temporary": sorted(
                n for n in os.listdir(os.environ["TMPDIR"]) if n.startswith("selfheal"))}
import json
print(json.dumps(snapshot()))
"""


class User:
    """A running kernel that a person works in, and its frozen copies."""

    def __init__(self, folder: Path, spec: str = "python3") -> None:
        self.folder = folder
        self.changed: set[str] = set()
        """What a test says that it changes itself."""
        self.temporary = folder / "tmp"
        self.home = folder / "home"
        for path in (self.temporary, self.home):
            path.mkdir()
        env = {"TMPDIR": str(self.temporary), "IPYTHONDIR": str(self.home), "MPLCONFIGDIR": str(self.home)}
        self.kernel: LiveKernel = start_kernel(spec, str(folder), writes="allow", env=env)
        load = write_freezing_code("").replace("zygote.checkpoint(shell, socket_dir=\\'\\')", '"loaded"')
        load = load.replace("\\nprint(", "\\nimport sys; sys._test_zygote = zygote\\nprint(")
        assert self.text(load) == '"loaded"\n'
        self.text(f"exec({HOOK!r}, globals()); install(get_ipython(), ''); del install")

    def run(self, code: str) -> tuple[Output, ...]:
        """Run a cell; it must not fail."""
        reply = self.kernel.execute(code, timeout=120)
        assert not reply.errors, reply.errors
        assert reply.ok, reply
        return reply.outputs

    def text(self, code: str) -> str:
        """What a cell prints."""
        return "".join(o.text for o in self.run(code) if o.name == "stdout")

    def value(self, expression: str) -> Any:
        """An expression's value, by JSON."""
        return json.loads(self.text(f"import json; print(json.dumps({expression}))"))

    def freeze(self, start: str, cell: str = "raise RuntimeError('the failing cell')") -> ForkedKernel:
        """A copy from before or after a cell that fails."""
        found = self.try_to_freeze(start, cell)
        assert "socket" in found, found
        return ForkedKernel.connect(found["socket"], Start.BEFORE_CELL if start == "before" else Start.AFTER_FAILURE)

    def try_to_freeze(self, start: str, cell: str) -> dict[str, Any]:
        """What ``checkpoint`` said."""
        arm = f"import sys; sys._frozen = None; sys._arm({start!r})\n"
        if start == "before":  # of the next cell: the arming cell's own hook is over
            self.run(arm)
            arm = ""
        self.kernel.execute(arm + cell, timeout=60)
        found: dict[str, Any] = self.value("sys._frozen")
        return found

    def snapshot(self) -> dict[str, Any]:
        """What trials must not change, after the kernel has collected ended copies."""
        found: dict[str, Any] = {}

        def has_no_children() -> bool:
            code = f"import sys; sys._test_zygote.collect_ended()\nexec({SNAPSHOT!r}, {{}})"
            found.update(json.loads("".join(o.text for o in self.kernel.execute(code, timeout=60).outputs)))
            return not found["selfheal children"]

        wait_until(has_no_children, seconds=20)
        return found

    def stop(self) -> None:
        """End it."""
        self.kernel.stop()


def tried(kernel: ForkedKernel, *steps: str | Step, timeout: float = 60.0, sandbox: Sandbox | None = None) -> Trial:
    """The trial of some cells, in the default sandbox."""
    given = tuple(Run(step, "cell") if isinstance(step, str) else step for step in steps)
    return kernel.run(TrialRequest(given, timeout=timeout, sandbox=sandbox or Sandbox()))[0]


def printed(trial: Trial, stream: str = "stdout") -> str:
    """What a trial wrote; it must have run."""
    assert trial.ran, trial
    return "".join(o.text for s in trial.steps for o in s.outputs if o.output_type == "stream" and o.name == stream)


def name(pid: int) -> str:
    """A process's name; empty where there is none, or only a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return "" if state == "Z" else Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def open_descriptors(pid: int) -> int:
    """How many descriptors a process has."""
    return len(os.listdir(f"/proc/{pid}/fd"))
