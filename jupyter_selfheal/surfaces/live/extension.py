"""``%load_ext jupyter_selfheal``: puts the hook, the magics and the worker into a shell, and takes them out again."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.interactiveshell import InteractiveShell

from jupyter_selfheal.config import LIVE_SWITCHES, HealConfig, is_untouched, read_setting, read_settings
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.magic_options import HELP, blank_heal_line
from jupyter_selfheal.surfaces.live.components import Components
from jupyter_selfheal.surfaces.live.configurable import SelfHeal
from jupyter_selfheal.surfaces.live.session import LiveSession
from jupyter_selfheal.surfaces.live.shell_hooks import ShellHooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_selfheal.surfaces.live.live_heal import View

ATTRIBUTE = "_jupyter_selfheal"


def load(shell: InteractiveShell) -> None:
    """Switch healing on in ``shell``. Loading twice changes nothing."""
    if getattr(shell, ATTRIBUTE, None) is not None:
        return
    if getattr(sys, "_selfheal_trial", False) or "JUPYTER_SELFHEAL_SHARED" in os.environ:
        _load_in_trial(shell)
        return
    folder = find_data_dir()
    try:
        os.makedirs(folder / "selfheal", exist_ok=True)
    except OSError as error:
        from jupyter_selfheal.surfaces import words

        way_out = "Set JUPYTER_DATA_DIR to a folder that can, and restart the kernel."
        words.print_lines([f"Self-heal is off: {folder} cannot be written ({error.strerror}). {way_out}"], sys.stderr)
        return
    in_kernel = hasattr(shell, "kernel")
    session = LiveSession(shell, read_config(shell), folder)
    session.auto_suggest = _read_switch(shell, "auto_suggest")
    session.teach = _read_switch(shell, "teach")
    session.look_ahead = _read_switch(shell, "look_ahead")
    components = Components(
        session,
        make_view=(lambda components: _make_widget_view(shell, components)) if in_kernel else _make_quiet_view,
        should_wait=lambda: not in_kernel or not _has_front_end(shell),
    )
    shell.register_magic_function(_make_magic(components), "line_cell", "heal")  # type: ignore[arg-type]
    setattr(shell, ATTRIBUTE, session)
    shell.configurables.append(SelfHeal(session))
    atexit.register(_stop_at_exit, session)
    ShellHooks(session, components).start()
    if in_kernel:
        _start_front_end(session, components)


def _load_in_trial(shell: InteractiveShell) -> None:
    """A notebook that loads the extension (or a profile that does) is being healed, in a trial or in a kernel of the engine's: its ``%%heal`` lines are read, and nothing else happens."""
    if blank_heal_line not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(blank_heal_line)
    for kind in ("line", "cell"):
        shell.magics_manager.register_function(lambda line, cell="": None, kind, "heal")


def unload(shell: InteractiveShell) -> None:
    """Take everything back."""
    session = getattr(shell, ATTRIBUTE, None)
    if session is None:
        return
    session.close_cards()
    session.stop()
    atexit.unregister(_stop_at_exit)
    delattr(shell, ATTRIBUTE)
    shell.configurables[:] = [c for c in shell.configurables if not isinstance(c, SelfHeal)]
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("heal", None)


def read_config(shell: Any) -> HealConfig:
    """``c.SelfHeal.*`` of IPython's configuration. What cannot be read is said in one line, and closed where it permits something."""
    given = {name: value for name, value in _collect_settings(shell).items() if name not in LIVE_SWITCHES}
    config, problems = read_settings({**_read_environment(), **given}, HealConfig())
    for problem in problems:
        print(f"Self-heal: c.SelfHeal: {problem}", file=sys.stderr)
    return config


def _read_environment() -> dict[str, str]:
    """The settings that ``SELFHEAL_*`` variables hold; what ``c.SelfHeal`` says goes first."""
    if not any(name.startswith("SELFHEAL_") for name in os.environ):
        return {}
    from jupyter_selfheal.setting_sources import read_environment  # nothing is imported for a session without any

    return read_environment(os.environ)


def _read_switch(shell: Any, name: str) -> bool:
    """``c.SelfHeal.auto_suggest`` or ``c.SelfHeal.teach``: off where it cannot be read."""
    given = _collect_settings(shell).get(name, LIVE_SWITCHES[name])
    try:
        return LIVE_SWITCHES[name] if is_untouched(given) else bool(read_setting(name, given))
    except ConfigError as error:
        print(f"Self-heal: c.SelfHeal: {error}; until then it is off", file=sys.stderr)
        return False


def _collect_settings(shell: Any) -> dict[str, Any]:
    return dict(shell.config.get("SelfHeal", {}))


def find_data_dir() -> Path:
    """``jupyter_core.paths.jupyter_data_dir()``, without importing it where the environment says it."""
    named = os.environ.get("JUPYTER_DATA_DIR")
    if named:
        return Path(named)
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir())


def _make_magic(components: Components) -> Callable[..., None]:
    def heal(line: str, cell: str | None = None) -> None:
        if cell is None:
            components.magics.heal_line(line)
        else:
            components.magics.heal_cell(line, cell)

    heal.__doc__ = HELP
    return heal


def _make_widget_view(shell: InteractiveShell, components: Components) -> View:
    from jupyter_selfheal.surfaces.live.widget import WidgetView

    return WidgetView(shell, components.actions.handle_button)


def _make_quiet_view(_components: Components) -> View:
    from jupyter_selfheal.surfaces.live.terminal import QuietView

    return QuietView()


def _start_front_end(session: LiveSession, components: Components) -> None:
    from jupyter_selfheal.surfaces.live.frontend import FrontEnd

    front_end = FrontEnd(session, components)
    front_end.start()
    session.closers.append(front_end.stop)


def _has_front_end(shell: Any) -> bool:
    """Whether somebody can be asked: nbclient and papermill run cells with ``allow_stdin`` off."""
    return bool(getattr(shell.kernel, "_allow_stdin", True))


def _stop_at_exit(session: LiveSession) -> None:
    if os.getpid() == session.pid:
        session.stop()
