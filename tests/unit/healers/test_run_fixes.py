"""What healed one notebook of a run is tried first in the next, and is worth no more than where it comes from."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.healers.memory.run_fixes import DAYS_KEPT, RunFixes, RunFixesHealer, ask_known_first
from jupyter_selfheal.model import Applicability, Case, Cell, Cost, Failure, Notebook, Patch, Replace
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.scripted import NoFacts

OLD, NEW = "def f(x):\n    return x - 1", "def f(x):\n    return x + 1"
CHECK = "assert f(1) == 2"


def fail(source: str, ename: str = "AssertionError") -> Failure:
    return Failure("c", source, ename=ename, line=1)


def ask(healer: RunFixesHealer, failure: Failure, *above: str) -> tuple[Patch, ...]:
    cells = (*(Cell(f"a{n}", source) for n, source in enumerate(above)), Cell("c", failure.source))
    return healer.propose(Case(failure, Notebook(cells)), Starts(), NoFacts(), ()).patches


class ScriptedRules:
    """Proposes the same patches for every failure."""

    name, paid = "rules", False

    def __init__(self, *patches: Patch) -> None:
        self.patches = patches

    def worst_case(self, case: object, history: object) -> Cost:
        return Cost()

    def propose(self, case: object, starts: object, facts: object, history: object) -> Answer:
        return Answer(self.patches)


@pytest.fixture
def known(tmp_path: Path) -> RunFixes:
    return RunFixes(tmp_path / "deep" / "abc.fixes")


def search_fix(old: str = OLD, new: str = NEW) -> Patch:
    return Patch((Replace("z9", old, new),), "`-` should be `+`", healer="search", why="it was likely")


def test_nothing_is_known_at_first_and_no_file_is_made(known: RunFixes) -> None:
    assert ask(RunFixesHealer(known), fail(CHECK), OLD) == ()
    assert not known.path.exists()


def test_what_a_search_found_is_proposed_for_the_same_cell_under_other_checks(known: RunFixes) -> None:
    known.add(fail("assert f(5) == 6"), search_fix(), "cell 3 of a.ipynb")
    (patch,) = ask(RunFixesHealer(known), fail(CHECK), "import os", OLD)
    assert patch.edits == (Replace("a1", OLD, NEW),)
    assert patch.healer == "search", "it is a guess here too, and is held to what guesses are"
    assert patch.applicability is Applicability.UNSAFE
    assert patch.why == "it was likely; the same fix healed cell 3 of a.ipynb"


@pytest.mark.parametrize("above", [(OLD.replace("x", "y"),), (OLD, OLD), ("import os",)])
def test_a_guess_is_not_carried_to_a_cell_that_is_not_the_same(known: RunFixes, above: tuple[str, ...]) -> None:
    known.add(fail(CHECK), search_fix(), "cell 3 of a.ipynb")
    assert ask(RunFixesHealer(known), fail(CHECK), *above) == ()


def test_a_models_fix_heals_a_renamed_copy_too(known: RunFixes) -> None:
    model = Patch((Replace("z", "out = df.append(row)", "out = pd.concat([df, row])"),), "Use concat",
                  healer="language_model", applicability=Applicability.SAFE)  # fmt: skip
    known.add(Failure("z", "out = df.append(row)", ename="AttributeError", line=1), model, "cell 1 of a.ipynb")
    failure = Failure("c", "all_ = frame.append(line)", ename="AttributeError", line=1)
    (patch,) = ask(RunFixesHealer(known), failure, "import pandas as pd")
    assert [e.source for e in patch.edits if isinstance(e, Replace)] == ["all_ = pd.concat([frame, line])"]
    assert (patch.healer, patch.applicability) == ("language_model", Applicability.UNSAFE)


def test_of_what_a_rule_proposes_only_what_healed_before_is_tried_first(known: RunFixes) -> None:
    cells = ["total = 1", "print(totl)"]
    first, second = (
        Patch(
            (Replace("c", cells[1], f"print({name})"),), f"Change `totl` to `{name}`", rule="NAM101", why="it is near"
        )
        for name in ("tot", "total")
    )
    healer = RunFixesHealer(known, ScriptedRules(first, second))
    assert ask(healer, fail(cells[1]), cells[0]) == (), "nothing is known: the rules are asked when it is their turn"
    known.add(fail("print(totl, 5)"), second, "cell 7 of b.ipynb")
    patch, rival = ask(healer, fail(cells[1]), cells[0])
    assert (patch.id, rival.id) == (second.id, first.id), "which of them is meant here is compared, and asked"
    assert patch.applicability is second.applicability, "as safe as the rule says here"
    safe = replace(second, applicability=Applicability.SAFE)
    (alone,) = ask(RunFixesHealer(known, ScriptedRules(first, safe)), fail(cells[1]), cells[0])
    assert alone.applicability is Applicability.SAFE


def test_a_rule_that_proposes_nothing_here_is_not_spoken_for(known: RunFixes) -> None:
    known.add(fail(CHECK), Patch((Replace("z", OLD, NEW),), "Add", rule="NAM101"), "cell 1 of a.ipynb")
    assert ask(RunFixesHealer(known, ScriptedRules()), fail(CHECK), OLD) == ()


def test_another_process_sees_it_and_a_cut_line_is_left_out(known: RunFixes) -> None:
    known.add(fail(CHECK), search_fix(), "cell 3 of a.ipynb")
    with known.path.open("a") as file:
        file.write('{"patch": {"a')
    other = RunFixes(known.path)
    assert [fix.where for fix in other.list_fixes()] == ["cell 3 of a.ipynb"]
    known.forget()
    known.forget()
    assert other.list_fixes() == ()


def test_what_a_run_left_that_was_cut_off_goes_after_days_and_no_sooner(known: RunFixes) -> None:
    for name, days in (("old", DAYS_KEPT + 1), ("young", DAYS_KEPT - 1)):
        left = RunFixes(known.path.with_name(f"{name}.fixes"))
        left.add(fail(OLD), search_fix(), "a.ipynb")
        then = time.time() - days * 86_400
        os.utime(left.path, (then, then))
        assert stat.S_IMODE(left.path.stat().st_mode) == 0o600
    known.forget()
    assert [path.name for path in known.path.parent.iterdir()] == ["young.fixes"]


def test_it_stands_in_the_place_of_the_memory(known: RunFixes) -> None:
    rules = ScriptedRules()
    assert [type(h).__name__ for h in ask_known_first(known, [rules])] == ["RunFixesHealer", "ScriptedRules"]
