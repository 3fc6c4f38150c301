"""Secrets that an agent is not told: replaced by their values in all that a tool answers, but in the sources that it must edit as they stand."""

from __future__ import annotations

import threading

from jupyter_selfheal import engine
from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON, Notebook
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.mcp.kept_states import KeptState

VERBATIM = frozenset(
    {"source", "diff", "first_line", "code", "notebook", "written", "run", "cell_id", "fix_id", "run_id"}
)
"""Fields of an answer that stay as they are: what stands in the file, which the agent edits, and names."""


class HiddenSecrets:
    """What is known of a server's notebooks as secrets. Thread-safe."""

    def __init__(self) -> None:
        self._redactor = engine.build_redactor()
        self._redactor.keeps_placeholders = True
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def redact(self, text: str) -> str:
        """The text without secrets."""
        with self._lock:
            return self._redactor.redact(text)

    def learn_notebook(self, notebook: Notebook) -> None:
        """Know what stands in its cells and outputs; each text is read once."""
        texts = [c.source for c in notebook.cells] + [o.text for c in notebook.cells for o in c.outputs if o.text]
        with self._lock:
            fresh = [t for t in dict.fromkeys(texts) if t not in self._known]
            self._redactor.learn(*fresh)
            self._known = {*texts, *self._known} if len(self._known) < 10_000 else set(texts)

    def learn_state(self, state: TrialKernel) -> None:
        """Know what stands under telling names in a live state; where it cannot be asked, nothing is known of it."""
        try:
            answer = state.ask(probe_source("probes.telling_values")) if isinstance(state, KeptState) else None
        except KernelError:
            return
        with self._lock:
            self._redactor.learn_values(v for v in (answer if isinstance(answer, list) else ()) if isinstance(v, str))

    def hide(self, answer: JSON) -> JSON:
        """An answer without secrets."""
        if isinstance(answer, str):
            return self.redact(answer)
        if isinstance(answer, dict):
            return {k: v if k in VERBATIM else self.hide(v) for k, v in answer.items()}
        return [self.hide(v) for v in answer] if isinstance(answer, list | tuple) else answer
