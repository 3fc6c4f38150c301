"""What a repository shows a stranger: how to report, how to cite, and how a release would go out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.shown_commands import ROOT

yaml = pytest.importorskip("yaml", reason="what CI installs brings it along")


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_a_bug_report_asks_for_what_is_needed() -> None:
    fields = {part["id"]: part["attributes"] for part in read(".github/ISSUE_TEMPLATE/bug.yml")["body"]}
    assert "jupyter selfheal report-bug" in fields["doctor"]["label"]
    assert "jupyter selfheal doctor" in fields["doctor"]["description"]
    assert "jupyter selfheal trace" in fields["journal"]["description"]


def test_the_citation_has_what_its_format_asks_for() -> None:
    assert {"cff-version", "message", "title", "authors"} <= set(read("CITATION.cff"))


def test_a_release_is_published_without_a_stored_token() -> None:
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    jobs = read(".github/workflows/publish.yml")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write", "attestations": "write"}
    assert "secrets." not in text
    assert "permissions" not in jobs["build"], "the job that runs our build has no right to publish"
