"""The parser of every command of ours."""

from __future__ import annotations

import argparse
from typing import NoReturn

from jupyter_selfheal.errors import UsageError


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, by exception."""

    def error(self, message: str) -> NoReturn:
        """Raises UsageError."""
        raise UsageError(f"{message}; see `{self.prog} --help`")
