"""``jupyter selfheal doctor``: what works here, and why something does not."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

from jupyter_selfheal import registry
from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.healers.rules.healer import load_plugin_rule
from jupyter_selfheal.inside.fork import gate, sandbox
from jupyter_selfheal.model import JSON
from jupyter_selfheal.surfaces.words import fit_to_screen

PACKAGES = ("ipython", "ipykernel", "jupyter-client", "nbformat", "anthropic", "numpy", "pandas")
EXTRAS = {"mcp": "mcp", "jupytext": "text", "papermill": "papermill", "keyring": "keyring", "distributed": "dask"}
"""What only some uses need, and the extra that brings it."""


NOT_INSTALLED = "not installed"


def run_doctor(options: argparse.Namespace) -> int:
    """Print what was found. The exit code is 0 where a trial can run at all."""
    findings = collect_findings()
    if options.json:
        print(json.dumps(findings, indent=2))
    else:
        print(fit_to_screen(_format_findings(findings), sys.stdout))
    return 0 if findings["kernelspecs"] else 1


def collect_findings() -> dict[str, JSON]:
    """What the doctor looks at, as JSON: versions, sandbox, kernels, extension, keys."""
    layers = sandbox.probe()
    return {
        "selfheal": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": platform.platform(),
        "packages": {name: _describe_version(name) for name in PACKAGES},
        "extras": {name: _describe_version(name) for name in EXTRAS},
        "JupyterLab extension": _find_labextension(),
        "forking": gate.find_refusal() or "possible",
        "sandbox": {layer: layers.get(layer, "") or "on" for layer in sandbox.LAYERS},
        "reachable without a network": _describe_reachable(layers),
        "kernelspecs": _list_kernelspecs(),
        "journal": _describe_journal_folder(),
        "keys": {name: bool(os.environ.get(name)) for name in registry.list_key_variables()},
        "plugins": [{"kind": p.kind, "name": p.name, "package": p.package, "problem": q} for p, q in _check_plugins()],
    }


def _describe_reachable(layers: Mapping[str, str | None]) -> str:
    """What of this machine a trial or an ``--offline`` cell can still connect to."""
    cut = not layers.get(sandbox.NETWORK, "not probed")
    open_ports = [] if cut else ["abstract sockets"] if not layers.get(sandbox.LANDLOCK_TCP) else ["the network"]
    if layers.get(sandbox.SOCKETS, "not probed"):
        return " and ".join([*open_ports, "every Unix socket (a local database, Docker, ssh-agent)"])
    hidden = "Unix sockets made after it began outside of /run, and those of a container in a folder shared with it"
    return " and ".join([*open_ports, hidden])


def _check_plugins() -> Iterator[tuple[registry.Plugin, str | None]]:
    """Every part of another package, and what is wrong with it."""
    checks: dict[str, Callable[[registry.Plugin], object]] = {
        registry.RULES: load_plugin_rule,
        registry.HEALERS: lambda plugin: registry.load_healer(plugin.name),
        registry.PROVIDERS: lambda plugin: registry.load_provider(plugin.name),
    }
    for group, check in checks.items():
        for plugin in registry.list_plugins(group):
            try:
                check(plugin)
                yield plugin, None
            except ConfigError as error:
                yield plugin, str(error)


def _describe_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED


def _find_labextension() -> str:
    """The folder that JupyterLab finds our extension in; empty where it is in none."""
    from jupyter_core.paths import jupyter_path

    folders = (Path(folder) / "jupyter-selfheal" for folder in jupyter_path("labextensions"))
    return next((str(folder) for folder in folders if (folder / "package.json").is_file()), "")


def _list_kernelspecs() -> dict[str, str]:
    from jupyter_client.kernelspec import KernelSpecManager

    specs = KernelSpecManager().get_all_specs()
    return {name: str(spec["spec"].get("display_name", "")) for name, spec in sorted(specs.items())}


def _describe_journal_folder() -> dict[str, JSON]:
    from jupyter_core.paths import jupyter_data_dir

    folder = Path(jupyter_data_dir()) / "selfheal" / "runs"
    existing = next(p for p in (folder, *folder.parents) if p.exists())
    return {"folder": str(folder), "writable": os.access(existing, os.W_OK)}


def _format_findings(findings: dict[str, JSON]) -> Iterator[str]:
    yield f"jupyter-selfheal {findings['selfheal']}, Python {findings['python']} ({findings['executable']})"
    yield findings["system"]
    yield "packages: " + ", ".join(f"{name} {version}" for name, version in findings["packages"].items())
    extras = findings["extras"]
    yield "optional: " + ", ".join(
        f"{name} {version}" + (f" (pip install 'jupyter-selfheal[{EXTRAS[name]}]')" if version == NOT_INSTALLED else "")
        for name, version in extras.items()
    )
    lab = findings["JupyterLab extension"]
    yield f"JupyterLab extension: {lab or 'not found, so cards have no buttons: install jupyter-selfheal where JupyterLab runs (a clone builds it with Node)'}"
    yield f"forking this process: {findings['forking']}"
    yield "sandbox:"
    yield from (f"  {layer}: {state}" for layer, state in findings["sandbox"].items())
    yield f"a trial or an --offline cell can still reach: {findings['reachable without a network']}"
    names = ", ".join(f"{name} ({title})" for name, title in findings["kernelspecs"].items())
    yield f"kernelspecs: {names or 'none: install ipykernel'}"
    journal = findings["journal"]
    yield f"journal: {journal['folder']}" + ("" if journal["writable"] else " (not writable)")
    yield from (f"plugin: {p['problem'] or '{kind} {name} of {package}'.format(**p)}" for p in findings["plugins"])
    yield "keys: " + ", ".join(f"{name} {'set' if there else 'not set'}" for name, there in findings["keys"].items())
