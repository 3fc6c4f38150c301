"""Which file of the notebook's own repository an address names: what is to be downloaded lies in the project already."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from jupyter_selfheal.healers.rules.context import questions
from jupyter_selfheal.healers.rules.context.own_repository import names_repository
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

_REPOSITORY = r"([^/\s]+/[^/\s@]+?)"
ADDRESS = re.compile(
    rf"https?://(?:raw\.github(?:usercontent)?\.com/{_REPOSITORY}/|(?:www\.)?github\.com/{_REPOSITORY}/(?:raw|blob)/|gitlab\.com/{_REPOSITORY}/-/raw/|"
    rf"cdn\.jsdelivr\.net/gh/{_REPOSITORY}@)(?:refs/heads/)?(?:master|main|HEAD|latest)/(?P<path>[^?#\s]+)(?:\?[\w=&]*)?"
)
"""A file of a repository on its usual branch, as the services write it. Of a tag or a commit it may be an older one."""


@dataclass(frozen=True, slots=True)
class OwnFile:
    """The file of an address: its ``path``, seen from the notebook's folder, and whether the address ``is_own`` for certain: else only
    the project's folder or its prose name the repository, as a credit for data does too."""

    path: str
    is_own: bool


def find_file_of_address(context: RuleContext, address: str) -> OwnFile | None:
    """The file that an address names, at its whole path in the notebook's project; None where nothing there names that repository."""
    match = ADDRESS.fullmatch(address)
    if match is None:
        return None
    repository = next(group for group in match.groups()[:4] if group).removesuffix(".git")
    path = unquote(match["path"])
    raw = context.ask(questions.LOOK_AROUND, path=path.rsplit("/", 1)[-1])
    folder = Path(context.notebook.folder or ".").resolve()
    for found in raw["named"] if isinstance(raw, dict) else []:
        whole = (folder / found).resolve()
        root = Path(*whole.parts[: -path.count("/") - 1])
        named = names_repository(root, repository) if whole == root / path and folder.is_relative_to(root) else None
        if named is not None:
            return OwnFile(os.path.relpath(whole, folder).replace(os.sep, "/"), named)
    return None
