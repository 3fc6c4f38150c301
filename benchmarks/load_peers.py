"""What switching the extension on costs a kernel, beside what switching others on costs.

    python benchmarks/load_peers.py [--repeat 7] [--only NAME]... [--folder /tmp/peers] [--rows FILE]

Every peer gets a virtual environment of its own under ``--folder`` (kept, so that a second run installs nothing), with the
IPython that it asks for. In each, new processes make a bare ``InteractiveShell``, and the same with the extension switched
on; figures are medians. Processor time and modules are those of the shell's own process; what is done in other processes
meanwhile (our engine) has a column of its own. Writes benchmarks/rows/scripts/load-peers.jsonl for `make figures`; one warm-up
run of each is not counted.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402

PIP_SECONDS = 1800

MEASURED = """
import json, resource, sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
modules, began = len(sys.modules), time.process_time()
{switch_on}
found = {{
    "bare_ms": began * 1e3,
    "ms": (time.process_time() - began) * 1e3,
    "modules": len(sys.modules) - modules,
    "mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024,
}}
{switch_off}
children = resource.getrusage(resource.RUSAGE_CHILDREN)
found["elsewhere_ms"] = (children.ru_utime + children.ru_stime) * 1e3
print("\\n" + json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """One extension: what pip installs, the package whose version is told, how a user switches it on."""

    name: str
    requirement: str
    package: str
    switch_on: str
    switch_off: str = ""
    said: str = ""


def _load(module: str) -> str:
    return f"assert shell.extension_manager.load_extension({module!r}) is None, 'it is no extension'"


OURS = Peer(
    "jupyter_selfheal", str(ROOT), "jupyter-selfheal", _load("jupyter_selfheal"),
    "shell.run_line_magic('unload_ext', 'jupyter_selfheal')", "%load_ext jupyter_selfheal",
)  # fmt: skip
PEERS = (
    OURS,
    Peer("friendly", "friendly", "friendly", "import friendly.jupyter", said="from friendly.jupyter import *"),
    Peer("chatdbg", "chatdbg", "chatdbg", _load("chatdbg.chatdbg_pdb"), said="%load_ext chatdbg.chatdbg_pdb"),
    Peer(
        "jupyter_ai_magics", "jupyter-ai-magics==2.31.7", "jupyter-ai-magics", _load("jupyter_ai_magics"),
        said="%load_ext jupyter_ai_magics",
    ),
    Peer(
        "jupyter_ai_magic_commands", "jupyter-ai-magic-commands", "jupyter-ai-magic-commands",
        _load("jupyter_ai_magic_commands"), said="%load_ext jupyter_ai_magic_commands",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians: milliseconds of processor time, modules, MiB of peak memory; ``bare_ms`` is the shell without it."""

    versions: str
    bare_ms: float
    ms: float
    modules: int
    mb: float
    elsewhere_ms: float

    @property
    def against_bare(self) -> float:
        """Start of the shell with it ÷ without it."""
        return (self.bare_ms + self.ms) / self.bare_ms


def python_of(peer: Peer, folder: Path) -> Path:
    """The interpreter of the peer's environment, which is made where there is none. Ours is installed anew every time."""
    home = folder / peer.name
    python = home / "bin" / "python"
    marker = home / "installed"
    if not marker.exists():
        venv.create(home, with_pip=True, clear=True)
    if not marker.exists() or peer is OURS:
        subprocess.run(
            [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "ipython", peer.requirement],
            check=True, timeout=PIP_SECONDS, env={**os.environ, "SELFHEAL_NO_LABEXTENSION": "1"}, cwd=folder,
        )  # fmt: skip
        marker.touch()
    return python


def measure_peer(peer: Peer, python: Path, repeat: int) -> Cost:
    """Run it ``repeat`` times, each in a new process with folders of its own; raises ``RuntimeError`` where it does not load."""
    runs = []
    with tempfile.TemporaryDirectory() as home:
        env = {
            "PATH": os.environ.get("PATH", ""), "HOME": home, "IPYTHONDIR": home, "JUPYTER_DATA_DIR": home,
            "OPENAI_API_KEY": "none",
        }  # fmt: skip
        code = MEASURED.format(switch_on=peer.switch_on, switch_off=peer.switch_off)
        for number in range(repeat + 1):
            done = subprocess.run([python, "-c", code], env=env, cwd=home, capture_output=True, text=True, timeout=300)
            if done.returncode:
                raise RuntimeError(f"{peer.name} did not load:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
            if number:  # the first fills the byte-code and file caches
                runs.append(json.loads(done.stdout.splitlines()[-1]))
    wanted = f"from importlib.metadata import version as v; print(v({peer.package!r}) + ', IPython ' + v('ipython'))"
    versions = subprocess.run([python, "-c", wanted], capture_output=True, text=True, check=True).stdout.strip()
    medians = {name: median(run[name] for run in runs) for name in runs[0]}
    return Cost(versions, **{**medians, "modules": int(medians["modules"])})


NOTE = "Each in an environment of its own; *start-up* is the shell's own against bare IPython, *elsewhere* the time of other processes (our worker)."


def record(found: dict[str, Cost], script: Script) -> None:
    """Keep what was measured of each."""
    ours = found.get(OURS.name)
    for peer in PEERS:
        if (cost := found.get(peer.name)) is not None:
            add = functools.partial(script.add, "switched on by", f"`{peer.said}`")
            add("versions", cost.versions)
            add("processor time, ms", cost.ms, digits=1)
            add("modules", cost.modules)
            add("peak, MiB", cost.mb, digits=1)
            add("elsewhere, ms", cost.elsewhere_ms)
            add("start-up", cost.against_bare, "×", 2)
            if ours:
                add("against ours", cost.ms / ours.ms, "×", 1)


def main() -> int:
    """Make the environments, measure, print; 1 where a peer could not be installed or loaded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--only", action="append", choices=[peer.name for peer in PEERS], default=[])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "selfheal-peers"))
    parser.add_argument("--rows", type=Path, default=FOLDER / "load-peers.jsonl")
    chosen = parser.parse_args()
    script = Script("Loading: others", NOTE, f"python benchmarks/load_peers.py --repeat {chosen.repeat}")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Cost] = {}
    failed = 0
    for peer in PEERS:
        if chosen.only and peer.name not in chosen.only:
            continue
        try:
            found[peer.name] = measure_peer(peer, python_of(peer, chosen.folder), chosen.repeat)
        except (RuntimeError, subprocess.SubprocessError) as error:
            failed = 1
            print(f"{peer.name} is left out: {error}", file=sys.stderr)
    record(found, script)
    print(format_script(script.write(chosen.rows)))
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
