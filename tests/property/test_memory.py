"""The memory heals a renamed copy of what was approved, whatever the new names, and says nothing of a look-alike."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_selfheal.healers.memory.healer import MemoryHealer
from jupyter_selfheal.model import (
    Candidate,
    Case,
    Cell,
    Edit,
    Ending,
    Failure,
    Insert,
    Isolation,
    Notebook,
    Outcome,
    Patch,
    Reason,
    Replace,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.source import BUILTINS
from jupyter_selfheal.testing.scripted import NoFacts


@dataclass(frozen=True)
class Slip:
    """A failing cell below another one, with ``<a>`` for names; what heals it, and failing cells that only look like it."""

    above: str
    failing: str
    error: tuple[str, str]
    fixed_above: str = ""
    fixed: str = ""
    inserted: str = ""
    look_alikes: tuple[str, ...] = ()

    def failure(self, names: Mapping[str, str], source: str = "") -> Failure:
        return Failure("c", put(source or self.failing, names), ename=self.error[0], evalue=self.error[1], line=1)

    def case(self, names: Mapping[str, str], source: str = "") -> Case:
        failure = self.failure(names, source)
        cells = (Cell("lib", "import pandas as pd"), Cell("a", put(self.above, names)), Cell("c", failure.source))
        return Case(failure, Notebook(cells))

    def edits(self, names: Mapping[str, str]) -> list[Edit]:
        if self.inserted:
            return [Insert("new", put(self.inserted, names), "c")]
        if self.fixed_above:
            return [Replace("a", put(self.above, names), put(self.fixed_above, names))]
        return [Replace("c", put(self.failing, names), put(self.fixed, names))]


SLIPS = {
    "in the failing cell": Slip(
        above="<a>, <b> = table(), row()",
        failing="<c> = <a>.append(<b>)\n<c>",
        error=("AttributeError", "'DataFrame' object has no attribute 'append'"),
        fixed="<c> = pd.concat([<a>, <b>])\n<c>",
        look_alikes=("<c> = <a>.x.append(<b>)\n<c>", "<c> = <a>.append(<b>, 1)\n<c>", "<a>.append(<b>)\n<c> = 1"),
    ),
    "in a function above": Slip(
        above="def <a>(<b>):\n    return <b>[len(<b>)]",
        failing="<c> = <a>([1])",
        error=("IndexError", "list index out of range"),
        fixed_above="def <a>(<b>):\n    return <b>[len(<b>) - 1]",
        look_alikes=("<c> = <a>([2])", "<c> = <a>([1], 1)", "<c> = <d>([1])"),
    ),
    "as a new cell above": Slip(
        above="<a>, <b> = 1, '2'",
        failing="<c> = <a> + <b>",
        error=("TypeError", "unsupported operand type(s) for +: 'int' and 'str'"),
        inserted="<b> = int(<b>)",
        look_alikes=("<c> = <a> - <b>", "<c> = <a> + <b>.x", "<c> = <a> + <b> + 1"),
    ),
}

KNOWN = dict(zip("abcd", ("df", "row", "out", "other"), strict=True))
identifiers = st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True).filter(
    lambda s: (
        not keyword.iskeyword(s) and not keyword.issoftkeyword(s) and s not in BUILTINS and s not in {"pd", "table"}
    )
)
renamings = st.lists(identifiers, min_size=4, max_size=4, unique=True).map(lambda n: dict(zip("abcd", n, strict=True)))


def put(text: str, names: Mapping[str, str]) -> str:
    for letter, name in names.items():
        text = text.replace(f"<{letter}>", name)
    return text


def taught(slip: Slip, folder: str) -> MemoryHealer:
    """A memory in which a person approved the fix."""
    healer, failure = MemoryHealer(Path(folder) / "memory.sqlite"), slip.failure(KNOWN)
    patch = Patch(tuple(slip.edits(KNOWN)), "Fix", healer="language_model")
    trial = Trial(patch.id, (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))
    applied = (Candidate(patch, trial, Verdict(patch.id, 9.0, True)),)
    healer.learn(Outcome(Reason.HEALED, failure, applied=applied, approved_by="user"))
    return healer


@pytest.mark.parametrize("name", SLIPS)
@settings(max_examples=30, deadline=None)
@given(names=renamings)
def test_a_renamed_copy_is_healed(name: str, names: dict[str, str]) -> None:
    slip = SLIPS[name]
    with TemporaryDirectory() as folder:
        answer = taught(slip, folder).propose(slip.case(names), Starts(), NoFacts(), ())
    (patch,) = answer.patches
    wanted = slip.edits(names)
    assert [type(e) for e in patch.edits] == [type(e) for e in wanted]
    assert [e.source for e in patch.edits if isinstance(e, Replace | Insert)] == [
        e.source for e in wanted if isinstance(e, Replace | Insert)
    ]


@pytest.mark.parametrize("name", SLIPS)
@settings(max_examples=30, deadline=None)
@given(names=renamings, data=st.data())
def test_of_a_look_alike_nothing_is_said(name: str, names: dict[str, str], data: st.DataObject) -> None:
    slip = SLIPS[name]
    source = data.draw(st.sampled_from(slip.look_alikes))
    with TemporaryDirectory() as folder:
        assert taught(slip, folder).propose(slip.case(names, source), Starts(), NoFacts(), ()).patches == ()
