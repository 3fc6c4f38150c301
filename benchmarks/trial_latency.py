"""How long until the first trial's result, where its milliseconds go, and what a frozen copy costs.

    python benchmarks/trial_latency.py [--gigabytes 0 1 4] [--repeat 5]

Compares, in one run, four ways to try a patch after a cell failed: a fork of the kernel at the failure, a fork made before
the cell, a fresh kernel that replays the earlier cells, and a fresh kernel that loads a pickle of the namespace; and the
search's candidates inside one trial with one forked trial for each. Writes benchmarks/rows/scripts/trial-latency.jsonl, of which
`make figures` makes the section "Trial kernels" of benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests" / "kernel")]

from forking import User  # noqa: E402

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from jupyter_selfheal.config import HealConfig  # noqa: E402
from jupyter_selfheal.healers.search.healer import SearchHealer  # noqa: E402
from jupyter_selfheal.kernels.forked import ForkedKernel  # noqa: E402
from jupyter_selfheal.kernels.fresh import FreshKernel  # noqa: E402
from jupyter_selfheal.kernels.launch import start_kernel  # noqa: E402
from jupyter_selfheal.kernels.replay_plan import PastCell  # noqa: E402
from jupyter_selfheal.model import (  # noqa: E402
    Case,
    Cell,
    Failure,
    FailureKind,
    Launch,
    Notebook,
    Oracle,
    Probe,
    Run,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Starts  # noqa: E402
from jupyter_selfheal.testing.scripted import NoFacts  # noqa: E402

BUILD = "import numpy as np\nblocks = [np.random.default_rng(n).random(1 << 17) for n in range({mib})]\ntotal = 0"
LARGE = "import numpy as np\nblocks = [np.random.default_rng(n).random(1 << 23) for n in range({mib} // 64)]\ntotal = 0"
FAILING = "total = sum(b.sum() for b in block[:4])"
RAN = "import time; time.sleep(0.3)\n"
FIXED = "total = sum(b.sum() for b in blocks[:4])"
REQUEST = TrialRequest((Run(FIXED, "c"),), timeout=600)
STAMP = (
    "import json, socket, sys, time; _ip = get_ipython(); sys._at = [0.0]\n"
    "_ip.events.register('post_run_cell', lambda r: sys._at.append(time.monotonic()) if r and r.error_in_exec else None)\n"
    "_ip.events.callbacks['post_run_cell'].insert(0, _ip.events.callbacks['post_run_cell'].pop())\n"
    "_ip.events.register('post_run_cell', lambda r: r and r.error_in_exec and socket.socket(socket.AF_UNIX, "
    "socket.SOCK_DGRAM).sendto(json.dumps([sys._at[-1], sys._frozen]).encode(), 'told'))"
)
"""Says when a cell failed and where its frozen copy is as a live session does: at once, by a channel of its own."""
UNMENDABLE = (
    (
        (
            "def runs(xs):\n    out = []\n    last = None\n    for x in xs:\n        if x == last:\n            out[-1][1] += 2\n"
            "        else:\n            out.append([x, 1])\n        last = x\n    return out"
        ),
        (
            "assert runs([]) == []\nassert runs([4, 4]) == [[4, 2]]\nassert runs([1, 2]) == [[1, 1], [2, 1]]\n"
            "assert runs([7, 7, 7]) == [[7, 3]]\nassert runs([7, 7, 7]) == [[7, 5]]"
        ),
    ),
    (
        (
            "def merge(a, b):\n    out = []\n    i = j = 0\n    while i < len(a) and j < len(b):\n        if a[i] <= b[j]:\n"
            "            out.append(a[i])\n            i += 1\n        else:\n            out.append(b[j])\n            j += 1\n    return out + a[i:]"
        ),
        (
            "assert merge([], [2]) == [2]\nassert merge([1], []) == [1]\nassert merge([1, 4], [2, 3]) == [1, 2, 3, 4]\n"
            "assert merge([5], [1, 9]) == [1, 5, 9]\nassert merge([5], [1, 9]) == [1, 9]"
        ),
    ),
    (
        (
            "def depth(text):\n    most = now = 0\n    for letter in text:\n        if letter == '(':\n            now += 1\n"
            "            most = min(most, now)\n        elif letter == ')':\n            now -= 1\n    return most"
        ),
        "assert depth('') == 0\nassert depth('(a)') == 1\nassert depth('(()())') == 2\nassert depth('()()') == 1\nassert depth('()()') == 3",
    ),
)
"""Faulty functions whose last two checks contradict each other: no candidate is right, so that all of them are tried."""
PRIVATE = Probe(
    "def probe(shell, last, argument):\n"
    "    text = open('/proc/self/smaps_rollup').read()\n"
    "    return int(next(l.split()[1] for l in text.splitlines() if l.startswith('Private_Dirty'))) / 1024",
    name="private",
)


def milliseconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    began = time.monotonic()
    call()
    return (time.monotonic() - began) * 1e3


def failure_to_result(user: User, start: str, ran: str = "") -> float:
    """From the moment the cell has failed, in the user's kernel, to the first trial's result, here."""
    ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ear.bind(str(user.folder / "told"))
    user.run(f"import sys; sys._frozen = None; sys._arm({start!r})" if start == "before" else "pass")
    cell = ran + (FAILING if start == "before" else f"sys._arm({start!r}); {FAILING}")
    failing = threading.Thread(target=user.kernel.execute, args=(cell,))
    failing.start()
    at, found = json.loads(ear.recv(4096))
    state = ForkedKernel.connect(found["socket"])
    trial, _ = state.run(REQUEST)
    now = time.monotonic()
    assert trial.ran, trial
    failing.join()
    state.close()
    ear.close()
    os.unlink(user.folder / "told")
    time.sleep(0.5)  # until all of it has ended
    return (now - float(at)) * 1e3


def candidates_per_second(state: ForkedKernel) -> dict[str, float]:
    """Candidates that the search tries inside one trial, of all its processes: a second on the clock and a processor second; and those
    that have a forked trial each, two at a time, a second."""
    tried = cpu = clock = 0.0
    for function, check in UNMENDABLE:
        case = Case(
            Failure("b", check, FailureKind.MISSED), Notebook((Cell("a", function), Cell("b", check))), Oracle()
        )
        began = time.monotonic()
        answer = SearchHealer(HealConfig(search_seconds=20.0)).propose(case, Starts((state,)), NoFacts(), ())
        clock += time.monotonic() - began
        tried, cpu = tried + answer.record["tried"], cpu + answer.record["cpu"]
    request = TrialRequest(tuple(Run(text, name) for text, name in zip(UNMENDABLE[0], "ab", strict=True)), timeout=60)
    began = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        done = len(list(pool.map(lambda _: state.run(request), range(60))))
    return {
        "candidates, inside one trial, by the clock": tried / clock,
        "candidates, inside one trial, by processor time": tried / cpu,
        "candidates, with a trial for each": done / (time.monotonic() - began),
    }


def replay(folder: str, build: str) -> float:
    """A fresh kernel that runs the earlier cells again."""
    kernel = FreshKernel(Launch("python3", folder, writes="allow"), (PastCell(build, "b"),), ahead=False)
    try:
        return milliseconds(lambda: kernel.run(REQUEST))
    finally:
        kernel.close()


def measure_pickle(user: User, folder: str) -> float:
    """A fresh kernel that loads what the user's kernel has pickled."""
    path = f"{folder}/state.pickle"

    def all_of_it() -> None:
        user.run(
            f"import pickle\nwith open({path!r}, 'wb') as _f: pickle.dump({{'blocks': blocks, 'total': total}}, _f, 5)"
        )
        with start_kernel("python3", folder, writes="allow") as kernel:
            assert kernel.execute(f"import pickle\nglobals().update(pickle.load(open({path!r}, 'rb')))").ok
            assert kernel.execute(FIXED).ok

    took = milliseconds(all_of_it)
    os.unlink(path)
    return took


def checkpoint(user: User, code: str) -> tuple[float, float]:
    """Milliseconds of a copy before a cell that runs, and of the cell after it."""
    found = user.try_to_freeze("before", f"_t = time.monotonic()\n{code}\n_t = (time.monotonic() - _t) * 1e3")
    took = float(user.value("_t"))
    user.run(f"sys._test_zygote.discard({found['pid']})")
    return float(found["ms"]), took


def per_second(state: ForkedKernel, seconds: float = 4.0) -> float:
    """Trials that finish in a second, four at a time."""
    until, done = time.monotonic() + seconds, 0
    with ThreadPoolExecutor(4) as pool:
        while time.monotonic() < until:
            done += len(list(pool.map(lambda _: state.run(REQUEST), range(8))))
    return done / (time.monotonic() - until + seconds)


def trial_after_a_pause(state: ForkedKernel) -> Trial:
    """One trial, after the time in which a healer thinks of the next patch."""
    time.sleep(0.2)
    return state.run(REQUEST)[0]


def measure(gigabytes: float, repeat: int) -> dict[str, Any]:
    """Everything for a state of one size."""
    found: dict[str, Any] = {"gigabytes": gigabytes}
    build = BUILD.format(mib=int(gigabytes * 1024))
    slow = 1 if gigabytes > 2 else min(repeat, 3)
    with tempfile.TemporaryDirectory() as folder:
        user = User(Path(folder))
        try:
            user.run(f"{STAMP}\n{build}")
            found["fork after"] = [failure_to_result(user, "after") for _ in range(repeat)]
            found["fork before"] = [failure_to_result(user, "before") for _ in range(repeat)]
            found["fork long before"] = [failure_to_result(user, "before", RAN) for _ in range(repeat)]
            user.run("user = total")
            state = user.freeze("before")
            trials = [trial_after_a_pause(state) for _ in range(4 * repeat)]
            found["trial"] = [t.seconds * 1e3 for t in trials]
            found["phases"] = {k: [t.phases.get(k, 0.0) for t in trials] for k in trials[-1].phases}
            found["per second"] = per_second(state)
            found["candidates"] = candidates_per_second(state)
            for name, code in (("alone", FIXED), ("rewritten", "for b in blocks: b += 1")):
                trial, _ = state.run(TrialRequest((Run(code), PRIVATE), timeout=600))
                found[f"private {name}"] = float(trial.probe("private") or 0.0)
            state.close()
            for name, code in (("alone", "pass"), ("rewritten", "for b in blocks: b += 1")):
                user.run(f"{code}\n_t = time.monotonic()\n{code}\n_t = (time.monotonic() - _t) * 1e3")
                plain = float(user.value("_t"))
                costs = [checkpoint(user, code) for _ in range(repeat)]
                found[f"checkpoint {name}"] = [c for c, _ in costs]
                found[f"cell {name}"] = (plain, [c for _, c in costs])
            found["pickle"] = [measure_pickle(user, folder) for _ in range(slow)]
        finally:
            user.stop()
        os.mkdir(f"{folder}/large")
        user = User(Path(folder, "large"))
        try:
            user.run(f"{STAMP}\n{LARGE.format(mib=int(gigabytes * 1024))}")
            found["fork after, large"] = [failure_to_result(user, "after") for _ in range(repeat)]
        finally:
            user.stop()
        found["replay"] = [replay(folder, build) for _ in range(slow)]
    return found


FIRST = "from failure to first trial's result, ms"
WAYS = {
    "fork after": "fork at the failure",
    "fork after, large": "the same, of a state in arrays of 64 MiB",
    "fork before": "fork made before a cell that fails at once",
    "fork long before": "fork made before a cell that runs 0.3 s",
    "replay": "fresh kernel and replay",
    "pickle": "fresh kernel and pickle",
}
PHASES = {
    "received": "request to zygote",
    "taken": "zygote to guard to trial",
    "ready": "sandbox, signals, loop",
    "ran": "the cell",
    "reported": "last word",
    "ahead": "ahead of it, not counted: forks of guard and trial, descriptors",
}


def record(found: dict[str, Any], script: Script) -> None:
    """Keep what was measured with a state of one size."""
    size = f"{found['gigabytes']:g} GB"
    for key, words in WAYS.items():
        script.add(FIRST, words, size, found[key])
    ratios = [median(found["replay"]) / median(found[key]) for key in ("fork after", "fork long before")]
    for way, ratio in zip(("at the failure", "made before a cell that runs 0.3 s"), ratios, strict=True):
        script.add(FIRST, f"replay ÷ fork {way}", size, ratio, "×")
    for key, words in PHASES.items():
        script.add("where one trial's time goes, ms", words, size, found["phases"].get(key, [0.0]), digits=1)
    script.add("where one trial's time goes, ms", "together", size, found["trial"], digits=1)
    script.add("a second", "trials, four at a time", size, found["per second"])
    for words, number in found["candidates"].items():
        script.add("a second", words, size, number)
    script.add("what a copy costs", "checkpoint before a cell, ms", size, found["checkpoint alone"], digits=1)
    for name, words in (("alone", "a cell that does nothing"), ("rewritten", "a cell that rewrites the state")):
        without, with_copy = found[f"cell {name}"]
        script.add("what a copy costs", f"{words}, without a checkpoint, ms", size, without, digits=1)
        script.add("what a copy costs", f"{words}, with one, ms", size, with_copy, digits=1)
    for name, words in (("alone", "leaves the state alone"), ("rewritten", "rewrites the state")):
        script.add("what a copy costs", f"MiB that a trial adds which {words}", size, found[f"private {name}"])


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--gigabytes", nargs="*", type=float, default=[0, 1])
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--rows", type=Path, default=FOLDER / "trial-latency.jsonl")
    given = arguments.parse_args()
    sizes = " ".join(f"{size:g}" for size in given.gigabytes)
    script = Script(
        "Trial kernels",
        "States in arrays of one mebibyte, unless said.",
        f"python benchmarks/trial_latency.py --gigabytes {sizes} --repeat {given.repeat}",
    )
    for gigabytes in given.gigabytes:
        record(measure(gigabytes, given.repeat), script)
    print(format_script(script.write(given.rows)))
