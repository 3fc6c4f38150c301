"""``jupyter selfheal enable`` and ``disable``: a line of the IPython profile that loads the extension in every session.

IPython reads ``startup/*.py`` and ``ipython_config.py`` of its profile, in terminals and in Python kernels alike
(https://ipython.readthedocs.io/en/stable/config/intro.html). The line stands in the configuration, between two marks.
"""

from __future__ import annotations

import argparse
import contextlib
import warnings
from pathlib import Path

from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.surfaces.notebook import write
from jupyter_selfheal.surfaces.words import print_lines

BEGIN, END = "# >>> jupyter selfheal >>>", "# <<< jupyter selfheal <<<"
"""Between these marks stands what is ours."""

BLOCK = f"""{BEGIN}
# loads healing in every session where it is installed; `jupyter selfheal disable` takes these lines out
import importlib.util
if importlib.util.find_spec("jupyter_selfheal"):
    get_config().InteractiveShellApp.extensions.append("jupyter_selfheal")
{END}
"""


def enable(options: argparse.Namespace) -> int:
    """Add the line, once."""
    path = find_config_file(options.profile)
    text = _read_profile(path)
    if BEGIN in text:
        print_lines([f"healing is on in every session already: {path}"])
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_profile(path, add_block(text))
    said = f"healing is on in every new IPython session and Python kernel: {path}"
    print_lines([said, "`jupyter selfheal disable` takes it back"])
    return 0


def disable(options: argparse.Namespace) -> int:
    """Take the line out; what else the file holds stays as it is, and a file that held nothing else goes."""
    path = find_config_file(options.profile)
    text = _read_profile(path)
    if BEGIN not in text:
        print_lines([f"healing is not switched on in {path}"])
        return 0
    rest = remove_block(text)
    if rest:
        _write_profile(path, rest)
    else:
        path.unlink()
    print_lines([f"healing is off in new sessions: {path}"])
    return 0


def find_config_file(profile: str) -> Path:
    """Where IPython keeps the configuration of a profile. Raises :class:`ConfigError` where it can keep none."""
    from IPython.paths import get_ipython_dir

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        folder = Path(get_ipython_dir())
    if any("using a temp directory" in str(warning.message) for warning in said):  # nobody would find it again
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise ConfigError("IPython's folder cannot be written: set IPYTHONDIR to one that can")
    return folder / f"profile_{profile}" / "ipython_config.py"


def add_block(text: str) -> str:
    """The file with our lines at its end; a last line that did not end is ended first."""
    return text + ("" if not text or text.endswith("\n") else "\n") + BLOCK


def remove_block(text: str) -> str:
    """The file without our lines. Raises :class:`ConfigError` where the second mark is gone: then nothing is guessed."""
    before, _, after = text.partition(BEGIN)
    _, end, rest = after.partition(END)
    if not end:
        raise ConfigError(f"the line {END!r} is missing: take out the lines below {BEGIN!r} yourself")
    return before + rest.removeprefix("\n")


def _read_profile(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _write_profile(path: Path, text: str) -> None:
    write.write_atomically(
        path.resolve(), text, option="IPYTHONDIR"
    )  # a link to a file elsewhere (dotfiles in git, say) stays one
