"""What every rule must satisfy, for ours and for third parties', and the tools to test one.

A rule has one text file of examples (the form: :mod:`jupyter_selfheal.testing.text_notebook`). An example is a notebook
whose first failing cell the rule heals; ``[becomes]`` says what its first patch must make of a cell. A near miss, titled
``silent: …``, fails too, and the rule must propose nothing for it; the patch of one titled ``unsafe: …`` must not be called safe::

    === a misspelt key
    # %%
    prices = {"apple": 3}
    # %%
    prices["aple"]
    # %% [becomes]
    prices["apple"]

    === silent: nothing there is like it
    # %%
    {"apple": 3}["plum"]

The whole test of a rule, and one test an example::

    from jupyter_selfheal.testing.rule_conformance import check_example, check_rule, parse_file

    def test_my_rule(): check_rule(MyRule(), Path("tests/golden/MY101.txt"))

    @pytest.mark.parametrize("example", parse_file(Path("tests/golden/MY101.txt")), ids=lambda e: e.title)
    def test_each(example): check_example(MyRule(), example)
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Sequence
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.model import Applicability, Insert, Install, Patch, Replace
from jupyter_selfheal.testing.failing import Broken, find_first_failure, gets_past
from jupyter_selfheal.testing.fixtures import apply_and_run, build_notebook, format_difference
from jupyter_selfheal.testing.text_notebook import TextNotebook, parse_file

SECTIONS = ("Failure", "Fix", "Fix safety")

SILENT = "silent: "
"""Begins the title of a near miss."""
UNSAFE = "unsafe: "
"""Begins the title of an example that is only offered."""


# --- the suite ----------------------------------------------------------------------------------------------------


def check_rule(rule: Rule, path: Path) -> None:
    """Raise AssertionError, saying what is wrong, unless the rule is well-formed and its examples hold."""
    check_form(rule)
    examples = parse_file(path)
    check_examples(rule, examples)
    for example in examples:
        check_example(rule, example)


def check_examples(rule: Rule, examples: Sequence[TextNotebook]) -> None:
    """There is an example that the rule heals, and a near miss."""
    assert not all(is_near_miss(e) for e in examples), f"{rule.code} has no example that it heals"
    assert any(is_near_miss(e) for e in examples), f"{rule.code} has no near miss, titled {SILENT}…"


def is_near_miss(example: TextNotebook) -> bool:
    """True where the rule must propose nothing."""
    return example.title.startswith(SILENT)


def check_example(rule: Rule, example: TextNotebook) -> None:
    """Run the example in a temporary folder with its files: it is healed as it says, or, a near miss, left alone."""
    with tempfile.TemporaryDirectory() as folder:
        example.write_files(Path(folder))
        broken = find_first_failure(example.to_notebook(folder))
        assert broken is not None, f"{rule.code}: {example.title!r} does not fail"
        if is_near_miss(example):
            check_silent(rule, broken, example.title)
        else:
            check_heals(rule, broken, example)


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


def check_heals(rule: Rule, broken: Broken, example: TextNotebook) -> None:
    """The rule's first patch gives the healed notebook, which gets past the failure."""
    headline = broken.case.failure.headline
    patches = broken.propose_patches(rule)
    assert patches, f"{rule.code} proposes nothing for {example.title!r}: {headline}"
    if example.title.startswith(UNSAFE):
        assert patches[0].applicability is not Applicability.SAFE, f"{rule.code} calls {example.title!r} safe"
    for patch in patches:
        check_patch(rule, patch)
    after = broken.apply_patch(patches[0])
    expected = [(c.source, c.tags) for c in example.healed]
    assert [(c.source, c.tags) for c in after.cells] == expected, format_difference(
        [c.source for c in example.healed], after
    )
    installs = tuple(e.requirement for e in patches[0].edits if isinstance(e, Install))
    assert installs == example.installs, f"{rule.code} installs {installs} for {example.title!r}"
    if not installs:
        cell_id = broken.case.failure.cell_id
        assert gets_past(after, cell_id), f"{rule.code}: {example.title!r} still fails after {patches[0].title!r}"


def _count_statements(source: str) -> int:
    """Statements at every depth, without `pass`."""
    return sum(isinstance(n, ast.stmt) and not isinstance(n, ast.Pass) for n in src.walk(source))


def check_patch(rule: Rule, patch: Patch) -> None:
    """A patch is signed, argued, compiles, and deletes no statement of the failing cell unless it says so."""
    assert patch.rule == rule.code, f"{rule.code}: the patch is signed {patch.rule!r}"
    assert patch.title, f"{rule.code}: a patch without a title"
    assert patch.cause, f"{rule.code}: a patch without a cause"
    assert patch.why, f"{rule.code}: a patch without a reason for its applicability"
    assert not patch.is_empty, f"{rule.code}: an empty patch"
    for edit in patch.edits:
        if isinstance(edit, Replace | Insert):
            assert src.can_compile(edit.source), f"{rule.code}: the result does not compile:\n{edit.source}"
        if isinstance(edit, Replace) and not patch.removes and src.can_compile(edit.old):
            before, after = len(src.list_statements(edit.old)), len(src.list_statements(edit.source))
            inserted = sum(_count_statements(e.source) for e in patch.edits if isinstance(e, Insert))
            # into a block, or a cell of its own
            is_moved = _count_statements(edit.source) + inserted >= _count_statements(edit.old)
            assert after >= before or is_moved, f"{rule.code} deletes a statement:\n{edit.old}\n→\n{edit.source}"


def check_silent(rule: Rule, broken: Broken, title: str) -> None:
    """The rule proposes nothing."""
    patches = broken.propose_patches(rule)
    assert not patches, f"{rule.code} must stay silent on {title!r}, but says {patches[0].title!r}"


# --- for unit tests of a rule -----------------------------------------------------------------------------------


class Bench:
    """One temporary folder in which notebooks are run; ``bench.write_file("data.csv", "a,b")`` adds a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write_file(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def fail(self, *cells: str) -> Broken:
        """The notebook of these cells (``# not run`` first: there, but not run) at its first failure."""
        broken = find_first_failure(build_notebook(cells, self.folder))
        assert broken is not None, "the notebook does not fail"
        return broken

    def propose_patches(self, code: str, *cells: str) -> tuple[Patch, ...]:
        """What one rule proposes."""
        return self.fail(*cells).propose_patches(*(r for r in load_rules() if r.code == code))

    def heal(self, code: str, *cells: str, runs: bool = True) -> list[str]:
        """The cells' sources after the rule's first patch, which is checked for form and (``runs``) for running."""
        broken = self.fail(*cells)
        rule = next(r for r in load_rules() if r.code == code)
        patches = broken.propose_patches(rule)
        assert patches, f"{code} proposes nothing for {broken.case.failure.headline}"
        check_patch(rule, patches[0])
        after = broken.apply_patch(patches[0])
        assert not runs or gets_past(after, broken.case.failure.cell_id), (
            f"still fails after {patches[0].title}: {after}"
        )
        return [c.source for c in after.cells]

    def is_silent(self, code: str, *cells: str) -> bool:
        """True where the rule proposes nothing."""
        return not self.propose_patches(code, *cells)


__all__ = [
    "Bench",
    "Broken",
    "apply_and_run",
    "build_notebook",
    "check_example",
    "check_examples",
    "check_form",
    "check_heals",
    "check_patch",
    "check_rule",
    "check_silent",
    "find_first_failure",
    "gets_past",
    "parse_file",
]
