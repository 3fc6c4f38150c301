"""The notebooks that a list names: read the list, find the clones, take out what a notebook needs at its commit."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError

CELL_MARK = re.compile(r"^# In\[[ \d]*\]:\s*$", re.MULTILINE)
READ_FILE = re.compile(r"""\bread_(?!sql|gbq)\w+\(\s*r?(["'])([^"'\n{}%]+\.[A-Za-z]\w{0,7})\1\s*[,)]""")
"""A file that is read by a name which stands there whole: with an ending, and nothing filled in or put behind it."""
LISTS = {"aged": "143 notebooks of 18 repositories", "relancer": "51 Kaggle notebooks of Relancer"}
"""The shipped lists, each a file in the folder ``lists``, and what it names."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A notebook of a list. ``folders`` are what of its repository is needed; none where that is all of it."""

    repository: str
    commit: str
    path: str
    folders: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Repository and path."""
        return f"{self.repository}/{self.path}"


def find_list(name: str) -> Path:
    """The shipped list of a set."""
    return Path(str(files("jupyter_selfheal.surfaces.bench.notebooks"))) / "lists" / f"{name}.json"


def read_list(path: Path) -> list[Entry]:
    """The notebooks of a list, in its order. Raises UsageError for another file."""
    try:
        entries = [
            Entry(name, kept["commit"], notebook, tuple(f.format(parent=Path(notebook).parent.name) for f in kept.get("folders", ())))
            for name, kept in json.loads(path.read_text(encoding="utf-8"))["repositories"].items()
            for notebook in kept["notebooks"]
        ]  # fmt: skip
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is no list of notebooks ({error}): see docs/research.md") from error
    for entry in entries:
        if not re.fullmatch(r"[0-9a-f]{40}", entry.commit):
            raise UsageError(f"{path}: {entry.repository} has no commit of 40 hexadecimal digits")
    return entries


def choose_half(path: Path, entries: Sequence[Entry], half: str) -> list[Entry]:
    """The notebooks of a half, in the list's order: by name the first, third … are to ``tune`` on, the others to ``judge`` by; ``all`` of them.

    Raises UsageError for a half of a list that was developed on as a whole: it does not say ``"halves": true``.
    """
    if half == "all":
        return list(entries)
    if json.loads(path.read_text(encoding="utf-8")).get("halves") is not True:
        raise UsageError(f"{path.name} has no halves: all of it was developed on")
    by_name = sorted(entries, key=lambda entry: entry.name)
    kept = set(by_name[("tune", "judge").index(half) :: 2])
    return [entry for entry in entries if entry in kept]


def choose_entries(entries: Sequence[Entry], only: Sequence[str], sample: int, limit: int, seed: int) -> list[Entry]:
    """Those with one of the texts in their names; of them ``sample`` drawn by the seed, of them the first ``limit`` (0: all)."""
    chosen = [e for e in entries if not only or any(text in e.name for text in only)]
    if 0 < sample < len(chosen):
        chosen = sorted(random.Random(seed).sample(chosen, sample), key=chosen.index)
    return chosen[: limit or None]


def find_clone(sources: Path, repository: str) -> Path:
    """The clone of a repository below the folder of sources. Raises UsageError that says how to get it."""
    name = repository.replace("/", "+")
    for place in (sources / name / "repo", sources / name):
        if (place / "HEAD").exists() or (place / ".git").exists():
            return place
    raise UsageError(f"{sources} has no {name}: git clone https://github.com/{repository} {sources / name}")


def take_out(clone: Path, entry: Entry, folder: Path) -> list[str]:
    """Write what an entry needs of its commit into a folder. Returns what the clone names and does not hold (large files of a
    partial copy). Raises UsageError where it has not the commit."""
    listed = _ask_git(clone, entry, "ls-tree", "-r", "-z", entry.commit, entry.path, *entry.folders) if entry.folders else _ask_git(clone, entry, "ls-tree", "-r", "-z", entry.commit)  # fmt: skip
    blobs = {p: meta.split()[2] for meta, p in (line.split("\t", 1) for line in listed.split("\0") if line) if meta.split()[1] == "blob"}  # fmt: skip
    if entry.path not in blobs:
        raise UsageError(f"{entry.repository} has no {entry.path} at {entry.commit[:7]}: mend the list")
    told = _ask_git(clone, entry, "cat-file", "--batch-check", said="\n".join(blobs.values()) + "\n")
    missing = {line.split()[0] for line in told.splitlines() if line.endswith("missing")}
    for path, blob in blobs.items():
        if blob not in missing:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            data = subprocess.run(
                ["git", "-C", clone, "cat-file", "blob", blob], capture_output=True, check=True
            ).stdout
            (folder / path).write_bytes(data)
    if not entry.folders:
        _note_remote(folder, entry.repository)
    return sorted(path for path, blob in blobs.items() if blob in missing)


def _note_remote(folder: Path, repository: str) -> None:
    """Whose repository a folder is, as `git clone` leaves it: a user who has all of it has that too."""
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/master\n", encoding="utf-8")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://github.com/{repository}.git\n', encoding="utf-8")  # fmt: skip


def _ask_git(clone: Path, entry: Entry, *words: str, said: str | None = None) -> str:
    ran = subprocess.run(
        ["git", "-C", str(clone), *words], capture_output=True, text=True, input=said, env={**os.environ, "GIT_NO_LAZY_FETCH": "1"}, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise UsageError(f"{clone} does not hold {entry.repository} at {entry.commit[:7]}: git fetch there first")
    return ran.stdout


def list_absent_files(notebook: Path) -> list[str]:
    """What a notebook reads from its own folder of data (``…/input/NAME/``) or from beside itself, and what is not there.

    Only what is written down whole as the first argument of a call ``read_…``: no address, no query. A name that the notebook speaks of elsewhere
    too, it may write itself: ``to_csv("NAME")``, ``open("NAME", "w")``, ``%%writefile NAME``.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    sources = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    code = re.sub(r"#.*", "", "\n".join(sources))
    elsewhere = READ_FILE.sub("", code)
    read = dict.fromkeys(name for _, name in READ_FILE.findall(code) if "://" not in name)
    return [n for n in read if not (notebook.parent / n).exists() and Path(n).name not in elsewhere]


def place_notebook(folder: Path, path: str) -> Path:
    """Where the notebook of an entry is. A script becomes one, in a folder of its own name: Relancer's read their data three folders up."""
    source = folder / path
    if source.suffix == ".ipynb":
        return source
    made = source.with_suffix("") / f"{source.stem}.ipynb"
    made.parent.mkdir()
    made.write_text(json.dumps(convert_script(source.read_text(encoding="utf-8"))), encoding="utf-8")
    return made


def convert_script(text: str) -> dict[str, Any]:
    """A script of nbconvert's form as a notebook: each ``# In[ ]:`` begins a code cell; comments behind a blank line stay in it."""
    parts = [part.strip("\n") for part in CELL_MARK.split(text)[1:]]
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": part, "outputs": [], "execution_count": None}
        for n, part in enumerate(parts, 1)
        if part.strip()
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
