"""What every rule must satisfy, for ours and for third parties', and the tools to test one.

A rule has a folder ``CODE/`` of notebooks: ``broken*.ipynb`` whose first failing cell it heals, each with the
``healed*.ipynb`` that its first patch must give, and ``silent*.ipynb``, near-misses on which it must propose nothing. Files
that the cells read lie beside them. A cell tagged ``not-run`` is in the notebook and was not run.

    from jupyter_selfheal.testing.rule_conformance import check_rule
    def test_my_rule(): check_rule(MyRule(), Path("tests/golden/MY101"))
"""

from __future__ import annotations

import contextlib
import difflib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.facts import KernelFacts
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules.healer import RulesHealer, load_rules
from jupyter_selfheal.model import (
    BASELINE,
    Case,
    Cell,
    Failure,
    FailureKind,
    Insert,
    Install,
    Keep,
    Move,
    Notebook,
    Output,
    Patch,
    Replace,
    Run,
    RunCells,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import Starts, TrialKernel
from jupyter_selfheal.testing.fake_kernel import FakeKernel

NOT_RUN = "not-run"
SECTIONS = ("Failure", "Fix", "Fix safety")
SECONDS = 60.0


# --- notebooks ----------------------------------------------------------------------------------------------------


def notebook_of(cells: Sequence[str | Cell], folder: Path | str = "") -> Notebook:
    """A notebook of code cells ``c1``, ``c2`` …; a source that begins with ``# not run`` is tagged so."""
    found = []
    for n, cell in enumerate(cells, 1):
        if isinstance(cell, str):
            cell = Cell(f"c{n}", cell, tags=(NOT_RUN,) if cell.startswith("# not run") else ())
        found.append(cell)
    return Notebook(tuple(found), folder=str(folder))


def read_notebook(path: Path) -> Notebook:
    """The notebook of a fixture."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    cells = []
    for n, c in enumerate(raw["cells"], 1):
        text = c["source"]
        cells.append(
            Cell(
                id=c.get("id") or f"c{n}",
                source=text if isinstance(text, str) else "".join(text),
                kind=c["cell_type"],
                tags=tuple(c["metadata"].get("tags", ())),
                outputs=tuple(Output.from_nbformat(o) for o in c.get("outputs", ())),
            )
        )
    return Notebook(tuple(cells), path=str(path), folder=str(path.parent))


def write_notebook(path: Path, notebook: Notebook) -> None:
    """Write a fixture: nbformat 4.5, no outputs but those that the cells hold."""
    cells = [
        {
            "cell_type": c.kind,
            "id": c.id,
            "metadata": {"tags": list(c.tags)} if c.tags else {},
            "source": c.source.splitlines(keepends=True),
            **({"execution_count": None, "outputs": [o.to_nbformat() for o in c.outputs]} if c.kind == "code" else {}),
        }
        for c in notebook.cells
    ]
    raw = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def patched(notebook: Notebook, patch: Patch) -> Notebook:
    """The notebook after the source edits of a patch (RunCells: the cells have run; Install changes nothing)."""
    cells = list(notebook.cells)
    for edit in patch.edits:
        at = {c.id: n for n, c in enumerate(cells)}
        if isinstance(edit, Replace):
            if cells[at[edit.cell_id]].source != edit.old:
                raise AssertionError(f"the patch expects another source in cell {edit.cell_id}")
            cells[at[edit.cell_id]] = replace(cells[at[edit.cell_id]], source=edit.source)
        elif isinstance(edit, Insert):
            cells.insert(at[edit.before], Cell(edit.cell_id, edit.source))
        elif isinstance(edit, Move):
            moved = cells.pop(at[edit.cell_id])
            before = next(n for n, c in enumerate(cells) if c.id == edit.before)
            cells.insert(before, replace(moved, tags=tuple(t for t in moved.tags if t != NOT_RUN)))
        elif isinstance(edit, RunCells):
            cells = [
                replace(c, tags=tuple(t for t in c.tags if t != NOT_RUN)) if c.id in edit.cell_ids else c for c in cells
            ]
    return replace(notebook, cells=tuple(cells))


# --- failing cells ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Broken:
    """A notebook that was run up to its first failing cell, with the states before and after that cell."""

    case: Case
    starts: Starts
    facts: KernelFacts

    @property
    def scene(self) -> Scene:
        return Scene(self.case, self.facts)

    def patches(self, *rules: Rule) -> tuple[Patch, ...]:
        """What the rules (all if none are given) propose."""
        with _inside(self.case.notebook.folder):
            answer = RulesHealer(rules or None).propose(self.case, self.starts, self.facts, ())
        if answer.note:
            raise AssertionError(answer.note)
        return answer.patches

    def healed(self, patch: Patch) -> Notebook:
        """The notebook after the patch."""
        return patched(self.case.notebook, patch)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Work in a folder; what the cells put on the path, and imported from there, is undone."""
    path, loaded = list(sys.path), set(sys.modules)
    with contextlib.chdir(folder or "."):
        try:
            yield
        finally:
            home = str(Path.cwd())
            sys.path[:] = path
            for name in set(sys.modules) - loaded:
                if folder and str(Path(getattr(sys.modules[name], "__file__", None) or "/").absolute()).startswith(
                    home
                ):
                    del sys.modules[name]
            for entry in [e for e in sys.path_importer_cache if not Path(e).is_absolute()]:
                del sys.path_importer_cache[entry]


def first_failure(notebook: Notebook, kernel: TrialKernel | None = None) -> Broken | None:
    """Run the code cells in order in the notebook's folder until one fails; None if none does.

    ``kernel`` is a state to begin from (default: an empty :class:`FakeKernel`).
    """
    state: TrialKernel = kernel or FakeKernel()
    cells = list(notebook.cells)
    with _inside(notebook.folder):
        for n, cell in enumerate(cells):
            if cell.kind != "code" or NOT_RUN in cell.tags:
                continue
            trial, after = state.run(TrialRequest((Run(cell.source, cell.id),), timeout=SECONDS, keep=Keep.ALWAYS))
            if trial.ran:
                cells[n] = replace(cell, runs=n + 1)
                assert after is not None
                state = after
                continue
            known = replace(notebook, cells=tuple(cells))
            case = Case(failure=_failure(cell, trial), notebook=known)
            starts = Starts(before=(state,), after=(after,) if after is not None else ())
            return Broken(case, starts, KernelFacts.of(starts, case.failure))
    return None


def _failure(cell: Cell, trial: Trial) -> Failure:
    result = trial.steps[0]
    if not result.errors:
        return Failure(cell.id, cell.source, FailureKind.TIMED_OUT, outputs=result.outputs, seconds=result.seconds)
    error = result.errors[0]
    return Failure(
        cell_id=cell.id,
        source=cell.source,
        kind=FailureKind.SYNTAX if error.before_exec else FailureKind.RAISED,
        ename=error.ename,
        evalue=error.evalue,
        line=error.line,
        statement=error.statement,
        frames=error.frames,
        traceback=error.traceback,
        outputs=result.outputs,
        seconds=result.seconds,
    )


def gets_past(notebook: Notebook, cell_id: str) -> bool:
    """True where the notebook runs without error up to and including a cell."""
    at = notebook.index(cell_id)
    return first_failure(replace(notebook, cells=notebook.cells[: at + 1])) is None


# --- the suite ----------------------------------------------------------------------------------------------------


def check_rule(rule: Rule, folder: Path) -> None:
    """Raise AssertionError, saying what is wrong, unless the rule is well-formed and its fixtures hold."""
    check_form(rule)
    broken = sorted(folder.glob("broken*.ipynb"))
    assert broken, f"{rule.code} has no {folder}/broken.ipynb"
    for path in broken:
        check_heals(rule, path, path.with_name(path.name.replace("broken", "healed")))
    silent = sorted(folder.glob("silent*.ipynb"))
    assert silent, f"{rule.code} has no near-miss {folder}/silent*.ipynb"
    for path in silent:
        check_silent(rule, path)


def check_form(rule: Rule) -> None:
    """Code, name, docstring sections and reasons are there."""
    assert rule.code[:-3].isalpha(), f"{rule.code}: the code is letters and three digits"
    assert rule.code[:-3].isupper(), f"{rule.code}: the code's letters are capitals"
    assert rule.code[-3:].isdigit(), f"{rule.code}: the code is letters and three digits"
    assert rule.name, f"{rule.code} has no name"
    text = type(rule).__doc__ or ""
    assert text.strip().splitlines()[0].endswith("."), f"{rule.code}: the docstring's first line is a sentence"
    for section in SECTIONS:
        assert f"**{section}**" in text, f"{rule.code}: the docstring has no section **{section}**"
    assert rule.why, f"{rule.code} does not say why its patches are as safe as it says"


def check_heals(rule: Rule, path: Path, healed: Path) -> None:
    """The rule's first patch turns the broken notebook into the healed one, and that one gets past the failure."""
    broken = first_failure(read_notebook(path))
    assert broken is not None, f"{path} does not fail"
    patches = broken.patches(rule)
    assert patches, f"{rule.code} proposes nothing for {path}: {broken.case.failure.headline}"
    for patch in patches:
        check_patch(rule, broken, patch)
    after = broken.healed(patches[0])
    wanted = read_notebook(healed)
    assert [c.source for c in after.cells] == [c.source for c in wanted.cells], _difference(wanted, after)
    if not any(isinstance(e, Install) for e in patches[0].edits):
        cell_id = broken.case.failure.cell_id
        assert gets_past(after, cell_id), f"{rule.code}: {path} still fails after {patches[0].title!r}"


def check_patch(rule: Rule, broken: Broken, patch: Patch) -> None:
    """A patch is signed, argued, compiles, and deletes no statement of the failing cell unless it says so."""
    assert patch.rule == rule.code, f"{rule.code}: the patch is signed {patch.rule!r}"
    assert patch.title, f"{rule.code}: a patch without a title"
    assert patch.cause, f"{rule.code}: a patch without a cause"
    assert patch.why, f"{rule.code}: a patch without a reason for its applicability"
    assert not patch.is_empty, f"{rule.code}: an empty patch"
    for edit in patch.edits:
        if isinstance(edit, Replace | Insert):
            assert src.compiles(edit.source), f"{rule.code}: the result does not compile:\n{edit.source}"
        if isinstance(edit, Replace) and not patch.removes and src.compiles(edit.old):
            before, after = len(src.statements(edit.old)), len(src.statements(edit.source))
            assert after >= before, f"{rule.code} deletes a statement:\n{edit.old}\n→\n{edit.source}"


def check_silent(rule: Rule, path: Path) -> None:
    """The rule proposes nothing for a near-miss, which does fail."""
    broken = first_failure(read_notebook(path))
    assert broken is not None, f"{path} does not fail, so that it is no near-miss"
    patches = broken.patches(rule)
    assert not patches, f"{rule.code} must stay silent on {path}, but says {patches[0].title!r}"


def _difference(wanted: Notebook, found: Notebook) -> str:
    def text(n: Notebook) -> list[str]:
        return "\n# ---\n".join(c.source for c in n.cells).splitlines()

    return "\n".join(difflib.unified_diff(text(wanted), text(found), "healed.ipynb", "the patch", lineterm=""))


# --- for unit tests of a rule -----------------------------------------------------------------------------------


class Bench:
    """One temporary folder in which notebooks are run; ``bench.put("data.csv", "a,b")`` adds a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def fail(self, *cells: str) -> Broken:
        """The notebook of these cells (``# not run`` first: there, but not run) at its first failure."""
        broken = first_failure(notebook_of(cells, self.folder))
        assert broken is not None, "the notebook does not fail"
        return broken

    def patches(self, code: str, *cells: str) -> tuple[Patch, ...]:
        """What one rule proposes."""
        return self.fail(*cells).patches(*(r for r in load_rules() if r.code == code))

    def healed(self, code: str, *cells: str, runs: bool = True) -> list[str]:
        """The cells' sources after the rule's first patch, which is checked for form and (``runs``) for running."""
        broken = self.fail(*cells)
        rule = next(r for r in load_rules() if r.code == code)
        patches = broken.patches(rule)
        assert patches, f"{code} proposes nothing for {broken.case.failure.headline}"
        check_patch(rule, broken, patches[0])
        after = broken.healed(patches[0])
        assert not runs or gets_past(after, broken.case.failure.cell_id), (
            f"still fails after {patches[0].title}: {after}"
        )
        return [c.source for c in after.cells]

    def silent(self, code: str, *cells: str) -> bool:
        """True where the rule proposes nothing."""
        return not self.patches(code, *cells)


# --- writing fixtures ---------------------------------------------------------------------------------------------


def write_fixtures(
    rule: Rule,
    folder: Path,
    broken: Mapping[str, Sequence[str]],
    silent: Mapping[str, Sequence[str]],
    files: Mapping[str, str | bytes] = {},
) -> str:
    """Write ``folder/broken<name>.ipynb``, what the rule makes of each, and ``silent<name>.ipynb``; return the diffs.

    For authors: read the diffs before committing what they say. ``broken`` and ``silent`` map a suffix (may be empty)
    to the sources of the cells.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    said = []
    for suffix, cells in broken.items():
        path = folder / f"broken{suffix}.ipynb"
        write_notebook(path, notebook_of(cells, folder))
        failed = first_failure(read_notebook(path))
        assert failed is not None, f"{path} does not fail"
        patch = next(iter(failed.patches(rule)), BASELINE)
        after = failed.healed(patch)
        write_notebook(folder / f"healed{suffix}.ipynb", after)
        head = f"{path.name}: {failed.case.failure.headline}\n   {patch.title} [{patch.applicability.name}]"
        said.append(head + "\n" + _difference(failed.case.notebook, after))
    for suffix, cells in silent.items():
        write_notebook(folder / f"silent{suffix}.ipynb", notebook_of(cells, folder))
        check_silent(rule, folder / f"silent{suffix}.ipynb")
    return "\n".join(said)


__all__ = [
    "Bench",
    "Broken",
    "check_form",
    "check_heals",
    "check_patch",
    "check_rule",
    "check_silent",
    "first_failure",
    "gets_past",
    "notebook_of",
    "patched",
    "read_notebook",
    "write_fixtures",
    "write_notebook",
]
