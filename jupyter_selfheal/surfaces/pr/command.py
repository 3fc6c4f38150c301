"""``jupyter selfheal pr``: heal, push one branch, one pull request for what was healed, one issue for what was not."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal.errors import RepositoryError, UsageError
from jupyter_selfheal.surfaces.cli.begun_run import take_up_run
from jupyter_selfheal.surfaces.cli.discover import Discovery, Place, find_notebooks
from jupyter_selfheal.surfaces.cli.heal import heal_jobs
from jupyter_selfheal.surfaces.cli.one import Job
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.pr import texts
from jupyter_selfheal.surfaces.pr.forge import Forge, find_address, open_client, open_forge, read_token
from jupyter_selfheal.surfaces.pr.git import Repository, open_repository

LINK = "120000"
"""The mode of a symbolic link in git."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is pushed where: the repository, the branch that the fixes are for, ours, and the commit they stand on."""

    repository: Repository
    base: str
    branch: str
    parent: str


HealJobs = Callable[[argparse.Namespace, Sequence[Job], Sequence[NotebookReport]], list[NotebookReport]]


def run_pr(options: argparse.Namespace, heal: HealJobs = heal_jobs) -> int:
    """Heal and publish. Everything that can be refused before something runs is refused before."""
    if options.resume:
        options, _ = take_up_run(options, build_parser())
    options.notebooks = options.notebooks or [Path(".")]
    repository = open_repository(options.notebooks[0], options.remote)
    with _open_forge(options, repository) as forge:
        plan = _make_plan(options, repository)
        seen = ""
        if forge is not None:
            forge.check_access()
            seen = _check_remote(plan)
        with tempfile.TemporaryDirectory(prefix="selfheal-pr-") as folder:
            return _heal_and_publish(options, plan, forge, seen, Path(folder), heal)


def _heal_and_publish(
    options: argparse.Namespace, plan: Plan, forge: Forge | None, seen: str, folder: Path, heal: HealJobs
) -> int:
    jobs, problems = _plan_jobs(options, plan, folder / "healed")
    looked_at = {_name_in_repository(job.path, plan.repository) for job in jobs}
    if forge is not None and seen:
        _check_request(plan, forge, seen, looked_at)
    reports = heal(options, jobs, problems)
    if not jobs:
        return max(r.exit_code for r in reports)
    files = {
        str(job.target.relative_to(folder / "healed")): job.target
        for job, report in zip(jobs, reports, strict=False)
        if job.target is not None and report.fixes and job.target.exists()
    }
    named = [n for r in reports if (n := _name_report(r, plan.repository)).path in looked_at]
    say = _Speaker(options)
    if forge is None:
        say.print_plan(plan, named, files)
    else:
        _publish_request(plan, forge, named, files, folder / "index", say)
        _publish_issue(plan, forge, named, say)
    return max(r.exit_code for r in reports)


class _Speaker:
    """What the command says after healing: not in between a report that is printed as JSON, and nothing with -q."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._quiet = options.quiet
        self._file = sys.stderr if options.json else sys.stdout

    def say(self, line: str) -> None:
        if not self._quiet:
            print(line, file=self._file, flush=True)

    def print_plan(self, plan: Plan, reports: Sequence[NotebookReport], files: dict[str, Path]) -> None:
        """What a run without --dry-run would push and write."""
        if files:
            digest = texts.digest_changes(reports)
            self.say(
                f"\nwould push to {plan.repository.remote}, branch {plan.branch}, on {plan.base} at {plan.parent[:10]}:"
            )
            self.say(_indent_text(texts.format_commit(reports)))
            self.say("\nwould open or update one pull request:")
            self.say(
                _indent_text(
                    f"{texts.format_request_title(reports)}\n\n{texts.format_request(reports, digest, plan.base)}"
                )
            )
        else:
            self.say("\nnothing was healed: nothing would be pushed, and no pull request opened")
        left = [r for r in reports if texts.is_left(r)]
        if left:
            self.say("\nwould open or update one issue:")
            self.say(_indent_text(f"{texts.format_issue_title(plan.base)}\n\n{texts.format_issue(reports, plan.base)}"))
        else:
            self.say("\nnothing is left: an open issue of ours would be closed")


def _indent_text(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.rstrip().splitlines())


# --- before anything runs ---


@contextlib.contextmanager
def _open_forge(options: argparse.Namespace, repository: Repository) -> Iterator[Forge | None]:
    """The service, where something is to be sent to it."""
    if options.dry_run:
        yield None
        return
    address = find_address(repository.find_remote_url(), options.forge, options.repository, options.api)
    with open_client(address, read_token(address.kind)) as client:
        yield open_forge(client, address)


def _make_plan(options: argparse.Namespace, repository: Repository) -> Plan:
    """Raises :class:`UsageError` for a work tree with changes, and for a branch that is not to be pushed to."""
    if not repository.has_commit():
        raise UsageError("the repository has no commit yet: commit the notebooks, then run it again")
    changed = repository.list_changes()
    if changed:
        raise UsageError(
            f"files are changed and not committed ({_format_names(changed)}): commit or stash them, then run it again"
        )
    base = options.base or repository.find_current_branch() or _read_ci_branch()
    if not base:
        raise UsageError("no branch is checked out: say with --base which one the fixes are for")
    branch = options.branch or f"selfheal/{base}"
    if branch == base:
        raise UsageError(f"--branch {branch} is the base branch, which is never pushed to: choose another name")
    if not repository.is_branch_name(branch):
        raise UsageError(f"--branch {branch} is not a valid branch name")
    return Plan(repository, base, branch, repository.run("rev-parse", "HEAD"))


def _format_names(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _read_ci_branch() -> str:
    """The branch that a CI run is for, where it checked out a commit."""
    if os.environ.get("GITHUB_REF_TYPE") == "branch":
        return os.environ.get("GITHUB_REF_NAME", "")
    return os.environ.get("CI_COMMIT_BRANCH", "")


def _check_remote(plan: Plan) -> str:
    """The commit that our branch has at the remote, empty where it is not there.

    Raises :class:`UsageError` or :class:`RepositoryError` where pushing would lose something of others, or publish what they
    have not pushed.
    """
    repository = plan.repository
    commits, default = repository.list_remote_branches(plan.base, plan.branch)
    if plan.branch == default:
        raise UsageError(f"--branch {plan.branch} is the default branch of {repository.remote}: choose another name")
    if plan.base not in commits:
        raise UsageError(f"{repository.remote} has no branch {plan.base}: push it first, or say --base")
    if commits[plan.base] != plan.parent:
        repository.fetch(plan.base)
        if not repository.is_ancestor(plan.parent, commits[plan.base]):
            raise UsageError(f"{repository.remote}/{plan.base} does not hold your last commit: push or pull first")
    ours = commits.get(plan.branch, "")
    if ours:
        repository.fetch(plan.branch)
        if not repository.is_ours(ours):
            raise RepositoryError(
                f"the last commit of branch {plan.branch} at {repository.remote} was not made by us, or was changed since, "
                "and is not overwritten: merge or delete that branch, or choose another with --branch"
            )
    return ours


def _check_request(plan: Plan, forge: Forge, seen: str, looked_at: Collection[str]) -> None:
    """Raises :class:`UsageError` where our open pull request would lose fixes of notebooks that this run does not look at."""
    changed = set(plan.repository.list_changed_files(seen)) & plan.repository.list_files().keys()
    others = sorted(changed.difference(looked_at))
    if others and any(t.is_open for t in forge.list_requests(plan.branch, plan.base)):
        raise UsageError(
            f"the open pull request of {plan.branch} holds fixes of notebooks that this run does not look at "
            f"({_format_names(others)}): name them too, choose another branch with --branch, or close it"
        )


def _plan_jobs(options: argparse.Namespace, plan: Plan, folder: Path) -> tuple[list[Job], list[NotebookReport]]:
    """The tracked notebooks, each healed into ``folder``, and a report for each that cannot be part of a commit."""
    discovery = find_notebooks(options.notebooks, options.include, options.exclude)
    tracked = plan.repository.list_files()
    jobs, problems = [], [NotebookReport(str(path), error=f"{path}: {why}") for path, why in discovery.problems]
    for number, place in enumerate(discovery.places, start=1):
        name = _name_in_repository(place.path, plan.repository)
        if why := _find_obstacle(place, tracked.get(name)):
            if place.folder is None:
                problems.append(NotebookReport(str(place.path), error=f"{place.path}: {why}"))
            continue
        part = number if len(discovery.places) > 1 else 0
        jobs.append(Job(place.path, folder / name, part, copy_healthy=False, as_in_place=True))
    if not jobs and not problems:
        raise UsageError(_say_nothing_there(discovery))
    return jobs, problems


def _find_obstacle(place: Place, mode: str | None) -> str | None:
    """Why a notebook cannot be part of the commit, or None."""
    if not place.path.exists():
        return "no such file"
    if mode is None:
        return "git does not track it: add and commit it first"
    return "a link: name the file itself" if mode == LINK else None


def _say_nothing_there(discovery: Discovery) -> str:
    return f"git tracks none of the {len(discovery.places)} notebooks: commit them first"


def _name_report(report: NotebookReport, repository: Repository) -> NotebookReport:
    """The report with its notebook's name in the repository, wherever the command was given."""
    name = _name_in_repository(Path(report.path), repository)
    error = report.error.removeprefix(f"{report.path}: ")
    return replace(report, path=name, error=f"{name}: {error}" if error else "")


def _name_in_repository(path: Path, repository: Repository) -> str:
    """The path below the top of the repository, as git writes it; the absolute path where it is elsewhere."""
    absolute = path.parent.resolve() / path.name
    top = repository.top.resolve()
    return absolute.relative_to(top).as_posix() if absolute.is_relative_to(top) else str(absolute)


# --- after healing ---


def _publish_request(
    plan: Plan, forge: Forge, reports: Sequence[NotebookReport], files: dict[str, Path], index: Path, speaker: _Speaker
) -> None:
    if not files:
        speaker.say("nothing was healed: no branch was pushed")
        return
    digest = texts.digest_changes(reports)
    commit = plan.repository.commit_files(plan.parent, files, texts.format_commit(reports), index)
    kept = f"refs/selfheal/{plan.base}"
    plan.repository.run("update-ref", kept, commit)
    known = forge.list_requests(plan.branch, plan.base)
    declined = next(
        (t for t in known if not (t.is_open or t.is_merged) and texts.find_mark(t.body, "changes") == digest), None
    )
    if declined is not None and not any(t.is_open for t in known):
        speaker.say(f"the same fixes were declined ({declined.url}): they are not offered again")
        return
    try:
        seen = _check_remote(plan)
        if not seen or not _holds_already(plan, seen, digest):
            plan.repository.push(commit, plan.branch, seen)
            speaker.say(f"pushed: {plan.branch} at {commit[:10]}")
        else:
            speaker.say(f"{plan.branch} holds these fixes already")
        thread = forge.save_request(
            next((t for t in known if t.is_open), None),
            plan.branch,
            plan.base,
            texts.format_request_title(reports),
            texts.format_request(reports, digest, plan.base),
        )
    except (RepositoryError, UsageError) as error:
        raise RepositoryError(
            f"{error}; the fixes are kept in this repository as {kept} (git diff HEAD {kept})"
        ) from error
    updated = any(t.is_open for t in known)
    speaker.say(f"{'updated' if updated else 'opened'}: {thread.url or f'pull request {thread.number}'}")


def _holds_already(plan: Plan, seen: str, digest: str) -> bool:
    """Whether the branch at the remote stands on the same commit and holds the same fixes."""
    repository = plan.repository
    same = texts.format_trailer(digest) in repository.read_message(seen)
    return same and repository.run("rev-parse", f"{seen}^") == plan.parent


def _publish_issue(plan: Plan, forge: Forge, reports: Sequence[NotebookReport], speaker: _Speaker) -> None:
    known = next((t for t in forge.list_issues() if texts.find_mark(t.body, "issue") == plan.base), None)
    looked_at = {r.path for r in reports}
    told = [
        n for n in plan.repository.list_files() if known and n not in looked_at and texts.names_notebook(known.body, n)
    ]
    title = texts.format_issue_title(plan.base)
    if known is not None and told:
        where = known.url or f"issue {known.number}"
        speaker.say(f"left as it is: {where}, as it names notebooks that were not looked at ({_format_names(told)})")
    elif any(texts.is_left(r) for r in reports):
        issue = forge.save_issue(known, title, texts.format_issue(reports, plan.base))
        speaker.say(f"{'updated' if known else 'opened'}: {issue.url or f'issue {issue.number}'}")
    elif known is not None:
        issue = forge.save_issue(known, title, texts.format_closed_issue(plan.base), close=True)
        speaker.say(f"closed, as nothing fails any more: {issue.url or f'issue {issue.number}'}")
