"""The rules as a healer: loading, order, repeats, third parties, faults of a rule."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.healers.rules import _docs, healer
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.healer import RulesHealer, load_rules
from jupyter_selfheal.healers.triage.diagnoser import Triage
from jupyter_selfheal.model import Applicability, Attempt, Patch, Replace
from jupyter_selfheal.testing.rule_conformance import Bench

ROOT = Path(__file__).parents[3]


class Doubling(Rule):
    """Write the cell's number twice.

    **Failure** any. **Fix** none. **Fix safety** none.
    """

    code = "EXT101"
    name = "doubling"
    why = "for tests"

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for prior in (0.2, 0.9):
            text = f"{context.failure.source}\n{prior}"
            yield self.patch((Replace(context.failure.cell_id, context.failure.source, text),), "t", "c", prior=prior)


class Faulty(Doubling):
    """Raise.

    **Failure** any. **Fix** none. **Fix safety** none.
    """

    code = "EXT102"

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        raise ZeroDivisionError("a bug")
        yield


def test_no_fix_is_safe_beside_a_name_whose_value_can_do_what_is_asked(bench: Bench) -> None:
    """`name += "Cleo"` stands for `name.append("Cleo")` unless there is a list called `names`."""
    for names, safe in (("places", True), ("names", False)):
        broken = bench.fail(f"{names}, name = ['Ann'], 'Ben'", "name.append('Cleo')")
        answer = RulesHealer().propose(broken.case, broken.starts, broken.facts, ())
        text = next(p for p in answer.patches if "+=" in p.title)
        assert (text.applicability is Applicability.SAFE) is safe
        assert (answer.patches[0] is text) is safe, [p.title for p in answer.patches]


def test_patches_come_by_prior_and_what_was_tried_comes_not_again(bench: Bench) -> None:
    broken = bench.fail("1 / 0")
    rules = RulesHealer([Doubling()])
    first = rules.propose(broken.case, broken.starts, broken.facts, ())
    assert [p.prior for p in first.patches] == [0.9, 0.2]
    again = rules.propose(broken.case, broken.starts, broken.facts, (Attempt(first.patches[0]),))
    assert again.patches == first.patches[1:]
    assert again.exhausted


def test_a_rule_is_asked_once_about_a_failure_by_whoever_asks(bench: Bench) -> None:
    asked = []

    class Counted(Doubling):
        """Count."""

        def propose(self, context: RuleContext) -> Iterator[Patch]:
            asked.append(context.failure.headline)
            yield from super().propose(context)

    broken = bench.fail("open('/nowhere/at/all.csv')")
    rules = RulesHealer([Counted()])
    Triage(rules).diagnose(broken.case, broken.facts)
    for history in ((), (Attempt(rules.propose(broken.case, broken.starts, broken.facts, ()).patches[0]),)):
        rules.propose(broken.case, broken.starts, broken.facts, history)
    assert len(asked) == 1
    other = bench.fail("1 / 0")
    rules.propose(other.case, other.starts, other.facts, ())
    assert len(asked) == 2


def test_the_engine_gives_triage_the_rules_of_the_heal() -> None:
    rules = RulesHealer([])
    triage = engine.build_diagnoser((rules,))
    assert isinstance(triage, Triage)
    assert triage._rules is rules


def test_a_faulty_rule_is_named_and_the_others_go_on(bench: Bench) -> None:
    broken = bench.fail("1 / 0")
    answer = RulesHealer([Faulty(), Doubling()]).propose(broken.case, broken.starts, broken.facts, ())
    assert len(answer.patches) == 2
    assert "EXT102 failed (ZeroDivisionError: a bug)" in answer.note


def test_a_patch_that_does_not_compile_is_never_proposed(bench: Bench) -> None:
    class Broken(Doubling):
        """Break the cell."""

        def propose(self, context: RuleContext) -> Iterator[Patch]:
            yield self.patch((Replace(context.failure.cell_id, context.failure.source, "1 +"),), "t", "c")

    broken = bench.fail("1 / 0")
    assert RulesHealer([Broken()]).propose(broken.case, broken.starts, broken.facts, ()).patches == ()


def test_every_file_of_the_folder_is_a_rule_and_no_list_names_it() -> None:
    folder = Path(healer.__file__).parent
    files = {p.stem for p in folder.glob("*.py")} - {"__init__", "healer", "_docs"}
    shipped = [r for r in load_rules() if type(r).__module__.startswith(f"{healer.__package__}.")]
    assert {type(r).__module__.rpartition(".")[2] for r in shipped} == files
    assert len({r.code for r in shipped}) == len(shipped)
    assert [(r.stage, r.code) for r in shipped] == sorted((r.stage, r.code) for r in shipped)
    assert all(isinstance(r.applicability, Applicability) for r in shipped)


def test_the_healer_imports_no_rule_before_a_failure() -> None:
    code = "import sys; import jupyter_selfheal.healers.rules.healer; print([m for m in sys.modules if 'missing_import' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_the_documentation_is_what_the_docstrings_say() -> None:
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == _docs.page(), (
        "run: python -m jupyter_selfheal.healers.rules._docs > docs/rules.md"
    )


def test_one_rule_is_explained_and_an_unknown_one_is_a_usage_error() -> None:
    assert "defining cell was not run" in _docs.explain()
    assert "**Fix safety**" in _docs.explain("sta101")
    with pytest.raises(UsageError, match="XYZ999"):
        _docs.explain("XYZ999")
