"""A debugger's client that attaches to a kernel: the few messages of the Debug Adapter Protocol that it takes."""

from __future__ import annotations

import json
import socket
from typing import Any


class AttachedDebugger:
    """Attached over a socket; what it says and hears is https://microsoft.github.io/debug-adapter-protocol."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._heard = self._socket.makefile("rb")
        self._asked = 0
        self.ask("initialize", adapterID="selfheal")
        self.ask("attach", justMyCode=False)
        self.ask("configurationDone")

    def ask(self, command: str, **arguments: Any) -> None:
        """Send a request and wait until it is granted."""
        self._asked += 1
        request = {"seq": self._asked, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(request).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        if command != "attach":  # is answered once the configuration is done
            while (heard := self._hear()).get("command") != command:
                pass
            assert heard["success"], heard

    def close(self) -> None:
        self._heard.close()
        self._socket.close()

    def _hear(self) -> dict[str, Any]:
        length = 0
        while line := self._heard.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        assert length, "the debugger's server ended"
        heard: dict[str, Any] = json.loads(self._heard.read(length))
        return heard
