"""From a failure to its card: the case is made, the state frozen, and both are handed to the worker."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

from jupyter_selfheal import magic_options as options
from jupyter_selfheal import messages as m
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Case, Failure, FailureKind, Oracle, Patch, Start
from jupyter_selfheal.surfaces.live import explanation, failure_capture, resume
from jupyter_selfheal.surfaces.live.cell_log import read_code_files
from jupyter_selfheal.surfaces.live.idle_interrupt import IdleInterrupt
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal, View, build_new_card
from jupyter_selfheal.surfaces.live.session import LiveSession
from jupyter_selfheal.surfaces.live.stale_cells import list_read_names


class HealDispatcher:
    """Begins heals and has their patches proven again.

    ``make_view`` makes the view of a new heal. ``should_wait`` is asked where the user did not say whether the cell waits;
    ``wait_for`` does wait.
    """

    def __init__(
        self,
        session: LiveSession,
        *,
        make_view: Callable[[], View],
        should_wait: Callable[[], bool],
        wait_for: Callable[[LiveHeal, Any], None],
    ) -> None:
        self._session = session
        self._make_view = make_view
        self._should_wait = should_wait
        self._wait_for = wait_for
        self._interrupts = IdleInterrupt(session) if hasattr(session.shell, "kernel") else None

    def start_heal(
        self,
        failure: Failure,
        chosen: options.HealOptions,
        *,
        error: BaseException | None = None,
        result: Any = None,
        new_modules: int = 0,
        home: str = "",
    ) -> LiveHeal:
        """Hand a failure to the worker and show its card; block where waiting was asked for. ``new_modules``: see :class:`~.messages.Heal`.

        ``home`` is the cell that a fix goes to where the failure was in none (a widget's callback, used later): a page is told to show
        the card there, as no cell runs that it could be shown in.
        """
        session = self._session
        self._mark_proofs_as_older(failure.cell_id, failure.source)
        run = session.make_run_id()
        case = self._build_case(failure, chosen.oracle)
        config = chosen.apply_to(session.config)
        states = session.checkpoints.freeze_after_failure(run, error, alone=resume.is_tried_after_failure_only(failure))
        waits = not home and (bool(chosen.wait) if chosen.wait >= 0 else self._should_wait())
        try:
            heal = self._build_heal(run, case, config, error, home)
            session.remember(heal)
            heal.is_placed, heal.is_waited_for = not home, waits
            with heal.lock:  # what the worker answers is shown on a card that is there
                is_sent = self._send_heal(heal, states, config, new_modules=new_modules)
                if not waits and not home:
                    heal.view.show(heal)
        except BaseException:  # nobody sees it, and nobody would end it
            session.client.send(m.Cancel(run))
            session.checkpoints.release(states)
            session.heals.remove(run)
            raise
        if not is_sent:
            session.checkpoints.release(states)
            heal.update_card(
                phase="closed", status="Healing is off: the worker died too often.", advice=f"See {session.log_path}"
            )
            heal.settled.set()
        for listen in list(session.listeners):
            listen(heal)
        if waits:
            self._wait_for(heal, result)
        return heal

    def _build_case(self, failure: Failure, asked: Oracle) -> Case:
        session = self._session
        notebook = session.cells.build_notebook(failure.cell_id, failure.source, 0)
        oracle = _choose_oracle(asked, notebook.cell(failure.cell_id).oracle)
        return Case(failure, notebook, oracle, rejected=session.list_rejected(failure, notebook))

    def _build_heal(self, run: str, case: Case, config: HealConfig, error: BaseException | None, home: str) -> LiveHeal:
        """A heal with its first card, which says why the cell failed."""
        session, cells = self._session, case.notebook.cells
        card = build_new_card(
            run, case, model_off=session.explain_missing_model(config) or "", auto=session.auto_approve,
            explanation=self._explain_failure(case, error), teach=session.teach, welcomes=session.take_first_use(), has_page=session.has_page(),
            written={c.id: text for c in cells if (text := session.cells.find_written_source(c)) != c.source},
            notes=renew_rejection_notes((), case.rejected),
            **({"cell_id": home} if home else {}),
        )  # fmt: skip
        repeats_work = resume.repeats_work(case.failure, session.shell.user_ns)
        return LiveHeal(run, case, card, self._make_view(), repeats_work=repeats_work)

    def reproduce_failure(
        self, error: BaseException, cell_id: str, source: str, seconds: float, new_modules: int
    ) -> None:
        """A cell has raised, and its heal will likely follow: where there is a state from before it, the cell is run from there already.
        One that did not parse is not run again, and one that took long only once its heal asks for it, which it may not."""
        session = self._session
        states = session.checkpoints.state_before_cell
        if not states or isinstance(error, SyntaxError) or seconds >= resume.LONG_SECONDS:
            return
        failure = Failure(cell_id, source, FailureKind.RAISED, type(error).__name__, seconds=seconds)
        notebook = session.cells.build_notebook(cell_id, source, 0)
        case = Case(failure, notebook, notebook.cell(cell_id).oracle)
        session.client.send(m.Reproduce(case, states[0], session.config, new_modules))

    def _explain_failure(self, case: Case, error: BaseException | None) -> tuple[str, ...]:
        """Why it failed, while the values are those that it failed with. A fault of ours in it costs the sentences, not the heal."""
        try:
            return tuple(explanation.explain_failure(case, self._session.shell.user_ns, error))
        except Exception as fault:
            self._session.report_internal_error("explanation", fault)
            return ()

    def restart_heal(
        self, heal: LiveHeal, config: HealConfig, *, hint: str = "", given: tuple[Patch, ...] = ()
    ) -> None:
        """Heal the same failure again, from the state as it is now, under a new run: what the old one still says is ignored.

        ``given`` are patches that somebody else wrote; they are put to the user, and no healer is asked. One of them may be what the user
        rejected before: who gives it has a reason to.

        May be called on any thread: where that is not the main one the states of before are gone, and the kernel is not
        forked; then patches are shown, and proven when the next cell has run.
        """
        session = self._session
        session.client.send(m.Cancel(heal.run))
        session.heals.remove(heal.run)
        heal.run = session.make_run_id()
        hints = (*heal.case.hints, *([hint] if hint else []))
        rejected = () if given else session.list_rejected(heal.case.failure, heal.case.notebook)
        heal.case = dataclasses.replace(heal.case, hints=hints, rejected=rejected)
        session.remember(heal)
        heal.settled.clear()
        heal.has_run_again = False
        heal.update_card(
            run=heal.run, phase="healing", status=f"{heal.card.headline}: healing…", attempts=(), proposal=(),
            asks_consent=False, instructions="", model_off=session.explain_missing_model(config) or "",
            notes=renew_rejection_notes(heal.card.notes, rejected),
        )  # fmt: skip
        states = session.checkpoints.freeze_now(heal.run, Start.BEFORE_CELL)
        if not self._send_heal(heal, states, config, given):
            session.checkpoints.release(states)
            heal.update_card(phase="closed", status="Healing is off: the worker died too often.")
            heal.settled.set()

    def _send_heal(
        self,
        heal: LiveHeal,
        states: tuple[m.StateAddress, ...],
        config: HealConfig,
        given: tuple[Patch, ...] = (),
        new_modules: int = 0,
    ) -> bool:
        session = self._session
        unproven, spent = session.checkpoints.refusal, session.spent
        if self._interrupts is not None:
            self._interrupts.watch()
        return session.client.send(
            m.Heal(
                heal.run,
                heal.case,
                states,
                config,
                unproven=unproven,
                session_spent=spent,
                given=given,
                new_modules=new_modules,
            )
        )

    def wait_without_card(self, heal: LiveHeal) -> None:
        """Wait for what comes of a heal that was given a word, where there is no card that would show it: in a terminal, and where the cell
        waited for the heal from the start (nbclient, ``--wait``); elsewhere do nothing."""
        if heal.is_waited_for or not hasattr(self._session.shell, "kernel"):
            self._wait_for(heal, None)

    # --- the last failure ----------------------------------------------------------------------------------------

    def heal_last_failure(self, chosen: options.HealOptions) -> LiveHeal | None:
        """``%heal``: the last failure of this shell, also one from before the extension was loaded."""
        last = self._session.heals.latest
        error = _find_last_error()
        is_same = last is not None and error is not None and last.case.failure.evalue == str(error)
        if is_same and last is not None and last.card.phase == "proposed":
            return last
        failure = self.find_last_failure()
        if failure is not None:
            return self.start_heal(failure, chosen, error=error)
        if last is not None and last.card.phase == "closed":  # the last error was a command's own
            self.restart_heal(last, chosen.apply_to(self._session.config))
            self.wait_without_card(last)
        return last if last is not None and last.card.phase != "applied" else None

    def find_last_failure(self) -> Failure | None:
        """The last failure of this shell, healed or not. None where nothing failed, or nobody knows in which cell."""
        session, error = self._session, _find_last_error()
        run, raw = self._find_raising_cell(error) if error is not None else (0, "")
        if error is None or not raw or options.is_ours(raw):
            return None
        source = options.to_body(raw)
        cell_id = session.cells.find_cell_of_run(run)
        if not cell_id:  # it ran before the extension was loaded
            cell_id = session.cells.find_cell_with_source(source) or session.cells.identify(None, source)
            session.cells.record_run(cell_id, raw, run, failed=True)
        failed = failure_capture.FailedRun(error, cell_id, source, before_exec=isinstance(error, SyntaxError))
        return failure_capture.describe_failure(session.shell, failed, session.cells)

    def find_case_to_send(self, cell_id: str) -> tuple[str, Case] | None:
        """The run and the case that ``%heal sent`` is about: the last failure of that cell (empty: of the session).

        A failure that nothing was done about yet has a run of its own, with no journal. None where the kernel no longer has one.
        """
        session = self._session
        healed = [h for h in session.heals if cell_id in ("", h.card.cell_id)]
        failure = self.find_last_failure()
        known = failure is not None and any(
            (h.case.failure.cell_id, h.case.failure.evalue) == (failure.cell_id, failure.evalue) for h in healed
        )
        if failure is not None and not known and cell_id in ("", failure.cell_id):
            return session.make_run_id(), Case(
                failure, session.cells.build_notebook(failure.cell_id, failure.source, 0)
            )
        return (healed[-1].run, healed[-1].case) if healed else None

    def _find_raising_cell(self, error: BaseException) -> tuple[int, str]:
        runs = read_code_files(self._session.shell)
        run = 0
        tb = error.__traceback__
        while tb is not None:
            run = runs.get(tb.tb_frame.f_code.co_filename, 0)
            if run:
                break
            tb = tb.tb_next
        if not run and isinstance(error, SyntaxError):
            run = runs.get(error.filename or "", 0)
        history = self._session.shell.history_manager.input_hist_raw
        return (run, history[run]) if 0 < run < len(history) else (0, "")

    # --- proving again -------------------------------------------------------------------------------------------

    def prove_again(self, heal: LiveHeal, patch_id: str = "", *, resumed: bool = False) -> bool:
        """Have the candidate tried from the state as it is now. False where that cannot be done.

        What is run is what approving would run: the whole cell, or (``resumed``) what is left of it. A statement that took
        long and ran is not run again here either.
        """
        candidate = heal.card.find_candidate(patch_id)
        if candidate is None:
            return False
        left = resumed or resume.is_tried_after_failure_only(heal.case.failure)
        start = Start.AFTER_FAILURE if left else Start.BEFORE_CELL
        states = self._session.checkpoints.freeze_now(heal.run, start, is_loan=True)
        if not states:
            return False
        heal.proving = True
        heal.settled.clear()
        if self._session.client.send(m.Prove(heal.run, heal.case, candidate.patch, states, self._session.config)):
            return True
        heal.proving = False
        heal.settled.set()
        self._session.checkpoints.release(states)
        return False

    def prove_open_proposal(self, cell_id: str, source: str) -> None:
        """Another cell ran: every fix that waits says so, and the newest of them is proven from the state as it is now."""
        waiting = self._mark_proofs_as_older(cell_id, source)
        if waiting and not waiting[-1].proving:
            self.prove_again(waiting[-1])

    def _mark_proofs_as_older(self, cell_id: str, source: str) -> list[LiveHeal]:
        """The heals whose proven fix waits for its user, oldest first; the card of each says that this cell ran since, and
        what it read of what the fix makes."""
        self._close_cards_of(cell_id)
        waiting = [h for h in self._session.heals if h.has_proven_fix]
        for heal in waiting:
            candidate = heal.card.find_candidate()
            at, before = heal.card.cell_id, heal.source
            if candidate and (names := list_read_names(candidate.patch, at, before, cell_id, source)):
                name = self._session.cells.build_present().name_cell(cell_id)
                heal.update_card(stale={**heal.card.stale, cell_id: (name, *names)})
            if not heal.proving:
                heal.disturbed = True
                heal.update_card(ran_since=heal.card.ran_since + 1)
        return waiting

    def _close_cards_of(self, cell_id: str) -> None:
        """A cell has run: the cards in its outputs went with them, and nobody would see a fix that is still to come."""
        for heal in self._session.heals:
            if heal.is_open and heal.card.cell_id == cell_id:
                heal.end_as_run_again()
                self._session.client.send(m.Cancel(heal.run))


_NOT_OFFERED = "Not offered again, as you rejected it: "
_TAKES_BACK = "`%heal undo` takes the rejection back"


def renew_rejection_notes(notes: tuple[str, ...], rejected: tuple[Patch, ...]) -> tuple[str, ...]:
    """A card's notes, with what it says of the fixes that are not offered, and how they are again."""
    others = (note for note in notes if not note.startswith((_NOT_OFFERED, _TAKES_BACK)))
    return (
        *others,
        *(f"{_NOT_OFFERED}{patch.title}" for patch in rejected),
        *([f"{_TAKES_BACK}."] if rejected else []),
    )


def _choose_oracle(line: Oracle, metadata: Oracle) -> Oracle:
    """What the ``%%heal`` line says of the cell; where it says nothing, what the notebook does. Words alone count too."""
    return line if line or line.spec else metadata


def _find_last_error() -> BaseException | None:
    """What the interpreter keeps of the last exception that nobody caught."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return error if isinstance(error, BaseException) else None
