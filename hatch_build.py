"""Build hook: puts the prebuilt JupyterLab extension into the wheel, building it where Node is at hand.

A machine with Python alone still installs from a clone: the wheel then has no JupyterLab side, and says so. An sdist carries the
built files, so that its wheel needs no Node.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = Path("jupyter_selfheal/labextension")
TARGET = "share/jupyter/labextensions/jupyter-selfheal"


class LabExtensionHook(BuildHookInterface):
    """Sets ``shared_data`` (https://hatch.pypa.io/latest/plugins/builder/wheel/) to the built extension."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version != "editable":
            self._name_commit(root, build_data)
        if not self._is_current(root):
            self._build(root)
        if not (root / BUILT / "package.json").exists():
            self.app.display_warning("jupyter-selfheal is built without its JupyterLab extension: no Node was found")
            return
        # install.json is there where an environment links to this folder and the package was installed into it
        for leftover in (*(root / BUILT).rglob("*.orig"), root / BUILT / "install.json"):
            leftover.unlink(missing_ok=True)
        if self.target_name == "wheel":
            build_data["shared_data"][str(root / BUILT)] = TARGET
            build_data["shared_data"][str(root / "labextension/install.json")] = f"{TARGET}/install.json"
        else:
            build_data["artifacts"].append(f"/{BUILT.as_posix()}")

    def _name_commit(self, root: Path, build_data: dict[str, Any]) -> None:
        """Put the commit into the package, so that rows of a benchmark can name it; an sdist's own is there already."""
        ran = None
        if (root / ".git").exists() and shutil.which("git"):
            ran = subprocess.run(["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)  # fmt: skip
        if ran and ran.returncode == 0:
            self._folder = tempfile.TemporaryDirectory(prefix="selfheal-build-")
            named = Path(self._folder.name, "_commit")
            named.write_text(ran.stdout)
            build_data["force_include"][str(named)] = "jupyter_selfheal/_commit"

    @staticmethod
    def _is_current(root: Path) -> bool:
        built = root / BUILT / "package.json"
        sources = root / "labextension"
        if not built.exists():
            return False
        if not (root / ".git").exists():
            return True
        inputs = [
            sources / "package.json",
            *(p for part in ("src", "style", "schema") for p in (sources / part).rglob("*")),
        ]
        newest = max(path.stat().st_mtime for path in inputs)
        return built.stat().st_mtime >= newest

    def _build(self, root: Path) -> None:
        if not shutil.which("node") or os.environ.get("SELFHEAL_NO_LABEXTENSION"):
            return
        shutil.rmtree(root / BUILT, ignore_errors=True)
        bin_folder = str(Path(sys.executable).parent)
        path = os.pathsep.join(
            [bin_folder, *[p for p in sys.path if Path(p).name == "bin"], os.environ.get("PATH", "")]
        )
        # jupyter_builder.jlpm does nothing under `python -m`
        jlpm = [sys.executable, "-c", "from jupyter_builder.jlpm import main; main()"]
        for command in ([*jlpm, "install", "--immutable"], [*jlpm, "build"]):
            try:
                subprocess.run(
                    command, cwd=root / "labextension", check=True, env={**os.environ, "PATH": path}, timeout=600
                )
            except (OSError, subprocess.SubprocessError) as error:
                self.app.display_warning(f"the JupyterLab extension could not be built ({error}); going on without it")
                shutil.rmtree(root / BUILT, ignore_errors=True)
                return
