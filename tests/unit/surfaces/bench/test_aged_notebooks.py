"""Notebooks healed by a list: lists carry names alone, clones are read at a commit, cells are paired, a run goes on where it was cut."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.healers.rules.context.own_repository import names_repository
from jupyter_selfheal.surfaces.bench.notebooks import command
from jupyter_selfheal.surfaces.bench.notebooks.command import format_total
from jupyter_selfheal.surfaces.bench.notebooks.execute import count_cells, list_installs, read_statuses, settle_late
from jupyter_selfheal.surfaces.bench.notebooks.roots import (
    add_roots,
    count_roots,
    format_cells_inside,
    format_classes,
    format_share,
    format_share_of_all,
)
from jupyter_selfheal.surfaces.bench.notebooks.sources import (
    LISTS,
    Entry,
    choose_entries,
    choose_half,
    convert_script,
    find_clone,
    find_list,
    list_absent_files,
    place_notebook,
    read_list,
    take_out,
)
from jupyter_selfheal.surfaces.bench.notebooks.table import read_rows


def ask_git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, str]:
    """A folder with a clone whose large file is absent, and the commit."""
    clone = tmp_path / "who+what" / "repo"
    files = {"deep/nb/a.py": "# In[1]:\n\nprint(1)\n\n# In[ ]:\n\n1 / 0\n", "deep/input/nb/d.csv": "1", "big.csv": "2"}
    for name, text in files.items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(text)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        ask_git(clone, *words)
    blob = ask_git(clone, "rev-parse", "HEAD:big.csv")
    (clone / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    return tmp_path, ask_git(clone, "rev-parse", "HEAD")


@pytest.mark.parametrize(("name", "number"), [("aged", 143), ("relancer", 51)])
def test_our_lists_name_notebooks_and_carry_nothing_of_them(name: str, number: int) -> None:
    path = find_list(name)
    assert LISTS[name].startswith(f"{number} ")
    entries = read_list(path)
    assert len({e.name for e in entries}) == len(entries) == number
    kept = json.loads(path.read_text())["repositories"].values()
    assert all(set(k) <= {"commit", "notebooks", "folders"} and all(map(str.isprintable, k["notebooks"])) for k in kept)


def test_an_entry_is_taken_out_of_a_clone_without_its_absent_files(sources: tuple[Path, str], tmp_path: Path) -> None:
    place, commit = sources
    clone = find_clone(place, "who/what")
    whole = Entry("who/what", commit, "deep/nb/a.py")
    assert take_out(clone, whole, tmp_path / "all") == ["big.csv"]
    assert names_repository(tmp_path / "all", "who/what"), "as a clone of a user's"
    part = Entry("who/what", commit, "deep/nb/a.py", ("deep/input/nb",))
    assert take_out(clone, part, tmp_path / "some") == []
    notebook = place_notebook(tmp_path / "some", part.path)
    assert (notebook.parent / "../../input/nb/d.csv").read_text() == "1"
    assert [c["source"] for c in json.loads(notebook.read_text())["cells"]] == ["print(1)", "1 / 0"]


def test_what_cannot_be_measured_is_said_in_a_line(sources: tuple[Path, str], tmp_path: Path) -> None:
    place, commit = sources
    with pytest.raises(UsageError, match="git clone"):
        find_clone(place, "no/such")
    clone = find_clone(place, "who/what")
    with pytest.raises(UsageError, match="git fetch there first"):
        take_out(clone, Entry("who/what", "0" * 40, "deep/nb/a.py"), tmp_path / "x")
    with pytest.raises(UsageError, match="mend the list"):
        take_out(clone, Entry("who/what", commit, "gone.ipynb"), tmp_path / "x")
    (tmp_path / "list.json").write_text('{"repositories": {"a/b": {"commit": "main", "notebooks": ["x.ipynb"]}}}')
    with pytest.raises(UsageError, match="no commit of 40"):
        read_list(tmp_path / "list.json")


def test_a_list_is_narrowed_by_names_a_draw_and_a_number() -> None:
    entries = [Entry("a/b", "0" * 40, f"{n}.ipynb") for n in range(9)]
    assert choose_entries(entries, ["b/1", "b/7"], 0, 0, 1) == [entries[1], entries[7]]
    assert choose_entries(entries, [], 0, 2, 1) == entries[:2]
    drawn = choose_entries(entries, [], 4, 0, 1)
    assert drawn == choose_entries(entries, [], 4, 0, 1) == sorted(drawn, key=entries.index)
    assert len(drawn) == 4
    assert choose_entries(entries, [], 4, 2, 1) == drawn[:2]


def test_every_second_notebook_by_name_judges_and_no_other_list_has_halves() -> None:
    path = find_list("relancer")
    entries = read_list(path)
    tune, judge = (choose_half(path, entries, half) for half in ("tune", "judge"))
    assert [e.name for e in tune] == sorted(e.name for e in entries)[::2]
    assert set(judge) == set(entries) - set(tune)
    assert (len(tune), len(judge)) == (26, 25)
    assert choose_half(path, entries[::-1], "judge") == judge[::-1], "by name, whatever the list's order is"
    assert choose_half(path, entries, "all") == entries
    aged = find_list("aged")
    assert choose_half(aged, read_list(aged), "all") == read_list(aged)
    with pytest.raises(UsageError, match=r"aged\.json has no halves: all of it was developed on"):
        choose_half(aged, read_list(aged), "judge")


def refuse(*words: object) -> str:
    with pytest.raises(UsageError) as caught:
        command.command([str(word) for word in words])
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_wrong_command_is_refused_before_anything_runs(tmp_path: Path) -> None:
    assert "git clone https://github.com/" in refuse("relancer", tmp_path)
    assert "no notebook is left of relancer.json: see --only" in refuse("relancer", tmp_path, "--only", "no such")
    assert "--heal needs {in} and {out}" in refuse("relancer", tmp_path, "--heal", "sh run.sh")
    assert "put --healers into it" in refuse("relancer", tmp_path, "--heal", "x {in} {out}", "--healers", "rules")
    (tmp_path / "list.json").write_text("[]")
    assert "is no list of notebooks" in refuse("aged", tmp_path, "--list", tmp_path / "list.json")


def write_list(folder: Path, commit: str) -> Path:
    path = folder / "mine.json"
    kept = {"who/what": {"commit": commit, "notebooks": ["deep/nb/a.py"]}}
    path.write_text(json.dumps({"halves": True, "repositories": kept}))
    return path


COPY = f'{sys.executable} -c "import shutil, sys; shutil.copy(*sys.argv[1:])" {{in}} {{out}}'
"""A program that heals nothing."""
MEND = f"{sys.executable} -c \"import pathlib as p, sys; p.Path(sys.argv[2]).write_text(p.Path(sys.argv[1]).read_text().replace('1 / 0', '1 / 1'))\" {{in}} {{out}}"


@pytest.mark.kernel
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="run without a network by unshare")
def test_a_run_goes_on_behind_the_rows_that_are_whole(
    sources: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, commit = sources
    rows, listed = tmp_path / "rows.jsonl", write_list(tmp_path, commit)
    ledger, traces = tmp_path / "ledger.jsonl", tmp_path / "traces"
    words = ["aged", str(place), "--list", str(listed), "--heal", MEND, "--rows", str(rows), "--ledger", str(ledger)]
    words += ["--half", "tune", "--traces", str(traces)]
    assert command.command(words) == 0
    assert "healed   1 of   1 (2 cells), lost 0" in capsys.readouterr().out
    rows.write_text(rows.read_text() + '{"list": "mi')  # a run that was killed while it wrote
    assert command.command([*words, "--runs", "2"]) == 0
    looks = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert [(look["set"], look["half"], look["tasks"]) for look in looks] == [("mine.json", "tune", 1)] * 2
    assert sorted(p.name for p in (traces / "who+what+deep+nb+a.py.2").iterdir()) == [
        "given.ipynb",
        "healed.ipynb",
        "printed.txt",
    ]
    first, second = read_rows(rows)
    assert (first["run"], second["run"]) == (1, 2)
    assert first["command"] == "jupyter selfheal bench aged CLONES --list LIST --half tune --heal COMMAND --rows FILE"
    assert str(tmp_path) not in rows.read_text()
    assert "1 × 2 notebooks" in capsys.readouterr().out.splitlines()[-3]
    assert (
        "roots healed: 0 of 1 (0%) of all; of those that hang on nothing outside, as the heal itself says: 0 of 1 (0%); left: not told 1"
        in format_total([first])
    )
    assert "tune another command, " in refuse(*words, "--stage", "first")
    said = refuse("aged", place, "--list", listed, "--heal", COPY, "--rows", rows)
    assert "holds rows of mine.json tune another command" in said
    assert "name another file" in said


def test_cells_are_paired_by_where_they_were() -> None:
    before, _ = read_statuses([{"status": s} for s in ("ran", "failed", "failed", "ran")])
    healed = [
        {"status": "failed", "inserted": True},
        {"status": "ran", "origin": 2},
        {"status": "ran", "origin": 0},
        {"status": "failed", "origin": 1},
    ]
    found = count_cells(before, *read_statuses(healed))
    assert found == {"cells": 4, "failing": 2, "healed": 1, "lost": 1, "cut": 0, "inserted_failing": 1}


def test_a_cell_that_ran_and_ends_in_its_time_limit_now_is_cut_off_and_not_lost() -> None:
    before, after = settle_late(
        {0: "ran", 1: "ran", 2: "late", 3: "failed", 4: "late"},
        {0: "late", 1: "failed", 2: "late", 3: "late", 4: "ran"},
    )
    found = count_cells(before, after, 0)
    assert found == {"cells": 5, "failing": 3, "healed": 1, "lost": 1, "cut": 1, "inserted_failing": 0}


def print_report(*cells: dict[str, object]) -> bytes:
    """What ``heal --json`` prints of a notebook with these failing cells, the first of them number 1."""
    return json.dumps({"notebooks": [{"cells": [{"cell": n, **cell} for n, cell in enumerate(cells, 1)]}]}).encode()


def test_roots_are_told_by_what_the_report_says_they_hang_on() -> None:
    printed = print_report(
        {"status": "healed"},
        {"status": "healed"},
        {"status": "runs again", "cascade_of": 1},
        {"status": "ran"},
        {"status": "left alone", "skip_reason": "network"},
        {"status": "cascade", "cascade_of": 5},
        {"status": "meant to fail", "skip_reason": "deliberate"},
        {"status": "not healed", "kind": "timed_out"},
        {"status": "proposed", "kind": "raised"},
        {"status": "left alone", "skip_reason": "own check"},
        {"status": "left alone", "skip_reason": "network"},
    )
    before = dict.fromkeys(range(11), "failed")
    after = {**before, 0: "ran", 2: "ran", 3: "ran"}
    roots = count_roots(printed, before, after)
    assert roots == {"follows": 2, "network": 2, "follows from outside": 1, "healed": 1, "taken back": 1, "deliberate": 1, "time limit": 1, "offered": 1, "own check": 1}  # fmt: skip
    assert format_share(roots) == "1 of 5 (20%)", (
        "what is healed in the report and does not run afterwards is not healed"
    )
    assert format_share_of_all(roots) == "1 of 8 (12%)", "whatever the heal says that they hang on"
    assert (
        format_classes(roots)
        == "offered 1, taken back 1, own check 1, time limit 1; outside: network 2, deliberate 1; follows 2, follows from outside 1"
    )
    assert format_cells_inside([{"roots": roots, "healed": 3}]) == "3 of 7 (43%)"


def test_roots_of_a_heal_that_reported_nothing_are_not_told_and_count_as_not_healed() -> None:
    before = {0: "ran", 1: "failed", 2: "failed"}
    for printed in (b"", b"no JSON", b"[]", b'{"notebooks": [{}]}'):
        assert count_roots(printed, before, before) == {"not told": 2}
    assert count_roots(print_report({"status": "ran"}, {"status": "ran"}), before, before) == {"not told": 2}
    assert format_share({"not told": 2}) == "0 of 2 (0%)"
    assert (format_share(None), format_classes(None)) == ("–", "–"), "rows of before do not tell them"
    assert format_classes({"healed": 3}) == "nothing"
    assert add_roots([{"roots": {"healed": 1}}, {}, {"roots": {"healed": 1, "follows": 4}}]) == {
        "follows": 4,
        "healed": 2,
    }


def test_a_cell_that_the_heal_never_saw_fail_follows_only_below_a_healed_one() -> None:
    before = dict.fromkeys(range(3), "failed")
    after = dict.fromkeys(range(3), "ran")
    printed = print_report({"status": "ran"}, {"status": "healed"}, {"status": "ran"})
    assert count_roots(printed, before, after) == {"not told": 1, "healed": 1, "follows": 1}
    assert count_roots(printed, before, {**after, 1: "failed"}) == {"not told": 2, "taken back": 1}


def test_a_missing_module_is_inside_where_the_heal_may_install() -> None:
    roots = {"healed": 1, "missing module": 1}
    without, allowed = ({"roots": roots, "settings": words} for words in ("--timeout 3", "--timeout 3 --install"))
    assert format_share(add_roots([without])) == "1 of 1 (100%)"
    assert format_share(add_roots([allowed])) == "1 of 2 (50%)"
    assert format_share_of_all(add_roots([without])) == format_share_of_all(add_roots([allowed])) == "1 of 2 (50%)"
    assert format_classes(add_roots([without, allowed])) == "module not installed 1; outside: missing module 1"


def test_what_stands_before_an_error_that_is_meant_is_no_root_inside() -> None:
    before = dict.fromkeys(range(4), "failed")
    printed = print_report(
        {"status": "not healed", "detail": "fixed the first problem (Print); next: NameError (line 2), an error that the notebook means to raise"},
        {"status": "not healed", "detail": "no working fix found"},
        {"status": "left alone", "skip_reason": "missing module", "failure": "ModuleNotFoundError: No module named 'plots_of_mine'"},
        {"status": "left alone", "skip_reason": "missing module", "failure": "ModuleNotFoundError: No module named 'gensim.models'"},
    )  # fmt: skip
    roots = count_roots(printed, before, before)
    assert roots == {"deliberate": 1, "no fix found": 1, "module of no known distribution": 1, "missing module": 1}
    assert format_share(add_roots([{"roots": roots, "settings": "--install"}])) == "0 of 2 (0%)"


@pytest.mark.parametrize(
    "source",
    [
        "pd.read_sql_query('SELECT * FROM main.staff', link)",
        "pd.read_sql('staff.csv', link)",
        "pd.read_csv('staff_%s.csv' % year)",
        "pd.read_csv('staff_{}.csv'.format(year))",
        "pd.read_csv(f'staff_{year}.csv')",
        "pd.read_csv('staff' + year)",
        "pd.read_csv('staff.' + ending)",
        "pd.read_csv('staff.d' 'b')",
        "pd.read_table('staff')",
        "staff.to_csv('staff.csv')\npd.read_csv('staff.csv')",
        "with open('out/staff.csv', 'w') as file: pass\npd.read_csv('out/staff.csv')",
        "%%writefile staff.csv\na,b\n# In[ ]:\npd.read_csv('./staff.csv')",
        "name = 'staff.csv'; staff.to_csv(name)\npd.read_csv('staff.csv')",
    ],
)
def test_what_is_no_file_that_has_to_be_there_is_not_absent(source: str, tmp_path: Path) -> None:
    notebook = tmp_path / "kiosk.ipynb"
    notebook.write_text(json.dumps(convert_script(f"# In[ ]:\n{source}\n")))
    assert list_absent_files(notebook) == []


def test_a_notebook_whose_own_file_is_not_there_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "exp" / "nb" / "kiosk"
    folder.mkdir(parents=True)
    (tmp_path / "exp" / "sales.csv").write_text("a,b\n1,2\n")
    source = (
        'import pandas as pd\nhere = pd.read_csv("../../sales.csv")\ngone = pd.read_csv(\'../../staff.csv\', sep=";")\n'
        '# old = pd.read_csv("older.csv")\nfar = pd.read_csv("https://example.org/far.csv")\nname = "x"; pd.read_csv(name)'
    )
    notebook = folder / "kiosk.ipynb"
    notebook.write_text(json.dumps(convert_script(f"# In[ ]:\n{source}\n")))
    assert list_absent_files(notebook) == ["../../staff.csv"]


def test_what_inserted_cells_install_is_told_from_what_the_notebook_does(tmp_path: Path) -> None:
    cells = [
        ("%pip install tabulate\n", {"selfheal": {"inserted": True}}),
        ("%pip install other", {}),
        ("import tabulate", {}),
    ]
    made = [{"cell_type": "code", "source": text, "metadata": about, "outputs": []} for text, about in cells]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": made}))
    assert list_installs(tmp_path / "n.ipynb") == ["tabulate"]


def test_the_cells_that_a_moved_one_has_passed_keep_their_numbers() -> None:
    before, _ = read_statuses([{"status": s} for s in ("ran", "failed", "failed", "ran", "ran")])
    after = read_statuses([{"status": s, **more} for s, more in (("ran", {}), ("ran", {"origin": 3}), ("ran", {}), ("failed", {}), ("ran", {}))])  # fmt: skip
    assert after[0] == {0: "ran", 3: "ran", 1: "ran", 2: "failed", 4: "ran"}
    found = count_cells(before, *after)
    assert (found["failing"], found["healed"], found["lost"]) == (2, 1, 0)
