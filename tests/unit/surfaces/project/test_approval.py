"""Why a proven fix of a file is not written."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.model import Applicability, Candidate, Ending, Isolation, Patch, Start, Trial, Verdict
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.project.approval import find_refusal


@pytest.mark.parametrize(
    ("approve", "safe", "unsafe"),
    [
        ("all", "", ""),
        ("safe", "", "--approve safe does not write it; `heal --approve all` does"),
        ("none", "`heal --approve all` writes it", "`heal --approve all` writes it"),
    ],
)
def test_a_fix_that_is_not_written_says_what_writes_it(approve: str, safe: str, unsafe: str, tmp_path: Path) -> None:
    trial = Trial("p", (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("forked"))
    for kind, refusal in ((Applicability.SAFE, safe), (Applicability.UNSAFE, unsafe)):
        candidate = Candidate(Patch((), "Spell it", applicability=kind), trial, Verdict("p", 9.0, True))
        assert find_refusal(Settings(project=tmp_path, approve=approve), (), candidate) == refusal
        assert find_refusal(Settings(approve=approve), (), candidate) == "to write it: heal --project DIR"
