"""What a user's kernel and its worker say to each other: one wire line each, over the worker's stdin and stdout.

What the kernel sends is in :mod:`.from_kernel`, what the worker sends in :mod:`.from_worker`. Every answer names the ``run`` that it
belongs to. The modules import only the model and the settings, so that they are cheap in the user's kernel.

A conversation::

    kernel                                  worker
    Hello                                ->
                                         <- Ready
    Heal(run, case, states, config)      ->
                                         <- Progress(run, ...)   any number
                                         <- Proposed(run, proposal)
    Decide(run, Decision(REJECT, ...))   ->
                                         <- Progress, Proposed …
    Decide(run, Decision(APPROVE, id))   ->
                                         <- Finished(run, outcome)

End of file on the worker's stdin is ``Shutdown``.
"""

from jupyter_selfheal.messages.from_kernel import (
    AgentOffer,
    AgentView,
    AskSent,
    AskStatus,
    Cancel,
    Decide,
    Heal,
    HealDocument,
    Hello,
    LookAhead,
    Prove,
    Reproduce,
    Review,
    Shutdown,
    StateAddress,
    Switched,
    ToWorker,
)
from jupyter_selfheal.messages.from_worker import (
    NOT_KNOWN,
    WILL_FAIL,
    WILL_RUN,
    DocumentHealed,
    DocumentProgress,
    Finished,
    Forecast,
    Foreseen,
    FromWorker,
    Notice,
    Paused,
    Progress,
    Proposed,
    Proven,
    Ready,
    Reviewed,
    Sent,
    Spent,
    Status,
)

__all__ = [
    "NOT_KNOWN",
    "WILL_FAIL",
    "WILL_RUN",
    "AgentOffer",
    "AgentView",
    "AskSent",
    "AskStatus",
    "Cancel",
    "Decide",
    "DocumentHealed",
    "DocumentProgress",
    "Finished",
    "Forecast",
    "Foreseen",
    "FromWorker",
    "Heal",
    "HealDocument",
    "Hello",
    "LookAhead",
    "Notice",
    "Paused",
    "Progress",
    "Proposed",
    "Prove",
    "Proven",
    "Ready",
    "Reproduce",
    "Review",
    "Reviewed",
    "Sent",
    "Shutdown",
    "Spent",
    "StateAddress",
    "Status",
    "Switched",
    "ToWorker",
]
