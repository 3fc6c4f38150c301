"""What every rule must satisfy, for ours and for third parties', and the tools to test one.

A rule has a folder ``CODE/`` of notebooks: ``broken*.ipynb`` whose first failing cell it heals, each with the
``healed*.ipynb`` that its first patch must give, and ``silent*.ipynb``, near-misses on which it must propose nothing. Files
that the cells read lie beside them. A cell tagged ``not-run`` is in the notebook and was not run.

    from jupyter_selfheal.testing.rule_conformance import check_rule
    def test_my_rule(): check_rule(MyRule(), Path("tests/golden/MY101"))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Rule
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.model import BASELINE, Insert, Install, Patch, Replace
from jupyter_selfheal.testing.failing import Broken, first_failure, gets_past
from jupyter_selfheal.testing.fixtures import difference, notebook_of, patched, read_notebook, write_notebook

SECTIONS = ("Failure", "Fix", "Fix safety")


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
    assert [c.source for c in after.cells] == [c.source for c in wanted.cells], difference(wanted, after)
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
        said.append(head + "\n" + difference(failed.case.notebook, after))
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
