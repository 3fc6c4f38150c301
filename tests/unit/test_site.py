"""The site's reference pages are written from the code (``make docs`` builds the whole)."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.surfaces.notebook.read import ORACLE_KEYS
from jupyter_selfheal.testing.text_notebook import parse_file, parse_notebook
from tests.shown_commands import ROOT


@pytest.fixture(scope="module")
def writer() -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield runpy.run_path(str(ROOT / "docs" / "write_reference.py"))


def test_every_rule_setting_and_command_has_its_place(writer: dict[str, Any], tmp_path: Path) -> None:
    writer["write_reference"](tmp_path, run=False)
    assert {p.stem for p in (tmp_path / "rules").glob("*.md")} >= {r.code for r in load_rules()}
    settings = (tmp_path / "settings.md").read_text()
    assert all(f"| `{f.name}` |" in settings for f in fields(HealConfig))
    assert "## heal\n" in (tmp_path / "commands.md").read_text()


def test_a_message_leads_to_its_rule(writer: dict[str, Any]) -> None:
    assert "| NameError: name 'temprature' is not defined | [NAM101](rules/NAM101.md) |" in writer["format_messages"]()
    page = dict(writer["list_rule_pages"](run=False))["rules/NAM101.md"]
    assert "## NameError: name 'temprature' is not defined" in page
    assert "temperature * 2" in page


def test_a_rules_page_shows_what_its_example_gave_when_it_ran(writer: dict[str, Any]) -> None:
    (example, *_) = parse_file(ROOT / "tests" / "golden" / "NAM101.txt")
    run_example, is_shown = (
        writer["run_examples"].__globals__["run_example"],
        writer["run_examples"].__globals__["is_shown"],
    )
    assert is_shown(example)
    ran = run_example(example)
    assert ran == {"failure": "NameError: name 'temprature' is not defined", "output": "22\n43.0"}
    page = writer["_format_rule"]("NAM101", "NAM101: misspelt name", "", {example.title: ran})
    assert ":class: failure\n\nNameError: name 'temprature'" in page
    assert ":class: output\n\n22\n43.0" in page


def test_an_address_in_a_rules_words_is_a_link(writer: dict[str, Any]) -> None:
    link = writer["link_addresses"]
    assert link("as said (https://a.org/b.html, 2.0).") == "as said (<https://a.org/b.html>, 2.0)."
    assert link("see https://a.org/b.") == "see <https://a.org/b>."
    same = "`read('https://a.org/b')` and <https://a.org> and [it](https://a.org/c)"
    assert link(same) == same


def test_every_example_of_a_page_is_one_that_is_run(writer: dict[str, Any]) -> None:
    is_shown = writer["run_examples"].__globals__["is_shown"]
    for path in (ROOT / "tests" / "golden").glob("*.txt"):
        on_page = [e.title for e in writer["list_examples"](path.stem)][: writer["SHOWN"]]
        assert on_page == [e.title for e in parse_file(path) if is_shown(e)][: writer["SHOWN"]], path


def test_a_page_says_since_when_its_rule_is_there(writer: dict[str, Any]) -> None:
    page = dict(writer["list_rule_pages"](run=False))["rules/NAM101.md"]
    assert "(in the repository since 2026-11-21)." in page
    since = writer["describe_since"]
    assert writer["list_releases"]("# C\n\n## 0.2.0 (unreleased)\n\n## 0.1.0 (2026-12-01)\n") == [
        ("0.1.0", "2026-12-01"),
        ("0.2.0", ""),
    ]
    releases, days = [("0.1.0", "2026-12-01"), ("0.2.0", "")], {"AAA101": "2026-11-21", "BBB101": "2026-12-02"}
    assert (
        since("AAA101", days, releases) == "Since 0.1.0, released on 2026-12-01 (in the repository since 2026-11-21)."
    )
    assert since("BBB101", days, releases) == "Since 0.2.0, not yet released (in the repository since 2026-12-02)."
    assert since("CCC101", days, releases) == "Since 0.2.0, not yet released."


def test_what_a_release_removed_stands_in_a_table_with_its_successor(writer: dict[str, Any]) -> None:
    pages = dict(writer["list_table_pages"]())
    numpy = pages["removed/numpy.md"]
    assert "| `numpy.float` | `float` |" in numpy
    assert "## numpy 1.24" in numpy
    assert "\nAttributeError: module 'numpy' has no attribute 'float'\n" in numpy
    known = load_knowledge()
    shown = "\n".join(text for name, text in pages.items() if name.startswith("removed/"))
    entries = [*known.modules.values(), *known.names.values(), *known.methods.values()]
    assert [c.old for c in entries if f"| `{c.old}` |" not in shown] == []
    assert [k for k in known.keywords if f"`{k}=" not in shown] == []


def test_every_key_event_and_field_of_the_report_is_named(writer: dict[str, Any]) -> None:
    pages = dict(writer["list_table_pages"]())
    assert [key for key in ORACLE_KEYS if f"| `{key}` |" not in pages["metadata.md"]] == []
    assert [n for n in ("Started", "TrialEnded", "Ended") if f"## {n}\n" not in pages["events.md"]] == []
    assert "| `survived_clean_run` | boolean |" in pages["report.md"]
    assert "## heal_all\n" in pages["api.md"]
    assert ":func:" not in pages["api.md"]


def test_a_label_of_an_example_is_no_part_of_its_message(writer: dict[str, Any]) -> None:
    assert (
        writer["read_message"]("matrix: TypeError: np.matrix is not supported")
        == "TypeError: np.matrix is not supported"
    )
    assert writer["read_message"]("KeyError: 'a: B'") == "KeyError: 'a: B'"
    assert writer["read_message"]("TypeError: no such … (2)") == "TypeError: no such …"


def test_help_texts_fit_their_pages(writer: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = writer["format_commands"]().splitlines()
    assert sum(len(line) > writer["WIDTH"] for line in lines) < len(lines) / 20


def test_what_the_threats_page_names_as_its_tests_is_there() -> None:
    named = set(re.findall(r"`(tests/[\w/.]+)`", (ROOT / "docs" / "threats.md").read_text("utf-8")))
    assert len(named) >= 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_a_page_that_did_not_change_is_left_alone(writer: dict[str, Any], tmp_path: Path) -> None:
    writer["write_reference"](tmp_path, run=False)
    (tmp_path / "index.md").write_text("old")
    before = (tmp_path / "settings.md").stat().st_mtime_ns
    writer["write_reference"](tmp_path, run=False)
    assert (tmp_path / "settings.md").stat().st_mtime_ns == before
    assert (tmp_path / "index.md").read_text() == writer["INDEX"]


@pytest.fixture(scope="module")
def gallery() -> Iterator[Any]:
    """``docs/write_gallery.py`` as a module."""
    spec = importlib.util.spec_from_file_location("write_gallery", ROOT / "docs" / "write_gallery.py")
    assert spec
    assert spec.loader
    module = sys.modules["write_gallery"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["write_gallery"]


EXHIBIT = """# %% [markdown]
# A title

Words.
# %% {"outcome": "proposed"}
xs[3]
# %%
prise
# %% [becomes]
price
"""


def exhibit(gallery: Any, *, second: str = "healed", source: str = "price") -> Any:
    rows: list[dict[str, Any]] = [
        {"cell": n, "id": f"cell-0{n}", "status": status, "failure": "Error: a|b", "cause": "Why.", "detail": "So."}
        | {
            "fix": {
                "title": "Change `x|y`",
                "score": 7.0,
                "diff": "@@\n+x",
                "proven_from": ["before"],
                "rule": "NAM101",
            }
        }
        for n, status in ((1, "proposed"), (2, second))
    ]
    cells = {"cell-01": {"id": "cell-01", "source": ["xs[3]"], "outputs": []}}
    cells["cell-02"] = {"id": "cell-02", "source": [source], "outputs": [{"text": ["20\n"]}]}
    report = {"cells": rows, "summary": "2 code cells", "doubts": []}
    return gallery.Exhibit("name", parse_notebook(EXHIBIT), report, cells)


def test_the_gallery_cannot_show_what_was_not_expected(gallery: Any) -> None:
    assert [*gallery.list_differences(exhibit(gallery))] == []
    assert [*gallery.list_differences(exhibit(gallery, second="not healed"))] == [
        "name, cell 3: not healed, expected healed"
    ]
    assert "became 'prize', expected 'price'" in next(gallery.list_differences(exhibit(gallery, source="prize")))


def test_a_notebook_of_the_gallery_is_a_page(gallery: Any, tmp_path: Path) -> None:
    page = gallery.format_page(exhibit(gallery), tmp_path)
    assert "-prise\n+price\n" in page
    assert "| 2 | healed | Error: a\\|b | Change `x\\|y` | 7 |" in page
    assert ":class: output\n\n20\n" in page


def test_every_notebook_of_the_gallery_says_what_must_come_of_it(gallery: Any) -> None:
    texts = {path.stem: parse_notebook(path.read_text("utf-8")) for path in gallery.SOURCES.glob("*.txt")}
    assert len(texts) == 12
    for name, text in texts.items():
        outcomes = {o for pair in zip(text.cells, text.healed, strict=True) for o in gallery.list_outcomes(*pair)}
        assert outcomes > {"ran"}, name
        assert text.cells[0].source.startswith("# "), name


def test_a_sentence_of_a_box_that_a_later_one_says_again_is_said_once(gallery: Any) -> None:
    join = gallery._join_sentences
    assert join("`+` should be `-`", "`+` should be `-`") == "`+` should be `-`."
    assert join("It is flaky.", "It is flaky. Set a seed.") == "It is flaky. Set a seed."
    assert join("A colon is missing", "Add it") == "A colon is missing. Add it."
    assert join("", "") == ""


FAKE_SEARCH = """
const pages = [["keyerror", "key", "column"], ["keyerror", "total"], ["nameerror", "defin"]];
const terms = {};
pages.forEach((words, page) => words.forEach((word) => (terms[word] = [terms[word] ?? []].flat().concat(page))));
terms.defin = 2;  // Sphinx's index has a number where there is one page
globalThis.Search = {
  _index: {terms, titleterms: {}},
  _performSearch: (query, words) =>
    pages.map((_, page) => page).filter((page) => [...words].every((word) => [terms[word] ?? []].flat().includes(page))),
};
globalThis.document = {addEventListener: (_, begin) => { globalThis.begin = begin; }};
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node")
def test_a_pasted_message_is_found_whatever_names_of_ones_own_are_in_it() -> None:
    asked = [["keyerror", "pricce"], ["nameerror", "total", "defin"], ["keyerror", "total"], ["pricce"]]
    script = (ROOT / "docs" / "_static" / "search_own_names.js").read_text(encoding="utf-8")
    ask = f"begin(); console.log(JSON.stringify({asked}.map((words) => Search._performSearch('', new Set(words)))))"
    ran = subprocess.run(["node", "-e", f"{FAKE_SEARCH}\n{script}\n{ask}"], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [[0, 1], [2], [1], []]
    assert '"search_own_names.js"' in (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
