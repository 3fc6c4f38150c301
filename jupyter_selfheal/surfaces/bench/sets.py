"""The sets that ``jupyter selfheal bench`` knows. Another one is a file with a ``load``, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import debugbench, humaneval, mbpp, own_cases, pydex, quixbugs, refactory, syntax
from jupyter_selfheal.surfaces.bench.specifications import load_specifications
from jupyter_selfheal.surfaces.bench.tasks import Task


@dataclass(frozen=True, slots=True)
class BenchSet:
    """A set of broken programs. ``load`` takes the path and the seed of what is random in it, and gives title and tasks.

    ``path`` says what PATH is. ``sample`` is a shipped file that is used where no PATH is given. ``compiles``: a program
    counts as correct where it is the reference again, since there is no test.
    """

    name: str
    path: str
    load: Callable[[Path, int], tuple[str, list[Task]]]
    sample: str = ""
    compiles: bool = False


ALL = (
    BenchSet("quixbugs", "a clone of QuixBugs", lambda path, _: ("QuixBugs", quixbugs.load(path))),
    BenchSet("humanevalfix", "HumanEvalFix's JSON lines", humaneval.load),
    BenchSet("humaneval", "HumanEval's JSON lines; each gets one fault", humaneval.load, "humaneval.jsonl"),
    BenchSet("mbpp", "MBPP's JSON; each gets one fault", mbpp.load, "mbpp.jsonl"),
    BenchSet("refactory", "the folder data of Refactory", lambda path, _: ("Refactory", refactory.load(path))),
    BenchSet("pydex", "the folder PyDex of prose-benchmarks", lambda path, _: ("PyDex", pydex.load(path))),
    BenchSet("debugbench", "a clone of DebugBench", lambda path, _: debugbench.load(path)),
    BenchSet("own", "a folder of your own cases: JSON, or notebooks with tags", lambda p, _: own_cases.load(p)),
    BenchSet("syntax", "QuixBugs or JSON lines; one syntax fault each", lambda p, _: syntax.load(p), compiles=True),
)
SETS = {found.name: found for found in ALL}


def load_tasks(name: str, path: Path | None, seed: int, start: str = "fault") -> tuple[str, list[Task]]:
    """Title and tasks of a set, whose programs begin with a fault or as their specification (``spec``).

    Raises UsageError where there is no such path, or it holds something else.
    """
    chosen = SETS[name]
    load = chosen.load if start == "fault" else lambda path, _: load_specifications(name, path)
    if path is None and not chosen.sample:
        raise UsageError(f"{name} is not shipped: give its PATH, {chosen.path}")
    if path is None:
        sample = Path(str(files("jupyter_selfheal.surfaces.bench"))) / "samples" / chosen.sample
        title, tasks = load(sample, seed)
        return f"{title}, the shipped sample", tasks
    if not path.exists():
        raise UsageError(f"{path} does not exist: {name} takes {chosen.path}")
    return load(path, seed)
