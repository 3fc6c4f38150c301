"""What a heal may have spent by now, from its events: the kernel is told, so that it knows when this process is gone."""

from __future__ import annotations

from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.model import Cost


class Spending:
    """Everything settled, and every call under way at its worst (see :class:`jupyter_selfheal.loop.states.Account`)."""

    def __init__(self) -> None:
        self._settled = Cost()
        self._under_way: dict[str, Cost] = {}

    @property
    def cost(self) -> Cost:
        """What was paid, and what calls under way have cost so far."""
        return sum(self._under_way.values(), self._settled)

    def add_event(self, event: object) -> bool:
        """True where the event changes what was spent."""
        before = self.cost
        if isinstance(event, ev.Reserved):
            self._under_way[event.id] = event.worst
        elif isinstance(event, ev.Settled):
            self._settle_call(event.id, event.cost)
        elif isinstance(event, ev.Answered):
            self._settle_call(event.settles, event.answer.cost)
        elif isinstance(event, ev.CapabilitiesChecked | ev.Scored | ev.CellJudged):
            self._settle_call(event.settles, event.cost)
        return self.cost != before

    def _settle_call(self, call: str, cost: Cost) -> None:
        if call:
            self._under_way.pop(call, None)
            self._settled += cost
