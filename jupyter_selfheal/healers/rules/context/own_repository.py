"""Whose a folder is: which repository of GitHub or GitLab it says it is the top of, and how surely."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

TEXTS = re.compile(
    r"(?i)(?:readme|index|contributing|install|setup|citation|pyproject|mkdocs|_config|_toc|book)[\w-]*\.\w+$|readme$|.*\.md$"
)
"""Files at a project's top that may name its repository, and others'."""
MOST_FILES, MOST_BYTES, FIRST_LINES = 30, 200_000, 15

HOME = re.compile(
    r"(?i)(?:https?://(?:www\.)?|ssh://|git@|git\+https?://)(?:[\w.:-]+@)?(?:github|gitlab)\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
)
"""The address of a repository, whole."""
BADGE = re.compile(
    r"(?i)https?://(?:[\w.-]*mybinder\.org/v2/gh|(?:app\.)?(?:codecov\.io|circleci\.com)/(?:gh|github)|(?:api\.|app\.|www\.)?travis-ci\.(?:org|com)|"
    r"coveralls\.io/(?:repos/)?github|github\.com(?=/[\w.-]+/[\w.-]+/(?:actions|workflows)/))/([\w.-]+/[\w.-]+?)(?:\.(?:svg|png))?(?=[/?#)\s]|$)"
)
"""What builds or launches a repository, by its address."""
BADGES_ALONE = re.compile(
    r"\s*(?:\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)\s*|!\[[^\]]*\]\([^)]*\)\s*)+|\s*(?:\.\. image:|:target:).*"
)
"""A line of badges without a word of prose, in Markdown and in reStructuredText."""
OWN_URLS = ("homepage", "repository", "source", "source code", "code", "github", "gitlab")


def names_repository(root: Path, repository: str) -> bool | None:
    """True where git's remote or, without one, the project's metadata say that a folder is this repository; False where only its
    name or a text speaks of it, or git's remote is another one; None where nothing does."""
    wanted = repository.lower()
    remote = _read_remote(root)
    if remote:
        known = {remote}
    else:
        known = {name for name in (*_read_project_urls(root), *_read_citation(root), *_read_badges(root)) if name}
    if known == {wanted}:
        return True
    return False if _speaks_of(root, repository) else None


def _read_remote(root: Path) -> str:
    """The repository that was cloned: git's ``origin``; a fork's other remotes and its submodules are not this one."""
    section = ""
    for line in _read_start(root / ".git" / "config").splitlines():
        if line.lstrip().startswith("["):
            section = line.strip()
        key, _, value = line.partition("=")
        if section == '[remote "origin"]' and key.strip() == "url":
            return _read_home(value)
    return ""


def _read_project_urls(root: Path) -> Iterator[str]:
    """What pyproject.toml gives as the project's home and source; not its other links, as those to data."""
    import tomllib

    try:
        made = tomllib.loads(_read_start(root / "pyproject.toml"))
    except tomllib.TOMLDecodeError:
        return
    project, tool = made.get("project", {}), made.get("tool", {})
    poetry = tool.get("poetry", {}) if isinstance(tool, dict) else {}
    for urls in (project.get("urls", {}) if isinstance(project, dict) else {}, poetry):
        for key, value in urls.items() if isinstance(urls, dict) else ():
            if re.sub(r"[-_]", " ", key.lower()) in OWN_URLS and isinstance(value, str):
                yield _read_home(value)


def _read_citation(root: Path) -> Iterator[str]:
    """The repository of CITATION.cff itself; not of the works that it refers to, which are indented."""
    for value in re.findall(r"(?m)^repository-code:[ \t]*(\S+)", _read_start(root / "CITATION.cff")):
        yield _read_home(value.strip("\"'"))


def _read_badges(root: Path) -> Iterator[str]:
    """The repositories whose badges stand alone in a line at the README's top."""
    for path in _list_texts(root):
        if path.stem.lower() == "readme":
            for line in _read_start(path).splitlines()[:FIRST_LINES]:
                if BADGES_ALONE.fullmatch(line):
                    yield from (name.lower() for name in BADGE.findall(line))


def _read_home(address: str) -> str:
    match = HOME.fullmatch(address.strip())
    return match[1].lower() if match else ""


def _speaks_of(root: Path, repository: str) -> bool:
    """Whether a folder has a repository's name, or a text at its top names it: perhaps as the source of its data."""
    if root.name.lower() == repository.rpartition("/")[2].lower():
        return True
    named = re.compile(rf"(?i)(?<![\w-]){re.escape(repository)}(?![\w-])")
    return any(named.search(_read_start(file)) for file in (root / ".git" / "config", *_list_texts(root)))


def _list_texts(root: Path) -> list[Path]:
    try:
        return sorted(p for p in root.iterdir() if TEXTS.match(p.name))[:MOST_FILES]
    except OSError:
        return []


def _read_start(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(MOST_BYTES)
    except OSError:
        return ""
