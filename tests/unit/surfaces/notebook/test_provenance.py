"""What a healed notebook tells of its fixes, and taking them back."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import Case, Insert, Move, Patch, Replace
from jupyter_selfheal.surfaces.cli import main
from jupyter_selfheal.surfaces.notebook.outputs import build_healed_notebook
from jupyter_selfheal.surfaces.notebook.provenance import add_provenance, list_applied_fixes, revert_fixes
from jupyter_selfheal.surfaces.notebook.read import Document, read
from jupyter_selfheal.surfaces.notebook.save import save_healed
from tests.batches import batch, cell

Make = Callable[..., Document]


def heals(case: Case) -> Iterator[Patch]:
    """A slip in the cell itself, a definition that is missing above, a cell that stands too far below."""
    here, source = case.failure.cell_id, case.failure.source
    if "uper" in source:
        yield Patch((Replace(here, source, source.replace("uper", "upper")),), "Write `upper`", rule="NAM101")
    if "missing" in source:
        yield Patch((Insert("new", "missing = 1\n", here),), "Define `missing`, key sk-ant-api03-" + "a" * 90)
    if "below" in source:
        last = case.notebook.cells[-1]
        edits = (Move(last.id, here), Replace(here, source, source.replace("belows", "below")))
        yield Patch(edits, "Move the cell up", healer="search")


def heal(document: Document) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the notebook as it was, the healed one)."""
    report, seen = batch(document, heals).run()
    raw = build_healed_notebook(document, report, seen, in_place=True)
    add_provenance(raw, document, report)
    return copy.deepcopy(dict(document.raw)), json.loads(json.dumps(raw))


def without_results(raw: dict[str, Any]) -> list[dict[str, Any]]:
    return [{k: v for k, v in c.items() if k not in ("outputs", "execution_count")} for c in raw["cells"]]


CELLS = (
    "x = 'a'",
    cell("# one\ny = x.uper()\n# two", metadata={"tags": ["keep"], "selfheal": {"expensive": True}}),
    "print('healthy')",
    "missing + 1",
    "belows + 1 if False else below",
    "below = 3",
)


def test_each_healed_cell_says_what_was_changed_by_whom_and_why(document: Make) -> None:
    _, healed = heal(document(*CELLS[:3]))
    fixes = list_applied_fixes(healed)
    assert [(f.cells, f.what, f.by, f.score, f.evidence) for f in fixes] == [
        ((2,), "Write `upper`", "rule NAM101", 8.0, ("it runs",))
    ]
    assert "selfheal" not in json.dumps([healed["cells"][0], healed["cells"][2]]), "healthy cells stay as they are"
    assert len(json.dumps(healed["cells"][1]["metadata"]["selfheal"]["healed"])) < 400


def test_cells_are_numbered_as_in_the_table_and_taken_back_by_that_number(document: Make) -> None:
    title = {"cell_type": "markdown", "metadata": {}, "source": "# A title"}
    opened = document(title, cell(""), "x = 'a'", cell("print(x.uper())"))
    report, _ = batch(opened, heals).run()
    given, healed = heal(opened)
    assert [r.number for r in report.records if r.candidate] == [2]
    assert [f.cells for f in list_applied_fixes(healed)] == [(2,)]
    reverted, _ = revert_fixes(healed, "n.ipynb", cell=2)
    assert without_results(reverted) == without_results(given)


def test_a_long_title_ends_in_dots_where_it_is_cut(document: Make) -> None:
    def heals_at_length(case: Case) -> Iterator[Patch]:
        yield from (replace(patch, title=patch.title * 30) for patch in heals(case))

    opened = document("print('a'.uper())")
    report, seen = batch(opened, heals_at_length).run()
    raw = build_healed_notebook(opened, report, seen, in_place=True)
    add_provenance(raw, opened, report)
    (fix,) = list_applied_fixes(raw)
    assert (fix.what[-1], len(fix.what)) == ("…", 240)


def test_no_secret_is_told(document: Make) -> None:
    _, healed = heal(document("missing + 1"))
    assert "Define `missing`" in json.dumps(healed)
    assert "a" * 40 not in json.dumps(healed)


def test_all_is_taken_back_exactly(document: Make) -> None:
    given, healed = heal(document(*CELLS))
    assert len(healed["cells"]) == 7
    assert without_results(healed) != without_results(given)
    reverted, said = revert_fixes(healed, "n.ipynb")
    assert without_results(reverted) == without_results(given)
    assert len(said) == 3
    assert list_applied_fixes(reverted) == []


def test_one_fix_or_one_cell_is_taken_back_and_the_others_stay(document: Make) -> None:
    given, healed = heal(document(*CELLS[:4]))
    first, second = list_applied_fixes(healed)
    by_fix, _ = revert_fixes(healed, "n.ipynb", fix=first.id[:4])
    by_cell, _ = revert_fixes(healed, "n.ipynb", cell=2)
    assert by_fix == by_cell
    assert without_results(by_fix)[1] == without_results(given)[1]
    assert [f.what for f in list_applied_fixes(by_fix)] == [second.what]


def test_a_cell_that_was_healed_twice_goes_back_step_by_step(document: Make, tmp_path: Path) -> None:
    given, once = heal(document("x = 'a'.uper()"))
    once["cells"][0]["source"] = ["x = 'a'.upper().uper()"]
    (tmp_path / "given.ipynb").write_text(json.dumps(once))
    _, twice = heal(read(tmp_path / "given.ipynb"))
    assert len(list_applied_fixes(twice)) == 2 or len(twice["cells"][0]["metadata"]["selfheal"]["healed"]) == 2
    entries = twice["cells"][0]["metadata"]["selfheal"]["healed"]
    entries[1]["fixes"][0]["id"] = "ffffffff"
    reverted, _ = revert_fixes(twice, "n.ipynb", fix="ffff")
    assert reverted["cells"][0]["source"] == once["cells"][0]["source"]
    with pytest.raises(NotebookError, match="ffffffff came with it or after it"):
        revert_fixes(twice, "n.ipynb", fix=entries[0]["fixes"][0]["id"])
    assert given["cells"][0]["source"] == ["x = 'a'.uper()"]


def test_a_cell_that_was_edited_since_is_not_touched(document: Make) -> None:
    _, healed = heal(document("x = 'a'.uper()"))
    healed["cells"][0]["source"] = ["x = 'b'.upper()"]
    with pytest.raises(NotebookError, match="cell 1 was edited since it was healed"):
        revert_fixes(healed, "n.ipynb")


def test_what_is_not_told_of_cannot_be_taken_back(document: Make) -> None:
    raw = dict(document("x = 1").raw)
    for more in ({}, {"fix": "abc"}, {"cell": 1}):
        with pytest.raises(NotebookError, match="does not tell of"):
            revert_fixes(raw, "n.ipynb", **more)
    raw["cells"][0]["metadata"] = {"selfheal": {"healed": [{"fixes": "odd"}]}}
    assert list_applied_fixes(raw) == []


def test_revert_gives_back_the_file_byte_by_byte(
    document: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / ".data"))
    error = [{"output_type": "error", "ename": "AttributeError", "evalue": "x", "traceback": ["odd  form"]}]
    given = document("x = 'a'", cell("print(x.uper())", outputs=error, execution_count=9))
    before = given.path.read_bytes()
    report, seen = batch(given, heals).run()
    save_healed(given, report, seen, given.path, provenance=True)
    assert given.path.read_bytes() != before
    assert main(["log", str(given.path)]) == 0
    assert "cell 2: Write `upper`" in capsys.readouterr().out
    assert main(["revert", str(given.path)]) == 0
    assert given.path.read_bytes() == before
    assert "byte by byte" in capsys.readouterr().out
    assert main(["revert", str(given.path)]) == 2


def test_a_file_that_was_removed_meanwhile_is_not_made_again(document: Make) -> None:
    given = document("x = 'a'.uper()")
    report, seen = batch(given, heals).run()
    given.path.unlink()
    with pytest.raises(NotebookError, match="removed while it was being healed"):
        save_healed(given, report, seen, given.path)
    assert not given.path.exists()


def test_without_a_fix_a_file_is_not_touched(document: Make) -> None:
    given = document("x = 1", "x")
    before = given.path.read_bytes(), given.path.stat().st_mtime_ns
    report, seen = batch(given).run()
    assert save_healed(given, report, seen, given.path, provenance=True).written == ""
    assert (given.path.read_bytes(), given.path.stat().st_mtime_ns) == before


def test_the_notebook_itself_by_another_name_is_healed_in_place(
    document: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not written where nothing was healed, never over what somebody saved meanwhile, and can be given back."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / ".data"))
    given = document("x = 'a'.uper()")
    link = tmp_path / "link.ipynb"
    link.symlink_to(given.path)
    held = given.path.read_bytes()
    report, seen = batch(given).run()
    assert save_healed(given, report, seen, link).written == ""
    report, seen = batch(given, heals).run()
    given.path.write_bytes(held.replace(b"uper", b"uppper"))
    with pytest.raises(NotebookError, match="changed on disk while it was being healed"):
        save_healed(given, report, seen, link)
    given.path.write_bytes(held)
    save_healed(given, report, seen, link, provenance=True)
    assert link.is_symlink()
    assert main(["revert", str(given.path)]) == 0
    assert given.path.read_bytes() == held


def test_of_two_healers_of_one_file_the_second_overwrites_nothing(
    document: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / ".data"))
    given = document("x = 'a'.uper()")
    report, seen = batch(given, heals).run()
    save_healed(given, report, seen, given.path, provenance=True)
    first = given.path.read_bytes()
    with pytest.raises(NotebookError, match="changed on disk while it was being healed"):
        save_healed(given, replace(report, notes=()), seen, given.path, provenance=True)
    assert given.path.read_bytes() == first


@pytest.mark.parametrize("metadata", [{"selfheal": "yes"}, {"selfheal": [1]}, {"selfheal": None}, {}, None])
def test_metadata_that_are_no_table_are_named_and_do_not_stop_a_heal(document: Make, metadata: Any) -> None:
    given = document({**cell("'a'.uper()"), "metadata": metadata}, cell("1"))
    _, healed = heal(given)
    assert healed["cells"][0]["source"] == ["'a'.upper()"]
    assert [fix.what for fix in list_applied_fixes(healed)] == ["Write `upper`"]
    is_wrong = bool((metadata or {}).get("selfheal"))
    assert any("selfheal metadata must be a table" in note for note in given.notes) is is_wrong
