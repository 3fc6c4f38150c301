"""Twenty beginners' broken scripts, one cell each: what is applied, what is offered, and is it right?

    python benchmarks/classics.py [PATH] [--only TITLE…] [--show]
    python benchmarks/classics.py code-agent/tests/broken_scripts --outputs benchmarks/code_agent.toml --rows benchmarks/rows/scripts/code-agent.jsonl

Every script is healed twice by the product's own batch loop (offline, without the memory): with nothing else, and with the output that
is expected of it. *Right*: the changed script, run in plain Python, prints what is expected and meets checks that no healer has seen.
``PATH`` is a file of scripts as ``tests/data/classics.txt``, or a folder of ``*.py`` files. What these should print is in the TOML file of
``--outputs``, by name; one that is not in it is healed with nothing else and shown, not judged. A run of the whole file writes
benchmarks/rows/scripts/classics.jsonl for `make figures`, one of a folder writes the file of ``--rows``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402

MODES = ("nothing else", "the expected output")


@dataclass(frozen=True)
class Broken:
    """One broken script, what it should print (empty: nobody says), and statements that must hold after it."""

    title: str
    source: str
    expected: str = ""
    checks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What became of one script: ``word`` is applied, offered, runs or nothing; ``right`` is None where nothing was changed."""

    title: str
    mode: str
    word: str
    right: bool | None
    said: str
    source: str
    seconds: float


def read_scripts(path: Path, outputs: dict[str, str]) -> Iterator[Broken]:
    """The scripts of a file, or of a folder with what is expected of each by its name."""
    from jupyter_selfheal.testing.text_notebook import parse_file

    if path.is_dir():
        yield from (Broken(p.stem, p.read_text("utf-8"), outputs.get(p.stem, "")) for p in sorted(path.glob("*.py")))
        return
    for notebook in parse_file(path):
        (cell,) = notebook.cells
        yield Broken(notebook.title, cell.source, str(cell.settings.get("stdout", "")), notebook.checks)


def is_right(script: Broken, source: str) -> bool:
    """Whether a script prints what is expected and meets its checks, in a process of its own."""
    program = "\n".join((source, "print('-- checks')", *script.checks))
    try:
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return False
    return ran.returncode == 0 and ran.stdout.split("-- checks")[0].strip() == script.expected.strip()


def heal_once(script: Broken, mode: str, folder: Path) -> Result:
    """Heal one script in one cell."""
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.surfaces.notebook.read import read
    from jupyter_selfheal.surfaces.notebook.records import Status
    from jupyter_selfheal.surfaces.notebook.run import Batch
    from jupyter_selfheal.surfaces.notebook.session import Session
    from jupyter_selfheal.surfaces.notebook.settings import Settings

    path = folder / f"{abs(hash((script.title, mode)))}.ipynb"
    metadata = {"selfheal": {"stdout": script.expected}} if mode == MODES[1] else {}
    _write_notebook(path, script.source, metadata)
    began = time.monotonic()
    with Session(Settings(HealConfig(offline=True, memory=False, timeout=10.0), cell_seconds=5.0)) as session:
        document = session.choose_kernel_for(read(path))
        report, _ = Batch(document, session.build_dependencies(document), session.limits).run()
    seconds = time.monotonic() - began
    record = report.records[0]
    said = record.candidate[0].patch.title if record.candidate else record.detail or record.cause
    if record.status is Status.HEALED:
        word, changed = "applied", report.healed
    elif record.candidate:
        word, changed = "offered", report.given.apply(record.candidate[0].patch)
    else:
        word, changed = "runs" if record.status is Status.RAN else "nothing", report.given
    source = "\n".join(c.source for c in changed.cells if c.kind == "code")
    judged = is_right(script, source) if record.candidate and script.expected else None
    return Result(script.title, mode, word, judged, said, source, seconds)


def _write_notebook(path: Path, source: str, metadata: dict[str, object]) -> None:
    cell = {
        "cell_type": "code",
        "id": "c1",
        "metadata": metadata,
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "utf-8")


OUTCOMES = {
    "healed": ("applied", True),
    "rightly offered": ("offered", True),
    "nothing found": ("nothing", None),
    "run without an error": ("runs", None),
    "applied wrong": ("applied", False),
    "wrongly offered": ("offered", False),
    "applied, no one right output": ("applied", None),
    "offered, no one right output": ("offered", None),
}
FOLDER_NOTE = "Scripts of others, one cell each, healed offline without the memory; *right*: run in plain Python it prints what we expect of it; what has no one right output is not judged."
NOTE = "Own scripts of one cell each, healed offline without the memory; *right*: run in plain Python it prints what is expected and meets checks that no healer has seen."


def choose_script(path: Path) -> Script:
    """The heading of the figures: of our own scripts, or of a folder."""
    if not path.is_dir():
        return Script("Twenty classic scripts", NOTE, "python benchmarks/classics.py")
    command = f"python benchmarks/classics.py {path.name} --outputs …"
    return Script(f"Scripts of a folder: {path.name}", FOLDER_NOTE, command)


def record(results: list[Result], script: Script) -> None:
    """Keep the counts of each mode: how many scripts were healed or rightly offered, and what was wrong."""
    for mode in MODES:
        chosen = [r for r in results if r.mode == mode]
        if not chosen:
            continue
        script.add("given", mode, "scripts", len(chosen))
        for words, outcome in OUTCOMES.items():
            count = sum((r.word, r.right) == outcome for r in chosen)
            if count or outcome[1] is not None or outcome[0] not in ("applied", "offered"):
                script.add("given", mode, words, count)
        script.add("given", mode, "median s", [r.seconds for r in chosen], digits=1)


def main() -> None:
    """Heal them, print each result as it comes, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, default=ROOT / "tests" / "data" / "classics.txt")
    parser.add_argument("--only", nargs="*", help="titles of the scripts to be healed")
    parser.add_argument("--mode", choices=MODES, help="only so")
    parser.add_argument("--show", action="store_true", help="print each changed script")
    parser.add_argument("--outputs", type=Path, help="what the scripts of a folder should print: a TOML file, by name")
    parser.add_argument("--rows", type=Path, help="where the figures go")
    options = parser.parse_args()
    outputs = tomllib.loads(options.outputs.read_text("utf-8")) if options.outputs else {}
    measured = choose_script(options.path)
    ours = options.path == parser.get_default("path")
    rows = options.rows or (FOLDER / "classics.jsonl" if ours else None)
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUPYTER_DATA_DIR"] = folder  # the journals of these heals are nobody's
        for script in read_scripts(options.path, outputs):
            for mode in MODES:
                if (options.only and script.title not in options.only) or (options.mode or mode) != mode:
                    continue
                if mode == MODES[1] and not script.expected:
                    continue
                result = heal_once(script, mode, Path(folder))
                results.append(result)
                verdict = {True: "right", False: "WRONG", None: ""}[result.right]
                print(
                    f"{result.title:26} {mode:20} {result.word:8} {verdict:6} {result.seconds:5.1f} s  {result.said[:90]}"
                )
                if options.show:
                    print(result.source, flush=True)
                sys.stdout.flush()
    if rows is None or options.only or options.mode:
        return  # no figure of the set
    record(results, measured)
    print(format_script(measured.write(rows)))


if __name__ == "__main__":
    main()
