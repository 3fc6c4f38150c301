"""A table that an object keeps: a write into its columns that is lost since pandas 3, where pandas warned of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.healers.rules.lost_write import WARNING, LostWrite
from jupyter_selfheal.model import Patch
from jupyter_selfheal.testing.rule_conformance import Bench

MADE = """import pandas as pd
class Riders:
    def __init__(self):
        self.data = pd.DataFrame({'sex': ['male', 'female'], 'age': [31.0, None]})
    def clean(self):
        WRITE
    def count(self):
        return len(self.data)"""
LAST = "x = riders.data.to_numpy(dtype=float)"


def propose(bench: Bench, write: str, call: str, *, warned: bool) -> tuple[Patch, ...]:
    broken = bench.fail(MADE.replace("WRITE", write), f"riders = Riders()\n{call}", LAST)
    notebook = broken.case.notebook
    cells = tuple(replace(c, warned=(WARNING,)) if warned and call in c.source else c for c in notebook.cells)
    case = replace(broken.case, notebook=replace(notebook, cells=cells))
    return replace(broken, case=case).propose_patches(LostWrite())


@pytest.mark.parametrize(
    ("write", "becomes"),
    [
        ("self.data['sex'].replace({'male': 0, 'female': 1}, inplace=True)", "self.data['sex'] = self.data['sex'].replace({'male': 0, 'female': 1}).infer_objects()"),
        ("self.data.sex.replace('male', 0, inplace=True)", "self.data.sex = self.data.sex.replace('male', 0).infer_objects()"),
    ],
)  # fmt: skip
def test_what_pandas_warned_of_is_written_into_the_objects_own_table(bench: Bench, write: str, becomes: str) -> None:
    (patch,) = propose(bench, write, "riders.clean()", warned=True)
    assert any(becomes in getattr(edit, "source", "") for edit in patch.edits)


@pytest.mark.parametrize(
    ("write", "call", "warned"),
    [
        ("self.data['sex'].replace({'male': 0}, inplace=True)", "riders.clean()", False),
        ("self.data['sex'].replace({'male': 0}, inplace=True)", "riders.count()", True),
        ("self.data.fillna(0, inplace=True)", "riders.clean()", True),
        ("self.data[['sex']].replace({'male': 0}, inplace=True)", "riders.clean()", True),
    ],
)
def test_what_pandas_did_not_warn_of_and_a_whole_table_are_left_alone(
    bench: Bench, write: str, call: str, warned: bool
) -> None:
    assert not propose(bench, write, call, warned=warned)
