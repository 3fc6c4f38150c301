"""The command ``jupyter selfheal mcp``: a server until its client goes away, which leaves no process behind."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Literal, Protocol

from jupyter_selfheal import registry
from jupyter_selfheal.config import HEALERS
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.setting_sources import resolve_settings
from jupyter_selfheal.surfaces.notebook.settings import CELL_SECONDS, Settings

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.mcp.server import SelfHealServer
    from jupyter_selfheal.surfaces.mcp.tools import Toolbox


def run_mcp(options: argparse.Namespace) -> int:
    """Serve the tools. Raises :class:`UsageError` where the SDK is not installed, or no folder may be opened."""
    if importlib.util.find_spec("mcp") is None:
        raise UsageError("the MCP server needs the package mcp: pip install 'jupyter-selfheal[mcp]'")
    from jupyter_selfheal.surfaces.mcp.roots import Roots
    from jupyter_selfheal.surfaces.mcp.tools import Toolbox

    settings = build_settings(options)
    toolbox: Toolbox
    if options.kernel or options.server:
        toolbox = _open_live_toolbox(options, settings)
    else:
        toolbox = Toolbox(Roots.from_options(tuple(options.root), Path.cwd()), settings)
    _end_on_signals(toolbox.close)
    try:
        server = _build_server(toolbox)
    except ImportError as error:
        raise UsageError(
            f"the installed mcp cannot be used ({error}): pip install -U 'jupyter-selfheal[mcp]'"
        ) from error
    try:
        if options.http is None:
            run_until_client_goes(server)
        else:
            from jupyter_selfheal.surfaces.mcp.http import run_http

            run_http(server, options.http)
    finally:
        toolbox.close()
    return 0


class Server(Protocol):
    """What can be run over the pipes."""

    def run(self, transport: Literal["stdio"]) -> None: ...


def run_until_client_goes(server: Server) -> None:
    """Serve over the pipes. A client that went away without reading its last answer has gone, and nothing is wrong."""
    try:
        server.run("stdio")
    except* BrokenPipeError:
        pass


def _open_live_toolbox(options: argparse.Namespace, settings: Settings) -> Toolbox:
    """The tools on a running kernel. Raises :class:`UsageError` where none is meant by the options.

    Whether one runs yet, and our extension is loaded there, is asked at each call: an agent starts its servers before the user has opened a notebook.
    """
    from jupyter_selfheal.surfaces.mcp.kernel_line import KernelLine
    from jupyter_selfheal.surfaces.mcp.live_tools import LiveToolbox
    from jupyter_selfheal.surfaces.mcp.running_kernels import NoKernelYet, find_connection_file

    if options.root:
        raise UsageError("--root is for notebooks in files: leave it out where a running kernel is named")

    def find() -> Path:
        return find_connection_file(options.kernel, options.server, any_host=options.any_host)

    with contextlib.suppress(NoKernelYet):
        find()
    return LiveToolbox(KernelLine(find), settings)


def _build_server(toolbox: Toolbox) -> SelfHealServer:
    from jupyter_selfheal.surfaces.mcp.live_tools import LiveToolbox

    if isinstance(toolbox, LiveToolbox):
        from jupyter_selfheal.surfaces.mcp.live_server import build_live_server

        return build_live_server(toolbox)
    from jupyter_selfheal.surfaces.mcp.server import build_server

    return build_server(toolbox)


def build_settings(options: argparse.Namespace) -> Settings:
    """The options as settings, on top of ``SELFHEAL_*`` and of the file that ``--config`` names. A model is asked only where the user names it
    here, and then only with a budget in the call."""
    free = tuple(name for name in HEALERS if not registry.load_traits(name).paid)
    healers: tuple[str, ...] = options.healers or free
    paid = any(registry.load_traits(name).paid for name in healers)
    given: dict[str, object] = {"healers": healers, "consent": paid}
    if options.offline:
        given["offline"] = True
    if options.budget is not None:
        given["session_budget_usd"] = options.budget
    config = resolve_settings(given, file=options.config).config
    return Settings(
        config,
        approve="none",
        cell_seconds=options.timeout or CELL_SECONDS,
        fresh=options.fresh,
        kernelspec=options.kernelspec,
    )


def _end_on_signals(close: Callable[[], None]) -> None:
    """SIGTERM and Ctrl-C end the process although it reads from its client: kernels first, then itself."""

    def leave() -> None:
        try:
            close()
        finally:
            os._exit(0)

    def end(number: int, frame: FrameType | None) -> None:
        threading.Thread(target=leave, name="selfheal-end", daemon=True).start()

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), end)
