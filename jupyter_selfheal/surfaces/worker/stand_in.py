"""What stands in for the state before a cell of which no copy was made.

Copies cost, and are not made where the cells cannot pay for them. Where all that the cell did before it failed was to make
names of its own, running the whole of it again from after the failure gives what it would have given; that is read off
its source, and the card says so. Where it had changed something, only what is left of it is tried, and that is said.
"""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal.loop.repeats import find_repeated_effects
from jupyter_selfheal.messages import Heal, StateAddress
from jupyter_selfheal.model import Outcome, Patch, Proposal, Reason, Start
from jupyter_selfheal.surfaces.worker.states import connect_state


class StandIn:
    """Decides whether the state that was offered as a stand-in can be one, and says in the proposal what was done."""

    def __init__(self) -> None:
        self._is_used = False
        self._note = ""

    def choose_states(self, message: Heal) -> tuple[StateAddress, ...]:
        """The states to heal from, the stand-in under the name of what it stands for; one that cannot be used is let go."""
        chosen: list[StateAddress] = []
        for address in message.states:
            if address.start is not Start.STANDS_IN:
                chosen.append(address)
            elif effects := find_repeated_effects(message.case, Patch((), "")):
                connect_state(address).close()
                self._note = (
                    f"no copy was made before the cell, and it {', '.join(effects)}: only what is left of it was tried"
                )
            else:
                self._is_used = True
                chosen.append(replace(address, start=Start.BEFORE_CELL))
        return tuple(chosen)

    def describe_proposal(self, proposal: Proposal) -> Proposal:
        """The proposal, saying from where it was really proven."""
        if self._note:
            return replace(proposal, notes=(*proposal.notes, self._note))
        if not self._is_used:
            return proposal
        real = {Start.BEFORE_CELL: Start.STANDS_IN}
        return replace(proposal, proven_from=tuple(real.get(start, start) for start in proposal.proven_from))

    def explain_outcome(self, outcome: Outcome) -> Outcome:
        """The outcome, saying where nothing was found that only what is left of the cell was tried."""
        if not self._note or outcome.reason not in (Reason.EXHAUSTED, Reason.NOT_REPRODUCED):
            return outcome
        return replace(outcome, detail="; ".join(t for t in (outcome.detail, self._note) if t))
