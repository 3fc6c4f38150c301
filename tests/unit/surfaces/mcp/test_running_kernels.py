"""Which running kernel an agent is given, and to whom a token is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.mcp import running_kernels
from jupyter_selfheal.surfaces.mcp.running_kernels import (
    NoKernelYet,
    RunningKernel,
    choose_kernel,
    find_connection_file,
)

SECRET = "abcdef0123456789"
ONE, TWO = RunningKernel("k1", "work/sales.ipynb"), RunningKernel("k2", "work/other.ipynb")


class JupyterServer(BaseHTTPRequestHandler):
    """The part of a Jupyter server that is asked: its sessions, for those who have the token."""

    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == f"token {SECRET}" and self.path == "/api/sessions"
        sessions = [{"path": ONE.notebook, "kernel": {"id": ONE.id}}]
        self.send_response(200 if allowed else 403)
        self.end_headers()
        self.wfile.write(json.dumps(sessions if allowed else {}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), JupyterServer) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/lab"
        http.shutdown()


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "kernel-k1.json").write_text("{}")
    return tmp_path


def test_a_kernel_is_found_by_its_id_or_by_its_file(runtime: Path) -> None:
    assert find_connection_file("k1", "", any_host=False) == runtime / "kernel-k1.json"
    assert find_connection_file(str(runtime / "kernel-k1.json"), "", any_host=False) == runtime / "kernel-k1.json"


@pytest.mark.parametrize("name", ["k", "k9", "../k1", "python3"])
def test_nothing_but_a_whole_id_finds_one(name: str, runtime: Path) -> None:
    with pytest.raises(UsageError, match=r"no kernel .* runs on this machine .*k1"):
        find_connection_file(name, "", any_host=False)


def test_the_only_kernel_of_a_server_needs_no_name(server: str, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_TOKEN", SECRET)
    assert find_connection_file("", server, any_host=False) == runtime / "kernel-k1.json"
    assert find_connection_file("sales.ipynb", server, any_host=False) == runtime / "kernel-k1.json"


def test_without_the_token_the_server_refuses_and_the_variable_is_named(
    server: str, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUPYTER_TOKEN", raising=False)
    with pytest.raises(UsageError, match="JUPYTER_TOKEN"):
        find_connection_file("", server, any_host=False)


@pytest.mark.parametrize("url", ["http://10.1.2.3:8888", "http://example.org", "http://127.0.0.1.example.org:8888"])
def test_the_token_goes_to_this_machine_alone_unless_told_otherwise(
    url: str, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(running_kernels, "list_kernels", lambda url, token: asked.append(url) or (ONE,))
    with pytest.raises(UsageError, match="--any-host"):
        find_connection_file("", url, any_host=False)
    assert not asked
    assert find_connection_file("", url, any_host=True) == runtime / "kernel-k1.json"


def test_of_several_kernels_one_must_be_named() -> None:
    assert choose_kernel((ONE, TWO), "k2") == TWO
    assert choose_kernel((ONE, TWO), "other.ipynb") == TWO
    with pytest.raises(UsageError, match=r"it runs several kernels: give --kernel .*k1 \(work/sales.ipynb\)"):
        choose_kernel((ONE, TWO), "")


@pytest.mark.parametrize("kernels", [(), (ONE, TWO)])
def test_a_kernel_that_is_not_there_yet_may_come(kernels: tuple[RunningKernel, ...]) -> None:
    with pytest.raises(NoKernelYet, match=r"open (the|that) notebook there, then call again"):
        choose_kernel(kernels, "k3")


def test_of_two_kernels_of_one_name_one_must_be_named() -> None:
    with pytest.raises(UsageError, match="names 2 of its kernels: give --kernel") as raised:
        choose_kernel((ONE, RunningKernel("k3", "old/sales.ipynb")), "sales.ipynb")
    assert not isinstance(raised.value, NoKernelYet)
