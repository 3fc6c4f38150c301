"""What is known of the secrets of a case, so that no request, journal or trace holds them."""

from __future__ import annotations

from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.inside.telling_names import NAMES
from jupyter_selfheal.journal.known_secrets import list_environment_secrets
from jupyter_selfheal.journal.live_secrets import keep_live_secrets
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.keys import list_keys
from jupyter_selfheal.model import JSON, Case
from jupyter_selfheal.ports import Facts, Journal


def build_redactor(case: Case | None = None, facts: Facts | None = None) -> Redactor:
    """Replaces the secrets of a case by their values: those of its cells and outputs, of the environment, the providers' keys, and what
    stands under a telling name in the live state, which is asked once, before anything is sent."""
    redactor = Redactor(known=list_keys(), learns=True)
    redactor.learn_values(list_environment_secrets())
    if case is not None:
        redactor.learn(case.failure.source, case.failure.evalue, *(c.source for c in case.notebook.cells))
        redactor.learn(*(o.text for c in case.notebook.cells for o in c.outputs if o.text))
    if facts is not None:
        redactor.ask = lambda: _read_texts(facts.ask(probe_source("probes.telling_values")))
    return redactor


def _read_texts(answer: JSON) -> list[str]:
    return [text for text in answer if isinstance(text, str)] if isinstance(answer, list) else []


def keep_secrets(case: Case, journal: Journal, redactor: Redactor) -> None:
    """Let whoever shows the journal later know the secrets of the live state. It is asked only where a name in the notebook tells of one."""
    path = getattr(journal, "path", None)
    if path is None or not any(NAMES.search(cell.source) for cell in case.notebook.cells):
        return
    redactor.ask_live_state()
    keep_live_secrets(path, redactor.live)
