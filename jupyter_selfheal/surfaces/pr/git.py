"""A repository as git's own command line shows it.

What is healed becomes a commit by git's plumbing, with an index of its own: the work tree, the index and every branch of the user's stay as
they are, whatever happens, and the repository's filters (nbstripout, LFS) hold.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import RepositoryError, UsageError
from jupyter_selfheal.journal.redact import redact

TRAILER = "Healed-by: jupyter-selfheal"
"""The line by which our commits are known."""

TREE = "Healed-tree:"
"""Begins the line that says what such a commit holds: one that somebody amended holds something else, and is theirs."""

SECONDS = 300.0
"""How long one command of git may take."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a work tree in ``top``, and the remote that is pushed to."""

    top: Path
    remote: str

    def run(self, *words: str, env: Mapping[str, str] | None = None, given: str | None = None) -> str:
        """What a command of git prints. Raises :class:`RepositoryError` with what it says where it fails."""
        done = self._call(*words, env=env, given=given)
        if done.returncode != 0:
            raise RepositoryError(f"git {words[0]}: {_find_reason(done.stderr) or f'exit code {done.returncode}'}")
        return done.stdout.strip()

    def _call(
        self, *words: str, env: Mapping[str, str] | None = None, given: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **(env or {})}
        try:
            return subprocess.run(
                ["git", *words],
                cwd=self.top,
                env=environment,
                input=given,
                stdin=subprocess.DEVNULL if given is None else None,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
        except FileNotFoundError as error:
            raise RepositoryError("git is not installed: install it, or heal with --in-place") from error
        except subprocess.TimeoutExpired as error:
            raise RepositoryError(f"git {words[0]} took more than {SECONDS:g} s: try it by hand") from error

    def has_commit(self) -> bool:
        """Whether anything was ever committed on what is checked out."""
        return self._call("rev-parse", "-q", "--verify", "HEAD").returncode == 0

    def is_branch_name(self, name: str) -> bool:
        """Whether git takes a name for a branch."""
        return self._call("check-ref-format", "--branch", name).returncode == 0

    def list_changed_files(self, commit: str) -> list[str]:
        """The files in which a commit differs from its parent."""
        changed = self.run("diff-tree", "--no-commit-id", "--name-only", "-r", "-z", commit)
        return [name for name in changed.split("\0") if name]

    def list_changes(self) -> list[str]:
        """Tracked files that differ from the last commit."""
        changed = self.run("diff", "--name-only", "-z", "HEAD")
        return [name for name in changed.split("\0") if name]

    def list_files(self) -> dict[str, str]:
        """The tracked files with their modes."""
        lines = (line.partition("\t") for line in self.run("ls-files", "-s", "-z").split("\0") if line)
        return {name: facts.split()[0] for facts, _, name in lines}

    def find_current_branch(self) -> str | None:
        """The branch that is checked out; None where it is a commit alone, as in most CI runs."""
        done = self._call("symbolic-ref", "--short", "-q", "HEAD")
        return done.stdout.strip() or None

    def find_remote_url(self) -> str:
        """The address of the remote. Raises :class:`UsageError` where there is none of that name."""
        done = self._call("remote", "get-url", "--push", self.remote)
        if done.returncode != 0:
            raise UsageError(f"the repository has no remote {self.remote!r}: name one with --remote")
        return done.stdout.strip()

    def list_remote_branches(self, *branches: str) -> tuple[dict[str, str], str | None]:
        """(branch → commit at the remote, the remote's default branch or None)."""
        listed = self.run("ls-remote", "--symref", self.remote, "HEAD", *(f"refs/heads/{b}" for b in branches))
        commits, default = {}, None
        for line in listed.splitlines():
            what, _, name = line.partition("\t")
            if what.startswith("ref: ") and name == "HEAD":
                default = what.removeprefix("ref: refs/heads/")
            elif name.startswith("refs/heads/"):
                commits[name.removeprefix("refs/heads/")] = what
        return commits, default

    def fetch(self, branch: str) -> None:
        """Get the objects of a branch of the remote; no ref of the user's is moved."""
        self.run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self.remote, f"refs/heads/{branch}")

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether a commit is part of another one's history."""
        return self._call("merge-base", "--is-ancestor", old, new).returncode == 0

    def read_message(self, commit: str) -> str:
        """What a commit says."""
        return self.run("log", "-1", "--format=%B", commit)

    def is_ours(self, commit: str) -> bool:
        """Whether we made a commit, and nobody amended it. (Older commits of ours do not tell what they hold.)"""
        lines = self.read_message(commit).splitlines()
        trees = [line.removeprefix(TREE).strip() for line in lines if line.startswith(TREE)]
        is_signed = any(line.startswith(TRAILER) for line in lines)
        return is_signed and (not trees or trees[-1] == self.run("rev-parse", f"{commit}^{{tree}}"))

    def commit_files(self, parent: str, files: Mapping[str, Path], message: str, index: Path) -> str:
        """A commit on ``parent`` in which the files of these names hold what other files do; no branch points at it.

        ``index`` is where git may keep an index of its own.
        """
        env = {"GIT_INDEX_FILE": str(index), **self._name_author()}
        self.run("read-tree", parent, env=env)
        modes = self.list_files()
        for name, healed in files.items():
            blob = self.run("hash-object", "-w", f"--path={name}", str(healed))
            self.run("update-index", "--add", "--cacheinfo", f"{modes.get(name, '100644')},{blob},{name}", env=env)
        tree = self.run("write-tree", env=env)
        text = f"{message}\n{TREE} {tree}\n{TRAILER} {__version__}\n"
        return self.run("commit-tree", tree, "-p", parent, "-F", "-", env=env, given=text)

    def _name_author(self) -> dict[str, str]:
        """Who makes the commit where nobody is configured, as in CI."""
        if self._call("config", "user.email").stdout.strip():
            return {}
        who = {"NAME": "jupyter-selfheal", "EMAIL": "jupyter-selfheal@localhost"}
        return {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in who.items()
            if f"GIT_{role}_{key}" not in os.environ
        }

    def push(self, commit: str, branch: str, seen: str) -> None:
        """Make the remote's branch this commit, where it still is what was ``seen`` (empty: not there)."""
        lease = f"--force-with-lease=refs/heads/{branch}:{seen}"
        self.run("push", "--quiet", "--porcelain", lease, self.remote, f"{commit}:refs/heads/{branch}")


def open_repository(place: Path, remote: str) -> Repository:
    """The repository that a file or folder is in. Raises :class:`UsageError` where it is in none."""
    folder = place if place.is_dir() else place.parent
    if not folder.is_dir():
        raise UsageError(f"{place}: no such file")
    try:
        top = Repository(folder, remote).run("rev-parse", "--show-toplevel")
    except RepositoryError as error:
        raise UsageError(f"{folder.resolve()} is in no git repository with a work tree ({error})") from error
    return Repository(Path(top), remote)


def _find_reason(said: str) -> str:
    """The lines in which git says why, on one line and without secrets."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "!"))] or lines
    return redact(" ".join(telling[:4]))[:400]
