"""Which running kernel is meant: by its id, or by the Jupyter server that runs it."""

from __future__ import annotations

import ipaddress
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import JSON

TOKEN = "JUPYTER_TOKEN"
"""The environment variable that holds the Jupyter server's token."""

SECONDS = 10.0
"""How long the Jupyter server may take to answer."""


class NoKernelYet(UsageError):
    """The Jupyter server is there and does not run the kernel that is meant, until the user opens its notebook."""


@dataclass(frozen=True, slots=True)
class RunningKernel:
    """A kernel of a server, and the notebook that it runs (empty where nobody says)."""

    id: str
    notebook: str = ""


def find_connection_file(kernel_id: str, server: str, *, any_host: bool) -> Path:
    """The connection file of the kernel that is meant. ``server`` is a URL, or empty.

    Raises :class:`UsageError` in one sentence where there is no such kernel on this machine, or several could be meant.
    """
    if server:
        _check_host(server, any_host)
        kernel_id = choose_kernel(list_kernels(server, os.environ.get(TOKEN, "")), kernel_id).id
    from jupyter_core.paths import jupyter_runtime_dir

    folder = Path(jupyter_runtime_dir())
    given = Path(kernel_id)
    if given.suffix == ".json" and given.is_file():
        return given
    for path in (folder / f"kernel-{kernel_id}.json", folder / f"{kernel_id}.json"):
        if path.parent == folder and path.is_file():
            return path
    known = sorted(path.stem.removeprefix("kernel-") for path in folder.glob("kernel-*.json"))
    names = f"those with a connection file are {', '.join(known[:8])}" if known else "there is none at all"
    raise UsageError(
        f"no kernel {kernel_id[:60]!r} runs on this machine for this user ({names}, in {folder}): give the id of one"
    )


def list_kernels(server: str, token: str) -> tuple[RunningKernel, ...]:
    """The kernels of a Jupyter server that run a notebook. Raises :class:`UsageError`."""
    url = f"{server.partition('?')[0].rstrip('/').removesuffix('/lab').removesuffix('/tree')}/api/sessions"
    request = urllib.request.Request(url, headers={"Authorization": f"token {token}"} if token else {})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            sessions = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code in (302, 401, 403):
            raise UsageError(
                f"the Jupyter server refuses ({error.code}): set {TOKEN} to its token (`jupyter server list` shows it)"
            ) from error
        raise UsageError(f"the Jupyter server answered {error.code} to {url}: check the address") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"no Jupyter server answers at {url} ({error}): check the address, or start it") from error
    return tuple(_read_session(session) for session in sessions)


def choose_kernel(kernels: tuple[RunningKernel, ...], wanted: str) -> RunningKernel:
    """The kernel that is named by its id or its notebook; the only one where none is. Raises :class:`UsageError`."""
    fitting = [k for k in kernels if not wanted or wanted in (k.id, k.notebook, Path(k.notebook).name)]
    if len(fitting) == 1:
        return fitting[0]
    listed = ", ".join(f"{k.id} ({k.notebook or 'no notebook'})" for k in kernels[:8])
    if not kernels:
        raise NoKernelYet("the Jupyter server runs no kernel: ask the user to open the notebook there, then call again")
    which = f"{wanted[:60]!r} names {len(fitting) or 'none'} of its kernels" if wanted else "it runs several kernels"
    if not fitting:
        raise NoKernelYet(f"{which}, which are {listed}: ask the user to open that notebook there, then call again")
    raise UsageError(f"{which}: give --kernel with the id or the notebook of one of {listed}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A server that wants a login sends to another page: the token is not taken there."""

    def redirect_request(self, *_: object) -> None:
        return None


def _read_session(session: dict[str, JSON]) -> RunningKernel:
    kernel = session.get("kernel")
    kernel_id = kernel.get("id") if isinstance(kernel, dict) else ""
    return RunningKernel(str(kernel_id), str(session.get("path") or ""))


def _check_host(server: str, any_host: bool) -> None:
    """The token is sent to this machine alone, unless the user says otherwise. Raises :class:`UsageError`."""
    parts = urllib.parse.urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{server[:80]!r} is no address of a Jupyter server: give one like http://127.0.0.1:8888")
    if any_host or parts.hostname == "localhost":
        return
    try:
        loopback = ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise UsageError(
            f"{parts.hostname} is not this machine's own address (127.0.0.1), and the token would be sent there: add --any-host "
            "if the server runs here under that name"
        )
