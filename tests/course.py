"""A repository with a bare remote on disk, and a course of notebooks in it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command import write
from tests.forge import TOKEN, StandIn, stand_in


@dataclass
class Course:
    """A work tree on branch main with two notebooks, and its bare remote."""

    folder: Path
    remote: Path

    def git(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(["git", *words], cwd=cwd or self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, message: str = "more") -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def at_remote(self, branch: str) -> str:
        return self.git("rev-parse", f"refs/heads/{branch}", cwd=self.remote)

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads", cwd=self.remote).split()


@pytest.fixture
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that CI's own environment says of a service counts."""
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_ACTIONS",
                 "CI_API_V4_URL", "GITLAB_CI", "GITHUB_REF_TYPE", "CI_COMMIT_BRANCH"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_ci: None) -> Course:
    for key, value in (("AUTHOR", "a"), ("COMMITTER", "c")):
        monkeypatch.setenv(f"GIT_{key}_NAME", value)
        monkeypatch.setenv(f"GIT_{key}_EMAIL", f"{value}@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    made = Course(tmp_path / "course", tmp_path / "remote.git")
    (made.folder / "lessons").mkdir(parents=True)
    write(made.folder / "lessons" / "slip.ipynb", "x = 'a'.uper()\nx")
    write(made.folder / "left.ipynb", "missing_thing + 1")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(made.remote)], check=True)
    made.git("init", "-q", "-b", "main")
    made.git("remote", "add", "origin", str(made.remote))
    made.commit("lessons")
    made.git("push", "-q", "origin", "main")
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, no_ci: None) -> Iterator[StandIn]:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
    with stand_in() as there:
        yield there
