"""The gallery's pages: each notebook of ``gallery/sources`` is healed when the site is built, and what comes of it is checked.

A result is kept beside the site under a hash of the notebook, of this package's source and of the libraries it ran with, so that a
page shows what this code does with these libraries. Where the result is not as the source says it (``[becomes]`` for what a cell must
become, ``{"outcome": …}`` for what must come of it), the build fails.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import jupyter_selfheal
from jupyter_selfheal.testing.text_notebook import TextCell, TextNotebook, parse_notebook

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "docs" / "gallery" / "sources"
KEPT = ROOT / "docs" / "_build" / "gallery"
LIBRARIES = ("ipykernel", "ipython", "matplotlib", "numpy", "pandas", "scikit-learn", "scipy")
OPTIONS = ("--offline", "--healers", "rules,search", "--review", "--no-cache", "--jobs", "2", "-q")
WORDS = {
    "healed": "Healed",
    "proposed": "Offered, not applied",
    "left alone": "Left alone",
    "not healed": "Not healed",
    "meant to fail": "Meant to fail",
    "cascade": "Follows from another failure",
}


class GalleryError(Exception):
    """What healing did is not what the gallery's sources say; correct the product, or the source where it is wrong."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One notebook of the gallery: its ``name``, its ``text`` as written, its report and the cells of the healed notebook."""

    name: str
    text: TextNotebook
    report: Mapping[str, Any]
    healed: Mapping[str, Mapping[str, Any]]

    @property
    def title(self) -> str:
        """The notebook's own first heading."""
        return self.text.cells[0].source.partition("\n")[0].removeprefix("# ")


# --- healing ----------------------------------------------------------------------------------------------------------


def write_gallery(folder: Path) -> None:
    """Heal what has no kept result, check all, and write the pages. Raises ``GalleryError`` where a result is not as expected."""
    exhibits = heal_sources()
    if wrong := [line for exhibit in exhibits for line in list_differences(exhibit)]:
        raise GalleryError("The gallery is not as its sources say:\n  " + "\n  ".join(wrong))
    for exhibit in exhibits:
        write_if_changed(folder / f"{exhibit.name}.md", format_page(exhibit, folder))
    write_if_changed(folder / "index.md", format_index(exhibits))


def heal_sources() -> list[Exhibit]:
    """Every notebook with its result, healed now where none is kept."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.txt"))}
    same = describe_surroundings()
    kept = {name: KEPT / hashlib.sha256((same + text).encode()).hexdigest()[:24] for name, text in texts.items()}
    if missing := {name: place for name, place in kept.items() if not (place / "report.json").exists()}:
        heal_notebooks({name: texts[name] for name in missing}, missing)
    return [read_exhibit(name, texts[name], kept[name]) for name in texts]


def describe_surroundings() -> str:
    """What a result depends on beside its notebook: this package's source, Python, and the libraries with their releases."""
    package = Path(jupyter_selfheal.__file__).parent
    digest = hashlib.sha256(" ".join(OPTIONS).encode())
    for path in sorted(p for kind in ("py", "toml") for p in package.rglob(f"*.{kind}")):
        digest.update(path.read_bytes())
    known = {d.metadata["Name"].lower(): d.version for d in distributions()}
    return json.dumps([digest.hexdigest(), sys.version, [(name, known.get(name)) for name in LIBRARIES]])


def heal_notebooks(texts: Mapping[str, str], places: Mapping[str, Path]) -> None:
    """Heal notebooks by the command line, as a user would, each in a folder of its own."""
    make_examples = runpy.run_path(str(ROOT / "examples" / "make_examples.py"))
    for name, text in texts.items():
        places[name].mkdir(parents=True, exist_ok=True)
        make_examples["write"](parse_notebook(text), places[name] / f"{name}.ipynb")
    report = KEPT / "report.json"
    command = [sys.executable, "-m", "jupyter_selfheal", "heal", *(str(places[n] / f"{n}.ipynb") for n in texts)]
    command += [*OPTIONS, "--report", str(report)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise GalleryError(f"the heal did not come to its end: {done.stdout}{done.stderr}")
    for found in json.loads(report.read_text(encoding="utf-8"))["notebooks"]:
        (places[Path(found["path"]).stem] / "report.json").write_text(json.dumps(found), encoding="utf-8")


def read_exhibit(name: str, text: str, place: Path) -> Exhibit:
    """A notebook with what is kept of its heal."""
    written = place / f"{name}.healed.ipynb"
    cells = json.loads((written if written.exists() else place / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    report = json.loads((place / "report.json").read_text(encoding="utf-8"))
    return Exhibit(name, parse_notebook(text), report, {cell["id"]: cell for cell in cells})


# --- what must come of it ---------------------------------------------------------------------------------------------


def list_differences(exhibit: Exhibit) -> Iterator[str]:
    """Each cell that did not become what the source says, or of which something else came."""
    for cell, becomes in zip(exhibit.text.cells, exhibit.text.healed, strict=True):
        if cell.kind != "code":
            continue
        here = f"{exhibit.name}, cell {cell.number}"
        source = "".join(exhibit.healed[find_id(cell)]["source"])
        if source != becomes.source:
            yield f"{here} became {source!r}, expected {becomes.source!r}"
        outcome, expected = find_row(exhibit, cell)["status"], list_outcomes(cell, becomes)
        if outcome not in expected:
            yield f"{here}: {outcome}, expected {' or '.join(expected)}"


def list_outcomes(cell: TextCell, becomes: TextCell) -> list[str]:
    """What may come of a cell: one outcome, several only where chance decides."""
    said = cell.settings.get("outcome")
    if isinstance(said, str):
        return [said]
    return [str(one) for one in said] if isinstance(said, list) else ["healed" if becomes != cell else "ran"]


def find_id(cell: TextCell) -> str:
    """The cell's id in the notebook that was healed."""
    return f"cell-{cell.number - 1:02d}"


def find_row(exhibit: Exhibit, cell: TextCell) -> Mapping[str, Any]:
    """What the report says of a cell."""
    return next(row for row in exhibit.report["cells"] if row["id"] == find_id(cell))


# --- pages ------------------------------------------------------------------------------------------------------------


def format_index(exhibits: Sequence[Exhibit]) -> str:
    """The list of all notebooks with what came of them."""
    parts = ["# Gallery", "", INTRODUCTION, "", "| notebook | what came of it |", "|---|---|"]
    parts += [f"| [{e.title}]({e.name}.md) | {e.report['summary']} |" for e in exhibits]
    return "\n".join([*parts, "", "```{toctree}", ":hidden:", "", *(e.name for e in exhibits), "```", ""])


INTRODUCTION = """Notebooks as people have them, with the faults that people have: what fails, what it becomes, and what is left to you. Each was
healed by the command line when this site was built, offline, without a language model; a build in which anything else comes of a
cell fails."""


def format_page(exhibit: Exhibit, folder: Path) -> str:
    """One notebook: its cells with what became of each, and the report."""
    title, _, intro = exhibit.text.cells[0].source.partition("\n")
    parts = [title, "", intro.strip(), "", f"**{exhibit.report['summary']}.** {describe_clean_run(exhibit)}", ""]
    for cell in exhibit.text.cells[1:]:
        parts += [cell.source, ""] if cell.kind == "markdown" else format_cell(exhibit, cell, folder)
    return "\n".join([*parts, *format_report(exhibit)])


def describe_clean_run(exhibit: Exhibit) -> str:
    """What the last run in a clean kernel showed."""
    if not any(row["status"] == "healed" for row in exhibit.report["cells"]):
        return "Nothing was changed."
    return "What is healed holds in a clean kernel."


def format_cell(exhibit: Exhibit, cell: TextCell, folder: Path) -> list[str]:
    """A cell of code: as it was or its change, its failure, why, and its outputs."""
    healed = exhibit.healed[find_id(cell)]
    row = find_row(exhibit, cell)
    lines: list[str] = []
    if row["failure"]:
        lines += ["```{code-block} text", ":class: failure", "", shorten_message(row["failure"]), "```", ""]
    source = "".join(healed["source"])
    shown = ("diff", format_change(cell.source, source)) if source != cell.source else (find_language(source), source)
    code = [f"```{shown[0]}", shown[1], "```", ""]
    return [*code, *lines, *format_words(row), *format_outputs(exhibit.name, healed, row, folder)]


def find_language(source: str) -> str:
    """IPython's colours; plain text where the cell does not parse."""
    try:
        compile(re.sub(r"(?m)^\s*[%!].*$", "", source), "cell", "exec")
    except SyntaxError:
        return "text"
    return "python"


def format_change(before: str, after: str) -> str:
    """The whole cell as a diff."""
    import difflib

    old, new = before.splitlines(), after.splitlines()
    return "\n".join([*difflib.unified_diff(old, new, lineterm="", n=len(old) + len(new))][3:])


def format_words(row: Mapping[str, Any]) -> list[str]:
    """What came of a failing cell and why, in a box."""
    if row["status"] not in WORDS:
        return []
    kind = {"healed": "tip", "proposed": "note"}.get(row["status"], "attention")
    return [f"```{{admonition}} {WORDS[row['status']]}", f":class: {kind}", "", *list_words(row), "```", ""]


def list_words(row: Mapping[str, Any]) -> Iterator[str]:
    """The sentences of the box."""
    fix = row["fix"]
    if fix and row["status"] == "proposed":
        yield from [row["cause"], "", *("    " + line for line in fix["diff"].splitlines()[1:]), "", row["detail"]]
    elif fix:
        yield f"{_join_sentences(row['cause'], fix['title'])} Score {fix['score']:g} of 10, proven from {' and '.join(fix['proven_from'])}"
        yield f"({fix['rule'] or fix['healer']})."
    elif row["status"] == "cascade":
        yield f"Cell {row['cascade_of']} failed before it."
    else:
        yield _join_sentences(row["cause"], row["detail"]) or "The cell is tagged so."


def _join_sentences(*said: str) -> str:
    """The sentences one after the other; one that a later one says again, with more to it, is left out."""
    sentences = [text if text[-1] in ".?!" else f"{text}." for text in said if text]
    return " ".join(
        s for at, s in enumerate(sentences) if not any(later.startswith(s) for later in sentences[at + 1 :])
    )


def shorten_message(message: str) -> str:
    """A failure's message without the folders of the machine that built the site."""
    return re.sub(r"(?<![\w.])/[\w./+-]*?/(?=site-packages/)", "…/", message)


def format_outputs(name: str, cell: Mapping[str, Any], row: Mapping[str, Any], folder: Path) -> list[str]:
    """The cell's outputs in the healed notebook: pictures, tables, text. The failure of a cell that still fails is said above."""
    lines: list[str] = []
    for number, output in enumerate(cell["outputs"]):
        data = output.get("data", {})
        if "image/png" in data:
            path = folder / "images" / f"{name}-{cell['id']}-{number}.png"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(base64.b64decode("".join(data["image/png"])))
            lines += [f"![What cell {row['cell']} draws](images/{path.name})", ""]
        elif "text/html" in data:
            table = re.sub(r"<style.*?</style>", "", "".join(data["text/html"]), flags=re.DOTALL)
            lines += ["```{raw} html", f'<div class="output">{table}</div>', "```", ""]
        elif text := "".join(data.get("text/plain", output.get("text", ""))).rstrip():
            lines += ["```{code-block} text", ":class: output", "", text, "```", ""]
    return lines


def format_report(exhibit: Exhibit) -> list[str]:
    """The report's table, and what the review says of cells that run."""
    rows = [row for row in exhibit.report["cells"] if row["status"] != "ran"]
    lines = ["## The report", "", f"`jupyter selfheal heal {exhibit.name}.ipynb --offline --review`", ""]
    lines += ["| cell | outcome | failure | fix | score |", "|---|---|---|---|---|"]
    for row in rows:
        fix = row["fix"]
        cells = [
            row["cell"],
            row["status"],
            escape_text(shorten_message(row["failure"])),
            escape_text(fix["title"]) if fix else "",
            f"{fix['score']:g}" if fix else "",
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    doubts = [
        f"- Cell {d['cell']}, line {d['line']}: {escape_text(d['what'])} {escape_text(d['advice'])} ({d['code']})"
        for d in exhibit.report["doubts"]
    ]
    return [*lines, "", *(["Doubts about cells that run:", "", *doubts, ""] if doubts else [])]


def escape_text(text: str) -> str:
    """A text in a table, with nothing in it that Markdown reads but its code."""
    parts = re.split(r"(`[^`]*`)", text.replace("\n", " "))
    return "".join(
        p.replace("|", "\\|") if p[:1] == "`" else re.sub(r"([\\*_{}\[\]|$])", r"\\\1", html.escape(p, quote=False))
        for p in parts
    )


def write_if_changed(path: Path, text: str) -> None:
    """Write a page unless it is as it was, so that Sphinx does not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
