"""What can be read off a patch before it is run, and when a critic is asked."""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.loop import risks
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.model import (
    Applicability,
    Case,
    Cell,
    Choice,
    Cost,
    Decision,
    Failure,
    Install,
    Notebook,
    Patch,
    Reason,
    Replace,
)
from jupyter_selfheal.testing.scripted import ScriptedApprover, ScriptedHealer, build_scripted_dependencies
from tests.stages import answer, staged

CELLS = ("def mean(v):\n    return sum(v) / len(w)", "a = mean([1])", "b = 2", "c = mean([a])")
CASE = Case(
    Failure("c1", CELLS[1], ename="NameError", line=1), Notebook(tuple(Cell(f"c{n}", s) for n, s in enumerate(CELLS)))
)
ELSEWHERE = Patch((Replace("c0", CELLS[0], CELLS[0].replace("w)", "v)")),), "Write v", healer="language_model")
HERE = Patch((Replace("c1", CELLS[1], "a = 1"),), "One", healer="language_model")
DELETES = Patch((Replace("c1", CELLS[1], "import os\nos.remove('x')\na = !ls"),), "Tidy up", healer="search")
PAID = ("language_model", "critic")


def test_what_a_patch_could_do_is_said_in_words() -> None:
    names = risks.list_added_capabilities(CASE, DELETES, HealConfig())
    assert names == ("deletion", "subprocess")
    assert risks.foresee_risk(CASE, DELETES, names) == "it could delete files and start another program"


def test_a_change_elsewhere_names_the_cells_that_go_by_it() -> None:
    assert (
        risks.foresee_risk(CASE, ELSEWHERE, ()) == "cell 1 changes too: what cell 4 made of it may no longer be right"
    )
    ran = Notebook(tuple(Cell(c.id, c.source, runs=n) for n, c in enumerate(CASE.notebook.cells, 7)), shows_runs=True)
    said = risks.foresee_risk(Case(CASE.failure, ran), ELSEWHERE, ())
    assert said == "cell [7] changes too: what cell [10] made of it may no longer be right"
    fresh = Notebook(tuple(replace(c, runs=0 if c.id == "c3" else c.runs) for c in ran.cells), shows_runs=True)
    assert risks.foresee_risk(Case(CASE.failure, fresh), ELSEWHERE, ()) is None, "it made nothing yet"
    many = Patch(tuple(Replace(f"c{n}", CELLS[n], "pass") for n in (0, 2, 3)), "All")
    assert risks.foresee_risk(CASE, many, ()) == (
        "cell 1 changes too: what cell 4 made of it may no longer be right"
    ), "of a cell that no other reads there is nothing to fear"
    alone = Patch((Replace("c2", "b = 2", "b = 3"),), "b")
    assert risks.foresee_risk(CASE, alone, ()) is None
    assert risks.foresee_risk(CASE, HERE, ()) is None


def test_of_a_cell_that_runs_again_nothing_is_feared() -> None:
    cells = ("limits = [3, 'x']", "top = limits[1]", "print(top + 1)", "low = limits[0]")
    failure = Failure("c2", cells[2], ename="TypeError", line=1)
    case = Case(failure, Notebook(tuple(Cell(f"c{n}", s, runs=n + 1) for n, s in enumerate(cells))))
    patch = Patch((Replace("c0", cells[0], "limits = [3, 4]"),), "Write 4")
    assert risks.foresee_risk(case, patch, ()) == "cell 1 changes too: what cell 4 made of it may no longer be right"


def test_an_installation_that_was_allowed_is_no_news() -> None:
    patch = Patch((Install("x", "x"),), "Install x")
    assert risks.list_added_capabilities(CASE, patch, HealConfig()) == ("installation",)
    assert risks.list_added_capabilities(CASE, patch, HealConfig(install=True)) == ()


def test_a_critic_is_asked_about_what_must_be_cleared_alone() -> None:
    safe = Patch(DELETES.edits, "Tidy up", applicability=Applicability.SAFE)
    by_rule = Patch(ELSEWHERE.edits, "Write v", healer="rules")
    asked = risks.select_for_critic(CASE, [ELSEWHERE, HERE, DELETES, safe, by_rule], HealConfig())
    assert [(p.title, names) for p, names in asked] == [("Tidy up", ("deletion", "subprocess"))]


def test_what_was_said_already_is_not_said_again() -> None:
    assert (
        risks.join_texts("it could delete files", "", "delete files", "x is gone") == "it could delete files; x is gone"
    )


class Critic:
    """Says one thing of every patch."""

    def __init__(self, says: str = "", price: float = 0.001) -> None:
        self.says = says
        self.price = Cost(usd=price, calls=1)
        self.asked: list[str] = []

    def worst_case(self, case: Case) -> Cost:
        return self.price

    def ask_risks(self, case: Case, patches: object) -> tuple[dict[str, str], Cost, object]:
        self.asked += [patch.title for patch, _ in patches]  # type: ignore[attr-defined]
        return {patch.id: self.says for patch, _ in patches}, self.price, {"calls": []}  # type: ignore[attr-defined]


def heal_with(critic: Critic | None, **config: float) -> tuple[list[object], ScriptedApprover]:
    stage = staged("x = 1", "x.nope")
    risky = stage.replaced("x.nope", "compile('1', '', 'eval')", Applicability.UNSAFE)
    approver = ScriptedApprover([Decision(Choice.CONSENT), Decision(Choice.APPROVE)])
    parts = build_scripted_dependencies(
        stage.starts, [ScriptedHealer([answer(risky)])], approver=approver, config=HealConfig(**config)
    )  # type: ignore[arg-type]
    outcome = heal(stage.case, replace(parts, critic=critic))
    assert outcome.reason is Reason.HEALED
    return list(parts.journal.events()), approver


def test_the_critic_speaks_before_anything_is_run_and_its_line_goes_with_the_patch() -> None:
    critic = Critic("nothing is run by it")
    events, approver = heal_with(critic)
    kinds = [type(e).__name__ for e in events]
    assert kinds.index("Reserved") < kinds.index("CapabilitiesChecked") < kinds.index("TrialEnded")
    asked, proven = approver.proposals
    assert asked.needs_consent == ("dynamic evaluation",)
    assert [p.candidates[0].patch.risk for p in (asked, proven)] == ["nothing is run by it"] * 2
    assert proven.spent_by == {"critic": critic.price}
    assert len(critic.asked) == 1


def test_without_money_or_without_a_model_the_line_is_read_off_the_patch() -> None:
    poor = Critic("never asked", price=5.0)
    for critic in (None, poor):
        events, approver = heal_with(critic)
        assert [p.candidates[0].patch.risk for p in approver.proposals] == [
            "it could run code that is not written in it"
        ] * 2
        assert not [e for e in events if isinstance(e, ev.Reserved)]
    assert poor.asked == []
    offline = Critic("never asked")
    heal_with(offline, offline=True)
    assert offline.asked == []


def test_of_many_cells_that_are_changed_the_first_are_named_and_the_others_counted() -> None:
    sources = [f"a{n} = {n}" for n in range(5)] + ["boom", "print(a0, a1, a2, a3, a4)"]
    case = Case(Failure("c5", "boom"), Notebook(tuple(Cell(f"c{n}", s) for n, s in enumerate(sources))))
    many = Patch(tuple(Replace(f"c{n}", sources[n], f"a{n} = 0") for n in range(5)), "All")
    said = (risks.foresee_risk(case, many, ()) or "").split("; ")
    assert said[-1] == f"and {5 - risks.NAMED} more"
    assert len(said) == risks.NAMED + 1
