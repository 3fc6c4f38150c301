"""What triage says of a failure of the bench."""

from __future__ import annotations

from contextlib import chdir

from jupyter_selfheal.healers.triage.diagnoser import Triage
from jupyter_selfheal.model import Diagnosis
from jupyter_selfheal.testing.rule_conformance import Broken


def diagnose(broken: Broken) -> Diagnosis:
    """The diagnosis, made in the notebook's own folder."""
    with chdir(broken.case.notebook.folder):
        return Triage().diagnose(broken.case, broken.facts)
