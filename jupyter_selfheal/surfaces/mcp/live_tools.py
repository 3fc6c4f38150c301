"""The tools on a running kernel: everything is read from copies of its state, and what changes a cell is put to its user."""

from __future__ import annotations

import threading
from collections.abc import Callable

from jupyter_selfheal import engine
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.loop.trials import build_sandbox
from jupyter_selfheal.messages import AgentView
from jupyter_selfheal.model import JSON, Case, Cell, Patch, Run, TrialRequest
from jupyter_selfheal.surfaces.mcp import views
from jupyter_selfheal.surfaces.mcp.asked_notebook import AskedNotebook
from jupyter_selfheal.surfaces.mcp.kept_states import StateKeeper
from jupyter_selfheal.surfaces.mcp.kernel_line import KernelLine
from jupyter_selfheal.surfaces.mcp.live_notebook import LiveNotebook
from jupyter_selfheal.surfaces.mcp.proving import Proven
from jupyter_selfheal.surfaces.mcp.roots import Roots
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.mcp.tools import CODE_SECONDS, MOST_CELLS, Toolbox, check_code, say_next_of_refusal
from jupyter_selfheal.surfaces.mcp.views import Texts
from jupyter_selfheal.surfaces.notebook.settings import Settings

SCORE_ASKED = 4.0
"""A patch below that is not put to the user: it does not run, or it only hides the failure."""


class LiveToolbox(Toolbox):
    """What a server can do with one running kernel. Each call has a copy of the state of its own, made in milliseconds."""

    left_to_show = "what the user wants: apply_fix shows the edit on the card of the cell, and the user decides"

    def __init__(self, line: KernelLine, settings: Settings) -> None:
        super().__init__(Roots(()), settings)
        self._line = line
        self._turn = threading.Lock()
        self._to_offer: dict[str, tuple[str, Patch]] = {}

    def close(self) -> None:
        """End every run, and let go of the kernel, which goes on."""
        super().close()
        self._line.close()

    # --- reading ---

    def check_session(self, show: str, offset: int, limit: int, max_chars: int) -> JSON:
        """What each cell of the session did when the user last ran it; nothing is run."""
        view = self._line.look(copies=False)
        self.secrets.learn_notebook(view.notebook)
        return self.secrets.hide(view_session(view, show, offset, min(limit, MOST_CELLS), self._cut_to(max_chars)))

    def run_in_session_copy(self, run: ToolRun, code: str, max_chars: int) -> JSON:
        """What code gives in a copy of the present state, which is thrown away."""
        check_code(code)

        def answer(notebook: LiveNotebook) -> JSON:
            sandbox = build_sandbox(self.settings.config)
            trial, _ = notebook.state.run(TrialRequest((Run(code, "copy"),), timeout=CODE_SECONDS, sandbox=sandbox))
            step = trial.steps[-1] if trial.steps else None
            said = views.format_step(step) if step is not None else ""
            return {
                "state": "the kernel as it is now",
                "ran": step is not None and step.ok,
                "output": self._cut_to(max_chars).cut_text(said or trial.detail),
                "blocked": list(trial.blocked),
                "kept": "nothing: the copy is thrown away",
            }

        return self._ask_session(run, answer)

    def _ask_about(self, path: str, run: ToolRun, question: Callable[[AskedNotebook], JSON]) -> JSON:
        return self._ask_session(run, question)

    def _ask_session(self, run: ToolRun, question: Callable[[LiveNotebook], JSON]) -> JSON:
        """The answer to a question about the session as it is now, in a copy that ends with the call."""
        keeper = StateKeeper()
        run.on_cancel(keeper.close)
        with self._turn:
            try:
                view = self._line.look(copies=True)
                if not view.states:
                    raise UsageError(
                        f"the kernel's state cannot be copied now: {view.refusal or 'it does not say why'}"
                    )
                address = view.states[0]
                state = keeper.wrap(engine.connect_state(address.socket, address.start))
                self.secrets.learn_notebook(view.notebook)
                self.secrets.learn_state(state)
                return self.secrets.hide(question(LiveNotebook(view, state, self.settings)))
            finally:
                keeper.close()

    # --- asking the user ---

    def _offer_fix(self, notebook: AskedNotebook, proven: Proven) -> dict[str, JSON]:
        """An id by which the user may be asked to apply it: for what ran in the trial and does not only hide the failure."""
        candidate, reason = proven.candidate, proven.situation.diagnosis.skip_reason
        left_alone = reason is not None and reason.is_final
        if (
            not proven.situation.failed
            or left_alone
            or not candidate.trial.ran
            or candidate.verdict.score < SCORE_ASKED
        ):
            return {"fix_id": None, "next": say_next_of_refusal(proven)}
        fix_id = f"fix-{candidate.patch.id[:10]}"
        self._to_offer[fix_id] = (proven.cell.id, candidate.patch)
        return {"fix_id": fix_id, "next": f"apply_fix with fix_id={fix_id} asks the user, on the card of the cell"}

    def apply_fix(self, run: ToolRun, fix_id: str) -> JSON:
        """Put the patch on the card of its cell, and wait for what the user decides. Nothing is changed before."""
        if fix_id not in self._to_offer:
            raise UsageError(
                f"there is no fix {fix_id[:40]!r}: try_patch and propose_fixes give an id to what may be asked"
            )
        cell_id, patch = self._to_offer[fix_id]
        note = "A coding agent asks you to apply this edit. What it expects of it proves nothing here."
        offered = self._line.offer(cell_id, patch, note)
        run.report_progress(1, 2, "the user is asked in the notebook")
        decided = self._line.wait_for_decision(
            offered, lambda: run.is_cancelled, lambda status: run.report_progress(1, 2, status)
        )
        applied = decided.get("phase") == "applied"
        why = "" if applied else str(decided.get("reason") or "")  # the reason of an earlier rejection is none of this
        return {
            "fix_id": fix_id,
            "applied": applied,
            "user_said": str(decided.get("status", "")) + (f" Reason: {why}" if why and why != "-" else ""),
            "next": "check_notebook for what is left"
            if applied
            else "do not offer it again: ask the user what is wanted",
        }

    def revert_fix(self, run: ToolRun, fix_id: str) -> JSON:
        """Only the user takes back what the user approved."""
        raise UsageError("in a session only the user takes a fix back: by Undo on its card, or `%heal undo`")


def view_session(view: AgentView, show: str, offset: int, limit: int, texts: Texts) -> JSON:
    """What each cell did when it was last run, the cells that fail first in ``root_failures``."""
    failed = {case.failure.cell_id: case for case in view.cases}
    cells = [c for c in view.notebook.cells if c.kind == "code" and c.source.strip()]
    shown = [c for c in cells if show == "all" or c.id in failed or c.unfinished]
    roots: list[JSON] = [c.id for c in cells if c.id in failed]
    said: dict[str, JSON] = {
        "notebook": view.notebook.path,
        "ran": sum(c.runs > 0 for c in cells),
        "root_failures": roots,
        "not_run_as_it_stands": sum(c.runs == 0 and not c.unfinished for c in cells),
        "cells": [_view_cell(c, failed.get(c.id), texts) for c in shown[offset : offset + limit]],
        "next": f"diagnose with cell_id={roots[0]}, or propose_fixes for it" if roots else "nothing that was run fails",
    }
    if len(shown) > offset + limit:
        said["more"] = f"{len(shown) - offset - limit} more cells: call again with offset={offset + limit}"
    return said


def _view_cell(cell: Cell, case: Case | None, texts: Texts) -> JSON:
    status = "failed" if case is not None or cell.unfinished else "ran" if cell.runs else "not run as it stands"
    first = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
    view: dict[str, JSON] = {"cell_id": cell.id, "status": status, "first_line": texts.cut_text(first)[:80]}
    if case is not None:
        view["failure"] = texts.cut_text(case.failure.headline)
    return view
