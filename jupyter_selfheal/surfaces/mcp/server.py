"""The tools over the protocol, by the official SDK: what a client may send is said in types, and checked before anything runs.

Imported only where the command is run: the SDK takes more than a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import Tool as MCPTool
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.model import JSON
from jupyter_selfheal.surfaces.mcp import resources, texts
from jupyter_selfheal.surfaces.mcp.edits import MOST_CHECK, MOST_CHECKS, MOST_EDITS, MOST_SOURCE, GivenEdit
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.mcp.tools import MOST_CELLS, Toolbox, view_run
from jupyter_selfheal.surfaces.mcp.views import LEAST, MOST, USUAL

WAIT = 45.0
"""Seconds that a call waits for its result before it answers with the id of its run: many clients give up after sixty."""

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)

Path = Annotated[str, Field(max_length=4_096, description="the notebook's file, within the roots of this server")]
HealedCell = Annotated[str, Field(max_length=200, description="the cell to heal, if it is not the edited one")]
CellId = Annotated[str, Field(max_length=200, description="a cell's id, as check_notebook gives it; never an index")]
Source = Annotated[str, Field(max_length=MOST_SOURCE)]
Chars = Annotated[int, Field(ge=LEAST, le=MOST, description="characters of each text in the result")]
Wait = Annotated[
    float, Field(ge=0, le=300, description="seconds to wait before the answer is a run_id to ask run_status for")
]
Expect = Annotated[
    str,
    Field(
        max_length=MOST_CHECK, description="a Python expression that the cell's last value must equal; empty: not said"
    ),
]
Stdout = Annotated[
    str,
    Field(max_length=MOST_CHECK, description="what the cell must print, or /a regular expression/; empty: not said"),
]
Check = Annotated[str, Field(max_length=MOST_CHECK)]
Checks = Annotated[
    list[Check],
    Field(max_length=MOST_CHECKS, description="statements that must not raise after the cell, as 'assert total == 42'"),
]
FixId = Annotated[str, Field(max_length=80, description="as try_patch or propose_fixes gave it")]


class Edit(BaseModel):
    """One edit of one cell."""

    model_config = ConfigDict(extra="forbid")

    cell_id: CellId
    old_source: Annotated[Source, Field(description="the whole source that stands in the cell now, exactly")]
    new_source: Annotated[Source, Field(description="the whole source that is to stand there")]


class SelfHealServer(MCPServer[Any]):
    """The SDK's server, with errors of one sentence; an argument that no tool has is refused, where the SDK would leave it out unsaid."""

    async def list_tools(self) -> list[MCPTool]:
        tools = await super().list_tools()
        for tool in tools:
            tool.input_schema = {**tool.input_schema, "additionalProperties": False}
        return tools

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        schemas = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in schemas:
            raise ToolError(f"there is no tool {name[:80]!r}: call one of {', '.join(schemas)}")
        known = schemas[name].get("properties", {})
        if unknown := [word[:80] for word in arguments if word not in known]:
            raise ToolError(f"{name} was not run: it takes no {' and no '.join(unknown[:5])}, only {', '.join(known)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_format_invalid(name, error.__cause__)) from None
            if isinstance(error.__cause__, ToolError):  # the SDK puts words of its own before ours
                raise error.__cause__ from None
            raise


def build_server(toolbox: Toolbox) -> SelfHealServer:
    """The server with all its tools, resources and its prompt."""
    server = make_server(texts.INSTRUCTIONS)
    _add_reading_tools(server, toolbox)
    add_run_status(server, toolbox)
    _add_proving_tools(server, toolbox)
    _add_writing_tools(server, toolbox)
    add_resources(server, toolbox)

    def heal_notebook(path: str) -> str:
        return texts.PROMPT.format(path=path)

    server.prompt("heal_notebook", description="heal a notebook, proving every edit")(heal_notebook)
    return server


def make_server(instructions: str) -> SelfHealServer:
    """A server without a tool."""
    return SelfHealServer(
        "jupyter-selfheal",
        title="Jupyter Self-Heal",
        instructions=instructions,
        version=__version__,
        log_level="CRITICAL",
    )


def _add_reading_tools(server: SelfHealServer, toolbox: Toolbox) -> None:
    async def check_notebook(
        ctx: Context,
        path: Path,
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
            lambda run: toolbox.check_notebook(run, path, show, offset, limit, max_chars),
            wait_seconds,
        )

    async def diagnose(
        ctx: Context, path: Path, cell_id: CellId, max_chars: Chars = USUAL, wait_seconds: Wait = WAIT
    ) -> dict[str, Any]:
        return await perform(
            ctx, toolbox, "diagnose", lambda run: toolbox.diagnose(run, path, cell_id, max_chars), wait_seconds
        )

    async def run_in_copy(
        ctx: Context,
        path: Path,
        cell_id: CellId,
        code: Source,
        state: Literal["before", "after"] = "before",
        max_chars: Chars = USUAL,
        wait_seconds: Wait = WAIT,
    ) -> dict[str, Any]:
        return await perform(
            ctx,
            toolbox,
            "run_in_copy",
            lambda run: toolbox.run_in_copy(run, path, cell_id, code, state == "after", max_chars),
            wait_seconds,
        )

    for function in (check_notebook, diagnose, run_in_copy):
        server.add_tool(function, description=texts.TOOLS[function.__name__], annotations=READS)


def add_run_status(server: SelfHealServer, toolbox: Toolbox) -> None:
    """The tool that asks about a run."""

    async def run_status(
        ctx: Context,
        run_id: Annotated[str, Field(max_length=40)],
        cancel: Annotated[bool, Field(description="end the run instead of waiting for it")] = False,
        wait_seconds: Wait = WAIT,
    ) -> dict[str, Any]:
        try:
            run = toolbox.runs.get(run_id)
        except SelfHealError as error:
            raise ToolError(str(error)) from error
        if cancel:
            run.cancel()
        await _follow_run(ctx, run, wait_seconds)
        view: dict[str, Any] = view_run(run)
        return view

    server.add_tool(run_status, description=texts.TOOLS["run_status"], annotations=READS)


def _add_proving_tools(server: SelfHealServer, toolbox: Toolbox) -> None:
    async def try_patch(
        ctx: Context,
        path: Path,
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
            lambda run: toolbox.try_patch(run, path, given, expect, checks, cell_id, max_chars, stdout),
            wait_seconds,
        )

    async def propose_fixes(
        ctx: Context,
        path: Path,
        cell_id: CellId,
        expect: Expect = "",
        stdout: Stdout = "",
        checks: Checks = [],  # noqa: B006
        budget_usd: Annotated[
            float,
            Field(
                ge=0,
                le=100,
                description="dollars a model may cost, of what the user gave all calls together; 0: none is asked",
            ),
        ] = 0,
        max_chars: Chars = USUAL,
        wait_seconds: Wait = WAIT,
    ) -> dict[str, Any]:
        return await perform(
            ctx,
            toolbox,
            "propose_fixes",
            lambda run: toolbox.propose_fixes(run, path, cell_id, expect, checks, budget_usd, max_chars, stdout),
            wait_seconds,
        )

    for function in (try_patch, propose_fixes):
        server.add_tool(function, description=texts.TOOLS[function.__name__], annotations=READS)


def _add_writing_tools(server: SelfHealServer, toolbox: Toolbox) -> None:
    async def apply_fix(ctx: Context, fix_id: FixId, wait_seconds: Wait = WAIT) -> dict[str, Any]:
        return await perform(ctx, toolbox, "apply_fix", lambda run: toolbox.apply_fix(run, fix_id), wait_seconds)

    async def revert_fix(ctx: Context, fix_id: FixId) -> dict[str, Any]:
        return await perform(ctx, toolbox, "revert_fix", lambda run: toolbox.revert_fix(run, fix_id), WAIT)

    for function in (apply_fix, revert_fix):
        server.add_tool(function, description=texts.TOOLS[function.__name__], annotations=WRITES)


def add_resources(server: SelfHealServer, toolbox: Toolbox) -> None:
    """Runs and rules, to be read."""

    def read_run(run_id: str) -> str:
        return _find_resource(lambda: resources.read_run(toolbox, run_id))

    def read_rule(code: str) -> str:
        return _find_resource(lambda: resources.read_rule(code))

    server.resource("selfheal://runs/{run_id}", name="run", description="a run, or a heal step by step")(read_run)
    server.resource("selfheal://rules/{code}", name="rule", description="what a rule does, and why it is safe")(
        read_rule
    )


def _find_resource(read: Callable[[], str]) -> str:
    try:
        return read()
    except SelfHealError as error:
        raise ResourceNotFoundError(str(error)) from error


async def perform(
    ctx: Context, toolbox: Toolbox, tool: str, work: Callable[[ToolRun], JSON], seconds: float
) -> dict[str, Any]:
    """Run the tool on a thread, and wait. A client's cancellation ends the run; what takes too long goes on, by its id."""
    run = toolbox.runs.start(tool, work)
    try:
        await _follow_run(ctx, run, seconds)
    except anyio.get_cancelled_exc_class():
        run.cancel()
        raise
    if run.error:
        raise ToolError(run.error)
    if run.is_running:
        view: dict[str, Any] = view_run(run)
        return view
    return {**run.result, "run_id": run.id, "cost": run.meter.build_json()}


async def _follow_run(ctx: Context, run: ToolRun, seconds: float) -> None:
    """Wait for the end of a run, at most so long, passing on its progress."""
    told = 0
    with anyio.move_on_after(seconds):
        while run.is_running:
            version, at = run.version, run.at
            if at > told:
                told = at
                await ctx.report_progress(at, run.of, run.doing)
            await anyio.to_thread.run_sync(run.wait_for_news, version, 5.0, abandon_on_cancel=True)


def _format_invalid(tool: str, error: ValidationError) -> str:
    """Which arguments are wrong, without the values: those may be long."""
    wrong = [f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors()[:5]]
    return f"{tool} was not run: {'; '.join(wrong)}. Look at the tool's input schema, and call it again"
