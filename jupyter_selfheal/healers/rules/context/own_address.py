"""Which file of the notebook's own repository an address names: what is to be downloaded lies in the project already."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from jupyter_selfheal.healers.rules.context import questions
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

_REPOSITORY = r"([^/\s]+/[^/\s@]+?)"
ADDRESS = re.compile(
    rf"https?://(?:raw\.github(?:usercontent)?\.com/{_REPOSITORY}/|(?:www\.)?github\.com/{_REPOSITORY}/(?:raw|blob)/|gitlab\.com/{_REPOSITORY}/-/raw/|"
    rf"cdn\.jsdelivr\.net/gh/{_REPOSITORY}@)(?:refs/heads/)?(?:master|main|HEAD|latest)/(?P<path>[^?#\s]+)(?:\?[\w=&]*)?"
)
"""A file of a repository on its usual branch, as the services write it. Of a tag or a commit it may be an older one."""

TEXTS = re.compile(
    r"(?i)(?:readme|index|contributing|install|setup|citation|pyproject|mkdocs|_config|_toc|book)[\w-]*\.\w+$|readme$|.*\.md$"
)
"""Files at a project's top that may say whose it is."""
MOST_FILES, MOST_BYTES = 30, 200_000


def find_file_of_address(context: RuleContext, address: str) -> str:
    """The path, seen from the notebook's folder, of the file of its own repository that an address names; empty where it names
    another repository's, and where the project does not say whose it is."""
    match = ADDRESS.fullmatch(address)
    if match is None:
        return ""
    repository = next(group for group in match.groups()[:4] if group).removesuffix(".git")
    path = unquote(match["path"])
    raw = context.ask(questions.LOOK_AROUND, path=path.rsplit("/", 1)[-1])
    folder = Path(context.notebook.folder or ".").resolve()
    for found in raw["named"] if isinstance(raw, dict) else []:
        whole = (folder / found).resolve()
        root = Path(*whole.parts[: -path.count("/") - 1])
        if whole == root / path and folder.is_relative_to(root) and _is_of(root, repository):
            return os.path.relpath(whole, folder).replace(os.sep, "/")
    return ""


def _is_of(root: Path, repository: str) -> bool:
    """Whether a folder is the top of a repository: by its name, by git's own file, or by what its texts say."""
    if root.name.lower() == repository.rpartition("/")[2].lower():
        return True
    named = re.compile(rf"(?i)(?<![\w-]){re.escape(repository)}(?![\w-])")
    try:
        files = [root / ".git" / "config", *sorted(p for p in root.iterdir() if TEXTS.match(p.name))[:MOST_FILES]]
    except OSError:
        return False
    return any(named.search(_read(file)) for file in files)


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(MOST_BYTES)
    except OSError:
        return ""
