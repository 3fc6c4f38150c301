from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import MemoryStoreError
from jupyter_selfheal.healers.memory.healer import MemoryHealer, build_signature
from jupyter_selfheal.healers.memory.store import MemoryStore
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Candidate,
    Case,
    Cell,
    Ending,
    Failure,
    FailureKind,
    Insert,
    Install,
    Isolation,
    Move,
    Notebook,
    Outcome,
    Patch,
    Reason,
    Replace,
    RunCells,
    Start,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.testing.scripted import NoFacts

TRIAL = Trial("p", (), Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))
OLD, NEW = "out = df.append(row)\nout", "out = pd.concat([df, row])\nout"
ERROR = ("AttributeError", "'DataFrame' object has no attribute 'append'")


def failure(source: str, error: tuple[str, str] = ERROR, line: int = 1, **more: Any) -> Failure:
    return Failure("c", source, ename=error[0], evalue=error[1], line=line, **more)


def patch(old: str, new: str, **more: Any) -> Patch:
    more.setdefault("healer", "language_model")
    return Patch((Replace("c", old, new),), "Use concat", **more)


def approved(found: Failure, made: Patch) -> Outcome:
    return Outcome(
        Reason.HEALED, found, applied=(Candidate(made, TRIAL, Verdict(made.id, 9.0, True)),), approved_by="user"
    )


def rejected(found: Failure, made: Patch) -> Outcome:
    return Outcome(Reason.REJECTED, found, attempts=(Attempt(made, TRIAL, rejection="no"),))


def ask(healer: MemoryHealer, found: Failure, *above: str) -> Answer:
    cells = (*(Cell(f"a{n}", s) for n, s in enumerate(("import pandas as pd", *above))), Cell("c", found.source))
    return healer.propose(Case(found, Notebook(cells)), Starts(), NoFacts(), ())


@pytest.fixture
def healer(tmp_path: Path) -> MemoryHealer:
    return MemoryHealer(tmp_path / "deep" / "memory.sqlite")


def test_it_knows_nothing_and_makes_no_file_at_first(healer: MemoryHealer) -> None:
    assert ask(healer, failure(OLD)) == Answer()
    assert not healer.store.path.exists()


def test_an_approved_patch_comes_back_for_the_same_cell(healer: MemoryHealer) -> None:
    healer.learn(approved(failure(OLD), patch(OLD, NEW)))
    found = ask(healer, failure(OLD)).patches
    assert [p.edits for p in found] == [(Replace("c", OLD, NEW),)]
    assert found[0].healer == "memory"
    assert found[0].applicability is Applicability.UNSAFE, "a model made it"
    assert found[0].prior == 1.0
    assert "You approved it before (1 of 1 times), for exactly this cell." in found[0].why
    assert stat.S_IMODE(healer.store.path.stat().st_mode) == 0o600


def test_it_heals_a_renamed_copy(healer: MemoryHealer) -> None:
    healer.learn(approved(failure(OLD), patch(OLD, NEW)))
    found = ask(healer, failure("x = 1\nall_ = frame.append(line)  # note\nall_", line=2)).patches
    assert [p.edits[0].source for p in found if isinstance(p.edits[0], Replace)] == [
        "x = 1\nall_ = pd.concat([frame, line])  # note\nall_"
    ]
    assert found[0].applicability is Applicability.UNSAFE


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("out = items.append(row)\nout", ("AttributeError", "'Index' object has no attribute 'append'")),
        ("out = df.append(row)\nout", ("TypeError", "append() takes 2 arguments")),
        ("out = df.append(row, True)\nout", ERROR),
        ("out = df.x.append(row)\nout", ERROR),
        ("df.append(row)", ERROR),
    ],
)
def test_it_is_silent_on_a_look_alike(source: str, error: tuple[str, str], healer: MemoryHealer) -> None:
    healer.learn(approved(failure(OLD), patch(OLD, NEW)))
    assert ask(healer, failure(source, error)).patches == ()


def test_a_name_error_is_about_its_name(healer: MemoryHealer) -> None:
    error = ("NameError", "name 'reslt' is not defined")
    old = failure("print(reslt)", error)
    healer.learn(approved(old, patch("print(reslt)", "print(result)")))
    assert len(ask(healer, old, "result = 1").patches) == 1
    other = failure("print(foo)", ("NameError", "name 'foo' is not defined"))
    assert ask(healer, other, "result = 1").patches == ()
    assert ask(healer, old, "nothing = 1").patches == (), "the name that the patch brings in does not exist here"


def test_numbers_in_messages_do_not_matter_but_constants_in_code_do(healer: MemoryHealer) -> None:
    error = ("IndexError", "index 3 is out of bounds for axis 0 with size 3")
    healer.learn(approved(failure("y = x[n]", error), patch("y = x[n]", "y = x[n - 1]")))
    same = failure("b = a[k]", ("IndexError", "index 7 is out of bounds for axis 0 with size 7"))
    assert [e.source for p in ask(healer, same).patches for e in p.edits if isinstance(e, Replace)] == ["b = a[k - 1]"]
    assert ask(healer, failure("b = a[3]", error)).patches == ()


def test_rejections_count_against_and_the_confidence_is_as_measured(healer: MemoryHealer) -> None:
    made = patch(OLD, NEW)
    for outcome in (approved, approved, rejected):
        healer.learn(outcome(failure(OLD), made))
    found = ask(healer, failure(OLD)).patches[0]
    assert found.prior == pytest.approx(0.67)
    assert "approved it before (2 of 3 times)" in found.why
    assert found.applicability is Applicability.UNSAFE
    healer.learn(rejected(failure(OLD), made))
    assert ask(healer, failure(OLD)).patches == ()
    assert healer.store.all()[0].confidence == 50


def test_only_what_was_really_approved_is_learnt(healer: MemoryHealer) -> None:
    healer.learn(Outcome(Reason.EXHAUSTED, failure(OLD), attempts=(Attempt(patch(OLD, NEW), TRIAL),)))
    healer.learn(replace(approved(failure(OLD), patch(OLD, NEW)), approved_by="--approve all"))
    assert healer.store.all() == ()


def test_what_a_rule_called_safe_stays_safe_in_a_copy(healer: MemoryHealer) -> None:
    healer.learn(approved(failure(OLD), patch(OLD, NEW, healer="rules", rule="API1", applicability=Applicability.SAFE)))
    found = ask(healer, failure("a = b.append(c)\na")).patches[0]
    assert found.applicability is Applicability.SAFE
    assert found.rule == "API1"


def test_a_change_in_another_cell_is_made_where_it_fits(healer: MemoryHealer) -> None:
    definition, fixed = "def f(xs):\n    return xs[len(xs)]", "def f(xs):\n    return xs[len(xs) - 1]"
    error = ("IndexError", "list index out of range")
    made = Patch((Replace("d", definition, fixed),), "Fix", healer="search")
    healer.learn(approved(failure("f([1])", error), made))
    other = "def last(items):\n    return items[len(items)]"
    found = ask(healer, failure("last([1])", error), other).patches
    assert found[0].edits == (Replace("a1", other, other.replace("len(items)]", "len(items) - 1]")),)
    unrelated = "def last(items):\n    return items[0]"
    assert ask(healer, failure("last([1])", error), other.replace("last", "other"), unrelated).patches == ()
    assert ask(healer, failure("f([1])", error), definition).patches[0].edits == (Replace("a1", definition, fixed),)


def inserted(text: str) -> Patch:
    return Patch((Insert("new", text, "c"),), "Convert it first", healer="language_model")


def test_a_new_cell_above_is_remembered_in_the_words_of_the_copy(healer: MemoryHealer) -> None:
    error = ("TypeError", "unsupported operand type(s) for +: 'int' and 'str'")
    healer.learn(approved(failure("total = a + b", error), inserted("b = int(b)")))
    (found,) = ask(healer, failure("cost = price + fee", error), "price, fee = 1, '2'").patches
    (edit,) = found.edits
    assert isinstance(edit, Insert)
    assert (edit.source, edit.before) == ("fee = int(fee)", "c")
    assert "for a cell of the same structure" in found.why
    assert ask(healer, failure("cost = price - fee", error), "price, fee = 1, '2'").patches == ()
    assert ask(healer, failure("cost = price + fee", error), "price, fee = 1, '2'", edit.source).patches == (), (
        "it is there"
    )


def test_a_new_cell_that_would_overwrite_something_or_reads_what_is_not_there_is_not_proposed(
    healer: MemoryHealer,
) -> None:
    error = ("TypeError", "unsupported operand type(s) for +: 'int' and 'str'")
    healer.learn(approved(failure("total = a + b", error), inserted("clean = convert(b)\nb = clean")))
    copy = failure("cost = price + fee", error)
    assert len(ask(healer, copy, "price, fee = 1, '2'\ndef convert(x): ...").patches) == 1
    assert ask(healer, copy, "price, fee = 1, '2'").patches == (), "there is no convert"
    assert ask(healer, copy, "price, fee, clean = 1, '2', 3\ndef convert(x): ...").patches == (), "clean is the user's"


@pytest.mark.parametrize(
    "edit", [RunCells(("a0",)), Move("a0", "c"), Install("x", "x"), Insert("new", "x = 1", "another")]
)
def test_what_says_nothing_of_another_notebook_is_not_remembered(edit: Any, healer: MemoryHealer) -> None:
    healer.learn(approved(failure(OLD), Patch((Replace("c", OLD, NEW), edit), "Both", healer="rules")))
    assert healer.store.all() == ()


def test_a_syntax_error_is_remembered_for_exactly_that_cell(healer: MemoryHealer) -> None:
    old, new = "for i in x\n    print(i)", "for i in x:\n    print(i)"
    found = failure(old, ("SyntaxError", "expected ':'"), kind=FailureKind.SYNTAX)
    healer.learn(approved(found, patch(old, new)))
    assert ask(healer, found).patches[0].edits == (Replace("c", old, new),)
    assert ask(healer, replace(found, source=old.replace("x\n", "y\n"))).patches == ()


def test_signatures_of_unknown_places_are_empty() -> None:
    assert build_signature(failure(OLD, line=0)) is None
    assert build_signature(failure("", line=1)) is None


def test_entries_can_be_listed_and_forgotten(healer: MemoryHealer) -> None:
    healer.learn(approved(failure(OLD), patch(OLD, NEW)))
    entry = healer.store.all()[0]
    assert (entry.title, entry.headline, entry.origin) == ("Use concat", ": ".join(ERROR), "language_model")
    assert healer.store.forget(entry.id)
    assert not healer.store.forget(entry.id)
    assert ask(healer, failure(OLD)).patches == ()


@pytest.mark.parametrize("damage", [b"this is no database" * 100, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_database_is_set_aside_with_a_clear_error_and_never_reset(damage: bytes, tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_bytes(damage)
    healer = MemoryHealer(path)
    with pytest.raises(MemoryStoreError, match="set aside as") as raised:
        ask(healer, failure(OLD))
    aside = [p for p in tmp_path.iterdir() if "damaged" in p.name]
    assert len(aside) == 1
    assert aside[0].read_bytes() == damage
    assert str(aside[0]) in str(raised.value)
    healer.learn(approved(failure(OLD), patch(OLD, NEW)))
    assert len(ask(healer, failure(OLD)).patches) == 1


def test_a_newer_database_is_not_touched(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "memory.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    with pytest.raises(MemoryStoreError, match="newer release"):
        MemoryStore(path).all()
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MemoryStoreError, match="cannot be used"):
        MemoryHealer(tmp_path / "file" / "memory.sqlite").learn(approved(failure(OLD), patch(OLD, NEW)))
