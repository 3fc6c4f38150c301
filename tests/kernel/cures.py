"""Does each hazard's test fail where its cure is removed?  ``python tests/kernel/cures.py [NAME…]``

For each cure a copy of the package is made in a temporary folder, the cure's line replaced, and its test run there: it must
fail. Takes some minutes, and is run by hand when the fork half changes, not by ``make test``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
HAZARDS, LIFETIME = "tests/kernel/test_hazards*.py", "tests/kernel/test_forked_lifetime.py"
GATE = "tests/kernel/test_gate.py"
CONTRACT = "tests/contract/test_trial_kernels.py"


@dataclass(frozen=True)
class Cure:
    """``line`` of ``module`` in inside/fork/ is replaced by ``other`` (all its occurrences); ``test`` (a -k expression, in the
    files that match ``file``) must fail."""

    name: str
    module: str
    line: str
    other: str
    test: str
    file: str = HAZARDS


CURES = (
    Cure("random state restored", "after_fork", "random.setstate(state)", "pass", "random_draws"),
    Cure("descriptors quarantined", "descriptors", "if stat.S_ISREG(kind):", "if True:\n                continue\n            if stat.S_ISREG(kind):", "socket or file_being_read"),
    Cure("memory unshared", "descriptors", "_copy_in_place(begin, end - begin)", "pass", "memory_map or shared_memory"),
    Cure("executors get new workers", "thread_pools", "                _renew_executor(executor)", "                pass", "every_notebook_has"),
    Cure("pools are found in kept states", "trial", "        thread_pools.renew_all()", "        pass", "works_in_six"),
    Cure("work that waits for a worker", "thread_pools", "(executor is None or executor._work_queue.empty())", "True", "given", GATE),
    Cure("one OpenMP thread", "after_fork", "call(1)", "pass", "openmp"),
    Cure("one OpenMP thread in a kept state", "trial", "        after_fork.use_one_native_thread()", "        pass", "openmp_used_in_a_kept"),
    Cure("first to be killed", "after_fork", 'f.write("1000")', 'f.write("0")', "first_to_go"),
    Cure("history off", "after_fork", "history.enabled = False", "return", "history_is_untouched"),
    Cure("open files follow the overlay", "trial", "descriptors.detach_files(", "(lambda *a, **k: None)(", "file_being_written"),
    Cure("named shared memory overlaid", "trial", 'for path in ("/dev/shm",)', "for path in ()", "shared_memory"),
    Cure("the user's loop adopted", "event_loop", "        _adopt_loop(asyncio, loop)", "        loop = asyncio.new_event_loop()", "running_tasks"),
    Cure("tracing stopped", "after_fork", "sys.settrace(None)", "pass", "debugger"),
    Cure("input refused", "capture", "        _refuse_input(self.shell)", "        pass", "input_is_refused"),
    Cure("output bounded", "capture", "max(self.limit - self._sent, 0)", "1 << 40", "two_hundred"),
    Cure("output from C in its place", "capture", "        memory.attach()", "        pass", "output_from_c"),
    Cure("deaf to interrupts", "after_fork", "signal.SIG_IGN if number == signal.SIGINT else", "", "interrupt_of_the_kernel"),
    Cure("hard limit after the polite one", "guard", "kill_tree(self.trial)\n        elif", "pass\n        elif", "polite_signal"),
    Cure("guard is a subreaper", "prefork", "    after_fork.adopt_orphans()\n    memory", "    memory", "started_ends_with_it and Forked", CONTRACT),
    Cure("strays of a killed guard", "server", "            self._kill_strays()", "            pass", "guard_killed"),
    Cure("nobody outlives the kernel", "server", "            if ready & {self.state.alive, self.end_asked}:\n                self._end_state(everything=True)", "            if self.state.alive in ready:\n                time.sleep(0.2)", "death_of_the_users_kernel", LIFETIME),
    Cure("kept states outlive their guard", "trial", "        after_fork.outlive_parent()", "        pass", "kept_state_goes_on and Forked", CONTRACT),
    Cure("constant stack", "server", "            zygote = Zygote(trial.state, trial.run())", "            control = trial.run()\n            serve_forever(lambda: Zygote(trial.state, control))", "stack_does_not_grow", LIFETIME),
    Cure("processes made ahead", "server", "elif self._wants_spare() and", "elif False and", "meets_processes", LIFETIME),
    Cure("the result waits for what was started", "trial", "not self.runner.timed_out and self._is_alone()", "not self.runner.timed_out", "comes_after_the_end", LIFETIME),
    Cure("ended copies are collected", "zygote", "    _collect_when_ended(pid, loop)", "    pass", "collected_without", LIFETIME),
    Cure("cells called from a running loop", "steps", "is_called = self.loop is not None and", "is_called = False and", "called_from_a_running"),
    Cure("the thread of %%bash is allowed", "gate", "if script_loop is not None and", "if False and", "script_cell_leaves"),
    Cure("the thread of %%bash is forgotten", "server", "        after_fork.forget_script_loop(shell)", "        pass", "script_cell_leaves"),
)  # fmt: skip


def main(names: list[str]) -> int:
    """Try every cure (or those named); the number of tests that passed without their cure."""
    useless = 0
    for cure in CURES:
        if names and not any(name in cure.name for name in names):
            continue
        with tempfile.TemporaryDirectory(prefix="cures-") as folder:
            failed, words = _fails_without(cure, Path(folder))
        print(f"{'ok  ' if failed else 'BAD '} {cure.name}: {words}", flush=True)
        useless += not failed
    return useless


def _fails_without(cure: Cure, folder: Path) -> tuple[bool, str]:
    for name in ("jupyter_selfheal", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "labextension"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    module = folder / "jupyter_selfheal" / "inside" / "fork" / f"{cure.module}.py"
    text = module.read_text()
    assert cure.line in text, f"{cure.name}: {cure.line!r} is no longer in {cure.module}.py"
    module.write_text(text.replace(cure.line, cure.other))
    files = sorted(map(str, folder.glob(cure.file)))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--timeout=120", "-k", cure.test, *files]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=400)
    last = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR", "E  "))]
    words = (last or done.stdout.strip().splitlines()[-1:] or [done.stderr[-200:]])[0]
    return done.returncode == 1, words[:110]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
