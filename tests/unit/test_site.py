"""The site's reference pages are written from the code (``make docs`` builds the whole)."""

from __future__ import annotations

import runpy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.rules.healer import load_rules
from tests.shown_commands import ROOT


@pytest.fixture(scope="module")
def writer() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "write_reference.py"))


def test_every_rule_setting_and_command_has_its_place(writer: dict[str, Any], tmp_path: Path) -> None:
    writer["write_reference"](tmp_path)
    assert {p.stem for p in (tmp_path / "rules").glob("*.md")} >= {r.code for r in load_rules()}
    settings = (tmp_path / "settings.md").read_text()
    assert all(f"| `{f.name}` |" in settings for f in fields(HealConfig))
    assert "## heal\n" in (tmp_path / "commands.md").read_text()


def test_a_message_leads_to_its_rule(writer: dict[str, Any]) -> None:
    assert "| NameError: name 'temprature' is not defined | [NAM101](rules/NAM101.md) |" in writer["format_messages"]()
    page = dict(writer["list_rule_pages"]())["rules/NAM101.md"]
    assert "## NameError: name 'temprature' is not defined" in page
    assert "temperature * 2" in page


def test_a_page_that_did_not_change_is_left_alone(writer: dict[str, Any], tmp_path: Path) -> None:
    writer["write_reference"](tmp_path)
    (tmp_path / "index.md").write_text("old")
    before = (tmp_path / "settings.md").stat().st_mtime_ns
    writer["write_reference"](tmp_path)
    assert (tmp_path / "settings.md").stat().st_mtime_ns == before
    assert (tmp_path / "index.md").read_text() == writer["INDEX"]
