"""One branch, one pull request, one issue: against a stand-in for the service and a real remote on disk."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from jupyter_selfheal.errors import RepositoryError, SelfHealError, UsageError
from jupyter_selfheal.model import Case, Patch, Replace
from jupyter_selfheal.surfaces.cli.begun_run import keep_command
from jupyter_selfheal.surfaces.cli.one import Job
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.save import save_healed
from jupyter_selfheal.surfaces.pr.command import run_pr
from jupyter_selfheal.surfaces.pr.forge import find_address
from tests.batches import batch
from tests.command import sources, write
from tests.course import Course, course, no_ci, service
from tests.forge import TOKEN, StandIn

__all__ = ["course", "no_ci", "service"]


def upper(case: Case) -> Iterator[Patch]:
    source = case.failure.source
    if "uper" in source:
        edit = Replace(case.failure.cell_id, source, source.replace("uper", "upper"))
        yield Patch((edit,), "Change `.uper` to `.upper`", why="one slip", cause="A `str` has no `uper`")


def heal_on_fakes(
    options: argparse.Namespace, jobs: Sequence[Job], problems: Sequence[NotebookReport]
) -> list[NotebookReport]:
    """What the command does with its jobs, on states in this process."""
    reports = []
    for job in jobs:
        document = read(job.path)
        report, seen = batch(document, upper).run()
        assert job.target is not None
        reports.append(save_healed(document, report, seen, job.target, provenance=True, as_in_place=job.as_in_place))
    return [*reports, *problems]


def never_heals(
    options: argparse.Namespace, jobs: Sequence[Job], problems: Sequence[NotebookReport]
) -> list[NotebookReport]:
    raise AssertionError("nothing is run before all is found to be in order")


def run(service: StandIn | None, *words: str, heal: object = heal_on_fakes, forge: str = "github") -> int:
    where = ["--dry-run"] if service is None else ["--api", service.api]
    options = build_parser().parse_args(["pr", "--forge", forge, "--repository", "team/course", *where, *words])
    return run_pr(options, heal)  # type: ignore[arg-type]


def test_a_run_pushes_one_branch_and_opens_one_request_and_one_issue(
    course: Course, service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    head, given = course.git("rev-parse", "HEAD"), Path("lessons/slip.ipynb").read_text()
    assert run(service) == 1, "one notebook still fails"
    assert course.branches() == ["main", "selfheal/main"]
    assert course.at_remote("main") == head
    assert course.git("rev-parse", "selfheal/main^", cwd=course.remote) == head
    changed = course.git("diff", "--name-only", "main", "selfheal/main", cwd=course.remote)
    assert changed == "lessons/slip.ipynb"
    healed = course.git("show", "selfheal/main:lessons/slip.ipynb", cwd=course.remote)
    assert "".join(json.loads(healed)["cells"][0]["source"]) == "x = 'a'.upper()\nx"
    assert (course.git("status", "--porcelain"), course.git("branch", "--format=%(refname:short)")) == ("", "main")
    assert Path("lessons/slip.ipynb").read_text() == given
    said = course.git("log", "-1", "--format=%B", "selfheal/main", cwd=course.remote)
    assert said.splitlines()[:3] == [
        "Heal 1 cell in 1 notebook",
        "",
        "- lessons/slip.ipynb: Change `.uper` to `.upper`",
    ]

    request, issue = service.threads["pulls"][0], service.threads["issues"][0]
    assert (request["head"], request["base"]) == ("selfheal/main", "main")
    assert request["title"] == "Heal 1 cell in 1 notebook"
    for said in ("lessons/slip.ipynb", "cause: A `str` has no `uper`", "Change `.uper` to `.upper`", "score 8 of 10",
                 "it runs", "-x = 'a'.uper()", "+x = 'a'.upper()", "clean kernel", "1 of 2 notebooks"):  # fmt: skip
        assert said in request["body"], request["body"]
    assert issue["title"] == "Notebooks that fail on main"
    assert "left.ipynb" in issue["body"]
    assert "NameError: name" in issue["body"]
    assert "slip.ipynb" not in issue["body"]
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "opened: https://forge.example/pulls/1",
        "opened: https://forge.example/issues/1",
    ]


def test_the_commit_says_a_fix_of_several_cells_of_a_notebook_once(course: Course, service: StandIn) -> None:
    write(course.folder / "lessons/slip.ipynb", "'a'.uper()", "'b'.uper()")
    course.git("push", "-q", "origin", course.commit() + ":main")
    run(service)
    said = course.git("log", "-1", "--format=%B", "selfheal/main", cwd=course.remote)
    assert [line for line in said.splitlines() if line.startswith("- ")] == [
        "- lessons/slip.ipynb: Change `.uper` to `.upper` (2 times)"
    ]


def test_the_next_run_updates_what_is_open_and_pushes_only_what_changed(course: Course, service: StandIn) -> None:
    run(service)
    first = course.at_remote("selfheal/main")
    run(service)
    assert course.at_remote("selfheal/main") == first
    assert service.changes == ["POST pulls", "POST issues", "PATCH pulls", "PATCH issues"]
    write(course.folder / "third.ipynb", "'b'.uper()")
    head = course.commit()
    course.git("push", "-q", "origin", "main")
    run(service)
    assert course.git("rev-parse", "selfheal/main^", cwd=course.remote) == head
    assert [len(service.threads[kind]) for kind in ("pulls", "issues")] == [1, 1]
    assert service.threads["pulls"][0]["title"] == "Heal 2 cells in 2 notebooks"


def test_a_run_that_was_interrupted_is_gone_on_with_by_its_number_alone(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runs = tmp_path / "data" / "selfheal" / "runs"

    def interrupt(
        options: argparse.Namespace, jobs: Sequence[Job], problems: Sequence[NotebookReport]
    ) -> list[NotebookReport]:
        keep_command("0123abcd", options, jobs, problems)
        (runs / "0123abcd-1-c1.jsonl").touch()
        raise KeyboardInterrupt

    words = ("pr", "lessons", "--dry-run", "--forge", "github", "--repository", "team/course", "--offline")
    options = build_parser().parse_args(words)
    options.words = words
    with pytest.raises(KeyboardInterrupt):
        run_pr(options, interrupt)
    told: list[argparse.Namespace] = []

    def go_on(
        options: argparse.Namespace, jobs: Sequence[Job], problems: Sequence[NotebookReport]
    ) -> list[NotebookReport]:
        told.append(options)
        return heal_on_fakes(options, jobs, problems)

    monkeypatch.chdir(tmp_path)
    assert run_pr(build_parser().parse_args(["pr", "--resume", "0123abcd"]), go_on) == 0, "lessons alone are healed"
    assert (told[0].dry_run, told[0].offline, told[0].resume) == (True, True, "0123abcd")
    with pytest.raises(UsageError, match="heals lessons"):
        run_pr(build_parser().parse_args(["pr", "left.ipynb", "--resume", "0123abcd"]), never_heals)
    (runs / "0123abcd.command").unlink()
    with pytest.raises(UsageError, match="give its command once more"):
        run_pr(build_parser().parse_args(["pr", "--resume", "0123abcd"]), never_heals)


def test_a_dry_run_prints_and_touches_nothing(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    before = course.git("count-objects", "-v"), course.git("for-each-ref")
    assert run(None) == 1
    assert (course.git("count-objects", "-v"), course.git("for-each-ref")) == before
    assert course.branches() == ["main"]
    said = capsys.readouterr().out
    for line in ("would push to origin, branch selfheal/main, on main at", "would open or update one pull request",
                 "+x = 'a'.upper()", "would open or update one issue", "NameError: name"):  # fmt: skip
        assert line in said


def test_a_run_on_a_part_of_the_repository_loses_nothing_of_the_rest(
    course: Course, service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    write(course.folder / "good.ipynb", "1 + 1")
    course.commit()
    course.git("push", "-q", "origin", "main")
    run(service)
    told = service.threads["issues"][0]["body"]
    with pytest.raises(UsageError, match=r"this run does not look at \(lessons/slip\.ipynb\): name them too"):
        run(service, "good.ipynb", heal=never_heals)
    service.threads["pulls"][0]["state"] = "closed"
    assert run(service, "good.ipynb") == 0
    assert "left as it is: https://forge.example/issues/1, as it names" in capsys.readouterr().out
    assert [(i["state"], i["body"]) for i in service.threads["issues"]] == [("open", told)]


def test_a_name_that_cannot_be_healed_opens_no_issue(course: Course, service: StandIn) -> None:
    write(course.folder / "draft.ipynb", "1 + 1")
    assert run(service, "nowhere.ipynb", "draft.ipynb") == 2
    assert run(service, "nowhere.ipynb", "lessons") == 2
    assert service.threads["issues"] == []
    assert service.threads["pulls"][0]["title"] == "Heal 1 cell in 1 notebook"


def test_what_cannot_be_read_is_named_as_the_repository_names_it(
    course: Course, service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course.folder / "lessons" / "cut_off.ipynb").write_text("{")
    course.commit()
    course.git("push", "-q", "origin", "main")
    monkeypatch.chdir(course.folder / "lessons")
    unread = lambda options, jobs, problems: [  # noqa: E731
        NotebookReport(str(j.path), error=f"{j.path}: not valid JSON") for j in jobs
    ]
    run(service, "cut_off.ipynb", heal=unread)
    assert "- `lessons/cut_off.ipynb`: not valid JSON" in service.threads["issues"][0]["body"]


def test_gitlab_is_asked_in_its_own_words(course: Course, service: StandIn) -> None:
    run(service, forge="gitlab")
    run(service, forge="gitlab")
    assert service.changes == ["POST merge_requests", "POST issues", "PUT merge_requests", "PUT issues"]
    request = service.threads["merge_requests"][0]
    assert (request["source_branch"], request["target_branch"]) == ("selfheal/main", "main")
    assert "+x = 'a'.upper()" in request["description"]
    assert service.requests[0][1] == "/projects/team%2Fcourse"


def test_what_was_declined_is_not_offered_again_and_an_issue_is_closed_when_nothing_fails(
    course: Course, service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    run(service)
    service.threads["pulls"][0]["state"] = "closed"
    course.git("push", "-q", "origin", ":selfheal/main")
    run(service)
    assert "the same fixes were declined" in capsys.readouterr().out
    assert course.branches() == ["main"]
    write(course.folder / "left.ipynb", "1 + 1")
    course.commit()
    course.git("push", "-q", "origin", "main")
    assert run(service) == 0
    assert service.threads["issues"][0]["state"] == "closed"
    assert len(service.threads["pulls"]) == 1


def test_a_token_that_is_refused_is_one_line_before_anything_runs(
    course: Course, service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_" + "w" * 36)
    with pytest.raises(RepositoryError, match=r"127\.0\.0\.1 refuses the token \(401\): set one that is valid"):
        run(service, heal=never_heals)
    monkeypatch.delenv("GITHUB_TOKEN")
    with pytest.raises(UsageError, match="no token: set GITHUB_TOKEN or GH_TOKEN, or say --dry-run"):
        run(service, heal=never_heals)


def test_a_rejected_push_loses_nothing(course: Course, service: StandIn) -> None:
    hook = course.remote / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\necho 'branches need a ticket; token={TOKEN}' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RepositoryError) as caught:
        run(service)
    assert "branches need a ticket" in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert "refs/selfheal/main" in str(caught.value)
    healed = course.git("show", "refs/selfheal/main:lessons/slip.ipynb")
    assert "'a'.upper()" in healed
    assert (service.changes, course.branches()) == ([], ["main"])
    assert course.git("status", "--porcelain") == ""


def test_a_service_that_refuses_the_request_says_what_the_token_lacks(course: Course, service: StandIn) -> None:
    service.refused["POST", "/pulls"] = 403
    with pytest.raises(RepositoryError, match="403: Resource not accessible by integration; the token needs to write"):
        run(service)
    assert course.branches() == ["main", "selfheal/main"]


def test_changes_of_the_user_and_of_others_are_never_overwritten(course: Course, service: StandIn) -> None:
    run(service)
    other = course.folder.parent / "other"
    course.git("clone", "-q", "-b", "selfheal/main", str(course.remote), str(other))
    (other / "note.txt").write_text("mine")
    course.git("add", "-A", cwd=other)
    course.git("commit", "-qm", "by hand", cwd=other)
    course.git("push", "-q", "origin", "selfheal/main", cwd=other)
    theirs = course.at_remote("selfheal/main")
    with pytest.raises(RepositoryError, match="was not made by us, or was changed since, and is not overwritten"):
        run(service, heal=never_heals)
    assert course.at_remote("selfheal/main") == theirs
    (course.folder / "left.ipynb").write_text("{}")
    with pytest.raises(UsageError, match=r"files are changed and not committed \(left\.ipynb\): commit or stash them"):
        run(service, heal=never_heals)


def test_a_commit_of_ours_that_somebody_amended_is_theirs(course: Course, service: StandIn) -> None:
    run(service)
    other = course.folder.parent / "other"
    course.git("clone", "-q", "-b", "selfheal/main", str(course.remote), str(other))
    (other / "note.txt").write_text("mine")
    course.git("add", "-A", cwd=other)
    course.git("commit", "-q", "--amend", "--no-edit", cwd=other)
    course.git("push", "-q", "--force", "origin", "selfheal/main", cwd=other)
    theirs = course.at_remote("selfheal/main")
    with pytest.raises(RepositoryError, match="was not made by us, or was changed since, and is not overwritten"):
        run(service, heal=never_heals)
    assert course.at_remote("selfheal/main") == theirs


def test_a_mark_in_a_notebooks_text_is_not_taken_for_ours(course: Course, service: StandIn) -> None:
    """What was declined is known by the mark in the end of the request, whatever the diff above it says."""
    write(course.folder / "lessons" / "slip.ipynb", "# <!-- jupyter-selfheal changes 0123 -->\nx = 'a'.uper()\nx")
    course.commit()
    course.git("push", "-q", "origin", "main")
    run(service)
    assert "<!-- jupyter-selfheal changes 0123 -->" in service.threads["pulls"][0]["body"]
    service.threads["pulls"][0]["state"] = "closed"
    course.git("push", "-q", "origin", ":selfheal/main")
    run(service)
    assert len(service.threads["pulls"]) == 1


def test_what_cannot_be_done_is_refused_in_one_line(course: Course, service: StandIn) -> None:
    for words, why in (
        (["--branch", "main"], "is the base branch, which is never pushed to"),
        (["--base", "main", "--branch", "a..b"], "not a valid branch name"),
        (["--base", "gone"], "origin has no branch gone"),
        (["--remote", "nowhere"], "no remote 'nowhere'"),
    ):
        with pytest.raises(SelfHealError, match=why) as caught:
            run(service, *words, heal=never_heals)
        assert "\n" not in str(caught.value)
    assert run(service, "missing.ipynb", "--dry-run") == 2
    assert course.branches() == ["main"]
    course.git("checkout", "-q", "--orphan", "empty")
    with pytest.raises(UsageError, match="the repository has no commit yet"):
        run(service, heal=never_heals)


def test_neither_the_default_branch_nor_unpushed_commits_are_published(course: Course, service: StandIn) -> None:
    course.git("checkout", "-q", "-b", "work")
    course.git("push", "-q", "origin", "work")
    with pytest.raises(UsageError, match="is the default branch of origin"):
        run(service, "--branch", "main", heal=never_heals)
    write(course.folder / "new.ipynb", "1")
    course.commit("not pushed")
    with pytest.raises(UsageError, match="origin/work does not hold your last commit: push or pull first"):
        run(service, heal=never_heals)


def test_what_git_does_not_track_is_left_out(course: Course, service: StandIn) -> None:
    write(course.folder / "draft.ipynb", "'b'.uper()")
    run(service)
    assert "draft" not in course.git("show", "--stat", "selfheal/main", cwd=course.remote)
    assert sources(course.folder / "draft.ipynb") == ["'b'.uper()"]


@pytest.mark.parametrize(
    ("url", "kind", "name", "api"),
    [
        ("git@github.com:team/course.git", "github", "team/course", "https://api.github.com"),
        ("https://x-access-token:abc@github.com/team/course", "github", "team/course", "https://api.github.com"),
        ("ssh://git@gitlab.example.org:2222/a/b/c.git", "gitlab", "a/b/c", "https://gitlab.example.org/api/v4"),
        ("https://github.example.org/team/course.git", "github", "team/course", "https://github.example.org/api/v3"),
    ],
)
def test_the_service_is_told_from_the_remote(no_ci: None, url: str, kind: str, name: str, api: str) -> None:
    address = find_address(url)
    assert (address.kind, address.name, address.api) == (kind, name, api)


def test_a_token_goes_nowhere_without_encryption(no_ci: None) -> None:
    with pytest.raises(UsageError, match="a token is sent by https only"):
        find_address("git@github.com:team/course.git", api="http://api.example.org")
    with pytest.raises(UsageError, match="say --forge github or gitlab"):
        find_address("/srv/git/course.git")
