"""A client that goes away in the middle of a call ends its server, and that is no error."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from jupyter_selfheal.surfaces.mcp.command import run_until_client_goes


@dataclass
class EndingServer:
    """The SDK's server as it ends: what its writer and reader raise comes as a group."""

    errors: tuple[Exception, ...]
    served: list[str] = field(default_factory=list)

    def run(self, transport: str) -> None:
        self.served.append(transport)
        if self.errors:
            raise ExceptionGroup(transport, self.errors)


def test_an_answer_that_nobody_reads_any_more_is_no_error() -> None:
    gone, closed = EndingServer((BrokenPipeError(32, "Broken pipe"),)), EndingServer(())
    for server in (gone, closed):
        run_until_client_goes(server)
        assert server.served == ["stdio"]


def test_another_error_beside_it_is_one() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        run_until_client_goes(EndingServer((BrokenPipeError(32, "Broken pipe"), ValueError("ours"))))
    assert [type(error) for error in caught.value.exceptions] == [ValueError]
