"""The custom exception handler: shows the user's traceback as ever, and lets nothing of ours get in its way.

IPython has one slot for custom handlers and unregisters for good one that raises; so what was there is kept and called,
and everything of ours is guarded. See ``InteractiveShell.set_custom_exc``
(https://ipython.readthedocs.io/en/stable/api/generated/IPython.core.interactiveshell.html).
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any


class ExceptionHook:
    """Our handler in a shell, with whatever was there before underneath. ``on_raise`` is told before the traceback is drawn, which
    takes IPython longer than most of what comes after it; it must not raise."""

    def __init__(self, shell: Any, on_raise: Callable[[BaseException], object] = lambda error: None) -> None:
        self._shell = shell
        self._on_raise = on_raise
        self._before: tuple[tuple[type[BaseException], ...], Any] | None = None
        self._ours: Any = None

    def install(self) -> None:
        """Take the slot; what was in it goes on being called for the exceptions it had asked for."""
        self._before = (self._shell.custom_exceptions, self._shell.CustomTB)
        self._shell.set_custom_exc((Exception,), self._handle_exception)
        self._ours = self._shell.CustomTB

    def remove(self) -> None:
        """Put back what was there, unless somebody else took the slot since."""
        if self._before is not None and self._shell.CustomTB == self._ours:
            self._shell.custom_exceptions, self._shell.CustomTB = self._before
        self._before = None

    def _handle_exception(
        self, shell: Any, etype: type[BaseException], value: BaseException, tb: TracebackType | None,
        tb_offset: int | None = None,
    ) -> Any:  # fmt: skip
        self._on_raise(value)
        theirs, handler = self._before or ((), None)
        if theirs and issubclass(etype, theirs) and handler is not None:
            return handler(etype, value, tb, tb_offset)
        return _show_traceback(shell, (etype, value, tb), tb_offset)


def _show_traceback(
    shell: Any, raised: tuple[type[BaseException], BaseException, TracebackType | None], offset: int | None
) -> Any:
    """What IPython itself would do in the two places from which a custom handler is called."""
    etype, _, tb = raised
    if not _is_raised_while_parsing(tb):
        return shell.showtraceback(raised, tb_offset=offset, running_compiled_code=True)
    return shell.showindentationerror() if issubclass(etype, IndentationError) else shell.showsyntaxerror()


def _is_raised_while_parsing(tb: TracebackType | None) -> bool:
    names = []
    while tb is not None:
        names.append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    return len(names) == 2 and names[-1] == "ast_parse"
