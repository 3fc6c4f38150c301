"""Who decides whether a proven fix of a file is written: the folder that was named, the policy, a person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from jupyter_selfheal.model import Applicability, Candidate
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.surfaces.project.changes import format_file_diff
from jupyter_selfheal.surfaces.project.files import FileFix


def find_refusal(settings: Settings, fixes: Sequence[FileFix], candidate: Candidate) -> str:
    """Why a proven fix is not written; empty where it may be."""
    if settings.project is None:
        return "to write it: heal --project DIR"
    if settings.approve == "all" or (
        settings.approve == "safe" and candidate.patch.applicability is Applicability.SAFE
    ):
        return ""
    if settings.approve == "ask":
        return "" if _ask_once(fixes, candidate) else "it was not approved"
    if settings.approve == "none":  # `check` gave no such option
        return "`heal --approve all` writes it"
    return f"--approve {settings.approve} does not write it; `heal --approve all` does"


def _ask_once(fixes: Sequence[FileFix], candidate: Candidate) -> bool:
    """Show every file of the fix, and ask once."""
    print("\n".join([candidate.patch.title, *map(format_file_diff, fixes)]), file=sys.stderr)
    names = ", ".join(fix.file.path.name for fix in fixes)
    print(f"Write {names}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
