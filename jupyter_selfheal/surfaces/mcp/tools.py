"""The tools, without the protocol: each returns JSON, or raises one sentence that says what to do next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from jupyter_selfheal import registry
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.healers.model.context import ask_variables
from jupyter_selfheal.kernels.replay_plan import PastCell, list_needed_cells
from jupyter_selfheal.loop.consent import find_capabilities
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.model import JSON, Cell, Outcome, Proposal, Run, TrialRequest
from jupyter_selfheal.surfaces.mcp import views
from jupyter_selfheal.surfaces.mcp.asked_notebook import AskedNotebook
from jupyter_selfheal.surfaces.mcp.edits import MOST_SOURCE, GivenEdit, read_said
from jupyter_selfheal.surfaces.mcp.fixes import Fixes
from jupyter_selfheal.surfaces.mcp.hidden import HiddenSecrets
from jupyter_selfheal.surfaces.mcp.model_budget import ModelBudget
from jupyter_selfheal.surfaces.mcp.notebooks import OpenNotebooks
from jupyter_selfheal.surfaces.mcp.open_notebook import OpenNotebook
from jupyter_selfheal.surfaces.mcp.proving import Proven, find_refusal, propose, try_edits
from jupyter_selfheal.surfaces.mcp.roots import Roots
from jupyter_selfheal.surfaces.mcp.runs import ToolRun, ToolRuns
from jupyter_selfheal.surfaces.mcp.situation import Situation, open_facts
from jupyter_selfheal.surfaces.mcp.views import Texts
from jupyter_selfheal.surfaces.notebook.settings import Settings

MOST_CELLS = 50
"""Cells on one page of a result."""

CODE_SECONDS = 30.0
"""Seconds that code may run in a copy of a state."""


class Toolbox:
    """What a server can do. Close it: it holds kernels."""

    left_to_show = "the whole notebook from the top: apply_fix runs it in a clean kernel before it writes"
    """What no trial of one cell shows."""

    def __init__(self, roots: Roots, settings: Settings) -> None:
        self.roots = roots
        self.settings = settings
        self.runs = ToolRuns()
        self.journals: set[str] = set()
        """The heals of this server that were written down, by name."""
        self.secrets = HiddenSecrets()
        self._notebooks = OpenNotebooks(settings)
        self._fixes = Fixes(settings)
        self._model_budget = ModelBudget(settings.config.session_budget_usd)

    def close(self) -> None:
        """End every run, and let go of every kernel."""
        self.runs.cancel_all()
        self._notebooks.close()

    def _ask_about(self, path: str, run: ToolRun, question: Callable[[AskedNotebook], JSON]) -> JSON:
        """The answer to a question about the notebook at that path, which is run first where it was not yet."""
        return self._ask_file(path, run, question)

    def _ask_file(self, path: str, run: ToolRun, question: Callable[[OpenNotebook], JSON]) -> JSON:
        def answer(notebook: OpenNotebook) -> JSON:
            self.secrets.learn_notebook(notebook.document.notebook)
            for state in notebook.take_new_failing_states():
                self.secrets.learn_state(state)
            return self.secrets.hide(question(notebook))

        return self._notebooks.ask(self.roots.resolve_notebook(path), run, answer)

    def _cut_to(self, max_chars: int) -> Texts:
        return Texts(max_chars, self.secrets.redact)

    # --- reading ---

    def check_notebook(self, run: ToolRun, path: str, show: str, offset: int, limit: int, max_chars: int) -> JSON:
        """What each cell does when the notebook runs from the top, in isolation."""
        texts, most = self._cut_to(max_chars), min(limit, MOST_CELLS)
        return self._ask_file(
            path, run, lambda notebook: views.view_check(notebook, notebook.check(run), show, offset, most, texts)
        )

    def diagnose(self, run: ToolRun, path: str, cell_id: str, max_chars: int) -> JSON:
        """A failure with its places, the live types around it, and the cells that it depends on."""

        def answer(notebook: AskedNotebook) -> JSON:
            cell = notebook.find_cell(cell_id)
            situation = notebook.examine(cell.id, read_said("", ()))
            with open_facts(situation.case, situation.starts) as facts:
                live = ask_variables(situation.case, facts, True)
            return views.view_diagnosis(
                notebook, situation, cell, _list_needed(notebook, cell), live, self._cut_to(max_chars)
            )

        return self._ask_about(path, run, answer)

    def run_in_copy(self, run: ToolRun, path: str, cell_id: str, code: str, after: bool, max_chars: int) -> JSON:
        """What code gives in a copy of the state at a cell, which is thrown away."""
        check_code(code)

        def answer(notebook: OpenNotebook) -> JSON:
            cell = notebook.find_cell(cell_id)
            state = notebook.prepare_state_before(cell.id)
            first = (Run(cell.source, cell.id, go_on=True),) if after else ()
            config = self.settings.config
            request = TrialRequest((*first, Run(code, "copy")), timeout=CODE_SECONDS, sandbox=build_sandbox(config))
            self.secrets.learn_state(state)
            trial, _ = state.run(request)
            step = trial.steps[-1]
            return {
                "state": f"{'after' if after else 'before'} cell {cell.id}",
                "ran": step.ok,
                "output": self._cut_to(max_chars).cut_text(views.format_step(step) or trial.detail),
                "blocked": list(trial.blocked),
                "kept": "nothing: the copy is thrown away",
            }

        return self._ask_file(path, run, answer)

    # --- proving ---

    def try_patch(
        self,
        run: ToolRun,
        path: str,
        edits: Sequence[GivenEdit],
        expect: str,
        checks: Sequence[str],
        cell_id: str,
        max_chars: int,
        stdout: str = "",
    ) -> JSON:
        """The agent's edits, proven in the exact state; an id to apply them by where the verdict is that they may be."""
        said = read_said(expect, checks, stdout)

        def answer(notebook: AskedNotebook) -> JSON:
            proven = try_edits(notebook, edits, said, cell_id, run, self.settings)
            view = views.view_proven(proven, self._cut_to(max_chars), self.left_to_show)
            return {**view, **self._offer_fix(notebook, proven)}

        return self._ask_about(path, run, answer)

    def propose_fixes(
        self,
        run: ToolRun,
        path: str,
        cell_id: str,
        expect: str,
        checks: Sequence[str],
        budget_usd: float,
        max_chars: int,
        stdout: str = "",
    ) -> JSON:
        """Our own fixes of a cell, proven; a model is asked only with a budget, and only where the user has named one."""
        said = read_said(expect, checks, stdout)
        settings = self._choose_settings(budget_usd)

        def answer(notebook: AskedNotebook) -> JSON:
            cell = notebook.find_cell(cell_id)
            situation, outcome, journal = propose(notebook, cell.id, said, run, settings)
            self.journals.add(journal)
            return self._view_outcome(notebook, cell, situation, outcome, journal, self._cut_to(max_chars))

        with self._model_budget.set_aside(budget_usd, run.meter):
            return self._ask_about(path, run, answer)

    def _choose_settings(self, budget_usd: float) -> Settings:
        """Free healers alone without a budget; with one, those that the user named."""
        config = self.settings.config
        paid = tuple(name for name in config.healers if registry.load_traits(name).paid)
        if budget_usd and not paid:
            raise UsageError(
                "no language model may be asked: only the user can allow one, by starting the server with --healers "
                "rules,search,language_model; call again without budget_usd"
            )
        if budget_usd:
            return replace(self.settings, config=config.with_(budget_usd=budget_usd, session_budget_usd=budget_usd))
        free = tuple(name for name in config.healers if name not in paid)
        return replace(self.settings, config=config.with_(healers=free or ("rules",)))

    def _view_outcome(
        self, notebook: AskedNotebook, cell: Cell, situation: Situation, outcome: Outcome, journal: str, texts: Texts
    ) -> JSON:
        shown = outcome.proposal[0] if outcome.proposal else None
        fixes = [views.view_candidate(c, texts) for c in shown.candidates[:3]] if shown is not None else []
        questions = [views.view_question(q) for q in shown.questions] if shown is not None else []
        situation = replace(situation, diagnosis=outcome.diagnosis)
        if shown is not None and fixes:
            fixes[0] |= self._offer_first(notebook, cell, situation, shown)
        return {
            "cell_id": cell.id,
            "fixes": fixes,
            "questions": questions,
            "tried": sum(a.trial is not None for a in outcome.attempts),
            "cause": texts.cut_text(outcome.diagnosis.cause),
            "leave_alone": outcome.diagnosis.advice if outcome.diagnosis.skip_reason is not None else None,
            "why_none": "" if fixes else texts.cut_text(outcome.detail or outcome.reason.value.replace("_", " ")),
            "run": f"selfheal://runs/{journal}",
            "next": _say_next_of_outcome(fixes, questions),
        }

    def _offer_first(
        self, notebook: AskedNotebook, cell: Cell, situation: Situation, shown: Proposal
    ) -> dict[str, JSON]:
        refusal = find_refusal(situation, shown, self.settings.config)
        proven = Proven(cell, situation, shown.candidates[0], shown, refusal)
        return {"accepted": refusal is None, "why_not": refusal or "", **self._offer_fix(notebook, proven)}

    def _offer_fix(self, notebook: AskedNotebook, proven: Proven) -> dict[str, JSON]:
        """An id where the fix may be applied; else what would make it so."""
        if proven.refusal is None:
            fix = self._fixes.add(notebook, proven)
            return {
                "fix_id": fix.id,
                "next": f"apply_fix with fix_id={fix.id} runs the whole notebook with it and writes the file",
            }
        return {"fix_id": None, "next": say_next_of_refusal(proven)}

    # --- writing ---

    def apply_fix(self, run: ToolRun, fix_id: str) -> JSON:
        """Write a proven fix, if the whole notebook holds with it."""
        fix, report = self._fixes.apply(fix_id, run)
        return {
            "fix_id": fix.id,
            "written": report.written,
            "changed_cells": list(fix.patch.cells_touched),
            "diff": fix.diff[: views.MOST],
            "proven": [*fix.candidate.verdict.proofs, report.clean_run_words],
            "still_failing": [r.cell.id for r in report.records if r.status in views.WORDS],
            "notes": list(report.notes[:10]),
            "next": f"check_notebook for what is left; revert_fix with fix_id={fix.id} puts the file back as it was",
        }

    def revert_fix(self, run: ToolRun, fix_id: str) -> JSON:
        """Put the file back as it was before the fix."""
        fix = self._fixes.revert(fix_id)
        return {
            "fix_id": fix.id,
            "reverted": str(fix.path),
            "next": "the file is byte for byte what it was before the fix",
        }


def view_run(run: ToolRun) -> JSON:
    """How far a run is, or what it gave."""
    view: dict[str, JSON] = {"run_id": run.id, "tool": run.tool, "state": run.state}
    if run.is_running:
        view["progress"] = {"at": run.at, "of": run.of, "doing": run.doing}
        view["next"] = f"call run_status with run_id={run.id} to wait for it"
    elif run.error:
        view["error"] = run.error
    else:
        view["result"] = run.result
    return {**view, "cost": run.meter.build_json()}


def _list_needed(notebook: AskedNotebook, cell: Cell) -> list[Cell]:
    above = notebook.document.notebook.list_code_before(cell.id)
    needed = list_needed_cells([PastCell(c.source, c.id) for c in above], (Run(cell.source, cell.id),))
    return [above[n] for n in needed]


def check_code(code: str) -> None:
    """Raises :class:`UsageError` for code that is empty, too long, or does more than look."""
    if not code.strip() or len(code) > MOST_SOURCE:
        raise UsageError(
            f"code is empty or has more than {MOST_SOURCE:,} characters: give a few lines, for example 'df.dtypes'"
        )
    if does := find_capabilities(code):
        raise UsageError(
            f"not run: the code needs {', '.join(sorted(does))}, and a copy is for reading values: leave that out"
        )


def say_next_of_refusal(proven: Proven) -> str:
    """What to do about a patch that may not be applied."""
    verdict = proven.candidate.verdict
    if verdict.tampering:
        return "mend the cause: what only hides the failure is never applied"
    if not proven.candidate.trial.ran:
        return "change the edit and call try_patch again: the state is kept, and no cell runs again but the one that is tried"
    if proven.situation.failed and not verdict.oracle_met and proven.situation.case.oracle:
        return "say more of what is right: other values by checks, for example of other inputs; else show the user the diff and ask"
    if proven.situation.failed and not verdict.oracle_met:
        return (
            "say by expect or checks what is right, if you know it from the task; else show the user the diff and ask"
        )
    return "change the edit, or show the user what it gives and ask"


def _say_next_of_outcome(fixes: Sequence[dict[str, JSON]], questions: Sequence[dict[str, JSON]]) -> str:
    if not fixes:
        return "diagnose, then try_patch with an edit of yours"
    if fixes[0].get("fix_id"):
        return str(fixes[0]["next"])
    if any(any(question["say"]) for question in questions):
        return "none may be applied by itself: if you know a question's answer from the task, call again with what `say` holds for it"
    return "none may be applied by itself: say by expect, stdout or checks what is right, or try_patch with an edit of yours"
