"""The service that holds the repository, by its REST API: GitHub (also Enterprise) and GitLab.

The token comes from the environment and goes to that one address only: no redirect is followed, and nothing is sent without encryption but to
this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlsplit

from jupyter_selfheal.errors import RepositoryError, UsageError
from jupyter_selfheal.journal.redact import redact

if TYPE_CHECKING:
    import httpx2

LABEL = "jupyter-selfheal"
"""The label of our issues, by which they are found again."""

SECONDS = 30.0
"""How long one request may take."""

LONGEST = 60_000
"""Characters of a body; GitHub takes 65,536."""

TOKENS = {"github": ("GITHUB_TOKEN", "GH_TOKEN"), "gitlab": ("GITLAB_TOKEN",)}
"""The variables that a service's token is read from, the first that is set."""

_LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Address:
    """A repository at a service: ``kind`` is ``github`` or ``gitlab``, ``name`` is OWNER/NAME, ``api`` where its REST API is."""

    kind: str
    name: str
    api: str


@dataclass(frozen=True, slots=True)
class Thread:
    """A pull request or an issue, as the service has it."""

    number: int
    url: str
    is_open: bool
    body: str
    is_merged: bool = False


class Forge(Protocol):
    """What is asked of a service. Each raises :class:`RepositoryError` where it refuses."""

    def check_access(self) -> None:
        """Find out whether the repository is there for this token, before anything is run."""

    def list_requests(self, branch: str, base: str) -> list[Thread]:
        """The pull requests of our branch, open or not, the newest first."""

    def save_request(self, known: Thread | None, branch: str, base: str, title: str, body: str) -> Thread:
        """Open a pull request, or update the one that is known."""

    def list_issues(self) -> list[Thread]:
        """The open issues that have our label."""

    def save_issue(self, known: Thread | None, title: str, body: str, *, close: bool = False) -> Thread:
        """Open an issue, or update the one that is known."""


class GitHub:
    """GitHub's REST API."""

    def __init__(self, client: httpx2.Client, name: str) -> None:
        self._client = client
        self._owner = name.partition("/")[0]
        self._path = f"/repos/{quote(name)}"

    def check_access(self) -> None:
        _ask_service(self._client, "GET", self._path)

    def list_requests(self, branch: str, base: str) -> list[Thread]:
        asked = {"state": "all", "head": f"{self._owner}:{branch}", "base": base, "per_page": "50"}
        return [_read_github(item) for item in _ask_service(self._client, "GET", f"{self._path}/pulls", asked)]

    def save_request(self, known: Thread | None, branch: str, base: str, title: str, body: str) -> Thread:
        if known is not None:
            sent = {"title": title, "body": body}
            return _read_github(_ask_service(self._client, "PATCH", f"{self._path}/pulls/{known.number}", sent=sent))
        sent = {"title": title, "body": body, "head": branch, "base": base}
        return _read_github(_ask_service(self._client, "POST", f"{self._path}/pulls", sent=sent))

    def list_issues(self) -> list[Thread]:
        asked = {"state": "open", "labels": LABEL, "per_page": "100"}
        found = _ask_service(self._client, "GET", f"{self._path}/issues", asked)
        return [_read_github(item) for item in found if "pull_request" not in item]

    def save_issue(self, known: Thread | None, title: str, body: str, *, close: bool = False) -> Thread:
        sent: dict[str, Any] = {"title": title, "body": body, **({"state": "closed"} if close else {})}
        if known is not None:
            return _read_github(_ask_service(self._client, "PATCH", f"{self._path}/issues/{known.number}", sent=sent))
        return _read_github(
            _ask_service(self._client, "POST", f"{self._path}/issues", sent={**sent, "labels": [LABEL]})
        )


class GitLab:
    """GitLab's REST API: pull requests are merge requests there."""

    def __init__(self, client: httpx2.Client, name: str) -> None:
        self._client = client
        self._path = f"/projects/{quote(name, safe='')}"

    def check_access(self) -> None:
        _ask_service(self._client, "GET", self._path)

    def list_requests(self, branch: str, base: str) -> list[Thread]:
        asked = {"state": "all", "source_branch": branch, "target_branch": base, "per_page": "50"}
        return [_read_gitlab(item) for item in _ask_service(self._client, "GET", f"{self._path}/merge_requests", asked)]

    def save_request(self, known: Thread | None, branch: str, base: str, title: str, body: str) -> Thread:
        if known is not None:
            sent = {"title": title, "description": body}
            return _read_gitlab(
                _ask_service(self._client, "PUT", f"{self._path}/merge_requests/{known.number}", sent=sent)
            )
        sent = {"title": title, "description": body, "source_branch": branch, "target_branch": base}
        return _read_gitlab(_ask_service(self._client, "POST", f"{self._path}/merge_requests", sent=sent))

    def list_issues(self) -> list[Thread]:
        asked = {"state": "opened", "labels": LABEL, "per_page": "100"}
        return [_read_gitlab(item) for item in _ask_service(self._client, "GET", f"{self._path}/issues", asked)]

    def save_issue(self, known: Thread | None, title: str, body: str, *, close: bool = False) -> Thread:
        sent = {"title": title, "description": body, **({"state_event": "close"} if close else {})}
        if known is not None:
            return _read_gitlab(_ask_service(self._client, "PUT", f"{self._path}/issues/{known.number}", sent=sent))
        return _read_gitlab(_ask_service(self._client, "POST", f"{self._path}/issues", sent={**sent, "labels": LABEL}))


def find_address(remote_url: str, kind: str | None = None, name: str = "", api: str = "") -> Address:
    """Where a remote's service is asked; what is given goes before what the remote and CI's own variables say.

    Raises :class:`UsageError` where it cannot be told.
    """
    host, path = _split_remote(remote_url)
    kind = kind or ("gitlab" if "gitlab" in host else "github" if "github" in host else None)
    if kind is None:
        kind = "gitlab" if os.environ.get("GITLAB_CI") else "github" if os.environ.get("GITHUB_ACTIONS") else None
    if kind is None:
        raise UsageError(
            f"whether {host or 'the remote'} is GitHub or GitLab cannot be told: say --forge github or gitlab"
        )
    name = name or path or os.environ.get("GITHUB_REPOSITORY" if kind == "github" else "CI_PROJECT_PATH", "")
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)+", name):
        raise UsageError("the repository's name cannot be told from its remote: say --repository OWNER/NAME")
    api = api or os.environ.get("GITHUB_API_URL" if kind == "github" else "CI_API_V4_URL", "") or _find_api(kind, host)
    where = urlsplit(api)
    if where.scheme != "https" and where.hostname not in _LOCAL:
        raise UsageError(f"--api {api}: a token is sent by https only")
    return Address(kind, name, api.rstrip("/"))


def _find_api(kind: str, host: str) -> str:
    if kind == "gitlab":
        return f"https://{host}/api/v4"
    return "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"


def _split_remote(url: str) -> tuple[str, str]:
    """(host, OWNER/NAME) of a remote; empty where it is a folder of this machine."""
    short = re.fullmatch(r"(?:[^@/:]+@)?([^/:]+\.[^/:]+):(?!//)(.+)", url)
    if short:
        host, path = short[1], short[2]
    elif "://" in url and not url.startswith("file:"):
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path
    else:
        return "", ""
    return host, path.strip("/").removesuffix(".git")


def read_token(kind: str) -> str:
    """The token for a service. Raises :class:`UsageError` where none is set."""
    token = next((os.environ[name] for name in TOKENS[kind] if os.environ.get(name)), None)
    if token is None:
        raise UsageError(f"no token: set {' or '.join(TOKENS[kind])}, or say --dry-run")
    return token


def open_client(address: Address, token: str) -> httpx2.Client:
    """A client for one service. Close it."""
    import httpx2

    headers = (
        {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        if address.kind == "github"
        else {"PRIVATE-TOKEN": token}
    )
    return httpx2.Client(base_url=address.api, headers=headers, timeout=SECONDS, follow_redirects=False)


def open_forge(client: httpx2.Client, address: Address) -> Forge:
    """The service behind a client."""
    return (GitHub if address.kind == "github" else GitLab)(client, address.name)


def _ask_service(
    client: httpx2.Client, method: str, path: str, asked: Mapping[str, str] | None = None, sent: object = None
) -> Any:
    """The JSON that the service answers. Raises :class:`RepositoryError` in one line for everything else."""
    import httpx2

    host = client.base_url.host
    try:
        answer = client.request(method, path, params=asked, json=sent)
    except httpx2.RequestError as error:
        raise RepositoryError(f"{host} cannot be reached ({error or type(error).__name__}): try again") from error
    if answer.status_code == 401:
        raise RepositoryError(f"{host} refuses the token (401): set one that is valid")
    if answer.status_code not in (200, 201):
        raise RepositoryError(f"{host} refuses {method} {path} ({answer.status_code}: {_find_message(answer)})")
    try:
        return answer.json()
    except ValueError as error:
        raise RepositoryError(f"{host} answered {method} {path} with something that is no JSON") from error


def _find_message(answer: httpx2.Response) -> str:
    """What the service says, and what helps, where that is known."""
    advice = {
        403: "the token needs to write contents, pull requests and issues",
        404: "no such repository, or the token may not see it",
    }
    try:
        said = answer.json()
        message = said.get("message") or said.get("error") if isinstance(said, dict) else ""
    except ValueError:
        message = ""
    text = str(message or answer.reason_phrase).rstrip(".")
    return redact("; ".join(part for part in (text, advice.get(answer.status_code, "")) if part))[:300]


def _read_github(item: Mapping[str, Any]) -> Thread:
    return Thread(
        int(item["number"]),
        str(item.get("html_url", "")),
        item.get("state") == "open",
        str(item.get("body") or ""),
        bool(item.get("merged_at")),
    )


def _read_gitlab(item: Mapping[str, Any]) -> Thread:
    state = item.get("state")
    body = str(item.get("description") or "")
    return Thread(int(item["iid"]), str(item.get("web_url", "")), state == "opened", body, state == "merged")
