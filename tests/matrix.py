"""The kernel tests on every supported Python found here, with the oldest and the newest ipykernel and IPython.

    python tests/matrix.py [--list] [--only 3.12-oldest] [pytest arguments]

Environments are made with uv (or venv and pip) under ``<temporary folder>/selfheal-matrix-<user>`` and used again. Prints one
line for each and ends with 1 where any failed. Without Python 3.12, say, 3.12 is left out, and the line says so.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
KERNELS = {
    "oldest": ("ipykernel==6.29.5", "ipython==8.18.1"),
    "newest": ("ipykernel", "ipython"),
    "colab": (
        "ipykernel==6.17.1", "ipython==7.34.0", "ipywidgets==7.7.1", "traitlets==5.7.1", "setuptools<80",
    ),
}  # fmt: skip
"""``colab``: what Google Colab had in August 2026, with the jupyter-client that this package asks for."""
ABSENT = {"colab": ("comm",)}
"""What newer versions of these bring along, and Colab does not have."""
TESTS = ("tests/kernel", "tests/contract", "tests/live", "-m", "kernel")
TESTS_OF = {
    "colab": (
        "tests/live/test_flow.py", "tests/live/test_heal_magic.py", "tests/live/test_resume.py", "tests/live/test_asides.py",
        "tests/live/test_vscode.py",
    ),
}  # fmt: skip
"""Where not everything is promised: loading, the hook, the card, ``%%heal``, approving."""


RULES = ("tests/unit/healers/test_rule_conformance.py",)
"""With the newest kernel: the rules read what this Python says, and where it says that an instruction failed."""


def interpreter(version: str) -> str:
    """A Python of that version, from PATH or pyenv; empty where there is none."""
    candidates = [shutil.which(f"python{version}") or ""]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    candidates += sorted((str(p) for p in pyenv.glob(f"{version}.*/bin/python{version}")), reverse=True)
    candidates += [sys.executable] if f"{sys.version_info.major}.{sys.version_info.minor}" == version else []
    for path in candidates:
        asks = "import sys; print('%d.%d' % sys.version_info[:2])"
        ran = subprocess.run([path, "-c", asks], capture_output=True, text=True, check=False) if path else None
        if ran is not None and ran.stdout.strip() == version:
            return path
    return ""


def environment(version: str, kernels: str, python: str) -> Path:
    """The interpreter of an environment with the project's test requirements; made where it is not there yet."""
    folder = Path(tempfile.gettempdir(), f"selfheal-matrix-{os.getuid()}", f"{version}-{kernels}")
    found = folder / "bin" / "python"
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    has_uv = os.access(uv, os.X_OK)
    if not found.exists():
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        make = [uv, "venv", "--quiet", "--python", python] if has_uv else [python, "-m", "venv"]
        subprocess.run([*make, str(folder)], check=True)
    install = (
        [uv, "pip", "install", "--quiet", "--python", str(found)]
        if has_uv
        else [str(found), "-m", "pip", "install", "-q"]
    )
    newest = ["--upgrade"] if kernels == "newest" else []
    for what in (["-e", f"{ROOT}[test]"], [*newest, *KERNELS[kernels]]):
        subprocess.run([*install, *what], check=True, env={**os.environ, "SELFHEAL_NO_LABEXTENSION": "1"})
    for name in ABSENT.get(kernels, ()):
        remove = (
            [uv, "pip", "uninstall", "--python", str(found)] if has_uv else [str(found), "-m", "pip", "uninstall", "-y"]
        )
        subprocess.run([*remove, name], check=True, capture_output=True)
    return found


def versions(python: Path) -> str:
    asks = "import ipykernel, IPython; print('ipykernel', ipykernel.__version__, 'IPython', IPython.__version__)"
    return subprocess.run([str(python), "-c", asks], capture_output=True, text=True, check=True).stdout.strip()


def pass_tests(python: Path, arguments: list[str], kernels: str) -> bool:
    """Run the tests there, away from this environment's variables."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON", "PYTHON", "VIRTUAL_ENV"))}
    runs = [arguments] if arguments else [TESTS_OF.get(kernels, TESTS), *([RULES] if kernels == "newest" else [])]
    commands = [[str(python), "-m", "pytest", "-q", *tests] for tests in runs]
    codes = [subprocess.run(command, cwd=ROOT, env=kept, check=False).returncode for command in commands]
    return not any(codes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--list", action="store_true", help="only say what would run")
    parser.add_argument("--only", default="", help="one environment, as 3.12-oldest")
    options, arguments = parser.parse_known_args()
    lines, failed = [], False
    for version in PYTHONS:
        python = interpreter(version)
        for kernels in KERNELS:
            name = f"{version}-{kernels}"
            if options.only and options.only != name:
                continue
            if not python or options.list:
                lines.append(f"{name}: {python or 'no such Python here, left out'}")
                continue
            began = time.monotonic()
            try:
                there = environment(version, kernels, python)
                passed, what = pass_tests(there, arguments, kernels), versions(there)
            except (subprocess.CalledProcessError, OSError) as error:
                passed, what = False, f"the environment could not be made: {error}"
            failed = failed or not passed
            lines.append(f"{name}: {'passed' if passed else 'FAILED'} ({what}, {time.monotonic() - began:.0f} s)")
    print(*lines, sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
