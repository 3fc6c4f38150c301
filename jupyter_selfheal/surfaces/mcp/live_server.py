"""The tools on a running kernel over the protocol: the names of those on files, without a path.

Imported only where the command is run: the SDK takes more than a second.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from jupyter_selfheal.surfaces.mcp import texts
from jupyter_selfheal.surfaces.mcp.edits import MOST_EDITS, GivenEdit
from jupyter_selfheal.surfaces.mcp.live_tools import LiveToolbox
from jupyter_selfheal.surfaces.mcp.server import (
    READS,
    WAIT,
    WRITES,
    CellId,
    Chars,
    Checks,
    Edit,
    Expect,
    FixId,
    HealedCell,
    SelfHealServer,
    Source,
    Stdout,
    Wait,
    add_resources,
    add_run_status,
    make_server,
    perform,
)
from jupyter_selfheal.surfaces.mcp.tools import MOST_CELLS
from jupyter_selfheal.surfaces.mcp.views import USUAL


def build_live_server(toolbox: LiveToolbox) -> SelfHealServer:
    """The server of one running kernel."""
    server = make_server(texts.LIVE_INSTRUCTIONS)
    _add_reading_tools(server, toolbox)
    _add_proving_tools(server, toolbox)
    _add_asking_tool(server, toolbox)
    add_run_status(server, toolbox)
    add_resources(server, toolbox)

    def heal_notebook() -> str:
        return texts.LIVE_PROMPT

    server.prompt("heal_notebook", description="heal what fails in the session, proving every edit")(heal_notebook)
    return server


def _add_reading_tools(server: SelfHealServer, toolbox: LiveToolbox) -> None:
    async def check_notebook(
        ctx: Context,
        show: Literal["broken", "all"] = "broken",
        offset: Annotated[int, Field(ge=0)] = 0,
        limit: Annotated[int, Field(ge=1, le=MOST_CELLS)] = 20,
        max_chars: Chars = 400,
        wait_seconds: Wait = WAIT,
    ) -> dict[str, Any]:
        return await perform(
            ctx,
            toolbox,
            "check_notebook",
            lambda run: toolbox.check_session(show, offset, limit, max_chars),
            wait_seconds,
        )

    async def diagnose(
        ctx: Context, cell_id: CellId, max_chars: Chars = USUAL, wait_seconds: Wait = WAIT
    ) -> dict[str, Any]:
        return await perform(
            ctx, toolbox, "diagnose", lambda run: toolbox.diagnose(run, "", cell_id, max_chars), wait_seconds
        )

    async def run_in_copy(
        ctx: Context, code: Source, max_chars: Chars = USUAL, wait_seconds: Wait = WAIT
    ) -> dict[str, Any]:
        return await perform(
            ctx,
            toolbox,
            "run_in_copy",
            lambda run: toolbox.run_in_session_copy(run, code, max_chars),
            wait_seconds,
        )

    for function in (check_notebook, diagnose, run_in_copy):
        server.add_tool(function, description=texts.LIVE_TOOLS[function.__name__], annotations=READS)


def _add_proving_tools(server: SelfHealServer, toolbox: LiveToolbox) -> None:
    async def try_patch(
        ctx: Context,
        edits: Annotated[list[Edit], Field(min_length=1, max_length=MOST_EDITS)],
        expect: Expect = "",
        stdout: Stdout = "",
        checks: Checks = [],  # noqa: B006 (the schema's default; never changed)
        cell_id: HealedCell = "",
        max_chars: Chars = USUAL,
        wait_seconds: Wait = WAIT,
    ) -> dict[str, Any]:
        given = [GivenEdit(e.cell_id, e.old_source, e.new_source) for e in edits]
        return await perform(
            ctx,
            toolbox,
            "try_patch",
            lambda run: toolbox.try_patch(run, "", given, expect, checks, cell_id, max_chars, stdout),
            wait_seconds,
        )

    async def propose_fixes(
        ctx: Context,
        cell_id: CellId,
        expect: Expect = "",
        stdout: Stdout = "",
        checks: Checks = [],  # noqa: B006
        max_chars: Chars = USUAL,
        wait_seconds: Wait = WAIT,
    ) -> dict[str, Any]:
        return await perform(
            ctx,
            toolbox,
            "propose_fixes",
            lambda run: toolbox.propose_fixes(run, "", cell_id, expect, checks, 0.0, max_chars, stdout),
            wait_seconds,
        )

    for function in (try_patch, propose_fixes):
        server.add_tool(function, description=texts.LIVE_TOOLS[function.__name__], annotations=READS)


def _add_asking_tool(server: SelfHealServer, toolbox: LiveToolbox) -> None:
    async def apply_fix(ctx: Context, fix_id: FixId, wait_seconds: Wait = WAIT) -> dict[str, Any]:
        return await perform(ctx, toolbox, "apply_fix", lambda run: toolbox.apply_fix(run, fix_id), wait_seconds)

    server.add_tool(apply_fix, description=texts.LIVE_TOOLS["apply_fix"], annotations=WRITES)
