"""What a repository shows a stranger: how to report, how to cite, and how a release would go out."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

import jupyter_selfheal
from tests.shown_commands import ROOT

yaml = pytest.importorskip("yaml", reason="what CI installs brings it along")


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_a_bug_report_asks_for_what_is_needed() -> None:
    fields = {part["id"]: part["attributes"] for part in read(".github/ISSUE_TEMPLATE/bug.yml")["body"]}
    assert "jupyter selfheal report-bug" in fields["doctor"]["label"]
    assert "jupyter selfheal doctor" in fields["doctor"]["description"]
    assert "jupyter selfheal trace" in fields["journal"]["description"]


def test_the_conda_recipe_asks_for_what_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = read("conda/recipe.yaml")
    needed = [f"python {project['requires-python']}", *project["dependencies"]]
    assert sorted(r.replace(" ", "") for r in recipe["requirements"]["run"]) == sorted(
        n.replace(" ", "") for n in needed
    )
    assert recipe["context"]["version"] == jupyter_selfheal.__version__
    assert recipe["about"]["license"] == project["license"]


def test_the_citation_has_what_its_format_asks_for() -> None:
    assert {"cff-version", "message", "title", "authors"} <= set(read("CITATION.cff"))


def test_a_release_is_published_without_a_stored_token() -> None:
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    jobs = read(".github/workflows/publish.yml")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write", "attestations": "write"}
    assert "secrets." not in text
    assert "permissions" not in jobs["build"], "the job that runs our build has no right to publish"
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in used), "named by commit: a tag can be moved"


def test_modules_of_the_page_are_numbered_without_paths() -> None:
    """Two wheels of one commit are equal byte for byte: by default the numbers are made from paths, pip's temporary folder among them."""
    package = json.loads((ROOT / "labextension/package.json").read_text(encoding="utf-8"))
    config = ROOT / "labextension" / package["jupyterlab"]["webpackConfig"]
    assert 'moduleIds: "natural"' in config.read_text(encoding="utf-8")
