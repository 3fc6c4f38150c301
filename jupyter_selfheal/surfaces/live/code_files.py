"""Which execution a code file belongs to, for an IPython that does not say it.

IPython from 8 keeps ``_filename_map`` in its compiler; IPython 7, which Google Colab has, is given the same here.
"""

from __future__ import annotations

from typing import Any

NAME = "_filename_map"


class CodeFiles:
    """The missing map of one shell's compiler; nothing is done where it has one."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._is_ours = False

    def install(self) -> None:
        """Begin to take down the names of code files, with those of the cells that ran already."""
        compiler = self._shell.compile
        if hasattr(compiler, NAME):
            return
        history = self._shell.history_manager.input_hist_raw
        numbers = {compiler.get_code_name(raw, raw, run): run for run, raw in enumerate(history) if raw}
        cache = compiler.cache

        def cache_and_note(transformed_code: str, number: int = 0, raw_code: str | None = None) -> str:
            name = str(cache(transformed_code, number, raw_code=raw_code))
            numbers[name] = number
            return name

        setattr(compiler, NAME, numbers)
        compiler.cache = cache_and_note
        self._is_ours = True

    def remove(self) -> None:
        """Take it out again."""
        if self._is_ours:
            delattr(self._shell.compile, NAME)
            del self._shell.compile.cache
            self._is_ours = False
