"""A fix of a project's files, as it was found."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_selfheal.model import Candidate
from jupyter_selfheal.surfaces.notebook.records import Record
from jupyter_selfheal.surfaces.project.files import FileFix


@dataclass(frozen=True, slots=True)
class Found:
    """A fix of files, found for a cell in the derived notebook. ``why_not`` says why it must not be applied; empty where it may."""

    fixes: tuple[FileFix, ...]
    record: Record
    title: str
    why_not: str = ""
    notes: tuple[str, ...] = ()

    @property
    def candidate(self) -> Candidate:
        return self.record.candidate[0]
