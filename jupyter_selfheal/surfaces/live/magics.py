"""``%heal`` and ``%%heal``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from jupyter_selfheal import magic_options as options
from jupyter_selfheal.config import read_setting
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.numbers import read_count
from jupyter_selfheal.surfaces import words
from jupyter_selfheal.surfaces.live import explanation, patch_application, worker_questions
from jupyter_selfheal.surfaces.live.actions import Actions
from jupyter_selfheal.surfaces.live.heal_dispatcher import HealDispatcher
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal
from jupyter_selfheal.surfaces.live.session import LiveSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_selfheal.surfaces.live.ahead import Ahead

PROOF_SECONDS = 60.0
"""How long an approval waits for its proof from the state as it is now; then nothing is applied."""

NO_PAGE = (
    "the cells below are looked at where a page shows them: that takes JupyterLab or Notebook 7 with the extension"
)
TAKES_PAGE = "That takes JupyterLab or Notebook 7 with the extension, of which no page is here yet."

AHEAD_ON = (
    "In idle time the cells below are run in copies of the kernel: the page shows beside each what will become of it. "
    "Nothing of it changes your kernel; it stops when you run a cell."
)

NOT_APPLIED = "Not applied: it could not be proven from the state as it is now. `%heal retry` looks again."


class HealMagics:
    """What the magics of one session do (they are registered by :mod:`.extension`, which imports this when one is used)."""

    def __init__(
        self, session: LiveSession, dispatcher: HealDispatcher, actions: Actions, find_ahead: Callable[[], Ahead]
    ) -> None:
        self.shell = session.shell
        self._session = session
        self._dispatcher = dispatcher
        self._actions = actions
        self._find_ahead = find_ahead

    def heal_cell(self, line: str, cell: str) -> None:
        """``%%heal``."""
        with _show_refusal():
            self._heal_cell(line, cell)

    def heal_line(self, line: str) -> None:
        """``%heal``."""
        with _show_refusal():
            self._heal_line(line)

    def _heal_cell(self, line: str, cell: str) -> None:
        # reached only where the line was left in place: a command, or options that cannot be read
        word = line.strip().partition(" ")[0]
        if word == "approve":
            self._do_approve(cell, replacing=True)
        elif word in options.COMMANDS:
            raise UsageError(f"`%%heal {word}` does not go on top of a cell: run `%heal {word}` in a cell of its own")
        else:
            self._parse_options(line)
            raise UsageError("%%heal must be the first line of its cell")

    def _heal_line(self, line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("--"):
            self._heal_last(line)
        elif word == "help":
            words.print_lines(options.HELP.splitlines())
        elif word not in options.COMMANDS:
            raise UsageError(f"unknown command {word!r}{options.suggest_command(word)}; `%heal?` lists all of them")
        else:
            getattr(self, f"_do_{word}")(rest.strip())

    # --- healing ---------------------------------------------------------------------------------------------------

    def _parse_options(self, line: str) -> options.HealOptions:
        return options.parse(line, self._session.shell.user_ns)

    def _heal_last(self, line: str) -> None:
        chosen, last = self._parse_options(line), self._session.heals.latest
        was_proposed = last is not None and last.card.phase == "proposed"
        heal = self._dispatcher.heal_last_failure(chosen)
        if heal is None:
            healed = " that is not healed" if len(self._session.heals) else " yet in this session"
            words.print_lines([f"Self-heal: nothing failed{healed}."])
        elif was_proposed and heal is last and heal.settled.is_set():
            # what comes of any other is on its card, or was told by who waited for it
            words.print_lines([f"Self-heal: {heal.card.status}. `%heal show` shows it, `%heal approve` applies it."])

    def _find_last_heal(self, *phases: str) -> LiveHeal:
        heal = self._session.heals.at_hand if phases else self._session.heals.latest
        if heal is None:
            raise UsageError("there is no heal in this session yet: run a cell that fails, or `%heal`")
        if phases and heal.card.phase == "healing":
            heal.settled.wait(60)
        if phases and heal.card.phase not in phases:
            earlier = self._session.heals.newest_offer
            raise UsageError(words.format_nothing_to_do(heal.card, earlier.card if earlier else None))
        return heal

    def _do_approve(self, cell: str = "", replacing: bool = False) -> None:
        heal = self._find_last_heal("proposed")
        if replacing and options.to_body(cell).strip() != heal.source.strip():
            raise UsageError("this cell was edited since it failed, so the fix does not fit: run it again first")
        self._apply_candidate(heal, replacing=replacing)

    def _do_run(self, _rest: str) -> None:
        self._apply_candidate(self._find_last_heal("proposed"))

    def _do_resume(self, _rest: str) -> None:
        heal = self._find_last_heal("proposed")
        rest = self._actions.arm_resume(heal, "")
        self._session.pending_resume.clear()
        if not rest:
            raise UsageError("nothing can be left out here: `%heal approve` runs the whole fixed cell")
        if heal.disturbed:  # what was proven since is the whole cell
            heal.update_card(ran_since=max(heal.card.ran_since, 1))
        self._apply_candidate(heal, rest)

    def _apply_candidate(self, heal: LiveHeal, what_is_left: str = "", *, replacing: bool = False) -> None:
        if heal.card.hides_fix:
            raise UsageError("look at the fix first: `%heal show`")
        if heal.card.proposal[0].needs_consent:
            raise UsageError(
                f"not tried yet: it would add {', '.join(heal.card.proposal[0].needs_consent)}; `%heal allow`"
            )
        if heal.card.ran_since and not self._prove_current_state(heal, resumed=bool(what_is_left)):
            return
        if not replacing and self._session.carry_out(heal, "resume" if what_is_left else "run"):
            print("The fix goes into its own cell, which runs next.")
            return
        candidate = self._actions.record_approval(heal, "")
        assert candidate is not None
        plan = patch_application.build_plan(candidate, heal.card.cell_id, heal.source, heal.case.notebook)
        for what_to_do, source in plan.others:
            print(f"Self-heal: {what_to_do}\n{source}\n" if source else f"Self-heal: {what_to_do}")
        patch_application.replace_running_cell(self.shell, heal.card.restore_source(plan.source))
        if self._actions.run_approved(heal, candidate, what_is_left=what_is_left) is not None:
            after = self._session.heals.newest_offer
            then = [words.format_next_line(after.card, self._session.find_notebook_of(after))] if after else []
            words.print_lines([words.format_healed_line(candidate), *then])

    def _prove_current_state(self, heal: LiveHeal, *, resumed: bool) -> bool:
        """Prove what is about to be run, from the state as it is now."""
        if heal.proving:
            heal.settled.wait(PROOF_SECONDS)
        if heal.card.ran_since and not self._dispatcher.prove_again(heal, resumed=resumed):
            return True  # it cannot be proven from here; the card has said so
        heal.settled.wait(PROOF_SECONDS)
        if heal.card.ran_since:
            words.print_lines(words.list_card_lines(heal.card, heal.case.notebook))
            words.print_lines([NOT_APPLIED])
            return False
        return True

    # --- decisions -------------------------------------------------------------------------------------------------

    def _send_decision(self, heal: LiveHeal, action: str, *, text: str = "") -> None:
        self._actions.send_decision(heal, action, text=text)
        self._dispatcher.wait_without_card(heal)

    def _do_reject(self, why: str) -> None:
        self._send_decision(self._find_last_heal("proposed"), "reject", text=why.strip("\"'"))

    def _do_retry(self, hint: str) -> None:
        self._send_decision(self._find_last_heal("proposed", "paused", "closed"), "retry", text=hint.strip("\"'"))

    def _do_continue(self, _rest: str) -> None:
        self._send_decision(self._find_last_heal("paused"), "continue")

    def _do_budget(self, usd: str) -> None:
        try:
            budget = read_setting("budget_usd", usd)
        except SelfHealError as error:
            raise UsageError(f"`%heal budget USD`: {error}") from None
        self._send_decision(self._find_last_heal("paused"), "budget", text=str(budget))

    def _do_model(self, _rest: str) -> None:
        heal = self._find_last_heal("proposed", "closed")
        if not self._session.config.consent:
            raise UsageError("nothing is sent before you agree: `%heal consent`; `%heal sent` shows what was")
        self._actions.ask_model(heal)
        self._dispatcher.wait_without_card(heal)

    def _do_stop(self, _rest: str) -> None:
        heal = self._find_last_heal()
        if heal.card.phase in ("closed", "applied"):
            raise UsageError(f"there is no heal to stop: {heal.card.status}")
        self._actions.send_decision(heal, "stop")

    def _do_answer(self, value: str) -> None:
        heal = self._find_last_heal("proposed")
        questions = heal.card.proposal[0].questions
        if not questions or not value:
            expected = (
                f"one of {words.format_choices(questions[0])}" if questions else "nothing was asked: see `%heal show`"
            )
            raise UsageError(f"`%heal answer VALUE`: {expected}")
        self._actions.send_decision(heal, "answer", text=words.read_answer(questions[0], value))
        self._dispatcher.wait_without_card(heal)

    def _do_allow(self, _rest: str) -> None:
        self._send_decision(self._find_last_heal("proposed"), "allow")

    def _do_prove(self, _rest: str) -> None:
        heal = self._find_last_heal("proposed")
        if not self._dispatcher.prove_again(heal):
            why = self._session.checkpoints.refusal or "no state to try it from"
            words.print_lines([f"It cannot be proven from here: {why}"])

    def _do_history(self, _rest: str) -> None:
        healed = self._list_healed()
        if not healed:
            print("Self-heal: nothing was healed in this session yet.")
            return
        words.print_lines(
            f"{number:3}  {words.format_history_line(heal.card, heal.applied[0], self._session.find_notebook_of(heal))}"
            for number, heal in enumerate(healed, 1)
        )

    def _list_healed(self) -> list[LiveHeal]:
        return sorted((h for h in self._session.heals if h.applied), key=lambda h: h.applied_at)

    def _do_why(self, _rest: str) -> None:
        if self._session.died and self._session.heals.latest is None:
            words.print_lines(self._session.died["text"].splitlines())
            return
        heal = self._find_last_heal()
        heal.settled.wait(worker_questions.ANSWER_SECONDS)
        card, failure = heal.card, heal.case.failure
        candidate = card.find_candidate() or next(iter(heal.applied), None)
        lines = [*(card.explanation or [card.headline])]
        if card.hides_fix:
            lines += [card.hint, "`%heal show` shows the fix."]
        elif candidate is not None:
            lines += explanation.explain_fix(candidate, failure)
        else:
            lines += [*filter(None, (card.cause, card.advice)), *explanation.explain_habit(failure)]
        words.print_lines(lines)

    def _do_minimize(self, number: str) -> None:
        from jupyter_selfheal.surfaces.live import session_file

        wanted = read_count(number) if number else None
        cells = self._session.cells.list_cells_to_failure(wanted or 0)
        if number and not (wanted and cells):
            raise UsageError(f"`%heal minimize N`: N is the number of a cell that fails, `[N]`; {number!r} is none")
        output = session_file.choose_free_name("minimal.ipynb")
        command = self._session.start_command("minimize", cells, output)
        intro = "Self-heal: making it small in copies of a clean kernel; this may take a minute (interrupt to stop)."
        session_file.show_command(self._session.shell, command, intro)

    def _do_bisect(self, _rest: str) -> None:
        notebook = self._session.cells.build_present()
        if not any(cell.outputs for cell in notebook.cells):
            raise UsageError(
                "no stored output of this notebook is known here: `jupyter selfheal bisect NOTEBOOK` reads the file"
            )
        from jupyter_selfheal.surfaces.live import session_file

        command = self._session.start_command("bisect", session_file.list_code_cells(notebook))
        intro = "Self-heal: running the cells from the top in copies of a clean kernel (interrupt to stop)."
        session_file.show_command(
            self._session.shell, command, intro, lambda printed: session_file.describe_bisection(printed, notebook)
        )

    def _find_heal_to_undo(self, number: str) -> LiveHeal:
        healed = self._list_healed()
        if not healed:
            raise UsageError("nothing was healed in this session yet")
        wanted = read_count(number, len(healed)) if number else len(healed)
        if not wanted:
            raise UsageError(f"`%heal undo N`: N is 1 to {len(healed)}, see `%heal history`")
        heal = healed[wanted - 1]
        if heal.is_undone:
            raise UsageError("that fix was taken back already")
        now = self._session.cells.find_source(heal.card.cell_id)
        if now is not None and now.strip() not in {heal.fixed_source.strip(), heal.source.strip()}:
            raise UsageError("not undone: the cell was edited and run since; undo in its editor (Ctrl+Z)")
        return heal

    def _do_undo(self, number: str) -> None:
        last = self._session.heals.latest
        if not number and last is not None and last.card.phase != "applied" and self._session.take_rejection_back(last):
            self._dispatcher.restart_heal(last, self._session.config)
            print("The rejection is taken back: that fix may be offered again.")
            self._dispatcher.wait_without_card(last)
            return
        heal = self._find_heal_to_undo(number)
        if heal.card.undo and self._session.carry_out(heal, "undo"):
            words.print_lines(
                ["The old source goes back into its own cell; what the fixed cell did to your variables stays."]
            )
            return
        old = heal.card.restore_source(heal.source)
        patch_application.replace_running_cell(self.shell, old)
        kept = "what the fixed cell did to your variables stays"
        if patch_application.can_fill_prompt(self.shell):
            where = "in this cell" if hasattr(self.shell, "kernel") else "at the next prompt"
            words.print_lines([f"The old source is back {where}; {kept}."])
        else:
            words.print_lines([f"The old source, to be copied, as a simple prompt cannot be filled; {kept}:"])
            print(old)
        heal.is_undone = True
        heal.update_card(status="Undone: the old source is back.", undo=())

    # --- looking ---------------------------------------------------------------------------------------------------

    def _do_show(self, _rest: str) -> None:
        heal = self._find_last_heal()
        if heal.card.hides_fix:
            heal.update_card(revealed=True)
        words.print_lines(words.list_card_lines(heal.card, heal.case.notebook))

    def _do_status(self, _rest: str) -> None:
        worker_questions.print_status(self._session)

    def _do_review(self, _rest: str) -> None:
        worker_questions.print_review(self._session)

    def _do_sent(self, rest: str) -> None:
        worker_questions.print_what_was_sent(self._session, self._dispatcher, rest)

    def _do_ahead(self, rest: str) -> None:
        session = self._session
        word, _, cell_id = rest.partition(" ")
        if word == "on" and not hasattr(self.shell, "kernel"):
            raise UsageError(NO_PAGE)
        if word in ("on", "off"):
            self._find_ahead().switch(word == "on")
            told = AHEAD_ON if session.has_page() else f"{AHEAD_ON} {TAKES_PAGE}"
            words.print_lines([told if word == "on" else "The cells below are no longer looked at."])
            return
        if word == "show" and cell_id:
            if not self._find_ahead().show_fix(cell_id.strip()):
                print("Self-heal: the fix is out of date; it is looked for again.")
            return
        if rest not in ("", "now"):
            raise UsageError("`%heal ahead on`, `off` or `now`: the cells below are run in a copy of the kernel")
        if foretold := worker_questions.print_forecasts(session):
            self._find_ahead().keep(*foretold)

    def _do_config(self, _rest: str) -> None:
        config = self._session.config
        for f in fields(config):
            print(f"c.SelfHeal.{f.name} = {getattr(config, f.name)!r}")
        if config.offline:
            words.print_lines(["Offline holds: no model is asked, whichever healers are named."])

    # --- switches --------------------------------------------------------------------------------------------------

    def _do_on(self, _rest: str) -> None:
        self._session.auto_suggest = True
        self._session.record_switch("suggestions", "on")
        print("Suggestions on exceptions are on.")

    def _do_off(self, _rest: str) -> None:
        self._session.auto_suggest = False
        self._session.record_switch("suggestions", "off")
        self._session.checkpoints.discard_state_before_cell()
        print("Suggestions on exceptions are off; %%heal and %heal go on working.")

    def _do_auto(self, rest: str) -> None:
        if rest not in ("", "on", "off"):
            raise UsageError(f"`%heal auto` is switched on or off, not {rest!r}")
        self._session.auto_approve = rest != "off"
        word = "on: safe patches are applied without asking" if self._session.auto_approve else "off"
        self._session.record_switch("auto-approve", "off" if rest == "off" else "on")
        print(f"Auto-approve is {word}.")

    def _do_consent(self, _rest: str) -> None:
        self._session.record_consent()
        words.print_lines(["Failing cells may be sent to the model in this session; `%heal sent` shows what was."])


@contextlib.contextmanager
def _show_refusal() -> Iterator[None]:
    """What cannot be done is told as IPython tells of a magic that is used wrongly: in one sentence, without a traceback."""
    try:
        yield
    except (UsageError, SelfHealError) as error:
        label = "UsageError: "  # what IPython puts before it
        raise UsageError(words.fit_to_screen([f"{label}{error}"], sys.stderr).removeprefix(label)) from None
