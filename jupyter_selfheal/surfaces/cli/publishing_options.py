"""The options of ``jupyter selfheal pr``: which branch, at which service."""

from __future__ import annotations

import argparse

PUBLISHING = """\
Heal the notebooks of a git repository, push one branch with what was healed, open or update one pull request that tells each fix
with its evidence, and one issue for what still fails. The work tree, the index and the base branch stay as they are.

The token is read from GITHUB_TOKEN or GH_TOKEN, for GitLab from GITLAB_TOKEN. --dry-run heals, prints, and needs no token.
Exit code: as that of heal, 2 also where git or the service refuses."""


def add_options_of_publishing(pr: argparse.ArgumentParser) -> None:
    """What is said of the branch, the pull request, and where they go."""
    pr.add_argument("--dry-run", action="store_true", help="print what would be pushed and said; send nothing")
    for name, metavar, what in (
        ("base", "BRANCH", "the branch that the fixes are for (default: the one that is checked out)"),
        ("branch", "BRANCH", "the branch that is pushed, made anew each time (default: selfheal/BASE)"),
        ("remote", "NAME", "git's remote (default: origin)"),
        ("repository", "OWNER/NAME", "the repository's name at its service (default: from the remote's address)"),
        ("api", "URL", "the address of the service's REST API (default: from the remote's address)"),
    ):
        pr.add_argument(f"--{name}", default="origin" if name == "remote" else "", metavar=metavar, help=what)
    pr.add_argument("--forge", choices=("github", "gitlab"), help="the service (default: from the remote's address)")
    pr.add_argument(
        "--approve",
        choices=("all", "safe"),
        default="all",
        help="which proven fixes the pull request holds (default: all)",
    )
