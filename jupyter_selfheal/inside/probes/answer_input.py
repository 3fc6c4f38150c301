"""Answers that were given ahead for a notebook's ``input()``: put into the state that it starts from.

Every trial that begins there has a copy of those that are left (see ``fork/capture.py``). Sent as the source of a probe
(:class:`~jupyter_selfheal.model.Probe`): standard library only.
"""

from __future__ import annotations

from typing import Any


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Keep the texts ``argument["answers"]`` with the shell, in the order in which they are asked for."""
    shell._selfheal_answers = [str(answer) for answer in argument["answers"]]
    return len(shell._selfheal_answers)
