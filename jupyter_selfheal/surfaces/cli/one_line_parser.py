"""The parser of every command of ours."""

from __future__ import annotations

import argparse
import difflib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from jupyter_selfheal.errors import UsageError


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong, and what may be meant, in one line, by exception."""

    def error(self, message: str) -> NoReturn:
        """Raises UsageError."""
        raise UsageError(f"{message}; see `{self.prog} --help`")

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """As argparse does; words that are too many are told by the command that was named, which knows its options."""
        options, rest = self.parse_known_args(args, namespace)
        if rest:
            self._find_chosen(options)._refuse(rest, self._list_options_of_commands())
        return options

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        if not isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(action, f"{value!r} is not one of {', '.join(map(str, action.choices))}")
        if str(value).endswith((".ipynb", "/")):
            self.error(f"{value!r} is no command: `{self.prog} heal {shlex.quote(str(value))}` heals it")
        near = _find_near(str(value), action.choices)
        self.error(f"there is no command {value!r}{f': did you mean {near}?' if near else ''}")

    def _find_chosen(self, options: argparse.Namespace) -> OneLineParser:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                chosen = action.choices.get(str(getattr(options, action.dest, "")))
                if isinstance(chosen, OneLineParser):
                    return chosen
        return self

    def _list_options_of_commands(self) -> dict[str, str]:
        """Every option of a command, with the first command that has it."""
        owners: dict[str, str] = {}
        for action in self._actions:
            for parser in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
                for option in parser._option_string_actions:
                    owners.setdefault(option, parser.prog)
        return owners

    def _refuse(self, rest: Sequence[str], owners: Mapping[str, str]) -> NoReturn:
        word = next((w for w in rest if w.startswith("-")), rest[0])
        if not word.startswith("-"):
            self.error(f"{word!r} is one word too many")
        name = word.split("=")[0]
        near = _find_near(name, (*self._option_string_actions, *owners))
        if near in self._option_string_actions or not near:
            self.error(f"there is no option {name}{f': did you mean {near}?' if near else ''}")
        self.error(f"there is no option {name}: {near} is one of `{owners[near]}`")


def _find_near(word: str, known: Iterable[str]) -> str:
    """What is written most like a word; empty where nothing is."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1)), "")
