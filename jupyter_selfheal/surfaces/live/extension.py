"""``%load_ext jupyter_selfheal``: puts the hook, the magics and the worker into a shell, and takes them out again."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.interactiveshell import InteractiveShell

from jupyter_selfheal.config import HealConfig, is_untouched, read_setting, read_settings
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.magic_options import HELP, blank_heal_line
from jupyter_selfheal.surfaces.live.configurable import SelfHeal
from jupyter_selfheal.surfaces.live.parts import Parts
from jupyter_selfheal.surfaces.live.session import LiveSession
from jupyter_selfheal.surfaces.live.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_selfheal.surfaces.live.heals import View

ATTRIBUTE = "_jupyter_selfheal"


def load(shell: InteractiveShell) -> None:
    """Switch healing on in ``shell``. Loading twice changes nothing."""
    if getattr(shell, ATTRIBUTE, None) is not None:
        return
    if getattr(sys, "_selfheal_trial", False):
        _load_in_trial(shell)
        return
    folder = data_dir()
    try:
        os.makedirs(folder / "selfheal", exist_ok=True)
    except OSError as error:
        print(
            f"Self-heal is off: {folder} cannot be written ({error.strerror}). "
            "Set JUPYTER_DATA_DIR to a folder that can, and restart the kernel.",
            file=sys.stderr,
        )
        return
    in_kernel = hasattr(shell, "kernel")
    session = LiveSession(shell, config_of(shell), folder)
    session.auto_suggest = _suggests(shell)
    parts = Parts(
        session,
        view_for=(lambda parts: _widget_view(shell, parts)) if in_kernel else _quiet_view,
        waits=lambda: not in_kernel or not _has_front_end(shell),
    )
    shell.register_magic_function(_magic(parts), "line_cell", "heal")  # type: ignore[arg-type]
    setattr(shell, ATTRIBUTE, session)
    shell.configurables.append(SelfHeal(session))
    atexit.register(_at_exit, session)
    Watch(session, parts).start()
    if in_kernel:
        _front_end(session, parts)


def _load_in_trial(shell: InteractiveShell) -> None:
    """A notebook that loads the extension is being healed: its ``%%heal`` lines are read, and nothing else happens."""
    if blank_heal_line not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(blank_heal_line)
    for kind in ("line", "cell"):
        shell.magics_manager.register_function(lambda line, cell="": None, kind, "heal")


def unload(shell: InteractiveShell) -> None:
    """Take everything back."""
    session = getattr(shell, ATTRIBUTE, None)
    if session is None:
        return
    session.stop()
    atexit.unregister(_at_exit)
    delattr(shell, ATTRIBUTE)
    shell.configurables[:] = [c for c in shell.configurables if not isinstance(c, SelfHeal)]
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("heal", None)


def config_of(shell: Any) -> HealConfig:
    """``c.SelfHeal.*`` of IPython's configuration. What cannot be read is said in one line, and closed where it permits something."""
    given = {name: value for name, value in _settings(shell).items() if name != "auto_suggest"}
    config, problems = read_settings(given, HealConfig())
    for problem in problems:
        print(f"Self-heal: c.SelfHeal: {problem}", file=sys.stderr)
    return config


def _suggests(shell: Any) -> bool:
    """``c.SelfHeal.auto_suggest``: off where it cannot be read."""
    given = _settings(shell).get("auto_suggest", True)
    try:
        return is_untouched(given) or bool(read_setting("auto_suggest", given))
    except ConfigError as error:
        print(f"Self-heal: c.SelfHeal: {error}; until then it is off", file=sys.stderr)
        return False


def _settings(shell: Any) -> dict[str, Any]:
    return dict(shell.config.get("SelfHeal", {}))


def data_dir() -> Path:
    """``jupyter_core.paths.jupyter_data_dir()``, without importing it where the environment says it."""
    named = os.environ.get("JUPYTER_DATA_DIR")
    if named:
        return Path(named)
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir())


def _magic(parts: Parts) -> Callable[..., None]:
    def heal(line: str, cell: str | None = None) -> None:
        if cell is None:
            parts.magics.heal_line(line)
        else:
            parts.magics.heal_cell(line, cell)

    heal.__doc__ = HELP
    return heal


def _widget_view(shell: InteractiveShell, parts: Parts) -> View:
    from jupyter_selfheal.surfaces.live.widget import WidgetView

    return WidgetView(shell, parts.actions.from_widget)


def _quiet_view(_parts: Parts) -> View:
    from jupyter_selfheal.surfaces.live.terminal import QuietView

    return QuietView()


def _front_end(session: LiveSession, parts: Parts) -> None:
    from jupyter_selfheal.surfaces.live.frontend import FrontEnd

    front_end = FrontEnd(session, parts)
    front_end.start()
    session.closers.append(front_end.stop)


def _has_front_end(shell: Any) -> bool:
    """Whether somebody can be asked: nbclient and papermill run cells with ``allow_stdin`` off."""
    return bool(getattr(shell.kernel, "_allow_stdin", True))


def _at_exit(session: LiveSession) -> None:
    if os.getpid() == session.pid:
        session.stop()
