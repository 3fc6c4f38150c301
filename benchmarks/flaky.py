"""Sixty small notebooks of which twenty fail by chance, twenty by hash order, twenty every time: who is healed by luck?

    python benchmarks/flaky.py [--runs 10] [--judge 40] [--only chance|order|always] [--results FILE]

Every notebook is healed ``--runs`` times by the product's own batch loop (offline, without the memory). A change that was
applied is judged by running the cells as they were given and as they were healed in plain Python, ``--judge`` times each, each
time under another hash seed and with new draws. *By luck*: a change was applied, and the healed notebook still fails in
one of these runs. A notebook that fails every time counts as healed where it then never fails, and meets a check that no
healer has seen. Writes benchmarks/rows/scripts/flaky.jsonl for `make figures`. With ``--results`` each single result is kept as it comes, and
the same command goes on where it was cut.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402

KINDS = {"chance": "fails by chance", "order": "fails by hash order", "always": "fails every time"}


@dataclass(frozen=True)
class Sample:
    """One notebook: its cells, and a check of the healed one."""

    name: str
    kind: str
    cells: tuple[str, ...]
    check: str = ""


@dataclass(frozen=True)
class Result:
    """One heal: whether the notebook failed in it at all, what was applied, and how often it fails now."""

    name: str
    kind: str
    failed: bool
    titles: tuple[str, ...]
    before: int
    after: int
    said: str
    seconds: float


# --- the notebooks --------------------------------------------------------------------------------------------------

CHANCE = [
    # the cell itself draws a number
    ("import random", "{a} = random.random()\nassert {a} > 0.{n}"),
    ("import random", "{a}s = [random.randint(0, 9) for _ in range(3)]\nassert {a}s[0] >= {n}"),
    ("import random\ndef {a}(xs):\n    return xs[random.randrange(len(xs) + 4)]", "print({a}([1, 2, {n}]))"),
    ("import random\n{a} = ['ok', 'ok', None]", "value = random.choice({a})\nprint(value.upper(), {n})"),
    ("import numpy as np", "{a} = np.random.rand(5)\nassert {a}[0] < 0.{n}"),
    ("import numpy as np", "{a} = np.random.randint(0, 4, size=2)\nratio = 100 // int({a}[0] % 2)\nprint(ratio + {n})"),
    # the world decides
    ("import os", "{a} = os.urandom(4)\nassert {a}[0] > 1{n}0"),
    ("import os\ndef {a}(k):\n    return int.from_bytes(os.urandom(k), 'big') % 4 - 2", "assert {a}(2) >= 0, {n}"),
    ("import uuid", "{a} = uuid.uuid4().hex\nassert {a}[0] in '01234567', {n}"),
    ("import secrets", "{a} = secrets.randbelow(10)\nassert {a} - 5 >= 0, {n}"),
    ("import time", "{a} = time.time_ns() // 1000 % 2\nprint({n} / {a})"),
    ("import threading, time, os\n{a} = []", ("def work():\n    time.sleep(os.urandom(1)[0] / 40_000)\n    {a}.append({n})\n"
     "t = threading.Thread(target=work)\nt.start()\ntime.sleep(0.003)\nfirst = {a}[0]\nt.join()\nprint(first)")),
    # drawn in a cell above
    ("import random\n{a} = [random.random() for _ in range(4)]", "print('drawn')", "assert {a}[0] > 0.{n}"),
    ("import random\n{a} = random.randint(-3, 3)", "scaled = {a} * {n}", "assert scaled > 0"),
    ("import os\n{a} = list(os.urandom(6))", "assert {a}[0] % 2 == 0, {n}"),
    ("import numpy as np\n{a} = np.random.normal(size=8)", "assert {a}.mean() > 0, {n}"),
    ("import random\ndef roll():\n    return random.randint(1, 6)", "{a} = {{roll(): {n} for _ in range(2)}}",
     "print({a}[4])\n"),
    # a retry would do, a repair would not
    (("import random\nclass {A}(Exception):\n    pass\ndef fetch():\n    if random.random() < 0.5:\n"
     "        raise {A}('busy')\n    return {n}"), "total = fetch() + 1\nassert total == {n} + 1"),
    ("import random\n{a} = list(range({n}))\nrandom.shuffle({a})", "assert {a}[0] < {a}[-1]"),
    ("import random\ndef sample(n):\n    return [random.gauss(0, 1) for _ in range(n)]",
     "def share({a}):\n    up = [x for x in {a} if x > 0]\n    return len(up) / len({a})\nassert share(sample({n})) > 0.5"),
]  # fmt: skip

ORDER = [
    ("{a} = {{{w}}}", "first = list({a})[0]\nassert first == {w0}"),
    ("{a} = {{{w}}}", "assert ', '.join({a}) == ', '.join(sorted({a}))"),
    ("{a} = set([{w}])", "first = next(iter({a}))\nassert first == {w0}, first"),
    ("def unique({a}):\n    return list(set({a}))", "assert unique([{w}, {w0}]) == [{w}]"),
    ("def unique({a}):\n    seen = []\n    for x in set({a}):\n        seen.append(x)\n    return seen",
     "assert unique([{w}])[0] == {w0}"),
    ("{a} = frozenset([{w}])", "numbers = {{word: n for n, word in enumerate({a})}}\nassert numbers[{w0}] == 0"),
    ("{a} = {{{w}}}", "x = {a}.pop()\nassert x == {w0}"),
    ("{a} = {{{w}}}", "x, *rest = {a}\nassert x == {w0}"),
    ("def bucket(word):\n    return hash(word) % 2", ("rows = [[], []]\nfor {a} in [{w}]:\n    rows[bucket({a})].append({a})\n"
     "assert rows[0][0] == {w0}")),
    ("{a} = [{w}]", "table = [0] * 3\ntable[hash({a}[0]) % 4] = 1\nassert sum(table) == 1"),
    ("{a} = [{w}, 'zebra', 'acorn', 'maple']", "common = set({a}) - {{{w0}}}\nassert list(common) == sorted(common)"),
    ("{a} = [{w}]", "pairs = list(zip(set({a}), range(9)))\nassert pairs[0][0] == {w0}"),
    ("def longest({a}):\n    return max(set({a}), key=lambda x: 1)", "assert longest([{w}]) == {w0}"),
    ("text = ' '.join([{w}, {w0}])", ("{a} = {{}}\nfor word in set(text.split()):\n    {a}[word] = len({a})\n"
     "assert {a}[{w0}] == 0")),
    ("{a} = {{{w}}}", "s = ''\nfor word in {a}:\n    s += word[0]\nassert s == ''.join(sorted(s))"),
    (("class Bag:\n    def __init__(self, items):\n        self.items = set(items)\n    def first(self):\n"
     "        for item in self.items:\n            return item"), "{a} = Bag([{w}])\nassert {a}.first() == {w0}"),
    ("{a} = {{{w}}} | {{'zz'}}", "head = tuple({a})[:1]\nassert head != ('zz',)"),
    ("{a} = [{w}]", ("index = {{w: i for i, w in enumerate(set({a}))}}\nback = sorted({a}, key=index.get)\n"
     "assert back[0] == {w0}")),
    ("def groups({a}):\n    out = {{}}\n    for w in set({a}):\n        out.setdefault(len(w), []).append(w)\n    return out",
     "assert groups([{w}])[len({w0})][0] == {w0}"),
    ("{a} = {{{w}}}", ("ranked = sorted({a}, key=len)\nassert ranked[0] == min({a}, key=lambda w: (len(w), w))\n"
     "assert str({a}).startswith('{{' + repr({w0}))")),
]  # fmt: skip

ALWAYS = [
    ("def mean({a}):\n    return sum({a}) / (len({a}) - 1)", "assert mean([1, 2, 3]) == 2\nassert mean([{n}]) == {n}", "assert mean([4, 6]) == 5"),
    ("def last({a}):\n    return {a}[len({a})]", "assert last([1, 2, {n}]) == {n}", "assert last([7, 8]) == 8"),
    ("def area({a}, h):\n    return {a} + h", "assert area(3, {n}) == 3 * {n}\nassert area(2, 5) == 10",
     "assert area(7, 4) == 28"),
    ("{a}_total = {n}", "print({a}_totl + 1)", "assert {a}_total == {n}"),
    ("{a} = [3, 1, 2]", "print(math.floor({n}.5))", "assert math.floor(2.5) == 2"),
    ("def largest({a}):\n    best = {a}[0]\n    for x in {a}:\n        if x < best:\n            best = x\n    return best",
     "assert largest([1, {n}, 2]) == {n}\nassert largest([5, 4]) == 5", "assert largest([1, 9, 3]) == 9"),
    ("def count({a}):\n    n = 1\n    for x in {a}:\n        n += 1\n    return n", "assert count([5, 6]) == 2\nassert count([]) == 0",
     "assert count([1, 2, 3]) == 3"),
    ("{a} = {{'one': 1, 'three': {n}}}", "print({a}['thre'])", "assert {a}['three'] == {n}"),
    ("def power({a}, k):\n    out = 0\n    for _ in range(k):\n        out *= {a}\n    return out",
     "assert power(2, 3) == 8\nassert power({n}, 1) == {n}", "assert power(3, 2) == 9"),
    ("import random\nrandom.seed({n})\n{a} = [random.random() for _ in range(5)]", "best = mx({a})\nassert best == sorted({a})[-1]", ""),
    ("def is_even({a}):\n    return {a} % 2 == 1", "assert is_even(4)\nassert not is_even(3)", "assert is_even({n} * 2)"),
    ("{a} = '1{n}'", "total = {a} + 1\nassert total == 1{n} + 1", ""),
    ("class Account:\n    def __init__(self, {a}):\n        self.{a} = {a}\n    def pay(amount):\n        return amount",
     "assert Account({n}).pay(3) == 3", "assert Account(1).pay(4) == 4"),
    ("def middle({a}):\n    return sorted({a})[len({a}) // 2 - 1]", "assert middle([3, 1, {n}]) == 3\nassert middle([1, 2, 3, 4, 5]) == 3",
     "assert middle([9, 5, 7]) == 7"),
    ("def f({a}):\n    return {a} * {n}", "print f(2)", "assert f(2) == {n} * 2"),
    ("def evens({a}):\n    return [x for x in {a} if x % 2 != 0]", "assert evens([1, 2, 3, 4]) == [2, 4]\nassert evens([]) == []",
     "assert evens([5, 6]) == [6]"),
    ("{a} = {{'x', 'y'}}\nn = {n}", "assert len({a}) == 2\nprint('size ' + len({a}))", ""),
    ("def total({a}):\n    s = 0\n    for i in range(1, len({a})):\n        s += {a}[i]\n    return s",
     "assert total([1, 2, 3]) == 6\nassert total([{n}]) == {n}", "assert total([2, 2]) == 4"),
    ("import statistics", "middle = statistics.maen([1, {n}])\nassert middle == (1 + {n}) / 2", ""),
    ("import random\ndef spread({a}):\n    return max({a}) + min({a})", ("data = [random.random() for _ in range(9)]\n"
     "assert abs(spread(data) - (max(data) - min(data))) < 1e-9\nassert spread([1, {n}]) == {n} - 1"),
     "assert spread([5, 9]) == 4"),
]  # fmt: skip

WORDS = ("amber", "birch", "coral", "delta", "ember", "fjord", "grove", "heron", "ivory", "jetty")
NAMES = ("values", "rows", "items", "scores", "parts")


def make_samples() -> Iterator[Sample]:
    """The sixty notebooks: equal in every run of this program."""
    for kind, templates in (("chance", CHANCE), ("order", ORDER), ("always", ALWAYS)):
        for at, template in enumerate(templates):
            name = NAMES[at % len(NAMES)]
            words = sorted(WORDS[(at + k * 3) % len(WORDS)] for k in range(2 + at % 2))
            given = {
                "a": name,
                "A": name.title(),
                "n": 4 + at % 4,
                "w": ", ".join(map(repr, words)),
                "w0": repr(words[0]),
            }
            texts = [text.format(**given) for text in template]
            check = texts.pop() if kind == "always" else ""
            yield Sample(f"{kind}-{at + 1:02}", kind, tuple(texts), check)


# --- healing and judging --------------------------------------------------------------------------------------------


def write_notebook(sample: Sample, path: Path) -> None:
    """The sample as a notebook file."""
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
        for n, text in enumerate(sample.cells)
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "utf-8")


def count_failures(cells: tuple[str, ...], times: int) -> int:
    """In how many of so many runs, each under another hash seed, the cells fail."""
    program = "\n".join(f"exec(compile({text!r}, 'cell', 'exec'))" for text in cells)
    failures = 0
    for seed in range(times):
        environment = {**os.environ, "PYTHONHASHSEED": str(100 + seed)}
        ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
        failures += ran.returncode != 0
    return failures


def heal_once(sample: Sample, folder: Path, judge: int, open_session: Callable[[], object]) -> Result:
    """Heal one sample, and judge what was applied."""
    from jupyter_selfheal.surfaces.notebook.read import read
    from jupyter_selfheal.surfaces.notebook.run import Batch

    path = folder / f"{sample.name}.ipynb"
    write_notebook(sample, path)
    began = time.monotonic()
    with open_session() as session:  # type: ignore[attr-defined]
        document = session.choose_kernel_for(read(path))
        report, _ = Batch(document, session.build_dependencies(document), session.limits).run()
    seconds = time.monotonic() - began
    healed = tuple(c.source for c in report.healed.cells if c.kind == "code")
    changed = bool(report.fixes)
    statuses = [str(r.status.value) for r in report.records]
    diagnosis = next((r.diagnosis for r in report.records if r.failure), None)
    reason = getattr(diagnosis, "skip_reason", None)
    return Result(
        sample.name,
        sample.kind,
        failed=any(s != "ran" for s in statuses),
        titles=report.fixes,
        before=count_failures(sample.cells, judge) if changed else -1,
        after=count_failures((*healed, sample.check), judge) if changed else -1,
        said=f"{'/'.join(sorted(set(statuses) - {'ran'}))}{f' ({reason})' if reason else ''}",
        seconds=round(seconds, 1),
    )


def record(results: list[Result], script: Script) -> None:
    """Keep the counts of each kind."""
    for kind, words in KINDS.items():
        of_kind = [r for r in results if r.kind == kind]
        if not of_kind:
            continue
        changed = [r for r in of_kind if r.titles]
        add = functools.partial(script.add, "notebooks", f"{len({r.name for r in of_kind})}, {words}")
        add("heals", len(of_kind))
        add("in which a cell failed", sum(r.failed for r in of_kind))
        add("changed", len(changed))
        add("of them by luck", sum(r.after > 0 for r in changed))
        add("healed", sum(r.after == 0 for r in changed))
        add("named flaky", sum("flaky" in r.said for r in of_kind))
        add("median s", [r.seconds for r in of_kind], digits=1)


def read_results(path: Path | None) -> list[tuple[int, Result]]:
    """The single results that were kept, each with the number of its run."""
    if path is None or not path.exists():
        return []
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return [(line.pop("run"), Result(**{**line, "titles": tuple(line["titles"])})) for line in lines]


NOTE = "Own small notebooks, healed offline without the memory. A changed notebook is judged by running it in plain Python under other hash seeds; *by luck*: it still fails in one of these runs."


def main() -> None:
    """Heal all of them, print each result as it comes, and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="how often each notebook is healed")
    parser.add_argument("--judge", type=int, default=40, help="how often an applied change is judged")
    parser.add_argument("--only", choices=sorted(KINDS), help="only notebooks of this kind")
    parser.add_argument("--name", help="only the notebook of this name")
    parser.add_argument("--results", type=Path, help="keep single results there, and go on with those that it holds")
    parser.add_argument("--rows", type=Path, default=FOLDER / "flaky.jsonl")
    options = parser.parse_args()
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.surfaces.notebook.session import Session
    from jupyter_selfheal.surfaces.notebook.settings import Settings

    settings = Settings(HealConfig(offline=True, memory=False, timeout=10.0), cell_seconds=20.0)
    script = Script(
        "What fails by chance", NOTE, f"python benchmarks/flaky.py --runs {options.runs} --judge {options.judge}"
    )
    done = read_results(options.results)
    known = {(number, result.name) for number, result in done}
    results = [result for _, result in done]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUPYTER_DATA_DIR"] = folder  # the journals of these heals are nobody's
        for number, sample in itertools.product(range(options.runs), make_samples()):
            if (options.only or sample.kind) != sample.kind or (options.name or sample.name) != sample.name:
                continue
            if (number, sample.name) in known:
                continue
            result = heal_once(sample, Path(folder), options.judge, lambda: Session(settings))
            results.append(result)
            line = json.dumps({"run": number, **asdict(result)})
            print(line, flush=True)
            if options.results:
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
    record(results, script)
    print(format_script(script.write(options.rows)))


if __name__ == "__main__":
    main()
